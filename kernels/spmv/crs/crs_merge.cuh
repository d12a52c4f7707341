/* Data of crs_merge.cu: the matrix on the device, the beginnings of the merge path's shares, and
 * room for parts of rows. */
#pragma once

#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/upload_cuda.cuh"
#include "kernels/spmv/crs/merge_path.h"
#include "kernels/spmv/crs/split_rows.cuh"

namespace
{

/* Tunable: largest number of steps a thread (odd, so that threads use different banks; small, since
 * unused shared memory is L1 cache for x); number of blocks that a small matrix is spread over. */
constexpr int MOST_STEPS = 5, BLOCKS_WANTED = 528;

struct merge {
    struct cgs_cuda_matrix arrays;
    struct cgs_queue *queue;
    struct cgs_path_point *start;
    struct split_rows split;
    int64_t shares;
    int steps;
};

/* Steps of the path a thread. */
int steps_of(const struct cgs_matrix *matrix)
{
    const int64_t share =
        (matrix->rows + matrix->nonzeros) / ((int64_t)CGS_THREADS * BLOCKS_WANTED);
    return share < 1 ? 1 : share < MOST_STEPS ? (int)share : MOST_STEPS;
}

enum cgs_status upload_path(struct merge *m, const struct cgs_merge *path)
{
    struct cgs_queue *queue = m->queue;
    m->shares = path->shares;
    CGS_TRY(cgs_cuda_alloc(queue, path->shares + 1, sizeof *m->start, "merge path",
                           (void **)&m->start));
    CGS_TRY(cgs_cuda_send(queue, m->start, path->start,
                          (path->shares + 1) * (int64_t)sizeof *m->start));
    return split_rows_upload(queue, path->split, path->splits, path->shares, &m->split);
}

enum cgs_status merge_fill(struct merge *m, const struct cgs_matrix *matrix)
{
    struct cgs_context *context = m->queue->context;
    struct cgs_merge path;
    CGS_TRY(cgs_cuda_matrix_upload(m->queue, matrix, CGS_VALUE_NUMBER, &m->arrays));
    m->steps = steps_of(matrix);
    CGS_TRY(cgs_merge_make(context, matrix->pointers, matrix->rows, (int64_t)CGS_THREADS * m->steps,
                           &path));
    const enum cgs_status status = upload_path(m, &path);
    cgs_merge_free(context, &path);
    return status;
}

void merge_empty(struct merge *m)
{
    split_rows_free(m->queue, &m->split);
    cgs_cuda_free(m->queue, m->start);
    cgs_cuda_matrix_free(m->queue, &m->arrays);
}

/* Number of shares, also for a forecast. */
int64_t shares_of(const struct cgs_matrix *matrix)
{
    return cgs_merge_shares(matrix->rows, matrix->nonzeros,
                            (int64_t)CGS_THREADS * steps_of(matrix));
}

void merge_plan(const struct cgs_matrix *matrix, struct cgs_plan *plan)
{
    const int64_t points = shares_of(matrix) + 1;
    const int64_t both = sizeof(struct cgs_path_point) + sizeof(struct cgs_split);
    cgs_cuda_matrix_plan(matrix, CGS_VALUE_NUMBER, plan);
    cgs_plan_add(plan, CGS_DEVICE_MEMORY, "merge path", points, sizeof(struct cgs_path_point));
    split_rows_plan(points - 1, points - 1, plan);
    cgs_plan_add(plan, CGS_HOST, "merge path", points, both);
}

/* Adds the traffic of shares: beginning, part of a row, and that row. */
struct cgs_traffic merge_traffic(const struct cgs_matrix *matrix)
{
    struct cgs_traffic traffic = cgs_matrix_traffic<value, real>(matrix);
    traffic.matrix +=
        shares_of(matrix) * (int64_t)(sizeof(struct cgs_path_point) + sizeof(struct cgs_split));
    return traffic;
}

} // namespace
