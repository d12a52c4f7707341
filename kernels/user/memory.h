/* What a user's kernel works on, in the memory of a device, so that what it must not touch is
 * either out of its reach or found afterwards.
 *
 *     host   | no access | 0xa5 ... | vector | 0xa5 | no access |
 *     CUDA   | 0xa5, 4 KiB | vector | 0xa5, 4 KiB |
 *
 * On the host the vector's end, rounded up to a cache line, touches the forbidden page; arrays of
 * the matrix lie alike, read-only.
 */
#ifndef CGS_KERNELS_USER_MEMORY_H
#define CGS_KERNELS_USER_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/linkage.h"
#include "kernels/queue.h"
#include "matrix/matrix.h"

CGS_BEGIN_C

/* A block with fences around it. */
struct cgs_fenced {
    void *data; /* `bytes` of it, at a multiple of 64 */
    int64_t bytes;
    void *whole; /* with its fences; NULL: nothing */
    int64_t length;
};

enum { CGS_FENCE_BYTE = 0xa5 };

/* The layout's own arrays (matrix/matrix.h). */
struct cgs_foreign_arrays {
    struct cgs_fenced pointers, columns, values, permutation;
};

struct cgs_foreign_memory {
    /* Draws the entries from the matrix, values of `number`; read-only from then on where the
     * device can. CGS_MEMORY, and what cgs_matrix_fill says; nothing held then. */
    enum cgs_status (*hold)(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                            enum cgs_number number, struct cgs_foreign_arrays *arrays);
    void (*drop)(struct cgs_queue *queue, struct cgs_foreign_arrays *arrays);
    enum cgs_status (*fence)(struct cgs_queue *queue, int64_t bytes, const char *what,
                             struct cgs_fenced *block);
    void (*unfence)(struct cgs_queue *queue, struct cgs_fenced *block);
    /* Makes a block read-only, or writable again; NULL where the device can't. */
    void (*protect)(const struct cgs_fenced *block, bool read_only);
    /* *where: the first byte of the fences that has changed, counted from the block's begin
     * (negative: before it); 0 where none has. */
    enum cgs_status (*look)(struct cgs_queue *queue, const struct cgs_fenced *block,
                            int64_t *where);
    /* Copies one block to another of the same size on the queue, but some milliseconds later: work
     * that does not wait for the queue meets what stood there before. NULL: work is done when it
     * returns. */
    enum cgs_status (*late)(struct cgs_queue *queue, const struct cgs_fenced *from,
                            const struct cgs_fenced *to);
    /* Waits for the whole device, not only for the queue, and says how long; NULL: nothing to do.
     */
    enum cgs_status (*settle)(struct cgs_queue *queue, double *seconds);
};

CGS_END_C

#endif
