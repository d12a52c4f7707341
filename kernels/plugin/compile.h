/* Compilation of a user's kernel from source: --kernel=./mine.c, ./mine.cu. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "base/context.h"

/* How a source is compiled. FAST is for measuring. The others check a .c file and use -O0 -Wall
 * -Wextra. ADDRESS: with the address and undefined behaviour sanitizers, which end the process at a
 * finding; it has to preload cgs_compile_preload(). UNDEFINED: with the second sanitizer only.
 * BARE: without sanitizers, for compilers that have none. */
enum cgs_build { CGS_BUILD_FAST, CGS_BUILD_ADDRESS, CGS_BUILD_UNDEFINED, CGS_BUILD_BARE };

/* Returns the library of the address sanitizer for LD_PRELOAD, "" if there is none. */
const char *cgs_compile_preload(void);

/* Compiles a .c by the C compiler or a .cu by nvcc (those of configure, or on PATH) into a library
 * in memory: *library is its descriptor, to be closed by the caller. The source finds the
 * <cgsolve/kernel.h> of this program, and headers beside it and in the folder above (contain.h).
 * index: the device for which a .cu is compiled. Leaves nothing on the disk. said: the compiler's
 * first messages where it succeeds, in room for `size`; NULL: not wanted.
 * CGS_FILE: the compiler's first messages, or there is no compiler, or it took too long. */
enum cgs_status cgs_compile(struct cgs_context *context, const char *source, enum cgs_build build,
                            int index, char *said, size_t size, int *library);

/* Runs a program that judges a source, contained as a compiler is, in a temporary folder that has
 * the headers and a link to the source. The words of the program, of which the first is its path,
 * end with NULL; the name of the link is put behind them. Its standard output and error go to
 * `printed` and `said`. *status: as of waitpid. CGS_NOT_CONVERGED: it took longer than `seconds`,
 * and was ended. */
enum cgs_status cgs_compile_judge(struct cgs_context *context, const char *source,
                                  char *const *words, double seconds, FILE *printed, FILE *said,
                                  int *status);

/* Words in the command line of the process that becomes the compiler, or the judge. */
#define CGS_COMPILE_WORD "(compile)"
#define CGS_JUDGE_WORD "(judge)"

/* Contains this process and becomes the compiler or judge that was asked for; returns, with the
 * exit status, where there is none. */
int cgs_compile_main(char **words);
