/* The table of --plan: every line of the plan, host and device, and whether it fits; what would
 * fit. */
#pragma once

#include "core/io/page.h"
#include "core/report/report.h"

/* Writes the table of --plan. */
void cgs_report_plan(const struct cgs_page *page, const struct cgs_report *report);

/* The GPU of each rank, its rows and memory, in a line and, for --plan, in a table; nothing on
 * CPUs. */
void cgs_page_rank_devices(const struct cgs_page *page, const struct cgs_report *report);
void cgs_page_planned_devices(const struct cgs_page *page, const struct cgs_report *report);

/* Its steps and parts by rank. */
void cgs_page_rank_seconds(const struct cgs_page *page, const struct cgs_report *report);

/* The table of --plan on several ranks: the time of an iteration by their number. */
void cgs_page_scaling(const struct cgs_page *page, const struct cgs_report *report);
