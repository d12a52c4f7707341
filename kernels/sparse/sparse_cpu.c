/* CRS matrices in host memory: the CPU's functions of kernels/sparse.h, for f64 and f32.
 *
 * Transposition by counting: the entries of each column are counted, their prefix sum gives the
 * column pointers, and the rows are traversed in order, so that T's columns (M's rows) ascend.
 * Parts of the rows are processed in parallel; the result does not depend on their number.
 */
#include "kernels/sparse.h"

#include <string.h>

#include "base/memory.h"
#include "kernels/precision.h"
#include "matrix/fill.h"

static void release(struct cgs_queue *queue, struct cgs_sparse *m)
{
    if (!m->lent) {
        cgs_free(queue->context, m->pointers);
        cgs_free(queue->context, m->column);
    }
    if (!m->lent_values)
        cgs_free(queue->context, m->value);
    *m = (struct cgs_sparse){0};
}

static enum cgs_status make_pointers(struct cgs_queue *queue, const char *what, int64_t rows,
                                     int64_t columns, struct cgs_sparse *m)
{
    struct cgs_sparse made = {.rows = rows, .columns = columns};
    CGS_TRY(
        cgs_alloc(queue->context, rows + 1, sizeof *made.pointers, what, (void **)&made.pointers));
    *m = made;
    return CGS_OK;
}

static enum cgs_status make_entries(struct cgs_queue *queue, const char *what, int64_t nonzeros,
                                    struct cgs_sparse *m)
{
    int32_t *column;
    CGS_TRY(cgs_alloc(queue->context, nonzeros, sizeof *column, what, (void **)&column));
    const enum cgs_status status =
        cgs_alloc(queue->context, nonzeros, sizeof(real), what, &m->value);
    if (status != CGS_OK) {
        cgs_free(queue->context, column);
        return status;
    }
    m->column = column;
    m->nonzeros = nonzeros;
    return CGS_OK;
}

static enum cgs_status alloc(struct cgs_queue *queue, const char *what, int64_t rows,
                             int64_t columns, int64_t nonzeros, struct cgs_sparse *m)
{
    struct cgs_sparse made;
    CGS_TRY(make_pointers(queue, what, rows, columns, &made));
    const enum cgs_status status = make_entries(queue, what, nonzeros, &made);
    if (status != CGS_OK) {
        release(queue, &made);
        return status;
    }
    *m = made;
    return CGS_OK;
}

static enum cgs_status generate(struct cgs_queue *queue, const struct cgs_matrix *crs,
                                struct cgs_sparse *m)
{
    struct cgs_sparse made;
    CGS_TRY(alloc(queue, "matrix", crs->rows, crs->columns, crs->nonzeros, &made));
    memcpy(made.pointers, crs->pointers, (size_t)(crs->rows + 1) * sizeof *made.pointers);
    const enum cgs_status status = cgs_matrix_fill(queue->context, crs, 0, crs->rows,
                                                   CGS_REAL_NUMBER, made.column, made.value);
    if (status != CGS_OK) {
        release(queue, &made);
        return status;
    }
    *m = made;
    return CGS_OK;
}

static enum cgs_status fetch(struct cgs_queue *queue, const struct cgs_sparse *m,
                             struct cgs_crs *crs)
{
    struct cgs_context *context = queue->context;
    const int64_t origin = m->pointers[0];
    const real *number = m->value;
    struct cgs_crs made;
    CGS_TRY(cgs_crs_alloc(context, m->rows, m->columns, m->nonzeros, &made));
#pragma omp parallel num_threads(context->threads)
    {
#pragma omp for schedule(static) nowait
        for (int64_t i = 0; i <= m->rows; i++)
            made.pointers[i] = m->pointers[i] - origin;
#pragma omp for schedule(static)
        for (int64_t e = 0; e < m->nonzeros; e++) {
            made.column[e] = m->column[origin + e];
            made.value[e] = (double)number[origin + e];
        }
    }
    *crs = made;
    return CGS_OK;
}

static enum cgs_status bounds(struct cgs_queue *queue, const int64_t *pointers, int64_t rows,
                              int64_t out[2])
{
    (void)queue;
    out[0] = pointers[0];
    out[1] = pointers[rows];
    return CGS_OK;
}

/* Rows in parts: at[p][j] counts the entries of column j in part p, and then is the position where
 * part p continues in column j. */
struct turning {
    const struct cgs_sparse *m;
    const struct cgs_sparse *t;
    int64_t parts;
    int64_t *at; /* parts x columns of M */
};

static int64_t part_begin(const struct turning *turning, int64_t p)
{
    const int64_t rows = turning->m->rows, parts = turning->parts;
    return rows / parts * p + rows % parts * p / parts;
}

static void count_columns(const struct turning *turning, int64_t p)
{
    const struct cgs_sparse *m = turning->m;
    int64_t *at = turning->at + p * m->columns;
    const int64_t last = m->pointers[part_begin(turning, p + 1)];
    memset(at, 0, (size_t)m->columns * sizeof *at);
    for (int64_t e = m->pointers[part_begin(turning, p)]; e < last; e++)
        at[m->column[e]]++;
}

static void turn_rows(const struct turning *turning, int64_t p)
{
    const struct cgs_sparse *m = turning->m, *t = turning->t;
    const real *from = m->value;
    real *to = t->value;
    int64_t *at = turning->at + p * m->columns;
    for (int64_t i = part_begin(turning, p); i < part_begin(turning, p + 1); i++)
        for (int64_t e = m->pointers[i]; e < m->pointers[i + 1]; e++) {
            const int64_t slot = at[m->column[e]]++;
            t->column[slot] = (int32_t)i;
            to[slot] = from[e];
        }
}

static void turn(const struct turning *turning, int threads)
{
    const int64_t columns = turning->m->columns, parts = turning->parts;
    int64_t *pointers = turning->t->pointers;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static, 1)
        for (int64_t p = 0; p < parts; p++)
            count_columns(turning, p);
#pragma omp for schedule(static)
        for (int64_t j = 0; j < columns; j++) {
            pointers[j + 1] = 0;
            for (int64_t p = 0; p < parts; p++)
                pointers[j + 1] += turning->at[p * columns + j];
        }
#pragma omp single
        {
            pointers[0] = 0;
            for (int64_t j = 0; j < columns; j++)
                pointers[j + 1] += pointers[j];
        }
#pragma omp for schedule(static)
        for (int64_t j = 0; j < columns; j++)
            for (int64_t p = 0, begin = pointers[j]; p < parts; p++) {
                const int64_t count = turning->at[p * columns + j];
                turning->at[p * columns + j] = begin;
                begin += count;
            }
#pragma omp for schedule(static, 1)
        for (int64_t p = 0; p < parts; p++)
            turn_rows(turning, p);
    }
}

/* One part a thread, but so few that `at` takes at most 8 bytes an entry. */
static int64_t parts_of(const struct cgs_sparse *m, int threads)
{
    const int64_t most = m->columns > 0 ? m->nonzeros / m->columns : 1;
    return most < 1 ? 1 : most < threads ? most : threads;
}

static enum cgs_status transpose(struct cgs_queue *queue, const struct cgs_sparse *m,
                                 struct cgs_sparse *t)
{
    struct cgs_context *context = queue->context;
    struct cgs_sparse made;
    struct turning turning = {.m = m, .t = &made, .parts = parts_of(m, context->threads)};
    CGS_TRY(alloc(queue, "transposed matrix", m->columns, m->rows, m->nonzeros, &made));
    const enum cgs_status status =
        cgs_alloc(context, cgs_bytes(turning.parts, m->columns), sizeof *turning.at,
                  "columns of parts of a matrix", (void **)&turning.at);
    if (status != CGS_OK) {
        release(queue, &made);
        return status;
    }
    turn(&turning, context->threads);
    cgs_free(context, turning.at);
    *t = made;
    return CGS_OK;
}

CGS_TABLE(struct cgs_sparse_ops, cgs_cpu_sparse) = {
    .pointers = make_pointers,
    .entries = make_entries,
    .release = release,
    .generate = generate,
    .fetch = fetch,
    .bounds = bounds,
    .transpose = transpose,
};
