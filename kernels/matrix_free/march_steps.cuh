/* Operators that march (march.cuh), on the host: the layout of vectors, the steps of their tables,
 * and the end of a solve. */
#pragma once

#include "kernels/device/launch.cuh"
#include "kernels/matrix_free/free.h"
#include "kernels/matrix_free/march.cuh"

namespace
{

constexpr int ALIGNED = 16; /* numbers: lines begin at multiples of 64 or 128 bytes */

/* Numbers from line to line of a box. */
constexpr int64_t march_pitch(int64_t n)
{
    return (n + ALIGNED - 1) / ALIGNED * ALIGNED;
}

void march_layout(const struct cgs_matrix *matrix, struct cgs_layout *domain,
                  struct cgs_layout *range)
{
    const int64_t n = matrix->mesh->n[0];
    domain->plane = cgs_mesh_plane(matrix->mesh);
    if (n % ALIGNED != 0) {
        domain->length = n;
        domain->rows = domain->size / n;
        domain->pitch = march_pitch(n);
    }
    *range = *domain;
}

struct fields product_fields(const void *x, void *y)
{
    struct fields f = {};
    f.x = static_cast<const real *>(x);
    f.y = static_cast<real *>(y);
    return f;
}

/* An operator that keeps its product, in y, has a work vector for the second direction. */
struct fields cg_fields(const struct cgs_cg_vectors *v)
{
    struct fields f = {};
    f.z = static_cast<const real *>(v->z);
    f.y = static_cast<real *>(v->q);
    f.p = static_cast<real *>(v->p);
    f.q = static_cast<real *>(v->work[0] ? v->work[0] : v->q);
    f.r = static_cast<real *>(v->r);
    f.solution = static_cast<real *>(v->x);
    return f;
}

/* x += alpha p of the last concluded iteration, if LATE has deferred it; moves the direction to
 * p. */
__global__ void __launch_bounds__(CGS_THREADS)
    settle(int64_t packs, const struct cgs_cg_state *state, const struct fields f)
{
    const bool in_q = cgs_cg_direction_in_q(state);
    if (!state->x_deferred && !in_q)
        return;
    const real alpha = state->x_deferred ? (real)state->records[state->iteration].alpha : (real)0;
    for (int64_t i = (int64_t)blockIdx.x * CGS_THREADS + threadIdx.x; i < packs;
         i += (int64_t)gridDim.x * CGS_THREADS) {
        const pack<WIDE> p = load_pack<WIDE, false>(in_q ? f.q : f.p, i * WIDE);
        if (in_q)
            store_pack<WIDE>(f.p, i * WIDE, p);
        if (alpha == 0)
            continue;
        pack<WIDE> x = load_pack<WIDE, false>(f.solution, i * WIDE);
        for (int v = 0; v < WIDE; v++)
            x.at[v] += alpha * p.at[v];
        store_pack<WIDE>(f.solution, i * WIDE, x);
    }
}

__global__ void settled(struct cgs_cg_state *state)
{
    state->x_deferred = 0;
    state->parity_base = state->iteration;
}

/* Steps of an operator that has
 *     template <enum mode M> static enum cgs_status march(self, queue, state, fields, down, sum)
 *     static int64_t numbers(self)       of a vector in memory
 * down: the direction in which a step marches. The kernel before it ended where it begins. */
template <class OPERATOR> struct march_steps {
    static enum cgs_status apply(const void *self, struct cgs_queue *queue,
                                 const struct cgs_cg_state *state, const void *x, void *y)
    {
        return OPERATOR::template march<APPLY>(self, queue, state, product_fields(x, y), false,
                                               CGS_SUM_NOWHERE);
    }

    static enum cgs_status apply_dot(const void *self, struct cgs_queue *queue,
                                     struct cgs_cg_state *state, const void *x, void *y,
                                     enum cgs_sum sum)
    {
        return OPERATOR::template march<APPLY_DOT>(self, queue, state, product_fields(x, y), false,
                                                   sum);
    }

    static enum cgs_status residual(const void *self, struct cgs_queue *queue,
                                    const struct cgs_cg_state *state, const void *b, const void *x,
                                    void *r)
    {
        struct fields f = product_fields(x, r);
        f.b = static_cast<const real *>(b);
        return OPERATOR::template march<RESIDUAL>(self, queue, state, f, false, CGS_SUM_NOWHERE);
    }

    static enum cgs_status residual_norm(const void *self, struct cgs_queue *queue,
                                         struct cgs_cg_state *state, const void *b, const void *x,
                                         enum cgs_sum sum)
    {
        struct fields f = product_fields(x, NULL);
        f.b = static_cast<const real *>(b);
        return OPERATOR::template march<NORM>(self, queue, state, f, false, sum);
    }

    /* A smoother's first step over x runs downwards, as the previous kernel ran upwards; its second
     * step runs upwards again, as does the residual after pre-smoothing. */
    static enum cgs_status relax(const void *self, struct cgs_queue *queue,
                                 const struct cgs_cg_state *state,
                                 const struct cgs_relaxation *step)
    {
        return relax_with(self, queue, state, step, NULL);
    }

    /* product: in q. */
    static enum cgs_status relax_with(const void *self, struct cgs_queue *queue,
                                      const struct cgs_cg_state *state,
                                      const struct cgs_relaxation *step, void *product)
    {
        struct fields f = product_fields(step->x, step->y);
        f.b = static_cast<const real *>(step->b);
        f.d = static_cast<const real *>(step->d);
        f.q = static_cast<real *>(product);
        f.on_x = (real)step->on_x;
        f.on_y = (real)step->on_y;
        f.c = (real)step->c;
        return OPERATOR::template march<RELAX>(self, queue, state, f, step->on_y == 0.0,
                                               CGS_SUM_NOWHERE);
    }

    static enum cgs_status direction_apply_dot(const void *self, struct cgs_queue *queue,
                                               struct cgs_cg_state *state, struct cgs_cg_vectors *v)
    {
        return OPERATOR::template march<DIRECTION>(self, queue, state, cg_fields(v), false,
                                                   CGS_SUM_PQ);
    }

    static enum cgs_status update(const void *self, struct cgs_queue *queue,
                                  struct cgs_cg_state *state, struct cgs_cg_vectors *v)
    {
        return OPERATOR::template march<UPDATE>(self, queue, state, cg_fields(v), true, CGS_SUM_RR);
    }

    static enum cgs_status update_conclude(const void *self, struct cgs_queue *queue,
                                           struct cgs_cg_state *state, struct cgs_cg_vectors *v)
    {
        return OPERATOR::template march<LATE>(self, queue, state, cg_fields(v), true, CGS_SUM_RR);
    }

    static enum cgs_status finish(const void *self, struct cgs_queue *queue,
                                  struct cgs_cg_state *state, struct cgs_cg_vectors *v)
    {
        const int64_t packs = OPERATOR::numbers(self) / WIDE;
        const int64_t all = (packs + CGS_THREADS - 1) / CGS_THREADS;
        const int64_t grid = all < CGS_MOST_BLOCKS ? all : (int64_t)CGS_MOST_BLOCKS;
        CGS_TRY(cgs_launch(queue, "settle", settle, grid, packs, state, cg_fields(v)));
        return cgs_launch(queue, "settled", settled, 1, state);
    }
};

} // namespace
