/* The measurements of cgsolve spmv: machine -> matrix by rows -> reference results -> candidates ->
 * groups of trials -> table. */
#include "src/spmv/lab_run.h"

#include <string.h>

#include "base/memory.h"
#include "base/plain.h"
#include "core/autotune/tournament.h"
#include "core/io/format.h"
#include "core/io/interrupt.h"
#include "core/io/threads.h"
#include "core/setup/asked.h"
#include "core/setup/machine_kernel.h"
#include "core/setup/machine_open.h"
#include "core/setup/measure.h"
#include "fem/order/rows.h"
#include "matrix/layout.h"
#include "matrix/names.h"
#include "matrix/random.h"
#include "src/spmv/lab_rows.h"

/* Candidates of cgsolve spmv: the kernels of --kernel=, vendor kernels for comparison, and the best
 * and the single-threaded CPU kernel as baselines of break-even and speed-up. */

/* Context of a search for candidates. */
struct search {
    struct cgs_context *context;
    struct cgs_lab *lab;
    const struct cgs_testbed *stands;
    const struct cgs_row_source *source;
    const struct cgs_room *room;
    struct cgs_padding padding[CGS_DEVICES];
    struct cgs_candidates *list;
};

/* Adds all kernels of one name (NULL: any) on one device. */
static enum cgs_status add(struct search *search, enum cgs_device device, const char *name,
                           bool others)
{
    return cgs_candidates_add(search->context, &search->lab->options->settings, device, name,
                              others, true, &search->padding[device], search->list);
}

/* Adds a user's kernel; for SELL both unsorted and, if worth trying, sorted. */
static enum cgs_status add_plugin(struct search *search, const struct cgs_plugin *plugin)
{
    const struct cgs_lab *lab = search->lab;
    const struct cgs_padding *padding = &search->padding[cgs_plugin_isolated(plugin)->device];
    const int32_t sigmas[] = {lab->options->settings.given[CGS_OPTION_sigma] ? padding->sigma : 1,
                              padding->sigma};
    for (int i = 0; i < 2; i++) {
        const struct cgs_candidate candidate = cgs_user_kernels_candidate(
            plugin, lab->machine->device, lab->precision, padding->chunk, sigmas[i]);
        CGS_TRY(cgs_candidates_append(search->context, &candidate, search->list));
    }
    return CGS_OK;
}

/* Adds the kernel of that name on the run's device, or on the other one if the run's has none. */
static enum cgs_status add_named(struct search *search, const char *name)
{
    const enum cgs_device device = search->lab->machine->device;
    const enum cgs_device other = device == CGS_CPU ? CGS_CUDA : CGS_CPU;
    const int before = search->list->count;
    int formats, devices;
    CGS_TRY(cgs_machine_look_up(search->context, name, &formats, &devices));
    CGS_TRY(add(search, devices & 1 << device ? device : other, name, true));
    for (int i = before; !(devices & 1 << device) && i < search->list->count; i++)
        if (other == CGS_CUDA && search->list->items[i].reason[0] == '\0')
            snprintf(search->list->items[i].reason, sizeof search->list->items[i].reason,
                     "it is of CUDA, but this run is on the CPU");
    return CGS_OK;
}

static enum cgs_status add_choice(struct search *search)
{
    struct cgs_lab *lab = search->lab;
    CGS_TRY(cgs_choose_on(&search->stands[lab->machine->device], &lab->options->settings,
                          search->source, search->room, &lab->choice));
    lab->has_choice = true;
    return cgs_candidates_append(search->context, &lab->choice.items[lab->choice.chosen].candidate,
                                 search->list);
}

static enum cgs_status add_words(struct search *search)
{
    char word[4096];
    for (int i = 0; cgs_kernel_word(search->lab->options->settings.kernel, i, word, sizeof word);
         i++) {
        const bool all = strcmp(word, "all") == 0;
        const struct cgs_plugin *plugin = cgs_user_kernels_find(&search->lab->user_kernels, word);
        if (plugin)
            CGS_TRY(add_plugin(search, plugin));
        else if (!all && strcmp(word, "auto") != 0)
            CGS_TRY(add_named(search, word));
        if (all)
            CGS_TRY(add(search, search->lab->machine->device, NULL, true));
        if ((all || strcmp(word, "auto") == 0) && !search->lab->has_choice)
            CGS_TRY(add_choice(search));
    }
    return CGS_OK;
}

/* Adds the baselines: the default kernel of CRS, the best CPU kernel (CUDA runs only), and CRS on
 * one thread of the CPU, which is the default kernel where the run has one thread. */
static enum cgs_status add_baselines(struct search *search)
{
    struct cgs_lab *lab = search->lab;
    struct cgs_candidate baseline = {.chunk = 1, .sigma = 1, .beside = true, .standard = true};
    CGS_TRY(
        cgs_kernel_find(search->context, "auto", lab->machine->device, CGS_CRS, &baseline.entry));
    CGS_TRY(cgs_candidates_append(search->context, &baseline, search->list));
    if (lab->machine->device == CGS_CPU && lab->context->threads == 1)
        return CGS_OK;
    baseline.threads = 1;
    baseline.standard = false;
    if (lab->machine->device != CGS_CPU) {
        struct cgs_selection choice;
        CGS_TRY(cgs_choose_on(&search->stands[CGS_CPU], &lab->options->settings, search->source,
                              search->room, &choice));
        struct cgs_candidate best = choice.items[choice.chosen].candidate;
        best.beside = true;
        CGS_TRY(cgs_candidates_append(search->context, &best, search->list));
    }
    CGS_TRY(cgs_kernel_find(search->context, "auto", CGS_CPU, CGS_CRS, &baseline.entry));
    return cgs_candidates_append(search->context, &baseline, search->list);
}

/* Adds the candidates to *list: the kernels of --kernel=, vendor kernels and baselines. Another
 * kind of kernel is added here. stands: test vectors by device, zeroed for absent devices; room:
 * memory for the trials of --kernel=auto. */
static enum cgs_status lab_candidates(struct cgs_context *context, struct cgs_lab *lab,
                                      const struct cgs_testbed stands[CGS_DEVICES],
                                      const struct cgs_row_source *source,
                                      const struct cgs_room *room, struct cgs_candidates *list)
{
    struct search search = {.context = context,
                            .lab = lab,
                            .stands = stands,
                            .source = source,
                            .room = room,
                            .list = list};
    for (int device = 0; device < CGS_DEVICES; device++) {
        search.padding[device] = (struct cgs_padding){.chunk = 1, .sigma = 1};
        if (stands[device].backend)
            CGS_TRY(cgs_padding_measure(context, &lab->options->settings, stands[device].backend,
                                        source, &search.padding[device]));
    }
    CGS_TRY(add_words(&search));
    CGS_TRY(add(&search, lab->machine->device, NULL, false));
    return add_baselines(&search);
}

static const double HOPELESS = 20.0; /* limit on the first product, times the best; then dropped */
static const double PATIENCE = 2.0;  /* seconds; not dropped if all its products take less */
static const double BUDGET = 30.0;   /* seconds of timed products of each kernel */
static const double BUDGET_BASELINE = 2.0; /* the same of each baseline */

/* State of a run of cgsolve spmv. */
struct session {
    struct cgs_context *context;
    struct cgs_options *options;
    FILE *verbose;
    struct cgs_machine *machine;
    struct cgs_input *input;
    struct cgs_lab *lab;
    struct cgs_crs drawn; /* matrix of the model problem; owned */
    const struct cgs_crs *crs;
    struct cgs_row_source source;
    struct cgs_references references;
    struct cgs_testbed stands[CGS_DEVICES];
    struct cgs_plan plan; /* memory without the kernels */
    struct cgs_room room; /* memory left for the kernels */
    struct cgs_candidates candidates;
    struct cgs_trial *trials; /* one per candidate, in the same order */
};

/* Prints a line for --verbose: the step and the kernel's name. */
static void say(const struct session *s, const char *what, const char *name)
{
    if (s->verbose)
        fprintf(s->verbose, "spmv: %s%s\n", what, cgs_plain(name, (cgs_name){0}));
}

/* ---- machine and matrix ---- */

enum cgs_status cgs_lab_open_machine(struct cgs_context *context, struct cgs_options *options,
                                     struct cgs_user_kernels *user_kernels,
                                     struct cgs_machine *machine)
{
    int all = 0;
    char word[4096];
    CGS_TRY(cgs_kernel_words_check(context, &options->settings));
    if (user_kernels->count == 0)
        CGS_TRY(cgs_user_kernels_open(context, &options->settings, user_kernels));
    for (int i = 0; cgs_kernel_word(options->settings.kernel, i, word, sizeof word); i++) {
        int formats, devices = 1 << CGS_CPU | 1 << CGS_CUDA;
        const struct cgs_plugin *found = cgs_user_kernels_find(user_kernels, word);
        if (found)
            devices = 1 << cgs_plugin_isolated(found)->device;
        else if (strcmp(word, "auto") != 0 && strcmp(word, "all") != 0)
            CGS_TRY(cgs_machine_look_up(context, word, &formats, &devices));
        all |= devices;
    }
    return cgs_machine_open_for(context, &options->settings, all, machine);
}

static enum cgs_status open_machine(struct session *s)
{
    CGS_TRY(cgs_lab_open_machine(s->context, s->options, &s->lab->user_kernels, s->machine));
    return cgs_room_measure(s->machine, cgs_settings_memory_limit(&s->options->settings), &s->room);
}

/* Plans the memory of matrix, reference results and test vectors. */
static void plan_all(const struct session *s, int64_t rows, int64_t columns, int64_t nonzeros,
                     struct cgs_plan *plan)
{
    const enum cgs_number real = cgs_precision_real(s->lab->precision);
    *plan = (struct cgs_plan){0};
    cgs_crs_plan(plan, rows, nonzeros);
    cgs_references_plan(plan, rows, columns);
    cgs_testbed_plan(plan, CGS_HOST, real, rows, columns, CGS_TESTBED_INPUTS);
    if (s->machine->device == CGS_CUDA)
        cgs_testbed_plan(plan, CGS_DEVICE_MEMORY, real, rows, columns, CGS_TESTBED_INPUTS);
}

/* Fails if the plan does not fit even without a kernel. */
static enum cgs_status check_room(struct session *s, const struct cgs_plan *plan)
{
    for (int place = 0; place < CGS_PLACES; place++) {
        cgs_text needed, there;
        if (plan->total[place] <= s->room.bytes[place] || plan->total[place] == 0)
            continue;
        return cgs_fail(s->context, CGS_MEMORY,
                        "the matrix by rows, test vectors and right answers take %s of %s memory, "
                        "but %s %s: take a smaller matrix%s",
                        cgs_bytes_text(plan->total[place], needed), cgs_place_name(place),
                        cgs_bytes_text(s->room.bytes[place], there),
                        s->room.limited[place] ? "is the limit (--memory-limit)" : "is free",
                        s->lab->precision == CGS_PRECISION_F64 ? ", or --precision=single" : "");
    }
    return CGS_OK;
}

static enum cgs_status accept_file(void *user, struct cgs_context *context,
                                   const struct cgs_market *market, const struct cgs_plan *plan)
{
    struct session *s = user;
    struct cgs_plan all, both = *plan;
    (void)context;
    CGS_TRY(check_room(s, &both));
    plan_all(s, market->rows, market->columns, market->stored, &all);
    return check_room(s, &all);
}

static bool file_progress(void *user, int64_t done, int64_t all)
{
    const struct session *s = user;
    if (s->verbose && all > 0)
        fprintf(s->verbose, "spmv: read %.0f %%\n", 100.0 * (double)done / (double)all);
    return !cgs_interrupted();
}

static enum cgs_status open_matrix(struct session *s)
{
    const struct cgs_options *o = s->options;
    const struct cgs_market_settings settings = {
        .accept = accept_file, .progress = file_progress, .user = s, .member = s->lab->member};
    const struct cgs_input_settings asked =
        cgs_input_asked(&o->settings, &(struct cgs_external){0});
    const enum cgs_input_kind kind = asked.kind;
    if (kind == CGS_INPUT_RANDOM)
        plan_all(s, o->settings.random.n, o->settings.random.n,
                 cgs_random_expected(o->settings.random.n, o->settings.random.density), &s->plan);
    else if (kind == CGS_INPUT_BOX)
        plan_all(s, cgs_mesh_rows(&asked.mesh), cgs_mesh_rows(&asked.mesh),
                 asked.mesh.order > 1 ? cgs_order_statistics(&asked.mesh).rounded[0]
                                      : 27 * cgs_mesh_rows(&asked.mesh),
                 &s->plan);
    CGS_TRY(check_room(s, &s->plan));
    say(s, "making the matrix", "");
    CGS_TRY(cgs_input_open(s->context, &asked, &settings, s->input));
    s->crs = &s->input->crs;
    if (kind == CGS_INPUT_BOX) {
        CGS_TRY(cgs_crs_generate(s->context, &s->input->source, &s->drawn));
        s->crs = &s->drawn;
    }
    s->source = cgs_crs_source(s->crs);
    s->source.mesh = s->input->source.mesh;
    CGS_TRY(cgs_matrix_create(s->context, &s->source, CGS_CRS, 1, 1, &s->lab->crs));
    cgs_matrix_release(s->context, &(struct cgs_matrix){.pointers = s->lab->crs.pointers});
    s->lab->crs.pointers = NULL;
    s->lab->drawn = true;
    plan_all(s, s->crs->rows, s->crs->columns, s->lab->crs.nonzeros, &s->plan);
    return CGS_OK;
}

/* Takes as many threads as a solve does with this matrix, unless the user says how many: the
 * baseline is to be what everybody runs. */
static void settle_threads(struct session *s)
{
    struct cgs_settings *settings = &s->options->settings;
    if (s->machine->device != CGS_CPU || settings->given[CGS_OPTION_threads])
        return;
    s->context->threads = cgs_threads_helping(s->context->threads, s->lab->crs.nonzeros);
    CGS_DECIDE(settings, threads, s->context->threads);
}

/* ---- vectors and bandwidths ---- */

static enum cgs_status make_testbeds(struct session *s)
{
    struct cgs_machine *m = s->machine;
    struct cgs_lab *lab = s->lab;
    const int64_t working_set =
        lab->crs.nonzeros * (cgs_number_bytes(cgs_precision_value(lab->precision)) + 4);
    cgs_stopwatch_enter(&s->context->watch, CGS_PHASE_SETUP);
    say(s, "right answers", "");
    CGS_TRY(cgs_references_create(s->context, s->crs, lab->precision, &s->references));
    CGS_TRY(cgs_references_testbed(&s->references, s->crs, cgs_backend(CGS_CPU), m->host_queue,
                                   lab->precision, &s->stands[CGS_CPU]));
    if (m->device != CGS_CPU)
        CGS_TRY(cgs_references_testbed(&s->references, s->crs, m->backend, m->queue, lab->precision,
                                       &s->stands[m->device]));
    CGS_TRY(cgs_room_measure(m, cgs_settings_memory_limit(&s->options->settings),
                             &s->room)); /* memory left for kernels */
    for (int place = 0; place < CGS_PLACES; place++)
        if (s->room.limited[place])
            s->room.bytes[place] -= s->plan.total[place];
    for (int device = 0; device < CGS_DEVICES; device++)
        if (s->stands[device].backend)
            CGS_TRY(cgs_measure_bandwidth(
                s->stands[device].backend, s->stands[device].queue, working_set,
                s->room.bytes[s->stands[device].backend->place], &lab->bandwidth[device]));
    for (int device = 0; device < CGS_DEVICES; device++)
        if (s->stands[device].backend && s->source.mesh && s->source.mesh->order > 1)
            CGS_TRY(cgs_measure_arithmetic(s->stands[device].backend, s->stands[device].queue,
                                           cgs_precision_real(lab->precision),
                                           &lab->arithmetic[device]));
    lab->cached = working_set + (lab->crs.rows + lab->crs.columns) * 8 <= m->info.cache_bytes;
    return CGS_OK;
}

/* ---- groups of trials ("heats") ---- */

/* A group is as many kernels as fit into memory together; they are prepared and verified, then
 * timed in turn. Vendor kernels are part of every group, so that ratios to them are of times taken
 * at the same moment. */

static bool is_open(const struct cgs_trial *trial)
{
    return trial->state == CGS_TRIAL_OPEN;
}

/* Tries a user's kernel on other matrices, too. */
static enum cgs_status try_elsewhere(struct session *s, struct cgs_trial *trial)
{
    const struct cgs_battery_result *result;
    if (!is_open(trial))
        return CGS_OK;
    CGS_TRY(cgs_user_kernels_try(&s->lab->user_kernels, s->machine, trial->candidate->entry->name,
                                 &result));
    return result->reason[0] ? cgs_trial_end(trial, CGS_TRIAL_FAILED, result->reason) : CGS_OK;
}

/* Adds a trial to the group: layout, memory, entries, verification. *waiting: it does not fit
 * together with the others of this group. */
static enum cgs_status enter_heat(struct session *s, struct cgs_trial *trial, struct cgs_plan *held,
                                  bool *waiting)
{
    const struct cgs_candidate *c = trial->candidate;
    const bool alone = held->total[CGS_HOST] + held->total[CGS_DEVICE_MEMORY] == 0;
    char name[128];
    *waiting = false;
    if (cgs_interrupted())
        return cgs_fail(s->context, CGS_INTERRUPTED, "interrupted before all kernels were timed");
    const struct cgs_testbed *testbed = &s->stands[c->entry->device];
    if (!testbed->backend) /* the candidate's reason says why it cannot be tried */
        testbed = &s->stands[CGS_CPU];
    CGS_TRY(cgs_trial_open(c, testbed, &s->source, s->lab->precision, trial));
    if (!is_open(trial))
        return CGS_OK;
    if (!cgs_trial_take_room(trial, &s->room, held)) {
        *waiting = !alone;
        return alone ? cgs_trial_end(trial, CGS_TRIAL_SKIPPED, "there is no memory for it")
                     : CGS_OK;
    }
    cgs_candidate_name(c, name, sizeof name);
    say(s, "verifying ", name);
    CGS_TRY(cgs_trial_prepare(trial, s->lab->precision));
    cgs_stopwatch_enter(&s->context->watch, CGS_PHASE_SETUP);
    CGS_TRY(cgs_trial_verify(trial, &s->references));
    return c->plugin ? try_elsewhere(s, trial) : CGS_OK;
}

/* Times the trials of the group; baselines have a smaller budget. */
static enum cgs_status time_heat(struct session *s, const int *items, int count)
{
    struct cgs_tournament tournament = {.products = (int)s->options->repeat,
                                        .batches = CGS_BATCHES_MOST,
                                        .cold = s->options->cold,
                                        .budget = BUDGET,
                                        .baseline_budget = BUDGET_BASELINE,
                                        .hopeless = HOPELESS,
                                        .patience = PATIENCE,
                                        .references = &s->references};
    struct cgs_trial **trials;
    CGS_TRY(cgs_alloc(s->context, count, sizeof *trials, "trials", (void **)&trials));
    for (int i = 0; i < count; i++)
        trials[i] = &s->trials[items[i]];
    say(s, "timing", "");
    const enum cgs_status status = cgs_tournament_run(&tournament, trials, count);
    cgs_free(s->context, trials);
    return status;
}

/* Runs one group of the remaining trials; *left: number that wait for the next one. */
static enum cgs_status run_heat(struct session *s, bool *done, int *items, int *left)
{
    struct cgs_lab *lab = s->lab;
    struct cgs_plan held = {0};
    int count = 0;
    enum cgs_status status = CGS_OK;
    *left = 0;
    for (int pass = 0; pass < 2 && status == CGS_OK; pass++) /* references first */
        for (int i = 0; i < lab->count && status == CGS_OK; i++) {
            struct cgs_trial *trial = &s->trials[i];
            const struct cgs_kernel *kernel = s->candidates.items[i].entry->tables[lab->precision];
            const bool reference = kernel && kernel->reference;
            bool waiting;
            if (reference != (pass == 0) || (done[i] && (!reference || !is_open(trial))))
                continue;
            status = enter_heat(s, trial, &held, &waiting);
            if (waiting)
                (*left)++;
            else
                items[count++] = i;
            if (waiting)
                cgs_trial_release(trial);
        }
    if (status == CGS_OK)
        status = time_heat(s, items, count);
    for (int i = 0; i < count; i++) {
        cgs_lab_note(&s->trials[items[i]], lab, &lab->rows[items[i]]);
        done[items[i]] = true;
    }
    cgs_lab_hold_against_vendor(lab, items, count);
    for (int i = 0; i < count; i++)
        cgs_trial_release(&s->trials[items[i]]);
    return status;
}

static enum cgs_status run_heats(struct session *s)
{
    struct cgs_lab *lab = s->lab;
    const int count = s->candidates.count;
    bool *done = NULL;
    int *items = NULL, left = count;
    CGS_TRY(
        cgs_alloc(s->context, count, sizeof *lab->rows, "rows of the table", (void **)&lab->rows));
    lab->count = count;
    for (int i = 0; i < count; i++) {
        s->trials[i] =
            (struct cgs_trial){.candidate = &s->candidates.items[i], .verdict = {.wrong_row = -1}};
        lab->rows[i] = (struct cgs_lab_row){.state = CGS_TRIAL_SKIPPED,
                                            .wrong_row = -1,
                                            .break_even = -1,
                                            .attainable_kind = "",
                                            .reason = "the run ended before it"};
        cgs_lab_name_row(lab, &s->candidates.items[i], &lab->rows[i]);
        lab->rows[i].device = s->candidates.items[i].entry->device;
        lab->rows[i].format = s->candidates.items[i].entry->format;
    }
    enum cgs_status status = cgs_alloc(s->context, count, sizeof *done, "trials", (void **)&done);
    if (status == CGS_OK)
        status = cgs_alloc(s->context, count, sizeof *items, "trials", (void **)&items);
    if (status == CGS_OK)
        memset(done, 0, (size_t)count * sizeof *done);
    for (int before = count + 1; status == CGS_OK && 0 < left && left < before;) {
        before = left;
        status = run_heat(s, done, items, &left);
    }
    for (int i = 0; i < count && status == CGS_OK; i++)
        if (!done[i])
            snprintf(lab->rows[i].reason, sizeof lab->rows[i].reason,
                     "there is no memory for it beside a vendor's kernel");
    cgs_free(s->context, done);
    cgs_free(s->context, items);
    return status;
}

/* ---- the run ---- */

/* Finds the row of the kernel chosen by --kernel=auto. */
static void find_chosen(struct session *s)
{
    struct cgs_lab *lab = s->lab;
    if (!lab->has_choice)
        return;
    const struct cgs_candidate *c = &lab->choice.items[lab->choice.chosen].candidate;
    for (int i = 0; i < lab->count; i++) {
        const struct cgs_candidate *other = &s->candidates.items[i];
        if (other->entry == c->entry && other->chunk == c->chunk && other->sigma == c->sigma &&
            other->threads == 0)
            lab->chosen = i;
    }
}

static enum cgs_status run_all(struct session *s)
{
    CGS_TRY(open_machine(s));
    CGS_TRY(open_matrix(s));
    settle_threads(s);
    CGS_TRY(make_testbeds(s));
    say(s, "collecting candidates", "");
    CGS_TRY(lab_candidates(s->context, s->lab, s->stands, &s->source, &s->room, &s->candidates));
    CGS_TRY(cgs_alloc(s->context, s->candidates.count, sizeof *s->trials, "trials",
                      (void **)&s->trials));
    const enum cgs_status status = run_heats(s);
    cgs_lab_hold_against_baselines(s->lab);
    find_chosen(s);
    return status;
}

enum cgs_status cgs_lab_run(struct cgs_context *context, struct cgs_options *options, FILE *verbose,
                            struct cgs_machine *machine, struct cgs_input *input,
                            struct cgs_lab *lab)
{
    struct session s = {.context = context,
                        .options = options,
                        .verbose = verbose,
                        .machine = machine,
                        .input = input,
                        .lab = lab};
    const enum cgs_status status = run_all(&s);
    cgs_contention_stop("", &machine->contention);
    cgs_free(context, s.trials);
    cgs_candidates_release(context, &s.candidates);
    for (int device = 0; device < CGS_DEVICES; device++)
        cgs_testbed_release(&s.stands[device]);
    cgs_references_release(context, &s.references);
    cgs_crs_release(context, &s.drawn);
    return status;
}

void cgs_lab_release(struct cgs_context *context, struct cgs_lab *lab)
{
    cgs_user_kernels_close(context, &lab->user_kernels);
    cgs_free(context, lab->rows);
    lab->rows = NULL;
    lab->count = 0;
}
