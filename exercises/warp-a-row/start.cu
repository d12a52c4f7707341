/* cgsolve exercise: warp-a-row */
/* CRS on a GPU, a warp a row.
 *
 * A GPU runs threads in groups of 32, the "warps": all 32 do the same instruction at the same time.
 * When they load from memory, the addresses of all 32 are looked at together, and memory answers in
 * sectors of 32 bytes. If 32 neighbouring threads load 32 neighbouring doubles, 8 sectors are
 * fetched and all of their bytes used: the load is "coalesced". If they load from 32 places far
 * apart, 32 sectors are fetched for the same 256 bytes that are wanted. (NVIDIA, CUDA C++ Best
 * Practices Guide, "Coalesced Access to Global Memory".)
 *
 * With a thread a row (what you measured in thread-a-row), neighbouring threads are a whole row
 * apart: 27 entries. With a warp a row, the 32 threads ("lanes" 0 ... 31) take 32 neighbouring
 * entries of one row, which lie side by side in CRS (N. Bell, M. Garland, SC 2009, "CSR vector
 * kernel"):
 *
 *     lane l:  sum = values[k] x[column[k]]  for k = pointers[row] + l, + 32, + 64, ...  < pointers[row + 1]
 *
 * Then 32 partial sums, one in each lane, have to be added. Lanes hand numbers to each other by
 *
 *     other = __shfl_down_sync(0xffffffffu, sum, step);
 *
 * which gives lane l what lane l + step has in `sum`. Adding it with step = 16, 8, 4, 2, 1 leaves
 * the whole sum in lane 0 after five steps. The mask 0xffffffff says that all 32 lanes take part:
 * so all 32 must come there. Lanes that have nothing to add come with 0; do not return early.
 *
 * Row and lane follow from the thread's number t = blockIdx.x blockDim.x + threadIdx.x: the row is
 * t / 32, the lane t % 32. Use int64_t: 32 times the rows may be more than an int holds. The last
 * block may have warps without a row.
 *
 * y holds rubbish (NaN) before: one lane of each warp writes y[row], also for a row without
 * entries.
 *
 * Rows of 27 leave 5 lanes idle, and that does not matter: memory decides, not the adding. Rows of
 * 3 would leave 29 idle, which is why cgsolve's crs_group takes 1 to 32 threads a row.
 *
 *     cgsolve exercise check warp-a-row.cu                    needs a GPU
 *     cgsolve spmv --kernel=./warp-a-row.cu,crs_thread,crs_warp
 */
#include <cgsolve/exercise.h>

__global__ void warp_a_row(int64_t rows, const int64_t *pointers, const int32_t *column,
                           const double *values, const double *x, double *y)
{
    const int64_t row = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    double sum = 0.0;
    /* TODO: the lane's entries, then the sum of all lanes. */
    (void)pointers, (void)column, (void)values, (void)x;
    if (row < rows && lane == 0)
        y[row] = sum;
}

CGSOLVE_CRS_CUDA(warp_a_row, 32)
