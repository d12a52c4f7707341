/* Containment of a process that is about to run a user's code: it keeps what it has open, and gets nothing else.
 *
 *     files      system folders may be read; nothing else is read, nothing is written    Landlock
 *     network    no sockets but pairs                                                    seccomp, Landlock
 *     processes  none is started, signalled or looked into; threads may be started       seccomp, Landlock
 *     memory     a limit; no core files; files that are open grow by some megabytes      rlimits
 *
 * A call that breaks a rule fails (EPERM, EACCES, ENOMEM); the process goes on. What the system does not offer is
 * left out and named. Sources: landlock(7), seccomp(2), setrlimit(2). */
#ifndef CGS_KERNELS_USER_CONTAIN_H
#define CGS_KERNELS_USER_CONTAIN_H

#include <stddef.h>

#include "kernels/user/containment.h"

/* Contains this process and all that it starts, for good. Call it before the process has a second thread: Landlock
 * holds for threads that this one starts. missing: what is not available, in words ("Landlock, seccomp"); "" if
 * nothing. CGSOLVE_CONTAIN of the environment: 0 for nothing, or a list of landlock, seccomp and limits. */
void cgs_contain(const struct cgs_containment *containment, char *missing, size_t size);

#endif
