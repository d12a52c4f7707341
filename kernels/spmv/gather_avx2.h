/* AVX2 vectors for the gather loops: as gather_avx512.h with half as many numbers and masks in
 * vectors. */
#include <immintrin.h>

#define ISA avx2
#define TARGET __attribute__((target("avx2,fma")))
#define PIECE CGS_PIECE TARGET
#define NAME(name) CGS_JOIN(CGS_JOIN(name, _), ISA)

#if CGS_BITS == CGS_BITS_f32
#define LANES 8
#define VECTOR __m256
#else
#define LANES 4
#define VECTOR __m256d
#endif

PIECE VECTOR NAME(zeros)(void)
{
    return (VECTOR){0};
}

/* sums + values x[columns], LANES of each. */
PIECE VECTOR NAME(add)(VECTOR sums, const value *values, const int32_t *columns, const real *x)
{
#if CGS_BITS == CGS_BITS_f32
    const __m256i at = _mm256_loadu_si256((const __m256i *)(const void *)columns);
    return _mm256_fmadd_ps(_mm256_loadu_ps(values), _mm256_i32gather_ps(x, at, 4), sums);
#else
    const __m128i at = _mm_loadu_si128((const __m128i *)(const void *)columns);
#if CGS_BITS == CGS_BITS_f64
    const __m256d factors = _mm256_loadu_pd(values);
#else
    const __m256d factors = _mm256_cvtps_pd(_mm_loadu_ps(values));
#endif
    return _mm256_fmadd_pd(factors, _mm256_i32gather_pd(x, at, 8), sums);
#endif
}

/* The same for the first `count` < LANES; reads nothing past them. The other lanes add 0 * 0. */
PIECE VECTOR NAME(add_some)(VECTOR sums, int64_t count, const value *values, const int32_t *columns,
                            const real *x)
{
#if CGS_BITS == CGS_BITS_f32
    const __m256i mask = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count),
                                            _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    const __m256i at = _mm256_maskload_epi32(columns, mask);
    const __m256 gathered =
        _mm256_mask_i32gather_ps(_mm256_setzero_ps(), x, at, _mm256_castsi256_ps(mask), 4);
    return _mm256_fmadd_ps(_mm256_maskload_ps(values, mask), gathered, sums);
#else
    const __m128i mask = _mm_cmpgt_epi32(_mm_set1_epi32((int)count), _mm_setr_epi32(0, 1, 2, 3));
    const __m256i wide = _mm256_cvtepi32_epi64(mask);
    const __m128i at = _mm_maskload_epi32(columns, mask);
    const __m256d gathered =
        _mm256_mask_i32gather_pd(_mm256_setzero_pd(), x, at, _mm256_castsi256_pd(wide), 8);
#if CGS_BITS == CGS_BITS_f64
    const __m256d factors = _mm256_maskload_pd(values, wide);
#else
    const __m256d factors = _mm256_cvtps_pd(_mm_maskload_ps(values, mask));
#endif
    return _mm256_fmadd_pd(factors, gathered, sums);
#endif
}

/* Sum of the numbers of two vectors. */
PIECE real NAME(total)(VECTOR a, VECTOR b)
{
#if CGS_BITS == CGS_BITS_f32
    const __m256 sums = _mm256_add_ps(a, b);
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(sums), _mm256_extractf128_ps(sums, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
#else
    const __m256d sums = _mm256_add_pd(a, b);
    const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(sums), _mm256_extractf128_pd(sums, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
#endif
}

PIECE void NAME(store)(VECTOR sums, real *y)
{
#if CGS_BITS == CGS_BITS_f32
    _mm256_storeu_ps(y, sums);
#else
    _mm256_storeu_pd(y, sums);
#endif
}
