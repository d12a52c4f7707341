/* The solution in a study: least, most and mean of u, and u at each --probe, with the
 * order in which they settle as the mesh is refined, and the value that they go to. */
#pragma once

#include "lab/study/study.h"

/* Quantities 0, 1, 2 are least, most and mean; from CGS_QUANTITIES on those of the probes. */
enum {
    CGS_QUANTITIES = 3,
    CGS_QUANTITIES_MOST = CGS_QUANTITIES + 32 /* further probes are in the points' reports */
};

typedef char cgs_quantity_name[32];

/* Returns the number of quantities of the study's points: 0 where no report has one. */
int cgs_study_quantities(const struct cgs_study *study);

/* "most", "probe_1": a key. Returns name. */
const char *cgs_quantity_key(int quantity, cgs_quantity_name name);
/* "most u", "probe 1". Returns name. */
const char *cgs_quantity_head(int quantity, cgs_quantity_name name);

/* How finely the point's box is cut, "40x40x10" or "N = 31". Returns text. */
const char *cgs_point_mesh(const struct cgs_point *point, char *text, size_t size);

/* A quantity of a point; NaN: its report does not have it, or it was not solved. */
double cgs_point_quantity(const struct cgs_point *point, int quantity);

/* f(h) = f_0 + c h^p through three points. */
struct cgs_limit {
    bool found;
    double order; /* p; NaN: all three agree, so far as they were solved */
    double value; /* f_0 */
};

/* The limit by point i of the series and the two coarser meshes before it that have the quantity;
 * found is false where there are fewer, or their differences do not shrink like a power of h. */
struct cgs_limit cgs_series_limit(const struct cgs_study *study, const struct cgs_series *series,
                                  int i, int quantity);

/* The last point of the series that has the quantity; -1: none. */
int cgs_series_finest(const struct cgs_study *study, const struct cgs_series *series, int quantity);

/* Returns true if text and page say these things: u is a user's own, or was asked for at points.
 * JSON and CSV always do. */
bool cgs_study_says_limits(const struct cgs_study *study);
