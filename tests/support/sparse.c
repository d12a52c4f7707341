/* Matrices in plain arrays, their way to a device and back. */
#include "tests/support/sparse.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "matrix/crs.h"
#include "matrix/layout.h"
#include "matrix/random.h"

static int64_t length_of(enum lengths lengths, int64_t rows, int64_t columns, int64_t i)
{
    int64_t length = 0;
    switch (lengths) {
    case NO_ENTRIES:
        break;
    case FULL_COLUMN:
    case THREE:
        length = 3;
        break;
    case UP_TO_NINE:
        length = (int64_t)(cgs_splitmix64((uint64_t)(7 * i + 1)) % 10);
        break;
    case THIRDS:
        length = i % 3 == 1 ? 5 : 0;
        break;
    case FULL_ROW:
        length = i == rows / 2 ? columns : 2;
        break;
    case ALL:
        length = columns;
        break;
    case HALVING:
        length = columns / (i + 1) < 3000 ? columns / (i + 1) : 3000;
        break;
    }
    return length < columns ? length : columns;
}

static double rounded_to(enum cgs_number number, double x)
{
    return number == CGS_F32 ? (double)(float)x : x;
}

struct smmp smmp_make(int64_t rows, int64_t columns, enum lengths lengths, enum cgs_number number,
                      uint64_t seed)
{
    struct smmp m = {.rows = rows, .columns = columns};
    int64_t at = 0;
    m.start = must_have((size_t)(rows + 1) * sizeof *m.start);
    for (int64_t i = 0; i < rows; i++)
        m.start[i + 1] = m.start[i] + length_of(lengths, rows, columns, i);
    m.column = must_have((size_t)m.start[rows] * sizeof *m.column);
    m.value = must_have((size_t)m.start[rows] * sizeof *m.value);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0, length = m.start[i + 1] - m.start[i]; k < length; k++, at++) {
            const uint64_t bits = cgs_splitmix64((seed << 32) + (uint64_t)at);
            const int64_t first = k * columns / length, last = (k + 1) * columns / length;
            const int64_t j = first + (int64_t)(bits % (uint64_t)(last - first));
            m.column[at] = (int32_t)(lengths == FULL_COLUMN && k == 0 ? 0 : j);
            m.value[at] = rounded_to(number, cgs_random(bits));
        }
    return m;
}

struct smmp smmp_band(int64_t rows, int64_t columns, int64_t reach, int64_t every,
                      enum cgs_number number, uint64_t seed)
{
    struct smmp m = {.rows = rows, .columns = columns};
    const size_t most = (size_t)(rows * (2 * reach + 1));
    int64_t at = 0;
    m.start = must_have((size_t)(rows + 1) * sizeof *m.start);
    m.column = must_have(most * sizeof *m.column);
    m.value = must_have(most * sizeof *m.value);
    for (int64_t i = 0; i < rows; i++) {
        const int64_t step = every > 0 && i % every == 0 ? 2 : 1;
        for (int64_t j = i - reach; j <= i + reach; j += step) {
            if (j < 0 || j >= columns)
                continue;
            m.column[at] = (int32_t)j;
            m.value[at] =
                rounded_to(number, cgs_random(cgs_splitmix64((seed << 32) + (uint64_t)at)));
            at++;
        }
        m.start[i + 1] = at;
    }
    return m;
}

static struct plain plain_of(const struct smmp *m)
{
    return (struct plain){m->rows, m->columns, m->start, m->column, m->value};
}

struct smmp smmp_of(struct plain *plain, enum cgs_number number)
{
    const struct smmp m = {plain->rows, plain->columns, plain->start, plain->column, plain->value};
    for (int64_t e = 0; e < m.start[m.rows]; e++)
        m.value[e] = rounded_to(number, m.value[e]);
    free(plain);
    return m;
}

struct smmp smmp_random(int64_t n, double density, bool powerlaw, enum cgs_number number)
{
    struct cgs_crs crs;
    must(cgs_random_create(&bed.context, n, density, powerlaw, &crs));
    const size_t entries = (size_t)crs.pointers[n];
    struct smmp m = {.rows = n,
                     .columns = n,
                     .start = must_have((size_t)(n + 1) * sizeof *m.start),
                     .column = must_have(entries * sizeof *m.column),
                     .value = must_have(entries * sizeof *m.value)};
    memcpy(m.start, crs.pointers, (size_t)(n + 1) * sizeof *m.start);
    memcpy(m.column, crs.column, entries * sizeof *m.column);
    for (size_t e = 0; e < entries; e++)
        m.value[e] = rounded_to(number, crs.value[e]);
    cgs_crs_release(&bed.context, &crs);
    return m;
}

struct cgs_sparse sparse_send(const struct smmp *m, enum cgs_number number)
{
    const struct plain plain = plain_of(m);
    const struct cgs_row_source source = plain_source(&plain);
    struct cgs_matrix matrix;
    struct cgs_sparse sent;
    must(cgs_matrix_create(&bed.context, &source, CGS_CRS, 1, 1, &matrix));
    must(bed.backend->sparse[number]->generate(bed.queue, &matrix, &sent));
    cgs_matrix_release(&bed.context, &matrix);
    ck_assert_int_eq(sent.rows, m->rows);
    ck_assert_int_eq(sent.columns, m->columns);
    ck_assert_int_eq(sent.nonzeros, m->start[m->rows]);
    return sent;
}

static int by_column(const void *one, const void *other)
{
    const int64_t difference = *(const int64_t *)one - *(const int64_t *)other;
    return (difference > 0) - (difference < 0);
}

void crs_order(struct cgs_crs *crs)
{
    for (int64_t i = 0; i < crs->rows; i++) {
        const int64_t first = crs->pointers[i], length = crs->pointers[i + 1] - first;
        struct {
            int64_t column;
            double value;
        } *row = must_have((size_t)length * sizeof *row);
        for (int64_t e = 0; e < length; e++) {
            row[e].column = crs->column[first + e];
            row[e].value = crs->value[first + e];
        }
        qsort(row, (size_t)length, sizeof *row, by_column);
        for (int64_t e = 0; e < length; e++) {
            crs->column[first + e] = (int32_t)row[e].column;
            crs->value[first + e] = row[e].value;
        }
        free(row);
    }
}

struct cgs_crs sparse_fetch(const struct cgs_sparse *m, enum cgs_number number)
{
    struct cgs_crs crs;
    must(bed.backend->sparse[number]->fetch(bed.queue, m, &crs));
    ck_assert_int_eq(crs.rows, m->rows);
    ck_assert_int_eq(crs.columns, m->columns);
    ck_assert_int_eq(crs.pointers[0], 0);
    ck_assert_int_eq(crs.pointers[crs.rows], m->nonzeros);
    return crs;
}

void crs_compare(const char *words, const struct cgs_crs *got, const struct smmp *right,
                 int64_t first, double tolerance, const double *bound)
{
    const int64_t origin = right->start[first];
    ck_assert_int_eq(got->columns, right->columns);
    for (int64_t i = 0; i < got->rows; i++) {
        if (got->pointers[i + 1] != right->start[first + i + 1] - origin)
            ck_abort_msg("%s: row %lld ends at %lld, should at %lld", words, (long long)i,
                         (long long)got->pointers[i + 1],
                         (long long)(right->start[first + i + 1] - origin));
        for (int64_t e = got->pointers[i]; e < got->pointers[i + 1]; e++) {
            const int64_t r = origin + e;
            if (got->column[e] != right->column[r])
                ck_abort_msg("%s: entry %lld of row %lld is column %d, should be %d", words,
                             (long long)(e - got->pointers[i]), (long long)i, got->column[e],
                             right->column[r]);
            if (!(fabs(got->value[e] - right->value[r]) <= (bound ? tolerance * bound[r] : 0.0)))
                ck_abort_msg("%s: (%lld, %d) is %.17g, should be %.17g", words, (long long)i,
                             got->column[e], got->value[e], right->value[r]);
        }
    }
}

void crs_same_bits(const char *words, const struct cgs_crs *one, const struct cgs_crs *other)
{
    const size_t entries = (size_t)one->pointers[one->rows];
    const size_t rows = (size_t)one->rows;
    ck_assert_msg(one->rows == other->rows &&
                      memcmp(one->pointers, other->pointers, (rows + 1) * sizeof(int64_t)) == 0 &&
                      memcmp(one->column, other->column, entries * sizeof(int32_t)) == 0 &&
                      memcmp(one->value, other->value, entries * sizeof(double)) == 0,
                  "%s: other bits", words);
}

struct cgs_sparse sparse_rows(const struct cgs_sparse *m, enum cgs_number number, int64_t first,
                              int64_t last)
{
    struct cgs_sparse slab = *m;
    int64_t bounds[2];
    slab.rows = last - first;
    slab.pointers += first;
    must(bed.backend->sparse[number]->bounds(bed.queue, slab.pointers, slab.rows, bounds));
    slab.nonzeros = bounds[1] - bounds[0];
    return slab;
}
