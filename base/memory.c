/* Host memory: counted blocks.
 *
 * A block is a header of one cache line with the data behind it:
 *
 *     base                base + 64
 *     | header | padding  | data, 64-aligned ...               |
 *
 * Blocks below 4 MB come from the C library. Larger ones are mappings of their own, so that their
 * pages are untouched at first and return to the system when freed. A mapping starts on a 2 MB
 * boundary, and its whole 2 MB pages are advised as huge pages (fewer TLB misses in CG's streams);
 * the rest has small pages, so that at most one small page more than requested becomes resident,
 * and planned memory equals measured memory. A room may have huge pages throughout; settling cuts
 * it to this form.
 */
#include "base/memory.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HUGE_PAGE = 1 << 21, MAPPED_FROM = 1 << 22 };

static const int64_t MORE_THAN_ANY = INT64_C(1) << 60; /* bytes: beyond every address space */

static const uint64_t BLOCK_MARK = UINT64_C(0x6b636f6c42736763); /* "cgsBlock" */

struct header {
    uint64_t mark; /* BLOCK_MARK while allocated */
    int64_t size;  /* bytes of data counted in the context; 0 for a room */
    int64_t room;  /* initial size of a room in bytes */
    size_t mapped; /* length of the mapping, 0 for a block of the C library */
};

static_assert(sizeof(struct header) <= CGS_ALIGNMENT, "the header has to fit before the data");

static size_t round_up(size_t size, size_t multiple)
{
    return (size + multiple - 1) / multiple * multiple;
}

/* Maps `length` bytes on a 2 MB boundary; NULL if the system refuses. */
static void *map_pages(size_t length)
{
    char *raw =
        mmap(NULL, length + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == MAP_FAILED)
        return NULL;
    const size_t before = round_up((uintptr_t)raw, HUGE_PAGE) - (uintptr_t)raw;
    char *base = raw + before;
    if (before > 0)
        munmap(raw, before);
    if (before < HUGE_PAGE)
        munmap(base + length, HUGE_PAGE - before);
    /* Best effort: a kernel without huge pages refuses, and small ones will do. */
    (void)madvise(base, length / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
    return base;
}

/* Length of a block's mapping. */
static size_t mapping_of(int64_t bytes)
{
    return round_up(CGS_ALIGNMENT + (size_t)bytes, (size_t)sysconf(_SC_PAGESIZE));
}

/* Formats bytes: "12.3 GB" in SI units. */
static void bytes_text(int64_t bytes, char *text, size_t capacity)
{
    static const char *const unit[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    double value = (double)bytes;
    int u = 0;
    for (; value >= 999.95 && u < 6; u++)
        value /= 1000.0;
    snprintf(text, capacity, u == 0 ? "%.0f %s" : "%.1f %s", value, unit[u]);
}

/* Allocates a block; NULL if the system refuses. */
static struct header *take(int64_t bytes)
{
    struct header *header = NULL;
    size_t mapped = 0;
    if (bytes < MAPPED_FROM) {
        header =
            aligned_alloc(CGS_ALIGNMENT, CGS_ALIGNMENT + round_up((size_t)bytes, CGS_ALIGNMENT));
    } else if (bytes <= INT64_MAX - 2 * HUGE_PAGE) {
        mapped = mapping_of(bytes);
        header = map_pages(mapped);
    }
    if (header)
        *header = (struct header){.mark = BLOCK_MARK, .room = bytes, .mapped = mapped};
    return header;
}

static void give(struct header *header)
{
    assert(header->mark == BLOCK_MARK);
    header->mark = 0;
    if (header->mapped > 0)
        munmap(header, header->mapped);
    else
        free(header);
}

static struct header *header_of(void *block)
{
    return (struct header *)((char *)block - CGS_ALIGNMENT);
}

static void *data_of(struct header *header)
{
    return (char *)header + CGS_ALIGNMENT;
}

/* Bytes of an allocation; more than any machine has if it is to fail. */
static enum cgs_status bytes_of(struct cgs_context *context, int64_t count, size_t size,
                                const char *what, int64_t *bytes)
{
    if (count < 0 || __builtin_mul_overflow(count, size, bytes))
        return cgs_fail(context, CGS_BUG, "%s: %" PRId64 " elements of %zu bytes are no size", what,
                        count, size);
    if (cgs_starves(context, CGS_HOST))
        *bytes = MORE_THAN_ANY;
    return CGS_OK;
}

static enum cgs_status refuse(struct cgs_context *context, const char *what, int64_t bytes)
{
    char text[32];
    bytes_text(bytes, text, sizeof text);
    return cgs_fail(context, CGS_MEMORY, "%s: %s of host memory could not be allocated", what,
                    text);
}

static void *count_block(struct cgs_context *context, struct header *header, int64_t bytes)
{
    header->size = bytes;
    context->host_bytes += bytes;
    if (context->host_bytes > context->host_peak)
        context->host_peak = context->host_bytes;
    return data_of(header);
}

enum cgs_status cgs_alloc(struct cgs_context *context, int64_t count, size_t size, const char *what,
                          void **out)
{
    int64_t bytes = 0;
    CGS_TRY(bytes_of(context, count, size, what, &bytes));
    struct header *header = take(bytes);
    if (header == NULL)
        return refuse(context, what, bytes);
    *out = count_block(context, header, bytes);
    return CGS_OK;
}

void cgs_free(struct cgs_context *context, void *block)
{
    if (block == NULL)
        return;
    context->host_bytes -= header_of(block)->size;
    give(header_of(block));
}

/* ---- rooms, of which a part is kept ---- */

void *cgs_room(struct cgs_context *context, int64_t most, size_t size)
{
    int64_t bytes;
    if (most < 0 || __builtin_mul_overflow(most, size, &bytes) || cgs_starves(context, CGS_HOST))
        return NULL;
    struct header *header = take(bytes);
    return header ? data_of(header) : NULL;
}

/* Cuts a mapping to its used part. */
static struct header *cut(struct header *header, int64_t bytes)
{
    const size_t mapped = mapping_of(bytes);
    if (mapped < header->mapped && munmap((char *)header + mapped, header->mapped - mapped) == 0)
        header->mapped = mapped;
    return header;
}

/* Shrinks a block of the C library: in place if little is left over and untouched, else moved. NULL
 * if the system refuses. */
static struct header *move(struct header *header, int64_t bytes)
{
    if (header->room - bytes <= header->room / 8)
        return header;
    struct header *moved = take(bytes);
    if (moved) {
        memcpy(data_of(moved), data_of(header), (size_t)bytes);
        give(header);
    }
    return moved;
}

enum cgs_status cgs_settle(struct cgs_context *context, int64_t count, size_t size,
                           const char *what, void **block)
{
    int64_t bytes = 0;
    struct header *room = header_of(*block), *left = NULL;
    CGS_TRY(bytes_of(context, count, size, what, &bytes));
    assert(room->size == 0 && (bytes <= room->room || bytes == MORE_THAN_ANY));
    if (bytes < MORE_THAN_ANY)
        left = room->mapped > 0 ? cut(room, bytes) : move(room, bytes);
    if (left == NULL)
        return refuse(context, what, bytes);
    *block = count_block(context, left, bytes);
    return CGS_OK;
}

void cgs_memory_return_blocks(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
#endif
}

void cgs_memory_trim(void)
{
#ifdef __GLIBC__
    /* One thread at a time: where another allocator has taken malloc's place (a sanitizer,
     * jemalloc), the first call sets up glibc's own, and of two at once both would have its
     * arena, and abort as they end (2.36). */
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    if (pthread_mutex_trylock(&lock) != 0)
        return;
    malloc_trim(0);
    pthread_mutex_unlock(&lock);
#endif
}

int64_t cgs_memory_stack(const char *text)
{
    static const char units[] = "bkmg";
    char *end;
    const long long number = strtoll(text, &end, 10);
    if (end == text || number < 1 || number > (1LL << 40))
        return 0;
    end += strspn(end, " \t");
    const char *unit = *end ? strchr(units, tolower((unsigned char)*end)) : units + 1;
    if (!unit || (*end && end[1 + strspn(end + 1, " \t")] != '\0'))
        return 0;
    int64_t bytes = number;
    for (; unit > units && bytes < INT64_C(1) << 52; unit--)
        bytes *= 1024;
    return bytes;
}
