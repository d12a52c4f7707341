/* The end, accuracy and cost of a solve in the text report. */
#pragma once

#include "core/io/page.h"
#include "core/report/report.h"

/* The end of a solve, and its restarts: lines of the section Solver. */
void cgs_page_outcome(const struct cgs_page *page, const struct cgs_report *report);
void cgs_page_parting(const struct cgs_page *page, const struct cgs_cg_result *r);

/* Lines of the sections Accuracy and Speed, and the section Solves. */
void cgs_page_mesh_accuracy(const struct cgs_page *page, const struct cgs_report *report);
void cgs_page_solution(const struct cgs_page *page, const struct cgs_report *report);
void cgs_page_solves(const struct cgs_page *page, const struct cgs_report *report);

/* The table of --profile. */
void cgs_page_profile(const struct cgs_page *page, const struct cgs_report *report);
