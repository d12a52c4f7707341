/* Text of others as a terminal may show it: names of files, a kernel's words and reports come from anywhere. */
#ifndef CGS_BASE_PLAIN_H
#define CGS_BASE_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/linkage.h"

CGS_BEGIN_C

/* Returns the bytes of the character of UTF-8 at `text`, of which `size` are known; 0: it goes on behind
 * them. *code is its number in Unicode, 0 that of a byte that begins no character, which counts alone. */
int cgs_character(const char *text, size_t size, uint32_t *code);

/* Returns false for control characters (of ASCII, and C1), ends of lines, and what turns the direction of
 * writing. */
bool cgs_printable(uint32_t code);

/* Makes '?' of each byte of what is not printable, ends of lines among it. */
void cgs_make_plain(char *text);

/* The same of a copy, cut to its room: cgs_plain(path, (cgs_name){0}) is a name in a printf. */
typedef char cgs_name[4096];
const char *cgs_plain(const char *text, cgs_name copy);

/* Adds to a text of `size` bytes by printf, as much as fits. */
void cgs_append(char *text, size_t size, const char *format, ...) CGS_PRINTF(3, 4);

CGS_END_C

#endif
