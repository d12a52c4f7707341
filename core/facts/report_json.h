/* JSON reports: the keys of all commands, from the rows of facts_head.def, and parts that commands
 * share. */
#pragma once

#include "core/io/json.h"
#include "core/report/report.h"
#include "core/setup/input.h"

/* Returns the object that a report of any command begins with: the program, the call, and the
 * machine as far as report->has_machine. Owned by the caller; NULL without memory. */
json_t *cgs_json_head(const struct cgs_report *report);

/* Adds the origin of a matrix: origin ("box", "file", "random"), and file, N or random. */
void cgs_put_input(json_t *object, const struct cgs_settings *settings,
                   const struct cgs_input *input);

/* Parts of a report, each owned by the caller; NULL without memory. doc/report.md has their
 * keys. */
json_t *cgs_json_row_lengths(const struct cgs_row_statistics *statistics);
json_t *cgs_json_plan_lines(const struct cgs_plan *plan);

/* Returns "inverted", or why the coarsest grid of algebraic multigrid is smoothed only. */
const char *cgs_report_coarsest(const struct cgs_precond_facts *facts);

/* Returns the mean number of rows of an aggregate of grid l, which is not the coarsest. */
double cgs_aggregate_size(const struct cgs_precond_facts *facts, int l);

/* Writes the JSON report, also of failed runs. CGS_MEMORY: it could not be built; write errors show
 * in ferror(file). */
enum cgs_status cgs_report_json(struct cgs_context *context, FILE *file,
                                const struct cgs_report *report);

/* Returns the object at a place, "solver.mixed", which is made where it is not there. */
json_t *cgs_json_at(json_t *root, const char *place);
