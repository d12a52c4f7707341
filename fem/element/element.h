/* Mesh geometry and element matrices of the trilinear (Q1) hexahedron: pure inline functions in
 * the common subset of C and CUDA, so that host assembly, device assembly and matrix-free products
 * share one element. The one header of fem/ that kernels/ may include.
 */
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "base/linkage.h"

/* Quadrature rules: 2 points in each direction, on [-1, 1] with weights 1:
 * gauss at +-sqrt(1/3), 1-D mass h (1/6, 4/6, 1/6), second order;
 * blended at +-sqrt(2/3), 1-D mass h (1/12, 10/12, 1/12), fourth order at the nodes of the cube
 * (M. Ainsworth, H. A. Wajid, "Optimally blended spectral-finite element scheme for wave
 * propagation and nonstandard reduced integration", SIAM J. Numer. Anal. 48 (2010)). */
enum cgs_quadrature {
    CGS_GAUSS,
    CGS_BLENDED,
    CGS_COLLOCATED /* of options alone: order p > 1 without `gauss` (struct cgs_mesh) */
};

/* Coefficient of the equation -div(kappa grad u) + c u = f, constant in each cell. */
enum cgs_kappa_kind {
    CGS_KAPPA_ONE,    /* 1 */
    CGS_KAPPA_SMOOTH, /* 1 + x + 2 y z in coordinates t at the centre of the (deformed) cell */
    CGS_KAPPA_JUMP,   /* ratio in every second octant of the undeformed box, 1 in the others */
    CGS_KAPPA_CELLS   /* a number of each cell */
};

struct cgs_kappa {
    enum cgs_kappa_kind kind;
    double ratio; /* > 0, of CGS_KAPPA_JUMP */
    /* CGS_KAPPA_CELLS: kappa of cell (cx, cy, cz), 0 <= c_k <= n_k, x fastest; borrowed, in the
     * memory of the device that computes. Void cells beside a free face hold what multiplies the
     * mass matrix of that face (cgs_cell_class): h of a Robin condition, else 0. Void cells beyond
     * an edge or a corner hold 0. In a periodic direction the cell before the first one holds the
     * number of the last one. */
    const double *cells;
    /* CGS_KAPPA_CELLS, undeformed: kappa is diag(k_x, k_y, k_z) in each cell. `cells` has k_x of
     * all cells, then k_y, then k_z; void cells have their number in the first part. */
    int orthotropic;
    int reaction;        /* the same, and behind k_z the reaction c of all cells; 0 of void ones */
    /* CGS_KAPPA_CELLS, undeformed: `cells` has c alone, 0 of void cells, and the matrix is that of
     * the term c u. Only kernels that compute cell by cell, without entries, know it. */
    int mass;
    int along;           /* 3: kappa of the problem has three numbers in a cell */
    /* Order p > 1, CGS_KAPPA_CELLS: `cells` has numbers of cells (cgs_order_kappa): at `points`
     * points of the rule in each direction, or 1, a number of the cell. Else 0. */
    int points;
    /* The same, else 0: behind kappa are coefficients that vary, at the nodes = p + 1 nodes of each
     * cell in each direction: c, where CGS_VARYING_REACTION is set, and the transfer coefficients
     * of the faces f = 2 k + side of the box whose bits 1 << f are. */
    int nodes, varying;
    const char *text;    /* as given by a user, where `cells` are; borrowed, may be NULL */
};

/* The box [0, L_x] x [0, L_y] x [0, L_z] with n_k + 1 cells of length h_k = L_k/(n_k + 1) in
 * direction k: n_x n_y n_z unknowns, x fastest. Node (ix, iy, iz) with 0 <= i_k <= n_k + 1;
 * unknowns are the nodes with 1 <= i_k <= n_k. In coordinates t_k = x_k / L_k of the unit cube,
 * which built-in problems are functions of, its position is
 *     t_k = i_k/(n_k + 1) + A sin(pi ix/(n_x + 1)) sin(pi iy/(n_y + 1)) sin(pi iz/(n_z + 1)),   A = deform,
 * which leaves the boundary unchanged. A != 0 only on a cube of cubes (cgs_mesh_cubic).
 *
 * The nodes on a free face (Neumann's or Robin's condition, open[k] = 1 of the low face, 2 of the
 * high one, 3 of both) are unknowns. So that numbers stay as they are, a layer of void cells lies
 * outside such a face, and the node after the last unknown is beyond the box: with a free low face
 * node 1 is the one at t = 0, cells 0 are void, and
 *     t_k = (i_k - (open[k] & 1)) / cells_k,   cells_k = n_k + 1 less the void layers,   h_k = L_k / cells_k.
 * Void cells have no stiffness: kappa.cells has a number for each of them.
 *
 * A graded box has cells of other lengths s_k h_k, s_k = s_k(c_k) (fem/grading.h). It is a box of
 * equal cells with an orthotropic kappa: the matrix of a cell is that of one of h_k with
 * kappa_k s_l s_m / s_k in direction k, and the mass of a face has the factor s_l s_m, which its
 * void cell's number takes; c has the factor s_x s_y s_z. These are the numbers in kappa.cells; all
 * that computes entries or products reads nothing else of the grading.
 *
 * A periodic direction, open[k] = CGS_PERIODIC, has n_k >= CGS_PERIODIC_LEAST cells as well:
 * node 1 is at t = 0, node n + 1, at t = 1, is node 1 again, node 0 is node n, and cell 0 is
 * cell n.
 *
 * Order p > 1 (fem/element/order_line.h, order_cells.h): cells_k / p cells with p + 1 Gauss-Lobatto
 * nodes in each direction, and the rule of the same points, or Gauss's of p + 2. Nodes and unknowns
 * have the numbers that they have above; what is said of cells is then of intervals between nodes,
 * and h_k is their mean length. The deformation moves the corners of cells. Boxes with free faces,
 * graded cells or numbers in kappa.cells are undeformed, and there are no void cells: the
 * coefficients of transfer and c are numbers, or in kappa.cells where they vary. */
enum { CGS_PERIODIC = 4 | 1, CGS_PERIODIC_LEAST = 3 };

struct cgs_mesh {
    int64_t n[3];   /* unknowns in x, y, z, >= 1 */
    double size[3]; /* L */
    double h[3];
    int order;   /* p: 1, or up to CGS_ORDER_MOST */
    /* p > 1: coefficients of free faces, [direction][low, high], and c; 0: none, or it varies */
    double transfer[3][2], reaction;
    /* p > 1: coordinates of all nodes, as in the grading; NULL: cells of equal lengths. On a
     * coarser grid of multigrid these are the finest grid's, of order nodes_order (0: of this
     * one), where every nodes_order-th is the end of a cell: all that its matrix asks for. */
    const double *nodes[3];
    int nodes_order;
    int open[3]; /* free faces or CGS_PERIODIC, see above; 0 unless kappa.kind is CGS_KAPPA_CELLS */
    double step[3]; /* h in coordinates t: 1/cells_k */
    enum cgs_quadrature quadrature;
    double scale;  /* the matrix is multiplied by this: 1, or 1/(h_x h_y h_z) (course) */
    double deform; /* A: displacement of the nodes, see above */
    struct cgs_kappa kappa;
    /* Octants of CGS_KAPPA_JUMP in cells of direction k: lower up to low[k], upper from high[k] on;
     * between them, on coarse grids of multigrid, half of each. high[0] = 0: cgs_mesh_middle. */
    double low[3], high[3];
    /* A graded box's coordinates; borrowed, in the host's memory. NULL: cells of equal lengths, or
     * a coarser grid, which nothing but its matrix is asked for. */
    const struct cgs_grading *grading;
    int gauss; /* order p > 1: the rule is Gauss's of p + 2 points; 0: that of the nodes */
    int mass;  /* order p > 1, gauss, kappa = 1: the matrix is the mass matrix */
};

/* Returns the cells of the box in direction k, void ones left out. */
CGS_INLINE int64_t cgs_mesh_cells(const struct cgs_mesh *mesh, int k)
{
    return mesh->n[k] + 1 - (mesh->open[k] & 1) - (mesh->open[k] >> 1 & 1);
}

/* Returns true if a direction is periodic or has a free face: then there may be void cells. */
CGS_INLINE int cgs_mesh_open(const struct cgs_mesh *mesh)
{
    return (mesh->open[0] | mesh->open[1] | mesh->open[2]) != 0;
}

/* Returns true if a direction with these free faces is periodic. */
CGS_INLINE int cgs_periodic(int open)
{
    return open == CGS_PERIODIC;
}

/* Returns true if cell c of direction k is void. */
CGS_INLINE int cgs_mesh_void(const struct cgs_mesh *mesh, int k, int64_t c)
{
    const int open = mesh->open[k];
    return (c == 0 && (open & 1) && !cgs_periodic(open)) || (c == mesh->n[k] && (open & 2));
}

/* Returns the number of node i of direction k among the unknowns 1 ... n of a periodic
 * direction; i in another one. */
CGS_INLINE int64_t cgs_mesh_wrapped(const struct cgs_mesh *mesh, int k, int64_t i)
{
    const int64_t n = mesh->n[k];
    return !cgs_periodic(mesh->open[k]) ? i : i == 0 ? n : i == n + 1 ? 1 : i;
}

/* Returns true if cell c of direction k counts as another one of a periodic direction. */
CGS_INLINE int cgs_mesh_repeats(const struct cgs_mesh *mesh, int k, int64_t c)
{
    return c == 0 && cgs_periodic(mesh->open[k]);
}

/* Sets the unknowns in each direction, and h and the steps with them; not a graded box any more. */
CGS_INLINE void cgs_mesh_resize(struct cgs_mesh *mesh, const int64_t n[3])
{
    mesh->grading = NULL;
    for (int k = 0; k < 3; k++) {
        mesh->nodes[k] = NULL;
        mesh->n[k] = n[k];
        mesh->h[k] = mesh->size[k] / (double)cgs_mesh_cells(mesh, k);
        mesh->step[k] = 1.0 / (double)cgs_mesh_cells(mesh, k);
    }
}

CGS_INLINE struct cgs_mesh cgs_mesh_box(const int64_t n[3], const double size[3],
                                        enum cgs_quadrature quadrature, double scale)
{
    struct cgs_mesh mesh;
    for (int k = 0; k < 3; k++) {
        mesh.size[k] = size[k];
        mesh.low[k] = mesh.high[k] = 0.0;
        mesh.open[k] = 0;
        mesh.transfer[k][0] = mesh.transfer[k][1] = 0.0;
    }
    cgs_mesh_resize(&mesh, n);
    mesh.quadrature = quadrature;
    mesh.order = 1;
    mesh.reaction = 0.0;
    mesh.nodes_order = 0;
    mesh.scale = scale;
    mesh.deform = 0.0;
    mesh.kappa.kind = CGS_KAPPA_ONE;
    mesh.kappa.ratio = 1.0;
    mesh.kappa.cells = NULL;
    mesh.kappa.orthotropic = mesh.kappa.reaction = mesh.kappa.mass = 0;
    mesh.kappa.points = mesh.kappa.nodes = mesh.kappa.varying = 0;
    mesh.kappa.text = NULL;
    mesh.gauss = mesh.mass = 0;
    return mesh;
}

/* The unit cube with n unknowns in each direction. */
CGS_INLINE struct cgs_mesh cgs_mesh_cube(int64_t n, enum cgs_quadrature quadrature, double scale)
{
    const int64_t all[3] = {n, n, n};
    const double one[3] = {1.0, 1.0, 1.0};
    return cgs_mesh_box(all, one, quadrature, scale);
}

/* Returns true for a cube whose cells are cubes. */
CGS_INLINE int cgs_mesh_cubic(const struct cgs_mesh *mesh)
{
    return mesh->n[0] == mesh->n[1] && mesh->n[1] == mesh->n[2] && mesh->size[0] == mesh->size[1] &&
           mesh->size[1] == mesh->size[2];
}

/* Returns the unknowns of a plane in z, and of the box. */
CGS_INLINE int64_t cgs_mesh_plane(const struct cgs_mesh *mesh)
{
    return mesh->n[0] * mesh->n[1];
}

CGS_INLINE int64_t cgs_mesh_rows(const struct cgs_mesh *mesh)
{
    return mesh->n[0] * mesh->n[1] * mesh->n[2];
}

/* Returns true if columns of the matrix have 32 bits. */
CGS_INLINE int cgs_mesh_indexed(const struct cgs_mesh *mesh)
{
    return cgs_mesh_rows(mesh) <= INT32_MAX;
}

/* Returns the volume of a cell. */
CGS_INLINE double cgs_mesh_cell(const struct cgs_mesh *mesh)
{
    return mesh->h[0] * mesh->h[1] * mesh->h[2];
}

/* Coordinate t of node i in direction k of the undeformed mesh, exactly 1 at the end; and x = L
 * t. */
CGS_INLINE double cgs_mesh_coordinate(const struct cgs_mesh *mesh, int k, int64_t i)
{
    return (double)(i - (mesh->open[k] & 1)) / (double)cgs_mesh_cells(mesh, k);
}

CGS_INLINE double cgs_mesh_position(const struct cgs_mesh *mesh, int k, int64_t i)
{
    return mesh->size[k] * cgs_mesh_coordinate(mesh, k, i);
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

/* sin(pi t_i) of node i in direction k, and its increase to node i + 1, both without
 * cancellation: differences of nearby sines would lose a factor n of accuracy. */
CGS_INLINE void cgs_mesh_wave(const struct cgs_mesh *mesh, int k, int64_t i, double *value,
                              double *step)
{
    const double pi = 3.14159265358979323846, cells = (double)(mesh->n[k] + 1);
    const double t = cgs_mesh_coordinate(mesh, k, i);
    const double middle = ((double)i + 0.5) / cells;
    *value = sin(pi * (t > 0.5 ? 1.0 - t : t)); /* equal at mirrored nodes, exactly 0 at both
                                                   ends */
    *step = 2.0 * cos(pi * middle) * sin(0.5 * pi / cells);
}

/* Element matrices are symmetric: entry (a, b) of the 36 that are stored. */
enum { CGS_PACKED = 36 };

CGS_INLINE int cgs_packed(int a, int b)
{
    return a >= b ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a;
}

#define CGS_E(name) cgs_##name
#define CGS_E_REAL double
#define CGS_E_INLINE CGS_INLINE
#include "fem/element/element_formulas.h"
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
    cgs_mesh_wave(mesh, 0, cx, &wave.x[0], &wave.x[1]);
    cgs_mesh_wave(mesh, 1, cy, &wave.y[0], &wave.y[1]);
    cgs_mesh_wave(mesh, 2, cz, &wave.z[0], &wave.z[1]);
    return wave;
}

/* The 8 corners of cell (cx, cy, cz), 0 <= c <= n: cgs_cell_corners without tables. */
CGS_INLINE void cgs_mesh_corners(const struct cgs_mesh *mesh, int64_t cx, int64_t cy, int64_t cz,
                                 double *corner)
{
    const struct cgs_cell_wave wave = cgs_mesh_cell_wave(mesh, cx, cy, cz);
    cgs_cell_corners(mesh, wave.x, wave.y, wave.z, corner);
}

/* Returns the number of cells in the lower half of direction k: those with their middle below
 * 1/2. */
CGS_INLINE double cgs_mesh_middle(const struct cgs_mesh *mesh, int k)
{
    return (double)((mesh->n[k] + 1) / 2);
}

/* Returns true if halves of the box meet within cells, since a direction has an odd number of
 * them. */
CGS_INLINE int cgs_mesh_cuts(const struct cgs_mesh *mesh)
{
    for (int k = 0; k < 3; k++)
        if ((mesh->n[k] + 1) / mesh->order % 2 != 0)
            return 1;
    return 0;
}

/* Returns the part of cell c of direction k in the lower half minus that in the upper one: 1 or -1
 * unless the halves meet in it. */
CGS_INLINE double cgs_lower_excess(const struct cgs_mesh *mesh, int k, int64_t c)
{
    const double low = mesh->high[0] > 0.0 ? mesh->low[k] : cgs_mesh_middle(mesh, k);
    const double high = mesh->high[0] > 0.0 ? mesh->high[k] : low;
    const double below = fmin(fmax(low - (double)c, 0.0), 1.0);
    const double above = fmin(fmax((double)(c + 1) - high, 0.0), 1.0);
    return below - above;
}

/* Returns the coordinate t of the middle of cell c of direction k, undeformed; void cells are
 * not counted. */
CGS_INLINE double cgs_cell_middle(const struct cgs_mesh *mesh, int k, int64_t c)
{
    return ((double)c + 0.5) * mesh->step[k]; /* in loops over cells: no division */
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
        return 1.0 + cgs_cell_middle(mesh, 0, cx) + move +
               2.0 * (cgs_cell_middle(mesh, 1, cy) + move) * (cgs_cell_middle(mesh, 2, cz) + move);
    case CGS_KAPPA_JUMP:
        /* The mean: `odd` is the cell's part in octants that are upper in 1 or 3 directions. */
        odd = 0.5 * (1.0 - cgs_lower_excess(mesh, 0, cx) * cgs_lower_excess(mesh, 1, cy) *
                               cgs_lower_excess(mesh, 2, cz));
        return 1.0 - odd + odd * mesh->kappa.ratio;
    case CGS_KAPPA_CELLS:
        return cx > mesh->n[0]
                   ? 0.0 /* past the line, of a batch */
                   : mesh->kappa.cells[(cz * (mesh->n[1] + 1) + cy) * (mesh->n[0] + 1) + cx];
    default:
        return 1.0;
    }
}

/* Returns the number of cells, void ones included. */
CGS_INLINE int64_t cgs_mesh_all_cells(const struct cgs_mesh *mesh)
{
    return (mesh->n[0] + 1) * (mesh->n[1] + 1) * (mesh->n[2] + 1);
}

/* The place of c, the reaction, behind kappa in x, y and z. */
enum { CGS_REACTION = 3, CGS_MOST_NUMBERS = 4 };

/* Returns the place in kappa.cells of kappa of cell (cx, cy, cz) in direction k, at point q of the
 * rule, x fastest; `cells` in each direction, of a mesh of order p > 1. Neighbours in x are
 * neighbours there. */
CGS_INLINE int64_t cgs_order_kappa_place(const struct cgs_kappa *kappa, const int64_t cells[3],
                                         int k, int64_t cx, int64_t cy, int64_t cz, int q)
{
    const int64_t line = ((kappa->orthotropic ? k : 0) * cells[2] + cz) * cells[1] + cy;
    const int points = kappa->points * kappa->points * kappa->points;
    return (line * points + (points > 1 ? q : 0)) * cells[0] + cx;
}

/* The coefficients that vary (struct cgs_kappa), beside bits of faces. */
enum { CGS_VARYING_REACTION = 1 << 6 };

/* Returns the place of c of a cell at node q, likewise; behind all of kappa. */
CGS_INLINE int64_t cgs_order_reaction_place(const struct cgs_kappa *kappa, const int64_t cells[3],
                                            int64_t cx, int64_t cy, int64_t cz, int q)
{
    const int64_t begin =
        cgs_order_kappa_place(kappa, cells, kappa->orthotropic ? 2 : 0, 0, 0, cells[2], 0);
    const int nodes = kappa->nodes * kappa->nodes * kappa->nodes;
    return begin + ((cz * cells[1] + cy) * nodes + q) * cells[0] + cx;
}

/* Returns the place of the transfer coefficient of face f at node q of its cell (a, b), first
 * direction fastest; behind all of c. */
CGS_INLINE int64_t cgs_order_transfer_place(const struct cgs_kappa *kappa, const int64_t cells[3],
                                            int f, int64_t a, int64_t b, int q)
{
    const int nodes = kappa->nodes * kappa->nodes;
    int64_t begin = cgs_order_reaction_place(
        kappa, cells, 0, 0, kappa->varying & CGS_VARYING_REACTION ? cells[2] : 0, 0);
    for (int g = 0; g < f; g++)
        if (kappa->varying >> g & 1)
            begin += nodes * cells[g < 2 ? 1 : 0] * cells[g < 4 ? 2 : 1];
    return begin + (b * nodes + q) * cells[f < 2 ? 1 : 0] + a;
}

/* Numbers behind the last one of a mesh of order p > 1, which vectors of the CPU may read. */
enum { CGS_KAPPA_PAST = 16 };

/* Returns the numbers of kappa of a mesh of order p > 1. */
CGS_INLINE int64_t cgs_order_kappa_alone(const struct cgs_mesh *mesh)
{
    int64_t all = mesh->kappa.orthotropic ? 3 : 1;
    for (int k = 0; k < 3; k++)
        all *= cgs_mesh_cells(mesh, k) / mesh->order * mesh->kappa.points;
    return all;
}

/* Returns those of the coefficients that vary, which come next. */
CGS_INLINE int64_t cgs_order_varying_numbers(const struct cgs_mesh *mesh)
{
    int64_t cells[3];
    for (int k = 0; k < 3; k++)
        cells[k] = cgs_mesh_cells(mesh, k) / mesh->order;
    return cgs_order_transfer_place(&mesh->kappa, cells, 6, 0, 0, 0) - cgs_order_kappa_alone(mesh);
}

/* Returns the numbers of kappa.cells. */
CGS_INLINE int64_t cgs_order_kappa_numbers(const struct cgs_mesh *mesh)
{
    return cgs_order_kappa_alone(mesh) + cgs_order_varying_numbers(mesh) + CGS_KAPPA_PAST;
}

/* Returns how many numbers kappa.cells has of a cell: 1, 3, or 4 with a reaction. */
CGS_INLINE int cgs_mesh_numbers(const struct cgs_mesh *mesh)
{
    return mesh->kappa.reaction ? 4 : mesh->kappa.orthotropic ? 3 : 1;
}

/* Returns kappa of a cell in direction k; k = CGS_REACTION: c, where there is one. */
CGS_INLINE double cgs_cell_kappa_along(const struct cgs_mesh *mesh, int k, int64_t cx, int64_t cy,
                                       int64_t cz, const struct cgs_cell_wave *wave)
{
    if (!mesh->kappa.orthotropic || k == 0)
        return cgs_cell_kappa(mesh, cx, cy, cz, wave);
    return cx > mesh->n[0]
               ? 0.0
               : mesh->kappa.cells[k * cgs_mesh_all_cells(mesh) +
                                   (cz * (mesh->n[1] + 1) + cy) * (mesh->n[0] + 1) + cx];
}

/* Returns the class of a cell: 0 of a cell of the box, 1 + k of a void cell outside a free face
 * of direction k; of one beyond an edge or a corner, whose number is 0, any of them. */
CGS_INLINE int cgs_cell_class(const struct cgs_mesh *mesh, int64_t cx, int64_t cy, int64_t cz)
{
    const int64_t c[3] = {cx, cy, cz};
    int found = 0;
    for (int k = 0; k < 3; k++)
        if (cgs_mesh_void(mesh, k, c[k]))
            found = 1 + k;
    return found;
}
