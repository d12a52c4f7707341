/* Storage of compressed SELL in host memory. */
#include "base/memory.h"
#include "matrix/sellc/sellc.h"
#include "matrix/sellc/sellc_store.h"

/* Data of one piece, after a header of one cache line. */
struct cgs_sellc_block {
    struct cgs_sellc_block *next;
};

static enum cgs_status store_room(void *self, int64_t bytes, void **write, uint64_t *address)
{
    struct cgs_sellc_store *store = self;
    struct cgs_sellc_block *block;
    CGS_TRY(
        cgs_alloc(store->context, bytes + CGS_ALIGNMENT, 1, "matrix, compressed", (void **)&block));
    block->next = store->blocks;
    store->blocks = block;
    *write = (char *)block + CGS_ALIGNMENT;
    *address = (uint64_t)(uintptr_t)*write;
    return CGS_OK;
}

static enum cgs_status store_done(void *self, int64_t bytes)
{
    (void)self, (void)bytes;
    return CGS_OK;
}

struct cgs_sellc_sink cgs_sellc_into(struct cgs_sellc_store *store)
{
    return (struct cgs_sellc_sink){.self = store, .room = store_room, .done = store_done};
}

void cgs_sellc_store_release(struct cgs_sellc_store *store)
{
    for (struct cgs_sellc_block *block = store->blocks, *next; block; block = next) {
        next = block->next;
        cgs_free(store->context, block);
    }
    store->blocks = NULL;
}
