/* Numbers derived from the facts of a run. */
#include "core/report/report.h"
#include "fem/mesh.h"
#include "matrix/names.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct cgs_report cgs_report_start(const struct cgs_context *context,
                                   const struct cgs_settings *settings, int argc,
                                   const char *const *argv)
{
    struct cgs_report report = {
        .argc = argc, .argv = argv, .settings = settings, .context = context};
    cgs_date_now(report.date);
    return report;
}

double cgs_report_mups(const struct cgs_report *report)
{
    const struct cgs_cg_result *result = &report->result;
    if (!report->has_result || !(result->seconds > 0.0) || result->iterations == 0)
        return 0.0;
    return 1e-6 * (double)report->matrix.rows * (double)result->iterations / result->seconds;
}

double cgs_report_spmv_gbs(const struct cgs_report *report)
{
    if (!report->has_product || !(report->product.seconds > 0.0))
        return 0.0;
    return 1e-9 * (double)(report->traffic.matrix + report->traffic.vectors) /
           report->product.seconds;
}

/* Returns the device's bandwidth, with that of reading the matrix entries themselves, measured
 * along with the product, if there is one. */
static struct cgs_bandwidth bandwidth_of_product(const struct cgs_report *report)
{
    struct cgs_bandwidth bandwidth = report->bandwidth;
    if (report->has_product)
        bandwidth.read_gbs = cgs_trusted_read(bandwidth.read_gbs, report->product.read_gbs);
    return bandwidth;
}

double cgs_report_attainable(const struct cgs_report *report, const char **kind)
{
    *kind = "";
    if (!report->has_bandwidth || !report->has_matrix)
        return 0.0;
    const enum cgs_precision precision = report->settings->precision;
    const enum cgs_number real = cgs_precision_real(precision);
    const int64_t written = report->matrix.rows * cgs_number_bytes(real);
    const struct cgs_bandwidth bandwidth = bandwidth_of_product(report);
    return cgs_attainable(&bandwidth, written, report->traffic.matrix + report->traffic.vectors,
                          kind);
}

double cgs_report_operator_gflops(const struct cgs_report *report)
{
    if (!report->has_product || !(report->product.seconds > 0.0) ||
        !(report->arithmetic_gflops > 0.0))
        return 0.0;
    return 1e-9 * (double)report->traffic.operations / report->product.seconds;
}

struct cgs_nearer cgs_report_nearer(const struct cgs_report *report)
{
    const char *kind;
    const double attainable = cgs_report_attainable(report, &kind);
    const double gflops = cgs_report_operator_gflops(report);
    return cgs_nearer_limit(cgs_report_spmv_gbs(report), attainable, gflops,
                            report->arithmetic_gflops);
}

double cgs_report_step_attainable(const struct cgs_report *report,
                                  const struct cgs_profile_line *line, const char **kind)
{
    const struct cgs_bandwidth bandwidth =
        line->step.moves.products > 0.0 ? bandwidth_of_product(report) : report->bandwidth;
    *kind = "";
    if (!report->has_bandwidth || !(line->bytes > 0.0))
        return 0.0;
    return cgs_attainable(&bandwidth, (int64_t)line->written, (int64_t)line->bytes, kind);
}

double cgs_report_transfer_gbs(const struct cgs_report *report)
{
    const struct cgs_context *context = report->context;
    if (!(context->link_seconds > 0.0) || context->link_bytes == 0)
        return 0.0;
    return 1e-9 * (double)context->link_bytes / context->link_seconds;
}

double cgs_report_energy_error(const struct cgs_report *report)
{
    if (!report->has_matrix || !(report->mesh.scale > 0.0))
        return 0.0;
    return report->result.energy_error / sqrt(report->mesh.scale);
}

bool cgs_report_leaves(enum cgs_number number, double x)
{
    const double most = number == CGS_F32 ? 0x1p50 : 0x1p450;
    return x > most || x < 1.0 / most;
}

double cgs_report_reading_mbs(const struct cgs_report *report)
{
    return report->market.seconds > 0.0
               ? 1e-6 * (double)report->market.bytes / report->market.seconds
               : 0.0;
}

const char *cgs_report_row_name(const struct cgs_report *report, int64_t row, cgs_row_name name)
{
    const struct cgs_mesh *mesh = &report->mesh;
    const int64_t *n = mesh->n, number = row + 1;
    if (!cgs_settings_box(report->settings) || mesh->deform != 0.0) {
        snprintf(name, sizeof(cgs_row_name), "row %" PRId64 " of the matrix", number);
        return name;
    }
    /* Unknown 0 of a direction is node 1, whether the face before it holds u or not. */
    const int64_t node[3] = {row % n[0] + 1, row / n[0] % n[1] + 1, row / (n[0] * n[1]) + 1};
    double at[3];
    cgs_mesh_node(mesh, node, at);
    snprintf(name, sizeof(cgs_row_name), "unknown %" PRId64 " at (%.4g, %.4g, %.4g)", number, at[0],
             at[1], at[2]);
    return name;
}

const char *cgs_report_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

void cgs_report_take_traffic(struct cgs_report *report, const struct cgs_matrix *matrix)
{
    const struct cgs_machine *m = &report->machine;
    report->traffic = m->kernel->traffic(matrix);
    if (m->outer)
        report->outer_traffic = m->outer->traffic(matrix);
}

int64_t cgs_report_halo_bytes(const struct cgs_report *report, const struct cgs_cut_cost *cost)
{
    const enum cgs_precision precision = report->settings->precision;
    return cost->ghosts * cgs_number_bytes(cgs_precision_real(precision));
}

int64_t cgs_report_matrix_bytes(const struct cgs_report *report)
{
    return report->has_matrix ? report->traffic.matrix + report->outer_traffic.matrix : 0;
}

int64_t cgs_report_plain_bytes(const struct cgs_report *report)
{
    const struct cgs_matrix *m = &report->matrix;
    const enum cgs_number value = cgs_precision_value(report->settings->precision);
    return m->stored * (cgs_number_bytes(value) + (int64_t)sizeof(int32_t)) +
           (m->units + 1) * (int64_t)sizeof(int64_t) +
           (m->sigma > 1 ? m->rows * (int64_t)sizeof(int32_t) : 0);
}

double cgs_report_total_seconds(const struct cgs_report *report)
{
    return cgs_now() - report->context->watch.start;
}

double cgs_report_arc(const struct cgs_report *report, int64_t i)
{
    const struct cgs_line_request *line = &report->settings->line;
    double square = 0.0;
    for (int k = 0; k < 3; k++)
        square += (line->to[k] - line->from[k]) * (line->to[k] - line->from[k]);
    return sqrt(square) * (double)i / (double)(line->points - 1);
}

void cgs_report_line(FILE *file, const struct cgs_report *report)
{
    fputs("arc_length,x,y,z,u,du_dx,du_dy,du_dz\n", file);
    for (int64_t i = 0; i < report->line_count; i++) {
        const struct cgs_probe *p = &report->probes[report->probe_count + i];
        fprintf(file, "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n",
                cgs_report_arc(report, i), p->at[0], p->at[1], p->at[2], p->value, p->gradient[0],
                p->gradient[1], p->gradient[2]);
    }
}

void cgs_report_history(FILE *file, const struct cgs_report *report)
{
    fputs("iteration,relative_residual,energy_error\n", file);
    if (!report->has_result)
        return;
    for (int64_t i = 0; i <= report->result.iterations; i++) {
        const double residual = report->result.history[i];
        fprintf(file, "%lld,", (long long)i);
        if (isfinite(residual))
            fprintf(file, "%.17g", residual);
        fputc(',', file);
        if (report->algebraic)
            fprintf(file, "%.3g", report->algebraic[i]);
        fputc('\n', file);
    }
}
