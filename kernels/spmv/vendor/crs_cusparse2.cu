/* SpMV, CRS by cuSPARSE's algorithm 2 of 2 (the deterministic one), with preprocessing: a reference
 * for the CRS kernels.
 *
 * Traffic: as crs_warp, with 8 bytes a pointer, although the library reads 4.
 */
#include "kernels/spmv/vendor/cusparse_spmv.cuh"

CGS_TABLE(struct cgs_kernel, cgs_cuda_crs_cusparse2) = {
    .capturable = false,
    .reference = true,
    .reproducible = true,
    .accepts = vendor_accepts,
    .plan = vendor_plan,
    .prepare =
        cgs_prepare<struct vendor, vendor_fill<describe_csr<CUSPARSE_SPMV_CSR_ALG2>>, vendor_empty>,
    .traffic = cgs_matrix_traffic<value, real>,
    .steps = {.apply = vendor_apply, .release = vendor_release},
};
