/* Parts of a study's page. Each writes HTML that is well-formed XML, too. */
#ifndef CGS_SRC_STUDY_STUDY_PAGE_H
#define CGS_SRC_STUDY_STUDY_PAGE_H

#include "src/study/html.h"
#include "src/study/study_drawings.h"

/* ---- study_page_words.c ---- */
/* Two or three sentences for who reads nothing else: orders, the fastest, where rounding stops the
 * convergence, what failed. `curves`: merged. */
void cgs_page_summary(FILE *file, const struct cgs_study *study, const struct cgs_curves *curves);

/* ---- study_page_tables.c ---- */
/* The errors with local and fitted orders; `curves`: merged. */
void cgs_page_convergence(FILE *file, const struct cgs_study *study,
                          const struct cgs_curves *curves);
/* A row a point: iterations, seconds, rates. */
void cgs_page_performance(FILE *file, const struct cgs_study *study);
/* Points that failed, with their messages; nothing where none did. */
void cgs_page_failures(FILE *file, const struct cgs_study *study);

/* ---- study_page_style.c ---- */
extern const char *const cgs_page_style[]; /* CSS, rule by rule, NULL at the end: light and dark,
                                              phones, paper */

#endif
