/* Calls of a compiled kernel to the system, by the undefined symbols of its library. */
#ifndef CGS_KERNELS_PLUGIN_SYMBOLS_H
#define CGS_KERNELS_PLUGIN_SYMBOLS_H

#include <stddef.h>

/* Writes the names of functions for files, processes, network and libraries that the library at
 * `path` calls: "fopen, system". Writes "" if there are none, or if the file is not a library. */
void cgs_symbols_calls(const char *path, char *text, size_t size);

#endif
