/* Shared by kernels that load x by gather instructions: one loop for each vector extension, and its
 * selection in prepare by what the processor has. Other processors than x86-64 have only plain C.
 *
 * A kernel includes its loop once for each extension (gather_avx512.h, gather_avx2.h) and ends with
 * a list of them and gather_table.h. The order of additions belongs to the loop and is the same for
 * any number of threads; other vector widths round differently, as in all loops (base/vectorise.h).
 */
#pragma once

#include "kernels/spmv/spmv_cpu.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define CGS_GATHERS 1
#else
#define CGS_GATHERS 0
#endif

/* A loop, and whether this processor (and the system, which must save its registers) can run it. */
struct cgs_gather_loop {
    const char *name;
    bool (*runs)(void);
    cgs_units_loop *natural, *sorted; /* rows in natural order, or permuted (SELL) */
};

#if CGS_GATHERS
static bool cgs_has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq");
}

static bool cgs_has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

/* Returns loop number `which` of those that this processor runs, NULL past the last. A loop without
 * a condition ends the list. */
static const struct cgs_gather_loop *cgs_gather_find(const struct cgs_gather_loop *loops, int which)
{
    for (;; loops++) {
        if ((!loops->runs || loops->runs()) && which-- == 0)
            return loops;
        if (!loops->runs)
            return NULL;
    }
}

static void cgs_gather_use(struct cgs_spmv_cpu *matrix, const struct cgs_gather_loop *loop)
{
    matrix->loop = matrix->permutation ? loop->sorted : loop->natural;
}
