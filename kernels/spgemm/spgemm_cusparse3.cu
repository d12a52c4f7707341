/* C = A B by cuSPARSE's algorithm 3 of 3: products in chunks of a fifth, with the least memory. */
#include "kernels/spgemm/spgemm_cusparse.cuh"

CGS_CUSPARSE_SPGEMM(cgs_cuda_spgemm_cusparse3, CUSPARSE_SPGEMM_ALG3);
