#include "solver/lanczos.h"

#include <math.h>

/* Row j = 1 ... k of T: its diagonal entry and the square of the entry left of it. */
static double diagonal(const struct cgs_cg_record *records, int64_t j)
{
    const double before = j > 1 ? records[j - 1].beta / records[j - 1].alpha : 0.0;
    return 1.0 / records[j].alpha + before;
}

static double left_squared(const struct cgs_cg_record *records, int64_t j)
{
    return j > 1 ? records[j - 1].beta / (records[j - 1].alpha * records[j - 1].alpha) : 0.0;
}

/* How many eigenvalues of T lie below x: negative pivots of T - x I (Sturm). */
static int64_t below(const struct cgs_cg_record *records, int64_t k, double x)
{
    int64_t count = 0;
    double pivot = 1.0;
    for (int64_t j = 1; j <= k; j++) {
        pivot = diagonal(records, j) - x - left_squared(records, j) / pivot;
        if (fabs(pivot) < 1e-300)
            pivot = -1e-300;
        count += pivot < 0.0;
    }
    return count;
}

/* The smallest x in (low, high] with at least `wanted` eigenvalues below it, to 1e-6 relative. */
static double bisect(const struct cgs_cg_record *records, int64_t k, double low, double high,
                     int64_t wanted)
{
    for (int step = 0; step < 100 && high - low > 1e-7 * high; step++) {
        const double middle = low > 0.0 && high > 4.0 * low ? sqrt(low * high) : 0.5 * (low + high);
        if (below(records, k, middle) >= wanted)
            high = middle;
        else
            low = middle;
    }
    return 0.5 * (low + high);
}

void cgs_lanczos_extremes(const struct cgs_cg_record *records, int64_t k, double *lambda_min,
                          double *lambda_max)
{
    double bound = 0.0; /* Gershgorin */
    *lambda_min = *lambda_max = 0.0;
    if (k < 1)
        return;
    for (int64_t j = 1; j <= k; j++) {
        const double right = j < k ? sqrt(left_squared(records, j + 1)) : 0.0;
        bound = fmax(bound, diagonal(records, j) + sqrt(left_squared(records, j)) + right);
    }
    if (!(bound > 0.0) || !isfinite(bound))
        return;
    bound *= 1.0 + 1e-9;
    *lambda_max = bisect(records, k, 0.0, bound, k);
    *lambda_min = bisect(records, k, 1e-20 * bound, bound, 1);
}

double cgs_lanczos_least_quotient(const struct cgs_cg_record *records, int64_t k, double *growth)
{
    double least = INFINITY, g = 1.0;
    for (int64_t j = 1; j <= k; j++) {
        least = fmin(least, 1.0 / (records[j].alpha * g)); /* NaN is passed over */
        g = 1.0 + records[j].beta * g;
    }
    *growth = g;
    return least;
}
