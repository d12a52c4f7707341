#define _GNU_SOURCE /* memfd_create */
#include "kernels/plugin/plugin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "include/cgsolve/kernel.h"
#include "kernels/plugin/compile.h"
#include "kernels/plugin/direct.h"
#include "kernels/plugin/functional.h"
#include "kernels/plugin/isolated.h"
#include "kernels/plugin/library.h"
#include "kernels/plugin/process.h"
#include "kernels/plugin/symbols.h"
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
        .operations = 2 * matrix->nonzeros,
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
static void plan_isolated(const struct cgs_matrix *matrix, enum cgs_place place,
                          enum cgs_number number, struct cgs_plan *out)
{
    const int64_t slots = cgs_plugin_slots(matrix);
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
    plan_isolated(matrix, place, number, out);
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
PLAN(plan_apart_cpu_f64, plan_isolated, CGS_HOST, CGS_F64)
PLAN(plan_apart_cpu_f32, plan_isolated, CGS_HOST, CGS_F32)
PLAN(plan_apart_cuda_f64, plan_isolated, CGS_DEVICE_MEMORY, CGS_F64)
PLAN(plan_apart_cuda_f32, plan_isolated, CGS_DEVICE_MEMORY, CGS_F32)
PLAN(plan_here_cpu_f64, plan_here, CGS_HOST, CGS_F64)
PLAN(plan_here_cpu_f32, plan_here, CGS_HOST, CGS_F32)
PLAN(plan_here_cuda_f64, plan_here, CGS_DEVICE_MEMORY, CGS_F64)
PLAN(plan_here_cuda_f32, plan_here, CGS_DEVICE_MEMORY, CGS_F32)

/* ---- in this process ---- */

static enum cgs_status prepare_here(const struct cgs_kernel *kernel, struct cgs_queue *queue,
                                    const struct cgs_matrix *matrix, void **self)
{
    const struct cgs_plugin_table *table = (const struct cgs_plugin_table *)kernel;
    const struct cgs_plugin *plugin = table->plugin;
    struct cgs_direct_settings settings = {.name = plugin->path,
                                           .pulse = plugin->pulse,
                                           .device = plugin->isolated.device,
                                           .index = plugin->index,
                                           .number = table->number,
                                           .traffic = table->kernel.traffic(matrix)};
    if (plugin->broken[0])
        return cgs_fail(queue->context, CGS_NOT_CONVERGED, "%s", plugin->broken);
    cgs_pulse_allow(plugin->pulse, 0);
    cgs_pulse_do(plugin->pulse, CGS_DOING_LOAD);
    const enum cgs_status status =
        cgs_library_open(queue->context, plugin->path, plugin->library, &settings.kernel);
    cgs_pulse_do(plugin->pulse, CGS_DOING_OURS);
    return status == CGS_OK ? cgs_direct_prepare(&settings, queue, matrix, self) : status;
}

/* ---- the entries ---- */

static void make_tables(struct cgs_plugin *plugin, const struct cgs_job *job)
{
    static const enum cgs_precision precisions[CGS_NUMBERS] = {
        [CGS_F64] = CGS_PRECISION_F64, [CGS_F32] = CGS_PRECISION_F32};
    static const int bits[CGS_NUMBERS] = {[CGS_F64] = CGSOLVE_DOUBLE, [CGS_F32] = CGSOLVE_SINGLE};
    const bool cuda = plugin->isolated.device == CGS_CUDA;
    const struct cgs_kernel common[CGS_NUMBERS] = {
        {.traffic = traffic_f64, .plan = cuda ? plan_apart_cuda_f64 : plan_apart_cpu_f64},
        {.traffic = traffic_f32, .plan = cuda ? plan_apart_cuda_f32 : plan_apart_cpu_f32},
    };
    static void (*const plans_here[2][CGS_NUMBERS])(
        const struct cgs_matrix *, struct cgs_plan *) = {{plan_here_cpu_f64, plan_here_cpu_f32},
                                                         {plan_here_cuda_f64, plan_here_cuda_f32}};
    plugin->here = plugin->isolated;
    for (int number = 0; number < CGS_NUMBERS; number++) {
        struct cgs_plugin_table *isolated = &plugin->tables[0][number];
        struct cgs_plugin_table *here = &plugin->tables[1][number];
        if ((job->precisions & bits[number]) == 0 || !cgs_backend(plugin->isolated.device))
            continue;
        *isolated = (struct cgs_plugin_table){common[number], plugin, (enum cgs_number)number};
        isolated->kernel.shared = true;
        isolated->kernel.reproducible = (job->flags & CGSOLVE_REPRODUCIBLE) != 0;
        isolated->kernel.entryless = (job->flags & CGSOLVE_ENTRYLESS) != 0;
        /* as its author declares, since it runs on one GPU */
        isolated->kernel.by_rows = isolated->kernel.reproducible;
        *here = *isolated;
        isolated->kernel.prepare_user = cgs_plugin_prepare_isolated;
        isolated->kernel.steps = cgs_plugin_steps_isolated;
        here->kernel.capturable = cuda && (job->flags & CGSOLVE_CAPTURABLE) != 0;
        here->kernel.plan = plans_here[cuda][number];
        here->kernel.prepare_user = prepare_here;
        here->kernel.steps = (struct cgs_steps){.apply = cgs_direct_apply,
                                                .entries = cgs_direct_entries,
                                                .moved = cgs_direct_moved,
                                                .release = cgs_direct_release};
        plugin->isolated.tables[precisions[number]] = &isolated->kernel;
        plugin->here.tables[precisions[number]] = &here->kernel;
    }
}

/* Reads the kernel's descriptor in a worker process. It is contained like one of a CPU kernel,
 * since loading a library opens no device. */
static enum cgs_status probe(struct cgs_context *context, struct cgs_plugin *plugin)
{
    const struct cgs_request load = {.order = CGS_ORDER_LOAD};
    struct cgs_process process;
    struct cgs_reply reply;
    CGS_TRY(cgs_process_create(context, sizeof(struct cgs_job), &process));
    struct cgs_job *job = process.job;
    cgs_plugin_address(plugin, job);
    job->threads = context->threads;
    job->memory = plugin->preload[0] ? 0 : CGS_WORKER_MEMORY;
    process.preload = plugin->preload;
    process.said = plugin->said;
    enum cgs_status status = cgs_process_start(context, plugin->compiled, &process);
    if (status == CGS_OK)
        status = cgs_process_ask(context, &process, &load, &reply);
    if (status == CGS_NOT_CONVERGED) { /* the kernel's failure is reported when it is used */
        snprintf(plugin->broken, sizeof plugin->broken, "%.500s", context->message);
        context->status = status = CGS_OK;
        context->message[0] = '\0';
        job->precisions = CGSOLVE_DOUBLE | CGSOLVE_SINGLE;
    }
    if (status == CGS_OK) {
        plugin->isolated.device = job->device == CGSOLVE_CUDA ? CGS_CUDA : CGS_CPU;
        plugin->isolated.format = job->format == CGSOLVE_SELL ? CGS_SELL : CGS_CRS;
        snprintf(plugin->description, sizeof plugin->description, "%.63s%s%.159s", job->kernel_name,
                 job->description[0] ? ": " : "", job->description);
        snprintf(plugin->name, sizeof plugin->name, "%.63s", job->kernel_name);
        plugin->prepares = job->prepares != 0;
        snprintf(plugin->uncontained, sizeof plugin->uncontained, "%.63s", job->uncontained);
        make_tables(plugin, job);
    }
    struct cgs_context quiet = *context; /* ignore failures at its end */
    cgs_process_end(&quiet, &process);
    return status;
}

static struct cgs_plugin *alloc_plugin(struct cgs_context *context, const char *path, int index)
{
    struct cgs_plugin *made = NULL;
    if (cgs_alloc(context, 1, sizeof *made, "user's kernel", (void **)&made) != CGS_OK)
        return NULL;
    *made = (struct cgs_plugin){.index = index, .compiled = -1, .preload = "", .said = -1};
    snprintf(made->path, sizeof made->path, "%s", path);
    /* A name without a slash would be searched for elsewhere. */
    snprintf(made->library, sizeof made->library, "%s%s", strchr(path, '/') ? "" : "./", path);
    made->isolated =
        (struct cgs_kernel_entry){.name = made->path, .description = made->description};
    return made;
}

static enum cgs_status compile(struct cgs_context *context, enum cgs_build build,
                               struct cgs_plugin *made)
{
    CGS_TRY(cgs_compile(context, made->library, build, made->index, made->warnings,
                        sizeof made->warnings, &made->compiled));
    snprintf(made->library, sizeof made->library, "/proc/self/fd/%d", made->compiled);
    return CGS_OK;
}

enum cgs_status cgs_plugin_open(struct cgs_context *context, const char *path, int index,
                                struct cgs_plugin **plugin)
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
    if (strlen(path) >= sizeof(*plugin)->library)
        return cgs_fail(context, CGS_FILE, "kernel '%.60s...': the path is too long", path);
    struct cgs_plugin *made = alloc_plugin(context, path, index);
    if (!made)
        return context->status;
    enum cgs_status status = CGS_OK;
    if (ends_in(path, ".c") || ends_in(path, ".cu"))
        status = compile(context, CGS_BUILD_FAST, made);
    if (status == CGS_OK && ends_in(path, ".c")) /* CUDA's runtime is linked in, and calls many */
        cgs_symbols_calls(made->library, made->calls, sizeof made->calls);
    if (status == CGS_OK)
        status = probe(context, made);
    if (status == CGS_OK)
        *plugin = made;
    else
        cgs_plugin_close(context, made);
    return status;
}

/* ---- the checked build ---- */

/* Opens one build. *checked stays NULL if it cannot be compiled or loaded. */
static enum cgs_status open_build(struct cgs_context *context, const struct cgs_plugin *plugin,
                                  enum cgs_build build, struct cgs_plugin **checked)
{
    struct cgs_context quiet = *context; /* no failure: the kernel itself was compiled */
    struct cgs_plugin *made = alloc_plugin(context, plugin->path, plugin->index);
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
        cgs_plugin_close(context, made);
    return status == CGS_INTERRUPTED ? cgs_fail(context, status, "%s", quiet.message) : CGS_OK;
}

enum cgs_status cgs_plugin_open_checked(struct cgs_context *context,
                                        const struct cgs_plugin *plugin,
                                        struct cgs_plugin **checked)
{
    static const enum cgs_build builds[] = {CGS_BUILD_ADDRESS, CGS_BUILD_UNDEFINED, CGS_BUILD_BARE};
    *checked = NULL;
    if (!ends_in(plugin->path, ".c"))
        return CGS_OK;
    for (size_t i = 0; i < sizeof builds / sizeof *builds && !*checked; i++)
        if (builds[i] != CGS_BUILD_ADDRESS || cgs_compile_preload()[0])
            CGS_TRY(open_build(context, plugin, builds[i], checked));
    return CGS_OK;
}

const char *cgs_plugin_warnings(const struct cgs_plugin *checked)
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
static bool find_address(const struct cgs_plugin *checked, const char *printed, char *text,
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

void cgs_plugin_finding(const struct cgs_plugin *checked, char *text, size_t size)
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

void cgs_plugin_close(struct cgs_context *context, struct cgs_plugin *plugin)
{
    if (plugin && plugin->compiled >= 0)
        close(plugin->compiled);
    if (plugin && plugin->said >= 0)
        close(plugin->said);
    cgs_free(context, plugin);
}

const char *cgs_plugin_broken(const struct cgs_plugin *plugin)
{
    return plugin->broken[0] ? plugin->broken : NULL;
}

const char *cgs_plugin_uncontained(const struct cgs_plugin *plugin)
{
    return plugin->uncontained;
}

const char *cgs_plugin_calls(const struct cgs_plugin *plugin)
{
    return plugin->calls;
}

const char *cgs_plugin_name(const struct cgs_plugin *plugin)
{
    return plugin->name[0] ? plugin->name : plugin->path;
}

bool cgs_plugin_prepares(const struct cgs_plugin *plugin)
{
    return plugin->prepares;
}

void cgs_plugin_check_by(struct cgs_plugin *plugin, const struct cgs_plugin_check *check)
{
    plugin->check = check;
}

void cgs_plugin_note(struct cgs_plugin *plugin, struct cgs_plugin_note *note)
{
    plugin->note = note;
}

const struct cgs_kernel_entry *cgs_plugin_isolated(const struct cgs_plugin *plugin)
{
    return &plugin->isolated;
}

const struct cgs_kernel_entry *cgs_plugin_in_process(struct cgs_plugin *plugin,
                                                     struct cgs_pulse *pulse)
{
    plugin->pulse = pulse;
    return &plugin->here;
}
