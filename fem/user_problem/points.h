/* Expressions at grids of points: coordinates of nodes, Gauss-Lobatto and Gauss points of all cells
 * in each direction, and values at their tensor products. Internal to fem.
 */
#pragma once

#include "base/context.h"
#include "base/expression.h"
#include "fem/element/element.h"

/* Intervals between Gauss-Lobatto points, and Gauss points, of a cell in a direction. */
enum { CGS_LOBATTO = 4, CGS_USER_GAUSS = 3 };

struct cgs_user_points {
    int64_t cells[3];   /* of the box */
    double *node[3];    /* [cells + 1] */
    double *centre[3];  /* [cells] */
    double *lobatto[3]; /* [4 cells + 1], nodes included */
    double *gauss[3];   /* [3 cells] */
    double *memory;
};

/* A grid of points: count[k] coordinates at[k] in each direction, x fastest. Normal: that of the
 * face that it is on, or NULL. list: count[0] points (at[0][i], at[1][i], at[2][i]) instead, fewer
 * than CGS_EXPRESSION_ALONE of them, which may be evaluated within a parallel region. */
struct cgs_user_grid {
    const double *at[3];
    int64_t count[3];
    const double *normal;
    bool list;
};

/* Returns the bytes of such points. */
int64_t cgs_user_points_bytes(const struct cgs_mesh *mesh);

/* To be released. */
enum cgs_status cgs_user_points_create(struct cgs_context *context, const struct cgs_mesh *mesh,
                                       struct cgs_user_points *points);
void cgs_user_points_release(struct cgs_context *context, struct cgs_user_points *points);

/* Returns the number of points. */
int64_t cgs_user_grid_points(const struct cgs_user_grid *grid);

/* Computes the values at all points of the grid. Returns the first point whose value is not finite,
 * or the number of points. */
int64_t cgs_user_evaluate(const struct cgs_expression *expression, const struct cgs_user_grid *grid,
                          double *values);

/* Computes the outcomes of an expression that may jump (base/expression.h). */
void cgs_user_outcomes(const struct cgs_expression *expression, const struct cgs_user_grid *grid,
                       double *values);

/* Computes the values, and refuses those that are not finite. what: name in the message ("the
 * source"). */
enum cgs_status cgs_user_evaluate_finite(struct cgs_context *context, const char *what,
                                         const struct cgs_expression *expression,
                                         const struct cgs_user_grid *grid, double *values);
