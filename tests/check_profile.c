/* The bill of a solve: what CG tells its observer, and what the profiler makes of it. */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "fem/assembly.h"
#include "kernels/registry.h"
#include "src/profile.h"
#include "tests/solve.h"

enum { N = 7, ROWS = N * N * N, MOST = 300 };

static struct cgs_mesh mesh;
static struct cgs_row_source source;
static struct cgs_matrix matrix;
static struct cgs_operator plain, jacobi;
static const struct cgs_kernel *kernel;

static void make(void)
{
    const struct cgs_kernel_entry *entry;
    mesh = cgs_mesh_cube(N, CGS_GAUSS, 1.0);
    ck_assert_int_eq(cgs_assembler_create(&context, &mesh, CGS_GATHER_SHARED, &source), CGS_OK);
    ck_assert_int_eq(cgs_matrix_create(&context, &source, CGS_SELL, 32, 1, &matrix), CGS_OK);
    ck_assert_int_eq(cgs_kernel_find(&context, "auto", CHECK_DEVICE, CGS_SELL, &entry), CGS_OK);
    kernel = entry->tables[CGS_PRECISION_F64];
    ck_assert_int_eq(cgs_operator_create(queue, cgs_backend(CHECK_DEVICE), kernel,
                                         CGS_PRECISION_F64, &matrix, &plain),
                     CGS_OK);
    ck_assert_int_eq(cgs_jacobi_create(queue, &plain, &source, &jacobi), CGS_OK);
}

static void unmake(void)
{
    cgs_operator_release(&jacobi);
    cgs_operator_release(&plain);
    cgs_matrix_release(&context, &matrix);
    cgs_assembler_release(&context, &source);
}

/* Solves with a random right-hand side; the solution in x. */
static struct cgs_cg_result solve_with(const struct cgs_operator *op, bool preconditioned,
                                       const struct cgs_cg_settings *settings, double *x)
{
    const struct cgs_space *space = &plain.domain;
    struct cgs_cg_result result;
    struct cgs_cg *cg;
    for (int i = 0; i < ROWS; i++)
        x[i] = cgs_random((uint64_t)i);
    ck_assert_int_eq(cgs_cg_create(queue, op, preconditioned ? &jacobi : NULL, settings, &cg),
                     CGS_OK);
    ck_assert_int_eq(space->ops->put(space, x, 0, ROWS, cgs_cg_rhs(cg)), CGS_OK);
    ck_assert_int_eq(cgs_cg_solve(cg, &result), CGS_OK);
    ck_assert_int_eq(space->ops->get(space, cgs_cg_solution(cg), 0, ROWS, x), CGS_OK);
    cgs_cg_release(cg);
    result.history = NULL;
    return result;
}

/* ---- what CG tells ---- */

/* Holds what it is told against the steps of an iteration, in their order. */
struct listener {
    struct cgs_cg_step steps[CGS_CG_STEPS];
    int count, at;       /* the step that comes next */
    int64_t iterations;  /* told since the loop began */
    int64_t done, loops; /* as `ended` said */
    int silences;        /* NULL */
    int64_t fail_at;     /* calls until one fails; 0: none does */
};

static enum cgs_status listen(void *self, const struct cgs_cg_step *step, int64_t iterations)
{
    struct listener *l = self;
    if (l->fail_at > 0 && --l->fail_at == 0)
        return cgs_fail(&context, CGS_DEVICE, "no marks left");
    if (!step) {
        ck_assert_int_eq(l->at, 0); /* between two iterations alone */
        l->silences++;
        return CGS_OK;
    }
    ck_assert_str_eq(step->name, l->steps[l->at].name);
    ck_assert_int_ge(iterations, 1);
    l->iterations += l->at == 0 ? iterations : 0;
    l->at = (l->at + 1) % l->count;
    return CGS_OK;
}

static enum cgs_status stop_listening(void *self, int64_t done)
{
    struct listener *l = self;
    ck_assert_int_eq(l->at, 0);
    ck_assert_int_ge(l->iterations, done);
    l->done += done;
    l->loops++;
    l->iterations = 0;
    return CGS_OK;
}

static const enum cgs_launch launches[] = {
    CGS_LAUNCH_PLAIN,
#ifdef CGS_TEST_CUDA
    CGS_LAUNCH_GRAPH,
#endif
};
enum { LAUNCHES = sizeof launches / sizeof *launches };

START_TEST(observers_are_told_each_step_and_change_nothing)
{
    static double x[ROWS], observed[ROWS];
    make();
    for (int i = 0; i < 2 * LAUNCHES; i++) {
        const bool preconditioned = i % 2;
        struct listener l = {.count = 1};
        const struct cgs_cg_observer observer = {listen, stop_listening, &l};
        struct cgs_cg_settings settings = {
            .tolerance = 1e-10, .max_iterations = MOST, .launch = launches[i / 2]};
        if (launches[i / 2] == CGS_LAUNCH_PLAIN)
            l.count = cgs_cg_steps(&plain, preconditioned ? &jacobi : NULL, l.steps);
        else
            l.steps[0] = cgs_cg_iteration(&plain, preconditioned ? &jacobi : NULL, CGS_LAUNCH_PLAIN);
        const struct cgs_cg_result right = solve_with(&plain, preconditioned, &settings, x);
        settings.observer = &observer;
        const struct cgs_cg_result got = solve_with(&plain, preconditioned, &settings, observed);
        ck_assert_int_eq(got.outcome, CGS_OUTCOME_CONVERGED);
        ck_assert_int_eq(got.iterations, right.iterations);
        ck_assert_mem_eq(x, observed, sizeof x);
        ck_assert_int_eq(l.done, got.iterations);
        ck_assert_int_eq(l.loops, 1);
        ck_assert_int_gt(l.silences, 0);
        l.fail_at = 5;
        struct cgs_cg *cg;
        struct cgs_cg_result none;
        ck_assert_int_eq(cgs_cg_create(queue, &plain, NULL, &settings, &cg), CGS_OK);
        ck_assert_int_eq(plain.domain.ops->put(&plain.domain, x, 0, ROWS, cgs_cg_rhs(cg)), CGS_OK);
        if (launches[i / 2] == CGS_LAUNCH_PLAIN && !preconditioned) {
            ck_assert_int_eq(cgs_cg_solve(cg, &none), CGS_DEVICE);
            ck_assert_str_eq(context.message, "no marks left");
            context.status = CGS_OK;
        }
        cgs_cg_release(cg);
    }
    unmake();
}
END_TEST

/* ---- what steps move ---- */

static enum cgs_status never(const void *self, struct cgs_queue *on, struct cgs_cg_state *state,
                             struct cgs_cg_vectors *vectors)
{
    (void)self, (void)on, (void)state, (void)vectors;
    return CGS_BUG;
}

static enum cgs_status never_many(const void *self, struct cgs_queue *on,
                                  struct cgs_cg_state *state, struct cgs_cg_vectors *vectors,
                                  int64_t k)
{
    (void)k;
    return never(self, on, state, vectors);
}

static void check_moves(const struct cgs_operator *op, bool preconditioned,
                        enum cgs_launch launch, double read, double written, double products)
{
    const struct cgs_moves moves = cgs_cg_iteration(op, preconditioned ? &jacobi : NULL, launch).moves;
    ck_assert_double_eq(moves.read, read);
    ck_assert_double_eq(moves.written, written);
    ck_assert_double_eq(moves.products, products);
}

START_TEST(fused_steps_say_what_they_move)
{
    struct cgs_cg_step steps[CGS_CG_STEPS];
    make();
    struct cgs_steps can = *plain.steps;
    struct cgs_operator op = plain;
    op.steps = &can;
    can.direction_apply_dot = never;
    can.update = never;
    check_moves(&op, false, CGS_LAUNCH_PLAIN, 6, 4, 1); /* z, p; p, q. p, q, x, r; x, r. */
    check_moves(&op, true, CGS_LAUNCH_PLAIN, 8, 5, 1);  /* and r, 1/d; z */
    ck_assert_int_eq(cgs_cg_steps(&op, NULL, steps), 3);
    ck_assert_str_eq(steps[0].name, "direction_product");
    ck_assert_str_eq(steps[1].name, "update");
    ck_assert_str_eq(steps[2].name, "conclude");
    ck_assert_int_eq(cgs_cg_steps(&op, &jacobi, steps), 4);
    ck_assert_str_eq(steps[2].name, "precondition");
    /* q is not stored but computed again, x brought up to date every second iteration. */
    can.direction_moves = (struct cgs_moves){2, 1, 1};
    can.update_moves = (struct cgs_moves){2.5, 1.5, 1};
    check_moves(&op, false, CGS_LAUNCH_PLAIN, 4.5, 2.5, 2);
    can.update_conclude = never;
    can.update_conclude_moves = can.update_moves;
    can.update_moves = (struct cgs_moves){3, 2, 1};
    check_moves(&op, false, CGS_LAUNCH_PLAIN, 4.5, 2.5, 2);
    check_moves(&op, true, CGS_LAUNCH_PLAIN, 7, 4, 2);
    ck_assert_int_eq(cgs_cg_steps(&op, NULL, steps), 2);
    ck_assert_str_eq(steps[1].name, "update_conclude");
    ck_assert_int_eq(cgs_cg_steps(&op, &jacobi, steps), 4);
    const struct cgs_traffic product = kernel->traffic(&matrix);
    const struct cgs_cg_step whole = cgs_cg_iteration(&op, NULL, CGS_LAUNCH_PLAIN);
    ck_assert_double_eq(cgs_cg_bytes(&whole, &op, &product),
                        2.0 * (double)product.matrix + 7.0 * ROWS * 8);
    ck_assert_double_eq(cgs_cg_bytes_written(&whole, &op), 2.5 * ROWS * 8);
    can.advance = never_many;
    check_moves(&op, false, CGS_LAUNCH_PERSISTENT, 4.5, 2.5, 2); /* it does not say */
    can.advance_moves = (struct cgs_moves){1, 0, 0.5};
    check_moves(&op, false, CGS_LAUNCH_PERSISTENT, 1, 0, 0.5);
    check_moves(&op, false, CGS_LAUNCH_PLAIN, 4.5, 2.5, 2); /* no use of it there */
    unmake();
}
END_TEST

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

START_TEST(lines_are_the_sums_of_their_steps)
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
END_TEST

/* Iterations that go as one count one by one, and the last batch wholly. */
START_TEST(batches_count_their_iterations)
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
END_TEST

/* ---- the profiler on the device ---- */

START_TEST(bills_of_solves_add_up)
{
    static double x[ROWS];
    make();
    const struct cgs_traffic product = kernel->traffic(&matrix);
    for (int i = 0; i < 2 * LAUNCHES; i++) {
        const bool preconditioned = i % 2;
        struct cgs_profiler *profiler = profiler_on(cgs_backend(CHECK_DEVICE), MOST);
        const struct cgs_cg_settings settings = {.tolerance = 1e-10,
                                                 .max_iterations = MOST,
                                                 .check_every = 40,
                                                 .launch = launches[i / 2],
                                                 .observer = cgs_profiler_observer(profiler)};
        const struct cgs_cg_result r = solve_with(&plain, preconditioned, &settings, x);
        const struct cgs_profile profile = cgs_profiler_result(profiler);
        const struct cgs_cg_step iteration = cgs_cg_iteration(&plain, preconditioned ? &jacobi : NULL, CGS_LAUNCH_PLAIN);
        double bytes = 0.0, written = 0.0;
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
    unmake();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        observers_are_told_each_step_and_change_nothing,
        fused_steps_say_what_they_move,
        lines_are_the_sums_of_their_steps,
        batches_count_their_iterations,
        bills_of_solves_add_up,
    };
    return run_suite("profile", tests, (int)(sizeof tests / sizeof *tests));
}
