#include "kernels/foreign/worker.h"

#include <math.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/random.h"
#include "kernels/foreign/direct.h"
#include "kernels/foreign/library.h"
#include "kernels/foreign/wire.h"
#include "matrix/crs.h"

/* A kernel whose work goes on after its stream is empty works elsewhere: seconds, and the part of
 * the stream's own time, from which it is said. */
static const double ELSEWHERE_SECONDS = 1e-4, ELSEWHERE_PART = 0.2;

struct worker {
    struct cgs_context context;
    struct cgs_job *job;
    const struct cgsolve_kernel *kernel;
    const struct cgs_backend *backend;
    struct cgs_queue *queue;
    struct cgs_space domain, range;
    struct cgs_fenced x, other, y, waiting; /* waiting: x on its way, of a device */
    void *self; /* of the kernel, direct.h */
    uint64_t dice;
};

static enum cgs_status load(struct worker *w)
{
    struct cgs_job *job = w->job;
    if (w->kernel)
        return CGS_OK;
    cgs_pulse_do(&job->pulse, CGS_DOING_LOAD);
    const enum cgs_status status = cgs_library_open(&w->context, job->name, job->path, &w->kernel);
    cgs_pulse_do(&job->pulse, CGS_DOING_OURS);
    if (status != CGS_OK)
        return status;
    job->format = w->kernel->format;
    job->device = w->kernel->device;
    job->precisions = w->kernel->precisions;
    job->flags = w->kernel->flags;
    snprintf(job->kernel_name, sizeof job->kernel_name, "%s", w->kernel->name);
    snprintf(job->description, sizeof job->description, "%s", w->kernel->description);
    return CGS_OK;
}

/* ---- prepare ---- */

static enum cgs_status open_device(struct worker *w)
{
    const enum cgs_device device = w->kernel->device == CGSOLVE_CUDA ? CGS_CUDA : CGS_CPU;
    w->backend = cgs_backend(device);
    if (!w->backend)
        return cgs_fail(&w->context, CGS_DEVICE, "kernel '%s' is of CUDA: %s", w->job->name,
                        cgs_backend_reason(device));
    w->context.threads = w->job->threads;
    return w->backend->open(&w->context, device == CGS_CUDA ? w->job->index : 0, &w->queue);
}

/* The matrix as it came, until its layout has been drawn. */
static struct cgs_crs incoming(struct cgs_job *job)
{
    return (struct cgs_crs){.rows = job->rows,
                            .columns = job->columns,
                            .pointers = cgs_job_array(job, CGS_JOB_POINTERS),
                            .column = cgs_job_array(job, CGS_JOB_COLUMNS),
                            .value = cgs_job_array(job, CGS_JOB_VALUES)};
}

static enum cgs_status lay_out(struct worker *w)
{
    struct cgs_job *job = w->job;
    const struct cgs_crs crs = incoming(job);
    const struct cgs_row_source source = cgs_crs_source(&crs);
    const bool sell = w->kernel->format == CGSOLVE_SELL;
    const enum cgs_number number = (enum cgs_number)job->number;
    const struct cgs_direct_settings settings = {.kernel = w->kernel,
                                                 .name = job->name,
                                                 .pulse = &job->pulse,
                                                 .device = w->kernel->device == CGSOLVE_CUDA
                                                               ? CGS_CUDA
                                                               : CGS_CPU,
                                                 .index = job->index,
                                                 .number = number};
    struct cgs_stopwatch *watch = &w->context.watch;
    struct cgs_matrix matrix;
    cgs_stopwatch_start(watch);
    cgs_stopwatch_enter(watch, CGS_PHASE_CONVERT);
    CGS_TRY(cgs_matrix_create(&w->context, &source, sell ? CGS_SELL : CGS_CRS,
                              sell ? job->chunk : 1, sell ? job->sigma : 1, &matrix));
    const enum cgs_status status = cgs_direct_prepare(&settings, w->queue, &matrix, &w->self);
    cgs_matrix_release(&w->context, &matrix);
    cgs_stopwatch_enter(watch, CGS_PHASE_OUTPUT);
    job->convert_seconds =
        watch->seconds[CGS_PHASE_CONVERT] + watch->seconds[CGS_PHASE_ASSEMBLE];
    job->transfer_seconds = watch->seconds[CGS_PHASE_TRANSFER];
    job->link_seconds = w->context.link_seconds;
    job->link_bytes = w->context.link_bytes;
    return status;
}

static enum cgs_status prepare(struct worker *w)
{
    struct cgs_job *job = w->job;
    const enum cgs_number number = (enum cgs_number)job->number;
    const int64_t bytes = cgs_number_bytes(number);
    const struct cgs_layout domain = {.size = job->columns}, range = {.size = job->rows};
    CGS_TRY(load(w));
    CGS_TRY(open_device(w));
    const struct cgs_foreign_memory *memory = w->backend->foreign;
    CGS_TRY(w->backend->spaces[number]->create(w->queue, &domain, &w->domain));
    CGS_TRY(w->backend->spaces[number]->create(w->queue, &range, &w->range));
    CGS_TRY(memory->fence(w->queue, job->columns * bytes, "vector", &w->x));
    CGS_TRY(memory->fence(w->queue, job->columns * bytes, "vector", &w->other));
    CGS_TRY(memory->fence(w->queue, job->rows * bytes, "vector", &w->y));
    if (memory->late)
        CGS_TRY(memory->fence(w->queue, job->columns * bytes, "vector", &w->waiting));
    return lay_out(w);
}

/* ---- products ---- */

static enum cgs_status put_input(struct worker *w, enum cgs_job_array which,
                                 const struct cgs_fenced *to)
{
    const struct cgs_foreign_memory *memory = w->backend->foreign;
    if (memory->protect)
        memory->protect(to, false);
    CGS_TRY(w->domain.ops->put(&w->domain, cgs_job_array(w->job, which), 0, w->domain.size,
                               to->data));
    if (memory->protect)
        memory->protect(to, true);
    return CGS_OK;
}

static enum cgs_status poison(struct worker *w)
{
    CGS_TRY(w->range.ops->set(&w->range, w->queue, NULL, NAN, w->y.data));
    return w->range.ops->wait(w->queue);
}

static enum cgs_status look_at(struct worker *w, const struct cgs_fenced *block, const char *which)
{
    int64_t where;
    CGS_TRY(w->backend->foreign->look(w->queue, block, &where));
    if (where == 0)
        return CGS_OK;
    return cgs_fail(&w->context, CGS_NOT_CONVERGED,
                    "kernel '%s' writes outside of its vectors: the byte %lld %s of %s was changed",
                    w->job->name, (long long)(where < 0 ? -where : where - block->bytes),
                    where < 0 ? "before the begin" : "behind the end", which);
}

/* Where inputs can't be made read-only: whether one is still what was put there. */
static enum cgs_status look_at_input(struct worker *w, enum cgs_job_array which,
                                     const struct cgs_fenced *block)
{
    const double *right = cgs_job_array(w->job, which);
    const bool narrow = w->job->number == CGS_F32;
    double *copy;
    if (w->backend->foreign->protect)
        return CGS_OK;
    copy = malloc((size_t)w->domain.size * sizeof *copy + 1);
    if (!copy)
        return CGS_OK; /* only a look */
    enum cgs_status status =
        w->domain.ops->get(&w->domain, block->data, 0, w->domain.size, copy);
    for (int64_t i = 0; status == CGS_OK && i < w->domain.size; i++)
        if (copy[i] != (narrow ? (double)(float)right[i] : right[i]) && !isnan(right[i]))
            status = cgs_fail(&w->context, CGS_NOT_CONVERGED,
                              "kernel '%s' writes into its input: x[%lld] was changed",
                              w->job->name, (long long)i);
    free(copy);
    return status;
}

/* Whether the device still works when the queue is empty, `seconds` after the first product. */
static enum cgs_status look_elsewhere(struct worker *w, double seconds)
{
    const struct cgs_foreign_memory *memory = w->backend->foreign;
    double after = 0.0;
    if (memory->settle)
        CGS_TRY(memory->settle(w->queue, &after));
    if (after > ELSEWHERE_SECONDS && after > ELSEWHERE_PART * seconds)
        return cgs_fail(&w->context, CGS_NOT_CONVERGED,
                        "kernel '%s' works elsewhere than on the stream that it is given: when the "
                        "stream was empty, after %.3g s, the device went on for %.3g s",
                        w->job->name, seconds, after);
    return CGS_OK;
}

/* After products: the result, nothing else on the device, nothing else written. One product's result
 * is taken as soon as the stream is empty, so that work elsewhere misses it; many are long enough
 * for such work to be seen itself. */
static enum cgs_status take_result(struct worker *w, int times, double seconds)
{
    double *y = cgs_job_array(w->job, CGS_JOB_Y);
    if (times > 1)
        CGS_TRY(look_elsewhere(w, seconds));
    CGS_TRY(w->range.ops->get(&w->range, w->y.data, 0, w->range.size, y));
    if (times == 1)
        CGS_TRY(look_elsewhere(w, seconds));
    cgs_pulse_do(&w->job->pulse, CGS_DOING_OURS);
    CGS_TRY(look_at(w, &w->y, "y"));
    CGS_TRY(look_at(w, &w->x, "x"));
    CGS_TRY(look_at(w, &w->other, "x"));
    CGS_TRY(look_at_input(w, CGS_JOB_X, &w->x));
    return look_at_input(w, CGS_JOB_OTHER_X, &w->other);
}

/* x comes to a device only when the queue is at it: a product that does not wait for the queue has
 * NaN to work with. */
static enum cgs_status delay_input(struct worker *w)
{
    const struct cgs_foreign_memory *memory = w->backend->foreign;
    if (!memory->late)
        return CGS_OK;
    CGS_TRY(put_input(w, CGS_JOB_X, &w->waiting));
    CGS_TRY(w->domain.ops->set(&w->domain, w->queue, NULL, NAN, w->x.data));
    CGS_TRY(w->domain.ops->wait(w->queue));
    return memory->late(w->queue, &w->waiting, &w->x);
}

/* A number of y, another one each time, so that leaving it is seen whatever stood there. */
static void poison_one(struct worker *w)
{
    if (w->backend->place != CGS_HOST || w->range.size == 0)
        return;
    w->dice = w->dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const int64_t i = (int64_t)((w->dice >> 16) % (uint64_t)w->range.size);
    if (w->job->number == CGS_F32)
        ((float *)w->y.data)[i] = NAN;
    else
        ((double *)w->y.data)[i] = NAN;
}

/* Threads are there before the clock runs ... */
static void wake_threads(const struct worker *w)
{
    int there = 0;
#pragma omp parallel num_threads(w->context.threads) reduction(+ : there)
    there++;
    (void)there;
}

/* Alternately with both inputs, so that no answer can be given twice; the last one with x. */
static enum cgs_status multiply(struct worker *w, int times, double *seconds)
{
    if (w->backend->place == CGS_HOST)
        wake_threads(w);
    if (w->backend->place == CGS_DEVICE_MEMORY) /* which is waited for at the end of all */
        cgs_pulse_allow(&w->job->pulse, w->job->nonzeros * times / 50);
    const double begin = cgs_now();
    CGS_TRY(w->backend->mark(w->queue, 0));
    for (int k = 0; k < times; k++) {
        const bool last = (times - 1 - k) % 2 == 0 && (k > 0 || times == 1);
        poison_one(w);
        CGS_TRY(cgs_direct_apply(w->self, w->queue, NULL, last ? w->x.data : w->other.data,
                                 w->y.data));
    }
    CGS_TRY(w->backend->mark(w->queue, 1));
    CGS_TRY(w->backend->elapsed(w->queue, 0, 1, seconds));
    CGS_TRY(w->range.ops->wait(w->queue));
    return take_result(w, times, cgs_now() - begin);
}

static enum cgs_status obey(struct worker *w, const struct cgs_request *request, double *seconds)
{
    switch ((enum cgs_order)request->order) {
    case CGS_ORDER_LOAD:
        return load(w);
    case CGS_ORDER_PREPARE:
        return prepare(w);
    case CGS_ORDER_APPLY:
    case CGS_ORDER_TIME:
        CGS_TRY(put_input(w, CGS_JOB_X, &w->x));
        CGS_TRY(put_input(w, CGS_JOB_OTHER_X, &w->other));
        CGS_TRY(poison(w));
        if (request->order == CGS_ORDER_APPLY)
            CGS_TRY(delay_input(w));
        CGS_TRY(multiply(w, request->order == CGS_ORDER_TIME ? request->times : 1, seconds));
        omp_pause_resource_all(omp_pause_soft); /* ... and none waits while others are timed */
        return CGS_OK;
    default:
        cgs_direct_release(w->self);
        w->self = NULL;
        return CGS_OK;
    }
}

/* ---- a fault of the kernel ---- */

static struct worker worker; /* for the handler, which gets no pointer of ours */

static bool within(const char *address, const struct cgs_fenced *block)
{
    const char *begin = block->data;
    return begin && address >= begin && address < begin + block->bytes;
}

/* Within the forbidden page behind a block, or the one before. */
static bool beside(const char *address, const struct cgs_fenced *block)
{
    const intptr_t page = 4096, begin = (intptr_t)block->data, at = (intptr_t)address;
    return block->data && at >= begin - 2 * page && at < begin + block->bytes + page;
}

static const char *explain(const char *address)
{
    const struct worker *w = &worker;
    const bool host = w->backend && w->backend->place == CGS_HOST;
    if (host && (within(address, &w->x) || within(address, &w->other)))
        return "it wrote into x, its input";
    if (host && beside(address, &w->y))
        return "it went outside of y";
    if (host && (beside(address, &w->x) || beside(address, &w->other)))
        return "it went outside of x";
    if (host && cgs_direct_owns(w->self, address))
        return "it wrote into the matrix, or went outside of its arrays";
    return (uintptr_t)address < 4096 ? "it followed a null pointer" : "it went where no memory is";
}

/* Notes where it was, and lets it happen again, this time to die of it. */
static void note_fault(int signal_number, siginfo_t *info, void *unused)
{
    (void)unused;
    const char *text = explain(info->si_addr);
    memcpy(worker.job->fault, text, strlen(text) + 1);
    signal(signal_number, SIG_DFL);
}

static void catch_faults(void)
{
    struct sigaction action = {.sa_sigaction = note_fault, .sa_flags = (int)SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}

/* ---- the process ---- */

bool cgs_worker_wanted(int argc, char **argv)
{
    return argc == 2 && strcmp(argv[1], CGS_WORKER_WORD) == 0;
}

static struct cgs_job *map_job(void)
{
    struct stat block;
    if (fstat(CGS_WORKER_BLOCK, &block) != 0 || block.st_size < (off_t)sizeof(struct cgs_job))
        return NULL;
    struct cgs_job *job = mmap(NULL, (size_t)block.st_size, PROT_READ | PROT_WRITE, MAP_SHARED,
                               CGS_WORKER_BLOCK, 0);
    return job == MAP_FAILED ? NULL : job;
}

int cgs_worker_main(void)
{
    struct worker *w = &worker;
    struct cgs_request request;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* nothing stays behind */
    signal(SIGPIPE, SIG_DFL);
    w->job = map_job();
    if (!w->job)
        return 1;
    cgs_context_init(&w->context);
    w->context.threads = w->job->threads;
    w->dice = (uint64_t)getpid();
    catch_faults();
    while (recv(CGS_WORKER_SOCKET, &request, sizeof request, 0) == (ssize_t)sizeof request) {
        struct cgs_reply reply = {0};
        reply.status = (int32_t)obey(w, &request, &reply.seconds);
        snprintf(w->job->message, sizeof w->job->message, "%.1000s", w->context.message);
        w->context.status = CGS_OK;
        w->context.message[0] = '\0';
        if (request.order == CGS_ORDER_QUIT)
            atomic_store(&w->job->pulse.ended, 1);
        if (send(CGS_WORKER_SOCKET, &reply, sizeof reply, MSG_NOSIGNAL) != (ssize_t)sizeof reply ||
            request.order == CGS_ORDER_QUIT)
            break;
    }
    fflush(NULL);
    _exit(0); /* what a library does at exit is nobody's business now */
}
