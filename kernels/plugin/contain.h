/* Containment of a process before it runs a user's code or that code's compiler. What it has open
 * stays open; beyond that it gets:
 *
 *     files      system folders may be read; nothing else is read, nothing is written    Landlock
 *     network    no sockets but pairs                                                    seccomp, Landlock
 *     processes  none is started, signalled or looked into; threads may be started       seccomp, Landlock
 *     memory     a limit; no core files; files that are open grow by some megabytes      rlimits
 *
 * A compiler starts programs, and makes files in one folder; of files it reads programs, libraries,
 * the loader's list, one source, and the headers beside it unless it is alone. Memory, size of
 * files and time of each program are limited.
 *
 * A call that breaks a rule fails (EPERM, EACCES, ENOMEM); the process goes on. What the system
 * does not offer is left out and named. Sources: landlock(7), seccomp(2), setrlimit(2). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernels/plugin/containment.h"

/* Contains this process and all that it starts, for good. Call it before the process has a second
 * thread: Landlock holds for threads that this one starts. missing: what is not available, in words
 * ("Landlock, seccomp"); "" if nothing. CGSOLVE_CONTAIN of the environment: 0 for nothing, or a
 * list of landlock, seccomp and limits. */
void cgs_contain(const struct cgs_containment *containment, char *missing, size_t size);

/* Forbids sources to include headers beside them, in this process and in those that it starts: for
 * submissions of exercises. Sets CGSOLVE_CONTAIN unless the user has set it otherwise, so call it
 * while the process has one thread. */
void cgs_contain_alone(void);
bool cgs_contain_is_alone(void);

/* Returns true if contained code cannot read the user's files: the system has Landlock, and
 * CGSOLVE_CONTAIN does not exclude it. */
bool cgs_contain_hides_files(void);
