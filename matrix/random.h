/* Random matrices by rows: any size and density, uniform or with few long rows and many short ones;
 * reproducible for any number of threads. */
#pragma once

#include "matrix/crs.h"

CGS_BEGIN_C

struct cgs_random_matrix {
    int64_t n;      /* rows and columns */
    double density; /* entries / n^2 */
    bool powerlaw;
};

/* Makes an n x n matrix. Each entry exists with probability p_i, independently of all others;
 * values are uniform in [-1, 1).
 *     uniform     p_i = density
 *     power law   p_i = l_i / n, l_i from a Pareto distribution with exponent 2 (density of row
 *                 lengths ~ l^-2, as many a web or social graph has it), cut off at n / 10 (or 8
 *                 density n where that is more; at most n) and scaled so that the mean is density n
 * crs->norm is measured. CGS_MEMORY. CGS_BUG: n < 1 or density outside (0, 1]. */
enum cgs_status cgs_random_create(struct cgs_context *context, int64_t n, double density,
                                  bool powerlaw, struct cgs_crs *crs);

/* Expected number of entries, for a plan. */
int64_t cgs_random_expected(int64_t n, double density);

CGS_END_C
