#include "core/ranks/watch.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/ranks/beats.h"
#include "core/ranks/ranks.h"

/* Turns of the thread within the seconds that a rank may be silent. */
enum { TURNS = 16 };

enum phase { STARTING, RUNNING, ENDING, DONE };

struct cgs_watch {
    pthread_t thread;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t changed;
    enum phase phase;
    double seconds;  /* 0: never */
    int rank, ranks; /* before MPI has started: as mpirun says */
    int turns;       /* of this phase, if it is STARTING or ENDING */
    struct cgs_beats *beats;
    enum cgs_status failure; /* CGS_OK: none that is not known to all */
    int failed_for;          /* turns */
    int yielded_for;         /* turns in which another rank was left to say what happened */
    char message[sizeof((struct cgs_context *)0)->message];
};

/* ---- the end of all ---- */

/* Prints what happened, here because main waits within MPI. */
static void print(const char *what)
{
    char line[sizeof((struct cgs_watch *)0)->message + 64];
    const int length = snprintf(line, sizeof line, "cgsolve: %s\n", what);
    if (length > 0 && write(STDERR_FILENO, line, strlen(line)) < 0)
        return; /* nobody reads it */
}

/* Ends all ranks, unless another rank of this host is about to. MPI's own abort needs an MPI that works;
 * should it hang, the alarm ends this process, and mpirun the others. */
static void end_running(struct cgs_watch *watch, enum cgs_status status, const char *what)
{
    if (!cgs_beats_claim(watch->beats) && ++watch->yielded_for < TURNS)
        return;
    print(what);
    signal(SIGALRM, SIG_DFL);
    alarm(2);
    MPI_Abort(MPI_COMM_WORLD, cgs_status_exit(status));
}

/* ---- turns ---- */

/* Judges the start and the end of MPI, within which ranks cannot ask for each other. They come in turn, so that
 * mpirun has ended the others when the lowest has said what happened. */
static void judge_mpi(struct cgs_watch *watch, int most, const char *what)
{
    enum { IN_TURN = 4, APART = 8 };
    char text[256];
    if (++watch->turns <= most + APART * (watch->rank < IN_TURN ? watch->rank : IN_TURN))
        return;
    snprintf(
        text, sizeof text,
        "rank %d: MPI has not %s for %g s: another rank was stopped or is gone, or its host is, or "
        "mpirun; all ranks end",
        watch->rank, what, most * watch->seconds / TURNS);
    print(text);
    _exit(cgs_status_exit(CGS_LOST));
}

/* Judges the other ranks' beats. The leader of the host before is judged later than its neighbours there do. */
static void judge_ranks(struct cgs_watch *watch)
{
    enum { LATER = 2 };
    char text[sizeof watch->message];
    const struct cgs_late late = cgs_beats_late(watch->beats);
    if (late.turns <= TURNS + (late.other_host ? LATER : 0))
        return;
    snprintf(
        text, sizeof text,
        "rank %d on host %s has not answered for %g s: it was stopped, or it hangs, or its host is "
        "gone; all ranks end",
        late.rank, late.host, watch->seconds);
    end_running(watch, CGS_LOST, text);
}

static void end_for_failure(struct cgs_watch *watch, enum cgs_status status, const char *message)
{
    char text[sizeof watch->message + 32];
    snprintf(text, sizeof text, "rank %d: %s", watch->rank, message);
    end_running(watch, status, text);
}

/* Judges a failure of this rank: the others are late, or wait in another operation. */
static void judge_failure(struct cgs_watch *watch)
{
    if (watch->failure != CGS_OK && ++watch->failed_for > TURNS)
        end_for_failure(watch, watch->failure, watch->message);
}

/* Judges waits that none can end, by rank 0, which lives; later than the failure of a rank that is the reason. */
static void judge_waits(struct cgs_watch *watch)
{
    enum { LATER = 3 };
    char text[256];
    if (watch->rank != 0 || cgs_beats_idle(watch->beats) <= TURNS + LATER)
        return;
    snprintf(text, sizeof text,
             "all ranks have waited for each other for %g s, and none goes on: messages between "
             "them are lost, or this is a bug of cgsolve; all ranks end",
             watch->seconds);
    end_running(watch, CGS_LOST, text);
}

static void take_turn(struct cgs_watch *watch)
{
    enum { RANKS_A_TURN = 10 }; /* MPI starts the slower the more there are */
    if (watch->phase == STARTING)
        judge_mpi(watch, 2 * TURNS + watch->ranks / RANKS_A_TURN, "started");
    if (watch->phase == ENDING)
        judge_mpi(watch, TURNS, "ended");
    if (watch->phase != RUNNING)
        return;
    cgs_beats_turn(watch->beats, watch->seconds / TURNS);
    judge_failure(watch);
    judge_ranks(watch);
    judge_waits(watch);
}

/* ---- the thread ---- */

/* Waits for the next turn, with the lock. Returns false if something has changed instead. */
static bool wait_turn(struct cgs_watch *watch)
{
    struct timespec until;
    const double turn = watch->seconds / TURNS;
    if (watch->seconds == 0.0)
        return pthread_cond_wait(&watch->changed, &watch->lock) != 0;
    clock_gettime(CLOCK_MONOTONIC, &until);
    const double nanoseconds = (double)until.tv_nsec + 1e9 * (turn - (double)(long)turn);
    until.tv_sec += (long)turn + (nanoseconds >= 1e9);
    until.tv_nsec = (long)(nanoseconds >= 1e9 ? nanoseconds - 1e9 : nanoseconds);
    return pthread_cond_timedwait(&watch->changed, &watch->lock, &until) != 0;
}

static void *keep_watch(void *self)
{
    struct cgs_watch *watch = self;
    pthread_mutex_lock(&watch->lock);
    while (watch->phase != DONE)
        if (wait_turn(watch))
            take_turn(watch);
    pthread_mutex_unlock(&watch->lock);
    return NULL;
}

static void enter_phase(struct cgs_watch *watch, enum phase phase)
{
    pthread_mutex_lock(&watch->lock);
    watch->phase = phase;
    watch->turns = 0;
    pthread_cond_signal(&watch->changed);
    pthread_mutex_unlock(&watch->lock);
}

/* Starts the thread, which leaves signals to main. Returns 0 or an errno. */
static int start_thread(struct cgs_watch *watch)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(&watch->thread, NULL, keep_watch, watch);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

struct cgs_watch *cgs_watch_start(void)
{
    pthread_condattr_t attributes;
    struct cgs_watch *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    const double seconds = cgs_ranks_seconds();
    made->seconds = seconds < 0.0 ? CGS_RANK_SECONDS : seconds;
    made->rank = cgs_ranks_told_rank();
    made->ranks = cgs_ranks_told_count();
    pthread_mutex_init(&made->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&made->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    if (start_thread(made) == 0)
        return made;
    pthread_cond_destroy(&made->changed);
    pthread_mutex_destroy(&made->lock);
    free(made);
    return NULL;
}

enum cgs_status cgs_watch_run(struct cgs_context *context, struct cgs_watch *watch, MPI_Comm all,
                              bool messages)
{
    double seconds = cgs_ranks_seconds();
    MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, all);
    struct cgs_beats *beats = cgs_beats_open(all, messages);
    if (!beats) {
        cgs_fail(context, CGS_MEMORY, "no memory for the watch over ranks");
        return CGS_MEMORY; /* whatever had failed before */
    }
    pthread_mutex_lock(&watch->lock);
    watch->beats = beats;
    watch->seconds = seconds < 0.0 ? CGS_RANK_SECONDS : seconds;
    MPI_Comm_rank(all, &watch->rank);
    pthread_mutex_unlock(&watch->lock);
    enter_phase(watch, RUNNING);
    return seconds < 0.0 ? cgs_ranks_refuse_seconds(context) : CGS_OK;
}

int cgs_watch_on_host(const struct cgs_watch *watch)
{
    return cgs_beats_on_host(watch->beats);
}

int cgs_watch_host(const struct cgs_watch *watch)
{
    return cgs_beats_host(watch->beats);
}

void cgs_watch_enter(struct cgs_watch *watch, int64_t bytes)
{
    cgs_beats_enter(watch->beats, bytes);
}

void cgs_watch_leave(struct cgs_watch *watch)
{
    cgs_beats_leave(watch->beats);
}

void cgs_watch_fail(struct cgs_watch *watch, enum cgs_status status, const char *message,
                    bool waited)
{
    enum { LEFT = 2 };
    if (status == watch->failure) /* which main alone changes */
        return;
    pthread_mutex_lock(&watch->lock);
    watch->failure = status;
    watch->failed_for = waited ? TURNS - LEFT : 0;
    snprintf(watch->message, sizeof watch->message, "%s", status != CGS_OK ? message : "");
    pthread_mutex_unlock(&watch->lock);
}

_Noreturn void cgs_watch_end_all(struct cgs_watch *watch, enum cgs_status status,
                                 const char *message)
{
    pthread_mutex_lock(&watch->lock); /* for ever: the thread judges no more */
    for (;;) {
        end_for_failure(watch, status, message);
        sleep(1); /* another rank ends all */
    }
}

void cgs_watch_end(struct cgs_watch *watch)
{
    enter_phase(watch, ENDING);
    cgs_beats_close(watch->beats);
    watch->beats = NULL;
}

void cgs_watch_stop(struct cgs_watch *watch)
{
    if (!watch)
        return;
    enter_phase(watch, DONE);
    pthread_join(watch->thread, NULL);
    pthread_cond_destroy(&watch->changed);
    pthread_mutex_destroy(&watch->lock);
    free(watch);
}
