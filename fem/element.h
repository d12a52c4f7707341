/* Mesh geometry and element matrices of the trilinear (Q1) hexahedron: pure inline functions in
 * the common subset of C and CUDA, so that host assembly, device assembly and matrix-free products
 * share one element. The one header of fem/ that kernels/ may include.
 */
#ifndef CGS_FEM_ELEMENT_H
#define CGS_FEM_ELEMENT_H

#include <stdint.h>

#include "base/linkage.h"

/* The 2-point rule in each direction, on [-1, 1] with weights 1:
 * gauss at +-sqrt(1/3), 1-D mass h (1/6, 4/6, 1/6), second order;
 * blended at +-sqrt(2/3), 1-D mass h (1/12, 10/12, 1/12), fourth order at the nodes of the cube
 * (M. Ainsworth, H. A. Wajid, "Optimally blended spectral-finite element scheme for wave
 * propagation and nonstandard reduced integration", SIAM J. Numer. Anal. 48 (2010)). */
enum cgs_quadrature { CGS_GAUSS, CGS_BLENDED };

/* The coefficient of the equation -div(kappa grad u) = f, a constant in each cell. */
enum cgs_kappa_kind {
    CGS_KAPPA_ONE,    /* 1 */
    CGS_KAPPA_SMOOTH, /* 1 + x + 2 y z at the centre of the (deformed) cell */
    CGS_KAPPA_JUMP    /* ratio in every second octant of the undeformed cube, 1 in the others */
};

struct cgs_kappa {
    enum cgs_kappa_kind kind;
    double ratio; /* > 0, of CGS_KAPPA_JUMP */
};

/* The box of (n+1)^3 cells on the unit cube: n^3 unknowns, x fastest, h = 1/(n+1).
 * Node (ix, iy, iz) with 0 <= i <= n+1; unknowns are the nodes with 1 <= i <= n. */
struct cgs_mesh {
    int64_t n; /* unknowns in each direction, >= 1 */
    double h;  /* 1/(n+1) */
    enum cgs_quadrature quadrature;
    double scale; /* the matrix is multiplied by this: 1, or 1/h^3 (course) */
    double deform; /* A: node (x, y, z) moves by A sin(pi x) sin(pi y) sin(pi z) in each direction */
    struct cgs_kappa kappa;
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
    return mesh;
}

/* Coordinate i/(n+1) of node i in one direction of the undeformed mesh, exactly 1 at the end. */
CGS_INLINE double cgs_mesh_coordinate(const struct cgs_mesh *mesh, int64_t i)
{
    return (double)i / (double)(mesh->n + 1);
}

/* The rule's 1-D mass matrix for h = 1: weight[0] of the node itself, weight[1] of a neighbour.
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

/* The 8 corners of cell (cx, cy, cz), 0 <= c <= n, 24 numbers: corner[3 a + k] is coordinate k of
 * local node a, relative to the cell's own lower corner, which no Jacobian notices: the edges are
 * then exact, where differences of positions near 1 would lose a factor n of accuracy. */
CGS_INLINE void cgs_mesh_corners(const struct cgs_mesh *mesh, int64_t cx, int64_t cy, int64_t cz,
                                 double *corner)
{
    (void)cx, (void)cy, (void)cz; /* all cells of the undeformed cube are alike */
    for (int a = 0; a < 8; a++)
        for (int k = 0; k < 3; k++)
            corner[3 * a + k] = ((a >> k) & 1) ? mesh->h : 0.0;
}

/* Jacobian of the trilinear map at s: J_kl = d x_k / d s_l. Writes its adjugate (9 numbers, row
 * major: adj J = det(J) J^-1) and returns det(J). */
CGS_INLINE double cgs_jacobian_adjugate(const double *corner, const double *s, double *adjugate)
{
    double j[9];
    for (int i = 0; i < 9; i++)
        j[i] = 0.0;
    for (int a = 0; a < 8; a++) {
        double g[3];
        cgs_shape_gradient(a, s, g);
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < 3; l++)
                j[3 * k + l] += corner[3 * a + k] * g[l];
    }
    adjugate[0] = j[4] * j[8] - j[5] * j[7];
    adjugate[1] = j[2] * j[7] - j[1] * j[8];
    adjugate[2] = j[1] * j[5] - j[2] * j[4];
    adjugate[3] = j[5] * j[6] - j[3] * j[8];
    adjugate[4] = j[0] * j[8] - j[2] * j[6];
    adjugate[5] = j[2] * j[3] - j[0] * j[5];
    adjugate[6] = j[3] * j[7] - j[4] * j[6];
    adjugate[7] = j[1] * j[6] - j[0] * j[7];
    adjugate[8] = j[0] * j[4] - j[1] * j[3];
    return j[0] * adjugate[0] + j[1] * adjugate[3] + j[2] * adjugate[6];
}

/* Element stiffness matrix of the hexahedron with these 8 corners (24 numbers, as above), by the
 * rule's 8 points, all of weight 1:
 *
 *     K_ab = sum_q grad phi_a . grad phi_b det J,    grad phi = J^-T grad_s phi,
 *
 * so that with w = adj(J)^T grad_s phi each point adds w_a . w_b / det J. 64 numbers, K_ab at
 * 8 a + b, symmetric to the bit. Returns the smallest determinant met: not positive where the cell
 * is turned inside out, and the matrix then means nothing. */
CGS_INLINE double cgs_element_stiffness(const double *corner, enum cgs_quadrature quadrature,
                                        double *stiffness)
{
    double smallest = 0.0;
    for (int i = 0; i < 64; i++)
        stiffness[i] = 0.0;
    for (int q = 0; q < 8; q++) {
        double s[3], adjugate[9], w[24];
        for (int k = 0; k < 3; k++)
            s[k] = cgs_node_side(q, k) * cgs_rule_point(quadrature);
        const double determinant = cgs_jacobian_adjugate(corner, s, adjugate);
        const double weight = 1.0 / determinant;
        smallest = q == 0 || determinant < smallest ? determinant : smallest;
        for (int a = 0; a < 8; a++) {
            double g[3];
            cgs_shape_gradient(a, s, g);
            for (int k = 0; k < 3; k++)
                w[3 * a + k] = adjugate[k] * g[0] + adjugate[3 + k] * g[1] + adjugate[6 + k] * g[2];
        }
        for (int a = 0; a < 8; a++)
            for (int b = 0; b <= a; b++)
                stiffness[8 * a + b] +=
                    weight * (w[3 * a] * w[3 * b] + w[3 * a + 1] * w[3 * b + 1] +
                              w[3 * a + 2] * w[3 * b + 2]);
    }
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < a; b++)
            stiffness[8 * b + a] = stiffness[8 * a + b];
    return smallest;
}

#endif
