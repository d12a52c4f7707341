/* Judge of `vcycle`: a preconditioner of the box problem, z = M r. CG itself runs here, so that
 * the iterations are counted by nobody else; M has to be linear and symmetric, or they mean
 * nothing. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "core/autotune/calls.h"
#include "lab/exercise/box.h"
#include "lab/exercise/exercise.h"
#include "lab/exercise/verdict.h"

static const int64_t sizes[] = {7, 15, 31, 63};
enum { SIZES = sizeof sizes / sizeof *sizes, MOST = 500, FEW = 20, GROWTH = 3, VECTORS = 6 };
static const double TOLERANCE = 1e-8, SAME = 1e-10;
enum { POINTS_GROWS = 30 }; /* a preconditioner, but not one of a multigrid method */
/* Share of the iterations without a preconditioner that one may need, to be one at all. */
static const double HELPS = 0.75;

struct grid {
    int64_t n, count;
    double *v[VECTORS];
    struct cgs_calls *calls;
};

static void fill(int64_t count, uint64_t seed, double *x)
{
    for (int64_t i = 0; i < count; i++)
        x[i] = cgs_random(cgs_splitmix64(seed) + (uint64_t)i);
}

/* M (2 a + b) = 2 M a + M b, and b'M a = a'M b > 0. */
static enum cgs_status check_linear(const struct grid *g, struct cgs_verdict *verdict)
{
    double *a = g->v[0], *b = g->v[1], *c = g->v[2], *ma = g->v[3], *mb = g->v[4], *mc = g->v[5];
    double off = 0.0, all = 0.0;
    fill(g->count, 1, a);
    fill(g->count, 2, b);
    for (int64_t i = 0; i < g->count; i++)
        c[i] = 2.0 * a[i] + b[i];
    CGS_TRY(cgs_call(g->calls, a, ma));
    CGS_TRY(cgs_call(g->calls, b, mb));
    CGS_TRY(cgs_call(g->calls, c, mc));
    for (int64_t i = 0; i < g->count; i++) {
        off = fmax(off, fabs(mc[i] - 2.0 * ma[i] - mb[i]));
        all = fmax(all, fabs(mc[i]));
        if (!isfinite(mc[i]))
            return cgs_verdict_wrong(verdict, 0, "n = %lld: z has numbers that are not finite",
                                     (long long)g->n);
    }
    if (off > SAME * all)
        return cgs_verdict_wrong(verdict, 0,
                                 "n = %lld: M is not linear: M (2 a + b) and 2 M a + M b differ by "
                                 "%.2g, of %.2g",
                                 (long long)g->n, off, all);
    const double left = cgs_box_dot(g->count, b, ma), right = cgs_box_dot(g->count, a, mb);
    const double size = sqrt(cgs_box_dot(g->count, b, b) * cgs_box_dot(g->count, ma, ma));
    if (fabs(left - right) > SAME * size)
        return cgs_verdict_wrong(verdict, 0,
                                 "n = %lld: M is not symmetric: b'M a is %.10g, a'M b is %.10g",
                                 (long long)g->n, left, right);
    return CGS_OK;
}

/* Solves with CG, preconditioned or with M = 1; *iterations: MOST where that was not enough, -1
 * where r'M r is not positive. */
static enum cgs_status solve(const struct grid *g, bool preconditioned, int *iterations)
{
    double *x = g->v[0], *r = g->v[1], *z = g->v[2], *p = g->v[3], *q = g->v[4];
    memset(x, 0, (size_t)g->count * sizeof *x);
    fill(g->count, 3, r);
    const double enough = TOLERANCE * sqrt(cgs_box_dot(g->count, r, r));
    double rz = 1.0;
    for (*iterations = 0; *iterations < MOST; ++*iterations) {
        if (sqrt(cgs_box_dot(g->count, r, r)) <= enough)
            return CGS_OK;
        if (preconditioned)
            CGS_TRY(cgs_call(g->calls, r, z));
        else
            memcpy(z, r, (size_t)g->count * sizeof *z);
        const double before = rz;
        rz = cgs_box_dot(g->count, r, z);
        if (!(rz > 0.0)) {
            *iterations = -1;
            return CGS_OK;
        }
        const double beta = *iterations > 0 ? rz / before : 0.0;
        for (int64_t i = 0; i < g->count; i++)
            p[i] = z[i] + (*iterations > 0 ? beta * p[i] : 0.0);
        cgs_box_product(g->n, p, q);
        const double alpha = rz / cgs_box_dot(g->count, p, q);
        for (int64_t i = 0; i < g->count; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
    }
    return CGS_OK;
}

/* *without: the iterations with M = 1. */
static enum cgs_status try_size(const struct cgs_callee *callee, int64_t n, int *iterations,
                                int *without, struct cgs_verdict *verdict)
{
    struct grid g = {.n = n, .count = n * n * n};
    enum cgs_status status = cgs_calls_begin_plain(callee, g.count, g.count, &g.calls);
    for (int i = 0; i < VECTORS && status == CGS_OK; i++)
        status = cgs_alloc(callee->context, g.count, sizeof(double), "vectors", (void **)&g.v[i]);
    if (status == CGS_OK)
        status = check_linear(&g, verdict);
    if (status == CGS_OK && verdict->state == CGS_EXERCISE_RIGHT)
        status = solve(&g, true, iterations);
    if (status == CGS_OK && verdict->state == CGS_EXERCISE_RIGHT && *iterations > FEW)
        status = solve(&g, false, without);
    for (int i = 0; i < VECTORS; i++)
        cgs_free(callee->context, g.v[i]);
    cgs_calls_end(g.calls);
    if (status == CGS_OK && verdict->state == CGS_EXERCISE_RIGHT && *iterations < 0)
        cgs_verdict_wrong(verdict, 0, "n = %lld: M is not positive definite: r'M r <= 0",
                          (long long)n);
    return status;
}

enum cgs_status cgs_judge_vcycle(const struct cgs_judged *judged, struct cgs_verdict *verdict)
{
    struct cgs_callee callee;
    int iterations[SIZES] = {0}, without = 0;
    enum cgs_status status = cgs_judged_open(judged, verdict, &callee);
    cgs_verdict_solved(verdict);
    for (int i = 0; i < SIZES && status == CGS_OK && verdict->state == CGS_EXERCISE_RIGHT; i++) {
        status = try_size(&callee, sizes[i], &iterations[i], &without, verdict);
        if (status != CGS_OK || verdict->state != CGS_EXERCISE_RIGHT || i == 0)
            continue;
        if (iterations[i] > FEW && iterations[i] > HELPS * without)
            cgs_verdict_wrong(verdict, 0,
                              "M does not help: %d iterations for n = %lld, and %d with M = 1",
                              iterations[i], (long long)sizes[i], without);
        else if (iterations[i] > iterations[0] + GROWTH || iterations[i] > FEW)
            cgs_verdict_wrong(
                verdict, POINTS_GROWS,
                "the iterations grow: %d for n = %lld, %d for n = %lld, to a residual of "
                "1e-8; at most %d are wanted, and the same number for any n",
                iterations[i - 1], (long long)sizes[i - 1], iterations[i], (long long)sizes[i],
                FEW);
    }
    cgs_callee_close(&callee);
    return cgs_verdict_of_failure(judged->context, status, verdict);
}
