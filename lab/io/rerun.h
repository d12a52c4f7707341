/* This program once more, in a process of its own (base/child.h), whose standard input is
 * /dev/null. It is asked to end when we are. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/context.h"

struct cgs_rerun {
    pid_t pid;     /* 0: none, or ended */
    FILE *said;    /* its standard error, in memory */
    FILE *printed; /* its standard output, likewise; NULL: /dev/null */
    double begun;  /* its start, in seconds of cgs_now */
    double asked;  /* when it was asked to end; 0: it was not */
};

/* CGS_FILE: this program can't be started once more. */
enum cgs_status cgs_rerun_check(struct cgs_context *context);

/* Starts the program with these words, of which the first is its name and the last NULL. prints:
 * its standard output is kept. CGS_FILE: it can't be executed; CGS_MEMORY: no memory, or no
 * process more. */
enum cgs_status cgs_rerun_start(struct cgs_context *context, char *const *words, bool prints,
                                struct cgs_rerun *child);

/* Waits for `wait` seconds at most, and returns true once it has ended, with all that it left in
 * its group; *status: as of waitpid. Asks it to end when this program is interrupted, or it has
 * run for `limit` seconds (0: no limit); ends it if it does not obey. */
bool cgs_rerun_ended(struct cgs_rerun *child, double wait, double limit, int *status);

/* Waits until it has ended; returns its status, as of waitpid. */
int cgs_rerun_await(struct cgs_rerun *child, double limit);

/* Returns the first line that it said, without the program's name; NULL: none. Owned by the
 * caller. */
char *cgs_rerun_first_line(const struct cgs_rerun *child);

/* Releases what it said and printed; a child that still runs is ended. */
void cgs_rerun_release(struct cgs_rerun *child);
