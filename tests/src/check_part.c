/* Parts of a matrix that move between ranks (core/setup/part.h): rows, values and vectors arrive
 * as they were, also at ranks that had or get none, and a lack of memory on one rank is one on
 * all. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core/setup/part.h"
#include "tests/support/check.h"
#include "tests/support/ranks.h"

enum { ROWS = 40, RANKS = 3, ENTRIES = ROWS * (ROWS + 1) / 2 };

struct task {
    int64_t from[RANKS + 1], to[RANKS + 1];
    int starve; /* which allocation of rank 1 fails; 0: none */
    enum cgs_status status[RANKS];
    char message[RANKS][200];
};

/* Row i has i % 7 + 1 entries, in columns i % 3 + 5 k: no symmetric matrix, which nobody asks
 * for here. */
static int64_t length_of(int64_t i)
{
    return i % 7 + 1;
}

static int64_t column_of(int64_t i, int64_t k)
{
    return i % 3 + 5 * k;
}

static double value_of(int64_t i, int64_t k)
{
    return (double)i + 0.125 * (double)k;
}

/* Rows first ... last - 1; arrays of the test. */
struct arrays {
    int64_t pointers[ROWS + 1], column[ENTRIES];
    double value[ENTRIES];
};

static void fill(int64_t first, int64_t last, struct arrays *a)
{
    int64_t k = 0;
    a->pointers[0] = 0;
    for (int64_t i = first; i < last; i++) {
        for (int64_t j = 0; j < length_of(i); j++, k++) {
            a->column[k] = column_of(i, j);
            a->value[k] = value_of(i, j);
        }
        a->pointers[i - first + 1] = k;
    }
}

static void check_rows(const struct cgs_crs *crs, int64_t first, double factor)
{
    for (int64_t i = 0; i < crs->rows; i++) {
        ck_assert_int_eq(crs->pointers[i + 1] - crs->pointers[i], length_of(first + i));
        for (int64_t j = 0; j < length_of(first + i); j++) {
            const int64_t k = crs->pointers[i] + j;
            ck_assert_int_eq(crs->column[k], column_of(first + i, j));
            ck_assert_double_eq(crs->value[k], factor * value_of(first + i, j));
        }
    }
    ck_assert_double_eq(crs->norm, factor * (7.0 * 34.0 + 0.125 * 21.0)); /* of row 34 */
}

/* Vectors go there and back. */
static void move_vector(struct cgs_context *context, const struct task *task)
{
    double mine[ROWS], there[ROWS], back[ROWS];
    const int r = context->comm ? context->comm->rank : 0;
    for (int64_t i = task->from[r]; i < task->from[r + 1]; i++)
        mine[i - task->from[r]] = (double)(i * i);
    cgs_part_move(context, task->from, mine, task->to, there);
    for (int64_t i = task->to[r]; i < task->to[r + 1]; i++)
        ck_assert_double_eq(there[i - task->to[r]], (double)(i * i));
    cgs_part_move(context, task->to, there, task->from, back);
    for (int64_t i = 0; i < task->from[r + 1] - task->from[r]; i++)
        ck_assert_double_eq(back[i], mine[i]);
}

static void work(struct cgs_context *context, void *user)
{
    struct task *task = user;
    const int r = context->comm ? context->comm->rank : 0;
    struct arrays *a = malloc(sizeof *a);
    struct cgs_crs crs = {0};
    const struct cgs_caller_part part = {.first = task->from[r],
                                         .rows = task->from[r + 1] - task->from[r],
                                         .whole = ROWS,
                                         .cuts = task->from,
                                         .pointers = a->pointers,
                                         .column = a->column,
                                         .value = a->value};
    fill(part.first, part.first + part.rows, a);
    ck_assert_int_eq(cgs_part_check(context, &part, a->pointers[part.rows]), CGS_OK);
    if (r == 1)
        context->starve_in[CGS_HOST] = task->starve;
    task->status[r] = cgs_part_take(context, &part, task->to, &crs);
    memcpy(task->message[r], context->message, sizeof task->message[r] - 1);
    context->starve_in[CGS_HOST] = 0;
    if (task->status[r] == CGS_OK) {
        ck_assert_int_eq(crs.rows, task->to[r + 1] - task->to[r]);
        ck_assert_int_eq(crs.whole, context->comm ? ROWS : 0);
        check_rows(&crs, task->to[r], 1.0);
        for (int64_t k = 0; k < a->pointers[part.rows]; k++)
            a->value[k] *= -2.0;
        cgs_part_take_values(context, &part, &crs);
        for (int64_t k = 0; k < crs.pointers[crs.rows]; k++)
            crs.value[k] = -crs.value[k];
        check_rows(&crs, task->to[r], 2.0);
        move_vector(context, task);
    }
    cgs_crs_release(context, &crs);
    free(a);
}

TEST(rows_move_anywhere)
{
    static const struct task list[] = {
        {.from = {0, 13, 27, ROWS}, .to = {0, 16, 32, ROWS}},
        {.from = {0, 0, ROWS, ROWS}, .to = {0, 16, 32, ROWS}},
        {.from = {0, 1, 2, ROWS}, .to = {0, 32, ROWS, ROWS}},
        {.from = {0, 16, 32, ROWS}, .to = {0, 16, 32, ROWS}},
        {.from = {0, ROWS, ROWS, ROWS}, .to = {0, 0, 0, ROWS}},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct task task = list[i];
        team_run(RANKS, work, &task);
        for (int r = 0; r < RANKS; r++)
            ck_assert_msg(task.status[r] == CGS_OK, "%d: %s", (int)i, task.message[r]);
    }
    struct task alone = {.from = {0, ROWS}, .to = {0, ROWS}};
    team_run(1, work, &alone);
    ck_assert_int_eq(alone.status[0], CGS_OK);
}

TEST(no_memory_on_one_rank)
{
    int failures = 0;
    for (int k = 1;; k++, failures++) {
        struct task task = {.from = {0, 13, 27, ROWS}, .to = {0, 16, 32, ROWS}, .starve = k};
        team_run(RANKS, work, &task);
        if (task.status[0] == CGS_OK)
            break;
        for (int r = 0; r < RANKS; r++) {
            ck_assert_int_eq(task.status[r], CGS_MEMORY);
            ck_assert_ptr_nonnull(strstr(task.message[r], "rank 1: "));
        }
    }
    ck_assert_int_eq(failures, 5); /* lengths, pointers, columns twice, values */
}

int main(void)
{
    return run_tests("part", 60, NULL, NULL);
}
