/* Strong entries of a matrix on the CPU: roots of its diagonal, strong neighbours (rules.h),
 * and S. */
#include <math.h>

#include "base/comm.h"
#include "base/memory.h"
#include "kernels/amg/rules.h"
#include "kernels/amg/strong_cpu.h"
#include "kernels/sparse/ghosts.h"

static enum cgs_status find_roots(const struct cgs_amg_rows *rows)
{
    const struct cgs_sparse *a = rows->a;
    double *made = rows->roots + rows->begin;
    int64_t bad = a->rows;
#pragma omp parallel for schedule(static) num_threads(rows->queue->context->threads)               \
    reduction(min                                                                                  \
              : bad)
    for (int64_t i = 0; i < a->rows; i++) {
        const int64_t e = cgs_amg_diagonal(a, i, rows->begin + i);
        const double diagonal = e < 0 ? 0.0 : ((const double *)a->value)[a->pointers[i] + e];
        made[i] = sqrt(diagonal);
        if (!(diagonal > 0.0) && i < bad)
            bad = i;
    }
    const struct cgs_portion *portion = rows->ghosts ? rows->ghosts->portion : NULL;
    return bad == a->rows
               ? CGS_OK
               : cgs_amg_not_positive(rows->queue->context, cgs_portion_global(portion, bad));
}

void cgs_amg_cpu_rows_release(struct cgs_amg_rows *rows)
{
    cgs_free(rows->queue->context, rows->roots);
    rows->roots = NULL;
}

enum cgs_status cgs_amg_cpu_rows(struct cgs_queue *queue, const struct cgs_sparse *a,
                                 const struct cgs_ghosts *ghosts, double theta,
                                 struct cgs_amg_rows *rows)
{
    struct cgs_context *context = queue->context;
    struct cgs_amg_rows made = {.queue = queue, .a = a, .ghosts = ghosts, .theta = theta};
    if (ghosts)
        made.begin = ghosts->portion->below;
    enum cgs_status status = cgs_alloc(context, a->columns, sizeof *made.roots,
                                       "roots of the diagonal", (void **)&made.roots);
    if (status == CGS_OK)
        status = find_roots(&made);
    if (ghosts)
        status = cgs_comm_agree(context, status);
    if (status != CGS_OK) {
        cgs_amg_cpu_rows_release(&made);
        return status;
    }
    if (ghosts)
        cgs_ghosts_fetch(context, ghosts, made.roots);
    *rows = made;
    return CGS_OK;
}

/* Rows that a thread takes at once. */
enum { ROWS = 256 };

/* Writes the bits of a row. */
CGS_PIECE void mark(const struct cgs_amg_rows *rows, int64_t row, uint64_t *word)
{
    const struct cgs_sparse *a = rows->a;
    const double *roots = rows->roots, theta = rows->theta;
    const int64_t own = rows->begin + row, first = a->pointers[row];
    const int64_t length = a->pointers[row + 1] - first;
    const double *number = (const double *)a->value + first;
    const int32_t *column = a->column + first;
    for (int64_t begin = 0; begin < length; begin += 64, word++) {
        uint64_t bits = 0;
        for (int64_t e = begin; e < length && e < begin + 64; e++) {
            const int32_t j = column[e];
            const bool strong = (j != own) & cgs_amg_strong(number[e], theta, roots[own], roots[j]);
            bits |= (uint64_t)strong << (e - begin);
        }
        *word = bits;
    }
}

CGS_CLONES static void mark_rows(const struct cgs_amg_rows *rows, int64_t first, uint64_t *bits)
{
    const struct cgs_sparse *a = rows->a;
    for (int64_t i = first; i < a->rows && i < first + ROWS; i++)
        mark(rows, i, bits + cgs_amg_strong_word(a, i));
}

enum cgs_status cgs_amg_cpu_strong(const struct cgs_amg_rows *rows, struct cgs_amg_strong *strong)
{
    struct cgs_context *context = rows->queue->context;
    const struct cgs_sparse *a = rows->a;
    struct cgs_amg_strong made = {.a = a, .begin = rows->begin};
    CGS_TRY(cgs_alloc(context, cgs_amg_strong_word(a, a->rows), sizeof *made.bits,
                      "strong connections", (void **)&made.bits));
#pragma omp parallel for schedule(static) num_threads(context->threads)
    for (int64_t first = 0; first < a->rows; first += ROWS)
        mark_rows(rows, first, made.bits);
    *strong = made;
    return CGS_OK;
}

enum cgs_status cgs_amg_cpu_strong_of(struct cgs_queue *queue, const struct cgs_sparse *a,
                                      const struct cgs_ghosts *ghosts, double theta,
                                      struct cgs_amg_strong *strong)
{
    struct cgs_amg_rows rows;
    CGS_TRY(cgs_amg_cpu_rows(queue, a, ghosts, theta, &rows));
    struct cgs_amg_strong made = {0};
    enum cgs_status status = cgs_amg_cpu_strong(&rows, &made);
    cgs_amg_cpu_rows_release(&rows);
    if (ghosts)
        status = cgs_comm_agree(queue->context, status);
    if (status == CGS_OK)
        *strong = made;
    else
        cgs_amg_cpu_strong_release(queue->context, &made);
    return status;
}

void cgs_amg_cpu_strong_release(struct cgs_context *context, struct cgs_amg_strong *strong)
{
    cgs_free(context, strong->bits);
    *strong = (struct cgs_amg_strong){0};
}

/* ---- S ---- */

/* Counts a row's strong neighbours and the row itself. */
static int64_t count_of(const struct cgs_amg_strong *strong, int64_t row)
{
    const struct cgs_sparse *a = strong->a;
    const uint64_t *bits = strong->bits;
    int64_t count = 1;
    for (int64_t w = cgs_amg_strong_word(a, row), words = 0;
         words * 64 < a->pointers[row + 1] - a->pointers[row]; words++)
        count += __builtin_popcountll(bits[w + words]);
    return count;
}

/* Makes a row. Traffic: a row of A is read twice, from memory and from the cache, a row of S
 * written once. */
static void smoothing_row(const struct cgs_amg_strong *strong, int64_t row, double omega,
                          int32_t *restrict column, double *restrict to)
{
    const struct cgs_sparse *a = strong->a;
    const int64_t begin = a->pointers[row], length = a->pointers[row + 1] - begin;
    const int64_t diagonal = cgs_amg_diagonal(a, row, strong->begin + row);
    const uint64_t *word = strong->bits + cgs_amg_strong_word(a, row);
    const double *number = (const double *)a->value + begin;
    const double factor = cgs_amg_cpu_factor(strong, row, diagonal, omega);
    for (int64_t e = 0; e < length; e++) {
        if (e != diagonal && !cgs_amg_strong_bit(word, e))
            continue;
        *column++ = a->column[begin + e];
        *to++ = e == diagonal ? 1.0 - omega : factor * number[e];
    }
}

/* Makes S of strong entries. */
static enum cgs_status smooth(struct cgs_queue *queue, const struct cgs_amg_strong *strong,
                              double omega, struct cgs_sparse *s)
{
    const struct cgs_sparse *a = strong->a;
    const int threads = queue->context->threads;
    const struct cgs_sparse_ops *ops = &cgs_cpu_sparse_f64;
    struct cgs_sparse made;
    CGS_TRY(ops->pointers(queue, "strong connections", a->rows, a->columns, &made));
    made.pointers[0] = 0;
    for (int64_t i = 0; i < a->rows; i++)
        made.pointers[i + 1] = made.pointers[i] + count_of(strong, i);
    const enum cgs_status status =
        ops->entries(queue, "strong connections", made.pointers[a->rows], &made);
    if (status != CGS_OK) {
        ops->release(queue, &made);
        return status;
    }
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t i = 0; i < a->rows; i++)
        smoothing_row(strong, i, omega, made.column + made.pointers[i],
                      (double *)made.value + made.pointers[i]);
    *s = made;
    return CGS_OK;
}

enum cgs_status cgs_amg_smoothing_shared(struct cgs_queue *queue, const struct cgs_sparse *a,
                                         const struct cgs_ghosts *ghosts, double theta,
                                         double omega, struct cgs_sparse *s)
{
    struct cgs_amg_strong strong;
    struct cgs_sparse made = {0};
    CGS_TRY(cgs_amg_cpu_strong_of(queue, a, ghosts, theta, &strong));
    enum cgs_status status = smooth(queue, &strong, omega, &made);
    cgs_amg_cpu_strong_release(queue->context, &strong);
    if (ghosts)
        status = cgs_comm_agree(queue->context, status);
    if (status == CGS_OK)
        *s = made;
    else
        cgs_cpu_sparse_f64.release(queue, &made);
    return status;
}
