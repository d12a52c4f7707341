/* Host memory: counted, aligned, refused with a message; and what the machine still has. */
#ifndef CGS_BASE_MEMORY_H
#define CGS_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/context.h"
#include "base/linkage.h"

CGS_BEGIN_C

/* Alignment of every block: a cache line, and the widest vector registers. */
#define CGS_ALIGNMENT 64

/* `count` elements of `size` bytes, contents undefined, pages untouched (so that the threads
 * that fill them place them). `what` names them in the refusal ("matrix values").
 * The caller owns the block and returns it by cgs_free. count = 0 gives a block too.
 * CGS_MEMORY: the system refused (made to by context->starve_in, perhaps); CGS_BUG: negative count,
 * or a size past 64 bits. */
enum cgs_status cgs_alloc(struct cgs_context *context, int64_t count, size_t size, const char *what,
                          void **out);

/* Room for as many elements as there may be: pages are taken as they are written, nothing is counted.
 * NULL, without a message, where the system has no such room (made to by context->starve_in, perhaps).
 * Owned by the caller, for cgs_settle or cgs_free. */
void *cgs_room(struct cgs_context *context, int64_t most, size_t size);

/* The first `count` elements of a room stay, the rest goes back: *block may move, and is one of
 * cgs_alloc's from now on. CGS_MEMORY, CGS_BUG: as cgs_alloc; the room is what it was. */
enum cgs_status cgs_settle(struct cgs_context *context, int64_t count, size_t size,
                           const char *what, void **block);

/* NULL is nothing to return. */
void cgs_free(struct cgs_context *context, void *block);

/* What the process may still take, in bytes: the system's available memory, or less where a
 * cgroup (v1 or v2, any level above this process) or RLIMIT_AS allows less. */
int64_t cgs_memory_available(void);

/* Which of them it is: "the system", "a control group", "ulimit -v" or "ulimit -d". */
const char *cgs_memory_limit(void);

/* Gives back to the system what the C library keeps of memory that was freed. */
void cgs_memory_trim(void);

/* Resident bytes of this process: now and at most (VmRSS, VmHWM); 0 where /proc is missing. */
int64_t cgs_memory_resident(void);
int64_t cgs_memory_resident_peak(void);

CGS_END_C

#endif
