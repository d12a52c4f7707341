/* Judge of `fuse`: y_i = 2 x_i - x_(i-1) - x_(i+1) and x'y in one pass. Two passes over vectors
 * that are larger than the caches move 5 numbers a row, one moves 3 (x, y, and y's lines before
 * they are written). */
#include <math.h>
#include <omp.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/contention.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/vectorise.h"
#include "core/autotune/calls.h"
#include "lab/exercise/exercise.h"
#include "lab/exercise/race.h"
#include "lab/exercise/verdict.h"

enum { LARGE = 1 << 21 }; /* rows, where it is timed */
static const int64_t sizes[] = {1, 2, 3, 33, 1000, 100003, LARGE};
enum { SIZES = sizeof sizes / sizeof *sizes, PRODUCTS = 2, PLACES = 3 };
/* Two passes reach about a half of the speed of one. */
static const struct cgs_bounds bounds = {
    .rival = "one pass of our own", .none = 0.65, .full = 0.85};

static double neighbour(const double *x, int64_t i, int64_t n)
{
    return i < 0 || i >= n ? 0.0 : x[i];
}

/* Returns true if y has the product's n numbers, then x'y. */
static bool right(void *user, const double *x, const double *y, char *why, size_t size)
{
    const int64_t n = *(const int64_t *)user;
    long double sum = 0.0L, all = 0.0L;
    int64_t wrong = -1;
#pragma omp parallel num_threads(CGS_CALL_THREADS)
    {
        long double my_sum = 0.0L,
                    my_all = 0.0L; /* clang reduces no long double without libatomic */
        int64_t my_wrong = -1;
#pragma omp for schedule(static) nowait
        for (int64_t i = 0; i < n; i++) {
            const double a = 2.0 * x[i], b = neighbour(x, i - 1, n), c = neighbour(x, i + 1, n);
            const double bound = 4.0 * 0x1p-52 * (fabs(a) + fabs(b) + fabs(c));
            if (!(fabs(y[i] - (a - b - c)) <= bound))
                my_wrong = i;
            my_sum += (long double)x[i] * y[i];
            my_all += fabsl((long double)x[i] * y[i]);
        }
#pragma omp critical(cgs_judge_fuse)
        {
            sum += my_sum;
            all += my_all;
            wrong = my_wrong > wrong ? my_wrong : wrong;
        }
    }
    if (wrong >= 0) {
        const double should_be =
            2.0 * x[wrong] - neighbour(x, wrong - 1, n) - neighbour(x, wrong + 1, n);
        snprintf(why, size, "row %lld of %lld (counted from 0) is %.17g, should be %.17g",
                 (long long)wrong, (long long)n, y[wrong], should_be);
        return false;
    }
    if (fabsl((long double)y[n] - sum) <= (long double)(n + 3) * 0x1p-52L * all)
        return true;
    snprintf(why, size, "x'y of %lld rows is %.17g, should be %.17Lg", (long long)n, y[n], sum);
    return false;
}

static void fill(double *x, int64_t n, uint64_t seed)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = cgs_random(seed + (uint64_t)i);
}

static enum cgs_status try_size(const struct cgs_callee *callee, int64_t n,
                                struct cgs_verdict *verdict)
{
    struct cgs_calls *calls;
    char why[256];
    double *x = NULL, *y = NULL;
    enum cgs_status status = cgs_calls_begin_plain(callee, n + 1, n, &calls);
    if (status == CGS_OK)
        status = cgs_alloc(callee->context, n, sizeof *x, "vectors", (void **)&x);
    if (status == CGS_OK)
        status = cgs_alloc(callee->context, n + 1, sizeof *y, "vectors", (void **)&y);
    for (int run = 0; run < 2 && status == CGS_OK && verdict->state == CGS_EXERCISE_RIGHT; run++) {
        fill(x, n, (uint64_t)(n + run * 7919));
        status = cgs_call(calls, x, y);
        if (status == CGS_OK && !right(&n, x, y, why, sizeof why))
            cgs_verdict_wrong(verdict, 0, "%s", why);
    }
    cgs_free(callee->context, x);
    cgs_free(callee->context, y);
    cgs_calls_end(calls);
    return status;
}

/* Rows begin ... end - 1 of inner ones; returns their part of x'y. */
CGS_CLONES static double inner_rows(int64_t begin, int64_t end, const double *restrict x,
                                    double *restrict y)
{
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = begin; i < end; i++) {
        y[i] = 2.0 * x[i] - x[i - 1] - x[i + 1];
        sum += x[i] * y[i];
    }
    return sum;
}

/* The reference: one pass. */
static double one_pass(const double *x, double *y)
{
    const int64_t n = LARGE;
    double sum = 0.0;
    y[0] = 2.0 * x[0] - x[1];
    y[n - 1] = 2.0 * x[n - 1] - x[n - 2];
#pragma omp parallel for schedule(static) num_threads(CGS_CALL_THREADS) reduction(+ : sum)
    for (int t = 0; t < CGS_CALL_THREADS; t++)
        sum += inner_rows(1 + (n - 2) * t / CGS_CALL_THREADS,
                          1 + (n - 2) * (t + 1) / CGS_CALL_THREADS, x, y);
    return sum + x[0] * y[0] + x[n - 1] * y[n - 1];
}

struct timed {
    const struct cgs_callee *callee;
    const struct cgs_calls *calls;
    const double *x;
    double *y;
    struct cgs_plugin_note note;
};

/* Times both, each call with the next of PLACES vectors, as a learner's function is called
 * (kernels/plugin): none finds in a cache what the call before has left. */
static enum cgs_status time_round(void *user, double seconds[CGS_RUNNERS], double *part)
{
    const struct timed *timed = user;
    const double *x = timed->x;
    double *y = timed->y, mine;
    volatile double kept;
    timed->callee->context->crowded = 0;
    CGS_TRY(cgs_calls_time(timed->calls, x, y, PRODUCTS, &mine));
    cgs_contention_spread(timed->callee->context);
    for (int i = 0; i < PLACES; i++)
        kept = one_pass(x + i * LARGE, y + i * (LARGE + 1));
    const double waited = cgs_contention_waited(getpid()), begun = cgs_now();
    for (int i = 0; i < PRODUCTS; i++)
        kept = one_pass(x + i % PLACES * LARGE, y + i % PLACES * (LARGE + 1));
    seconds[CGS_RIVAL] = cgs_race_seconds(begun, waited) / PRODUCTS;
    seconds[CGS_MINE] = timed->note.switches > 0 ? INFINITY : mine / PRODUCTS;
    *part = timed->note.part;
    (void)kept;
    return CGS_OK;
}

/* Times a slow file on one thread, and on an eighth of the rows; on all of them once more, as late
 * as the others. *n: what is checked. */
static enum cgs_status time_laps(const struct timed *timed, int processors, int64_t *n,
                                 struct cgs_times *times)
{
    struct cgs_lap lap = {.callee = timed->callee,
                          .note = &timed->note,
                          .outputs = *n + 1,
                          .inputs = *n,
                          .x = timed->x,
                          .y = timed->y,
                          .threads = 1};
    if (processors > 1)
        CGS_TRY(cgs_lap_time(&lap, &times->alone));
    lap.threads = CGS_CALL_THREADS;
    CGS_TRY(cgs_lap_time(&lap, &times->all));
    *n = lap.inputs = LARGE / 8;
    lap.outputs = *n + 1;
    return cgs_lap_time(&lap, &times->eighth);
}

static enum cgs_status time_large(const struct cgs_callee *callee, struct cgs_verdict *verdict)
{
    int64_t n = LARGE;
    const struct cgs_plugin_check check = {.right = right, .user = &n};
    struct cgs_calls *calls;
    double *x = NULL, *y = NULL;
    struct timed timed = {.callee = callee};
    cgs_callee_check_by(callee, &check);
    cgs_callee_note(callee, &timed.note);
    cgs_race_wake();
    enum cgs_status status = cgs_calls_begin_plain(callee, LARGE + 1, LARGE, &calls);
    if (status == CGS_OK)
        status = cgs_alloc(callee->context, PLACES * LARGE, sizeof *x, "vectors", (void **)&x);
    if (status == CGS_OK)
        status =
            cgs_alloc(callee->context, PLACES * (LARGE + 1), sizeof *y, "vectors", (void **)&y);
    if (status == CGS_OK) {
        fill(x, PLACES * LARGE, 1);
        timed.calls = calls;
        timed.x = x;
        timed.y = y;
        const struct cgs_race race = {
            .processors = omp_get_num_procs(), .time = time_round, .user = &timed};
        status = cgs_race_run(&race, verdict);
        if (status == CGS_OK && verdict->slow)
            status = time_laps(&timed, race.processors, &n, &verdict->times);
        if (status == CGS_OK)
            status = cgs_cause_find(callee, 2 * LARGE * (int64_t)sizeof(double),
                                    LARGE * (int64_t)sizeof(double), PLACES, verdict);
    }
    cgs_free(callee->context, x);
    cgs_free(callee->context, y);
    cgs_calls_end(calls);
    cgs_callee_check_by(callee, NULL);
    cgs_callee_note(callee, NULL);
    return status;
}

enum cgs_status cgs_judge_fuse(const struct cgs_judged *judged, struct cgs_verdict *verdict)
{
    struct cgs_callee callee;
    enum cgs_status status = cgs_judged_open(judged, verdict, &callee);
    verdict->bounds = &bounds;
    cgs_verdict_solved(verdict);
    for (int i = 0;
         i < SIZES && !judged->right && status == CGS_OK && verdict->state == CGS_EXERCISE_RIGHT;
         i++)
        status = try_size(&callee, sizes[i], verdict);
    if (judged->timed && status == CGS_OK && verdict->state == CGS_EXERCISE_RIGHT)
        status = time_large(&callee, verdict);
    cgs_callee_close(&callee);
    return cgs_verdict_of_failure(judged->context, status, verdict);
}
