#include "core/autotune/verify.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "core/autotune/diagnose.h"

/* ---- the inputs ---- */

static void random_input(const struct cgs_context *context, enum cgs_number real, uint64_t seed,
                         int64_t n, double *x)
{
#pragma omp parallel for schedule(static) num_threads(context->threads)
    for (int64_t j = 0; j < n; j++)
        x[j] = cgs_rounded(real, cgs_random(cgs_splitmix64(seed) + (uint64_t)j));
}

/* Fills x with +-1, +-2, +-4 at a random share of the places, else 0. For matrices of other numbers
 * than integers, the share leaves about one product a row, and a single product is exact. */
static void whole_input(const struct cgs_context *context, uint64_t seed, double share, int64_t n,
                        double *x)
{
#pragma omp parallel for schedule(static) num_threads(context->threads)
    for (int64_t j = 0; j < n; j++) {
        const uint64_t bits = cgs_splitmix64(cgs_splitmix64(seed) + (uint64_t)j);
        const double power = (double)(1 << (bits >> 1) % 3) * (bits & 1 ? 1.0 : -1.0);
        x[j] = (double)(bits >> 11) * 0x1p-53 < share ? power : 0.0;
    }
}

/* Returns true if the entries of a sample of a few thousand rows are integers. */
static bool is_whole(const struct cgs_crs *crs)
{
    const int64_t step = crs->rows / 4096 + 1;
    for (int64_t i = 0; i < crs->rows; i += step)
        for (int64_t k = crs->pointers[i]; k < crs->pointers[i + 1]; k++)
            if (crs->value[k] != rint(crs->value[k]))
                return false;
    return true;
}

/* ---- the reference results ---- */

/* Returns the exponent of the lowest set bit; value is finite and not 0. */
static int lowest_bit(double value)
{
    int exponent;
    const int64_t mantissa = (int64_t)ldexp(frexp(fabs(value), &exponent), 53);
    return exponent - 53 + __builtin_ctzll((unsigned long long)mantissa);
}

static void answer_row(const struct cgs_crs *crs, enum cgs_precision precision, int64_t i,
                       const struct cgs_truth *truth)
{
    const enum cgs_number value = cgs_precision_value(precision);
    const bool single = cgs_precision_real(precision) == CGS_F32;
    const double eps = single ? (double)FLT_EPSILON : DBL_EPSILON;
    const double most = single ? (double)FLT_MAX : DBL_MAX;
    const double tiny = single ? 0x1p-149 : 0x1p-1074;
    const int digits = single ? FLT_MANT_DIG : DBL_MANT_DIG;
    const double n = (double)(crs->pointers[i + 1] - crs->pointers[i]);
    long double sum = 0.0L, all = 0.0L;
    int lowest = 1 << 20;
    for (int64_t k = crs->pointers[i]; k < crs->pointers[i + 1]; k++) {
        const double a = cgs_rounded(value, crs->value[k]), x = truth->x[crs->column[k]];
        if (a == 0.0 || x == 0.0)
            continue;
        sum += (long double)a * (long double)x;
        all += fabsl((long double)a * (long double)x);
        if (isfinite(a)) {
            const int low = lowest_bit(a) + lowest_bit(x);
            lowest = low < lowest ? low : lowest;
        }
    }
    if (!(all <= (long double)most)) {
        truth->exact[i] = 0.0;
        truth->bound[i] = INFINITY;
        return;
    }
    const bool exact =
        all == 0.0L || (all < ldexpl(1.0L, lowest + digits) && lowest >= (single ? -149 : -1074));
    truth->exact[i] = (double)sum;
    truth->bound[i] = exact ? 0.0 : (n + 3.0) * eps * (double)all + (n + 1.0) * tiny;
}

static void answer(const struct cgs_context *context, const struct cgs_crs *crs,
                   enum cgs_precision precision, struct cgs_truth *truth)
{
    int64_t exact_rows = 0;
#pragma omp parallel for schedule(dynamic, 256) reduction(+ : exact_rows)                          \
    num_threads(context->threads)
    for (int64_t i = 0; i < crs->rows; i++) {
        answer_row(crs, precision, i, truth);
        exact_rows += truth->bound[i] == 0.0;
    }
    truth->exact_rows = exact_rows;
}

static enum cgs_status alloc_truth(struct cgs_context *context, const struct cgs_crs *crs,
                                   struct cgs_truth *truth)
{
    CGS_TRY(cgs_alloc(context, crs->columns, sizeof(double), "test vector", (void **)&truth->x));
    CGS_TRY(cgs_alloc(context, crs->rows, sizeof(double), "right answer", (void **)&truth->exact));
    return cgs_alloc(context, crs->rows, sizeof(double), "rounding bounds", (void **)&truth->bound);
}

void cgs_references_plan(struct cgs_plan *plan, int64_t rows, int64_t columns)
{
    cgs_plan_add(plan, CGS_HOST, "test vectors", cgs_bytes(columns, CGS_TESTBED_INPUTS),
                 sizeof(double));
    cgs_plan_add(plan, CGS_HOST, "right answers and bounds",
                 cgs_bytes(rows, 2 * CGS_TESTBED_INPUTS), sizeof(double));
}

enum cgs_status cgs_references_create(struct cgs_context *context, const struct cgs_crs *crs,
                                      enum cgs_precision precision,
                                      struct cgs_references *references)
{
    static const char *const names[CGS_TESTBED_INPUTS] = {
        "random numbers", "other random numbers", "powers of two", "a third set of random numbers"};
    const enum cgs_number real = cgs_precision_real(precision);
    const double mean = (double)crs->pointers[crs->rows] / (double)(crs->rows > 0 ? crs->rows : 1);
    const double share = is_whole(crs) || mean < 1.0 ? 1.0 : 1.0 / mean;
    struct cgs_references made = {
        .count = CGS_TESTBED_INPUTS, .pointers = crs->pointers, .wide = real == CGS_F64};
    for (int t = 0; t < made.count; t++) {
        const enum cgs_status status = alloc_truth(context, crs, &made.items[t]);
        if (status != CGS_OK) {
            cgs_references_release(context, &made);
            return status;
        }
        made.items[t].what = names[t];
        if (t == 2)
            whole_input(context, 2, share, crs->columns, made.items[t].x);
        else
            random_input(context, real, 1 + (uint64_t)t, crs->columns, made.items[t].x);
        answer(context, crs, precision, &made.items[t]);
    }
    *references = made;
    return CGS_OK;
}

enum cgs_status cgs_references_testbed(const struct cgs_references *references,
                                       const struct cgs_crs *crs, const struct cgs_backend *backend,
                                       struct cgs_queue *queue, enum cgs_precision precision,
                                       struct cgs_testbed *testbed)
{
    const double *x[CGS_TESTBED_INPUTS];
    for (int t = 0; t < references->count; t++)
        x[t] = references->items[t].x;
    return cgs_testbed_create(backend, queue, cgs_precision_real(precision), crs->rows,
                              crs->columns, references->count, x, testbed);
}

void cgs_references_release(struct cgs_context *context, struct cgs_references *references)
{
    for (int t = 0; t < CGS_TESTBED_INPUTS; t++) {
        cgs_free(context, references->items[t].x);
        cgs_free(context, references->items[t].exact);
        cgs_free(context, references->items[t].bound);
    }
    *references = (struct cgs_references){0};
}

/* ---- the comparison ---- */

/* Returns true if y is the rounding of the right answer to single precision, or next to it. */
static bool is_narrow(const struct cgs_truth *truth, int64_t i, double y)
{
    return fabs(y - truth->exact[i]) <= (double)FLT_EPSILON * fabs(truth->exact[i]);
}

static double error_of(const struct cgs_references *references, int which, int64_t i, double y)
{
    const struct cgs_truth *truth = &references->items[which];
    if (truth->bound[i] == INFINITY || (references->loose && truth->exact_rows > 0 && isfinite(y)))
        return 0.0;
    const double error = fabs(y - truth->exact[i]);
    if (error == 0.0)
        return 0.0;
    return error / truth->bound[i]; /* NaN if y is, infinite if the row must be exact */
}

/* Returns the factor by which all wrong rows are too large, 0 if there is none. */
static double factor_of(const struct cgs_truth *truth, int64_t rows, const double *y,
                        const bool *wrong)
{
    static const double SAME = 1e-4;
    double factor = 0.0;
    for (int64_t i = 0; i < rows; i++) {
        if (!wrong[i])
            continue;
        if (factor == 0.0 && truth->exact[i] != 0.0)
            factor = y[i] / truth->exact[i];
        if (!(factor != 0.0 && fabs(y[i] - factor * truth->exact[i]) <= SAME * fabs(y[i])))
            return 0.0;
    }
    return fabs(factor - 1.0) > SAME ? factor : 0.0;
}

/* Adds to the reason how many rows are wrong, and what they share. */
static void add_diagnosis(const struct cgs_references *references, int which, int64_t rows,
                          const double *y, struct cgs_judgement *verdict)
{
    static const double WIDER = FLT_EPSILON / DBL_EPSILON;
    const size_t used = strlen(verdict->reason);
    char text[160];
    bool narrow = references->wide, unwritten = true;
    bool *wrong = malloc((size_t)rows * sizeof *wrong);
    if (!wrong)
        return;
    for (int64_t i = 0; i < rows; i++) {
        const double error = error_of(references, which, i, y[i]);
        wrong[i] = !(error <= 1.0);
        verdict->wrong_rows += wrong[i];
        verdict->wrong_sum += wrong[i] && isfinite(y[i]) ? fabs(y[i]) : 0.0;
        narrow = narrow && (error <= WIDER || is_narrow(&references->items[which], i, y[i]));
        unwritten = unwritten && (!wrong[i] || isnan(y[i]));
    }
    cgs_diagnose(&(struct cgs_wrong_rows){rows, wrong, references->pointers, narrow, unwritten,
                                          factor_of(&references->items[which], rows, y, wrong)},
                 text, sizeof text);
    free(wrong);
    snprintf(verdict->reason + used, sizeof verdict->reason - used, "; %s", text);
}

struct cgs_judgement cgs_references_compare(const struct cgs_context *context,
                                            const struct cgs_references *references, int which,
                                            int64_t rows, const double *y, int outside)
{
    const struct cgs_truth *truth = &references->items[which];
    int64_t wrong = INT64_MAX;
    double worst = 0.0;
#pragma omp parallel for schedule(static) reduction(min                                            \
                                                    : wrong) reduction(max                         \
                                                                       : worst)                    \
    num_threads(context->threads)
    for (int64_t i = 0; i < rows; i++) {
        const double error = error_of(references, which, i, y[i]);
        if (!(error <= 1.0) && i < wrong)
            wrong = i;
        worst = !(error <= worst) ? (isnan(error) ? INFINITY : error) : worst;
    }
    struct cgs_judgement verdict = {.right = wrong == INT64_MAX && outside == 0,
                                    .wrong_row = wrong == INT64_MAX ? -1 : wrong,
                                    .worst_error = worst};
    if (wrong != INT64_MAX) {
        snprintf(verdict.reason, sizeof verdict.reason,
                 "row %lld of %lld (counted from 0) is %.17g, should be %.17g within %.2g (%s)",
                 (long long)wrong, (long long)rows, y[wrong], truth->exact[wrong],
                 truth->bound[wrong], truth->what);
        add_diagnosis(references, which, rows, y, &verdict);
    } else if (outside > 0)
        snprintf(verdict.reason, sizeof verdict.reason,
                 "it writes outside y: %d of the %d numbers around its %lld rows have changed",
                 outside, 2 * CGS_GUARD, (long long)rows);
    return verdict;
}

enum cgs_status cgs_look(const struct cgs_testbed *testbed, const struct cgs_references *references,
                         int which, bool wiped, struct cgs_judgement *verdict)
{
    const double *y;
    int outside;
    bool unchanged;
    CGS_TRY(cgs_testbed_look(testbed, wiped, &y, &outside));
    struct cgs_judgement found = cgs_references_compare(testbed->queue->context, references, which,
                                                        testbed->rows, y, outside);
    CGS_TRY(cgs_testbed_unchanged(testbed, which, references->items[which].x, &unchanged));
    if (found.right && !unchanged) {
        found.right = false;
        snprintf(found.reason, sizeof found.reason, "it changes x");
    }
    *verdict = found;
    return CGS_OK;
}

/* A product into poisoned memory, and its verdict. */
static enum cgs_status multiply(const struct cgs_testbed *testbed,
                                const struct cgs_references *references, int which,
                                cgs_product *apply, const void *self, struct cgs_judgement *verdict)
{
    CGS_TRY(cgs_testbed_poison(testbed));
    CGS_TRY(
        apply(self, testbed->queue, NULL, cgs_testbed_x(testbed, which), cgs_testbed_y(testbed)));
    return cgs_look(testbed, references, which, false, verdict);
}

/* Returns true if two products are wrong in the same way, up to rounding. */
static bool is_alike(const struct cgs_judgement *a, const struct cgs_judgement *b)
{
    static const double ROUNDING = 1e-4; /* of single precision, in sums of other orders */
    return a->wrong_rows == b->wrong_rows && a->wrong_row == b->wrong_row &&
           fabs(a->wrong_sum - b->wrong_sum) <= ROUNDING * (a->wrong_sum + b->wrong_sum);
}

/* Does a product that was wrong again. */
static enum cgs_status look_for_race(const struct cgs_testbed *testbed,
                                     const struct cgs_references *references, int which,
                                     cgs_product *apply, const void *self,
                                     struct cgs_judgement *verdict)
{
    enum { AGAIN = 4 };
    const size_t used = strlen(verdict->reason);
    for (int i = 0; i < AGAIN; i++) {
        struct cgs_judgement other;
        CGS_TRY(multiply(testbed, references, which, apply, self, &other));
        if (is_alike(verdict, &other))
            continue;
        snprintf(verdict->reason + used, sizeof verdict->reason - used,
                 "; it differs from run to run (%lld wrong in another): a race?",
                 (long long)other.wrong_rows);
        break;
    }
    return CGS_OK;
}

enum cgs_status cgs_verify(const struct cgs_testbed *testbed,
                           const struct cgs_references *references, cgs_product *apply,
                           const void *self, struct cgs_judgement *verdict)
{
    double worst = 0.0;
    *verdict = (struct cgs_judgement){.right = true, .wrong_row = -1};
    for (int t = 0; t <= references->count && verdict->right; t++) {
        const int which = t % references->count;
        CGS_TRY(multiply(testbed, references, which, apply, self, verdict));
        if (!verdict->right && verdict->wrong_row >= 0)
            CGS_TRY(look_for_race(testbed, references, which, apply, self, verdict));
        worst = fmax(worst, verdict->worst_error);
    }
    verdict->worst_error = worst;
    return CGS_OK;
}
