/* What crs_split.cu holds: the padded matrix on the device, the tasks of its long rows, room for
 * their sums. */
#ifndef CGS_KERNELS_CRS_SPLIT_CUH
#define CGS_KERNELS_CRS_SPLIT_CUH

#include "base/memory.h"
#include "kernels/spmv/cached.cuh"
#include "kernels/spmv/spmv_cuda.cuh"
#include "kernels/spmv/tasks.h"

namespace {

constexpr int POWER = 4; /* CGS_SEGMENT = 2^POWER */

struct split {
    struct cgs_cuda_matrix arrays;
    struct cgs_queue *queue;
    int64_t rows;
    enum hints hints;
    int64_t kept;                   /* rows whose entries shall stay in the cache */
    int64_t tasks, long_rows;       /* of long rows alone */
    struct cgs_task *task;          /* [tasks] */
    struct cgs_split_row *long_row; /* [long_rows] */
    real *partials;                 /* [tasks] */
};

/* The tasks of long rows, made on the host, and room for their sums. */
enum cgs_status upload_tasks(struct split *s, const struct cgs_tasks *made)
{
    struct cgs_queue *queue = s->queue;
    s->tasks = made->tasks;
    s->long_rows = made->rows;
    if (made->tasks == 0)
        return CGS_OK;
    CGS_TRY(cgs_cuda_alloc(queue, made->tasks, sizeof *s->task, "tasks of long rows",
                           (void **)&s->task));
    CGS_TRY(
        cgs_cuda_alloc(queue, made->rows, sizeof *s->long_row, "long rows", (void **)&s->long_row));
    CGS_TRY(cgs_cuda_alloc(queue, made->tasks, sizeof(real), "partial sums of long rows",
                           (void **)&s->partials));
    CGS_TRY(cgs_cuda_send(queue, s->task, made->task, made->tasks * (int64_t)sizeof *s->task));
    return cgs_cuda_send(queue, s->long_row, made->row, made->rows * (int64_t)sizeof *s->long_row);
}

/* Everything that is made from the padded matrix. */
enum cgs_status fill_from(struct split *s, const struct cgs_matrix *padded)
{
    struct cgs_context *context = s->queue->context;
    struct cgs_tasks tasks;
    s->rows = padded->rows;
    s->hints = choose_hints(s->queue, padded, sizeof(value) + sizeof(int32_t), &s->kept);
    CGS_TRY(cgs_cuda_matrix_upload(s->queue, padded, CGS_VALUE_NUMBER, &s->arrays));
    CGS_TRY(cgs_tasks_create(context, padded, &tasks));
    const enum cgs_status status = upload_tasks(s, &tasks);
    cgs_tasks_release(context, &tasks);
    return status;
}

void split_plan(const struct cgs_matrix *matrix, struct cgs_plan *plan)
{
    const struct cgs_matrix padded = cgs_matrix_padded(matrix, POWER);
    const int64_t tasks = cgs_tasks_most(&padded);
    cgs_cuda_matrix_plan(&padded, CGS_VALUE_NUMBER, plan);
    cgs_plan_add(plan, CGS_HOST, "layout of padded rows", matrix->rows + 1, sizeof(int64_t));
    if (tasks == 0)
        return;
    cgs_plan_add(plan, CGS_HOST, "tasks of long rows", tasks, sizeof(struct cgs_task));
    cgs_plan_add(plan, CGS_HOST, "long rows", tasks / 2, sizeof(struct cgs_split_row));
    cgs_plan_add(plan, CGS_DEVICE_MEMORY, "tasks of long rows", tasks, sizeof(struct cgs_task));
    cgs_plan_add(plan, CGS_DEVICE_MEMORY, "long rows", tasks / 2, sizeof(struct cgs_split_row));
    cgs_plan_add(plan, CGS_DEVICE_MEMORY, "partial sums of long rows", tasks, sizeof(real));
}

void split_release(void *self)
{
    struct split *s = static_cast<struct split *>(self);
    cgs_cuda_matrix_free(s->queue, &s->arrays);
    cgs_cuda_free(s->queue, s->task);
    cgs_cuda_free(s->queue, s->long_row);
    cgs_cuda_free(s->queue, s->partials);
    cgs_free(s->queue->context, s);
}

enum cgs_status split_prepare(struct cgs_queue *queue, const struct cgs_matrix *matrix, void **self)
{
    struct cgs_matrix padded;
    struct split *made;
    CGS_TRY(cgs_alloc(queue->context, 1, sizeof *made, "CRS kernel", (void **)&made));
    *made = {};
    made->queue = queue;
    enum cgs_status status = cgs_matrix_pad(queue->context, matrix, POWER, &padded);
    if (status == CGS_OK) {
        status = fill_from(made, &padded);
        cgs_matrix_release(queue->context, &padded);
    }
    if (status != CGS_OK) {
        split_release(made);
        return status;
    }
    *self = made;
    return CGS_OK;
}

struct cgs_traffic split_traffic(const struct cgs_matrix *matrix)
{
    const struct cgs_matrix padded = cgs_matrix_padded(matrix, POWER);
    return cgs_matrix_traffic<value, real>(&padded);
}

} // namespace

#endif
