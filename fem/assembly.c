/* The assembler: rows of the Q1 stiffness matrix, each gathered from the 8 cells around its node.
 *
 *     A_ij = scale * sum over cells c that hold both i and j of K^c_{a(i), b(j)}
 *
 * A row has one slot for each neighbour (dx, dy, dz) in {-1, 0, 1}^3, in order of columns but in
 * rows that a periodic direction wraps: slot = (dx + 1) + 3 (dy + 1) + 9 (dz + 1). Neighbours on
 * the boundary are left out (Dirichlet). Which ones exist, and in which order, depends only on the
 * row's position in each direction: 6^3 patterns, made once; a row is then a copy of its pattern's
 * column offsets.
 *
 * CGS_GATHER_SHARED takes the values from the pattern as well. On the plain box K_ab depends only
 * on the c directions in which a and b differ, and a pair of nodes that differ in these shares 8 /
 * 2^c cells: eight numbers (cgs_mesh_stencil). Where cells are cubes they are four: centre 8 K0,
 * face 4 K1, edge 2 K2, corner K3; with the Gauss rule h (8/3, 0, -1/6, -1/12).
 *
 * CGS_GATHER_CELLS sums cell by cell, for any geometry and coefficient. Cell q of a node (bits:
 * side of the node in x, y, z) has it as local node 7 ^ q, and its local node b is slot sum_k 3^k
 * (q_k + b_k). Cells are added in ascending order for every row, so that A is symmetric to the bit.
 * A piece of a line of rows is processed at a time: the matrices of the cells of the four lines
 * around it, eight at a time (fem/element/cells.h), then each slot for all rows, then row by row:
 * about 0.4 us a row and core, nearly all of it for element matrices, which two neighbouring lines
 * of rows compute twice.
 */
#include "fem/assembly.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "fem/box.h"
#include "fem/diagonal.h"
#include "fem/element/cells.h"
#include "fem/element/stencil.h"
#include "fem/rows.h"

/* A piece of a line: at most 32 cells, so that their matrices stay in the L1 cache. */
enum {
    SLOTS = CGS_SLOTS_OF_ROW,
    PLACES = 6,
    PATTERNS = PLACES * PLACES * PLACES,
    PIECE_CELLS = 32,
    PIECE_ROWS = PIECE_CELLS - 1
};

/* Pattern of rows with the same neighbours: their slots, in order of columns. */
struct pattern {
    int32_t count;
    int32_t offset[SLOTS]; /* column - row */
    int32_t slot[SLOTS];
    double value[SLOTS]; /* CGS_GATHER_SHARED only */
};

struct assembler {
    struct cgs_box box;
    struct pattern pattern[PATTERNS]; /* [code in x + PLACES (code in y + PLACES code in z)] */
    struct cgs_cells cells;           /* CGS_GATHER_CELLS only */
    /* Largest row sum so far, as the bits of a double; the bits of numbers >= 0 are ordered like
     * them. */
    _Atomic uint64_t norm;
};

/* Position of row `row`; unknown (ix, iy, iz) is node (ix + 1, iy + 1, iz + 1). */
struct position {
    int64_t ix, iy, iz;
};

static struct position position_of(const int64_t n[3], int64_t row)
{
    return (struct position){row % n[0], row / n[0] % n[1], row / (n[0] * n[1])};
}

static void next_line(const int64_t n[3], struct position *p)
{
    p->ix = 0;
    if (++p->iy == n[1]) {
        p->iy = 0;
        p->iz++;
    }
}

/* Number of rows of the line (n unknowns) from p on with the same pattern, at most `limit`. */
static int64_t alike(int64_t n, const struct position *p, int64_t limit)
{
    const int64_t end = p->ix == 0 || p->ix == n - 1 ? p->ix + 1 : n - 1;
    return end - p->ix < limit ? end - p->ix : limit;
}

/* Places (cgs_box_place) as 0 ... PLACES - 1. */
static const int PLACE[PLACES] = {0, 1, 2, 3, 3 | CGS_BOX_FIRST, 3 | CGS_BOX_LAST};

static int code_of(int place)
{
    return place & CGS_BOX_FIRST ? 4 : place & CGS_BOX_LAST ? 5 : place;
}

static const struct pattern *pattern_of(const struct cgs_row_source *source,
                                        const struct position *p)
{
    const struct assembler *assembler = source->self;
    const struct cgs_box_row row = cgs_box_row_at(&assembler->box, p->ix, p->iy, p->iz);
    return &assembler
                ->pattern[code_of(row.x) + PLACES * (code_of(row.y) + PLACES * code_of(row.z))];
}

static void lengths(const struct cgs_row_source *source, int64_t first, int64_t last,
                    int32_t *lengths_out)
{
    const int64_t *n = source->mesh->n;
    struct position p = position_of(n, first);
    while (first < last) {
        const int64_t rows = alike(n[0], &p, last - first);
        const int32_t count = pattern_of(source, &p)->count;
        for (int64_t r = 0; r < rows; r++)
            lengths_out[r] = count;
        lengths_out += rows;
        first += rows;
        p.ix += rows;
        if (p.ix == n[0])
            next_line(n, &p);
    }
}

/* Copies `rows` rows of one pattern. Inlined with count = 27 for the interior, where the compiler
 * unrolls and vectorises the copies: 12 bytes written an entry, read from the first-level cache. */
static inline void copy_rows(const struct pattern *pattern, int count, int64_t first, int64_t rows,
                             int32_t *restrict columns, double *restrict values)
{
    for (int64_t r = 0; r < rows; r++) {
        const int32_t row = (int32_t)(first + r);
        for (int k = 0; k < count; k++)
            columns[r * count + k] = row + pattern->offset[k];
        for (int k = 0; k < count; k++)
            values[r * count + k] = pattern->value[k];
    }
}

static void fill_shared(const struct cgs_row_source *source, int64_t first, int64_t last,
                        int32_t *columns, double *values)
{
    const int64_t *n = source->mesh->n;
    struct position p = position_of(n, first);
    while (first < last) {
        const int64_t rows = alike(n[0], &p, last - first);
        const struct pattern *pattern = pattern_of(source, &p);
        if (pattern->count == SLOTS)
            copy_rows(pattern, SLOTS, first, rows, columns, values);
        else
            copy_rows(pattern, pattern->count, first, rows, columns, values);
        columns += rows * pattern->count;
        values += rows * pattern->count;
        first += rows;
        p.ix += rows;
        if (p.ix == n[0])
            next_line(n, &p);
    }
}

/* Computes matrix[i][c] = entry i of the matrix of cell (cx + c, cy, cz), 0 <= c < count rounded up
 * to 8. */
CGS_PIECE void line_matrices(const struct cgs_cells *cells, int64_t cx, int64_t cy, int64_t cz,
                             int64_t count, double matrix[CGS_PACKED][PIECE_CELLS])
{
    for (int64_t c = 0; c < count; c += CGS_CELL_LANES) {
        cgs_lanes stiffness[CGS_PACKED];
        cgs_cells_stiffness(cells, cx + c, cy, cz, stiffness);
        for (int i = 0; i < CGS_PACKED; i++)
            CGS_LANES_STORE(&matrix[i][c], stiffness[i]);
    }
}

/* Computes entry[slot][r] of row r of the `rows` rows from p on, all of one line. */
static CGS_CLONES void gather_piece(const struct cgs_cells *cells, const struct position *p,
                                    int64_t rows, double entry[SLOTS][PIECE_ROWS])
{
    double matrix[4][CGS_PACKED][PIECE_CELLS];
    for (int q = 0; q < 4; q++)
        line_matrices(cells, p->ix, p->iy + (q & 1), p->iz + (q >> 1), rows + 1, matrix[q]);
    memset(entry, 0, SLOTS * sizeof entry[0]);
    for (int q = 0; q < 8; q++)
        for (int b = 0; b < 8; b++) {
            const int slot =
                (q & 1) + (b & 1) + 3 * ((q >> 1 & 1) + (b >> 1 & 1)) + 9 * ((q >> 2) + (b >> 2));
            const double *restrict from = matrix[q >> 1][cgs_packed(7 ^ q, b)] + (q & 1);
            double *restrict to = entry[slot];
            for (int64_t r = 0; r < rows; r++)
                to[r] += from[r];
        }
}

/* Writes row r of a piece; returns its sum of magnitudes. */
static double write_row(const struct pattern *pattern, double entry[SLOTS][PIECE_ROWS], int64_t r,
                        double scale, int32_t row, int32_t *restrict columns,
                        double *restrict values)
{
    double sum = 0.0;
    for (int k = 0; k < pattern->count; k++) {
        const double value = scale * entry[pattern->slot[k]][r];
        columns[k] = row + pattern->offset[k];
        values[k] = value;
        sum += fabs(value);
    }
    return sum;
}

static void raise_norm(struct assembler *assembler, double sum)
{
    uint64_t bits, known = atomic_load_explicit(&assembler->norm, memory_order_relaxed);
    memcpy(&bits, &sum, sizeof bits);
    while (bits > known &&
           !atomic_compare_exchange_weak_explicit(&assembler->norm, &known, bits,
                                                  memory_order_relaxed, memory_order_relaxed))
        ;
}

static void fill_cells(const struct cgs_row_source *source, int64_t first, int64_t last,
                       int32_t *columns, double *values)
{
    struct assembler *assembler = (struct assembler *)source->self; /* updates its norm */
    const int64_t *n = source->mesh->n;
    struct position p = position_of(n, first);
    double entry[SLOTS][PIECE_ROWS], norm = 0.0;
    while (first < last) {
        int64_t rows = n[0] - p.ix < last - first ? n[0] - p.ix : last - first;
        rows = rows < PIECE_ROWS ? rows : PIECE_ROWS;
        gather_piece(&assembler->cells, &p, rows, entry);
        for (int64_t r = 0; r < rows; r++, p.ix++) {
            const struct pattern *pattern = pattern_of(source, &p);
            const double sum = write_row(pattern, entry, r, source->mesh->scale,
                                         (int32_t)(first + r), columns, values);
            norm = sum > norm ? sum : norm;
            columns += pattern->count;
            values += pattern->count;
        }
        first += rows;
        if (p.ix == n[0])
            next_line(n, &p);
    }
    raise_norm(assembler, norm);
}

static void make_patterns(const struct cgs_mesh *mesh, struct assembler *assembler)
{
    double stencil[8];
    cgs_mesh_stencil(mesh, stencil);
    assembler->box = cgs_box_of(mesh);
    for (int i = 0; i < PATTERNS; i++) {
        struct pattern *pattern = &assembler->pattern[i];
        const struct cgs_box_row row = {.x = PLACE[i % PLACES],
                                        .y = PLACE[i / PLACES % PLACES],
                                        .z = PLACE[i / (PLACES * PLACES)]};
        pattern->count = cgs_box_row_length(&row);
        for (int slot = 0; slot < SLOTS; slot++) {
            const int dx = slot % 3 - 1, dy = slot / 3 % 3 - 1, dz = slot / 9 - 1;
            if (!cgs_box_has(row.x, dx) || !cgs_box_has(row.y, dy) || !cgs_box_has(row.z, dz))
                continue;
            const int k = cgs_box_rank(&row, dx, dy, dz);
            pattern->slot[k] = slot;
            pattern->offset[k] = (int32_t)cgs_box_offset(&assembler->box, &row, dx, dy, dz);
            pattern->value[k] = stencil[(dx != 0) + 2 * (dy != 0) + 4 * (dz != 0)];
        }
    }
}

/* max_i sum_j |a_ij|: the row sum of a row with the most neighbours on this mesh. */
static double norm_of_patterns(const struct cgs_row_source *source)
{
    const int64_t *n = source->mesh->n;
    const struct position most = {n[0] > 1, n[1] > 1, n[2] > 1};
    const struct pattern *pattern = pattern_of(source, &most);
    double norm = 0.0;
    for (int k = 0; k < pattern->count; k++)
        norm += fabs(pattern->value[k]);
    return norm;
}

static void statistics(const struct cgs_row_source *source, struct cgs_row_statistics *found)
{
    *found = cgs_mesh_statistics(source->mesh);
}

/* The same over the rows generated so far. */
static double norm_of_rows(const struct cgs_row_source *source)
{
    const struct assembler *assembler = source->self;
    const uint64_t bits = atomic_load_explicit(&assembler->norm, memory_order_relaxed);
    double norm;
    memcpy(&norm, &bits, sizeof norm);
    return norm > 0.0 ? norm : cgs_mesh_norm(source->mesh);
}

static enum cgs_status diagonal(struct cgs_context *context, const struct cgs_row_source *source,
                                int64_t first, int64_t last, double *entries)
{
    const int64_t plane = source->plane, begin = first / plane, end = (last + plane - 1) / plane;
    double *planes;
    if (begin * plane == first && end * plane == last)
        return cgs_mesh_diagonal(context, source->mesh, begin, end, entries);
    CGS_TRY(cgs_alloc(context, (end - begin) * plane, sizeof *planes, "planes of the diagonal",
                      (void **)&planes));
    const enum cgs_status status = cgs_mesh_diagonal(context, source->mesh, begin, end, planes);
    if (status == CGS_OK)
        memcpy(entries, planes + (first - begin * plane), (size_t)(last - first) * sizeof *planes);
    cgs_free(context, planes);
    return status;
}

/* Sets the norm of rows that were computed elsewhere. */
static void note_norm(const struct cgs_row_source *source, double norm)
{
    raise_norm((struct assembler *)source->self, norm);
}

/* The largest distance of a column from its row, or more than it. */
static int64_t reach_of(const struct cgs_mesh *mesh)
{
    const int64_t plane = cgs_mesh_plane(mesh);
    if (cgs_periodic(mesh->open[2]))
        return cgs_mesh_rows(mesh);
    return cgs_periodic(mesh->open[0]) || cgs_periodic(mesh->open[1]) ? 2 * plane
                                                                      : plane + mesh->n[0] + 1;
}

enum cgs_status cgs_assembler_create(struct cgs_context *context, const struct cgs_mesh *mesh,
                                     enum cgs_gather gather, struct cgs_row_source *source)
{
    struct assembler *self;
    for (int k = 0; k < 3; k++)
        if (mesh->n[k] < 1 || mesh->n[k] > CGS_MESH_MAX_N)
            return cgs_fail(context, CGS_USAGE, "a mesh has N from 1 to %d, not %" PRId64,
                            CGS_MESH_MAX_N, mesh->n[k]);
    const int64_t plane = cgs_mesh_plane(mesh), rows = cgs_mesh_rows(mesh);
    if (gather == CGS_GATHER_SHARED && !cgs_mesh_plain(mesh))
        return cgs_fail(context, CGS_BUG,
                        "cells of a deformed mesh or with a coefficient share no matrix");
    CGS_TRY(cgs_alloc(context, 1, sizeof *self, "assembler", (void **)&self));
    *self = (struct assembler){0};
    if (gather == CGS_GATHER_CELLS) {
        const enum cgs_status status = cgs_cells_create(context, mesh, &self->cells);
        if (status != CGS_OK) {
            cgs_free(context, self);
            return status;
        }
    }
    make_patterns(mesh, self);
    *source = (struct cgs_row_source){
        .plane = plane,
        .reach = reach_of(mesh),
        .unit = plane,
        .near = {plane, plane},
        .rows = rows,
        .columns = rows,
        .symmetric = true,
        .diagonals = cgs_mesh_diagonals(mesh),
        .constant = cgs_mesh_plain(mesh),
        .mesh = mesh,
        .self = self,
        .lengths = lengths,
        .statistics = statistics,
        .fill = rows > INT32_MAX              ? NULL
                : gather == CGS_GATHER_SHARED ? fill_shared
                                              : fill_cells,
        .norm = gather == CGS_GATHER_SHARED ? norm_of_patterns : norm_of_rows,
        .diagonal = diagonal,
        .note_norm = gather == CGS_GATHER_SHARED ? NULL : note_norm,
    };
    return CGS_OK;
}

void cgs_assembler_plan(const struct cgs_mesh *mesh, struct cgs_plan *plan)
{
    cgs_plan_add(plan, CGS_HOST, "rows of the mesh", 1, sizeof(struct assembler));
    if (cgs_gather_of(mesh) == CGS_GATHER_CELLS)
        cgs_cells_plan(mesh, plan);
}

void cgs_assembler_release(struct cgs_context *context, struct cgs_row_source *source)
{
    struct assembler *self = source != NULL ? (struct assembler *)source->self : NULL;
    if (self == NULL)
        return;
    cgs_cells_release(context, &self->cells);
    cgs_free(context, self);
    *source = (struct cgs_row_source){0};
}
