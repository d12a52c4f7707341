/* Table of cgsolve spgemm as JSON and CSV, from the rows of facts_spgemm.def and
 * facts_spgemm_kernel.def. Unknown values are absent (JSON) or empty (CSV). */
#include "src/spgemm/multiply_json.h"
#include "core/facts/facts_put.h"
#include "core/facts/report_json.h"
#include "core/options/option_table.h"
#include "core/options/options.h"
#include "lab/io/figures.h"
#include "src/spgemm/traffic.h"

static int figures_of(const struct cgs_multiply *m, const struct cgs_multiply_row *r,
                      struct cgs_figure out[CGS_FIGURES_MOST])
{
    const bool tried = r->slabs > 0;
    const bool verified = r->state == CGS_TRIAL_OPEN, timed = verified && r->products > 0;
    const bool rated = timed && r->attainable_gbs > 0.0;
    const struct cgs_figure figures[] = {
#define CGS_KERNEL_FACT CGS_FIGURE
#include "core/facts/facts_spgemm_kernel.def"
    };
    const int count = (int)(sizeof figures / sizeof *figures);
    for (int i = 0; i < count; i++)
        out[i] = figures[i];
    return count;
}

void cgs_multiply_csv(FILE *file, const struct cgs_multiply *m)
{
    struct cgs_figure figures[CGS_FIGURES_MOST];
    for (int i = 0; i < m->count; i++) {
        const int count = figures_of(m, &m->rows[i], figures);
        if (i == 0)
            cgs_figures_csv_head(file, figures, count);
        cgs_figures_csv(file, figures, count);
    }
}

static json_t *operand(const struct cgs_multiply *m, const struct cgs_operand *operand)
{
    json_t *o = json_object();
    cgs_put_input(o, &m->options->settings, &operand->input);
    cgs_put_integer(o, "rows", operand->facts.rows);
    cgs_put_integer(o, "columns", operand->facts.columns);
    cgs_put_integer(o, "nonzeros", operand->facts.nonzeros);
    cgs_put_part(o, "row_lengths", cgs_json_row_lengths(&operand->facts.statistics));
    return o;
}

static json_t *kernels(const struct cgs_multiply *m)
{
    struct cgs_figure figures[CGS_FIGURES_MOST];
    json_t *list = json_array();
    for (int i = 0; i < m->count && !m->options->settings.plan; i++)
        json_array_append_new(list, cgs_figures_json(figures, figures_of(m, &m->rows[i], figures)));
    return list;
}

enum cgs_status cgs_multiply_json(struct cgs_context *context, FILE *file,
                                  const struct cgs_multiply *m)
{
    struct cgs_report report = cgs_report_start(context, &m->options->settings, m->argc, m->argv);
    snprintf(report.date, sizeof report.date, "%s", m->date);
    report.machine = m->machine;
    report.has_machine = m->machine.backend != NULL;
    report.has_bandwidth = m->bandwidth[m->machine.device].read_gbs > 0.0;
    report.host_bandwidth = m->bandwidth[CGS_CPU];
    report.bandwidth = m->bandwidth[m->machine.device];
    json_t *root = cgs_json_head(&report), *object;
#include "core/facts/facts_spgemm.def"
    return cgs_json_end(context, file, root);
}
