/* A matrix from a file in the text report. */
#ifndef CGS_SRC_REPORT_REPORT_FILE_H
#define CGS_SRC_REPORT_REPORT_FILE_H

#include "src/report/sections_internal.h"

void cgs_page_row_lengths(const struct cgs_page *page, const struct cgs_row_statistics *statistics);

#endif
