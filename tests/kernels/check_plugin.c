/* Kernels of the user's own, in processes of their own and in this one: right products, and batches
 * that somebody looks at. Those that fail are in check_plugin_faults.c. */
#define _GNU_SOURCE /* sched_getcpu */
#include <float.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include "base/clock.h"
#include "core/options/values.h"
#include "kernels/plugin/products.h"
#include "kernels/plugin/pulse.h"
#include "matrix/names.h"
#include "tests/kernels/plugin.h"

/* y = A x within the row-wise bound, by a single product (times = 0) or a timed batch. */
static void check_product(const struct work *w, uint64_t seed, int times)
{
    const int64_t rows = w->plain->rows, columns = w->plain->columns;
    double *x = must_have((size_t)(columns + 1) * sizeof *x);
    double *y = must_have((size_t)(rows + 1) * sizeof *y);
    long double *right = must_have((size_t)(rows + 1) * sizeof *right);
    long double *bound = must_have((size_t)(rows + 1) * sizeof *bound);
    const double eps = w->number == CGS_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
    double seconds = -1.0;
    plain_vector(columns, PLAIN_RANDOM, w->number, seed, x);
    plain_multiply(w->plain, w->number, x, right, bound);
    void *vx = bed_vector(&w->domain, x), *vy = bed_vector(&w->range, NULL);
    if (times > 0)
        must(w->kernel->steps.time(w->self, bed.queue, vx, vy, times, &seconds));
    else
        must(w->kernel->steps.apply(w->self, bed.queue, NULL, vx, vy));
    ck_assert(times == 0 || (seconds > 0.0 && seconds < 60.0));
    bed_get(&w->range, vy, y);
    for (int64_t i = 0; i < rows; i++) {
        const double n = (double)(w->plain->start[i + 1] - w->plain->start[i]);
        ck_assert_msg(fabsl((long double)y[i] - right[i]) <=
                          (long double)((n + 3.0) * eps) * bound[i],
                      "row %lld: %.17g, should be %.17Lg", (long long)i, y[i], right[i]);
    }
    w->domain.ops->free(&w->domain, vx);
    w->range.ops->free(&w->range, vy);
    free(x), free(y), free(right), free(bound);
}

/* ---- right ones ---- */

static const struct {
    const char *file;
    enum cgs_format format;
    int32_t chunk, sigma;
} honest[] = {{"examples/crs_kernel.c", CGS_CRS, 1, 1},
              {"tests/user_kernels/sell.c", CGS_SELL, 4, 1},
              {"tests/user_kernels/sell.c", CGS_SELL, 8, 32}};
enum { HONEST = sizeof honest / sizeof *honest };

LOOP_TEST(products_isolated, HONEST *CGS_NUMBERS)
{
    struct work w = {.number = (enum cgs_number)(_i / HONEST)};
    open_file(honest[_i % HONEST].file, &w);
    ck_assert_int_eq(w.entry->format, honest[_i % HONEST].format);
    ck_assert_int_eq(w.entry->device, CGS_CPU);
    struct cgs_plugin *plugin = w.plugin;
    for (int which = 0; which < plain_cases(); which += 3) {
        w.plugin = NULL; /* one for all matrices */
        lay_out(&w, which, honest[_i % HONEST].chunk, honest[_i % HONEST].sigma);
        const int64_t threads = bed.context.threads;
        must(w.kernel->prepare_user(w.kernel, bed.queue, &w.matrix, &w.self));
        ck_assert_int_eq(bed.context.threads, threads);
        const struct cgs_traffic traffic = w.kernel->traffic(&w.matrix);
        ck_assert_int_ge(traffic.matrix, w.matrix.stored * 8);
        check_product(&w, 1, 0);
        check_product(&w, 2, 1);
        check_product(&w, 3, 2);
        check_product(&w, 4, 7);
        check_product(&w, 1, 0);
        take_down(&w);
    }
    cgs_plugin_close(&bed.context, plugin);
}

LOOP_TEST(products_here, CGS_NUMBERS)
{
    struct cgs_pulse pulse = {0};
    struct work w = {.number = (enum cgs_number)_i};
    int64_t bytes;
    open_file("examples/crs_kernel.c", &w);
    w.entry = cgs_plugin_in_process(w.plugin, &pulse);
    lay_out(&w, 4, 1, 1);
    must(w.kernel->prepare_user(w.kernel, bed.queue, &w.matrix, &w.self));
    check_product(&w, 1, 0);
    check_product(&w, 2, 0);
    ck_assert_int_eq(atomic_load(&pulse.product), 2);
    ck_assert_int_eq(atomic_load(&pulse.doing), CGS_DOING_OURS);
    ck_assert_int_gt(atomic_load(&pulse.micros), 0);
    ck_assert_ptr_nonnull(w.kernel->steps.entries(w.self, &bytes));
    ck_assert_int_eq(bytes, w.matrix.nonzeros * cgs_number_bytes(w.number));
    take_down(&w);
}

TEST(two_at_a_time)
{
    struct work a = {.number = CGS_F64}, b = {.number = CGS_F64};
    open_file("examples/crs_kernel.c", &a);
    open_file("tests/user_kernels/sell.c", &b);
    lay_out(&a, 4, 1, 1);
    lay_out(&b, 4, 8, 1);
    must(a.kernel->prepare_user(a.kernel, bed.queue, &a.matrix, &a.self));
    must(b.kernel->prepare_user(b.kernel, bed.queue, &b.matrix, &b.self));
    check_product(&a, 1, 0);
    check_product(&b, 1, 3);
    check_product(&a, 2, 3);
    take_down(&a);
    check_product(&b, 2, 0);
    take_down(&b);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1); /* nobody is left */
}

/* By page faults: 8 pages of y, and what the function allocates. */
TEST(parts_of_y_are_told_from_other_memory)
{
    ck_assert_double_eq(cgs_worker_part(8, 8, 8), 1.0);
    ck_assert_double_eq(cgs_worker_part(0, 8, 8), 0.0);
    ck_assert_double_eq(cgs_worker_part(4, 8, 8), 0.5);
    ck_assert_double_eq(cgs_worker_part(108, 108, 8), 1.0); /* one thread for all */
    ck_assert_double_eq(cgs_worker_part(104, 108, 8), 0.5); /* the calling one has allocated */
    ck_assert_double_eq(cgs_worker_part(1, 1, 8), 1.0);     /* a huge page */
    ck_assert_double_eq(cgs_worker_part(0, 0, 8), 0.5);     /* not told */
}

/* Starts a process that computes on one processor, or sleeps. */
static pid_t begin_child(bool computes)
{
    const pid_t child = fork();
    if (child == 0) {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(sched_getcpu(), &one);
        sched_setaffinity(0, sizeof one, &one);
        alarm(60);
        while (computes)
            atomic_signal_fence(memory_order_seq_cst);
        pause();
        _exit(0);
    }
    ck_assert_int_gt(child, 0);
    return child;
}

/* Returns the seconds after which a step of 0.3 s is overdue. */
static double wait_until_overdue(pid_t child)
{
    struct cgs_pulse pulse = {.doing = CGS_DOING_PRODUCT, .micros = 300000};
    struct cgs_pulse_watch watch = {.process = child};
    double allowed;
    const double begin = cgs_now();
    while (cgs_pulse_look(&watch, &pulse, &allowed) == CGS_PULSE_GOES_ON)
        usleep(1000);
    return cgs_now() - begin;
}

/* A limit of 10 s. */
LOOP_TEST(limits_are_of_work, 9)
{
    static const struct {
        double passed, waited, ran;
        int processors;
        enum cgs_pulse_end end;
    } steps[] = {
        {9, 0, 18, 2, CGS_PULSE_GOES_ON},
        {11, 0, 11, 2, CGS_PULSE_TOO_LONG},     /* one thread in a loop */
        {11, 0, 0, 2, CGS_PULSE_TOO_LONG},      /* it sleeps */
        {121, 0, 0, 2, CGS_PULSE_TOO_LONG},     /* likewise, on a machine that was suspended */
        {55, 60, 5, 2, CGS_PULSE_GOES_ON},      /* starved for a while */
        {11, 990, 20.5, 2, CGS_PULSE_TOO_LONG}, /* a hundred threads in a loop */
        {121, 120, 9, 2, CGS_PULSE_STARVED},
        {121, 220, 19, 2, CGS_PULSE_STARVED},    /* two threads */
        {121, 115, 130, 64, CGS_PULSE_TOO_LONG}, /* two threads that had a processor by half */
    };
    ck_assert_int_eq(sizeof steps / sizeof *steps, 9);
    ck_assert_int_eq(cgs_pulse_judge(steps[_i].passed, steps[_i].waited, steps[_i].ran,
                                     steps[_i].processors, 10.0),
                     steps[_i].end);
}

TEST(what_starves_is_told_so)
{
    char text[192];
    cgs_pulse_explain(CGS_PULSE_STARVED, 10.0, "in its 3rd product", text, sizeof text);
    ck_assert_str_eq(text, "had hardly a processor for 120 s in its 3rd product, and was ended: "
                           "the machine was busy");
}

TEST(waiting_for_a_processor_does_not_count)
{
    cpu_set_t all, one;
    sched_getaffinity(0, sizeof all, &all);
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    const pid_t children[] = {begin_child(true), begin_child(true), begin_child(false)};
    ck_assert_double_gt(wait_until_overdue(children[0]), 0.45); /* of which it has a half */
    wait_until_overdue(children[2]);                            /* ends */
    for (int i = 0; i < 3; i++) {
        kill(children[i], SIGKILL);
        waitpid(children[i], NULL, 0);
    }
    sched_setaffinity(0, sizeof all, &all);
}

/* Each product of a batch is looked at: an answer given twice, rows left out, and an x that is
 * known by its place, which takes a second batch. */
LOOP_TEST(batches_are_looked_at, 5)
{
    static const struct {
        const char *file;
        int batches; /* that are right */
    } cheats[] = {{"tests/user_kernels/again.c", 0},
                  {"tests/user_kernels/half.c", 0},
                  {"tests/user_kernels/once.c", 1},
                  {"tests/user_kernels/late.c", 1},
                  {"tests/user_kernels/skips.c", 1}};
    struct work w = {.number = CGS_F64};
    double seconds;
    open_file(cheats[_i].file, &w);
    lay_out(&w, 4, 1, 1);
    void *x = bed_vector(&w.domain, NULL), *y = bed_vector(&w.range, NULL);
    must(w.kernel->prepare_user(w.kernel, bed.queue, &w.matrix, &w.self));
    for (int batch = 0; batch < cheats[_i].batches; batch++)
        must(w.kernel->steps.time(w.self, bed.queue, x, y, 6, &seconds));
    ck_assert_int_eq(w.kernel->steps.time(w.self, bed.queue, x, y, 6, &seconds), CGS_NOT_CONVERGED);
    ck_assert_ptr_nonnull(strstr(bed.context.message, "with an x of its own is wrong"));
    bed_forgive();
    w.domain.ops->free(&w.domain, x);
    w.range.ops->free(&w.range, y);
    take_down(&w);
}

TEST(names_of_files)
{
    ck_assert(cgs_plugin_named("./mine.so") && cgs_plugin_named("mine.so"));
    ck_assert(cgs_plugin_named("mine.c") && cgs_plugin_named("a/b") && cgs_plugin_named("m.cu"));
    ck_assert(!cgs_plugin_named("crs_row") && !cgs_plugin_named("auto") &&
              !cgs_plugin_named(".so") && !cgs_plugin_named("also"));
}

int main(int argc, char **argv)
{
    if (cgs_worker_wanted(argc, argv)) /* this program is its own worker */
        return cgs_worker_main(argv);
    return bed_tests("plugin", 120);
}
