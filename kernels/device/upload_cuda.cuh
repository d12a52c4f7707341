/* The single upload of a matrix. */
#pragma once

#include "kernels/device/cuda.cuh"

CGS_BEGIN_C

/* Adds the memory of a matrix. */
void cgs_cuda_matrix_plan(const struct cgs_matrix *matrix, enum cgs_number number,
                          struct cgs_plan *plan);

/* Generates the entries piece by piece into pinned memory and sends them to the device. */
enum cgs_status cgs_cuda_matrix_upload(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                                       enum cgs_number number, struct cgs_cuda_matrix *out);

/* The same of CRS in nodes of `block` rows: columns are those of nodes, one a block
 * (matrix/nodes.h); pointers stay those of the rows. The rows are not on the device. */
void cgs_cuda_nodes_plan(const struct cgs_matrix *matrix, int block, enum cgs_number number,
                         struct cgs_plan *plan);
enum cgs_status cgs_cuda_nodes_upload(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                                      int block, enum cgs_number number,
                                      struct cgs_cuda_matrix *out);
void cgs_cuda_matrix_free(struct cgs_queue *queue, struct cgs_cuda_matrix *matrix);

CGS_END_C
