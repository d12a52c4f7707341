/* Memory of a user's kernel on a device, arranged so that forbidden accesses either fault or are
 * detected afterwards.
 *
 *     host   | no access | 0xa5 ... | vector | 0xa5 | no access |
 *     CUDA   | 0xa5, 4 KiB | vector | 0xa5, 4 KiB |
 *
 * On the host the vector's end, rounded up to a cache line, touches the inaccessible page; arrays
 * of the matrix are arranged alike, read-only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/linkage.h"
#include "kernels/queue.h"
#include "matrix/matrix.h"
#include "matrix/names.h"
#include "matrix/ranks/portion.h"

CGS_BEGIN_C

/* A block between fences. */
struct cgs_fenced {
    void *data; /* `bytes` long, at a multiple of 64 */
    int64_t bytes;
    void *whole; /* including its fences; NULL: no block */
    int64_t length;
};

enum { CGS_FENCE_BYTE = 0xa5 };

/* Returns the number that is added to columns before a kernel gets the rows of a rank, whose
 * columns begin below 0 (matrix/ranks/portion.h): the entries of x before those of the rank,
 * rounded up to full cache lines because x has to begin at one. 0 for a whole matrix. */
CGS_INLINE int64_t cgs_plugin_shift(const struct cgs_row_source *source, enum cgs_number number)
{
    const int64_t line = 64 / cgs_number_bytes(number);
    return (cgs_portion_below(source->portion) + line - 1) / line * line;
}

/* Arrays of the layout (matrix/matrix.h). */
struct cgs_plugin_arrays {
    struct cgs_fenced pointers, columns, values, permutation;
};

struct cgs_plugin_memory {
    /* Generates the matrix's entries as values of `number`, columns shifted; read-only
     * afterwards if the device can. Allocates nothing on failure: CGS_MEMORY, or a status of
     * cgs_matrix_fill. For cgs_plugin_drop. */
    enum cgs_status (*hold)(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                            enum cgs_number number, struct cgs_plugin_arrays *arrays);
    enum cgs_status (*fence)(struct cgs_queue *queue, int64_t bytes, const char *what,
                             struct cgs_fenced *block);
    void (*unfence)(struct cgs_queue *queue, struct cgs_fenced *block);
    /* Makes a block read-only, or writable again; NULL if the device cannot. */
    void (*protect)(const struct cgs_fenced *block, bool read_only);
    /* Gives back the memory of a block's inner pages: each is zero when it is touched again, small,
     * and counted as a fault of the thread that does. NULL if the device cannot. */
    void (*forget)(const struct cgs_fenced *block);
    /* Checks the fences. *where: offset from the block's beginning (negative: before it) of the
     * first changed byte; 0 if there is none. */
    enum cgs_status (*look)(struct cgs_queue *queue, const struct cgs_fenced *block,
                            int64_t *where);
    /* Copies one block to another of the same size on the queue, some milliseconds later: work that
     * does not wait for the queue then sees the old contents. NULL: work is synchronous. */
    enum cgs_status (*late)(struct cgs_queue *queue, const struct cgs_fenced *from,
                            const struct cgs_fenced *to);
    /* Waits for the whole device, not only for the queue, and measures the time; NULL: nothing to
     * do. */
    enum cgs_status (*settle)(struct cgs_queue *queue, double *seconds);
};

static inline void cgs_plugin_drop(const struct cgs_plugin_memory *memory, struct cgs_queue *queue,
                                   struct cgs_plugin_arrays *arrays)
{
    memory->unfence(queue, &arrays->pointers);
    memory->unfence(queue, &arrays->columns);
    memory->unfence(queue, &arrays->values);
    memory->unfence(queue, &arrays->permutation);
}

CGS_END_C
