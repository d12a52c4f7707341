/* The bill of a solve: what the profiler makes of what CG tells it. */
#include "solver/cg/cg_traffic.h"
#include "solver/profile.h"
#include "tests/solver/observed.h"

/* ---- the profiler on a clock of the test's own ---- */

/* Marks read this clock; `elapsed` wants neighbours that nobody has overwritten. */
static int64_t ticks, place[CGS_MARKS], asked, told;

static enum cgs_status set_mark(struct cgs_queue *on, int mark)
{
    ck_assert_ptr_eq(on, queue);
    ck_assert_int_lt(mark, CGS_MARKS);
    place[mark] = ticks;
    told++;
    return CGS_OK;
}

static enum cgs_status since(struct cgs_queue *on, int from, int to, double *seconds)
{
    ck_assert_ptr_eq(on, queue);
    ck_assert_int_eq(to, (from + 1) % CGS_MARKS);
    ck_assert_int_ge(place[to], place[from]);
    *seconds = (double)(place[to] - place[from]);
    asked++;
    return CGS_OK;
}

static const struct cgs_backend clockwork = {
    .name = "clockwork", .mark = set_mark, .elapsed = since};

static struct cgs_profiler *profiler_on(const struct cgs_backend *backend, int64_t most)
{
    const struct cgs_traffic product = kernel->traffic(&matrix);
    struct cgs_profiler *profiler;
    ck_assert_int_eq(cgs_profiler_create(backend, &plain, &product, most, &profiler), CGS_OK);
    return profiler;
}

/* Queues iterations of three steps: step s of iteration i takes 100 (s + 1) + i ticks, what is
 * between two batches 7. */
static void queue_batch(const struct cgs_cg_observer *o, int64_t first, int64_t count)
{
    static const struct cgs_cg_step steps[] = {{.name = "a", .moves = {1, 1, 1}},
                                               {.name = "b", .moves = {4, 2, 0}},
                                               {.name = "c", .moves = {0, 0, 0}}};
    for (int64_t i = first; i < first + count; i++)
        for (int s = 0; s < 3; s++) {
            ck_assert_int_eq(o->next(o->self, &steps[s], 1), CGS_OK);
            ticks += 100 * (s + 1) + i;
        }
    ck_assert_int_eq(o->next(o->self, NULL, 0), CGS_OK);
    ticks += 7;
}

TEST(lines_are_the_sums_of_their_steps)
{
    enum { FIRST = 50, EMPTY = 30, SECOND = 3 };
    make();
    struct cgs_profiler *profiler = profiler_on(&clockwork, FIRST + SECOND);
    const struct cgs_cg_observer *o = cgs_profiler_observer(profiler);
    ticks = 1000, asked = told = 0;
    queue_batch(o, 0, 32); /* far more marks than there are places */
    queue_batch(o, 32, FIRST - 32 + EMPTY);
    ck_assert_int_eq(o->ended(o->self, FIRST), CGS_OK);
    queue_batch(o, 0, SECOND); /* after a restart */
    ck_assert_int_eq(o->ended(o->self, SECOND), CGS_OK);
    ck_assert_int_eq(asked, 3 * (FIRST + EMPTY + SECOND));
    ck_assert_int_eq(told, asked + 3);
    const struct cgs_profile profile = cgs_profiler_result(profiler);
    ck_assert_int_eq(profile.count, 3);
    double past = 0.0, all = 0.0;
    for (int s = 0; s < 3; s++) {
        const struct cgs_profile_line *line = &profile.lines[s];
        double sum = 0.0;
        for (int i = 0; i < FIRST + EMPTY + SECOND; i++) {
            const double seconds = 100 * (s + 1) + (i < FIRST + EMPTY ? i : i - FIRST - EMPTY);
            *(i >= FIRST && i < FIRST + EMPTY ? &past : &sum) += seconds;
            all += seconds;
        }
        ck_assert_int_eq(line->calls, FIRST + SECOND);
        ck_assert_double_eq(line->seconds, sum);
    }
    ck_assert_int_eq(profile.past_iterations, EMPTY);
    ck_assert_double_eq(profile.past_seconds, past);
    ck_assert_double_eq(cgs_profile_seconds(&profile), all);
    ck_assert_double_eq(profile.lines[1].bytes, 6.0 * ROWS * 8);
    ck_assert_double_eq(profile.lines[1].written, 2.0 * ROWS * 8);
    ck_assert_double_eq(profile.lines[2].bytes, 0.0);
    cgs_profiler_release(profiler);
    cgs_profiler_release(NULL);
    unmake();
}

/* Iterations that go as one count one by one, and the last batch wholly. */
TEST(batches_count_their_iterations)
{
    const struct cgs_cg_step whole = {.name = "iteration", .moves = {5, 3, 1}};
    make();
    struct cgs_profiler *profiler = profiler_on(&clockwork, 100);
    const struct cgs_cg_observer *o = cgs_profiler_observer(profiler);
    ticks = 0;
    for (int batch = 0; batch < 5; batch++) {
        ck_assert_int_eq(o->next(o->self, &whole, 8), CGS_OK);
        ticks += 80 + batch;
    }
    ck_assert_int_eq(o->next(o->self, NULL, 0), CGS_OK);
    ck_assert_int_eq(o->ended(o->self, 27), CGS_OK); /* the fourth has 3 of its 8, the fifth none */
    const struct cgs_profile profile = cgs_profiler_result(profiler);
    ck_assert_int_eq(profile.count, 1);
    ck_assert_int_eq(profile.lines[0].calls, 27);
    ck_assert_double_eq(profile.lines[0].seconds, 80 + 81 + 82 + 83);
    ck_assert_int_eq(profile.past_iterations, 13);
    ck_assert_double_eq(profile.past_seconds, 84);
    cgs_profiler_release(profiler);
    unmake();
}

/* ---- the profiler on the device ---- */

TEST(bills_of_solves_add_up)
{
    static double x[ROWS];
    make_all();
    const struct cgs_traffic product = kernel->traffic(&matrix);
    for (int i = 0; i < WAYS; i++) {
        const struct cgs_operator *m = way_preconditioned(i);
        struct cgs_profiler *profiler = profiler_on(cgs_backend(CHECK_DEVICE), MOST);
        const struct cgs_cg_settings how = {.tolerance = 1e-10,
                                            .max_iterations = MOST,
                                            .check_every = 40,
                                            .launch = way_launched(i),
                                            .observer = cgs_profiler_observer(profiler)};
        const struct cgs_cg_result r = solve_as(&plain, m, &how, x);
        const struct cgs_profile profile = cgs_profiler_result(profiler);
        const struct cgs_cg_step iteration =
            cgs_cg_iteration(&plain, m, CGS_CG_STANDARD, CGS_LAUNCH_PLAIN);
        double bytes = 0.0, written = 0.0;
        ck_assert_int_gt(profile.count, 0);
        for (int line = 0; line < profile.count; line++) {
            ck_assert_int_eq(profile.lines[line].calls, r.iterations);
            ck_assert_double_gt(profile.lines[line].seconds, 0.0);
            bytes += profile.lines[line].bytes;
            written += profile.lines[line].written;
        }
        ck_assert_double_eq(bytes, cgs_cg_bytes(&iteration, &plain, &product));
        ck_assert_double_eq(written, cgs_cg_bytes_written(&iteration, &plain));
        ck_assert_int_ge(profile.past_iterations, 0);
        /* All marks lie between start and stop of the solve's clock; two clocks, perhaps. */
        ck_assert_double_le(cgs_profile_seconds(&profile), 1.01 * r.seconds);
        cgs_profiler_release(profiler);
    }
    unmake_all();
}

int main(void)
{
    return solve_tests("profile");
}
