/* Pictures of a solve of the box: --output=FILE.vtkhdf and --slice. */
#ifndef CGS_SRC_RUN_PICTURES_H
#define CGS_SRC_RUN_PICTURES_H

#include "src/run/report.h"
#include "src/settle/asked.h"

/* Before any work: whether they can be made. CGS_USAGE: no file of that kind, an error that is not
 * known. CGS_FILE: no HDF5, or a file cannot be written. */
enum cgs_status cgs_pictures_check(struct cgs_context *context, const struct cgs_options *options);

/* Writes the .vtkhdf file, and takes the slice into report->slice. `planes`: of the solution that the
 * report is on; opened and released here. CGS_FILE, CGS_MEMORY, CGS_INTERRUPTED: no file is left. */
enum cgs_status cgs_pictures_take(struct cgs_planes *planes, struct cgs_report *report);

#endif
