#include "kernels/spgemm/known.h"

#include <string.h>
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

#include "base/memory.h"
#include "base/plan.h"
#include "base/vectorise.h"

/* Rows that a thread takes at once. */
enum { ROWS = 256 };

static const char what[] = "steps of products";

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

/* Lists the steps of row i; at: of C's columns. Returns their number. */
CGS_PIECE int64_t list_row(const struct cgs_sparse *a, const struct cgs_sparse *b,
                           const struct cgs_sparse *c, int64_t i, uint16_t *restrict at,
                           uint16_t *restrict step)
{
    const int32_t *column = c->column + c->pointers[i];
    int64_t count = 0;
    for (int64_t q = 0; q < c->pointers[i + 1] - c->pointers[i]; q++)
        at[column[q]] = (uint16_t)q;
    for (int64_t e = a->pointers[i]; e < a->pointers[i + 1]; e++) {
        const int64_t from = b->pointers[a->column[e]];
        const int64_t length = b->pointers[a->column[e] + 1] - from;
        const int32_t *restrict wanted = b->column + from;
        unsigned now = (length > 0 ? at[wanted[0]] / OCTET : 0u) << SHIFT | FIRST;
        for (int64_t f = 0; f < length; f++) {
            const unsigned place = at[wanted[f]];
            const bool same = place / OCTET == now >> SHIFT;
            step[count] = (uint16_t)now;
            count += !same;
            now = (same ? now : place / OCTET << SHIFT) | 1u << place % OCTET;
        }
        step[count++] = (uint16_t)now;
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

/* The first row of a thread. */
static int64_t first_of(int64_t rows, int thread, int threads)
{
    return rows / threads * thread + rows % threads * thread / threads;
}

/* Steps that are being listed. */
struct listing {
    const struct cgs_sparse *a, *b, *c;
    int threads;
    uint16_t *at;  /* threads x columns of C */
    int64_t *room; /* threads + 1: the first step that each has room for */
};

/* Lists the steps of a thread's rows in its room; begin[i + 1] becomes the number of those up to
 * row i. */
static void list_part(const struct listing *list, int thread, const struct cgs_spgemm_known *known)
{
    const int64_t rows = list->a->rows, last = first_of(rows, thread + 1, list->threads);
    uint16_t *at = list->at + thread * list->c->columns, *step = known->step + list->room[thread];
    int64_t count = 0;
    for (int64_t i = first_of(rows, thread, list->threads); i < last; i++) {
        count += list_row(list->a, list->b, list->c, i, at, step + count);
        known->begin[i + 1] = count;
    }
}

/* Moves the threads' steps together. Returns their number. */
static int64_t join(const struct listing *list, const struct cgs_spgemm_known *known)
{
    int64_t count = 0;
    for (int t = 0; t < list->threads; t++) {
        const int64_t first = first_of(list->a->rows, t, list->threads),
                      last = first_of(list->a->rows, t + 1, list->threads),
                      steps = last > first ? known->begin[last] : 0;
        memmove(known->step + count, known->step + list->room[t],
                (size_t)steps * sizeof *known->step);
        for (int64_t i = first; i < last; i++)
            known->begin[i + 1] += count;
        count += steps;
    }
    return count;
}

/* Reserves room: a row has at most as many steps as products and entries of A. */
static enum cgs_status take_room(struct cgs_context *context, struct listing *list,
                                 struct cgs_spgemm_known *known)
{
    const struct cgs_sparse *a = list->a;
    int64_t *begin = known->begin;
    CGS_TRY(cgs_alloc(context, cgs_bytes(list->c->columns, list->threads), sizeof *list->at, what,
                      (void **)&list->at));
    CGS_TRY(cgs_alloc(context, list->threads + 1, sizeof *list->room, what, (void **)&list->room));
    begin[0] = 0;
#pragma omp parallel for schedule(static) num_threads(list->threads)
    for (int64_t i = 0; i < a->rows; i++)
        begin[i + 1] = products_of(a, list->b, i) + a->pointers[i + 1] - a->pointers[i];
    for (int64_t i = 0; i < a->rows; i++)
        begin[i + 1] += begin[i];
    for (int t = 0; t <= list->threads; t++)
        list->room[t] = begin[first_of(a->rows, t, list->threads)];
    known->step = cgs_room(context, begin[a->rows] + 1, sizeof *known->step);
    return known->step ? CGS_OK
                       : cgs_fail(context, CGS_MEMORY, "%s: %.1f GB could not be reserved", what,
                                  2e-9 * (double)begin[a->rows]);
}

enum cgs_status cgs_spgemm_known_create(struct cgs_context *context, const struct cgs_sparse *a,
                                        const struct cgs_sparse *b, const struct cgs_sparse *c,
                                        struct cgs_spgemm_known *known)
{
    struct listing list = {.a = a, .b = b, .c = c, .threads = context->threads};
    *known = (struct cgs_spgemm_known){0};
    if (!fits(c))
        return CGS_OK;
    CGS_TRY(cgs_alloc(context, a->rows + 1, sizeof *known->begin, what, (void **)&known->begin));
    enum cgs_status status = take_room(context, &list, known);
    if (status == CGS_OK) {
#pragma omp parallel for schedule(static, 1) num_threads(list.threads)
        for (int t = 0; t < list.threads; t++)
            list_part(&list, t, known);
        status = cgs_settle(context, join(&list, known), sizeof *known->step, what,
                            (void **)&known->step);
    }
    cgs_free(context, list.room);
    cgs_free(context, list.at);
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
