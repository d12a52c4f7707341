/* The second half of an unpreconditioned iteration for long vectors. x is updated every second
 * iteration, for two iterations at once, in late_update_step:
 *
 *     x += alpha p + alpha' p'     where p = r + beta' p', so p' = (p - r) / beta'
 *
 * (primes: previous iteration; p and r as it left them), so that p' is not kept. If beta is so
 * small that p - r has lost p', late_direction_step updates x at once. state->x_deferred says that
 * x is incomplete; settle_step completes it when CG stops.
 *
 * Traffic: late_update_step reads q, r and writes r, every second time also reads p, x and writes
 * x; late_direction_step reads r, p and writes p: 7.5 vectors an iteration on average instead of 9.
 */
#pragma once

#include "kernels/vector/vector_steps.cuh"

namespace
{

/* x += alpha p every second time, r -= alpha q, r'r. Backwards: it begins with what the product
 * left in the cache, and ends where the direction begins. */
struct late_update_step {
    enum { END = SUM, BACKWARDS = true };
    const struct cgs_cg_state *state;
    const real *p, *q;
    real *x, *r, alpha, on_p, on_r;
    enum cgs_sum sum;
    bool moves;
    __device__ void begin(const struct cgs_cg_state *now)
    {
        const double step = cgs_cg_alpha(now);
        alpha = (real)step;
        moves = state->x_deferred != 0;
        if (moves) {
            const double before = state->records[state->iteration].alpha / state->beta;
            on_p = (real)(step + before);
            on_r = (real)-before;
        }
    }
    template <int W, bool EARLY> __device__ four<W> load(int64_t i) const
    {
        four<W> in;
        in.q = load_pack<W, EARLY>(q, i);
        in.r = load_pack<W, EARLY>(r, i);
        if (moves) {
            in.p = load_pack<W, EARLY>(p, i);
            in.x = load_pack<W, EARLY>(x, i);
        }
        return in;
    }
    template <int W> __device__ double finish(int64_t i, four<W> in) const
    {
        double s = 0.0;
        if (moves) {
            for (int k = 0; k < W; k++)
                in.x.at[k] += on_p * in.p.at[k] + on_r * in.r.at[k];
            store_pack<W>(x, i, in.x);
        }
        for (int k = 0; k < W; k++) {
            in.r.at[k] -= alpha * in.q.at[k];
            s += (double)in.r.at[k] * (double)in.r.at[k];
        }
        store_pack<W>(r, i, in.r);
        return s;
    }
};

/* Below this beta, (p - r) / beta has lost too much of the previous direction: x is not
 * deferred. */
constexpr double SMALL_BETA = 1e-3;

/* p = r + beta p after a late update, and the end of the iteration. */
struct late_direction_step {
    enum { END = CONCLUDE };
    const struct cgs_cg_state *state;
    const real *r;
    real *p, *x, alpha, beta;
    bool moves; /* update x at once */
    __device__ static bool small(const struct cgs_cg_state *now)
    {
        return cgs_cg_beta(now) < SMALL_BETA;
    }
    __device__ void begin(const struct cgs_cg_state *now)
    {
        alpha = (real)cgs_cg_alpha(now);
        beta = (real)cgs_cg_beta(now);
        moves = state->x_deferred == 0 && small(now);
    }
    template <int W, bool EARLY> __device__ two<W> load(int64_t i) const
    {
        return {load_pack<W, EARLY>(r, i), load_pack<W, EARLY>(p, i)};
    }
    template <int W> __device__ double finish(int64_t i, two<W> in) const
    {
        if (moves) {
            pack<W> xi = load_pack<W, false>(x, i);
            for (int k = 0; k < W; k++)
                xi.at[k] += alpha * in.y.at[k];
            store_pack<W>(x, i, xi);
        }
        for (int k = 0; k < W; k++)
            in.y.at[k] = beta * in.y.at[k] + in.x.at[k];
        store_pack<W>(p, i, in.y);
        return 0.0;
    }
    __device__ static void conclude(struct cgs_cg_state *state)
    {
        const bool defers = state->x_deferred == 0 && !small(state);
        const int64_t before = state->iteration;
        cgs_cg_conclude(state);
        state->x_deferred = defers && state->iteration > before;
    }
};

/* x += alpha p of the last concluded iteration, if deferred; p is the next direction by now. */
struct settle_step {
    enum { END = NOTHING };
    const struct cgs_cg_state *state;
    const real *p, *r;
    real *x;
    __device__ void begin(const struct cgs_cg_state *)
    {
    }
    template <int W, bool EARLY> __device__ none<W> load(int64_t) const
    {
        return none<W>{};
    }
    template <int W> __device__ double finish(int64_t i, const none<W> &) const
    {
        if (!state->x_deferred)
            return 0.0;
        const real step = (real)(state->records[state->iteration].alpha / state->beta);
        const pack<W> from = load_pack<W, false>(p, i), less = load_pack<W, false>(r, i);
        pack<W> to = load_pack<W, false>(x, i);
        for (int k = 0; k < W; k++)
            to.at[k] += step * (from.at[k] - less.at[k]);
        store_pack<W>(x, i, to);
        return 0.0;
    }
};

__global__ void settled(struct cgs_cg_state *state)
{
    state->x_deferred = 0;
}

} // namespace
