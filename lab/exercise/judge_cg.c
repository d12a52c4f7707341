/* Judge of `cg`: conjugate gradients whose answer and whose residual are true. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "core/autotune/calls.h"
#include "lab/exercise/box.h"
#include "lab/exercise/exercise.h"
#include "lab/exercise/verdict.h"

/* n^3 unknowns. hard: the tolerance is below what rounding allows, so that the recursive residual
 * goes on falling where the true one stands still, near 1e-13: there the answer has to be honest,
 * and need not be better than REACHED. restart: the tolerance is reached, but not by the recursive
 * residual alone, with which the true one ends at 3.3e-13: the iteration has to begin anew. */
static const double REACHED = 1e-9;
static const struct {
    int64_t n;
    double spread, tolerance;
    bool hard, zero, restart; /* zero: b = 0 */
} cases[] = {
    {.n = 1, .spread = 1.0, .tolerance = 1e-8},
    {.n = 4, .spread = 1.0, .tolerance = 1e-10},
    {.n = 9, .spread = 1.0, .tolerance = 1e-6},
    {.n = 9, .spread = 10.0, .tolerance = 1e-9},
    {.n = 16, .spread = 1.0, .tolerance = 1e-12},
    {.n = 6, .spread = 3000.0, .tolerance = 1.5e-13, .restart = true},
    {.n = 6, .spread = 3000.0, .tolerance = 1e-14, .hard = true},
    {.n = 4, .spread = 1.0, .tolerance = 1e-8, .zero = true},
};
enum { CASES = sizeof cases / sizeof *cases, SCALARS = 2, POINTS_DRIFTS = 60 };

struct system {
    struct cgs_crs crs;
    int64_t rows; /* without those of the scalars */
    double *b, *x, *work;
};

static void multiply(const struct cgs_crs *crs, int64_t rows, const double *x, double *y)
{
    for (int64_t i = 0; i < rows; i++) {
        long double sum = 0.0L;
        for (int64_t k = crs->pointers[i]; k < crs->pointers[i + 1]; k++)
            sum += (long double)crs->value[k] * x[crs->column[k]];
        y[i] = (double)sum;
    }
}

/* Returns ||b - A x|| / ||b||; *floor: what rounding makes of it in double precision. */
static double true_residual(const struct system *s, double *floor)
{
    double sum = 0.0, rounding = 0.0;
    for (int64_t i = 0; i < s->rows; i++) {
        long double r = s->b[i], all = fabs(s->b[i]);
        for (int64_t k = s->crs.pointers[i]; k < s->crs.pointers[i + 1]; k++) {
            const long double part = (long double)s->crs.value[k] * s->x[s->crs.column[k]];
            r -= part;
            all += fabsl(part);
        }
        sum += (double)(r * r);
        rounding += (double)(all * all);
    }
    const double norm = sqrt(cgs_box_dot(s->rows, s->b, s->b));
    *floor = 2.0 * DBL_EPSILON * sqrt(rounding) / norm;
    return sqrt(sum) / norm;
}

/* Returns the iterations that CG needs. */
static int64_t iterations_of_cg(const struct system *s, double tolerance)
{
    const int64_t n = s->rows;
    double *x = s->work, *r = x + n, *p = r + n, *q = p + n;
    memset(x, 0, (size_t)n * sizeof *x);
    memcpy(r, s->b, (size_t)n * sizeof *r);
    memcpy(p, s->b, (size_t)n * sizeof *p);
    double rr = cgs_box_dot(n, r, r);
    const double enough = tolerance * tolerance * rr;
    int64_t k = 0;
    for (; rr > enough && k < 100 * n; k++) {
        multiply(&s->crs, n, p, q);
        const double alpha = rr / cgs_box_dot(n, p, q), before = rr;
        for (int64_t i = 0; i < n; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        rr = cgs_box_dot(n, r, r);
        for (int64_t i = 0; i < n; i++)
            p[i] = r[i] + rr / before * p[i];
    }
    return k;
}

static enum cgs_status look(int which, const struct system *s, struct cgs_verdict *verdict)
{
    double floor;
    const double tolerance = cases[which].tolerance, said = s->x[s->rows + 1];
    const double is = true_residual(s, &floor), took = s->x[s->rows];
    const int64_t needed = iterations_of_cg(s, tolerance);
    char where[96];
    snprintf(where, sizeof where, "%lld unknowns, tolerance %g%s", (long long)s->rows, tolerance,
             cases[which].hard ? " (less than rounding allows)" : "");
    if (!(is < INFINITY))
        return cgs_verdict_wrong(verdict, 0, "%s: the answer is not finite", where);
    if (cases[which].restart && is > tolerance + floor && is < REACHED)
        return cgs_verdict_wrong(
            verdict, POINTS_DRIFTS,
            "%s: the true residual ||b - A x|| / ||b|| is %.3g at the end: it "
            "has to begin anew where the recursive one is small enough and the "
            "true one is not",
            where, is);
    if (is > (cases[which].hard ? REACHED : tolerance) + floor)
        return cgs_verdict_wrong(verdict, cases[which].hard ? POINTS_DRIFTS : 0,
                                 "%s: the true residual ||b - A x|| / ||b|| is %.3g at the end",
                                 where, is);
    if (!(fabs(said - is) <= 0.01 * is + floor))
        return cgs_verdict_wrong(verdict, cases[which].hard ? POINTS_DRIFTS : 0,
                                 "%s: it says that its residual is %.3g, but the true residual "
                                 "||b - A x|| / ||b|| is %.3g",
                                 where, said, is);
    if (!cases[which].hard &&
        !(took <= 1.1 * (double)needed + 2.0 && took >= 0.9 * (double)needed - 2.0))
        return cgs_verdict_wrong(verdict, 0,
                                 "%s: %g iterations, where conjugate gradients take %lld", where,
                                 took, (long long)needed);
    return CGS_OK;
}

/* Looks at the answer to b = 0, which has no relative residual. */
static enum cgs_status look_at_zero(const struct system *s, struct cgs_verdict *verdict)
{
    const double took = s->x[s->rows], said = s->x[s->rows + 1];
    int64_t others = 0;
    for (int64_t i = 0; i < s->rows; i++)
        others += s->x[i] != 0.0; /* NaN, too */
    if (others == 0 && took == 0.0 && said == 0.0)
        return CGS_OK;
    return cgs_verdict_wrong(
        verdict, 0,
        "%lld unknowns, b = 0: should be x = 0 after 0 iterations with "
        "residual 0, but %lld numbers of x are not 0, after %g iterations with residual %g",
        (long long)s->rows, (long long)others, took, said);
}

static enum cgs_status make_system(const struct cgs_callee *callee, int which, struct system *s)
{
    const int64_t n = cases[which].n;
    struct cgs_context *context = callee->context;
    s->rows = n * n * n;
    CGS_TRY(cgs_box_rows(context, n, cases[which].spread, SCALARS, &s->crs));
    CGS_TRY(cgs_alloc(context, s->rows + SCALARS, sizeof *s->b, "vectors", (void **)&s->b));
    CGS_TRY(cgs_alloc(context, s->rows + SCALARS, sizeof *s->x, "vectors", (void **)&s->x));
    CGS_TRY(cgs_alloc(context, 4 * s->rows, sizeof *s->work, "vectors", (void **)&s->work));
    for (int64_t i = 0; i < s->rows; i++)
        s->b[i] = cases[which].zero ? 0.0 : cgs_random((uint64_t)(which * 100000 + i));
    s->b[s->rows] = cases[which].tolerance;
    s->b[s->rows + 1] = 0.0;
    return CGS_OK;
}

static enum cgs_status try_case(const struct cgs_callee *callee, int which,
                                struct cgs_verdict *verdict)
{
    struct system s = {0};
    struct cgs_calls *calls = NULL;
    enum cgs_status status = make_system(callee, which, &s);
    if (status == CGS_OK)
        status = cgs_calls_begin(callee, &s.crs, &calls);
    if (status == CGS_OK)
        status = cgs_call(calls, s.b, s.x);
    if (status == CGS_OK)
        status = cases[which].zero ? look_at_zero(&s, verdict) : look(which, &s, verdict);
    cgs_calls_end(calls);
    cgs_crs_release(callee->context, &s.crs);
    cgs_free(callee->context, s.b);
    cgs_free(callee->context, s.x);
    cgs_free(callee->context, s.work);
    return status;
}

enum cgs_status cgs_judge_cg(const struct cgs_judged *judged, struct cgs_verdict *verdict)
{
    struct cgs_callee callee;
    enum cgs_status status = cgs_judged_open(judged, verdict, &callee);
    cgs_verdict_solved(verdict);
    for (int i = 0; i < CASES && status == CGS_OK && verdict->state == CGS_EXERCISE_RIGHT; i++)
        status = try_case(&callee, i, verdict);
    cgs_callee_close(&callee);
    return cgs_verdict_of_failure(judged->context, status, verdict);
}
