/* Structure of the model problem's matrix: position of a row, its neighbours, and its entries from
 * the element matrices. Pure inline functions in the common subset of C and CUDA, shared by the
 * host's and the device's assembler. After fem/element/element.h the second header of fem/ that
 * kernels/ may include.
 *
 * Unknown (ix, iy, iz) is node (ix + 1, iy + 1, iz + 1); its 8 cells are (ix + q_x, iy + q_y, iz +
 * q_z), q = 0 ... 7 by bits. Cell q has it as local node 7 ^ q, and its local node b is the
 * neighbour q + b - 1 in each direction. Slots number the 27 neighbours (dx, dy, dz) in order of
 * columns: (dx + 1) + 3 (dy + 1) + 9 (dz + 1). */
#pragma once

#include <float.h>

#include "fem/element/element.h"
#include "fem/element/factors.h"

enum { CGS_SLOTS_OF_ROW = 27 };

/* ---- structure ---- */

/* The unknowns in x, y and z, and which directions are periodic. */
struct cgs_box {
    int64_t n[3];
    int periodic[3];
};

CGS_INLINE struct cgs_box cgs_box_of(const struct cgs_mesh *mesh)
{
    struct cgs_box box;
    for (int k = 0; k < 3; k++) {
        box.n[k] = mesh->n[k];
        box.periodic[k] = cgs_periodic(mesh->open[k]);
    }
    return box;
}

/* The place of an unknown in a direction, by bits: 1 if it has a predecessor, 2 if it has a
 * successor; if it is the first of a periodic direction, whose predecessor is the last, or the
 * last, whose successor is the first: */
enum { CGS_BOX_FIRST = 4, CGS_BOX_LAST = 8 };

CGS_INLINE int cgs_box_place(const struct cgs_box *box, int k, int64_t i)
{
    const int first = i == 0, last = i == box->n[k] - 1;
    if (box->periodic[k])
        return 3 + (first ? CGS_BOX_FIRST : 0) + (last ? CGS_BOX_LAST : 0);
    return (first ? 0 : 1) + (i < box->n[k] - 1 ? 2 : 0);
}

/* Returns true if its neighbour at d = -1, 0, 1 is an unknown, not on the boundary. */
CGS_INLINE int cgs_box_has(int place, int d)
{
    return d == 0 || (d < 0 ? place & 1 : place & 2) != 0;
}

/* Returns the number of these three that are unknowns. */
CGS_INLINE int cgs_box_count(int place)
{
    return 1 + (place & 1) + (place >> 1 & 1);
}

/* Returns the rank of that neighbour among them, in order of columns. */
CGS_INLINE int cgs_box_order(int place, int d)
{
    if (place & (CGS_BOX_FIRST | CGS_BOX_LAST)) /* 0, 1, n - 1 or 0, n - 2, n - 1 */
        return (d + (place & CGS_BOX_FIRST ? 3 : 2)) % 3;
    return d + (place & 1);
}

/* Returns d of the first of them. */
CGS_INLINE int cgs_box_lowest(int place)
{
    return place & CGS_BOX_FIRST ? 0 : place & CGS_BOX_LAST ? 1 : -(place & 1);
}

/* Returns by how much it follows the unknown in a direction of n. */
CGS_INLINE int64_t cgs_box_shift(int64_t n, int place, int d)
{
    return d + (d < 0 && (place & CGS_BOX_FIRST) ? n : 0) -
           (d > 0 && (place & CGS_BOX_LAST) ? n : 0);
}

/* The places of a row in x, y, z. */
struct cgs_box_row {
    int64_t ix, iy, iz;
    int x, y, z;
};

CGS_INLINE struct cgs_box_row cgs_box_row_at(const struct cgs_box *box, int64_t ix, int64_t iy,
                                             int64_t iz)
{
    struct cgs_box_row row;
    row.ix = ix;
    row.iy = iy;
    row.iz = iz;
    row.x = cgs_box_place(box, 0, ix);
    row.y = cgs_box_place(box, 1, iy);
    row.z = cgs_box_place(box, 2, iz);
    return row;
}

CGS_INLINE int cgs_box_row_length(const struct cgs_box_row *row)
{
    return cgs_box_count(row->x) * cgs_box_count(row->y) * cgs_box_count(row->z);
}

/* Returns the index of neighbour (dx, dy, dz), which must exist, among the entries of its row. */
CGS_INLINE int cgs_box_rank(const struct cgs_box_row *row, int dx, int dy, int dz)
{
    const int lines = cgs_box_order(row->z, dz) * cgs_box_count(row->y) + cgs_box_order(row->y, dy);
    return lines * cgs_box_count(row->x) + cgs_box_order(row->x, dx);
}

/* Returns its column minus the row. */
CGS_INLINE int64_t cgs_box_offset(const struct cgs_box *box, const struct cgs_box_row *row, int dx,
                                  int dy, int dz)
{
    const int64_t *n = box->n;
    return cgs_box_shift(n[0], row->x, dx) +
           n[0] * (cgs_box_shift(n[1], row->y, dy) + n[1] * cgs_box_shift(n[2], row->z, dz));
}

/* Entries of the unknowns before i in one direction: 2 at either end, 3 in between and in a
 * periodic one. */
CGS_INLINE int64_t cgs_box_before(const struct cgs_box *box, int k, int64_t i)
{
    return box->periodic[k] ? 3 * i : 3 * i - (i > 0) - (i >= box->n[k]);
}

/* Entries of all rows before this one: its pointer in CRS; also for the row after the last, (0,
 * 0, n_z). */
CGS_INLINE int64_t cgs_box_pointer(const struct cgs_box *box, const struct cgs_box_row *row)
{
    const int64_t *n = box->n;
    const int64_t line = cgs_box_before(box, 0, n[0]),
                  lines = cgs_box_before(box, 1, n[1]); /* 3 n - 2, or 3 n */
    const int64_t before = cgs_box_before(box, 2, row->iz) * lines;
    if (row->iz == n[2])
        return before * line;
    return (before + cgs_box_count(row->z) * cgs_box_before(box, 1, row->iy)) * line +
           (int64_t)cgs_box_count(row->z) * cgs_box_count(row->y) * cgs_box_before(box, 0, row->ix);
}

/* ---- values ---- */

/* Returns the part of direction k of the numbers below; k = CGS_REACTION: of the mass matrix. */
CGS_INLINE double cgs_box_part(const struct cgs_mesh *mesh, int k, int b)
{
    const double p = cgs_rule_point(mesh->quadrature),
                 mass[2] = {0.25 * (1.0 + p * p), 0.25 * (1.0 - p * p)};
    if (k == CGS_REACTION)
        return cgs_mesh_cell(mesh) * (mass[b & 1] * mass[b >> 1 & 1] * mass[b >> 2]);
    const int l = (k + 1) % 3, m = (k + 2) % 3;
    const double side = mesh->h[l] * mesh->h[m] / mesh->h[k];
    return (b >> k & 1 ? -side : side) * (mass[b >> l & 1] * mass[b >> m & 1]);
}

/* Computes K of the plain cell with kappa = 1: value[a ^ b] of local nodes a and b. On a cell of
 * sides h_k, with 1-D mass m and stiffness s of an interval of length 1,
 *     K_ab = h_x h_y h_z sum_k s(bit k) / h_k^2 prod_(l != k) m(bit l),
 *     m(0), m(1) = (1 + p^2)/4, (1 - p^2)/4,  s(0), s(1) = 1, -1,   points +-p of the rule on [-1, 1].
 * The three terms are added in ascending order, so that equal sides in another order give equal
 * bits. A number that is zero except for rounding (the faces of a cube by Gauss) is set to zero:
 * a format may count zeros, and must find all or none. */
CGS_INLINE void cgs_box_classes(const struct cgs_mesh *mesh, double *value)
{
    for (int b = 0; b < 8; b++) {
        double term[3];
        for (int k = 0; k < 3; k++)
            term[k] = cgs_box_part(mesh, k, b);
        const double least = fmin(term[0], fmin(term[1], term[2]));
        const double most = fmax(term[0], fmax(term[1], term[2]));
        const double middle = fmax(fmin(term[0], term[1]), fmin(fmax(term[0], term[1]), term[2]));
        const double sum = (least + middle) + most;
        value[b] = b > 0 && fabs(sum) < 16.0 * DBL_EPSILON * value[0] ? 0.0 : sum;
    }
}

/* Computes the same of a void cell outside a free face of direction k, for 1 in its place in
 * kappa.cells: the mass of the face, int phi_a phi_b over it. The nodes on the cell's outer
 * side, which are no unknowns, have it as well: so it depends on a ^ b alone. */
CGS_INLINE void cgs_box_face_classes(const struct cgs_mesh *mesh, int k, double *value)
{
    const double p = cgs_rule_point(mesh->quadrature),
                 mass[2] = {0.25 * (1.0 + p * p), 0.25 * (1.0 - p * p)};
    const int l = (k + 1) % 3, m = (k + 2) % 3;
    for (int b = 0; b < 8; b++)
        value[b] =
            b >> k & 1 ? 0.0 : mesh->h[l] * mesh->h[m] * (mass[b >> l & 1] * mass[b >> m & 1]);
}

/* Adds the contributions of the four cells of a row in one plane of cells: those above the row
 * (upper = 1) or below (0). matrix: entry 0 of the lower left one's element matrix; entry i of a
 * cell is i `entry` further, the next cell in y `line` further. down, up: slots (dx, dy) of the
 * neighbours in the lower and in the upper plane of nodes, 9 numbers each. Cells are added in
 * ascending order for every row, the lower plane's before the upper's, so that A is symmetric to
 * the bit. */
CGS_INLINE void cgs_box_gather(const double *matrix, int entry, int line, int upper, double *down,
                               double *up)
{
    for (int q = 0; q < 4; q++) {
        const double *cell = matrix + (q & 1) + (q >> 1) * line;
        for (int b = 0; b < 4; b++) {
            const int slot = (q & 1) + (b & 1) + 3 * ((q >> 1) + (b >> 1));
            const int own = 7 ^ (q + 4 * upper);
            down[slot] += cell[cgs_packed(own, b) * entry];
            up[slot] += cell[cgs_packed(own, b + 4) * entry];
        }
    }
}
