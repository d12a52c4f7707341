/* Time of ranks by its parts, in the text report. */
#ifndef CGS_SRC_REPORT_REPORT_RANKS_H
#define CGS_SRC_REPORT_REPORT_RANKS_H

#include "src/report/sections_internal.h"

/* The GPU of each rank, its rows and memory, in a line and, for --plan, in a table; nothing on
 * CPUs (report_ranks.c). */
void cgs_page_rank_devices(const struct cgs_page *page, const struct cgs_report *report);
void cgs_page_planned_devices(const struct cgs_page *page, const struct cgs_report *report);

#endif
