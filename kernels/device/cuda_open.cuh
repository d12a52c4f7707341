/* Inside of the CUDA backend: choosing a device, measuring it, making it fail. */
#ifndef CGS_KERNELS_DEVICE_CUDA_OPEN_CUH
#define CGS_KERNELS_DEVICE_CUDA_OPEN_CUH

#include "kernels/backend.h"
#include "kernels/device/cuda.cuh"

/* Bytes of one of the two pinned staging buffers: big enough for the full speed of the link, small
 * enough to stay in a cache while it is filled. (An upload of 5.4 GB on an H200: 137 ms; by pieces
 * of 8 MiB 168 ms.) */
enum { CGS_STAGING_BYTES = 32 << 20 };

CGS_BEGIN_C

/* Gives a staging buffer back; NULL is fine. */
void cgs_cuda_unpin(void *staging);

/* Makes `index` the current device, or says what is missing (driver, device, code for its
 * architecture) and how to mend it. */
enum cgs_status cgs_cuda_select(struct cgs_context *context, int index);

/* Counts and names the devices; makes no context on any. */
void cgs_cuda_survey(struct cgs_survey *survey);

/* Version of the kernel driver ("580.159.04"), or of the CUDA that it offers ("CUDA 13.0"). */
void cgs_cuda_driver_version(char *text, size_t size);

/* Bytes that an allocation may still get, those that the pool has to spare included; notes the
 * least. */
enum cgs_status cgs_cuda_available(struct cgs_queue *queue, int64_t *available);

/* The message of an allocation that failed; CGS_MEMORY. */
enum cgs_status cgs_cuda_refuse(struct cgs_queue *queue, const char *what, int64_t bytes);

/* Gives what the pool has to spare back to the driver; waits. And all of it, at the end. */
void cgs_cuda_pool_trim(struct cgs_queue *queue);
void cgs_cuda_pool_close(struct cgs_cuda_device *device);

enum cgs_status cgs_cuda_bandwidth(struct cgs_queue *queue, int64_t bytes, double seconds,
                                   struct cgs_bandwidth *bandwidth);

/* Why the entries of this matrix can't be computed on the device; NULL: they can. Of a forecast, too. */
const char *cgs_cuda_assemble_refuses(const struct cgs_queue *queue,
                                      const struct cgs_matrix *matrix, const struct cgs_mesh *mesh);

/* Computes the entries of a matrix with `on_device` (matrix/matrix.h), and CRS's pointers; those of
 * other layouts are there. *done false: numbers may not fit in single precision, so that the rows
 * are to be drawn, which says which one. Waits. */
enum cgs_status cgs_cuda_assemble(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                                  enum cgs_number number, const struct cgs_cuda_matrix *out,
                                  bool *done);

/* Queues a kernel that writes where no memory is. */
enum cgs_status cgs_cuda_fault(struct cgs_queue *queue);

CGS_END_C

#endif
