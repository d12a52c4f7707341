#include "core/io/threads.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include "base/affinity.h"
#include "base/comm.h"
#include "base/contention.h"
#include "base/memory.h"

/* Some microseconds: as long as it takes to wake a thread that sleeps. libgomp's own number is
 * 300 000. Measured with N = 32, two processors and one to four busy loops: 300 and 3000 are
 * slower. */
static const char BRIEF[] = "1000";

/* Waits until all of them have been tried: they must fit at the same time. */
static void *wait_for_all(void *gate)
{
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

/* OpenMP's runtime ends the process when it can't start a thread. So threads are started first as
 * it would start them, all at the same time. Returns how many of `wanted` could be started; *error
 * says why no more could, and is 0 if all were. */
static int startable(pthread_t *threads, int wanted, int *error)
{
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    int started = 0;
    *error = 0;
    pthread_mutex_lock(&gate);
    while (started < wanted && *error == 0) {
        *error = pthread_create(&threads[started], NULL, wait_for_all, &gate);
        started += *error == 0;
    }
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    return started;
}

static enum cgs_status try_threads(struct cgs_context *context)
{
    const int wanted = context->threads - 1; /* the caller's own is there already */
    pthread_t *threads;
    int error;
    CGS_TRY(cgs_alloc(context, wanted, sizeof *threads, "thread handles", (void **)&threads));
    const int started = startable(threads, wanted, &error);
    cgs_free(context, threads);
    if (error == 0)
        return CGS_OK;
    return cgs_fail(context, CGS_MEMORY,
                    "%d threads could not be started (%s): \1threads=%d is "
                    "what fits",
                    context->threads, strerror(error), started > 0 ? started : 1);
}

/* Several ranks: returns this one's share of OpenMP's default, unless the processors have been
 * shared out already, by binding or by OMP_NUM_THREADS. */
static int share_of_rank(const struct cgs_context *context)
{
    const int on_host = context->comm->on_host;
    const bool bound = omp_get_num_procs() < (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (bound || getenv("OMP_NUM_THREADS"))
        return context->threads;
    return context->threads > on_host ? context->threads / on_host : 1;
}

enum cgs_status cgs_threads_start(struct cgs_context *context, int asked)
{
    const int limit = omp_get_thread_limit();
    const int most = limit < CGS_THREADS_MOST ? limit : CGS_THREADS_MOST;
    if (context->comm)
        context->threads = share_of_rank(context);
    if (asked > 0)
        context->threads = asked;
    else if (context->threads > most)
        context->threads = most;
    if (context->threads > limit)
        return cgs_fail(context, CGS_USAGE,
                        "\1threads=%d, but OMP_THREAD_LIMIT allows %d: take \1threads=%d, or raise "
                        "that limit",
                        context->threads, limit, limit);
    CGS_TRY(try_threads(context));
    /* From now on they are there, so that what is free is measured beside them. OpenMP may give
     * fewer (OMP_DYNAMIC): the report names those that compute. */
    int got = 1;
#pragma omp parallel num_threads(context->threads)
#pragma omp master
    got = omp_get_num_threads();
    context->threads = got;
    return CGS_OK;
}

/* Returns true if the machine is crowded now, and was a moment before. */
static bool crowded(int threads)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    if (!cgs_contention_crowded("", threads))
        return false;
    nanosleep(&moment, NULL);
    return cgs_contention_crowded("", threads);
}

/* Returns true if the environment says how waiting threads behave. */
static bool waiting_is_given(void)
{
    return getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT");
}

/* Returns true if others want the processors now, or did when the program began and made its
 * threads brief. */
static bool shares_processors(int threads)
{
    const char *spins = getenv("GOMP_SPINCOUNT");
    return waiting_is_given() ? spins && strcmp(spins, BRIEF) == 0 : crowded(threads);
}

int cgs_threads_helping(int threads, int64_t entries)
{
    /* Measured: without others on the machine two threads are faster from N = 8 on, which has
     * 10 648 entries (N = 6: 4096). Beside four busy loops on two processors one thread is twice
     * as fast as two with 93 312 entries, and two are faster from N = 20 on, with 195 112. */
    enum { ENTRIES_TO_SHARE = 8000, ENTRIES_TO_SHARE_CROWDED = 200000 };
    if (threads == 1 || entries >= ENTRIES_TO_SHARE_CROWDED || getenv("OMP_NUM_THREADS"))
        return threads;
    return entries < ENTRIES_TO_SHARE || shares_processors(threads) ? 1 : threads;
}

/* The thread that starts the second team. Every thread of that team sleeps until the end of the
 * call. */
static void *keep_team(void *brief_)
{
    struct cgs_threads_brief *brief = brief_;
#pragma omp parallel num_threads(brief->team)
    {
#pragma omp master
        sem_post(&brief->there);
        while (sem_wait(&brief->over) != 0)
            ; /* a signal came */
    }
    return NULL;
}

void cgs_threads_brief_begin(int threads, struct cgs_threads_brief *brief)
{
    const int team = omp_get_num_procs() - threads + 2; /* one thread too many in all */
    pthread_t tried[CGS_THREADS_MOST];
    int error;
    *brief = (struct cgs_threads_brief){.team = team > 2 ? team : 2};
    if (threads < 2 || brief->team > CGS_THREADS_MOST || omp_in_parallel() || waiting_is_given() ||
        !cgs_contention_crowded("", threads) || startable(tried, brief->team, &error) < brief->team)
        return;
    sem_init(&brief->there, 0, 0);
    sem_init(&brief->over, 0, 0);
    brief->on = pthread_create(&brief->keeper, NULL, keep_team, brief) == 0;
    while (brief->on && sem_wait(&brief->there) != 0)
        ; /* a signal came */
}

void cgs_threads_brief_end(struct cgs_threads_brief *brief)
{
    if (!brief->on)
        return;
    for (int t = 0; t < brief->team; t++)
        sem_post(&brief->over);
    pthread_join(brief->keeper, NULL);
    sem_destroy(&brief->there);
    sem_destroy(&brief->over);
    brief->on = false;
}

void cgs_threads_make_brief(char **argv)
{
    const char *program = (const char *)getauxval(AT_EXECFN);
    const bool through_loader = getauxval(AT_BASE) == 0; /* whose arguments argv lacks */
    if (waiting_is_given() || !program || through_loader || !crowded(omp_get_max_threads()) ||
        setenv("GOMP_SPINCOUNT", BRIEF, 1) != 0)
        return;
    struct cgs_processors before;
    cgs_affinity_widen(&before);
    execv(program, argv);
    cgs_affinity_return(&before);
}
