#include "kernels/plugin/pulse.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/contention.h"
#include "base/plain.h"
#include "base/testing.h"

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

bool cgs_pulse_exceeds(double passed, double waited, double ran, int processors, double allowed)
{
    static const double LONGEST = 12.0;
    return passed > allowed && (passed - waited > allowed || ran > allowed * processors ||
                                passed > LONGEST * allowed);
}

bool cgs_pulse_overdue(struct cgs_pulse_watch *watch, const struct cgs_pulse *pulse,
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
        return false;
    }
    *allowed = 1e-6 * (double)atomic_load(&pulse->micros);
    return cgs_pulse_exceeds(now - watch->since,
                             cgs_contention_waited(watch->process) - watch->waited,
                             cgs_contention_ran(watch->process) - watch->ran, omp_get_num_procs(),
                             *allowed);
}
