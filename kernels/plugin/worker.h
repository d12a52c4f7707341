/* The worker: a second process of this program, in which a user's kernel runs, or which executes
 * the kernel's compiler. The first process controls it by process.h. */
#pragma once

#include <stdbool.h>

/* Returns true if this process was started as a worker; main asks first of all. */
bool cgs_worker_wanted(int argc, char **argv);

/* Serves requests until told to quit, or becomes the compiler (compile.h); returns the exit status,
 * which is ignored. Ends at once if the process was not started by cgs_process_start. */
int cgs_worker_main(char **argv);
