/* kappa and source of a problem of the user's own at points of cells, within each cell by its own
 * material. Internal to fem. */
#pragma once

#include "base/linkage.h"
#include "fem/user_problem/user_problem.h"

CGS_BEGIN_C

/* A layer of cells of the box with `points` points of each cell in each direction, coordinates
 * at[k], count[k] of them in x and y; z: that layer's. */
struct cgs_user_layer {
    const double *at[3];
    int64_t cells[3], cz;
    int points;
};

/* Computes kappa in direction k at all points of a layer, x fastest. scratch: room for as many
 * numbers. CGS_USAGE: not finite, or not positive. */
enum cgs_status cgs_user_layer_kappa(struct cgs_context *context,
                                     const struct cgs_user_problem *user,
                                     const struct cgs_user_layer *layer, int k, double *scratch,
                                     double *values);

/* Computes c, which is given, likewise. CGS_USAGE: not finite, or negative. */
enum cgs_status cgs_user_layer_reaction(struct cgs_context *context,
                                        const struct cgs_user_problem *user,
                                        const struct cgs_user_layer *layer, double *scratch,
                                        double *values);

/* Computes f, as given, likewise; 0 where no expression gives it. CGS_USAGE: not finite. */
enum cgs_status cgs_user_layer_source(struct cgs_context *context,
                                      const struct cgs_user_problem *user,
                                      const struct cgs_user_layer *layer, double *scratch,
                                      double *values);

/* Returns true if f is given, by the problem or by a material. */
bool cgs_user_source_given(const struct cgs_user_problem *user);

/* Returns the numbers of kappa that a cell of order p > 1 needs in each direction: 0, kappa is 1;
 * 1, a number of each cell; or `points`, those of the rule, where kappa varies in cells. With
 * other coefficients that vary there are numbers of kappa, too. */
int cgs_user_kappa_points(const struct cgs_user_problem *user,
                          const struct cgs_materials *materials, int points);

/* Returns the coefficients that vary, as bits of struct cgs_kappa. */
int cgs_user_varying(const struct cgs_user_problem *user);

CGS_END_C
