/* Text from outside made safe for a terminal: file names, kernels' texts, reports. */
#ifndef CGS_BASE_PLAIN_H
#define CGS_BASE_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/linkage.h"

CGS_BEGIN_C

/* Returns the number of bytes of the UTF-8 character at `text`, of which `size` bytes are known; 0:
 * it is incomplete. *code: its Unicode number; 0 for an invalid byte, which counts alone. */
int cgs_character(const char *text, size_t size, uint32_t *code);

/* Returns false for control characters (ASCII and C1), line ends, and characters that change the
 * writing direction. */
bool cgs_printable(uint32_t code);

/* Replaces each byte of nonprintable characters, line ends included, by '?'. */
void cgs_make_plain(char *text);

/* The same for a copy, cut to its size: cgs_plain(path, (cgs_name){0}) is a name for printf. */
typedef char cgs_name[4096];
const char *cgs_plain(const char *text, cgs_name copy);

/* Adds to a text of `size` bytes by printf, as much as fits. */
void cgs_append(char *text, size_t size, const char *format, ...) CGS_PRINTF(3, 4);

/* Returns what follows the last '/' of a path: its file's name. */
const char *cgs_base_name(const char *path);

/* Returns what follows a number that counts places: "st", "nd", "rd" or "th". */
const char *cgs_ordinal(int64_t number);

CGS_END_C

#endif
