/* From how many solves on one report's way pays that costs more to make and less to use. */
#ifndef CGS_SRC_TUNE_BREAK_EVEN_H
#define CGS_SRC_TUNE_BREAK_EVEN_H

#include <jansson.h>

#include "src/io/page.h"

/* The object `break_even` of two reports of solve, from their `solves`: faster ("a" or "b": whose
 * solves take less), solves: from so many on its total, made once + solves, is the smaller one; 1:
 * from the first. NULL: not known, or their solves take the same within noise. New. */
json_t *cgs_break_even(json_t *a, json_t *b);

/* The section of the page of `cgsolve compare`; break_even: as above, not NULL. */
void cgs_break_even_text(const struct cgs_page *page, json_t *break_even);

#endif
