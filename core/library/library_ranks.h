/* Calls of several ranks. */
#pragma once

#include "core/library/library.h"

/* Calls that all ranks of a handle make together. */
enum cgs_library_function {
    CGS_LIBRARY_DISTRIBUTED,
    CGS_LIBRARY_VALUES,
    CGS_LIBRARY_SETUP,
    CGS_LIBRARY_SOLVE,
    CGS_LIBRARY_SOLVE_FROM,
    CGS_LIBRARY_SOLVE_MANY,
    CGS_LIBRARY_STEP,
    CGS_LIBRARY_STEP_RHS
};
struct cgs_library_meeting {
    enum cgs_library_function function;
    int64_t count;       /* of right-hand sides */
    const double *b, *x; /* of a solve */
};
/* Has all ranks begin the same call; `status`: of what this rank has checked so far, with its
 * message. They return the same. Where it is CGS_OK, all have the same options, and the same of
 * a set-up to make anew, and vectors that a rank without rows left out are there if others have
 * them. CGS_USAGE, which names the rank: another function, other options, a vector left out.
 * CGS_LOST. Alone: `status`. */
enum cgs_status cgs_library_meet(struct cgsolve *solver, enum cgs_status status,
                                 struct cgs_library_meeting *meeting);
/* CGS_USAGE: the matrix or the process is not fit for several ranks. */
enum cgs_status cgs_library_check_ranks(struct cgsolve *solver);
/* Replaces the values of a part; on all ranks at once. */
enum cgs_status cgs_library_part_values(struct cgsolve *solver, int64_t nonzeros,
                                        const double *values);
/* Gives the communicator back. */
void cgs_library_leave(struct cgsolve *solver);
