/* Host memory: counted, aligned, with a message on failure; and the machine's available memory. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/context.h"
#include "base/linkage.h"

CGS_BEGIN_C

/* Alignment of every block: a cache line, and the widest vector registers. */
#define CGS_ALIGNMENT 64

/* Allocates `count` elements of `size` bytes, contents undefined, pages untouched (so that the
 * threads that fill them place them). what: name in the message ("matrix values"). The caller owns
 * the block and frees it by cgs_free. count = 0 gives a block, too.
 * CGS_MEMORY: the system refused (perhaps simulated by context->starve_in); CGS_BUG: negative
 * count, or a size beyond 64 bits. */
enum cgs_status cgs_alloc(struct cgs_context *context, int64_t count, size_t size, const char *what,
                          void **out);

/* Reserves room for up to `most` elements: pages are allocated when written, and nothing is
 * counted. Returns NULL, without a message, if the system refuses (perhaps simulated by
 * context->starve_in). Owned by the caller, for cgs_settle or cgs_free. */
void *cgs_room(struct cgs_context *context, int64_t most, size_t size);

/* Keeps the first `count` elements of a room and frees the rest: *block may move, and is then a
 * block of cgs_alloc. CGS_MEMORY, CGS_BUG: as cgs_alloc; the room is unchanged. */
enum cgs_status cgs_settle(struct cgs_context *context, int64_t count, size_t size,
                           const char *what, void **block);

/* Frees a block; NULL is allowed. */
void cgs_free(struct cgs_context *context, void *block);

/* Returns free memory kept by the C library to the system. */
void cgs_memory_trim(void);

/* Has the C library return every freed block of 128 kB or more at once, for the rest of the
 * process: glibc keeps ever larger ones, as many as have been freed before. For a program at its
 * start; a library leaves that to its caller. */
void cgs_memory_return_blocks(void);

/* Returns the bytes of a thread's stack in OMP_STACKSIZE, "4M", "512 k", "2048" (kilobytes); 0
 * where it is no size (OpenMP 5.2, 21.2.2). */
int64_t cgs_memory_stack(const char *text);

CGS_END_C
