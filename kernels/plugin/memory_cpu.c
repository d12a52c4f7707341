/* Fenced memory on the host: mappings between inaccessible pages. */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/integers.h"
#include "base/memory.h"
#include "kernels/plugin/memory.h"
#include "matrix/fill.h"
#include "matrix/names.h"

enum { HUGE_PAGE = 1 << 21 };

/* Allocates whole pages between two inaccessible ones; long blocks on a huge page's boundary, like
 * all large blocks of the program (base/memory.c). */
static enum cgs_status fence(struct cgs_queue *queue, int64_t bytes, const char *what,
                             struct cgs_fenced *block)
{
    const int64_t page = sysconf(_SC_PAGESIZE), used = cgs_round_up(bytes, CGS_ALIGNMENT);
    const int64_t inner = cgs_round_up(used > 0 ? used : 1, page),
                  length = inner + 2 * page + HUGE_PAGE;
    char *whole =
        mmap(NULL, (size_t)length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (whole == MAP_FAILED)
        return cgs_fail(queue->context, CGS_MEMORY,
                        "%s: %.3f GB of host memory could not be allocated", what,
                        1e-9 * (double)bytes);
    char *begin = (char *)cgs_round_up((intptr_t)(whole + page), HUGE_PAGE);
    if (mprotect(begin, (size_t)inner, PROT_READ | PROT_WRITE) != 0) {
        munmap(whole, (size_t)length);
        return cgs_fail(queue->context, CGS_MEMORY,
                        "%s: %.3f GB of host memory could not be allocated", what,
                        1e-9 * (double)bytes);
    }
    (void)madvise(begin, (size_t)inner, MADV_HUGEPAGE); /* best effort */
    *block = (struct cgs_fenced){
        .data = begin + inner - used, .bytes = bytes, .whole = whole, .length = length};
    memset(begin, CGS_FENCE_BYTE, (size_t)(inner - used));
    memset((char *)block->data + bytes, CGS_FENCE_BYTE, (size_t)(used - bytes));
    return CGS_OK;
}

static void unfence(struct cgs_queue *queue, struct cgs_fenced *block)
{
    (void)queue;
    if (block->whole)
        munmap(block->whole, (size_t)block->length);
    *block = (struct cgs_fenced){0};
}

/* Pages of a block, including the fence bytes in them. */
static char *pages(const struct cgs_fenced *block, size_t *length)
{
    const intptr_t page = sysconf(_SC_PAGESIZE);
    char *begin = (char *)((intptr_t)block->data / page * page);
    *length = (size_t)((char *)block->data + cgs_round_up(block->bytes, CGS_ALIGNMENT) - begin);
    if (*length == 0) { /* an empty block ends where the inaccessible page begins */
        begin -= page;
        *length = (size_t)page;
    }
    return begin;
}

static void protect(const struct cgs_fenced *block, bool read_only)
{
    size_t length;
    char *begin = pages(block, &length);
    (void)mprotect(begin, length, read_only ? PROT_READ : PROT_READ | PROT_WRITE);
}

/* The first and the last page may have bytes of the fences. */
static void forget(const struct cgs_fenced *block)
{
    const intptr_t page = sysconf(_SC_PAGESIZE);
    const intptr_t begin = cgs_round_up((intptr_t)block->data, page),
                   end = ((intptr_t)block->data + block->bytes) / page * page;
    if (end <= begin)
        return;
    (void)madvise((void *)begin, (size_t)(end - begin), MADV_NOHUGEPAGE);
    (void)madvise((void *)begin, (size_t)(end - begin), MADV_DONTNEED);
}

static enum cgs_status look(struct cgs_queue *queue, const struct cgs_fenced *block, int64_t *where)
{
    size_t length;
    const unsigned char *begin = (const unsigned char *)pages(block, &length);
    const unsigned char *data = block->data, *end = begin + length;
    (void)queue;
    *where = 0;
    for (const unsigned char *byte = begin; byte < end; byte++) {
        if (byte == data)
            byte += block->bytes;
        if (byte < end && *byte != CGS_FENCE_BYTE) {
            *where = byte - data;
            return CGS_OK;
        }
    }
    return CGS_OK;
}

static enum cgs_status hold(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                            enum cgs_number number, struct cgs_plugin_arrays *arrays)
{
    struct cgs_plugin_arrays a = {0};
    const struct {
        int64_t count, size;
        const char *what;
        struct cgs_fenced *block;
        const void *given; /* NULL: filled below */
    } parts[] = {
        {matrix->units + 1, sizeof(int64_t), "matrix pointers", &a.pointers, matrix->pointers},
        {matrix->stored, sizeof(int32_t), "matrix columns", &a.columns, NULL},
        {matrix->stored, cgs_number_bytes(number), "matrix values", &a.values, NULL},
        {matrix->rows, sizeof(int32_t), "matrix permutation", &a.permutation, matrix->permutation},
    };
    const int count = matrix->permutation ? 4 : 3;
    enum cgs_status status = CGS_OK;
    for (int i = 0; i < count && status == CGS_OK; i++)
        status = fence(queue, parts[i].count * parts[i].size, parts[i].what, parts[i].block);
    if (status == CGS_OK)
        status = cgs_matrix_fill(queue->context, matrix, 0, matrix->units, number, a.columns.data,
                                 a.values.data);
    if (status != CGS_OK) {
        for (int i = 0; i < count; i++)
            unfence(queue, parts[i].block);
        return status;
    }
    const int32_t shift = (int32_t)cgs_plugin_shift(matrix->source, number);
    for (int64_t k = 0; shift > 0 && k < matrix->stored; k++)
        ((int32_t *)a.columns.data)[k] += shift;
    for (int i = 0; i < count; i++) {
        if (parts[i].given)
            memcpy(parts[i].block->data, parts[i].given, (size_t)parts[i].block->bytes);
        protect(parts[i].block, true);
    }
    *arrays = a;
    return CGS_OK;
}

CGS_EXPORT(struct cgs_plugin_memory, cgs_plugin_memory_cpu) = {
    .hold = hold,
    .fence = fence,
    .unfence = unfence,
    .protect = protect,
    .forget = forget,
    .look = look,
};
