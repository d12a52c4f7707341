/* Load vector of a general mesh.
 *
 *     b_i = scale sum over cells c and the rule's points q of
 *               phi_i(q) det J_q f_h(q),   f_h = sum_b phi_b f(x_b),
 *           - scale sum over cells c and boundary nodes j of K_ij g(x_j)
 *
 * A line of rows is gathered from the four lines of cells around it, as in assembly.c: the eight
 * numbers of each cell, eight cells at a time, then b_i = the eight cells' numbers in ascending
 * order. f is kept at the nodes of the three by three lines around the row's, each computed for
 * three successive lines of rows: 9 lines a thread, about 0.4 us a row and core.
 */
#include <omp.h>
#include <stdbool.h>

#include "base/memory.h"
#include "fem/exact.h"
#include "fem/load_cells.h"

enum { PIECE_CELLS = 32, PIECE_ROWS = PIECE_CELLS - 1, PADDING = 16 };

/* Lines of nodal values of one thread: line (iy, iz) of nodes at [iy % 3][iz % 3]. */
struct lines {
    double *memory;
    int64_t stride, iy, iz; /* of the current middle line; iy < 0: none */
};

struct load {
    const struct cgs_problem *problem;
    struct cgs_cells cells;
    bool lifted; /* nonzero boundary values */
};

static double *line_at(const struct lines *lines, int64_t iy, int64_t iz)
{
    return lines->memory + (iy % 3 * 3 + iz % 3) * lines->stride;
}

/* Computes the lines around the line of unknowns at node line (iy, iz); keeps known ones. */
static void look_around(const struct load *load, int64_t iy, int64_t iz, struct lines *lines)
{
    const bool next = lines->iz == iz && lines->iy == iy - 1;
    for (int64_t j = next ? iy + 1 : iy - 1; j <= iy + 1; j++)
        for (int64_t k = iz - 1; k <= iz + 1; k++)
            cgs_source_line(load->problem, &load->cells, j, k, line_at(lines, j, k));
    lines->iy = iy;
    lines->iz = iz;
}

/* sum_q phi_a(q) det J_q f_h(q) of cells cx ... cx + 7; f: the values at the 8 nodes. */
CGS_PIECE void mass_times(const struct cgs_cells *cells, int64_t cx, int64_t cy, int64_t cz,
                          const cgs_lanes *f, cgs_lanes *result)
{
    const enum cgs_quadrature rule = cells->mesh->quadrature;
    cgs_lanes corner[24];
    cgs_cells_corners(cells, cx, cy, cz, corner);
    for (int q = 0; q < 8; q++) {
        double s[3];
        for (int k = 0; k < 3; k++)
            s[k] = cgs_node_side(q, k) * cgs_rule_point(rule);
        cgs_lanes at = f[0] * cgs_shape(0, s);
        for (int b = 1; b < 8; b++)
            at += f[b] * cgs_shape(b, s);
        at *= cgs_lanes_jacobian_determinant(corner, s);
        for (int a = 0; a < 8; a++)
            result[a] = q == 0 ? at * cgs_shape(a, s) : result[a] + at * cgs_shape(a, s);
    }
}

/* g at the boundary nodes of cells cx ... cx + 7, 0 at the others; returns false if none is on the
 * boundary. */
static bool boundary_values(const struct load *load, int64_t cx, int64_t cy, int64_t cz,
                            double g[8][CGS_CELL_LANES])
{
    const int64_t *n = load->cells.mesh->n;
    bool any = false;
    for (int a = 0; a < 8; a++)
        for (int i = 0; i < CGS_CELL_LANES; i++) {
            const int64_t ix = cx + i + (a & 1), iy = cy + (a >> 1 & 1), iz = cz + (a >> 2);
            const bool inside =
                ix > 0 && ix <= n[0] && iy > 0 && iy <= n[1] && iz > 0 && iz <= n[2];
            g[a][i] = 0.0;
            if (inside || ix > n[0] + 1)
                continue;
            double point[3];
            cgs_cells_node(&load->cells, ix, iy, iz, point);
            g[a][i] = cgs_exact_at(load->problem, load->cells.over, point).u;
            any = true;
        }
    return any;
}

/* result -= K g. */
CGS_PIECE void lift(const struct load *load, int64_t cx, int64_t cy, int64_t cz, cgs_lanes *result)
{
    double g[8][CGS_CELL_LANES];
    cgs_lanes stiffness[CGS_PACKED];
    if (!boundary_values(load, cx, cy, cz, g))
        return;
    cgs_cells_stiffness(&load->cells, cx, cy, cz, stiffness);
    for (int b = 0; b < 8; b++) {
        cgs_lanes value;
        CGS_LANES_LOAD(value, g[b]);
        for (int a = 0; a < 8; a++)
            result[a] -= stiffness[cgs_packed(a, b)] * value;
    }
}

/* b of `rows` rows from ix on of node line (iy, iz), not yet scaled. */
static CGS_CLONES void load_piece(const struct load *load, const struct lines *lines, int64_t ix,
                                  int64_t iy, int64_t iz, int64_t rows, double *restrict b)
{
    double part[4][8][PIECE_CELLS];
    for (int q = 0; q < 4; q++) {
        const int64_t cy = iy - 1 + (q & 1), cz = iz - 1 + (q >> 1);
        for (int64_t c = 0; c <= rows; c += CGS_CELL_LANES) {
            cgs_lanes f[8], result[8];
            for (int a = 0; a < 8; a++)
                CGS_LANES_LOAD(f[a],
                               line_at(lines, cy + (a >> 1 & 1), cz + (a >> 2)) + ix + c + (a & 1));
            mass_times(&load->cells, ix + c, cy, cz, f, result);
            if (load->lifted)
                lift(load, ix + c, cy, cz, result);
            for (int a = 0; a < 8; a++)
                CGS_LANES_STORE(&part[q][a][c], result[a]);
        }
    }
    for (int64_t r = 0; r < rows; r++)
        b[r] = 0.0;
    for (int q = 0; q < 8; q++)
        for (int64_t r = 0; r < rows; r++)
            b[r] += part[q >> 1][7 ^ q][r + (q & 1)];
}

/* Rows of a line of unknowns from `first` on, before `last`. */
static void load_line(const struct load *load, int64_t line, int64_t first, int64_t last,
                      struct lines *lines, double *b)
{
    const struct cgs_mesh *mesh = load->cells.mesh;
    const int64_t n = mesh->n[0], iy = line % mesh->n[1] + 1, iz = line / mesh->n[1] + 1;
    const int64_t begin = line * n;
    const int64_t from = first > begin ? first : begin, end = last < begin + n ? last : begin + n;
    look_around(load, iy, iz, lines);
    for (int64_t row = from; row < end; row += PIECE_ROWS) {
        const int64_t rows = end - row < PIECE_ROWS ? end - row : PIECE_ROWS;
        load_piece(load, lines, row - begin, iy, iz, rows, b + (row - first));
        for (int64_t r = row; r < row + rows; r++)
            b[r - first] *= mesh->scale;
    }
}

enum cgs_status cgs_load_cells(struct cgs_context *context, const struct cgs_problem *problem,
                               const struct cgs_mesh *mesh, int64_t first, int64_t last, double *b)
{
    const int64_t n = mesh->n[0], stride = n + 2 + PADDING, lines_end = (last + n - 1) / n;
    struct load load = {.problem = problem, .lifted = problem->boundary_values};
    double *memory;
    CGS_TRY(cgs_cells_create(context, mesh, &load.cells));
    const enum cgs_status status = cgs_alloc(context, context->threads * 9 * stride, sizeof *memory,
                                             "lines of the source term", (void **)&memory);
    if (status == CGS_OK) {
        for (int64_t i = 0; i < context->threads * 9 * stride; i++)
            memory[i] = 0.0;
#pragma omp parallel num_threads(context->threads)
        {
            struct lines own = {memory + omp_get_thread_num() * 9 * stride, stride, -1, -1};
#pragma omp for schedule(static)
            for (int64_t line = first / n; line < lines_end; line++)
                load_line(&load, line, first, last, &own, b);
        }
        cgs_free(context, memory);
    }
    cgs_cells_release(context, &load.cells);
    return status;
}

enum cgs_status cgs_solution_cells(struct cgs_context *context, const struct cgs_problem *problem,
                                   const struct cgs_mesh *mesh, int64_t first, int64_t last,
                                   double *u)
{
    const int64_t n = mesh->n[0], lines = mesh->n[1], lines_end = (last + n - 1) / n;
    struct cgs_cells cells;
    double *memory;
    CGS_TRY(cgs_cells_create(context, mesh, &cells));
    const enum cgs_status status = cgs_alloc(context, context->threads * (n + 2), sizeof *memory,
                                             "lines of the solution", (void **)&memory);
    if (status == CGS_OK) {
#pragma omp parallel for num_threads(context->threads) schedule(static)
        for (int64_t line = first / n; line < lines_end; line++) {
            double *own = memory + omp_get_thread_num() * (n + 2);
            cgs_exact_line(problem, &cells, line % lines + 1, line / lines + 1, own);
            for (int64_t i = 0; i < n; i++)
                if (line * n + i >= first && line * n + i < last)
                    u[line * n + i - first] = own[i + 1];
        }
        cgs_free(context, memory);
    }
    cgs_cells_release(context, &cells);
    return status;
}
