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

/* Puts the device at the end of the label. */
static void say_device(struct cgs_curve *curve)
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
        say_device(&c->curves[k]);
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

/* ---- curves that agree ---- */

static const double agree = 0.01;

static bool close_to(double a, double b)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) <= agree * fmax(fabs(a), fabs(b));
}

static bool agrees(const struct cgs_study *study, const struct cgs_curve *a,
                   const struct cgs_curve *b, const enum cgs_fact *facts, int fact_count)
{
    if (a->count != b->count)
        return false;
    for (int i = 0; i < a->count; i++) {
        const double *x = study->points[a->points[i]].facts, *y = study->points[b->points[i]].facts;
        for (int f = 0; f < fact_count; f++)
            if (x[CGS_FACT_n] != y[CGS_FACT_n] || !close_to(x[facts[f]], y[facts[f]]))
                return false;
    }
    return true;
}

/* Returns a point with this value of a curve that has become part of `into`; NULL: none. */
static const struct cgs_point *member_with(const struct cgs_study *study,
                                           const struct cgs_curves *c, const int *of, int into,
                                           enum cgs_option_id id, const char *value)
{
    for (int k = 0; k < c->count; k++) {
        const struct cgs_point *point = &study->points[c->curves[k].points[0]];
        if (of[k] == into && strcmp(point->values[id], value) == 0)
            return point;
    }
    return NULL;
}

/* The values of an option that the members have, joined: "crs/sell", "threads=1/2", "9 values of
 * kernel"; "" where they have all of them, so that it makes no difference. */
static void join_values(const struct cgs_study *study, const struct cgs_curves *c, const int *of,
                        int into, enum cgs_option_id id, char *text, size_t size)
{
    const struct cgs_list *list = &study->lists[id];
    size_t used = 0;
    int count = 0;
    text[0] = '\0';
    for (int v = 0; v < list->count && used < size; v++) {
        char one[CGS_CURVE_LABEL];
        const struct cgs_point *point = member_with(study, c, of, into, id, list->values[v]);
        if (!point)
            continue;
        cgs_curves_label(study, point, &id, 1, one, sizeof one);
        const char *equals = count > 0 ? strchr(one, '=') : NULL;
        used += (size_t)snprintf(text + used, size - used, "%s%s", count > 0 ? "/" : "",
                                 equals ? equals + 1 : one);
        count++;
    }
    if (count == list->count)
        text[0] = '\0';
    else if (count > 4)
        snprintf(text, size, "%d values of %s", count, cgs_option_table[id].name);
}

static void join_label(const struct cgs_study *study, struct cgs_curves *c, const int *of, int into)
{
    char label[CGS_CURVE_LABEL] = "";
    size_t used = 0;
    for (int i = 0; i < study->swept_count && used < sizeof label; i++) {
        char values[CGS_CURVE_LABEL];
        if (cgs_study_refines(study->swept[i]))
            continue;
        join_values(study, c, of, into, study->swept[i], values, sizeof values);
        used += (size_t)snprintf(label + used, sizeof label - used, "%s%s",
                                 used > 0 && values[0] ? ", " : "", values);
    }
    memcpy(c->curves[into].label, label, sizeof label);
}

enum cgs_status cgs_curves_merge(const struct cgs_study *study, struct cgs_curves *c,
                                 const enum cgs_fact *facts, int fact_count)
{
    int *of, kept = 0;
    if (c->axis != CGS_AXIS_N)
        return CGS_OK;
    CGS_TRY(cgs_alloc(study->context, c->count, sizeof *of, "curves", (void **)&of));
    for (int k = 0; k < c->count; k++) {
        of[k] = k;
        for (int j = 0; j < k && of[k] == k; j++)
            if (of[j] == j && agrees(study, &c->curves[j], &c->curves[k], facts, fact_count))
                of[k] = j;
    }
    for (int k = 0; k < c->count; k++)
        if (strcmp(c->curves[k].device, c->curves[of[k]].device) != 0)
            c->curves[of[k]].device = "";
    for (int k = 0; k < c->count; k++)
        if (of[k] == k) {
            join_label(study, c, of, k);
            say_device(&c->curves[k]);
        }
    for (int k = 0; k < c->count; k++)
        if (of[k] == k)
            c->curves[kept++] = c->curves[k];
    c->count = kept;
    cgs_free(study->context, of);
    return CGS_OK;
}

/* ---- panels ---- */

/* Curves to a panel at most, if the values of this option divide them. */
static int largest_panel(const struct cgs_study *study, const struct cgs_curves *c,
                         enum cgs_option_id id, enum cgs_fact fact)
{
    int largest = 0;
    for (int v = 0; v < study->lists[id].count; v++) {
        int count = 0;
        for (int k = 0; k < c->count; k++)
            count += cgs_curve_has(study, &c->curves[k], fact) &&
                     strcmp(study->points[c->curves[k].points[0]].values[id],
                            study->lists[id].values[v]) == 0;
        largest = count > largest ? count : largest;
    }
    return largest;
}

static void divide_by_option(const struct cgs_study *study, struct cgs_curves *c,
                             enum cgs_option_id id, enum cgs_fact fact)
{
    c->panel_count = 0;
    for (int v = 0; v < study->lists[id].count; v++) {
        bool any = false;
        for (int k = 0; k < c->count; k++) {
            const struct cgs_point *point = &study->points[c->curves[k].points[0]];
            if (!cgs_curve_has(study, &c->curves[k], fact) ||
                strcmp(point->values[id], study->lists[id].values[v]) != 0)
                continue;
            c->curves[k].panel = c->panel_count;
            cgs_curves_label(study, point, &id, 1, c->panels[c->panel_count], CGS_CURVE_LABEL);
            any = true;
        }
        c->panel_count += any;
    }
}

static void divide_by_order(const struct cgs_study *study, struct cgs_curves *c, int count,
                            enum cgs_fact fact)
{
    int seen = 0;
    c->panel_count = (count + CGS_CURVES_MOST - 1) / CGS_CURVES_MOST;
    for (int k = 0; k < c->count; k++)
        if (cgs_curve_has(study, &c->curves[k], fact))
            c->curves[k].panel = seen++ / CGS_CURVES_MOST;
    for (int i = 0; i < c->panel_count; i++)
        snprintf(c->panels[i], CGS_CURVE_LABEL, "part %d of %d", i + 1, c->panel_count);
}

enum cgs_status cgs_curves_divide(const struct cgs_study *study, struct cgs_curves *c,
                                  enum cgs_fact fact)
{
    int count = 0;
    CGS_TRY(
        cgs_alloc(study->context, c->count + 1, sizeof *c->panels, "curves", (void **)&c->panels));
    for (int k = 0; k < c->count; k++)
        count += cgs_curve_has(study, &c->curves[k], fact);
    c->panels[0][0] = '\0';
    if (count <= CGS_CURVES_MOST || c->axis == CGS_AXIS_NAMES)
        return CGS_OK;
    const int most = 2 * (count + CGS_CURVES_MOST - 1) / CGS_CURVES_MOST + 1; /* panels */
    int best = -1;
    for (int i = 0; i < study->swept_count; i++) {
        const enum cgs_option_id id = study->swept[i];
        if (!cgs_study_refines(id) && (c->axis != CGS_AXIS_OPTION || id != c->option) &&
            largest_panel(study, c, id, fact) <= CGS_CURVES_MOST &&
            study->lists[id].count <= most &&
            (best < 0 || study->lists[id].count < study->lists[best].count))
            best = (int)id;
    }
    if (best >= 0)
        divide_by_option(study, c, (enum cgs_option_id)best, fact);
    else
        divide_by_order(study, c, count, fact);
    return CGS_OK;
}
