/* Vectors on devices turned among ranks. */
#include "kernels/fdm/turn_cuda.cuh"

#include "base/clock.h"
#include "base/memory.h"
#include "kernels/device/launch.cuh"
#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/peers.cuh"
#include "kernels/device/peers_cuda.cuh"
#include "kernels/device/wait_cuda.cuh"

/* A block on its way: `planes` of `run` bytes, from and to offsets. */
struct copy {
    int64_t planes, run, from, from_step, to, to_step;
};

/* The most of any of a launch's copies. */
struct extent {
    int64_t planes, run;
};

struct cgs_turn_cuda {
    struct cgs_queue *queue;
    struct cgs_turn_shape shape;
    struct cgs_peer_memory mail; /* of stores: flags, lines, slab */
    char *buffer;                /* mail.own; else memory of its own, with packed blocks */
    int64_t lines, slab, bytes;  /* offsets of lines, and slab or packed blocks; bytes of all */
    struct copy *copies;         /* over to each rank, then back; in device memory */
    struct extent most[2];       /* of those over, of those back */
    unsigned *tickets;           /* of the blocks of a launch, and the turn; in device memory */
    /* to be carried by the host, pinned */
    char *host_lines, *host_packed;
    struct cgs_message *messages;
    struct cgs_cg_state *seen;
};

namespace
{

constexpr int UNROLLED = 4; /* units of a thread on their way at once */
constexpr int WAITING = 32; /* threads that look at flags */

int64_t whole(int64_t bytes)
{
    enum { LINE = 256 };
    return (bytes + LINE - 1) / LINE * LINE;
}

/* ---- kernels ---- */

struct turning {
    const struct copy *copies;
    struct extent most;
    int rank, ranks;
    const char *from;
    char *to, *const *there; /* there: the memory of each rank; NULL: `to` */
    unsigned *tickets;
    int64_t bytes; /* received in a turn */
    struct cgs_patience patience;
    struct cgs_peer_times *times;
    volatile int64_t *step;
};

/* Shares of a plane of a block. */
template <class Unit> __host__ __device__ inline int64_t pieces_of(const struct extent &most)
{
    constexpr int64_t BYTES = CGS_THREADS * UNROLLED * sizeof(Unit);
    return (most.run + BYTES - 1) / BYTES;
}

/* Copies all blocks. Neighbouring thread blocks write to different ranks, each rank to its next
 * one first. Of stores the last one raises the flags. */
template <class Unit>
__global__ void __launch_bounds__(CGS_THREADS)
    copy_kernel(const struct turning v, const struct cgs_cg_state *state)
{
    constexpr int64_t PIECE = CGS_THREADS * UNROLLED;
    const int64_t pieces = pieces_of<Unit>(v.most);
    if (state && !cgs_cg_going_on(state))
        return;
    if (v.there && blockIdx.x == 0 && threadIdx.x == 0)
        v.times->begun = cgs_device_time();
    for (int64_t task = blockIdx.x; task < v.ranks * v.most.planes * pieces; task += gridDim.x) {
        const int peer = (int)((task + v.rank + 1) % v.ranks);
        const int64_t plane = task / v.ranks / pieces,
                      first = task / v.ranks % pieces * PIECE + threadIdx.x;
        const struct copy c = v.copies[peer];
        const int64_t units = plane < c.planes ? c.run / (int64_t)sizeof(Unit) : 0;
        const Unit *const from = (const Unit *)(v.from + c.from + plane * c.from_step);
        Unit *const to = (Unit *)((v.there ? v.there[peer] : v.to) + c.to + plane * c.to_step);
        Unit numbers[UNROLLED];
#pragma unroll
        for (int i = 0; i < UNROLLED; i++)
            if (first + i * CGS_THREADS < units)
                numbers[i] = from[first + i * CGS_THREADS];
#pragma unroll
        for (int i = 0; i < UNROLLED; i++)
            if (first + i * CGS_THREADS < units)
                to[first + i * CGS_THREADS] = numbers[i];
    }
    if (!v.there)
        return;
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    cgs_fence_system();
    if (atomicAdd(v.tickets, 1u) != gridDim.x - 1)
        return;
    *v.tickets = 0;
    v.times->sent = cgs_device_time();
    for (int r = 0; r < v.ranks; r++)
        if (r != v.rank)
            cgs_raise_flag((unsigned *)v.there[r] + v.rank, v.tickets[1] + 1);
}

__device__ inline void count_turn(const struct turning &v)
{
    const int64_t now = cgs_device_time();
    v.times->waiting += now - v.times->sent;
    v.times->halos += now - v.times->begun;
    v.times->halo_count++;
    v.times->halo_bytes += v.bytes;
}

/* Waits until all ranks have sent. One block. */
__global__ void wait_kernel(const struct turning v, const struct cgs_cg_state *state)
{
    if (state && !cgs_cg_going_on(state))
        return;
    const unsigned turn = v.tickets[1] + 1;
    for (int r = (int)threadIdx.x; r < v.ranks; r += (int)blockDim.x)
        if (r != v.rank)
            cgs_await_flag((const unsigned *)v.there[v.rank] + r, turn, r, v.patience);
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    v.tickets[1] = turn;
    count_turn(v);
}

/* The clock of a turn that NCCL carries; one thread. */
__global__ void note_start(const struct turning v, const struct cgs_cg_state *state)
{
    if (state && !cgs_cg_going_on(state))
        return;
    *v.step = v.times->begun = v.times->sent = cgs_device_time();
}

__global__ void note_end(const struct turning v, const struct cgs_cg_state *state)
{
    if (state && !cgs_cg_going_on(state))
        return;
    *v.step = -cgs_device_time();
    count_turn(v);
}

__global__ void show_state(const struct cgs_cg_state *state, struct cgs_cg_state *on_host)
{
    *on_host = *state;
}

/* ---- launches ---- */

int64_t bytes_received(const struct cgs_turn_cuda *t, bool over)
{
    int64_t bytes = 0;
    for (int r = 0; r < t->shape.ranks; r++) {
        const struct cgs_turn_block b = over ? cgs_turn_block(&t->shape, r, t->shape.rank)
                                             : cgs_turn_block(&t->shape, t->shape.rank, r);
        bytes += r == t->shape.rank ? 0 : b.planes * b.run;
    }
    return bytes;
}

struct turning turning_of(const struct cgs_turn_cuda *t, bool over, const void *from, void *to)
{
    const struct cgs_peers *peers = cgs_peers_of(t->queue);
    const bool carried = t->queue->way == CGS_WAY_HOST;
    struct turning v = {};
    v.copies = t->copies + (over ? 0 : t->shape.ranks);
    v.most = t->most[over ? 0 : 1];
    v.rank = t->shape.rank;
    v.ranks = t->shape.ranks;
    v.from = static_cast<const char *>(from);
    v.to = static_cast<char *>(to);
    v.there = t->queue->way == CGS_WAY_STORES ? t->mail.there : nullptr;
    v.tickets = t->tickets;
    v.bytes = bytes_received(t, over);
    v.patience = peers->patience;
    v.times = carried ? nullptr : cgs_peers_times(t->queue);
    v.step = peers->step;
    return v;
}

template <class Unit>
enum cgs_status copy_as(struct cgs_queue *queue, const struct turning &v,
                        const struct cgs_cg_state *state)
{
    const int64_t tasks = v.ranks * v.most.planes * pieces_of<Unit>(v.most);
    return cgs_launch(queue, "turn", copy_kernel<Unit>, cgs_blocks_for(queue, tasks * CGS_THREADS),
                      v, state);
}

enum cgs_status copy_blocks(const struct cgs_turn_cuda *t, struct cgs_queue *queue,
                            const struct cgs_cg_state *state, bool over, const void *from, void *to)
{
    const struct turning v = turning_of(t, over, from, to);
    const uintptr_t row = (uintptr_t)(t->shape.unit * t->shape.bytes),
                    all = (uintptr_t)from | (uintptr_t)to | row;
    if (all % sizeof(uint4) == 0)
        return copy_as<uint4>(queue, v, state);
    return all % sizeof(uint64_t) == 0 ? copy_as<uint64_t>(queue, v, state)
                                       : copy_as<uint32_t>(queue, v, state);
}

enum cgs_status turn_by_stores(const struct cgs_turn_cuda *t, struct cgs_queue *queue,
                               const struct cgs_cg_state *state, bool over, void *y)
{
    CGS_TRY(copy_blocks(t, queue, state, over, over ? y : t->buffer, nullptr));
    return cgs_launch_blocks(queue, "turn", wait_kernel, {1, WAITING},
                             turning_of(t, over, nullptr, nullptr), state);
}

/* ---- carried ---- */

/* The messages between the buffers of this device. */
int list_messages(const struct cgs_turn_cuda *t, bool over, char *packed, char *lines)
{
    return cgs_turn_messages(&t->shape, over, packed, lines, t->messages);
}

enum cgs_status swap_by_nccl(const struct cgs_turn_cuda *t, struct cgs_queue *queue, bool over)
{
    struct cgs_context *context = queue->context;
    const struct cgs_nccl *nccl = &cgs_peers_of(queue)->nccl;
    const int count = list_messages(t, over, t->buffer + t->slab, t->buffer + t->lines);
    enum cgs_status status = cgs_nccl_check(context, nccl, "ncclGroupStart", nccl->group_start());
    CGS_TRY(status);
    for (int i = 0; i < count && status == CGS_OK; i++) {
        const struct cgs_message *m = &t->messages[i];
        status = m->incoming
                     ? cgs_nccl_check(context, nccl, "ncclRecv",
                                      nccl->receive(m->memory, (size_t)m->bytes, CGS_NCCL_BYTE,
                                                    m->peer, nccl->comm, cgs_cuda_stream(queue)))
                     : cgs_nccl_check(context, nccl, "ncclSend",
                                      nccl->send(m->memory, (size_t)m->bytes, CGS_NCCL_BYTE,
                                                 m->peer, nccl->comm, cgs_cuda_stream(queue)));
    }
    const int ended = nccl->group_end();
    CGS_TRY(status);
    return cgs_nccl_check(context, nccl, "ncclGroupEnd", ended);
}

/* Copies what goes to the host's buffers, or what has come from there. */
enum cgs_status copy_messages(const struct cgs_turn_cuda *t, struct cgs_queue *queue, int count,
                              bool over, bool incoming)
{
    const bool packed = over != incoming;
    char *const device = t->buffer + (packed ? t->slab : t->lines);
    char *const host = packed ? t->host_packed : t->host_lines;
    for (int i = 0; i < count; i++) {
        const struct cgs_message *m = &t->messages[i];
        if (m->incoming != incoming)
            continue;
        char *const there = device + (static_cast<char *>(m->memory) - host);
        CGS_CUDA_TRY(queue->context,
                     cudaMemcpyAsync(incoming ? there : m->memory, incoming ? m->memory : there,
                                     (size_t)m->bytes,
                                     incoming ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost,
                                     cgs_cuda_stream(queue)));
    }
    return CGS_OK;
}

enum cgs_status swap_by_host(const struct cgs_turn_cuda *t, struct cgs_queue *queue, bool over)
{
    struct cgs_context *context = queue->context;
    const int count = list_messages(t, over, t->host_packed, t->host_lines);
    CGS_TRY(copy_messages(t, queue, count, over, false));
    CGS_TRY(cgs_cuda_wait(queue));
    const double begin = cgs_now();
    cgs_comm_exchange(context->comm, t->messages, count);
    cgs_comm_count_exchange(context, t->messages, count);
    cgs_comm_count_halo(context, begin);
    return copy_messages(t, queue, count, over, true);
}

/* *stopped: the state has a reason to stop. */
enum cgs_status look(const struct cgs_turn_cuda *t, struct cgs_queue *queue,
                     const struct cgs_cg_state *state, bool *stopped)
{
    *stopped = false;
    if (!state)
        return CGS_OK;
    CGS_TRY(cgs_launch_blocks(queue, "show_state", show_state, {1, 1}, state, t->seen));
    CGS_TRY(cgs_cuda_wait(queue));
    *stopped = !cgs_cg_going_on(t->seen);
    return CGS_OK;
}

enum cgs_status turn_carried(const struct cgs_turn_cuda *t, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, bool over, void *y)
{
    const bool nccl = queue->way == CGS_WAY_NCCL;
    const struct turning v = turning_of(t, over, nullptr, nullptr);
    bool stopped = false;
    if (!nccl)
        CGS_TRY(look(t, queue, state, &stopped));
    if (stopped)
        return CGS_OK;
    if (over)
        CGS_TRY(copy_blocks(t, queue, state, over, y, t->buffer));
    if (nccl)
        CGS_TRY(cgs_launch_blocks(queue, "turn", note_start, {1, 1}, v, state));
    CGS_TRY(nccl ? swap_by_nccl(t, queue, over) : swap_by_host(t, queue, over));
    if (nccl)
        CGS_TRY(cgs_launch_blocks(queue, "turn", note_end, {1, 1}, v, state));
    return over ? CGS_OK : copy_blocks(t, queue, state, over, t->buffer, y);
}

/* ---- creation ---- */

/* Blocks that go from this rank to rank r, or are unpacked for it. */
struct copy copy_of(const struct cgs_turn_cuda *t, bool over, int r)
{
    const struct cgs_turn_shape *shape = &t->shape;
    const bool stores = t->queue->way == CGS_WAY_STORES;
    const int rank = shape->rank;
    struct copy c = {};
    if (stores && !over) { /* from the own lines to the slab of r */
        const struct cgs_turn_block b = cgs_turn_block(shape, r, rank);
        c = {b.planes,
             b.run,
             t->lines + b.in_lines,
             b.run,
             t->lines + whole(cgs_turn_lines_bytes(shape, r)) + b.in_slab,
             b.slab_step};
        return c;
    }
    const struct cgs_turn_block b = cgs_turn_block(shape, rank, r);
    const int64_t block = r == rank || stores ? t->lines + b.in_lines : t->slab + b.in_packed;
    if (over)
        c = {b.planes, b.run, b.in_slab, b.slab_step, block, b.run};
    else
        c = {b.planes, b.run, block, b.run, b.in_slab, b.slab_step};
    return c;
}

enum cgs_status send_copies(struct cgs_turn_cuda *t, struct copy *copies)
{
    const int ranks = t->shape.ranks;
    for (int i = 0; i < 2 * ranks; i++) {
        struct extent *most = &t->most[i / ranks];
        copies[i] = copy_of(t, i < ranks, i % ranks);
        most->planes = copies[i].planes > most->planes ? copies[i].planes : most->planes;
        most->run = copies[i].run > most->run ? copies[i].run : most->run;
    }
    return cgs_cuda_send(t->queue, t->copies, copies, 2 * ranks * (int64_t)sizeof *copies);
}

void lay_out(struct cgs_turn_cuda *t)
{
    t->lines = whole(t->shape.ranks * (int64_t)sizeof(unsigned)); /* after the flags */
    t->slab = t->lines + whole(cgs_turn_lines_bytes(&t->shape, t->shape.rank));
    t->bytes = t->slab + whole(cgs_turn_slab_bytes(&t->shape));
}

enum cgs_status alloc_on_host(struct cgs_turn_cuda *t)
{
    struct cgs_context *context = t->queue->context;
    const size_t lines = (size_t)cgs_turn_lines_bytes(&t->shape, t->shape.rank),
                 packed = (size_t)cgs_turn_slab_bytes(&t->shape);
    CGS_CUDA_TRY(context, cudaHostAlloc((void **)&t->host_lines, lines + 1, cudaHostAllocDefault));
    CGS_CUDA_TRY(context,
                 cudaHostAlloc((void **)&t->host_packed, packed + 1, cudaHostAllocDefault));
    CGS_CUDA_TRY(context, cudaHostAlloc((void **)&t->seen, sizeof *t->seen, cudaHostAllocDefault));
    return CGS_OK;
}

/* This rank's own part. */
enum cgs_status make(struct cgs_queue *queue, const struct cgs_turn_shape *shape,
                     struct cgs_turn_cuda **made)
{
    struct cgs_context *context = queue->context;
    struct cgs_turn_cuda *t;
    CGS_TRY(cgs_alloc(context, 1, sizeof *t, "turn of fdm", (void **)&t));
    *t = {};
    *made = t;
    t->queue = queue;
    t->shape = *shape;
    lay_out(t);
    CGS_TRY(cgs_alloc(context, 2 * (int64_t)shape->ranks, sizeof *t->messages, "turn of fdm",
                      (void **)&t->messages));
    CGS_TRY(cgs_cuda_alloc(queue, 2 * (int64_t)shape->ranks, sizeof *t->copies, "turn of fdm",
                           (void **)&t->copies));
    CGS_TRY(cgs_cuda_alloc(queue, 2, sizeof *t->tickets, "turn of fdm", (void **)&t->tickets));
    CGS_CUDA_TRY(context, cudaMemset(t->tickets, 0, 2 * sizeof *t->tickets));
    CGS_CUDA_TRY(context, cudaDeviceSynchronize());
    if (queue->way == CGS_WAY_STORES)
        return CGS_OK;
    CGS_TRY(cgs_cuda_alloc(queue, t->bytes, 1, "turn of fdm", (void **)&t->buffer));
    CGS_CUDA_TRY(context, cudaMemset(t->buffer, 0, (size_t)t->bytes));
    CGS_CUDA_TRY(context, cudaDeviceSynchronize());
    return queue->way == CGS_WAY_HOST ? alloc_on_host(t) : CGS_OK;
}

/* The rest of it, once all ranks have theirs. */
enum cgs_status complete(struct cgs_turn_cuda *t)
{
    struct cgs_context *context = t->queue->context;
    struct copy *copies;
    CGS_TRY(cgs_alloc(context, 2 * (int64_t)t->shape.ranks, sizeof *copies, "turn of fdm",
                      (void **)&copies));
    const enum cgs_status status = send_copies(t, copies);
    cgs_free(context, copies);
    return status;
}

/* Lets NCCL connect the ranks, outside graphs. */
enum cgs_status meet(const struct cgs_turn_cuda *t)
{
    CGS_TRY(swap_by_nccl(t, t->queue, true));
    return cgs_cuda_wait(t->queue);
}

} // namespace

enum cgs_status cgs_turn_cuda_create(const struct cgs_space *space,
                                     const struct cgs_turn_shape *shape, enum cgs_status status,
                                     struct cgs_turn_cuda **turn)
{
    struct cgs_queue *queue = space->queue;
    struct cgs_context *context = queue->context;
    struct cgs_turn_cuda *made = nullptr;
    *turn = nullptr;
    if (!shape->cuts)
        return status;
    status = cgs_comm_agree(context, status == CGS_OK ? make(queue, shape, &made) : status);
    if (status == CGS_OK && queue->way == CGS_WAY_STORES) {
        status = cgs_peers_share(queue, made->bytes, "turn of fdm", &made->mail);
        made->buffer = made->mail.own;
    }
    if (status == CGS_OK)
        status = cgs_comm_agree(context, complete(made));
    if (status == CGS_OK && queue->way == CGS_WAY_NCCL)
        status = cgs_comm_agree(context, meet(made));
    if (status == CGS_OK)
        *turn = made;
    else
        cgs_turn_cuda_release(made);
    return status;
}

void cgs_turn_cuda_release(struct cgs_turn_cuda *turn)
{
    if (!turn)
        return;
    struct cgs_queue *queue = turn->queue;
    if (turn->mail.own)
        cgs_peers_unshare(queue, &turn->mail);
    else
        cgs_cuda_free(queue, turn->buffer);
    cgs_cuda_free(queue, turn->copies);
    cgs_cuda_free(queue, turn->tickets);
    cudaFreeHost(turn->host_lines);
    cudaFreeHost(turn->host_packed);
    cudaFreeHost(turn->seen);
    cgs_free(queue->context, turn->messages);
    cgs_free(queue->context, turn);
}

void cgs_turn_cuda_plan(struct cgs_plan *plan, const struct cgs_turn_shape *shape)
{
    if (!shape->cuts)
        return;
    struct cgs_turn_cuda t = {};
    t.shape = *shape;
    lay_out(&t);
    cgs_plan_add(plan, CGS_HOST, "turn of fdm", 1, sizeof t);
    cgs_plan_add(plan, CGS_HOST, "turn of fdm", 2 * (int64_t)shape->ranks,
                 sizeof(struct cgs_message) + sizeof(struct copy));
    cgs_plan_add(plan, CGS_DEVICE_MEMORY, "turn of fdm", 1, t.bytes);
    cgs_plan_add(plan, CGS_DEVICE_MEMORY, "turn of fdm", 2 * (int64_t)shape->ranks,
                 sizeof(struct copy));
}

void *cgs_turn_cuda_lines(const struct cgs_turn_cuda *turn, void *y)
{
    return turn ? turn->buffer + turn->lines : y;
}

void *cgs_turn_cuda_slab(const struct cgs_turn_cuda *turn, void *y)
{
    return turn && turn->queue->way == CGS_WAY_STORES ? turn->buffer + turn->slab : y;
}

enum cgs_status cgs_turn_cuda_over(struct cgs_turn_cuda *turn, struct cgs_queue *queue,
                                   const struct cgs_cg_state *state, void *y)
{
    if (!turn)
        return CGS_OK;
    return queue->way == CGS_WAY_STORES ? turn_by_stores(turn, queue, state, true, y)
                                        : turn_carried(turn, queue, state, true, y);
}

enum cgs_status cgs_turn_cuda_back(struct cgs_turn_cuda *turn, struct cgs_queue *queue,
                                   const struct cgs_cg_state *state, void *y)
{
    if (!turn)
        return CGS_OK;
    return queue->way == CGS_WAY_STORES ? turn_by_stores(turn, queue, state, false, y)
                                        : turn_carried(turn, queue, state, false, y);
}
