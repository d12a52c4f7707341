/* The command cgsolve spmv: one matrix goes to the laboratory as it is, many are a collection. */
#include "src/spmv/collection_command.h"

#include <stdlib.h>
#include <string.h>

#include "core/io/interrupt.h"
#include "core/io/json.h"
#include "core/options/option_table.h"
#include "core/options/options_input.h"
#include "core/options/options_rules.h"
#include "core/options/table.h"
#include "core/options/values.h"
#include "core/setup/machine_kernel.h"
#include "core/setup/measure.h"
#include "lab/collection/collection_figures.h"
#include "lab/collection/collection_page.h"
#include "lab/collection/collection_text.h"
#include "lab/collection/summary.h"
#include "src/report/sections.h"
#include "src/spmv/collection_find.h"
#include "src/spmv/collection_folder.h"
#include "src/spmv/lab_command.h"
#include "src/spmv/lab_run.h"

/* The run of a collection: machine, ceilings, then matrix by matrix. */

/* ---- machine and settings ---- */

/* Adds the options that were given, except matrices, outputs and the files of users' kernels. */
static void note_options(struct cgs_collection *c)
{
    char text[512], word[4096];
    for (int i = 0; i < CGS_OPTIONS; i++) {
        const struct cgs_option *option = &cgs_option_table[i];
        if (!c->options->settings.given[i] || i == CGS_OPTION_matrix || i == CGS_OPTION_baseline ||
            option->group == CGS_GROUP_OUTPUT || option->group == CGS_GROUP_HELP)
            continue;
        cgs_option_value(c->options, (enum cgs_option_id)i, text, sizeof text);
        cgs_put_text(c->settings, option->name, option->kind == CGS_KIND_FLAG ? "yes" : text);
    }
    for (int i = 0; cgs_kernel_word(c->options->settings.kernel, i, word, sizeof word); i++) {
        if (!cgs_user_kernels_find(&c->user_kernels, word))
            continue;
        cgs_collection_stamp(word, text, sizeof text);
        cgs_put_text(c->settings, word, text);
    }
}

/* Opens users' kernels and the machine; fills c->machine, without its queues, host, device and
 * settings. */
static enum cgs_status collection_open_machine(struct cgs_collection *c,
                                               struct cgs_machine *machine)
{
    struct cgs_options one = *c->options;
    CGS_TRY(cgs_lab_open_machine(c->context, &one, &c->user_kernels, machine));
    c->machine = *machine;
    c->machine.queue = c->machine.host_queue = NULL;
    snprintf(c->host, sizeof c->host, "%s", c->machine.host.name);
    snprintf(c->device, sizeof c->device, "%s",
             c->machine.device == CGS_CPU ? cgs_device_name(CGS_CPU) : c->machine.info.name);
    note_options(c);
    cgs_put_text(c->settings, "processor", c->host);
    cgs_put_text(c->settings, "device", c->device);
    cgs_put_integer(c->settings, "threads", c->context->threads);
    return CGS_OK;
}

/* ---- ceilings ---- */

struct level {
    char name[16];
    int64_t bytes; /* of arrays that stay there */
};

enum { LEVELS = 6 };

/* Reads a word of what Linux says of a cache; "": it does not. */
static void read_cache(int index, const char *what, char *text, size_t size)
{
    char path[96];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, what);
    FILE *file = fopen(path, "re");
    text[0] = '\0';
    if (!file)
        return;
    if (fgets(text, (int)size, file))
        text[strcspn(text, "\n")] = '\0';
    fclose(file);
}

/* The caches that `threads` threads have together, from /sys. Arrays take half of a cache: other
 * data is there, too. */
static int find_caches(int threads, struct level levels[LEVELS])
{
    int count = 0;
    for (int i = 0; i < LEVELS - 1; i++) {
        char type[32], level[32], size[32], map[256], unit = 'K';
        long long bytes = 0;
        int sharers = 0;
        read_cache(i, "type", type, sizeof type);
        read_cache(i, "level", level, sizeof level);
        read_cache(i, "size", size, sizeof size);
        read_cache(i, "shared_cpu_map", map, sizeof map);
        for (const char *digit = map; *digit; digit++)
            for (long bits = strtol((char[]){*digit, '\0'}, NULL, 16); bits > 0; bits /= 2)
                sharers += (int)(bits & 1);
        if (sscanf(size, "%lld%c", &bytes, &unit) < 1 || sharers == 0 ||
            strcmp(type, "Instruction") == 0)
            continue;
        bytes *= unit == 'M' ? 1048576 : 1024;
        snprintf(levels[count].name, sizeof levels[count].name, "L%.8s", level);
        levels[count++].bytes = bytes * ((threads + sharers - 1) / sharers) / 2;
    }
    return count;
}

static int find_levels(const struct cgs_collection *c, struct level levels[LEVELS])
{
    static const int64_t HOST = 256000000, DEVICE = 2000000000;
    const bool host = c->machine.device == CGS_CPU;
    int count = host ? find_caches(c->context->threads, levels) : 0;
    const int64_t cache = count > 0 ? 2 * levels[count - 1].bytes : 0;
    if (!host && c->machine.info.cache_bytes > 0) {
        snprintf(levels[count].name, sizeof levels[count].name, "L2");
        levels[count++].bytes = c->machine.info.cache_bytes / 2;
    }
    snprintf(levels[count].name, sizeof levels[count].name, "memory");
    levels[count++].bytes = !host ? DEVICE : 4 * cache > HOST ? 4 * cache : HOST;
    return count;
}

/* Measures the bandwidth of each level of cache and of the memory: ceilings. */
static enum cgs_status collection_measure(struct cgs_collection *c,
                                          const struct cgs_machine *machine)
{
    struct level levels[LEVELS];
    struct cgs_room room;
    const int count = find_levels(c, levels);
    double below = 0.0; /* what the levels below reach */
    CGS_TRY(cgs_room_measure(machine, cgs_settings_memory_limit(&c->options->settings), &room));
    for (int i = count - 1; i >= 0; i--) { /* from the memory up */
        struct cgs_bandwidth b;
        if (levels[i].bytes > room.bytes[machine->backend->place] / 3)
            continue;
        CGS_TRY(cgs_measure_level(machine->backend, machine->queue, levels[i].bytes, &b));
        if (b.read_gbs <= below) /* of so few bytes the launch of a kernel was measured */
            continue;
        below = b.read_gbs;
        json_array_insert_new(c->ceilings, 0,
                              json_pack("{ss sI sf sf sf}", "level", levels[i].name, "bytes",
                                        (json_int_t)b.bytes, "read_gbs", b.read_gbs, "copy_gbs",
                                        b.copy_gbs, "triad_gbs", b.triad_gbs));
    }
    return CGS_OK;
}

/* ---- matrices ---- */

/* Turns the failure of a matrix into its row. Passed on is what ends the run: an interrupt, a
 * machine that fails. */
static enum cgs_status conclude(struct cgs_collection *c, struct cgs_collection_item *item,
                                const struct cgs_lab *lab, enum cgs_status status)
{
    char why[768];
    if (status == CGS_OK) {
        cgs_collection_note(c, item, lab);
        return CGS_OK;
    }
    if (status == CGS_INTERRUPTED || status == CGS_DEVICE || status == CGS_BUG ||
        !lab->machine->backend)
        return status;
    CGS_TRY(cgs_outcome_settle(c->context, NULL, why, sizeof why));
    cgs_collection_refuse(c, item, lab, why);
    return CGS_OK;
}

static enum cgs_status run_item(struct cgs_collection *c, struct cgs_collection_item *item)
{
    struct cgs_options one = *c->options;
    struct cgs_machine machine = {0};
    struct cgs_input input = {0};
    struct cgs_lab lab = {.options = &one,
                          .context = c->context,
                          .argc = c->call->argc,
                          .argv = c->call->argv,
                          .machine = &machine,
                          .input = &input,
                          .member = item->member,
                          .user_kernels = c->user_kernels,
                          .precision = one.settings.precision,
                          .chosen = -1};
    one.settings.matrix = one.texts[CGS_OPTION_matrix] = item->file;
    cgs_date_now(lab.date);
    const int threads = c->context->threads; /* of the next matrix, too */
    enum cgs_status status = cgs_lab_run(c->context, &one, NULL, &machine, &input, &lab);
    c->user_kernels = lab.user_kernels; /* open for the next matrix */
    lab.user_kernels = (struct cgs_user_kernels){0};
    if (status == CGS_OK)
        memcpy(c->bandwidth, lab.bandwidth, sizeof c->bandwidth);
    status = conclude(c, item, &lab, status);
    c->context->threads = threads;
    cgs_lab_release(c->context, &lab);
    cgs_input_release(c->context, &input);
    cgs_machine_close(&machine);
    return status;
}

static bool was_disturbed(const struct cgs_collection *c, const struct cgs_collection_item *item)
{
    size_t index;
    const json_t *row;
    bool disturbed = false;
    json_array_foreach(c->rows, index, row)
    {
        disturbed = disturbed || (cgs_row_disturbed(row) && cgs_collection_owns(item, row));
    }
    return disturbed;
}

/* Runs an item once more; its new rows take the place of the old ones, which stay where the matrix
 * is refused now. */
static enum cgs_status run_again(struct cgs_collection *c, struct cgs_collection_item *item)
{
    json_t *const old = c->rows, *row;
    size_t index;
    bool placed = false;
    c->rows = json_array();
    const enum cgs_status status = run_item(c, item);
    json_t *const fresh = c->rows;
    const bool taken = strcmp(cgs_row_text(json_array_get(fresh, 0), "state"), "refused") != 0;
    c->rows = old;
    if (status == CGS_OK && taken && json_array_size(fresh) > 0) {
        c->rows = json_array();
        json_array_foreach(old, index, row)
        {
            const bool ours = cgs_collection_owns(item, row);
            if (!ours)
                json_array_append(c->rows, row);
            else if (!placed)
                json_array_extend(c->rows, fresh);
            placed = placed || ours;
        }
        json_decref(old);
    }
    json_decref(fresh);
    return status;
}

/* " sell_chunk 1.2 us", or why it was refused. */
static void say_end(FILE *progress, const struct cgs_collection *c,
                    const struct cgs_collection_item *item)
{
    const json_t *best = NULL;
    const size_t count = json_array_size(c->rows);
    for (size_t i = 0; i < count; i++) {
        const json_t *row = json_array_get(c->rows, i);
        if (!cgs_collection_owns(item, row))
            continue;
        const double seconds = cgs_row_number(row, "median_seconds");
        if (strcmp(cgs_row_text(row, "state"), "refused") == 0)
            fprintf(progress, " refused: %s", cgs_row_text(row, "reason"));
        if (seconds > 0.0 && (!best || seconds < cgs_row_number(best, "median_seconds")))
            best = row;
    }
    if (best)
        fprintf(progress, " %s %s", cgs_row_text(best, "kernel"),
                cgs_seconds_text(cgs_row_number(best, "median_seconds"), (cgs_text){0}));
    if (was_disturbed(c, item))
        fputs(", DISTURBED", progress);
    fputc('\n', progress);
}

static enum cgs_status interrupted(const struct cgs_collection *c)
{
    c->context->status = CGS_OK;
    return cgs_fail(c->context, CGS_INTERRUPTED, "interrupted: %d of %d matrices are done; %s",
                    cgs_collection_done(c), c->count,
                    c->folder ? "the same command with --resume goes on"
                              : "--report=DIR would keep them, and --resume go on");
}

/* Runs an item and says so, "[2 of 7] one/gen...", then saves all. */
static enum cgs_status run_and_say(struct cgs_collection *c, struct cgs_collection_item *item,
                                   bool again)
{
    FILE *progress = c->call->said;
    if (cgs_interrupted())
        return interrupted(c);
    if (progress)
        fprintf(progress, "[%d of %d%s] %s/%s...", (int)(item - c->items) + 1, c->count,
                again ? ", again" : "", item->group, item->name);
    if (progress)
        fflush(progress);
    const enum cgs_status status = again ? run_again(c, item) : run_item(c, item);
    if (progress && status != CGS_OK)
        fputc('\n', progress);
    if (status == CGS_INTERRUPTED)
        return interrupted(c);
    CGS_TRY(status);
    if (progress)
        say_end(progress, c, item);
    return c->folder ? cgs_collection_save(c) : CGS_OK;
}

/* Runs all matrices that are not done; saves after each where there is a folder. */
static enum cgs_status collection_run(struct cgs_collection *c)
{
    for (int i = 0; i < c->count; i++)
        if (!c->items[i].done)
            CGS_TRY(run_and_say(c, &c->items[i], false));
    for (int i = 0; i < c->count; i++)
        if (was_disturbed(c, &c->items[i]))
            CGS_TRY(run_and_say(c, &c->items[i], true));
    return CGS_OK;
}

/* Refuses options that are about one matrix, and those that miss another. */
static enum cgs_status check(struct cgs_context *context, const struct cgs_options *o, bool many)
{
    int formats, devices;
    if (o->resume && !o->report)
        return cgs_fail(context, CGS_USAGE,
                        "--resume goes on with the results in a folder: name it by --report=DIR");
    CGS_TRY(cgs_options_check_folder(context, o));
    if (o->report && !o->settings.matrix)
        return cgs_fail(context, CGS_USAGE,
                        "--report keeps results of matrices from files: name them, or their "
                        "folder, by --matrix");
    if (o->baseline && !many)
        return cgs_fail(context, CGS_USAGE,
                        "--baseline is what speed-ups over many matrices are held against: leave "
                        "it out, or name several by --matrix, or a folder by --report");
    if (!many)
        return CGS_OK;
    if (o->plot || o->settings.save_matrix)
        return cgs_fail(context, CGS_USAGE, "--%s is for one matrix: leave it out%s",
                        o->plot ? "plot" : "save-matrix",
                        o->plot ? ", --report=DIR has figures of many" : "");
    if (o->baseline && !cgs_plugin_named(o->baseline))
        CGS_TRY(cgs_machine_look_up(context, o->baseline, &formats, &devices));
    return cgs_options_check_kept(context, o);
}

struct outputs {
    struct cgs_output json, csv;
};

static enum cgs_status open_outputs(struct cgs_collection *c, struct outputs *outputs)
{
    CGS_TRY(cgs_output_open(c->context, "the JSON report", c->options->json, 1, &outputs->json));
    return cgs_output_open(c->context, "the table", c->options->csv, 0, &outputs->csv);
}

static void say_found(const struct cgs_collection *c)
{
    FILE *said = c->call->said;
    if (said)
        fprintf(said, "%d matri%s found", c->count, c->count == 1 ? "x" : "ces");
    if (said && c->options->resume)
        fprintf(said, "; %d of them are there already", cgs_collection_done(c));
    if (said)
        fputc('\n', said);
}

static enum cgs_status prepare(struct cgs_collection *c, struct outputs *outputs)
{
    struct cgs_machine machine = {0};
    enum cgs_status status = collection_open_machine(c, &machine);
    if (status == CGS_OK && c->options->report)
        status = cgs_collection_open_folder(c);
    if (status == CGS_OK)
        status = open_outputs(c, outputs);
    if (status == CGS_OK)
        say_found(c);
    if (status == CGS_OK && c->folder && json_array_size(c->ceilings) == 0)
        status = collection_measure(c, &machine);
    cgs_machine_close(&machine);
    return status;
}

static enum cgs_status draw(struct cgs_collection *c, const struct cgs_summary *s)
{
    CGS_TRY(cgs_collection_figures(c, s));
    CGS_TRY(cgs_collection_tables(c, s));
    return cgs_collection_page(c, s);
}

/* Fails the run where kernels failed, or where no matrix could be taken. */
static void judge(const struct cgs_collection *c, const struct cgs_summary *s)
{
    const json_t *first = s->first_failed;
    if (first)
        cgs_fail(c->context, CGS_NOT_CONVERGED,
                 "%d product%s failed; the first is %s of %s/%s: %.600s", s->failed,
                 s->failed == 1 ? "" : "s", cgs_row_text(first, "kernel"),
                 cgs_row_text(first, "group"), cgs_row_text(first, "name"),
                 cgs_row_text(first, "reason"));
    else if (s->refused > 0 && s->refused == s->times.matrices)
        cgs_fail(c->context, CGS_FILE, "all %d matrices were refused; the first: %.600s",
                 s->refused, cgs_row_text(s->first_refused, "reason"));
}

/* CSV, text, JSON: in this order, so that the JSON report knows of all that could not be
 * written. */
static void write_all(struct cgs_collection *c, struct outputs *outputs,
                      const struct cgs_summary *s)
{
    struct cgs_context *context = c->context;
    const bool any = json_array_size(c->rows) > 0;
    if (any && outputs->csv.target && cgs_output_begin(context, &outputs->csv) == CGS_OK) {
        cgs_collection_csv(outputs->csv.file, c);
        cgs_output_commit(context, &outputs->csv);
    }
    cgs_output_discard(&outputs->csv);
    if (any && c->call->text && !(c->options->json && strcmp(c->options->json, "-") == 0)) {
        struct cgs_page page;
        cgs_page_open(&page, c->call->text);
        cgs_page_machine(&page, &c->machine, c->context->threads, c->bandwidth);
        cgs_collection_text(&page, c, s);
        cgs_page_close(context, &page);
        cgs_output_flush(context, c->call->text);
    }
    if (context->status == CGS_OK && cgs_interrupted())
        cgs_fail(context, CGS_INTERRUPTED, "interrupted when all had been computed");
    if (outputs->json.target && cgs_output_begin(context, &outputs->json) == CGS_OK) {
        cgs_collection_json(c, outputs->json.file);
        cgs_output_commit(context, &outputs->json);
    }
    cgs_output_discard(&outputs->json);
}

static void run(struct cgs_collection *c, struct outputs *outputs)
{
    const char *json = c->options->json;
    struct cgs_summary s = {.baseline = -1};
    if (c->context->status == CGS_OK && prepare(c, outputs) == CGS_OK)
        collection_run(c);
    else if (!outputs->json.target && !(json && cgs_options_keeps(c->options, json)))
        cgs_output_open(c->context, "the JSON report", json, 1, &outputs->json);
    const bool made = cgs_summary_make(c, &s) == CGS_OK;
    if (made && c->context->status == CGS_OK && c->folder)
        draw(c, &s);
    if (made && c->context->status == CGS_OK)
        judge(c, &s);
    if (c->folder && json_array_size(c->rows) > 0 && c->context->status == CGS_NOT_CONVERGED)
        cgs_collection_save(c); /* with the exit status */
    if (made)
        write_all(c, outputs, &s);
    cgs_summary_release(&s);
}

enum cgs_status cgs_spmv(struct cgs_context *context, const struct cgs_call *call)
{
    struct cgs_options *options = call->options;
    struct cgs_collection c = {.context = context, .options = options, .call = call, .lock = -1};
    struct outputs outputs = {0};
    bool one = true;
    cgs_date_now(c.date);
    cgs_interrupt_catch();
    if (options->settings.matrix)
        cgs_collection_find(&c, &one);
    if (context->status == CGS_OK)
        check(context, options, !one || options->report);
    if (context->status == CGS_OK && one && !options->report) {
        cgs_collection_release_items(&c);
        return cgs_lab(context, call);
    }
    c.settings = json_object();
    c.ceilings = json_array();
    c.rows = json_array();
    run(&c, &outputs);
    json_decref(c.settings);
    json_decref(c.ceilings);
    json_decref(c.rows);
    cgs_user_kernels_close(context, &c.user_kernels);
    cgs_collection_close_folder(&c);
    cgs_collection_release_items(&c);
    return context->status;
}
