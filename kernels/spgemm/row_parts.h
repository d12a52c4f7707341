/* Rows of C that are made once, before it is known where they will stand: a thread makes the rows of a
 * part in a buffer of its own, which its cache holds, and copies them when all parts before have told
 * how many entries they have:
 *
 *     thread 0   make part 0 | copy | make part 2       | copy
 *     thread 1   make part 1     | copy | make part 3 ...
 *
 * Where a part belongs is an exclusive prefix sum, made in the order of parts. One thread makes rows in
 * their place.
 */
#ifndef CGS_KERNELS_SPGEMM_ROW_PARTS_H
#define CGS_KERNELS_SPGEMM_ROW_PARTS_H

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/precision.h"
#include "kernels/spgemm/structure.h"

/* Of all threads, or of one. */
struct buffers {
    int32_t *column;
    real *sum;
};

static const char buffers_what[] = "rows of the product";

/* Entries of a part, at most. */
static inline int64_t part_entries(int64_t products)
{
    return products < CGS_PART_ENTRIES ? products : CGS_PART_ENTRIES;
}

static inline void plan_buffers(const struct cgs_spgemm_size *size, int threads,
                                struct cgs_plan *plan)
{
    cgs_plan_add(plan, CGS_HOST, buffers_what,
                 threads == 1 ? 0 : cgs_bytes(part_entries(size->products), threads),
                 (int64_t)(sizeof(int32_t) + sizeof(real)));
}

/* What a failure has left is for release_buffers. */
static inline enum cgs_status make_buffers(const struct cgs_structure *s, struct buffers *buffers)
{
    const int64_t entries = cgs_bytes(part_entries(s->list.products[s->list.count]), s->threads);
    CGS_TRY(cgs_alloc(s->context, entries, sizeof *buffers->column, buffers_what,
                      (void **)&buffers->column));
    return cgs_alloc(s->context, entries, sizeof *buffers->sum, buffers_what,
                     (void **)&buffers->sum);
}

static inline void release_buffers(struct cgs_context *context, struct buffers *buffers)
{
    cgs_free(context, buffers->sum);
    cgs_free(context, buffers->column);
}

static inline struct buffers buffers_of(const struct cgs_structure *s, const struct buffers *all,
                                        int thread)
{
    const int64_t before = thread * part_entries(s->list.products[s->list.count]);
    return (struct buffers){all->column + before, all->sum + before};
}

/* Parts are taken, and tell their entries, in their order: whoever waits for an earlier one waits for a
 * thread that is at work on it. */
struct turns {
    atomic_llong taken, told;
    int64_t entries; /* of the parts that have told theirs */
};

static inline int64_t next_part(struct turns *turns)
{
    return atomic_fetch_add_explicit(&turns->taken, 1, memory_order_relaxed);
}

/* Looks at an earlier part's turn before other threads are let in; they may be more than processors. */
enum { CGS_TURN_LOOKS = 100 };

/* Tells the entries of part p. Returns those of all parts before. */
static inline int64_t wait_turn(struct turns *turns, int64_t p, int64_t entries)
{
    for (int look = 0; atomic_load_explicit(&turns->told, memory_order_acquire) < p; look++)
        if (look >= CGS_TURN_LOOKS)
            sched_yield();
    const int64_t before = turns->entries;
    turns->entries = before + entries;
    atomic_store_explicit(&turns->told, p + 1, memory_order_release);
    return before;
}

/* The rows of a part, with pointers from the part's first entry on, to where they belong: entry `to`. */
static inline void place_part(const struct buffers *made, const struct cgs_part *part, int64_t to,
                              int64_t entries, const struct cgs_sparse *c)
{
    memcpy(c->column + to, made->column, (size_t)entries * sizeof *c->column);
    memcpy((real *)c->value + to, made->sum, (size_t)entries * sizeof(real));
    for (int64_t i = part->begin; i < part->end; i++)
        c->pointers[i + 1] += to;
}

#endif
