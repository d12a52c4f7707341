/* y = A x, SELL-C-sigma, a chunk at a time by gather instructions: AVX-512, AVX2, or plain C as
 * sell_chunk. Bytes as sell_chunk.
 */
#include "kernels/spmv/gather.h"
#include "kernels/spmv/sell/sell_chunks.h"

#if CGS_GATHERS
#include "kernels/spmv/gather_avx512.h"

#include "kernels/spmv/sell/sell_gather_chunks.h"

#include "kernels/spmv/gather_avx2.h"

#include "kernels/spmv/sell/sell_gather_chunks.h"
#endif

static const struct cgs_gather_loop loops[] = {
#if CGS_GATHERS
    {"AVX-512", cgs_has_avx512, chunks_avx512, sorted_chunks_avx512},
    {"AVX2", cgs_has_avx2, chunks_avx2, sorted_chunks_avx2},
#endif
    {"plain C", NULL, cgs_sell_chunks, cgs_sell_sorted_chunks},
};

#define GATHER_TABLE cgs_cpu_sell_gather
#include "kernels/spmv/gather_table.h"
