/* Compilation of a user's kernel from source: --kernel=./mine.c, ./mine.cu. */
#ifndef CGS_KERNELS_USER_COMPILE_H
#define CGS_KERNELS_USER_COMPILE_H

#include <stddef.h>

#include "base/context.h"

/* How a source is compiled. The others than fast, of a .c alone, with -O0 -Wall -Wextra; address: so that it ends where
 * the compiler's sanitizers find an address that is not its own, or undefined behaviour, in a process that begins with
 * cgs_compile_preload(); undefined: the latter alone; bare: without a sanitizer, which not every compiler has. */
enum cgs_build { CGS_BUILD_FAST, CGS_BUILD_ADDRESS, CGS_BUILD_UNDEFINED, CGS_BUILD_BARE };

/* Returns the library that is to be loaded before a program (LD_PRELOAD); "" where there is none. */
const char *cgs_compile_preload(void);

/* Compiles a .c by the C compiler or a .cu by nvcc (those of configure, or on PATH) into a library
 * in memory: *library is its descriptor, to be closed by the caller. The source finds the
 * <cgsolve/kernel.h> of this program, and headers beside it and in the folder above (contain.h).
 * index: the device for which a .cu is compiled. Leaves nothing on the disk. said: the compiler's
 * first messages where it succeeds, in room for `size`; NULL: not wanted.
 * CGS_FILE: the compiler's first messages, or there is no compiler, or it took too long. */
enum cgs_status cgs_compile(struct cgs_context *context, const char *source, enum cgs_build build,
                            int index, char *said, size_t size, int *library);

/* Word in the command line of the process that becomes the compiler. */
#define CGS_COMPILE_WORD "(compile)"

/* Contains this process and becomes the compiler that cgs_compile has asked for; returns, with the
 * exit status, where there is none. */
int cgs_compile_main(char **words);

#endif
