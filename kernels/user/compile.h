/* A user's kernel made from its source: --kernel=./mine.c, ./mine.cu. */
#ifndef CGS_KERNELS_USER_COMPILE_H
#define CGS_KERNELS_USER_COMPILE_H

#include "base/context.h"

/* Compiles a .c by the C compiler or a .cu by nvcc, those of configure or on PATH, into a library
 * that lives in memory: *library is a descriptor of it, the caller's to close. The source finds
 * <cgsolve/kernel.h> of this very program. Nothing is left on the disk.
 * CGS_FILE: the compiler's first complaints, or there is no compiler, or it took too long. */
enum cgs_status cgs_compile(struct cgs_context *context, const char *source, int *library);

#endif
