/* Tells whether two names lead to one file, even one that does not exist yet. */
#ifndef CGS_CORE_IO_OUTPUT_SAME_H
#define CGS_CORE_IO_OUTPUT_SAME_H

#include <stdbool.h>

/* The path from the root on, of what need not be there yet: its folder's true path, and the name
 * in it. NULL, errno set: there is no such folder, or no memory. Owned by the caller. */
char *cgs_output_resolve(const char *path);

/* Returns true if two paths, existing or not, name one file: by another spelling or by a link. */
bool cgs_output_same(const char *a, const char *b);

#endif
