/* Options of a handle, as those of a run. */
#pragma once

#include "core/library/library.h"

/* All that was set, as the options of a run; the arguments of its report. CGS_USAGE: a
 * combination that makes no sense. CGS_MEMORY. To be released whatever happened. */
enum cgs_status cgs_library_options(struct cgsolve *solver);
void cgs_library_options_release(struct cgsolve *solver);
/* Takes the options that CG alone reads into those of the run. */
enum cgs_status cgs_library_options_renew(struct cgsolve *solver);
