/* What the JSON reports of all commands share: how they begin, how they end, their texts. */
#ifndef CGS_SRC_REPORT_JSON_H
#define CGS_SRC_REPORT_JSON_H

#include <jansson.h>

#include "src/report.h"

/* An object with cgsolve, date, arguments, command. Owned by the caller; NULL without memory, which
 * jansson's functions and cgs_json_end take. */
json_t *cgs_json_head(const struct cgs_report *report);

/* Adds exit_status and error_message, writes the object, and releases it. CGS_MEMORY where it could
 * not be built; what could not be written shows in ferror(file). */
enum cgs_status cgs_json_end(struct cgs_context *context, FILE *file, json_t *root);

/* Text of the outside (arguments, names of devices) may be no UTF-8: such bytes become '?'. */
json_t *cgs_json_text(const char *value);

#endif
