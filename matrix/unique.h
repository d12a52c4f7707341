/* A list of sequences of items without repetition: private to matrix/. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/context.h"

struct cgs_unique {
    size_t size; /* of an item */
    int64_t count, room;
    char *items; /* all sequences, one after the other */
    int64_t sequences, places;
    struct cgs_unique_place *place; /* open addressing by hash */
};

/* Hash of a sequence of bytes, a multiple of 4. */
uint64_t cgs_unique_hash(const void *items, int64_t bytes);

/* Makes an empty list; `first` zero items precede the first sequence. */
enum cgs_status cgs_unique_start(struct cgs_context *context, size_t size, int64_t first,
                                 struct cgs_unique *list);

/* Finds these `count` (> 0) items in the list, or appends them; *at: their index. hash: their
 * cgs_unique_hash. CGS_MEMORY. */
enum cgs_status cgs_unique_find(struct cgs_context *context, struct cgs_unique *list, uint64_t hash,
                                const void *items, int64_t count, int64_t *at);

/* Returns the items in memory of exactly their size, owned by the caller, and ends the list. */
enum cgs_status cgs_unique_take(struct cgs_context *context, struct cgs_unique *list, void **items);
void cgs_unique_release(struct cgs_context *context, struct cgs_unique *list);
