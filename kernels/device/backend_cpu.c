/* The CPU as a device: the calling thread's OpenMP team on host memory. */
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/available.h"
#include "base/clock.h"
#include "base/comm.h"
#include "base/memory.h"
#include "kernels/backend.h"
#include "kernels/device/bandwidth_cpu.h"
#include "kernels/device/queue_cpu.h"

extern const struct cgs_space_ops cgs_cpu_space_f64, cgs_cpu_space_f32;
extern const struct cgs_multigrid_ops cgs_cpu_grid_f64, cgs_cpu_grid_f32;
extern const struct cgs_fdm_ops cgs_cpu_fdm;
extern const struct cgs_sparse_ops cgs_cpu_sparse_f64, cgs_cpu_sparse_f32;
extern const struct cgs_amg_ops cgs_cpu_amg;
extern const struct cgs_plugin_memory cgs_plugin_memory_cpu;

static void close_queue(struct cgs_queue *queue)
{
    if (!queue)
        return;
    struct cgs_queue_cpu *cpu = queue->device;
    cgs_free(queue->context, queue->partials);
    if (cpu) {
        cgs_free(queue->context, cpu->nodes);
        cgs_free(queue->context, cpu->counts);
        cgs_free(queue->context, cpu->all);
        cgs_free(queue->context, cpu->one);
    }
    cgs_free(queue->context, cpu);
    cgs_free(queue->context, queue);
}

/* Allocates the scratch of reductions over ranks. */
static enum cgs_status alloc_scratch(struct cgs_context *context, struct cgs_queue_cpu *cpu)
{
    const int ranks = cgs_comm_size(context);
    const int64_t nodes = CGS_SUMS * CGS_TREE_NODES;
    if (ranks == 1)
        return CGS_OK;
    CGS_TRY(cgs_alloc(context, ranks, CGS_SUMS * sizeof *cpu->nodes, "sums of ranks",
                      (void **)&cpu->nodes));
    CGS_TRY(cgs_alloc(context, ranks, sizeof *cpu->counts, "sums of ranks", (void **)&cpu->counts));
    CGS_TRY(cgs_alloc(context, ranks * (nodes + CGS_TOLD), sizeof *cpu->all, "sums of ranks",
                      (void **)&cpu->all));
    return cgs_alloc(context, ranks * (int64_t)CGS_TREE_NODES, sizeof *cpu->one, "sums of ranks",
                     (void **)&cpu->one);
}

static enum cgs_status open_queue(struct cgs_context *context, int index, struct cgs_queue **queue)
{
    if (index != 0)
        return cgs_fail(context, CGS_DEVICE, "there is no cpu %d: the cpu is device 0", index);
    struct cgs_queue *made = NULL;
    CGS_TRY(cgs_alloc(context, 1, sizeof *made, "queue", (void **)&made));
    *made = (struct cgs_queue){.context = context};
    enum cgs_status status = cgs_alloc(context, CGS_PARTIALS, sizeof *made->partials,
                                       "partial sums", (void **)&made->partials);
    if (status == CGS_OK)
        status = cgs_alloc(context, 1, sizeof(struct cgs_queue_cpu), "queue", &made->device);
    if (status == CGS_OK) {
        *(struct cgs_queue_cpu *)made->device =
            (struct cgs_queue_cpu){.resident = cgs_memory_resident()};
        status = alloc_scratch(context, made->device);
    }
    if (status != CGS_OK) {
        close_queue(made);
        return status;
    }
    memset(made->partials, 0, CGS_PARTIALS * sizeof *made->partials); /* touches the pages, as
                                                                         planned */
    ((struct cgs_queue_cpu *)made->device)->resident = cgs_memory_resident();
    *queue = made;
    return CGS_OK;
}

static void plan(struct cgs_plan *plan, bool sends)
{
    (void)sends;
    cgs_plan_add(plan, CGS_HOST, "partial sums", CGS_PARTIALS, sizeof(double));
    cgs_plan_add(plan, CGS_HOST, "queue", 1,
                 sizeof(struct cgs_queue) + sizeof(struct cgs_queue_cpu));
}

/* ---- description of the machine ---- */

/* Reads the beginning of a small file as text, "" if there is none. Allocates nothing, so that a
 * report is complete even when memory runs out. */
static void read_begin(const char *path, char *text, size_t size)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = file < 0 ? 0 : read(file, text, size - 1);
    text[length > 0 ? length : 0] = '\0';
    if (file >= 0)
        close(file);
}

/* "Intel(R) Xeon(R) ...": the first line of /proc/cpuinfo that names the processor. */
static void read_model(char *name, size_t size)
{
    static const char *const keys[] = {"model name", "Model", "cpu model", "uarch"};
    char text[4096], *rest = NULL;
    read_begin("/proc/cpuinfo", text, sizeof text);
    for (char *line = strtok_r(text, "\n", &rest); line && name[0] == '\0';
         line = strtok_r(NULL, "\n", &rest)) {
        const char *value = strchr(line, ':');
        for (size_t k = 0; value && k < sizeof keys / sizeof *keys; k++)
            if (strncmp(line, keys[k], strlen(keys[k])) == 0)
                snprintf(name, size, "%s", value + 1 + strspn(value + 1, " \t"));
    }
}

static const char *vector_extension(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512f") ? "avx512f"
           : __builtin_cpu_supports("avx2")  ? "avx2"
           : __builtin_cpu_supports("avx")   ? "avx"
                                             : "sse2";
#elif defined(__ARM_FEATURE_SVE)
    return "sve";
#elif defined(__aarch64__)
    return "neon";
#else
    return "";
#endif
}

/* Bytes of the last-level cache; 0 if unknown. */
static int64_t last_cache(void)
{
#if defined(_SC_LEVEL3_CACHE_SIZE)
    static const int levels[] = {_SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE};
    for (size_t k = 0; k < sizeof levels / sizeof *levels; k++) {
        const long bytes = sysconf(levels[k]);
        if (bytes > 0)
            return bytes;
    }
#endif
    int64_t best = 0;
    for (int index = 0; index < 8; index++) {
        char path[96], text[64], unit = '\0';
        long long size = 0;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
        read_begin(path, text, sizeof text);
        if (sscanf(text, "%lld%c", &size, &unit) >= 1) {
            const int64_t bytes = size * (unit == 'K' ? 1024 : unit == 'M' ? 1048576 : 1);
            best = bytes > best ? bytes : best;
        }
    }
    return best;
}

static enum cgs_status describe(struct cgs_queue *queue, struct cgs_device_info *info)
{
    struct cgs_device_info said = {
        .memory_bytes = (int64_t)sysconf(_SC_PHYS_PAGES) * (int64_t)sysconf(_SC_PAGESIZE),
        .memory_free = cgs_memory_available(),
        .cache_bytes = last_cache(),
        .processors = queue->context->threads,
    };
    read_model(said.name, sizeof said.name);
    snprintf(said.architecture, sizeof said.architecture, "%s", vector_extension());
    *info = said;
    return CGS_OK;
}

static enum cgs_status read_array(struct cgs_queue *queue, const void *array, int64_t bytes,
                                  double *seconds)
{
    *seconds = cgs_read_cpu(queue->context, array, bytes);
    return CGS_OK;
}

static enum cgs_status memory(struct cgs_queue *queue, int64_t *available, int64_t *peak)
{
    const struct cgs_queue_cpu *cpu = queue->device;
    const int64_t taken = cgs_memory_resident_peak() - cpu->resident;
    *available = cgs_memory_available();
    *peak = taken > 0 ? taken : 0;
    return CGS_OK;
}

static enum cgs_status bandwidth(struct cgs_queue *queue, int64_t bytes, double seconds,
                                 struct cgs_bandwidth *measured)
{
    CGS_TRY(cgs_bandwidth_cpu(queue->context, bytes, seconds, measured));
    measured->cached = measured->bytes < last_cache();
    return CGS_OK;
}

static enum cgs_status mark(struct cgs_queue *queue, int at)
{
    ((struct cgs_queue_cpu *)queue->device)->marks[at] = cgs_now();
    return CGS_OK;
}

static enum cgs_status elapsed(struct cgs_queue *queue, int from, int to, double *seconds)
{
    const struct cgs_queue_cpu *cpu = queue->device;
    *seconds = cpu->marks[to] - cpu->marks[from];
    return CGS_OK;
}

CGS_EXPORT(struct cgs_backend, cgs_backend_cpu) = {
    .name = "cpu",
    .place = CGS_HOST,
    .chunk = {[CGS_F64] = 8, [CGS_F32] = 16}, /* a vector register of AVX-512 */
    .spaces = {[CGS_F64] = &cgs_cpu_space_f64, [CGS_F32] = &cgs_cpu_space_f32},
    .grids = {[CGS_F64] = &cgs_cpu_grid_f64, [CGS_F32] = &cgs_cpu_grid_f32},
    .fdm = {[CGS_F64] = &cgs_cpu_fdm, [CGS_F32] = &cgs_cpu_fdm},
    .sparse = {[CGS_F64] = &cgs_cpu_sparse_f64, [CGS_F32] = &cgs_cpu_sparse_f32},
    .amg = &cgs_cpu_amg,
    .open = open_queue,
    .close = close_queue,
    .describe = describe,
    .plan = plan,
    .memory = memory,
    .bandwidth = bandwidth,
    .read = read_array,
    .mark = mark,
    .elapsed = elapsed,
    .plugin = &cgs_plugin_memory_cpu,
};
