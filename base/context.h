/* The context, available to every layer: message of the first failure, stopwatch, count of host
 * memory, number of threads. One a run; no globals.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/linkage.h"
#include "base/plan.h"
#include "base/status.h"

CGS_BEGIN_C

struct cgs_comm; /* base/comm.h */

struct cgs_context {
    enum cgs_status status; /* of the first failure; CGS_OK if none */
    char message[2048];     /* error, place, and remedy */
    bool unread;            /* the reader of a pipe has gone: there is nobody to tell */
    const char *file;       /* source file that reported it */
    int line;
    struct cgs_stopwatch watch;
    int threads;             /* OpenMP threads of every parallel region; >= 1 */
    int64_t host_bytes;      /* allocated by cgs_alloc now */
    int64_t host_peak;       /* largest value so far */
    int64_t link_bytes;      /* moved between host and device so far */
    double link_seconds;     /* busy time of the link for these */
    /* Simulated lack of memory, by place: the n-th allocation from now and all later ones fail.
     * 0: none. On the host they ask for more than any machine has, and the system refuses. The
     * CUDA driver is not asked: before a pool refuses, it takes all the memory that other
     * processes leave. */
    int64_t starve_in[CGS_PLACES];
    /* waits for a processor for each thread, in vain (cgs_contention_spread) */
    int crowded;
    /* the ranks that work on the same system; borrowed, NULL: none but this */
    struct cgs_comm *comm;
};

/* Initialises everything; threads = OpenMP's default. The stopwatch runs from here. */
void cgs_context_init(struct cgs_context *context);

/* Writes the message once and returns `status`: only the first failure of a run is kept. The text
 * has the error, its place, and the remedy, without newline or "error:". */
enum cgs_status cgs_fail_at(struct cgs_context *context, const char *file, int line,
                            enum cgs_status status, const char *format, ...) CGS_PRINTF(5, 6);

#define cgs_fail(context, status, ...)                                                             \
    cgs_fail_at((context), __FILE__, __LINE__, (status), __VA_ARGS__)

/* Appends information of a caller to the message of the first failure; a leading newline in the
 * format starts a new line. */
void cgs_fail_add(struct cgs_context *context, const char *format, ...) CGS_PRINTF(2, 3);

/* Puts a text before that message, such as its place in a file. */
void cgs_fail_before(struct cgs_context *context, const char *format, ...) CGS_PRINTF(2, 3);

/* Returns true if the next allocation is to fail (starve_in); counts it. */
CGS_INLINE int cgs_starves(struct cgs_context *context, enum cgs_place place)
{
    int64_t *left = &context->starve_in[place];
    if (*left > 1)
        return *left -= 1, 0;
    return *left == 1;
}

CGS_END_C
