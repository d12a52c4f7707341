/* Facts of a study's page, for the template lab/study/page.html. */
#ifndef CGS_LAB_STUDY_STUDY_PAGE_H
#define CGS_LAB_STUDY_STUDY_PAGE_H

#include "lab/study/study_drawings.h"

/* Returns two or three sentences that say what matters: orders, the fastest, where rounding stops
 * the convergence, what failed. An array of {class, before, strong, after, code, end}; `curves`:
 * merged. */
json_t *cgs_page_summary(const struct cgs_study *study, const struct cgs_curves *curves);

/* Returns the errors with local and fitted orders {columns, span, curves, limited}; NULL: no point
 * has errors, or nothing is drawn against N. `curves`: merged. */
json_t *cgs_page_orders(const struct cgs_study *study, const struct cgs_curves *curves);

/* Returns a row for each point, with iterations, seconds and rates {swept, kernels, columns, rows}.
 */
json_t *cgs_page_performance(const struct cgs_study *study);

#endif
