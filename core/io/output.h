/* Output files: written beside their target and renamed when complete, so that a reader never
 * meets half a report and a failed run leaves the old one alone. The file beside it has no name
 * until it is complete (O_TMPFILE), so that a process that is killed leaves nothing; where a
 * file system cannot do that, it is there only while it is written, and signals wait for that.
 * Where the run has failed already, what cannot be written is added to its message. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/context.h"

struct cgs_output {
    FILE *file;       /* NULL: not begun, not wanted, or done */
    const char *what; /* "the JSON report": for messages; borrowed */
    char *path;       /* owned; the file as it was named: for messages */
    char *target;     /* owned; where that is from the root on, links followed. NULL: not wanted */
    mode_t mode;      /* its permissions */
    char *temporary;  /* owned; beside it. NULL where the target is no regular file (/dev/stdout,
                         a pipe) and is written directly, or stands for stdout */
    bool named;       /* the temporary has its name already: it is a file in the folder */
};

/* To be called before anything is opened: writing to a pipe whose reader is gone, or past a limit
 * on the size of files, becomes an error like a full disk instead of the process's end; and a
 * standard stream that is closed does not lend its number to a file, into which reports would then
 * go. */
void cgs_output_prepare(void);

/* The same again, where somebody may have changed handlers or closed a standard stream. */
void cgs_output_keep(void);

/* All that was written to `file` (stdout) is there; CGS_FILE where not, said once. */
enum cgs_status cgs_output_flush(struct cgs_context *context, FILE *file);

/* Makes sure, before any work, that the file can be written: `path` NULL is no output, "-" is
 * stdout where `dash` is. `what` names it in messages. CGS_FILE: says the file, the reason, and
 * what would be right. */
enum cgs_status cgs_output_open(struct cgs_context *context, const char *what, const char *path,
                                int dash, struct cgs_output *output);

/* Makes the temporary, for output->file to be written; nothing for an output that is not wanted.
 * CGS_FILE as above. */
enum cgs_status cgs_output_begin(struct cgs_context *context, struct cgs_output *output);

/* Completes the file: all bytes on the disk, then renamed. CGS_FILE, the temporary removed, where
 * something could not be written. */
enum cgs_status cgs_output_commit(struct cgs_context *context, struct cgs_output *output);

/* Gives up what has not been committed; an output not opened is nothing to give up. */
void cgs_output_discard(struct cgs_output *output);

/* The path from the root on, of what need not be there yet: its folder's true path, and the name
 * in it. NULL, errno set: there is no such folder, or no memory. Owned by the caller. */
char *cgs_output_resolve(const char *path);

/* Returns true if two paths, existing or not, name one file: by another spelling or by a link. */
bool cgs_output_same(const char *a, const char *b);
