/* The folder of a collection: made, locked, filled, and gone on with. */
#include "src/spmv/collection_folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/facts/facts_put.h"
#include "core/facts/report_json.h"
#include "core/io/json.h"
#include "core/io/version.h"
#include "lab/collection/summary.h"
#include "lab/io/figures.h"
#include "lab/io/folder.h"
#include "lab/io/json_read.h"
#include "src/spmv/lab_rows.h"

/* Rows of a collection as JSON and CSV, from facts_collection_row.def. */

static void add(struct cgs_collection *collection, const struct cgs_collection_item *item,
                const struct cgs_lab *lab, const struct cgs_lab_row *row, const char *state,
                const char *reason, const char *date)
{
    const bool read = lab->drawn;
    const bool verified =
        row->name[0] && (row->state == CGS_TRIAL_OPEN || row->state == CGS_TRIAL_DROPPED);
    const bool timed = verified && row->median > 0.0;
    char layout[48];
    cgs_lab_layout_name(row, layout, sizeof layout);
    const struct cgs_figure figures[] = {
#define CGS_KERNEL_FACT CGS_FIGURE
#include "core/facts/facts_collection_row.def"
    };
    json_array_append_new(collection->rows,
                          cgs_figures_json(figures, (int)(sizeof figures / sizeof *figures)));
}

void cgs_collection_note(struct cgs_collection *c, struct cgs_collection_item *item,
                         const struct cgs_lab *lab)
{
    for (int i = 0; i < lab->count; i++)
        add(c, item, lab, &lab->rows[i], cgs_trial_state_name(lab->rows[i].state),
            lab->rows[i].reason, lab->date);
    item->done = true;
}

void cgs_collection_refuse(struct cgs_collection *c, struct cgs_collection_item *item,
                           const struct cgs_lab *lab, const char *reason)
{
    add(c, item, lab, &(struct cgs_lab_row){0}, "refused", reason, lab->date);
    item->done = true;
}

static struct cgs_figure figure_of(const json_t *row, const char *key)
{
    const json_t *value = json_object_get(row, key);
    if (json_is_string(value))
        return cgs_figure_text(key, true, json_string_value(value));
    if (json_is_boolean(value))
        return cgs_figure_yes(key, true, json_is_true(value));
    if (json_is_integer(value))
        return cgs_figure_integer(key, true, json_integer_value(value));
    return cgs_figure_real(key, json_is_real(value), json_number_value(value));
}

void cgs_collection_csv(FILE *file, const struct cgs_collection *c)
{
    static const char *const keys[] = {
#define CGS_KERNEL_FACT(key, ...) #key,
#include "core/facts/facts_collection_row.def"
    };
    enum { COUNT = sizeof keys / sizeof *keys };
    struct cgs_figure figures[COUNT];
    size_t index;
    json_t *row;
    for (int k = 0; k < COUNT; k++)
        figures[k] = figure_of(NULL, keys[k]);
    cgs_figures_csv_head(file, figures, COUNT);
    json_array_foreach(c->rows, index, row)
    {
        for (int k = 0; k < COUNT; k++)
            figures[k] = figure_of(row, keys[k]);
        cgs_figures_csv(file, figures, COUNT);
    }
}

enum cgs_status cgs_collection_json(const struct cgs_collection *c, FILE *file)
{
    struct cgs_report report =
        cgs_report_start(c->context, &c->options->settings, c->call->argc, c->call->argv);
    struct cgs_summary summary, *const s = &summary;
    CGS_TRY(cgs_summary_make(c, s));
    snprintf(report.date, sizeof report.date, "%s", c->date);
    report.machine = c->machine;
    report.has_machine = c->machine.backend != NULL;
    cgs_contention_stop("", &report.machine.contention);
    report.has_bandwidth = c->bandwidth[CGS_CPU].read_gbs > 0.0;
    report.host_bandwidth = c->bandwidth[CGS_CPU];
    report.bandwidth = c->bandwidth[c->machine.device];
    json_t *root = cgs_json_head(&report), *object;
    if (report.has_machine)
        cgs_put_yes(root, "disturbed", cgs_collection_disturbed(c) > 0);
#include "core/facts/facts_collection.def"
    cgs_summary_release(s);
    return cgs_json_end(c->context, file, root);
}

static const char results[] = "results.json";

static enum cgs_status refuse(const struct cgs_collection *c, int error)
{
    if (error == EWOULDBLOCK)
        return cgs_fail(c->context, CGS_FILE,
                        "another cgsolve is writing to '%s': let it end, or name another folder",
                        c->folder);
    return cgs_fail(c->context, error == ENOMEM ? CGS_MEMORY : CGS_FILE,
                    "cannot make or read the folder '%s': %s; name another one", c->folder,
                    strerror(error));
}

/* ---- going on ---- */

/* Writes how a setting reads in a message. */
static void write_setting(const json_t *value, char *text, size_t size)
{
    if (json_is_string(value))
        snprintf(text, size, "%.200s", json_string_value(value));
    else if (json_is_integer(value))
        snprintf(text, size, "%lld", (long long)json_integer_value(value));
    else
        snprintf(text, size, "not given");
}

/* Refuses results that were made in another way. */
static enum cgs_status compare_settings(const struct cgs_collection *c, json_t *old)
{
    json_t *const sides[] = {c->settings, old};
    for (int i = 0; i < 2; i++) {
        const char *key;
        json_t *value;
        json_object_foreach(sides[i], key, value)
        {
            const json_t *ours = json_object_get(c->settings, key),
                         *its = json_object_get(old, key);
            char now[256], then[256];
            if (json_equal(ours, its))
                continue;
            write_setting(ours, now, sizeof now);
            write_setting(its, then, sizeof then);
            return cgs_fail(c->context, CGS_USAGE,
                            "--resume: the results in '%s' were made with another %s (%s, now %s): "
                            "take the options and the machine of before, or name another folder",
                            c->folder, key, then, now);
        }
    }
    return CGS_OK;
}

static struct cgs_collection_item *find_item(const struct cgs_collection *c, const json_t *row)
{
    for (int i = 0; i < c->count; i++) {
        struct cgs_collection_item *item = &c->items[i];
        if (cgs_collection_owns(item, row))
            return item;
    }
    return NULL;
}

/* Takes rows over, but for those of files that have changed since. Rows of matrices that are not
 * asked for now stay. */
static void take_over(struct cgs_collection *c, const json_t *collection)
{
    size_t index;
    json_t *row;
    json_array_foreach(json_object_get(collection, "rows"), index, row)
    {
        struct cgs_collection_item *item = find_item(c, row);
        if (item && strcmp(item->stamp, cgs_row_text(row, "stamp")) != 0)
            continue;
        if (item)
            item->done = true;
        json_array_append(c->rows, row);
    }
    json_decref(c->ceilings);
    json_t *ceilings = json_object_get(collection, "ceilings");
    c->ceilings = ceilings ? json_incref(ceilings) : json_array();
}

static enum cgs_status go_on(struct cgs_collection *c, const char *path)
{
    json_error_t error;
    int reason;
    json_t *root = cgs_json_read(path, &error, &reason);
    json_t *collection = json_object_get(root, "collection");
    enum cgs_status status = CGS_OK;
    if (!json_is_object(json_object_get(collection, "settings")))
        status = cgs_fail(c->context, CGS_FILE, "cannot go on with '%s': %s", path,
                          reason ? strerror(reason)
                          : root ? "it has no settings of a collection"
                                 : error.text);
    else
        status = compare_settings(c, json_object_get(collection, "settings"));
    if (status == CGS_OK)
        take_over(c, collection);
    json_decref(root);
    return status;
}

/* ---- opening ---- */

static bool is_begun(const void *user, const char *name)
{
    (void)user;
    return cgs_folder_begun(name, "results", ".json") ||
           cgs_folder_begun(name, "results", ".csv") || cgs_folder_begun(name, "tables", ".md") ||
           cgs_folder_begun(name, "tables", ".tex") || cgs_folder_begun(name, "report", ".html");
}

static enum cgs_status look_into(struct cgs_collection *c, const char *path)
{
    const bool there = cgs_folder_marked(c->folder, results);
    const int files = cgs_folder_count(c->folder, "", false);
    if (files < 0)
        return refuse(c, -files);
    if (files > 0 && !there)
        return cgs_fail(c->context, CGS_USAGE,
                        "--report=%s: that folder holds something else than results of 'cgsolve "
                        "spmv': name a new one, or one that is empty",
                        c->folder);
    if (there && !c->options->resume)
        return cgs_fail(c->context, CGS_USAGE,
                        "--report=%s holds results already: --resume goes on with them; or name "
                        "another folder",
                        c->folder);
    cgs_folder_remove(c->folder, is_begun, NULL);
    return there ? go_on(c, path) : CGS_OK;
}

enum cgs_status cgs_collection_open_folder(struct cgs_collection *c)
{
    c->folder = strdup(c->options->report);
    char *path = c->folder ? cgs_folder_join(c->folder, results, "") : NULL;
    if (!path)
        return cgs_fail(c->context, CGS_MEMORY, "no memory for the name of the folder");
    const int error = cgs_folder_hold(c->folder, true, &c->made, &c->lock);
    const enum cgs_status status = error == 0 ? look_into(c, path) : refuse(c, error);
    free(path);
    return status;
}

void cgs_collection_close_folder(struct cgs_collection *c)
{
    if (c->made)
        rmdir(c->folder); /* where it is empty */
    if (c->lock >= 0)
        close(c->lock);
    free(c->folder);
    c->folder = NULL;
    c->lock = -1;
}

/* ---- files ---- */

enum cgs_status cgs_collection_save(struct cgs_collection *c)
{
    struct cgs_output output = {0};
    enum cgs_status status = cgs_collection_begin(c, results, &output);
    if (status == CGS_OK)
        status = cgs_collection_json(c, output.file);
    if (status == CGS_OK)
        status = cgs_output_commit(c->context, &output);
    cgs_output_discard(&output);
    CGS_TRY(status);
    status = cgs_collection_begin(c, "results.csv", &output);
    if (status == CGS_OK) {
        cgs_collection_csv(output.file, c);
        status = cgs_output_commit(c->context, &output);
    }
    cgs_output_discard(&output);
    return status;
}
