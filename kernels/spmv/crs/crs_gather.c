/* y = A x, CRS, a row at a time by gather instructions: AVX-512, AVX2, or plain C as crs_row.
 * Blocks of rows are divided among the threads by entries; bytes as crs_row.
 */
#include "kernels/spmv/crs/crs_rows.h"
#include "kernels/spmv/gather.h"

#if CGS_GATHERS
#include "kernels/spmv/gather_avx512.h"

#include "kernels/spmv/crs/crs_gather_rows.h"

#include "kernels/spmv/gather_avx2.h"

#include "kernels/spmv/crs/crs_gather_rows.h"
#endif

static const struct cgs_gather_loop loops[] = {
#if CGS_GATHERS
    {"AVX-512", cgs_has_avx512, rows_avx512, NULL},
    {"AVX2", cgs_has_avx2, rows_avx2, NULL},
#endif
    {"plain C", NULL, cgs_crs_rows, NULL},
};

#define GATHER_TABLE cgs_cpu_crs_gather
#include "kernels/spmv/gather_table.h"
