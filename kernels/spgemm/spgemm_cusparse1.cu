/* C = A B by cuSPARSE's algorithm 1 of 3: the fastest, with the most memory. */
#include "kernels/spgemm/spgemm_cusparse.cuh"

CGS_CUSPARSE_SPGEMM(cgs_cuda_spgemm_cusparse1, CUSPARSE_SPGEMM_ALG1);
