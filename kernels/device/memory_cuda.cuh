/* Device memory and pinned staging. */
#pragma once

#include "base/linkage.h"
#include "kernels/device/cuda.cuh"

CGS_BEGIN_C

/* Allocates `count` elements of `size` bytes on the device; `what` names them in the message. */
enum cgs_status cgs_cuda_alloc(struct cgs_queue *queue, int64_t count, size_t size,
                               const char *what, void **out);
void cgs_cuda_free(struct cgs_queue *queue, void *block);

/* Copies a small host array (any memory) to the device; complete on return. (cudaMemcpy may return
 * earlier, and the queue's stream does not wait for it.) */
enum cgs_status cgs_cuda_send(struct cgs_queue *queue, void *to, const void *from, int64_t bytes);

/* Copies what the queue has made on the device to the host; complete on return. */
enum cgs_status cgs_cuda_fetch(struct cgs_queue *queue, void *to, const void *from, int64_t bytes);

/* Ensures two staging buffers of at least `bytes` (0: the usual size) each. */
enum cgs_status cgs_cuda_staging(struct cgs_queue *queue, int64_t bytes);

/* Waits until the slot's last copy is done, and adds its time to context->link_*. */
enum cgs_status cgs_cuda_staging_wait(struct cgs_queue *queue, int slot);

/* Queues the copies of one piece that uses `slot`, between two events. */
enum cgs_status cgs_cuda_staging_copy(struct cgs_queue *queue, int slot,
                                      const struct cgs_cuda_copy *copies, int count,
                                      enum cudaMemcpyKind kind);

/* Queues a copy of lines of numbers with these distances between their starts, converted. */
struct cgs_cuda_lines {
    void *to;
    enum cgs_number to_number;
    int64_t to_pitch;
    const void *from;
    enum cgs_number from_number;
    int64_t from_pitch;
    int64_t numbers, lines;
};
enum cgs_status cgs_cuda_copy_lines(struct cgs_queue *queue, const struct cgs_cuda_lines *lines);

/* Bytes of each of the two pinned staging buffers: large enough for the full speed of the link,
 * small enough to stay in cache while filled. (An upload of 5.4 GB on an H200: 137 ms; with 8 MiB
 * 168 ms.) */
enum { CGS_STAGING_BYTES = 32 << 20 };

/* Frees a staging buffer; NULL is allowed. */
void cgs_cuda_unpin(void *staging);

/* Returns bytes of the pool: those it has of the driver, or those in use. */
int64_t cgs_cuda_pool_bytes(const struct cgs_cuda_device *device, cudaMemPoolAttr which);

/* Bytes that an allocation may still get, spare memory of the pool included; updates the
 * minimum. */
enum cgs_status cgs_cuda_available(struct cgs_queue *queue, int64_t *available);

/* Writes the message of a failed allocation; returns CGS_MEMORY. */
enum cgs_status cgs_cuda_refuse(struct cgs_queue *queue, const char *what, int64_t bytes);

/* Returns spare memory of the pool to the driver; waits. */
void cgs_cuda_pool_trim(struct cgs_queue *queue);

CGS_END_C
