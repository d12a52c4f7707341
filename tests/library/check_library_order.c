/* Orders of convergence of cells of order 1 ... 8: p + 1 in L2, p in H1, with each kind of face,
 * and of the projection, order 2 ... 8. */
#include <stdio.h>

#include "tests/library/library.h"

enum { ORDERS = 8, MOST = 4 };

/* Options beside the order, the cells and, except for the projection, the exact solution, which has
 * period 1 in x. */
static const char *const boxes[][MOST][2] = {
    {{"grade", "y:0.8,z:1.2"}},
    {{"face", "x0:flux"}, {"face", "y1:h=2"}, {"reaction", "3"}, {"size", "1x1x0.8"}},
    {{"face", "x0:periodic"}, {"face", "else:flux"}, {"grade", "z:1.3"}},
    {{"problem", "mass"}, {"quadrature", "gauss"}, {"size", "1x1x0.8"}},
};
enum { BOXES = sizeof boxes / sizeof *boxes, PROJECTION = BOXES - 1 };
static const char exact[] = "sin(2*pi*x+1)*cos(3*y)*exp(z)";

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
        option(s, "exact", exact);
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

LOOP_TEST(orders_are_as_they_should, ORDERS *BOXES)
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

int main(void)
{
    return run_tests("orders of cells", 120, NULL, NULL);
}
