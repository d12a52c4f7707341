/* Matrices that are symmetric except for rounding (core/setup/symmetrise.h), against a dense (A +
 * A') / 2: the same bits and the same worst pair on any number of threads and ranks; beyond
 * rounding, and without memory, the matrix stays as it was on all of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "core/setup/symmetrise.h"
#include "tests/support/check.h"
#include "tests/support/ranks.h"

enum { ROWS = 61, RANKS_MOST = 5 };

struct task {
    double value[ROWS][ROWS];
    bool there[ROWS][ROWS];
    int threads;
    int64_t cuts[RANKS_MOST + 1];
    int starve; /* which allocation of rank 1 fails; 0: none */
    enum cgs_status status[RANKS_MOST];
    char message[RANKS_MOST][300];
    struct cgs_asymmetry worst[RANKS_MOST];
};

/* Entries of magnitude 1e-3 to 1e3 in a symmetric pattern; those below the diagonal are off by
 * `off` of the largest in their row. Pairs 7 apart lack one of both, the other is as small as
 * `off`. */
static void make(struct task *task, double off)
{
    *task = (struct task){.threads = 1, .cuts = {0, ROWS}};
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j <= i; j++) {
            const double r = cgs_random((uint64_t)(ROWS * i + j));
            const bool lonely = i - j == 7;
            if (i != j && !lonely && r < 0.6)
                continue;
            const double a = i == j   ? 1e3
                             : lonely ? 1e3 * off * r
                                      : (r - 0.8) * pow(10.0, i % 7 - 3);
            const bool above = (i + j) % 4 == 1;
            task->there[i][j] = !lonely || !above;
            task->there[j][i] = !lonely || above;
            task->value[i][j] = a + (i == j || lonely ? 0.0 : 1e3 * off * (r - 0.8));
            task->value[j][i] = a;
        }
}

/* Rows first ... last - 1. */
static void take(struct cgs_context *context, const struct task *task, int64_t first, int64_t last,
                 struct cgs_crs *crs)
{
    ck_assert_int_eq(cgs_crs_alloc(context, last - first, ROWS, (last - first) * ROWS, crs),
                     CGS_OK);
    int64_t k = 0;
    crs->first = first;
    crs->whole = context->comm ? ROWS : 0;
    crs->pointers[0] = 0;
    for (int64_t i = first; i < last; i++) {
        for (int32_t j = 0; j < ROWS; j++)
            if (task->there[i][j]) {
                crs->column[k] = j;
                crs->value[k++] = task->value[i][j];
            }
        crs->pointers[i - first + 1] = k;
    }
}

static double expected(const struct task *task, int64_t i, int64_t j)
{
    const double a = task->value[i][j], b = task->value[j][i];
    return !task->there[j][i] ? 0.0 : a == b ? a : 0.5 * a + 0.5 * b;
}

static void check_values(const struct task *task, const struct cgs_crs *crs, bool made)
{
    for (int64_t i = 0; i < crs->rows; i++)
        for (int64_t k = crs->pointers[i]; k < crs->pointers[i + 1]; k++) {
            const int64_t row = crs->first + i, column = crs->column[k];
            ck_assert_double_eq(crs->value[k],
                                made ? expected(task, row, column) : task->value[row][column]);
        }
}

static void work(struct cgs_context *context, void *user)
{
    struct task *task = user;
    const int r = context->comm ? context->comm->rank : 0;
    struct cgs_crs crs;
    context->threads = task->threads;
    take(context, task, task->cuts[r], task->cuts[r + 1], &crs);
    if (r == 1)
        context->starve_in[CGS_HOST] = task->starve;
    task->status[r] = cgs_symmetrise(context, &crs, &task->worst[r]);
    context->starve_in[CGS_HOST] = 0;
    memcpy(task->message[r], context->message, sizeof task->message[r] - 1);
    check_values(task, &crs, task->status[r] == CGS_OK);
    cgs_crs_release(context, &crs);
}

static void check_worst(const struct task *task, const struct cgs_asymmetry *worst)
{
    double largest[ROWS] = {0.0};
    struct cgs_asymmetry most = {0.0, 0, 0, 0.0, 0.0, 0};
    int alone = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROWS; j++)
            largest[i] = fmax(largest[i], fabs(task->value[i][j]));
    for (int i = 0; i < ROWS; i++)
        for (int j = i + 1; j < ROWS; j++) {
            const double a = task->there[i][j] ? task->value[i][j] : 0.0;
            const double b = task->there[j][i] ? task->value[j][i] : 0.0;
            const double ratio = fabs(a - b) / fmax(largest[i], largest[j]);
            if (ratio > most.most)
                most = (struct cgs_asymmetry){ratio, i, j, a, b, 0};
            alone += task->there[i][j] != task->there[j][i];
        }
    ck_assert_double_gt(most.most, 0.0);
    ck_assert_double_eq(worst->most, most.most);
    ck_assert_int_eq(worst->row, most.row);
    ck_assert_int_eq(worst->column, most.column);
    ck_assert_double_eq(worst->entry, most.entry);
    ck_assert_double_eq(worst->mirror, most.mirror);
    ck_assert_int_eq(worst->alone, alone);
}

static const struct {
    int ranks, threads;
    int64_t cuts[RANKS_MOST + 1];
} teams[] = {
    {1, 1, {0, ROWS}},
    {1, 4, {0, ROWS}},
    {2, 1, {0, 32, ROWS}},
    {3, 2, {0, 0, 17, ROWS}},
    {5, 1, {0, 1, 30, 30, ROWS, ROWS}},
};
enum { TEAMS = sizeof teams / sizeof *teams };

static void run_team(int i, struct task *task)
{
    task->threads = teams[i].threads;
    memcpy(task->cuts, teams[i].cuts, sizeof task->cuts);
    team_run(teams[i].ranks, work, task);
}

TEST(rounding_is_taken)
{
    struct task *task = malloc(sizeof *task);
    static const double offs[] = {1e-16, 1e-11, 1e-10};
    for (int n = 0; n < 3; n++) {
        make(task, offs[n]);
        for (int i = 0; i < TEAMS; i++) {
            run_team(i, task);
            for (int r = 0; r < teams[i].ranks; r++) {
                ck_assert_msg(task->status[r] == CGS_OK, "team %d: %s", i, task->message[r]);
                check_worst(task, &task->worst[r]);
            }
        }
    }
    free(task);
}

TEST(symmetric_ones_stay)
{
    struct task *task = malloc(sizeof *task);
    make(task, 0.0);
    for (int i = 0; i < TEAMS; i++) {
        run_team(i, task);
        ck_assert_int_eq(task->status[0], CGS_OK);
        ck_assert_double_eq(task->worst[0].most, 0.0);
    }
    free(task);
}

TEST(more_is_refused)
{
    struct task *task = malloc(sizeof *task);
    for (int lonely = 0; lonely < 2; lonely++) {
        make(task, 1e-12);
        task->there[40][3] = task->there[50][2] = true; /* the first pair is (3, 50) of row 3 */
        task->there[3][40] = task->there[2][50] = !lonely;
        task->value[3][40] = task->value[2][50] = lonely ? 0.0 : 2.0;
        task->value[40][3] = task->value[50][2] = 2.0 + 1.5e-7;
        for (int i = 0; i < TEAMS; i++) {
            run_team(i, task);
            for (int r = 0; r < teams[i].ranks; r++) {
                ck_assert_int_eq(task->status[r], CGS_BREAKDOWN);
                ck_assert_msg(
                    strstr(task->message[r], lonely ? "a(51, 3) = 2 " : "a(51, 3) = 2.00000015") &&
                        strstr(task->message[r], lonely ? "by 2.0e-03 of" : "by 1.5e-10 of") &&
                        strstr(task->message[r],
                               lonely ? "a(3, 51) is not there" : "a(3, 51) = 2 "),
                    "team %d: %s", i, task->message[r]);
            }
        }
    }
    free(task);
}

/* Differences and sums that leave the range of double precision. */
TEST(far_numbers)
{
    struct task *task = malloc(sizeof *task);
    make(task, 0.0);
    task->there[9][3] = task->there[3][9] = true;
    task->value[9][3] = 1.5e308;
    task->value[3][9] = nextafter(1.5e308, 0.0);
    for (int i = 0; i < TEAMS; i++) {
        run_team(i, task);
        ck_assert_msg(task->status[0] == CGS_OK, "%s", task->message[0]);
    }
    task->value[9][3] = -1.5e308;
    for (int i = 0; i < TEAMS; i++) {
        run_team(i, task);
        ck_assert_int_eq(task->status[0], CGS_BREAKDOWN);
    }
    free(task);
}

TEST(no_memory_on_one_rank)
{
    struct task *task = malloc(sizeof *task);
    int failures = 0;
    for (int k = 1;; k++, failures++) {
        make(task, 1e-12);
        task->starve = k;
        run_team(2, task);
        if (task->status[0] == CGS_OK)
            break;
        for (int r = 0; r < teams[2].ranks; r++) {
            ck_assert_int_eq(task->status[r], CGS_MEMORY);
            ck_assert_ptr_nonnull(strstr(task->message[r], "rank 1: "));
        }
    }
    ck_assert_int_ge(failures, 5);
    free(task);
}

int main(void)
{
    return run_tests("symmetrise", 60, NULL, NULL);
}
