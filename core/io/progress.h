/* Progress of CG while it iterates, and of reading a file: a line that a terminal shows over and
 * over and that is gone at the end; with --verbose lines elsewhere, too. An interrupt ends the
 * iterations, shown or not. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "solver/cg/cg.h"

struct cgs_progress_view {
    FILE *file;    /* NULL: nothing is shown */
    bool terminal; /* one line, written over and over; else a line each time */
    double pause;  /* seconds between two of them, at least */
    double shown;  /* when the last one was */
    bool open;     /* the terminal's line stands unfinished */
    double begun;  /* when the iterations began */
    int64_t iteration; /* the last one shown or not */
};

/* file NULL: nothing is shown. */
void cgs_progress_start(struct cgs_progress_view *view, FILE *file, bool verbose);

/* `done` of `all` bytes of the file `name` are read. False once interrupted. */
bool cgs_progress_reading(struct cgs_progress_view *view, const char *name, int64_t done,
                          int64_t all);

/* For struct cgs_cg_settings: user is a struct cgs_progress_view. False once interrupted. */
bool cgs_progress_show(void *user, const struct cgs_progress *progress);

/* Clears the terminal's line. */
void cgs_progress_end(struct cgs_progress_view *view);
