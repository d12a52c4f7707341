/* Solves many lines along z, each number read and written once a pass (kernels/fdm.h).
 *
 * Line (x, y) has the tridiagonal matrix T = K + (lambda_x + lambda_y) M. Threads are neighbours in
 * x; each has a segment of one line in registers: unknowns begin ... end - 1, of which the first is
 * a separator. It eliminates the others, from the second on, which leaves entries of that
 * separator (left) and of the next segment's (right). The separators, tridiagonal again, are solved
 * by parallel cyclic reduction (R. W. Hockney, J. ACM 12 (1965) 95), and then each segment from its
 * end back. Segments are a power of two, which lets a period close that ring without more ado: the
 * last reduction couples pairs, in both ways.
 *
 * T is positive definite, so that no step looks for a pivot. Where nothing holds the constant, T of
 * the first line is K with K 1 = 0: its first unknown is pinned, and the constant is taken out of
 * the right-hand side before and of the answer afterwards (leave_constant_out).
 */
#pragma once

#include <nv/target>

#include "kernels/device/launch.cuh"
#include "kernels/device/sum.cuh"
#include "kernels/fdm/dft.cuh"

namespace
{

/* Entries (k, k) and (k, k + 1) of K and M; the last one's neighbour is unknown 0. */
struct alignas(4 * sizeof(real)) line_entry {
    real stiffness, mass, stiffness_off, mass_off;
};

/* Lines of a vector, in place: a column of numbers `step` apart for each number of a plane. */
struct columns {
    real *of;
    int64_t step, count;
    int64_t first;             /* of the plane: a rank's first column */
    int n, n0, pitch;          /* unknowns in z and x; numbers of a row of the plane */
    int segments, width;       /* powers of two; columns of a block */
    const two *by_x, *by_y;    /* lambda and weight of modes */
    const line_entry *entries; /* n of them */
    real scale;                /* on the weights */
    bool loose;                /* nothing holds the line if lambda is 0 */
    enum cgs_sum sum;          /* sums[sum] = in'out of all passes, unless CGS_SUM_NOWHERE */
    double *partials;
    unsigned *tickets;
};

/* 1 / d to rounding, for d > 0 */
__device__ inline real inverse(real d)
{
    NV_IF_ELSE_TARGET(NV_IS_DEVICE,
                      (
                          if constexpr (sizeof(real) == sizeof(double)) {
                              double r;
                              asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"((double)d));
                              const double e = fma(-(double)d, r, 1.0);
                              return (real)fma(r, fma(e, e, e), r);
                          } else { return 1 / d; }),
                      (return 1 / d;))
}

/* Numbers that eliminate unknown i of a segment, whose unknown 0 is the separator; `fill` couples i
 * with that one. */
enum {
    RATIO,   /* off(i - 1) / pivot i - 1 */
    FROM,    /* fill / pivot: what row i takes off the separator's */
    INVERSE, /* weight / pivot */
    LEFT,    /* the sum of fill^2 / pivot up to i */
    PIVOTS
};

/* Numbers of a column's pivots; odd, so that neighbours meet different banks. */
constexpr int pivot_numbers(int most)
{
    return PIVOTS * (most + 1) | 1;
}

/* Numbers that the segments of a block show each other, twice 3 a thread. */
constexpr int64_t exchanged_numbers(int threads)
{
    return 6 * (int64_t)threads;
}

/* Numbers of shared memory of a block: separators twice; entries alike: pivots of a segment inside
 * and of the last one, else reciprocals of all pivots. */
constexpr int64_t line_numbers(bool alike, int most, int threads, int width)
{
    return exchanged_numbers(threads) +
           (alike ? (int64_t)2 * pivot_numbers(most) * width : (int64_t)threads * (most - 1));
}

/* A thread's place: segment s of column w of its block, and the mode of that column. */
struct seat {
    int s, w;
    int64_t column;
    bool there;
    real lambda, weight;
};

__device__ inline struct seat seat_of(const struct columns &v)
{
    const int t = (int)threadIdx.x;
    struct seat seat = {t / v.width, t % v.width, 0, false, 1, 0};
    seat.column = (int64_t)blockIdx.x * v.width + seat.w;
    const int64_t place = v.first + seat.column;
    const int x = (int)(place % v.pitch);
    seat.there = seat.column < v.count && x < v.n0;
    if (seat.there) {
        const two mode_x = v.by_x[x], mode_y = v.by_y[place / v.pitch];
        seat.lambda = mode_x.x + mode_y.x;
        seat.weight = mode_x.y * mode_y.y * v.scale;
    }
    return seat;
}

/* Numbers that the segments of a column show each other, a ring. */
template <int THREADS> struct exchange {
    real *memory;
    int W, S, w;
    __device__ real &operator()(int which, int segment) const
    {
        return memory[which * THREADS + (segment & (S - 1)) * W + w];
    }
};

/* Solves the separators, d on their diagonal and coupled with the next one: a reduction couples
 * those 2 h apart. */
template <int THREADS>
__device__ inline real solve_separators(const struct exchange<THREADS> &other, int s, real d,
                                        real b, real coupling)
{
    const int S = other.S;
    for (int h = 1, half = 3; h < S; h *= 2, half = 3 - half) {
        other(half, s) = coupling;
        other(half + 1, s) = inverse(d);
        other(half + 2, s) = b;
        __syncthreads();
        const real before = other(half, s - h), after = coupling;
        if (2 * h < S) {
            const real left = before * other(half + 1, s - h);
            const real right = after * other(half + 1, s + h);
            d -= left * before + right * after;
            b -= left * other(half + 2, s - h) + right * other(half + 2, s + h);
            coupling = -right * other(half, s + h);
        } else {
            const real both = before + after, to = both * other(half + 1, s + h);
            d = fma(-to, both, d);
            b = fma(-to, other(half + 2, s + h), b);
        }
    }
    return b * inverse(d);
}

/* A block has a tile of `width` columns. ALIKE: entries are the same but for the two ends, and
 * there are segments enough to share their pivots, which two of them find while the others' loads
 * are on their way. MOST: unknowns of a segment. */
template <bool ALIKE, int MOST, int THREADS, int FIT>
__global__ void __launch_bounds__(THREADS, FIT)
    line_kernel(const __grid_constant__ struct columns v, struct cgs_cg_state *state)
{
    CGS_DYNAMIC_SHARED(real, line_memory);
    if (state && !cgs_cg_going_on(state))
        return;
    const int t = (int)threadIdx.x, W = v.width, S = v.segments, n = v.n;
    const auto [s, w, column, there, lambda, weight] = seat_of(v);
    const int begin = (int)((int64_t)s * n / S), size = (int)((int64_t)(s + 1) * n / S) - begin;
    real *const of = v.of + column + begin * v.step;

    real *const own_numbers = line_memory + exchanged_numbers(THREADS);
    const struct exchange<THREADS> other = {
        line_memory, W, S, w
    };
    const auto reciprocal = [&](int i) -> real & { return own_numbers[(i - 1) * THREADS + t]; };
    real *const pivots = own_numbers + (w + (s == S - 1 ? W : 0)) * pivot_numbers(MOST);
    const auto pivot = [&](int what, int i) -> real & { return pivots[what * (MOST + 1) + i]; };
    const bool summing = v.sum != CGS_SUM_NOWHERE;
    double dot = 0.0;

    const auto own = [&](int k) -> real {
        return fma(lambda, v.entries[k].mass, v.entries[k].stiffness);
    };
    /* with unknown k + 1 */
    const auto off = [&](int k) -> real {
        return fma(lambda, v.entries[k].mass_off, v.entries[k].stiffness_off);
    };
    const real first_off = off(begin), last_off = off(begin + size - 1);
    if (ALIKE && (s == 0 || s == S - 1)) {
        const real within = own(1), at_end = own(n - 1);
        real ratio = 0, left = 0, fill = first_off;
#pragma unroll 1
        for (int i = 1; i < MOST && (i < size || s == 0); i++) {
            const bool end = s > 0 && i + 1 == size;
            const real inv = inverse(fma(-ratio, first_off, end ? at_end : within));
            pivot(RATIO, i) = ratio;
            if (i > 1)
                fill *= -ratio;
            const real from = fill * inv;
            left = fma(from, fill, left);
            pivot(FROM, i) = from;
            pivot(INVERSE, i) = weight * inv;
            pivot(LEFT, i) = left;
            pivot(RATIO, i + 1) = ratio = (end ? last_off : first_off) * inv;
        }
    }

    real a[MOST]; /* the right-hand side, then what is left of it, then the unknowns */
    {
        const real *from = of;
        unrolled<MOST>([&](auto i) {
            a[i] = there && i < size ? *from : (real)0;
            from += v.step;
        });
    }

    /* elimination: the separator's row, and what its right neighbour's gets */
    real d = own(begin), b = a[0], last = 0, ratio = 0, coupling = first_off;
    if constexpr (ALIKE) {
        __syncthreads();
        unrolled<MOST - 1>([&](auto j) {
            constexpr int i = decltype(j)::value + 1;
            if (i < size) {
                last = a[i] = fma(-pivot(RATIO, i), last, a[i]);
                b = fma(-pivot(FROM, i), last, b);
                if (summing)
                    dot += (double)(last * pivot(INVERSE, i) * last);
            }
        });
        if (size > 1) {
            ratio = pivot(RATIO, size);
            d -= pivot(LEFT, size - 1);
            coupling = -last_off * pivot(FROM, size - 1);
        }
    } else {
        real fill = first_off, next = first_off, inv = 0;
        unrolled<MOST - 1>([&](auto j) {
            constexpr int i = decltype(j)::value + 1;
            if (i < size) {
                real mine = own(begin + i);
                if (i > 1) {
                    ratio = next * inv;
                    mine = fma(-ratio, next, mine);
                    a[i] = fma(-ratio, last, a[i]);
                    fill *= -ratio;
                }
                inv = reciprocal(i) = inverse(mine);
                last = a[i];
                const real from = fill * inv;
                d = fma(-from, fill, d);
                b = fma(-from, last, b);
                if (summing)
                    dot += (double)(last * inv * last * weight);
                next = off(begin + i);
            }
        });
        ratio = last_off * inv; /* of size 1: 0 */
        if (size > 1)
            coupling = -ratio * fill;
    }
    other(0, s) = -ratio * last_off;
    other(1, s) = -ratio * last;
    __syncthreads();
    d += other(0, s - 1);
    b += other(1, s - 1);
    if (S == 1) /* with itself */
        d += 2 * coupling;
    if (v.loose && lambda == 0 && s == 0)
        d += own(0);
    const real right_side = b;

    const real separator = solve_separators(other, s, d, b, coupling) * weight;
    if (there)
        of[0] = separator;
    __syncthreads();
    other(0, s) = separator;
    __syncthreads();
    if (summing)
        dot += (double)(right_side * separator);

    /* back: the separator's part, then from the end */
    real after = other(0, s + 1);
    if constexpr (ALIKE) {
        unrolled<MOST - 1>([&](auto j) {
            constexpr int i = MOST - 1 - decltype(j)::value;
            if (i < size) {
                after = fma(-pivot(RATIO, i + 1), after,
                            fma(-pivot(FROM, i), separator, pivot(INVERSE, i) * a[i]));
                if (there)
                    of[i * v.step] = after;
            }
        });
    } else {
        real fill = -first_off * separator;
        unrolled<MOST - 1>([&](auto j) {
            constexpr int i = decltype(j)::value + 1;
            if (i < size) {
                if (i > 1)
                    fill *= -off(begin + i - 1) * reciprocal(i - 1);
                a[i] = fma(weight, a[i], fill);
            }
        });
        unrolled<MOST - 1>([&](auto j) {
            constexpr int i = MOST - 1 - decltype(j)::value;
            if (i < size) {
                after = reciprocal(i) * fma(-off(begin + i), after, a[i]);
                if (there)
                    of[i * v.step] = after;
            }
        });
    }
    double total;
    if (summing && cgs_grid_sum<THREADS>(dot, v.partials, v.tickets, &total))
        state->sums[v.sum] = total;
}

/* Takes the constant out of the first line, one block: of its answer the mean by M, of its
 * right-hand side what is not in the range of K. */
__global__ void leave_constant_out(const __grid_constant__ struct columns v, bool answer,
                                   struct cgs_cg_state *state)
{
    __shared__ double mean;
    if (state && !cgs_cg_going_on(state))
        return;
    const auto mass_of = [&](int k) -> double {
        return (double)v.entries[k].mass + v.entries[k].mass_off +
               v.entries[k > 0 ? k - 1 : v.n - 1].mass_off;
    };
    double sum = 0.0, mass = 0.0;
    for (int k = (int)threadIdx.x; k < v.n; k += CGS_THREADS) {
        sum += (answer ? mass_of(k) : 1.0) * v.of[k * v.step];
        mass += mass_of(k);
    }
    sum = cgs_block_sum(sum);
    mass = cgs_block_sum(mass);
    if (threadIdx.x == 0)
        mean = sum / mass;
    __syncthreads();
    for (int k = (int)threadIdx.x; k < v.n; k += CGS_THREADS)
        v.of[k * v.step] -= (real)(answer ? mean : mean * mass_of(k));
}

} // namespace
