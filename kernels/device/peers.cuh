/* Peers: the devices of several ranks. On one host a rank maps memory of the others, and its
 * kernels write there; where that can't be had, NCCL carries the numbers between kernels, and
 * without it the host, by its communicator.
 *
 * A kernel that waits for another device waits with a limit: beyond it, it notes the rank that is
 * silent in the host's memory, and ends with a fault, which the host meets at its next wait
 * (cgs_cuda_fail).
 *
 * Sources: CUDA Programming Guide, "Interprocess Communication", "Peer-to-Peer Memory Access"; the
 * words that carry half a number and a turn each, so that no fence is needed, are those of NCCL's
 * protocol LL. */
#pragma once

#include <nv/target>

#include "base/comm.h"
#include "kernels/device/cuda.cuh"
#include "kernels/device/nccl_cuda.cuh"

/* A block of device memory on each rank. at[r]: rank r's, as this device sees it, on the host;
 * there: the same list in device memory. */
struct cgs_peer_memory {
    char *own;
    char **at, **there;
    bool *opened; /* at[r] is another process's */
};

/* A number on its way: half of it and the turn in each word. */
struct alignas(16) cgs_letter {
    uint64_t low, high;
};

/* Patience of a kernel that waits for another device, and where it notes whose. */
struct cgs_patience {
    int64_t nanoseconds;
    volatile int32_t *silent; /* in the host's memory */
};

/* Time of a device with the others, added up by its kernels, in nanoseconds; of halos and sums,
 * `waiting` passed between the last number sent and the last received. Counts as those of struct
 * cgs_comm_time. */
struct cgs_peer_times {
    int64_t halos, sums, waiting;
    int64_t halo_count, halo_bytes, sum_count;
    int64_t begun, sent; /* clock of the step that NCCL carries: its kernels are several */
};

/* Peers of a queue on several ranks (cgs_cuda_device.peers). */
struct cgs_peers {
    struct cgs_context *context;
    int rank, ranks;
    struct cgs_nccl nccl; /* CGS_WAY_NCCL; else empty */
    struct cgs_patience patience;
    int together; /* blocks that are resident at once on each rank's device; 0: one can't do that */
    struct cgs_peer_times *times; /* of solves, and of all else; in device memory */
    /* of sums (kernels/vector/ranks_cuda.cu) */
    struct cgs_peer_memory letters; /* by turn, sum, number */
    unsigned *turn;                 /* in device memory */
    double *values;                 /* the numbers of a sum; in device memory */
    volatile int64_t
        *step; /* in the host's memory: clock of the last step that NCCL carries, below 0 once
                               it has come (wait_cuda.cu) */
    struct cgs_cg_state *seen; /* pinned, for the host to carry sums */
};

CGS_BEGIN_C

CGS_END_C

/* Letters of sums among so many ranks: of two turns, for the sums of one reduction or the blocks
 * of one. */
static inline int64_t cgs_ranks_letters(int ranks)
{
    const int64_t sums = (int64_t)CGS_SUMS * ranks;
    return 2 * (sums > CGS_PARTIALS ? sums : (int64_t)CGS_PARTIALS);
}

static inline struct cgs_peers *cgs_peers_of(const struct cgs_queue *queue)
{
    return cgs_cuda_device(queue)->peers;
}

/* ---- on the device ---- */

/* Nanoseconds of the device's clock, whose steps may be a microsecond. */
__device__ inline int64_t cgs_device_time()
{
    int64_t now = 0;
    NV_IF_TARGET(NV_IS_DEVICE, (asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));))
    return now;
}

/* One turn of a wait that began at `begin`: faults when it has lasted too long. */
__device__ inline void cgs_keep_waiting(const struct cgs_patience &patience, int64_t begin,
                                        int peer)
{
    NV_IF_ELSE_TARGET(NV_IS_DEVICE, (if (cgs_device_time() - begin > patience.nanoseconds) {
                          *patience.silent = peer;
                          __threadfence_system();
                          __trap();
                      }),
                      (__nanosleep(1000);))
}

__device__ inline void cgs_fence_system()
{
    NV_IF_ELSE_TARGET(NV_PROVIDES_SM_70,
                      (asm volatile("fence.acq_rel.sys;" ::
                                        : "memory");),
                      (__threadfence_system();))
}

__device__ inline void cgs_send_letter(struct cgs_letter *to, double number, unsigned turn)
{
    const uint64_t bits = (uint64_t)__double_as_longlong(number), high = (uint64_t)turn << 32;
    const uint64_t first = (bits & 0xffffffffu) | high, second = bits >> 32 | high;
    NV_IF_ELSE_TARGET(
        NV_IS_DEVICE,
        (asm volatile("st.volatile.global.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(first), "l"(second)
                      : "memory");),
        (to->low = first; to->high = second;))
}

__device__ inline struct cgs_letter cgs_look_at_letter(const struct cgs_letter *from)
{
    struct cgs_letter l;
    NV_IF_ELSE_TARGET(NV_IS_DEVICE,
                      (asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];"
                                    : "=l"(l.low), "=l"(l.high)
                                    : "l"(from)
                                    : "memory");),
                      (l = *from;))
    return l;
}

__device__ inline double cgs_letter_number(const struct cgs_letter &l)
{
    return __longlong_as_double((long long)(l.high << 32 | (l.low & 0xffffffffu)));
}

/* Waits for the letter of this turn. */
__device__ inline double cgs_await_letter(const struct cgs_letter *from, unsigned turn, int peer,
                                          const struct cgs_patience &patience)
{
    const int64_t begin = cgs_device_time();
    for (;;) {
        const struct cgs_letter l = cgs_look_at_letter(from);
        if ((unsigned)(l.low >> 32) == turn && (unsigned)(l.high >> 32) == turn)
            return cgs_letter_number(l);
        cgs_keep_waiting(patience, begin, peer);
    }
}

/* Raises a flag of another device, after this thread's earlier writes and those that it has
 * seen. */
__device__ inline void cgs_raise_flag(unsigned *flag, unsigned turn)
{
    cgs_fence_system();
    NV_IF_ELSE_TARGET(NV_IS_DEVICE,
                      (asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(flag), "r"(turn)
                                    : "memory");),
                      (*flag = turn;))
}

/* Waits until another device has raised the flag to this turn, or a later one. */
__device__ inline void cgs_await_flag(const unsigned *flag, unsigned turn, int peer,
                                      const struct cgs_patience &patience)
{
    const int64_t begin = cgs_device_time();
    for (;;) {
        unsigned seen;
        NV_IF_ELSE_TARGET(NV_IS_DEVICE,
                          (asm volatile("ld.volatile.global.u32 %0, [%1];"
                                        : "=r"(seen)
                                        : "l"(flag)
                                        : "memory");),
                          (seen = *flag;))
        if ((int)(seen - turn) >= 0)
            break;
        cgs_keep_waiting(patience, begin, peer);
    }
    cgs_fence_system();
}
