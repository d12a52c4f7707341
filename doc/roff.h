/* Plain texts as roff, in the macros of man.
 *
 * What roff would take for its own is escaped, options become bold, and so does what is quoted as a
 * command; a new sentence begins a new line.
 */
#ifndef CGS_DOC_ROFF_H
#define CGS_DOC_ROFF_H

#include <stdio.h>

/* `length` characters in bold, every - a minus, as they are typed. */
void cgs_roff_typed(FILE *file, const char *text, size_t length);

/* A text as a line of its own; nothing where it is "". */
void cgs_roff_line(FILE *file, const char *text);

/* With a full stop, unless there is one: that of a name, "...", is none too many. */
void cgs_roff_ended(FILE *file, const char *text);

/* "unknowns in each direction" as a sentence. What begins with a name, or a formula, stays. */
void cgs_roff_sentence(FILE *file, const char *text);

#endif
