#include "kernels/spgemm/known.h"

#include <omp.h>
#include <string.h>

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

/* ---- places ---- */

/* Lists the places of row i; at: of C's columns. */
static void list_row(const struct cgs_sparse *a, const struct cgs_sparse *b,
                     const struct cgs_sparse *c, int64_t i, uint16_t *restrict at,
                     uint16_t *restrict place)
{
    const int32_t *column = c->column + c->pointers[i];
    for (int64_t q = 0; q < c->pointers[i + 1] - c->pointers[i]; q++)
        at[column[q]] = (uint16_t)q;
    for (int64_t e = a->pointers[i]; e < a->pointers[i + 1]; e++) {
        const int32_t k = a->column[e];
        for (int64_t f = b->pointers[k]; f < b->pointers[k + 1]; f++)
            *place++ = at[b->column[f]];
    }
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
    const char *what = "places of products";
    const int threads = context->threads;
    uint16_t *at;
    *known = (struct cgs_spgemm_known){0};
    if (!fits(c))
        return CGS_OK;
    CGS_TRY(cgs_alloc(context, a->rows + 1, sizeof *known->begin, what, (void **)&known->begin));
    known->begin[0] = 0;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t i = 0; i < a->rows; i++)
        known->begin[i + 1] = products_of(a, b, i);
    for (int64_t i = 0; i < a->rows; i++)
        known->begin[i + 1] += known->begin[i];
    CGS_TRY(cgs_alloc(context, known->begin[a->rows], sizeof *known->place, what,
                      (void **)&known->place));
    CGS_TRY(cgs_alloc(context, cgs_bytes(c->columns, threads), sizeof *at, what, (void **)&at));
#pragma omp parallel for schedule(dynamic, ROWS) num_threads(threads)
    for (int64_t i = 0; i < a->rows; i++)
        list_row(a, b, c, i, at + omp_get_thread_num() * c->columns,
                 known->place + known->begin[i]);
    cgs_free(context, at);
    return CGS_OK;
}

void cgs_spgemm_known_release(struct cgs_context *context, struct cgs_spgemm_known *known)
{
    cgs_free(context, known->place);
    cgs_free(context, known->begin);
    *known = (struct cgs_spgemm_known){0};
}

/* ---- numbers ---- */

/* Adds factor times the numbers of a row of B. */
CGS_PIECE void add(double factor, const double *restrict number, int64_t length,
                   const uint16_t *restrict place, double *restrict sum)
{
    for (int64_t f = 0; f < length; f++)
        sum[place[f]] += factor * number[f];
}

/* Writes rows first ... last - 1. */
CGS_CLONES static void multiply_rows(const struct cgs_spgemm_known *known,
                                     const struct cgs_sparse *a, const struct cgs_sparse *b,
                                     const struct cgs_sparse *c, int64_t first, int64_t last)
{
    const uint16_t *restrict place = known->place + known->begin[first];
    const double *restrict factor = a->value, *restrict number = b->value;
    const int64_t *restrict rows = a->pointers, *restrict begin = b->pointers;
    const int32_t *restrict column = a->column;
    for (int64_t i = first; i < last; i++) {
        double *restrict sum = (double *)c->value + c->pointers[i];
        memset(sum, 0, (size_t)(c->pointers[i + 1] - c->pointers[i]) * sizeof *sum);
        for (int64_t e = rows[i]; e < rows[i + 1]; e++) {
            const int64_t from = begin[column[e]], length = begin[column[e] + 1] - from;
            add(factor[e], number + from, length, place, sum);
            place += length;
        }
    }
}

void cgs_spgemm_known_multiply(const struct cgs_spgemm_known *known, int threads,
                               const struct cgs_sparse *a, const struct cgs_sparse *b,
                               const struct cgs_sparse *c)
{
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int64_t first = 0; first < a->rows; first += ROWS)
        multiply_rows(known, a, b, c, first, first + ROWS < a->rows ? first + ROWS : a->rows);
}
