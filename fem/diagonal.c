/* Diagonal of the matrix without generating rows: A_ii = scale * sum over the 8 cells c around node
 * i of K^c_aa, a being the node's number in the cell.
 *
 * On the deformed mesh, a cube of cubes (cgs_mesh_cubic), all nodes move along e = (1, 1, 1) by a
 * trilinear M, so that a cell's Jacobian is (h/2) (I + e g'), g = (2/h) grad_s M
 * (kernels/matrix_free/cell_formulas.h). With m = 1 + e'g and the shape function's reference
 * gradient d at a point of the rule, v = d - g e'd / m,
 *
 *     det J |J^-T d|^2 = (h/2) m |v|^2
 *                      = (h/2) (|d|^2 + sum_k (|d|^2 - 2 d_k e'd) g_k + (e'd)^2 |g|^2 / m),
 *
 * so that K_aa is a sum over the 8 points of four numbers of the cell with common weights: some 350
 * operations a cell, about those of a product (kernels/matrix_free/cells.c).
 *
 * Threads, planes and layers of cells as there. A node's cells are added in ascending order, as in
 * the assembler: on an undeformed mesh the diagonal equals the assembled one to the bit.
 */
#include <omp.h>
#include <stdbool.h>
#include <stddef.h>

#include "fem/diagonal.h"
#include "fem/element/cells.h"
#include "fem/element/stencil.h"

enum { PIECE_CELLS = 32, PIECE_ROWS = PIECE_CELLS - 1 };

struct diagonal {
    struct cgs_cells cells;
    double constant;        /* sum over the points of |d|^2, equal for all nodes */
    double weight[8][8][4]; /* [point][node]: of g_1, g_2, g_3, |g|^2 / m */
    int64_t first;          /* plane that `entries` begins with */
    double *entries;
};

/* ---- cells ---- */

static void make_weights(struct diagonal *self)
{
    const double s = cgs_rule_point(self->cells.mesh->quadrature);
    self->constant = 0.0;
    for (int q = 0; q < 8; q++)
        for (int a = 0; a < 8; a++) {
            const double at[3] = {s * cgs_node_side(q, 0), s * cgs_node_side(q, 1),
                                  s * cgs_node_side(q, 2)};
            double d[3];
            cgs_shape_gradient(a, at, d);
            const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            const double along = d[0] + d[1] + d[2];
            for (int k = 0; k < 3; k++)
                self->weight[q][a][k] = square - 2.0 * d[k] * along;
            self->weight[q][a][3] = along * along;
            if (a == 0)
                self->constant += square;
        }
}

/* Data of a line of deformed cells, which are equal in all directions before, at the quadrature
 * points, as struct cgs_cell_line. */
struct line {
    double share[2], yz[4], dz[2], dy[2];
};

static struct line line_of(const struct cgs_cells *cells, int64_t cy, int64_t cz)
{
    const double s = cgs_rule_point(cells->mesh->quadrature);
    const double over = cells->mesh->deform * cells->mesh->size[0] / cells->mesh->h[0];
    struct line line = {.share = {0.5 * (1.0 - s), 0.5 * (1.0 + s)}};
    for (int j = 0; j < 2; j++) {
        const double y = cells->value[1][cy] + line.share[j] * cells->step[1][cy];
        const double z = cells->value[2][cz] + line.share[j] * cells->step[2][cz];
        line.dz[j] = over * cells->step[1][cy] * z;
        line.dy[j] = over * y * cells->step[2][cz];
        for (int k = 0; k < 2; k++)
            line.yz[j + 2 * k] =
                over * y * (cells->value[2][cz] + line.share[k] * cells->step[2][cz]);
    }
    return line;
}

/* K_aa, a = 0 ... 7, of cells cx ... cx + 7 of the line (cy, cz) of a deformed mesh. */
CGS_PIECE void deformed_cells(const struct diagonal *self, const struct line *line, int64_t cx,
                              cgs_lanes kappa, cgs_lanes *out)
{
    const struct cgs_cells *cells = &self->cells;
    const cgs_lanes weight = kappa * (0.5 * cells->mesh->h[0]);
    cgs_lanes wave, step, sum[8];
    CGS_LANES_LOAD(wave, cells->value[0] + cx);
    CGS_LANES_LOAD(step, cells->step[0] + cx);
    const cgs_lanes at[2] = {wave + line->share[0] * step, wave + line->share[1] * step};
    for (int q = 0; q < 8; q++) {
        const int i = q & 1, j = q >> 1 & 1, k = q >> 2;
        const cgs_lanes g1 = step * line->yz[j + 2 * k];
        const cgs_lanes g2 = at[i] * line->dz[k], g3 = at[i] * line->dy[j];
        const cgs_lanes m = 1.0 + g1 + g2 + g3;
        const cgs_lanes square = (g1 * g1 + g2 * g2 + g3 * g3) / m;
        for (int a = 0; a < 8; a++) {
            const double *w = self->weight[q][a];
            const cgs_lanes here = w[0] * g1 + w[1] * g2 + w[2] * g3 + w[3] * square;
            sum[a] = q == 0 ? here + self->constant : sum[a] + here;
        }
    }
    for (int a = 0; a < 8; a++)
        out[a] = weight * sum[a];
}

/* ---- lines of cells ---- */

/* Adds the cells of line (cy, cz) to the four lines of nodes around it, lines[side in y + 2 side in
 * z]; NULL: outside, or another thread's. Line 3 meets its first cells, so it is overwritten. */
static CGS_CLONES void add_cells(const struct diagonal *self, int64_t cy, int64_t cz,
                                 double *const lines[4])
{
    const struct cgs_cells *cells = &self->cells;
    const int64_t n = cells->mesh->n[0];
    const struct line line = line_of(cells, cy, cz);
    for (int64_t first = 0; first < n; first += PIECE_ROWS) {
        const int64_t rows = n - first < PIECE_ROWS ? n - first : PIECE_ROWS;
        double part[8][PIECE_CELLS];
        for (int64_t c = 0; c <= rows; c += CGS_CELL_LANES) {
            cgs_lanes tensor[CGS_MOST_NUMBERS], out[8];
            cgs_cells_tensor(cells, first + c, cy, cz, tensor);
            if (cells->mesh->deform != 0.0)
                deformed_cells(self, &line, first + c, tensor[0], out);
            else
                for (int a = 0; a < 8; a++)
                    out[a] = cgs_cells_entry(cells, first + c, cy, cz, tensor, cgs_packed(a, a));
            for (int a = 0; a < 8; a++)
                CGS_LANES_STORE(&part[a][c], out[a]);
        }
        for (int q = 0; q < 4; q++) {
            const double *restrict right = part[2 * q + 1], *restrict left = part[2 * q] + 1;
            if (!lines[q])
                continue;
            double *restrict to = lines[q] + first;
            for (int64_t r = 0; r < rows; r++)
                to[r] = (q == 3 ? right[r] : to[r] + right[r]) + left[r];
        }
    }
}

/* Layer cz of cells; its planes of nodes from `begin` on and before `end` belong to this thread. */
static void add_layer(const struct diagonal *self, int64_t cz, int64_t begin, int64_t end)
{
    const int64_t *n = self->cells.mesh->n;
    for (int64_t cy = 0; cy <= n[1]; cy++) {
        double *lines[4];
        for (int q = 0; q < 4; q++) {
            const int64_t iy = cy - 1 + (q & 1), iz = cz - 1 + (q >> 1);
            const bool ours = iy >= 0 && iy < n[1] && iz >= begin && iz < end;
            lines[q] = ours ? self->entries + ((iz - self->first) * n[1] + iy) * n[0] : NULL;
        }
        add_cells(self, cy, cz, lines);
    }
}

static void scale_plane(const struct cgs_mesh *mesh, double *entries)
{
    for (int64_t i = 0; i < cgs_mesh_plane(mesh); i++)
        entries[i] *= mesh->scale;
}

static void fill_plain(const struct cgs_context *context, const struct cgs_mesh *mesh,
                       int64_t planes, double *entries)
{
    double stencil[8];
    const int64_t count = cgs_mesh_plane(mesh) * planes;
    cgs_mesh_stencil(mesh, stencil);
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t i = 0; i < count; i++)
        entries[i] = stencil[0];
}

enum cgs_status cgs_mesh_diagonal(struct cgs_context *context, const struct cgs_mesh *mesh,
                                  int64_t begin, int64_t end, double *diagonal)
{
    const int64_t plane = cgs_mesh_plane(mesh);
    struct diagonal self = {.first = begin, .entries = diagonal};
    if (cgs_mesh_plain(mesh)) {
        fill_plain(context, mesh, end - begin, diagonal);
        return CGS_OK;
    }
    CGS_TRY(cgs_cells_create(context, mesh, &self.cells));
    make_weights(&self);
#pragma omp parallel num_threads(context->threads)
    {
        const int64_t thread = omp_get_thread_num(), threads = omp_get_num_threads();
        const int64_t low = begin + (end - begin) * thread / threads;
        const int64_t high = begin + (end - begin) * (thread + 1) / threads;
        for (int64_t cz = low; cz <= high && low < high; cz++) {
            add_layer(&self, cz, low, high);
            if (cz > low) /* plane cz - 1 is complete */
                scale_plane(mesh, diagonal + (cz - 1 - begin) * plane);
        }
    }
    cgs_cells_release(context, &self.cells);
    return CGS_OK;
}
