/* Lines of a small system file, such as those of /proc and /sys, without heap memory: so they can
 * be read even when memory runs out. */
#ifndef CGS_BASE_LINES_H
#define CGS_BASE_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/linkage.h"

CGS_BEGIN_C

struct cgs_lines {
    int file; /* its descriptor */
    size_t at, end;
    char buffer[1024]; /* bytes at ... end - 1 are read and not yet returned */
};

/* Returns false if the file cannot be opened; nothing is allocated then. */
bool cgs_lines_open(struct cgs_lines *lines, const char *path);

/* Reads the next line without its end, cut to `size` bytes with the terminating 0. Returns false at
 * the end of the file, or if it cannot be read. */
bool cgs_lines_next(struct cgs_lines *lines, char *line, size_t size);

void cgs_lines_close(struct cgs_lines *lines);

CGS_END_C

#endif
