/* The matrix of a handle. */
#pragma once

#include "core/library/library.h"

/* CGS_USAGE: there is no matrix; says why the last one was refused. */
enum cgs_status cgs_library_wants_matrix(struct cgsolve *solver);
/* CGS_USAGE: likewise, or only a set-up will tell how many rows it has. */
enum cgs_status cgs_library_know_rows(struct cgsolve *solver);
