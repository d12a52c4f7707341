/* Call of a command: options, streams and arguments. */
#pragma once

#include <stdio.h>

#include "base/context.h"

struct cgs_call {
    struct cgs_options *options;         /* borrowed; the run fills in what is left open */
    const struct cgs_external *external; /* the user's kernel, its watcher; borrowed, NULL: none */
    int argc;                            /* arguments of the process, for the report */
    const char *const *argv;
    FILE *text; /* receives the text report; NULL: none */
    FILE *said; /* receives progress; NULL: none */
    /* On several ranks: solves in this process, for a study, whose points are processes of their
     * own otherwise. NULL: alone. */
    enum cgs_status (*solve)(struct cgs_context *context, const struct cgs_call *call);
    const char *const *words; /* words after the command (list kernels ...) */
    int word_count;
    struct cgs_files {
        const char *json, *csv, *plot; /* --json, --csv, --plot; NULL: none */
    } files;
};
