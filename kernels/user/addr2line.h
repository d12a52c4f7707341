/* The source line of a place in a library, by addr2line (binutils, which compilers have beside them). */
#ifndef CGS_KERNELS_USER_ADDR2LINE_H
#define CGS_KERNELS_USER_ADDR2LINE_H

#include <stddef.h>
#include <stdint.h>

/* Writes "crash.c:11", or "" where there is no addr2line, or the library says nothing of its source. library: its
 * path. offset: bytes from where it is loaded. */
void cgs_addr2line(const char *library, uint64_t offset, char *text, size_t size);

#endif
