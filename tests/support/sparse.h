/* For tests of kernels/sparse.h and of what is made of it: matrices in plain arrays, and their way
 * to a device and back. */
#pragma once

#include "kernels/sparse.h"
#include "tests/support/support.h"

#define SMMP_NUMBER double
#include "tests/support/smmp.h"

/* Lengths of the rows of a made matrix. */
enum lengths {
    NO_ENTRIES,
    THREE,
    UP_TO_NINE,  /* 0 ... 9 at random */
    THIRDS,      /* 5 in every third row, else none */
    FULL_ROW,    /* one row full, else 2 */
    FULL_COLUMN, /* column 0 and 2 more */
    ALL,
    HALVING /* columns / (i + 1), at most 3000 */
};

/* Entry k of `length` lies at random in columns k columns / length ... (k + 1) columns / length -
 * 1; values are random in [-1, 1), rounded to the number type. */
struct smmp smmp_make(int64_t rows, int64_t columns, enum lengths lengths, enum cgs_number number,
                      uint64_t seed);
/* Row i has columns i - reach ... i + reach, those that there are; of each `every`-th row (0:
 * none) only each second one of them. Values as above. */
struct smmp smmp_band(int64_t rows, int64_t columns, int64_t reach, int64_t every,
                      enum cgs_number number, uint64_t seed);
/* The same matrix, rounded; `plain` is taken. */
struct smmp smmp_of(struct plain *plain, enum cgs_number number);
/* cgs_random_create's. */
struct smmp smmp_random(int64_t n, double density, bool powerlaw, enum cgs_number number);

/* To the device, and back. */
struct cgs_sparse sparse_send(const struct smmp *m, enum cgs_number number);
struct cgs_crs sparse_fetch(const struct cgs_sparse *m, enum cgs_number number);
/* Rows first ... last - 1, borrowed. */
struct cgs_sparse sparse_rows(const struct cgs_sparse *m, enum cgs_number number, int64_t first,
                              int64_t last);

/* Columns of every row ascend from now on: what was left unsorted is compared as a set. */
void crs_order(struct cgs_crs *crs);
/* `got` has the structure of rows first ... of `right`; values differ by at most tolerance
 * bound[e], e an entry of `right`; by nothing where bound is NULL. `words` say what it is. */
void crs_compare(const char *words, const struct cgs_crs *got, const struct smmp *right,
                 int64_t first, double tolerance, const double *bound);
void crs_same_bits(const char *words, const struct cgs_crs *one, const struct cgs_crs *other);
