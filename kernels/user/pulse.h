/* What a process that runs a user's kernel is doing, in memory that its watcher sees: so that who
 * hangs or dies is named, and where. Written by one thread; read by the other process. */
#ifndef CGS_KERNELS_USER_PULSE_H
#define CGS_KERNELS_USER_PULSE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cgs_doing {
    CGS_DOING_OURS, /* nothing of the kernel's */
    CGS_DOING_LOAD,
    CGS_DOING_PREPARE,
    CGS_DOING_PRODUCT,
    CGS_DOING_RELEASE
};

struct cgs_pulse {
    _Atomic int doing; /* enum cgs_doing; a product on a device until the device is waited for */
    _Atomic int64_t beats;   /* changes whenever something is done */
    _Atomic int64_t product; /* the last one begun, from 1 */
    _Atomic int64_t micros;  /* that may pass between two beats */
    _Atomic int ended;       /* the process has come to its own end */
};

/* NULL: nobody watches. */
static inline void cgs_pulse_beat(struct cgs_pulse *pulse)
{
    if (pulse)
        atomic_fetch_add(&pulse->beats, 1);
}

static inline void cgs_pulse_do(struct cgs_pulse *pulse, enum cgs_doing doing)
{
    if (!pulse)
        return;
    if (doing == CGS_DOING_PRODUCT)
        atomic_fetch_add(&pulse->product, 1);
    atomic_store(&pulse->doing, (int)doing);
    cgs_pulse_beat(pulse);
}

/* "while it was loaded", "in its 3rd product", ... */
void cgs_pulse_where(const struct cgs_pulse *pulse, char *text, size_t size);

/* Seconds between two beats: what CGSOLVE_KERNEL_SECONDS says, or 10; and one for each 20 million
 * entries of the matrices that are gone through, which is slower than any machine. */
void cgs_pulse_allow(struct cgs_pulse *pulse, int64_t entries);

/* What a watcher remembers between two looks. */
struct cgs_watch {
    int64_t beats;
    double since; /* of the last beat seen; 0: not yet looked */
};

/* Whether the kernel has taken longer than it may. */
bool cgs_watch_overdue(struct cgs_watch *watch, const struct cgs_pulse *pulse, double *allowed);

#endif
