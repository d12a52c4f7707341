/* The report for people: one screen, from the machine to the seconds. */
#pragma once

#include "core/io/page.h"
#include "core/report/report.h"

/* Write the text report, ten lines or, with --verbose, all of it: what is known before the first
 * iteration, and the rest. */
void cgs_report_begin(const struct cgs_page *page, const struct cgs_report *report);
void cgs_report_end(const struct cgs_page *page, const struct cgs_report *report);
