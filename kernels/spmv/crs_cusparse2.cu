/* SpMV, CRS by the vendor's library, algorithm 2 of its two, with preprocessing: a reference
 * of the CRS kernels (the deterministic one).
 *
 * Traffic: as crs_warp; pointers count 8 bytes here as there, the library reads 4.
 */
#include "kernels/spmv/cusparse_spmv.cuh"

static enum cgs_status describe(struct vendor *v, const struct cgs_matrix *matrix)
{
    v->algorithm = CUSPARSE_SPMV_CSR_ALG2;
    return vendor_describe_csr(v, matrix);
}

static enum cgs_status prepare(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                               void **self)
{
    return vendor_prepare(queue, matrix, describe, self);
}

CGS_TABLE(struct cgs_kernel, cgs_cuda_crs_cusparse2) = {
    .capturable = false,
    .reference = true,
    .reproducible = true,
    .accepts = vendor_accepts,
    .plan = vendor_plan,
    .prepare = prepare,
    .traffic = cgs_matrix_traffic<value, real>,
    .steps = {.apply = vendor_apply, .release = vendor_release},
};
