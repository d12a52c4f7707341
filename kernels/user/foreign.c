#define _GNU_SOURCE /* memfd_create */
#include "kernels/user/foreign.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "include/cgsolve/kernel.h"
#include "kernels/user/addr2line.h"
#include "kernels/user/compile.h"
#include "kernels/user/direct.h"
#include "kernels/user/foreign_internal.h"
#include "kernels/user/functional.h"
#include "kernels/user/library.h"
#include "kernels/user/process.h"
#include "matrix/names.h"

static bool ends_in(const char *name, const char *suffix)
{
    const size_t length = strlen(name), tail = strlen(suffix);
    return length > tail && strcmp(name + length - tail, suffix) == 0;
}

/* ---- traffic and memory, as of built-in kernels on the same arrays ---- */

static struct cgs_traffic traffic(const struct cgs_matrix *matrix, enum cgs_number number)
{
    const int64_t size = cgs_number_bytes(number), entry = size + (int64_t)sizeof(int32_t);
    const int64_t permutation = matrix->sigma > 1 ? matrix->rows * (int64_t)sizeof(int32_t) : 0;
    return (struct cgs_traffic){
        .matrix =
            matrix->stored * entry + (matrix->units + 1) * (int64_t)sizeof(int64_t) + permutation,
        .padding = (matrix->stored - matrix->nonzeros) * entry,
        .vectors = (matrix->columns + matrix->rows) * size,
        .additions = matrix->nonzeros,
    };
}

static struct cgs_traffic traffic_f64(const struct cgs_matrix *matrix)
{
    return traffic(matrix, CGS_F64);
}

static struct cgs_traffic traffic_f32(const struct cgs_matrix *matrix)
{
    return traffic(matrix, CGS_F32);
}

static void plan(const struct cgs_matrix *matrix, enum cgs_place place, enum cgs_number number,
                 struct cgs_plan *plan)
{
    cgs_plan_add(plan, place, "matrix values", matrix->stored, cgs_number_bytes(number));
    cgs_plan_add(plan, place, "matrix columns", matrix->stored, sizeof(int32_t));
    cgs_plan_add(plan, place, "matrix pointers", matrix->units + 1, sizeof(int64_t));
    if (matrix->sigma > 1)
        cgs_plan_add(plan, place, "matrix permutation", matrix->rows, sizeof(int32_t));
}

/* Memory of a kernel in a worker process, including the rows and vectors that are copied there. */
static void plan_apart(const struct cgs_matrix *matrix, enum cgs_place place,
                       enum cgs_number number, struct cgs_plan *out)
{
    const int64_t slots = cgs_foreign_slots(matrix);
    plan(matrix, place, number, out);
    cgs_plan_add(out, CGS_HOST, "rows for the kernel's process", matrix->nonzeros,
                 (int64_t)(sizeof(int32_t) + sizeof(double)));
    cgs_plan_add(out, CGS_HOST, "pointers for the kernel's process", matrix->rows + 1,
                 sizeof(int64_t));
    cgs_plan_add(out, CGS_HOST, "vectors for the kernel's process", matrix->rows + matrix->columns,
                 slots * (int64_t)sizeof(double));
    cgs_plan_add(out, place, "vectors of the kernel's process", matrix->rows + matrix->columns,
                 (slots + 1) * cgs_number_bytes(number));
    cgs_plan_add(out, CGS_HOST, "verification of products", matrix->rows, CGS_FUNCTIONAL_ROW);
    cgs_plan_add(out, CGS_HOST, "verification of products", matrix->columns, CGS_FUNCTIONAL_COLUMN);
}

/* Memory of a kernel in this process. Before CG uses it, it is verified in a worker process against
 * reference results of the rows. */
static void plan_here(const struct cgs_matrix *matrix, enum cgs_place place, enum cgs_number number,
                      struct cgs_plan *out)
{
    enum { VECTORS = 16 };
    plan_apart(matrix, place, number, out);
    cgs_plan_add(out, CGS_HOST, "verification: rows", matrix->nonzeros,
                 (int64_t)(sizeof(int32_t) + sizeof(double)));
    cgs_plan_add(out, CGS_HOST, "verification: vectors", matrix->rows,
                 VECTORS * (int64_t)sizeof(double));
}

#define PLAN(name, how, place, number)                                                             \
    static void name(const struct cgs_matrix *matrix, struct cgs_plan *out)                        \
    {                                                                                              \
        how(matrix, place, number, out);                                                           \
    }
PLAN(plan_apart_cpu_f64, plan_apart, CGS_HOST, CGS_F64)
PLAN(plan_apart_cpu_f32, plan_apart, CGS_HOST, CGS_F32)
PLAN(plan_apart_cuda_f64, plan_apart, CGS_DEVICE_MEMORY, CGS_F64)
PLAN(plan_apart_cuda_f32, plan_apart, CGS_DEVICE_MEMORY, CGS_F32)
PLAN(plan_here_cpu_f64, plan_here, CGS_HOST, CGS_F64)
PLAN(plan_here_cpu_f32, plan_here, CGS_HOST, CGS_F32)
PLAN(plan_here_cuda_f64, plan_here, CGS_DEVICE_MEMORY, CGS_F64)
PLAN(plan_here_cuda_f32, plan_here, CGS_DEVICE_MEMORY, CGS_F32)

/* ---- in this process ---- */

static enum cgs_status prepare_here(const struct cgs_kernel *kernel, struct cgs_queue *queue,
                                    const struct cgs_matrix *matrix, void **self)
{
    const struct cgs_foreign_table *table = (const struct cgs_foreign_table *)kernel;
    const struct cgs_foreign *foreign = table->foreign;
    struct cgs_direct_settings settings = {.name = foreign->path,
                                           .pulse = foreign->pulse,
                                           .device = foreign->apart.device,
                                           .index = foreign->index,
                                           .number = table->number};
    if (foreign->broken[0])
        return cgs_fail(queue->context, CGS_NOT_CONVERGED, "%s", foreign->broken);
    cgs_pulse_allow(foreign->pulse, 0);
    cgs_pulse_do(foreign->pulse, CGS_DOING_LOAD);
    const enum cgs_status status =
        cgs_library_open(queue->context, foreign->path, foreign->library, &settings.kernel);
    cgs_pulse_do(foreign->pulse, CGS_DOING_OURS);
    return status == CGS_OK ? cgs_direct_prepare(&settings, queue, matrix, self) : status;
}

/* ---- the entries ---- */

static void make_tables(struct cgs_foreign *foreign, const struct cgs_job *job)
{
    static const enum cgs_precision precisions[CGS_NUMBERS] = {
        [CGS_F64] = CGS_PRECISION_F64, [CGS_F32] = CGS_PRECISION_F32};
    static const int bits[CGS_NUMBERS] = {[CGS_F64] = CGSOLVE_DOUBLE, [CGS_F32] = CGSOLVE_SINGLE};
    const bool cuda = foreign->apart.device == CGS_CUDA;
    const struct cgs_kernel common[CGS_NUMBERS] = {
        {.traffic = traffic_f64, .plan = cuda ? plan_apart_cuda_f64 : plan_apart_cpu_f64},
        {.traffic = traffic_f32, .plan = cuda ? plan_apart_cuda_f32 : plan_apart_cpu_f32},
    };
    static void (*const plans_here[2][CGS_NUMBERS])(
        const struct cgs_matrix *, struct cgs_plan *) = {{plan_here_cpu_f64, plan_here_cpu_f32},
                                                         {plan_here_cuda_f64, plan_here_cuda_f32}};
    foreign->here = foreign->apart;
    for (int number = 0; number < CGS_NUMBERS; number++) {
        struct cgs_foreign_table *apart = &foreign->tables[0][number];
        struct cgs_foreign_table *here = &foreign->tables[1][number];
        if ((job->precisions & bits[number]) == 0 || !cgs_backend(foreign->apart.device))
            continue;
        *apart = (struct cgs_foreign_table){common[number], foreign, (enum cgs_number)number};
        apart->kernel.shared = true;
        apart->kernel.reproducible = (job->flags & CGSOLVE_REPRODUCIBLE) != 0;
        apart->kernel.entryless = (job->flags & CGSOLVE_ENTRYLESS) != 0;
        /* as its author declares, since it runs on one GPU */
        apart->kernel.by_rows = apart->kernel.reproducible;
        *here = *apart;
        apart->kernel.prepare_own = cgs_foreign_prepare_apart;
        apart->kernel.steps = cgs_foreign_steps_apart;
        here->kernel.capturable = cuda && (job->flags & CGSOLVE_CAPTURABLE) != 0;
        here->kernel.plan = plans_here[cuda][number];
        here->kernel.prepare_own = prepare_here;
        here->kernel.steps = (struct cgs_steps){.apply = cgs_direct_apply,
                                                .entries = cgs_direct_entries,
                                                .release = cgs_direct_release};
        foreign->apart.tables[precisions[number]] = &apart->kernel;
        foreign->here.tables[precisions[number]] = &here->kernel;
    }
}

/* Reads the kernel's descriptor in a worker process. It is contained like one of a CPU kernel,
 * since loading a library opens no device. */
static enum cgs_status probe(struct cgs_context *context, struct cgs_foreign *foreign)
{
    const struct cgs_request load = {.order = CGS_ORDER_LOAD};
    struct cgs_process process;
    struct cgs_reply reply;
    CGS_TRY(cgs_process_create(context, sizeof(struct cgs_job), &process));
    struct cgs_job *job = process.job;
    cgs_foreign_address(foreign, job);
    job->threads = context->threads;
    job->memory = foreign->preload[0] ? 0 : CGS_WORKER_MEMORY;
    process.preload = foreign->preload;
    process.said = foreign->said;
    enum cgs_status status = cgs_process_start(context, foreign->compiled, &process);
    if (status == CGS_OK)
        status = cgs_process_ask(context, &process, &load, &reply);
    if (status == CGS_NOT_CONVERGED) { /* the kernel's failure is reported when it is used */
        snprintf(foreign->broken, sizeof foreign->broken, "%.500s", context->message);
        context->status = status = CGS_OK;
        context->message[0] = '\0';
        job->precisions = CGSOLVE_DOUBLE | CGSOLVE_SINGLE;
    }
    if (status == CGS_OK) {
        foreign->apart.device = job->device == CGSOLVE_CUDA ? CGS_CUDA : CGS_CPU;
        foreign->apart.format = job->format == CGSOLVE_SELL ? CGS_SELL : CGS_CRS;
        snprintf(foreign->description, sizeof foreign->description, "%.63s%s%.159s",
                 job->kernel_name, job->description[0] ? ": " : "", job->description);
        foreign->prepares = job->prepares != 0;
        snprintf(foreign->uncontained, sizeof foreign->uncontained, "%.63s", job->uncontained);
        make_tables(foreign, job);
    }
    struct cgs_context quiet = *context; /* ignore failures at its end */
    cgs_process_end(&quiet, &process);
    return status;
}

static struct cgs_foreign *alloc_foreign(struct cgs_context *context, const char *path, int index)
{
    struct cgs_foreign *made = NULL;
    if (cgs_alloc(context, 1, sizeof *made, "user's kernel", (void **)&made) != CGS_OK)
        return NULL;
    *made = (struct cgs_foreign){.index = index, .compiled = -1, .preload = "", .said = -1};
    snprintf(made->path, sizeof made->path, "%s", path);
    /* A name without a slash would be searched for elsewhere. */
    snprintf(made->library, sizeof made->library, "%s%s", strchr(path, '/') ? "" : "./", path);
    made->apart = (struct cgs_kernel_entry){.name = made->path, .description = made->description};
    return made;
}

static enum cgs_status compile(struct cgs_context *context, enum cgs_build build,
                               struct cgs_foreign *made)
{
    CGS_TRY(cgs_compile(context, made->library, build, made->index, made->warnings,
                        sizeof made->warnings, &made->compiled));
    snprintf(made->library, sizeof made->library, "/proc/self/fd/%d", made->compiled);
    return CGS_OK;
}

enum cgs_status cgs_foreign_open(struct cgs_context *context, const char *path, int index,
                                 struct cgs_foreign **foreign)
{
    struct stat file;
    if (access(path, R_OK) != 0)
        return cgs_fail(context, CGS_FILE, "kernel '%s' can't be read: %s", path, strerror(errno));
    if (stat(path, &file) != 0 || !S_ISREG(file.st_mode)) /* opening a pipe would block */
        return cgs_fail(
            context, CGS_FILE,
            "kernel '%s' is no regular file: expected is a shared library (.so), a .c or "
            "a .cu file",
            path);
    if (strlen(path) >= sizeof(*foreign)->library)
        return cgs_fail(context, CGS_FILE, "kernel '%.60s...': the path is too long", path);
    struct cgs_foreign *made = alloc_foreign(context, path, index);
    if (!made)
        return context->status;
    enum cgs_status status = CGS_OK;
    if (ends_in(path, ".c") || ends_in(path, ".cu"))
        status = compile(context, CGS_BUILD_FAST, made);
    if (status == CGS_OK)
        status = probe(context, made);
    if (status == CGS_OK)
        *foreign = made;
    else
        cgs_foreign_close(context, made);
    return status;
}

/* ---- the checked build ---- */

/* Opens one build. *checked stays NULL if it cannot be compiled or loaded. */
static enum cgs_status open_build(struct cgs_context *context, const struct cgs_foreign *foreign,
                                  enum cgs_build build, struct cgs_foreign **checked)
{
    struct cgs_context quiet = *context; /* no failure: the kernel itself was compiled */
    struct cgs_foreign *made = alloc_foreign(context, foreign->path, foreign->index);
    if (!made)
        return context->status;
    if (build == CGS_BUILD_ADDRESS)
        made->preload = cgs_compile_preload();
    enum cgs_status status = compile(&quiet, build, made);
    made->said = memfd_create("what a kernel prints", MFD_CLOEXEC);
    if (status == CGS_OK)
        status = probe(&quiet, made);
    if (status == CGS_OK && !made->broken[0])
        *checked = made;
    else
        cgs_foreign_close(context, made);
    return status == CGS_INTERRUPTED ? cgs_fail(context, status, "%s", quiet.message) : CGS_OK;
}

enum cgs_status cgs_foreign_open_checked(struct cgs_context *context,
                                         const struct cgs_foreign *foreign,
                                         struct cgs_foreign **checked)
{
    static const enum cgs_build builds[] = {CGS_BUILD_ADDRESS, CGS_BUILD_UNDEFINED, CGS_BUILD_BARE};
    *checked = NULL;
    if (!ends_in(foreign->path, ".c"))
        return CGS_OK;
    for (size_t i = 0; i < sizeof builds / sizeof *builds && !*checked; i++)
        if (builds[i] != CGS_BUILD_ADDRESS || cgs_compile_preload()[0])
            CGS_TRY(open_build(context, foreign, builds[i], checked));
    return CGS_OK;
}

const char *cgs_foreign_warnings(const struct cgs_foreign *checked)
{
    return checked->warnings;
}

/* The line of undefined behaviour: "FILE:LINE:COLUMN: runtime error: ...". */
static bool find_undefined(const char *printed, char *text, size_t size)
{
    const char *found = strstr(printed, ": runtime error: ");
    if (!found)
        return false;
    while (found > printed && found[-1] != '\n')
        found--;
    snprintf(text, size, "%.*s", (int)strcspn(found, "\n"), found);
    return true;
}

/* Writes the address sanitizer's finding: its kind, and the line of the first frame in the kernel's
 * library. */
static bool find_address(const struct cgs_foreign *checked, const char *printed, char *text,
                         size_t size)
{
    static const char mark[] = "ERROR: AddressSanitizer: ";
    const char *found = strstr(printed, mark);
    char frame[64], library[64], line[128] = "";
    if (!found)
        return false;
    found += sizeof mark - 1;
    snprintf(frame, sizeof frame, "(/proc/self/fd/%d+", CGS_WORKER_LIBRARY);
    snprintf(library, sizeof library, "/proc/%d/fd/%d", (int)getpid(), checked->compiled);
    const char *place = strstr(found, frame);
    if (place)
        cgs_addr2line(library, strtoull(place + strlen(frame), NULL, 16), line, sizeof line);
    snprintf(text, size, "%s%s%.*s", line, line[0] ? ": " : "", (int)strcspn(found, " \n"), found);
    return true;
}

void cgs_foreign_finding(const struct cgs_foreign *checked, char *text, size_t size)
{
    char printed[16384];
    const ssize_t length = pread(checked->said, printed, sizeof printed - 1, 0);
    text[0] = '\0';
    if (length <= 0)
        return;
    printed[length] = '\0';
    if (!find_undefined(printed, text, size))
        find_address(checked, printed, text, size);
}

void cgs_foreign_close(struct cgs_context *context, struct cgs_foreign *foreign)
{
    if (foreign && foreign->compiled >= 0)
        close(foreign->compiled);
    if (foreign && foreign->said >= 0)
        close(foreign->said);
    cgs_free(context, foreign);
}

const char *cgs_foreign_broken(const struct cgs_foreign *foreign)
{
    return foreign->broken[0] ? foreign->broken : NULL;
}

const char *cgs_foreign_uncontained(const struct cgs_foreign *foreign)
{
    return foreign->uncontained;
}

bool cgs_foreign_prepares(const struct cgs_foreign *foreign)
{
    return foreign->prepares;
}

void cgs_foreign_check_by(struct cgs_foreign *foreign, const struct cgs_foreign_check *check)
{
    foreign->check = check;
}

const struct cgs_kernel_entry *cgs_foreign_apart(const struct cgs_foreign *foreign)
{
    return &foreign->apart;
}

const struct cgs_kernel_entry *cgs_foreign_here(struct cgs_foreign *foreign,
                                                struct cgs_pulse *pulse)
{
    foreign->pulse = pulse;
    return &foreign->here;
}
