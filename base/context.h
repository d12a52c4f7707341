/* The context: what every layer may need and none owns: the message of the first failure, the
 * stopwatch, the count of host memory, how many threads to use. One a run; no globals.
 */
#ifndef CGS_BASE_CONTEXT_H
#define CGS_BASE_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/linkage.h"
#include "base/plan.h"
#include "base/status.h"

CGS_BEGIN_C

struct cgs_context {
    enum cgs_status status;  /* of the first failure, CGS_OK before it */
    char message[2048];      /* what was wrong, where, what would be right */
    const char *file;        /* where in the source it was found */
    int line;
    struct cgs_stopwatch watch;
    int threads;             /* OpenMP threads of every parallel region; >= 1 */
    int64_t host_bytes;      /* held through cgs_alloc now */
    int64_t host_peak;       /* and at most */
    int64_t link_bytes;      /* moved between host and device so far */
    double link_seconds;     /* that the link was busy with them */
    /* Memory running out on purpose: the n-th allocation of a place from now, and all after it, ask
     * the system for more than any machine has, so that it really refuses. 0: none does. */
    int64_t starve_in[CGS_PLACES];
};

/* Sets everything to its start; threads = what OpenMP offers. The stopwatch runs from here. */
void cgs_context_init(struct cgs_context *context);

/* Writes the message once and returns `status`: only the first failure of a run is kept.
 * The text says what was wrong, where, and what would be right; no newline, no "error:". */
enum cgs_status cgs_fail_at(struct cgs_context *context, const char *file, int line,
                            enum cgs_status status, const char *format, ...) CGS_PRINTF(5, 6);

#define cgs_fail(context, status, ...)                                                             \
    cgs_fail_at((context), __FILE__, __LINE__, (status), __VA_ARGS__)

/* Adds to the message of the first failure what only a caller further up knows; where the format begins so,
 * in a line of its own. */
void cgs_fail_add(struct cgs_context *context, const char *format, ...) CGS_PRINTF(2, 3);

/* Whether the allocation that is about to be made is to fail (starve_in); counts it. */
CGS_INLINE int cgs_starves(struct cgs_context *context, enum cgs_place place)
{
    int64_t *left = &context->starve_in[place];
    if (*left > 1)
        return *left -= 1, 0;
    return *left == 1;
}

CGS_END_C

#endif
