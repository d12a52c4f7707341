/* Gaps between the entries of a row of Bernoulli trials are geometrically distributed: with u
 * uniform in (0, 1] the next entry is floor(log u / log(1 - p)) columns further (L. Devroye,
 * Non-Uniform Random Variate Generation, 1986, X.2). So the cost of a row is its number of entries,
 * in ascending order. Two passes use the same random numbers: one counts, one writes. */
#include "matrix/random.h"

#include <math.h>

#include "base/memory.h"
#include "base/random.h"

static const uint64_t SEED = UINT64_C(0x6367736f6c7665);

struct law {
    int64_t n;
    double density;
    bool powerlaw;
    double least, most; /* of the Pareto distribution */
};

/* Uniform in (0, 1]. */
static double unit(uint64_t i)
{
    return (double)((cgs_splitmix64(i) >> 11) + 1) * 0x1p-53;
}

/* Pareto law of the row lengths. The mean with exponent 2 and minimum l, cut off at m, is l (1 +
 * log(m / l)); it grows with l, so that bisection finds l for the wanted mean. */
static struct law law_of(int64_t n, double density, bool powerlaw)
{
    const double mean = density * (double)n;
    double low = 0.0, high = fmin((double)n, fmax(0.1 * (double)n, 8.0 * mean));
    struct law law = {.n = n, .density = density, .powerlaw = powerlaw, .most = high};
    for (int i = 0; i < 200; i++) {
        const double middle = 0.5 * (low + high);
        if (middle * (1.0 + log(law.most / middle)) < mean)
            low = middle;
        else
            high = middle;
    }
    law.least = high;
    return law;
}

/* Generates the entries of row i; columns and values NULL: only counts them. */
static int64_t generate_row(const struct law *law, int64_t i, int32_t *columns, double *values)
{
    const uint64_t stream = cgs_splitmix64(SEED ^ (uint64_t)i);
    const double n = (double)law->n;
    const double p = law->powerlaw ? fmin(law->least / unit(~stream), law->most) / n : law->density;
    const double scale = 1.0 / log1p(-fmin(p, 1.0)); /* -0 where p = 1: every column */
    int64_t count = 0;
    for (double column = -1.0;; count++) {
        column += 1.0 + floor(scale * log(unit(stream + 2 * (uint64_t)count)));
        if (!(column < n))
            return count;
        if (columns) {
            columns[count] = (int32_t)column;
            values[count] = cgs_random(stream + 2 * (uint64_t)count + 1);
        }
    }
}

int64_t cgs_random_expected(int64_t n, double density)
{
    const double expected = density * (double)n * (double)n;
    return expected < 9e18 ? (int64_t)expected : INT64_MAX;
}

enum cgs_status cgs_random_create(struct cgs_context *context, int64_t n, double density,
                                  bool powerlaw, struct cgs_crs *crs)
{
    const struct law law = law_of(n, density, powerlaw);
    struct cgs_crs made = {0};
    int64_t *pointers = NULL;
    if (n < 1 || !(density > 0.0 && density <= 1.0))
        return cgs_fail(context, CGS_BUG, "random matrix: n = %lld, density %g", (long long)n,
                        density);
    CGS_TRY(
        cgs_alloc(context, n + 1, sizeof *pointers, "lengths of random rows", (void **)&pointers));
    pointers[0] = 0;
#pragma omp parallel for schedule(dynamic, 1024) num_threads(context->threads)
    for (int64_t i = 0; i < n; i++)
        pointers[i + 1] = generate_row(&law, i, NULL, NULL);
    for (int64_t i = 0; i < n; i++)
        pointers[i + 1] += pointers[i];
    const enum cgs_status status = cgs_crs_alloc(context, n, n, pointers[n], &made);
    if (status == CGS_OK) {
#pragma omp parallel for schedule(dynamic, 1024) num_threads(context->threads)
        for (int64_t i = 0; i < n; i++) {
            made.pointers[i] = pointers[i];
            generate_row(&law, i, made.column + pointers[i], made.value + pointers[i]);
        }
        made.pointers[n] = pointers[n];
        cgs_crs_measure(context, &made);
        *crs = made;
    }
    cgs_free(context, pointers);
    return status;
}
