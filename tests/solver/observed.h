/* Shared by the tests of observers and of the profiler: the ways to precondition and to launch. */
#pragma once

#include "solver/jacobi.h"
#include "tests/solver/composed.h"

enum { MOST = 500 }; /* iterations */

static const enum cgs_launch launches[] = {
    CGS_LAUNCH_PLAIN,
#ifdef CGS_TEST_CUDA
    CGS_LAUNCH_GRAPH,
#endif
};
enum { LAUNCHES = sizeof launches / sizeof *launches };

/* Jacobi, and the same as if it changed from iteration to iteration. */
static struct cgs_operator jacobi, flexible;

static inline void make_all(void)
{
    make();
    ck_assert_int_eq(cgs_jacobi_create(queue, &plain, &source, &jacobi), CGS_OK);
    flexible = jacobi;
    flexible.flexible = true;
}

static inline void unmake_all(void)
{
    cgs_operator_release(&jacobi);
    unmake();
}

/* Way i of so many: launched in some way, without a preconditioner, with one, with a flexible
 * one. */
enum { WAYS = 3 * LAUNCHES };

static inline enum cgs_launch way_launched(int i)
{
    return launches[i / 3];
}

static inline const struct cgs_operator *way_preconditioned(int i)
{
    static const struct cgs_operator *const by[] = {NULL, &jacobi, &flexible};
    return by[i % 3];
}
