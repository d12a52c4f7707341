/* Shared by the parts of the CUDA product (spgemm_rows.cu): factors, classes of rows, and the
 * host's data of a product in progress. */
#pragma once

#include "kernels/device/launch.cuh"
#include "kernels/precision.h"
#include "kernels/sparse.h"

namespace {

/* A and B as arguments of kernels. */
struct factors {
    const int64_t *a_pointers, *b_pointers;
    const int32_t *a_column, *b_column;
    const real *a_value, *b_value;
    int64_t rows, columns; /* of C */
};

/* Class of a row by the size of its table: for its products in `count`, for its entries in `fill`.
 * Tables of 32, 64, ... slots are at most three quarters full. Larger rows are LONG, done by a
 * block, or SORTED, and stay so: they have so many entries of A or products that they would keep a
 * block busy for long, or are so sparse that scanning the columns would take longer. */
enum {
    EMPTY,
    TABLES = 6,
    LONG,
    SORTED,
    CLASSES,
    LEAST_SLOTS = 32,
    LEAST_FULL = 24,
    LEAST_SORTED = LEAST_FULL << (TABLES - 1), /* a row with no more products has a table */
    SORTED_LENGTH = 1024,                      /* a sorted row has more entries of A than this, */
    SORTED_WIDE = 16384,                       /* or more products, */
    SORTED_SPREAD = 400,                       /* or fewer than one in so many columns */
};

__host__ __device__ inline int slots_of(int which)
{
    return LEAST_SLOTS << (which - 1);
}

__device__ inline bool is_sorted(int64_t length, int64_t products, int64_t columns)
{
    return products > LEAST_SORTED && (length > SORTED_LENGTH || products > SORTED_WIDE ||
                                       products < columns / SORTED_SPREAD);
}

__device__ inline int class_of(int64_t most)
{
    if (most == 0)
        return EMPTY;
    int which = 1;
    while (which < LONG && most > (int64_t)LEAST_FULL << (which - 1))
        which++;
    return which;
}

/* Totals of all rows, sent to the host. Sums and maxima of integers do not depend on the order. */
struct tally {
    unsigned long long products, longest; /* of all rows; of the longest row */
    unsigned long long entries, fullest;  /* of the fullest row that is not sorted */
    unsigned rows_of[CLASSES], placed[CLASSES];
};

/* Sorted rows (spgemm_sorted.cuh) in a fixed order, and the batch sorted last. Numbers count
 * through all these rows. */
struct sorted {
    int64_t count, batches; /* 0: none, or left to a block a row */
    void *memory, *batch;
    int32_t *rows;
    int64_t *entries, *products;           /* entries of A, and products, before each row; count +
                                              1 */
    int64_t *host_entries, *host_products; /* host copies */
    int64_t *before;                       /* products before each entry; entries + 1 */
    bool narrow; /* keys have 32 bits, else 64 */
    void *key[2];
    uint32_t *place[2];
    int side; /* of key and place */
    real *value;
    int64_t *tiles, *first; /* entries before each SCAN_TILE products, and before each row of the
                               batch */
};

struct work {
    struct cgs_queue *queue;
    struct factors factors;
    int64_t a, products; /* entries of A, products: estimate the lengths of rows of B */
    void *memory;
    struct tally *tally;
    int64_t *sums;    /* of tiles of SCAN_TILE rows */
    int32_t *list;    /* rows by class */
    uint8_t *which;   /* class of each row */
    struct tally now; /* on the host: of the stage to be launched */
    struct sorted sorted;
};

inline int64_t blocks(int64_t items, int64_t each)
{
    return (items + each - 1) / each;
}

/* Offset of the next array after so many bytes. */
inline int64_t up(int64_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

/* Mean number of entries of a row of B, weighted by use. */
inline int64_t usual_length(const struct work *work)
{
    return work->a > 0 ? work->products / work->a : 0;
}

} // namespace
