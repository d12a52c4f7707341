/* The assembler: rows of the Q1 stiffness matrix, each gathered from the 8 cells around its node.
 *
 *     A_ij = scale * sum over cells c that hold both i and j of K^c_{a(i), b(j)}
 *
 * A row has one slot for each neighbour (dx, dy, dz) in {-1, 0, 1}^3, in order of columns:
 * slot = (dx + 1) + 3 (dy + 1) + 9 (dz + 1). Neighbours on the boundary are left out (Dirichlet).
 * Which ones are there depends only on where the row stands in each direction: 4^3 patterns, made
 * once; a row is then a copy of its pattern's column offsets.
 *
 * CGS_GATHER_SHARED takes the values from the pattern as well. On the cube K_ab depends only on the
 * number c of directions in which a and b differ, and a pair of nodes at that distance shares
 * 8 / 2^c cells: centre 8 K0, face 4 K1, edge 2 K2, corner K3; with the Gauss rule
 * h (8/3, 0, -1/6, -1/12).
 *
 * CGS_GATHER_CELLS sums cell by cell, for any geometry. Cell q of a node (bits: which side of the
 * node in x, y, z) sees it as local node 7 ^ q, and its local node b is slot sum_k 3^k (q_k + b_k).
 * Cells are added in ascending order for every row, so that A is symmetric to the bit. Two
 * successive rows share 4 cells, whose matrices are kept.
 */
#include "fem/assembly.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

#include "base/memory.h"

enum { SLOTS = 27, PATTERNS = 64, ROWS_AT_ONCE = 64 };

/* The rows that stand alike: which slots they have, in order of columns. */
struct pattern {
    int32_t count;
    int32_t offset[SLOTS]; /* column - row */
    int32_t slot[SLOTS];
    double value[SLOTS]; /* CGS_GATHER_SHARED only */
};

struct assembler {
    struct pattern pattern[PATTERNS]; /* [place(ix) + 4 place(iy) + 16 place(iz)] */
};

/* Where row `row` stands; unknown (ix, iy, iz) is node (ix + 1, iy + 1, iz + 1). */
struct position {
    int64_t ix, iy, iz;
};

static struct position position_of(int64_t n, int64_t row)
{
    return (struct position){row % n, row / n % n, row / (n * n)};
}

static void next_line(int64_t n, struct position *p)
{
    p->ix = 0;
    if (++p->iy == n) {
        p->iy = 0;
        p->iz++;
    }
}

/* In one direction: bit 0 where there is a neighbour before, bit 1 where there is one after. */
static int place(int64_t n, int64_t i)
{
    return (i > 0 ? 1 : 0) + (i < n - 1 ? 2 : 0);
}

static bool has_neighbour(int place_of, int d)
{
    return d == 0 || (d < 0 ? place_of & 1 : place_of & 2) != 0;
}

/* Rows of the line from p on that stand alike and can be taken at once, at most `limit`. */
static int64_t alike(int64_t n, const struct position *p, int64_t limit)
{
    const int64_t end = p->ix == 0 || p->ix == n - 1 ? p->ix + 1 : n - 1;
    return end - p->ix < limit ? end - p->ix : limit;
}

static const struct pattern *pattern_of(const struct cgs_row_source *source,
                                        const struct position *p)
{
    const struct assembler *assembler = source->self;
    const int64_t n = source->mesh->n;
    return &assembler->pattern[place(n, p->ix) + 4 * place(n, p->iy) + 16 * place(n, p->iz)];
}

static void lengths(const struct cgs_row_source *source, int64_t first, int64_t last,
                    int32_t *lengths_out)
{
    const int64_t n = source->mesh->n;
    struct position p = position_of(n, first);
    while (first < last) {
        const int64_t rows = alike(n, &p, last - first);
        const int32_t count = pattern_of(source, &p)->count;
        for (int64_t r = 0; r < rows; r++)
            lengths_out[r] = count;
        lengths_out += rows;
        first += rows;
        p.ix += rows;
        if (p.ix == n)
            next_line(n, &p);
    }
}

/* `rows` rows of one pattern. Inlined with count = 27 for the interior, where the compiler then
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
    const int64_t n = source->mesh->n;
    struct position p = position_of(n, first);
    while (first < last) {
        const int64_t rows = alike(n, &p, last - first);
        const struct pattern *pattern = pattern_of(source, &p);
        if (pattern->count == SLOTS)
            copy_rows(pattern, SLOTS, first, rows, columns, values);
        else
            copy_rows(pattern, pattern->count, first, rows, columns, values);
        columns += rows * pattern->count;
        values += rows * pattern->count;
        first += rows;
        p.ix += rows;
        if (p.ix == n)
            next_line(n, &p);
    }
}

/* The four cells (cx, iy + 0 or 1, iz + 0 or 1), whose matrices the rows beside them share. */
static void four_cells(const struct cgs_mesh *mesh, int64_t cx, const struct position *p,
                       double matrix[4][64])
{
    for (int q = 0; q < 4; q++) {
        double corner[24];
        cgs_mesh_corners(mesh, cx, p->iy + (q & 1), p->iz + (q >> 1), corner);
        cgs_element_stiffness(corner, mesh->quadrature, matrix[q]);
    }
}

static void fill_cells(const struct cgs_row_source *source, int64_t first, int64_t last,
                       int32_t *columns, double *values)
{
    const struct cgs_mesh *mesh = source->mesh;
    struct position p = position_of(mesh->n, first);
    double matrix[2][4][64]; /* [parity of cx][the four cells there] */
    bool left_known = false;
    for (int64_t row = first; row < last; row++) {
        if (!left_known)
            four_cells(mesh, p.ix, &p, matrix[p.ix & 1]);
        four_cells(mesh, p.ix + 1, &p, matrix[(p.ix + 1) & 1]);

        double entry[SLOTS] = {0.0};
        for (int q = 0; q < 8; q++) {
            const double *element = &matrix[(p.ix + (q & 1)) & 1][q >> 1][8 * (7 ^ q)];
            for (int b = 0; b < 8; b++)
                entry[(q & 1) + (b & 1) + 3 * ((q >> 1 & 1) + (b >> 1 & 1)) +
                      9 * ((q >> 2) + (b >> 2))] += element[b];
        }
        const struct pattern *pattern = pattern_of(source, &p);
        for (int k = 0; k < pattern->count; k++) {
            *columns++ = (int32_t)row + pattern->offset[k];
            *values++ = mesh->scale * entry[pattern->slot[k]];
        }
        left_known = ++p.ix < mesh->n;
        if (!left_known)
            next_line(mesh->n, &p);
    }
}

/* Stencil values by distance c: scale * (8 K0, 4 K1, 2 K2, K3), each class value the mean of
 * what the quadrature gave for its pairs. A face entry that is zero but for rounding (Gauss) is
 * made exactly zero: a format may count zeros, and must find all of them or none. */
static void stencil_classes(const struct cgs_mesh *mesh, double stencil[4])
{
    double corner[24], element[64], sum[4] = {0.0};
    int pairs[4] = {0};
    cgs_mesh_corners(mesh, 0, 0, 0, corner);
    cgs_element_stiffness(corner, mesh->quadrature, element);
    for (int i = 0; i < 64; i++) {
        const int distance = __builtin_popcount((unsigned)((i >> 3) ^ (i & 7)));
        sum[distance] += element[i];
        pairs[distance]++;
    }
    const double centre = sum[0] / pairs[0];
    for (int distance = 0; distance < 4; distance++) {
        const double value = sum[distance] / pairs[distance];
        const bool zero = fabs(value) < 16.0 * DBL_EPSILON * centre;
        stencil[distance] = zero ? 0.0 : mesh->scale * ((8 >> distance) * value);
    }
}

static void make_patterns(const struct cgs_mesh *mesh, struct assembler *assembler)
{
    const int64_t n = mesh->n;
    double stencil[4];
    stencil_classes(mesh, stencil);
    for (int i = 0; i < PATTERNS; i++) {
        struct pattern *pattern = &assembler->pattern[i];
        *pattern = (struct pattern){0};
        for (int slot = 0; slot < SLOTS; slot++) {
            const int dx = slot % 3 - 1, dy = slot / 3 % 3 - 1, dz = slot / 9 - 1;
            if (!has_neighbour(i & 3, dx) || !has_neighbour(i >> 2 & 3, dy) ||
                !has_neighbour(i >> 4, dz))
                continue;
            const int k = pattern->count++;
            pattern->slot[k] = slot;
            pattern->offset[k] = (int32_t)(dx + n * (dy + n * dz));
            pattern->value[k] = stencil[dx * dx + dy * dy + dz * dz];
        }
    }
}

/* max_i sum_j |a_ij|: the sum of a row with as many neighbours as this mesh offers. */
static double norm_of_patterns(const struct cgs_row_source *source)
{
    const int64_t most = source->mesh->n > 1 ? 1 : 0;
    const struct pattern *pattern = pattern_of(source, &(struct position){most, most, most});
    double norm = 0.0;
    for (int k = 0; k < pattern->count; k++)
        norm += fabs(pattern->value[k]);
    return norm;
}

/* The same by looking at every row. */
static double norm_of_rows(const struct cgs_context *context, const struct cgs_row_source *source)
{
    const int64_t pieces = (source->rows + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE;
    double norm = 0.0;
#pragma omp parallel for num_threads(context->threads) reduction(max : norm)
    for (int64_t piece = 0; piece < pieces; piece++) {
        const int64_t first = piece * ROWS_AT_ONCE;
        const int64_t last =
            first + ROWS_AT_ONCE < source->rows ? first + ROWS_AT_ONCE : source->rows;
        int32_t length[ROWS_AT_ONCE], columns[ROWS_AT_ONCE * SLOTS];
        double values[ROWS_AT_ONCE * SLOTS];
        lengths(source, first, last, length);
        source->fill(source, first, last, columns, values);
        const double *value = values;
        for (int64_t r = 0; r < last - first; r++) {
            double sum = 0.0;
            for (int k = 0; k < length[r]; k++)
                sum += fabs(*value++);
            norm = sum > norm ? sum : norm;
        }
    }
    return norm;
}

enum cgs_status cgs_assembler_create(struct cgs_context *context, const struct cgs_mesh *mesh,
                                     enum cgs_gather gather, struct cgs_row_source *source)
{
    const int64_t n = mesh->n;
    if (n < 1 || n > CGS_ASSEMBLER_MAX_N)
        return cgs_fail(context, CGS_USAGE,
                        "an assembled matrix has N from 1 to %d (32-bit columns), not %" PRId64,
                        CGS_ASSEMBLER_MAX_N, n);
    void *self;
    CGS_TRY(cgs_alloc(context, 1, sizeof(struct assembler), "assembler", &self));
    make_patterns(mesh, self);
    *source = (struct cgs_row_source){
        .rows = n * n * n,
        .columns = n * n * n,
        .symmetric = true,
        .mesh = mesh,
        .self = self,
        .lengths = lengths,
        .fill = gather == CGS_GATHER_SHARED ? fill_shared : fill_cells,
    };
    source->norm =
        gather == CGS_GATHER_SHARED ? norm_of_patterns(source) : norm_of_rows(context, source);
    return CGS_OK;
}

void cgs_assembler_release(struct cgs_context *context, struct cgs_row_source *source)
{
    if (source == NULL)
        return;
    cgs_free(context, (void *)source->self);
    *source = (struct cgs_row_source){0};
}

int64_t cgs_mesh_nonzeros(const struct cgs_mesh *mesh)
{
    const int64_t line = 3 * mesh->n - 2;
    return line * line * line;
}
