/* C = A B by the vendor's library, algorithm 1 of its three: the fastest of the three, which takes
 * most memory. */
#include "kernels/spgemm/spgemm_cusparse.cuh"

CGS_CUSPARSE_SPGEMM(cgs_cuda_spgemm_cusparse1, CUSPARSE_SPGEMM_ALG1);
