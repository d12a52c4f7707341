/* The pulse: progress of a process that runs a user's kernel, in memory shared with the process
 * that watches it. From it the watcher knows that the kernel hangs, and where it hangs or dies. One
 * thread writes it; the watcher only reads. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cgs_doing {
    CGS_DOING_OURS, /* code of cgsolve */
    CGS_DOING_LOAD,
    CGS_DOING_PREPARE,
    CGS_DOING_PRODUCT,
    CGS_DOING_RELEASE
};

struct cgs_pulse {
    _Atomic int doing;       /* enum cgs_doing; a product on a device lasts until its wait for it */
    _Atomic int64_t beats;   /* increases with every sign of progress */
    _Atomic int64_t product; /* number of products begun */
    _Atomic int64_t micros;  /* time limit of a step, in microseconds */
    _Atomic int ended;       /* the process ended normally */
};

/* Reports progress. pulse NULL: no process watches. */
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

/* Describes where the kernel is: "while it was loaded", "in its 3rd product", ... */
void cgs_pulse_where(const struct cgs_pulse *pulse, char *text, size_t size);

/* Returns the seconds that a step may take: 10, unless a test says otherwise. */
double cgs_pulse_patience(void);

/* Sets the time limit of a step: the patience, plus one second for each 20 million entries of the
 * matrices, which is slower than any machine. */
void cgs_pulse_allow(struct cgs_pulse *pulse, int64_t entries);

/* The pulse as the watcher last saw it, for its next look. */
struct cgs_pulse_watch {
    int process; /* that is watched */
    int64_t beats;
    double since;  /* time at which `beats` was first seen; 0: not yet */
    double waited, ran; /* cgs_contention_waited and cgs_contention_ran then */
};

enum cgs_pulse_end {
    CGS_PULSE_GOES_ON,
    CGS_PULSE_TOO_LONG,
    CGS_PULSE_STARVED /* it had hardly any processor: nothing is known of the kernel */
};

/* Judges a step that has lasted for `passed` seconds, in which its threads waited and ran for that
 * long. The time that they wait for processors that others have does not count, unless they have
 * computed for as long as all processors can within the limit (threads of its own wait for each
 * other, too). After twelve times the limit, or 120 s if that is more, the step ends in any case:
 * starved, if its threads have run for less than half of that time. */
enum cgs_pulse_end cgs_pulse_judge(double passed, double waited, double ran, int processors,
                                   double allowed);

/* Judges the kernel's present step, whose time limit is put into *allowed. */
enum cgs_pulse_end cgs_pulse_look(struct cgs_pulse_watch *watch, const struct cgs_pulse *pulse,
                                  double *allowed);

/* Writes "took longer than 10 s in its 3rd product, and was ended"; where: cgs_pulse_where. */
void cgs_pulse_explain(enum cgs_pulse_end end, double allowed, const char *where, char *text,
                       size_t size);
