/* The host's waits for the device. A process alone waits in the runtime. Of several ranks a device
 * may wait for another one that hangs: kernels of our own do so with a limit (peers.cuh), those of
 * NCCL and the host's communicator without, so that there the host looks at the device, with the
 * same limit.
 *
 * The limit is for a wait in which nothing is done: where NCCL carries the numbers, kernels note
 * each step in the host's memory. */
#include <ctime>

#include "base/clock.h"
#include "kernels/device/peers.cuh"
#include "kernels/device/wait_cuda.cuh"

namespace
{

/* event: NULL: all work of the queue. */
cudaError_t look(const struct cgs_queue *queue, cudaEvent_t event)
{
    return event ? cudaEventQuery(event) : cudaStreamQuery(cgs_cuda_stream(queue));
}

/* Fails for a device that has gone no step for so many seconds: this rank's, or, if that is
 * within a step of NCCL, another's. A device that hangs can't be waited for by anything, so that
 * the ranks end without freeing what is on it (comm->silent). */
enum cgs_status fail_silent(struct cgs_queue *queue, bool within, double seconds)
{
    struct cgs_peers *peers = cgs_peers_of(queue);
    *peers->patience.silent = within ? CGS_SOME_RANK : peers->rank;
    return cgs_fail(queue->context, CGS_DEVICE,
                    "the GPU of rank %d has %s for %.3g s: %s hangs, or is too slow", peers->rank,
                    within ? "waited for another rank's in NCCL" : "not gone on", seconds,
                    within ? "that one" : "it");
}

/* Other ranks are given half as long again as the own one: if that is what hangs, its rank knows,
 * and its message ends this one's wait, on a loaded host, too. */
enum cgs_status wait_with_limit(struct cgs_queue *queue, cudaEvent_t event)
{
    static const double SPIN = 2e-3, LONGER = 1.5;
    static const struct timespec REST = {0, 50000};
    const struct cgs_peers *peers = cgs_peers_of(queue);
    const double limit = 1e-9 * (double)peers->patience.nanoseconds;
    const double begin = cgs_now();
    double moved = begin;
    int64_t step = *peers->step;
    cudaError_t error;
    while ((error = look(queue, event)) == cudaErrorNotReady) {
        const double now = cgs_now();
        if (*peers->step != step) {
            step = *peers->step;
            moved = now;
        }
        if (now - moved > (step > 0 ? LONGER : 1.0) * limit)
            return fail_silent(queue, step > 0, now - moved);
        if (now - begin > SPIN)
            nanosleep(&REST, nullptr);
    }
    CGS_CUDA_TRY(queue->context, error);
    return CGS_OK;
}

} // namespace

enum cgs_status cgs_cuda_wait_for(struct cgs_queue *queue, cudaEvent_t event)
{
    if (cgs_peers_of(queue) && queue->way != CGS_WAY_STORES)
        return wait_with_limit(queue, event);
    CGS_CUDA_TRY(queue->context, event ? cudaEventSynchronize(event)
                                       : cudaStreamSynchronize(cgs_cuda_stream(queue)));
    return CGS_OK;
}

enum cgs_status cgs_cuda_wait(struct cgs_queue *queue)
{
    return cgs_cuda_wait_for(queue, nullptr);
}
