/* y = A x on the box of order p > 1, whose matrix is a star (fem/element/order_line.h):
 *
 *     y_ijk = m_i ( sum_a (m_k K_ja) x_iak + sum_a (m_j K_ka) x_ija + c m_j m_k x_ijk )
 *             + m_j m_k sum_a K_ia x_ajk
 *
 * with the entries of K_d in row i, j or k: p + 1 within a cell, 2 p + 1 at its ends, p + 2 on the
 * average. Each line of unknowns in x is a sum of whole lines, those that differ in y and in z,
 * plus the sum along itself; all are vectorised over x, a block of BLOCK points at a time.
 * Along x the entries of K_x are stored by diagonals, 2 p + 1 of them: shifted loads of a copy of
 * the line with p zeros on either side, or with a period its other end.
 *
 * Vectors moved, 8 bytes a row each in double: apply x, {y}; residual b, x, {r}; residual_norm b,
 * x; relax x, b, d, y, {y}.
 * Planes of a tile stay in the second-level cache while the march in z needs them.
 */
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "fem/element/order_cells.h"
#include "fem/element/order_line.h"
#include "kernels/matrix_free/free.h"
#include "kernels/matrix_free/planes_cpu.h"
#include "kernels/vector/relax_cpu.h"
#include "kernels/vector/state_cpu.h"
#include "kernels/vector/sum_cpu.h"

/* Numbers that a block's sums keep in registers; a vector, and one anywhere in memory. GCC takes
 * arrays of sums for memory, or unrolls their loops before it vectorises them. */
typedef real lanes __attribute__((vector_size(64)));
typedef real lanes_anywhere __attribute__((vector_size(64), aligned(sizeof(real)), may_alias));
enum { LANES = sizeof(lanes) / sizeof(real), BLOCK = 2 * LANES, STRIP = 512 };
enum { TERMS = 2 * CGS_ORDER_ROW + 1 };
#define AT(pointer) (*(const lanes_anywhere *)(pointer))

/* A row of K_y or K_z, and its entry of M. */
struct row {
    int64_t first;
    int count;
    real mass, entry[CGS_ORDER_ROW];
};

struct order {
    struct cgs_context *context;
    struct cgs_tiles tiles;
    int order;
    bool periodic;      /* in x */
    real reaction;      /* c */
    real *mass;         /* M_x */
    real *diagonal;     /* K_x by diagonals: entry (i, i + d) is diagonal[(d + p) n_x + i] */
    struct row *row[3]; /* of y and z; row[0] is NULL */
};

/* ---- a line ---- */

/* Returns an unknown of y or z; with a period that of a row may be outside of 0 ... n - 1. */
CGS_PIECE int64_t wrapped(int64_t n, int64_t i)
{
    return i < 0 ? i + n : i >= n ? i - n : i;
}

/* Lines whose sum is the part of A x from neighbours in y and z. */
struct terms {
    int count;
    real factor[TERMS];
    const real *line[TERMS];
};

/* z: counted from the rank's first plane. */
CGS_PIECE void find_terms(const struct order *self, const real *x, int64_t y, int64_t z,
                          struct terms *terms)
{
    const int64_t *n = self->tiles.n, first = self->tiles.planes.first;
    const struct row *along_y = &self->row[1][y], *along_z = &self->row[2][first + z];
    int t = 0;
    for (int a = 0; a < along_z->count; a++, t++) {
        terms->factor[t] = along_y->mass * along_z->entry[a];
        terms->line[t] = x + ((wrapped(n[2], along_z->first + a) - first) * n[1] + y) * n[0];
    }
    for (int a = 0; a < along_y->count; a++, t++) {
        terms->factor[t] = along_z->mass * along_y->entry[a];
        terms->line[t] = x + (z * n[1] + wrapped(n[1], along_y->first + a)) * n[0];
    }
    if (self->reaction != 0) {
        terms->factor[t] = self->reaction * along_y->mass * along_z->mass;
        terms->line[t++] = x + (z * n[1] + y) * n[0];
    }
    terms->count = t;
}

/* Copies numbers first - p ... first + count + p - 1 of a line of n; outside of it zeros, or its
 * other end. */
CGS_PIECE void copy_line(int64_t n, int p, bool periodic, const real *line, int64_t first,
                         int64_t count, real *restrict copy)
{
    const int64_t low = first < p ? p - first : 0, end = count + 2 * p;
    const int64_t high = n - first + p < end ? n - first + p : end;
    for (int64_t i = 0; i < low; i++)
        copy[i] = periodic ? line[n + first - p + i] : 0;
    memcpy(copy + low, line + first - p + low, (size_t)(high - low) * sizeof *copy);
    for (int64_t i = high; i < end; i++)
        copy[i] = periodic ? line[first - p + i - n] : 0;
}

/* out = A x at BLOCK points of a line from `first` on; copy: the line from first - p on. */
CGS_PIECE void order_block(const struct order *self, const struct terms *terms, const real *copy,
                           real across, int64_t first, real *out)
{
    const real *diagonal = self->diagonal + first, *mass = self->mass + first;
    lanes sum[2] = {{0}, {0}}, along[2] = {{0}, {0}};
    for (int t = 0; t < terms->count; t++) {
        const real *from = terms->line[t] + first, factor = terms->factor[t];
        sum[0] += factor * AT(from);
        sum[1] += factor * AT(from + LANES);
    }
    for (int d = 0; d <= 2 * self->order; d++, diagonal += self->tiles.n[0]) {
        along[0] += AT(diagonal) * AT(copy + d);
        along[1] += AT(diagonal + LANES) * AT(copy + d + LANES);
    }
    for (int k = 0; k < 2; k++)
        *(lanes_anywhere *)(out + k * LANES) = AT(mass + k * LANES) * sum[k] + across * along[k];
}

/* out = A x at `count` <= STRIP points of line (y, z) from `first` on. The last block begins where
 * it ends with the strip, so that some points are computed twice. */
CGS_PIECE void order_strip(const struct order *self, const struct terms *terms, const real *line,
                           real across, int64_t first, int64_t count, real *out)
{
    const int p = self->order;
    real copy[STRIP + 2 * CGS_ORDER_MOST];
    copy_line(self->tiles.n[0], p, self->periodic, line, first, count, copy);
    for (int64_t i = 0; i < count && count >= BLOCK; i += BLOCK) {
        const int64_t at = i + BLOCK <= count ? i : count - BLOCK;
        order_block(self, terms, copy + at, across, first + at, out + at);
    }
    for (int64_t i = 0; i < count && count < BLOCK; i++) {
        real sum = 0, along = 0;
        for (int t = 0; t < terms->count; t++)
            sum += terms->factor[t] * terms->line[t][first + i];
        for (int d = 0; d <= 2 * p; d++)
            along += self->diagonal[d * self->tiles.n[0] + first + i] * copy[i + d];
        out[i] = self->mass[first + i] * sum + across * along;
    }
}

/* ---- a tile ---- */

enum step { APPLY, APPLY_DOT, RESIDUAL, RESIDUAL_NORM, RELAX };

/* y = A x, or y = b - A x, or y = on_x x + on_y y + c d (b - A x) as `how` says; returns x'y, or
 * ||b - A x||^2, which writes no y. */
CGS_PIECE double tile_step(enum step step, const struct order *self, int64_t z,
                           const struct cgs_tile *tile, const struct cgs_relaxation *how,
                           const real *b, const real *x, real *y)
{
    const int64_t length = self->tiles.n[0], lines = self->tiles.n[1];
    double sum = 0.0;
    for (int64_t line = tile->begin; line < tile->end; line++) {
        const int64_t at = (z * lines + line) * length;
        const real across =
            self->row[1][line].mass * self->row[2][self->tiles.planes.first + z].mass;
        struct terms terms;
        real buffer[STRIP];
        find_terms(self, x, line, z, &terms);
        for (int64_t i = 0; i < length; i += STRIP) {
            const int64_t count = length - i < STRIP ? length - i : STRIP;
            real *out = step == APPLY || step == APPLY_DOT ? y + at + i : buffer;
            order_strip(self, &terms, x + at, across, i, count, out);
            if (step == APPLY_DOT)
                sum += cgs_lanes_dot(count, x + at + i, out);
            for (int64_t k = 0; k < count && step == RESIDUAL; k++)
                y[at + i + k] = b[at + i + k] - out[k];
            for (int64_t k = 0; k < count && step == RESIDUAL_NORM; k++)
                out[k] = b[at + i + k] - out[k];
            if (step == RELAX)
                cgs_relax(count, (real)how->on_x, (real)how->on_y, (real)how->c,
                          how->d ? (const real *)how->d + at + i : NULL, b + at + i, out,
                          x + at + i, y + at + i);
            if (step == RESIDUAL_NORM)
                sum += cgs_lanes_dot(count, out, out);
        }
    }
    return sum;
}

static CGS_CLONES double step_of_tile(enum step step, const struct order *self, int64_t z,
                                      const struct cgs_tile *tile, const struct cgs_relaxation *how,
                                      const real *b, const real *x, real *y)
{
    switch (step) {
    case APPLY:
        return tile_step(APPLY, self, z, tile, how, b, x, y);
    case APPLY_DOT:
        return tile_step(APPLY_DOT, self, z, tile, how, b, x, y);
    case RESIDUAL:
        return tile_step(RESIDUAL, self, z, tile, how, b, x, y);
    case RESIDUAL_NORM:
        return tile_step(RESIDUAL_NORM, self, z, tile, how, b, x, y);
    case RELAX:
        return tile_step(RELAX, self, z, tile, how, b, x, y);
    }
    return 0.0;
}

/* ---- all tiles ---- */

static void traverse(enum step step, const struct order *self, struct cgs_queue *queue,
                     const struct cgs_relaxation *how, const real *b, const real *x, real *y)
{
    const bool sums = step == APPLY_DOT || step == RESIDUAL_NORM;
#pragma omp parallel num_threads(cgs_threads_for(queue, self->tiles.n))
    {
        struct cgs_march m = cgs_march_of_thread(&self->tiles, queue->arrival);
        while (cgs_march_on(&m)) {
            const double sum = step_of_tile(step, self, m.z, &m.tile, how, b, x, y);
            if (sums)
                queue->partials[cgs_march_place(&m)] = sum;
        }
    }
}

static void add_up(const struct order *self, struct cgs_queue *queue, struct cgs_cg_state *state,
                   enum cgs_sum sum)
{
    const struct cgs_blocks blocks = cgs_blocks_of_tiles(&self->tiles);
    cgs_cpu_add_up(queue, state, sum, self->tiles.portion, &blocks);
}

static enum cgs_status apply(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, void *y)
{
    if (!state || cgs_cg_going_on(state))
        traverse(APPLY, self, queue, NULL, NULL, x, y);
    return CGS_OK;
}

static enum cgs_status apply_dot(const void *self, struct cgs_queue *queue,
                                 struct cgs_cg_state *state, const void *x, void *y,
                                 enum cgs_sum sum)
{
    if (!cgs_cg_going_on(state))
        return CGS_OK;
    traverse(APPLY_DOT, self, queue, NULL, NULL, x, y);
    add_up(self, queue, state, sum);
    return CGS_OK;
}

static enum cgs_status residual(const void *self, struct cgs_queue *queue,
                                const struct cgs_cg_state *state, const void *b, const void *x,
                                void *r)
{
    if (!cgs_cpu_stopped(state))
        traverse(RESIDUAL, self, queue, NULL, b, x, r);
    return CGS_OK;
}

static enum cgs_status residual_norm(const void *self, struct cgs_queue *queue,
                                     struct cgs_cg_state *state, const void *b, const void *x,
                                     enum cgs_sum sum)
{
    if (!cgs_cg_going_on(state))
        return CGS_OK;
    traverse(RESIDUAL_NORM, self, queue, NULL, b, x, NULL);
    add_up(self, queue, state, sum);
    return CGS_OK;
}

static enum cgs_status relax(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const struct cgs_relaxation *step)
{
    if (!cgs_cpu_stopped(state))
        traverse(RELAX, self, queue, step, step->b, step->x, step->y);
    return CGS_OK;
}

/* ---- the table ---- */

static enum cgs_status accepts(struct cgs_context *context, const struct cgs_matrix *matrix)
{
    CGS_TRY(cgs_order_accepts(context, matrix));
    if (matrix->mesh->n[2] > CGS_PARTIALS)
        return cgs_fail(context, CGS_USAGE,
                        "it adds up sums of at most %d planes, and the box has %lld",
                        (int)CGS_PARTIALS, (long long)matrix->mesh->n[2]);
    return CGS_OK;
}

static int64_t table_numbers(const struct cgs_mesh *mesh)
{
    return (2 * mesh->order + 2) * mesh->n[0];
}

static void plan(const struct cgs_matrix *matrix, struct cgs_plan *plan_out)
{
    const struct cgs_mesh *mesh = matrix->mesh;
    cgs_plan_add(plan_out, CGS_HOST, "order", 1, sizeof(struct order));
    cgs_plan_add(plan_out, CGS_HOST, "tables in x", table_numbers(mesh), sizeof(real));
    cgs_plan_add(plan_out, CGS_HOST, "rows in y and z", mesh->n[1] + mesh->n[2],
                 sizeof(struct row));
}

static void release(void *self)
{
    struct order *made = self;
    if (!made)
        return;
    struct cgs_context *context = made->context;
    cgs_free(context, made->row[1]);
    cgs_free(context, made->mass);
    cgs_free(context, made);
}

static void fill_tables(const struct cgs_mesh *mesh, struct order *made)
{
    const int p = mesh->order;
    struct cgs_order_line line;
    struct cgs_order_row from;
    memset(made->mass, 0, (size_t)table_numbers(mesh) * sizeof(real));
    cgs_order_line_make(mesh, 0, &line);
    for (int64_t i = 0; i < line.n; i++) {
        cgs_order_row_of(&line, i, &from);
        made->mass[i] = (real)(mesh->scale * cgs_order_mass(&line, i));
        for (int a = 0; a < from.count; a++)
            made->diagonal[(from.first + a - i + p) * made->tiles.n[0] + i] =
                (real)(mesh->scale * from.entry[a]);
    }
    for (int k = 1; k < 3; k++) {
        cgs_order_line_make(mesh, k, &line);
        for (int64_t i = 0; i < line.n; i++) {
            struct row *row = &made->row[k][i];
            cgs_order_row_of(&line, i, &from);
            row->first = from.first;
            row->count = from.count;
            row->mass = (real)cgs_order_mass(&line, i);
            for (int a = 0; a < from.count; a++)
                row->entry[a] = (real)from.entry[a];
        }
    }
}

static enum cgs_status prepare(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                               void **self)
{
    struct cgs_context *context = queue->context;
    const struct cgs_mesh *mesh = matrix->mesh;
    struct order *made;
    CGS_TRY(cgs_alloc(context, 1, sizeof *made, "order", (void **)&made));
    *made = (struct order){
        .context = context,
        .tiles = cgs_tiles_of_planes(mesh->n, 2 * mesh->order + 1, matrix->source->portion),
        .order = mesh->order,
        .periodic = cgs_periodic(mesh->open[0]),
        .reaction = (real)mesh->reaction,
    };
    enum cgs_status status = cgs_alloc(context, table_numbers(mesh), sizeof(real), "tables in x",
                                       (void **)&made->mass);
    if (status == CGS_OK)
        status = cgs_alloc(context, mesh->n[1] + mesh->n[2], sizeof(struct row), "rows in y and z",
                           (void **)&made->row[1]);
    if (status != CGS_OK) {
        release(made);
        return status;
    }
    made->diagonal = made->mass + made->tiles.n[0];
    made->row[2] = made->row[1] + mesh->n[1];
    fill_tables(mesh, made);
    *self = made;
    return CGS_OK;
}

/* A multiply-add for each entry along y and z, p + 2 of them on the average, and for each diagonal
 * along x, then those of the masses. */
static struct cgs_traffic traffic(const struct cgs_matrix *matrix)
{
    const int64_t p = matrix->mesh->order;
    struct cgs_traffic traffic = cgs_free_traffic(matrix);
    traffic.operations = matrix->rows * (2 * (2 * (p + 2) + 2 * p + 1) + 3);
    return traffic;
}

CGS_TABLE(struct cgs_kernel, cgs_cpu_order) = {
    .reproducible = true,
    .shared = true,
    .accepts = accepts,
    .layout = cgs_planes_layout,
    .plan = plan,
    .prepare = prepare,
    .traffic = traffic,
    .steps = {.overlaps = true,
              .apply = apply,
              .apply_dot = apply_dot,
              .residual = residual,
              .residual_norm = residual_norm,
              .relax = relax,
              .release = release},
};
