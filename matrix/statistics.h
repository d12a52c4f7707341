/* Statistics of row lengths, accumulated in one pass: private to matrix/. */
#pragma once

#include <stdint.h>

#include "matrix/matrix.h"

/* Sums of l_i - origin and (l_i - origin)^2 over n lengths l_i, in integers while they fit exactly
 * into 53 bits, so that the result depends neither on order nor on threads. A cache line each. */
struct cgs_tally {
    _Alignas(64) int64_t sum;
    double squares;
    int64_t empty;
    int64_t rounded[CGS_ROUNDINGS]; /* sums of ceil(l_i / 2^k) */
    int64_t bad_row; /* first row whose length is outside 0 ... columns, INT64_MAX: none */
    int32_t origin, shortest, longest, bad_length;
};

/* Returns the length of the first row: rows of equal length then deviate by exactly 0. */
int32_t cgs_tally_origin(const struct cgs_row_source *source);

struct cgs_tally cgs_tally_start(int32_t origin);

/* Counts lengths[0 ... count - 1] of the rows from `first` on. A length outside 0 ... columns is
 * recorded and replaced by 0, so that the layout can continue. */
void cgs_tally_add(struct cgs_tally *tally, int64_t first, int64_t count, int32_t *lengths,
                   int64_t columns);

void cgs_tally_merge(struct cgs_tally *tally, const struct cgs_tally *other);

/* Returns CGS_FILE with the row if a length was bad. */
enum cgs_status cgs_tally_check(struct cgs_context *context, const struct cgs_row_source *source,
                                const struct cgs_tally *tally);

int64_t cgs_tally_entries(const struct cgs_tally *tally, int64_t rows);
struct cgs_row_statistics cgs_tally_statistics(const struct cgs_tally *tally, int64_t rows);
