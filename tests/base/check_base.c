/* base/: statuses, the first failure, plans, the stopwatch, random numbers, host memory. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include "base/available.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/plan.h"
#include "base/random.h"
#include "tests/support/limits.h"

static const int64_t MB = 1000000;

TEST(first_failure_is_kept)
{
    struct cgs_context context;
    cgs_context_init(&context);
    ck_assert_int_eq(cgs_fail(&context, CGS_FILE, "line %d", 7), CGS_FILE);
    ck_assert_int_eq(cgs_fail(&context, CGS_BUG, "later"), CGS_FILE);
    ck_assert_str_eq(context.message, "line 7");
    ck_assert_int_eq(context.status, CGS_FILE);
    ck_assert_ptr_nonnull(context.file);
    ck_assert_int_ge(context.threads, 1);
}

TEST(places_come_before_messages)
{
    struct cgs_context context;
    char name[5000];
    cgs_context_init(&context);
    cgs_fail(&context, CGS_USAGE, "unknown");
    cgs_fail_before(&context, "%s:%d: ", "a\tb", 3);
    ck_assert_str_eq(context.message, "a?b:3: unknown");
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    cgs_fail_before(&context, "%s:%d: ", name, 3);
    ck_assert_ptr_nonnull(strstr(context.message, "nnn...nnn"));
    ck_assert_ptr_nonnull(strstr(context.message, ":3: a?b:3: unknown"));
    for (int i = 0; i < 100; i++)
        cgs_fail_before(&context, "%s", "a place of some length, ");
    ck_assert_uint_eq(strlen(context.message), sizeof context.message - 1);
}

TEST(statuses_have_the_promised_exits)
{
    ck_assert_int_eq(cgs_status_exit(CGS_OK), 0);
    ck_assert_int_eq(cgs_status_exit(CGS_USAGE), 1);
    ck_assert_int_eq(cgs_status_exit(CGS_NOT_CONVERGED), 2);
    ck_assert_int_eq(cgs_status_exit(CGS_BREAKDOWN), 3);
    ck_assert_int_eq(cgs_status_exit(CGS_FILE), 4);
    ck_assert_int_eq(cgs_status_exit(CGS_MEMORY), 5);
    ck_assert_int_eq(cgs_status_exit(CGS_DEVICE), 6);
    ck_assert_int_eq(cgs_status_exit(CGS_BUG), 7);
    ck_assert_int_eq(cgs_status_exit(CGS_LOST), 8);
    ck_assert_int_eq(cgs_status_exit(CGS_INTERRUPTED), 130);
    ck_assert_str_eq(cgs_status_text(CGS_MEMORY), "not enough memory");
}

TEST(phases_add_up)
{
    struct cgs_stopwatch watch;
    cgs_stopwatch_start(&watch);
    ck_assert_int_eq(cgs_stopwatch_enter(&watch, CGS_PHASE_SOLVE), CGS_PHASE_STARTUP);
    ck_assert_int_eq(cgs_stopwatch_enter(&watch, CGS_PHASE_OUTPUT), CGS_PHASE_SOLVE);
    double sum = 0.0;
    for (int phase = 0; phase < CGS_PHASES; phase++)
        sum += watch.seconds[phase];
    ck_assert_double_eq_tol(sum, watch.since - watch.start, 1e-9);
    ck_assert_str_eq(cgs_phase_name(CGS_PHASE_OUTPUT), "output");
}

TEST(lines_pass)
{
    struct cgs_plan plan = {.count = 0};
    cgs_plan_add(&plan, CGS_HOST, "kept", 100, 1);
    cgs_plan_add_passing(&plan, "room to make it", 70, 1);
    cgs_plan_pass(&plan, 1);
    ck_assert_int_eq(plan.total[CGS_HOST], 100);
    ck_assert_int_eq(plan.most[CGS_HOST], 170);
    cgs_plan_add_passing(&plan, "room for the next", 30, 1);
    cgs_plan_add(&plan, CGS_HOST, "the next", 20, 1);
    cgs_plan_pass(&plan, 1);
    ck_assert_int_eq(plan.count, 2);
    ck_assert_str_eq(plan.lines[1].what, "the next");
    ck_assert_int_eq(plan.total[CGS_HOST], 120);
    ck_assert_int_eq(plan.most[CGS_HOST], 170);
}

TEST(plans_saturate)
{
    struct cgs_plan plan = {.count = 0};
    cgs_plan_add(&plan, CGS_HOST, "x", 100, 8);
    cgs_plan_add(&plan, CGS_DEVICE_MEMORY, "y", 10, 4);
    ck_assert_int_eq(plan.total[CGS_HOST], 800);
    ck_assert_int_eq(plan.lines[1].bytes, 40);
    /* the device's small lines share pages of 2 MiB, a large one has its own */
    ck_assert_int_eq(plan.total[CGS_DEVICE_MEMORY], 2 << 20);
    cgs_plan_add(&plan, CGS_DEVICE_MEMORY, "shares the page", 1000, 8);
    ck_assert_int_eq(plan.total[CGS_DEVICE_MEMORY], 2 << 20);
    cgs_plan_add(&plan, CGS_DEVICE_MEMORY, "page and a half", 3 << 20, 1);
    ck_assert_int_eq(plan.total[CGS_DEVICE_MEMORY], 6 << 20);
    cgs_plan_add(&plan, CGS_DEVICE_MEMORY, "a page of its own", (1 << 20) + 1, 1);
    ck_assert_int_eq(plan.total[CGS_DEVICE_MEMORY], 8 << 20);
    /* two of these fit into a page, beside the small ones above; the fifth needs a third one */
    cgs_plan_add_blocks(&plan, CGS_DEVICE_MEMORY, "vectors", 5, 1000000);
    ck_assert_int_eq(plan.lines[plan.count - 1].bytes, 5000000);
    ck_assert_int_eq(plan.total[CGS_DEVICE_MEMORY], 12 << 20);
    cgs_plan_add(&plan, CGS_DEVICE_MEMORY, "what is left of that", 1000000, 1);
    ck_assert_int_eq(plan.total[CGS_DEVICE_MEMORY], 12 << 20);
    cgs_plan_add_blocks(&plan, CGS_HOST, "vectors", 3, 500000);
    ck_assert_int_eq(plan.total[CGS_HOST], 1500800);
    cgs_plan_add(&plan, CGS_HOST, "too much", INT64_C(1) << 61, 8);
    ck_assert_int_eq(plan.lines[plan.count - 1].bytes, INT64_MAX);
    ck_assert_int_eq(plan.total[CGS_HOST], INT64_MAX);
    ck_assert_int_eq(cgs_bytes(INT64_MAX, 1), INT64_MAX);
}

TEST(what_is_earlier_counts_beyond_what_is_later)
{
    struct cgs_plan plan = {.count = 0}, earlier = {.count = 0};
    const int64_t later[CGS_PLACES] = {[CGS_HOST] = 700, [CGS_DEVICE_MEMORY] = 3 << 20};
    cgs_plan_add(&plan, CGS_HOST, "held", 100, 8);
    cgs_plan_add(&earlier, CGS_HOST, "a", 500, 1);
    cgs_plan_add(&earlier, CGS_HOST, "b", 450, 1);
    cgs_plan_add(&earlier, CGS_DEVICE_MEMORY, "c", 10, 4); /* less than what is later */
    cgs_plan_add_earlier(&plan, &earlier, later, "more");
    ck_assert_int_eq(plan.count, 2);
    ck_assert_str_eq(plan.lines[1].what, "more");
    ck_assert_int_eq(plan.lines[1].bytes, 250);
    ck_assert_int_eq(plan.total[CGS_HOST], 1050);
    ck_assert_int_eq(plan.total[CGS_DEVICE_MEMORY], 0);
    cgs_plan_add(&earlier, CGS_DEVICE_MEMORY, "too much", INT64_C(1) << 61, 8);
    cgs_plan_add_earlier(&plan, &earlier, later, "more");
    ck_assert_int_eq(plan.total[CGS_HOST], 1300);
    ck_assert_int_eq(plan.lines[3].place, CGS_DEVICE_MEMORY);
    ck_assert_int_eq(plan.lines[3].bytes, INT64_MAX - (3 << 20));
}

TEST(plans_fold)
{
    struct cgs_plan plan = {.count = 0};
    cgs_plan_add(&plan, CGS_HOST, "before", 100, 8);
    cgs_plan_add(&plan, CGS_DEVICE_MEMORY, "a", 10, 4);
    cgs_plan_add(&plan, CGS_HOST, "b", 7, 1);
    cgs_plan_add_blocks(&plan, CGS_DEVICE_MEMORY, "c", 3, 5);
    const struct cgs_plan unfolded = plan;
    cgs_plan_fold(&plan, 1, "all");
    ck_assert_int_eq(plan.count, 3);
    ck_assert_str_eq(plan.lines[0].what, "before");
    for (int i = 1; i < 3; i++) {
        ck_assert_str_eq(plan.lines[i].what, "all");
        ck_assert_int_eq(plan.lines[i].place, i == 1 ? CGS_HOST : CGS_DEVICE_MEMORY);
        ck_assert_int_eq(plan.lines[i].bytes, i == 1 ? 7 : 55);
        ck_assert_int_eq(plan.total[i - 1], unfolded.total[i - 1]);
    }
    cgs_plan_fold(&plan, 3, "nothing");
    ck_assert_int_eq(plan.count, 3);
}

/* First output of the published generator for two seeds. */
TEST(splitmix64_is_the_published_one)
{
    ck_assert_uint_eq(cgs_splitmix64(0), UINT64_C(0xe220a8397b1dcdaf));
    ck_assert_uint_eq(cgs_splitmix64(1234567), UINT64_C(6457827717110365317));
    double sum = 0.0, least = 1.0, most = -1.0;
    for (uint64_t i = 0; i < 10000; i++) {
        const double r = cgs_random(i);
        sum += r;
        least = r < least ? r : least;
        most = r > most ? r : most;
    }
    ck_assert_double_ge(least, -1.0);
    ck_assert_double_lt(most, 1.0);
    ck_assert_double_lt(least, -0.999);
    ck_assert_double_gt(most, 0.999);
    ck_assert_double_eq_tol(sum / 10000, 0.0, 0.03);
}

/* On both sides of the size from which blocks are mapped. */
TEST(blocks_are_aligned_and_counted)
{
    static const int64_t counts[] = {0, 1, 8, 1000, 524287, 524288, 524289, 3000001};
    enum { COUNT = sizeof counts / sizeof *counts };
    struct cgs_context context;
    cgs_context_init(&context);
    double *block[COUNT];
    int64_t held = 0;
    for (int i = 0; i < COUNT; i++) {
        void *out = NULL;
        ck_assert_int_eq(cgs_alloc(&context, counts[i], sizeof(double), "x", &out), CGS_OK);
        ck_assert_ptr_nonnull(out);
        ck_assert_uint_eq((uintptr_t)out % CGS_ALIGNMENT, 0);
        block[i] = out;
        held += counts[i] * 8;
        ck_assert_int_eq(context.host_bytes, held);
        for (int64_t k = 0; k < counts[i]; k++)
            block[i][k] = (double)(k + i);
    }
    for (int i = 0; i < COUNT; i++)
        for (int64_t k = 0; k < counts[i]; k++)
            if (block[i][k] != (double)(k + i))
                ck_abort_msg("block %d was overwritten at %" PRId64, i, k);
    for (int i = 0; i < COUNT; i++)
        cgs_free(&context, block[i]);
    cgs_free(&context, NULL);
    ck_assert_int_eq(context.host_bytes, 0);
    ck_assert_int_eq(context.host_peak, held);
}

TEST(absurd_sizes_are_refused)
{
    static const struct {
        int64_t count;
        size_t size;
        enum cgs_status status;
        const char *message;
    } cases[] = {
        {INT64_C(1) << 60, 1, CGS_MEMORY,
         "matrix values: 1.2 EB of host memory could not be allocated"},
        {INT64_MAX, 1, CGS_MEMORY, "matrix values: 9.2 EB of host memory could not be allocated"},
        {INT64_C(1) << 61, 8, CGS_BUG, NULL},
        {-1, 8, CGS_BUG, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cgs_context context;
        cgs_context_init(&context);
        void *out = &context;
        ck_assert_int_eq(cgs_alloc(&context, cases[i].count, cases[i].size, "matrix values", &out),
                         cases[i].status);
        ck_assert_ptr_eq(out, &context); /* outputs are set only on success */
        ck_assert_int_eq(context.host_bytes, 0);
        ck_assert_int_eq(context.host_peak, 0);
        if (cases[i].message != NULL)
            ck_assert_str_eq(context.message, cases[i].message);
        else
            ck_assert_ptr_nonnull(strstr(context.message, "matrix values"));
    }
}

/* A limit on the address space counts: what is left is said, and more is refused. */
TEST(address_space_limits_count)
{
    struct cgs_context context;
    cgs_context_init(&context);
    const rlim_t limit = (rlim_t)(address_space() + 64 * MB);
    struct rlimit before;
    ck_assert_int_gt(cgs_memory_available(), 0);
    ck_assert_int_eq(getrlimit(RLIMIT_AS, &before), 0);
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &(struct rlimit){limit, before.rlim_max}), 0);
    const int64_t left = cgs_memory_available();
    ck_assert_int_gt(left, 32 * MB);
    ck_assert_int_le(left, 65 * MB);
    void *out;
    ck_assert_int_eq(cgs_alloc(&context, 100 * MB, 1, "vectors", &out), CGS_MEMORY);
    ck_assert_str_eq(context.message, "vectors: 100.0 MB of host memory could not be allocated");
    ck_assert_int_eq(cgs_alloc(&context, 20 * MB, 1, "vectors", &out), CGS_OK);
    ck_assert_int_lt(cgs_memory_available(), left - 19 * MB);
    cgs_free(&context, out);
    ck_assert_int_gt(cgs_memory_available(), left - 2 * MB);
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &before), 0); /* CK_FORK=no: others follow */
}

/* Pages come with the first touch, as many as were asked for, and leave with cgs_free. */
TEST(big_blocks_cost_what_they_say)
{
    struct cgs_context context;
    cgs_context_init(&context);
    const int64_t size = 4 * (1 << 21) + 5000, before = cgs_memory_resident();
    ck_assert_int_gt(before, 0);
    void *block[8];
    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(cgs_alloc(&context, size, 1, "x", &block[i]), CGS_OK);
    /* The header's page may be a huge one already. */
    ck_assert_int_lt(cgs_memory_resident() - before, 8 * (1 << 21) + MB);
    for (int i = 0; i < 8; i++)
        memset(block[i], 1, (size_t)size);
    const int64_t grown = cgs_memory_resident() - before;
    ck_assert_int_ge(grown, 8 * size - MB);
    ck_assert_int_le(grown, 8 * size + MB);
    for (int i = 0; i < 8; i++)
        cgs_free(&context, block[i]);
    ck_assert_int_le(cgs_memory_resident() - before, MB);
    ck_assert_int_ge(cgs_memory_resident_peak(), before + 8 * size - MB);
}

/* Rooms are not counted and cost nothing until they are written; what is settled is a block that
 * costs what it says. On both sides of the size from which blocks are mapped. */
TEST(rooms_settle)
{
    static const struct {
        int64_t most, count;
    } cases[] = {{0, 0},      {1000, 950},   {1, 1},           {1000, 10},
                 {524287, 3}, {300 * MB, 0}, {300 * MB, 5000}, {300 * MB, 3 * MB}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t most = cases[i].most, count = cases[i].count, bytes = 8 * count;
        struct cgs_context context;
        cgs_context_init(&context);
        const int64_t before = cgs_memory_resident();
        int64_t *room = cgs_room(&context, most, sizeof *room);
        ck_assert_ptr_nonnull(room);
        ck_assert_int_eq(context.host_bytes, 0);
        ck_assert_int_le(cgs_memory_resident() - before, 3 * MB);
        memset(room, 1, (size_t)bytes);
        void *block = room;
        ck_assert_int_eq(cgs_settle(&context, count, sizeof *room, "x", &block), CGS_OK);
        room = block;
        ck_assert_uint_eq((uintptr_t)block % CGS_ALIGNMENT, 0);
        ck_assert_int_eq(context.host_bytes, bytes);
        ck_assert_int_eq(context.host_peak, bytes);
        ck_assert_int_le(cgs_memory_resident() - before, bytes + MB);
        if (count > 0)
            ck_assert(room[0] == INT64_C(0x0101010101010101) && room[count - 1] == room[0]);
        cgs_free(&context, block);
        ck_assert_int_eq(context.host_bytes, 0);
        ck_assert_int_le(cgs_memory_resident() - before, MB);
    }
}

/* No room: no message; a room that cannot be settled is freed as it is. */
TEST(rooms_are_refused)
{
    struct cgs_context context;
    cgs_context_init(&context);
    ck_assert_ptr_null(cgs_room(&context, INT64_C(1) << 60, 1));
    ck_assert_ptr_null(cgs_room(&context, INT64_C(1) << 61, 8));
    ck_assert_ptr_null(cgs_room(&context, -1, 8));
    void *room = cgs_room(&context, 100, 8), *block = room;
    context.starve_in[CGS_HOST] = 1;
    ck_assert_ptr_null(cgs_room(&context, 100, 8));
    ck_assert_int_eq(cgs_settle(&context, 50, 8, "product", &block), CGS_MEMORY);
    ck_assert_str_eq(context.message, "product: 1.2 EB of host memory could not be allocated");
    ck_assert_ptr_eq(block, room);
    cgs_free(&context, block);
    ck_assert_int_eq(context.host_bytes, 0);
    ck_assert_int_eq(context.host_peak, 0);
}

int main(void)
{
    return run_tests("base", 60, NULL, NULL);
}
