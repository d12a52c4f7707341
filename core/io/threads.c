#include "core/io/threads.h"

#include <omp.h>
#include <pthread.h>
#include <stdbool.h>
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

/* OpenMP's runtime ends the process when it can't start a thread. So as many are tried first, in
 * the same way; the caller's own is there already. */
static enum cgs_status try_threads(struct cgs_context *context)
{
    const int wanted = context->threads - 1;
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_t *threads;
    int started = 0, error = 0;
    CGS_TRY(cgs_alloc(context, wanted, sizeof *threads, "thread handles", (void **)&threads));
    pthread_mutex_lock(&gate);
    while (started < wanted && error == 0) {
        error = pthread_create(&threads[started], NULL, wait_for_all, &gate);
        started += error == 0;
    }
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
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
static bool crowded(void)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    const int threads = omp_get_max_threads();
    if (!cgs_contention_crowded("", threads))
        return false;
    nanosleep(&moment, NULL);
    return cgs_contention_crowded("", threads);
}

int cgs_threads_helping(int threads, int64_t entries, bool spins)
{
    /* Measured: N = 6 has 4096 entries, N = 8 10 648. A thread that sleeps takes some 25 us to
     * wake, and CG on two of them pays from N = 20 on, 205 379 entries. Beside busy loops a thread
     * that spins comes a slice of the scheduler late, some 3 ms, in which another one moves that
     * many entries. */
    enum { ENTRIES_TO_SHARE = 8000, ENTRIES_TO_WAKE = 200000, ENTRIES_OF_A_SLICE = 3000000 };
    const char *spin = getenv("GOMP_SPINCOUNT");
    const bool sleeps = spin && strcmp(spin, BRIEF) == 0;
    const bool alone =
        entries < (sleeps ? ENTRIES_TO_WAKE : ENTRIES_TO_SHARE) ||
        (spins && entries < ENTRIES_OF_A_SLICE && cgs_contention_crowded("", threads));
    return alone && !getenv("OMP_NUM_THREADS") ? 1 : threads;
}

void cgs_threads_make_brief(char **argv)
{
    const char *program = (const char *)getauxval(AT_EXECFN);
    const bool through_loader = getauxval(AT_BASE) == 0; /* whose arguments argv lacks */
    if (getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT") || !program || through_loader ||
        !crowded() || setenv("GOMP_SPINCOUNT", BRIEF, 1) != 0)
        return;
    struct cgs_processors before;
    cgs_affinity_widen(&before);
    execv(program, argv);
    cgs_affinity_return(&before);
}
