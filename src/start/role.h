/* Roles of a process in a command: doing all of it, being one of several ranks, or watching the
 * child that runs a user's kernel. */
#pragma once

#include <stdio.h>

#include "core/options/options.h"
#include "core/run/guard.h"
#include "core/setup/external.h"

struct cgs_role {
    enum cgs_guard guard;
    struct cgs_external external; /* the user's kernel and its watcher; owned */
    int status;                   /* of the child, for CGS_GUARD_DONE */
    struct cgs_comm *comm;        /* owned; NULL: alone. context->comm, too */
    FILE *text, *said; /* of reports and of messages; those of ranks except the first say nothing */
};

/* Forks the processes that the options ask for, if they were read without a failure, or meets
 * those that mpirun started, and returns in each of them with its role. */
void cgs_role_take(struct cgs_context *context, struct cgs_options *options, struct cgs_role *role);

/* Parts from the other ranks. Returns the exit status of this process: only the first of ranks
 * that end together has one other than 0, since mpirun may lose its message if another one ends
 * with a failure before it. */
int cgs_role_end(struct cgs_context *context, struct cgs_role *role);
