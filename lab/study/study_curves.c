/* Points of a study -> curves: by series, by an option with numbers, or each for itself. */
#include "lab/study/study_curves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "lab/study/study_point.h"

/* The study as if nothing else were swept. */
void cgs_curves_label(const struct cgs_study *study, const struct cgs_point *point,
                      const enum cgs_option_id *options, int count, char *text, size_t size)
{
    struct cgs_study some = *study;
    memcpy(some.swept, options, (size_t)count * sizeof *options);
    some.swept_count = count;
    cgs_point_label(&some, point, false, text, size);
}

double cgs_curves_x(const struct cgs_curves *curves, const struct cgs_point *point)
{
    if (curves->axis == CGS_AXIS_N)
        return point->facts[CGS_FACT_n];
    const char *value = point->values[curves->option];
    if (curves->axis == CGS_AXIS_OPTION && curves->option == CGS_OPTION_gpus &&
        !(value && strcmp(value, "all") != 0))
        return point->facts[CGS_FACT_gpus];
    return curves->axis == CGS_AXIS_OPTION && value ? strtod(value, NULL) : NAN;
}

bool cgs_curve_has(const struct cgs_study *study, const struct cgs_curve *curve, enum cgs_fact fact)
{
    for (int i = 0; i < curve->count; i++)
        if (isfinite(cgs_point_fact(&study->points[curve->points[i]], fact)))
            return true;
    return false;
}

/* ---- what is at x ---- */

static bool has_numbers(enum cgs_option_id id)
{
    const enum cgs_option_kind kind = cgs_option_table[id].kind;
    return kind == CGS_KIND_INT || kind == CGS_KIND_REAL || kind == CGS_KIND_GPUS;
}

static void choose_axis(const struct cgs_study *study, struct cgs_curves *c)
{
    int most = 1;
    c->axis = CGS_AXIS_NAMES;
    for (int k = 0; k < study->series_count; k++)
        if (study->series[k].count > 1)
            c->axis = CGS_AXIS_N;
    for (int i = 0; i < study->swept_count && c->axis != CGS_AXIS_N; i++) {
        const enum cgs_option_id id = study->swept[i];
        if (has_numbers(id) && study->lists[id].count > most) {
            most = study->lists[id].count;
            c->axis = CGS_AXIS_OPTION;
            c->option = id;
        }
    }
}

/* ---- curves ---- */

/* Into its place by x. */
static void insert(const struct cgs_study *study, const struct cgs_curves *c,
                   struct cgs_curve *curve, int point)
{
    int i = curve->count++;
    const double x = cgs_curves_x(c, &study->points[point]);
    for (; i > 0 && cgs_curves_x(c, &study->points[curve->points[i - 1]]) > x; i--)
        curve->points[i] = curve->points[i - 1];
    curve->points[i] = point;
}

static void fill_by_series(const struct cgs_study *study, struct cgs_curves *c)
{
    int *next = c->indices;
    for (int k = 0; k < study->series_count; k++) {
        const struct cgs_series *s = &study->series[k];
        struct cgs_curve *curve = &c->curves[c->count++];
        *curve = (struct cgs_curve){.points = next, .count = s->count, .series = k};
        snprintf(curve->label, sizeof curve->label, "%s", s->label);
        memcpy(next, s->points, (size_t)s->count * sizeof *next);
        next += s->count;
    }
}

/* A curve has a point for each value of the option at most, so that all have room in `indices`. */
static void fill_by_option(const struct cgs_study *study, struct cgs_curves *c)
{
    enum cgs_option_id others[CGS_OPTIONS];
    int other_count = 0, values = study->lists[c->option].count;
    for (int i = 0; i < study->swept_count; i++)
        if (study->swept[i] != c->option)
            others[other_count++] = study->swept[i];
    for (int p = 0; p < study->count; p++) {
        struct cgs_curve *curve = NULL;
        for (int k = 0; k < c->count && !curve; k++)
            if (cgs_points_alike(study, &study->points[c->curves[k].points[0]], &study->points[p],
                                 c->option))
                curve = &c->curves[k];
        if (!curve) {
            curve = &c->curves[c->count];
            *curve = (struct cgs_curve){.points = c->indices + (size_t)c->count++ * values};
            cgs_curves_label(study, &study->points[p], others, other_count, curve->label,
                             sizeof curve->label);
        }
        insert(study, c, curve, p);
    }
}

static void fill_by_names(const struct cgs_study *study, struct cgs_curves *c)
{
    for (int p = 0; p < study->count; p++) {
        struct cgs_curve *curve = &c->curves[c->count++];
        c->indices[p] = p;
        *curve = (struct cgs_curve){.points = c->indices + p, .count = 1};
        cgs_point_label(study, &study->points[p], true, curve->label, sizeof curve->label);
        if (!curve->label[0])
            snprintf(curve->label, sizeof curve->label, "the run");
    }
}

/* ---- where they were computed: kernels' names do not say it ---- */

static const char *device_of(const struct cgs_study *study, const int *points, int count)
{
    const char *device = "";
    for (int i = 0; i < count; i++) {
        const char *backend = cgs_point_text(&study->points[points ? points[i] : i], "backend"),
                   *one = strcmp(backend, "cuda") == 0  ? "GPU"
                          : strcmp(backend, "cpu") == 0 ? "CPU"
                                                        : "";
        if (one[0] && device[0] && strcmp(one, device) != 0)
            return NULL;
        device = one[0] ? one : device;
    }
    return device;
}

void cgs_curve_say_device(struct cgs_curve *curve)
{
    const size_t used = strlen(curve->label);
    if (curve->device[0])
        snprintf(curve->label + used, sizeof curve->label - used, "%s%s", used > 0 ? ", " : "",
                 curve->device);
}

static void name_devices(const struct cgs_study *study, struct cgs_curves *c)
{
    bool wanted = !device_of(study, NULL, study->count);
    for (int i = 0; i < study->swept_count; i++)
        wanted = wanted && study->swept[i] != CGS_OPTION_backend;
    for (int k = 0; k < c->count; k++) {
        const char *device = device_of(study, c->curves[k].points, c->curves[k].count);
        c->curves[k].device = wanted && device ? device : "";
        cgs_curve_say_device(&c->curves[k]);
    }
}

/* axis, option: of `curves`. */
static enum cgs_status make(const struct cgs_study *study, struct cgs_curves *curves)
{
    const int64_t count = study->count + 1;
    struct cgs_curves c = {.panel_count = 1, .axis = curves->axis, .option = curves->option};
    CGS_TRY(cgs_alloc(study->context, count, sizeof *c.curves, "curves", (void **)&c.curves));
    if (cgs_alloc(study->context, count, sizeof *c.indices, "curves", (void **)&c.indices) !=
        CGS_OK) {
        cgs_free(study->context, c.curves);
        return study->context->status;
    }
    if (c.axis == CGS_AXIS_N)
        fill_by_series(study, &c);
    else if (c.axis == CGS_AXIS_OPTION)
        fill_by_option(study, &c);
    else
        fill_by_names(study, &c);
    name_devices(study, &c);
    *curves = c;
    curves->context = study->context;
    return CGS_OK;
}

enum cgs_status cgs_curves_make(const struct cgs_study *study, struct cgs_curves *curves)
{
    *curves = (struct cgs_curves){0};
    choose_axis(study, curves);
    return make(study, curves);
}

enum cgs_status cgs_curves_over(const struct cgs_study *study, enum cgs_option_id option,
                                struct cgs_curves *curves)
{
    *curves = (struct cgs_curves){.axis = CGS_AXIS_OPTION, .option = option};
    return make(study, curves);
}

void cgs_curves_release(struct cgs_curves *curves)
{
    cgs_free(curves->context, curves->curves);
    cgs_free(curves->context, curves->indices);
    cgs_free(curves->context, curves->panels);
    *curves = (struct cgs_curves){0};
}
