/* Text made ready for people: what comes from outside (file names, kernels' texts, reports) is made
 * safe for a terminal, and settings are worded as the program or the library takes them. */
#pragma once

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

/* Texts below src/ write a setting after '\1', as in "take \1precond=mg", since a caller of the
 * library has no command line. Replaces that by "--precond=mg" in a program that has called
 * cgs_name_options, else by "precond=mg" and, of max-iterations, "max_iterations". A text that
 * fills its `size` bytes loses its end. Messages of cgs_fail have been through it. */
void cgs_name_settings(char *text, size_t size);
/* Has settings named as options of a command line from here on; called once, where a program
 * begins. */
void cgs_name_options(void);

/* Adds to a text of `size` bytes by printf, as much as fits. */
void cgs_append(char *text, size_t size, const char *format, ...) CGS_PRINTF(3, 4);

/* Returns what follows the last '/' of a path: its file's name. */
const char *cgs_base_name(const char *path);

/* Returns what follows a number that counts places: "st", "nd", "rd" or "th". */
const char *cgs_ordinal(int64_t number);

CGS_END_C
