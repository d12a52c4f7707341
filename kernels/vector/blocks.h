/* Blocks of the sums on the CPU: fixed by the number of rows, whoever adds them up (sum_cpu.h). */
#pragma once

#include <stdint.h>

#include "kernels/queue.h"
#include "matrix/ranks/portion.h"

/* Numbers of a block unless vectors are short: of vector steps (32 KiB of doubles, so that two
 * fit in an L1 cache), and about those of products. */
enum { CGS_VECTOR_BLOCK = 4096, CGS_SPMV_BLOCK = 256 };

/* n numbers in blocks of `size`, a multiple of the smallest one. No block crosses the end of a
 * unit, which has `per_unit` of them: a plane of the mesh where ranks own planes, else a block. */
struct cgs_blocks {
    int64_t n, size, count;
    int64_t unit, per_unit;
};

/* Blocks of `least` numbers, or a power of two times that, to fit the queue's partials. */
static inline struct cgs_blocks cgs_blocks_of(int64_t n, int64_t least)
{
    int64_t size = least;
    while (n / size >= CGS_PARTIALS)
        size *= 2;
    return (struct cgs_blocks){
        .n = n, .size = size, .count = n / size + (n % size != 0), .unit = size, .per_unit = 1};
}

/* Returns the number of blocks of the first `rows` numbers, which end with a unit or are all. */
static inline int64_t cgs_blocks_until(const struct cgs_blocks *blocks, int64_t rows)
{
    return (rows / blocks->unit + (rows % blocks->unit != 0)) * blocks->per_unit;
}

/* Least size of a block for n numbers in all: a power of two that makes at least 64 blocks,
 * between 32 numbers and `most`, so that ranks can share small sums, too. */
static inline int64_t cgs_block_least(int64_t n, int64_t most)
{
    int64_t size = 32;
    while (size < most && 2 * size <= n / 64)
        size *= 2;
    return size;
}

/* Least size of a block of products, for chunks of that many rows. */
static inline int64_t cgs_spmv_block_least(int64_t n, int64_t chunk)
{
    return (cgs_block_least(n, CGS_SPMV_BLOCK) + chunk - 1) / chunk * chunk;
}

/* Blocks of the n numbers of a rank: of the size that the whole has. portion NULL: n is all. */
static inline struct cgs_blocks cgs_blocks_here(const struct cgs_portion *portion, int64_t n,
                                                int64_t least)
{
    const int64_t size = cgs_blocks_of(portion ? portion->whole : n, least).size;
    return (struct cgs_blocks){
        .n = n, .size = size, .count = n / size + (n % size != 0), .unit = size, .per_unit = 1};
}

/* The same for whole planes: blocks end where planes do. */
static inline struct cgs_blocks cgs_blocks_of_planes(const struct cgs_portion *portion, int64_t n,
                                                     int64_t plane, int64_t least)
{
    const int64_t planes = (portion ? portion->whole : n) / plane;
    int64_t size = least;
    while (planes * ((plane + size - 1) / size) > CGS_PARTIALS)
        size *= 2;
    const int64_t per_unit = (plane + size - 1) / size;
    return (struct cgs_blocks){
        .n = n, .size = size, .count = n / plane * per_unit, .unit = plane, .per_unit = per_unit};
}

/* Least common multiple. */
static inline int64_t cgs_blocks_both(int64_t a, int64_t b)
{
    int64_t x = a, y = b;
    while (y != 0) {
        const int64_t rest = x % y;
        x = y;
        y = rest;
    }
    return a / x * b;
}

/* Returns the rows of which ranks own whole multiples: no block of a vector or product of n rows
 * is then cut, and none of the windows in which they are sorted. chunk: rows of a unit. */
static inline int64_t cgs_blocks_unit(int64_t n, int64_t chunk, int64_t sigma)
{
    const int64_t vectors = cgs_blocks_of(n, cgs_block_least(n, CGS_VECTOR_BLOCK)).size;
    const int64_t products = cgs_blocks_of(n, cgs_spmv_block_least(n, chunk)).size;
    return cgs_blocks_both(cgs_blocks_both(vectors, products), sigma);
}
