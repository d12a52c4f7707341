/* Macros for headers shared by C, C++ (nvcc's host side) and device code.
 *
 * CGS_INLINE marks a pure function in the common subset of C and CUDA. The build defines it as
 * `static __host__ __device__ inline` for .cu files (Makefile.am), so that headers need not test
 * the compiler.
 */
#pragma once

#ifdef __cplusplus
#define CGS_BEGIN_C extern "C" {
#define CGS_END_C }
#else
#define CGS_BEGIN_C
#define CGS_END_C
#endif

#ifndef CGS_INLINE
#define CGS_INLINE static inline
#endif

/* Begins the one exported table of a file, in C and in C++ (where const would make it static):
 *     CGS_EXPORT(struct cgs_amg_ops, cgs_cuda_amg) = { ... }; */
#ifdef __cplusplus
#define CGS_EXPORT(type, name)                                                                     \
    extern "C" const type name;                                                                    \
    const type name
#else
#define CGS_EXPORT(type, name)                                                                     \
    extern const type name;                                                                        \
    const type name
#endif

/* For printf-like functions: the compiler checks arguments against the format. */
#define CGS_PRINTF(format_index, first_argument)                                                   \
    __attribute__((format(printf, format_index, first_argument)))
