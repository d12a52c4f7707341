/* The inverse of a small symmetric positive definite matrix, by CHOLMOD (Y. Chen, T. A. Davis, W. W. Hager,
 * S. Rajamanickam, ACM TOMS 35 (2008) 22): A = L L', then A X = I, a block of columns at a time.
 *
 * Simplicial, rows in natural order: without a BLAS, whose threads would change bits, and so that a
 * nonpositive pivot gives its row. Blocks are divided among the threads; a column does not depend
 * on the thread that solves it. For i and j the entry below the diagonal is used.
 */
#include "matrix/dense.h"

#include <cholmod.h>

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

/* Passes the lower triangle by rows as the upper one by columns, as CHOLMOD expects. */
static enum cgs_status convert(struct cgs_context *context, const struct cgs_crs *crs,
                               bool singular, cholmod_common *common, cholmod_sparse **upper)
{
    const size_t n = (size_t)crs->rows;
    cholmod_sparse *made =
        cholmod_allocate_sparse(n, n, (size_t)crs->pointers[n], 1, 1, 1, CHOLMOD_REAL, common);
    if (!made)
        return too_big(context);
    int *pointers = made->p, *rows = made->i, count = 0;
    double *values = made->x, trace = 0.0;
    for (int64_t j = 0; j < crs->rows; j++) {
        pointers[j] = count;
        for (int64_t e = crs->pointers[j]; e < crs->pointers[j + 1] && crs->column[e] <= j; e++) {
            rows[count] = crs->column[e];
            trace += crs->column[e] == j ? crs->value[e] : 0.0;
            values[count++] = crs->value[e];
        }
    }
    if (singular)
        values[0] += trace; /* the first row has its diagonal alone */
    pointers[n] = count;
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

/* Takes the mean off n numbers that are `stride` apart. */
static void take_mean_off(int64_t n, int64_t stride, double *b)
{
    double sum = 0.0;
    for (int64_t i = 0; i < n; i++)
        sum += b[i * stride];
    for (int64_t i = 0; i < n; i++)
        b[i * stride] -= sum / (double)n;
}

/* Replaces a symmetric B by P B P, P = I - 1 1'/n. */
static void project(int64_t n, double *b)
{
    for (int64_t i = 0; i < n; i++)
        take_mean_off(n, 1, b + i * n);
    for (int64_t j = 0; j < n; j++)
        take_mean_off(n, n, b + j);
    mirror(n, b);
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
    cgs_plan_add(plan, CGS_HOST, "b, x, x in order", 3 * at_once * BLOCK * n, sizeof(double));
}

/* Measured on x86-64, 1 to 64 threads: CHOLMOD 3.0 (Debian 12, Ubuntu 22.04) and 5.3 (Debian 13), whose code is twice as
 * large and has every kernel once more for single precision. */
int64_t cgs_dense_library_bytes(void)
{
    return (CHOLMOD_MAIN_VERSION < 4 ? 384 : 800) << 10;
}

enum cgs_status cgs_dense_inverse(struct cgs_context *context, const struct cgs_row_source *source,
                                  bool singular, double *inverse)
{
    struct cgs_crs crs;
    cholmod_common common;
    cholmod_sparse *upper = NULL;
    cholmod_factor *factor = NULL;
    CGS_TRY(cgs_crs_generate(context, source, &crs));
    start(&common);
    enum cgs_status status = convert(context, &crs, singular, &common, &upper);
    cgs_crs_release(context, &crs);
    if (status == CGS_OK)
        status = factorise(context, upper, &common, &factor);
    if (status == CGS_OK)
        status = invert(context, factor, inverse);
    if (status == CGS_OK && singular)
        project((int64_t)factor->n, inverse);
    cholmod_free_factor(&factor, &common);
    cholmod_free_sparse(&upper, &common);
    cholmod_finish(&common);
    return status;
}
