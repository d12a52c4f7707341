/* Device memory, pinned staging, and the single upload of a matrix. */
#ifndef CGS_KERNELS_DEVICE_MEMORY_CUDA_CUH
#define CGS_KERNELS_DEVICE_MEMORY_CUDA_CUH

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

/* Ensures two staging buffers of at least `bytes` (0: the usual size) each. */
enum cgs_status cgs_cuda_staging(struct cgs_queue *queue, int64_t bytes);

/* Waits until the slot's last copy is done, and adds its time to context->link_*. */
enum cgs_status cgs_cuda_staging_wait(struct cgs_queue *queue, int slot);

/* Queues the copies of one piece that uses `slot`, between two events. */
enum cgs_status cgs_cuda_staging_copy(struct cgs_queue *queue, int slot,
                                      const struct cgs_cuda_copy *copies, int count,
                                      enum cudaMemcpyKind kind);
void cgs_cuda_matrix_plan(const struct cgs_matrix *matrix, enum cgs_number number,
                          struct cgs_plan *plan);

/* Generates the entries piece by piece into pinned memory and sends them to the device. */
enum cgs_status cgs_cuda_matrix_upload(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                                       enum cgs_number number, struct cgs_cuda_matrix *out);
void cgs_cuda_matrix_free(struct cgs_queue *queue, struct cgs_cuda_matrix *matrix);

CGS_END_C

#endif
