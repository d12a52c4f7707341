/* Table of cgsolve spgemm as JSON and CSV, from one list of columns:
 *
 *     matrix_a   origin ("box", "file", "random"), file, random, N; rows, columns, nonzeros,
 *                row_lengths
 *     matrix_b   the same; if B is A only same_as: "matrix_a"
 *     product    rows, columns, products, entries, compression (products / entries),
 *                longest_row_products; least_bytes, gustavson_bytes (src/spgemm/multiply.h);
 *                precision, sorted, repeat; file (--output)
 *     kernels[]  name, device, threads, reference, beside, state, reason; slabs, host_bytes,
 *                device_bytes (planned); wrong_row, worst_error, projected_error; products,
 *                first_seconds, median_seconds, min_seconds, max_seconds; begin_seconds,
 *                count_seconds, alloc_seconds, fill_seconds, sort_seconds; gflops, gbs,
 *                attainable_gbs, attainable_kind, roofline, reference_ratio
 *     plan       (--plan) lines[] (what, place, bytes), slabs, host_bytes, device_bytes
 *
 * Unknown values are absent (JSON) or empty (CSV).
 */
#include "src/io/figures.h"
#include "src/io/json.h"
#include "src/report/report_json.h"
#include "src/spgemm/multiply.h"

static int figures_of(const struct cgs_multiply *m, const struct cgs_multiply_row *r,
                      struct cgs_figure out[CGS_FIGURES_MOST])
{
    const bool host = r->entry->device == CGS_CPU, tried = r->slabs > 0;
    const bool verified = r->state == CGS_TRIAL_OPEN, timed = verified && r->products > 0;
    const bool rated = timed && r->attainable_gbs > 0.0;
    const struct cgs_figure figures[] = {
        cgs_figure_text("name", r->entry->name),
        cgs_figure_text("device", cgs_device_name(r->entry->device)),
        cgs_figure_whole("threads", m->context->threads, host),
        cgs_figure_yes("reference", r->kernel && r->kernel->reference),
        cgs_figure_yes("beside", r->beside),
        cgs_figure_text("state", cgs_trial_state_name(r->state)),
        cgs_figure_text("reason", r->reason),
        cgs_figure_whole("slabs", r->slabs, tried),
        cgs_figure_whole("host_bytes", r->planned[CGS_HOST], r->planned[CGS_HOST] > 0),
        cgs_figure_whole("device_bytes", r->planned[CGS_DEVICE_MEMORY],
                         r->planned[CGS_DEVICE_MEMORY] > 0),
        cgs_figure_whole("wrong_row", r->wrong_row, r->wrong_row >= 0),
        cgs_figure_real("worst_error", r->worst_error, verified),
        cgs_figure_real("projected_error", r->projected, verified),
        cgs_figure_whole("products", r->products, timed),
        cgs_figure_real("first_seconds", r->first, verified),
        cgs_figure_real("median_seconds", r->median, timed),
        cgs_figure_real("min_seconds", r->least, timed),
        cgs_figure_real("max_seconds", r->most, timed),
        cgs_figure_real("begin_seconds", r->stages[CGS_SPGEMM_BEGIN], timed),
        cgs_figure_real("count_seconds", r->stages[CGS_SPGEMM_COUNT], timed),
        cgs_figure_real("alloc_seconds", r->stages[CGS_SPGEMM_ALLOC], timed),
        cgs_figure_real("fill_seconds", r->stages[CGS_SPGEMM_FILL], timed),
        cgs_figure_real("sort_seconds", r->stages[CGS_SPGEMM_SORT], timed),
        cgs_figure_real("gflops", r->gflops, timed),
        cgs_figure_real("gbs", r->gbs, timed),
        cgs_figure_real("attainable_gbs", r->attainable_gbs, rated),
        cgs_figure_text("attainable_kind", rated ? r->attainable_kind : ""),
        cgs_figure_real("roofline", rated ? r->gbs / r->attainable_gbs : 0.0, rated),
        cgs_figure_real("reference_ratio", r->ratio, r->ratio > 0.0),
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
    cgs_put_input(o, m->options, &operand->input);
    cgs_put_integer(o, "rows", operand->facts.rows);
    cgs_put_integer(o, "columns", operand->facts.columns);
    cgs_put_integer(o, "nonzeros", operand->facts.nonzeros);
    json_object_set_new(o, "row_lengths", cgs_json_row_lengths(&operand->facts.statistics));
    return o;
}

static json_t *product(const struct cgs_multiply *m)
{
    const struct cgs_spgemm_size *s = &m->size;
    json_t *o = json_object();
    cgs_put_integer(o, "rows", s->rows);
    cgs_put_integer(o, "columns", s->columns);
    cgs_put_integer(o, "products", s->products);
    cgs_put_integer(o, "entries", s->entries);
    if (s->entries > 0)
        cgs_put_real(o, "compression", (double)s->products / (double)s->entries);
    cgs_put_integer(o, "longest_row_products", s->longest);
    cgs_put_integer(o, "least_bytes", cgs_multiply_least_bytes(m));
    cgs_put_integer(o, "gustavson_bytes", cgs_multiply_gustavson_bytes(m));
    cgs_put_text(o, "precision", cgs_option_choice(m->options, CGS_OPTION_precision));
    cgs_put_yes(o, "sorted", m->options->sort);
    cgs_put_integer(o, "repeat", m->options->repeat);
    if (m->collected)
        cgs_put_text(o, "file", m->options->output);
    return o;
}

static json_t *plan(const struct cgs_multiply *m)
{
    json_t *o = json_object();
    cgs_put_part(o, "lines", cgs_json_plan_lines(&m->plan));
    cgs_put_text(o, "kernel", m->planned->entry->name);
    cgs_put_integer(o, "slabs", m->plan_slabs);
    cgs_put_integer(o, "host_bytes", m->plan.total[CGS_HOST]);
    if (m->plan.total[CGS_DEVICE_MEMORY] > 0)
        cgs_put_integer(o, "device_bytes", m->plan.total[CGS_DEVICE_MEMORY]);
    return o;
}

enum cgs_status cgs_multiply_json(struct cgs_context *context, FILE *file,
                                  const struct cgs_multiply *m)
{
    struct cgs_figure figures[CGS_FIGURES_MOST];
    struct cgs_report report = cgs_report_start(context, m->options, m->argc, m->argv);
    snprintf(report.date, sizeof report.date, "%s", m->date);
    report.machine = m->machine;
    report.has_machine = m->machine.backend != NULL;
    report.has_bandwidth = m->bandwidth[m->machine.device].read_gbs > 0.0;
    report.host_bandwidth = m->bandwidth[CGS_CPU];
    report.bandwidth = m->bandwidth[m->machine.device];
    json_t *root = cgs_json_head(&report);
    if (m->a)
        json_object_set_new(root, "matrix_a", operand(m, m->a));
    if (m->b)
        json_object_set_new(root, "matrix_b",
                            m->b == m->a ? json_pack("{s:s}", "same_as", "matrix_a")
                                         : operand(m, m->b));
    if (m->entries)
        json_object_set_new(root, "product", product(m));
    if (m->plan_slabs > 0)
        json_object_set_new(root, "plan", plan(m));
    json_t *kernels = json_array();
    for (int i = 0; i < m->count && !m->options->plan; i++)
        json_array_append_new(kernels,
                              cgs_figures_json(figures, figures_of(m, &m->rows[i], figures)));
    json_object_set_new(root, "kernels", kernels);
    return cgs_json_end(context, file, root);
}
