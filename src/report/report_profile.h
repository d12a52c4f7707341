/* The profile in the text report. */
#ifndef CGS_SRC_REPORT_REPORT_PROFILE_H
#define CGS_SRC_REPORT_REPORT_PROFILE_H

#include "core/io/page.h"
#include "core/run/report.h"

/* The table of --profile. */
void cgs_page_profile(const struct cgs_page *page, const struct cgs_report *report);

#endif
