/* What the parts of the CUDA product share (spgemm_rows.cu): factors, classes of rows, and what the
 * host knows of a product under way. */
#ifndef CGS_KERNELS_SPGEMM_SPGEMM_FACTORS_CUH
#define CGS_KERNELS_SPGEMM_SPGEMM_FACTORS_CUH

#include "kernels/device/launch.cuh"
#include "kernels/precision.h"
#include "kernels/sparse.h"

namespace {

/* A and B as kernels see them. */
struct factors {
    const int64_t *a_pointers, *b_pointers;
    const int32_t *a_column, *b_column;
    const real *a_value, *b_value;
    int64_t rows, columns; /* of C */
};

/* A row's class is the room that its table needs: of its products in `count`, of its entries in
 * `fill`. Tables of 32, 64, ... slots are at most three quarters full; what would need more is
 * LONG, a block's, or SORTED, and stays it: so many entries of A or products that it would keep its
 * block busy for long, or spread so thin over the columns that it would look at them for longer. */
enum {
    EMPTY,
    TABLES = 6,
    LONG,
    SORTED,
    CLASSES,
    LEAST_SLOTS = 32,
    LEAST_FULL = 24,
    LEAST_SORTED = LEAST_FULL << (TABLES - 1), /* what has no more products has a table */
    SORTED_LENGTH = 1024, /* a sorted row has more entries of A than this, */
    SORTED_WIDE = 16384,  /* or more products, */
    SORTED_SPREAD = 400,  /* or fewer than one in so many columns */
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

/* Facts of all rows, on their way to the host. Sums and maxima of integers: no order matters.
 */
struct tally {
    unsigned long long products, longest; /* of all rows; of the row that has most */
    unsigned long long entries, fullest;  /* the fullest that is not sorted */
    unsigned rows_of[CLASSES], placed[CLASSES];
};

/* Sorted rows (spgemm_sorted.cuh), in an order that stays, and the batch of them that was sorted
 * last. Numbers: of all these rows, one behind the other. */
struct sorted {
    int64_t count, batches; /* 0: there are none, or a block a row does */
    void *memory, *batch;
    int32_t *rows;
    int64_t *entries, *products;           /* of A, and products, before each row; count + 1 */
    int64_t *host_entries, *host_products; /* the same */
    int64_t *before;                       /* products before each entry; all of these + 1 */
    bool narrow; /* keys have 32 bits, else 64 */
    void *key[2];
    uint32_t *place[2];
    int side; /* of key and place */
    real *value;
    int64_t *tiles, *first; /* entries before each SCAN_TILE products, before each row of the batch */
};

struct work {
    struct cgs_queue *queue;
    struct factors factors;
    int64_t a, products; /* entries of A, products: how long rows of B are where it counts */
    void *memory;
    struct tally *tally;
    int64_t *sums;    /* of tiles of SCAN_TILE rows */
    int32_t *list;    /* rows by class */
    uint8_t *which;   /* class of each row */
    struct tally now; /* on the host: of the stage that is about to launch */
    struct sorted sorted;
};

inline int64_t blocks(int64_t items, int64_t each)
{
    return (items + each - 1) / each;
}

/* Where the next array begins behind so many bytes. */
inline int64_t up(int64_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

/* Entries of a row of B, as the products meet them. */
inline int64_t usual_length(const struct work *work)
{
    return work->a > 0 ? work->products / work->a : 0;
}

} // namespace

#endif
