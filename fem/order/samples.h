/* The exact solution, or a given source, at p + 3 Gauss points of each cell and direction, a layer
 * of cells at a time. Its gradient is that of the polynomial of degree p + 2 through these points:
 * its error falls by two powers of h more than that of the gradient of u_h, and u may have kinks
 * between cells. Internal to fem/order. */
#pragma once

#include "fem/element/order_cells.h"
#include "fem/order/box.h"
#include "fem/problem.h"

struct cgs_order_samples {
    const struct cgs_problem *problem;                /* borrowed */
    double over[3];                                   /* 1/L */
    int points;                                       /* of a cell in a direction, p + 3 */
    int64_t count[3];                                 /* points of the box in each direction */
    struct cgs_basis basis;                           /* polynomials of the cell's nodes at them */
    double slope[CGS_BASIS_POINTS][CGS_BASIS_POINTS]; /* derivatives at point q of polynomial r */
    double end[2][CGS_BASIS_POINTS];                  /* the same at both ends of a cell */
    double *at[3];                                    /* coordinates of the points, x */
    double *factor[CGS_TERMS][3];                     /* those of a built-in problem there */
    const struct cgs_mesh *mesh;                      /* borrowed */
    struct cgs_mesh cells;                            /* cgs_order_mesh_of_cells */
    double *value; /* of a layer: count[0] x count[1] x points, x fastest */
    /* kappa there, three of them where it is orthotropic; NULL: it is a number of each cell */
    double *kappa, *scratch;
    double *reaction; /* c there; NULL: it is a number */
    double *memory;
};

/* To be released. */
enum cgs_status cgs_order_samples_create(struct cgs_context *context,
                                         const struct cgs_problem *problem,
                                         const struct cgs_mesh *mesh,
                                         struct cgs_order_samples *samples);
void cgs_order_samples_release(struct cgs_context *context, struct cgs_order_samples *samples);

/* Returns the bytes of their memory at most. */
int64_t cgs_order_samples_bytes(const struct cgs_mesh *mesh);

/* Computes the values of layer cz of cells, of the exact solution or of the source that is given,
 * and kappa and c. From the calling thread, in parallel. */
enum cgs_status cgs_order_samples_layer(struct cgs_context *context,
                                        struct cgs_order_samples *samples, int64_t cz);
enum cgs_status cgs_order_samples_source(struct cgs_context *context,
                                         struct cgs_order_samples *samples, int64_t cz);

/* Returns the place of point q of a cell in a layer's values, q[k] in direction k. */
static inline int64_t cgs_order_samples_place(const struct cgs_order_samples *samples,
                                              const int64_t cell[3], const int q[3])
{
    const int m = samples->points;
    return (q[2] * samples->count[1] + m * cell[1] + q[1]) * samples->count[0] + m * cell[0] + q[0];
}

/* Returns kappa in direction k at point q of a cell of the layer. */
static inline double cgs_order_samples_kappa(const struct cgs_order_samples *samples, int k,
                                             const int64_t cell[3], const int q[3])
{
    if (samples->kappa)
        return samples->kappa[(samples->mesh->kappa.orthotropic ? k : 0) * samples->points *
                                  samples->count[0] * samples->count[1] +
                              cgs_order_samples_place(samples, cell, q)];
    return samples->mesh->kappa.kind == CGS_KAPPA_CELLS
               ? cgs_order_kappa(&samples->cells, k, cell, 0)
               : 1.0;
}

/* Returns c likewise. */
static inline double cgs_order_samples_reaction(const struct cgs_order_samples *samples,
                                                const int64_t cell[3], const int q[3])
{
    return samples->reaction ? samples->reaction[cgs_order_samples_place(samples, cell, q)]
                             : samples->mesh->reaction;
}
