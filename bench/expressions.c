/* Cost of expressions (base/expression.h): microseconds to make each, nanoseconds a point to
 * evaluate it, median and range of nine times over a million points, and the first one in C.
 *
 *     expressions [EXPRESSION...]    in x, y, z; threads: OMP_NUM_THREADS
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/context.h"
#include "base/expression.h"

enum { POINTS = 1 << 20, TIMES = 9 };

static double x[POINTS], y[POINTS], z[POINTS], values[POINTS];

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
static void measure(struct cgs_context *context, struct cgs_expression *expression)
{
    const double *const variables[] = {x, y, z};
    double times[TIMES];
    for (int i = -1; i < TIMES; i++) { /* once to warm up */
        const double start = cgs_now();
        if (expression)
            cgs_expression_evaluate(expression, POINTS, variables, values);
        else
            compiled(context);
        times[i < 0 ? 0 : i] = (cgs_now() - start) / POINTS * 1e9;
        check(context);
    }
    qsort(times, TIMES, sizeof *times, by_size);
    printf("%6.1f ns a point (%.1f ... %.1f)\n", times[TIMES / 2], times[0], times[TIMES - 1]);
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
    for (int i = 0; i < POINTS; i++) {
        x[i] = i % 1024 / 1024.0;
        y[i] = i / 1024 / 1024.0;
        z[i] = i / (double)POINTS;
    }
    printf("%-32s %d threads %14s", "exp(x)*cos(2*y)+z^2 in C", context.threads, "");
    measure(&context, NULL);
    for (int i = 0; i < count; i++) {
        struct cgs_expression *expression = NULL;
        const double start = cgs_now();
        cgs_expression_create(&context, "expression", texts[i], names, 3, NULL, &expression);
        check(&context);
        printf("%-32s made in %5.0f us   ", texts[i], (cgs_now() - start) * 1e6);
        measure(&context, expression);
        cgs_expression_release(expression);
    }
    return 0;
}
