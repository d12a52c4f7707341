#include "matrix/fill.h"
#include "matrix/names.h"
#include "tests/support/layout.h"

#include <stdlib.h>
#include <string.h>

struct row {
    int32_t row, length;
};

static int longer_then_earlier(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->length != y->length)
        return x->length > y->length ? -1 : 1;
    return x->row < y->row ? -1 : 1;
}

int32_t *layout_order(int64_t rows, int64_t sigma, const int32_t *lengths)
{
    struct row *sorted = must_have((size_t)rows * sizeof *sorted);
    int32_t *order = must_have((size_t)rows * sizeof *order);
    for (int64_t i = 0; i < rows; i++)
        sorted[i] = (struct row){(int32_t)i, lengths[i]};
    for (int64_t first = 0; first < rows; first += sigma)
        qsort(sorted + first, (size_t)(sigma < rows - first ? sigma : rows - first), sizeof *sorted,
              longer_then_earlier);
    for (int64_t i = 0; i < rows; i++)
        order[i] = sorted[i].row;
    free(sorted);
    return order;
}

void layout_draw(const struct cgs_matrix *matrix, int64_t first, int64_t last,
                 enum cgs_number number, int32_t **columns, void **values)
{
    const size_t count = (size_t)(matrix->pointers[last] - matrix->pointers[first]);
    *columns = must_have(count * sizeof **columns);
    *values = must_have(count * (size_t)cgs_number_bytes(number));
    memset(*columns, 0x55, count * sizeof **columns);
    memset(*values, 0x55, count * (size_t)cgs_number_bytes(number));
    must(cgs_matrix_fill(&bed.context, matrix, first, last, number, *columns, *values));
}

void layout_is(const struct cgs_matrix *matrix, const int64_t *pointers, const int32_t *columns,
               const double *values)
{
    const size_t units = (size_t)matrix->units, stored = (size_t)pointers[units];
    int32_t *drawn_columns;
    void *drawn_values;
    ck_assert_mem_eq(matrix->pointers, pointers, (units + 1) * sizeof *pointers);
    layout_draw(matrix, 0, matrix->units, CGS_F64, &drawn_columns, &drawn_values);
    ck_assert_mem_eq(drawn_columns, columns, stored * sizeof *columns);
    ck_assert_mem_eq(drawn_values, values, stored * sizeof *values);
    free(drawn_columns);
    free(drawn_values);
}

/* Is this what the definition says? (No assertion an entry: each one would write to Check's pipe.)
 */
static bool entry_right(const struct plain *plain, int64_t row, int64_t slot, int32_t column,
                        double value, enum cgs_number number)
{
    const int64_t begin = row < plain->rows ? plain->start[row] : 0;
    const int64_t length = row < plain->rows ? plain->start[row + 1] - begin : 0;
    if (slot < length) {
        const double right = plain->value[begin + slot];
        return column == plain->column[begin + slot] &&
               value == (number == CGS_F32 ? (double)(float)right : right);
    }
    const int64_t padding = length > 0             ? plain->column[begin]
                            : row < plain->columns ? row
                                                   : plain->columns - 1;
    return column == padding && value == 0.0;
}

/* Entries of all chunks when the rows stand in this order, which of them begin where in pointers
 * (NULL: not looked at). */
static int64_t check_widths(const struct cgs_matrix *matrix, const int32_t *order,
                            const int32_t *lengths, const int64_t *pointers)
{
    int64_t stored = 0;
    for (int64_t begin = 0; begin < matrix->rows; begin += matrix->chunk) {
        int64_t width = 0;
        for (int64_t i = begin; i < begin + matrix->chunk && i < matrix->rows; i++)
            width = lengths[order[i]] > width ? lengths[order[i]] : width;
        if (pointers && pointers[begin / matrix->chunk] != stored)
            ck_abort_msg("C = %d, sigma = %d: chunk %lld begins at %lld, not at %lld",
                         matrix->chunk, matrix->sigma, (long long)(begin / matrix->chunk),
                         (long long)pointers[begin / matrix->chunk], (long long)stored);
        stored += width * matrix->chunk;
    }
    return stored;
}

static void check_entries(const struct plain *plain, const struct cgs_matrix *matrix,
                          const int32_t *order, enum cgs_number number)
{
    const int64_t chunk = matrix->chunk;
    int32_t *columns;
    void *values;
    layout_draw(matrix, 0, matrix->units, number, &columns, &values);
    for (int64_t unit = 0; unit < matrix->units; unit++)
        for (int64_t k = matrix->pointers[unit]; k < matrix->pointers[unit + 1]; k++) {
            const int64_t in_chunk = k - matrix->pointers[unit];
            const int64_t place = unit * chunk + in_chunk % chunk, slot = in_chunk / chunk;
            const int64_t row = place < plain->rows ? order[place] : place;
            const double value =
                number == CGS_F32 ? (double)((float *)values)[k] : ((double *)values)[k];
            if (!entry_right(plain, row, slot, columns[k], value, number))
                ck_abort_msg("C = %d, sigma = %d, row %lld, slot %lld: column %d, value %g",
                             matrix->chunk, matrix->sigma, (long long)row, (long long)slot,
                             columns[k], value);
        }
    free(columns);
    free(values);
}

void layout_check(const struct plain *plain, const struct cgs_matrix *matrix,
                  enum cgs_number number)
{
    int32_t *lengths = must_have((size_t)plain->rows * sizeof *lengths);
    for (int64_t i = 0; i < plain->rows; i++)
        lengths[i] = (int32_t)(plain->start[i + 1] - plain->start[i]);
    int32_t *natural = layout_order(plain->rows, 1, lengths);
    int32_t *order = layout_order(plain->rows, matrix->sigma, lengths);
    ck_assert_int_eq(matrix->permutation != NULL, matrix->sigma > 1);
    if (matrix->permutation)
        ck_assert_msg(memcmp(matrix->permutation, order, (size_t)plain->rows * sizeof *order) == 0,
                      "C = %d, sigma = %d: not in order", matrix->chunk, matrix->sigma);
    ck_assert_int_eq(matrix->stored, check_widths(matrix, order, lengths, matrix->pointers));
    ck_assert_int_eq(matrix->stored, matrix->pointers[matrix->units]);
    ck_assert_int_eq(matrix->unsorted, check_widths(matrix, natural, lengths, NULL));
    ck_assert_int_eq(matrix->nonzeros, plain->start[plain->rows]);
    check_entries(plain, matrix, order, number);
    free(lengths);
    free(natural);
    free(order);
}
