/* Inside of the CUDA backend: choosing a device, measuring it, making it fail. */
#ifndef CGS_KERNELS_DEVICE_CUDA_OPEN_CUH
#define CGS_KERNELS_DEVICE_CUDA_OPEN_CUH

#include "kernels/backend.h"
#include "kernels/device/cuda.cuh"

/* Bytes of each of the two pinned staging buffers: large enough for the full speed of the link,
 * small enough to stay in cache while filled. (An upload of 5.4 GB on an H200: 137 ms; with 8 MiB
 * 168 ms.) */
enum { CGS_STAGING_BYTES = 32 << 20 };

CGS_BEGIN_C

/* Frees a staging buffer; NULL is allowed. */
void cgs_cuda_unpin(void *staging);

/* Makes `index` the current device, or fails with what is missing (driver, device, code for its
 * architecture) and the remedy. */
enum cgs_status cgs_cuda_select(struct cgs_context *context, int index);

/* Counts and names the devices; makes no context on any. */
void cgs_cuda_survey(struct cgs_survey *survey);

/* Version of the kernel driver ("580.159.04"), or of the CUDA that it offers ("CUDA 13.0"). */
void cgs_cuda_driver_version(char *text, size_t size);

/* Returns bytes of the pool: those it has of the driver, or those in use. */
int64_t cgs_cuda_pool_bytes(const struct cgs_cuda_device *device, cudaMemPoolAttr which);

/* Bytes that an allocation may still get, spare memory of the pool included; updates the
 * minimum. */
enum cgs_status cgs_cuda_available(struct cgs_queue *queue, int64_t *available);

/* Writes the message of a failed allocation; returns CGS_MEMORY. */
enum cgs_status cgs_cuda_refuse(struct cgs_queue *queue, const char *what, int64_t bytes);

/* Returns spare memory of the pool to the driver; waits. cgs_cuda_pool_close returns all of it. */
void cgs_cuda_pool_trim(struct cgs_queue *queue);
void cgs_cuda_pool_close(struct cgs_cuda_device *device);

/* struct cgs_backend's `link`. */
enum cgs_status cgs_cuda_link(struct cgs_queue *from, struct cgs_queue *to, struct cgs_link *link);

enum cgs_status cgs_cuda_bandwidth(struct cgs_queue *queue, int64_t bytes, double seconds,
                                   struct cgs_bandwidth *bandwidth);

/* Returns why the entries of this matrix cannot be computed on the device, or NULL; also for a
 * forecast. */
const char *cgs_cuda_assemble_refuses(const struct cgs_queue *queue,
                                      const struct cgs_matrix *matrix, const struct cgs_mesh *mesh);

/* Computes the entries of a matrix with `on_device` (matrix/matrix.h), and the pointers of CRS;
 * those of other layouts exist already. *done = false: numbers may not fit in single precision, so
 * generate the rows on the host, which finds the row. Waits. */
enum cgs_status cgs_cuda_assemble(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                                  enum cgs_number number, const struct cgs_cuda_matrix *out,
                                  bool *done);

/* Queues a kernel that writes to an invalid address. */
enum cgs_status cgs_cuda_fault(struct cgs_queue *queue);
enum cgs_status cgs_cuda_hang(struct cgs_queue *queue);

CGS_END_C

#endif
