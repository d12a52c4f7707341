/* Sentences of a study's page. */
#pragma once

#include "lab/io/html_page.h"
#include "lab/study/study_curves.h"

/* Adds two or three sentences that say what matters: orders, the fastest, where rounding stops the
 * convergence, what failed; each {class, before, strong, after, code, end}. `curves`: merged. */
void cgs_page_summary(json_t *page, const struct cgs_study *study, const struct cgs_curves *curves);
