/* A user's kernel as the shared library that it is (cgsolve/kernel.h), in this very process: to be
 * opened only where its faults cost nothing but itself. */
#ifndef CGS_KERNELS_USER_LIBRARY_H
#define CGS_KERNELS_USER_LIBRARY_H

#include "base/context.h"
#include "include/cgsolve/kernel.h"

/* Loads the library at `path` and makes sure that its words make sense. It stays loaded until the
 * process ends. `name` is what messages call it.
 * CGS_FILE: no library, no symbol, another ABI, a field out of range: says which, and what would be
 * right. */
enum cgs_status cgs_library_open(struct cgs_context *context, const char *name, const char *path,
                                 const struct cgsolve_kernel **kernel);

#endif
