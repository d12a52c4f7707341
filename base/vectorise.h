/* One source, several vector widths: for loops that run hot on the CPU.
 *
 * CGS_CLONES before a function compiles it for AVX-512, AVX2 and the plain machine, and the loader
 * picks what the processor has. Where compiler or system cannot, it is one plain function, and so
 * it is under --enable-coverage (CGS_ONE_WIDTH), where copies would count as never run. Put the
 * loop over a range into such a function and call it from the parallel region: what OpenMP
 * makes of a region's body is not cloned with the function around it.
 */
#ifndef CGS_BASE_VECTORISE_H
#define CGS_BASE_VECTORISE_H

#if defined(__x86_64__) && defined(__GNUC__) && __GNUC__ >= 12 && !defined(__clang__) &&           \
    defined(__GLIBC__) && !defined(__CUDACC__) && !defined(CGS_ONE_WIDTH)
#define CGS_CLONES                                                                                 \
    __attribute__((noinline, target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CGS_CLONES __attribute__((noinline))
#endif

/* For what such functions are made of: without it the pieces would stay plain. */
#define CGS_PIECE static inline __attribute__((always_inline))

#endif
