/* A matrix from a file in the text report. */
#ifndef CGS_SRC_REPORT_REPORT_FILE_H
#define CGS_SRC_REPORT_REPORT_FILE_H

#include "core/io/page.h"
#include "core/run/report.h"

void cgs_page_row_lengths(const struct cgs_page *page, const struct cgs_row_statistics *statistics);

/* A matrix from a file: the section Problem, and a line on its rows. */
void cgs_page_file(const struct cgs_page *page, const struct cgs_report *report);

#endif
