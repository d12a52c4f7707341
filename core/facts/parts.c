/* Parts of the JSON report that are arrays or objects of their own. */
#include "core/facts/parts.h"

#include "core/field/grid.h"
#include "core/options/user_problem.h"
#include "solver/cg/cg_result.h"

/* ---- --profile ---- */

struct cgs_step_figures cgs_step_figures(const struct cgs_report *report,
                                         const struct cgs_profile_line *line)
{
    struct cgs_step_figures f = {0};
    f.attainable = cgs_report_step_attainable(report, line, &f.kind);
    if (line->seconds > 0.0)
        f.gbs = 1e-9 * line->bytes * (double)line->calls / line->seconds;
    if (f.attainable > 0.0)
        f.roofline = f.gbs / f.attainable;
    return f;
}

double cgs_report_rest_seconds(const struct cgs_report *report)
{
    return report->context->watch.seconds[CGS_PHASE_SOLVE] - report->start.seconds -
           cgs_profile_seconds(&report->profile);
}

static json_t *json_line(const struct cgs_report *report, const struct cgs_profile_line *line)
{
    const struct cgs_step_figures f = cgs_step_figures(report, line);
    json_t *o = json_object();
    cgs_put_text(o, "step", line->step.name);
    cgs_put_text(o, "formula", line->step.formula);
    cgs_put_integer(o, "bytes", (int64_t)(line->bytes + 0.5));
    cgs_put_integer(o, "calls", line->calls);
    cgs_put_real(o, "seconds", line->seconds);
    cgs_put_some(o, "gbs", f.gbs);
    cgs_put_some(o, "attainable_gbs", f.attainable);
    cgs_put_text(o, "attainable_kind", f.kind);
    cgs_put_some(o, "roofline", f.roofline);
    return o;
}

static json_t *json_left_over(const char *step, double seconds)
{
    json_t *o = json_object();
    cgs_put_text(o, "step", step);
    cgs_put_real(o, "seconds", seconds);
    return o;
}

json_t *cgs_json_profile(const struct cgs_report *report)
{
    const struct cgs_profile *profile = &report->profile;
    json_t *array = json_array();
    for (int i = 0; i < profile->count; i++)
        json_array_append_new(array, json_line(report, &profile->lines[i]));
    if (profile->past_iterations > 0) {
        json_t *past = json_left_over("past_the_end", profile->past_seconds);
        cgs_put_integer(past, "calls", profile->past_iterations);
        json_array_append_new(array, past);
    }
    if (report->has_start)
        json_array_append_new(array, json_left_over("start", report->start.seconds));
    json_array_append_new(array, json_left_over("rest", cgs_report_rest_seconds(report)));
    return array;
}

/* ---- ranks ---- */

const char *const cgs_rank_part_names[CGS_RANK_PARTS] = {
    [CGS_RANK_COMPUTE] = "compute",
    [CGS_RANK_HALO] = "halo",
    [CGS_RANK_SUMS] = "sums",
    [CGS_RANK_WAITING] = "waiting",
};

static json_t *json_seconds(const struct cgs_rank_seconds *seconds)
{
    json_t *o = json_object();
    cgs_put_real(o, "least", seconds->least);
    cgs_put_real(o, "median", seconds->median);
    cgs_put_real(o, "most", seconds->most);
    return o;
}

static json_t *json_by_rank(const struct cgs_rank_facts *ranks, enum cgs_rank_part part)
{
    json_t *array = json_array();
    for (int r = 0; r < ranks->count; r++)
        json_array_append_new(array, json_real(ranks->by_rank[part][r]));
    return array;
}

json_t *cgs_json_rank_seconds(const struct cgs_report *report)
{
    json_t *o = json_object();
    for (int p = 0; p < CGS_RANK_PARTS; p++) {
        json_t *part = json_seconds(&report->ranks.parts[p]);
        if (report->ranks.gpus > 0)
            cgs_put_part(part, "by_rank", json_by_rank(&report->ranks, (enum cgs_rank_part)p));
        cgs_put_part(o, cgs_rank_part_names[p], part);
    }
    return o;
}

json_t *cgs_json_rank_devices(const struct cgs_report *report)
{
    json_t *array = json_array();
    for (int r = 0; r < report->ranks.count; r++)
        json_array_append_new(array, json_integer(report->ranks.device[r]));
    return array;
}

json_t *cgs_json_gpu_parts(const struct cgs_report *report)
{
    json_t *array = json_array();
    for (int r = 0; r < report->ranks.shares; r++) {
        const struct cgs_gpu_part *part = &report->ranks.share[r];
        json_t *o = json_object();
        cgs_put_integer(o, "rank", r);
        cgs_put_integer(o, "device", part->device);
        cgs_put_text(o, "name", part->name);
        cgs_put_integer(o, "rows", part->rows);
        cgs_put_integer(o, "planned", part->planned);
        cgs_put_integer(o, "available", part->available);
        if (part->peak > 0)
            cgs_put_integer(o, "peak", part->peak);
        json_array_append_new(array, o);
    }
    return array;
}

json_t *cgs_json_rank_steps(const struct cgs_report *report)
{
    json_t *array = json_array();
    for (int i = 0; i < report->profile.count; i++) {
        json_t *o = json_seconds(&report->ranks.steps[i]);
        cgs_put_text(o, "step", report->profile.lines[i].step.name);
        json_array_append_new(array, o);
    }
    return array;
}

json_t *cgs_json_scaling(const struct cgs_report *report)
{
    const struct cgs_scaling_facts *facts = &report->scaling;
    json_t *array = json_array();
    for (int i = 0; i < facts->count; i++) {
        const struct cgs_scaling_point *point = &facts->points[i];
        json_t *o = json_object();
        cgs_put_integer(o, "ranks", point->ranks);
        cgs_put_real(o, "iteration_seconds", point->all);
        cgs_put_real(o, "compute_seconds", point->compute);
        cgs_put_real(o, "halo_seconds", point->halo);
        cgs_put_real(o, "sum_seconds", point->sums);
        cgs_put_real(o, "mups", cgs_scaling_mups(&facts->problem, point));
        json_array_append_new(array, o);
    }
    return array;
}

/* ---- materials ---- */

const struct cgs_materials *cgs_report_materials(const struct cgs_report *report)
{
    const struct cgs_user_model *model = report->settings->model;
    return model && model->settled && model->materials.count > 0 ? &model->materials : NULL;
}

json_t *cgs_json_point(const double point[3])
{
    json_t *array = json_array();
    for (int k = 0; k < 3; k++)
        json_array_append_new(array, json_real(point[k]));
    return array;
}

static json_t *solution_of(const struct cgs_extremes *extremes)
{
    json_t *o = json_object();
    cgs_put_real(o, "least", extremes->least);
    cgs_put_part(o, "least_at", cgs_json_point(extremes->least_at));
    cgs_put_real(o, "most", extremes->most);
    cgs_put_part(o, "most_at", cgs_json_point(extremes->most_at));
    cgs_put_real(o, "mean", extremes->mean);
    return o;
}

static json_t *material(const char *name, const struct cgs_material_facts *facts, bool source,
                        bool solution)
{
    json_t *o = json_object();
    cgs_put_text(o, "name", name);
    cgs_put_real(o, "kappa_least", facts->kappa_least);
    cgs_put_real(o, "kappa_most", facts->kappa_most);
    if (source)
        cgs_put_real(o, "source", facts->source);
    cgs_put_real(o, "volume", facts->volume);
    cgs_put_integer(o, "cells", facts->cells);
    if (solution)
        cgs_put_part(o, "solution", solution_of(&facts->extremes));
    return o;
}

json_t *cgs_json_materials(const struct cgs_report *report)
{
    const struct cgs_materials *materials = cgs_report_materials(report);
    json_t *array = json_array();
    for (int m = 0; materials && m < materials->count; m++)
        json_array_append_new(array, material(materials->list[m].name, &materials->list[m].facts,
                                              materials->source_known, report->has_extremes));
    if (materials && materials->rest.cells > 0)
        json_array_append_new(array, material("else", &materials->rest, materials->source_known,
                                              report->has_extremes));
    return array;
}

/* ---- several right-hand sides ---- */

json_t *cgs_json_columns(const struct cgs_report *report)
{
    json_t *array = json_array();
    for (int64_t c = 0; c < report->columns.solved; c++) {
        const struct cgs_column *column = &report->columns.list[c];
        json_t *o = json_object();
        cgs_put_text(o, "status", cgs_outcome_name(column->outcome));
        cgs_put_integer(o, "iterations", column->iterations);
        cgs_put_real(o, "relative_residual", column->relative_residual);
        cgs_put_real(o, "true_relative_residual", column->true_relative_residual);
        cgs_put_real(o, "seconds", column->seconds);
        json_array_append_new(array, o);
    }
    return array;
}

/* ---- probes ---- */

static void put_probe(json_t *object, const struct cgs_probe *probe)
{
    cgs_put_part(object, "at", cgs_json_point(probe->at));
    cgs_put_real(object, "value", probe->value);
    cgs_put_part(object, "gradient", cgs_json_point(probe->gradient));
}

json_t *cgs_json_probes(const struct cgs_report *report)
{
    json_t *array = json_array();
    for (int64_t i = 0; i < report->probe_count; i++) {
        json_t *o = json_object();
        put_probe(o, &report->probes[i]);
        json_array_append_new(array, o);
    }
    return array;
}

json_t *cgs_json_line(const struct cgs_report *report)
{
    json_t *array = json_array();
    for (int64_t i = 0; i < report->line_count; i++) {
        json_t *o = json_object();
        cgs_put_real(o, "arc_length", cgs_report_arc(report, i));
        put_probe(o, &report->probes[report->probe_count + i]);
        json_array_append_new(array, o);
    }
    return array;
}

/* ---- pictures ---- */

static json_t *fields_of(const struct cgs_report *report)
{
    json_t *o = json_object(), *fields = json_array();
    cgs_put_text(o, "file", report->settings->output);
    cgs_put_text(o, "kind", cgs_settings_file_type(report->settings)->endings[0] + 1);
    for (int i = 0; i < CGS_NODALS; i++)
        if (i != CGS_NODAL_ERROR || report->has_errors)
            json_array_append_new(fields, cgs_json_text(cgs_nodal_name((enum cgs_nodal)i)));
    json_object_set_new(o, "fields", fields);
    cgs_put_integer(o, "nodes", cgs_grid_nodes(&report->mesh));
    cgs_put_integer(o, "file_bytes", report->fields_bytes);
    return o;
}

static json_t *slice(const struct cgs_slice *slice)
{
    const struct cgs_slice_request *r = &slice->request;
    const char axis[2] = {"xyz"[r->axis], '\0'};
    json_t *o = json_object();
    cgs_put_text(o, "file", r->file);
    cgs_put_text(o, "kind", "slice");
    cgs_put_text(o, "axis", axis);
    cgs_put_real(o, "position", r->position);
    cgs_put_text(o, "field", cgs_slice_name(r));
    cgs_put_real(o, "least", slice->least);
    cgs_put_real(o, "most", slice->most);
    return o;
}

json_t *cgs_json_pictures(const struct cgs_report *report)
{
    json_t *array = json_array();
    if (report->has_fields)
        json_array_append_new(array, fields_of(report));
    for (int i = 0; i < report->slice_count; i++)
        if (report->slices[i].drawn)
            json_array_append_new(array, slice(&report->slices[i]));
    return array;
}
