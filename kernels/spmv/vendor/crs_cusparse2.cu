/* SpMV, CRS by the vendor's library, algorithm 2 of its two, with preprocessing: a reference
 * of the CRS kernels (the deterministic one).
 *
 * Traffic: as crs_warp; pointers count 8 bytes here as there, the library reads 4.
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
