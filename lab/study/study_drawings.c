/* Figures of a study: rows of the table, and captions. */
#include "lab/study/study_drawings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/io/format.h"
#include "lab/study/study_point.h"
#include "lab/study/study_scaling.h"

const struct cgs_drawing_row cgs_drawings[CGS_DRAWINGS] = {
#define CGS_DRAWING(id, file, kind, fact, title, label)                                            \
    {file, CGS_DRAWN_##kind, CGS_FACT_##fact, title, label},
#include "lab/study/study_drawings.def"
#undef CGS_DRAWING
};

bool cgs_study_has(const struct cgs_study *study, enum cgs_fact fact)
{
    for (int i = 0; i < study->count; i++)
        if (isfinite(cgs_point_fact(&study->points[i], fact)))
            return true;
    return false;
}

static const char *lacking(enum cgs_fact fact)
{
    switch (fact) {
    case CGS_FACT_l2:
    case CGS_FACT_h1:
        return "no point has a solution that is known everywhere";
    case CGS_FACT_nodal_l2:
    case CGS_FACT_max:
        return "no point has a solution that is known at the nodes";
    case CGS_FACT_consistency:
        return "it belongs to --problem=course";
    case CGS_FACT_answer_seconds:
        return "no point was solved";
    case CGS_FACT_transfer_seconds:
    case CGS_FACT_transfer_gbs:
        return "nothing was transferred: the CPU computes where the data are";
    case CGS_FACT_speedup:
        return "a scaling takes several --gpus (--gpus=1,2)";
    default:
        return "no point has these figures";
    }
}

bool cgs_drawing_wanted(const struct cgs_study *study, const struct cgs_curves *curves,
                        enum cgs_drawing drawing, char *why, size_t size)
{
    const struct cgs_drawing_row *row = &cgs_drawings[drawing];
    why[0] = '\0';
    if (!cgs_study_has(study, row->fact))
        snprintf(why, size, "%s", lacking(row->fact));
    else if (row->kind == CGS_DRAWN_REACHED && study->target_count == 0)
        snprintf(why, size, "it belongs to --target-error");
    else if (row->kind == CGS_DRAWN_ERROR && curves->axis != CGS_AXIS_N)
        snprintf(why, size, "a convergence takes several N (--N=15,31,63)");
    return why[0] == '\0';
}

static const char *definition(enum cgs_drawing drawing)
{
    switch (drawing) {
    case CGS_DRAWING_l2:
        return "The integral norm of u_h - u over the cube, by 4-point Gauss in each cell and "
               "direction.";
    case CGS_DRAWING_nodal_l2:
        return "sqrt(h^3 sum (u_h - u)^2) over the nodes, where blended quadrature is of fourth "
               "order "
               "on the undeformed cube with a constant coefficient, and only there.";
    case CGS_DRAWING_h1:
        return "The integral norm of the gradient of u_h - u (seminorm).";
    case CGS_DRAWING_max:
        return "max |u_h - u| over the nodes.";
    case CGS_DRAWING_consistency:
        return "sqrt(h^3 sum (A u - 3 pi^2 u)^2) of the exact u: of second order.";
    case CGS_DRAWING_spmv_gbs:
        return "Bytes of one product A x, each input read once and each output written once, "
               "padding "
               "counted, by its time in CG (1 GB = 1e9 bytes). Attainable: what the same run "
               "measured on this machine by the pattern of reads and writes nearest to the "
               "product's (a line is their median); data that fit into a cache may pass it.";
    case CGS_DRAWING_spmv_seconds:
        return "One product A x, median of those measured.";
    case CGS_DRAWING_mups:
        return "MUPS = 1e-6 x unknowns x iterations / seconds of the solve. It says how fast "
               "iterations are, not how many are needed.";
    case CGS_DRAWING_speedup:
        return "MUPS by those on the fewest GPUs, with the same N (strong), or with one nearest to "
               "as many unknowns a GPU "
               "(weak). ";
    case CGS_DRAWING_iterations:
        return "Iterations of CG to the tolerance.";
    case CGS_DRAWING_solve_seconds:
        return "CG alone, without assembly, conversion, transfers and set-up: the median of the "
               "solves, and bars from the least to the most.";
    case CGS_DRAWING_answer_seconds:
        return "What is made once (matrix, operators, preconditioner, CG's vectors) and a solve, "
               "the "
               "median of several: a point is a mesh.";
    case CGS_DRAWING_transfer_seconds:
        return "Matrix and vectors to the device and back, pinning included.";
    case CGS_DRAWING_transfer_gbs:
        return "Bytes between host and device by the time of their transfers (1 GB = 1e9 bytes).";
    case CGS_DRAWINGS:
        break;
    }
    return "";
}

static const char *value_text(const struct cgs_drawing_row *row, double value, cgs_text text)
{
    if (row->kind == CGS_DRAWN_TIME || row->kind == CGS_DRAWN_REACHED)
        return cgs_seconds_text(value, text);
    return cgs_number_text(value, text);
}

static double x_of(const struct cgs_study *study, const struct cgs_curves *curves, int k, int i)
{
    const struct cgs_point *point = &study->points[curves->curves[k].points[i]];
    return curves->axis == CGS_AXIS_NAMES ? 0.0 : cgs_curves_x(curves, point);
}

/* Returns true if the ranges that two points measured overlap. */
static bool ranges_meet(const struct cgs_point *low, const struct cgs_point *high,
                        enum cgs_fact fact)
{
    double least, most, other_least, other_most;
    return cgs_point_range(low, fact, &least, &most) &&
           cgs_point_range(high, fact, &other_least, &other_most) && other_least <= most;
}

/* At the largest x: the curves with the least and the most. */
static void say_extremes(const struct cgs_study *study, const struct cgs_curves *c,
                         const struct cgs_drawing_row *row, char *text, size_t size)
{
    int least = -1, most = -1;
    const struct cgs_point *lowest = NULL, *highest = NULL;
    double low = INFINITY, high = -INFINITY, x = -INFINITY;
    char where[96] = "";
    cgs_text a, b;
    for (int k = 0; k < c->count; k++)
        for (int i = 0; i < c->curves[k].count; i++) {
            const struct cgs_point *point = &study->points[c->curves[k].points[i]];
            const double value = cgs_point_fact(point, row->fact);
            if (isfinite(value) && x_of(study, c, k, i) > x) {
                x = x_of(study, c, k, i);
                low = INFINITY;
                high = -INFINITY;
            }
            if (!isfinite(value) || x_of(study, c, k, i) != x)
                continue;
            least = value < low ? k : least;
            most = value > high ? k : most;
            lowest = value < low ? point : lowest;
            highest = value > high ? point : highest;
            low = fmin(low, value);
            high = fmax(high, value);
        }
    text[0] = '\0';
    if (least < 0 || !(low > 0.0) || !(high > low))
        return;
    if (c->axis != CGS_AXIS_NAMES)
        snprintf(where, sizeof where, "At %s = %g",
                 c->axis == CGS_AXIS_N ? "N" : cgs_option_table[c->option].name, x);
    if (high < 1.05 * low)
        snprintf(text, size, "%s about %s for all. ", where[0] ? where : "Everywhere",
                 value_text(row, high, a));
    else
        snprintf(text, size, "%s%s%s (%s) to %s (%s)", where, where[0] ? " from " : "From ",
                 value_text(row, low, a), c->curves[least].label, value_text(row, high, b),
                 c->curves[most].label);
    const size_t used = strlen(text);
    if (high >= 1.05 * low && ranges_meet(lowest, highest, row->fact))
        snprintf(text + used, size - used, ", but their ranges overlap. ");
    else if (high >= 1.05 * low)
        snprintf(text + used, size - used, ", a factor of %.3g. ", high / low);
}

/* Says how far the error of each curve falls. */
static void say_falls(const struct cgs_study *study, const struct cgs_curves *c,
                      const struct cgs_drawing_row *row, char *text, size_t size)
{
    size_t used = 0;
    int said = 0;
    text[0] = '\0';
    for (int k = 0; k < c->count && k < 3 && used < size; k++) {
        const struct cgs_curve *curve = &c->curves[k];
        const struct cgs_point *first = NULL, *last = NULL;
        for (int i = 0; i < curve->count; i++) {
            const struct cgs_point *point = &study->points[curve->points[i]];
            if (!(point->facts[row->fact] > 0.0))
                continue;
            first = first ? first : point;
            last = point;
        }
        if (first == last)
            continue;
        const double from = first->facts[row->fact], to = last->facts[row->fact];
        if (used == 0)
            used += (size_t)snprintf(text, size, "From N = %g to N = %g the error goes ",
                                     first->facts[CGS_FACT_n], last->facts[CGS_FACT_n]);
        if (used < size)
            used += (size_t)snprintf(text + used, size - used, "%sfrom %.2e to %.2e%s%s%s",
                                     said++ > 0 ? ", " : "", from, to, curve->label[0] ? " (" : "",
                                     curve->label, curve->label[0] ? ")" : "");
    }
    if (used > 0 && used < size - 3)
        snprintf(text + used, size - used, "%s. ", c->count > 3 ? " and so on" : "");
}

void cgs_drawing_caption(const struct cgs_study *study, const struct cgs_curves *curves,
                         enum cgs_drawing drawing, char *text, size_t size)
{
    const struct cgs_drawing_row *row = &cgs_drawings[drawing];
    char seen[512] = "", model[512] = "";
    if (row->kind == CGS_DRAWN_ERROR)
        say_falls(study, curves, row, seen, sizeof seen);
    else if (row->kind == CGS_DRAWN_SCALED)
        cgs_scaling_source(study, model, sizeof model);
    else if (row->kind != CGS_DRAWN_REACHED)
        say_extremes(study, curves, row, seen, sizeof seen);
    snprintf(text, size, "%s%s%s", seen, definition(drawing), model);
}
