/* The nearest right spelling, for messages: "unknown format 'sel'; did you mean 'sell'?" */
#ifndef CGS_BASE_SPELLING_H
#define CGS_BASE_SPELLING_H

#include "base/linkage.h"

CGS_BEGIN_C

/* Index of the one candidate that `word` abbreviates by its first letters, two or more; else of that
 * with the fewest edits (insertions, deletions, substitutions, swaps of neighbours) from it; -1 when all
 * are further than half of the word's length (at least 2), or have nothing in common with it, or count
 * is 0. Large and small letters are the same. The first of equals wins. */
int cgs_nearest(const char *word, const char *const *candidates, int count);

CGS_END_C

#endif
