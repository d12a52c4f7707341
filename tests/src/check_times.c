/* lab/times: geometric means, speed-ups, and the performance profile, on a table small enough to do
 * by hand:
 *
 *     matrix   a   b   c       best   ratios
 *     0        1   2   4       1      1  2  4
 *     1        3   3   -       3      1  1  -
 *     2        8   4   2       2      4  2  1
 *     3        -   -   -       none
 */
#include "lab/times.h"

#include <math.h>

#include "tests/support/check.h"

static double seconds[] = {1, 2, 4, 3, 3, 0, 8, 4, 2, 0, 0, 0};
static const struct cgs_times times = {.matrices = 4, .kernels = 3, .seconds = seconds};

static void near(double is, double should)
{
    ck_assert_msg(fabs(is - should) <= 1e-14 * fabs(should), "%.17g is not %.17g", is, should);
}

TEST(means)
{
    const double values[] = {2, 8, 0.5};
    near(cgs_geometric_mean(values, 2), 4);
    near(cgs_geometric_mean(values, 3), 2);
    ck_assert(cgs_geometric_mean(values, 0) == 0);
}

TEST(the_best)
{
    ck_assert(cgs_times_best(&times, 0) == 1 && cgs_times_best(&times, 1) == 3 &&
              cgs_times_best(&times, 2) == 2 && cgs_times_best(&times, 3) == 0);
    ck_assert_int_eq(cgs_times_counted(&times), 3);
}

TEST(speedups)
{
    const struct cgs_speedup b = cgs_times_speedup(&times, 1, 0),
                             c = cgs_times_speedup(&times, 2, 0),
                             own = cgs_times_speedup(&times, 2, 2);
    ck_assert_int_eq(b.matrices, 3);
    near(b.mean, 1); /* 1/2, 1, 2 */
    near(b.least, 0.5);
    near(b.most, 2);
    ck_assert_int_eq(c.matrices, 2); /* 1/4, 4 */
    near(c.mean, 1);
    near(c.least, 0.25);
    near(c.most, 4);
    near(own.mean, 1);
}

TEST(profiles)
{
    static const struct {
        double ratio, share[3];
    } rows[] = {{0.99, {0, 0, 0}},
                {1, {2 / 3.0, 1 / 3.0, 1 / 3.0}},
                {1.99, {2 / 3.0, 1 / 3.0, 1 / 3.0}},
                {2, {2 / 3.0, 1, 1 / 3.0}},
                {4, {1, 1, 2 / 3.0}},
                {1e300, {1, 1, 2 / 3.0}}}; /* what failed once never reaches 1 */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int k = 0; k < 3; k++)
            near(cgs_times_profile(&times, k, rows[i].ratio), rows[i].share[k]);
    const struct cgs_times none = {.matrices = 1, .kernels = 3, .seconds = seconds + 9};
    ck_assert(cgs_times_profile(&none, 0, 2) == 0);
    ck_assert_int_eq(cgs_times_speedup(&none, 0, 1).matrices, 0);
}

int main(void)
{
    return run_tests("times", 60, NULL, NULL);
}
