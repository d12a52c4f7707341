/* seccomp: which system calls this process may make from now on. */
#ifndef CGS_KERNELS_USER_SECCOMP_H
#define CGS_KERNELS_USER_SECCOMP_H

#include "kernels/user/containment.h"

/* files: refuse to open files for writing, too, because Landlock does not. Returns false, having changed nothing,
 * where the system has no seccomp, or there is no libseccomp. */
bool cgs_seccomp(const struct cgs_containment *containment, bool files);

#endif
