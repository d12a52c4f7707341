/* Iterations that somebody else does: an operator that advances by itself, and recordings. A
 * recording that is a plain function stands for a device's graph. */
#include <string.h>

#include "solver/cg/cg_create.h"
#include "solver/cg/cg_internal.h"
#include "solver/cg/cg_launch.h"
#include "tests/solver/composed.h"

/* ---- an operator that does whole iterations ---- */

static struct cgs_cg *stepper; /* does the work of `advance` and of `replay` by plain steps */
static int64_t advanced, begun, ended, freed;

static enum cgs_status advance(const void *self, struct cgs_queue *on, struct cgs_cg_state *state,
                               struct cgs_cg_vectors *vectors, int64_t k)
{
    struct cgs_operator once = plain;
    struct cgs_cg cg = {
        .queue = on, .op = &once, .outer = &once, .state = state, .vectors = *vectors};
    (void)self;
    advanced += k;
    return cgs_cg_queue_iterations(&cg, k);
}

static bool can_advance(const void *self)
{
    (void)self;
    return true;
}

TEST(whole_iterations_of_an_operator_are_used)
{
    static double x[2][ROWS];
    make();
    struct cgs_steps steps = *plain.steps;
    struct cgs_operator op = plain;
    steps.advance = advance;
    steps.can_advance = can_advance;
    op.steps = &steps;
    op.work_vectors = 2; /* allocated for it, given back */
    advanced = 0;
    const struct cgs_cg_result right = solve_by(&plain, NULL, x[0]);
    ck_assert_int_eq(solve_by(&op, NULL, x[1]).iterations, right.iterations);
    ck_assert_int_eq(advanced, 0); /* only where it is asked for */
    struct cgs_cg_settings persistent = settings;
    struct cgs_cg *cg;
    persistent.launch = CGS_LAUNCH_PERSISTENT;
    ck_assert_int_eq(cgs_cg_create(queue, &op, NULL, &persistent, &cg), CGS_OK);
    const struct cgs_cg_result got = finish(cg, x[1]);
    ck_assert_int_eq(got.iterations, right.iterations);
    ck_assert_int_ge(advanced, right.iterations);
    ck_assert_int_eq(cgs_cg_create(queue, &op, &op, &persistent, &cg), CGS_USAGE);
    ck_assert_ptr_nonnull(strstr(context.message, "without a preconditioner"));
    context.status = CGS_OK;
    ck_assert_int_eq(cgs_cg_create(queue, &plain, NULL, &persistent, &cg), CGS_USAGE);
    ck_assert_ptr_nonnull(strstr(context.message, "no iterations in one kernel"));
    context.status = CGS_OK;
    ck_assert_mem_eq(x[0], x[1], sizeof x[0]);
    struct cgs_plan without = {0}, with = {0};
    cgs_cg_plan(&without, CGS_HOST, 8 * ROWS, 0, false, CGS_CG_STANDARD, 0, false, 10);
    cgs_cg_plan(&with, CGS_HOST, 8 * ROWS, 0, false, CGS_CG_STANDARD, 2, false, 10);
    ck_assert_int_eq(with.total[CGS_HOST] - without.total[CGS_HOST], 2 * 8 * ROWS);
    unmake();
}

/* ---- recording ---- */

static enum cgs_status record_begin(struct cgs_queue *on)
{
    begun++;
    return on ? CGS_OK : CGS_BUG;
}

static enum cgs_status record_end(struct cgs_queue *on, void **recording)
{
    ended++;
    *recording = on;
    return CGS_OK;
}

static enum cgs_status replay(struct cgs_queue *on, void *recording)
{
    ck_assert_ptr_eq(recording, on);
    advanced += stepper->batch;
    return cgs_cg_queue_iterations(stepper, stepper->batch);
}

static void recording_free(void *recording)
{
    ck_assert_ptr_nonnull(recording);
    freed++;
}

static enum cgs_status record_refused(struct cgs_queue *on)
{
    return cgs_fail(on->context, CGS_DEVICE, "no recording today");
}

static enum cgs_status record_lost(struct cgs_queue *on, void **recording)
{
    (void)recording;
    return cgs_fail(on->context, CGS_DEVICE, "the recording was lost");
}

TEST(recorded_iterations_equal_plain_ones)
{
    static double x[2][ROWS];
    make();
    struct cgs_space_ops ops = *plain.domain.ops;
    struct cgs_operator op = plain;
    struct cgs_cg_settings graph = settings;
    op.domain.ops = op.range.ops = &ops;
    op.capturable = true;
    ops.record_begin = record_begin;
    ops.record_end = record_end;
    ops.replay = replay;
    ops.recording_free = recording_free;
    graph.launch = CGS_LAUNCH_GRAPH;
    advanced = begun = ended = freed = 0;
    const struct cgs_cg_result right = solve_by(&plain, NULL, x[0]);
    ck_assert_int_eq(cgs_cg_create(queue, &op, NULL, &graph, &stepper), CGS_OK);
    ck_assert_int_eq(begun, 1);
    ck_assert_int_eq(ended, 1);
    const struct cgs_cg_result got = finish(stepper, x[1]);
    ck_assert_int_eq(freed, 1);
    ck_assert_int_eq(got.iterations, right.iterations); /* though batches are replayed whole */
    ck_assert_int_eq(advanced % 3, 0);
    ck_assert_int_ge(advanced, right.iterations);
    ck_assert_mem_eq(x[0], x[1], sizeof x[0]);
    unmake();
}

/* A step that cannot be recorded is refused, and all that was made by then is given back
 * (close_queue). */
TEST(failed_recordings_pass_on)
{
    struct cgs_cg *cg = NULL;
    make();
    struct cgs_space_ops ops = *plain.domain.ops;
    struct cgs_operator op = plain;
    struct cgs_cg_settings graph = settings;
    op.domain.ops = op.range.ops = &ops;
    graph.launch = CGS_LAUNCH_GRAPH;
    ops.record_begin = record_refused;
    ops.record_end = record_lost;
    op.capturable = false;
    ck_assert_int_eq(cgs_cg_create(queue, &op, NULL, &graph, &cg), CGS_USAGE);
    ck_assert_ptr_nonnull(strstr(context.message, "can't be recorded"));
    op.capturable = true;
    context.status = CGS_OK;
    ck_assert_int_eq(cgs_cg_create(queue, &op, NULL, &graph, &cg), CGS_DEVICE);
    ck_assert_str_eq(context.message, "no recording today");
    ops.record_begin = record_begin;
    context.status = CGS_OK;
    ck_assert_int_eq(cgs_cg_create(queue, &op, NULL, &graph, &cg), CGS_DEVICE);
    ck_assert_str_eq(context.message, "the recording was lost");
    ck_assert_ptr_null(cg);
    unmake();
}

int main(void)
{
    return solve_tests("recorded steps");
}
