/* The result of a solve. */
#ifndef CGS_CORE_LIBRARY_LIBRARY_REPORT_H
#define CGS_CORE_LIBRARY_LIBRARY_REPORT_H

#include "core/library/library.h"

/* The result of the last solve; NULL: that of a call which was refused before it had the handle. */
void cgs_library_result(const struct cgsolve *solver, struct cgsolve_result *result);

#endif
