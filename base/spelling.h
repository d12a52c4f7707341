/* The nearest right spelling, for messages: "unknown format 'sel'; did you mean 'sell'?" */
#pragma once

#include "base/linkage.h"

CGS_BEGIN_C

/* Returns the index of the only candidate that `word` abbreviates, by two letters or more; else of
 * the one with the fewest edits (insertions, deletions, substitutions, swaps of neighbours), the
 * first of equals; -1 if all are further than a third of the word's length, rounded, or have no
 * letter in common with it, or count is 0. Case is ignored. */
int cgs_nearest(const char *word, const char *const *candidates, int count);

CGS_END_C
