/* Turning a box among ranks, whose slabs have all of a line in x and y, and a piece of one in z.
 *
 *     slab      planes z of the rank,   all lines along z      transforms along x and y
 *     lines     all planes,             lines of the rank      solves along z
 *
 * Rank r has the planes that begin in its part of the vector, and as many units of lines, next to
 * each other in a plane, as the others. To turn a vector over, each rank sends each other one a
 * block, its planes of the other's lines; the same blocks go the other way to turn it back. In
 * `lines` a plane follows the other, so that the blocks lie there one after another; those of a
 * slab are packed:
 *
 *     packed    for each rank: planes of this one, lines of that one
 *
 * A rank of P sends (P - 1) / P of its slab each time, 8 bytes an unknown in double, and as much
 * comes. Ranks without planes or without lines have blocks of nothing.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/comm.h"
#include "base/linkage.h"
#include "base/plan.h"
#include "kernels/fdm.h"
#include "kernels/space.h"

CGS_BEGIN_C

/* The cut of a box among ranks. A process alone (cuts NULL) has one slab, which is its lines. */
struct cgs_turn_shape {
    int64_t n[3];  /* unknowns of the box */
    int64_t plane; /* numbers of a plane in memory: a vector's padding is turned, too */
    int64_t unit;  /* numbers of a plane that stay together, set by the device */
    int64_t bytes; /* of a number */
    int rank, ranks;
    const int64_t *cuts; /* rank r has numbers cuts[r] ... cuts[r + 1] - 1 of a vector; borrowed */
};

/* Block of ranks a and b in bytes: planes of a, lines of b. */
struct cgs_turn_block {
    int64_t planes, run;        /* planes, and bytes of one */
    int64_t in_slab, slab_step; /* of a: of the first plane, and from each to the next */
    int64_t in_packed;          /* of a */
    int64_t in_lines;           /* of b */
};

/* First plane of rank r, and of r = ranks the one after all. */
CGS_INLINE int64_t cgs_turn_plane(const struct cgs_turn_shape *s, int r)
{
    const int64_t plane = s->n[0] * s->n[1];
    return s->cuts ? (s->cuts[r] + plane - 1) / plane : r * s->n[2];
}

/* The same of its lines, numbers of a plane. */
CGS_INLINE int64_t cgs_turn_line(const struct cgs_turn_shape *s, int r)
{
    const int64_t units = (s->plane + s->unit - 1) / s->unit,
                  first = units * r / s->ranks * s->unit;
    return first < s->plane ? first : s->plane;
}

/* Planes and lines of this rank. */
CGS_INLINE int64_t cgs_turn_planes(const struct cgs_turn_shape *s)
{
    return cgs_turn_plane(s, s->rank + 1) - cgs_turn_plane(s, s->rank);
}

CGS_INLINE int64_t cgs_turn_lines(const struct cgs_turn_shape *s)
{
    return cgs_turn_line(s, s->rank + 1) - cgs_turn_line(s, s->rank);
}

CGS_INLINE int64_t cgs_turn_slab_bytes(const struct cgs_turn_shape *s)
{
    return cgs_turn_planes(s) * s->plane * s->bytes;
}

CGS_INLINE int64_t cgs_turn_lines_bytes(const struct cgs_turn_shape *s, int r)
{
    return s->n[2] * (cgs_turn_line(s, r + 1) - cgs_turn_line(s, r)) * s->bytes;
}

CGS_INLINE struct cgs_turn_block cgs_turn_block(const struct cgs_turn_shape *s, int a, int b)
{
    struct cgs_turn_block block;
    const int64_t first = cgs_turn_plane(s, a), line = cgs_turn_line(s, b);
    block.planes = cgs_turn_plane(s, a + 1) - first;
    block.run = (cgs_turn_line(s, b + 1) - line) * s->bytes;
    block.in_slab = line * s->bytes;
    block.slab_step = s->plane * s->bytes;
    block.in_packed = block.planes * line * s->bytes;
    block.in_lines = first * block.run;
    return block;
}

/* Returns the shape of the vectors of a space for a box of n unknowns, all but the unit. */
struct cgs_turn_shape cgs_turn_shape_of(const struct cgs_space *space, const int64_t n[3]);

/* Returns whether no rank is cut within a plane. */
bool cgs_turn_of_whole_planes(const struct cgs_turn_shape *shape);

/* Lists the messages that turn a vector over, from packed blocks to lines, or back; returns their
 * number, at most 2 (P - 1). */
int cgs_turn_messages(const struct cgs_turn_shape *shape, bool over, char *packed, char *lines,
                      struct cgs_message *messages);

/* ---- vectors in the host's memory ---- */

/* Room to turn them. */
struct cgs_turn;

/* *turn is owned by the caller; of a process alone NULL, which the functions below allow: they
 * then give y. CGS_MEMORY. */
enum cgs_status cgs_turn_create(struct cgs_context *context, const struct cgs_turn_shape *shape,
                                struct cgs_turn **turn);
void cgs_turn_release(struct cgs_turn *turn);
/* Adds what `create` takes. */
void cgs_turn_plan(struct cgs_plan *plan, const struct cgs_turn_shape *shape);

/* Returns the slab that the first pass makes of the one in *from: y of x, unless ranks are cut
 * within planes, which are then completed. On all ranks at once, as are all steps below. */
void *cgs_turn_begin(const struct cgs_turn *turn, const void *x, void *y, const void **from);
void *cgs_turn_over(const struct cgs_turn *turn, void *slab); /* returns the lines */
void cgs_turn_back(const struct cgs_turn *turn, void *slab);
void cgs_turn_end(const struct cgs_turn *turn, const void *slab, void *y);

CGS_END_C
