/* The result of a solve. */
#pragma once

#include "core/library/library.h"

/* The result of the last solve; NULL: that of a call which was refused before it had the handle. */
void cgs_library_result(const struct cgsolve *solver, struct cgsolve_result *result);
