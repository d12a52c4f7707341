/* Reports of this program, run once more: what a judge measures is what a learner can measure. */
#pragma once

#include <jansson.h>
#include <stddef.h>

#include "base/context.h"

/* Runs the program with the options in `line`, words with single blanks between them, then
 * `file` behind the last of them where it is not NULL, and returns its JSON report, owned by the
 * caller. `command`, if it is not NULL, gets the command as one would type it. Returns NULL where
 * the context says why. A failure that the report has is no failure here. */
json_t *cgs_reports_run(struct cgs_context *context, const char *line, const char *file,
                        char *command, size_t size);

/* Returns the kernels of a report of spmv, an array; NULL if it has none. Borrowed. */
json_t *cgs_reports_kernels(const json_t *report);

/* Returns the kernel of this name that was asked for in a report of spmv, NULL if there is none.
 * Borrowed. */
json_t *cgs_reports_kernel(const json_t *report, const char *name);

/* Returns a number of an object; NAN if it has none of that name. path: "solve.iterations". */
double cgs_reports_number(const json_t *object, const char *path);

/* Returns a text of an object, "" if it has none. Borrowed. */
const char *cgs_reports_text(const json_t *object, const char *key);
