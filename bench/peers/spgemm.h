/* Interface of a library in bench/peers/peer_spgemm: C = A A in single precision, A in CRS with
 * columns ascending. One struct a library; peer_spgemm skips libraries that configure did not find.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

/* n x n; row i has entries start[i] ... start[i + 1] - 1. Borrowed. */
struct peer_matrix {
    int64_t n;
    const int64_t *start;
    const int32_t *column;
    const float *value;
};

/* Wall-clock seconds, and CPU seconds of all threads, which are more reliable on a shared
 * machine. */
struct peer_seconds {
    double wall, work;
};

static inline struct peer_seconds peer_now(void)
{
    struct timespec wall, work;
    struct peer_seconds now;
    clock_gettime(CLOCK_MONOTONIC, &wall);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &work);
    now.wall = (double)wall.tv_sec + 1e-9 * (double)wall.tv_nsec;
    now.work = (double)work.tv_sec + 1e-9 * (double)work.tv_nsec;
    return now;
}

static inline struct peer_seconds peer_since(struct peer_seconds from)
{
    struct peer_seconds now = peer_now();
    now.wall -= from.wall;
    now.work -= from.work;
    return now;
}

/* Properties of a product for comparison. */
struct peer_product {
    struct peer_seconds seconds; /* from A to C, allocations included, without freeing C */
    int64_t entries;
    double sum; /* of all values, in double */
};

struct peer_multiplier {
    const char *name;
    bool threaded;                               /* false: runs on one thread always */
    void *(*begin)(const struct peer_matrix *a); /* the library's own A; NULL: failed */
    /* Returns false on failure, perhaps of memory. sorted: columns of C ascend. */
    bool (*multiply)(void *self, int threads, bool sorted, struct peer_product *product);
    void (*end)(void *self);
};

extern const struct peer_multiplier peer_graphblas, peer_eigen;

#ifdef __cplusplus
}
#endif
