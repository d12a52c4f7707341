/* Materials, solution, probes and pictures in the text report. */
#pragma once

#include "core/io/page.h"
#include "core/report/report.h"

/* Materials of a problem of one's own, if there are, and the extremes of the solution: a section
 * each. */
void cgs_page_materials(const struct cgs_page *page, const struct cgs_report *report);
void cgs_page_extremes(const struct cgs_page *page, const struct cgs_report *report);
/* Points of --probe and --line. */
void cgs_page_probes(const struct cgs_page *page, const struct cgs_report *report);

/* Pictures that have been drawn, or written for others to draw, if any: a section of its own. */
void cgs_page_pictures(const struct cgs_page *page, const struct cgs_report *report);
