/* The CUDA space: vectors in device memory, and the steps of CG on them.
 *
 * A vector lies in natural order or, where an operator wants it so, in lines whose starts are aligned.
 * What pads a line is zero from the beginning and stays zero, so that the steps run over all of it
 * as over one long vector: sums do not see it.
 */
#include "kernels/space.h"
#include "kernels/vector/iteration_end.cuh"
#include "kernels/vector/vectors_cuda.cuh"

namespace {

real *of(void *x)
{
    return static_cast<real *>(x);
}

const real *of(const void *x)
{
    return static_cast<const real *>(x);
}

/* What a step reads, W numbers of each operand. */
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
    template <int W, bool EARLY> __device__ one<W> load(int64_t i) const { return {load_pack<W, EARLY>(x, i)}; }
    template <int W> __device__ double finish(int64_t i, const one<W> &in) const
    {
        store_pack<W>(y, i, in.x);
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
            v.at[k] = c * in.y.at[k] + a * in.x.at[k];
        store_pack<W>(y, i, v);
        return 0.0;
    }
};

/* y = d x, x'y. */
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

/* x += alpha p, r -= alpha q, r'r: reads 4 vectors, writes 2. */
struct update_step {
    enum { END = SUM };
    const real *p, *q;
    real *x, *r, alpha;
    enum cgs_sum sum;
    __device__ void begin(const struct cgs_cg_state *state) { alpha = (real)cgs_cg_alpha(state); }
    template <int W, bool EARLY> __device__ four<W> load(int64_t i) const
    {
        return {load_pack<W, EARLY>(p, i), load_pack<W, EARLY>(q, i), load_pack<W, EARLY>(x, i), load_pack<W, EARLY>(r, i)};
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

template <class Other>
__global__ void __launch_bounds__(CGS_THREADS)
    convert_kernel(int64_t n, const struct cgs_cg_state *state, const real *x, Other *y)
{
    if (state && !cgs_cg_going_on(state))
        return;
    for (int64_t i = (int64_t)blockIdx.x * CGS_THREADS + threadIdx.x; i < n;
         i += (int64_t)gridDim.x * CGS_THREADS)
        y[i] = (Other)x[i];
}

} // namespace

static enum cgs_status set(const struct cgs_space *space, struct cgs_queue *queue,
                           const struct cgs_cg_state *state, double constant, void *x)
{
    const struct cgs_layout *layout = &space->layout;
    CGS_TRY(launch(queue, space->extent, state, set_step{(real)constant, of(x)}, "set"));
    if (constant != 0.0 && layout->pitch > layout->length) /* zeros already, where the step was none */
        CGS_CUDA_TRY(queue->context,
                     cudaMemset2DAsync(of(x) + layout->length, (size_t)layout->pitch * sizeof(real), 0,
                                       (size_t)(layout->pitch - layout->length) * sizeof(real),
                                       (size_t)layout->rows, cgs_cuda_stream(queue)));
    return CGS_OK;
}

static enum cgs_status copy(const struct cgs_space *space, struct cgs_queue *queue,
                            const struct cgs_cg_state *state, const void *x, void *y)
{
    return launch(queue, space->extent, state, copy_step{of(x), of(y)}, "copy");
}

static enum cgs_status convert(const struct cgs_space *space, struct cgs_queue *queue,
                               const struct cgs_cg_state *state, const void *x,
                               const struct cgs_space *to, void *y)
{
    const int64_t wanted = (space->extent + CGS_THREADS - 1) / CGS_THREADS;
    const int64_t grid = wanted < CGS_MOST_BLOCKS ? wanted : (int64_t)CGS_MOST_BLOCKS;
    if (to->number == space->number)
        return copy(space, queue, state, x, y);
    if (to->number == CGS_F64)
        return cgs_launch(queue, "convert", convert_kernel<double>, grid, space->extent, state, of(x),
                          static_cast<double *>(y));
    return cgs_launch(queue, "convert", convert_kernel<float>, grid, space->extent, state, of(x),
                      static_cast<float *>(y));
}

static enum cgs_status axpy(const struct cgs_space *space, struct cgs_queue *queue,
                            const struct cgs_cg_state *state, struct cgs_coefficient a,
                            const void *x, void *y)
{
    const combine_step<NOTHING> step = {a, cgs_constant(1.0), of(x), of(y), 0, 0};
    return launch(queue, space->extent, state, step, "axpy");
}

static enum cgs_status xpby(const struct cgs_space *space, struct cgs_queue *queue,
                            const struct cgs_cg_state *state, const void *x,
                            struct cgs_coefficient b, void *y)
{
    const combine_step<NOTHING> step = {cgs_constant(1.0), b, of(x), of(y), 0, 0};
    return launch(queue, space->extent, state, step, "xpby");
}

static enum cgs_status multiply(const struct cgs_space *space, struct cgs_queue *queue,
                                struct cgs_cg_state *state, const void *d, const void *x, void *y,
                                enum cgs_sum sum)
{
    if (sum == CGS_SUM_NOWHERE)
        return launch(queue, space->extent, state,
                      multiply_step<NOTHING>{of(d), of(x), of(y), sum}, "multiply");
    return launch(queue, space->extent, state, multiply_step<SUM>{of(d), of(x), of(y), sum},
                  "multiply with dot");
}

static enum cgs_status dot(const struct cgs_space *space, struct cgs_queue *queue,
                           struct cgs_cg_state *state, const void *x, const void *y,
                           enum cgs_sum sum)
{
    return launch(queue, space->extent, state, dot_step{of(x), of(y), sum}, "dot");
}

static enum cgs_status update(const struct cgs_space *space, struct cgs_queue *queue,
                              struct cgs_cg_state *state, const void *p, const void *q, void *x,
                              void *r)
{
    const update_step step = {of(p), of(q), of(x), of(r), 0, CGS_SUM_RR};
    return launch(queue, space->extent, state, step, "update");
}

static enum cgs_status direction(const struct cgs_space *space, struct cgs_queue *queue,
                                 struct cgs_cg_state *state, const void *z, void *p)
{
    const combine_step<CONCLUDE> step = {
        cgs_constant(1.0), cgs_scalar(CGS_BETA), of(z), of(p), 0, 0};
    return launch(queue, space->extent, state, step, "direction");
}

static enum cgs_status update_direction(const struct cgs_space *space, struct cgs_queue *queue,
                                        struct cgs_cg_state *state, void *p, const void *q,
                                        void *x, void *r)
{
    const int64_t blocks = iteration_end_blocks(queue, space->extent);
    if (blocks > 0)
        return cgs_launch_together(queue, "end of an iteration", iteration_end, blocks, space->extent,
                                   state, of(p), of(q), of(x), of(r), queue->partials,
                                   queue->ticket, queue->ticket + CGS_EPOCH);
    CGS_TRY(update(space, queue, state, p, q, x, r));
    return direction(space, queue, state, r, p);
}

static int update_direction_passes(const struct cgs_space *space)
{
    return iteration_end_blocks(space->queue, space->extent) > 0 ? 7 : 9;
}

static enum cgs_status create(struct cgs_queue *queue, const struct cgs_layout *layout,
                              struct cgs_space *space);

CGS_TABLE(struct cgs_space_ops, cgs_cuda_space) = {
    .create = create,
    .alloc = cgs_cuda_vector_alloc,
    .free = cgs_cuda_vector_free,
    .put = cgs_cuda_vector_put,
    .get = cgs_cuda_vector_get,
    .state_create = cgs_cuda_state_create,
    .state_free = cgs_cuda_state_free,
    .state_set = cgs_cuda_state_set,
    .look_start = cgs_cuda_look_start,
    .look_finish = cgs_cuda_look_finish,
    .records_get = cgs_cuda_records_get,
    .set = set,
    .copy = copy,
    .convert = convert,
    .axpy = axpy,
    .xpby = xpby,
    .multiply = multiply,
    .dot = dot,
    .reduce = cgs_cuda_reduce,
    .begin = cgs_cuda_begin,
    .conclude = cgs_cuda_conclude,
    .wait = cgs_cuda_wait,
    .update = update,
    .direction = direction,
    .update_direction = update_direction,
    .update_direction_passes = update_direction_passes,
    .record_begin = cgs_cuda_record_begin,
    .record_end = cgs_cuda_record_end,
    .replay = cgs_cuda_replay,
    .recording_free = cgs_cuda_recording_free,
};

static enum cgs_status create(struct cgs_queue *queue, const struct cgs_layout *layout,
                              struct cgs_space *space)
{
    if (layout->pitch != 0 && (layout->ghost != 0 || layout->pitch < layout->length ||
                               layout->length * layout->rows != layout->size))
        return cgs_fail(queue->context, CGS_USAGE,
                        "this space keeps vectors in natural order or in padded lines: %lld lines of "
                        "%lld numbers, %lld apart, %lld ghosts, can't be had for %lld numbers",
                        (long long)layout->rows, (long long)layout->length,
                        (long long)layout->pitch, (long long)layout->ghost, (long long)layout->size);
    space->ops = &CGS_NAMED(cgs_cuda_space);
    space->queue = queue;
    space->layout = *layout;
    space->size = layout->size;
    space->extent = layout->pitch != 0 ? layout->pitch * layout->rows : layout->size;
    space->footprint = cgs_bytes(space->extent, sizeof(real));
    space->number = CGS_REAL_NUMBER;
    space->place = CGS_DEVICE_MEMORY;
    return CGS_OK;
}
