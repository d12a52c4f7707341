/* One source for several vector widths, for hot loops on the CPU.
 *
 * CGS_CLONES before a function compiles it for AVX-512, AVX2 and the baseline, and the loader
 * selects the version for the processor. Where compiler or system cannot, it is one plain function,
 * as with --enable-coverage (CGS_ONE_WIDTH), which would count copies as never run. Put the loop
 * over a range into such a function and call it from the parallel region: OpenMP moves a region's
 * body into a function that is not cloned.
 */
#pragma once

#include <stdint.h> /* defines __GLIBC__ */

#if defined(__x86_64__) && defined(__GNUC__) && __GNUC__ >= 12 && !defined(__clang__) &&           \
    defined(__GLIBC__) && !defined(__CUDACC__) && !defined(CGS_ONE_WIDTH)
#define CGS_CLONES                                                                                 \
    __attribute__((noinline, target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CGS_CLONES __attribute__((noinline))
#endif

/* For inline parts of such functions, which would otherwise be compiled for the baseline. */
#define CGS_PIECE static inline __attribute__((always_inline))
