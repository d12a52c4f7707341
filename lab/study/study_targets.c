/* The search for the smallest mesh of a series whose L2 error is at most E.
 *
 *     cells a direction   2, 3 ... 16, 18 ... 32, 36 ... 64, 72 ... 128, ...: four binary digits, so
 *                         that grids of multigrid nest; where kappa jumps even ones alone
 *     error               e (c_0 / c)^q from the mesh next to it: between two meshes q is theirs;
 *                         beyond all of them the mean of theory's p + 1 and the order seen last
 *     next mesh           the smallest that should reach E, but at most four times the cells so far
 *     end                 neighbours lie on both sides of E; or the smaller one would miss it by a
 *                         tenth, by a power of h between two meshes that are close
 *
 * Targets are taken from the largest to the smallest, so that each has the meshes of the ones
 * before it. Without --tol a mesh is solved to a relative residual of a thousandth to a hundredth
 * of the error that it should have: more would show in the error, less would take time for nothing.
 * What is foreseen to take longer than --time-limit is not solved: its seconds grow as the unknowns
 * times the iterations do. */
#include "lab/study/study_targets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/options/options_rules.h"
#include "lab/io/rerun.h"
#include "lab/study/study_folder.h"
#include "lab/study/study_orders.h"
#include "lab/study/study_point.h"
#include "lab/study/study_run.h"

static enum cgs_status no_memory(const struct cgs_study *study)
{
    return cgs_fail(study->context, CGS_MEMORY, "no memory for the meshes of the study");
}

/* ---- meshes ---- */

enum { FEWEST = 2 }; /* cells of a box */

/* Returns the distance of meshes around this one. */
static int64_t unit_of(double cells, int64_t step)
{
    enum { DIGITS = 16 };
    int64_t unit = step;
    while (cells > (double)(DIGITS * unit))
        unit *= 2;
    return unit;
}

/* Returns the smallest mesh of at least this many cells. */
static int64_t mesh_from(double cells, int64_t step)
{
    const int64_t unit = unit_of(cells, step);
    const double units = ceil(cells / (double)unit * (1.0 - 1e-12));
    const int64_t mesh = unit * (int64_t)units;
    return mesh < FEWEST ? FEWEST : mesh;
}

/* Returns the mesh before this one; 0: there is none. */
static int64_t mesh_before(int64_t cells, int64_t step)
{
    const int64_t mesh = cells - unit_of((double)cells, step);
    return mesh < FEWEST ? 0 : mesh;
}

/* ---- points ---- */

/* Returns the value as a text that the option's list owns; NULL: no memory. */
static const char *keep(struct cgs_list *list, const char *value)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->values[i], value) == 0)
            return list->values[i];
    char **values = realloc(list->values, ((size_t)list->count + 1) * sizeof *values);
    char *text = strdup(value);
    list->values = values ? values : list->values;
    if (!values || !text) {
        free(text);
        return NULL;
    }
    return values[list->count++] = text;
}

/* Gives the point a mesh, and without --tol (so far) a tolerance for an error e. */
static enum cgs_status cut(struct cgs_study *study, struct cgs_point *point, int64_t cells,
                           double e)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)cells);
    point->values[CGS_OPTION_cells] = keep(&study->lists[CGS_OPTION_cells], text);
    if (!point->values[CGS_OPTION_cells])
        return no_memory(study);
    point->facts[CGS_FACT_n] = cgs_point_size(study, point);
    if (study->options->settings.given[CGS_OPTION_tol])
        return CGS_OK;
    const char *precision = cgs_point_value(study, point, CGS_OPTION_precision);
    const bool single = precision && strcmp(precision, "single") == 0;
    const int least = single ? -6 : -13, power = (int)floor(log10(0.01 * e));
    snprintf(text, sizeof text, "1e%d", power < least ? least : power > -2 ? -2 : power);
    point->values[CGS_OPTION_tol] = keep(&study->lists[CGS_OPTION_tol], text);
    return point->values[CGS_OPTION_tol] ? CGS_OK : no_memory(study);
}

/* Returns 2 where cells have to be even: kappa jumps in the middle of the box. */
static int64_t step_of(const struct cgs_study *study, const struct cgs_point *point)
{
    const char *kappa = cgs_point_value(study, point, CGS_OPTION_kappa);
    return kappa && strncmp(kappa, "jump", 4) == 0 ? 2 : 1;
}

static int64_t cells_of(const struct cgs_study *study, const struct cgs_series *series, int place)
{
    return strtoll(study->points[series->points[place]].values[CGS_OPTION_cells], NULL, 10);
}

/* The L2 error of a point that reached its end; NaN. */
static double error_of(const struct cgs_study *study, const struct cgs_series *series, int place)
{
    const struct cgs_point *point = &study->points[series->points[place]];
    return point->exit_status == 0 ? point->facts[CGS_FACT_l2] : NAN;
}

/* Indices of points from `at` on move by one. */
static void move_indices(struct cgs_study *study, int at, int by)
{
    for (int k = 0; k < study->series_count; k++)
        for (int i = 0; i < study->series[k].count; i++)
            if (study->series[k].points[i] >= at)
                study->series[k].points[i] += by;
}

static void remove_point(struct cgs_study *study, struct cgs_series *series, int place)
{
    const int at = series->points[place];
    free(study->points[at].name);
    free(study->points[at].file);
    free(study->points[at].message);
    json_decref(study->points[at].report);
    series->count--;
    memmove(series->points + place, series->points + place + 1,
            (size_t)(series->count - place) * sizeof *series->points);
    study->count--;
    memmove(study->points + at, study->points + at + 1,
            (size_t)(study->count - at) * sizeof *study->points);
    move_indices(study, at + 1, -1);
}

/* Adds a point with a mesh to the series, whose points lie side by side by ascending cells. */
static enum cgs_status add_point(struct cgs_study *study, struct cgs_series *series, int64_t cells,
                                 double e, int *place)
{
    struct cgs_point point = {.exit_status = -1};
    int at = 0;
    while (at < series->count && cells_of(study, series, at) < cells)
        at++;
    memcpy(point.values, study->points[series->points[0]].values, sizeof point.values);
    for (int i = 0; i < CGS_FACTS; i++)
        point.facts[i] = NAN;
    if (study->count == CGS_POINTS_MOST)
        return cgs_fail(study->context, CGS_USAGE,
                        "these lists need more than %d points: leave some of their values out",
                        CGS_POINTS_MOST);
    CGS_TRY(cut(study, &point, cells, e));
    CGS_TRY(cgs_study_name(study, &point));
    enum cgs_status status = cgs_study_place(study, &point);
    struct cgs_point *points =
        realloc(study->points, ((size_t)study->count + 1) * sizeof *study->points);
    study->points = points ? points : study->points;
    int *indices = realloc(series->points, ((size_t)series->count + 1) * sizeof *indices);
    series->points = indices ? indices : series->points;
    if (status != CGS_OK || !points || !indices) {
        free(point.name);
        free(point.file);
        return status != CGS_OK ? status : no_memory(study);
    }
    const int index = series->points[0] + at;
    move_indices(study, index, 1);
    memmove(points + index + 1, points + index, (size_t)(study->count - index) * sizeof *points);
    memmove(indices + at + 1, indices + at, (size_t)(series->count - at) * sizeof *indices);
    points[index] = point;
    indices[at] = index;
    study->count++;
    series->count++;
    *place = at;
    return CGS_OK;
}

/* ---- what is foreseen ---- */

/* The order of the error between two places; NaN. */
static double order_between(const struct cgs_study *study, const struct cgs_series *series, int low,
                            int high)
{
    const double ratio =
        (double)cells_of(study, series, high) / (double)cells_of(study, series, low);
    return log(error_of(study, series, low) / error_of(study, series, high)) / log(ratio);
}

/* The last place with an error; -1: none. */
static int finest(const struct cgs_study *study, const struct cgs_series *series)
{
    int last = series->count - 1;
    while (last >= 0 && !isfinite(error_of(study, series, last)))
        last--;
    return last;
}

/* The order beyond place `last`. */
static double order_beyond(const struct cgs_study *study, const struct cgs_series *series, int last)
{
    const double theory = cgs_point_order(study, &study->points[series->points[0]]) + 1.0;
    const double seen = last > 0 ? order_between(study, series, last - 1, last) : NAN;
    return isfinite(seen) ? 0.5 * (theory + fmin(fmax(seen, 0.5), theory + 2.0)) : theory;
}

/* Seconds of a finer mesh than that of place `last`. */
static double seconds_beyond(const struct cgs_study *study, const struct cgs_series *series,
                             int last, double cells)
{
    const double *fine = study->points[series->points[last]].facts;
    const double ratio = cells / (double)cells_of(study, series, last);
    double growth = 0.0; /* of the iterations */
    if (last > 0) {
        const double *coarse = study->points[series->points[last - 1]].facts;
        growth =
            log(fine[CGS_FACT_iterations] / coarse[CGS_FACT_iterations]) /
            log((double)cells_of(study, series, last) / (double)cells_of(study, series, last - 1));
        growth = isfinite(growth) ? fmin(fmax(growth, 0.0), 1.0) : 0.0;
    }
    return fine[CGS_FACT_answer_seconds] * pow(ratio, 3.0 + growth);
}

/* ---- the search ---- */

/* Places on both sides of a target; -1: none there. */
struct bracket {
    int low, high; /* the finest that misses it, of those before the first that reaches it; that */
};

static struct bracket bracket_of(const struct cgs_study *study, const struct cgs_series *series,
                                 double target)
{
    struct bracket b = {-1, -1};
    for (int i = 0; i < series->count && b.high < 0; i++) {
        const double e = error_of(study, series, i);
        if (e <= target)
            b.high = i;
        else if (isfinite(e))
            b.low = i;
    }
    return b;
}

/* Returns the mesh to solve next, and sets the error that it should have; 0: it is found. */
static int64_t choose(const struct cgs_study *study, const struct cgs_series *series,
                      const struct bracket *b, double target, double *e)
{
    enum { LEAP = 4 };
    static const double sure = 1.1;
    const int64_t step = step_of(study, &study->points[series->points[0]]);
    const int64_t low = b->low >= 0 ? cells_of(study, series, b->low) : 0,
                  high = b->high >= 0 ? cells_of(study, series, b->high) : INT64_MAX;
    const int64_t least = mesh_from((double)low + 1.0, step),
                  most =
                      b->high < 0 ? LEAP * mesh_from((double)low, step) : mesh_before(high, step);
    const int at = b->low >= 0 ? b->low : b->high;
    const double from = (double)cells_of(study, series, at), here = error_of(study, series, at);
    double q = cgs_point_order(study, &study->points[series->points[0]]) + 1.0;
    if (most < least)
        return 0;
    if (b->high < 0)
        q = order_beyond(study, series, b->low);
    else if (b->low >= 0)
        q = fmax(order_between(study, series, b->low, b->high), 0.1);
    if (b->low >= 0 && b->high >= 0 && high <= LEAP * low &&
        here * pow(from / (double)most, q) > sure * target)
        return 0;
    const double wanted = from * pow(here / target, 1.0 / q);
    const int64_t cells = wanted < (double)most ? mesh_from(wanted, step) : most;
    const int64_t next = cells < least ? least : cells > most ? most : cells;
    *e = here * pow(from / (double)next, q);
    return next;
}

static const char too_long[] = "time", no_room[] = "memory", too_fine[] = "size",
                  rounded[] = "rounding", failed[] = "failed", not_run[] = "not run";

/* Returns true if the error falls by less than half of the order that is due, and the solver may
 * have left as much. */
static bool stalls(const struct cgs_study *study, const struct cgs_series *series, int place)
{
    const struct cgs_point *point = &study->points[series->points[place]];
    const double due = cgs_point_order(study, point) + 1.0;
    return place > 0 && order_between(study, series, place - 1, place) < 0.5 * due &&
           2.0 * cgs_study_algebraic(point, CGS_NORM_L2) >= error_of(study, series, place);
}

/* Runs the point at this place, or takes its report; *why: what ends the series, or NULL. */
static enum cgs_status solve(struct cgs_study *study, struct cgs_series *series, int place,
                             FILE *progress, const char **why)
{
    const bool draw = study->options->draw;
    struct cgs_point *point = &study->points[series->points[place]];
    bool stale;
    if (!cgs_point_done(point) && (study->options->resume || draw))
        CGS_TRY(cgs_study_resume_point(study, point, &stale));
    if (!cgs_point_done(point) && !draw)
        CGS_TRY(cgs_study_run_point(study, point, false, progress));
    *why = NULL;
    if (point->exit_status == 0 && isfinite(point->facts[CGS_FACT_l2]))
        *why = stalls(study, series, place) ? rounded : NULL;
    else if (series->count > 1 && point->exit_status < 0)
        *why = not_run;
    else if (series->count > 1 && point->exit_status == cgs_status_exit(CGS_MEMORY))
        *why = no_room;
    else
        *why = failed;
    if (*why == not_run || *why == no_room)
        remove_point(study, series, place);
    return CGS_OK;
}

/* Why a mesh is not to be solved; NULL: it may be. */
static const char *forbidden(const struct cgs_study *study, const struct cgs_series *series,
                             int64_t cells)
{
    static const double usual = 60.0;
    const struct cgs_options *o = study->options;
    const double limit = o->settings.given[CGS_OPTION_time_limit] ? (double)o->time_limit : usual;
    const double p = cgs_point_order(study, &study->points[series->points[0]]);
    const int last = finest(study, series);
    if (p * (double)cells - 1.0 > cgs_option_table[CGS_OPTION_n].most)
        return too_fine;
    return last >= 0 && cells > cells_of(study, series, last) &&
                   seconds_beyond(study, series, last, (double)cells) > limit
               ? too_long
               : NULL;
}

static enum cgs_status seek(struct cgs_study *study, struct cgs_series *series, FILE *progress)
{
    const char *why = NULL;
    CGS_TRY(solve(study, series, 0, progress, &why));
    for (int t = 0; t < study->target_count; t++) {
        const double target = study->targets[t];
        for (;;) {
            double e = NAN;
            int place;
            const struct bracket b = bracket_of(study, series, target);
            const int64_t cells =
                b.low < 0 && b.high < 0 ? 0 : choose(study, series, &b, target, &e);
            if (cells == 0 || (why && b.high < 0))
                break;
            const char *not_this = forbidden(study, series, cells);
            if (!not_this) {
                CGS_TRY(add_point(study, series, cells, e, &place));
                CGS_TRY(solve(study, series, place, progress, &not_this));
            }
            if (not_this && b.high >= 0) /* the one that there is will do */
                break;
            why = not_this;
        }
        series->targets[t].why = why;
    }
    return CGS_OK;
}

enum cgs_status cgs_targets_seek(struct cgs_study *study, FILE *progress)
{
    if (!study->options->draw)
        CGS_TRY(cgs_rerun_check(study->context));
    for (int k = 0; k < study->series_count; k++)
        CGS_TRY(seek(study, &study->series[k], progress));
    return CGS_OK;
}

/* ---- what it found ---- */

static void extrapolate(const struct cgs_study *study, const struct cgs_series *series,
                        double target, struct cgs_target *found)
{
    const int last = finest(study, series);
    if (last < 0 || found->why == rounded)
        return;
    const double *facts = study->points[series->points[last]].facts;
    const double p = cgs_point_order(study, &study->points[series->points[0]]);
    const double seen = last > 0 ? order_between(study, series, last - 1, last) : p + 1.0,
                 q = fmin(fmax(seen, 0.5), p + 2.0), from = (double)cells_of(study, series, last);
    found->cells = ceil(from * pow(facts[CGS_FACT_l2] / target, 1.0 / q));
    found->unknowns =
        rint(facts[CGS_FACT_unknowns] * pow((p * found->cells - 1.0) / (p * from - 1.0), 3.0));
    found->seconds = seconds_beyond(study, series, last, found->cells);
}

void cgs_targets_conclude(struct cgs_study *study)
{
    for (int k = 0; k < study->series_count; k++)
        for (int t = 0; t < study->target_count; t++) {
            struct cgs_series *series = &study->series[k];
            struct cgs_target *found = &series->targets[t];
            const double target = study->targets[t];
            found->place = bracket_of(study, series, target).high;
            found->cells = found->unknowns = found->seconds = NAN;
            if (found->place < 0) {
                found->why = found->why ? found->why : not_run;
                extrapolate(study, series, target, found);
                continue;
            }
            double *facts = study->points[series->points[found->place]].facts;
            found->why = NULL;
            found->cells = (double)cells_of(study, series, found->place);
            found->unknowns = facts[CGS_FACT_unknowns];
            found->seconds = facts[CGS_FACT_answer_seconds];
            facts[CGS_FACT_target] = target; /* targets fall: the smallest one stays */
        }
}

bool cgs_target_fastest(const struct cgs_study *study, const struct cgs_series *series, int target)
{
    const struct cgs_target *found = &series->targets[target];
    bool fastest = found->place >= 0;
    for (int k = 0; k < study->series_count; k++) {
        const struct cgs_target *other = &study->series[k].targets[target];
        fastest = fastest && !(other->place >= 0 && other->seconds < found->seconds);
    }
    return fastest;
}

/* ---- its beginning ---- */

enum cgs_status cgs_targets_accept(struct cgs_context *context, const struct cgs_settings *s)
{
    const bool user =
        s->source || s->face || s->material || s->region || s->rhs || s->reaction || s->exact;
    const bool known = s->exact || (!user && s->problem->terms > 0 && !s->problem->product_rhs);
    return known || (s->reaction && !s->source && s->problem->terms > 0)
               ? CGS_OK
               : cgs_fail(context, CGS_USAGE,
                          "\1target-error needs a problem whose solution is known everywhere: "
                          "\1problem=smooth, sine, boundary or octants, or \1exact");
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

enum cgs_status cgs_targets_begin(struct cgs_study *study)
{
    enum { UNKNOWNS = 8 }; /* of the first mesh in each direction */
    struct cgs_list *list = &study->lists[CGS_OPTION_target_error];
    CGS_TRY(cgs_list_read(study->context, CGS_OPTION_target_error,
                          study->options->texts[CGS_OPTION_target_error], list));
    study->targets = calloc((size_t)list->count, sizeof *study->targets);
    if (!study->targets)
        return no_memory(study);
    study->target_count = list->count;
    for (int i = 0; i < list->count; i++)
        study->targets[i] = strtod(list->values[i], NULL);
    qsort(study->targets, (size_t)list->count, sizeof *study->targets, by_size);
    int at = study->swept_count++;
    for (; at > 0 && study->swept[at - 1] > CGS_OPTION_cells; at--)
        study->swept[at] = study->swept[at - 1];
    study->swept[at] = CGS_OPTION_cells;
    for (int i = 0; i < study->count; i++) {
        struct cgs_point *point = &study->points[i];
        const double first = UNKNOWNS / cgs_point_order(study, point);
        CGS_TRY(cut(study, point, mesh_from(floor(first), step_of(study, point)),
                    study->targets[list->count - 1]));
    }
    return CGS_OK;
}
