/* Filter of the system calls that this process may make (seccomp). */
#pragma once

#include "kernels/plugin/containment.h"

/* Installs the filter for good. files: also refuse to open files for writing, if there is no
 * Landlock to do it. Returns false and changes nothing if the system or libseccomp is missing. */
bool cgs_seccomp(const struct cgs_containment *containment, bool files);
