/* The measurements of cgsolve spgemm: machine -> operands -> kernels -> counts -> plan ->
 * verification -> timing. */
#include "src/spgemm/multiply_run.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"
#include "base/spelling.h"
#include "core/autotune/candidates.h"
#include "core/io/format.h"
#include "core/io/interrupt.h"
#include "core/options/options.h"
#include "core/setup/asked.h"
#include "core/setup/machine_open.h"
#include "core/setup/measure.h"
#include "fem/rows.h"
#include "kernels/spgemm/spgemm.h"
#include "kernels/spgemm/spgemm_table.h"
#include "matrix/layout.h"
#include "matrix/names.h"
#include "matrix/random.h"
#include "src/spgemm/multiply_slabs.h"
#include "src/spgemm/multiply_trial.h"
#include "src/spgemm/traffic.h"

/* Operands A and B of cgsolve spgemm: checked against the memory available, then read or assembled
 * by rows on the host. */

/* State of opening an operand. */
struct opening {
    struct cgs_multiply *m;
    const char *name; /* "A" */
    FILE *verbose;
};

/* Fails if the operand does not fit together with A; `plan`: memory of the operand. */
static enum cgs_status check_room(const struct opening *o, struct cgs_plan *plan)
{
    const struct cgs_multiply *m = o->m;
    cgs_text needed, there;
    char smaller[64] = "";
    if (m->a)
        cgs_crs_plan(plan, m->a->crs->rows, m->a->crs->pointers[m->a->crs->rows]);
    if (plan->total[CGS_HOST] <= m->room.bytes[CGS_HOST])
        return CGS_OK;
    if (!m->options->settings.matrix && !m->options->settings.given[CGS_OPTION_random] &&
        !m->options->settings.given[CGS_OPTION_cells])
        snprintf(
            smaller, sizeof smaller, ", such as --N=%.0f",
            fmax(1.0, floor((double)m->options->settings.n * cbrt((double)m->room.bytes[CGS_HOST] /
                                                                  (double)plan->total[CGS_HOST]))));
    return cgs_fail(m->context, CGS_MEMORY,
                    "matrix %s needs %s of host memory%s, but %s %s: take a smaller matrix%s",
                    o->name, cgs_bytes_text(plan->total[CGS_HOST], needed), m->a ? " beside A" : "",
                    cgs_bytes_text(m->room.bytes[CGS_HOST], there),
                    m->room.limited[CGS_HOST] ? "is the limit (--memory-limit)" : "is free",
                    smaller);
}

static enum cgs_status accept_file(void *user, struct cgs_context *context,
                                   const struct cgs_market *market, const struct cgs_plan *plan)
{
    struct cgs_plan reading = *plan;
    (void)context;
    (void)market;
    return check_room(user, &reading);
}

static bool file_progress(void *user, int64_t done, int64_t all)
{
    const struct opening *o = user;
    if (o->verbose && all > 0)
        fprintf(o->verbose, "spgemm: read %.0f %% of matrix %s\n",
                100.0 * (double)done / (double)all, o->name);
    return !cgs_interrupted();
}

static enum cgs_status open_left(struct opening *o, const struct cgs_market_settings *settings)
{
    struct cgs_multiply *m = o->m;
    const struct cgs_options *options = m->options;
    const struct cgs_input_settings asked =
        cgs_input_asked(&options->settings, &(struct cgs_external){0});
    struct cgs_plan plan = {0};
    switch (asked.kind) {
    case CGS_INPUT_BOX:
        cgs_crs_plan(&plan, cgs_mesh_rows(&asked.mesh), cgs_mesh_nonzeros(&asked.mesh));
        break;
    case CGS_INPUT_RANDOM:
        cgs_crs_plan(
            &plan, options->settings.random.n,
            cgs_random_expected(options->settings.random.n, options->settings.random.density));
        break;
    case CGS_INPUT_FILE:
    case CGS_INPUT_MEMORY:
    case CGS_INPUT_DEVICE:
    case CGS_INPUT_CALLBACK:
        break; /* checked by accept_file; already in memory */
    }
    CGS_TRY(check_room(o, &plan));
    return cgs_input_open(m->context, &asked, settings, &m->left.input);
}

/* Generates the operand's rows, with sizes and row statistics. */
static enum cgs_status draw(struct cgs_multiply *m, struct cgs_operand *operand)
{
    const struct cgs_crs *crs = &operand->input.crs;
    if (operand->input.kind == CGS_INPUT_BOX) {
        CGS_TRY(cgs_crs_generate(m->context, &operand->input.source, &operand->drawn));
        crs = &operand->drawn;
    }
    const struct cgs_row_source source = cgs_crs_source(crs);
    CGS_TRY(cgs_matrix_create(m->context, &source, CGS_CRS, 1, 1, &operand->facts));
    cgs_free(m->context, operand->facts.pointers);
    operand->facts.pointers = NULL;
    operand->facts.source = NULL;
    operand->crs = crs;
    return CGS_OK;
}

/* Fails unless A has as many columns as B has rows. */
static enum cgs_status check_fit(struct cgs_multiply *m)
{
    const struct cgs_crs *a = m->a->crs, *b = m->b->crs;
    cgs_text shape[4];
    if (a->rows > INT32_MAX)
        return cgs_fail(m->context, CGS_USAGE,
                        "A has %s rows, but products of matrices take 2 147 483 647 at most",
                        cgs_count_text(a->rows, shape[0]));
    if (a->columns == b->rows)
        return CGS_OK;
    return cgs_fail(m->context, CGS_USAGE,
                    "A B needs as many columns of A as B has rows, but A is %s x %s and B %s%s x "
                    "%s: name %s by --matrix-b=FILE%s",
                    cgs_count_text(a->rows, shape[0]), cgs_count_text(a->columns, shape[1]),
                    m->a == m->b ? "is A itself, " : "", cgs_count_text(b->rows, shape[2]),
                    cgs_count_text(b->columns, shape[3]),
                    m->a == m->b ? "another matrix" : "one that fits",
                    m->options->settings.matrix ? "" : ", or A by --matrix=FILE");
}

/* Reads or assembles A and B. CGS_USAGE: their shapes do not match; CGS_MEMORY: they do not fit. */
static enum cgs_status multiply_open(struct cgs_multiply *m, FILE *verbose)
{
    struct opening o = {.m = m, .name = "A", .verbose = verbose};
    const struct cgs_market_settings settings = {
        .accept = accept_file, .progress = file_progress, .user = &o};
    CGS_TRY(open_left(&o, &settings));
    CGS_TRY(draw(m, &m->left));
    m->a = &m->left;
    if (m->options->matrix_b) {
        o.name = "B";
        CGS_TRY(cgs_input_open_file(m->context, m->options->matrix_b, &settings, &m->right.input));
        CGS_TRY(draw(m, &m->right));
        m->b = &m->right;
    } else {
        m->b = m->a;
    }
    m->size = (struct cgs_spgemm_size){.rows = m->a->crs->rows,
                                       .columns = m->b->crs->columns,
                                       .inner = m->a->crs->columns,
                                       .a = m->a->crs->pointers[m->a->crs->rows],
                                       .b = m->b->crs->pointers[m->b->crs->rows]};
    return check_fit(m);
}

static const double BUDGET = 30.0; /* seconds of timed products of each kernel */
enum { ROUNDS_LEAST = 3 };         /* minimum number of rounds, whatever the budget */

/* ---- kernels by the words of --kernel=: auto (the device's first), all, or names ---- */

static bool is_named(const char *word)
{
    return strcmp(word, "auto") != 0 && strcmp(word, "all") != 0;
}

/* Sets a bit for each device that has a kernel of that name. CGS_USAGE: there is none. */
static enum cgs_status look_up(struct cgs_multiply *m, const char *name, int *devices)
{
    const char *names[CGS_MULTIPLY_ROWS];
    int count, named = 0;
    const struct cgs_spgemm_entry *entries = cgs_spgemms(&count);
    *devices = 0;
    for (int i = 0; i < count; i++) {
        if (named < CGS_MULTIPLY_ROWS)
            names[named++] = entries[i].name;
        if (strcmp(entries[i].name, name) == 0)
            *devices |= 1 << entries[i].device;
    }
    if (*devices != 0)
        return CGS_OK;
    const int nearest = cgs_nearest(name, names, named);
    return cgs_fail(m->context, CGS_USAGE,
                    "unknown kernel '%s' for products of matrices%s%s%s ('cgsolve list kernels')",
                    name, nearest < 0 ? "" : "; did you mean '", nearest < 0 ? "" : names[nearest],
                    nearest < 0 ? "" : "'?");
}

/* Sets a bit for each device that the words of --kernel= can run on. CGS_USAGE: unknown kernel. */
static enum cgs_status find_devices(struct cgs_multiply *m, int *devices)
{
    char word[256];
    int all = 0;
    for (int i = 0; cgs_kernel_word(m->options->settings.kernel, i, word, sizeof word); i++) {
        int of_word = 1 << CGS_CPU | 1 << CGS_CUDA;
        if (is_named(word))
            CGS_TRY(look_up(m, word, &of_word));
        all |= of_word;
    }
    *devices = all;
    return CGS_OK;
}

/* Adds a row unless the kernel has one, and returns the kernel's row; NULL if the table is full. */
static struct cgs_multiply_row *add(struct cgs_multiply *m, const struct cgs_spgemm_entry *entry,
                                    bool beside)
{
    for (int i = 0; i < m->count; i++)
        if (m->rows[i].entry == entry)
            return &m->rows[i];
    if (m->count == CGS_MULTIPLY_ROWS)
        return NULL;
    struct cgs_multiply_row *row = &m->rows[m->count++];
    *row = (struct cgs_multiply_row){.entry = entry,
                                     .kernel = entry->tables[m->number],
                                     .beside = beside,
                                     .state = CGS_TRIAL_SKIPPED,
                                     .skipped = CGS_DEVICE,
                                     .wrong_row = -1,
                                     .attainable_kind = ""};
    const char *why = row->kernel ? row->kernel->absent : cgs_backend_reason(entry->device);
    if (!why && m->options->settings.reproducible && !row->kernel->reproducible) {
        why = "--reproducible: it may give other bits in every run";
        row->skipped = CGS_USAGE;
    }
    snprintf(row->reason, sizeof row->reason, "%s", why ? why : "the run ended before it");
    if (why)
        row->kernel = NULL;
    return row;
}

/* Adds all kernels of a device, or its reference kernels only if `others` is false. */
static void add_all(struct cgs_multiply *m, enum cgs_device device, bool others, bool beside)
{
    int count;
    const struct cgs_spgemm_entry *entries = cgs_spgemms(&count);
    for (int i = 0; i < count; i++) {
        const struct cgs_spgemm_kernel *kernel = entries[i].tables[m->number];
        if (entries[i].device == device && (others || (kernel && kernel->reference)))
            add(m, &entries[i], beside);
    }
}

/* Adds the kernel of that name on the run's device, or on the other one if the run's has none. */
static enum cgs_status add_named(struct cgs_multiply *m, const char *name)
{
    int count, devices;
    const struct cgs_spgemm_entry *entries = cgs_spgemms(&count);
    CGS_TRY(look_up(m, name, &devices));
    for (int i = 0; i < count; i++) {
        if (strcmp(entries[i].name, name) != 0 ||
            (devices & 1 << m->machine.device && entries[i].device != m->machine.device))
            continue;
        struct cgs_multiply_row *row = add(m, &entries[i], false);
        if (row && entries[i].device == CGS_CUDA && m->machine.device != CGS_CUDA) {
            row->kernel = NULL;
            snprintf(row->reason, sizeof row->reason, "it is of CUDA, but this run is on the CPU");
        }
    }
    return CGS_OK;
}

/* Adds a row for each kernel of --kernel= and for the device's reference kernels. */
static enum cgs_status choose(struct cgs_multiply *m)
{
    char word[256];
    for (int i = 0; cgs_kernel_word(m->options->settings.kernel, i, word, sizeof word); i++) {
        const struct cgs_spgemm_entry *entry;
        if (strcmp(word, "all") == 0) {
            add_all(m, m->machine.device, true, false);
        } else if (strcmp(word, "auto") == 0) {
            CGS_TRY(cgs_spgemm_find(m->context, word, m->machine.device, &entry));
            add(m, entry, false);
        } else {
            CGS_TRY(add_named(m, word));
        }
    }
    add_all(m, m->machine.device, false, true);
    return CGS_OK;
}

/* ---- a session ---- */

struct session {
    struct cgs_multiply *m;
    FILE *verbose;
    struct cgs_multiply_check *check;
    struct cgs_multiply_side sides[CGS_DEVICES];
    struct cgs_multiply_trial trials[CGS_MULTIPLY_ROWS];
};

static void say(const struct session *s, const char *what, const char *name)
{
    if (s->verbose)
        fprintf(s->verbose, "spgemm: %s%s\n", what, cgs_plain(name, (cgs_name){0}));
}

static enum cgs_status open_machine(struct session *s)
{
    struct cgs_multiply *m = s->m;
    struct cgs_options *o = m->options;
    int devices;
    CGS_TRY(find_devices(m, &devices));
    CGS_TRY(cgs_machine_open_for(m->context, &o->settings, devices, &m->machine));
    return cgs_room_measure(&m->machine, cgs_settings_memory_limit(&o->settings), &m->room);
}

/* Counts products and entries; fails if the operands and the counts do not fit. */
static enum cgs_status count(struct session *s)
{
    struct cgs_multiply *m = s->m;
    struct cgs_plan plan = {0};
    cgs_text needed, there;
    for (int i = 0; i < (m->a == m->b ? 1 : 2); i++) {
        const struct cgs_crs *crs = i == 0 ? m->a->crs : m->b->crs;
        cgs_crs_plan(&plan, crs->rows, crs->pointers[crs->rows]);
    }
    cgs_multiply_check_plan(m, &plan);
    cgs_plan_add(&plan, CGS_HOST, "products, entries of rows", 2 * (m->size.rows + 1),
                 sizeof(int64_t));
    if (plan.total[CGS_HOST] > m->room.bytes[CGS_HOST])
        return cgs_fail(m->context, CGS_MEMORY,
                        "operands and counting what the product has take %s of host memory, but %s "
                        "%s: take a smaller matrix, or fewer --threads",
                        cgs_bytes_text(plan.total[CGS_HOST], needed),
                        cgs_bytes_text(m->room.bytes[CGS_HOST], there),
                        m->room.limited[CGS_HOST] ? "is the limit (--memory-limit)" : "is free");
    say(s, "counting products and entries", "");
    cgs_stopwatch_enter(&m->context->watch, CGS_PHASE_SETUP);
    return cgs_multiply_check_create(m, &s->check);
}

/* Fails with the first kernel's reason: no kernel asked for can run. */
static enum cgs_status nobody(const struct cgs_multiply *m)
{
    const struct cgs_multiply_row *row = &m->rows[0];
    return cgs_fail(m->context, row->skipped, "kernel '%s': %s", row->entry->name, row->reason);
}

/* Plans, for --plan, the memory of the first kernel asked for in its largest slab. */
static enum cgs_status make_plan(struct session *s)
{
    struct cgs_multiply *m = s->m;
    for (int i = 0; i < m->count; i++) {
        const struct cgs_multiply_row *row = &m->rows[i];
        int64_t *starts;
        int count;
        if (!row->kernel || row->beside)
            continue;
        m->planned = row;
        CGS_TRY(cgs_multiply_cut(m, row, 1.0, &starts, &count));
        for (int slab = 0; slab < count; slab++) {
            struct cgs_plan plan;
            cgs_multiply_plan(m, row, starts[slab], starts[slab + 1], &plan);
            if (slab == 0 || plan.total[CGS_HOST] + plan.total[CGS_DEVICE_MEMORY] >
                                 m->plan.total[CGS_HOST] + m->plan.total[CGS_DEVICE_MEMORY])
                m->plan = plan;
        }
        m->plan_slabs = count;
        cgs_free(m->context, starts);
        return CGS_OK;
    }
    return nobody(m);
}

/* Measures the bandwidth of the side's memory with the operands in it, unless hardly any is
 * left. */
static enum cgs_status measure(struct cgs_multiply *m, const struct cgs_multiply_side *side,
                               enum cgs_device device)
{
    enum { LEAST = 1000000 };
    const enum cgs_place place = side->backend->place;
    const int64_t entry = cgs_number_bytes(m->number) + (int64_t)sizeof(int32_t);
    const int64_t held = place == CGS_HOST
                             ? m->context->host_bytes
                             : entry * (side->a.nonzeros + (side->same ? 0 : side->b.nonzeros)) +
                                   (int64_t)sizeof(int64_t) * (side->a.rows + side->b.rows + 2);
    const int64_t left = m->room.bytes[place] - held;
    if (left < LEAST)
        return CGS_OK;
    return cgs_measure_bandwidth(side->backend, side->queue, cgs_multiply_least_bytes(m), left,
                                 &m->bandwidth[device]);
}

/* Sends the operands to the device, once, and measures its bandwidth. */
static enum cgs_status make_side(struct session *s, enum cgs_device device)
{
    struct cgs_multiply *m = s->m;
    const struct cgs_backend *backend = cgs_backend(device);
    struct cgs_queue *queue =
        device == m->machine.device ? m->machine.queue : m->machine.host_queue;
    if (s->sides[device].backend)
        return CGS_OK;
    CGS_TRY(cgs_multiply_side_make(m, backend, queue, &s->sides[device]));
    return measure(m, &s->sides[device], device);
}

/* Allocates C for --output. */
static enum cgs_status make_room_for_c(struct cgs_multiply *m)
{
    if (!m->options->settings.output || m->c.pointers)
        return CGS_OK;
    return cgs_crs_alloc(m->context, m->size.rows, m->size.columns, m->size.entries, &m->c);
}

static enum cgs_status verify(struct session *s, int i)
{
    struct cgs_multiply *m = s->m;
    struct cgs_multiply_row *row = &m->rows[i];
    struct cgs_multiply_trial *trial = &s->trials[i];
    const bool keep = m->options->settings.output && !m->collected;
    if (!row->kernel)
        return CGS_OK;
    say(s, "verifying ", row->entry->name);
    CGS_TRY(make_side(s, row->entry->device));
    if (keep)
        CGS_TRY(make_room_for_c(m));
    *trial = (struct cgs_multiply_trial){.m = m, .row = row, .side = &s->sides[row->entry->device]};
    CGS_TRY(cgs_multiply_trial_verify(trial, s->check, keep));
    m->collected = m->collected || (keep && row->state == CGS_TRIAL_OPEN);
    return CGS_OK;
}

/* Times the verified kernels in turn, round after round. */
static enum cgs_status race(struct session *s)
{
    struct cgs_multiply *m = s->m;
    for (int i = 0; i < m->count; i++)
        if (m->rows[i].state == CGS_TRIAL_OPEN)
            CGS_TRY(cgs_alloc(m->context, m->options->repeat, sizeof(double), "seconds of products",
                              (void **)&s->trials[i].seconds));
    say(s, "timing", "");
    for (int64_t round = 0; round < m->options->repeat; round++)
        for (int i = 0; i < m->count; i++) {
            struct cgs_multiply_trial *trial = &s->trials[i];
            if (m->rows[i].state == CGS_TRIAL_OPEN &&
                (round < ROUNDS_LEAST || trial->spent < BUDGET))
                CGS_TRY(cgs_multiply_trial_time(trial));
        }
    return CGS_OK;
}

/* Sets the rows' ratios to the fastest reference kernel of their device. */
static void hold_against_reference(struct cgs_multiply *m)
{
    for (int i = 0; i < m->count; i++) {
        struct cgs_multiply_row *row = &m->rows[i];
        double best = INFINITY;
        for (int k = 0; k < m->count; k++)
            if (m->rows[k].kernel && m->rows[k].kernel->reference && m->rows[k].median > 0.0 &&
                m->rows[k].entry->device == row->entry->device)
                best = fmin(best, m->rows[k].median);
        if (row->median > 0.0 && isfinite(best))
            row->ratio = best / row->median;
    }
}

/* Fails the run if no kernel asked for could be tried. */
static enum cgs_status check_somebody(const struct cgs_multiply *m)
{
    for (int i = 0; i < m->count; i++)
        if (!m->rows[i].beside && m->rows[i].state != CGS_TRIAL_SKIPPED)
            return CGS_OK;
    return nobody(m);
}

static enum cgs_status run_all(struct session *s)
{
    struct cgs_multiply *m = s->m;
    CGS_TRY(open_machine(s));
    say(s, "making the matrices", "");
    CGS_TRY(multiply_open(m, s->verbose));
    CGS_TRY(choose(m));
    CGS_TRY(count(s));
    if (m->options->settings.plan)
        return make_plan(s);
    for (int i = 0; i < m->count; i++)
        CGS_TRY(verify(s, i));
    CGS_TRY(check_somebody(m));
    const enum cgs_status status = race(s);
    for (int i = 0; i < m->count; i++)
        if (s->trials[i].taken > 0)
            cgs_multiply_trial_note(&s->trials[i]);
    hold_against_reference(m);
    return status;
}

enum cgs_status cgs_multiply_run(struct cgs_multiply *m, FILE *verbose)
{
    struct session s = {.m = m, .verbose = verbose};
    const enum cgs_status status = run_all(&s);
    cgs_contention_stop("", &m->machine.contention);
    for (int i = 0; i < m->count; i++)
        if (s.trials[i].m)
            cgs_multiply_trial_release(&s.trials[i]);
    for (int device = 0; device < CGS_DEVICES; device++)
        cgs_multiply_side_release(&s.sides[device]);
    cgs_multiply_check_release(s.check);
    return status;
}
