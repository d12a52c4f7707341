/* Traversal of the points by the CPU's matrix-free operators: threads, planes, tiles. These are all
 * planes of the box, or on several ranks those of this one (matrix/ranks/portion.h), with those of
 * ghosts on either side.
 *
 * Each thread has a slab of planes z and marches through it in z, one tile of lines y after the
 * other, so that the three planes of a tile stay in its second-level cache:
 *
 *     for each tile: for each plane of the slab: for each line of the tile
 *
 * Planes that read ghosts come after all others of their slab, when the ghosts have come
 * (arrival.h).
 *
 * Sums are taken per tile of each plane and added in a fixed tree (sum_cpu.h). Tiles depend only on
 * the box: the same bits for any number of threads.
 */
#pragma once

#include <omp.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/integers.h"
#include "fem/element/element.h"
#include "kernels/arrival.h"
#include "kernels/kernel.h"
#include "kernels/matrix_free/free.h"
#include "kernels/precision.h"
#include "kernels/vector/blocks.h"
#include "matrix/ranks/portion.h"

enum { CGS_TILE_BYTES = 512 << 10, CGS_TILE_LINES = 8 }; /* the planes of a tile; minimum */

struct cgs_tiles {
    int64_t n[3];         /* unknowns in x, y, z */
    int64_t lines, count; /* lines of a tile, tiles of a plane */
    struct cgs_planes_here planes;
    const struct cgs_portion *portion; /* borrowed; NULL: all planes */
};

/* Tiles of which `planes` planes fit into the cache. n[2] <= CGS_PARTIALS (cgs_free_accepts) */
static inline struct cgs_tiles cgs_tiles_of_planes(const int64_t n[3], int planes,
                                                   const struct cgs_portion *portion)
{
    int64_t lines = CGS_TILE_BYTES / (planes * n[0] * (int64_t)sizeof(real));
    lines = lines < CGS_TILE_LINES ? CGS_TILE_LINES : lines > n[1] ? n[1] : lines;
    while (n[2] * ((n[1] + lines - 1) / lines) > CGS_PARTIALS)
        lines *= 2;
    return (struct cgs_tiles){.n = {n[0], n[1], n[2]},
                              .lines = lines,
                              .count = (n[1] + lines - 1) / lines,
                              .planes = cgs_planes_of(portion, n),
                              .portion = portion};
}

static inline struct cgs_tiles cgs_tiles_of(const int64_t n[3], const struct cgs_portion *portion)
{
    return cgs_tiles_of_planes(n, 3, portion);
}

/* The sums of a traversal: one a tile. */
static inline struct cgs_blocks cgs_blocks_of_tiles(const struct cgs_tiles *tiles)
{
    const int64_t plane = tiles->n[0] * tiles->n[1];
    return (struct cgs_blocks){.n = tiles->planes.count * plane,
                               .size = tiles->lines * tiles->n[0],
                               .count = tiles->planes.count * tiles->count,
                               .unit = plane,
                               .per_unit = tiles->count};
}

/* Part of a plane: lines begin ... end - 1 of a tile. */
struct cgs_tile {
    int64_t begin, end;
};

static inline struct cgs_tile cgs_tile_of(const struct cgs_tiles *tiles, int64_t tile)
{
    const int64_t begin = tile * tiles->lines, end = begin + tiles->lines;
    return (struct cgs_tile){begin, end < tiles->n[1] ? end : tiles->n[1]};
}

/* Number of threads for a step over the box: one if waking the others takes longer than the
 * step. */
enum { CGS_ALONE_ROWS = 16 * 16 * 16 };

static inline int cgs_threads_for(const struct cgs_queue *queue, const int64_t n[3])
{
    return n[0] * n[1] * n[2] < CGS_ALONE_ROWS ? 1 : queue->context->threads;
}

/* The planes begin ... end - 1 of the calling thread of a parallel region. */
struct cgs_slab {
    int64_t begin, end;
};

static inline struct cgs_slab cgs_slab_of_thread(int64_t planes)
{
    const int64_t thread = omp_get_thread_num(), threads = omp_get_num_threads();
    return (struct cgs_slab){planes * thread / threads, planes * (thread + 1) / threads};
}

/* Returns the planes of a slab that read no ghosts. */
static inline struct cgs_slab cgs_slab_inner(const struct cgs_planes_here *planes,
                                             struct cgs_slab slab)
{
    slab.begin = cgs_least(cgs_most(slab.begin, planes->inner_first), slab.end);
    slab.end = cgs_most(cgs_least(slab.end, planes->inner_last), slab.begin);
    return slab;
}

/* The planes of a slab in the order of a march: those that read no ghosts, the first ones and the
 * last ones that do. */
enum { CGS_MARCH_PARTS = 3 };

/* Position in the calling thread's march through its slab: plane z of tile t. */
struct cgs_march {
    const struct cgs_tiles *tiles;
    struct cgs_arrival *arrival;
    struct cgs_slab part[CGS_MARCH_PARTS];
    int at; /* part */
    struct cgs_tile tile;
    int64_t t, z;
};

/* Goes before the first plane of a part. */
static inline void cgs_march_enter(struct cgs_march *march, int part)
{
    march->at = part;
    march->t = -1;
    march->z = march->part[part].end - 1;
}

/* arrival: of the ghosts that are read; NULL: they are there. */
static inline struct cgs_march cgs_march_of_thread(const struct cgs_tiles *tiles,
                                                   struct cgs_arrival *arrival)
{
    const struct cgs_slab slab = cgs_slab_of_thread(tiles->planes.count);
    const struct cgs_slab inner = cgs_slab_inner(&tiles->planes, slab);
    struct cgs_march march = {
        .tiles = tiles,
        .arrival = arrival,
        .part = {inner, {slab.begin, inner.begin}, {inner.end, slab.end}},
    };
    cgs_march_enter(&march, 0);
    return march;
}

/* Advances to the next plane or tile of the part; returns false at its end. */
static inline bool cgs_march_within(struct cgs_march *march)
{
    const struct cgs_slab *part = &march->part[march->at];
    if (part->begin == part->end)
        return false;
    if (++march->z < part->end)
        return true;
    if (++march->t == march->tiles->count)
        return false;
    march->tile = cgs_tile_of(march->tiles, march->t);
    march->z = part->begin;
    return true;
}

/* Advances to the next plane or tile; returns false at the end. */
static inline bool cgs_march_on(struct cgs_march *march)
{
    cgs_arrival_progress(march->arrival);
    while (!cgs_march_within(march)) {
        if (march->at == CGS_MARCH_PARTS - 1)
            return false;
        if (march->at == 0)
            cgs_arrival_await(march->arrival, march->part[1].begin < march->part[1].end ||
                                                  march->part[2].begin < march->part[2].end);
        cgs_march_enter(march, march->at + 1);
    }
    return true;
}

/* Index of the march's sum among the partial sums. */
static inline int64_t cgs_march_place(const struct cgs_march *march)
{
    return march->z * march->tiles->count + march->t;
}

/* Layout of vectors: natural order, sums by planes. */
static inline void cgs_planes_layout(const struct cgs_matrix *matrix, struct cgs_layout *domain,
                                     struct cgs_layout *range)
{
    domain->plane = range->plane = cgs_mesh_plane(matrix->mesh);
}
