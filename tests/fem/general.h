/* General meshes for tests: six kinds of them, and by definition where their nodes are and what
 * kappa is. */
#ifndef CGS_TESTS_FEM_GENERAL_H
#define CGS_TESTS_FEM_GENERAL_H

#include <float.h>
#include <math.h>

#include "fem/mesh.h"

static const double EPS = DBL_EPSILON;

static inline struct cgs_mesh general(int64_t n, enum cgs_quadrature rule, double deform,
                                      enum cgs_kappa_kind kind, double ratio)
{
    struct cgs_mesh mesh = cgs_mesh_cube(n, rule, 1.0);
    mesh.deform = deform;
    mesh.kappa = (struct cgs_kappa){kind, ratio};
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

/* By the definition, without tables. */
static inline void position(const struct cgs_mesh *mesh, const int64_t i[3], double point[3])
{
    const double h = 1.0 / (double)(mesh->n + 1);
    double move = mesh->deform;
    for (int k = 0; k < 3; k++)
        move *= sin(M_PI * (double)i[k] * h);
    for (int k = 0; k < 3; k++)
        point[k] = (double)i[k] * h + move;
}

static inline double coefficient(const struct cgs_mesh *mesh, const int64_t cell[3])
{
    double centre[3] = {0.0};
    for (int a = 0; a < 8; a++) {
        const int64_t i[3] = {cell[0] + (a & 1), cell[1] + (a >> 1 & 1), cell[2] + (a >> 2)};
        double point[3];
        position(mesh, i, point);
        for (int k = 0; k < 3; k++)
            centre[k] += point[k] / 8;
    }
    if (mesh->kappa.kind == CGS_KAPPA_SMOOTH)
        return 1.0 + centre[0] + 2.0 * centre[1] * centre[2];
    int upper = 0;
    for (int k = 0; k < 3; k++)
        upper += ((double)cell[k] + 0.5) / (double)(mesh->n + 1) >= 0.5;
    return mesh->kappa.kind == CGS_KAPPA_JUMP && upper % 2 == 1 ? mesh->kappa.ratio : 1.0;
}

#endif
