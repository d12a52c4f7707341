/* Copies among submissions: files of two students that have the same contents, or the same tokens
 * whatever their blanks and comments, and copies of a model solution. Names of variables count: two
 * who write the same loop rarely call everything alike. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lab/exercise/grade/grade.h"

/* Returns a hash of the tokens of C in a text, without comments. */
uint64_t cgs_copies_tokens(const char *text, size_t size);

/* Writes of which file submission number `which` is a copy: "the model solution", "the same file as
 * bob/mine.c", "the same tokens as bob/mine.c and 2 more"; "" if of none. */
void cgs_copies_of(const struct cgs_grade *grade, int which, char *text, size_t size);
