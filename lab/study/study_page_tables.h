/* Tables of a study's page. */
#pragma once

#include "lab/io/html_page.h"
#include "lab/study/study_curves.h"

/* Adds the table of errors with local and fitted orders; none where no point has errors, or nothing
 * is drawn against N. `curves`: merged. */
void cgs_page_orders(json_t *section, const struct cgs_study *study,
                     const struct cgs_curves *curves);

/* Adds the section of u on each mesh, with order and limit; none where nothing is said of it. */
void cgs_page_limits(json_t *page, const struct cgs_study *study);

/* Adds a table with a row for each point: iterations, seconds and rates. */
/* The section on the mesh that reaches each target, where there are targets. */
void cgs_page_targets(json_t *page, const struct cgs_study *study);
void cgs_page_performance(json_t *section, const struct cgs_study *study);
