/* C = A B by cuSPARSE's algorithm 2 of 3: less memory than the first. */
#include "kernels/spgemm/spgemm_cusparse.cuh"

CGS_CUSPARSE_SPGEMM(cgs_cuda_spgemm_cusparse2, CUSPARSE_SPGEMM_ALG2);
