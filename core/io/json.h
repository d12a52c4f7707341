/* Shared by the JSON reports of all commands: figures and texts, how they end. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/context.h"

/* Notes, from cgs_json_watch on, each allocation of Jansson's that fails, for the thread that
 * asked. The program watches for good; libcgsolve while it makes a report, one at a time, since
 * Jansson is its caller's, too. */
void cgs_json_watch(void);
void cgs_json_watch_end(void);
/* Returns true if one has failed since the last call: what was built or read since then may lack
 * parts, and is not to be used. Forgets it. */
bool cgs_json_starved(void);

/* Each adds a key. Objects may be NULL (no memory): jansson's functions and cgs_json_end take that.
 */

/* null where the value is not finite. */
void cgs_put_real(json_t *object, const char *key, double value);
/* A figure that is absent where it is 0: it could not be derived. */
void cgs_put_some(json_t *object, const char *key, double value);
void cgs_put_integer(json_t *object, const char *key, int64_t value);
/* Absent where it is NULL or empty. */
void cgs_put_text(json_t *object, const char *key, const char *value);
void cgs_put_yes(json_t *object, const char *key, bool value);
/* Takes `part` over. */
void cgs_put_part(json_t *object, const char *key, json_t *part);

/* Text of the outside (arguments, names of devices) may be no UTF-8: such bytes become '?'. */
json_t *cgs_json_text(const char *value);

/* Adds exit_status and error_message, writes the object, and releases it. CGS_MEMORY where
 * memory ran out for any part of it: exit_status and error_message alone are written then; what
 * could not be written shows in ferror(file). */
enum cgs_status cgs_json_end(struct cgs_context *context, FILE *file, json_t *root);
