/* The table of --plan: every line of the plan, host and device, and whether it fits; what would
 * fit. */
#ifndef CGS_SRC_REPORT_REPORT_PLAN_H
#define CGS_SRC_REPORT_REPORT_PLAN_H

#include "core/io/page.h"
#include "core/run/report.h"

/* Writes the table of --plan. */
void cgs_report_plan(const struct cgs_page *page, const struct cgs_report *report);

#endif
