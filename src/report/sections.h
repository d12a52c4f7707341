/* Sections that the texts of several commands share. */
#pragma once

#include "core/io/page.h"
#include "core/report/report.h"

void cgs_page_problem(const struct cgs_page *page, const struct cgs_report *report);

/* The section Machine of a laboratory: the run's device and who else computed (bandwidths that
 * nobody measured are zeros), on how many threads of the host. */
void cgs_page_machine(const struct cgs_page *page, const struct cgs_machine *machine, int threads,
                      const struct cgs_bandwidth bandwidth[CGS_DEVICES]);

/* Writes the section DISTURBED if other processes used the CPUs during the run. */
void cgs_page_disturbed(const struct cgs_page *page, const struct cgs_machine *machine,
                        int threads);

/* A further line of the section Machine where there are more threads than processors. */
void cgs_page_crowd(const struct cgs_page *page, int threads);

/* A line on the grids that several ranks share, if any. */
void cgs_page_shared(const struct cgs_page *page, const struct cgs_precond_facts *p);

void cgs_page_row_lengths(const struct cgs_page *page, const struct cgs_row_statistics *statistics);

/* The choice of --kernel=auto: three lines, a section of their own. */
void cgs_page_choice(const struct cgs_page *page, const struct cgs_selection *choice);
