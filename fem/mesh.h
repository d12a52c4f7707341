/* Check of the mesh: no cell may be inverted. Nodes of periodic directions. */
#pragma once

#include "base/context.h"
#include "base/linkage.h"
#include "fem/element/element.h"

CGS_BEGIN_C

/* Checks the Jacobian in the 8 corners of each cell (elsewhere in the cell it is larger than their
 * minimum, since all nodes move in one direction); in parallel.
 * CGS_USAGE: a cell is inverted; the message has the worst one, and a deformation that is
 * possible. */
enum cgs_status cgs_mesh_check(struct cgs_context *context, const struct cgs_mesh *mesh);

/* Fills the nodes 0 and n + 1 of periodic directions in a plane of (n_x + 2)(n_y + 2) nodes, x
 * fastest, from those that they are (struct cgs_mesh). */
void cgs_mesh_wrap_plane(const struct cgs_mesh *mesh, double *plane);

/* Returns the mesh of another order with the same cells. */
struct cgs_mesh cgs_mesh_of_order(const struct cgs_mesh *mesh, int order);

/* Computes where the point s of a cell of a mesh of order 1 is, by the trilinear map of its
 * corners; and where node i of a mesh is. Deformed, graded or not. */
void cgs_mesh_place(const struct cgs_mesh *mesh, const int64_t cell[3], const double s[3],
                    double point[3]);
void cgs_mesh_node(const struct cgs_mesh *mesh, const int64_t i[3], double point[3]);

/* Returns kappa of a cell in direction k: the problem's, also on a graded box. */
double cgs_mesh_kappa(const struct cgs_mesh *mesh, int k, const int64_t cell[3]);

/* Replace the gradient of a function in the reference coordinates s of a cell by that in x, y and
 * z, or by its flux -kappa grad u. */
void cgs_mesh_gradient(const struct cgs_mesh *mesh, const int64_t cell[3], const double s[3],
                       double gradient[3]);
void cgs_mesh_flux(const struct cgs_mesh *mesh, const int64_t cell[3], const double s[3],
                   double flux[3]);

/* Replaces `point`, in coordinates t = x / L, by the point Xi of the box that the mesh's formula
 * moves there: Xi_k + d = X_k, d = A s(Xi), s = sin(pi Xi_1) sin(pi Xi_2) sin(pi Xi_3). It is the
 * same d in all directions, so that d - A s(X - d) = 0 is one equation for one number. It changes
 * its sign between max_k X_k - 1 and min_k X_k, where Xi is on the boundary, and has one root there
 * as long as no cell is inside out: found by bisection. Of a graded box the point of the equally
 * spaced one that has the same place in its cell. */
void cgs_mesh_undeform(const struct cgs_mesh *mesh, double point[3]);

CGS_END_C
