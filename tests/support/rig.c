#include "tests/support/rig.h"
#include "matrix/layout.h"
#include "matrix/names.h"

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

const struct cgs_kernel_entry *rig_entry(bool (*wanted)(enum cgs_format format), int pair)
{
    int all, left = pair / CGS_PRECISIONS;
    const struct cgs_kernel_entry *entries = cgs_kernels(&all);
    for (int i = 0; i < all; i++)
        if (entries[i].device == CHECK_DEVICE && wanted(entries[i].format) && left-- == 0)
            return &entries[i];
    return NULL;
}

int rig_pairs(bool (*wanted)(enum cgs_format format))
{
    int pairs = 0;
    while (rig_entry(wanted, pairs))
        pairs += CGS_PRECISIONS;
    return pairs;
}

/* False, with the reason in the log, where the kernel does not take the matrix. */
bool rig_set_up(struct rig *rig, const struct cgs_kernel_entry *entry, enum cgs_precision precision,
                const struct plain *plain, const char *name, int32_t chunk, int32_t sigma)
{
    *rig = (struct rig){.entry = entry,
                        .kernel = entry->tables[precision],
                        .precision = precision,
                        .plain = plain,
                        .source = plain_source(plain)};
    snprintf(rig->words, sizeof rig->words, "%s %s %s, C = %d, sigma = %d, matrix %s",
             cgs_device_name(entry->device), entry->name, cgs_precision_name(precision), (int)chunk,
             (int)sigma, name);
    must(cgs_matrix_create(&bed.context, &rig->source, entry->format, chunk, sigma, &rig->matrix));
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
static void *rig_x(const struct rig *rig, const double *x)
{
    double *guarded = must_have((size_t)rig->domain.size * sizeof *guarded);
    for (int64_t i = 0; i < rig->domain.size; i++)
        guarded[i] = i < rig->plain->columns ? x[i] : NAN;
    void *vector = bed_vector(&rig->domain, guarded);
    free(guarded);
    return vector;
}

/* y without its guard, which must still be NaN. */
static double *rig_y(const struct rig *rig, const void *vector)
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
static void rig_check_dot(const struct rig *rig, enum plain_numbers numbers, const double *x,
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

static bool same_bits(const double *a, const double *b, int64_t n)
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

/* apply_dot, where there is one, and apply, twice each; on the CPU by 2 and 1 threads, and the
 * former (apply without it) by 3 and 2 again. */
static void check_products(const struct rig *rig, enum plain_numbers numbers)
{
    static const int threads[] = {2, 1, 3, 2};
    const bool host = rig->entry->device == CGS_CPU;
    const bool square = rig->plain->rows == rig->plain->columns;
    const bool dots = rig->kernel->steps.apply_dot && square;
    double *x = must_have((size_t)rig->plain->columns * sizeof *x);
    plain_vector(rig->plain->columns, numbers, cgs_precision_real(rig->precision), 99, x);
    for (int fused = 0; fused < (dots ? 2 : 1); fused++) {
        const size_t runs = host && fused == dots ? sizeof threads / sizeof *threads : 2;
        double *first = NULL, first_dot = 0.0;
        for (size_t t = 0; t < runs; t++) {
            double dot;
            double *y = rig_product(rig, x, threads[t], fused, &dot);
            if (!first) {
                rig_check_product(rig, numbers, x, y);
                if (fused)
                    rig_check_dot(rig, numbers, x, y, dot);
                first = y;
                first_dot = dot;
                continue;
            }
            if (rig->kernel->reproducible)
                ck_assert_msg(same_bits(first, y, rig->plain->rows) &&
                                  (!fused || same_bits(&first_dot, &dot, 1)),
                              "%s: other bits by %d threads", rig->words, threads[t]);
            else
                rig_check_product(rig, numbers, x, y);
            free(y);
        }
        free(first);
    }
    free(x);
}

/* Once there is a reason to stop, steps leave y and the sums alone; only a vendor's product, which
 * can't look at the state, may still write y (kernels/kernel.h). */
static void check_stopped(const struct rig *rig)
{
    double *x = must_have((size_t)rig->plain->columns * sizeof *x);
    void *vector_x = rig_x(rig, x), *vector_y = bed_vector(&rig->range, NULL);
    struct cgs_cg_state *state = bed_state(&rig->range, 1);
    bed_reason(&rig->range, state, CGS_STOPPED);
    must(rig->kernel->steps.apply(rig->self, bed.queue, state, vector_x, vector_y));
    if (rig->kernel->steps.apply_dot && rig->plain->rows == rig->plain->columns)
        must(rig->kernel->steps.apply_dot(rig->self, bed.queue, state, vector_x, vector_y,
                                          CGS_SUM_PQ));
    must(rig->range.ops->wait(bed.queue));
    ck_assert(isnan(bed_look(&rig->range, state).sums[CGS_SUM_PQ]));
    double *y = rig_y(rig, vector_y);
    for (int64_t i = 0; i < rig->plain->rows; i++)
        if (!isnan(y[i]) && rig->kernel->steps.apply_dot)
            ck_abort_msg("%s: wrote row %lld after the end", rig->words, (long long)i);
    free(y);
    free(x);
    rig->range.ops->state_free(&rig->range, state);
    rig->domain.ops->free(&rig->domain, vector_x);
    rig->range.ops->free(&rig->range, vector_y);
}

/* The bytes that the plan names are those that prepare takes, where they are counted (the host). */
static void check_figures(const struct rig *rig)
{
    const int64_t value = cgs_number_bytes(cgs_precision_value(rig->precision));
    const struct cgs_traffic traffic = rig->kernel->traffic(&rig->matrix);
    /* CRS whose figures are known after prepare has an index for each block, 3 x 3 at most. */
    const bool blocks = rig->entry->format == CGS_CRS && rig->kernel->steps.moved;
    const int64_t indices = (int64_t)sizeof(int32_t) * rig->matrix.stored / (blocks ? 9 : 1);
    ck_assert_int_eq(traffic.operations, 2 * rig->matrix.nonzeros);
    const struct cgs_traffic moved =
        rig->kernel->steps.moved ? rig->kernel->steps.moved(rig->self) : traffic;
    ck_assert_int_eq(moved.operations, 2 * rig->matrix.nonzeros);
    ck_assert_int_eq(moved.vectors, traffic.vectors);
    ck_assert(0 <= moved.padding && moved.padding <= moved.matrix);
    ck_assert_int_ge(traffic.matrix, rig->matrix.stored * value + indices);
    ck_assert_int_ge(traffic.padding, (rig->matrix.stored - rig->matrix.nonzeros) * (value + 4));
    ck_assert_int_le(traffic.padding, traffic.matrix);
    ck_assert_int_eq(traffic.vectors, (rig->plain->rows + rig->plain->columns) *
                                          cgs_number_bytes(cgs_precision_real(rig->precision)));
    struct cgs_plan plan = {0};
    rig->kernel->plan(&rig->matrix, &plan);
    const int64_t planned = plan.total[bed.backend->place];
    ck_assert_int_ge(planned, rig->matrix.stored * value + indices);
    if (bed.backend->place != CGS_HOST)
        return;
    const int64_t before = bed.context.host_bytes;
    void *self = NULL;
    must(rig->kernel->prepare(bed.queue, &rig->matrix, &self));
    const int64_t taken = bed.context.host_bytes - before;
    /* A vendor's library's own memory is not counted; the savings of compression are not known. */
    const bool at_most = rig->kernel->reference || rig->kernel->steps.moved;
    ck_assert_msg((taken >= planned || at_most) && taken <= planned + 4096,
                  "%s: %lld planned, %lld taken", rig->words, (long long)planned, (long long)taken);
    rig->kernel->steps.release(self);
}

void rig_check_all(struct rig *rig, enum plain_numbers numbers)
{
    const size_t used = strlen(rig->words);
    if (!rig->kernel->variant)
        check_products(rig, numbers);
    for (int v = 0; rig->kernel->variant && rig->kernel->variant(v); v++) {
        snprintf(rig->words + used, sizeof rig->words - used, ", %s", rig->kernel->variant(v));
        rig->kernel->use_variant(rig->self, v);
        check_products(rig, numbers);
    }
    check_stopped(rig);
    check_figures(rig);
}
