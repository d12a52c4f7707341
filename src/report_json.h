/* What the JSON reports of all commands share: how they begin, how they end, their texts; and parts of
 * a solve's report that have a file of their own. */
#ifndef CGS_SRC_REPORT_JSON_H
#define CGS_SRC_REPORT_JSON_H

#include <jansson.h>

#include "src/report.h"

/* The object `plan` of --plan:
 *     lines[]     what, place ("host" or "device"), bytes
 *     host, device (where there is one)   bytes, free: planned, and what may be taken
 *     fits        whether it does
 *     largest_N   the largest N that fits, all else as asked; 0: none
 *     variants[]  other ways to run: options, fits (the N asked for), largest_N
 *     predicted   where the host has room to measure: assemble_seconds, transfer_seconds, prepare_seconds (both, as far
 * as they overlap), iteration_seconds, iteration_bytes, attainable_gbs, attainable_kind, in_cache,
 * link_gbs (device only); and, where they are known, condition_bound, iterations_bound,
 * solve_seconds_bound, or else no_bound, which says why not */
json_t *cgs_json_plan(const struct cgs_report *report);

/* An object with cgsolve, date, arguments, command. Owned by the caller; NULL without memory, which
 * jansson's functions and cgs_json_end take. */
json_t *cgs_json_head(const struct cgs_report *report);

/* Adds exit_status and error_message, writes the object, and releases it. CGS_MEMORY where it could
 * not be built; what could not be written shows in ferror(file). */
enum cgs_status cgs_json_end(struct cgs_context *context, FILE *file, json_t *root);

/* Text of the outside (arguments, names of devices) may be no UTF-8: such bytes become '?'. */
json_t *cgs_json_text(const char *value);

#endif
