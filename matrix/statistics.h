/* Row lengths counted while they pass by: private to matrix/. */
#ifndef CGS_MATRIX_STATISTICS_H
#define CGS_MATRIX_STATISTICS_H

#include <stdint.h>

#include "matrix/matrix.h"

/* Of n lengths l_i: sums of l_i - origin and (l_i - origin)^2, in integers while they fit exactly
 * into 53 bits, so that neither the order nor the number of threads shows. A cache line each. */
struct cgs_tally {
    _Alignas(64) int64_t sum;
    double squares;
    int64_t empty;
    int64_t rounded[CGS_ROUNDINGS]; /* sums of ceil(l_i / 2^k) */
    int64_t bad_row; /* first row whose length is outside 0 ... columns, INT64_MAX: none */
    int32_t origin, shortest, longest, bad_length;
};

/* The length of the first row: rows of one length alone then deviate by exactly 0. */
int32_t cgs_tally_origin(const struct cgs_row_source *source);

struct cgs_tally cgs_tally_start(int32_t origin);

/* Counts lengths[0 ... count - 1] of the rows from `first` on. One that is outside 0 ... columns is
 * noted and replaced by 0, so that whoever lays them out can go on. */
void cgs_tally_add(struct cgs_tally *tally, int64_t first, int64_t count, int32_t *lengths,
                   int64_t columns);

void cgs_tally_merge(struct cgs_tally *tally, const struct cgs_tally *other);

/* CGS_FILE with the row where a length was bad. */
enum cgs_status cgs_tally_check(struct cgs_context *context, const struct cgs_row_source *source,
                                const struct cgs_tally *tally);

int64_t cgs_tally_entries(const struct cgs_tally *tally, int64_t rows);
struct cgs_row_statistics cgs_tally_statistics(const struct cgs_tally *tally, int64_t rows);

#endif
