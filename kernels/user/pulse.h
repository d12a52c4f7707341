/* State of a process that runs a user's kernel, in memory shared with its watcher, to tell where
 * the kernel hangs or dies. Written by one thread; read by the other process. */
#ifndef CGS_KERNELS_USER_PULSE_H
#define CGS_KERNELS_USER_PULSE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cgs_doing {
    CGS_DOING_OURS, /* outside the kernel */
    CGS_DOING_LOAD,
    CGS_DOING_PREPARE,
    CGS_DOING_PRODUCT,
    CGS_DOING_RELEASE
};

struct cgs_pulse {
    _Atomic int doing; /* enum cgs_doing; of a product on a device, until the wait for the device */
    _Atomic int64_t beats;   /* increases with every action */
    _Atomic int64_t product; /* the last product begun, from 1 */
    _Atomic int64_t micros;  /* allowed between two beats */
    _Atomic int ended;       /* the process ended normally */
};

/* pulse NULL: not watched. */
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

/* Describes where it is: "while it was loaded", "in its 3rd product", ... */
void cgs_pulse_where(const struct cgs_pulse *pulse, char *text, size_t size);

/* Returns the seconds that a step may take: 10, unless a test says otherwise. */
double cgs_pulse_patience(void);

/* Sets the seconds between two beats: the patience, plus one for each 20 million entries of the
 * matrices, slower than any machine. */
void cgs_pulse_allow(struct cgs_pulse *pulse, int64_t entries);

/* A watcher's memory between two readings. */
struct cgs_pulse_watch {
    int64_t beats;
    double since; /* of the last beat seen; 0: none yet */
};

/* Returns true if the kernel has exceeded its time. */
bool cgs_pulse_overdue(struct cgs_pulse_watch *watch, const struct cgs_pulse *pulse,
                       double *allowed);

#endif
