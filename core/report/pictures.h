/* Visualisation of a solve of the model problem: the fields of --output, and --slice. */
#pragma once

#include "core/report/report.h"
#include "core/setup/asked.h"

/* Checks before any work that file and slices can be made. CGS_USAGE: --slice of an error that is
 * unknown; CGS_FILE: the file cannot be written. */
enum cgs_status cgs_pictures_check(struct cgs_context *context,
                                   const struct cgs_settings *settings);

/* Writes the file of fields, and the slices to report->slices. planes: initialised for the report's
 * solution; opened and released here. On CGS_FILE, CGS_MEMORY or CGS_INTERRUPTED no file is
 * left. On all ranks at once, of which the first writes, and has the slices. */
enum cgs_status cgs_pictures_take(struct cgs_planes *planes, struct cgs_report *report);

/* Gives the slices back; there may be none. */
void cgs_pictures_release(struct cgs_context *context, struct cgs_report *report);
