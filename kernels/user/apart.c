/* A user's kernel in a process of its own: the implementation of its kernel table. */
#define _GNU_SOURCE /* fallocate */
#include <fcntl.h>
#include <omp.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "kernels/user/foreign_internal.h"
#include "kernels/user/process.h"

struct apart {
    struct cgs_context *context;
    struct cgs_process process;
    struct cgs_space domain, range;
};

/* ---- the job ---- */

static void place_arrays(const struct cgs_matrix *matrix, struct cgs_job *job)
{
    const int64_t bytes[CGS_JOB_ARRAYS] = {
        [CGS_JOB_POINTERS] = (matrix->rows + 1) * (int64_t)sizeof(int64_t),
        [CGS_JOB_COLUMNS] = matrix->nonzeros * (int64_t)sizeof(int32_t),
        [CGS_JOB_VALUES] = matrix->nonzeros * (int64_t)sizeof(double),
        [CGS_JOB_X] = matrix->columns * (int64_t)sizeof(double),
        [CGS_JOB_OTHER_X] = matrix->columns * (int64_t)sizeof(double),
        [CGS_JOB_Y] = matrix->rows * (int64_t)sizeof(double),
    };
    const int64_t page = 4096;
    int64_t offset = (int64_t)sizeof *job;
    for (int i = 0; i < CGS_JOB_ARRAYS; i++) {
        offset = (offset + page - 1) / page * page;
        job->offset[i] = offset;
        job->bytes[i] = bytes[i];
        offset += bytes[i];
    }
    job->length = offset;
}

/* Sends the rows as CRS in natural order; the worker lays them out as its kernel wants them. */
static enum cgs_status send_rows(struct cgs_context *context, const struct cgs_matrix *matrix,
                                 struct cgs_job *job)
{
    struct cgs_matrix crs;
    CGS_TRY(cgs_matrix_create(context, matrix->source, CGS_CRS, 1, 1, &crs));
    memcpy(cgs_job_array(job, CGS_JOB_POINTERS), crs.pointers,
           (size_t)job->bytes[CGS_JOB_POINTERS]);
    const enum cgs_status status =
        cgs_matrix_fill(context, &crs, 0, crs.units, CGS_F64, cgs_job_array(job, CGS_JOB_COLUMNS),
                        cgs_job_array(job, CGS_JOB_VALUES));
    cgs_matrix_release(context, &crs);
    return status;
}

/* Returns the memory of the rows to the system once the worker has read them. */
static void forget_rows(struct cgs_process *process)
{
    const struct cgs_job *job = process->job;
    const int64_t begin = job->offset[CGS_JOB_POINTERS];
    (void)fallocate(process->block, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)begin,
                    (off_t)(job->offset[CGS_JOB_X] - begin));
}

/* ---- the table ---- */

static void release(void *self)
{
    struct apart *apart = self;
    if (!apart)
        return;
    struct cgs_context *context = apart->context;
    struct cgs_context quiet = *context; /* all results have been received: ignore failures */
    cgs_process_end(&quiet, &apart->process);
    cgs_free(context, apart);
}

/* Adds the seconds that the worker has spent to the right phase. */
static void charge(struct cgs_stopwatch *watch, enum cgs_phase phase, double seconds)
{
    watch->seconds[phase] += seconds;
    watch->since += seconds;
}

static enum cgs_status start(struct cgs_queue *queue, const struct cgs_foreign_table *table,
                             const struct cgs_matrix *matrix, struct apart *apart)
{
    const struct cgs_foreign *foreign = table->foreign;
    const struct cgs_request prepare = {.order = CGS_ORDER_PREPARE};
    struct cgs_context *context = queue->context;
    const struct cgs_layout domain = {.size = matrix->columns}, range = {.size = matrix->rows};
    const struct cgs_space_ops *spaces = cgs_backend(foreign->apart.device)->spaces[table->number];
    struct cgs_job plan = {0};
    struct cgs_reply reply;
    CGS_TRY(spaces->create(queue, &domain, &apart->domain));
    CGS_TRY(spaces->create(queue, &range, &apart->range));
    plan.threads = context->threads;
    plan.number = (int32_t)table->number;
    plan.chunk = matrix->chunk;
    plan.sigma = matrix->sigma;
    plan.rows = matrix->rows;
    plan.columns = matrix->columns;
    plan.nonzeros = matrix->nonzeros;
    place_arrays(matrix, &plan);
    cgs_foreign_address(foreign, &plan);
    CGS_TRY(cgs_process_create(context, plan.length, &apart->process));
    struct cgs_job *job = apart->process.job;
    *job = plan;
    CGS_TRY(send_rows(context, matrix, job));
    CGS_TRY(cgs_process_start(context, foreign->compiled, &apart->process));
    CGS_TRY(cgs_process_ask(context, &apart->process, &prepare, &reply));
    forget_rows(&apart->process);
    charge(&context->watch, CGS_PHASE_CONVERT, job->convert_seconds);
    charge(&context->watch, CGS_PHASE_TRANSFER, job->transfer_seconds);
    context->link_bytes += job->link_bytes;
    context->link_seconds += job->link_seconds;
    return CGS_OK;
}

enum cgs_status cgs_foreign_prepare_apart(const struct cgs_kernel *kernel, struct cgs_queue *queue,
                                          const struct cgs_matrix *matrix, void **self)
{
    const struct cgs_foreign_table *table = (const struct cgs_foreign_table *)kernel;
    struct apart *made;
    if (table->foreign->broken[0])
        return cgs_fail(queue->context, CGS_NOT_CONVERGED, "%s", table->foreign->broken);
    CGS_TRY(cgs_alloc(queue->context, 1, sizeof *made, "user's kernel", (void **)&made));
    *made = (struct apart){.context = queue->context};
    const enum cgs_status status = start(queue, table, matrix, made);
    if (status == CGS_OK)
        *self = made;
    else
        release(made);
    return status;
}

/* Makes another input of the same size, which detects repeated answers. */
static void make_other(const struct cgs_job *job, const double *x, double *other)
{
    for (int64_t i = 0; i < job->columns; i++)
        other[i] = 1.0 - x[job->columns - 1 - i];
}

static enum cgs_status ask(const struct apart *apart, const struct cgs_request *request,
                           const void *x, void *y, double *seconds)
{
    struct cgs_process *process = (struct cgs_process *)&apart->process; /* which may end */
    struct cgs_job *job = process->job;
    double *input = cgs_job_array(job, CGS_JOB_X);
    struct cgs_reply reply;
    CGS_TRY(apart->domain.ops->get(&apart->domain, x, 0, job->columns, input));
    make_other(job, input, cgs_job_array(job, CGS_JOB_OTHER_X));
    if (apart->domain.place ==
        CGS_HOST) /* no thread of ours waits for work on the kernel's cores */
        omp_pause_resource_all(omp_pause_soft);
    const double begin = cgs_now();
    CGS_TRY(cgs_process_ask(apart->context, process, request, &reply));
    const double passed = cgs_now() - begin;
    if (seconds && !(reply.seconds > 0.0 && reply.seconds <= passed))
        return cgs_fail(
            apart->context, CGS_NOT_CONVERGED,
            "kernel '%s' has tampered with the clock: %.3g s by its own, %.3g s by ours", job->name,
            reply.seconds, passed);
    CGS_TRY(apart->range.ops->put(&apart->range, cgs_job_array(job, CGS_JOB_Y), 0, job->rows, y));
    if (seconds)
        *seconds = reply.seconds;
    return CGS_OK;
}

static enum cgs_status apply(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, void *y)
{
    const struct cgs_request request = {.order = CGS_ORDER_APPLY, .times = 1};
    (void)queue, (void)state;
    return ask(self, &request, x, y, NULL);
}

static enum cgs_status time_products(const void *self, struct cgs_queue *queue, const void *x,
                                     void *y, int times, double *seconds)
{
    const struct cgs_request request = {.order = CGS_ORDER_TIME, .times = times};
    (void)queue;
    return ask(self, &request, x, y, seconds);
}

const struct cgs_steps cgs_foreign_steps_apart = {
    .apply = apply, .time = time_products, .release = release};
