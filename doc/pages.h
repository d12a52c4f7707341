/* Pages that derive from the program's tables: the manual page, completions of shells, the keys
 * of a report. */
#pragma once

#include <stdio.h>

/* cgsolve(1) in the macros of man. `date`: of the page, as 2026-11-22, "" where nobody knows;
 * `folder`: where the documents are installed. */
void cgs_write_manual(FILE *file, const char *date, const char *folder);

/* The tables of the completions of bash and zsh, as shell functions and variables: the head of what
 * they source; completion.sh and completion.bash follow. */
void cgs_write_completion(FILE *file);

/* Further tables of zsh, with descriptions; completion.sh and completion.zsh follow. */
void cgs_write_zsh(FILE *file);

/* Calls of fish's `complete`; completion.fish has the functions that they name. */
void cgs_write_fish(FILE *file);

/* The table of doc/report.md. */
void cgs_write_keys(FILE *file);
