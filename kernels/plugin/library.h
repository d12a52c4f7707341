/* A user's kernel as a shared library (cgsolve/kernel.h) in this process: only for processes that
 * may crash. */
#pragma once

#include "base/context.h"
#include "include/cgsolve/kernel.h"

/* Loads the library at `path` and checks its descriptor. It stays loaded until the process ends.
 * name: for messages.
 * CGS_FILE: no library, no symbol, another ABI, a field out of range; the message has the field and
 * its allowed values. */
enum cgs_status cgs_library_open(struct cgs_context *context, const char *name, const char *path,
                                 const struct cgsolve_kernel **kernel);
