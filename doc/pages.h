/* Pages that derive from the program's tables: the manual page, the completion of bash, the keys of
 * a report. */
#ifndef CGS_DOC_PAGES_H
#define CGS_DOC_PAGES_H

#include <stdio.h>

/* cgsolve(1) in the macros of man. `date`: of the page, as 2026-11-22, "" where nobody knows;
 * `folder`: where the documents are installed. */
void cgs_write_manual(FILE *file, const char *date, const char *folder);

/* The tables of the completion of bash, as shell functions and variables: the head of what bash
 * sources, completion.bash follows. */
void cgs_write_completion(FILE *file);

/* The table of doc/report.md. */
void cgs_write_keys(FILE *file);

#endif
