/* A command as it was called: what commands take that need no option but these. */
#ifndef CGS_SRC_OPTIONS_CALL_H
#define CGS_SRC_OPTIONS_CALL_H

#include <stdio.h>

#include "base/context.h"

struct cgs_call {
    struct cgs_options *options; /* options.h; some of them the run decides */
    int argc;                    /* of the process, for the report */
    const char *const *argv;
    FILE *text;               /* for the report; NULL: nobody reads it */
    FILE *said;               /* for progress; NULL: likewise */
    const char *const *words; /* what follows the command (list kernels ...) */
    int word_count;
    struct cgs_files {
        const char *json, *csv, *plot; /* --json, --csv, --plot; NULL: not wanted */
    } files;
};

#endif
