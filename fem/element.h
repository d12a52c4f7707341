/* Mesh geometry and element matrices of the trilinear (Q1) hexahedron: pure inline functions in
 * the common subset of C and CUDA, so that host assembly, device assembly and matrix-free products
 * share one element. The one header of fem/ that kernels/ may include.
 */
#ifndef CGS_FEM_ELEMENT_H
#define CGS_FEM_ELEMENT_H

#include <math.h>
#include <stdint.h>

#include "base/linkage.h"

/* Quadrature rules: 2 points in each direction, on [-1, 1] with weights 1:
 * gauss at +-sqrt(1/3), 1-D mass h (1/6, 4/6, 1/6), second order;
 * blended at +-sqrt(2/3), 1-D mass h (1/12, 10/12, 1/12), fourth order at the nodes of the cube
 * (M. Ainsworth, H. A. Wajid, "Optimally blended spectral-finite element scheme for wave
 * propagation and nonstandard reduced integration", SIAM J. Numer. Anal. 48 (2010)). */
enum cgs_quadrature { CGS_GAUSS, CGS_BLENDED };

/* Coefficient of the equation -div(kappa grad u) = f, constant in each cell. */
enum cgs_kappa_kind {
    CGS_KAPPA_ONE,    /* 1 */
    CGS_KAPPA_SMOOTH, /* 1 + x + 2 y z at the centre of the (deformed) cell */
    CGS_KAPPA_JUMP    /* ratio in every second octant of the undeformed cube, 1 in the others */
};

struct cgs_kappa {
    enum cgs_kappa_kind kind;
    double ratio; /* > 0, of CGS_KAPPA_JUMP */
};

/* The unit cube with (n+1)^3 cells: n^3 unknowns, x fastest, h = 1/(n+1). Node (ix, iy, iz) with 0
 * <= i <= n+1; unknowns are the nodes with 1 <= i <= n. Its position is
 *     x_k = i_k h + A sin(pi ix h) sin(pi iy h) sin(pi iz h),   k = x, y, z, A = deform,
 * which leaves the boundary unchanged. */
struct cgs_mesh {
    int64_t n; /* unknowns in each direction, >= 1 */
    double h;  /* 1/(n+1) */
    enum cgs_quadrature quadrature;
    double scale; /* the matrix is multiplied by this: 1, or 1/h^3 (course) */
    double deform; /* A: displacement of the nodes, see above */
    struct cgs_kappa kappa;
    /* Octants of CGS_KAPPA_JUMP in cells of a direction: lower up to `low`, upper from `high` on;
     * between them, on coarse grids of multigrid, half of each. high = 0: cgs_mesh_middle. */
    double low, high;
};

CGS_INLINE struct cgs_mesh cgs_mesh_cube(int64_t n, enum cgs_quadrature quadrature, double scale)
{
    struct cgs_mesh mesh;
    mesh.n = n;
    mesh.h = 1.0 / (double)(n + 1);
    mesh.quadrature = quadrature;
    mesh.scale = scale;
    mesh.deform = 0.0;
    mesh.kappa.kind = CGS_KAPPA_ONE;
    mesh.kappa.ratio = 1.0;
    mesh.low = mesh.high = 0.0;
    return mesh;
}

/* Coordinate i/(n+1) of node i in one direction of the undeformed mesh, exactly 1 at the end. */
CGS_INLINE double cgs_mesh_coordinate(const struct cgs_mesh *mesh, int64_t i)
{
    return (double)i / (double)(mesh->n + 1);
}

/* 1-D mass matrix of the rule for h = 1: weight[0] of the node itself, weight[1] of a neighbour.
 * With points +-s: (1 + s^2)/2 and (1 - s^2)/4, sums of phi_a phi_b over the cells of a node. */
CGS_INLINE void cgs_mass_weights(enum cgs_quadrature quadrature, double *weight)
{
    weight[0] = quadrature == CGS_GAUSS ? 4.0 / 6.0 : 10.0 / 12.0;
    weight[1] = quadrature == CGS_GAUSS ? 1.0 / 6.0 : 1.0 / 12.0;
}

/* The rule's points on [-1, 1] are -s and +s: sqrt(1/3), sqrt(2/3). */
CGS_INLINE double cgs_rule_point(enum cgs_quadrature quadrature)
{
    return quadrature == CGS_GAUSS ? 0.57735026918962576451 : 0.81649658092772603273;
}

/* Local node a = 0 ... 7 of the reference cell [-1, 1]^3: bit 0 of a is its side in x, bit 1 in y,
 * bit 2 in z. This is -1 or +1 for direction k. */
CGS_INLINE double cgs_node_side(int a, int k)
{
    return ((a >> k) & 1) ? 1.0 : -1.0;
}

/* Trilinear shape function of local node a at s (3 numbers): prod_k (1 + side_k s_k)/2. */
CGS_INLINE double cgs_shape(int a, const double *s)
{
    return 0.125 * (1.0 + cgs_node_side(a, 0) * s[0]) * (1.0 + cgs_node_side(a, 1) * s[1]) *
           (1.0 + cgs_node_side(a, 2) * s[2]);
}

/* Its gradient in reference coordinates (3 numbers). */
CGS_INLINE void cgs_shape_gradient(int a, const double *s, double *gradient)
{
    const double x = 1.0 + cgs_node_side(a, 0) * s[0];
    const double y = 1.0 + cgs_node_side(a, 1) * s[1];
    const double z = 1.0 + cgs_node_side(a, 2) * s[2];
    gradient[0] = 0.125 * cgs_node_side(a, 0) * y * z;
    gradient[1] = 0.125 * cgs_node_side(a, 1) * x * z;
    gradient[2] = 0.125 * cgs_node_side(a, 2) * x * y;
}

/* 4-point Gauss on [-1, 1]^3, exact to degree 7: point q of the 4^3 (3 numbers), and its weight. */
CGS_INLINE double cgs_gauss_point(int q, double *s)
{
    const double inner = 0.33998104358485626480, outer = 0.86113631159405257522;
    double weight = 1.0;
    for (int k = 0; k < 3; k++) {
        const int i = q >> 2 * k & 3, within = i == 1 || i == 2;
        s[k] = (i < 2 ? -1.0 : 1.0) * (within ? inner : outer);
        weight *= within ? 0.65214515486254614263 : 0.34785484513745385737;
    }
    return weight;
}

/* Returns true if all cells are equal: no deformation, no coefficient. */
CGS_INLINE int cgs_mesh_plain(const struct cgs_mesh *mesh)
{
    return mesh->deform == 0.0 && mesh->kappa.kind == CGS_KAPPA_ONE;
}

/* sin(pi x_i) of node i in one direction, and its increase to node i + 1, both without
 * cancellation: differences of nearby sines would lose a factor n of accuracy. */
CGS_INLINE void cgs_mesh_wave(const struct cgs_mesh *mesh, int64_t i, double *value, double *step)
{
    const double pi = 3.14159265358979323846;
    const double x = cgs_mesh_coordinate(mesh, i);
    const double middle = ((double)i + 0.5) / (double)(mesh->n + 1);
    *value = sin(pi * (x > 0.5 ? 1.0 - x : x)); /* equal at mirrored nodes, exactly 0 at both
                                                   ends */
    *step = 2.0 * cos(pi * middle) * sin(0.5 * pi * mesh->h);
}

/* Element matrices are symmetric: entry (a, b) of the 36 that are stored. */
enum { CGS_PACKED = 36 };

CGS_INLINE int cgs_packed(int a, int b)
{
    return a >= b ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a;
}

/* Computes the 27-point stencil of a plain mesh (cgs_mesh_plain): the entry of two nodes that
 * differ in c = 0 ... 3 directions: centre, face, edge, corner; bits as in the assembled matrix.
 * (In fem/cells.c, host only, so that it is compiled once.) */
CGS_BEGIN_C
void cgs_mesh_stencil(const struct cgs_mesh *mesh, double number[4]);
CGS_END_C

#define CGS_E(name) cgs_##name
#define CGS_E_REAL double
#define CGS_E_INLINE CGS_INLINE
#include "fem/element_formulas.h"
#undef CGS_E
#undef CGS_E_REAL
#undef CGS_E_INLINE

/* Wave of cell (cx, cy, cz): value and step in x, y and z. */
struct cgs_cell_wave {
    double x[2], y[2], z[2];
};

CGS_INLINE struct cgs_cell_wave cgs_mesh_cell_wave(const struct cgs_mesh *mesh, int64_t cx,
                                                   int64_t cy, int64_t cz)
{
    struct cgs_cell_wave wave;
    cgs_mesh_wave(mesh, cx, &wave.x[0], &wave.x[1]);
    cgs_mesh_wave(mesh, cy, &wave.y[0], &wave.y[1]);
    cgs_mesh_wave(mesh, cz, &wave.z[0], &wave.z[1]);
    return wave;
}

/* The 8 corners of cell (cx, cy, cz), 0 <= c <= n: cgs_cell_corners without tables. */
CGS_INLINE void cgs_mesh_corners(const struct cgs_mesh *mesh, int64_t cx, int64_t cy, int64_t cz,
                                 double *corner)
{
    const struct cgs_cell_wave wave = cgs_mesh_cell_wave(mesh, cx, cy, cz);
    cgs_cell_corners(mesh, wave.x, wave.y, wave.z, corner);
}

/* Returns the number of cells in the lower half of a direction: those with their middle below
 * 1/2. */
CGS_INLINE double cgs_mesh_middle(const struct cgs_mesh *mesh)
{
    return (double)((mesh->n + 1) / 2);
}

/* Returns the part of cell c of a direction in the lower half minus that in the upper one: 1 or -1
 * unless the halves meet in it. */
CGS_INLINE double cgs_lower_excess(const struct cgs_mesh *mesh, int64_t c)
{
    const double low = mesh->high > 0.0 ? mesh->low : cgs_mesh_middle(mesh);
    const double high = mesh->high > 0.0 ? mesh->high : low;
    const double below = fmin(fmax(low - (double)c, 0.0), 1.0);
    const double above = fmin(fmax((double)(c + 1) - high, 0.0), 1.0);
    return below - above;
}

/* Returns kappa of cell (cx, cy, cz); `wave` is read only on a deformed mesh. */
CGS_INLINE double cgs_cell_kappa(const struct cgs_mesh *mesh, int64_t cx, int64_t cy, int64_t cz,
                                 const struct cgs_cell_wave *wave)
{
    double move = 0.0, odd;
    switch (mesh->kappa.kind) {
    case CGS_KAPPA_SMOOTH:
        if (mesh->deform != 0.0)
            move = mesh->deform * (wave->x[0] + 0.5 * wave->x[1]) *
                   (wave->y[0] + 0.5 * wave->y[1]) * (wave->z[0] + 0.5 * wave->z[1]);
        return 1.0 + ((double)cx + 0.5) * mesh->h + move +
               2.0 * (((double)cy + 0.5) * mesh->h + move) * (((double)cz + 0.5) * mesh->h + move);
    case CGS_KAPPA_JUMP:
        /* The mean: `odd` is the cell's part in octants that are upper in 1 or 3 directions. */
        odd = 0.5 * (1.0 - cgs_lower_excess(mesh, cx) * cgs_lower_excess(mesh, cy) *
                               cgs_lower_excess(mesh, cz));
        return 1.0 - odd + odd * mesh->kappa.ratio;
    default:
        return 1.0;
    }
}

#endif
