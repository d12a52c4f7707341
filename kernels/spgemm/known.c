#include "kernels/spgemm/known.h"

#include <omp.h>
#include <string.h>
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

#include "base/memory.h"
#include "base/plan.h"
#include "base/vectorise.h"

/* Rows that a thread takes at once. */
enum { ROWS = 256 };

static int64_t products_of(const struct cgs_sparse *a, const struct cgs_sparse *b, int64_t i)
{
    int64_t products = 0;
    for (int64_t e = a->pointers[i]; e < a->pointers[i + 1]; e++)
        products += b->pointers[a->column[e] + 1] - b->pointers[a->column[e]];
    return products;
}

int64_t cgs_spgemm_known_products(const struct cgs_sparse *a, const struct cgs_sparse *b,
                                  int threads)
{
    int64_t products = 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : products)
    for (int64_t i = 0; i < a->rows; i++)
        products += products_of(a, b, i);
    return products;
}

/* ---- steps ---- */

/* Bits of a step. */
enum { OCTET = 8, FIRST = 1 << OCTET, SHIFT = OCTET + 1 };

/* Lists the steps of row i; at: of C's columns. Returns their number; step NULL: only that. */
static int64_t list_row(const struct cgs_sparse *a, const struct cgs_sparse *b,
                        const struct cgs_sparse *c, int64_t i, uint16_t *restrict at,
                        uint16_t *restrict step)
{
    const int32_t *column = c->column + c->pointers[i];
    int64_t count = 0;
    for (int64_t q = 0; q < c->pointers[i + 1] - c->pointers[i]; q++)
        at[column[q]] = (uint16_t)q;
    for (int64_t e = a->pointers[i]; e < a->pointers[i + 1]; e++) {
        const int64_t k = a->column[e];
        int64_t f = b->pointers[k];
        int first = FIRST;
        do {
            const int octet = f < b->pointers[k + 1] ? at[b->column[f]] / OCTET : 0;
            int bits = 0;
            for (; f < b->pointers[k + 1] && at[b->column[f]] / OCTET == octet; f++)
                bits |= 1 << at[b->column[f]] % OCTET;
            if (step)
                step[count] = (uint16_t)(octet << SHIFT | first | bits);
            count++;
            first = 0;
        } while (f < b->pointers[k + 1]);
    }
    return count;
}

static bool fits(const struct cgs_sparse *c)
{
    for (int64_t i = 0; i < c->rows; i++)
        if (c->pointers[i + 1] - c->pointers[i] > CGS_KNOWN_LONGEST)
            return false;
    return true;
}

enum cgs_status cgs_spgemm_known_create(struct cgs_context *context, const struct cgs_sparse *a,
                                        const struct cgs_sparse *b, const struct cgs_sparse *c,
                                        struct cgs_spgemm_known *known)
{
    const char *what = "steps of products";
    const int threads = context->threads;
    uint16_t *at;
    *known = (struct cgs_spgemm_known){0};
    if (!fits(c))
        return CGS_OK;
    CGS_TRY(cgs_alloc(context, a->rows + 1, sizeof *known->begin, what, (void **)&known->begin));
    CGS_TRY(cgs_alloc(context, cgs_bytes(c->columns, threads), sizeof *at, what, (void **)&at));
    known->begin[0] = 0;
#pragma omp parallel for schedule(dynamic, ROWS) num_threads(threads)
    for (int64_t i = 0; i < a->rows; i++)
        known->begin[i + 1] = list_row(a, b, c, i, at + omp_get_thread_num() * c->columns, NULL);
    for (int64_t i = 0; i < a->rows; i++)
        known->begin[i + 1] += known->begin[i];
    const enum cgs_status status =
        cgs_alloc(context, known->begin[a->rows], sizeof *known->step, what, (void **)&known->step);
    if (status == CGS_OK) {
#pragma omp parallel for schedule(dynamic, ROWS) num_threads(threads)
        for (int64_t i = 0; i < a->rows; i++)
            list_row(a, b, c, i, at + omp_get_thread_num() * c->columns,
                     known->step + known->begin[i]);
    }
    cgs_free(context, at);
    return status;
}

void cgs_spgemm_known_release(struct cgs_context *context, struct cgs_spgemm_known *known)
{
    cgs_free(context, known->step);
    cgs_free(context, known->begin);
    *known = (struct cgs_spgemm_known){0};
}

/* ---- numbers ---- */

/* Adds factor times the next numbers to the octet, where bits say so. */
typedef void add_octet(double factor, const double *number, unsigned bits, double *sum);

/* Writes rows first ... last - 1. */
CGS_PIECE void multiply_rows(const struct cgs_spgemm_known *known, const struct cgs_sparse *a,
                             const struct cgs_sparse *b, const struct cgs_sparse *c, int64_t first,
                             int64_t last, add_octet *add)
{
    double sum[CGS_KNOWN_LONGEST] __attribute__((aligned(CGS_ALIGNMENT)));
    const uint16_t *restrict step = known->step;
    const double *restrict factor = a->value, *restrict number = b->value;
    for (int64_t i = first; i < last; i++) {
        const size_t bytes = (size_t)(c->pointers[i + 1] - c->pointers[i]) * sizeof *sum;
        int64_t e = a->pointers[i] - 1, f = 0;
        memset(sum, 0, (bytes + CGS_ALIGNMENT - 1) / CGS_ALIGNMENT * CGS_ALIGNMENT);
        for (int64_t q = known->begin[i]; q < known->begin[i + 1]; q++) {
            const unsigned now = step[q], bits = now % FIRST;
            e += now / FIRST % 2;
            f = now / FIRST % 2 ? b->pointers[a->column[e]] : f;
            add(factor[e], number + f, bits, sum + (now >> SHIFT) * OCTET);
            f += __builtin_popcount(bits);
        }
        memcpy((double *)c->value + c->pointers[i], sum, bytes);
    }
}

CGS_PIECE void add_bits(double factor, const double *number, unsigned bits, double *sum)
{
    for (; bits; bits &= bits - 1)
        sum[__builtin_ctz(bits)] += factor * *number++;
}

CGS_CLONES static void multiply_plain(const struct cgs_spgemm_known *known,
                                      const struct cgs_sparse *a, const struct cgs_sparse *b,
                                      const struct cgs_sparse *c, int64_t first, int64_t last)
{
    multiply_rows(known, a, b, c, first, last, add_bits);
}

#if defined(__x86_64__) && defined(__GNUC__)
#define TARGET __attribute__((target("avx512f,popcnt")))

CGS_PIECE TARGET void add_avx512(double factor, const double *number, unsigned bits, double *sum)
{
    const __m512d next = _mm512_maskz_expandloadu_pd((__mmask8)bits, number);
    const __m512d all = _mm512_load_pd(sum);
    const __m512d product = _mm512_mul_pd(_mm512_set1_pd(factor), next);
    _mm512_store_pd(sum, _mm512_mask_add_pd(all, (__mmask8)bits, all, product));
}

TARGET static void multiply_avx512(const struct cgs_spgemm_known *known, const struct cgs_sparse *a,
                                   const struct cgs_sparse *b, const struct cgs_sparse *c,
                                   int64_t first, int64_t last)
{
    multiply_rows(known, a, b, c, first, last, add_avx512);
}

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("popcnt");
}
#else
#define multiply_avx512 multiply_plain

static bool has_avx512(void)
{
    return false;
}
#endif

void cgs_spgemm_known_multiply(const struct cgs_spgemm_known *known, int threads,
                               const struct cgs_sparse *a, const struct cgs_sparse *b,
                               const struct cgs_sparse *c)
{
    const bool wide = has_avx512();
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int64_t first = 0; first < a->rows; first += ROWS) {
        const int64_t last = first + ROWS < a->rows ? first + ROWS : a->rows;
        (wide ? multiply_avx512 : multiply_plain)(known, a, b, c, first, last);
    }
}
