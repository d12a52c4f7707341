/* Notes between the process of a user's kernel and the caller of its products. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Facts of timed products on the CPU beside their time: the process of the kernel sends them
 * (wire.h), the caller takes them (plugin.h). */
struct cgs_plugin_note {
    double part; /* of a y, which the thread that calls the user's function writes itself: 1 or 0
                  * where one thread does all. Others that have the processors do not change it,
                  * unless threads take their work as they go */
    int64_t switches; /* threads that meanwhile had to leave their processor to others */
};

/* Tells whether y may be what the user's function makes of x. Where not, `why` gets the reason, a
 * sentence. */
struct cgs_plugin_check {
    bool (*right)(void *user, const double *x, const double *y, char *why, size_t size);
    void *user;
};

/* Words of all messages of starved kernels. */
#define CGS_PULSE_BUSY "the machine was busy"
