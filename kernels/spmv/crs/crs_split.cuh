/* Data of crs_split.cu: the padded matrix on the device, the tasks of its long rows, and room for
 * their sums. */
#pragma once

#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/upload_cuda.cuh"
#include "kernels/spmv/cached.cuh"
#include "kernels/spmv/crs/padded.cuh"
#include "kernels/spmv/crs/split_rows.cuh"
#include "kernels/spmv/crs/tasks.h"
#include "matrix/pad.h"

namespace
{

constexpr int POWER = 4; /* CGS_SEGMENT = 2^POWER */

struct split {
    struct cgs_cuda_matrix arrays;
    struct cgs_queue *queue;
    int64_t rows;
    enum hints hints;
    int64_t kept;                /* rows whose entries are kept in the cache */
    struct split_rows long_rows; /* a slot is a task */
    struct cgs_task *task;       /* [long_rows.slots] */
};

/* Uploads the tasks of long rows, made on the host. */
enum cgs_status upload_tasks(struct split *s, const struct cgs_tasks *made)
{
    struct cgs_queue *queue = s->queue;
    CGS_TRY(split_rows_upload(queue, made->row, made->rows, made->tasks, &s->long_rows));
    if (made->tasks == 0)
        return CGS_OK;
    CGS_TRY(cgs_cuda_alloc(queue, made->tasks, sizeof *s->task, "tasks of long rows",
                           (void **)&s->task));
    return cgs_cuda_send(queue, s->task, made->task, made->tasks * (int64_t)sizeof *s->task);
}

/* Makes everything from the padded matrix. */
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
    padded_plan<POWER>(matrix, plan);
    cgs_plan_add(plan, CGS_HOST, "long rows", tasks / 2 + 1, sizeof(struct cgs_split));
    if (tasks == 0)
        return;
    cgs_plan_add(plan, CGS_HOST, "tasks of long rows", tasks, sizeof(struct cgs_task));
    cgs_plan_add(plan, CGS_DEVICE_MEMORY, "tasks of long rows", tasks, sizeof(struct cgs_task));
    split_rows_plan(tasks / 2, tasks, plan);
}

enum cgs_status split_fill(struct split *s, const struct cgs_matrix *matrix)
{
    return fill_padded<POWER>(s, matrix, fill_from);
}

void split_empty(struct split *s)
{
    cgs_cuda_matrix_free(s->queue, &s->arrays);
    cgs_cuda_free(s->queue, s->task);
    split_rows_free(s->queue, &s->long_rows);
}

} // namespace
