/* The lines of a small file of the system, such as those of /proc and /sys, without any memory of the
 * heap: where memory is short, nothing that they say is taken for absent. */
#ifndef CGS_BASE_LINES_H
#define CGS_BASE_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/linkage.h"

CGS_BEGIN_C

struct cgs_lines {
    int file; /* its descriptor */
    size_t at, end;
    char buffer[1024]; /* bytes at ... end - 1 of it are read and not given yet */
};

/* Returns false if the file cannot be opened; nothing is held then. */
bool cgs_lines_open(struct cgs_lines *lines, const char *path);

/* Gives the next line without its end, cut to what fits into `size` bytes with the closing 0. Returns
 * false at the end of the file, and where it cannot be read. */
bool cgs_lines_next(struct cgs_lines *lines, char *line, size_t size);

void cgs_lines_close(struct cgs_lines *lines);

CGS_END_C

#endif
