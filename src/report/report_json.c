/* The report for programs: the keys of doc/report.md. Absent means not applicable or not known;
 * null stands for a number that is not finite. */
#include "src/report/report_json.h"

#include <math.h>

#include "src/report/notes.h"
#include "src/report/provenance.h"

static json_t *problem(const struct cgs_report *report)
{
    const struct cgs_options *options = report->options;
    if (!cgs_options_box(options))
        return cgs_json_file(report);
    json_t *o = json_object();
    cgs_put_text(o, "name", options->problem->name);
    cgs_put_integer(o, "N", options->n);
    cgs_put_integer(o, "unknowns", options->n * options->n * options->n);
    cgs_put_text(o, "quadrature", cgs_option_choice(options, CGS_OPTION_quadrature));
    char kappa[64];
    cgs_kappa_write(&options->kappa, kappa, sizeof kappa);
    cgs_put_text(o, "mesh", options->deform == 0.0 ? "cube" : "deformed");
    if (options->deform != 0.0)
        cgs_put_real(o, "deform", options->deform);
    cgs_put_text(o, "kappa", kappa);
    if (options->handed && options->handed->rhs)
        cgs_put_text(o, "rhs", "given");
    return o;
}

static json_t *matrix(const struct cgs_report *report)
{
    const struct cgs_matrix *m = &report->matrix;
    json_t *o = json_object();
    cgs_put_text(o, "format", cgs_format_name(m->format));
    if (cgs_format_chunked(m->format)) {
        cgs_put_integer(o, "chunk", m->chunk);
        cgs_put_integer(o, "sigma", m->sigma);
    }
    cgs_put_integer(o, "rows", m->rows);
    cgs_put_integer(o, "columns", m->columns);
    cgs_put_integer(o, "nonzeros", m->nonzeros);
    cgs_put_integer(o, "stored", m->stored);
    if (m->format != CGS_NONE)
        cgs_put_integer(o, "padding", m->stored - m->nonzeros);
    if (m->unsorted > 0 && m->sigma > 1) /* a plan does not know it */
        cgs_put_integer(o, "padding_unsorted", m->unsorted - m->nonzeros);
    cgs_put_integer(o, "bytes", cgs_report_matrix_bytes(report));
    if (m->format == CGS_SELLC && m->nonzeros > 0) {
        cgs_put_real(o, "bytes_per_entry",
                     (double)cgs_report_matrix_bytes(report) / (double)m->nonzeros);
        cgs_put_real(o, "bytes_per_entry_plain",
                     (double)cgs_report_plain_bytes(report) / (double)m->nonzeros);
    }
    if (!cgs_options_box(report->options))
        json_object_set_new(o, "row_lengths", cgs_json_row_lengths(&m->statistics));
    return o;
}

/* Says which of host and device computed the parts of the box, where either could have. */
static json_t *assembled(const struct cgs_report *report)
{
    json_t *o = json_object();
    if (report->matrix.format != CGS_NONE)
        cgs_put_text(o, "matrix", report->matrix.on_device ? "device" : "host");
    if (report->has_result)
        cgs_put_text(o, "load", report->load_on_device ? "device" : "host");
    if (report->has_errors)
        cgs_put_text(o, "errors", report->errors_on_device ? "device" : "host");
    return o;
}

/* Says what mixed precision keeps in which precision, and counts its reliable updates. */
static json_t *mixed(const struct cgs_report *report)
{
    json_t *o = json_object();
    cgs_put_text(o, "inner", cgs_precision_name(CGS_PRECISION_F32));
    cgs_put_text(o, "outer", cgs_precision_name(CGS_PRECISION_F64));
    cgs_put_integer(o, "inner_matrix_bytes", report->traffic.matrix);
    cgs_put_integer(o, "outer_matrix_bytes", report->outer_traffic.matrix);
    cgs_put_integer(o, "updates", report->result.updates);
    return o;
}

/* The first time that the recursive residual had left the true one. */
static json_t *parted(const struct cgs_cg_result *r)
{
    json_t *o = json_object();
    cgs_put_integer(o, "iteration", r->gap_iteration);
    cgs_put_real(o, "recursive", r->gap_recursive);
    cgs_put_real(o, "true", r->gap_true);
    return o;
}

static json_t *solver(const struct cgs_report *report)
{
    const struct cgs_options *options = report->options;
    const struct cgs_cg_result *r = &report->result;
    json_t *o = json_object();
    cgs_put_text(o, "method", "cg");
    cgs_put_text(o, "preconditioner", cgs_option_choice(options, CGS_OPTION_precond));
    if (!options->known[CGS_OPTION_tol]) /* nothing more is known */
        return o;
    cgs_put_real(o, "tolerance", options->tol);
    if (options->known[CGS_OPTION_max_iterations])
        cgs_put_integer(o, "max_iterations", options->max_iterations);
    if (report->has_machine)
        cgs_put_text(o, "launch", cgs_option_choice(options, CGS_OPTION_launch));
    if (!report->has_result)
        return o;
    cgs_put_integer(o, "iterations", r->iterations);
    cgs_put_text(o, "status", cgs_outcome_name(r->outcome));
    cgs_put_real(o, "relative_residual", r->relative_residual);
    cgs_put_real(o, "true_relative_residual", r->true_relative_residual);
    cgs_put_some(o, "rounding_floor", r->floor);
    cgs_put_some(o, "energy_error_estimate", cgs_report_energy_error(report));
    cgs_put_some(o, "discretization_error", report->discretization_error);
    if (options->precision == CGS_PRECISION_MIXED)
        json_object_set_new(o, "mixed", mixed(report));
    cgs_put_integer(o, "restarts", r->restarts);
    if (r->restarts > 0)
        json_object_set_new(o, "parted", parted(r));
    cgs_put_some(o, "condition_estimate", r->condition_estimate);
    cgs_put_some(o, "lambda_min", r->lambda_min);
    cgs_put_some(o, "lambda_max", r->lambda_max);
    return o;
}

void cgs_put_errors(json_t *o, const struct cgs_errors *errors, const struct cgs_mesh *mesh)
{
    if (errors->integral)
        cgs_put_real(o, "l2", errors->l2);
    cgs_put_real(o, "nodal_l2", errors->nodal_l2);
    cgs_put_real(o, "max", errors->max);
    if (errors->integral)
        cgs_put_real(o, "h1", errors->h1);
    if (errors->integral && mesh->kappa.kind != CGS_KAPPA_ONE)
        cgs_put_real(o, "energy", errors->energy);
}

static json_t *errors(const struct cgs_report *report)
{
    json_t *o = json_object();
    if (report->has_known) {
        cgs_put_real(o, "max", report->known.max);
        cgs_put_real(o, "relative", report->known.relative);
        return o;
    }
    cgs_put_errors(o, &report->errors, &report->mesh);
    if (report->has_consistency)
        cgs_put_real(o, "consistency", report->consistency);
    return o;
}

static json_t *seconds(const struct cgs_report *report)
{
    json_t *o = json_object();
    for (int phase = 0; phase < CGS_PHASES; phase++) {
        const double here = report->context->watch.seconds[phase];
        if (here > 0.0 || !report->options->plan) /* a plan has few phases */
            cgs_put_real(o, cgs_phase_name((enum cgs_phase)phase), here);
    }
    cgs_put_real(o, "total", cgs_report_total_seconds(report));
    return o;
}

static json_t *throughput(const struct cgs_report *report)
{
    const char *kind;
    const double spmv = cgs_report_spmv_gbs(report);
    const double attainable = cgs_report_attainable(report, &kind);
    json_t *o = json_object();
    cgs_put_some(o, "mups", cgs_report_mups(report));
    cgs_put_some(o, "unknowns_per_second", cgs_report_to_solution(report));
    cgs_put_some(o, "operator_gdofs", cgs_report_operator_gdofs(report));
    cgs_put_some(o, "spmv_gbs", spmv);
    cgs_put_some(o, "transfer_gbs", cgs_report_transfer_gbs(report));
    cgs_put_some(o, "bytes_per_unknown_iteration", report->bytes_per_unknown);
    cgs_put_some(o, "attainable_gbs", attainable);
    cgs_put_text(o, "attainable_kind", kind);
    if (attainable > 0.0)
        cgs_put_some(o, "roofline", spmv / attainable);
    return o;
}

static json_t *memory(const struct cgs_report *report)
{
    const bool on_device = report->machine.backend->place == CGS_DEVICE_MEMORY;
    json_t *o = json_object();
    cgs_put_integer(o, "host_planned", report->plan.total[CGS_HOST]);
    if (report->has_market)
        cgs_put_integer(o, "host_planned_reading", report->reading_bytes);
    cgs_put_integer(o, "host_available", report->room.bytes[CGS_HOST]);
    if (report->has_peak)
        cgs_put_integer(o, "host_peak", report->host_peak);
    if (!on_device)
        return o;
    cgs_put_integer(o, "device_planned", report->plan.total[CGS_DEVICE_MEMORY]);
    cgs_put_integer(o, "device_available", report->room.bytes[CGS_DEVICE_MEMORY]);
    if (report->has_peak)
        cgs_put_integer(o, "device_peak", report->device_peak);
    return o;
}

static json_t *notes(const struct cgs_report *report)
{
    cgs_note sentences[CGS_NOTES_MOST];
    const int count = cgs_report_notes(report, sentences);
    json_t *array = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(array, cgs_json_text(sentences[i]));
    return array;
}

static json_t *history(const struct cgs_cg_result *result)
{
    json_t *array = json_array();
    for (int64_t i = 0; i <= result->iterations; i++) {
        const double residual = result->history[i];
        json_array_append_new(array, isfinite(residual) ? json_real(residual) : json_null());
    }
    return array;
}

static void put_machine(json_t *root, const struct cgs_report *report)
{
    const struct cgs_machine *m = &report->machine;
    cgs_put_machine(root, report);
    cgs_put_text(root, "kernel", m->entry->name);
    json_object_set_new(root, "kernel_reproducible", json_boolean(m->kernel->reproducible));
}

static void put_run(json_t *root, const struct cgs_report *report)
{
    if (report->has_matrix)
        json_object_set_new(root, "matrix", matrix(report));
    if (report->has_matrix && report->machine.backend->box && cgs_options_box(report->options))
        json_object_set_new(root, "assembled", assembled(report));
    json_object_set_new(root, "solver", solver(report));
    if (report->has_preconditioning)
        json_object_set_new(root, "preconditioning", cgs_json_preconditioning(report));
    if (report->has_errors || report->has_known)
        json_object_set_new(root, "error", errors(report));
    if (report->has_start && report->has_result)
        json_object_set_new(root, "start", cgs_json_start(report));
    json_object_set_new(root, "seconds", seconds(report));
    if (report->has_product) {
        cgs_put_real(root, "spmv_seconds", report->product.seconds);
        cgs_put_real(root, "spmv_seconds_min", report->product.least);
        cgs_put_real(root, "spmv_seconds_max", report->product.most);
    }
    if (report->solves.count > 0)
        json_object_set_new(root, "solves", cgs_json_solves(report));
    if (report->has_result)
        json_object_set_new(root, "throughput", throughput(report));
    if (report->has_profile)
        json_object_set_new(root, "profile", cgs_json_profile(report));
    if (report->has_vtkhdf || report->has_drawn)
        json_object_set_new(root, "pictures", cgs_json_pictures(report));
    if (report->has_plan)
        json_object_set_new(root, "memory", memory(report));
    if (report->has_plan && report->options->plan)
        json_object_set_new(root, "plan", cgs_json_plan(report));
    if (report->has_result) {
        json_object_set_new(root, "notes", notes(report));
        json_object_set_new(root, "history", history(&report->result));
        cgs_put_accuracy(root, report);
    }
}

enum cgs_status cgs_report_json(struct cgs_context *context, FILE *file,
                                const struct cgs_report *report)
{
    json_t *root = cgs_json_head(report);
    /* Wrong options: what they were meant to say is not known. */
    if (context->status != CGS_USAGE || report->has_machine) {
        if (report->has_machine)
            put_machine(root, report);
        json_object_set_new(root, "problem", problem(report));
        cgs_put_text(root, "precision", cgs_option_choice(report->options, CGS_OPTION_precision));
        put_run(root, report);
        if (report->has_choice)
            json_object_set_new(root, "choice", cgs_json_choice(&report->choice));
    }
    return cgs_json_end(context, file, root);
}
