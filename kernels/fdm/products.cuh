/* Transforms of many lines by products with a dense matrix, in double on the tensor cores.
 *
 * A block has LINES lines in shared memory, where the result replaces them, so that a pass works in
 * place. Where S_(n-1-i)j = +- S_ij for even and odd modes j, a line is folded into its even part,
 * x_i + x_(n-1-i), and its odd part, x_i - x_(n-1-i), of half its length each: half the work, and
 * half the matrix.
 *
 * Rows of shared memory, and of the matrix, are numbers i or modes j of a line. Mirrored: those of
 * the even part from 0 on, those of the odd part from `part` on:
 *
 *     number i:   i, or part + n - 1 - i in the second half, until they are folded
 *     mode j:     j / 2, plus part if j is odd
 *
 * Both parts are padded with zeros to the tiles of a warp.
 */
#pragma once

#include <nv/target>

#include "kernels/fdm/lines.cuh"

namespace
{

/* Matrices in the order of fragments: for 8 rows, for 4 columns, a number a lane. */
struct product {
    int n, part, rows; /* of a part; of all */
    bool mirrored;
    const double *forward, *back;
};

__device__ __host__ inline int number_row(const struct product &p, int i)
{
    return !p.mirrored || 2 * i <= p.n - 1 ? i : p.part + p.n - 1 - i;
}

__device__ __host__ inline int mode_row(const struct product &p, int j)
{
    return !p.mirrored ? j : j % 2 * p.part + j / 2;
}

/* c += a b for 8 x 4 numbers a, 4 x 8 b and 8 x 8 c of a warp. Lane l has a of row l / 4, column
 * l % 4, b of row l % 4, column l / 4, and c of row l / 4, columns 2 (l % 4) and the next. */
__device__ inline void multiply_add(double a, double b, double (&c)[2])
{
    NV_IF_ELSE_TARGET(
        NV_PROVIDES_SM_80,
        (asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
             : "+d"(c[0]), "+d"(c[1])
             : "d"(a), "d"(b));),
        (const int lane = (int)threadIdx.x % CGS_WARP; for (int k = 0; k < 4; k++) {
            const double ak = __shfl_sync(0xffffffffu, a, lane / 4 * 4 + k);
            for (int i = 0; i < 2; i++)
                c[i] += ak * __shfl_sync(0xffffffffu, b, (2 * (lane % 4) + i) * 4 + k);
        }))
}

/* A warp computes 8 TALL rows of 8 WIDTH lines; there are as many warps as the rows take. */
template <enum pass PASS, int WARPS, int TALL, int WIDTH>
__global__ void __launch_bounds__(WARPS *CGS_WARP)
    product_kernel(const __grid_constant__ struct lines v, const __grid_constant__ struct product p,
                   struct cgs_cg_state *state)
{
    CGS_DYNAMIC_SHARED(double, product_memory);
    if (state && !cgs_cg_going_on(state))
        return;
    constexpr int LINES = 8 * WIDTH, PITCH = LINES + 4; /* lanes of a fragment meet all banks */
    constexpr int T = WARPS * CGS_WARP;
    double *const x = product_memory;
    const int t = (int)threadIdx.x, lane = t % CGS_WARP, n = p.n;
    const int64_t outer = blockIdx.x / v.tiles, line_0 = blockIdx.x % v.tiles * LINES;
    const int64_t start = outer * v.outer + line_0 * v.line;
    const bool along = v.mode == 1; /* numbers of a line are neighbours, else those of lines */
    const auto each = [&](auto &&body) {
        for (int b = t; b < n * LINES; b += T) {
            const int i = along ? b % n : b / LINES, l = along ? b / n : b % LINES;
            if (line_0 + l < v.count)
                body(i, start + i * v.mode + l * v.line, l);
        }
    };
    const auto fold = [&]() {
        for (int b = t; p.mirrored && b < n / 2 * LINES; b += T) {
            double *const even = &x[b / LINES * PITCH + b % LINES], *const odd =
                                                                        even + p.part * PITCH;
            const double first = *even, last = *odd;
            *even = first + last;
            *odd = first - last;
        }
        __syncthreads();
    };
    const auto multiply = [&](const double *matrix) {
        const int tile = t / CGS_WARP * TALL, row = 8 * tile, steps = p.part / 4;
        double sums[TALL][WIDTH][2] = {};
        if (row < p.rows) {
            const double *a = matrix + (int64_t)tile * steps * CGS_WARP + lane;
            const double *b = x + (row / p.part * p.part + lane % 4) * PITCH + lane / 4;
            double next[TALL];
            unrolled<TALL>([&](auto i) { next[i] = a[i * steps * CGS_WARP]; });
            for (int s = 0; s < steps; s++) {
                double now[TALL];
                a += CGS_WARP;
                unrolled<TALL>([&](auto i) {
                    now[i] = next[i];
                    next[i] = s + 1 < steps ? a[i * steps * CGS_WARP] : 0;
                });
                unrolled<WIDTH>([&](auto l) {
                    const double bl = b[8 * l];
                    unrolled<TALL>([&](auto i) { multiply_add(now[i], bl, sums[i][l]); });
                });
                b += 4 * PITCH;
            }
        }
        __syncthreads();
        if (row < p.rows)
            unrolled<TALL>([&](auto i) {
                unrolled<WIDTH>([&](auto l) {
                    double *const to =
                        &x[(row + 8 * i + lane / 4) * PITCH + 8 * l + 2 * (lane % 4)];
                    to[0] = sums[i][l][0];
                    to[1] = sums[i][l][1];
                });
            });
        __syncthreads();
    };

    for (int b = t; b < p.rows * PITCH; b += T)
        x[b] = 0;
    __syncthreads();
    each([&](int i, int64_t from, int l) {
        const int row = PASS == BACK ? mode_row(p, i) : number_row(p, i);
        x[row * PITCH + l] = (double)number_in(v, 0, from);
    });
    __syncthreads();
    if constexpr (PASS == FORWARD) {
        fold();
        multiply(p.forward);
    } else {
        multiply(p.back);
        fold();
    }
    each([&](int i, int64_t to, int l) {
        const int row = PASS == FORWARD ? mode_row(p, i) : number_row(p, i);
        number_out(v, 0, to, (real)x[row * PITCH + l]);
    });
}

} // namespace
