/* Data of a problem of the user's own: kappa of cells, values on faces. */
#pragma once

#include "base/linkage.h"
#include "fem/user_problem/user_problem.h"

CGS_BEGIN_C

/* Gives a problem cells of order p > 1: the coordinates of cells in user->grading, or those of
 * equal cells, become those of all nodes. */
enum cgs_status cgs_user_refine(struct cgs_context *context, struct cgs_user_problem *user,
                                int order, const int64_t cells[3], const double size[3]);

/* Returns the mesh of cells[k] cells on a box of this size: free faces and unknowns, but no
 * kappa yet. */
struct cgs_mesh cgs_user_mesh(const struct cgs_user_problem *user, const int64_t cells[3],
                              const double size[3], enum cgs_quadrature quadrature);

/* CGS_USAGE: a direction without unknowns, with too many, or periodic with too few. */
enum cgs_status cgs_user_accepts(struct cgs_context *context, const struct cgs_mesh *mesh);

/* Makes this mesh and kappa of all its cells, which `user` owns. To be called once. CGS_USAGE:
 * not accepted, a number that does not fit, or an exact solution that is not periodic. */
enum cgs_status cgs_user_settle(struct cgs_context *context, struct cgs_user_problem *user,
                                const int64_t cells[3], const double size[3],
                                enum cgs_quadrature quadrature, struct cgs_mesh *mesh);

/* Adds the memory of its numbers apart from kappa, by expressions and conditions: before or after
 * cgs_user_settle. */
void cgs_user_plan(const struct cgs_user_problem *user, const struct cgs_mesh *mesh,
                   struct cgs_plan *plan);

/* Releases its expressions and numbers; a zeroed one is allowed. */
void cgs_user_release(struct cgs_context *context, struct cgs_user_problem *user);

/* Returns true if f, or the flux through a FLUX or TRANSFER face, follows from `exact`. */
bool cgs_user_source_known(const struct cgs_user_problem *user);
bool cgs_user_flux_known(const struct cgs_user_problem *user, int k, int side);

/* Returns true if there are values at the nodes of a face: given ones, or the exact solution's. */
bool cgs_user_face_values(const struct cgs_user_problem *user, int k, int side);

/* Returns what holds u: INFINITY with a VALUE face, else the integral of transfer coefficients over
 * their faces, and of c. Since cgs_user_settle. */
double cgs_user_hold(const struct cgs_user_problem *user);

/* Returns true if constants solve the homogeneous problem: no VALUE face, no transfer coefficient
 * > 0, and no c > 0. Since cgs_user_settle. */
bool cgs_user_singular(const struct cgs_user_problem *user);

/* Computes the exact solution at the nodes of rows first ... last - 1. CGS_BUG: not known. */
enum cgs_status cgs_user_solution(struct cgs_context *context, const struct cgs_user_problem *user,
                                  const struct cgs_mesh *mesh, int64_t first, int64_t last,
                                  double *u);

/* Writes the values at the boundary nodes of node plane iz = 0 ... n_z + 1 into `plane`, its
 * (n_x + 2)(n_y + 2) nodes, x fastest: those of VALUE faces, and 0 at nodes beyond a free face
 * or a periodic one (cgs_mesh_wrap_plane). Leaves unknowns unchanged. */
void cgs_user_boundary(const struct cgs_user_problem *user, const struct cgs_mesh *mesh, int64_t iz,
                       double *plane);

CGS_END_C
