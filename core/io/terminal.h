/* The two streams on which the program speaks to people. What goes through them is shown as
 * cgs_make_plain shows it, but for ends of lines and tabs: no name, no word of a kernel's, no
 * report can move the cursor, whoever prints it and however. What the program itself tells the
 * terminal is marked. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* The stream that leads to stdout or stderr; it holds nothing back, so that what fails, fails
 * there. Closed by the end of the program. NULL: no memory. */
FILE *cgs_terminal_open(FILE *to);

/* Shows what is left of a character that never came to its end. */
void cgs_terminal_end(FILE *file);

/* The stream that such a one leads to; another one is that itself. */
FILE *cgs_terminal_below(FILE *file);

/* Returns true if what is written there is shown by a terminal. */
bool cgs_terminal_shows(FILE *file);

/* Returns true if that terminal is known to be a person's, and may be told sequences: one that Open
 * MPI's mpirun gives to each process passes them on to wherever its own output goes, a pipe or a
 * file. */
bool cgs_terminal_obeys(FILE *file);

/* Writes a sequence that the terminal obeys, "\033[1m". */
void cgs_terminal_tell(FILE *file, const char *sequence);

/* Writes it to a file whose bytes will go to such a stream later. */
void cgs_terminal_mark(FILE *file, const char *sequence);
