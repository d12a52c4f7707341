/* Containment of a process that is about to run a user's code, or the compiler of it: it keeps what
 * it has open, and gets little else.
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
#ifndef CGS_KERNELS_USER_CONTAIN_H
#define CGS_KERNELS_USER_CONTAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/user/containment.h"

/* Contains this process and all that it starts, for good. Call it before the process has a second thread: Landlock
 * holds for threads that this one starts. missing: what is not available, in words ("Landlock, seccomp"); "" if
 * nothing. CGSOLVE_CONTAIN of the environment: 0 for nothing, or a list of landlock, seccomp and limits. */
void cgs_contain(const struct cgs_containment *containment, char *missing, size_t size);

/* From now on no source that this process or one that it starts compiles may include headers beside
 * it, as submissions of exercises; nothing where CGSOLVE_CONTAIN says otherwise. Sets that
 * variable: call it from a single thread. */
void cgs_contain_alone(void);
bool cgs_contain_is_alone(void);

/* Returns true if what is contained reads no files of others: the system has Landlock, and
 * CGSOLVE_CONTAIN does not leave it out. */
bool cgs_contain_hides_files(void);

#endif
