/* Cost of the way between two devices of this machine: struct cgs_backend's `link`. One kernel on
 * each device, both at the same time, does what halos and sums of ranks do
 * (kernels/vector/halo_cuda.cu, ranks_cuda.cu):
 *
 *     sums       a number to the other device, and its number back, round after round
 *     planes     a plane to the other device by all processors, a flag, and the wait for the other's
 *
 * The first rounds, in which one device waits until the other has started, are not counted. What
 * arrives is compared with what was sent: where PCIe's access control is on, devices may claim
 * peer access and lose numbers. */
#include <cstring>

#include "kernels/backend.h"
#include "kernels/device/launch.cuh"
#include "kernels/device/link_cuda.cuh"
#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/peers.cuh"

namespace
{

constexpr int UNCOUNTED = 8, ROUNDS = 72, PLACES = 2;
constexpr int64_t SMALL = 256 * 256 * 8, MIDDLE = 512 * 512 * 8,
                  LARGE = 1024 * 1024 * 8; /* bytes of planes */
constexpr int64_t PATIENCE = 3000000000;

/* A device's part of the memory that both write to. */
struct letterbox {
    struct cgs_letter letters[PLACES];
    unsigned flag;
};

/* One of the two devices. */
struct end {
    struct cgs_queue *queue;
    struct letterbox *box; /* in its memory, likewise: */
    uint4 *plane, *sent;   /* LARGE bytes: what comes, and what goes */
    unsigned *ticket;
    int64_t *nanoseconds;
};

struct way {
    const uint4 *from;
    uint4 *to;
    int64_t units;
    struct letterbox *there, *here;
    unsigned *ticket, turn; /* turn: of the round before the first */
    int64_t *nanoseconds;
    struct cgs_patience patience;
};

/* nanoseconds: of the counted rounds, or < 0 where a number came wrong. */
__global__ void swap_numbers(const struct way w)
{
    int64_t begin = 0;
    bool right = true;
    for (int i = 0; i < ROUNDS; i++) {
        const unsigned turn = w.turn + 1 + (unsigned)i;
        if (i == UNCOUNTED)
            begin = cgs_device_time();
        cgs_send_letter(w.there->letters + turn % PLACES, 1.0 / turn, turn);
        right &=
            cgs_await_letter(w.here->letters + turn % PLACES, turn, 0, w.patience) == 1.0 / turn;
    }
    *w.nanoseconds = right ? cgs_device_time() - begin : -1;
}

__global__ void __launch_bounds__(CGS_THREADS) swap_planes(const struct way w)
{
    const int64_t step = (int64_t)gridDim.x * CGS_THREADS;
    int64_t begin = 0;
    for (int i = 0; i < ROUNDS; i++) {
        const unsigned turn = w.turn + 1 + (unsigned)i;
        if (i == UNCOUNTED)
            begin = cgs_device_time();
        for (int64_t k = (int64_t)blockIdx.x * CGS_THREADS + threadIdx.x; k < w.units; k += step)
            w.to[k] = w.from[k];
        __syncthreads();
        if (threadIdx.x == 0) {
            cgs_fence_system();
            if (atomicAdd(w.ticket, 1u) == gridDim.x - 1) {
                *w.ticket = 0;
                cgs_raise_flag(&w.there->flag, turn);
            }
            cgs_await_flag(&w.here->flag, turn, 0, w.patience);
        }
        __syncthreads();
    }
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *w.nanoseconds = cgs_device_time() - begin;
}

int index_of(const struct end *end)
{
    return cgs_cuda_device(end->queue)->index;
}

/* Makes `to` reachable from `from`, whose device becomes the thread's. */
enum cgs_status reach(const struct end *from, const struct end *to)
{
    struct cgs_context *context = from->queue->context;
    CGS_CUDA_TRY(context, cudaSetDevice(index_of(from)));
    const cudaError_t error =
        index_of(from) == index_of(to) ? cudaSuccess : cudaDeviceEnablePeerAccess(index_of(to), 0);
    if (error == cudaErrorPeerAccessAlreadyEnabled)
        cudaGetLastError();
    else if (error != cudaSuccess)
        return cgs_cuda_fail(context, __FILE__, __LINE__, "cudaDeviceEnablePeerAccess", error);
    return CGS_OK;
}

void end_release(struct end *end)
{
    cudaSetDevice(index_of(end));
    cgs_cuda_free(end->queue, end->box);
    cgs_cuda_free(end->queue, end->plane);
    cgs_cuda_free(end->queue, end->sent);
    cgs_cuda_free(end->queue, end->ticket);
    cudaFreeHost(end->nanoseconds);
}

/* pattern: a byte of what it sends. */
enum cgs_status end_create(struct end *end, int pattern)
{
    struct cgs_queue *queue = end->queue;
    struct cgs_context *context = queue->context;
    const char *what = "link of devices";
    CGS_CUDA_TRY(context, cudaSetDevice(index_of(end)));
    CGS_TRY(cgs_cuda_alloc(queue, 1, sizeof *end->box, what, (void **)&end->box));
    CGS_TRY(cgs_cuda_alloc(queue, LARGE, 1, what, (void **)&end->plane));
    CGS_TRY(cgs_cuda_alloc(queue, LARGE, 1, what, (void **)&end->sent));
    CGS_TRY(cgs_cuda_alloc(queue, 1, sizeof *end->ticket, what, (void **)&end->ticket));
    CGS_CUDA_TRY(context, cudaHostAlloc((void **)&end->nanoseconds, sizeof *end->nanoseconds,
                                        cudaHostAllocDefault));
    CGS_CUDA_TRY(context, cudaMemset(end->box, 0, sizeof *end->box));
    CGS_CUDA_TRY(context, cudaMemset(end->ticket, 0, sizeof *end->ticket));
    CGS_CUDA_TRY(context, cudaMemset(end->plane, 0, LARGE));
    CGS_CUDA_TRY(context, cudaMemset(end->sent, pattern, LARGE));
    CGS_CUDA_TRY(context, cudaDeviceSynchronize());
    return CGS_OK;
}

/* Runs one kernel on both ends. bytes: of a plane, or 0: numbers. seconds: of a round, on the
 * slower end; < 0: numbers came wrong. */
enum cgs_status time_both(const struct end ends[2], int64_t bytes, unsigned turn, double *seconds)
{
    int32_t *silent;
    struct cgs_context *context = ends[0].queue->context;
    enum cgs_status status = CGS_OK;
    CGS_CUDA_TRY(context, cudaHostAlloc((void **)&silent, sizeof *silent, cudaHostAllocPortable));
    for (int e = 0; e < 2 && status == CGS_OK; e++) {
        const struct end *own = &ends[e], *other = &ends[1 - e];
        const struct way way = {own->sent,  other->plane,     bytes / (int64_t)sizeof(uint4),
                                other->box, own->box,         own->ticket,
                                turn,       own->nanoseconds, {PATIENCE, silent}};
        const int64_t processors = cgs_cuda_device(own->queue)->properties.multiProcessorCount;
        const int64_t blocks = index_of(own) == index_of(other) ? processors / 2 : processors;
        cudaSetDevice(index_of(own));
        status = bytes > 0 ? cgs_launch_together(own->queue, "planes of two devices", swap_planes,
                                                 {blocks}, way)
                           : cgs_launch_blocks(own->queue, "numbers of two devices", swap_numbers,
                                               {1, 1}, way);
    }
    *seconds = 0.0;
    for (int e = 0; e < 2 && status == CGS_OK; e++) {
        cudaSetDevice(index_of(&ends[e]));
        const cudaError_t error = cudaStreamSynchronize(cgs_cuda_stream(ends[e].queue));
        if (error != cudaSuccess)
            status =
                cgs_fail(context, CGS_DEVICE,
                         "device %d has waited %.0f s for what device %d writes to its memory: %s",
                         index_of(&ends[e]), 1e-9 * (double)PATIENCE, index_of(&ends[1 - e]),
                         cudaGetErrorString(error));
        const double here = 1e-9 * (double)*ends[e].nanoseconds / (ROUNDS - UNCOUNTED);
        if (*seconds >= 0.0 && (here < 0.0 || here > *seconds))
            *seconds = here;
    }
    cudaFreeHost(silent);
    return status;
}

/* *same: the plane that came is the one that was sent. */
enum cgs_status compare_planes(const struct end *from, const struct end *to, bool *same)
{
    static const int64_t PIECE = 4096;
    char sent[PIECE], came[PIECE];
    struct cgs_context *context = from->queue->context;
    *same = true;
    for (int64_t at = 0; at < LARGE; at += LARGE - PIECE) {
        CGS_CUDA_TRY(context, cudaMemcpy(sent, (const char *)from->sent + at, (size_t)PIECE,
                                         cudaMemcpyDefault));
        CGS_CUDA_TRY(context, cudaMemcpy(came, (const char *)to->plane + at, (size_t)PIECE,
                                         cudaMemcpyDefault));
        *same = *same && memcmp(sent, came, (size_t)PIECE) == 0;
    }
    return CGS_OK;
}

enum cgs_status measure(const struct end ends[2], struct cgs_link *link)
{
    static const int64_t sizes[] = {SMALL, MIDDLE, LARGE};
    double planes[3];
    unsigned turn = 0;
    bool there, back;
    CGS_TRY(reach(&ends[0], &ends[1]));
    CGS_TRY(reach(&ends[1], &ends[0]));
    CGS_TRY(time_both(ends, 0, turn, &link->sum));
    for (int i = 0; i < 3; i++, turn += ROUNDS)
        CGS_TRY(time_both(ends, sizes[i], turn, &planes[i]));
    link->plane = planes[1];
    link->bandwidth = (double)(LARGE - SMALL) / (planes[2] - planes[0]);
    CGS_TRY(compare_planes(&ends[0], &ends[1], &there));
    CGS_TRY(compare_planes(&ends[1], &ends[0], &back));
    link->right = link->sum >= 0.0 && there && back;
    return CGS_OK;
}

} // namespace

enum cgs_status cgs_cuda_link(struct cgs_queue *from, struct cgs_queue *to, struct cgs_link *link)
{
    struct end ends[2] = {};
    int there = 1, back = 1, atomics = 1;
    *link = {};
    ends[0].queue = from;
    ends[1].queue = to;
    const int a = index_of(&ends[0]), b = index_of(&ends[1]);
    if (a != b) {
        CGS_CUDA_TRY(from->context, cudaDeviceCanAccessPeer(&there, a, b));
        CGS_CUDA_TRY(from->context, cudaDeviceCanAccessPeer(&back, b, a));
        CGS_CUDA_TRY(from->context, cudaDeviceGetP2PAttribute(
                                        &atomics, cudaDevP2PAttrNativeAtomicSupported, a, b));
    }
    if (!there || !back)
        return CGS_OK;
    link->kind = atomics ? CGS_LINK_NVLINK : CGS_LINK_PCIE;
    enum cgs_status status = end_create(&ends[0], 0x5a);
    if (status == CGS_OK)
        status = end_create(&ends[1], 0x33);
    if (status == CGS_OK)
        status = measure(ends, link);
    end_release(&ends[1]);
    end_release(&ends[0]);
    return status;
}
