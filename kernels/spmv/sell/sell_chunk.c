/* y = A x, SELL-C-sigma, a chunk at a time, vectorised over the rows of the chunk (sell_chunks.h).
 *
 * With the Q1 matrix in double precision and C = 8 a row moves 27 * 12 + 1 + 8 + 8 = 341 bytes
 * (spmv_cpu.h).
 */
#include "kernels/spmv/sell/sell_chunks.h"

CGS_SPMV_CPU(cgs_cpu_sell_chunk, cgs_sell_chunks, cgs_sell_sorted_chunks);
