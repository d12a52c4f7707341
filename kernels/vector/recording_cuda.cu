/* Recordings of steps: CUDA graphs, replayed by the host or repeated by the device itself. */
#include "kernels/vector/recording_cuda.cuh"

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
