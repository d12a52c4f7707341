/* A problem of the user's own: data as expressions, and a condition on each face of the box.
 *
 *     -div(kappa grad u) = f                  in the box, in coordinates x = L t,
 *     u = value                               on faces of CGS_FACE_VALUE,
 *     kappa du/dn = value                     on faces of CGS_FACE_FLUX, n outward,
 *     kappa du/dn = transfer (value - u)      on faces of CGS_FACE_TRANSFER: value is the ambient,
 *     u, kappa du/dx_k as on the other one    on both faces of a direction, of CGS_FACE_PERIODIC.
 *
 * A node on several faces has the condition of a VALUE face if there is one, of the first in the order x = 0, x = L_x,
 * y = 0, ... if there are several.
 *
 * Data that follow from `exact`, the exact solution, need its first derivatives only. On each cell it is represented
 * by its polynomial of degree 4 in each direction through the Gauss-Lobatto points: with M = max |d^5 u / dx_k^5| its
 * error is at most 2.5e-5 h^5 M, that of the derivative 6e-4 h^4 M (fem/own/samples.h), far below the errors of
 * trilinear elements of order h^2 and h. u may have kinks between cells, but not inside.
 *
 * Functions that evaluate expressions do so from the calling thread, on context->threads threads; all results have the
 * same bits for any number of threads. Values that are not finite are refused (CGS_USAGE), with what, where, and which.
 */
#ifndef CGS_FEM_OWN_OWN_H
#define CGS_FEM_OWN_OWN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/context.h"
#include "base/expression.h"
#include "base/linkage.h"
#include "base/plan.h"
#include "fem/element/element.h"
#include "fem/norms.h"
#include "fem/slab.h"

CGS_BEGIN_C

enum cgs_condition { CGS_FACE_VALUE, CGS_FACE_FLUX, CGS_FACE_TRANSFER, CGS_FACE_PERIODIC };

/* Variables of the expressions, in this order: x, y, z in the box, and on faces also the outward normal. */
enum { CGS_OWN_VARIABLES = 3, CGS_OWN_FACE_VARIABLES = 6 };
#define CGS_OWN_VARIABLE_NAMES                                                                     \
    {                                                                                              \
        "x", "y", "z", "nx", "ny", "nz"                                                            \
    }

struct cgs_own_face {
    enum cgs_condition condition;
    struct cgs_expression *value; /* NULL: follows from `exact`, or is 0 */
    struct cgs_expression
        *transfer; /* CGS_FACE_TRANSFER: >= 0, at the centres of the face's cells */
};

/* {0}: -Laplace u = 0, u = 0 on all faces. */
struct cgs_own {
    struct cgs_expression *source;  /* f; NULL without cell_source: follows from `exact`, or is 0 */
    struct cgs_expression *exact;   /* NULL: the solution is not known */
    struct cgs_expression *kappa;   /* > 0, at the centres of cells; NULL: `cells`, or 1 */
    struct cgs_own_face face[3][2]; /* [direction][low, high] */
    /* Blocks of cgs_alloc or NULL, a number a cell of the box, x fastest. cells: kappa from a file; cgs_own_settle
     * replaces it by that of all cells of the mesh, void ones included. cell_source: constants added to f. */
    double *cells, *cell_source;
    bool constant_source;   /* cell_source replaces `source`, or will: a material has a source */
    const char *cells_file; /* the file of `cells`, for messages; borrowed, NULL: none */
    /* Since cgs_own_settle: values at the nodes of a face, its first direction fastest: given ones, or `exact` on VALUE
     * and TRANSFER faces. NULL: 0, or the flux of `exact` (cgs_own_flux_known). */
    double *nodal[3][2];
    double hold; /* transfer coefficients, integrated over their faces */
};

/* Returns the mesh of cells[k] cells on a box of this size: free faces and unknowns, but no kappa yet. */
struct cgs_mesh cgs_own_mesh(const struct cgs_own *own, const int64_t cells[3],
                             const double size[3], enum cgs_quadrature quadrature);

/* CGS_USAGE: a direction without unknowns, with too many, or periodic with too few. */
enum cgs_status cgs_own_accepts(struct cgs_context *context, const struct cgs_mesh *mesh);

/* Makes this mesh and kappa of all its cells, which `own` owns. To be called once. CGS_USAGE: not accepted, a number
 * that does not fit, or an exact solution that is not periodic. */
enum cgs_status cgs_own_settle(struct cgs_context *context, struct cgs_own *own,
                               const int64_t cells[3], const double size[3],
                               enum cgs_quadrature quadrature, struct cgs_mesh *mesh);

/* Adds the memory of its numbers apart from kappa, by expressions and conditions: before or after
 * cgs_own_settle. */
void cgs_own_plan(const struct cgs_own *own, const struct cgs_mesh *mesh, struct cgs_plan *plan);

/* Releases its expressions and numbers; a zeroed one is allowed. */
void cgs_own_release(struct cgs_context *context, struct cgs_own *own);

/* Returns true if f, or the flux through a FLUX or TRANSFER face, follows from `exact`. */
bool cgs_own_source_known(const struct cgs_own *own);
bool cgs_own_flux_known(const struct cgs_own *own, int k, int side);

/* Returns true if there are values at the nodes of a face: given ones, or the exact solution's. */
bool cgs_own_face_values(const struct cgs_own *own, int k, int side);

/* Returns what holds u: INFINITY with a VALUE face, else the integral of transfer coefficients over
 * their faces. Since cgs_own_settle. */
double cgs_own_hold(const struct cgs_own *own);

/* Returns true if constants solve the homogeneous problem: no VALUE face, and no transfer coefficient > 0. Since
 * cgs_own_settle. */
bool cgs_own_singular(const struct cgs_own *own);

/* Computes the load of rows first ... last - 1, times mesh->scale:
 *     b_i = int f phi_i + sum over FLUX faces int value phi_i + sum over TRANSFER faces int transfer value phi_i
 *           - sum over nodes j of VALUE faces A_ij value_j.
 * A given f by 2-point Gauss, so that it may jump where cells meet; constants of cells exactly;
 * values of faces by their nodal values and the rule's mass matrix of the face. What follows from
 * `exact` in the weak form,
 *     int f phi = int kappa grad u . grad phi - int over the boundary kappa du/dn phi,
 * by 3-point Gauss, kappa being its expression at the points, or the cell's number where there is
 * none.
 * If constants solve the homogeneous problem, b is not changed to have the sum 0. */
enum cgs_status cgs_own_load(struct cgs_context *context, const struct cgs_own *own,
                             const struct cgs_mesh *mesh, int64_t first, int64_t last, double *b);

/* Returns the bytes that the load takes for a time, beside b. */
int64_t cgs_own_load_bytes(const struct cgs_own *own, const struct cgs_mesh *mesh, int threads);

/* Computes the exact solution at the nodes of rows first ... last - 1. CGS_BUG: not known. */
enum cgs_status cgs_own_solution(struct cgs_context *context, const struct cgs_own *own,
                                 const struct cgs_mesh *mesh, int64_t first, int64_t last,
                                 double *u);

/* Writes the values at the boundary nodes of node plane iz = 0 ... n_z + 1 into `plane`, its (n_x + 2)(n_y + 2) nodes,
 * x fastest: those of VALUE faces, and 0 at nodes beyond a free face or a periodic one (cgs_mesh_wrap_plane). Leaves
 * unknowns unchanged. */
void cgs_own_boundary(const struct cgs_own *own, const struct cgs_mesh *mesh, int64_t iz,
                      double *plane);

/* Computes the error norms over the cells of the box, by 4-point Gauss in each direction, and at the unknowns. x, slab:
 * as cgs_errors_measure. CGS_BUG: the solution is not known. */
enum cgs_status cgs_own_errors(struct cgs_context *context, const struct cgs_own *own,
                               const struct cgs_mesh *mesh, const struct cgs_slab *slab,
                               const double *x, struct cgs_errors *errors);

/* Returns the bytes that the error norms take for a time. */
int64_t cgs_own_errors_bytes(const struct cgs_mesh *mesh, int threads);

/* Balance of a discrete solution. Fluxes are -kappa du/dn integrated, positive out of the box. */
struct cgs_balance {
    double source;     /* int f, as discretised */
    double flux[3][2]; /* [direction][low, high] */
    /* source - sum of fluxes = - sum of the residuals A x - b: rounding if x solves A x = b */
    double imbalance;
};

/* Computes the balance of x. The flux through a FLUX face is its load; through a TRANSFER face int transfer (u - value)
 * as in the matrix; through a VALUE face the consistent flux load - A x at its nodes, where A and the load are those of
 * all nodes; at nodes of several VALUE faces divided by the gradient of x (fem/own/balance.c). Of second order, all of
 * them, where u and kappa are smooth. Not times mesh->scale. x, slab: as cgs_errors_measure. */
enum cgs_status cgs_own_balance(struct cgs_context *context, const struct cgs_own *own,
                                const struct cgs_mesh *mesh, const struct cgs_slab *slab,
                                const double *x, struct cgs_balance *balance);

/* Returns the bytes that the balance takes for a time. */
int64_t cgs_own_balance_bytes(const struct cgs_own *own, const struct cgs_mesh *mesh, int threads);

CGS_END_C

#endif
