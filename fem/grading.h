/* Graded boxes: coordinates of nodes that are not equally spaced in a direction.
 *
 * A function of the host alone: kernels see the grading only in kappa of the cells (struct
 * cgs_mesh). Where a mesh is not graded, each function returns the number of equal cells, to the
 * bit. */
#pragma once

#include "base/linkage.h"
#include "fem/element/element.h"

CGS_BEGIN_C

/* The least length of a cell, in parts of the box in that direction. */
#define CGS_GRADING_LEAST 1e-6

struct cgs_grading {
    double *x[3]; /* coordinates 0 ... L of the cells + 1 nodes of the box; NULL: equally spaced */
    int order;    /* p > 1: x has all nodes of cells of order p, which is the mesh's order or beside
                     the mesh of order 1 with the same cells; else 0 */
};

/* Sets x[0 ... cells] to 0 ... length: the last cell is `ratio` times as long as the first one, and
 * each by the same factor longer than the one before. */
void cgs_grading_fill(int64_t cells, double length, double ratio, double *x);

/* Returns the first cell that is shorter than CGS_GRADING_LEAST of the box, or -1. */
int64_t cgs_grading_thin(int64_t cells, const double *x);

/* Returns the coordinate of node i = 0 ... n + 1 of direction k; beyond the box, where void cells
 * lie, some number outside. */
double cgs_grading_node(const struct cgs_mesh *mesh, int k, int64_t i);

/* The functions below of graded boxes. */
double cgs_stretch_of_cell(const struct cgs_mesh *mesh, int k, int64_t c);
double cgs_stretch_of_node(const struct cgs_mesh *mesh, int k, int64_t i);

/* Returns s_k of cell c = 0 ... n of direction k: its length in units of h_k; 1 of a void cell. */
static inline double cgs_grading_stretch(const struct cgs_mesh *mesh, int k, int64_t c)
{
    return mesh->grading ? cgs_stretch_of_cell(mesh, k, c) : 1.0;
}

/* Returns the mean of s_k of the cells of the box beside node i of direction k. */
static inline double cgs_grading_beside(const struct cgs_mesh *mesh, int k, int64_t i)
{
    return mesh->grading ? cgs_stretch_of_node(mesh, k, i) : 1.0;
}

/* Returns the length of a cell of direction k. */
static inline double cgs_grading_length(const struct cgs_mesh *mesh, int k, int64_t c)
{
    return mesh->h[k] * cgs_grading_stretch(mesh, k, c);
}

/* Returns s_x s_y s_z of a cell: its volume in units of cgs_mesh_cell. */
static inline double cgs_grading_volume(const struct cgs_mesh *mesh, const int64_t c[3])
{
    return cgs_grading_stretch(mesh, 0, c[0]) * cgs_grading_stretch(mesh, 1, c[1]) *
           cgs_grading_stretch(mesh, 2, c[2]);
}

/* Returns s_l s_m of a cell: the area of its faces of direction k in units of h_l h_m. */
static inline double cgs_grading_area(const struct cgs_mesh *mesh, int k, const int64_t c[3])
{
    const int l = (k + 1) % 3, m = (k + 2) % 3;
    return cgs_grading_stretch(mesh, l, c[l]) * cgs_grading_stretch(mesh, m, c[m]);
}

/* Returns s_l s_m / s_k of a cell: kappa in direction k in the matrix, over that of the problem. */
static inline double cgs_grading_along(const struct cgs_mesh *mesh, int k, const int64_t c[3])
{
    return cgs_grading_area(mesh, k, c) / cgs_grading_stretch(mesh, k, c[k]);
}

/* Returns the coordinate t of the equally spaced box that the coordinate t = x / L of the graded
 * one has come from. */
double cgs_grading_undo(const struct cgs_mesh *mesh, int k, double t);

CGS_END_C
