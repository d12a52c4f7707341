/* The worker: this program once more, as the process in which a user's kernel runs. */
#ifndef CGS_KERNELS_USER_WORKER_H
#define CGS_KERNELS_USER_WORKER_H

#include <stdbool.h>

/* Whether this process was started to be a worker; main asks before anything else. */
bool cgs_worker_wanted(int argc, char **argv);

/* Does what it is asked until it is told to quit; returns the exit status, which nobody reads. A
 * process that was not started by cgs_process_start has nobody to ask it, and ends at once. */
int cgs_worker_main(void);

#endif
