/* Transforms of many lines by fast Fourier transforms, each number read and written once a pass.
 *
 * With C cells in half a period, a line is continued by its symmetries to e_j, j = 0 ... 2C - 1,
 *
 *     kind     numbers a_j       e_-j    e_2C-j   frequencies
 *     SINE     j = 1 ... C - 1   -e_j    -e_j     k
 *     COSINE   j = 0 ... C        e_j     e_j     k
 *     MIXED    j = 1 ... C       -e_j     e_j     k - 1/2
 *
 * and X_k = sum_j e_j w^(j (k - half)), w = exp(-2 pi i / 2C), is -2 i or 2 times the transform of
 * a; the factors 2 are left to the weights. Let 2C = R M, R even, j = s + R m, k = q + M p.
 * Numbers of class s (j = s modulo R) are those of class R - s mirrored, and so are frequencies of
 * classes q and 2 half - q. So the classes s = 0 ... R / 2 are enough, and each number is read by
 * one thread:
 *
 *     Y_s[q] = sum_m e_(s + R m) w_M^(m (q - half))                              for s <= R / 2
 *     z_s = w^(s (q - half)) Y_s[q],   z_(R - s) = +- w^(-s (q - half)) Y_s[2 half - q]
 *     X_(q + M p) = sum_s w_R^(s p) z_s                                          for half of all q
 *
 * Y takes M = A L numbers in steps of radices A and mid[], in place in shared memory, decimated in
 * frequency. The way back is the transpose, with the same places.
 *
 * Lines of cells of order p have R = p, M = 2 C / p and p modes of angle q: with
 *
 *     C = Y_s[q] + Y_s[2 half - q],   D = (Y_s[q] - Y_s[2 half - q]) / i
 *
 * their block of amplitudes (kernels/fdm.h) multiplies in place of the last sum
 *
 *     class 0                 1/2 C, or 1/2 D where parity is -1
 *     class s, 0 < s < p / 2  C and D
 *     class p / 2             1/2 (C cos + D sin)(theta / 2), or 1/2 (D cos - C sin)
 *
 * A block has a tile of 2 W lines, two lines in each complex number; they are W apart, or next to
 * each other (ADJACENT) where lines start at even numbers. Threads of W lines access a row of 128
 * bytes or a part of it; rows are padded or swapped (compiled sizes) so that neighbours meet
 * different banks. ALONG: threads are neighbours in s, for lines along x.
 */
#pragma once

#include <bit>
#include <nv/target>

#include "kernels/device/launch.cuh"
#include "kernels/device/sum.cuh"
#include "kernels/fdm/dft.cuh"

namespace
{

enum pass { FORWARD, BACK };
enum mode { PLAIN, ALONG, ADJACENT };
enum { MIDS = 3 };

/* How a line is transformed; tables in device memory. */
struct shape {
    int cells, n, first;      /* C; numbers and the index of the first */
    int parity, mirror, half; /* e_-j = parity e_j, e_2C-j = mirror e_j; half of 2 half above */
    int R, A, mids, mid[MIDS];
    int M, L, rows_digit, rows_class, classes, pairs; /* pairs of q and 2 half - q */
    const two *by_digit, *by_mid[MIDS], *by_class, *shift;
    /* order p > 1, which is R; by_class: exp(-i theta / 2) */
    int order;
    enum cgs_order_ends ends;
    const real *blocks; /* p p numbers a pair */
};

/* The lines of a vector in one direction. A place is the first one's plus i `place` for unknown i,
 * j `mode` for mode j. */
struct lines {
    const real *in;
    real *out;
    const double *wide_in; /* instead of `in` or `out`, unless NULL: doubles around floats */
    double *wide_out;
    int64_t mode, place, place_0;
    int64_t line, outer; /* between lines of a tile's direction, of the other one */
    int64_t count, tiles;
};

/* Reads and writes number i from a start on. */
__device__ inline real number_in(const struct lines &v, int64_t start, int64_t i)
{
    if constexpr (sizeof(real) < sizeof(double))
        if (v.wide_in)
            return (real)v.wide_in[start + i];
    return (v.in + start)[i];
}

__device__ inline void number_out(const struct lines &v, int64_t start, int64_t i, real a)
{
    if constexpr (sizeof(real) < sizeof(double))
        if (v.wide_out) {
            v.wide_out[start + i] = (double)a;
            return;
        }
    (v.out + start)[i] = a;
}

using bits = std::conditional_t<sizeof(real) == sizeof(uint64_t), uint64_t, uint32_t>;
constexpr bits SIGN = (bits)1 << (8 * sizeof(bits) - 1);

/* Changes the sign where mask is SIGN: by integers, as numbers are what these kernels wait for. */
__device__ inline two flipped(two a, bits mask)
{
    return {std::bit_cast<real>(std::bit_cast<bits>(a.x) ^ mask),
            std::bit_cast<real>(std::bit_cast<bits>(a.y) ^ mask)};
}

/* Calls body(r) with a radix as a constant, which is one of `radices` or, RADIX > 0, compiled. */
template <int RADIX, class Body, int... RADICES>
__device__ inline void by_radix(int radix, std::integer_sequence<int, RADICES...>, Body &&body)
{
    if constexpr (RADIX > 0)
        body(std::integral_constant<int, RADIX>{});
    else
        ((radix == RADICES && (body(std::integral_constant<int, RADICES>{}), true)) || ...);
}

/* Radices A and mid[]; R. */
using step_radices = std::integer_sequence<int, 1, 2, 3, 4, 5, 7, 8, 11, 13>;
using class_radices = std::integer_sequence<int, 2, 4, 6, 8, 10, 14, 16>;
using orders = std::integer_sequence<int, 2, 3, 4, 5, 6, 7, 8>;

/* Place of a number in a period 2C. inner: it is neither at 0 nor at C, as the compiler knows; far:
 * beyond C. */
struct location {
    bool inner, far;
};

/* Returns where number j is, which lies in the i-th of `parts` equal parts of a period. Of an even
 * count only parts 0 and parts / 2 hold 0 and C; 0 parts: the compiler knows neither. */
__device__ inline struct location locate(int j, int C, int i, int parts)
{
    const bool inner = parts > 0 && parts % 2 == 0 && i != 0 && 2 * i != parts;
    return {inner, inner ? 2 * i > parts : j > C};
}

/* R_ > 0: a compiled size 2C = R_ A_ B_; else the shape's. SINES: of that kind alone. BLOCKS: of
 * cells of order p > 1. */
template <enum pass PASS, enum mode MODE, bool SINES, int W, int R_, int A_, int B_, int THREADS,
          int FIT, bool BLOCKS = false>
__global__ void __launch_bounds__(THREADS, FIT)
    lines_kernel(const __grid_constant__ struct lines v, const __grid_constant__ struct shape f,
                 struct cgs_cg_state *state)
{
    CGS_DYNAMIC_SHARED(two, lines_memory);
    if (state && !cgs_cg_going_on(state))
        return;
    constexpr bool FIXED = R_ > 0;
    constexpr int T = THREADS / W;
    const int R = FIXED ? R_ : f.R, A = FIXED ? A_ : f.A, L = FIXED ? B_ : f.L, M = A * L;
    const int C = FIXED ? R_ * A_ * B_ / 2 : f.cells, classes = R / 2 + 1;
    const int half = SINES ? 0 : f.half, first = SINES ? 1 : f.first;
    const int n = SINES ? C - 1 : f.n, pairs = SINES ? M / 2 + 1 : f.pairs;
    const bool odd = SINES || f.parity < 0, ends = first == 0 || half; /* numbers at 0 or C */
    const bits minus = odd ? SIGN : 0, minus_end = SINES || f.mirror < 0 ? SIGN : 0;
    const int mids = FIXED ? B_ > 1 : f.mids;
    const int p = (int)threadIdx.x % W, t = (int)threadIdx.x / W;

    const int64_t outer = blockIdx.x / (unsigned)v.tiles, tile = blockIdx.x % (unsigned)v.tiles;
    const int64_t line_0 = tile * (2 * W) + (MODE == ADJACENT ? 2 * p : p);
    const int64_t line_1 = line_0 + (MODE == ADJACENT ? 1 : W);
    const bool in_0 = line_0 < v.count, in_1 = line_1 < v.count;
    const int64_t start = outer * v.outer + line_0 * v.line, beside = (line_1 - line_0) * v.line;
    [[maybe_unused]] const char *const in = reinterpret_cast<const char *>(v.in + start);
    [[maybe_unused]] char *const out = reinterpret_cast<char *>(v.out + start);

    /* Distances along a line: 1 for compiled sines along x, bytes in 32 bits for adjacent lines,
     * where an address takes one instruction so. */
    constexpr int64_t UNIT = MODE == ADJACENT ? sizeof(real) : 1;
    const auto distance = [](int64_t numbers) -> int64_t {
        return MODE == ADJACENT ? (int)(numbers * UNIT) : FIXED && SINES ? 1 : numbers;
    };
    const int64_t mode = distance(v.mode), place = distance(v.place);
    const int64_t place_0 = SINES ? 0 : v.place_0 * UNIT;

    /* Compiled sines along x leave by way of their places in shared memory: neighbours are written
     * by neighbours, whole sectors of the cache at a time. */
    constexpr bool THROUGH = FIXED && SINES && MODE != ADJACENT;

    const auto within = [&](int i, bool inner) -> bool {
        return inner || (unsigned)(i - first) < (unsigned)n;
    };
    const auto load = [&](int i, bool inner, int64_t origin, int64_t step) -> two {
        const bool there = within(i, inner);
        const int64_t at = origin + (i - first) * step;
        two a = {0, 0};
        if constexpr (MODE == ADJACENT) {
            if (there && in_0)
                a = *reinterpret_cast<const two *>(in + at);
        } else {
            if (there && in_0)
                a.x = number_in(v, start, at);
            if (there && in_1)
                a.y = number_in(v, start, at + beside);
        }
        return a;
    };
    const auto store = [&](int i, bool inner, two a, int64_t origin, int64_t step) {
        if (!within(i, inner))
            return;
        const int64_t at = origin + (i - first) * step;
        if constexpr (MODE == ADJACENT) {
            if (in_0) /* padding stays zero: the lines' rounding reaches each other */
                *reinterpret_cast<two *>(out + at) = {a.x, in_1 ? a.y : 0};
        } else {
            if (in_0)
                number_out(v, start, at, a.x);
            if (in_1)
                number_out(v, start, at + beside, a.y);
        }
    };

    constexpr int ROWS = 128 / (W * (int)sizeof(two)); /* of all banks */
    constexpr int SWAP = !FIXED || ROWS < 2 ? 0 : B_ % ROWS == 0 ? ROWS - 1 : 1;
    two *const tile_memory = lines_memory + p;
    const auto z = [&](int s, int digit, int m) -> two & {
        if constexpr (FIXED)
            return tile_memory[((s * A_ + digit) * B_ + (m ^ (s & SWAP) ^ (digit & SWAP))) * W];
        else
            return tile_memory[(s * f.rows_class + digit * f.rows_digit + m) * W];
    };
    const auto row_of = [&](int q) -> int { /* of frequency q, after its first digit */
                                            int rest = q / A;
                                            if constexpr (FIXED)
                                                return rest;
                                            int row = 0, length = L;
                                            for (int i = 0; i < mids; i++) {
                                                length /= f.mid[i];
                                                row += rest % f.mid[i] * length;
                                                rest /= f.mid[i];
                                            }
                                            return row;
    };
    /* Calls body(radix, class, digit, row, step, table, offset) for what a step combines. */
    const auto middle = [&](int i, int length, auto &&body) {
        const int radix = FIXED ? B_ : f.mid[i], next = length / radix, blocks = L / length;
        by_radix<B_>(radix, step_radices{}, [&](auto constant) {
#pragma unroll 1
            for (int b = t; b < classes * A * blocks * next; b += T) {
                const int offset = b % next, rest = b / next;
                const int block = rest % blocks, which = rest / blocks;
                body(constant, which / A, which % A, block * length + offset, next,
                     f.by_mid[i] + offset);
            }
        });
    };

    if constexpr (PASS == FORWARD) {
        by_radix<A_>(A, step_radices{}, [&](auto radix) {
            constexpr int N = radix;
#pragma unroll 1
            for (int b = t; b < classes * L; b += T) {
                const int s = MODE == ALONG ? b % classes : b / L;
                const int row = MODE == ALONG ? b / classes : b % L;
                const two *const w = f.by_digit + row;
                two a[N];
                unrolled<N>([&](auto i) {
                    const int m = row + L * i, j = s + R * m;
                    const auto [inner, far] = locate(j, C, i, A_);
                    a[i] = load(far ? 2 * C - j : j, inner, place_0, place);
                    a[i] = flipped(a[i], far ? minus_end : 0);
                    if (ends && (j == 0 || j == C)) /* once in e, others twice */
                        a[i] = a[i] + a[i];
                    if (half)
                        a[i] = times(a[i], f.shift[m]);
                });
                dft<N, -1>(a);
                unrolled<N>([&](auto digit) {
                    if (decltype(digit)::value > 0 && L > 1)
                        a[digit] = times(a[digit], w[digit * L]);
                    z(s, digit, row) = a[digit];
                });
            }
        });
        __syncthreads();
        for (int i = 0, length = L; i < mids; i++) {
            middle(i, length, [&](auto radix, int s, int digit, int row, int next, const two *w) {
                constexpr int N = radix;
                two a[N];
                unrolled<N>([&](auto m) { a[m] = z(s, digit, row + next * m); });
                dft<N, -1>(a);
                unrolled<N>([&](auto k) {
                    if (decltype(k)::value > 0 && next > 1)
                        a[k] = times(a[k], w[k * next]);
                    z(s, digit, row + next * k) = a[k];
                });
            });
            length /= FIXED ? B_ : f.mid[i];
            __syncthreads();
        }
    }

    [[maybe_unused]] const auto by_blocks = [&](auto order) {
        constexpr int P = order;
#pragma unroll 1
        for (int pair = t; pair < pairs; pair += T) {
            const int q = pair + half, mirrored = 2 * M + half - q;
            const int qa = q % M, qb = mirrored % M;
            const int ra = row_of(qa), rb = row_of(qb), da = qa % A, db = qb % A;
            const int before = (int)cgs_order_modes_before(f.ends, P, C / P, pair),
                      modes = (int)cgs_order_modes_before(f.ends, P, C / P, pair + 1) - before;
            const real *const block = f.blocks + (int64_t)pair * P * P;
            const two turn = f.by_class[pair];
            two in[P];
            if constexpr (PASS == FORWARD) {
                const auto parts = [&](int s, two *even, two *other) {
                    const two a = z(s, da, ra), b = z(s, db, rb);
                    *even = a + b;
                    *other = {a.y - b.y, b.x - a.x};
                };
                two even, other;
                parts(0, &even, &other);
                in[0] = (real)0.5 * (odd ? other : even);
                unrolled<(P - 1) / 2>([&](auto i) {
                    constexpr int s = decltype(i)::value + 1;
                    parts(s, &in[2 * s - 1], &in[2 * s]);
                });
                if constexpr (P % 2 == 0) {
                    parts(P / 2, &even, &other);
                    in[P - 1] = (real)0.5 * (odd ? turn.x * other + turn.y * even
                                                 : turn.x * even - turn.y * other);
                }
                unrolled<P>([&](auto r) {
                    two sum = block[r] * in[0];
                    unrolled<P - 1>(
                        [&](auto s) { sum = sum + block[(s + 1) * P + r] * in[s + 1]; });
                    if (r < modes)
                        store(first + before + r, false, sum, 0, mode);
                });
            } else {
                unrolled<P>([&](auto r) {
                    in[r] = r < modes ? load(first + before + r, false, 0, mode) : two{0, 0};
                });
                const auto sum_of = [&](int s) -> two {
                    two sum = block[s * P] * in[0];
                    unrolled<P - 1>([&](auto r) { sum = sum + block[s * P + r + 1] * in[r + 1]; });
                    return sum;
                };
                const auto put = [&](int s, two even, two other) {
                    const two both = {-other.y, other.x};
                    z(s, da, ra) = even + (qa == qb ? even : both);
                    if (qa != qb)
                        z(s, db, rb) = even - both;
                };
                const two none = {0, 0}, lowest = sum_of(0);
                put(0, odd ? none : lowest, odd ? lowest : none);
                unrolled<(P - 1) / 2>([&](auto i) {
                    constexpr int s = decltype(i)::value + 1;
                    put(s, sum_of(2 * s - 1), sum_of(2 * s));
                });
                if constexpr (P % 2 == 0) {
                    const two middle_sum = sum_of(P - 1);
                    put(P / 2, (odd ? turn.y : turn.x) * middle_sum,
                        (odd ? turn.x : -turn.y) * middle_sum);
                }
            }
        }
    };
    const auto by_classes = [&](auto radix) {
        constexpr int N = radix;
#pragma unroll 1
        for (int pair = t; pair < pairs; pair += T) {
            const int q = pair + half, mirrored = 2 * M + half - q;
            const int qa = q % M, qb = mirrored % M;
            const int ra = row_of(qa), rb = row_of(qb), da = qa % A, db = qb % A;
            const two *const w = f.by_class + pair;
            two a[N];
            if constexpr (PASS == FORWARD) {
                a[0] = z(0, da, ra);
                unrolled<N / 2>([&](auto i) {
                    constexpr int s = decltype(i)::value + 1;
                    const two turn = w[s * pairs];
                    a[s] = times(z(s, da, ra), turn);
                    if constexpr (s < N / 2)
                        a[N - s] = flipped(times_conjugate(z(s, db, rb), turn), minus);
                });
                dft<N, -1>(a);
            }
            if constexpr (PASS == FORWARD)
                unrolled<N>([&](auto i) {
                    const int k = q + M * i;
                    const auto [inner, far] = locate(k, C, i, N);
                    const two u = odd ? two{-a[i].y, a[i].x} : a[i];
                    if constexpr (THROUGH) { /* mode q' + M i' is class i' of q' */
                        if (2 * i < N)
                            z(i, da, ra) = u;
                        else if (qa != qb)
                            z(N - 1 - i, db, rb) = flipped(u, minus);
                        return;
                    }
                    if (!far)
                        store(k, inner, u, 0, mode);
                    else if (qa != qb)
                        store(2 * C + half - k, inner, flipped(u, minus), 0, mode);
                });
            if constexpr (PASS == BACK)
                unrolled<N>([&](auto i) {
                    const int k = q + M * i;
                    const auto [inner, far] = locate(k, C, i, N);
                    const two u = load(far ? 2 * C + half - k : k, inner, 0, mode);
                    a[i] = flipped(u, far ? minus : 0);
                    if (ends && !half && (k == 0 || k == C))
                        a[i] = a[i] + a[i];
                });
            if constexpr (PASS == BACK) {
                dft<N, 1>(a);
                z(0, da, ra) = a[0];
                if (qa != qb)
                    z(0, db, rb) = flipped(a[0], minus);
                unrolled<N / 2>([&](auto i) {
                    constexpr int s = decltype(i)::value + 1;
                    const two turn = w[s * pairs];
                    z(s, da, ra) = times_conjugate(a[s], turn);
                    if (qa != qb)
                        z(s, db, rb) = flipped(times(a[N - s], turn), minus);
                });
            }
        }
    };
    if constexpr (BLOCKS)
        by_radix<R_>(R, orders{}, by_blocks);
    else
        by_radix<R_>(R, class_radices{}, by_classes);

    if constexpr (PASS == BACK) {
        __syncthreads();
        for (int i = mids - 1, length = 1; i >= 0; i--) {
            length *= FIXED ? B_ : f.mid[i];
            middle(i, length, [&](auto radix, int s, int digit, int row, int next, const two *w) {
                constexpr int N = radix;
                two a[N];
                unrolled<N>([&](auto k) {
                    a[k] = z(s, digit, row + next * k);
                    if (decltype(k)::value > 0 && next > 1)
                        a[k] = times_conjugate(a[k], w[k * next]);
                });
                dft<N, 1>(a);
                unrolled<N>([&](auto m) { z(s, digit, row + next * m) = a[m]; });
            });
            __syncthreads();
        }
        by_radix<A_>(A, step_radices{}, [&](auto radix) {
            constexpr int N = radix;
#pragma unroll 1
            for (int b = t; b < classes * L; b += T) {
                const int s = MODE == ALONG ? b % classes : b / L;
                const int row = MODE == ALONG ? b / classes : b % L;
                const two *const w = f.by_digit + row;
                two a[N];
                unrolled<N>([&](auto digit) {
                    a[digit] = z(s, digit, row);
                    if (decltype(digit)::value > 0 && L > 1)
                        a[digit] = times_conjugate(a[digit], w[digit * L]);
                });
                dft<N, 1>(a);
                unrolled<N>([&](auto i) {
                    const int m = row + L * i, j = s + R * m;
                    two e = a[i];
                    if (half)
                        e = times_conjugate(e, f.shift[m]);
                    e = odd && !BLOCKS ? two{e.y, -e.x} : e;
                    const auto [inner, far] = locate(j, C, i, A_);
                    if constexpr (THROUGH) {
                        z(s, i, row) = e;
                        return;
                    }
                    if (!far)
                        store(j, inner, e, place_0, place);
                    else if (2 * s % R != 0)
                        store(2 * C - j, inner, flipped(e, minus_end), place_0, place);
                });
            }
        });
    }

    if constexpr (THROUGH) {
        __syncthreads();
#pragma unroll 2
        for (int k = t + 1; k < C; k += T) {
            const bool far = PASS == BACK && k % R > R / 2;
            const int j = far ? 2 * C - k : k; /* of the classes that are there */
            const two u =
                PASS == FORWARD ? z(k / M, k % M % A, k % M / A) : z(j % R, j / R / L, j / R % L);
            store(k, true, flipped(u, far ? SIGN : 0), 0, mode);
        }
    }
}

} // namespace
