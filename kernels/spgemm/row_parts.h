/* Rows of C computed once, before their position is known: a thread computes the rows of a part in
 * its own buffer, which fits into its cache, and copies them when all earlier parts have announced
 * their numbers of entries:
 *
 *     thread 0   make part 0 | copy | make part 2       | copy
 *     thread 1   make part 1     | copy | make part 3 ...
 *
 * The position of a part is an exclusive prefix sum, made in the order of parts. A single thread
 * computes rows in place.
 */
#pragma once

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/precision.h"
#include "kernels/spgemm/structure.h"

/* Buffers of all threads, or of one. */
struct buffers {
    int32_t *column;
    real *sum;
};

static const char buffers_what[] = "rows of the product";

/* Upper bound of the entries of a part. */
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

/* To be released by release_buffers, even after a failure. */
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

/* Parts are taken, and announce their entries, in order: whoever waits for an earlier part waits
 * for a thread that is working on it. */
struct turns {
    atomic_llong taken, told;
    int64_t entries; /* of all announced parts */
};

static inline int64_t next_part(struct turns *turns)
{
    return atomic_fetch_add_explicit(&turns->taken, 1, memory_order_relaxed);
}

/* Spins before yielding: with more threads than cores the predecessor may not be running. */
enum { CGS_TURN_LOOKS = 100 };

/* Announces the entries of part p. Returns those of all earlier parts. */
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

/* Copies a part's rows, with pointers relative to its first entry, to their position, entry
 * `to`. */
static inline void place_part(const struct buffers *made, const struct cgs_part *part, int64_t to,
                              int64_t entries, const struct cgs_sparse *c)
{
    memcpy(c->column + to, made->column, (size_t)entries * sizeof *c->column);
    memcpy((real *)c->value + to, made->sum, (size_t)entries * sizeof(real));
    for (int64_t i = part->begin; i < part->end; i++)
        c->pointers[i + 1] += to;
}
