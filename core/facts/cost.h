/* The cost of a solution (cost.c has the definitions). Derived numbers, 0 if undefined. */
#pragma once

#include "core/report/report.h"

/* Unknowns a second to solution. */
double cgs_report_to_solution(const struct cgs_report *report);

/* AMG2023's figure of merit, entries a second; 0: no algebraic multigrid. */
double cgs_report_merit(const struct cgs_report *report);
/* The same entries / (seconds of set-up + of all solves). */
double cgs_report_entries_rate(const struct cgs_report *report);
/* Unknowns, in 1e9, of a product A x a second. */
double cgs_report_operator_gdofs(const struct cgs_report *report);
/* Discretisation error in the energy norm. */
double cgs_report_mesh_error(const struct cgs_report *report);
/* Iterations after which the algebraic error was below it; -1: unknown, or never. */
int64_t cgs_report_mesh_iterations(const struct cgs_report *report);
/* Seconds of so many iterations, with the preconditioner's set-up. */
double cgs_report_mesh_seconds(const struct cgs_report *report, int64_t iterations);
/* Seconds of a solve, with its part of what is made once for all solves. */
double cgs_report_amortized(const struct cgs_report *report);
