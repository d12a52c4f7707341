/* y = A x on the plain box without a matrix, on CUDA, and CG's steps fused with it (march.cuh).
 *
 * An iteration is two kernels and 7 vectors: DIRECTION reads z, p and writes p (3); LATE reads p, r
 * and writes r, every second time also x (4 on average). With a preconditioner UPDATE reads p, r, x
 * and writes r, x: 8 in all.
 */
#include "base/memory.h"
#include "kernels/device/memory_cuda.cuh"
#include "kernels/matrix_free/chunks.h"
#include "kernels/matrix_free/free.h"
#include "kernels/matrix_free/together.cuh"

namespace
{

/* Tunable (H200, double, N = 512): lines of a warp in products, which march over one vector, so
 * that three lines fit into the registers (2, 3, 4: 664, 574, 610 us), and in CG's steps (2, 3, 4:
 * 2.02, 2.21, 2.07 ms an iteration); resident blocks per multiprocessor. */
constexpr int PRODUCT_LINES = 3, STEP_LINES = 2, FIT = 2;
constexpr int LONGEST = 48; /* planes of a chunk */
constexpr int ALIGNED = 16; /* numbers: lines begin at multiples of 64 or 128 bytes */

constexpr bool is_product(enum mode m)
{
    return m == APPLY || m == APPLY_DOT || m == RESIDUAL || m == NORM;
}

constexpr int lines_of(enum mode m)
{
    return is_product(m) ? PRODUCT_LINES : STEP_LINES;
}

struct stencil {
    struct cgs_queue *queue;
    bool cubic;                    /* cells are cubes: CUBIC of the kernels */
    bool shared;                   /* other ranks have parts of the sums */
    struct box product, iteration; /* the same box in two divisions */
    struct together together;      /* and in a third; n[0] = 0 if it does not fit */
    struct meeting *meeting;       /* of a device alone */
};

struct box make_box(const struct cgs_queue *queue, const struct cgs_matrix *matrix, int lines)
{
    const struct cgs_mesh *mesh = matrix->mesh;
    const struct cgs_planes_here here = cgs_planes_of(matrix->source->portion, mesh->n);
    const int n[2] = {(int)mesh->n[0], (int)mesh->n[1]}, high = WARPS * lines;
    struct box box = {};
    box.n[0] = n[0];
    box.n[1] = n[1];
    box.planes = (int)here.count;
    box.low = (int)here.low;
    box.high = (int)here.high;
    box.pitch = (n[0] + ALIGNED - 1) / ALIGNED * ALIGNED;
    box.plane = box.pitch * n[1];
    box.tiles_x = (n[0] + SEGMENT - 1) / SEGMENT;
    box.tiles_y = (n[1] + high - 1) / high;
    cgs_stencil_numbers(mesh, box.c);
    const int64_t slots = (int64_t)FIT * cgs_cuda_device(queue)->properties.multiProcessorCount;
    box.chunks = cgs_choose_chunks(box.planes, (int64_t)box.tiles_x * box.tiles_y, slots,
                                   CGS_MOST_BLOCKS, 2, LONGEST);
    return box;
}

/* Threads and shared memory of a block of together.cuh. */
int threads_of(const struct together &t)
{
    return t.wide * t.high;
}

int64_t shared_of(const struct together &t)
{
    return (int64_t)(t.wide + 2) * (t.high + 2) * (DEPTH + 2) * (int64_t)sizeof(real);
}

/* Planes of the rank that has most, and of the one that has least; portion NULL: all. */
void find_planes(const struct cgs_portion *portion, const struct box &box, int *most, int *least)
{
    const int64_t plane = (int64_t)box.n[0] * box.n[1];
    *most = *least = box.planes;
    if (!portion)
        return;
    *most = 0;
    for (int r = 0; r < portion->ranks; r++) {
        const int planes = (int)((portion->cuts[r + 1] - portion->cuts[r]) / plane);
        *most = planes > *most ? planes : *most;
        *least = planes < *least ? planes : *least;
    }
}

/* Divides the box into at most so many blocks a rank; n[0] = 0 if a block would be too large. */
struct together divide_together(const struct box &box, int planes, int blocks)
{
    struct together t = {};
    t.wide = (box.n[0] + LANES - 1) / LANES * LANES;
    t.blocks_z = (planes + DEPTH - 1) / DEPTH;
    t.planes = box.planes;
    t.below = box.low < 0;
    t.above = box.high > box.planes;
    t.pitch = box.pitch;
    t.plane = box.plane;
    for (int i = 0; i < 8; i++)
        t.c[i] = box.c[i];
    for (t.high = 1; threads_of(t) <= MOST_THREADS; t.high++) {
        t.blocks_y = (box.n[1] + t.high - 1) / t.high;
        if (blocks_of(t) <= blocks) {
            t.n[0] = box.n[0];
            t.n[1] = box.n[1];
            break;
        }
    }
    return t;
}

/* The same on all ranks, whose letters have to hold the sums and the planes next to the cuts. */
struct together make_together(const struct cgs_queue *queue, const struct cgs_portion *portion,
                              const struct box &box)
{
    const int ranks = cgs_sum_way_of(queue, portion != NULL).ranks;
    const int here =
        portion && ranks > 1 ? cgs_peers_of(queue)->together : cgs_cuda_together(queue);
    int most, least;
    find_planes(portion, box, &most, &least);
    const struct together t =
        divide_together(box, most, here < MOST_TOGETHER ? here : (int)MOST_TOGETHER);
    const bool fits = !portion || (ranks == portion->ranks && ranks > 1 && least > 0 &&
                                   ghost_letter(t, ranks, 2, 0) <= cgs_ranks_letters(ranks) / 2);
    return fits ? t : (struct together){};
}

template <enum mode M>
enum cgs_status launch_march(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const struct fields &fields,
                             bool down, enum cgs_sum sum, const char *name)
{
    const struct stencil *stencil = static_cast<const struct stencil *>(self);
    const struct box &box = is_product(M) ? stencil->product : stencil->iteration;
    const int64_t blocks = (int64_t)box.tiles_x * box.tiles_y * box.chunks;
    struct cgs_cg_state *own = const_cast<struct cgs_cg_state *>(state);
    const bool shared =
        stencil->shared && (M == DIRECTION || updates(M)); /* else the caller reduces */
    const struct cgs_sum_way way = cgs_sum_way_of(queue, shared);
    const bool complete = !shared || way.ranks > 1;
    const auto kernel =
        stencil->cubic ? march<M, lines_of(M), FIT, true> : march<M, lines_of(M), FIT, false>;
    CGS_TRY(cgs_launch_early(queue, name, kernel, blocks, box, fields, own, down, complete, sum,
                             way, queue->partials, queue->ticket));
    return complete ? CGS_OK : cgs_cuda_add_ranks(queue, own, sum, 1, M == LATE);
}

struct fields product_fields(const void *x, void *y)
{
    struct fields f = {};
    f.x = static_cast<const real *>(x);
    f.y = static_cast<real *>(y);
    return f;
}

struct fields relaxation_fields(const struct cgs_relaxation *step)
{
    struct fields f = product_fields(step->x, step->y);
    f.b = static_cast<const real *>(step->b);
    f.d = static_cast<const real *>(step->d);
    f.on_x = (real)step->on_x;
    f.on_y = (real)step->on_y;
    f.c = (real)step->c;
    return f;
}

struct fields cg_fields(const struct cgs_cg_vectors *v)
{
    struct fields f = {};
    f.z = static_cast<const real *>(v->z);
    f.p = static_cast<real *>(v->p);
    f.q = static_cast<real *>(v->q);
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

} // namespace

static void plan(const struct cgs_matrix *, struct cgs_plan *)
{
}

static void layout(const struct cgs_matrix *matrix, struct cgs_layout *domain,
                   struct cgs_layout *range)
{
    const int64_t n = matrix->mesh->n[0];
    domain->plane = cgs_mesh_plane(matrix->mesh);
    if (n % ALIGNED != 0) {
        domain->length = n;
        domain->rows = domain->size / n;
        domain->pitch = (n + ALIGNED - 1) / ALIGNED * ALIGNED;
    }
    *range = *domain;
}

static void release(void *self)
{
    struct stencil *stencil = static_cast<struct stencil *>(self);
    cgs_cuda_free(stencil->queue, stencil->meeting);
    cgs_free(stencil->queue->context, stencil);
}

static auto together_of(const struct stencil &stencil)
{
    if (stencil.shared)
        return stencil.cubic ? iterate_together<true, true> : iterate_together<true, false>;
    return stencil.cubic ? iterate_together<false, true> : iterate_together<false, false>;
}

static enum cgs_status make_meeting(struct stencil *stencil)
{
    struct cgs_queue *queue = stencil->queue;
    if (!stencil->shared) {
        CGS_TRY(cgs_cuda_alloc(queue, 1, sizeof *stencil->meeting, "meeting of blocks",
                               (void **)&stencil->meeting));
        char *letters = (char *)stencil->meeting->letters;
        CGS_CUDA_TRY(queue->context, cudaMemset(stencil->meeting, 0, sizeof *stencil->meeting));
        CGS_CUDA_TRY(queue->context, cudaDeviceSynchronize());
        CGS_TRY(cgs_cuda_send(queue, stencil->meeting->there, &letters, sizeof letters));
    }
    /* Loads the kernel now, 0.3 ms here, to keep that out of the timed solve. */
    cudaFuncAttributes attributes;
    CGS_CUDA_TRY(queue->context, cudaFuncGetAttributes(&attributes, together_of(*stencil)));
    return CGS_OK;
}

static enum cgs_status prepare(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                               void **self)
{
    struct stencil *made;
    CGS_TRY(cgs_alloc(queue->context, 1, sizeof *made, "stencil", (void **)&made));
    *made = {};
    made->queue = queue;
    made->shared = matrix->source->portion != NULL;
    made->product = make_box(queue, matrix, lines_of(APPLY));
    made->iteration = make_box(queue, matrix, lines_of(LATE));
    made->cubic = cgs_stencil_cubic(made->iteration.c);
    made->together = make_together(queue, matrix->source->portion, made->iteration);
    const enum cgs_status status = made->together.n[0] > 0 ? make_meeting(made) : CGS_OK;
    if (status == CGS_OK)
        *self = made;
    else
        release(made);
    return status;
}

static enum cgs_status apply(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, void *y)
{
    return launch_march<APPLY>(self, queue, state, product_fields(x, y), false, CGS_SUM_NOWHERE,
                               "stencil");
}

static enum cgs_status apply_dot(const void *self, struct cgs_queue *queue,
                                 struct cgs_cg_state *state, const void *x, void *y,
                                 enum cgs_sum sum)
{
    return launch_march<APPLY_DOT>(self, queue, state, product_fields(x, y), false, sum,
                                   "stencil with dot");
}

static enum cgs_status residual(const void *self, struct cgs_queue *queue,
                                const struct cgs_cg_state *state, const void *b, const void *x,
                                void *r)
{
    struct fields f = product_fields(x, r);
    f.b = static_cast<const real *>(b);
    return launch_march<RESIDUAL>(self, queue, state, f, false, CGS_SUM_NOWHERE,
                                  "stencil with residual");
}

static enum cgs_status residual_norm(const void *self, struct cgs_queue *queue,
                                     struct cgs_cg_state *state, const void *b, const void *x,
                                     enum cgs_sum sum)
{
    struct fields f = product_fields(x, NULL);
    f.b = static_cast<const real *>(b);
    return launch_march<NORM>(self, queue, state, f, false, sum, "stencil with norm");
}

/* A smoother's first step over x runs downwards, as the previous kernel ran upwards; its second
 * step runs upwards again, as does the residual after pre-smoothing. */
static enum cgs_status relax(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const struct cgs_relaxation *step)
{
    return launch_march<RELAX>(self, queue, state, relaxation_fields(step), step->on_y == 0.0,
                               CGS_SUM_NOWHERE, "stencil with relaxation");
}

static enum cgs_status direction_apply_dot(const void *self, struct cgs_queue *queue,
                                           struct cgs_cg_state *state, struct cgs_cg_vectors *v)
{
    return launch_march<DIRECTION>(self, queue, state, cg_fields(v), false, CGS_SUM_PQ,
                                   "stencil with direction");
}

static enum cgs_status update(const void *self, struct cgs_queue *queue, struct cgs_cg_state *state,
                              struct cgs_cg_vectors *v)
{
    return launch_march<UPDATE>(self, queue, state, cg_fields(v), true, CGS_SUM_RR,
                                "stencil with update");
}

static enum cgs_status update_conclude(const void *self, struct cgs_queue *queue,
                                       struct cgs_cg_state *state, struct cgs_cg_vectors *v)
{
    return launch_march<LATE>(self, queue, state, cg_fields(v), true, CGS_SUM_RR,
                              "stencil with late update");
}

static bool can_advance(const void *self)
{
    return static_cast<const struct stencil *>(self)->together.n[0] > 0;
}

static enum cgs_status advance(const void *self, struct cgs_queue *queue,
                               struct cgs_cg_state *state, struct cgs_cg_vectors *v, int64_t k)
{
    const struct stencil *stencil = static_cast<const struct stencil *>(self);
    const struct together &t = stencil->together;
    struct cgs_sum_way way = cgs_sum_way_of(queue, stencil->shared);
    if (!stencil->shared) {
        way.there = stencil->meeting->there;
        way.letters = MOST_TOGETHER;
        way.turn = &stencil->meeting->turn;
    }
    return cgs_launch_together(queue, "iterations together", together_of(*stencil),
                               {blocks_of(t), threads_of(t), shared_of(t)}, t, cg_fields(v), state,
                               k, way);
}

static enum cgs_status finish(const void *self, struct cgs_queue *queue, struct cgs_cg_state *state,
                              struct cgs_cg_vectors *v)
{
    const struct box &box = static_cast<const struct stencil *>(self)->iteration;
    const int64_t packs = box.plane * box.planes / WIDE;
    const int64_t all = (packs + CGS_THREADS - 1) / CGS_THREADS;
    const int64_t grid = all < CGS_MOST_BLOCKS ? all : (int64_t)CGS_MOST_BLOCKS;
    CGS_TRY(cgs_launch(queue, "settle", settle, grid, packs, state, cg_fields(v)));
    return cgs_launch(queue, "settled", settled, 1, state);
}

CGS_TABLE(struct cgs_kernel, cgs_cuda_stencil) = {
    .capturable = true,
    .reproducible = true,
    .by_rows = true,
    .shared = true,
    .accepts = cgs_stencil_accepts,
    .plan = plan,
    .layout = layout,
    .prepare = prepare,
    .traffic = cgs_free_traffic,
    .steps = {.completes = true,
              .apply = apply,
              .apply_dot = apply_dot,
              .residual = residual,
              .residual_norm = residual_norm,
              .relax = relax,
              .direction_apply_dot = direction_apply_dot,
              .update = update,
              .update_conclude = update_conclude,
              .advance = advance,
              .can_advance = can_advance,
              .direction_moves = {2, 1, 1},
              .update_moves = {3, 2, 1},
              .update_conclude_moves = {2.5, 1.5, 1},
              .advance_moves = {1, 1, 1}, /* r, for the neighbours */
              .finish = finish,
              .release = release},
};
