/* SpMV, CRS on CUDA: 1, 2, 4, 8, 16 or 32 threads a row, by the mean length of the rows (N. Bell,
 * M. Garland, NVIDIA NVR-2008-004, "vector", with part of a warp).
 *
 * Few threads a row leave few of them idle at its end, many read longer contiguous pieces. Rule: at
 * most ONES = 8 entries a thread in a row of mean length (group.cuh):
 *
 *     mean     0 ... 8   ... 16   ... 32   ... 64   ... 128   more
 *     threads  1         2        4        8        16        32
 *
 * Products with the Q1 matrix (27 a row, N = 256, double, H200) with a plain loop: a thread a row 4
 * 426 us, 4 threads 1 656, 8 threads 1 893, a warp 3 219. One long row is processed by its few
 * threads alone; crs_split divides it.
 *
 * Traffic: nonzeros (value + 4 bytes), 8 bytes a row pointer; x read once, y written once.
 */
#include "kernels/device/upload_cuda.cuh"
#include "kernels/spmv/crs/batch_ones.cuh"
#include "kernels/spmv/crs/group.cuh"

namespace
{

enum { ONES = 8 };

template <int T> using batch = batch_ones<T, ONES>;

void plan(const struct cgs_matrix *matrix, struct cgs_plan *plan)
{
    cgs_cuda_matrix_plan(matrix, CGS_VALUE_NUMBER, plan);
}

enum cgs_status fill(struct grouped *g, const struct cgs_matrix *matrix)
{
    g->threads = group_threads(matrix->statistics.mean, ONES);
    return grouped_fill(g, matrix);
}

} // namespace

CGS_TABLE(struct cgs_kernel, cgs_cuda_crs_group) = {
    .capturable = true,
    .reproducible = true,
    .shared = true,
    .plan = plan,
    .prepare = cgs_prepare<struct grouped, fill, cgs_empty_arrays>,
    .traffic = cgs_matrix_traffic<value, real>,
    .steps = {.apply = cgs_apply<choose_group<batch, false>>,
              .apply_dot = choose_group<batch, true>,
              .release = grouped_release},
};
