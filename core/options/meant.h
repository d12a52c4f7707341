/* Guesses, for messages, at a word that is neither a command nor an option nor a value. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Returns our word for one that other programs use as a value of that option, or, if `option` is
 * "", as the name of an option, or, if it is "command", as a command (synonyms.def); NULL: none.
 * Ignores case. */
const char *cgs_synonym(const char *option, const char *word);

/* Returns what comes closest to a value, or with "" to an option, of other programs that is not
 * here (absent.def); NULL: no such word. Ignores case. */
const char *cgs_closest(const char *option, const char *word);

/* Writes --NAME or --NAME=VALUE where the word is an option of ours or of another program but
 * for what is around it, case, '_', and the character before its value; returns false if it is
 * none. dashes: the word begins with some, so that a number may follow the name at once, --N32;
 * a value behind '=' is left out, for it may be wrong as well. */
bool cgs_meant_option(const char *word, bool dashes, char *text, size_t size);

/* Writes --NAME=VALUE where the word is a value of that option alone, --precond=jacobi for
 * "jacobi"; returns false if it is none. */
bool cgs_meant_value(const char *word, char *text, size_t size);
