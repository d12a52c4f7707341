/* Calls of a compiled kernel to the system, by the undefined symbols of its library. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Writes the names of functions for files, processes, network and libraries that the library at
 * `path` calls: "fopen, system". Writes "" if there are none, or if the file is not a library. */
void cgs_symbols_calls(const char *path, char *text, size_t size);

/* Writes the source line, such as "crash.c:11", or "" if addr2line is missing or the library has no
 * debug information. library: path of the file. offset: address relative to where it is loaded. */
void cgs_addr2line(const char *library, uint64_t offset, char *text, size_t size);
