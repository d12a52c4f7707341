#include "kernels/plugin/functional.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"

static double weight_of(uint64_t seed, int64_t row)
{
    const double random = cgs_random(cgs_splitmix64(seed) + (uint64_t)row);
    return random < 0.0 ? random - 1.0 : random + 1.0;
}

/* Returns the most that |y_i| can be for |x_j| <= 1. */
static double magnitude(const struct cgs_crs *crs, enum cgs_number number, int64_t row)
{
    double sum = 0.0;
    for (int64_t k = crs->pointers[row]; k < crs->pointers[row + 1]; k++)
        sum += fabs(cgs_rounded(number, crs->value[k]));
    return sum;
}

/* Adds w_i times row i to A'w, and to the bound. */
static void add_row(const struct cgs_crs *crs, enum cgs_number number, int64_t row,
                    struct cgs_functional *f)
{
    const double eps = number == CGS_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
    const double tiny = number == CGS_F32 ? 0x1p-149 : 0x1p-1074;
    const double w = f->weight[row], n = (double)(crs->pointers[row + 1] - crs->pointers[row]);
    f->slack += fabs(w) * (n + 1.0) * tiny;
    for (int64_t k = crs->pointers[row]; k < crs->pointers[row + 1]; k++) {
        const double a = cgs_rounded(number, crs->value[k]);
        f->image[crs->column[k]] += (long double)w * (long double)a;
        f->slope[crs->column[k]] += (n + 3.0) * eps * fabs(w * a);
    }
}

enum cgs_status cgs_functional_create(struct cgs_context *context, const struct cgs_crs *crs,
                                      enum cgs_number number, uint64_t seed,
                                      struct cgs_functional *functional)
{
    static const char what[] = "verification of products";
    const double most = number == CGS_F32 ? (double)FLT_MAX : DBL_MAX;
    struct cgs_functional f = {.rows = crs->rows, .columns = crs->columns};
    enum cgs_status status = cgs_alloc(context, f.rows, sizeof *f.weight, what, (void **)&f.weight);
    if (status == CGS_OK)
        status = cgs_alloc(context, f.columns, sizeof *f.image, what, (void **)&f.image);
    if (status == CGS_OK)
        status = cgs_alloc(context, f.columns, sizeof *f.slope, what, (void **)&f.slope);
    if (status != CGS_OK) {
        cgs_functional_release(context, &f);
        return status;
    }
    memset(f.image, 0, (size_t)f.columns * sizeof *f.image);
    memset(f.slope, 0, (size_t)f.columns * sizeof *f.slope);
    for (int64_t i = 0; i < f.rows; i++) {
        f.weight[i] = magnitude(crs, number, i) <= 0.25 * most ? weight_of(seed, i) : 0.0;
        if (f.weight[i] != 0.0)
            add_row(crs, number, i, &f);
    }
    *functional = f;
    return CGS_OK;
}

void cgs_functional_release(struct cgs_context *context, struct cgs_functional *functional)
{
    cgs_free(context, functional->weight);
    cgs_free(context, functional->image);
    cgs_free(context, functional->slope);
    *functional = (struct cgs_functional){0};
}

bool cgs_functional_agrees(const struct cgs_functional *functional, int threads, const double *x,
                           const double *y, struct cgs_functional_values *values)
{
    const struct cgs_functional f = *functional;
    long double is = 0.0L, should_be = 0.0L;
    double bound = 0.0;
#pragma omp parallel num_threads(threads)
    {
        /* clang reduces no long double without libatomic */
        long double my_is = 0.0L, my_should_be = 0.0L;
        double my_bound = 0.0;
#pragma omp for schedule(static) nowait
        for (int64_t i = 0; i < f.rows; i++)
            if (f.weight[i] != 0.0)
                my_is += (long double)f.weight[i] * (long double)y[i];
#pragma omp for schedule(static) nowait
        for (int64_t j = 0; j < f.columns; j++) {
            my_should_be += f.image[j] * (long double)x[j];
            my_bound += f.slope[j] * fabs(x[j]);
        }
#pragma omp critical(cgs_functional)
        {
            is += my_is;
            should_be += my_should_be;
            bound += my_bound;
        }
    }
    *values = (struct cgs_functional_values){(double)is, (double)should_be, bound + f.slack};
    return !isfinite(values->bound) ||
           fabsl(is - should_be) <= (long double)values->bound; /* false where y has NaN */
}
