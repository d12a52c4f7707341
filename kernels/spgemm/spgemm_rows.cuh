/* What the parts of the CUDA product share (spgemm_rows.cu): factors, classes of rows, and what the
 * host knows of a product under way. */
#ifndef CGS_KERNELS_SPGEMM_ROWS_CUH
#define CGS_KERNELS_SPGEMM_ROWS_CUH

#include "kernels/device/cuda.cuh"
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
 * LONG, a block's. A HUB, and it stays one, is a row that would keep its block busy for long, by very
 * many entries of A or products, or make the others' windows narrow (the fullest row sets them): many
 * blocks have a share of its columns each. */
enum {
    EMPTY,
    TABLES = 6,
    LONG,
    HUB,
    CLASSES,
    LEAST_SLOTS = 32,
    LEAST_FULL = 24,
    HUB_LEAST = 1024,  /* products that any hub exceeds: a plan knows where there is none */
    HUB_LENGTH = 1024, /* a hub has more entries of A than this, */
    HUB_WIDE = 16384,  /* or more products than this */
};

__host__ __device__ inline int slots_of(int which)
{
    return LEAST_SLOTS << (which - 1);
}

__device__ inline bool is_hub(int64_t length, unsigned long long products)
{
    return products > HUB_LEAST && (length > HUB_LENGTH || products > HUB_WIDE);
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
    unsigned long long entries, fullest;  /* the fullest that is no hub */
    unsigned rows_of[CLASSES], placed[CLASSES];
};

/* Hubs (spgemm_hubs.cuh): windows of their columns, which are `width` wide, the last one less. */
struct hubs {
    int64_t count; /* 0: there are none, or a block a row does */
    int windows, width;
    int32_t *rows;  /* device; in an order that stays */
    int32_t *parts; /* entries of each hub's windows */
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
    struct hubs hubs;
};

inline int64_t blocks(int64_t items, int64_t each)
{
    return (items + each - 1) / each;
}

/* Entries of a row of B, as the products meet them. */
inline int64_t usual_length(const struct work *work)
{
    return work->a > 0 ? work->products / work->a : 0;
}

} // namespace

#endif
