/* Halos and sums of ranks whose vectors are on a device (kernels/halo.h,
 * kernels/vector/ranks_cuda.cuh): ghosts are what their owners have, in every layout and number
 * type, turn after turn; sums are right, and the same on all ranks; both where kernels write to
 * the other ranks' memory, and where the host carries the numbers. Ranks are processes, which
 * fork before any of them knows the device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"
#include "core/ranks/local.h"
#include "fem/assembly.h"
#include "kernels/vector/blocks.h"
#include "matrix/names.h"
#include "matrix/ranks/cut.h"
#include "solver/halo.h"
#include "tests/support/support.h"

enum { N = 9, TURNS = 5, MISSING = 77 };

/* The case that the ranks work on. */
struct task {
    int ranks;
    bool lines;                 /* planes of the box in padded lines; else in natural order */
    const struct plain *listed; /* NULL: planes; else ghosts in a list */
    enum cgs_number number;
    bool fixed, carried;
};

/* A rank. A failure ends its process, and so all. */
struct rank {
    const struct task *task;
    struct cgs_context *context;
    struct cgs_queue *queue;
    struct cgs_portion portion;
    struct cgs_space space;
    double *numbers;
};

static void need(const struct rank *rank, bool good, const char *what)
{
    if (good)
        return;
    printf("rank %d: %s %s\n", rank->context->comm ? rank->context->comm->rank : 0, what,
           rank->context->message);
    fflush(stdout);
    _exit(1);
}
#define NEED(good) need(rank, (good), #good)

/* Number of row i in a turn; floats hold it. */
static double number_of(int64_t i, int turn)
{
    return (double)(float)cgs_random((uint64_t)(i * 64 + turn));
}

static void put(const struct rank *rank, void *x, int turn)
{
    for (int64_t i = 0; i < rank->portion.count; i++)
        rank->numbers[i] = number_of(rank->portion.first + i, turn);
    NEED(rank->space.ops->put(&rank->space, rank->numbers, 0, rank->portion.count, x) == CGS_OK);
}

/* Ghosts g and after, `count` of them, which lie from number `at` on, are those of that turn. */
static void compare(const struct rank *rank, const void *x, int64_t g, int64_t at, int64_t count,
                    int turn)
{
    const struct cgs_space *space = &rank->space;
    const struct cgs_portion *portion = &rank->portion;
    const int64_t pitch = space->layout.pitch, length = space->layout.length;
    const int64_t place = pitch ? at / length * pitch : at; /* whole lines */
    const char *there = (const char *)x + place * cgs_number_bytes(space->number);
    NEED(space->ops->get(space, there, 0, count, rank->numbers) == CGS_OK);
    for (int64_t i = 0; i < count; i++) {
        const int64_t row = portion->ghosts ? portion->ghosts[g + i] : portion->first + at + i;
        NEED(rank->numbers[i] == number_of(row, turn));
    }
}

static void check_ghosts(const struct rank *rank, const void *x, int turn)
{
    const struct cgs_portion *portion = &rank->portion;
    compare(rank, x, 0, -portion->below, portion->below, turn);
    compare(rank, x, portion->below, portion->count, portion->above, turn);
}

static void check_halo(const struct rank *rank, void *x, void *first)
{
    struct cgs_halo *halo;
    NEED(cgs_halo_of_ghosts(&rank->space, &rank->portion, &halo) == CGS_OK);
    for (int turn = 0; turn < TURNS; turn++) {
        put(rank, x, turn);
        put(rank, first, turn + TURNS);
        NEED(cgs_halo_exchange(halo, rank->queue, NULL, x, turn % 2 ? first : NULL) == CGS_OK);
        check_ghosts(rank, x, turn);
        if (turn % 2)
            check_ghosts(rank, first, turn + TURNS);
    }
    NEED(rank->space.ops->wait(rank->queue) == CGS_OK);
    cgs_comm_sum(rank->context, 0.0); /* none releases what another one still reads */
    cgs_halo_release(halo);
}

/* Sums of small whole numbers are exact in any order. */
static void check_sums(const struct rank *rank, void *x, void *y)
{
    const struct cgs_space_ops *ops = rank->space.ops;
    const struct cgs_cg_state initial = {.reason = CGS_GOING_ON, .max_iterations = 1};
    struct cgs_cg_state *state, seen;
    NEED(ops->state_create(&rank->space, &initial, &state) == CGS_OK);
    for (int turn = 1; turn <= TURNS; turn++) {
        double right = 0.0;
        for (int64_t i = 0; i < rank->portion.whole; i++)
            right += (double)(i % 7 * turn) * (double)(i % 5);
        for (int64_t i = 0; i < rank->portion.count; i++)
            rank->numbers[i] = (double)((rank->portion.first + i) % 7 * turn);
        NEED(ops->put(&rank->space, rank->numbers, 0, rank->portion.count, x) == CGS_OK);
        for (int64_t i = 0; i < rank->portion.count; i++)
            rank->numbers[i] = (double)((rank->portion.first + i) % 5);
        NEED(ops->put(&rank->space, rank->numbers, 0, rank->portion.count, y) == CGS_OK);
        NEED(ops->dot(&rank->space, rank->queue, state, x, y, CGS_SUM_PQ) == CGS_OK);
        NEED(ops->reduce(&rank->space, rank->queue, state, CGS_SUM_PQ, 1) == CGS_OK);
        NEED(ops->look_start(&rank->space, rank->queue, state, 0) == CGS_OK);
        NEED(ops->look_finish(&rank->space, rank->queue, 0, &seen) == CGS_OK);
        NEED(seen.sums[CGS_SUM_PQ] == right);
    }
    put(rank, x, 0); /* of others, all ranks have the same bits */
    NEED(ops->dot(&rank->space, rank->queue, state, x, x, CGS_SUM_RR) == CGS_OK);
    NEED(ops->reduce(&rank->space, rank->queue, state, CGS_SUM_RR, 1) == CGS_OK);
    NEED(ops->look_start(&rank->space, rank->queue, state, 0) == CGS_OK);
    NEED(ops->look_finish(&rank->space, rank->queue, 0, &seen) == CGS_OK);
    NEED(seen.sums[CGS_SUM_RR] == cgs_comm_first_of(rank->context, seen.sums[CGS_SUM_RR]));
    ops->state_free(&rank->space, state);
}

/* The device has counted the exchanges and sums above, once; where the host carries them, it has
 * not. */
static void check_times(const struct rank *rank)
{
    const struct cgs_backend *backend = cgs_backend(CHECK_DEVICE);
    const int64_t per_number = rank->task->number == CGS_F32 ? 4 : 8;
    struct cgs_comm_time time = {0}, again = {0};
    NEED(backend->times(rank->queue, &time) == CGS_OK &&
         backend->times(rank->queue, &again) == CGS_OK);
    NEED(again.halo_count == 0 && again.sum_count == 0 && again.sums == 0.0);
    NEED(time.halo_count == (rank->task->carried ? 0 : TURNS));
    NEED(time.sum_count == (rank->task->carried ? 0 : TURNS + 1));
    const int64_t vectors = TURNS + TURNS / 2; /* `first` goes with every second */
    NEED(rank->task->carried ||
         time.halo_bytes >= vectors * per_number * (rank->portion.below + rank->portion.above));
    NEED(time.waiting >= 0.0 && time.waiting <= time.halos + time.sums);
}

static void work(struct cgs_context *context, const struct task *task)
{
    struct rank made = {.task = task, .context = context}, *rank = &made;
    const struct cgs_comm *comm = context->comm;
    const struct cgs_backend *backend = cgs_backend(CHECK_DEVICE);
    const struct cgs_mesh mesh = cgs_mesh_cube(N, CGS_GAUSS, 1.0);
    struct cgs_row_source box, whole;
    NEED(backend->open(context, 0, &made.queue) == CGS_OK);
    made.queue->fixed = task->fixed;
    NEED(backend->join(made.queue) == CGS_OK && backend->join(made.queue) == CGS_OK);
    NEED(made.queue->way == (task->carried ? CGS_WAY_HOST : CGS_WAY_STORES));
    NEED(cgs_assembler_create(context, &mesh, cgs_gather_of(&mesh), &box) == CGS_OK);
    whole = task->listed ? plain_source(task->listed) : box;
    const int64_t unit = task->listed ? cgs_blocks_unit(whole.rows, 1, 1) : whole.plane;
    NEED(cgs_portion_create(context, &whole, unit, comm->rank, comm->size, &made.portion) ==
         CGS_OK);
    const int64_t count = made.portion.count;
    struct cgs_layout layout = {
        .size = count, .portion = &made.portion, .plane = task->listed ? 0 : whole.plane};
    if (task->lines) {
        layout.length = N;
        layout.rows = count / N;
        layout.pitch = 16;
    }
    NEED(backend->spaces[task->number]->create(made.queue, &layout, &made.space) == CGS_OK);
    made.numbers =
        must_have((size_t)(count + made.portion.below + made.portion.above) * sizeof(double));
    void *x, *y;
    NEED(made.space.ops->alloc(&made.space, "vector of a test", &x) == CGS_OK);
    NEED(made.space.ops->alloc(&made.space, "vector of a test", &y) == CGS_OK);
    check_halo(rank, x, y); /* set-up does not count */
    cgs_stopwatch_enter(&context->watch, CGS_PHASE_SOLVE);
    check_halo(rank, x, y);
    check_sums(rank, x, y);
    check_times(rank);
    made.space.ops->free(&made.space, y);
    made.space.ops->free(&made.space, x);
    cgs_portion_release(context, &made.portion);
    cgs_assembler_release(context, &box);
    backend->close(made.queue);
    free(made.numbers);
}

/* Runs the ranks in processes of their own; returns the exit status of the first. */
static int run_ranks(const struct task *task)
{
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        struct cgs_context context;
        struct cgs_comm *comm;
        cgs_context_init(&context);
        context.threads = 1;
        setenv("CGSOLVE_PEERS", task->carried ? "0" : "1", 1);
        if (cgs_local_open(&context, task->ranks, &comm) != CGS_OK)
            _exit(1);
        context.comm = comm;
        work(&context, task);
        const bool leaked = context.host_bytes != 0;
        cgs_local_close(comm);
        _exit(leaked ? 2 : 0);
    }
    int status;
    ck_assert_int_gt(child, 0);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static const struct task tasks[] = {
    {.ranks = 2},
    {.ranks = 3, .number = CGS_F32},
    {.ranks = 3, .lines = true},
    {.ranks = 4, .lines = true, .number = CGS_F32, .fixed = true},
    {.ranks = 3, .fixed = true},
    {.ranks = 2, .carried = true},
    {.ranks = 3, .carried = true, .lines = true, .fixed = true},
};
enum { TASKS = sizeof tasks / sizeof *tasks };

LOOP_TEST(planes, TASKS)
{
    ck_assert_int_eq(run_ranks(&tasks[_i]), 0);
}

LOOP_TEST(lists, 3)
{
    struct plain *plain = plain_q1(6);
    const struct task task = {.ranks = 2 + _i % 2,
                              .listed = plain,
                              .number = _i % 2 ? CGS_F32 : CGS_F64,
                              .fixed = _i == 1,
                              .carried = _i == 2};
    ck_assert_int_eq(run_ranks(&task), 0);
    plain_free(plain);
}

/* The way between two queues, of the first two devices or of one: planes take longer than
 * numbers. Not emulated, where a kernel runs to its end before the next. */
#ifndef CGS_TEST_EMULATED
static void measure_link(void)
{
    const struct cgs_backend *backend = cgs_backend(CHECK_DEVICE);
    struct cgs_context context;
    struct cgs_queue *queues[2];
    struct cgs_survey survey;
    struct cgs_link link;
    struct rank made = {.context = &context}, *rank = &made;
    cgs_context_init(&context);
    backend->survey(&survey);
    NEED(backend->open(&context, 0, &queues[0]) == CGS_OK);
    NEED(backend->open(&context, survey.devices > 1, &queues[1]) == CGS_OK);
    NEED(backend->link(queues[0], queues[1], &link) == CGS_OK);
    NEED(link.kind == CGS_LINK_NONE || link.right);
    NEED(link.kind == CGS_LINK_NONE ||
         (link.sum > 0.0 && link.plane > link.sum && link.bandwidth > 0.0));
    backend->close(queues[1]);
    backend->close(queues[0]);
    _exit(context.host_bytes != 0);
}

TEST(link_of_two)
{
    int status;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
        measure_link();
    ck_assert_int_gt(child, 0);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}
#endif

/* Looks for the device in another process: one that knows it may not fork ranks. */
static int find_device(void)
{
    const struct cgs_backend *backend = cgs_backend(CHECK_DEVICE);
    int status;
    if (!backend) {
        printf("skipped: %s\n", cgs_backend_reason(CHECK_DEVICE));
        return MISSING;
    }
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        struct cgs_context context;
        struct cgs_queue *queue;
        cgs_context_init(&context);
        if (backend->open(&context, 0, &queue) == CGS_OK)
            _exit(0);
        printf("skipped: %s\n", context.message);
        fflush(stdout);
        _exit(MISSING);
    }
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(void)
{
    const int found = find_device();
    setenv("CK_FORK", "no", 1);
    return found ? found : run_tests("peers", 300, NULL, NULL);
}
