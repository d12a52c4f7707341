/* AVX-512 vectors for the gather loops: LANES numbers of type real.
 *
 * The loops (crs_gather_rows.h, sell_gather_chunks.h) are written in terms of these names; they are
 * included after this header or gather_avx2.h, and undefine them at the end. All functions are
 * forced inline: a call that passes such vectors would depend on the caller's compiler flags.
 */
#include <immintrin.h>

#define ISA avx512
#define TARGET __attribute__((target("avx512f,avx512vl,avx512dq,avx2,fma")))
#define PIECE CGS_PIECE TARGET
#define NAME(name) CGS_JOIN(CGS_JOIN(name, _), ISA)

#if CGS_BITS == CGS_BITS_f32
#define LANES 16
#define VECTOR __m512
#else
#define LANES 8
#define VECTOR __m512d
#endif

PIECE VECTOR NAME(zeros)(void)
{
    return (VECTOR){0};
}

/* sums + values x[columns], LANES of each. */
PIECE VECTOR NAME(add)(VECTOR sums, const value *values, const int32_t *columns, const real *x)
{
#if CGS_BITS == CGS_BITS_f32
    const __m512i at = _mm512_loadu_si512(columns);
    const __m512 gathered = _mm512_mask_i32gather_ps(_mm512_setzero_ps(), 0xffff, at, x, 4);
    return _mm512_fmadd_ps(_mm512_loadu_ps(values), gathered, sums);
#else
    const __m256i at = _mm256_loadu_si256((const __m256i *)(const void *)columns);
    const __m512d gathered = _mm512_mask_i32gather_pd(_mm512_setzero_pd(), 0xff, at, x, 8);
#if CGS_BITS == CGS_BITS_f64
    return _mm512_fmadd_pd(_mm512_loadu_pd(values), gathered, sums);
#else
    return _mm512_fmadd_pd(_mm512_cvtps_pd(_mm256_loadu_ps(values)), gathered, sums);
#endif
#endif
}

/* The same for the first `count` < LANES; reads nothing past them. */
PIECE VECTOR NAME(add_some)(VECTOR sums, int64_t count, const value *values, const int32_t *columns,
                            const real *x)
{
    const unsigned there = (1u << count) - 1;
#if CGS_BITS == CGS_BITS_f32
    const __mmask16 mask = (__mmask16)there;
    const __m512i at = _mm512_maskz_loadu_epi32(mask, columns);
    const __m512 gathered = _mm512_mask_i32gather_ps(_mm512_setzero_ps(), mask, at, x, 4);
    return _mm512_mask3_fmadd_ps(_mm512_maskz_loadu_ps(mask, values), gathered, sums, mask);
#else
    const __mmask8 mask = (__mmask8)there;
    const __m256i at = _mm256_maskz_loadu_epi32(mask, columns);
    const __m512d gathered = _mm512_mask_i32gather_pd(_mm512_setzero_pd(), mask, at, x, 8);
#if CGS_BITS == CGS_BITS_f64
    const __m512d factors = _mm512_maskz_loadu_pd(mask, values);
#else
    const __m512d factors = _mm512_cvtps_pd(_mm256_maskz_loadu_ps(mask, values));
#endif
    return _mm512_mask3_fmadd_pd(factors, gathered, sums, mask);
#endif
}

/* Sum of the numbers of two vectors. */
PIECE real NAME(total)(VECTOR a, VECTOR b)
{
#if CGS_BITS == CGS_BITS_f32
    return _mm512_reduce_add_ps(_mm512_add_ps(a, b));
#else
    return _mm512_reduce_add_pd(_mm512_add_pd(a, b));
#endif
}

PIECE void NAME(store)(VECTOR sums, real *y)
{
#if CGS_BITS == CGS_BITS_f32
    _mm512_storeu_ps(y, sums);
#else
    _mm512_storeu_pd(y, sums);
#endif
}
