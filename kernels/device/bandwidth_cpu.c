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
#include "kernels/device/bandwidth_cpu.h"

#include <omp.h>
#include <stddef.h>

#include "base/memory.h"
#include "kernels/vectorise.h"

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

double cgs_read_cpu(struct cgs_context *context, const void *array, int64_t bytes)
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

enum cgs_status cgs_bandwidth_cpu(struct cgs_context *context, int64_t bytes, double seconds,
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
