/* The report for programs: the keys of DESIGN.md 3. Absent means not applicable or not known;
 * null stands for a number that is not finite. */
#include "src/report_json.h"

#include <math.h>
#include <string.h>

#include "src/notes.h"
#include "src/report_json.h"
#include "src/version.h"

static void put_real(json_t *object, const char *key, double value)
{
    json_object_set_new(object, key, isfinite(value) ? json_real(value) : json_null());
}

/* A figure that is absent where it is 0: it could not be derived. */
static void put_some(json_t *object, const char *key, double value)
{
    if (value != 0.0)
        put_real(object, key, value);
}

static void put_integer(json_t *object, const char *key, int64_t value)
{
    json_object_set_new(object, key, json_integer(value));
}

json_t *cgs_json_text(const char *value)
{
    json_t *string = json_string(value);
    if (string)
        return string;
    char *copy = strdup(value);
    if (!copy)
        return NULL;
    for (char *c = copy; *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    string = json_string(copy);
    free(copy);
    return string;
}

/* Absent where it is NULL or empty. */
static void put_text(json_t *object, const char *key, const char *value)
{
    if (value && value[0])
        json_object_set_new(object, key, cgs_json_text(value));
}

static json_t *words(const char *list)
{
    json_t *array = json_array();
    while (*list) {
        const size_t length = strcspn(list, " ");
        if (length > 0)
            json_array_append_new(array, json_stringn(list, length));
        list += length + (list[length] == ' ');
    }
    return array;
}

static json_t *provenance(void)
{
    json_t *o = json_object();
    put_text(o, "version", cgs_version());
    put_text(o, "commit", cgs_commit());
    put_text(o, "compiler", cgs_compiler());
    put_text(o, "flags", cgs_flags());
    put_text(o, "cuda", cgs_cuda());
    if (cgs_architectures())
        json_object_set_new(o, "architectures", words(cgs_architectures()));
    put_integer(o, "schema", CGS_SCHEMA);
    return o;
}

static json_t *arguments(const struct cgs_report *report)
{
    json_t *array = json_array();
    for (int i = 1; i < report->argc; i++)
        json_array_append_new(array, cgs_json_text(report->argv[i]));
    return array;
}

static void put_bandwidth(json_t *o, const struct cgs_bandwidth *bandwidth)
{
    put_real(o, "read_gbs", bandwidth->read_gbs);
    put_real(o, "copy_gbs", bandwidth->copy_gbs);
    put_real(o, "triad_gbs", bandwidth->triad_gbs);
    put_integer(o, "measured_bytes", bandwidth->bytes);
    json_object_set_new(o, "measured_in_cache", json_boolean(bandwidth->cached));
}

static json_t *host(const struct cgs_report *report)
{
    const struct cgs_device_info *info = &report->machine.host;
    json_t *o = json_object();
    put_text(o, "cpu", info->name);
    put_integer(o, "threads", report->context->threads);
    put_text(o, "architecture", info->architecture);
    if (info->memory_bytes > 0)
        put_integer(o, "memory_bytes", info->memory_bytes);
    if (info->cache_bytes > 0)
        put_integer(o, "cache_bytes", info->cache_bytes);
    if (report->has_bandwidth)
        put_bandwidth(o, &report->host_bandwidth);
    return o;
}

static json_t *device(const struct cgs_report *report)
{
    const struct cgs_device_info *info = &report->machine.info;
    json_t *o = json_object();
    put_text(o, "name", info->name);
    put_integer(o, "index", report->options->device);
    put_text(o, "driver", info->driver);
    put_text(o, "runtime", info->runtime);
    put_text(o, "architecture", info->architecture);
    put_integer(o, "memory_bytes", info->memory_bytes);
    put_integer(o, "memory_free", info->memory_free);
    put_integer(o, "cache_bytes", info->cache_bytes);
    put_integer(o, "processors", info->processors);
    if (report->has_bandwidth)
        put_bandwidth(o, &report->bandwidth);
    return o;
}

static json_t *problem(const struct cgs_options *options)
{
    json_t *o = json_object();
    put_text(o, "name", options->problem->name);
    put_integer(o, "N", options->n);
    put_integer(o, "unknowns", options->n * options->n * options->n);
    put_text(o, "quadrature", cgs_option_choice(options, CGS_OPTION_quadrature));
    char kappa[64];
    cgs_kappa_write(&options->kappa, kappa, sizeof kappa);
    put_text(o, "mesh", options->deform == 0.0 ? "cube" : "deformed");
    if (options->deform != 0.0)
        put_real(o, "deform", options->deform);
    put_text(o, "kappa", kappa);
    return o;
}

static json_t *matrix(const struct cgs_report *report)
{
    const struct cgs_matrix *m = &report->matrix;
    json_t *o = json_object();
    put_text(o, "format", cgs_format_name(m->format));
    if (m->format == CGS_SELL) {
        put_integer(o, "chunk", m->chunk);
        put_integer(o, "sigma", m->sigma);
    }
    put_integer(o, "rows", m->rows);
    put_integer(o, "columns", m->columns);
    put_integer(o, "nonzeros", m->nonzeros);
    put_integer(o, "stored", m->stored);
    put_integer(o, "padding", m->stored - m->nonzeros);
    if (m->unsorted > 0 && m->sigma > 1) /* a plan does not know it */
        put_integer(o, "padding_unsorted", m->unsorted - m->nonzeros);
    put_integer(o, "bytes", cgs_report_matrix_bytes(report));
    return o;
}

/* Where the recursion had parted from the true residual, the first time. */
static json_t *parted(const struct cgs_cg_result *r)
{
    json_t *o = json_object();
    put_integer(o, "iteration", r->parted_iteration);
    put_real(o, "recursive", r->parted_recursive);
    put_real(o, "true", r->parted_true);
    return o;
}

static json_t *solver(const struct cgs_report *report)
{
    const struct cgs_options *options = report->options;
    const struct cgs_cg_result *r = &report->result;
    json_t *o = json_object();
    put_text(o, "method", "cg");
    put_text(o, "preconditioner", cgs_option_choice(options, CGS_OPTION_precond));
    if (!options->known[CGS_OPTION_tol]) /* nothing more is known */
        return o;
    put_real(o, "tolerance", options->tol);
    put_integer(o, "max_iterations", options->max_iterations);
    if (report->has_machine)
        put_text(o, "launch", cgs_option_choice(options, CGS_OPTION_launch));
    if (!report->has_result)
        return o;
    put_integer(o, "iterations", r->iterations);
    put_text(o, "status", cgs_outcome_name(r->outcome));
    put_real(o, "relative_residual", r->relative_residual);
    put_real(o, "true_relative_residual", r->true_relative_residual);
    put_some(o, "rounding_floor", r->floor);
    put_some(o, "energy_error_estimate", cgs_report_energy_error(report));
    put_some(o, "discretization_error", report->discretization_error);
    put_integer(o, "restarts", r->restarts);
    if (r->restarts > 0)
        json_object_set_new(o, "parted", parted(r));
    put_some(o, "condition_estimate", r->condition_estimate);
    put_some(o, "lambda_min", r->lambda_min);
    put_some(o, "lambda_max", r->lambda_max);
    return o;
}

static json_t *errors(const struct cgs_report *report)
{
    json_t *o = json_object();
    if (report->errors.integral)
        put_real(o, "l2", report->errors.l2);
    put_real(o, "nodal_l2", report->errors.nodal_l2);
    put_real(o, "max", report->errors.max);
    if (report->errors.integral)
        put_real(o, "h1", report->errors.h1);
    if (report->errors.integral && report->mesh.kappa.kind != CGS_KAPPA_ONE)
        put_real(o, "energy", report->errors.energy);
    if (report->has_consistency)
        put_real(o, "consistency", report->consistency);
    return o;
}

static json_t *seconds(const struct cgs_report *report)
{
    json_t *o = json_object();
    for (int phase = 0; phase < CGS_PHASES; phase++) {
        const double here = report->context->watch.seconds[phase];
        if (here > 0.0 || !report->options->plan) /* a plan has few phases */
            put_real(o, cgs_phase_name((enum cgs_phase)phase), here);
    }
    put_real(o, "total", cgs_report_total_seconds(report));
    return o;
}

static json_t *throughput(const struct cgs_report *report)
{
    const char *kind;
    const double spmv = cgs_report_spmv_gbs(report);
    const double attainable = cgs_report_attainable(report, &kind);
    json_t *o = json_object();
    put_some(o, "mups", cgs_report_mups(report));
    put_some(o, "spmv_gbs", spmv);
    put_some(o, "transfer_gbs", cgs_report_transfer_gbs(report));
    put_some(o, "bytes_per_unknown_iteration", report->bytes_per_unknown);
    put_some(o, "attainable_gbs", attainable);
    put_text(o, "attainable_kind", kind);
    if (attainable > 0.0)
        put_some(o, "roofline", spmv / attainable);
    return o;
}

static json_t *memory(const struct cgs_report *report)
{
    const bool on_device = report->machine.backend->place == CGS_DEVICE_MEMORY;
    json_t *o = json_object();
    put_integer(o, "host_planned", report->plan.total[CGS_HOST]);
    put_integer(o, "host_available", report->room.bytes[CGS_HOST]);
    if (report->has_peak)
        put_integer(o, "host_peak", report->host_peak);
    if (!on_device)
        return o;
    put_integer(o, "device_planned", report->plan.total[CGS_DEVICE_MEMORY]);
    put_integer(o, "device_available", report->room.bytes[CGS_DEVICE_MEMORY]);
    if (report->has_peak)
        put_integer(o, "device_peak", report->device_peak);
    return o;
}

static json_t *notes(const struct cgs_report *report)
{
    const char *sentences[CGS_NOTES_MOST];
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
    json_object_set_new(root, "host", host(report));
    if (m->backend->place == CGS_DEVICE_MEMORY)
        json_object_set_new(root, "device", device(report));
    put_text(root, "backend", m->backend->name);
    put_text(root, "backend_reason", m->why);
    put_text(root, "kernel", m->entry->name);
    json_object_set_new(root, "kernel_reproducible", json_boolean(m->kernel->reproducible));
}

static void put_run(json_t *root, const struct cgs_report *report)
{
    if (report->has_matrix)
        json_object_set_new(root, "matrix", matrix(report));
    json_object_set_new(root, "solver", solver(report));
    if (report->has_errors)
        json_object_set_new(root, "error", errors(report));
    json_object_set_new(root, "seconds", seconds(report));
    if (report->has_product)
        put_real(root, "spmv_seconds", report->product.seconds);
    if (report->has_result)
        json_object_set_new(root, "throughput", throughput(report));
    if (report->has_plan)
        json_object_set_new(root, "memory", memory(report));
    if (report->has_plan && report->options->plan)
        json_object_set_new(root, "plan", cgs_json_plan(report));
    if (report->has_result) {
        json_object_set_new(root, "notes", notes(report));
        json_object_set_new(root, "history", history(&report->result));
    }
}

json_t *cgs_json_head(const struct cgs_report *report)
{
    json_t *root = json_object();
    json_object_set_new(root, "cgsolve", provenance());
    put_text(root, "date", report->date);
    json_object_set_new(root, "arguments", arguments(report));
    put_text(root, "command", cgs_command_name(report->options->command));
    if (report->injected) {
        char text[64];
        cgs_fault_write(&report->options->inject, text, sizeof text);
        put_text(root, "injected", text);
    }
    return root;
}

enum cgs_status cgs_json_end(struct cgs_context *context, FILE *file, json_t *root)
{
    put_integer(root, "exit_status", cgs_status_exit(context->status));
    if (context->status != CGS_OK)
        put_text(root, "error_message", context->message);

    char *dumped = root ? json_dumps(root, JSON_INDENT(2)) : NULL;
    json_decref(root);
    if (!dumped)
        return cgs_fail(context, CGS_MEMORY, "no memory for the JSON report");
    fputs(dumped, file);
    fputc('\n', file);
    free(dumped);
    return CGS_OK;
}

enum cgs_status cgs_report_json(struct cgs_context *context, FILE *file,
                                const struct cgs_report *report)
{
    json_t *root = cgs_json_head(report);
    /* Wrong options: what they were meant to say is not known. */
    if (context->status != CGS_USAGE || report->has_machine) {
        if (report->has_machine)
            put_machine(root, report);
        json_object_set_new(root, "problem", problem(report->options));
        put_text(root, "precision", cgs_option_choice(report->options, CGS_OPTION_precision));
        put_run(root, report);
    }
    return cgs_json_end(context, file, root);
}
