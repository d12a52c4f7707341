#include "tests/rig.h"

#include <check.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 64 };

static void layouts_of(const struct rig *rig, struct cgs_layout *domain, struct cgs_layout *range)
{
    *domain = (struct cgs_layout){.size = rig->matrix.columns + rig->guard};
    *range = (struct cgs_layout){.size = rig->matrix.rows + rig->guard};
    if (rig->kernel->layout)
        rig->kernel->layout(&rig->matrix, domain, range);
}

/* False, with the reason in the log, where the kernel does not take the matrix. */
bool rig_set_up(struct rig *rig, const struct cgs_kernel_entry *entry, enum cgs_precision precision,
                const struct plain *plain, const char *name, int32_t chunk)
{
    *rig = (struct rig){.entry = entry,
                        .kernel = entry->tables[precision],
                        .precision = precision,
                        .plain = plain,
                        .source = plain_source(plain)};
    snprintf(rig->words, sizeof rig->words, "%s %s %s, C = %d, matrix %s",
             cgs_device_name(entry->device), entry->name, cgs_precision_name(precision), (int)chunk,
             name);
    must(cgs_matrix_create(&bed.context, &rig->source, entry->format, chunk, 1, &rig->matrix));
    enum cgs_status status = CGS_OK;
    if (rig->kernel->accepts)
        status = rig->kernel->accepts(&bed.context, &rig->matrix);
    if (status != CGS_OK) {
        printf("skipped: %s: %s\n", rig->words, bed.context.message);
        bed_forgive();
        cgs_matrix_release(&bed.context, &rig->matrix);
        return false;
    }
    must(rig->kernel->prepare(bed.queue, &rig->matrix, &rig->self));
    rig->guard = rig->kernel->layout ? 0 : GUARD;
    const enum cgs_number real = cgs_precision_real(precision);
    struct cgs_layout domain, range;
    layouts_of(rig, &domain, &range);
    must(bed.backend->spaces[real]->create(bed.queue, &domain, &rig->domain));
    must(bed.backend->spaces[real]->create(bed.queue, &range, &rig->range));
    return true;
}

void rig_take_down(struct rig *rig)
{
    rig->kernel->steps.release(rig->self);
    cgs_matrix_release(&bed.context, &rig->matrix);
}

/* x with NaN behind it, in the domain. */
void *rig_x(const struct rig *rig, const double *x)
{
    double *guarded = must_have((size_t)rig->domain.size * sizeof *guarded);
    for (int64_t i = 0; i < rig->domain.size; i++)
        guarded[i] = i < rig->plain->columns ? x[i] : NAN;
    void *vector = bed_vector(&rig->domain, guarded);
    free(guarded);
    return vector;
}

/* y without its guard, which must still be NaN. */
double *rig_y(const struct rig *rig, const void *vector)
{
    double *y = must_have((size_t)rig->range.size * sizeof *y);
    bed_get(&rig->range, vector, y);
    for (int64_t i = rig->plain->rows; i < rig->range.size; i++)
        if (!isnan(y[i]))
            ck_abort_msg("%s: wrote %g at %lld of %lld rows", rig->words, y[i], (long long)i,
                         (long long)rig->plain->rows);
    return y;
}

void rig_check_product(const struct rig *rig, enum plain_numbers numbers, const double *x,
                       const double *y)
{
    const int64_t rows = rig->plain->rows;
    const double eps =
        cgs_precision_real(rig->precision) == CGS_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
    long double *right = must_have((size_t)rows * sizeof *right);
    long double *bound = must_have((size_t)rows * sizeof *bound);
    plain_multiply(rig->plain, cgs_precision_value(rig->precision), x, right, bound);
    for (int64_t i = 0; i < rows; i++) {
        const double k = (double)(rig->plain->start[i + 1] - rig->plain->start[i]);
        const long double allowed = numbers == PLAIN_INTEGERS ? 0 : (k + 2) * eps * bound[i];
        if (!(fabsl((long double)y[i] - right[i]) <= allowed))
            ck_abort_msg("%s: row %lld of %g entries: %.17g, should be %.17Lg within %.3Lg",
                         rig->words, (long long)i, k, y[i], right[i], allowed);
    }
    free(right);
    free(bound);
}

/* x'y as the kernel sums it, against its own y. */
void rig_check_dot(const struct rig *rig, enum plain_numbers numbers, const double *x,
                   const double *y, double dot)
{
    long double right = 0.0L, bound = 0.0L;
    for (int64_t i = 0; i < rig->plain->rows; i++) {
        right += (long double)x[i] * y[i];
        bound += fabsl((long double)x[i] * y[i]);
    }
    const double n = (double)rig->plain->rows;
    const long double allowed = numbers == PLAIN_INTEGERS ? 0 : (n + 2) * DBL_EPSILON * bound;
    ck_assert_msg(fabsl((long double)dot - right) <= allowed,
                  "%s: x'y = %.17g, should be %.17Lg within %.3Lg", rig->words, dot, right,
                  allowed);
}

bool same_bits(const double *a, const double *b, int64_t n)
{
    return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

/* y = A x into a poisoned vector, by a number of threads; x must come out as it went in. */
double *rig_product(const struct rig *rig, const double *x, int threads, bool fused, double *dot)
{
    void *vector_x = rig_x(rig, x), *vector_y = bed_vector(&rig->range, NULL);
    struct cgs_cg_state *state = bed_state(&rig->range, 1);
    bed.context.threads = threads;
    if (fused)
        must(rig->kernel->steps.apply_dot(rig->self, bed.queue, state, vector_x, vector_y,
                                          CGS_SUM_PQ));
    else
        must(rig->kernel->steps.apply(rig->self, bed.queue, NULL, vector_x, vector_y));
    must(rig->range.ops->wait(bed.queue));
    bed.context.threads = 2;
    const struct cgs_cg_state seen = bed_look(&rig->range, state);
    *dot = seen.sums[CGS_SUM_PQ];
    ck_assert(isnan(seen.sums[CGS_SUM_RR]) && isnan(seen.sums[CGS_SUM_SCRATCH]));
    double *y = rig_y(rig, vector_y);
    double *after = must_have((size_t)rig->domain.size * sizeof *after);
    bed_get(&rig->domain, vector_x, after);
    ck_assert_msg(same_bits(x, after, rig->plain->columns), "%s: x changed", rig->words);
    free(after);
    rig->range.ops->state_free(&rig->range, state);
    rig->domain.ops->free(&rig->domain, vector_x);
    rig->range.ops->free(&rig->range, vector_y);
    return y;
}
