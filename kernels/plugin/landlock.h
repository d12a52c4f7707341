/* Landlock: which files this process may open from now on. */
#pragma once

#include "kernels/plugin/containment.h"

/* Returns the version of the system's Landlock; less than 1: it has none, or does not let this
 * process use it. */
long cgs_landlock_version(void);

/* Returns false, having changed nothing, where the system has no Landlock. */
bool cgs_landlock(const struct cgs_containment *containment);
