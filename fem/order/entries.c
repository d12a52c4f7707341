/* Rows of a matrix of cells. The entry of nodes a and b of a cell is
 *
 *     sum_kl sum_q D_kl(q) (d_k phi_a)(q) (d_l phi_b)(q) + sum_q D(q) phi_a(q) phi_b(q),
 *
 * and each product of d_k phi_a and d_l phi_b one of factors of x, y and z, which are tables of
 * pairs of nodes. All rows of a line along x share a's node in y and z: D is contracted in z and
 * y once for them, and then in x for each:
 *
 *     D_kl(x, y, z)  ->  (x, y, b_z)  ->  (x, b_y, b_z)  ->  (b_x, b_y, b_z)
 *
 * 8, 9 and 4 contractions, as parts with the same factor of x are added before the last. Every
 * step is the same for (a, k) and (b, l) exchanged, and so the matrix is symmetric to the bit. Rows
 * are written first with zeros, to which each cell adds.
 */
#include "fem/order/entries.h"

#include <string.h>

#include "base/vectorise.h"
#include "fem/element/order_cells.h"
#include "fem/element/order_line.h"
#include "fem/order/rows.h"

enum {
    NODES = CGS_NODES_MOST,
    POINTS = CGS_BASIS_POINTS,
    FACE = POINTS * POINTS,
    SIDES = 4 /* slope of a, slope of b: by bits 0 and 1 */
};

void cgs_order_entries_make(const struct cgs_mesh *mesh, const struct cgs_basis *basis,
                            struct cgs_order_entries *entries)
{
    *entries = (struct cgs_order_entries){.mesh = mesh, .points = basis->points};
    for (int side = 0; side < SIDES; side++)
        for (int a = 0; a <= basis->order; a++)
            for (int b = 0; b <= basis->order; b++)
                for (int q = 0; q < basis->points; q++)
                    entries->pair[side & 1][side >> 1][a][b][q] =
                        (side & 1 ? basis->slope : basis->value)[q][a] *
                        (side >> 1 ? basis->slope : basis->value)[q][b];
}

/* ---- the pattern of a row ---- */

/* The unknowns of the cells of a row: `count` in each direction, from `low` on, which lies a period
 * outside where the direction is periodic. */
struct window {
    int64_t at[3], low[3];
    int count[3];
};

static void make_lines(const struct cgs_mesh *mesh, struct cgs_order_line line[3])
{
    for (int k = 0; k < 3; k++)
        cgs_order_line_make(mesh, k, &line[k]);
}

static void place(const struct cgs_order_line line[3], int k, int64_t i, struct window *window)
{
    struct cgs_order_row row;
    cgs_order_row_of(&line[k], i, &row);
    window->at[k] = i;
    window->low[k] = row.first;
    window->count[k] = row.count;
}

void cgs_order_entries_lengths(const struct cgs_mesh *mesh, int64_t first, int64_t last,
                               int32_t *lengths)
{
    const int apart = cgs_order_apart(mesh);
    struct cgs_order_line line[3];
    struct window window = {.at = {0}};
    make_lines(mesh, line);
    for (int64_t i = first; i < last; i++) {
        place(line, 0, i % mesh->n[0], &window);
        if (i == first || window.at[0] == 0) {
            place(line, 1, i / mesh->n[0] % mesh->n[1], &window);
            place(line, 2, i / cgs_mesh_plane(mesh), &window);
        }
        lengths[i - first] = cgs_order_length(apart, window.count);
    }
}

/* Finds the columns of a row in one line along x: from *low on, in the window's numbers; returns
 * how many: all, the row's own, or none. */
static int columns_of(const struct window *window, int apart, int dy, int dz, int64_t *low)
{
    const int off = (window->low[1] + dy != window->at[1]) + (window->low[2] + dz != window->at[2]);
    *low = off < apart ? window->low[0] : window->at[0];
    return off < apart ? window->count[0] : off == apart;
}

static void write_columns(const struct cgs_order_line line[3], const struct window *window,
                          int apart, int32_t *columns)
{
    for (int dz = 0; dz < window->count[2]; dz++)
        for (int dy = 0; dy < window->count[1]; dy++) {
            const int64_t y = cgs_order_wrapped(&line[1], window->low[1] + dy);
            const int64_t z = cgs_order_wrapped(&line[2], window->low[2] + dz);
            int64_t low;
            const int count = columns_of(window, apart, dy, dz, &low);
            for (int64_t x = low; x < low + count; x++)
                *columns++ =
                    (int32_t)((z * line[1].n + y) * line[0].n + cgs_order_wrapped(&line[0], x));
        }
}

/* ---- a cell ---- */

/* The rows of a line along x in a cell, before x is contracted: [side of x][point of x][b_z n +
 * b_y]. */
struct slab {
    double part[SIDES][POINTS][NODES * NODES];
};

/* Returns the number of entry (k, l) of a symmetric 3 x 3 matrix, k <= l. */
static int form_of(int k, int l)
{
    return k * (5 - k) / 2 + l;
}

/* Contracts z, then y: adds to the slab's part of the side of x. */
CGS_CLONES static void contract(const struct cgs_order_entries *entries, const double *form, int k,
                                int l, const int node[3], struct slab *slab)
{
    const int m = entries->points, n = entries->mesh->order + 1;
    const double(*over_y)[POINTS] = entries->pair[k == 1][l == 1][node[1]];
    const double(*over_z)[POINTS] = entries->pair[k == 2][l == 2][node[2]];
    double(*part)[NODES * NODES] = slab->part[(k == 0) + 2 * (l == 0)];
    for (int bz = 0; bz < n; bz++) {
        double plane[FACE] = {0.0};
        for (int z = 0; z < m; z++)
            for (int i = 0; i < m * m; i++)
                plane[i] += over_z[bz][z] * form[z * m * m + i];
        for (int by = 0; by < n; by++) {
            double sum[POINTS] = {0.0};
            for (int y = 0; y < m; y++)
                for (int x = 0; x < m; x++)
                    sum[x] += over_y[by][y] * plane[y * m + x];
            for (int x = 0; x < m; x++)
                part[x][bz * n + by] += sum[x];
        }
    }
}

/* Pairs of kl and lk come first: a sum of two is the same the other way round. */
static void make_slab(const struct cgs_order_entries *entries, cgs_order_forms form,
                      const int node[3], struct slab *slab)
{
    const bool mass = entries->mesh->mass, mixed = !mass && cgs_order_apart(entries->mesh) > 1;
    memset(slab, 0, sizeof *slab);
    for (int k = 0; k < 3 && mixed; k++)
        for (int l = k + 1; l < 3; l++) {
            contract(entries, form[form_of(k, l)], k, l, node, slab);
            contract(entries, form[form_of(k, l)], l, k, node, slab);
        }
    for (int k = 0; k < 3 && !mass; k++)
        contract(entries, form[form_of(k, k)], k, k, node, slab);
    if (mass)
        contract(entries, form[CGS_FORMS - 1], 3, 3, node, slab);
}

/* Computes the row of node `a` in x: number[b_x][b_z n + b_y]. */
CGS_CLONES static void finish_row(const struct cgs_order_entries *entries, const struct slab *slab,
                                  int a, double number[NODES][NODES * NODES])
{
    const int m = entries->points, n = entries->mesh->order + 1;
    for (int b = 0; b < n; b++) {
        double sum[SIDES][NODES * NODES];
        for (int side = 0; side < SIDES; side++) {
            const double *over = entries->pair[side & 1][side >> 1][a][b];
            memset(sum[side], 0, sizeof sum[side]);
            for (int x = 0; x < m; x++)
                for (int i = 0; i < n * n; i++)
                    sum[side][i] += over[x] * slab->part[side][x][i];
        }
        for (int i = 0; i < n * n; i++)
            number[b][i] = (sum[0][i] + sum[3][i]) + (sum[1][i] + sum[2][i]);
    }
}

/* ---- rows ---- */

/* Rows of a line along x, `count` of them, whose entries begin at start[i]. */
enum { PIECE = 64 };
struct piece {
    struct cgs_order_line line[3];
    int apart, count;
    struct window window[PIECE];
    int64_t start[PIECE + 1];
};

/* Adds the numbers of a cell to a row, a being its node in x. cell: its number in each direction,
 * as windows count. */
static void add_row(const struct piece *piece, const struct window *window, const int64_t cell[3],
                    double number[NODES][NODES * NODES], double *values)
{
    const int p = piece->line[0].order;
    int64_t node[3]; /* of the window's first unknown, in the cell */
    for (int k = 0; k < 3; k++)
        node[k] = window->low[k] + piece->line[k].first - p * cell[k];
    for (int dz = 0; dz < window->count[2]; dz++)
        for (int dy = 0; dy < window->count[1]; dy++) {
            const int64_t by = node[1] + dy, bz = node[2] + dz;
            int64_t low;
            const int count = columns_of(window, piece->apart, dy, dz, &low);
            const int64_t begin = node[0] + low - window->low[0];
            for (int i = 0; i < count && by >= 0 && by <= p && bz >= 0 && bz <= p; i++)
                if (begin + i >= 0 && begin + i <= p)
                    values[i] += number[begin + i][bz * (p + 1) + by];
            values += count;
        }
}

/* Adds a cell to the rows that it has nodes of. */
static void add_cell(const struct cgs_order_entries *entries, const struct piece *piece,
                     const int64_t cell[3], cgs_order_forms form, double *values)
{
    const int p = piece->line[0].order;
    struct slab slab;
    int node[3];
    for (int k = 1; k < 3; k++)
        node[k] = (int)(piece->window[0].at[k] + piece->line[k].first - p * cell[k]);
    make_slab(entries, form, node, &slab);
    for (int i = 0; i < piece->count; i++) {
        const int64_t a = piece->window[i].at[0] + piece->line[0].first - p * cell[0];
        double number[NODES][NODES * NODES];
        if (a < 0 || a > p)
            continue;
        finish_row(entries, &slab, (int)a, number);
        add_row(piece, &piece->window[i], cell, number, values + piece->start[i]);
    }
}

/* Finds the cells of unknowns from..to in a direction: *low and how many; the cell before the first
 * one of a period is -1. */
static int cells_of(const struct cgs_order_line *line, int64_t from, int64_t to, int64_t *low)
{
    const int p = line->order;
    const int64_t first = from + line->first, last = to + line->first;
    const bool before = first % p == 0 && cgs_order_before(line, first / p) >= 0;
    const int64_t high = last / p < line->cells ? last / p : line->cells - 1;
    *low = first / p - before;
    return (int)(high - *low) + 1;
}

static void fill_piece(const struct cgs_order_entries *entries, cgs_order_make_forms *forms,
                       const void *self, const struct piece *piece, double *values)
{
    const struct window *first = &piece->window[0], *last = &piece->window[piece->count - 1];
    cgs_order_forms form;
    int64_t low[3];
    int count[3];
    for (int k = 0; k < 3; k++)
        count[k] = cells_of(&piece->line[k], first->at[k], last->at[k], &low[k]);
    for (int i = 0; i < count[0] * count[1] * count[2]; i++) {
        const int64_t cell[3] = {low[0] + i % count[0], low[1] + i / count[0] % count[1],
                                 low[2] + i / (count[0] * count[1])};
        int64_t real[3];
        for (int k = 0; k < 3; k++)
            real[k] = cell[k] < 0 ? piece->line[k].cells - 1 : cell[k];
        forms(self, real, form);
        add_cell(entries, piece, cell, form, values);
    }
}

/* Places rows first ... last - 1, as many as lie in a line and a piece. */
static void place_rows(const struct cgs_mesh *mesh, int64_t first, int64_t last,
                       struct piece *piece)
{
    const int64_t nx = mesh->n[0], x = first % nx;
    int64_t most = last - first < nx - x ? last - first : nx - x;
    piece->count = (int)(most < PIECE ? most : PIECE);
    place(piece->line, 1, first / nx % mesh->n[1], &piece->window[0]);
    place(piece->line, 2, first / cgs_mesh_plane(mesh), &piece->window[0]);
    piece->start[0] = 0;
    for (int i = 0; i < piece->count; i++) {
        piece->window[i] = piece->window[0];
        place(piece->line, 0, x + i, &piece->window[i]);
        piece->start[i + 1] =
            piece->start[i] + cgs_order_length(piece->apart, piece->window[i].count);
    }
}

void cgs_order_entries_fill(const struct cgs_order_entries *entries, cgs_order_make_forms *forms,
                            const void *self, int64_t first, int64_t last, int32_t *columns,
                            double *values)
{
    const struct cgs_mesh *mesh = entries->mesh;
    const bool sorted = !cgs_periodic(mesh->open[0]) && !cgs_periodic(mesh->open[1]) &&
                        !cgs_periodic(mesh->open[2]);
    struct piece piece = {.apart = cgs_order_apart(mesh)};
    make_lines(mesh, piece.line);
    for (; first < last; first += piece.count) {
        place_rows(mesh, first, last, &piece);
        const int64_t *start = piece.start;
        for (int i = 0; i < piece.count; i++)
            write_columns(piece.line, &piece.window[i], piece.apart, columns + start[i]);
        memset(values, 0, (size_t)start[piece.count] * sizeof *values);
        fill_piece(entries, forms, self, &piece, values);
        for (int64_t i = 0; i < start[piece.count]; i++)
            values[i] *= mesh->scale;
        for (int i = 0; i < piece.count && !sorted; i++)
            cgs_order_sort_row(start[i + 1] - start[i], columns + start[i], values + start[i]);
        columns += start[piece.count];
        values += start[piece.count];
    }
}
