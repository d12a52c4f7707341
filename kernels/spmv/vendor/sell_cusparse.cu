/* SpMV, sliced ELL by the vendor's library: the reference of the SELL kernels.
 *
 * Traffic: as sell_chunk; pointers count 8 bytes here as there, the library reads 4.
 */
#include "kernels/spmv/vendor/cusparse_spmv.cuh"

static enum cgs_status describe(struct vendor *v, const struct cgs_matrix *matrix)
{
    v->algorithm = CUSPARSE_SPMV_ALG_DEFAULT;
    CGS_CUSPARSE_TRY(v->queue->context, v->library,
                     v->library->create_sliced_ell(&v->matrix, matrix->rows, matrix->columns,
                                                  matrix->nonzeros, matrix->stored, matrix->chunk,
                                                  v->offsets, v->arrays.columns, v->arrays.values,
                                                  CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                                  CUSPARSE_INDEX_BASE_ZERO, REAL));
    return CGS_OK;
}

CGS_TABLE(struct cgs_kernel, cgs_cuda_sell_cusparse) = {
    .capturable = false,
    .reference = true,
    .reproducible = false,
    .accepts = vendor_accepts,
    .plan = vendor_plan,
    .prepare = cgs_prepare<struct vendor, vendor_fill<describe>, vendor_empty>,
    .traffic = cgs_matrix_traffic<value, real>,
    .steps = {.apply = vendor_apply, .release = vendor_release},
};
