/* CG's reports to its observer, and the bytes that it says steps move. */
#include <string.h>

#include "solver/cg/cg_create.h"
#include "solver/cg/cg_solve.h"
#include "solver/cg/cg_traffic.h"
#include "tests/solver/observed.h"

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

TEST(observers_are_told_each_step_and_change_nothing)
{
    static double x[ROWS], observed[ROWS];
    make_all();
    for (int i = 0; i < WAYS; i++) {
        const enum cgs_launch launch = way_launched(i);
        const struct cgs_operator *m = way_preconditioned(i);
        struct listener l = {.count = 1};
        const struct cgs_cg_observer observer = {listen, stop_listening, &l};
        struct cgs_cg_settings how = {.tolerance = 1e-10, .max_iterations = MOST, .launch = launch};
        if (launch == CGS_LAUNCH_PLAIN)
            l.count = cgs_cg_steps(&plain, m, CGS_CG_STANDARD, l.steps);
        else
            l.steps[0] = cgs_cg_iteration(&plain, m, CGS_CG_STANDARD, CGS_LAUNCH_PLAIN);
        const struct cgs_cg_result right = solve_as(&plain, m, &how, x);
        how.observer = &observer;
        const struct cgs_cg_result got = solve_as(&plain, m, &how, observed);
        ck_assert_int_eq(got.outcome, CGS_OUTCOME_CONVERGED);
        ck_assert_int_eq(got.iterations, right.iterations);
        ck_assert_mem_eq(x, observed, sizeof x);
        ck_assert_int_eq(l.done, got.iterations);
        ck_assert_int_eq(l.loops, 1);
        ck_assert_int_gt(l.silences, 0);
        l.fail_at = 5;
        struct cgs_cg *cg;
        struct cgs_cg_result none;
        ck_assert_int_eq(cgs_cg_create(queue, &plain, NULL, &how, &cg), CGS_OK);
        ck_assert_int_eq(plain.domain.ops->put(&plain.domain, rhs, 0, ROWS, cgs_cg_rhs(cg)),
                         CGS_OK);
        if (launch == CGS_LAUNCH_PLAIN && !m) {
            ck_assert_int_eq(cgs_cg_solve(cg, &none), CGS_DEVICE);
            ck_assert_str_eq(context.message, "no marks left");
            context.status = CGS_OK;
        }
        cgs_cg_release(cg);
    }
    unmake_all();
}

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

static void check_moves(const struct cgs_operator *op, const struct cgs_operator *m,
                        enum cgs_launch launch, double read, double written, double products)
{
    const struct cgs_moves moves = cgs_cg_iteration(op, m, CGS_CG_STANDARD, launch).moves;
    ck_assert_double_eq(moves.read, read);
    ck_assert_double_eq(moves.written, written);
    ck_assert_double_eq(moves.products, products);
}

TEST(fused_steps_say_what_they_move)
{
    struct cgs_cg_step steps[CGS_CG_STEPS];
    make_all();
    struct cgs_steps can = *plain.steps;
    struct cgs_operator op = plain;
    op.steps = &can;
    can.direction_apply_dot = never;
    can.update = never;
    check_moves(&op, NULL, CGS_LAUNCH_PLAIN, 6, 4, 1);    /* z, p; p, q. p, q, x, r; x, r. */
    check_moves(&op, &jacobi, CGS_LAUNCH_PLAIN, 8, 5, 1); /* and r, 1/d; z */
    ck_assert_int_eq(cgs_cg_steps(&op, NULL, CGS_CG_STANDARD, steps), 3);
    ck_assert_str_eq(steps[0].name, "direction_product");
    ck_assert_str_eq(steps[1].name, "update");
    ck_assert_str_eq(steps[2].name, "conclude");
    ck_assert_int_eq(cgs_cg_steps(&op, &jacobi, CGS_CG_STANDARD, steps), 4);
    ck_assert_str_eq(steps[2].name, "precondition");
    /* q is not stored but computed again, x brought up to date every second iteration. */
    can.direction_moves = (struct cgs_moves){2, 1, 1};
    can.update_moves = (struct cgs_moves){2.5, 1.5, 1};
    check_moves(&op, NULL, CGS_LAUNCH_PLAIN, 4.5, 2.5, 2);
    can.update_conclude = never;
    can.update_conclude_moves = can.update_moves;
    can.update_moves = (struct cgs_moves){3, 2, 1};
    check_moves(&op, NULL, CGS_LAUNCH_PLAIN, 4.5, 2.5, 2);
    check_moves(&op, &jacobi, CGS_LAUNCH_PLAIN, 7, 4, 2);
    ck_assert_int_eq(cgs_cg_steps(&op, NULL, CGS_CG_STANDARD, steps), 2);
    ck_assert_str_eq(steps[1].name, "update_conclude");
    ck_assert_int_eq(cgs_cg_steps(&op, &jacobi, CGS_CG_STANDARD, steps), 4);
    /* None of that where beta needs q: 2, 6, 3, 2 for q'z, 3. */
    check_moves(&op, &flexible, CGS_LAUNCH_PLAIN, 11, 5, 1);
    const struct cgs_traffic product = kernel->traffic(&matrix);
    const struct cgs_cg_step whole = cgs_cg_iteration(&op, NULL, CGS_CG_STANDARD, CGS_LAUNCH_PLAIN);
    ck_assert_double_eq(cgs_cg_bytes(&whole, &op, &product),
                        2.0 * (double)product.matrix + 7.0 * ROWS * 8);
    ck_assert_double_eq(cgs_cg_bytes_written(&whole, &op), 2.5 * ROWS * 8);
    can.advance = never_many;
    check_moves(&op, NULL, CGS_LAUNCH_PERSISTENT, 4.5, 2.5, 2); /* it does not say */
    can.advance_moves = (struct cgs_moves){1, 0, 0.5};
    check_moves(&op, NULL, CGS_LAUNCH_PERSISTENT, 1, 0, 0.5);
    check_moves(&op, NULL, CGS_LAUNCH_PLAIN, 4.5, 2.5, 2); /* no use of it there */
    unmake_all();
}

int main(void)
{
    return solve_tests("observers");
}
