/* Halos on CUDA (kernels/halo.h): one kernel an exchange.
 *
 *     1. copies the numbers that others need into their mailboxes      the last block of a side raises their flag
 *     2. waits for their flags, and copies the own mailboxes into the vector's room
 *
 * A side is another rank. Its mailbox has two places, for exchanges of even and odd turns: a rank
 * that fills the place of a turn has had the flag of the turn before, which its peer raised after
 * it had emptied that place. For that flags go both ways between any two ranks of which one needs
 * something of the other.
 *
 * All blocks are resident at once, since they wait: at most one a multiprocessor. Bytes: what is
 * needed is read, sent, read and written once each. Where ranks can't write to each other's
 * memory NCCL or the host carries the numbers: the same copies, to and from buffers of their
 * own. */
#include "kernels/halo.h"

#include <cstring>

#include "base/clock.h"
#include "base/memory.h"
#include "kernels/device/launch.cuh"
#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/peers.cuh"
#include "kernels/device/peers_cuda.cuh"
#include "kernels/device/wait_cuda.cuh"
#include "kernels/space.h"
#include "matrix/names.h"

namespace
{

enum { EACH = 4 * CGS_THREADS }; /* units of 16 bytes of a block, about */

/* Numbers out ... out + out_count - 1 of the vector, or of the list, go to a peer; in ... in +
 * in_count - 1 come from it. Counted in units of what is copied at a time. */
struct side {
    int peer;
    bool listed;
    int64_t out, out_count, in, in_count;
    char *there;                     /* its mailbox for this rank */
    const char *here;                /* this rank's for it */
    int64_t there_place, here_place; /* bytes from one place of a mailbox to the other */
    unsigned *their_flag;
    const unsigned *local_flag;
};

struct halo {
    struct cgs_queue *queue;
    int size;                         /* bytes of a number */
    bool wide;                        /* units are of 16 bytes, else numbers */
    int count, blocks;                /* sides; blocks of a side */
    struct side *sides, *sides_there; /* on the host, on the device */
    int32_t *listed;                  /* in device memory */
    unsigned *tickets; /* of the sides, then of all, then the turn; in device memory */
    struct cgs_peer_memory mail;
    /* to be carried: by the host, pinned, and in device memory */
    char *out, *in, *out_there, *in_there;
    int64_t out_bytes, in_bytes;
    struct cgs_message *messages;
    struct cgs_cg_state *seen;
};

/* ---- kernels ---- */

struct exchange {
    const struct side *sides;
    const int32_t *listed;
    unsigned *tickets;
    int count, blocks;
    int64_t bytes; /* received for a vector */
    struct cgs_patience patience;
    struct cgs_peer_times *times;
    volatile int64_t *step;
};

/* One of the vectors of an exchange: x or first, whose mail follows that of x. */
template <class Unit>
__device__ inline void copy_out(const struct side &s, const int32_t *listed, const Unit *x,
                                Unit *to, int64_t begin, int64_t step)
{
    for (int64_t i = begin; i < s.out_count; i += step)
        to[i] = s.listed ? x[listed[s.out + i]] : x[s.out + i];
}

template <class Unit>
__device__ inline void copy_in(const struct side &s, const Unit *from, Unit *x, int64_t begin,
                               int64_t step)
{
    for (int64_t i = begin; i < s.in_count; i += step)
        x[s.in + i] = from[i];
}

/* Returns true if the step is to be done; *both: `first` is fetched as well. */
__device__ inline bool is_wanted(const struct cgs_cg_state *state, bool has_first, bool *both)
{
    *both = has_first && (!state || state->iteration == state->parity_base);
    return !state || cgs_cg_going_on(state);
}

template <class Unit>
__global__ void __launch_bounds__(CGS_THREADS)
    exchange_kernel(const struct exchange e, const struct cgs_cg_state *state, Unit *x, Unit *first)
{
    const struct side s = e.sides[blockIdx.x / e.blocks];
    const int64_t begin = (int64_t)(blockIdx.x % e.blocks) * CGS_THREADS + threadIdx.x;
    const int64_t step = (int64_t)e.blocks * CGS_THREADS;
    unsigned *ticket = e.tickets + blockIdx.x / e.blocks, *all = e.tickets + e.count,
             *turns = all + 1;
    const int64_t started = cgs_device_time();
    int64_t waited = 0;
    bool both;
    if (!is_wanted(state, first != nullptr, &both))
        return;
    const unsigned turn = *turns + 1;
    Unit *to = (Unit *)(s.there + (turn & 1) * s.there_place);
    const Unit *from = (const Unit *)(s.here + (turn & 1) * s.here_place);
    copy_out(s, e.listed, x, to, begin, step);
    if (both)
        copy_out(s, e.listed, first, to + s.out_count, begin, step);
    __syncthreads();
    if (threadIdx.x == 0) {
        cgs_fence_system();
        if (atomicAdd(ticket, 1u) == (unsigned)e.blocks - 1) {
            *ticket = 0;
            cgs_raise_flag(s.their_flag, turn);
        }
        const int64_t sent = cgs_device_time();
        cgs_await_flag(s.local_flag, turn, s.peer, e.patience);
        waited = cgs_device_time() - sent;
    }
    __syncthreads();
    copy_in(s, from, x, begin, step);
    if (both)
        copy_in(s, from + s.in_count, first, begin, step);
    __syncthreads();
    if (threadIdx.x == 0 && atomicAdd(all, 1u) == gridDim.x - 1) {
        *all = 0;
        *turns = turn;
        e.times->halos += cgs_device_time() - started;
        e.times->waiting += waited;
        e.times->halo_count++;
        e.times->halo_bytes += both ? 2 * e.bytes : e.bytes;
    }
}

/* The clock of an exchange that NCCL carries: by one thread of each of its kernels. */
template <bool OUT> __device__ inline void note_start(const struct exchange &e)
{
    const int64_t now = cgs_device_time();
    if (OUT) {
        e.times->begun = now;
        return;
    }
    e.times->waiting += now - e.times->sent;
    *e.step = -now;
}

template <bool OUT> __device__ inline void note_end(const struct exchange &e)
{
    const int64_t now = cgs_device_time();
    if (OUT) {
        *e.step = e.times->sent = now;
        return;
    }
    e.times->halos += now - e.times->begun;
    e.times->halo_count++;
    e.times->halo_bytes += e.bytes;
}

/* To be carried: mailboxes are buffers, one after the other, x's mail and then first's. state:
 * only what is wanted comes in, since NCCL brings both vectors always. */
template <class Unit, bool OUT>
__global__ void __launch_bounds__(CGS_THREADS)
    pack_kernel(const struct exchange e, const struct cgs_cg_state *state, Unit *x, char *buffer,
                bool second)
{
    bool both;
    if (!is_wanted(state, second, &both) || (!OUT && second && !both))
        return;
    const bool notes = e.times && !second && blockIdx.x == 0 && threadIdx.x == 0;
    if (notes)
        note_start<OUT>(e);
    const struct side s = e.sides[blockIdx.x / e.blocks];
    const int64_t begin = (int64_t)(blockIdx.x % e.blocks) * CGS_THREADS + threadIdx.x;
    const int64_t step = (int64_t)e.blocks * CGS_THREADS;
    if (OUT)
        copy_out(s, e.listed, x, (Unit *)(buffer + s.there_place) + (second ? s.out_count : 0),
                 begin, step);
    else
        copy_in(s, (const Unit *)(buffer + s.here_place) + (second ? s.in_count : 0), x, begin,
                step);
    if (notes)
        note_end<OUT>(e);
}

__global__ void show_state(const struct cgs_cg_state *state, struct cgs_cg_state *on_host)
{
    *on_host = *state;
}

/* ---- exchange ---- */

int64_t unit_bytes(const struct halo *halo)
{
    return halo->wide ? 16 : halo->size;
}

struct exchange exchange_of(const struct halo *halo)
{
    const struct cgs_peers *peers = cgs_peers_of(halo->queue);
    int64_t units = 0;
    for (int i = 0; i < halo->count; i++)
        units += halo->sides[i].in_count;
    return {
        halo->sides_there, halo->listed,
        halo->tickets,     halo->count,
        halo->blocks,      units * unit_bytes(halo),
        peers->patience,   halo->queue->way == CGS_WAY_HOST ? NULL : cgs_peers_times(halo->queue),
        peers->step};
}

template <class Unit>
enum cgs_status send_directly(const struct halo *halo, struct cgs_queue *queue,
                              const struct cgs_cg_state *state, void *x, void *first)
{
    return cgs_launch_together(queue, "halo", exchange_kernel<Unit>,
                               {(int64_t)halo->count * halo->blocks}, exchange_of(halo), state,
                               static_cast<Unit *>(x), static_cast<Unit *>(first));
}

/* state: NULL: unconditionally. */
template <class Unit, bool OUT>
enum cgs_status pack(const struct halo *halo, struct cgs_queue *queue,
                     const struct cgs_cg_state *state, void *x, bool second)
{
    return cgs_launch(queue, "halo", pack_kernel<Unit, OUT>, (int64_t)halo->count * halo->blocks,
                      exchange_of(halo), state, static_cast<Unit *>(x),
                      OUT ? halo->out_there : halo->in_there, second);
}

/* Messages between the buffers: `vectors` 1 or 2. */
void send_messages(const struct halo *halo, int vectors)
{
    struct cgs_comm *comm = halo->queue->context->comm;
    const int64_t unit = unit_bytes(halo);
    const double begin = cgs_now();
    int count = 0;
    for (int i = 0; i < halo->count; i++) {
        const struct side *s = &halo->sides[i];
        const int64_t out = vectors * s->out_count * unit, in = vectors * s->in_count * unit;
        if (out > 0)
            halo->messages[count++] = {s->peer, false, halo->out + s->there_place, out};
        if (in > 0)
            halo->messages[count++] = {s->peer, true, halo->in + s->here_place, in};
    }
    comm->ops->start(comm, halo->messages, count);
    comm->ops->finish(comm);
    cgs_comm_count_exchange(halo->queue->context, halo->messages, count);
    cgs_comm_count_halo(halo->queue->context, begin);
}

template <class Unit>
enum cgs_status carry(const struct halo *halo, struct cgs_queue *queue,
                      const struct cgs_cg_state *state, void *x, void *first)
{
    cudaStream_t stream = cgs_cuda_stream(queue);
    struct cgs_context *context = queue->context;
    if (state) {
        CGS_TRY(cgs_launch_blocks(queue, "show_state", show_state, {1, 1}, state, halo->seen));
        CGS_TRY(cgs_cuda_wait(queue));
        if (!cgs_cg_going_on(halo->seen))
            return CGS_OK;
        if (halo->seen->iteration != halo->seen->parity_base)
            first = NULL;
    }
    CGS_TRY((pack<Unit, true>(halo, queue, NULL, x, false)));
    if (first)
        CGS_TRY((pack<Unit, true>(halo, queue, NULL, first, true)));
    CGS_TRY(cgs_cuda_fetch(queue, halo->out, halo->out_there, halo->out_bytes));
    send_messages(halo, first ? 2 : 1);
    CGS_CUDA_TRY(context, cudaMemcpyAsync(halo->in_there, halo->in, (size_t)halo->in_bytes,
                                          cudaMemcpyHostToDevice, stream));
    CGS_TRY((pack<Unit, false>(halo, queue, NULL, x, false)));
    return first ? pack<Unit, false>(halo, queue, NULL, first, true) : CGS_OK;
}

/* Sends and receives what a side needs, of so many vectors. */
enum cgs_status swap_side(const struct halo *halo, struct cgs_queue *queue, const struct side *s,
                          int vectors)
{
    struct cgs_context *context = queue->context;
    const struct cgs_nccl *nccl = &cgs_peers_of(queue)->nccl;
    const size_t unit = (size_t)(vectors * unit_bytes(halo));
    cudaStream_t stream = cgs_cuda_stream(queue);
    if (s->out_count > 0)
        CGS_TRY(
            cgs_nccl_check(context, nccl, "ncclSend",
                           nccl->send(halo->out_there + s->there_place, (size_t)s->out_count * unit,
                                      CGS_NCCL_BYTE, s->peer, nccl->comm, stream)));
    if (s->in_count > 0)
        CGS_TRY(
            cgs_nccl_check(context, nccl, "ncclRecv",
                           nccl->receive(halo->in_there + s->here_place, (size_t)s->in_count * unit,
                                         CGS_NCCL_BYTE, s->peer, nccl->comm, stream)));
    return CGS_OK;
}

enum cgs_status swap_sides(const struct halo *halo, struct cgs_queue *queue, int vectors)
{
    struct cgs_context *context = queue->context;
    const struct cgs_nccl *nccl = &cgs_peers_of(queue)->nccl;
    CGS_TRY(cgs_nccl_check(context, nccl, "ncclGroupStart", nccl->group_start()));
    enum cgs_status status = CGS_OK;
    for (int i = 0; i < halo->count && status == CGS_OK; i++)
        status = swap_side(halo, queue, &halo->sides[i], vectors);
    const int ended = nccl->group_end();
    CGS_TRY(status);
    return cgs_nccl_check(context, nccl, "ncclGroupEnd", ended);
}

template <class Unit>
enum cgs_status send_by_nccl(const struct halo *halo, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, void *x, void *first)
{
    CGS_TRY((pack<Unit, true>(halo, queue, state, x, false)));
    if (first)
        CGS_TRY((pack<Unit, true>(halo, queue, state, first, true)));
    CGS_TRY(swap_sides(halo, queue, first ? 2 : 1));
    CGS_TRY((pack<Unit, false>(halo, queue, state, x, false)));
    return first ? pack<Unit, false>(halo, queue, state, first, true) : CGS_OK;
}

template <class Unit>
enum cgs_status exchange_as(const struct halo *halo, struct cgs_queue *queue,
                            const struct cgs_cg_state *state, void *x, void *first)
{
    if (queue->way == CGS_WAY_HOST)
        return carry<Unit>(halo, queue, state, x, first);
    return queue->way == CGS_WAY_NCCL ? send_by_nccl<Unit>(halo, queue, state, x, first)
                                      : send_directly<Unit>(halo, queue, state, x, first);
}

/* ---- creation ---- */

void halo_release(void *self)
{
    struct halo *halo = static_cast<struct halo *>(self);
    if (!halo)
        return;
    struct cgs_queue *queue = halo->queue;
    cgs_peers_unshare(queue, &halo->mail);
    cgs_cuda_free(queue, halo->sides_there);
    cgs_cuda_free(queue, halo->listed);
    cgs_cuda_free(queue, halo->tickets);
    cgs_cuda_free(queue, halo->out_there);
    cgs_cuda_free(queue, halo->in_there);
    cudaFreeHost(halo->out);
    cudaFreeHost(halo->in);
    cudaFreeHost(halo->seen);
    cgs_free(queue->context, halo->messages);
    cgs_free(queue->context, halo->sides);
    cgs_free(queue->context, halo);
}

/* Number `at` of the natural order in the vector's layout. Parts of a layout by lines are whole
 * lines. */
int64_t place_of(const struct cgs_layout *layout, int64_t at)
{
    return layout->pitch ? at / layout->length * layout->pitch : at;
}

/* Collects the parts by peer, with the counts of the numbers. */
void take_parts(const struct cgs_space *space, const struct cgs_halo_part *parts, int count,
                struct halo *halo)
{
    for (int p = 0; p < space->queue->context->comm->size; p++) {
        struct side side = {};
        bool used = false;
        side.peer = p;
        for (int i = 0; i < count; i++) {
            const struct cgs_halo_part *part = &parts[i];
            if (part->peer != p)
                continue;
            used = true;
            const int64_t numbers =
                part->listed ? part->count : place_of(&space->layout, part->count);
            if (part->incoming) {
                side.in = place_of(&space->layout, part->at);
                side.in_count = numbers;
            } else {
                side.listed = part->listed;
                side.out = part->listed ? part->at : place_of(&space->layout, part->at);
                side.out_count = numbers;
            }
        }
        if (used)
            halo->sides[halo->count++] = side;
    }
}

/* Counts in units of 16 bytes if all parts consist of such. */
void choose_unit(struct halo *halo)
{
    const int64_t per = 16 / halo->size;
    halo->wide = true;
    for (int i = 0; i < halo->count; i++) {
        const struct side *s = &halo->sides[i];
        halo->wide = halo->wide && !s->listed && s->out % per == 0 && s->out_count % per == 0 &&
                     s->in % per == 0 && s->in_count % per == 0;
    }
    for (int i = 0; halo->wide && i < halo->count; i++) {
        struct side *s = &halo->sides[i];
        s->out /= per;
        s->out_count /= per;
        s->in /= per;
        s->in_count /= per;
    }
}

void choose_blocks(struct halo *halo)
{
    const int64_t processors = cgs_cuda_device(halo->queue)->properties.multiProcessorCount;
    const int64_t most =
        halo->count > 0 && processors / halo->count > 1 ? processors / halo->count : 1;
    int64_t longest = 0;
    for (int i = 0; i < halo->count; i++) {
        const struct side *s = &halo->sides[i];
        longest = longest < s->out_count ? s->out_count : longest;
        longest = longest < s->in_count ? s->in_count : longest;
    }
    const int64_t wanted = (longest + EACH - 1) / EACH;
    halo->blocks = (int)(wanted < 1 ? 1 : wanted < most ? wanted : most);
}

int64_t whole(int64_t bytes)
{
    enum { LINE = 256 };
    return (bytes + LINE - 1) / LINE * LINE;
}

/* Flags, one a rank, come first in the mail. */
int64_t flags_bytes(const struct cgs_comm *comm)
{
    return whole(comm->size * (int64_t)sizeof(unsigned));
}

/* Bytes of a place of the mailbox for what comes from a side, for two vectors. */
int64_t place_bytes(const struct halo *halo, int64_t count)
{
    return whole(2 * count * unit_bytes(halo));
}

/* Shares the mail, and tells each peer where its mailbox begins: *offsets[r] is that in rank r's
 * memory. */
enum cgs_status share_mail(struct halo *halo)
{
    struct cgs_context *context = halo->queue->context;
    struct cgs_comm *comm = context->comm;
    int64_t own[CGS_RANKS_MOST] = {}, theirs[CGS_RANKS_MOST];
    int ones[CGS_RANKS_MOST];
    int64_t bytes = flags_bytes(comm);
    for (int r = 0; r < comm->size; r++)
        ones[r] = 1;
    for (int i = 0; i < halo->count; i++) {
        own[halo->sides[i].peer] = bytes;
        bytes += 2 * place_bytes(halo, halo->sides[i].in_count);
    }
    CGS_TRY(cgs_peers_share(halo->queue, bytes, "halo", &halo->mail));
    comm->ops->swap(comm, own, ones, theirs, ones);
    for (int i = 0; i < halo->count; i++) {
        struct side *s = &halo->sides[i];
        char *there = halo->mail.at[s->peer];
        s->here = halo->mail.own + own[s->peer];
        s->there = there + theirs[s->peer];
        s->here_place = place_bytes(halo, s->in_count);
        s->there_place = place_bytes(halo, s->out_count);
        s->local_flag = (const unsigned *)halo->mail.own + s->peer;
        s->their_flag = (unsigned *)there + comm->rank;
    }
    return CGS_OK;
}

/* Buffers for what is carried: places are offsets in them. */
enum cgs_status alloc_buffers(struct halo *halo)
{
    struct cgs_queue *queue = halo->queue;
    struct cgs_context *context = queue->context;
    for (int i = 0; i < halo->count; i++) {
        struct side *s = &halo->sides[i];
        s->there_place = halo->out_bytes;
        s->here_place = halo->in_bytes;
        halo->out_bytes += place_bytes(halo, s->out_count);
        halo->in_bytes += place_bytes(halo, s->in_count);
    }
    CGS_TRY(cgs_cuda_alloc(queue, halo->out_bytes, 1, "halo", (void **)&halo->out_there));
    CGS_TRY(cgs_cuda_alloc(queue, halo->in_bytes, 1, "halo", (void **)&halo->in_there));
    if (queue->way == CGS_WAY_NCCL)
        return CGS_OK;
    CGS_TRY(cgs_alloc(context, 2 * halo->count, sizeof *halo->messages, "halo",
                      (void **)&halo->messages));
    CGS_CUDA_TRY(context, cudaHostAlloc((void **)&halo->out, (size_t)halo->out_bytes + 1,
                                        cudaHostAllocDefault));
    CGS_CUDA_TRY(context, cudaHostAlloc((void **)&halo->in, (size_t)halo->in_bytes + 1,
                                        cudaHostAllocDefault));
    CGS_CUDA_TRY(context,
                 cudaHostAlloc((void **)&halo->seen, sizeof *halo->seen, cudaHostAllocDefault));
    return CGS_OK;
}

enum cgs_status send_list(struct halo *halo, const int64_t *needed, int64_t count)
{
    struct cgs_context *context = halo->queue->context;
    int32_t *list;
    CGS_TRY(cgs_alloc(context, count, sizeof *list, "halo", (void **)&list));
    for (int64_t i = 0; i < count; i++)
        list[i] = (int32_t)needed[i];
    enum cgs_status status =
        cgs_cuda_alloc(halo->queue, count, sizeof *list, "halo", (void **)&halo->listed);
    if (status == CGS_OK)
        status = cgs_cuda_send(halo->queue, halo->listed, list, count * (int64_t)sizeof *list);
    cgs_free(context, list);
    return status;
}

/* Makes this rank's own part of a halo. */
enum cgs_status make(const struct cgs_space *space, const struct cgs_halo_part *parts, int count,
                     struct halo **made)
{
    struct cgs_queue *queue = space->queue;
    struct halo *halo;
    CGS_TRY(cgs_alloc(queue->context, 1, sizeof *halo, "halo", (void **)&halo));
    *halo = {};
    *made = halo;
    halo->queue = queue;
    halo->size = (int)cgs_number_bytes(space->number);
    CGS_TRY(cgs_alloc(queue->context, queue->context->comm->size, sizeof *halo->sides, "halo",
                      (void **)&halo->sides));
    take_parts(space, parts, count, halo);
    CGS_TRY(cgs_cuda_alloc(queue, halo->count + 2, sizeof *halo->tickets, "halo",
                           (void **)&halo->tickets));
    CGS_CUDA_TRY(queue->context, cudaMemsetAsync(halo->tickets, 0,
                                                 (size_t)(halo->count + 2) * sizeof *halo->tickets,
                                                 cgs_cuda_stream(queue)));
    return cgs_cuda_alloc(queue, halo->count, sizeof *halo->sides, "halo",
                          (void **)&halo->sides_there);
}

/* The rest of it, once all ranks agree on the unit. */
enum cgs_status complete(struct halo *halo, const int64_t *needed, int64_t needed_count)
{
    if (halo->queue->way != CGS_WAY_STORES)
        CGS_TRY(alloc_buffers(halo));
    if (needed_count > 0)
        CGS_TRY(send_list(halo, needed, needed_count));
    return cgs_cuda_send(halo->queue, halo->sides_there, halo->sides,
                         halo->count * (int64_t)sizeof *halo->sides);
}

/* Lets NCCL connect the sides: what they swap here nobody reads. */
enum cgs_status meet(const struct halo *halo)
{
    struct cgs_queue *queue = halo->queue;
    if (halo->count > 0)
        CGS_TRY(swap_sides(halo, queue, 1));
    return cgs_cuda_wait(queue);
}

enum cgs_status halo_create(const struct cgs_space *space, const struct cgs_halo_part *parts,
                            int count, const int64_t *needed, int64_t needed_count, void **made)
{
    struct cgs_context *context = space->queue->context;
    struct halo *halo = NULL;
    enum cgs_status status = cgs_comm_agree(context, make(space, parts, count, &halo));
    if (status == CGS_OK) {
        choose_unit(halo);
        choose_blocks(halo);
        if (space->queue->way == CGS_WAY_STORES)
            status = share_mail(halo);
    }
    if (status == CGS_OK)
        status = cgs_comm_agree(context, complete(halo, needed, needed_count));
    if (status == CGS_OK && space->queue->way == CGS_WAY_NCCL)
        status = cgs_comm_agree(context, meet(halo));
    if (status == CGS_OK)
        *made = halo;
    else
        halo_release(halo);
    return status;
}

enum cgs_status halo_exchange(void *self, struct cgs_queue *queue, const struct cgs_cg_state *state,
                              void *x, void *first)
{
    const struct halo *halo = static_cast<const struct halo *>(self);
    if (halo->count == 0)
        return CGS_OK;
    if (halo->wide)
        return exchange_as<uint4>(halo, queue, state, x, first);
    if (halo->size == sizeof(double))
        return exchange_as<double>(halo, queue, state, x, first);
    return exchange_as<float>(halo, queue, state, x, first);
}

} // namespace

CGS_EXPORT(struct cgs_halo_ops, cgs_cuda_halo) = {halo_create, halo_exchange, halo_release};
