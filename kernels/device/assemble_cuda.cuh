/* Entries of a matrix, computed on the device. */
#pragma once

#include "kernels/device/cuda.cuh"

CGS_BEGIN_C

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

CGS_END_C
