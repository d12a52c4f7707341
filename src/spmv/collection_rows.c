/* Rows of a collection as JSON and CSV, from facts_collection_row.def. */
#include <string.h>

#include "core/facts/facts_put.h"
#include "core/facts/report_json.h"
#include "core/io/json.h"
#include "core/io/version.h"
#include "lab/collection/summary.h"
#include "lab/io/figures.h"
#include "src/spmv/collection_rows.h"
#include "src/spmv/lab_rows.h"

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
