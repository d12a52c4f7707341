#include "core/ranks/beats.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 1, NAME = MPI_MAX_PROCESSOR_NAME };

/* The slowest network that counts as one. */
static const double LEAST_BYTES_PER_SECOND = 10e6;

/* Place of a rank in the memory of its host, to which it alone writes; but `claimed` of the first is
 * everybody's. Two cache lines: MPI's memory need not begin with one, and neighbours share none so. */
struct seat {
    atomic_uint beat;       /* by the watch */
    atomic_uint steps;      /* odd while the rank waits */
    _Atomic float patience; /* seconds that this wait may take */
    atomic_flag claimed;
    unsigned char unused[112];
};

/* State of another rank of this host, as this one has seen it. */
struct neighbour {
    struct seat *seat;
    int rank;
    unsigned beat, steps;
    int silent; /* turns */
};

/* Message of a leader to the next. */
struct sign {
    int idle; /* turns, as far as the sender knows */
    int last; /* no more follow */
};

/* Connection of the leaders of hosts. */
struct ring {
    MPI_Comm comm; /* MPI_COMM_NULL: no leader, or one host */
    int hosts, next, previous;
    int rank;        /* of the leader before, which this one watches */
    char host[NAME]; /* that leader's */
    struct sign received, sent;
    MPI_Request in, out;
    int silent; /* turns since a sign came */
    int heard;  /* turns for which all have been idle, by the last sign */
};

struct cgs_beats {
    MPI_Comm host;
    MPI_Win window;
    char name[NAME]; /* of this host */
    int count, mine;
    struct neighbour *ranks; /* count of them, this rank's included */
    int here;                /* turns for which all of this host have waited */
    int idle;                /* the same of all hosts, as far as is known */
    bool apart;              /* nothing is known of other hosts */
    struct ring ring;
};

/* ---- opening ---- */

static bool open_seats(struct cgs_beats *beats)
{
    struct seat *own;
    int rank, unit;
    MPI_Aint size;
    MPI_Comm_size(beats->host, &beats->count);
    MPI_Comm_rank(beats->host, &beats->mine);
    beats->ranks = calloc((size_t)beats->count, sizeof *beats->ranks);
    int *numbers = calloc((size_t)beats->count, sizeof *numbers);
    if (!beats->ranks || !numbers) {
        free(numbers);
        return false;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allgather(&rank, 1, MPI_INT, numbers, 1, MPI_INT, beats->host);
    MPI_Win_allocate_shared(sizeof *own, 1, MPI_INFO_NULL, beats->host, &own, &beats->window);
    memset(own, 0, sizeof *own);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, beats->window);
    for (int r = 0; r < beats->count; r++) {
        beats->ranks[r].rank = numbers[r];
        MPI_Win_shared_query(beats->window, r, &size, &unit, &beats->ranks[r].seat);
    }
    free(numbers);
    MPI_Barrier(beats->host); /* all seats are zero */
    return true;
}

static void expect_sign(struct ring *ring)
{
    MPI_Irecv(&ring->received, 2, MPI_INT, ring->previous, TAG, ring->comm, &ring->in);
}

/* Learns from the leader before who it is, and expects its first sign. */
static void open_ring(struct cgs_beats *beats, MPI_Comm all)
{
    struct ring *ring = &beats->ring;
    int place, rank;
    MPI_Comm leaders;
    MPI_Comm_rank(all, &rank);
    ring->in = ring->out = MPI_REQUEST_NULL;
    MPI_Comm_split(all, beats->mine == 0 ? 0 : MPI_UNDEFINED, rank, &leaders);
    if (leaders == MPI_COMM_NULL)
        return;
    ring->comm = leaders;
    MPI_Comm_size(leaders, &ring->hosts);
    MPI_Comm_rank(leaders, &place);
    ring->next = (place + 1) % ring->hosts;
    ring->previous = (place + ring->hosts - 1) % ring->hosts;
    MPI_Sendrecv(&rank, 1, MPI_INT, ring->next, TAG, &ring->rank, 1, MPI_INT, ring->previous, TAG,
                 leaders, MPI_STATUS_IGNORE);
    MPI_Sendrecv(beats->name, NAME, MPI_CHAR, ring->next, TAG, ring->host, NAME, MPI_CHAR,
                 ring->previous, TAG, leaders, MPI_STATUS_IGNORE);
    expect_sign(ring);
}

struct cgs_beats *cgs_beats_open(MPI_Comm all, bool messages)
{
    struct cgs_beats *made = calloc(1, sizeof *made);
    int length, ranks;
    if (!made)
        return NULL;
    MPI_Get_processor_name(made->name, &length);
    MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made->host);
    made->ring.comm = MPI_COMM_NULL;
    if (!open_seats(made)) {
        free(made->ranks);
        free(made);
        return NULL;
    }
    MPI_Comm_size(all, &ranks);
    if (messages && made->count < ranks)
        open_ring(made, all);
    made->apart = made->count < ranks && made->ring.comm == MPI_COMM_NULL;
    return made;
}

int cgs_beats_on_host(const struct cgs_beats *beats)
{
    return beats->count;
}

int cgs_beats_host(const struct cgs_beats *beats)
{
    return beats->ranks[0].rank;
}

/* ---- waits ---- */

static void step(struct cgs_beats *beats)
{
    struct seat *seat = beats->ranks[beats->mine].seat;
    const unsigned steps = atomic_load_explicit(&seat->steps, memory_order_relaxed);
    atomic_store_explicit(&seat->steps, steps + 1, memory_order_relaxed);
}

void cgs_beats_enter(struct cgs_beats *beats, int64_t bytes)
{
    const float patience = (float)((double)bytes / LEAST_BYTES_PER_SECOND);
    atomic_store_explicit(&beats->ranks[beats->mine].seat->patience, patience,
                          memory_order_relaxed);
    step(beats);
}

void cgs_beats_leave(struct cgs_beats *beats)
{
    step(beats);
}

/* ---- turns ---- */

/* Looks at the seats: who has beaten, and whether all wait and none has gone on. */
static void look_at_host(struct cgs_beats *beats, double seconds)
{
    bool idle = true;
    float patience = 0.0F;
    for (int r = 0; r < beats->count; r++) {
        struct neighbour *n = &beats->ranks[r];
        const unsigned beat = atomic_load(&n->seat->beat), steps = atomic_load(&n->seat->steps);
        const float asked = atomic_load(&n->seat->patience);
        n->silent = beat == n->beat && r != beats->mine ? n->silent + 1 : 0;
        idle = idle && steps == n->steps && steps % 2 == 1;
        patience = asked > patience ? asked : patience;
        n->beat = beat;
        n->steps = steps;
    }
    beats->here = idle ? beats->here + 1 : 0;
    const double turns = beats->here - (double)patience / seconds;
    beats->idle = turns > 0.0 ? (int)turns : 0;
}

static void send_sign(struct cgs_beats *beats, bool last)
{
    struct ring *ring = &beats->ring;
    ring->sent = (struct sign){.idle = beats->idle, .last = last};
    MPI_Isend(&ring->sent, 2, MPI_INT, ring->next, TAG, ring->comm, &ring->out);
}

/* Takes the signs that have arrived, and sends one. All hosts have been idle for the least number of
 * turns that one of them has. That minimum goes round; what is heard counts as a turn more, or it would
 * never grow. */
static void look_at_ring(struct cgs_beats *beats)
{
    struct ring *ring = &beats->ring;
    int arrived = 0, left = 0;
    if (ring->comm == MPI_COMM_NULL)
        return;
    ring->silent++;
    for (;;) {
        if (!ring->received.last)
            MPI_Test(&ring->in, &arrived, MPI_STATUS_IGNORE);
        if (!arrived)
            break;
        ring->silent = 0;
        ring->heard = ring->received.idle + 1;
        if (ring->received.last)
            break;
        expect_sign(ring);
    }
    beats->idle = beats->idle < ring->heard ? beats->idle : ring->heard;
    MPI_Test(&ring->out, &left, MPI_STATUS_IGNORE);
    if (left)
        send_sign(beats, false);
}

void cgs_beats_turn(struct cgs_beats *beats, double seconds)
{
    atomic_fetch_add(&beats->ranks[beats->mine].seat->beat, 1);
    look_at_host(beats, seconds);
    look_at_ring(beats);
}

struct cgs_late cgs_beats_late(const struct cgs_beats *beats)
{
    struct cgs_late late = {0};
    for (int r = 0; r < beats->count; r++)
        if (beats->ranks[r].silent > late.turns)
            late =
                (struct cgs_late){beats->ranks[r].silent, beats->ranks[r].rank, false, beats->name};
    if (beats->ring.silent > late.turns)
        late = (struct cgs_late){beats->ring.silent, beats->ring.rank, true, beats->ring.host};
    return late;
}

/* A host that is busy sends 0; the last one of the ring then hears a turn for each host between. */
int cgs_beats_idle(const struct cgs_beats *beats)
{
    const int idle = beats->idle - beats->ring.hosts;
    return idle > 0 && !beats->apart ? idle : 0;
}

bool cgs_beats_claim(struct cgs_beats *beats)
{
    return !atomic_flag_test_and_set(&beats->ranks[0].seat->claimed);
}

/* ---- end ---- */

/* Each leader's last sign is its last message, and is received. */
static void close_ring(struct cgs_beats *beats)
{
    struct ring *ring = &beats->ring;
    if (ring->comm == MPI_COMM_NULL)
        return;
    MPI_Wait(&ring->out, MPI_STATUS_IGNORE);
    send_sign(beats, true);
    while (!ring->received.last) {
        MPI_Wait(&ring->in, MPI_STATUS_IGNORE);
        if (!ring->received.last)
            expect_sign(ring);
    }
    MPI_Wait(&ring->out, MPI_STATUS_IGNORE);
    MPI_Comm_free(&ring->comm);
}

void cgs_beats_close(struct cgs_beats *beats)
{
    if (!beats)
        return;
    close_ring(beats);
    MPI_Win_unlock_all(beats->window);
    MPI_Win_free(&beats->window);
    MPI_Comm_free(&beats->host);
    free(beats->ranks);
    free(beats);
}
