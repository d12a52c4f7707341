/* The process that cgsolve runs in: what has to be so before its first thread, and its exit
 * status. */
#pragma once

#include <stdbool.h>

/* Call it first, by a caller that has used little of its stack. Returns false if the process is
 * done with *status: its stack is too small, or it was a worker for a user's kernel. */
bool cgs_program_begin(int argc, char **argv, int *status);

/* Call it in a process that others were forked from and that outlives them: it exits as the
 * first one. */
void cgs_program_is_first(void);

/* Returns the status for main to return, or exits with it where this process was forked: what a
 * user's kernel does at exit may never end. */
int cgs_program_end(int status);
