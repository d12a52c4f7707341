/* C = A B by the vendor's library, algorithm 3 of its three: products in chunks, a fifth at a time:
 * least memory. */
#include "kernels/spgemm/spgemm_cusparse.cuh"

CGS_CUSPARSE_SPGEMM(cgs_cuda_spgemm_cusparse3, CUSPARSE_SPGEMM_ALG3);
