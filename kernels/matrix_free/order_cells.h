/* Numbers of the mesh for the CPU's and CUDA's products by cells of order p > 1
 * (fem/element/order_cells.h): the matrices of one direction by their halves, the points of the
 * rule, numbers of the box, and tables by cells of each direction. Plain C, included by .cu files,
 * too.
 */
#pragma once

#include <string.h>

#include "base/memory.h"
#include "fem/element/order_cells.h"
#include "fem/element/order_line.h"
#include "kernels/matrix_free/free.h"

enum {
    CGS_HALF = CGS_POINTS_MOST / 2,
    CGS_CELL_TABLES = 5,              /* numbers of a cell in a direction */
    CGS_CELL_PAST = 64 / sizeof(real) /* a vector of the CPU's kernel: as many numbers after each
                                       * table, zeros, of lengths ones */
};

/* A matrix of one direction, symmetric or antisymmetric about its centre: rows i and m - 1 - i,
 * columns a and n - 1 - a together, which takes half of the products. */
struct cgs_halves {
    real even[CGS_HALF][CGS_HALF], odd[CGS_HALF][CGS_HALF];
};

struct cgs_order_form {
    int order, points; /* p, points of the rule in a direction */
    int64_t n[3], cells[3];
    enum cgs_kappa_kind kappa;
    /* Matrices of the rule; interpolate: values of the nodes' polynomials at the points, slope:
     * slopes of the points' polynomials there. */
    struct cgs_halves interpolate, interpolate_t, slope, slope_t;
    real point[CGS_POINTS_MOST], weight[CGS_POINTS_MOST];
    real factor[3]; /* a_x a_y a_z / a_k^2, times the scale of the matrix */
    real volume;    /* of the mass matrix: a_x a_y a_z, times the scale; 0: of the others */
    real deform, over, ratio, half_step[3];
    /* By cells, in each direction: the wave and its half step, t of the middle, the excess of the
     * lower octant (cgs_lower_excess), the length in units of the mean. */
    real *wave[3], *step[3], *middle[3], *excess[3], *length[3];
};

/* Accepts a mesh of order p > 1. */
static inline enum cgs_status cgs_order_cells_accepts(struct cgs_context *context,
                                                      const struct cgs_matrix *matrix)
{
    const struct cgs_mesh *mesh = matrix->mesh;
    if (!mesh || mesh->order < 2)
        return cgs_fail(context, CGS_USAGE,
                        "it computes from the mesh of a box of order 2 or more, and this matrix "
                        "has none");
    if (mesh->mass && (!mesh->gauss || mesh->kappa.kind != CGS_KAPPA_ONE))
        return cgs_fail(context, CGS_USAGE,
                        "it computes a mass matrix with kappa = 1 and Gauss's rule");
    if (mesh->deform != 0.0 && !cgs_mesh_cubic(mesh))
        return cgs_fail(context, CGS_USAGE,
                        "it computes a deformed mesh only on a cube with equal numbers of unknowns "
                        "in x, y and z");
    return CGS_OK;
}

/* Returns true if kappa has numbers of cells, a cell a length of its own, or a face is free. */
static inline bool cgs_order_cells_numbered(const struct cgs_mesh *mesh)
{
    return mesh->kappa.kind == CGS_KAPPA_CELLS || cgs_mesh_open(mesh) || mesh->nodes[0] ||
           mesh->nodes[1] || mesh->nodes[2];
}

/* Returns the numbers of all tables. */
static inline int64_t cgs_order_tables(const struct cgs_mesh *mesh)
{
    const struct cgs_mesh cells = cgs_order_mesh_of_cells(mesh);
    return CGS_CELL_TABLES * (cells.n[0] + cells.n[1] + cells.n[2] + 3 * (1 + CGS_CELL_PAST));
}

/* Returns the operations of a line by halves of an m x n matrix, symmetric about its centre or
 * antisymmetric. */
static inline int64_t cgs_halves_operations(int m, int n, bool symmetric)
{
    const int middle = symmetric ? (n + 1) / 2 : n / 2;
    return n / 2 * 2 + m / 2 * 2 * n + (m % 2 != 0 ? 2 * middle - 1 : 0);
}

/* Returns true if the matrix has a reaction or transfer coefficients, numbers of its diagonal. */
static inline bool cgs_order_cells_lumped(const struct cgs_mesh *mesh)
{
    bool any = mesh->reaction != 0.0 || mesh->kappa.varying;
    for (int k = 0; k < 3; k++)
        any = any || mesh->transfer[k][0] != 0.0 || mesh->transfer[k][1] != 0.0;
    return any;
}

/* Computes what reaction and transfer add to the diagonal: `count` planes of unknowns from plane
 * `first` on, lines `pitch` numbers apart, whose rest is 0. */
static inline void cgs_order_lumped_planes(int threads, const struct cgs_mesh *mesh, int64_t first,
                                           int64_t count, int64_t pitch, real *out)
{
    struct cgs_order_line line[3];
    for (int k = 0; k < 3; k++)
        cgs_order_line_make(mesh, k, &line[k]);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < count * mesh->n[1]; i++)
        for (int64_t x = 0; x < pitch; x++) {
            const int64_t at[3] = {x, i % mesh->n[1], first + i / mesh->n[1]};
            out[i * pitch + x] =
                (real)(x < mesh->n[0] ? mesh->scale * cgs_order_lumped(mesh, line, at) : 0.0);
        }
}

/* Returns the operations of a product, but for sums of cells at nodes that they share. At a point
 * there are 6 of a kappa by numbers, or 42 of the metric and 12 of a smooth kappa, and 2 sums of
 * the transposed slopes; 4 of a mass matrix. */
static inline int64_t cgs_order_cells_operations(const struct cgs_mesh *mesh)
{
    const struct cgs_mesh cells = cgs_order_mesh_of_cells(mesh);
    const int n = mesh->order + 1, q = mesh->gauss ? n + 1 : n;
    const int64_t values = cgs_halves_operations(q, n, true) + cgs_halves_operations(n, q, true);
    const int64_t slopes = 6 * cgs_halves_operations(q, q, false);
    const int64_t point = mesh->mass                             ? 4
                          : cgs_order_cells_numbered(mesh)       ? 8
                          : mesh->kappa.kind == CGS_KAPPA_SMOOTH ? 56
                                                                 : 44;
    int64_t cell = q * q * q * point;
    if (mesh->gauss)
        cell += (n * n + n * q + q * q) * values;
    if (!mesh->mass)
        cell += q * q * slopes;
    return cell * (cells.n[0] + 1) * (cells.n[1] + 1) * (cells.n[2] + 1);
}

/* Returns the share of a rank's rows in what a product of the whole box takes. */
static inline int64_t cgs_order_cells_share(const struct cgs_matrix *matrix, int64_t whole)
{
    return (int64_t)((double)whole * ((double)matrix->rows / (double)cgs_mesh_rows(matrix->mesh)));
}

/* Returns the traffic of a product that reads numbers of kappa of so many bytes. */
static inline struct cgs_traffic cgs_order_cells_traffic(const struct cgs_matrix *matrix,
                                                         size_t kappa)
{
    struct cgs_traffic traffic = cgs_free_traffic(matrix);
    traffic.operations = cgs_order_cells_share(matrix, cgs_order_cells_operations(matrix->mesh));
    if (matrix->mesh->kappa.kind == CGS_KAPPA_CELLS)
        traffic.matrix +=
            cgs_order_cells_share(matrix, cgs_order_kappa_alone(matrix->mesh)) * (int64_t)kappa;
    return traffic;
}

/* The halves of the m x n matrix a, or of its transposed, n x m. */
static inline void cgs_halve(int m, int n, double a[CGS_POINTS_MOST][CGS_POINTS_MOST],
                             bool transposed, struct cgs_halves *h)
{
    const int rows = transposed ? n : m, columns = transposed ? m : n;
    memset(h, 0, sizeof *h);
    for (int i = 0; i < (rows + 1) / 2; i++)
        for (int j = 0; j < (columns + 1) / 2; j++) {
            const int last = columns - 1 - j;
            const double one = transposed ? a[j][i] : a[i][j];
            const double other = transposed ? a[last][i] : a[i][last];
            h->even[i][j] = (real)(j == last ? one : 0.5 * (one + other));
            h->odd[i][j] = (real)(j == last ? 0.0 : 0.5 * (one - other));
        }
}

/* Slopes of the Lagrange polynomials of `count` points at these, by their barycentric weights. */
static inline void cgs_slopes_of_points(int count, const double *point,
                                        double slope[CGS_POINTS_MOST][CGS_POINTS_MOST])
{
    double product[CGS_POINTS_MOST];
    for (int a = 0; a < count; a++) {
        product[a] = 1.0;
        for (int b = 0; b < count; b++)
            product[a] *= b == a ? 1.0 : point[a] - point[b];
    }
    for (int i = 0; i < count; i++) {
        slope[i][i] = 0.0;
        for (int a = 0; a < count; a++)
            if (a != i) {
                slope[i][a] = product[i] / (product[a] * (point[i] - point[a]));
                slope[i][i] += 1.0 / (point[i] - point[a]);
            }
    }
}

static inline void cgs_order_form_rule(const struct cgs_mesh *mesh, struct cgs_order_form *form)
{
    struct cgs_basis basis;
    double values[CGS_POINTS_MOST][CGS_POINTS_MOST], slope[CGS_POINTS_MOST][CGS_POINTS_MOST];
    cgs_order_rule(mesh, &basis);
    const int q = basis.points, nodes = mesh->order + 1;
    cgs_slopes_of_points(q, basis.point, slope);
    form->order = mesh->order;
    form->points = q;
    for (int i = 0; i < q; i++) {
        form->point[i] = (real)basis.point[i];
        form->weight[i] = (real)basis.weight[i];
        for (int a = 0; a < nodes; a++)
            values[i][a] = basis.value[i][a];
    }
    cgs_halve(q, nodes, values, false, &form->interpolate);
    cgs_halve(q, nodes, values, true, &form->interpolate_t);
    cgs_halve(q, q, slope, false, &form->slope);
    cgs_halve(q, q, slope, true, &form->slope_t);
}

/* Sets the tables' places in `room`, which has cgs_order_tables numbers. */
static inline void cgs_order_form_place(real *room, struct cgs_order_form *form)
{
    for (int k = 0; k < 3; k++) {
        const int64_t length = form->cells[k] + CGS_CELL_PAST;
        form->wave[k] = room;
        form->step[k] = room + length;
        form->middle[k] = room + 2 * length;
        form->excess[k] = room + 3 * length;
        form->length[k] = room + 4 * length;
        room += CGS_CELL_TABLES * length;
    }
}

/* Computes all of the form, its tables in `room` on the host. */
static inline void cgs_order_form_make(const struct cgs_mesh *mesh, real *room,
                                       struct cgs_order_form *form)
{
    const struct cgs_mesh cells = cgs_order_mesh_of_cells(mesh);
    const double volume = cgs_mesh_cell(&cells) / 8.0;
    cgs_order_form_rule(mesh, form);
    form->kappa = cells.kappa.kind;
    form->volume = (real)(mesh->mass ? cells.scale * volume : 0.0);
    form->ratio = (real)cells.kappa.ratio;
    form->deform = (real)cells.deform;
    form->over = (real)(cells.deform * cells.size[0] / (0.5 * cells.h[0]));
    for (int k = 0; k < 3; k++) {
        form->n[k] = mesh->n[k];
        form->cells[k] = cells.n[k] + 1;
        form->half_step[k] = (real)(0.5 * cells.step[k]);
        form->factor[k] = (real)(cells.scale * volume / (0.25 * cells.h[k] * cells.h[k]));
    }
    cgs_order_form_place(room, form);
    memset(room, 0, (size_t)cgs_order_tables(mesh) * sizeof *room);
    for (int k = 0; k < 3; k++)
        for (int64_t c = 0; c < form->cells[k]; c++) {
            double wave = 0.0, step = 0.0;
            if (cells.deform != 0.0)
                cgs_mesh_wave(&cells, k, c, &wave, &step);
            form->wave[k][c] = (real)(wave + 0.5 * step);
            form->step[k][c] = (real)(0.5 * step);
            form->middle[k][c] = (real)cgs_cell_middle(&cells, k, c);
            form->excess[k][c] = (real)cgs_lower_excess(&cells, k, c);
            form->length[k][c] = (real)(cgs_order_cell_length(&cells, k, c) / cells.h[k]);
        }
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < CGS_CELL_PAST; c++)
            form->length[k][form->cells[k] + c] = 1;
}
