/* y = A x on the plain box, and CG's steps with it: the 27-point stencil (stencil_lines.h).
 *
 * Vectors moved, 8 bytes a row each in double. Braces: written without having been read; a CPU
 * reads such a line as well:
 *
 *     apply                  x, {y}                                    2
 *     direction_apply_dot    z, old p, {p}: p'A p alone, no q          3
 *     update                 p, x, r, x, r: A p again                  5
 *     residual               b, x, {r}                                 3
 *     residual_norm          b, x                                      2
 *     relax                  x, y, b, y; on_y = 0: x, b, {y}           4, 3
 *
 * Together 8 an iteration; 10 with q stored, 11 composed of the space's steps. CG's q is not
 * needed; its memory holds the other of two directions: an iteration writes p over the direction
 * before the last, since neighbours still read the last one.
 */
#include <omp.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/matrix_free/free.h"
#include "kernels/matrix_free/planes_cpu.h"
#include "kernels/matrix_free/stencil_tiles.h"
#include "kernels/vector/state_cpu.h"

/* ---- all tiles ---- */

static void multiply(const struct stencil *self, struct cgs_queue *queue, double *partials,
                     const real *x, real *y)
{
#pragma omp parallel num_threads(cgs_threads_for(queue, self->tiles.n))
    {
        struct cgs_march m = cgs_march_of_thread(&self->tiles, queue->arrival);
        while (cgs_march_on(&m)) {
            const double sum = multiply_tile(self, m.z, &m.tile, partials != NULL, x, y);
            if (partials)
                partials[cgs_march_place(&m)] = sum;
        }
    }
}

static enum cgs_status apply(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, void *y)
{
    if (!state || cgs_cg_going_on(state))
        multiply(self, queue, NULL, x, y);
    return CGS_OK;
}

static void add_up(const struct stencil *self, struct cgs_queue *queue, struct cgs_cg_state *state,
                   enum cgs_sum sum)
{
    const struct cgs_blocks blocks = cgs_blocks_of_tiles(&self->tiles);
    cgs_cpu_add_up(queue, state, sum, self->tiles.portion, &blocks);
}

static enum cgs_status apply_dot(const void *self, struct cgs_queue *queue,
                                 struct cgs_cg_state *state, const void *x, void *y,
                                 enum cgs_sum sum)
{
    if (!cgs_cg_going_on(state))
        return CGS_OK;
    multiply(self, queue, queue->partials, x, y);
    add_up(self, queue, state, sum);
    return CGS_OK;
}

/* ---- fused steps ---- */

/* Vectors of an iteration's direction, in p and q by turns, first q. */
struct directions {
    const real *z, *old;
    real *p;
    real beta;
};

static struct directions directions_of(const struct cgs_cg_state *state,
                                       const struct cgs_cg_vectors *v)
{
    const bool in_q = cgs_cg_direction_in_q(state);
    return (struct directions){.z = v->z,
                               .old = in_q ? v->q : v->p,
                               .p = in_q ? v->p : v->q,
                               .beta = (real)state->beta};
}

static void make_lines(const struct directions *d, const int64_t *n, int64_t z, int64_t begin,
                       int64_t end)
{
    const int64_t at = (z * n[1] + begin) * n[0];
    if (end > begin)
        make_direction((end - begin) * n[0], d->z + at, d->beta, d->old + at, d->p + at);
}

/* Makes p of other ranks' planes next to the slab, which they make as well: z was fetched, the
 * old p made here. */
static void make_ghosts(const struct directions *d, const struct cgs_tiles *tiles,
                        const struct cgs_slab *slab)
{
    const struct cgs_planes_here *planes = &tiles->planes;
    if (planes->low < 0 && slab->begin == 0)
        make_lines(d, tiles->n, -1, 0, tiles->n[1]);
    if (planes->high > planes->count && slab->end == planes->count)
        make_lines(d, tiles->n, planes->count, 0, tiles->n[1]);
}

/* Makes p of plane z as far as a tile reads it, beyond what the tile before it has made; the
 * first and last plane of a slab are there. */
static void make_plane(const struct directions *d, const struct cgs_tiles *tiles,
                       const struct cgs_slab *slab, int64_t t, int64_t z)
{
    const struct cgs_tile tile = cgs_tile_of(tiles, t);
    if (slab->begin < z && z < slab->end - 1)
        make_lines(d, tiles->n, z, t > 0 ? tile.begin + 1 : 0,
                   tile.end < tiles->n[1] ? tile.end + 1 : tiles->n[1]);
}

/* p'A p of planes first ... last - 1, whose neighbours have p. */
static void sum_planes(const struct stencil *self, const real *p, int64_t first, int64_t last,
                       double *partials)
{
    const struct cgs_tiles *tiles = &self->tiles;
    for (int64_t t = 0; t < tiles->count; t++) {
        const struct cgs_tile tile = cgs_tile_of(tiles, t);
        for (int64_t z = first; z < last; z++)
            partials[z * tiles->count + t] = energy_of_tile(self, z, &tile, p);
    }
}

/* The thread's part. Its first and last plane come first, since other threads wait for them; then
 * each tile makes p one plane ahead of the products; planes next to ghosts are last. */
static void direction_of_slab(const struct stencil *self, const struct directions *d,
                              struct cgs_arrival *arrival, double *partials)
{
    const struct cgs_tiles *tiles = &self->tiles;
    const struct cgs_slab slab = cgs_slab_of_thread(tiles->planes.count);
    const struct cgs_slab inner = cgs_slab_inner(&tiles->planes, slab);
    if (slab.end > slab.begin)
        make_lines(d, tiles->n, slab.begin, 0, tiles->n[1]);
    if (slab.end > slab.begin + 1)
        make_lines(d, tiles->n, slab.end - 1, 0, tiles->n[1]);
#pragma omp barrier
    for (int64_t t = 0; t < tiles->count; t++) {
        const struct cgs_tile tile = cgs_tile_of(tiles, t);
        make_plane(d, tiles, &slab, t, inner.begin);
        for (int64_t z = inner.begin; z < inner.end; z++) {
            make_plane(d, tiles, &slab, t, z + 1);
            partials[z * tiles->count + t] = energy_of_tile(self, z, &tile, d->p);
            cgs_arrival_progress(arrival);
        }
    }
    const bool ghosts = inner.end - inner.begin < slab.end - slab.begin;
    cgs_arrival_await(arrival, ghosts);
    if (ghosts)
        make_ghosts(d, tiles, &slab);
    sum_planes(self, d->p, slab.begin, inner.begin, partials);
    sum_planes(self, d->p, inner.end, slab.end, partials);
}

static enum cgs_status direction_apply_dot(const void *self, struct cgs_queue *queue,
                                           struct cgs_cg_state *state, struct cgs_cg_vectors *v)
{
    const struct directions d = directions_of(state, v);
    if (!cgs_cg_going_on(state))
        return CGS_OK;
#pragma omp parallel num_threads(queue->context->threads)
    direction_of_slab(self, &d, queue->arrival, queue->partials);
    add_up(self, queue, state, CGS_SUM_PQ);
    return CGS_OK;
}

static enum cgs_status update(const void *self, struct cgs_queue *queue, struct cgs_cg_state *state,
                              struct cgs_cg_vectors *v)
{
    const struct stencil *stencil = self;
    const real *p = directions_of(state, v).p, alpha = (real)cgs_cg_alpha(state);
    if (!cgs_cg_going_on(state))
        return CGS_OK;
#pragma omp parallel num_threads(cgs_threads_for(queue, stencil->tiles.n))
    {
        struct cgs_march m = cgs_march_of_thread(&stencil->tiles, queue->arrival);
        while (cgs_march_on(&m))
            queue->partials[cgs_march_place(&m)] =
                update_tile(stencil, m.z, &m.tile, alpha, p, v->x, v->r);
    }
    add_up(stencil, queue, state, CGS_SUM_RR);
    return CGS_OK;
}

static enum cgs_status finish(const void *self, struct cgs_queue *queue, struct cgs_cg_state *state,
                              struct cgs_cg_vectors *v)
{
    const struct cgs_tiles *tiles = &((const struct stencil *)self)->tiles;
    const int64_t plane = tiles->n[0] * tiles->n[1];
    if (cgs_cg_direction_in_q(state)) {
#pragma omp parallel for num_threads(queue->context->threads) schedule(static)
        for (int64_t z = tiles->planes.low; z < tiles->planes.high; z++)
            memcpy((real *)v->p + z * plane, (const real *)v->q + z * plane,
                   (size_t)plane * sizeof(real));
    }
    state->parity_base = state->iteration;
    return CGS_OK;
}

/* ---- steps of smoothers ---- */

static enum cgs_status residual(const void *self, struct cgs_queue *queue,
                                const struct cgs_cg_state *state, const void *b, const void *x,
                                void *r)
{
    const struct stencil *stencil = self;
    if (cgs_cpu_stopped(state))
        return CGS_OK;
#pragma omp parallel num_threads(cgs_threads_for(queue, stencil->tiles.n))
    {
        struct cgs_march m = cgs_march_of_thread(&stencil->tiles, queue->arrival);
        while (cgs_march_on(&m))
            residual_tile(stencil, m.z, &m.tile, b, x, r);
    }
    return CGS_OK;
}

static enum cgs_status residual_norm(const void *self, struct cgs_queue *queue,
                                     struct cgs_cg_state *state, const void *b, const void *x,
                                     enum cgs_sum sum)
{
    const struct stencil *stencil = self;
    if (!cgs_cg_going_on(state))
        return CGS_OK;
#pragma omp parallel num_threads(cgs_threads_for(queue, stencil->tiles.n))
    {
        struct cgs_march m = cgs_march_of_thread(&stencil->tiles, queue->arrival);
        while (cgs_march_on(&m))
            queue->partials[cgs_march_place(&m)] = norm_of_tile(stencil, m.z, &m.tile, b, x);
    }
    add_up(stencil, queue, state, sum);
    return CGS_OK;
}

static enum cgs_status relax(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const struct cgs_relaxation *step)
{
    const struct stencil *stencil = self;
    if (cgs_cpu_stopped(state))
        return CGS_OK;
#pragma omp parallel num_threads(cgs_threads_for(queue, stencil->tiles.n))
    {
        struct cgs_march m = cgs_march_of_thread(&stencil->tiles, queue->arrival);
        while (cgs_march_on(&m))
            relax_tile(stencil, m.z, &m.tile, step);
    }
    return CGS_OK;
}

/* ---- the table ---- */

static void plan(const struct cgs_matrix *matrix, struct cgs_plan *plan_out)
{
    cgs_plan_add(plan_out, CGS_HOST, "stencil", 1, sizeof(struct stencil));
    cgs_plan_add(plan_out, CGS_HOST, "line of zeros", matrix->mesh->n[0], sizeof(real));
}

static void release(void *self)
{
    struct stencil *made = self;
    if (!made)
        return;
    struct cgs_context *context = made->context;
    cgs_free(context, made->zero);
    cgs_free(context, made);
}

static enum cgs_status prepare(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                               void **self)
{
    struct cgs_context *context = queue->context;
    const int64_t *n = matrix->mesh->n;
    struct stencil *made;
    CGS_TRY(cgs_alloc(context, 1, sizeof *made, "stencil", (void **)&made));
    *made = (struct stencil){.context = context, .tiles = cgs_tiles_of(n, matrix->source->portion)};
    const enum cgs_status status =
        cgs_alloc(context, n[0], sizeof(real), "line of zeros", (void **)&made->zero);
    if (status != CGS_OK) {
        release(made);
        return status;
    }
    for (int64_t i = 0; i < n[0]; i++)
        made->zero[i] = 0;
    cgs_stencil_numbers(matrix->mesh, made->number);
    made->cubic = cgs_stencil_cubic(made->number);
    *self = made;
    return CGS_OK;
}

CGS_TABLE(struct cgs_kernel, cgs_cpu_stencil) = {
    .reproducible = true,
    .shared = true,
    .accepts = cgs_stencil_accepts,
    .layout = cgs_planes_layout,
    .plan = plan,
    .prepare = prepare,
    .traffic = cgs_free_traffic,
    .steps = {.overlaps = true,
              .apply = apply,
              .apply_dot = apply_dot,
              .residual = residual,
              .residual_norm = residual_norm,
              .relax = relax,
              .direction_apply_dot = direction_apply_dot,
              .update = update,
              .finish = finish,
              .direction_moves = {2, 1, 1},
              .update_moves = {3, 2, 1},
              .release = release},
};
