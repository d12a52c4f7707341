/* The inverse of a small symmetric positive definite matrix, by CHOLMOD (Y. Chen, T. A. Davis, W.
 * W. Hager, S. Rajamanickam, ACM TOMS 35 (2008) 22): A = L L', then A X = I, a block of columns at
 * a time.
 *
 * Simplicial, rows in natural order: without a BLAS, whose threads would change bits, and so that a
 * nonpositive pivot gives its row. Blocks are divided among the threads; a column does not depend
 * on the thread that solves it. For i and j the entry below the diagonal is used. */
#include "matrix/dense.h"

#include <cholmod.h>
#include <math.h>

#include "base/memory.h"
#include "matrix/crs.h"

enum { BLOCK = 16 }; /* columns solved at once */

static void start(cholmod_common *common)
{
    cholmod_start(common);
    common->print = 0;
    common->supernodal = CHOLMOD_SIMPLICIAL;
    common->final_ll = 1;
    common->nmethods = 1;
    common->method[0].ordering = CHOLMOD_NATURAL;
    common->postorder = 0;
}

static enum cgs_status too_big(struct cgs_context *context)
{
    return cgs_fail(context, CGS_MEMORY, "no memory for a factor of the coarsest grid's matrix");
}

/* ---- parts on which constants solve A x = 0 ---- */

/* part[i]: the part of row i, named by its first row, -1 if constants do not solve A x = 0
 * there. */
struct parts {
    int32_t *part;
    int32_t *count;          /* rows of a part, at its first row */
    double *trace, *of_part; /* likewise; of_part: a sum */
};

static enum cgs_status alloc_parts(struct cgs_context *context, int64_t n, struct parts *parts)
{
    *parts = (struct parts){0};
    CGS_TRY(cgs_alloc(context, 2 * n, sizeof *parts->trace, "parts", (void **)&parts->trace));
    enum cgs_status status =
        cgs_alloc(context, 2 * n, sizeof *parts->part, "parts", (void **)&parts->part);
    if (status != CGS_OK)
        cgs_free(context, parts->trace);
    parts->count = status == CGS_OK ? parts->part + n : NULL;
    parts->of_part = parts->trace + n;
    return status;
}

static int32_t first_of(int32_t *part, int32_t i)
{
    while (part[i] != i)
        i = part[i] = part[part[i]];
    return i;
}

/* Finds the parts: rows that entries other than 0 join. One stays where each of its rows adds up to
 * 0 within rounding. */
static void find_parts(const struct cgs_crs *crs, struct parts *parts)
{
    static const double NOTHING = 1e-12; /* of the sum of magnitudes */
    const int32_t n = (int32_t)crs->rows;
    int32_t *part = parts->part;
    for (int32_t i = 0; i < n; i++)
        part[i] = i;
    for (int32_t i = 0; i < n; i++)
        for (int64_t e = crs->pointers[i]; e < crs->pointers[i + 1]; e++) {
            if (crs->value[e] == 0.0)
                continue;
            const int32_t a = first_of(part, i), b = first_of(part, crs->column[e]);
            part[a < b ? b : a] = a < b ? a : b;
        }
    for (int32_t i = 0; i < n; i++)
        part[i] = first_of(part, i);
    for (int32_t i = 0; i < n; i++) {
        double sum = 0.0, size = 0.0;
        for (int64_t e = crs->pointers[i]; e < crs->pointers[i + 1]; e++) {
            sum += crs->value[e];
            size += fabs(crs->value[e]);
        }
        parts->count[i] = 0;
        parts->trace[i] = parts->of_part[i] = 0.0;
        if (fabs(sum) > NOTHING * size)
            parts->of_part[part[i]] = -1.0;
    }
    for (int32_t i = 0; i < n; i++)
        if (parts->of_part[part[i]] < 0.0)
            part[i] = -1;
        else
            parts->count[part[i]]++;
}

/* Passes the lower triangle by rows as the upper one by columns, as CHOLMOD expects. parts NULL: A
 * is regular; else a part's first row gets the part's trace on its diagonal. */
static enum cgs_status convert(struct cgs_context *context, const struct cgs_crs *crs,
                               const struct parts *parts, cholmod_common *common,
                               cholmod_sparse **upper)
{
    const size_t n = (size_t)crs->rows;
    cholmod_sparse *made = cholmod_allocate_sparse(n, n, (size_t)crs->pointers[n] + (parts ? n : 0),
                                                   1, 1, 1, CHOLMOD_REAL, common);
    if (!made)
        return too_big(context);
    int *pointers = made->p, *rows = made->i, count = 0;
    double *values = made->x;
    for (int64_t j = 0; j < crs->rows; j++) {
        const int32_t part = parts ? parts->part[j] : -1;
        pointers[j] = count;
        for (int64_t e = crs->pointers[j]; e < crs->pointers[j + 1] && crs->column[e] <= j; e++) {
            rows[count] = crs->column[e];
            if (part >= 0 && crs->column[e] == j)
                parts->trace[part] += crs->value[e];
            values[count++] = crs->value[e];
        }
        if (part == j && (count == pointers[j] || rows[count - 1] != j)) { /* a row of zeros */
            rows[count] = (int)j;
            values[count++] = 0.0;
        }
    }
    pointers[n] = count;
    for (int64_t j = 0; j < crs->rows && parts; j++)
        if (!(parts->trace[j] > 0.0)) /* a row of zeros: any number will do */
            parts->trace[j] = 1.0;
    for (int64_t j = 0; j < crs->rows && parts; j++)
        if (parts->part[j] == j)
            values[pointers[j + 1] - 1] += parts->trace[j];
    *upper = made;
    return CGS_OK;
}

static enum cgs_status factorise(struct cgs_context *context, cholmod_sparse *upper,
                                 cholmod_common *common, cholmod_factor **factor)
{
    cholmod_factor *made = cholmod_analyze(upper, common);
    if (made && cholmod_factorize(upper, made, common) && common->status == CHOLMOD_OK) {
        *factor = made;
        return CGS_OK;
    }
    const int64_t row = made ? (int64_t)made->minor : 0;
    const int status = common->status;
    cholmod_free_factor(&made, common);
    if (status != CHOLMOD_NOT_POSDEF)
        return too_big(context);
    return cgs_fail(context, CGS_BREAKDOWN,
                    "the matrix of the coarsest grid is not positive definite (row %lld, counting "
                    "from 1)",
                    (long long)row + 1);
}

/* Solves for columns first ... last - 1 of the inverse; *done = false: out of memory. */
static void solve(cholmod_factor *factor, int64_t first, int64_t last, double *inverse, bool *done)
{
    const int64_t n = (int64_t)factor->n, count = last - first;
    cholmod_common common;
    start(&common);
    cholmod_dense *x = NULL;
    cholmod_dense *b = cholmod_zeros((size_t)n, (size_t)count, CHOLMOD_REAL, &common);
    if (b) {
        for (int64_t j = 0; j < count; j++)
            ((double *)b->x)[j * n + first + j] = 1.0;
        x = cholmod_solve(CHOLMOD_A, factor, b, &common);
    }
    *done = x != NULL;
    for (int64_t i = 0; x && i < count * n; i++)
        inverse[first * n + i] = ((const double *)x->x)[i];
    cholmod_free_dense(&x, &common);
    cholmod_free_dense(&b, &common);
    cholmod_finish(&common);
}

/* Makes the matrix symmetric by its lower triangle. */
static void mirror(int64_t n, double *b)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++)
            b[j * n + i] = b[i * n + j];
}

/* Takes each part's mean off n numbers that are `stride` apart. */
static void take_means_off(int64_t n, int64_t stride, const struct parts *parts, double *b)
{
    for (int64_t i = 0; i < n; i++)
        parts->of_part[i] = 0.0;
    for (int64_t i = 0; i < n; i++)
        if (parts->part[i] >= 0)
            parts->of_part[parts->part[i]] += b[i * stride];
    for (int64_t i = 0; i < n; i++)
        if (parts->part[i] >= 0)
            b[i * stride] -= parts->of_part[parts->part[i]] / parts->count[parts->part[i]];
}

/* Replaces a symmetric B by P B P, P = I - 1 1'/n on each part of n rows. */
static void project(int64_t n, const struct parts *parts, double *b)
{
    for (int64_t i = 0; i < n; i++)
        take_means_off(n, 1, parts, b + i * n);
    for (int64_t j = 0; j < n; j++)
        take_means_off(n, n, parts, b + j);
    mirror(n, b);
}

static void add_constants(int64_t n, const struct parts *parts, double *b)
{
    const int32_t *part = parts->part;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            if (part[i] >= 0 && part[i] == part[j])
                b[i * n + j] += 1.0 / parts->trace[part[i]];
}

static enum cgs_status invert(struct cgs_context *context, cholmod_factor *factor, double *inverse)
{
    const int64_t n = (int64_t)factor->n;
    bool all = true;
#pragma omp parallel for schedule(dynamic) num_threads(context->threads) reduction(&& : all)
    for (int64_t first = 0; first < n; first += BLOCK) {
        bool done;
        solve(factor, first, first + BLOCK < n ? first + BLOCK : n, inverse, &done);
        all = all && done;
    }
    if (!all)
        return too_big(context);
    mirror(n, inverse);
    return CGS_OK;
}

void cgs_dense_plan(struct cgs_plan *plan, int64_t n, int threads)
{
    const int64_t blocks = (n + BLOCK - 1) / BLOCK;
    const int64_t at_once = blocks < threads ? blocks : threads;
    cgs_plan_add(plan, CGS_HOST, "inverse", n * n, sizeof(double));
    cgs_plan_add(plan, CGS_HOST, "factor", n * (n + 1) / 2, sizeof(int) + sizeof(double));
    cgs_plan_add(plan, CGS_HOST, "parts", 2 * n, sizeof(double) + sizeof(int32_t));
    cgs_plan_add(plan, CGS_HOST, "b, x, x in order", 3 * at_once * BLOCK * n, sizeof(double));
}

/* Measured on x86-64, 1 to 64 threads: CHOLMOD 3.0 (Debian 12, Ubuntu 22.04) and 5.3 (Debian
 * 13), whose code is twice as large and has every kernel once more for single precision. */
int64_t cgs_dense_library_bytes(void)
{
    return (CHOLMOD_MAIN_VERSION < 4 ? 384 : 800) << 10;
}

enum cgs_status cgs_dense_inverse(struct cgs_context *context, const struct cgs_row_source *source,
                                  enum cgs_dense_kind kind, double *inverse)
{
    struct cgs_crs crs;
    struct parts parts = {0};
    const bool singular = kind != CGS_DENSE_REGULAR;
    cholmod_common common;
    cholmod_sparse *upper = NULL;
    cholmod_factor *factor = NULL;
    CGS_TRY(cgs_crs_generate(context, source, &crs));
    start(&common);
    enum cgs_status status = singular ? alloc_parts(context, crs.rows, &parts) : CGS_OK;
    if (status == CGS_OK && singular)
        find_parts(&crs, &parts);
    if (status == CGS_OK)
        status = convert(context, &crs, singular ? &parts : NULL, &common, &upper);
    cgs_crs_release(context, &crs);
    if (status == CGS_OK)
        status = factorise(context, upper, &common, &factor);
    if (status == CGS_OK)
        status = invert(context, factor, inverse);
    if (status == CGS_OK && singular)
        project((int64_t)factor->n, &parts, inverse);
    if (status == CGS_OK && kind == CGS_DENSE_DEFINITE)
        add_constants((int64_t)factor->n, &parts, inverse);
    cgs_free(context, parts.part);
    cgs_free(context, parts.trace);
    cholmod_free_factor(&factor, &common);
    cholmod_free_sparse(&upper, &common);
    cholmod_finish(&common);
    return status;
}
