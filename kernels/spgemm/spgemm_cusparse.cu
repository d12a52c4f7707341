/* C = A B by cuSPARSE (kernels/spgemm.h), for f64 and f32: a kernel for each of its algorithms.
 *
 *     begin   32-bit pointers; products (survey); workEstimation
 *     count   algorithms 2 and 3: estimateMemory; compute; entries of C
 *     fill    copy; 64-bit pointers of C, which the library provides only now
 *     sort    nothing: the library's columns ascend (CUDALibrarySamples, issue 84)
 *
 * "CUSPARSE_SPGEMM_ALG1: ... the required memory is generally several times larger of the actual
 * memory used. Provides better performance"; "ALG2: requires less memory"; "ALG3: computes the
 * intermediate products in chunks"; all three the same bits in each run (cuSPARSE documentation,
 * cusparseSpGEMM). Only 32-bit indices. The size of its buffers is known only once it has seen the
 * matrices: a buffer beyond memory ends in CGS_MEMORY, and the plan has only our own arrays.
 */
#include "base/memory.h"
#include "kernels/device/pool_cuda.cuh"
#include "kernels/spgemm/survey.cuh"
#include "kernels/spmv/vendor/cusparse_number.cuh"

namespace
{

/* Fraction of the products that algorithm 3 does at a time, as in the vendor's example. */
const float CHUNK = 0.2f;

struct work {
    struct cgs_queue *queue;
    const struct cgs_cusparse *library;
    cusparseSpGEMMAlg_t algorithm;
    struct survey *survey;
    int32_t *pointers_a, *pointers_b, *pointers_c; /* 32 bits */
    void *buffers[2];
    cusparseSpMatDescr_t a, b, c;
    cusparseSpGEMMDescr_t product;
    int64_t rows, products;
};

enum cgs_status vendor_accepts(struct cgs_queue *queue, const struct cgs_spgemm_size *size)
{
    const struct cgs_cusparse *library;
    if (size->rows > INT32_MAX || size->a > INT32_MAX || size->b > INT32_MAX)
        return cgs_fail(
            queue->context, CGS_USAGE,
            "cuSPARSE's product of matrices takes 32-bit indices, so at most 2147483647 "
            "rows and entries of each matrix; A has %lld rows and %lld entries, B %lld "
            "entries: use another kernel",
            (long long)size->rows, (long long)size->a, (long long)size->b);
    return cgs_cusparse_use(queue, &library);
}

void vendor_plan(const struct cgs_spgemm_size *size, int, struct cgs_plan *plan)
{
    cgs_plan_add(plan, CGS_DEVICE_MEMORY, "pointers, 32 bits", 2 * size->rows + size->inner + 3,
                 sizeof(int32_t));
}

void vendor_release(void *self)
{
    struct work *work = static_cast<struct work *>(self);
    if (!work)
        return;
    struct cgs_queue *queue = work->queue;
    for (cusparseSpMatDescr_t matrix : {work->a, work->b, work->c})
        if (matrix)
            work->library->destroy_matrix(matrix);
    if (work->product)
        work->library->destroy_spgemm(work->product);
    for (void *buffer : work->buffers)
        cgs_cuda_pool_free(queue, buffer);
    for (int32_t *pointers : {work->pointers_a, work->pointers_b, work->pointers_c})
        cgs_cuda_pool_free(queue, pointers);
    cgs_cuda_pool_free(queue, work->survey);
    cgs_free(queue->context, work);
}

/* Runs a stage of the library: the arguments common to all, then its own. */
template <class Stage, class... Own>
enum cgs_status vendor_stage(const struct work *w, const char *name, Stage stage, Own... own)
{
    const cusparseStatus_t status = stage(w->library->handle, CUSPARSE_OPERATION_NON_TRANSPOSE,
                                          CUSPARSE_OPERATION_NON_TRANSPOSE, &ONE, w->a, w->b, &ZERO,
                                          w->c, REAL, w->algorithm, w->product, own...);
    if (status == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES)
        return cgs_fail(w->queue->context, CGS_MEMORY,
                        "cuSPARSE: %s has not enough room for %lld products (memory, or 32-bit "
                        "counts): use another kernel",
                        name, (long long)w->products);
    return status == CUSPARSE_STATUS_SUCCESS
               ? CGS_OK
               : cgs_cusparse_fail(w->queue->context, w->library, name, status);
}

enum cgs_status vendor_buffer(const struct work *w, size_t bytes, void **buffer)
{
    return cgs_cuda_pool_alloc(w->queue, (int64_t)bytes, 1, "cuSPARSE's buffer for products",
                               buffer);
}

/* ---- begin ---- */

/* Makes the library's descriptor of a matrix whose first entry has number `first`. */
enum cgs_status vendor_describe(struct work *w, const struct cgs_sparse *m, int64_t first,
                                int32_t **pointers, cusparseSpMatDescr_t *matrix)
{
    CGS_TRY(cgs_cuda_pool_alloc(w->queue, m->rows + 1, sizeof **pointers, "pointers, 32 bits",
                                (void **)pointers));
    CGS_TRY(cgs_cusparse_narrow(w->queue, m->rows + 1, m->pointers, *pointers));
    CGS_CUSPARSE_TRY(w->queue->context, w->library,
                     w->library->create_csr(matrix, m->rows, m->columns, m->nonzeros, *pointers,
                                            m->column + first, (real *)m->value + first,
                                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                            CUSPARSE_INDEX_BASE_ZERO, REAL));
    return CGS_OK;
}

enum cgs_status vendor_estimate(struct work *w, const struct cgs_sparse *a,
                                const struct cgs_sparse *b, const struct survey *found)
{
    const struct cgs_cusparse *l = w->library;
    size_t bytes = 0;
    CGS_TRY(vendor_describe(w, a, found->first_a, &w->pointers_a, &w->a));
    CGS_TRY(vendor_describe(w, b, found->first_b, &w->pointers_b, &w->b));
    CGS_TRY(cgs_cuda_pool_alloc(w->queue, a->rows + 1, sizeof *w->pointers_c, "pointers, 32 bits",
                                (void **)&w->pointers_c));
    CGS_CUSPARSE_TRY(w->queue->context, l,
                     l->create_csr(&w->c, a->rows, b->columns, 0, w->pointers_c, nullptr, nullptr,
                                   CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                   REAL));
    CGS_CUSPARSE_TRY(w->queue->context, l, l->create_spgemm(&w->product));
    CGS_TRY(vendor_stage(w, "cusparseSpGEMM_workEstimation", l->spgemm_work, &bytes, nullptr));
    CGS_TRY(vendor_buffer(w, bytes, &w->buffers[0]));
    return vendor_stage(w, "cusparseSpGEMM_workEstimation", l->spgemm_work, &bytes, w->buffers[0]);
}

enum cgs_status vendor_look(struct work *w, const struct cgs_sparse *a, const struct cgs_sparse *b,
                            struct survey *found)
{
    CGS_TRY(cgs_cusparse_use(w->queue, &w->library));
    if (a->nonzeros > 0 && b->nonzeros > 0)
        CGS_TRY(survey_products(w->queue, a, b, &w->survey, found));
    w->products = (int64_t)found->products;
    return w->products > 0 ? vendor_estimate(w, a, b, found) : CGS_OK;
}

template <cusparseSpGEMMAlg_t ALGORITHM>
enum cgs_status vendor_begin(struct cgs_queue *queue, const struct cgs_sparse *a,
                             const struct cgs_sparse *b, void **out, struct cgs_spgemm_size *size)
{
    struct work *work;
    struct survey found = {};
    CGS_TRY(cgs_alloc(queue->context, 1, sizeof *work, "product of matrices", (void **)&work));
    *work = {};
    work->queue = queue;
    work->algorithm = ALGORITHM;
    work->rows = a->rows;
    const enum cgs_status status = vendor_look(work, a, b, &found);
    if (status != CGS_OK) {
        vendor_release(work);
        return status;
    }
    size->products = size->entries = work->products;
    size->longest = (int64_t)found.longest;
    *out = work;
    return CGS_OK;
}

/* ---- count, fill ---- */

/* Size of compute's buffer: from count in algorithms 2 and 3, from compute without a buffer in
 * algorithm 1. */
enum cgs_status vendor_room(struct work *w, size_t *bytes)
{
    const struct cgs_cusparse *l = w->library;
    const char *const name = "cusparseSpGEMM_estimateMemory";
    void *scratch = nullptr;
    size_t estimating = 0;
    if (w->algorithm == CUSPARSE_SPGEMM_ALG1)
        return vendor_stage(w, "cusparseSpGEMM_compute", l->spgemm_compute, bytes, nullptr);
    CGS_TRY(vendor_stage(w, name, l->spgemm_memory, CHUNK, &estimating, nullptr, nullptr));
    CGS_TRY(vendor_buffer(w, estimating, &scratch));
    const enum cgs_status status =
        vendor_stage(w, name, l->spgemm_memory, CHUNK, &estimating, scratch, bytes);
    cgs_cuda_pool_free(w->queue, scratch);
    return status;
}

enum cgs_status vendor_count(void *self, int64_t *pointers, int64_t *entries)
{
    struct work *w = static_cast<struct work *>(self);
    struct cgs_context *context = w->queue->context;
    int64_t rows = 0, columns = 0, found = 0;
    size_t bytes = 0;
    CGS_CUDA_TRY(context, cudaMemsetAsync(pointers, 0, (size_t)(w->rows + 1) * sizeof *pointers,
                                          cgs_cuda_stream(w->queue)));
    if (w->products == 0)
        return *entries = 0, CGS_OK;
    CGS_TRY(vendor_room(w, &bytes));
    CGS_TRY(vendor_buffer(w, bytes, &w->buffers[1]));
    CGS_TRY(vendor_stage(w, "cusparseSpGEMM_compute", w->library->spgemm_compute, &bytes,
                         w->buffers[1]));
    CGS_CUSPARSE_TRY(context, w->library, w->library->get_size(w->c, &rows, &columns, &found));
    if (found > INT32_MAX)
        return cgs_fail(
            context, CGS_USAGE,
            "cuSPARSE's product of matrices has 32-bit pointers, this one %lld entries: "
            "use another kernel",
            (long long)found);
    *entries = found;
    return CGS_OK;
}

__global__ void widen(int64_t n, const int32_t *from, int64_t *to)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = from[i];
}

enum cgs_status vendor_fill(void *self, struct cgs_sparse *c)
{
    struct work *w = static_cast<struct work *>(self);
    const struct cgs_cusparse *l = w->library;
    const int64_t n = w->rows + 1;
    if (w->products == 0)
        return CGS_OK;
    CGS_CUSPARSE_TRY(w->queue->context, l,
                     l->set_pointers(w->c, w->pointers_c, c->column, c->value));
    CGS_TRY(vendor_stage(w, "cusparseSpGEMM_copy", l->spgemm_copy));
    return cgs_launch(w->queue, "widen", widen, (n + CGS_THREADS - 1) / CGS_THREADS, n,
                      w->pointers_c, c->pointers);
}

} // namespace

/* The table of the kernel that uses an algorithm. */
#define CGS_CUSPARSE_SPGEMM(name, which)                                                           \
    CGS_TABLE(struct cgs_spgemm_kernel, name) = {                                                  \
        .reference = true,                                                                         \
        .reproducible = true,                                                                      \
        .accepts = vendor_accepts,                                                                 \
        .plan = vendor_plan,                                                                       \
        .begin = vendor_begin<which>,                                                              \
        .count = vendor_count,                                                                     \
        .fill = vendor_fill,                                                                       \
        .release = vendor_release,                                                                 \
    }

/* The first is the fastest, with the most memory; the third takes a fifth of the products at a
 * time, with the least. */
CGS_CUSPARSE_SPGEMM(cgs_cuda_spgemm_cusparse1, CUSPARSE_SPGEMM_ALG1);
CGS_CUSPARSE_SPGEMM(cgs_cuda_spgemm_cusparse2, CUSPARSE_SPGEMM_ALG2);
CGS_CUSPARSE_SPGEMM(cgs_cuda_spgemm_cusparse3, CUSPARSE_SPGEMM_ALG3);
