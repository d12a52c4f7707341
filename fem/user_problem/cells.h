/* Integrals int f phi of the cells of a plane, for a problem of the user's own. Internal to
 * fem/user_problem. */
#pragma once

#include "fem/user_problem/nodes.h"
#include "fem/user_problem/points.h"
#include "fem/user_problem/samples.h"

struct cgs_user_cells {
    const struct cgs_user_problem *user; /* borrowed, as mesh and points */
    const struct cgs_mesh *mesh;
    struct cgs_user_points *points;
    /* A given f: weight of a Gauss point times phi of a corner, by the directions in which point
     * and corner are on different sides; 2 points a cell in each direction; f there, of a plane of
     * cells. */
    double weight[8], *at[3], *given;
    /* A given f that may jump: the outcomes of its comparisons at nodes and middles of a plane of
     * cells, and the directions in which f jumps inside of a cell (bit k). */
    double *seen[3], *outcome;
    unsigned char *jumps;
    struct cgs_user_basis gauss;
    int64_t lines;           /* of cells at a time */
    double *samples, *kappa; /* of these: the exact solution, and kappa at the Gauss points */
    double *memory;
};

/* Returns the bytes of its memory. */
int64_t cgs_user_cells_bytes(const struct cgs_user_problem *user, const struct cgs_mesh *mesh,
                             int threads);

/* To be released. */
enum cgs_status cgs_user_cells_create(struct cgs_context *context,
                                      const struct cgs_user_problem *user,
                                      const struct cgs_mesh *mesh, struct cgs_user_points *points,
                                      struct cgs_user_cells *cells);
void cgs_user_cells_release(struct cgs_context *context, struct cgs_user_cells *cells);

/* Computes 8 numbers for each cell of plane cz of the mesh, (n_x + 1)(n_y + 1) cells, x fastest:
 * int f phi_a, by a finer rule where f jumps inside of a cell, or if f follows from the exact
 * solution int kappa grad u . grad phi_a (without its boundary part, fem/user_problem/faces.h). 0
 * of void cells. */
enum cgs_status cgs_user_cells_plane(struct cgs_context *context, struct cgs_user_cells *cells,
                                     int64_t cz, double *vectors);

/* Returns the lines of cells of which all Gauss-Lobatto points are sampled at a time, and the
 * number of these points. */
int64_t cgs_user_sampled_lines(const struct cgs_mesh *mesh, int threads);
int64_t cgs_user_samples(const struct cgs_mesh *mesh, int threads);

/* Samples of `lines` lines of cells from (cy, cz) of the box on; stride: distance in each
 * direction. */
enum cgs_status cgs_user_sample(struct cgs_context *context, struct cgs_user_points *points,
                                struct cgs_expression *exact, int64_t cy, int64_t cz, int64_t lines,
                                double *samples, int64_t stride[3]);

/* Writes u_h at all nodes of plane iz: the unknowns of x, which begins with plane `lower` of
 * unknowns (NULL: 0), and boundary values. */
void cgs_user_node_plane(const struct cgs_user_problem *user, const struct cgs_mesh *mesh,
                         int64_t lower, const double *x, int64_t iz, double *plane);
