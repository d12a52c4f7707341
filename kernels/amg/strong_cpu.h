/* Strong entries of a matrix on the CPU: roots of its diagonal, strong neighbours (rules.h),
 * and S (kernels/amg.h):
 *
 *     s_ii = 1 - omega, s_ij = -(omega / d_i) a_ij for strong j; d_i: a_ii plus the weak entries
 */
#pragma once

#include "base/vectorise.h"
#include "kernels/amg.h"
#include "kernels/amg/rules.h"

extern const struct cgs_sparse_ops cgs_cpu_sparse_f64;

/* Rows that are here and their columns: all of a matrix, or those of a rank (ghosts not NULL). */
struct cgs_amg_rows {
    struct cgs_queue *queue;
    const struct cgs_sparse *a;
    const struct cgs_ghosts *ghosts;
    int64_t begin; /* column of row 0's diagonal entry */
    double theta;
    double *roots; /* a's columns: square roots of the diagonal; owned */
};

/* Makes the rows with their roots; owned by the caller. CGS_BREAKDOWN: an entry of the diagonal
 * is not positive; the message has its row. CGS_MEMORY. Several ranks call it at once, and agree
 * on failure. */
enum cgs_status cgs_amg_cpu_rows(struct cgs_queue *queue, const struct cgs_sparse *a,
                                 const struct cgs_ghosts *ghosts, double theta,
                                 struct cgs_amg_rows *rows);
void cgs_amg_cpu_rows_release(struct cgs_amg_rows *rows);

/* Strong neighbours of rows: a bit for each entry of A, 1 if it is strong. Those of a row begin
 * with a word of their own, so that threads write different ones. */
struct cgs_amg_strong {
    const struct cgs_sparse *a;
    int64_t begin; /* column of row 0's diagonal entry */
    uint64_t *bits;
};

/* Returns the index of the first word of a row; of all rows together: their words. */
static inline int64_t cgs_amg_strong_word(const struct cgs_sparse *a, int64_t row)
{
    return (a->pointers[row] - a->pointers[0]) / 64 + row;
}

/* Returns 1 if entry e of the row whose words these are is strong, else 0. */
static inline uint64_t cgs_amg_strong_bit(const uint64_t *words, int64_t e)
{
    return words[e / 64] >> e % 64 & 1;
}

/* Returns the bits of entries first ... first + 63 of the row, with that of the diagonal set. */
static inline uint64_t cgs_amg_strong_with(const uint64_t *words, int64_t first, int64_t diagonal)
{
    return words[first / 64] | (uint64_t)(diagonal / 64 == first / 64) << diagonal % 64;
}

/* Finds them in one pass over A. Owned by the caller. CGS_MEMORY. */
enum cgs_status cgs_amg_cpu_strong(const struct cgs_amg_rows *rows, struct cgs_amg_strong *strong);
/* The same of a matrix; failures and several ranks: as cgs_amg_cpu_rows. */
enum cgs_status cgs_amg_cpu_strong_of(struct cgs_queue *queue, const struct cgs_sparse *a,
                                      const struct cgs_ghosts *ghosts, double theta,
                                      struct cgs_amg_strong *strong);
void cgs_amg_cpu_strong_release(struct cgs_context *context, struct cgs_amg_strong *strong);

/* Makes this rank's rows of S, with the columns of a; several ranks (ghosts not NULL) call it at
 * once, and agree on failure. */
enum cgs_status cgs_amg_smoothing_shared(struct cgs_queue *queue, const struct cgs_sparse *a,
                                         const struct cgs_ghosts *ghosts, double theta,
                                         double omega, struct cgs_sparse *s);

/* Returns the place of the diagonal entry in its row, sought from the middle on, near which it
 * mostly is; -1: the row has none. column: of that entry. */
CGS_PIECE int64_t cgs_amg_diagonal(const struct cgs_sparse *a, int64_t row, int64_t column)
{
    const int32_t *own = a->column + a->pointers[row];
    const int64_t length = a->pointers[row + 1] - a->pointers[row];
    int64_t e = length / 2;
    while (e > 0 && own[e] > column)
        e--;
    while (e < length && own[e] < column)
        e++;
    return e < length && own[e] == column ? e : -1;
}

/* Returns -omega / d_i, d_i: the diagonal entry of A_F in this row, a_ii where weak entries add up
 * to 0. diagonal: the place of a_ii in the row. */
CGS_PIECE double cgs_amg_cpu_factor(const struct cgs_amg_strong *strong, int64_t row,
                                    int64_t diagonal, double omega)
{
    const struct cgs_sparse *a = strong->a;
    const int64_t length = a->pointers[row + 1] - a->pointers[row];
    const double *number = (const double *)a->value + a->pointers[row];
    const uint64_t *word = strong->bits + cgs_amg_strong_word(a, row);
    double weak = 0.0, largest = 0.0;
    for (int64_t first = 0; first < length; first += 64) {
        const uint64_t all = UINT64_MAX >> (length - first < 64 ? 64 - (length - first) : 0);
        for (uint64_t bits = all & ~cgs_amg_strong_with(word, first, diagonal); bits;
             bits &= bits - 1)
            weak += number[first + __builtin_ctzll(bits)];
    }
    for (int64_t e = 0; weak != 0.0 && e < length; e++)
        if (cgs_amg_strong_bit(word, e))
            largest = fabs(number[e]) > largest ? fabs(number[e]) : largest;
    return -(omega / cgs_amg_filtered(number[diagonal], weak, largest));
}
