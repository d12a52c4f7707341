/* The preconditioner in the text report. */
#pragma once

#include "core/io/page.h"
#include "core/report/report.h"

/* The preconditioner: a section of its own. */
void cgs_page_preconditioning(const struct cgs_page *page, const struct cgs_report *report);

/* The share of a cycle's time that each grid takes, if timed: a section of its own. */
void cgs_page_cycle(const struct cgs_page *page, const struct cgs_report *report);
