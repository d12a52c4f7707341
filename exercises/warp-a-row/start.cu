/* cgsolve exercise: warp-a-row */
/* CRS on a GPU, a warp a row.
 *
 * A GPU runs threads in groups of 32, the "warps": all 32 execute the same instruction at the same
 * time. When they load from memory, the hardware combines their 32 addresses, and memory delivers
 * sectors of 32 bytes. If 32 neighbouring threads load 32 neighbouring doubles, 8 sectors are
 * fetched and all of their bytes are used: the load is "coalesced". If they load from 32 places far
 * apart, 32 sectors are fetched for the same 256 useful bytes. (NVIDIA, CUDA C++ Best Practices
 * Guide, "Coalesced Access to Global Memory".)
 *
 * With a thread a row (which you measured in thread-a-row), the loads of neighbouring threads are a
 * whole row apart: 27 entries. With a warp a row, the 32 threads ("lanes" 0 ... 31) load 32
 * neighbouring entries of one row, which lie side by side in CRS (N. Bell, M. Garland, SC 2009,
 * "CSR vector kernel"):
 *
 *     lane l:  sum = values[k] x[column[k]]  for k = pointers[row] + l, + 32, + 64, ...  < pointers[row + 1]
 *
 * Then the 32 partial sums, one in each lane, have to be added. Lanes exchange numbers by
 *
 *     other = __shfl_down_sync(0xffffffffu, sum, step);
 *
 * which gives lane l the value of `sum` in lane l + step. Adding it with step = 16, 8, 4, 2, 1
 * leaves the whole sum in lane 0 after five steps. The mask 0xffffffff says that all 32 lanes take
 * part, so all 32 must reach this line: lanes without entries take part with 0. Do not return
 * early.
 *
 * Row and lane follow from the thread's number t = blockIdx.x blockDim.x + threadIdx.x: the row is
 * t / 32, the lane t % 32. Use int64_t: 32 times the number of rows may not fit into an int. The
 * last block may have warps without a row.
 *
 * y contains garbage (NaN) before the call: one lane of each warp writes y[row], also for a row
 * without entries.
 *
 * Rows of 27 entries leave 5 lanes idle, which does not matter: memory sets the pace, not the
 * additions. Rows of 3 would leave 29 idle, which is why cgsolve's crs_group uses 1 to 32 threads a
 * row.
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
