#include "solver/cg/lanczos.h"

#include <math.h>

/* T and a power of two, `scale`, that makes its entries at most about 1: no square or quotient
 * below overflows, and callers that trap floating-point exceptions see none. */
struct scaled {
    const struct cgs_cg_record *records;
    int64_t k;
    double scale;
};

/* Diagonal entry of row j = 1 ... k of T. */
static double diagonal(const struct scaled *t, int64_t j)
{
    const struct cgs_cg_record *r = t->records;
    const double before = j > 1 ? r[j - 1].beta * (t->scale / r[j - 1].alpha) : 0.0;
    return t->scale / r[j].alpha + before;
}

/* Off-diagonal entry to its left. beta < 0 (flexible preconditioner) does not define a Lanczos
 * matrix: taken as 0. */
static double left(const struct scaled *t, int64_t j)
{
    const struct cgs_cg_record *before = &t->records[j - 1];
    return j > 1 && before->beta > 0.0 ? sqrt(before->beta) * (t->scale / before->alpha) : 0.0;
}

/* Number of eigenvalues of T below x: the negative pivots of T - x I (Sturm). */
static int64_t below(const struct scaled *t, double x)
{
    int64_t count = 0;
    double pivot = 1.0;
    for (int64_t j = 1; j <= t->k; j++) {
        const double entry = left(t, j);
        pivot = diagonal(t, j) - x - entry * entry / pivot;
        if (fabs(pivot) < 1e-150)
            pivot = -1e-150;
        count += pivot < 0.0;
    }
    return count;
}

/* Smallest x in (low, high] with at least `wanted` eigenvalues below it, to 1e-6 relative. */
static double bisect(const struct scaled *t, double low, double high, int64_t wanted)
{
    for (int step = 0; step < 100 && high - low > 1e-7 * high; step++) {
        const double middle = low > 0.0 && high > 4.0 * low ? sqrt(low * high) : 0.5 * (low + high);
        if (below(t, middle) >= wanted)
            high = middle;
        else
            low = middle;
    }
    return 0.5 * (low + high);
}

/* Scale of T; 0 if some alpha or beta is too large or too small for any scale. */
static double scale_of(const struct cgs_cg_record *records, int64_t k)
{
    double least = INFINITY;
    for (int64_t j = 1; j <= k; j++) {
        if (!(records[j].alpha > 0x1p-1000 && records[j].alpha < 0x1p1000 &&
              fabs(records[j].beta) < 0x1p400))
            return 0.0;
        least = fmin(least, records[j].alpha);
    }
    return ldexp(1.0, ilogb(least));
}

void cgs_lanczos_extremes(const struct cgs_cg_record *records, int64_t k, double *lambda_min,
                          double *lambda_max)
{
    double bound = 0.0; /* Gershgorin */
    *lambda_min = *lambda_max = 0.0;
    const double scale = k < 1 ? 0.0 : scale_of(records, k);
    const struct scaled t = {.records = records, .k = k, .scale = scale};
    if (scale == 0.0)
        return;
    for (int64_t j = 1; j <= k; j++)
        bound = fmax(bound, diagonal(&t, j) + left(&t, j) + (j < k ? left(&t, j + 1) : 0.0));
    if (!(bound > 0.0))
        return;
    bound *= 1.0 + 1e-9;
    *lambda_max = bisect(&t, 0.0, bound, k) / scale;
    *lambda_min = bisect(&t, 1e-20 * bound, bound, 1) / scale;
}

double cgs_lanczos_least_quotient(const struct cgs_cg_record *records, int64_t k, double *growth)
{
    double least = INFINITY, g = 1.0;
    for (int64_t j = 1; j <= k; j++) {
        const double step = records[j].alpha * g;
        if (fabs(step) > 0x1p-1000) /* skips NaN */
            least = fmin(least, 1.0 / step);
        g = fabs(g) < 0x1p500 && fabs(records[j].beta) < 0x1p500 ? 1.0 + records[j].beta * g
                                                                 : 0x1p500;
    }
    *growth = g;
    return least;
}
