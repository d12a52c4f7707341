/* Progress of CG while it iterates: --verbose shows the residual, on standard error or wherever
 * the caller says; and an interrupt ends the iterations, shown or not. The same while a file is
 * read, which a terminal shows without --verbose, too. */
#ifndef CGS_SRC_IO_PROGRESS_H
#define CGS_SRC_IO_PROGRESS_H

#include <stdbool.h>
#include <stdio.h>

#include "solver/cg/cg.h"

struct cgs_progress_view {
    FILE *file;    /* NULL: nothing is shown */
    FILE *reading; /* the same while a file is read */
    bool terminal; /* one line, written over and over; else a line each time */
    double pause;  /* seconds between two of them, at least */
    double shown;  /* when the last one was */
    bool open;     /* the terminal's line stands unfinished */
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

#endif
