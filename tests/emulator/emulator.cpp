/* The emulator's runtime: kernels run on the CPU, each CUDA thread a fiber, everything at once.
 *
 * A fiber runs until it waits: at a barrier, in a shuffle or vote, or for another block (__nanosleep).
 * The lanes of a warp, the warps of a block and the blocks of a grid take their turns forward, backward
 * or shuffled, changing from launch to launch; CGSOLVE_TEST=order=K begins with
 * the K-th of these orders. So whoever relies on a __syncthreads() or __syncwarp() that is not there gets a wrong result in one order or another, and the tests' oracles see it.
 *
 * Reported, with file and line of what the threads wait for, as cudaErrorLaunchFailure:
 *     threads that wait for each other in vain, or at different barriers; lanes that are not in their
 *     own mask, or meet in different intrinsics
 *     shared memory beyond what the launch gives or a block may have (by guards, after the block)
 * Device memory ends at a page that nobody may touch: what reads or writes beyond it stops by SIGSEGV
 * (blocks are multiples of 256 bytes; the rest is guarded as the shared memory is, and looked at after
 * each launch). Device and shared memory begin as NaN: what is read before it is written shows.
 *
 * Not seen are races within one turn and what orders memory between blocks (fences, volatile);
 * atomics that are not atomic; timing, occupancy, registers; paths for an architecture (NV_IF_TARGET),
 * of which it takes what is written for none; contracted a * b + c, which nvcc makes fma.
 *
 * Only for kernels of one-dimensional blocks. One host thread at a time launches.
 */
#include <cuda_runtime.h>

#include <algorithm>
#include <fcntl.h>
#include <link.h>
#include <map>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <vector>
#if !defined(__x86_64__)
#include <ucontext.h>
#endif

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace
{

constexpr size_t STACK = 128 << 10, PAGE = 4096, GUARD = 256;
/* Stacks of a warp begin this far apart modulo a page: else all use the same few lines of the cache. */
constexpr size_t COLOUR = 448;
constexpr unsigned char POISON = 0xff; /* NaN, -1 */
constexpr int LANES = 32;

/* ---- the pretended device ---- */

constexpr int PROCESSORS = 4, RESIDENT = 8; /* blocks of a multiprocessor at a time */
constexpr size_t MEMORY = (size_t)4 << 30, BLOCK_SHARED = 99 << 10;

cudaError_t last_error;

cudaError_t fail(cudaError_t error)
{
    if (error != cudaSuccess)
        last_error = error;
    return error;
}

/* ---- fibers: a stack each; switching keeps what a call must keep ---- */

#if defined(__x86_64__)
struct context {
    void *stack;
};
extern "C" void emulator_switch(context *from, const context *to);
asm(R"(
    .text
    .globl emulator_switch
    .type emulator_switch, @function
emulator_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq (%rsi), %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size emulator_switch, .-emulator_switch
)");
void begin_context(context *made, char *stack, size_t bytes, void (*entry)())
{
    void **top = reinterpret_cast<void **>(stack + bytes) - 2;
    *top = reinterpret_cast<void *>(entry); /* returned to, with the stack as after a call */
    made->stack = top - 6;
}
#else
struct context {
    ucontext_t all;
};
void emulator_switch(context *from, const context *to)
{
    swapcontext(&from->all, &to->all);
}
void begin_context(context *made, char *stack, size_t bytes, void (*entry)())
{
    getcontext(&made->all);
    made->all.uc_stack.ss_sp = stack;
    made->all.uc_stack.ss_size = bytes;
    made->all.uc_link = nullptr;
    makecontext(&made->all, entry, 0);
}
#endif

enum state { READY, DONE, AT_BARRIER, IN_WARP, YIELDED };

struct fiber {
    context at;
    enum state state;
    uint3 thread;
    /* what it waits for */
    const char *file;
    int line;
    enum emulator_vote kind;
    unsigned mask;
    int from;
    bool vote;
    uint64_t mine, result;
};

struct block {
    uint3 index;
    std::vector<fiber> fibers;
    char *stacks;
    char *dynamic; /* shared memory of the launch, between guards */
    char *kept;    /* static shared memory, while another block runs */
    bool voted, done;
};

struct launch {
    const emulator_call *call;
    dim3 grid, threads;
    size_t shared;
    bool together;
};

const launch *now;
block *running;
fiber *here;
context scheduler;
char trouble[512];

/* Stacks are kept from launch to launch. */
std::vector<char *> spare_stacks;
constexpr size_t MOST_THREADS = 1024;

char *take_stacks()
{
    if (!spare_stacks.empty()) {
        char *stacks = spare_stacks.back();
        spare_stacks.pop_back();
        return stacks;
    }
    void *stacks = mmap(nullptr, MOST_THREADS * STACK, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stacks == MAP_FAILED)
        abort();
    for (size_t i = 0; i < MOST_THREADS;
         i += 1) /* an overflow stops instead of spoiling a neighbour */
        mprotect(static_cast<char *>(stacks) + i * STACK, PAGE, PROT_NONE);
    return static_cast<char *>(stacks);
}

/* ---- static shared memory: the program's thread-local storage ---- */

struct storage {
    char *begin;
    size_t bytes;
};

int find_storage(dl_phdr_info *info, size_t, void *data)
{
    storage *found = static_cast<storage *>(data);
    if (info->dlpi_name[0] != '\0')
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_TLS)
            *found = {static_cast<char *>(info->dlpi_tls_data), info->dlpi_phdr[i].p_memsz};
    return 1;
}

/* Lines of the storage that a kernel has been seen to write: these are poisoned before each block. */
constexpr size_t LINE = 256;
struct learned {
    std::vector<bool> written;
    std::vector<std::pair<size_t, size_t>> runs; /* begin, bytes */
    long launches;
};
std::map<const void *, learned> kernels;
storage shared;

void poison_all()
{
    memset(shared.begin, POISON, shared.bytes);
}

void find_runs(learned *kernel)
{
    kernel->runs.clear();
    for (size_t i = 0; i < kernel->written.size(); i++) {
        if (!kernel->written[i])
            continue;
        const size_t begin = i * LINE, bytes = std::min(LINE, shared.bytes - begin);
        if (!kernel->runs.empty() &&
            kernel->runs.back().first + kernel->runs.back().second == begin)
            kernel->runs.back().second += bytes;
        else
            kernel->runs.push_back({begin, bytes});
    }
}

/* Looks for lines that are not poison: this kernel has written them. */
void learn(learned *kernel)
{
    static const std::vector<char> poison(LINE, (char)POISON);
    bool more = false;
    kernel->written.resize((shared.bytes + LINE - 1) / LINE);
    for (size_t i = 0; i < kernel->written.size(); i++) {
        const size_t bytes = std::min(LINE, shared.bytes - i * LINE);
        if (kernel->written[i] || memcmp(shared.begin + i * LINE, poison.data(), bytes) == 0)
            continue;
        more = true;
        kernel->written[i] = true;
    }
    if (more)
        find_runs(kernel);
}

/* Poisons what this kernel writes, in the storage or in a copy of it. */
void poison(const learned *kernel, char *begin)
{
    for (const auto &[at, bytes] : kernel->runs)
        memset(begin + at, POISON, bytes);
}

/* Copies what this kernel writes. */
void copy(const learned *kernel, char *to, const char *from)
{
    for (const auto &[at, bytes] : kernel->runs)
        memcpy(to + at, from + at, bytes);
}

/* Copies of the storage, all poison, kept from launch to launch. */
std::vector<char *> spare_copies;

char *take_copy()
{
    if (!spare_copies.empty()) {
        char *spare = spare_copies.back();
        spare_copies.pop_back();
        return spare;
    }
    char *made = static_cast<char *>(malloc(shared.bytes));
    if (!made)
        abort();
    memset(made, POISON, shared.bytes);
    return made;
}

/* ---- order ---- */

struct order {
    enum { FORWARD, BACKWARD, SHUFFLED } way;
    uint64_t seed;
};
order turn;

uint64_t draw(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

void next_order()
{
    static const char *test = getenv("CGSOLVE_TEST"), *first = test ? strstr(test, "order=") : nullptr;
    static uint64_t launches = first ? strtoull(first + 6, nullptr, 10) : 0;
    launches++;
    turn.seed = 0x9e3779b97f4a7c15u * launches | 1;
    turn.way = launches % 3 == 0   ? order::FORWARD
               : launches % 3 == 1 ? order::BACKWARD
                                   : order::SHUFFLED;
}

void arrange(int *list, int count)
{
    for (int i = 0; i < count; i++)
        list[i] = turn.way == order::BACKWARD ? count - 1 - i : i;
    for (int i = count - 1; turn.way == order::SHUFFLED && i > 0; i--)
        std::swap(list[i], list[(draw(&turn.seed) >> 32) * (uint64_t)(i + 1) >> 32]);
}

/* ---- running a block ---- */

/* The running warp; its lanes in the order of their turns, and how many have had theirs. */
fiber *warp;
int turns[LANES], turn_count, turns_taken;

/* Goes on with the next ready lane of the warp, else with the scheduler. Fibers switch to each other directly,
 * mostly at the same place of the same kernel, so that the processor predicts where they return to. */
void switch_from(context *from)
{
    while (turns_taken < turn_count) {
        fiber *next = &warp[turns[turns_taken++]];
        if (next->state == READY) {
            here = next;
            threadIdx = next->thread;
            emulator_switch(from, &next->at);
            return;
        }
    }
    if (from != &scheduler)
        emulator_switch(from, &scheduler);
}

void entry()
{
    now->call->run();
    here->state = DONE;
    switch_from(&here->at);
    abort();
}

void wait(enum state state, const char *file, int line)
{
    fiber *own = here;
    own->state = state;
    own->file = file;
    own->line = line;
    switch_from(&own->at);
}

bool complain(const fiber *f, const char *what)
{
    static const char *const words[] = {"ready", "done", "waits at a barrier", "waits for lanes",
                                        "waits for a block"};
    snprintf(trouble, sizeof trouble, "%s: block %u, thread %u, which %s at %s:%d, mask %08x", what,
             running->index.x, f->thread.x, words[f->state], f->file ? f->file : "?", f->line,
             f->state == IN_WARP ? f->mask : 0);
    return false;
}

/* Lets a whole warp go on that waits in one intrinsic, as nearly all do. */
bool release_all(int lanes)
{
    const unsigned all = lanes == LANES ? ~0u : (1u << lanes) - 1;
    unsigned ballot = 0;
    for (int i = 0; i < lanes; i++) {
        const fiber *f = &warp[i];
        if (f->state != IN_WARP || f->kind != warp->kind || (f->mask & all) != all ||
            f->mask != warp->mask)
            return false;
        ballot |= (unsigned)(f->mine != 0) << i;
    }
    for (int i = 0; i < lanes; i++) {
        fiber *f = &warp[i];
        f->state = READY;
        f->result = f->kind == EMULATOR_BALLOT        ? ballot
                    : f->from >= 0 && f->from < lanes ? warp[f->from].mine
                                                      : ~(uint64_t)0;
    }
    return true;
}

/* Lanes whose mask has met go on; false: they do what is not allowed. */
bool release_lanes(int lanes, bool *released)
{
    if (release_all(lanes)) {
        *released = true;
        return true;
    }
    for (int i = 0; i < lanes; i++) {
        if (warp[i].state != IN_WARP)
            continue;
        const unsigned mask = warp[i].mask;
        unsigned ballot = 0;
        bool all = true;
        if (!(mask >> i & 1))
            return complain(&warp[i], "a lane is not in its own mask");
        for (int j = 0; j < lanes; j++) {
            if (!(mask >> j & 1) || warp[j].state == DONE)
                continue;
            all = all && warp[j].state == IN_WARP && warp[j].mask == mask;
            ballot |= (unsigned)(warp[j].mine != 0) << j;
        }
        if (!all)
            continue;
        for (int j = 0; j < lanes; j++) {
            fiber *f = &warp[j];
            if (!(mask >> j & 1) || f->state == DONE)
                continue;
            if (f->kind != warp[i].kind)
                return complain(f, "lanes of a warp meet in different intrinsics");
            const fiber *from = f->from >= 0 && f->from < lanes ? &warp[f->from] : nullptr;
            const bool there = from && (mask >> f->from & 1) && from->state != DONE;
            f->result = f->kind == EMULATOR_BALLOT ? ballot : there ? from->mine : ~(uint64_t)0;
        }
        for (int j = 0; j < lanes; j++)
            if ((mask >> j & 1) && warp[j].state == IN_WARP)
                warp[j].state = READY;
        *released = true;
    }
    return true;
}

bool run_warp(fiber *first, int lanes)
{
    warp = first;
    turn_count = lanes;
    arrange(turns, lanes);
    for (bool again = true; again;) {
        turns_taken = 0;
        switch_from(&scheduler);
        again = false;
        if (!release_lanes(lanes, &again))
            return false;
    }
    return true;
}

/* The barrier opens once all threads that have not ended are there. */
bool open_barrier(block *b, bool *opened)
{
    fiber *first = nullptr;
    for (fiber &f : b->fibers) {
        if (f.state != DONE && f.state != AT_BARRIER)
            return true;
        if (f.state == AT_BARRIER && !first)
            first = &f;
    }
    if (!first)
        return true;
    bool vote = false;
    for (const fiber &f : b->fibers) {
        if (f.state != AT_BARRIER)
            continue;
        if (f.line != first->line || strcmp(f.file, first->file) != 0)
            return complain(&f, "threads of a block wait at different barriers");
        vote = vote || f.vote;
    }
    b->voted = vote;
    for (fiber &f : b->fibers)
        if (f.state == AT_BARRIER)
            f.state = READY;
    *opened = true;
    return true;
}

/* Until all threads have ended, or wait for another block. */
bool run_block(block *b)
{
    const int threads = (int)b->fibers.size(), warps = (threads + LANES - 1) / LANES;
    int list[MOST_THREADS / LANES];
    running = b;
    blockIdx = b->index;
    for (fiber &f : b->fibers)
        if (f.state == YIELDED)
            f.state = READY;
    for (bool again = true; again;) {
        again = false;
        arrange(list, warps);
        for (int i = 0; i < warps; i++) {
            const int first = list[i] * LANES;
            if (!run_warp(&b->fibers[(size_t)first], std::min(LANES, threads - first)))
                return false;
        }
        if (!open_barrier(b, &again))
            return false;
    }
    const fiber *stuck = nullptr, *yields = nullptr;
    for (const fiber &f : b->fibers) {
        if (f.state == YIELDED)
            yields = &f;
        else if (f.state != DONE)
            stuck = &f;
    }
    b->done = !stuck && !yields;
    return !stuck || yields || complain(stuck, "threads wait for others in vain");
}

void open_block(block *b, unsigned index)
{
    const size_t threads = now->threads.x;
    b->index = {index, 0, 0};
    b->done = false;
    if (!b->stacks)
        b->stacks = take_stacks();
    if (!b->dynamic)
        b->dynamic = static_cast<char *>(
            aligned_alloc(GUARD, (now->shared + 3 * GUARD - 1) / GUARD * GUARD + GUARD));
    memset(b->dynamic, POISON, now->shared + 2 * GUARD);
    b->fibers.resize(threads);
    for (size_t t = 0; t < threads; t++) {
        fiber *f = &b->fibers[t];
        f->state = READY;
        f->thread = {(unsigned)t, 0, 0};
        begin_context(&f->at, b->stacks + t * STACK, STACK - t % LANES * COLOUR, entry);
    }
}

/* False, with the words, where a block has written beyond its shared memory. */
bool guards_stand(const block *b)
{
    for (size_t i = 0; i < GUARD; i++)
        if ((unsigned char)b->dynamic[i] != POISON ||
            (unsigned char)b->dynamic[GUARD + now->shared + i] != POISON) {
            snprintf(trouble, sizeof trouble,
                     "block %u wrote outside of its %zu bytes of shared memory", b->index.x,
                     now->shared);
            return false;
        }
    return true;
}

void close_block(block *b)
{
    if (b->stacks)
        spare_stacks.push_back(b->stacks);
    free(b->dynamic);
    *b = {};
}

/* Returns true if a thread has slept since the last time. */
bool has_slept;

bool slept()
{
    const bool was = has_slept;
    has_slept = false;
    return was;
}

/* One block after the other. */
bool run_blocks(learned *kernel)
{
    std::vector<int> list(now->grid.x);
    arrange(list.data(), (int)now->grid.x);
    block b = {};
    bool fine = true;
    for (size_t i = 0; i < list.size() && fine; i++) {
        poison(kernel, shared.begin);
        open_block(&b, (unsigned)list[i]);
        for (int spins = 0; fine && !b.done; spins += !slept()) /* not while it waits for a process */
            fine = run_block(&b) &&
                   (spins < 1000 || complain(&b.fibers[0], "waits for a block that may not run"));
        fine = fine && guards_stand(&b);
        if (kernel->launches == 0 && i < 8)
            learn(kernel);
    }
    close_block(&b);
    return fine;
}

/* All in turns: each has shared memory of its own. Lines that one writes for the first time are poison
 * in the others' copies, which are poison where no block has written. */
bool run_together(learned *kernel)
{
    std::vector<block> blocks(now->grid.x);
    std::vector<int> list(now->grid.x);
    size_t open = blocks.size();
    bool fine = true;
    for (size_t i = 0; i < blocks.size(); i++) {
        open_block(&blocks[i], (unsigned)i);
        blocks[i].kept = take_copy();
    }
    for (long idle = 0; fine && open > 0; idle++) {
        const size_t before = open;
        arrange(list.data(), (int)blocks.size());
        for (size_t i = 0; i < blocks.size() && fine; i++) {
            block *b = &blocks[(size_t)list[i]];
            if (b->done)
                continue;
            copy(kernel, shared.begin, b->kept);
            fine = run_block(b) && guards_stand(b);
            learn(kernel);
            copy(kernel, b->kept, shared.begin);
            open -= b->done;
        }
        if (open < before || slept())
            idle = 0;
        if (fine && idle > 100000)
            fine = complain(&blocks[0].fibers[0], "blocks wait for each other in vain");
    }
    for (block &b : blocks) {
        poison(kernel, b.kept);
        spare_copies.push_back(b.kept);
        close_block(&b);
    }
    return fine;
}

/* ---- device memory ---- */

struct allocation {
    char *map;
    size_t mapped, bytes, rounded;
    emulator_pool *pool;
    int file; /* -1: no other process maps it */
};
std::map<char *, allocation> allocations;
size_t used;

size_t round_up(size_t bytes, size_t to)
{
    return (bytes + to - 1) / to * to;
}

bool guard_stands(char *block, const allocation &a)
{
    for (size_t i = a.bytes; i < a.rounded; i++)
        if ((unsigned char)block[i] != POISON) {
            snprintf(trouble, sizeof trouble, "byte %zu was written in device memory of %zu bytes",
                     i, a.bytes);
            return false;
        }
    return true;
}

bool all_guards_stand()
{
    for (const auto &[block, a] : allocations)
        if (!guard_stands(block, a))
            return false;
    return true;
}

cudaError_t report(cudaError_t error)
{
    fprintf(stderr, "emulator: %s\n", trouble);
    return fail(error);
}

std::map<const void *, size_t> allowed; /* dynamic shared memory beyond 48 KiB */

cudaError_t run_launch(const launch &l)
{
    const size_t most = allowed.count(l.call->kernel) ? allowed[l.call->kernel] : 48 << 10;
    if (l.grid.x == 0 || l.threads.x == 0 || l.threads.x > MOST_THREADS || l.shared > most)
        return fail(cudaErrorInvalidValue);
    if (l.together && l.grid.x > PROCESSORS * RESIDENT)
        return fail(cudaErrorCooperativeLaunchTooLarge);
    storage found = {};
    dl_iterate_phdr(find_storage, &found);
    learned *kernel = &kernels[l.call->kernel];
    if (found.begin != shared.begin) {
        shared = found;
        poison_all();
    }
    next_order();
    now = &l;
    gridDim = l.grid;
    blockDim = l.threads;
    const bool fine = l.together ? run_together(kernel) : run_blocks(kernel);
    kernel->launches++;
    if ((kernel->launches & (kernel->launches - 1)) == 0)
        learn(kernel);
    poison(kernel, shared.begin);
    if (!fine)
        return report(cudaErrorLaunchFailure);
    return all_guards_stand() ? cudaSuccess : report(cudaErrorIllegalAddress);
}

} // namespace

/* ---- what kernels call ---- */

void *emulator_shared()
{
    return running->dynamic + GUARD;
}

void emulator_sleep()
{
    has_slept = true;
    usleep(20);
}

void emulator_yield()
{
    wait(YIELDED, __FILE__, __LINE__);
}

bool emulator_barrier(bool vote, const char *file, int line)
{
    block *own = running;
    here->vote = vote;
    wait(AT_BARRIER, file, line);
    return own->voted;
}

uint64_t emulator_warp(enum emulator_vote kind, unsigned mask, uint64_t mine, int from,
                       const char *file, int line)
{
    fiber *own = here;
    own->kind = kind;
    own->mask = mask;
    own->mine = mine;
    own->from = from;
    wait(IN_WARP, file, line);
    return own->result;
}

/* ---- streams, which do everything at once or record it; graphs ---- */

enum emulator_what { LAUNCH, COPY, FILL, FUNCTION };
struct emulator_step {
    enum emulator_what what;
    launch l;
    void *to;
    const void *from;
    int byte;
    size_t bytes, lines, to_pitch, from_pitch;
    void (*function)(void *);
};
struct emulator_graph {
    std::vector<emulator_step> steps;
    int users = 1; /* the graph, and those made of it */
};
struct emulator_stream {
    emulator_graph *recording;
};
struct emulator_event {
    double seconds;
};
struct emulator_pool {
    size_t used;
};

static cudaError_t run_step(const emulator_step &s)
{
    switch (s.what) {
    case LAUNCH:
        return run_launch(s.l);
    case COPY:
        for (size_t i = 0; i < s.lines; i++)
            memmove(static_cast<char *>(s.to) + i * s.to_pitch,
                    static_cast<const char *>(s.from) + i * s.from_pitch, s.bytes);
        break;
    case FILL:
        for (size_t i = 0; i < s.lines; i++)
            memset(static_cast<char *>(s.to) + i * s.to_pitch, s.byte, s.bytes);
        break;
    case FUNCTION:
        s.function(s.to);
        break;
    }
    return cudaSuccess;
}

static cudaError_t queue_step(cudaStream_t stream, const emulator_step &step)
{
    if (stream && stream->recording)
        return stream->recording->steps.push_back(step), cudaSuccess;
    const cudaError_t error = run_step(step);
    if (step.what == LAUNCH)
        delete step.l.call;
    return error;
}

cudaError_t emulator_launch(const cudaLaunchConfig_t *config, emulator_call *call)
{
    emulator_step step = {};
    step.what = LAUNCH;
    step.l = {call, config->gridDim, config->blockDim, config->dynamicSmemBytes, false};
    for (unsigned i = 0; i < config->numAttrs; i++)
        if (config->attrs[i].id == cudaLaunchAttributeCooperative)
            step.l.together = config->attrs[i].val.cooperative != 0;
    return queue_step(config->stream, step);
}

cudaError_t emulator_set(const void *kernel, cudaFuncAttribute which, int value)
{
    if (which != cudaFuncAttributeMaxDynamicSharedMemorySize)
        return cudaSuccess;
    if ((size_t)value > BLOCK_SHARED)
        return fail(cudaErrorInvalidValue);
    allowed[kernel] = std::max<size_t>((size_t)value, 48 << 10);
    return cudaSuccess;
}

static void drop(emulator_graph *graph)
{
    if (--graph->users > 0)
        return;
    for (const emulator_step &s : graph->steps)
        if (s.what == LAUNCH)
            delete s.l.call;
    delete graph;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode)
{
    stream->recording = new emulator_graph;
    return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status)
{
    *status = stream->recording ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    *graph = stream->recording;
    stream->recording = nullptr;
    return *graph ? cudaSuccess : fail(cudaErrorInvalidValue);
}
cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned)
{
    *graph = new emulator_graph;
    return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    drop(graph);
    return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *made, cudaGraph_t graph, unsigned long long)
{
    graph->users++;
    *made = graph;
    return cudaSuccess;
}
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t)
{
    return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t)
{
    for (const emulator_step &s : graph->steps) {
        const cudaError_t error = run_step(s);
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph)
{
    drop(graph);
    return cudaSuccess;
}
/* Recordings that the device repeats: a node's kernel comes without the types of its arguments. */
cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *, cudaGraph_t, unsigned,
                                             unsigned)
{
    return fail(cudaErrorNotSupported);
}
cudaError_t cudaGraphAddNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t,
                             cudaGraphNodeParams *)
{
    return fail(cudaErrorNotSupported);
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *,
                                       size_t, cudaGraph_t)
{
    return fail(cudaErrorNotSupported);
}
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t,
                                   const cudaKernelNodeParams *)
{
    return fail(cudaErrorNotSupported);
}
void cudaGraphSetConditional(cudaGraphConditionalHandle, unsigned)
{
}

/* ---- the rest of the runtime library ---- */

static const char *const error_names[] = {"cudaSuccess",
                                          "cudaErrorInvalidValue",
                                          "cudaErrorMemoryAllocation",
                                          "cudaErrorNoDevice",
                                          "cudaErrorInsufficientDriver",
                                          "cudaErrorNoKernelImageForDevice",
                                          "cudaErrorInvalidDeviceFunction",
                                          "cudaErrorDevicesUnavailable",
                                          "cudaErrorIllegalAddress",
                                          "cudaErrorLaunchFailure",
                                          "cudaErrorCooperativeLaunchTooLarge",
                                          "cudaErrorPeerAccessAlreadyEnabled",
                                          "cudaErrorNotSupported"};

const char *cudaGetErrorName(cudaError_t error)
{
    return error_names[error];
}
const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaErrorLaunchFailure || error == cudaErrorIllegalAddress ? trouble
                                                                               : error_names[error];
}
cudaError_t cudaGetLastError()
{
    const cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}
cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}
cudaError_t cudaGetDevice(int *index)
{
    *index = 0;
    return cudaSuccess;
}
cudaError_t cudaSetDevice(int index)
{
    return index == 0 ? cudaSuccess : fail(cudaErrorInvalidValue);
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int)
{
    *p = {};
    strcpy(p->name, "emulator");
    p->totalGlobalMem = MEMORY;
    p->sharedMemPerBlockOptin = p->sharedMemPerMultiprocessor = BLOCK_SHARED;
    p->major = 7;
    p->multiProcessorCount = PROCESSORS;
    p->maxThreadsPerMultiProcessor = RESIDENT * 256;
    p->l2CacheSize = 1 << 20;
    p->cooperativeLaunch = p->memoryPoolsSupported = 1;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr which, int)
{
    *value = which == cudaDevAttrComputeCapabilityMajor ? 7 : 0;
    return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize()
{
    return cudaSuccess;
}

static cudaError_t allocate(void **out, size_t bytes, emulator_pool *pool)
{
    allocation a = {nullptr, 0, bytes, round_up(bytes > 0 ? bytes : 1, GUARD), pool, -1};
    if (bytes > MEMORY || used + a.rounded > MEMORY)
        return fail(cudaErrorMemoryAllocation);
    const size_t pages = round_up(a.rounded, PAGE);
    a.mapped = pages + PAGE;
    void *map = mmap(nullptr, a.mapped, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return fail(cudaErrorMemoryAllocation);
    a.map = static_cast<char *>(map);
    mprotect(a.map + pages, PAGE, PROT_NONE);
    char *block = a.map + pages - a.rounded;
    memset(block, POISON, a.rounded);
    allocations[block] = a;
    used += a.rounded;
    if (pool)
        pool->used += a.rounded;
    *out = block;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **block, size_t bytes)
{
    return allocate(block, bytes, nullptr);
}
cudaError_t cudaFree(void *block)
{
    if (!block)
        return cudaSuccess;
    const auto found = allocations.find(static_cast<char *>(block));
    if (found == allocations.end())
        return fail(cudaErrorInvalidValue);
    const allocation a = found->second;
    const bool stands = guard_stands(static_cast<char *>(block), a);
    allocations.erase(found);
    used -= a.rounded;
    if (a.pool)
        a.pool->used -= a.rounded;
    munmap(a.map, a.mapped);
    if (a.file >= 0)
        close(a.file);
    return stands ? cudaSuccess : report(cudaErrorIllegalAddress);
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *address)
{
    const char *at = static_cast<const char *>(address);
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->device = 0;
    for (const auto &[block, a] : allocations)
        if (at >= block && at < block + a.rounded)
            attributes->type = cudaMemoryTypeDevice;
    return cudaSuccess;
}
cudaError_t cudaHostAlloc(void **block, size_t bytes, unsigned)
{
    *block = malloc(bytes);
    return *block ? cudaSuccess : fail(cudaErrorMemoryAllocation);
}
cudaError_t cudaFreeHost(void *block)
{
    free(block);
    return cudaSuccess;
}
/* Memory that other processes map: a file without a name takes the place of the block's pages when it is first
 * asked for, and others open it by the number of its descriptor. */
struct shared_block {
    int process, file;
    size_t pages, offset;
};
static_assert(sizeof(shared_block) <= sizeof(cudaIpcMemHandle_t));

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *block)
{
    const auto found = allocations.find(static_cast<char *>(block));
    if (found == allocations.end())
        return fail(cudaErrorInvalidValue);
    allocation *a = &found->second;
    const size_t pages = a->mapped - PAGE;
    if (a->file < 0) {
        a->file = memfd_create("block", MFD_CLOEXEC);
        if (a->file < 0 || pwrite(a->file, a->map, pages, 0) != (ssize_t)pages ||
            mmap(a->map, pages, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, a->file, 0) == MAP_FAILED)
            return fail(cudaErrorMemoryAllocation);
    }
    const shared_block made = {(int)getpid(), a->file, pages,
                               (size_t)(static_cast<char *>(block) - a->map)};
    memcpy(handle, &made, sizeof made);
    return cudaSuccess;
}
static std::map<char *, shared_block> opened;
cudaError_t cudaIpcOpenMemHandle(void **block, cudaIpcMemHandle_t handle, unsigned)
{
    shared_block from;
    char path[64];
    memcpy(&from, &handle, sizeof from);
    snprintf(path, sizeof path, "/proc/%d/fd/%d", from.process, from.file);
    const int file = open(path, O_RDWR | O_CLOEXEC);
    void *map = file < 0 ? MAP_FAILED
                         : mmap(nullptr, from.pages, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0)
        close(file);
    if (map == MAP_FAILED)
        return fail(cudaErrorInvalidValue);
    *block = static_cast<char *>(map) + from.offset;
    opened[static_cast<char *>(*block)] = from;
    return cudaSuccess;
}
cudaError_t cudaIpcCloseMemHandle(void *block)
{
    const auto found = opened.find(static_cast<char *>(block));
    if (found == opened.end())
        return fail(cudaErrorInvalidValue);
    munmap(found->first - found->second.offset, found->second.pages);
    opened.erase(found);
    return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned)
{
    return fail(cudaErrorNotSupported);
}
cudaError_t cudaDeviceCanAccessPeer(int *can, int, int)
{
    *can = 0;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetP2PAttribute(int *value, cudaDeviceP2PAttr, int, int)
{
    *value = 0;
    return cudaSuccess;
}
cudaError_t cudaHostRegister(void *, size_t, unsigned)
{
    return cudaSuccess;
}
cudaError_t cudaHostUnregister(void *)
{
    return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t *available, size_t *all)
{
    *available = MEMORY - used;
    *all = MEMORY;
    return cudaSuccess;
}
static cudaError_t move(cudaStream_t stream, emulator_what what, void *to, size_t to_pitch,
                        const void *from, size_t from_pitch, int byte, size_t bytes, size_t lines)
{
    emulator_step step = {};
    step.what = what;
    step.to = to;
    step.from = from;
    step.byte = byte;
    step.bytes = bytes;
    step.lines = lines;
    step.to_pitch = to_pitch;
    step.from_pitch = from_pitch;
    return queue_step(stream, step);
}
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind)
{
    return move(nullptr, COPY, to, 0, from, 0, 0, bytes, 1);
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream)
{
    return move(stream, COPY, to, 0, from, 0, 0, bytes, 1);
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t bytes, size_t lines, cudaMemcpyKind, cudaStream_t stream)
{
    return move(stream, COPY, to, to_pitch, from, from_pitch, 0, bytes, lines);
}
cudaError_t cudaMemset(void *to, int byte, size_t bytes)
{
    return move(nullptr, FILL, to, 0, nullptr, 0, byte, bytes, 1);
}
cudaError_t cudaMemsetAsync(void *to, int byte, size_t bytes, cudaStream_t stream)
{
    return move(stream, FILL, to, 0, nullptr, 0, byte, bytes, 1);
}
cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int byte, size_t bytes, size_t lines,
                              cudaStream_t stream)
{
    return move(stream, FILL, to, pitch, nullptr, 0, byte, bytes, lines);
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *)
{
    *pool = new emulator_pool{0};
    return cudaSuccess;
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    delete pool;
    return cudaSuccess;
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t)
{
    return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *)
{
    return cudaSuccess;
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr, void *value)
{
    *static_cast<uint64_t *>(value) = pool->used;
    return cudaSuccess;
}
cudaError_t cudaMallocFromPoolAsync(void **block, size_t bytes, cudaMemPool_t pool, cudaStream_t)
{
    return allocate(block, bytes, pool);
}
cudaError_t cudaFreeAsync(void *block, cudaStream_t)
{
    return cudaFree(block);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned)
{
    *stream = new emulator_stream{nullptr};
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    delete stream;
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t)
{
    return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t)
{
    return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    *event = new emulator_event{0.0};
    return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
    return cudaEventCreate(event);
}
cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    delete event;
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t)
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    event->seconds = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t)
{
    return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t)
{
    return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
    *milliseconds = std::max(1e-3f, (float)(1e3 * (to->seconds - from->seconds)));
    return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void *), void *data)
{
    emulator_step step = {};
    step.what = FUNCTION;
    step.function = function;
    step.to = data;
    return queue_step(stream, step);
}
