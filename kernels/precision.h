/* The two number types of a build: `real` for vectors, `value` for matrix entries.
 *
 * The same sources are compiled for each pair (Makefile.am passes CGS_PRECISION):
 *     f64     real double, value double
 *     f32     real float,  value float
 *     f64v32  real double, value float
 * Only kernel sources include this header. Sums are double in every build.
 */
#pragma once

#include "base/linkage.h"
#include "matrix/matrix.h"

#define CGS_JOIN2(a, b) a##b
#define CGS_JOIN(a, b) CGS_JOIN2(a, b)

#define CGS_BITS_f64 1
#define CGS_BITS_f32 2
#define CGS_BITS_f64v32 3
#define CGS_BITS CGS_JOIN(CGS_BITS_, CGS_PRECISION)

#if CGS_BITS == 1
typedef double real;
typedef double value;
#define CGS_REAL_NUMBER CGS_F64
#define CGS_VALUE_NUMBER CGS_F64
#elif CGS_BITS == 2
typedef float real;
typedef float value;
#define CGS_REAL_NUMBER CGS_F32
#define CGS_VALUE_NUMBER CGS_F32
#elif CGS_BITS == 3
typedef double real;
typedef float value;
#define CGS_REAL_NUMBER CGS_F64
#define CGS_VALUE_NUMBER CGS_F32
#else
#error "compile kernel sources with -DCGS_PRECISION=f64, f32 or f64v32"
#endif

/* CGS_NAMED(cgs_cuda_sell_chunk) is cgs_cuda_sell_chunk_f64, ..._f32 or ..._f64v32. */
#define CGS_NAMED(name) CGS_JOIN(CGS_JOIN(name, _), CGS_PRECISION)

/* Begins the one exported table of a file that is compiled for each pair:
 *     CGS_TABLE(struct cgs_kernel, cgs_cpu_crs_row) = { ... }; */
#define CGS_TABLE(type, name) CGS_EXPORT(type, CGS_NAMED(name))
