/* The state of CG in device memory, how the host reads it, and recordings of its steps. */
#include "base/comm.h"
#include "kernels/device/launch.cuh"
#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/wait_cuda.cuh"
#include "kernels/vector/ranks_cuda.cuh"
#include "kernels/vector/state_cuda.cuh"

static __global__ void write_state(struct cgs_cg_state *state, struct cgs_cg_state from)
{
    for (int i = 0; i < CGS_SUMS; i++)
        from.sums[i] = state->sums[i];
    from.records = state->records;
    *state = from;
}

static __global__ void make_state(struct cgs_cg_state *state, struct cgs_cg_state initial,
                                  struct cgs_cg_record *records)
{
    initial.records = records;
    *state = initial;
}

static __global__ void begin_state(struct cgs_cg_state *state)
{
    if (cgs_cg_going_on(state))
        cgs_cg_begin(state);
}

static __global__ void close_state(struct cgs_cg_state *state)
{
    cgs_cg_close(state);
}

static __global__ void conclude_state(struct cgs_cg_state *state)
{
    if (cgs_cg_concludes(state))
        cgs_cg_conclude(state);
}

/* Written by a kernel into pinned memory: the copy engine would hold up the stream longer. */
static __global__ void show_state(const struct cgs_cg_state *state, struct cgs_cg_state *on_host)
{
    *on_host = *state;
}

/* State and records are one block, with the records after the state. */
enum cgs_status cgs_cuda_state_create(const struct cgs_space *space,
                                      const struct cgs_cg_state *initial,
                                      struct cgs_cg_state **state)
{
    const size_t records = (size_t)(initial->max_iterations + 1) * sizeof(struct cgs_cg_record);
    char *block = NULL;
    CGS_TRY(cgs_cuda_alloc(space->queue, (int64_t)(sizeof **state + records), 1, "CG state",
                           (void **)&block));
    struct cgs_cg_state *made = (struct cgs_cg_state *)block;
    const cudaError_t error =
        cudaMemsetAsync(block, 0, sizeof **state + records, cgs_cuda_stream(space->queue));
    const enum cgs_status status =
        error != cudaSuccess
            ? cgs_cuda_fail(space->queue->context, __FILE__, __LINE__, "CG state", error)
            : cgs_launch_blocks(space->queue, "make_state", make_state, {1, 1}, made, *initial,
                                (struct cgs_cg_record *)(block + sizeof **state));
    if (status != CGS_OK) {
        cgs_cuda_free(space->queue, block);
        return status;
    }
    *state = made;
    return CGS_OK;
}

void cgs_cuda_state_free(const struct cgs_space *space, struct cgs_cg_state *state)
{
    cgs_cuda_free(space->queue, state);
}

enum cgs_status cgs_cuda_state_set(const struct cgs_space *, struct cgs_queue *queue,
                                   struct cgs_cg_state *state, const struct cgs_cg_state *from)
{
    return cgs_launch_blocks(queue, "write_state", write_state, {1, 1}, state, *from);
}

enum cgs_status cgs_cuda_look_start(const struct cgs_space *, struct cgs_queue *queue,
                                    const struct cgs_cg_state *state, int slot)
{
    struct cgs_cuda_device *device = cgs_cuda_device(queue);
    CGS_TRY(
        cgs_launch_blocks(queue, "show_state", show_state, {1, 1}, state, &device->looks[slot]));
    CGS_CUDA_TRY(queue->context, cudaEventRecord(device->looked[slot], cgs_cuda_stream(queue)));
    return CGS_OK;
}

/* On several ranks all look at the same iteration, and agree on whether one was asked to stop. */
enum cgs_status cgs_cuda_look_finish(const struct cgs_space *space, struct cgs_queue *queue,
                                     int slot, struct cgs_cg_state *out)
{
    struct cgs_comm *comm = queue->context->comm;
    struct cgs_cuda_device *device = cgs_cuda_device(queue);
    CGS_TRY(cgs_cuda_wait_for(queue, device->looked[slot]));
    *out = device->looks[slot];
    if (space->layout.portion)
        comm->stopping =
            comm->stopping || cgs_comm_most(queue->context, comm->stop_asked ? 1.0 : 0.0) > 0.0;
    return CGS_OK;
}

enum cgs_status cgs_cuda_records_get(const struct cgs_space *, struct cgs_queue *queue,
                                     const struct cgs_cg_state *state, int64_t first, int64_t count,
                                     struct cgs_cg_record *records)
{
    const struct cgs_cg_record *from = (const struct cgs_cg_record *)(state + 1) + first;
    return cgs_cuda_fetch(queue, records, from, count * (int64_t)sizeof *records);
}

enum cgs_status cgs_cuda_reduce(const struct cgs_space *space, struct cgs_queue *queue,
                                struct cgs_cg_state *state, enum cgs_sum first, int count)
{
    if (!space->layout.portion || queue->fixed) /* one device owns all, or the sum is complete */
        return CGS_OK;
    return cgs_cuda_add_ranks(queue, state, first, count, false);
}

enum cgs_status cgs_cuda_begin(const struct cgs_space *, struct cgs_queue *queue,
                               struct cgs_cg_state *state)
{
    return cgs_launch_blocks(queue, "begin_state", begin_state, {1, 1}, state);
}

enum cgs_status cgs_cuda_close(const struct cgs_space *, struct cgs_queue *queue,
                               struct cgs_cg_state *state)
{
    return cgs_launch_blocks(queue, "close_state", close_state, {1, 1}, state);
}

enum cgs_status cgs_cuda_conclude(const struct cgs_space *, struct cgs_queue *queue,
                                  struct cgs_cg_state *state)
{
    return cgs_launch_blocks(queue, "conclude_state", conclude_state, {1, 1}, state);
}

/* ---- recordings: CUDA graphs ---- */

enum cgs_status cgs_cuda_record_begin(struct cgs_queue *queue)
{
    CGS_CUDA_TRY(queue->context,
                 cudaStreamBeginCapture(cgs_cuda_stream(queue), cudaStreamCaptureModeThreadLocal));
    return CGS_OK;
}

/* Instantiates a graph, which it takes over. */
static enum cgs_status instantiate(struct cgs_queue *queue, cudaGraph_t graph, void **recording)
{
    cudaGraphExec_t made = NULL;
    cudaError_t error = cudaGraphInstantiate(&made, graph, 0);
    cudaGraphDestroy(graph);
    CGS_CUDA_TRY(queue->context, error);
    error = cudaGraphUpload(made, cgs_cuda_stream(queue));
    if (error != cudaSuccess) {
        cudaGraphExecDestroy(made);
        return cgs_cuda_fail(queue->context, __FILE__, __LINE__, "cudaGraphUpload", error);
    }
    *recording = made;
    return CGS_OK;
}

enum cgs_status cgs_cuda_record_end(struct cgs_queue *queue, void **recording)
{
    cudaGraph_t graph = NULL;
    CGS_CUDA_TRY(queue->context, cudaStreamEndCapture(cgs_cuda_stream(queue), &graph));
    return instantiate(queue, graph, recording);
}

/* Last node of the repeated graph: decides whether to repeat. */
static __global__ void decide(cudaGraphConditionalHandle again, const struct cgs_cg_state *state,
                              int64_t each, int64_t most)
{
    const int64_t now = state->iteration, before = now - each;
    cudaGraphSetConditional(again, cgs_cg_going_on(state) && now / most == before / most);
}

/* Puts the recorded steps and the deciding node into the body of a `while` node of `graph`. */
static cudaError_t add_while(cudaGraph_t graph, cudaGraph_t steps, const struct cgs_cg_state *state,
                             int64_t each, int64_t most)
{
    cudaGraphConditionalHandle again;
    cudaGraphNode_t loop, all, last;
    cudaGraphNodeParams node = {};
    cudaKernelNodeParams kernel = {};
    void *arguments[] = {&again, &state, &each, &most};
    cudaError_t error =
        cudaGraphConditionalHandleCreate(&again, graph, 1, cudaGraphCondAssignDefault);
    if (error != cudaSuccess)
        return error;
    node.type = cudaGraphNodeTypeConditional;
    node.conditional.handle = again;
    node.conditional.type = cudaGraphCondTypeWhile;
    node.conditional.size = 1;
#if CUDART_VERSION >= 13000
    error = cudaGraphAddNode(&loop, graph, NULL, NULL, 0, &node);
#else
    error = cudaGraphAddNode(&loop, graph, NULL, 0, &node);
#endif
    if (error != cudaSuccess)
        return error;
    const cudaGraph_t body = node.conditional.phGraph_out[0];
    error = cudaGraphAddChildGraphNode(&all, body, NULL, 0, steps);
    if (error != cudaSuccess)
        return error;
    kernel.func = (void *)decide;
    kernel.gridDim = kernel.blockDim = dim3(1);
    kernel.kernelParams = arguments;
    return cudaGraphAddKernelNode(&last, body, &all, 1, &kernel);
}

enum cgs_status cgs_cuda_record_end_while(struct cgs_queue *queue, const struct cgs_cg_state *state,
                                          int64_t each, int64_t most, void **recording)
{
    cudaGraph_t graph = NULL, steps = NULL;
    CGS_CUDA_TRY(queue->context, cudaStreamEndCapture(cgs_cuda_stream(queue), &steps));
    cudaError_t error = cudaGraphCreate(&graph, 0);
    if (error == cudaSuccess)
        error = add_while(graph, steps, state, each, most);
    cudaGraphDestroy(steps);
    if (error == cudaSuccess)
        return instantiate(queue, graph, recording);
    if (graph)
        cudaGraphDestroy(graph);
    return cgs_cuda_fail(queue->context, __FILE__, __LINE__, "a graph's while node", error);
}

enum cgs_status cgs_cuda_replay(struct cgs_queue *queue, void *recording)
{
    CGS_CUDA_TRY(queue->context,
                 cudaGraphLaunch((cudaGraphExec_t)recording, cgs_cuda_stream(queue)));
    return CGS_OK;
}

void cgs_cuda_recording_free(void *recording)
{
    if (recording)
        cudaGraphExecDestroy((cudaGraphExec_t)recording);
}
