/* Sequences without repetition: found by hash, compared byte by byte. */
#include "matrix/unique.h"

#include <string.h>

#include "base/memory.h"

struct cgs_unique_place {
    uint64_t hash;
    int64_t at, count; /* count 0: free */
};

enum { PLACES = 1024, ROOM = 1024 };

static const char WHAT[] = "patterns of the matrix";

uint64_t cgs_unique_hash(const void *items, int64_t bytes)
{
    const char *at = items;
    uint64_t hash = (uint64_t)bytes;
    for (int64_t i = 0; i < bytes; i += 4) {
        uint32_t word;
        memcpy(&word, at + i, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 32;
    }
    return hash;
}

static enum cgs_status make_places(struct cgs_context *context, int64_t count,
                                   struct cgs_unique_place **place)
{
    CGS_TRY(cgs_alloc(context, count, sizeof **place, WHAT, (void **)place));
    for (int64_t i = 0; i < count; i++)
        (*place)[i].count = 0;
    return CGS_OK;
}

enum cgs_status cgs_unique_start(struct cgs_context *context, size_t size, int64_t first,
                                 struct cgs_unique *list)
{
    struct cgs_unique made = {.size = size, .count = first, .room = ROOM, .places = PLACES};
    CGS_TRY(make_places(context, PLACES, &made.place));
    const enum cgs_status status = cgs_alloc(context, ROOM, size, WHAT, (void **)&made.items);
    if (status != CGS_OK) {
        cgs_free(context, made.place);
        return status;
    }
    memset(made.items, 0, (size_t)first * size);
    *list = made;
    return CGS_OK;
}

static void put(struct cgs_unique *list, const struct cgs_unique_place *place)
{
    uint64_t i = place->hash & (uint64_t)(list->places - 1);
    while (list->place[i].count != 0)
        i = (i + 1) & (uint64_t)(list->places - 1);
    list->place[i] = *place;
}

static enum cgs_status more_places(struct cgs_context *context, struct cgs_unique *list)
{
    struct cgs_unique_place *old = list->place, *place;
    const int64_t count = list->places;
    CGS_TRY(make_places(context, 2 * count, &place));
    list->place = place;
    list->places = 2 * count;
    for (int64_t i = 0; i < count; i++)
        if (old[i].count != 0)
            put(list, &old[i]);
    cgs_free(context, old);
    return CGS_OK;
}

static enum cgs_status more_room(struct cgs_context *context, struct cgs_unique *list, int64_t need)
{
    int64_t room = 2 * list->room;
    char *items;
    while (room < need)
        room *= 2;
    CGS_TRY(cgs_alloc(context, room, list->size, WHAT, (void **)&items));
    memcpy(items, list->items, (size_t)list->count * list->size);
    cgs_free(context, list->items);
    list->items = items;
    list->room = room;
    return CGS_OK;
}

enum cgs_status cgs_unique_find(struct cgs_context *context, struct cgs_unique *list, uint64_t hash,
                                const void *items, int64_t count, int64_t *at)
{
    const size_t bytes = (size_t)count * list->size;
    for (uint64_t i = hash;; i++) {
        const struct cgs_unique_place *place = &list->place[i & (uint64_t)(list->places - 1)];
        if (place->count == 0)
            break;
        if (place->hash == hash && place->count == count &&
            memcmp(list->items + (size_t)place->at * list->size, items, bytes) == 0) {
            *at = place->at;
            return CGS_OK;
        }
    }
    if (2 * list->sequences >= list->places)
        CGS_TRY(more_places(context, list));
    if (list->count + count > list->room)
        CGS_TRY(more_room(context, list, list->count + count));
    memcpy(list->items + (size_t)list->count * list->size, items, bytes);
    put(list, &(struct cgs_unique_place){.hash = hash, .at = list->count, .count = count});
    *at = list->count;
    list->count += count;
    list->sequences++;
    return CGS_OK;
}

enum cgs_status cgs_unique_take(struct cgs_context *context, struct cgs_unique *list, void **items)
{
    void *taken;
    CGS_TRY(cgs_alloc(context, list->count, list->size, WHAT, &taken));
    memcpy(taken, list->items, (size_t)list->count * list->size);
    cgs_unique_release(context, list);
    *items = taken;
    return CGS_OK;
}

void cgs_unique_release(struct cgs_context *context, struct cgs_unique *list)
{
    cgs_free(context, list->items);
    cgs_free(context, list->place);
    list->items = NULL;
    list->place = NULL;
}
