/* Parts of a study's page (lab/io/html_page.h). */
#ifndef CGS_LAB_STUDY_STUDY_PAGE_H
#define CGS_LAB_STUDY_STUDY_PAGE_H

#include "lab/io/html_page.h"
#include "lab/study/study_drawings.h"

/* Adds two or three sentences that say what matters: orders, the fastest, where rounding stops the
 * convergence, what failed; each {class, before, strong, after, code, end}. `curves`: merged. */
void cgs_page_summary(json_t *page, const struct cgs_study *study, const struct cgs_curves *curves);

/* Adds the table of errors with local and fitted orders; none where no point has errors, or nothing
 * is drawn against N. `curves`: merged. */
void cgs_page_orders(json_t *section, const struct cgs_study *study,
                     const struct cgs_curves *curves);

/* Adds the section of u on each mesh, with order and limit; none where nothing is said of it. */
void cgs_page_limits(json_t *page, const struct cgs_study *study);

/* Adds a table with a row for each point: iterations, seconds and rates. */
void cgs_page_performance(json_t *section, const struct cgs_study *study);

/* Writes DIR/tables.tex (study_tables.c). `curves`: merged. */
enum cgs_status cgs_study_tables(struct cgs_study *study, const struct cgs_curves *curves);

#endif
