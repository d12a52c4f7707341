/* Orders of convergence of cells of order 1 ... 8: p + 1 in L2, p in H1, with each kind of face,
 * and of the projection, order 2 ... 8. */
#include <stdio.h>

#include "tests/library/library.h"

enum { ORDERS = 8, MOST = 4 };

#define WAVES "sin(2*pi*x+1)*cos(3*y)*exp(z)"

/* Options beside the order, the cells and, except for the projection, the exact solution, which has
 * period 1 in x. */
static const char *const boxes[][MOST][2] = {
    {{"grade", "y:0.8,z:1.2"}},
    {{"face", "x0:flux"}, {"face", "y1:h=2"}, {"reaction", "3"}, {"size", "1x1x0.8"}},
    {{"face", "x0:periodic"}, {"face", "else:flux"}, {"grade", "z:1.3"}},
    {{"kappa", "2+x*z+y"}, {"face", "x0:flux"}, {"face", "y1:h=2"}, {"grade", "y:0.8"}},
    {{"kappa", "2+y,2+cos(z),2+y*z"}, {"face", "x0:periodic"}, {"face", "else:flux"}},
    {{"reaction", "1+x+y*z"}, {"face", "x0:flux"}, {"face", "y1:h=2+x*z"}, {"grade", "y:0.8"}},
    {{"reaction", "2+cos(2*pi*x)"},
     {"kappa", "2+y,2+cos(z),2+y*z"},
     {"face", "x0:periodic"},
     {"face", "z1:h=2+cos(2*pi*x)+y"}},
    {{"quadrature", "gauss"}, {"kappa", "2+x*z+y"}, {"face", "x0:flux"}, {"face", "y1:h=2"}},
    {{"quadrature", "gauss"}, {"face", "x0:periodic"}, {"face", "else:flux"}, {"grade", "z:1.3"}},
    {{"problem", "mass"}, {"quadrature", "gauss"}, {"size", "1x1x0.8"}},
};
enum { BOXES = sizeof boxes / sizeof *boxes, PROJECTION = BOXES - 1 };

/* The norms for this many cells in each direction. */
static struct cgsolve_result solve(int p, int box, int cells)
{
    struct cgsolve *s = handle();
    struct cgsolve_result result;
    char text[16];
    snprintf(text, sizeof text, "%d", p);
    option(s, "order", text);
    snprintf(text, sizeof text, "%d", cells);
    option(s, "cells", text);
    if (box != PROJECTION)
        option(s, "exact", WAVES);
    option(s, "precond", box == 0 || box == PROJECTION ? "jacobi" : "mg");
    option(s, "tol", "1e-14");
    for (int i = 0; i < MOST && boxes[box][i][0]; i++)
        option(s, boxes[box][i][0], boxes[box][i][1]);
    ck_assert_int_eq(cgsolve_matrix_box(s), CGSOLVE_OK);
    double *x = calloc((size_t)unknowns_of(s), sizeof *x);
    solved(cgsolve_solve(s, unknowns_of(s), NULL, x, &result));
    free(x);
    cgsolve_destroy(&s);
    return result;
}

LOOP_TEST(orders_are_as_they_should, (CHECK_SMALL ? 4 : ORDERS) * BOXES)
{
    static const int cells[ORDERS] = {20, 10, 7, 5, 4, 4, 3, 3};
    const int p = _i / BOXES + 1, box = _i % BOXES, few = cells[p - 1];
    if (p == 1 && box == PROJECTION)
        return;
    const struct cgsolve_result coarse = solve(p, box, few), fine = solve(p, box, few + 1);
    const double ratio = log((few + 1.0) / few);
    const double off = box == PROJECTION ? 0.25 : 0.1; /* of a u that changes faster */
    ck_assert_double_eq_tol(log(coarse.l2_error / fine.l2_error) / ratio, p + 1, off);
    ck_assert_double_eq_tol(log(coarse.h1_error / fine.h1_error) / ratio, p, off);
}

/* u = sin(2 pi x) sin(pi y) sin(pi z) / kappa, kappa = 1 below x = 1/2 and 10 above, and its
 * source, in ways that are the same; the flux is continuous. */
#define WAVE "sin(2*pi*x)*sin(pi*y)*sin(pi*z)"
static const char *const jumps[][MOST][2] = {
    {{"kappa", "1+9*(x>0.5)"}, {"exact", WAVE "/(1+9*(x>0.5))"}, {"source", "6*pi^2*" WAVE}},
    {{"kappa", "1+9*(x>=0.5)"}, {"exact", WAVE "/(1+9*(x>0.5))"}, {"source", "6*pi^2*" WAVE}},
    {{"material", "m:kappa=10"},
     {"region", "m:x>0.5"},
     {"exact", WAVE "/(1+9*(x>0.5))"},
     {"source", "6*pi^2*" WAVE}},
    {{"material", "m:kappa=10+0*x,source=6*pi^2*" WAVE},
     {"region", "m:0.5,0,0,1,1,1"},
     {"exact", WAVE "/(1+9*(x>0.5))"},
     {"source", "6*pi^2*" WAVE}},
};
/* The same by Gauss's rule. */
static const char *const gauss[][MOST][2] = {
    {{"kappa", "1+9*(x>0.5)"},
     {"exact", WAVE "/(1+9*(x>0.5))"},
     {"source", "6*pi^2*" WAVE},
     {"quadrature", "gauss"}},
    {{"kappa", "1+9*(x>=0.5)"},
     {"exact", WAVE "/(1+9*(x>0.5))"},
     {"source", "6*pi^2*" WAVE},
     {"quadrature", "gauss"}},
};
/* A source that jumps between cells, in ways that are the same. */
static const char *const sources[][MOST][2] = {
    {{"source", "1+4*(x>0.5)"}, {"kappa", "2"}},
    {{"source", "1+4*(x>=0.5)"}, {"kappa", "2"}},
    {{"source", "1"}, {"kappa", "2"}, {"material", "m:kappa=2,source=5"}, {"region", "m:x>0.5"}},
};

/* A reaction and a transfer coefficient that jump between cells. */
static const char *const coefficients[][MOST][2] = {
    {{"exact", WAVES}, {"reaction", "1+9*(x>0.5)"}, {"face", "y1:h=1+4*(x>0.5)"}},
    {{"exact", WAVES}, {"reaction", "1+9*(x>=0.5)"}, {"face", "y1:h=1+4*(x>=0.5)"}},
};

static double *solve_with(int p, int cells, const char *const option_list[MOST][2],
                          struct cgsolve_result *result)
{
    struct cgsolve *s = handle();
    char text[16];
    snprintf(text, sizeof text, "%d", p);
    option(s, "order", text);
    snprintf(text, sizeof text, "%d", cells);
    option(s, "cells", text);
    option(s, "precond", "mg");
    option(s, "tol", "1e-13");
    for (int i = 0; i < MOST && option_list[i][0]; i++)
        option(s, option_list[i][0], option_list[i][1]);
    ck_assert_int_eq(cgsolve_matrix_box(s), CGSOLVE_OK);
    double *x = calloc((size_t)unknowns_of(s), sizeof *x);
    solved(cgsolve_solve(s, unknowns_of(s), NULL, x, result));
    cgsolve_destroy(&s);
    return x;
}

/* Checks that all ways of a list have the same solution, and returns the last one's result. */
static struct cgsolve_result agree(int p, int cells, int count, const char *const list[][MOST][2])
{
    struct cgsolve_result result;
    const int n = p * cells - 1;
    double *x = solve_with(p, cells, list[0], &result);
    for (int i = 1; i < count; i++) {
        double *y = solve_with(p, cells, list[i], &result);
        for (int row = 0; row < n * n * n; row++)
            ck_assert_double_eq_tol(x[row], y[row], 1e-11);
        free(y);
    }
    free(x);
    return result;
}

static void check_orders(int p, int cells, int count, const char *const list[][MOST][2])
{
    const struct cgsolve_result coarse = agree(p, cells, count, list),
                                fine = agree(p, 2 * cells, count, list);
    ck_assert_double_eq_tol(log2(coarse.l2_error / fine.l2_error), p + 1, 0.15);
    ck_assert_double_eq_tol(log2(coarse.h1_error / fine.h1_error), p, 0.15);
}

LOOP_TEST(jumps_between_cells_keep_orders, CHECK_SMALL ? 1 : 3)
{
    const int p = CHECK_SMALL ? 3 : _i + 2, few = 16 / p / 2 * 2;
    check_orders(p, few, 4, jumps);
    check_orders(p, few, 2, gauss);
    check_orders(p, few, 2, coefficients);
    agree(p, few, 3, sources);
}

/* A problem by the kernel of cells and by rows. */
static const char *const forms[][MOST][2] = {
    {{"kappa", "2+x*z+y"}, {"source", "x+y"}, {"face", "y1:h=2"}},
    {{"kappa", "2+x*z+y"}, {"source", "x+y"}, {"face", "y1:h=2"}, {"format", "crs"}},
    {{"kappa", "2+x*z+y"}, {"source", "x+y"}, {"face", "y1:h=2"}, {"format", "sell"}},
    {{"kappa", "2+x*z+y"}, {"source", "x+y"}, {"face", "y1:h=2"}, {"format", "sellc"}},
};

TEST(rows_solve_as_cells_do)
{
    agree(3, 4, 4, forms);
}

/* The load of f = 1 of 4 cells of order 2 in each direction: products of the rule's weights. */
static void write_load(const char *file)
{
    static const double weight[2] = {4.0 / 24.0, 2.0 / 24.0}; /* of middles and ends of cells */
    enum { N = 7 };
    FILE *f = fopen(file, "w");
    ck_assert_ptr_nonnull(f);
    for (int i = 0; i < N * N * N; i++)
        fprintf(f, "%.17g\n", weight[i % N % 2] * weight[i / N % N % 2] * weight[i / (N * N) % 2]);
    ck_assert_int_eq(fclose(f), 0);
}

TEST(loads_of_files_are_those_of_their_source)
{
    static const char *const rules[] = {"lobatto", "gauss"};
    static char file[] = "order_load.txt";
    write_load(file);
    for (int i = 0; i < 2; i++) {
        const char *const loads[][MOST][2] = {
            {{"source", "1"}, {"kappa", "2+x"}, {"face", "x1:value=y"}, {"quadrature", rules[i]}},
            {{"rhs", file}, {"kappa", "2+x"}, {"face", "x1:value=y"}, {"quadrature", rules[i]}},
        };
        agree(2, 4, 2, loads);
    }
    ck_assert_int_eq(remove(file), 0);
}

TEST(steps_in_time_are_refused)
{
    struct cgsolve *s = handle();
    double u[125] = {0.0};
    option(s, "order", "2");
    option(s, "cells", "3");
    option(s, "source", "1");
    option(s, "reaction", "1");
    ck_assert_int_eq(cgsolve_matrix_box(s), CGSOLVE_OK);
    ck_assert_int_eq(cgsolve_step(s, 125, u, NULL), CGSOLVE_USAGE);
    ck_assert_ptr_nonnull(strstr(cgsolve_message(), "cells of order 1"));
    cgsolve_destroy(&s);
}

/* Rows of several right-hand sides are bounded by the least diagonal entry: of cells of order 2 and
 * of length H it is that of their corners, 3 (28/3H) (H/3)^2 / 2. */
TEST(rows_are_bounded_by_the_least_diagonal)
{
    enum { CELLS = 10, N = 2 * CELLS - 1, ROWS = N * N * N, COUNT = 2 };
    static double b[COUNT * ROWS], x[COUNT * ROWS];
    const double least = 14.0 / (9.0 * CELLS);
    double bb = 0.0, xx = 0.0, bound, ratio;
    const double *residuals;
    int64_t row, count;
    struct cgsolve *s = handle();
    option(s, "order", "2");
    option(s, "cells", "10");
    option(s, "precond", "jacobi");
    option(s, "tol", "1e-10");
    ck_assert_int_eq(cgsolve_matrix_box(s), CGSOLVE_OK);
    for (int i = 0; i < COUNT * ROWS; i++)
        b[i] = 1.0 + i % 7;
    solved(cgsolve_solve_many(s, COUNT, ROWS, b, x, NULL));
    solved(cgsolve_worst_row(s, &bound, &row));
    ck_assert_int_eq(row, -1);
    solved(cgsolve_history(s, &count, &residuals));
    for (int i = ROWS; i < COUNT * ROWS; i++) {
        bb += b[i] * b[i];
        xx += x[i] * x[i];
    }
    const double expected =
        residuals[count - 1] * sqrt(bb) * sqrt((double)ROWS) / (1e-3 * least * sqrt(xx));
    ck_assert_double_eq_tol(bound / expected, 1.0, 1e-3);
    solved(cgsolve_solve(s, ROWS, b + ROWS, x, NULL));
    solved(cgsolve_worst_row(s, &ratio, &row));
    ck_assert_int_ge(row, 0);
    ck_assert(ratio <= bound);
    cgsolve_destroy(&s);
}

int main(void)
{
    return run_tests("orders of cells", 120, NULL, NULL);
}
