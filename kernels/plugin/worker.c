#define _GNU_SOURCE /* dladdr, REG_RIP */
#include "kernels/plugin/worker.h"

#include <dlfcn.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

#include "kernels/plugin/compile.h"
#include "kernels/plugin/contain.h"
#include "kernels/plugin/products.h"
#include "matrix/layout.h"
#include "matrix/names.h"

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
    job->prepares = w->kernel->prepare != NULL;
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
    return w->backend->open(&w->context, device == CGS_CUDA ? w->job->index : 0, &w->queue);
}

static enum cgs_status lay_out(struct worker *w)
{
    struct cgs_job *job = w->job;
    const struct cgs_crs crs = cgs_job_rows(job);
    const struct cgs_row_source source = cgs_crs_source(&crs);
    const bool sell = w->kernel->format == CGSOLVE_SELL;
    const enum cgs_number number = (enum cgs_number)job->number;
    const struct cgs_direct_settings settings = {
        .kernel = w->kernel,
        .name = job->name,
        .pulse = &job->pulse,
        .device = w->kernel->device == CGSOLVE_CUDA ? CGS_CUDA : CGS_CPU,
        .index = job->index,
        .threads = job->threads,
        .number = number};
    struct cgs_stopwatch *watch = &w->context.watch;
    struct cgs_matrix matrix;
    cgs_stopwatch_start(watch);
    cgs_stopwatch_enter(watch, CGS_PHASE_CONVERT);
    CGS_TRY(cgs_matrix_create(&w->context, &source, sell ? CGS_SELL : CGS_CRS,
                              sell ? job->chunk : 1, sell ? job->sigma : 1, &matrix));
    const enum cgs_status status = cgs_direct_prepare(&settings, w->queue, &matrix, &w->self);
    cgs_matrix_release(&w->context, &matrix);
    job->layout_bytes = status == CGS_OK ? cgs_direct_bytes(w->self) : 0;
    cgs_stopwatch_enter(watch, CGS_PHASE_OUTPUT);
    job->convert_seconds = watch->seconds[CGS_PHASE_CONVERT] + watch->seconds[CGS_PHASE_ASSEMBLE];
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
    const struct cgs_plugin_memory *memory = w->backend->plugin;
    CGS_TRY(w->backend->spaces[number]->create(w->queue, &domain, &w->domain));
    CGS_TRY(w->backend->spaces[number]->create(w->queue, &range, &w->range));
    for (int slot = 0; slot < job->slots; slot++) {
        CGS_TRY(memory->fence(w->queue, job->columns * bytes, "vector", &w->x[slot]));
        CGS_TRY(memory->fence(w->queue, job->rows * bytes, "vector", &w->y[slot]));
    }
    if (memory->late)
        CGS_TRY(memory->fence(w->queue, job->columns * bytes, "vector", &w->waiting));
    return lay_out(w);
}

static enum cgs_status obey(struct worker *w, const struct cgs_request *request,
                            struct cgs_reply *reply)
{
    switch ((enum cgs_worker_order)request->order) {
    case CGS_ORDER_LOAD:
        return load(w);
    case CGS_ORDER_PREPARE:
        return prepare(w);
    case CGS_ORDER_APPLY:
    case CGS_ORDER_TIME:
        return cgs_worker_multiply(w, request->order == CGS_ORDER_TIME ? request->times : 0,
                                   &reply->seconds, &reply->note);
    default:
        cgs_direct_release(w->self);
        w->self = NULL;
        return CGS_OK;
    }
}

/* ---- a fault of the kernel ---- */

static struct worker worker; /* global, since signal handlers take no user pointer */

/* Returns true if an address is in a block, at most `before` bytes before or `behind` behind it. */
static bool near(const char *address, const struct cgs_fenced *blocks, intptr_t before,
                 intptr_t behind)
{
    const intptr_t at = (intptr_t)address;
    for (int slot = 0; slot < CGS_JOB_SLOTS_MOST && blocks[slot].data; slot++) {
        const intptr_t begin = (intptr_t)blocks[slot].data;
        if (at >= begin - before && at < begin + blocks[slot].bytes + behind)
            return true;
    }
    return false;
}

static const char *explain(const char *address)
{
    enum { PAGE = 4096 }; /* inaccessible, beside each block */
    const struct worker *w = &worker;
    const bool host = w->backend && w->backend->place == CGS_HOST;
    if (host && near(address, w->x, 0, 0))
        return "it wrote into x, its input";
    if (host && near(address, w->y, 2 * PAGE, PAGE))
        return "it went outside of y";
    if (host && near(address, w->x, 2 * PAGE, PAGE))
        return "it went outside of x";
    if (host && cgs_direct_owns(w->self, address))
        return "it wrote into the matrix, or went outside of its arrays";
    return (uintptr_t)address < 4096 ? "it followed a null pointer" : "it went where no memory is";
}

/* Returns the address of the instruction that faulted, NULL on other architectures. */
static const char *instruction_of(const ucontext_t *context)
{
#if defined __x86_64__
    return (const char *)context->uc_mcontext.gregs[REG_RIP];
#elif defined __aarch64__
    return (const char *)context->uc_mcontext.pc;
#else
    (void)context;
    return NULL;
#endif
}

/* Returns the offset of an instruction in the kernel's library, 0 if it is elsewhere. */
static uint64_t place_in_library(const char *instruction)
{
    Dl_info info;
    if (!instruction || !dladdr(instruction, &info) || !info.dli_fname ||
        strcmp(info.dli_fname, worker.job->path) != 0)
        return 0;
    return (uint64_t)(instruction - (const char *)info.dli_fbase);
}

/* Records where a fault happened. The faulting instruction then repeats, which ends the process. */
static void note_fault(int signal_number, siginfo_t *info, void *context)
{
    const char *text = explain(info->si_addr);
    memcpy(worker.job->fault, text, strlen(text) + 1);
    worker.job->fault_at = place_in_library(instruction_of(context));
    signal(signal_number, SIG_DFL);
}

static void catch_faults(void)
{
    struct sigaction action = {.sa_sigaction = note_fault, .sa_flags = (int)SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}

#ifdef __SANITIZE_ADDRESS__
/* Turns the search for leaks at exit off: it starts a process, which containment forbids. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return worker.job != NULL;
}
#endif

/* ---- the process ---- */

/* Returns true if the process is to become another program. */
static bool is_program(const char *word)
{
    return strcmp(word, CGS_COMPILE_WORD) == 0 || strcmp(word, CGS_JUDGE_WORD) == 0;
}

bool cgs_worker_wanted(int argc, char **argv)
{
    return (argc == 2 && strcmp(argv[1], CGS_WORKER_WORD) == 0) ||
           (argc > 5 && is_program(argv[1]));
}

static struct cgs_job *map_job(void)
{
    struct stat block;
    if (fstat(CGS_WORKER_BLOCK, &block) != 0 || block.st_size < (off_t)sizeof(struct cgs_job))
        return NULL;
    struct cgs_job *job =
        mmap(NULL, (size_t)block.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, CGS_WORKER_BLOCK, 0);
    return job == MAP_FAILED ? NULL : job;
}

/* Returns the threads for work outside the kernel: at most one for each processor. */
static int own_threads(int threads)
{
    const int processors = omp_get_num_procs();
    return threads < processors ? threads : processors;
}

/* Contains this process before the kernel is loaded. */
static void contain(struct cgs_job *job)
{
    const struct cgs_containment containment = {.library = job->path,
                                                .memory = job->memory,
                                                .threads = job->threads,
                                                .cuda = job->cuda != 0};
    cgs_contain(&containment, job->uncontained, sizeof job->uncontained);
}

int cgs_worker_main(char **argv)
{
    struct worker *w = &worker;
    struct cgs_request request;
    if (is_program(argv[1]))
        return cgs_compile_main(argv);
    w->job = map_job();
    if (!w->job)
        return 1;
    cgs_context_init(&w->context);
    w->context.threads = own_threads(w->job->threads);
    catch_faults();
    contain(w->job); /* after omp_get_num_procs, at which LLVM's OpenMP creates a file */
    while (recv(CGS_WORKER_SOCKET, &request, sizeof request, 0) == (ssize_t)sizeof request) {
        struct cgs_reply reply = {0};
        reply.status = (int32_t)obey(w, &request, &reply);
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
    _exit(0); /* skips the library's exit handlers */
}
