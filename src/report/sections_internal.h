/* The sections of the text of a solve, a file each. */
#ifndef CGS_SRC_REPORT_SECTIONS_INTERNAL_H
#define CGS_SRC_REPORT_SECTIONS_INTERNAL_H

#include "src/report/sections.h"

/* A matrix from a file: the section Problem, and a line on its rows (report_file.c). */
void cgs_page_file(const struct cgs_page *page, const struct cgs_report *report);

/* The end of a solve, and its restarts: lines of the section Solver (report_outcome.c). */
void cgs_page_outcome(const struct cgs_page *page, const struct cgs_report *report);
void cgs_page_parting(const struct cgs_page *page, const struct cgs_cg_result *r);

/* Materials of a problem of one's own, if there are, and the extremes of the solution: a section
 * each (report_materials.c). */
void cgs_page_materials(const struct cgs_page *page, const struct cgs_report *report);
void cgs_page_extremes(const struct cgs_page *page, const struct cgs_report *report);
/* Points of --probe and --line (report_materials.c). */
void cgs_page_probes(const struct cgs_page *page, const struct cgs_report *report);

/* The preconditioner: a section of its own (report_precond.c). */
void cgs_page_preconditioning(const struct cgs_page *page, const struct cgs_report *report);

void cgs_page_amg(const struct cgs_page *page, const struct cgs_report *report); /* report_amg.c */

/* The share of a cycle's time that each grid takes, if timed: a section of its own. */
void cgs_page_cycle(const struct cgs_page *page, const struct cgs_report *report);

/* Lines of the sections Accuracy and Speed, and the section Solves (report_cost.c). */
void cgs_page_mesh_accuracy(const struct cgs_page *page, const struct cgs_report *report);
void cgs_page_solution(const struct cgs_page *page, const struct cgs_report *report);
void cgs_page_solves(const struct cgs_page *page, const struct cgs_report *report);

/* Pictures that have been drawn, or written for others to draw, if any: a section of its own
 * (report_pictures.c). */
void cgs_page_pictures(const struct cgs_page *page, const struct cgs_report *report);

/* The table of --profile (report_profile.c). */
void cgs_page_profile(const struct cgs_page *page, const struct cgs_report *report);

/* Its steps and parts by rank (report_ranks.c). */
void cgs_page_rank_seconds(const struct cgs_page *page, const struct cgs_report *report);

/* The table of --plan on several ranks: the time of an iteration by their number
 * (report_ranks.c). */
void cgs_page_scaling(const struct cgs_page *page, const struct cgs_report *report);

#endif
