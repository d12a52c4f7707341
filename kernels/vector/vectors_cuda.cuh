/* Vectors of the CUDA space as far as they do not depend on the number type: memory. */
#pragma once

#include "kernels/device/cuda.cuh"
#include "kernels/space.h"

CGS_BEGIN_C

/* Room in a vector before and after the owned numbers, for ghosts of other ranks: whole lines,
 * or a multiple of a cache line, so that the owned numbers begin at one. */
int64_t cgs_cuda_room(const struct cgs_layout *layout, int64_t ghosts);

/* Entries of struct cgs_space_ops (kernels/space.h). */
enum cgs_status cgs_cuda_vector_alloc(const struct cgs_space *space, const char *what,
                                      void **vector);
void cgs_cuda_vector_free(const struct cgs_space *space, void *vector);
enum cgs_status cgs_cuda_vector_put(const struct cgs_space *space, const double *natural,
                                    int64_t first, int64_t count, void *vector);
enum cgs_status cgs_cuda_vector_get(const struct cgs_space *space, const void *vector,
                                    int64_t first, int64_t count, double *natural);

CGS_END_C
