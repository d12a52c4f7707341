/* A list of sequences of items, each sequence kept once: private to matrix/. */
#ifndef CGS_MATRIX_UNIQUE_H
#define CGS_MATRIX_UNIQUE_H

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

/* Empty; `first` items of zeros stand before the first sequence. */
enum cgs_status cgs_unique_start(struct cgs_context *context, size_t size, int64_t first,
                                 struct cgs_unique *list);

/* *at: where these `count` (> 0) items stand in the list, which gets them unless it has them.
 * hash: cgs_unique_hash of them. CGS_MEMORY. */
enum cgs_status cgs_unique_find(struct cgs_context *context, struct cgs_unique *list, uint64_t hash,
                                const void *items, int64_t count, int64_t *at);

/* The items alone, in memory of exactly their size, which the caller owns; the list is over. */
enum cgs_status cgs_unique_take(struct cgs_context *context, struct cgs_unique *list, void **items);
void cgs_unique_release(struct cgs_context *context, struct cgs_unique *list);

#endif
