/* y = A x, CRS, a row at a time. Blocks of 256 rows are divided among the threads by their entries
 * (spmv_cpu.h); crs_merge balances better if few rows have most entries.
 *
 * With the Q1 matrix in double precision a row moves 27 * 12 + 8 + 8 + 8 = 348 bytes (spmv_cpu.h).
 */
#include "kernels/spmv/crs/crs_rows.h"

CGS_SPMV_CPU(cgs_cpu_crs_row, cgs_crs_rows, NULL);
