/* Source line of an address in a library, by the program addr2line of the binutils. */
#ifndef CGS_KERNELS_PLUGIN_ADDR2LINE_H
#define CGS_KERNELS_PLUGIN_ADDR2LINE_H

#include <stddef.h>
#include <stdint.h>

/* Writes the source line, such as "crash.c:11", or "" if addr2line is missing or the library has no
 * debug information. library: path of the file. offset: address relative to where it is loaded. */
void cgs_addr2line(const char *library, uint64_t offset, char *text, size_t size);

#endif
