/* Sections that the texts of several commands share. */
#ifndef CGS_SRC_REPORT_SECTIONS_H
#define CGS_SRC_REPORT_SECTIONS_H

#include "core/io/page.h"
#include "core/run/report.h"

void cgs_page_problem(const struct cgs_page *page, const struct cgs_report *report);

/* The section Machine of a laboratory: the run's device and who else computed (bandwidths that
 * nobody measured are zeros), on how many threads of the host. */
void cgs_page_machine(const struct cgs_page *page, const struct cgs_machine *machine, int threads,
                      const struct cgs_bandwidth bandwidth[CGS_DEVICES]);

/* A section of its own where others had the processors during the run. */
void cgs_page_disturbed(const struct cgs_page *page, const struct cgs_machine *machine,
                        int threads);

/* A further line of the section Machine where there are more threads than processors. */
void cgs_page_crowd(const struct cgs_page *page, int threads);

/* A matrix from a file: the section Problem, and a line on its rows (report_file.c). */
void cgs_page_file(const struct cgs_page *page, const struct cgs_report *report);

/* The end of a solve, and its restarts: lines of the section Solver (report_outcome.c). */
void cgs_page_outcome(const struct cgs_page *page, const struct cgs_report *report);
void cgs_page_parting(const struct cgs_page *page, const struct cgs_cg_result *r);

/* Materials of a problem of one's own, if there are: a section of its own (report_materials.c). */
void cgs_page_materials(const struct cgs_page *page, const struct cgs_report *report);

/* The preconditioner: a section of its own (report_precond.c). */
void cgs_page_preconditioning(const struct cgs_page *page, const struct cgs_report *report);

void cgs_page_amg(const struct cgs_page *page, const struct cgs_report *report); /* report_amg.c */

/* A line on the grids that several ranks share, if any. */
void cgs_page_shared(const struct cgs_page *page, const struct cgs_precond_facts *p);

/* The share of a cycle's time that each grid takes, if timed: a section of its own. */
void cgs_page_cycle(const struct cgs_page *page, const struct cgs_report *report);

/* Lines of the sections Accuracy and Speed, and the section Solves (report_cost.c). */
void cgs_page_mesh_accuracy(const struct cgs_page *page, const struct cgs_report *report);
void cgs_page_solution(const struct cgs_page *page, const struct cgs_report *report);
void cgs_page_solves(const struct cgs_page *page, const struct cgs_report *report);

/* The choice of --kernel=auto: three lines, a section of their own. */
void cgs_page_choice(const struct cgs_page *page, const struct cgs_selection *choice);

/* Pictures that have been drawn, or written for others to draw, if any: a section of its own
 * (report_pictures.c). */
void cgs_page_pictures(const struct cgs_page *page, const struct cgs_report *report);

/* The table of --profile (report_profile.c). */
void cgs_page_profile(const struct cgs_page *page, const struct cgs_report *report);

/* Its steps and parts by rank (report_ranks.c). */
void cgs_page_rank_seconds(const struct cgs_page *page, const struct cgs_report *report);

/* The table of --plan on several ranks: the time of an iteration by their number (report_ranks.c). */
void cgs_page_scaling(const struct cgs_page *page, const struct cgs_report *report);

#endif
