/* Reports that are read. */
#pragma once

#include <jansson.h>

/* The JSON value that the file holds, owned by the caller; the waiting for a pipe ends with
 * cgs_interrupted. NULL: *reason is an errno (EINTR: interrupted), or 0 where the file was read and
 * is no JSON, as *error says. */
json_t *cgs_json_read(const char *path, json_error_t *error, int *reason);
