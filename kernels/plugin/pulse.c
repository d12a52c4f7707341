#include "kernels/plugin/pulse.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/contention.h"
#include "base/plain.h"
#include "base/testing.h"
#include "kernels/plugin/note.h"

void cgs_pulse_where(const struct cgs_pulse *pulse, char *text, size_t size)
{
    const int64_t product = atomic_load(&pulse->product);
    switch ((enum cgs_doing)atomic_load(&pulse->doing)) {
    case CGS_DOING_LOAD:
        snprintf(text, size, "while it was loaded");
        break;
    case CGS_DOING_PREPARE:
        snprintf(text, size, "in its prepare");
        break;
    case CGS_DOING_PRODUCT:
        snprintf(text, size, "in its %lld%s product", (long long)product, cgs_ordinal(product));
        break;
    case CGS_DOING_RELEASE:
        snprintf(text, size, "in its release");
        break;
    default:
        snprintf(text, size, "after its %lld%s product", (long long)product, cgs_ordinal(product));
        if (product == 0)
            snprintf(text, size, "outside of its own functions");
        break;
    }
}

double cgs_pulse_patience(void)
{
    static const double USUAL = 10.0;
    const double wanted = cgs_testing("seconds", USUAL);
    return wanted > 0.0 && wanted < 1e6 ? wanted : USUAL;
}

void cgs_pulse_allow(struct cgs_pulse *pulse, int64_t entries)
{
    const double seconds = cgs_pulse_patience() + (double)entries / 2e7;
    if (pulse)
        atomic_store(&pulse->micros, (int64_t)(1e6 * seconds));
}

/* Returns the seconds that a step lasts at most, however long its threads wait. */
static double longest(double allowed)
{
    static const double LEAST = 120.0, TIMES = 12.0;
    return fmax(LEAST, TIMES * allowed);
}

enum cgs_pulse_end cgs_pulse_judge(double passed, double waited, double ran, int processors,
                                   double allowed)
{
    if (passed <= allowed)
        return CGS_PULSE_GOES_ON;
    if (passed - waited > allowed || ran > allowed * processors)
        return CGS_PULSE_TOO_LONG;
    if (passed <= longest(allowed))
        return CGS_PULSE_GOES_ON;
    return ran < 0.5 * passed ? CGS_PULSE_STARVED : CGS_PULSE_TOO_LONG;
}

enum cgs_pulse_end cgs_pulse_look(struct cgs_pulse_watch *watch, const struct cgs_pulse *pulse,
                                  double *allowed)
{
    const int64_t beats = atomic_load(&pulse->beats);
    const double now = cgs_now();
    if (watch->since == 0.0 || beats != watch->beats ||
        atomic_load(&pulse->doing) == CGS_DOING_OURS) {
        watch->beats = beats;
        watch->since = now;
        watch->waited = cgs_contention_waited(watch->process);
        watch->ran = cgs_contention_ran(watch->process);
        return CGS_PULSE_GOES_ON;
    }
    *allowed = 1e-6 * (double)atomic_load(&pulse->micros);
    return cgs_pulse_judge(now - watch->since,
                           cgs_contention_waited(watch->process) - watch->waited,
                           cgs_contention_ran(watch->process) - watch->ran, omp_get_num_procs(),
                           *allowed);
}

void cgs_pulse_explain(enum cgs_pulse_end end, double allowed, const char *where, char *text,
                       size_t size)
{
    if (end == CGS_PULSE_STARVED)
        snprintf(text, size, "had hardly a processor for %.3g s %s, and was ended: " CGS_PULSE_BUSY,
                 longest(allowed), where);
    else
        snprintf(text, size, "took longer than %.3g s %s, and was ended", allowed, where);
}
