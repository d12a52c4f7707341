#include "base/clock.h"

#include <time.h>

double cgs_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void cgs_stopwatch_start(struct cgs_stopwatch *watch)
{
    *watch = (struct cgs_stopwatch){.start = cgs_now()};
    watch->since = watch->start;
}

enum cgs_phase cgs_stopwatch_enter(struct cgs_stopwatch *watch, enum cgs_phase next)
{
    const enum cgs_phase before = watch->current;
    const double now = cgs_now();
    watch->seconds[before] += now - watch->since;
    watch->since = now;
    watch->current = next;
    return before;
}

const char *cgs_phase_name(enum cgs_phase phase)
{
    static const char *const names[CGS_PHASES] = {
        [CGS_PHASE_STARTUP] = "startup",   [CGS_PHASE_ASSEMBLE] = "assemble",
        [CGS_PHASE_CONVERT] = "convert",   [CGS_PHASE_TRANSFER] = "transfer",
        [CGS_PHASE_SETUP] = "setup",       [CGS_PHASE_SOLVE] = "solve",
        [CGS_PHASE_ERRORS] = "errors",     [CGS_PHASE_OUTPUT] = "output",
    };
    return names[phase];
}
