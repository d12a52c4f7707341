/* General meshes for tests: six kinds of cubes, boxes, and by definition where their nodes are
 * and what kappa is. */
#pragma once

#include <float.h>
#include <math.h>

#include "fem/mesh.h"

static const double EPS = DBL_EPSILON;

static inline struct cgs_mesh general(int64_t n, enum cgs_quadrature rule, double deform,
                                      enum cgs_kappa_kind kind, double ratio)
{
    struct cgs_mesh mesh = cgs_mesh_cube(n, rule, 1.0);
    mesh.deform = deform;
    mesh.kappa = (struct cgs_kappa){.kind = kind, .ratio = ratio};
    return mesh;
}

/* Six kinds of mesh, and what the tests loop over. */
enum { MESHES = 6 };

static inline struct cgs_mesh mesh_number(int i, int64_t n, enum cgs_quadrature rule)
{
    static const enum cgs_kappa_kind kinds[] = {CGS_KAPPA_ONE, CGS_KAPPA_SMOOTH, CGS_KAPPA_JUMP};
    return general(n, rule,
                   i < 3    ? 0.1
                   : i == 3 ? -0.15
                            : 0.0,
                   kinds[i % 3], kinds[i % 3] == CGS_KAPPA_JUMP ? 1000.0 : 1.0);
}

/* Boxes whose directions differ, some with a single unknown in a direction, and the cell (not
 * the box) of the last but one a cube. */
enum { BOXES = 7 };
static const int64_t BOX_N[BOXES][3] = {{5, 9, 3}, {3, 5, 9}, {1, 4, 2}, {6, 1, 1},
                                        {1, 1, 5}, {3, 1, 7}, {4, 4, 4}};
static const double BOX_SIZE[BOXES][3] = {{1.0, 2.0, 0.5},  {3.0, 0.7, 1.0}, {1.0, 1.0, 1.0},
                                          {2.0, 0.25, 1.0}, {0.3, 0.4, 0.6}, {2.0, 1.0, 4.0},
                                          {1.0, 1.0, 0.1}};

static inline struct cgs_mesh box_number(int i, enum cgs_quadrature rule, enum cgs_kappa_kind kind,
                                         double ratio)
{
    struct cgs_mesh mesh = cgs_mesh_box(BOX_N[i], BOX_SIZE[i], rule, 1.0);
    mesh.kappa = (struct cgs_kappa){.kind = kind, .ratio = ratio};
    return mesh;
}

/* Cell c of a mesh, x fastest, and their number. */
static inline void cell_at(const struct cgs_mesh *mesh, int64_t c, int64_t cell[3])
{
    cell[0] = c % (mesh->n[0] + 1);
    cell[1] = c / (mesh->n[0] + 1) % (mesh->n[1] + 1);
    cell[2] = c / ((mesh->n[0] + 1) * (mesh->n[1] + 1));
}

static inline int64_t cells_of(const struct cgs_mesh *mesh)
{
    return (mesh->n[0] + 1) * (mesh->n[1] + 1) * (mesh->n[2] + 1);
}

/* Row of node i, or -1 on the boundary. */
static inline int64_t row_of_node(const struct cgs_mesh *mesh, const int64_t i[3])
{
    for (int k = 0; k < 3; k++)
        if (i[k] < 1 || i[k] > mesh->n[k])
            return -1;
    return ((i[2] - 1) * mesh->n[1] + i[1] - 1) * mesh->n[0] + i[0] - 1;
}

/* By the definition, without tables. */
static inline void position(const struct cgs_mesh *mesh, const int64_t i[3], double point[3])
{
    double move = mesh->deform;
    for (int k = 0; k < 3; k++)
        move *= sin(M_PI * (double)i[k] / (double)(mesh->n[k] + 1));
    for (int k = 0; k < 3; k++)
        point[k] = mesh->size[k] * ((double)i[k] / (double)(mesh->n[k] + 1) + move);
}

static inline double coefficient(const struct cgs_mesh *mesh, const int64_t cell[3])
{
    double centre[3] = {0.0};
    for (int a = 0; a < 8; a++) {
        const int64_t i[3] = {cell[0] + (a & 1), cell[1] + (a >> 1 & 1), cell[2] + (a >> 2)};
        double point[3];
        position(mesh, i, point);
        for (int k = 0; k < 3; k++)
            centre[k] += point[k] / mesh->size[k] / 8;
    }
    if (mesh->kappa.kind == CGS_KAPPA_SMOOTH)
        return 1.0 + centre[0] + 2.0 * centre[1] * centre[2];
    int upper = 0;
    for (int k = 0; k < 3; k++)
        upper += ((double)cell[k] + 0.5) / (double)(mesh->n[k] + 1) >= 0.5;
    return mesh->kappa.kind == CGS_KAPPA_JUMP && upper % 2 == 1 ? mesh->kappa.ratio : 1.0;
}
