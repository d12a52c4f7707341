/* Compilation of a user's kernel from source: --kernel=./mine.c, ./mine.cu. */
#ifndef CGS_KERNELS_USER_COMPILE_H
#define CGS_KERNELS_USER_COMPILE_H

#include "base/context.h"

/* Compiles a .c by the C compiler or a .cu by nvcc (those of configure, or on PATH) into a library
 * in memory: *library is its descriptor, to be closed by the caller. The source finds the
 * <cgsolve/kernel.h> of this program. Leaves nothing on the disk.
 * CGS_FILE: the compiler's first messages, or there is no compiler, or it took too long. */
enum cgs_status cgs_compile(struct cgs_context *context, const char *source, int *library);

#endif
