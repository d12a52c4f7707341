/* The CPU as a device: the calling thread's OpenMP team on host memory. */
#include <fcntl.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/available.h"
#include "base/clock.h"
#include "base/comm.h"
#include "base/context.h"
#include "base/memory.h"
#include "kernels/backend.h"
#include "kernels/device/queue_cpu.h"
#include "kernels/vectorise.h"

/* Read, copy, triad: the attainable bandwidth, the baseline of a run.
 *
 *     read    s = sum a_i             n numbers, 8 n bytes
 *     copy    b_i = 1 a_i             n / 2 numbers, 16 n / 2 bytes
 *     triad   a_i = b_i + s c_i       n / 3 numbers, 24 n / 3 bytes
 * All three run over the same memory of n doubles, so that each moves 8 n bytes as counted (a store
 * also fetches its line first, which is not counted but takes time). Each thread owns a part of
 * each array and has touched it first. Only the loops are timed, between two barriers, with and
 * without prefetching in turn; the better one is the attainable bandwidth. After J. D. McCalpin's
 * STREAM (1995); plain stores, as in the solver's own kernels.
 */

/* Upper bound of the memory in bytes per second of budget: touching new pages takes most of the
 * time. */
static const double BYTES_A_SECOND = 2e9;

/* UNIT: a thread's count of numbers is a multiple of it, so that halves and thirds are whole
 * lanes. */
enum { LANES = 64, UNIT = 6 * LANES, ROUNDS_LEAST = 2, ROUNDS_MOST = 100 };

/* ahead: prefetch distance in doubles; LANES doubles are a few cache lines. */
CGS_PIECE void prefetch(const double *a, int64_t ahead)
{
    for (int l = 0; l < LANES; l += 8)
        __builtin_prefetch(a + ahead + l);
}

static CGS_CLONES double read_loop(int64_t n, int64_t ahead, const double *restrict a)
{
    double lanes[LANES] = {0.0};
    for (int64_t i = 0; i < n; i += LANES) {
        prefetch(a + i, ahead);
#pragma omp simd
        for (int l = 0; l < LANES; l++)
            lanes[l] += a[i + l];
    }
    double sum = 0.0;
    for (int l = 0; l < LANES; l++)
        sum += lanes[l];
    return sum;
}

/* `one` is 1, unknown to the compiler: otherwise it would call memcpy, whose stores may bypass the
 * caches, unlike those of our kernels. */
static CGS_CLONES void copy_loop(int64_t n, int64_t ahead, double one, const double *restrict a,
                                 double *restrict b)
{
    for (int64_t i = 0; i < n; i += LANES) {
        prefetch(a + i, ahead);
        for (int l = 0; l < LANES; l++)
            b[i + l] = one * a[i + l];
    }
}

static CGS_CLONES void triad_loop(int64_t n, int64_t ahead, double s, const double *restrict b,
                                  const double *restrict c, double *restrict a)
{
    for (int64_t i = 0; i < n; i += LANES) {
        prefetch(b + i, ahead);
        prefetch(c + i, ahead);
        for (int l = 0; l < LANES; l++)
            a[i + l] = b[i + l] + s * c[i + l];
    }
}

enum kind { READ, COPY, TRIAD, KINDS };

/* Runs a loop over a thread's part of the memory, n numbers, a multiple of UNIT. Returns a value to
 * keep the loop from being optimised away. */
static double run_part(enum kind kind, int64_t n, int64_t ahead, double *part)
{
    volatile double one = 1.0;
    switch (kind) {
    case READ:
        return read_loop(n, ahead, part);
    case COPY:
        copy_loop(n / 2, ahead, one, part, part + n / 2);
        return part[n / 2];
    default:
        triad_loop(n / 3, ahead, one, part, part + n / 3, part + 2 * (n / 3));
        return part[n - 1];
    }
}

/* Memory of the benchmark: one part a thread, `room` numbers apart, with n numbers in use. */
struct arena {
    double *memory;
    int64_t room, n;
    double sink;
};

/* Seconds of `repeats` runs by all threads, between barriers. */
static double time_kind(struct cgs_context *context, struct arena *arena, enum kind kind,
                        int64_t ahead, int repeats)
{
    double seconds = 0.0, sum = 0.0;
#pragma omp parallel num_threads(context->threads) reduction(+ : sum)
    {
        double begin = 0.0;
#pragma omp barrier
#pragma omp master
        begin = cgs_now();
        for (int k = 0; k < repeats; k++)
#pragma omp for schedule(static) nowait
            for (int t = 0; t < context->threads; t++)
                sum += run_part(kind, arena->n, ahead, arena->memory + t * arena->room);
#pragma omp barrier
#pragma omp master
        seconds = cgs_now() - begin;
    }
    arena->sink += sum;
    return seconds;
}

/* Touches the parts, 4 MB of each at a time, until all are touched or the time is up. */
static void touch(struct cgs_context *context, struct arena *arena, double until)
{
    const int64_t step = UNIT * (500000 / UNIT);
    while (arena->n < arena->room && (arena->n == 0 || cgs_now() < until)) {
        const int64_t first = arena->n;
        const int64_t last = arena->room - first < step ? arena->room : first + step;
#pragma omp parallel for num_threads(context->threads) schedule(static)
        for (int t = 0; t < context->threads; t++)
            for (int64_t i = first; i < last; i++)
                arena->memory[t * arena->room + i] = 1e-3;
        arena->n = last;
    }
}

static double time_read(int threads, const double *a, int64_t pieces, int64_t ahead, double *sum)
{
    double s = 0.0;
    const double begin = cgs_now();
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : s)
    for (int t = 0; t < threads; t++) {
        const int64_t first = pieces * t / threads, last = pieces * (t + 1) / threads;
        s += read_loop((last - first) * LANES, ahead, a + first * LANES);
    }
    *sum += s;
    return cgs_now() - begin;
}

/* Seconds of reading an array once by all threads, the faster of with and without prefetching. */
static double read_cpu(struct cgs_context *context, const void *array, int64_t bytes)
{
    const int64_t pieces = bytes / (int64_t)sizeof(double) / LANES;
    const int64_t ahead[2] = {0, CGS_AHEAD / (int64_t)sizeof(double)};
    double sum = 0.0, seconds[2];
    for (int k = 0; k < 2; k++)
        seconds[k] = time_read(context->threads, array, pieces, ahead[k], &sum);
    volatile double sink = sum; /* keeps the reads */
    (void)sink;
    return seconds[0] < seconds[1] ? seconds[0] : seconds[1];
}

/* Measures read, copy, triad with context->threads threads on memory of about `bytes` (less if
 * `seconds` are too short to touch it), best of several. The caller sets bandwidth->cached.
 * CGS_MEMORY. */
static enum cgs_status bandwidth_cpu(struct cgs_context *context, int64_t bytes, double seconds,
                                     struct cgs_bandwidth *bandwidth)
{
    const double start = cgs_now();
    const int64_t most = (int64_t)(seconds * BYTES_A_SECOND), threads = context->threads;
    const int64_t units =
        (bytes < most ? bytes : most) / (threads * UNIT * (int64_t)sizeof(double));
    struct arena arena = {.room = (units > 4 ? units : 4) * UNIT};
    double best[KINDS] = {0.0};
    CGS_TRY(cgs_alloc(context, threads * arena.room, sizeof(double),
                      "arrays to measure the bandwidth", (void **)&arena.memory));
    touch(context, &arena, start + 0.6 * seconds);
    const int64_t used = threads * arena.n * (int64_t)sizeof(double);
    /* Repeats small arrays until 4 MB have been moved, to outlast the clock's resolution. */
    const int repeats = (int)(INT64_C(4000000) / used) + 1;
    for (int round = 0; round < ROUNDS_MOST; round++) {
        if (round >= ROUNDS_LEAST && cgs_now() - start > 0.9 * seconds)
            break;
        const int64_t ahead = round % 2 ? 0 : CGS_AHEAD / (int64_t)sizeof(double);
        for (enum kind kind = READ; kind < KINDS; kind++) {
            const double taken = time_kind(context, &arena, kind, ahead, repeats);
            const double rate = 1e-9 * (double)used * repeats / taken;
            if (taken > 0.0 && rate > best[kind])
                best[kind] = rate;
        }
    }
    arena.memory[0] = arena.sink;
    cgs_free(context, arena.memory);
    *bandwidth = (struct cgs_bandwidth){
        .read_gbs = best[READ], .copy_gbs = best[COPY], .triad_gbs = best[TRIAD], .bytes = used};
    return CGS_OK;
}

/* ---- arithmetic ---- */

typedef double wide_f64 __attribute__((vector_size(64)));
typedef float wide_f32 __attribute__((vector_size(64)));

/* Chains of operations that a loop keeps in registers: FEW fit where vectors are short, MANY hide
 * the latency of long ones. */
enum { STEPS = 20000, FEW = 6, MANY = 12 };

/* x = b x + c in so many independent vectors. */
#define CHAINS(name, real, wide, count)                                                            \
    static CGS_CLONES double name(double factor, double summand)                                   \
    {                                                                                              \
        const wide b = (wide){0} + (real)factor, c = (wide){0} + (real)summand;                    \
        wide x[count], sum = {0};                                                                  \
        double total = 0.0;                                                                        \
        for (int i = 0; i < count; i++)                                                            \
            x[i] = b + (real)i;                                                                    \
        for (int step = 0; step < STEPS; step++)                                                   \
            _Pragma("GCC unroll 16") for (int i = 0; i < count; i++) x[i] = x[i] * b + c;          \
        for (int i = 0; i < count; i++)                                                            \
            sum += x[i];                                                                           \
        for (size_t l = 0; l < sizeof(wide) / sizeof(real); l++)                                   \
            total += (double)sum[l];                                                               \
        return total;                                                                              \
    }
/* clang-format off */
CHAINS(few_f64, double, wide_f64, FEW)
CHAINS(many_f64, double, wide_f64, MANY)
CHAINS(few_f32, float, wide_f32, FEW)
CHAINS(many_f32, float, wide_f32, MANY)
/* clang-format on */

static double (*const chains[CGS_NUMBERS][2])(double, double) = {
    [CGS_F64] = {few_f64, many_f64},
    [CGS_F32] = {few_f32, many_f32},
};

static enum cgs_status arithmetic(struct cgs_queue *queue, enum cgs_number number, double seconds,
                                  double *gflops)
{
    const int threads = queue->context->threads;
    const double lanes = sizeof(wide_f64) / (double)cgs_number_bytes(number), start = cgs_now();
    volatile double factor = 0.999, summand = 0.001, sink = 0.0; /* unknown to the compiler */
    *gflops = 0.0;
    for (int round = 0; round < 2 * ROUNDS_LEAST || cgs_now() - start < seconds; round++) {
        const double b = factor, c = summand;
        double begin = 0.0, end = 0.0, sum = 0.0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
        {
#pragma omp barrier
#pragma omp master
            begin = cgs_now();
            sum += chains[number][round % 2](b, c);
#pragma omp barrier
#pragma omp master
            end = cgs_now();
        }
        sink = sink + sum;
        if (end > begin)
            *gflops = fmax(*gflops, 2e-9 * lanes * (round % 2 ? MANY : FEW) * STEPS * threads /
                                        (end - begin));
    }
    return CGS_OK;
}

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
    *seconds = read_cpu(queue->context, array, bytes);
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
    CGS_TRY(bandwidth_cpu(queue->context, bytes, seconds, measured));
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
    .arithmetic = arithmetic,
    .read = read_array,
    .mark = mark,
    .elapsed = elapsed,
    .plugin = &cgs_plugin_memory_cpu,
};
