/* Vector steps of the CUDA space, one struct each, run by steps.cuh.
 *
 * Where the numbers of ranks are to have one rank's bits, a sum of two products says by fma() which
 * of them is rounded: compilers choose, and chose otherwise in the tail of a vector (W = 1) than in
 * its bulk. */
#pragma once

#include <type_traits>

#include "kernels/vector/steps.cuh"

namespace {

/* Operands of a step, W numbers each. */
template <int W> struct none {};
template <int W> struct one {
    pack<W> x;
};
template <int W> struct two {
    pack<W> x, y;
};
template <int W> struct four {
    pack<W> p, q, x, r;
};

struct set_step {
    enum { END = NOTHING };
    real a, *x;
    __device__ void begin(const struct cgs_cg_state *) {}
    template <int W, bool EARLY> __device__ none<W> load(int64_t) const { return none<W>{}; }
    template <int W> __device__ double finish(int64_t i, const none<W> &) const
    {
        pack<W> v;
        for (int k = 0; k < W; k++)
            v.at[k] = a;
        store_pack<W>(x, i, v);
        return 0.0;
    }
};

struct copy_step {
    enum { END = NOTHING };
    const real *x;
    real *y;
    __device__ void begin(const struct cgs_cg_state *) {}
    template <int W, bool EARLY> __device__ one<W> load(int64_t i) const
    {
        return {load_pack<W, EARLY>(x, i)};
    }
    template <int W> __device__ double finish(int64_t i, const one<W> &in) const
    {
        store_pack<W>(y, i, in.x);
        return 0.0;
    }
};

/* The number type other than `real`. */
typedef std::conditional<sizeof(real) == sizeof(double), float, double>::type other;

template <int W> struct alignas(W * sizeof(other)) other_pack {
    other at[W];
};

/* y = x, converted: 12 bytes a number. */
struct convert_step {
    enum { END = NOTHING };
    const real *x;
    other *y;
    __device__ void begin(const struct cgs_cg_state *) {}
    template <int W, bool EARLY> __device__ one<W> load(int64_t i) const
    {
        return {load_pack<W, EARLY>(x, i)};
    }
    template <int W> __device__ double finish(int64_t i, const one<W> &in) const
    {
        other_pack<W> v;
        for (int k = 0; k < W; k++)
            v.at[k] = (other)in.x.at[k];
        *reinterpret_cast<other_pack<W> *>(y + i) = v;
        return 0.0;
    }
};

/* y = c y + a x, with either factor from the state: axpy (c = 1) and xpby (a = 1). END = CONCLUDE
 * makes it the last step of an iteration. */
template <enum end How> struct combine_step {
    enum { END = How };
    struct cgs_coefficient from_x, from_y;
    const real *x;
    real *y, a, c;
    __device__ void begin(const struct cgs_cg_state *state)
    {
        a = (real)cgs_coefficient_value(from_x, state);
        c = (real)cgs_coefficient_value(from_y, state);
    }
    template <int W, bool EARLY> __device__ two<W> load(int64_t i) const
    {
        return {load_pack<W, EARLY>(x, i), load_pack<W, EARLY>(y, i)};
    }
    template <int W> __device__ double finish(int64_t i, const two<W> &in) const
    {
        pack<W> v;
        for (int k = 0; k < W; k++)
            v.at[k] = fma(c, in.y.at[k], a * in.x.at[k]);
        store_pack<W>(y, i, v);
        return 0.0;
    }
};

/* y = d x componentwise, x'y. */
template <enum end How> struct multiply_step {
    enum { END = How };
    const real *d, *x;
    real *y;
    enum cgs_sum sum;
    __device__ void begin(const struct cgs_cg_state *) {}
    template <int W, bool EARLY> __device__ two<W> load(int64_t i) const
    {
        return {load_pack<W, EARLY>(d, i), load_pack<W, EARLY>(x, i)};
    }
    template <int W> __device__ double finish(int64_t i, const two<W> &in) const
    {
        pack<W> w;
        double s = 0.0;
        for (int k = 0; k < W; k++) {
            w.at[k] = in.x.at[k] * in.y.at[k];
            s += (double)in.y.at[k] * (double)w.at[k];
        }
        store_pack<W>(y, i, w);
        return s;
    }
};

struct dot_step {
    enum { END = SUM };
    const real *x, *y;
    enum cgs_sum sum;
    __device__ void begin(const struct cgs_cg_state *) {}
    template <int W, bool EARLY> __device__ two<W> load(int64_t i) const
    {
        return {load_pack<W, EARLY>(x, i), load_pack<W, EARLY>(y, i)};
    }
    template <int W> __device__ double finish(int64_t, const two<W> &in) const
    {
        double s = 0.0;
        for (int k = 0; k < W; k++)
            s += (double)in.x.at[k] * (double)in.y.at[k];
        return s;
    }
};

/* y = on_x x + on_y y + c d (b - q) (struct cgs_relaxation). HAS_X, BEFORE (on_y != 0), HAS_D:
 * which operands exist. Reads 1 to 5 vectors, writes 1. */
template <bool HAS_X, bool BEFORE, bool HAS_D> struct relax_step {
    enum { END = NOTHING };
    real on_x, on_y, c;
    const real *d, *b, *q, *x;
    real *y;
    template <int W> struct operands {
        pack<W> b, d, q, x, y; /* operands not loaded take no registers */
    };
    __device__ void begin(const struct cgs_cg_state *) {}
    template <int W, bool EARLY> __device__ operands<W> load(int64_t i) const
    {
        operands<W> in;
        in.b = load_pack<W, EARLY>(b, i);
        if (HAS_D)
            in.d = load_pack<W, EARLY>(d, i);
        if (HAS_X) {
            in.q = load_pack<W, EARLY>(q, i);
            in.x = load_pack<W, EARLY>(x, i);
        }
        if (BEFORE)
            in.y = load_pack<W, EARLY>(y, i);
        return in;
    }
    template <int W> __device__ double finish(int64_t i, const operands<W> &in) const
    {
        pack<W> v;
        for (int k = 0; k < W; k++) {
            const real factor = HAS_D ? c * in.d.at[k] : c;
            v.at[k] = HAS_X ? fma(factor, in.b.at[k] - in.q.at[k], on_x * in.x.at[k])
                            : factor * in.b.at[k];
            if (BEFORE)
                v.at[k] = fma(on_y, in.y.at[k], v.at[k]);
        }
        store_pack<W>(y, i, v);
        return 0.0;
    }
};

/* x += alpha p, r -= alpha q, r'r: reads 4 vectors, writes 2. */
struct update_step {
    enum { END = SUM };
    const real *p, *q;
    real *x, *r, alpha;
    enum cgs_sum sum;
    __device__ void begin(const struct cgs_cg_state *state) { alpha = (real)cgs_cg_alpha(state); }
    template <int W, bool EARLY> __device__ four<W> load(int64_t i) const
    {
        return {load_pack<W, EARLY>(p, i), load_pack<W, EARLY>(q, i), load_pack<W, EARLY>(x, i),
                load_pack<W, EARLY>(r, i)};
    }
    template <int W> __device__ double finish(int64_t i, four<W> in) const
    {
        double s = 0.0;
        for (int k = 0; k < W; k++) {
            in.x.at[k] += alpha * in.p.at[k];
            in.r.at[k] -= alpha * in.q.at[k];
            s += (double)in.r.at[k] * (double)in.r.at[k];
        }
        store_pack<W>(x, i, in.x);
        store_pack<W>(r, i, in.r);
        return s;
    }
};

} // namespace
