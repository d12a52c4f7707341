/* Mapping of device memory among the ranks of a host (peers.cuh). */
#include "kernels/device/peers.cuh"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/random.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/testing.h"
#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/peers_cuda.cuh"
#include "kernels/device/wait_cuda.cuh"
#include "kernels/queue.h"

namespace
{

/* A rank's description of a block: whose it is and how to open it. */
struct card {
    uint64_t process, host; /* random number of the process; of the host's present run */
    uint64_t address, device;
    cudaIpcMemHandle_t handle;
    uint64_t good; /* 0: this rank could not make its own */
};
constexpr int CARD_NUMBERS = (sizeof(struct card) + sizeof(double) - 1) / sizeof(double);

uint64_t process_number()
{
    static uint64_t number; /* the same for all queues of the process */
    while (number == 0)
        if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
            number = (uint64_t)getpid();
    return number;
}

/* A number of the host since it was started, 0 where that is not known. */
uint64_t host_number()
{
    char text[64] = "";
    uint64_t hash = 14695981039346656037u;
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (!file)
        return 0;
    const bool read = fgets(text, sizeof text, file) != NULL;
    fclose(file);
    for (const char *c = text; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    return read ? hash : 0;
}

struct card card_of(const struct cgs_queue *queue, void *own)
{
    struct card card = {};
    card.process = process_number();
    card.host = host_number();
    card.address = (uint64_t)(uintptr_t)own;
    card.device = (uint64_t)cgs_cuda_device(queue)->index;
    card.good = cudaIpcGetMemHandle(&card.handle, own) == cudaSuccess;
    cudaGetLastError(); /* threads of one process need no handle */
    return card;
}

/* Maps the block of another rank; returns NULL where that can't be done. */
char *open_block(const struct card *mine, const struct card *theirs, bool *opened)
{
    void *block = NULL;
    if (theirs->process == mine->process) {
        if (theirs->device != mine->device) {
            const cudaError_t error = cudaDeviceEnablePeerAccess((int)theirs->device, 0);
            cudaGetLastError();
            if (error != cudaSuccess && error != cudaErrorPeerAccessAlreadyEnabled)
                return NULL;
        }
        return (char *)(uintptr_t)theirs->address;
    }
    if (!theirs->good || theirs->host == 0 || theirs->host != mine->host)
        return NULL;
    if (cudaIpcOpenMemHandle(&block, theirs->handle, cudaIpcMemLazyEnablePeerAccess) !=
        cudaSuccess) {
        cudaGetLastError();
        return NULL;
    }
    *opened = true;
    return (char *)block;
}

/* Opens the blocks of all ranks; returns false where one can't be. */
bool open_blocks(struct cgs_queue *queue, struct cgs_peer_memory *memory, struct card *cards)
{
    struct cgs_comm *comm = queue->context->comm;
    const struct card mine = card_of(queue, memory->own);
    double numbers[CARD_NUMBERS] = {};
    int counts[CGS_RANKS_MOST];
    bool good = true;
    for (int r = 0; r < comm->size; r++)
        counts[r] = CARD_NUMBERS;
    memcpy(numbers, &mine, sizeof mine);
    comm->ops->gather(comm, numbers, counts, (double *)cards);
    for (int r = 0; r < comm->size && good; r++) {
        memory->at[r] =
            r == comm->rank ? memory->own : open_block(&mine, &cards[r], &memory->opened[r]);
        good = memory->at[r] != NULL;
    }
    return good;
}

enum cgs_status alloc_lists(struct cgs_queue *queue, int64_t bytes, const char *what,
                            struct cgs_peer_memory *memory, struct card **cards)
{
    struct cgs_context *context = queue->context;
    const int ranks = context->comm->size;
    CGS_TRY(cgs_alloc(context, ranks, sizeof *memory->at, what, (void **)&memory->at));
    CGS_TRY(cgs_alloc(context, ranks, sizeof *memory->opened, what, (void **)&memory->opened));
    memset(memory->opened, 0, (size_t)ranks * sizeof *memory->opened);
    CGS_TRY(cgs_alloc(context, ranks, sizeof **cards, what, (void **)cards));
    CGS_TRY(cgs_cuda_alloc(queue, ranks, sizeof *memory->there, what, (void **)&memory->there));
    CGS_TRY(cgs_cuda_alloc(queue, bytes, 1, what, (void **)&memory->own));
    CGS_CUDA_TRY(context, cudaMemset(memory->own, 0, (size_t)bytes));
    CGS_CUDA_TRY(context, cudaDeviceSynchronize());
    return CGS_OK;
}

/* Shares a block. *all: false where a rank can't open another's, which is no failure; nothing is
 * made then. */
enum cgs_status try_to_share(struct cgs_queue *queue, int64_t bytes, const char *what,
                             struct cgs_peer_memory *made, bool *all)
{
    struct cgs_context *context = queue->context;
    struct card *cards = NULL;
    *made = {};
    enum cgs_status status = cgs_comm_agree(context, alloc_lists(queue, bytes, what, made, &cards));
    if (status == CGS_OK) {
        const bool opened = open_blocks(queue, made, cards);
        *all = cgs_comm_most(context, opened ? 0.0 : 1.0) == 0.0;
        if (*all)
            status = cgs_comm_agree(context,
                                    cgs_cuda_send(queue, made->there, made->at,
                                                  context->comm->size * (int64_t)sizeof *made->at));
    }
    cgs_free(context, cards);
    if (status != CGS_OK || !*all)
        cgs_peers_unshare(queue, made);
    return status;
}

} // namespace

enum cgs_status cgs_peers_share(struct cgs_queue *queue, int64_t bytes, const char *what,
                                struct cgs_peer_memory *made)
{
    bool all = true;
    CGS_TRY(try_to_share(queue, bytes, what, made, &all));
    if (all)
        return CGS_OK;
    return cgs_fail(
        queue->context, CGS_DEVICE,
        "%s: the ranks' devices could reach each other before, and now a rank can't open the "
        "memory of another: CGSOLVE_PEERS=0 lets the host carry the numbers",
        what);
}

void cgs_peers_unshare(struct cgs_queue *queue, struct cgs_peer_memory *memory)
{
    struct cgs_context *context = queue->context;
    for (int r = 0; memory->opened && r < cgs_peers_of(queue)->ranks; r++)
        if (memory->opened[r])
            cudaIpcCloseMemHandle(memory->at[r]);
    cgs_cuda_free(queue, memory->own);
    cgs_cuda_free(queue, memory->there);
    cgs_free(context, memory->opened);
    cgs_free(context, memory->at);
    *memory = {};
}

/* ---- joining ---- */

/* Seconds that a kernel waits for another rank's, whose GPU other programs may use, too. */
static const double PATIENCE = 30.0;

static enum cgs_status alloc_peers(struct cgs_queue *queue, struct cgs_peers **made)
{
    struct cgs_context *context = queue->context;
    struct cgs_comm *comm = context->comm;
    struct cgs_peers *peers;
    int32_t *silent;
    CGS_TRY(cgs_alloc(context, 1, sizeof *peers, "peers", (void **)&peers));
    *peers = {};
    cgs_cuda_device(queue)->peers = *made = peers;
    peers->context = context;
    peers->rank = comm->rank;
    peers->ranks = comm->size;
    CGS_CUDA_TRY(context, cudaHostAlloc((void **)&silent, sizeof *silent, cudaHostAllocDefault));
    *silent = -1;
    peers->patience = {(int64_t)(1e9 * cgs_testing("patience", PATIENCE)), silent};
    CGS_CUDA_TRY(context,
                 cudaHostAlloc((void **)&peers->step, sizeof *peers->step, cudaHostAllocDefault));
    *peers->step = 0;
    comm->silent = silent;
    CGS_CUDA_TRY(context,
                 cudaHostAlloc((void **)&peers->seen, sizeof *peers->seen, cudaHostAllocDefault));
    CGS_TRY(cgs_cuda_alloc(queue, CGS_PARTIALS, sizeof *peers->values, "sums of ranks",
                           (void **)&peers->values));
    CGS_TRY(cgs_cuda_alloc(queue, 1, sizeof *peers->turn, "sums of ranks", (void **)&peers->turn));
    CGS_TRY(
        cgs_cuda_alloc(queue, 2, sizeof *peers->times, "sums of ranks", (void **)&peers->times));
    CGS_CUDA_TRY(context, cudaMemset(peers->turn, 0, sizeof *peers->turn));
    CGS_CUDA_TRY(context, cudaMemset(peers->times, 0, 2 * sizeof *peers->times));
    CGS_CUDA_TRY(context, cudaDeviceSynchronize());
    return CGS_OK;
}

/* The first way to try, as CGSOLVE_PEERS says. */
static enum cgs_status choose_way(struct cgs_context *context, int *first)
{
    static const char *const words[CGS_WAYS] = {"1", "nccl", "0"};
    const char *said = getenv("CGSOLVE_PEERS");
    for (*first = CGS_WAY_STORES; said && *first < CGS_WAYS && strcmp(said, words[*first]) != 0;)
        ++*first;
    return *first < CGS_WAYS ? CGS_OK
                             : cgs_fail(context, CGS_USAGE,
                                        "CGSOLVE_PEERS=%.40s: give nccl, 0 (the host carries what "
                                        "goes between GPUs) or "
                                        "1 (as if it were not set)",
                                        said);
}

/* Lets NCCL connect the ranks, a tenth of a second, which would count to the first sum. */
static enum cgs_status meet_by_nccl(struct cgs_queue *queue, struct cgs_peers *peers)
{
    const struct cgs_nccl *nccl = &peers->nccl;
    queue->way = CGS_WAY_NCCL;
    CGS_TRY(cgs_nccl_check(queue->context, nccl, "ncclAllGather",
                           nccl->all_gather(peers->values, peers->values + 1, sizeof *peers->values,
                                            CGS_NCCL_BYTE, nccl->comm, cgs_cuda_stream(queue))));
    return cgs_cuda_wait(queue);
}

/* Sums over fixed blocks are of other lengths on each rank, which ncclAllGather does not take. */
static enum cgs_status try_nccl(struct cgs_queue *queue, struct cgs_peers *peers, bool asked)
{
    char why[256] = "with \1reproducible NCCL does not serve";
    if (!queue->fixed && cgs_nccl_open(queue, &peers->nccl, why, sizeof why))
        return meet_by_nccl(queue, peers);
    if (!asked)
        return CGS_OK;
    return cgs_comm_agree(
        queue->context, why[0] ? cgs_fail(queue->context, CGS_DEVICE,
                                          "CGSOLVE_PEERS=nccl: %s; leave it unset, or take 0", why)
                               : CGS_OK);
}

enum cgs_status cgs_cuda_join(struct cgs_queue *queue)
{
    struct cgs_context *context = queue->context;
    struct cgs_peers *peers = NULL;
    bool shared = false;
    int first;
    if (!context->comm || cgs_cuda_device(queue)->peers)
        return CGS_OK;
    CGS_TRY(cgs_comm_agree(context, choose_way(context, &first)));
    CGS_TRY(cgs_comm_agree(context, alloc_peers(queue, &peers)));
    first = (int)cgs_comm_most(context, first);
    peers->together = -(int)cgs_comm_most(context, -cgs_cuda_together(queue));
    queue->way = CGS_WAY_HOST;
    if (first == CGS_WAY_STORES)
        CGS_TRY(try_to_share(queue,
                             cgs_ranks_letters(peers->ranks) * (int64_t)sizeof(struct cgs_letter),
                             "sums of ranks", &peers->letters, &shared));
    if (shared)
        queue->way = CGS_WAY_STORES;
    else if (first != CGS_WAY_HOST)
        CGS_TRY(try_nccl(queue, peers, first == CGS_WAY_NCCL));
    return CGS_OK;
}

struct cgs_peer_times *cgs_peers_times(const struct cgs_queue *queue)
{
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    cudaStreamIsCapturing(cgs_cuda_stream(queue), &capture);
    const bool solve =
        queue->context->watch.current == CGS_PHASE_SOLVE || capture != cudaStreamCaptureStatusNone;
    return cgs_peers_of(queue)->times + (solve ? 0 : 1);
}

enum cgs_status cgs_cuda_times(struct cgs_queue *queue, struct cgs_comm_time *time)
{
    const struct cgs_peers *peers = cgs_cuda_device(queue)->peers;
    struct cgs_peer_times times;
    if (!peers)
        return CGS_OK;
    CGS_TRY(cgs_cuda_fetch(queue, &times, peers->times, sizeof times));
    CGS_CUDA_TRY(queue->context, cudaMemset(peers->times, 0, sizeof times));
    CGS_CUDA_TRY(queue->context, cudaDeviceSynchronize());
    time->halos += 1e-9 * (double)times.halos;
    time->sums += 1e-9 * (double)times.sums;
    time->waiting += 1e-9 * (double)times.waiting;
    time->halo_count += times.halo_count;
    time->halo_bytes += times.halo_bytes;
    time->sum_count += times.sum_count;
    return CGS_OK;
}

void cgs_cuda_part(struct cgs_queue *queue)
{
    struct cgs_peers *peers = cgs_cuda_device(queue)->peers;
    if (!peers)
        return;
    cgs_nccl_close(&peers->nccl);
    cgs_peers_unshare(queue, &peers->letters);
    cgs_cuda_free(queue, peers->turn);
    cgs_cuda_free(queue, peers->times);
    cgs_cuda_free(queue, peers->values);
    cudaFreeHost(peers->seen);
    if (queue->context->comm)
        queue->context->comm->silent = NULL;
    cudaFreeHost(const_cast<int32_t *>(peers->patience.silent));
    cudaFreeHost(const_cast<int64_t *>(peers->step));
    cgs_free(queue->context, peers);
    cgs_cuda_device(queue)->peers = NULL;
}
