/* Cost of expressions (base/expression.h): microseconds to make each, nanoseconds a point to
 * evaluate it, median and range of nine times, at a million points and on a grid of as many (as
 * those of boxes, base/expression.h), and the first one in C.
 *
 *     expressions [EXPRESSION...]    in x, y, z; threads: OMP_NUM_THREADS
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/context.h"
#include "base/expression.h"

enum { LINE = 1024, SIDE = 32, POINTS = LINE * SIDE * SIDE, TIMES = 9 };

static double x[POINTS], y[POINTS], z[POINTS], side[SIDE], values[POINTS];

static void compiled(struct cgs_context *context)
{
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int i = 0; i < POINTS; i++)
        values[i] = exp(x[i]) * cos(2.0 * y[i]) + z[i] * z[i];
}

static void check(const struct cgs_context *context)
{
    if (context->status == CGS_OK)
        return;
    fprintf(stderr, "expressions: %s\n", context->message);
    exit(cgs_status_exit(context->status));
}

static int by_size(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Times an expression; NULL: the loop in C. */
static void measure(struct cgs_context *context, const struct cgs_expression *expression,
                    const struct cgs_expression_grid *grid)
{
    double times[TIMES];
    for (int i = -1; i < TIMES; i++) { /* once to warm up */
        const double start = cgs_now();
        if (expression)
            cgs_expression_evaluate(expression, grid, values);
        else
            compiled(context);
        times[i < 0 ? 0 : i] = (cgs_now() - start) / POINTS * 1e9;
        check(context);
    }
    qsort(times, TIMES, sizeof *times, by_size);
    printf("%6.1f ns a point (%.1f ... %.1f)", times[TIMES / 2], times[0], times[TIMES - 1]);
}

int main(int argc, char **argv)
{
    static const char *const usual[] = {
        "exp(x)*cos(2*y)+z^2",
        "sin(pi*x)*sin(pi*y)*sin(pi*z)",
        "x",
        "2*x + 1",
        "x*y + y*z + x/(1 + y)",
        "x < 0.5 ? 1 : y",
        "max(x, y)",
        "1",
    };
    static const char *const names[] = {"x", "y", "z"};
    const char *const *texts = argc > 1 ? (const char *const *)argv + 1 : usual;
    const int count = argc > 1 ? argc - 1 : (int)(sizeof usual / sizeof *usual);
    struct cgs_context context;
    cgs_context_init(&context);
    const struct cgs_expression_grid points = {.count = {POINTS, 1, 1}, .variable = {x, y, z}};
    const struct cgs_expression_grid grid = {
        .count = {LINE, SIDE, SIDE}, .variable = {x, side, side}, .direction = {0, 1, 2}};
    for (int i = 0; i < SIDE; i++)
        side[i] = i / (double)SIDE;
    for (int i = 0; i < POINTS; i++) {
        x[i] = i % LINE / (double)LINE;
        y[i] = side[i / LINE % SIDE];
        z[i] = side[i / LINE / SIDE];
    }
    printf("%-32s %d threads %14s", "exp(x)*cos(2*y)+z^2 in C", context.threads, "");
    measure(&context, NULL, NULL);
    printf("\n");
    for (int i = 0; i < count; i++) {
        struct cgs_expression *expression = NULL;
        const double start = cgs_now();
        cgs_expression_create(&context, "expression", texts[i], names, 3, NULL, &expression);
        check(&context);
        printf("%-32s made in %5.0f us   ", texts[i], (cgs_now() - start) * 1e6);
        measure(&context, expression, &points);
        printf(", grid");
        measure(&context, expression, &grid);
        printf("\n");
        cgs_expression_release(expression);
    }
    return 0;
}
