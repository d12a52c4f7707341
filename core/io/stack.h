/* The stack of the process: a shell's `ulimit -s` may leave less than a run needs. */
#ifndef CGS_CORE_IO_STACK_H
#define CGS_CORE_IO_STACK_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes. Measured on x86-64: all commands work with 384 KiB, of which a report takes most;
 * tests/cli/cli_memory.sh runs them with exactly this. */
enum { CGS_STACK_LEAST = 512 * 1024 };

/* Raises a soft limit below CGS_STACK_LEAST as far as the hard one allows, at most to 8 MiB, for
 * this thread and for those that start later. Returns false if less than CGS_STACK_LEAST
 * remains; *bytes is the limit then. To be called first, by a caller that has used little of its
 * stack. */
bool cgs_stack_ensure(int64_t *bytes);

#endif
