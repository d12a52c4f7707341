/* The box as a sum of Kronecker products, exactly or nearly.
 *
 *     A = K_x (x) M_y (x) M_z + M_x (x) K_y (x) M_z + M_x (x) M_y (x) K_z
 *                                                   + c M_x (x) M_y (x) M_z
 *
 * K_d and M_d are the stiffness and mass matrix of the unknowns of a line in direction d, by the
 * mesh's rule: tridiagonal, or with two corners more in a periodic direction. On cell c of length
 * h, p the rule's point,
 *
 *     K: stiff_c / h (1, -1; -1, 1),     M: mass_c h ((1 + p^2)/4, (1 - p^2)/4; likewise),
 *
 * or, of an order above 1, stiff_c and mass_c times a plain cell's (fem/element/order_line.h), and
 * K has the transfer coefficients of the two ends on its diagonal. This is A itself if kappa of
 * cell (i, j, k) is in direction x, y, z
 *
 *     stiff_x(i) mass_y(j) mass_z(k),
 *     mass_x(i) stiff_y(j) mass_z(k),
 *     mass_x(i) mass_y(j) stiff_z(k)
 *
 * (one kappa: a product a(i) b(j) c(k)), the transfer coefficient of a face a number times the mass
 * factors of its two directions, and the reaction a number c times those of all three, or in layers
 * absorb(k) times those of two directions: then K of the third one has the mass of each cell times
 * absorb(k), too, and c is 0. Else they are the nearest such factors: those of the
 * least squares of log kappa, which are means over planes of cells, and means of the others. They
 * follow from the numbers of the cells, not from any expression. A deformed box has those of the
 * undeformed one.
 */
#pragma once

#include <stdbool.h>

#include "base/context.h"
#include "base/plan.h"
#include "fem/element/element.h"

CGS_BEGIN_C

struct cgs_separable_direction {
    int64_t n, cells; /* unknowns, cells of the box */
    int64_t first;    /* unknown of the lower node of cell 0: -1 if that has a value, or 0 */
    int order;
    double h; /* of a cell */
    double *stiff, *mass; /* factors of the cells */
    double *absorb; /* of the reaction in layers; NULL: it is in no layers of this direction */
    double transfer[2];   /* that of the low and the high end, on K's diagonal; 0: none */
    double ratio;         /* stiff_c = ratio mass_c in each cell; 0: there is no such number */
    bool uniform;         /* mass_c is the same in all cells, there is a ratio, and no transfer */
    bool periodic;
    bool held; /* an end has a value, or transfer: K is regular */
    int open;  /* free faces, struct cgs_mesh */
};

struct cgs_separable {
    struct cgs_separable_direction direction[3];
    double reaction; /* c */
    enum cgs_quadrature quadrature;
    bool exact;
    const char *why; /* what makes it exact, or not: a clause */
    /* Most over least of kappa, transfer coefficients and reaction, each over that of the factors:
     * a bound of the condition number. 1 if exact; 0: there is no bound. */
    double spread;
    double *memory;
};

/* Finds the factors; on context->threads threads, with the same bits for any number of them. To be
 * released. */
enum cgs_status cgs_separable_create(struct cgs_context *context, const struct cgs_mesh *mesh,
                                     struct cgs_separable *separable);
void cgs_separable_release(struct cgs_context *context, struct cgs_separable *separable);

/* Adds the memory of the factors and of what finds them to the plan. */
void cgs_separable_plan(const struct cgs_mesh *mesh, struct cgs_plan *plan);

/* Computes K and M of a direction of order 1: entries (i, i), and in `off` (i, i + 1), the last of
 * which is that of the last and the first unknown, 0 unless the direction is periodic. */
struct cgs_line_matrices {
    double *stiffness, *stiffness_off, *mass, *mass_off; /* n numbers each */
};
void cgs_separable_matrices(const struct cgs_separable *separable, int d,
                            const struct cgs_line_matrices *matrices);

/* Returns (1 - p^2)/4 of the rule: 1/6 or 1/12. */
double cgs_separable_lag(enum cgs_quadrature quadrature);

CGS_END_C
