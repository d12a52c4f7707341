/* Output files: written beside their target and renamed when complete, so that a reader never
 * meets half a report and a failed run leaves the old one alone. */
#ifndef CGS_SRC_OUTPUT_H
#define CGS_SRC_OUTPUT_H

#include <stdio.h>

#include "base/context.h"

struct cgs_output {
    FILE *file;       /* NULL: not wanted, or done */
    const char *what; /* "the JSON report": for messages; borrowed */
    char *target;     /* owned; the file as named, symbolic links followed */
    char *temporary;  /* owned; beside it. NULL where the target is no regular file (/dev/stdout,
                         a pipe) and is written directly, or stands for stdout */
};

/* Makes the temporary, before any work: `path` NULL is no output, "-" is stdout where `dash` is.
 * `what` names it in messages. CGS_FILE: says the file, the reason, and what would be right. */
enum cgs_status cgs_output_open(struct cgs_context *context, const char *what, const char *path,
                                int dash, struct cgs_output *output);

/* Completes the file: all bytes on the disk, then renamed. CGS_FILE, the temporary removed, where
 * something could not be written. */
enum cgs_status cgs_output_commit(struct cgs_context *context, struct cgs_output *output);

/* Gives up what has not been committed; an output not opened is nothing to give up. */
void cgs_output_discard(struct cgs_output *output);

#endif
