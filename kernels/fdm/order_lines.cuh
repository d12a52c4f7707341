/* Solves many lines along z of cells of order P > 1, each number read and written once a pass
 * (kernels/fdm.h).
 *
 * A thread has a segment of one line in registers, as in tridiagonal.cuh, of cells instead of
 * unknowns: slot c is node P c, a vertex, and the inner nodes of cell c after it. A line whose high
 * end is free has one slot more, of a vertex alone. The inner nodes are condensed into the vertices
 * by the modes of the cell (fem/element/order_modes.h), with tau = (lambda mass + absorb) / stiff:
 *
 *     g = Q' (even and odd parts of b),   i = 1 / (mu + tau)
 *     r_s, r_d = sum of beta i g over even, odd modes, / sqrt 2
 *     b of the low vertex += r_d - r_s,   of the high one -= r_d + r_s
 *     S_e = stiff tau (w_0 + sum of beta^2 / mu i),   S_o = stiff + likewise
 *     T: (S_e + S_o) / 2 on the diagonal of both vertices, (S_e - S_o) / 2 beside it
 *
 * The vertices' tridiagonal system takes the steps of tridiagonal.cuh, and then
 *
 *     inner nodes = Q (g i / stiff - beta i (s or d)),   s, d = (high +- low) / sqrt 2
 *
 * A node that has a value is a vertex with T = 1, coupled with none.
 */
#pragma once

#include "kernels/fdm/tridiagonal.cuh"

namespace
{

/* Factors of a cell: stiff, the others' quotients by it, and 1 / stiff. */
struct alignas(4 * sizeof(real)) order_cell {
    real stiff, mass, absorb, over;
};

/* A line of cells of order p, and the modes of the reference cell. */
struct order_line {
    const order_cell *cell;
    int cells, slots;
    int first;  /* unknown of node 0: -1 or 0 */
    bool alike; /* all cells */
    bool high;  /* node P cells is an unknown, or node 0 of the period */
    real transfer[2];
    real weight, mu[CGS_INNER_MOST], square[CGS_INNER_MOST]; /* beta^2 / mu */
    real beta[CGS_INNER_MOST];                               /* over sqrt 2 */
    real Q[CGS_INNER_MOST][CGS_INNER_MOST];
};

/* Numbers of a cell's inner modes and vertices for a lambda. */
template <int P> struct order_part {
    real over[P - 1], beta[P - 1]; /* i / stiff, beta i / sqrt 2 */
    real own, beside;              /* (S_e +- S_o) / 2 */
};

template <int P>
__device__ inline void find_part(const struct order_line &o, const order_cell &cell, real lambda,
                                 struct order_part<P> *part)
{
    const real tau = fma(lambda, cell.mass, cell.absorb);
    real even = o.weight, odd = o.weight;
    unrolled<P - 1>([&](auto m) {
        constexpr int i = decltype(m)::value;
        const real inv = inverse(o.mu[i] + tau);
        if constexpr (i < P / 2)
            even = fma(inv, o.square[i], even);
        else
            odd = fma(inv, o.square[i], odd);
        part->over[i] = inv * cell.over;
        part->beta[i] = inv * o.beta[i];
    });
    even *= tau * cell.stiff;
    odd = fma(tau * cell.stiff, odd, cell.stiff);
    part->own = (real)0.5 * (even + odd);
    part->beside = (real)0.5 * (even - odd);
}

/* From inner nodes 1 ... P - 1, of which a[0] is no one, to even and odd parts, or back. */
template <int P, bool BACK> __device__ inline void split_parts(real (&a)[P])
{
    constexpr real root = (real)0.70710678118654752440;
    real b[P];
    unrolled<P / 2>([&](auto j) {
        constexpr int i = decltype(j)::value + 1, odd = P / 2 + i;
        if constexpr (2 * i == P) {
            b[i] = a[i];
        } else {
            const real low = a[i], high = a[BACK ? odd : P - i];
            b[i] = (low + high) * root;
            b[BACK ? P - i : odd] = (low - high) * root;
        }
    });
    unrolled<P - 1>([&](auto i) { a[i + 1] = b[i + 1]; });
}

/* Inner parts times Q, or Q'. */
template <int P, bool TRANSPOSED>
__device__ inline void multiply_inner(const struct order_line &o, real (&a)[P])
{
    real b[P];
    unrolled<P - 1>([&](auto i) {
        constexpr int I = decltype(i)::value, from = I < P / 2 ? 0 : P / 2;
        constexpr int count = I < P / 2 ? P / 2 : P - 1 - P / 2;
        b[I + 1] = 0;
        unrolled<count>([&](auto j) {
            constexpr int J = from + decltype(j)::value;
            b[I + 1] = fma(TRANSPOSED ? o.Q[J][I] : o.Q[I][J], a[J + 1], b[I + 1]);
        });
    });
    unrolled<P - 1>([&](auto i) { a[i + 1] = b[i + 1]; });
}

/* A block has a tile of `width` columns. MOST: slots of a segment. */
template <int P, int MOST, int THREADS>
__global__ void __launch_bounds__(THREADS, 1)
    order_line_kernel(const __grid_constant__ struct columns v,
                      const __grid_constant__ struct order_line o, struct cgs_cg_state *state)
{
    CGS_DYNAMIC_SHARED(real, line_memory);
    if (state && !cgs_cg_going_on(state))
        return;
    const int S = v.segments;
    const auto [s, w, column, there, lambda, weight] = seat_of(v);
    const int begin = (int)((int64_t)s * o.slots / S);
    const int size = (int)((int64_t)(s + 1) * o.slots / S) - begin;
    real *const of = v.of + column + ((int64_t)begin * P + o.first) * v.step;
    const struct exchange<THREADS> other = {
        line_memory, v.width, S, w
    };
    const bool summing = v.sum != CGS_SUM_NOWHERE, held = begin == 0 && o.first < 0;
    const auto is_cell = [&](int j) -> bool { return j < size && begin + j < o.cells; };
    const auto is_vertex = [&](int j) -> bool { return j < size && !(j == 0 && held); };
    double dot = 0.0;

    real a[MOST][P]; /* [slot][0]: the vertex */
    {
        const real *from = of;
        unrolled<MOST>([&](auto j) {
            unrolled<P>([&](auto i) {
                const bool is = decltype(i)::value == 0 ? is_vertex(j) : is_cell(j);
                a[j][i] = there && is ? *from : (real)0;
                from += v.step;
            });
        });
    }

    struct order_part<P> part;
    const auto part_of = [&](int j) {
        if (j == 0 || !o.alike)
            find_part<P>(o, o.cell[begin + j], lambda, &part);
    };

    /* condensation, and elimination as in line_kernel, of vertex j once cell j is condensed */
    real reciprocal[MOST], beside[MOST]; /* of pivots; entries beside the diagonal */
    real d = 0, b = 0, last = 0, ratio = 0, fill = 0, more_d = 0,
         more_b = 0; /* of the cell below */
    unrolled<MOST>([&](auto slot) {
        constexpr int j = decltype(slot)::value;
        real own = more_d, off = 0;
        beside[j] = reciprocal[j] = 0;
        if (j >= size)
            return;
        a[j][0] += more_b;
        more_d = more_b = 0;
        if (is_cell(j)) {
            real even = 0, odd = 0;
            part_of(j);
            split_parts<P, false>(a[j]);
            multiply_inner<P, true>(o, a[j]);
            unrolled<P - 1>([&](auto m) {
                constexpr int i = decltype(m)::value;
                if constexpr (i < P / 2)
                    even = fma(part.beta[i], a[j][i + 1], even);
                else
                    odd = fma(part.beta[i], a[j][i + 1], odd);
                if (summing)
                    dot += (double)(a[j][i + 1] * part.over[i] * a[j][i + 1] * weight);
            });
            a[j][0] += odd - even;
            own += part.own;
            if (o.high || begin + j + 1 < o.cells) {
                off = part.beside;
                more_d = part.own;
                more_b = -even - odd;
            }
        } else {
            own += o.transfer[1];
        }
        if (j == 0 && begin == 0)
            own += o.transfer[0];
        if (!is_vertex(j)) {
            own = 1;
            off = a[j][0] = 0;
        }
        beside[j] = off;
        if constexpr (j == 0) {
            d = own;
            b = a[0][0];
            fill = off;
        } else {
            if constexpr (j > 1) {
                ratio = beside[j - 1] * reciprocal[j - 1];
                own = fma(-ratio, beside[j - 1], own);
                a[j][0] = fma(-ratio, last, a[j][0]);
                fill *= -ratio;
            }
            const real inv = reciprocal[j] = inverse(own), from = fill * inv;
            last = a[j][0];
            d = fma(-from, fill, d);
            b = fma(-from, last, b);
            if (summing)
                dot += (double)(last * inv * last * weight);
        }
    });
    real last_off = beside[0], coupling = beside[0];
    ratio = 0;
    unrolled<MOST - 1>([&](auto slot) {
        constexpr int j = decltype(slot)::value + 1;
        if (j + 1 == size) {
            last_off = beside[j];
            ratio = last_off * reciprocal[j];
            coupling = -ratio * fill;
        }
    });
    other(0, s) = fma(-ratio, last_off, more_d);
    other(1, s) = fma(-ratio, last, more_b);
    __syncthreads();
    d += other(0, s - 1);
    b += other(1, s - 1);
    if (S == 1) /* with itself */
        d += 2 * coupling;
    if (v.loose && lambda == 0 && s == 0)
        d += o.cell[0].stiff;
    const real right_side = b;
    const real separator = solve_separators(other, s, d, b, coupling) * weight;
    __syncthreads();
    other(0, s) = separator;
    __syncthreads();
    if (summing)
        dot += (double)(right_side * separator);

    /* back: the vertices, then the cells between them */
    real above = other(0, s + 1);
    if (!o.high && begin + size == o.cells)
        above = 0;
    fill = -beside[0] * separator;
    unrolled<MOST - 1>([&](auto slot) {
        constexpr int j = decltype(slot)::value + 1;
        if constexpr (j > 1)
            fill *= -beside[j - 1] * reciprocal[j - 1];
        a[j][0] = fma(weight, a[j][0], fill);
    });
    a[0][0] = separator;
    unrolled<MOST>([&](auto slot) {
        constexpr int j = MOST - 1 - decltype(slot)::value;
        if (j >= size)
            return;
        if constexpr (j > 0)
            a[j][0] = reciprocal[j] * fma(-beside[j], above, a[j][0]);
        const real low = a[j][0];
        real *const to = of + (int64_t)(j * P) * v.step;
        if (is_cell(j)) {
            if (!o.alike)
                part_of(j);
            unrolled<P - 1>([&](auto m) {
                constexpr int i = decltype(m)::value;
                a[j][i + 1] = fma(weight * part.over[i], a[j][i + 1],
                                  -part.beta[i] * (i < P / 2 ? low + above : above - low));
            });
            multiply_inner<P, false>(o, a[j]);
            split_parts<P, true>(a[j]);
            unrolled<P - 1>([&](auto m) {
                if (there)
                    to[(m + 1) * v.step] = a[j][m + 1];
            });
        }
        if (there && is_vertex(j))
            *to = low;
        above = low;
    });
    double total;
    if (summing && cgs_grid_sum<THREADS>(dot, v.partials, v.tickets, &total))
        state->sums[v.sum] = total;
}

} // namespace
