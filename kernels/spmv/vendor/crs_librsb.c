/* y = A x by librsb's rsb_spmv: the CPU's reference, as used by a program that passes its entries
 * to a sparse BLAS without tuning (rsb_tune_spmm tries other partitions of the matrix for seconds
 * and allocates other arrays for them).
 *
 * librsb sorts the entries in place into square blocks, with 16-bit indices within blocks where
 * possible. Bytes are counted as crs_row's, so that times and GB/s compare. While sorting it
 * allocates as much again as the entries (106 MB for 110 MB, Q1, N = 64, librsb 1.3).
 *
 * Of a rank's rows the columns are shifted, so that those before its own begin at 0, and so is x.
 * The blocks of a rank's rows are others than those of the whole: so are the bits of a sum. */
#include "base/memory.h"
#include "kernels/spmv/spmv_cpu.h"
#include "kernels/spmv/vendor/librsb.h"
#include "matrix/fill.h"

#define NUMBERS (CGS_VALUE_NUMBER == CGS_F64 ? RSB_NUMERICAL_TYPE_DOUBLE : RSB_NUMERICAL_TYPE_FLOAT)

struct vendor {
    struct cgs_context *context;
    struct cgs_librsb library;
    struct rsb_mtx_t *matrix;
    int32_t *rows, *columns; /* the library's until matrix is freed, as are the values */
    value *values;
    int64_t nonzeros;
    int64_t below; /* columns before the rows' own: a rank's */
};

/* Columns from that of the first ghost on. */
static int64_t columns_of(const struct cgs_matrix *matrix)
{
    return matrix->columns + cgs_portion_below(matrix->source ? matrix->source->portion : NULL);
}

static enum cgs_status accepts(struct cgs_context *context, const struct cgs_matrix *matrix)
{
    struct cgs_librsb library;
    if (sizeof(real) != sizeof(value))
        return cgs_fail(context, CGS_USAGE,
                        "librsb's rsb_spmv wants matrix and vectors in one precision");
    if (matrix->stored > RSB_MAX_MATRIX_NNZ || matrix->rows > RSB_MAX_MATRIX_DIM ||
        columns_of(matrix) > RSB_MAX_MATRIX_DIM)
        return cgs_fail(context, CGS_USAGE,
                        "librsb takes at most %lld entries and %lld rows and columns, this matrix "
                        "has %lld, %lld and %lld: use another kernel",
                        (long long)RSB_MAX_MATRIX_NNZ, (long long)RSB_MAX_MATRIX_DIM,
                        (long long)matrix->stored, (long long)matrix->rows,
                        (long long)columns_of(matrix));
    return cgs_librsb_open(context, &library);
}

/* Elements of each array: the library also builds row and column pointers in them. */
static int64_t room_of(const struct cgs_matrix *matrix)
{
    const int64_t columns = columns_of(matrix);
    const int64_t side = matrix->rows > columns ? matrix->rows : columns;
    return matrix->stored > side + 1 ? matrix->stored : side + 1;
}

static void plan(const struct cgs_matrix *matrix, struct cgs_plan *plan)
{
    const int64_t room = room_of(matrix);
    cgs_plan_add(plan, CGS_HOST, "matrix values", room, sizeof(value));
    cgs_plan_add(plan, CGS_HOST, "matrix columns", room, sizeof(int32_t));
    cgs_plan_add(plan, CGS_HOST, "matrix rows", room, sizeof(int32_t));
    cgs_plan_add(plan, CGS_HOST, "librsb while it sorts", room,
                 sizeof(value) + 2 * sizeof(int32_t));
}

static void release(void *self)
{
    struct vendor *made = self;
    if (!made)
        return;
    struct cgs_context *context = made->context;
    if (made->matrix)
        made->library.free(made->matrix);
    cgs_free(context, made->values);
    cgs_free(context, made->columns);
    cgs_free(context, made->rows);
    cgs_free(context, made);
}

static enum cgs_status generate(const struct cgs_matrix *matrix, struct vendor *made)
{
    struct cgs_context *context = made->context;
    const int64_t room = room_of(matrix);
    CGS_TRY(cgs_alloc(context, room, sizeof(value), "matrix values", (void **)&made->values));
    CGS_TRY(cgs_alloc(context, room, sizeof(int32_t), "matrix columns", (void **)&made->columns));
    CGS_TRY(cgs_alloc(context, room, sizeof(int32_t), "matrix rows", (void **)&made->rows));
    CGS_TRY(cgs_matrix_fill(context, matrix, 0, matrix->units, CGS_VALUE_NUMBER, made->columns,
                            made->values));
#pragma omp parallel for schedule(static) num_threads(context->threads)
    for (int64_t i = 0; i < matrix->rows; i++)
        for (int64_t k = matrix->pointers[i]; k < matrix->pointers[i + 1]; k++) {
            made->rows[k] = (int32_t)i;
            made->columns[k] += (int32_t)made->below;
        }
    return CGS_OK;
}

static enum cgs_status assemble(const struct cgs_matrix *matrix, struct vendor *made)
{
    struct cgs_context *context = made->context;
    rsb_err_t error = RSB_ERR_NO_ERROR;
    CGS_TRY(cgs_librsb_open(context, &made->library));
    CGS_TRY(generate(matrix, made));
    CGS_TRY(cgs_librsb_threads(context, &made->library));
    made->matrix = made->library.assemble(
        made->values, made->rows, made->columns, (rsb_nnz_idx_t)matrix->stored, NUMBERS,
        (rsb_coo_idx_t)matrix->rows, (rsb_coo_idx_t)columns_of(matrix), 1, 1,
        RSB_FLAG_DEFAULT_RSB_MATRIX_FLAGS, &error);
    if (!made->matrix && error == RSB_ERR_NO_ERROR)
        error = RSB_ERR_GENERIC_ERROR;
    return cgs_librsb_check(context, &made->library, "rsb_mtx_alloc_from_coo_inplace", error);
}

static enum cgs_status prepare(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                               void **self)
{
    struct vendor *made = NULL;
    CGS_TRY(cgs_alloc(queue->context, 1, sizeof *made, "matrix", (void **)&made));
    *made = (struct vendor){.context = queue->context,
                            .nonzeros = matrix->stored,
                            .below = cgs_portion_below(matrix->source->portion)};
    const enum cgs_status status = assemble(matrix, made);
    if (status == CGS_OK)
        *self = made;
    else
        release(made);
    return status;
}

/* The number of threads is global to the library: set before each product. */
static enum cgs_status apply(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, void *y)
{
    static const value one = 1, zero = 0;
    const struct vendor *made = self;
    if (state && !cgs_cg_going_on(state))
        return CGS_OK;
    CGS_TRY(cgs_librsb_threads(queue->context, &made->library));
    const rsb_err_t error = made->library.multiply(RSB_TRANSPOSITION_N, &one, made->matrix,
                                                   (const real *)x - made->below, 1, &zero, y, 1);
    return cgs_librsb_check(queue->context, &made->library, "rsb_spmv", error);
}

static const void *entries(const void *self, int64_t *bytes)
{
    const struct vendor *made = self;
    *bytes = made->nonzeros * (int64_t)sizeof(value);
    return made->values;
}

CGS_TABLE(struct cgs_kernel, cgs_cpu_crs_librsb) = {
    .reference = true,
    .shared = true,
    .accepts = accepts,
    .plan = plan,
    .prepare = prepare,
    .traffic = cgs_spmv_cpu_traffic,
    .steps = {.apply = apply, .entries = entries, .release = release},
};
