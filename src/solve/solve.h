/* The command `solve`: options -> problem -> matrix -> operator -> solver -> report. */
#ifndef CGS_SRC_SOLVE_SOLVE_H
#define CGS_SRC_SOLVE_SOLVE_H

#include "src/options/options.h"

/* Solves, and writes what was asked for to `text` (the report; NULL: nobody reads it), `verbose`
 * (the live residual) and the options' files. A context that has failed already (wrong options)
 * solves nothing, but its failure is reported in the JSON file. */
enum cgs_status cgs_solve(struct cgs_context *context, struct cgs_options *options, int argc,
                          const char *const *argv, FILE *text, FILE *verbose);

#endif
