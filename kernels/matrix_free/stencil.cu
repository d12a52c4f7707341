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
#include "kernels/matrix_free/march_steps.cuh"
#include "kernels/matrix_free/together.cuh"

namespace
{

/* Tunable (H200, double, N = 512): lines of a warp in products, which march over one vector, so
 * that three lines fit into the registers (2, 3, 4: 664, 574, 610 us), and in CG's steps (2, 3, 4:
 * 2.02, 2.21, 2.07 ms an iteration); resident blocks per multiprocessor. */
constexpr int PRODUCT_LINES = 3, STEP_LINES = 2, FIT = 2;
constexpr int LONGEST = 48; /* planes of a chunk */

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
    box.pitch = march_pitch(n[0]);
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

struct stencil_steps {
    template <enum mode M>
    static enum cgs_status march(const void *self, struct cgs_queue *queue,
                                 const struct cgs_cg_state *state, const struct fields &fields,
                                 bool down, enum cgs_sum sum)
    {
        const struct stencil *stencil = static_cast<const struct stencil *>(self);
        const struct box &box = is_product(M) ? stencil->product : stencil->iteration;
        const int64_t blocks = (int64_t)box.tiles_x * box.tiles_y * box.chunks;
        struct cgs_cg_state *own = const_cast<struct cgs_cg_state *>(state);
        const bool shared =
            stencil->shared && (M == DIRECTION || updates(M)); /* else the caller reduces */
        const struct cgs_sum_way way = cgs_sum_way_of(queue, shared);
        const bool complete = !shared || way.ranks > 1;
        const auto kernel = stencil->cubic ? ::march<M, lines_of(M), FIT, true>
                                           : ::march<M, lines_of(M), FIT, false>;
        CGS_TRY(cgs_launch_early(queue, "stencil", kernel, blocks, box, fields, own, down, complete,
                                 sum, way, queue->partials, queue->ticket));
        return complete ? CGS_OK : cgs_cuda_add_ranks(queue, own, sum, 1, M == LATE);
    }

    static int64_t numbers(const void *self)
    {
        const struct box &box = static_cast<const struct stencil *>(self)->iteration;
        return box.plane * box.planes;
    }
};

using steps = march_steps<stencil_steps>;

} // namespace

static void plan(const struct cgs_matrix *, struct cgs_plan *)
{
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

CGS_TABLE(struct cgs_kernel, cgs_cuda_stencil) = {
    .capturable = true,
    .reproducible = true,
    .by_rows = true,
    .shared = true,
    .accepts = cgs_stencil_accepts,
    .plan = plan,
    .layout = march_layout,
    .prepare = prepare,
    .traffic = cgs_free_traffic,
    .steps = {.completes = true,
              .apply = steps::apply,
              .apply_dot = steps::apply_dot,
              .residual = steps::residual,
              .residual_norm = steps::residual_norm,
              .relax = steps::relax,
              .direction_apply_dot = steps::direction_apply_dot,
              .update = steps::update,
              .update_conclude = steps::update_conclude,
              .advance = advance,
              .can_advance = can_advance,
              .direction_moves = {2, 1, 1},
              .update_moves = {3, 2, 1},
              .update_conclude_moves = {2.5, 1.5, 1},
              .advance_moves = {1, 1, 1}, /* r, for the neighbours */
              .finish = steps::finish,
              .release = release},
};
