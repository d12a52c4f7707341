/* A row of C = A B with few products, columns ascending: all in one vector, each compared with all,
 * without an array as long as B has columns.
 *
 *     products of the row    70  3  5 70 200      in the order of k
 *     smaller columns         2  0  1  2   4      the place, if no column occurs twice: a sum tells
 *     again                   -  -  -  *   -      else repeated columns do not count,
 *     place                   2  0  1  2   3      and are added to the entry of the first
 */
#pragma once

#include <string.h>

#include "kernels/precision.h"
#include "kernels/spgemm/row_bits.h"

/* Columns compared at once. */
enum { CGS_LANES = 16 };

typedef int32_t lanes __attribute__((vector_size(CGS_LANES * sizeof(int32_t))));

/* Number of column[0 ... count - 1] smaller than each of `mine`; four a step, with INT32_MAX after
 * the last. */
CGS_PIECE lanes smaller_columns(const int32_t *column, int64_t count, lanes mine)
{
    lanes smaller = {0};
    for (int64_t q = 0; q < count; q += 4)
        for (int64_t p = q; p < q + 4; p++)
            smaller -= (lanes){0} + column[p] < mine;
    return smaller;
}

/* Writes INT32_MAX, larger than any column, after `count` columns. */
CGS_PIECE void close_columns(int32_t *column, int64_t count)
{
    const lanes none = (lanes){0} + INT32_MAX;
    memcpy(column + count, &none, sizeof none);
}

CGS_PIECE int64_t sum_of(lanes numbers)
{
    int32_t each[CGS_LANES];
    int64_t sum = 0;
    memcpy(each, &numbers, sizeof each);
    for (int p = 0; p < CGS_LANES; p++)
        sum += each[p];
    return sum;
}

/* Lists columns and values of the products; returns their number. Four a step, needed or not: a
 * branch for each would be mispredicted too often. */
CGS_PIECE int64_t list_products(const struct cgs_sparse *a, const struct cgs_sparse *b, int64_t i,
                                int32_t column[2 * CGS_LANES], real number[2 * CGS_LANES])
{
    const real *from_a = a->value, *from_b = b->value;
    const int64_t end_b = b->pointers[b->rows];
    int64_t products = 0;
    for (int64_t e = a->pointers[i], end = a->pointers[i + 1]; e < end; e++) {
        const real factor = from_a[e];
        const int64_t first = b->pointers[a->column[e]];
        const int64_t length = b->pointers[a->column[e] + 1] - first;
        int64_t q = 0;
        ask_ahead(a, b, e, sizeof(real));
        if (first + 4 <= end_b)
            for (; q < 4; q++) {
                column[products + q] = b->column[first + q];
                number[products + q] = factor * from_b[first + q];
            }
        for (; q < length; q++) {
            column[products + q] = b->column[first + q];
            number[products + q] = factor * from_b[first + q];
        }
        products += length;
    }
    return products;
}

/* Handles a row with repeated columns. Returns the row's entries. */
CGS_PIECE int64_t add_again(int64_t products, const int32_t met[CGS_LANES],
                            const real number[CGS_LANES], int32_t *restrict column,
                            real *restrict sum)
{
    lanes mine, again = {0}, lane;
    int32_t first[CGS_LANES], place[CGS_LANES];
    for (int p = 0; p < CGS_LANES; p++)
        first[p] = p;
    memcpy(&lane, first, sizeof lane);
    memcpy(&mine, met, sizeof mine);
    for (int32_t q = 0; q < products; q++)
        again |= ((lanes){0} + met[q] == mine) & ((lanes){0} + q < lane);
    const lanes once = (again & INT32_MAX) | (~again & mine);
    memcpy(first, &once, sizeof first);
    const lanes smaller = smaller_columns(first, products, mine);
    memcpy(place, &smaller, sizeof place);
    int64_t entries = 0;
    for (int64_t p = 0; p < products; p++) {
        const bool had = first[p] == INT32_MAX;
        column[place[p]] = met[p];
        sum[place[p]] = (had ? sum[place[p]] : 0) + number[p];
        entries += !had;
    }
    return entries;
}

/* Handles one or two different columns, without waiting for a vector store. */
CGS_PIECE int64_t order_pair(int64_t products, const int32_t met[2], const real number[2],
                             int32_t *restrict column, real *restrict sum)
{
    const bool turned = products == 2 && met[1] < met[0];
    column[0] = met[turned];
    sum[0] = number[turned];
    if (products == 2) {
        column[1] = met[!turned];
        sum[1] = number[!turned];
    }
    return products;
}

/* Handles at most CGS_LANES products. Returns the row's entries. */
CGS_PIECE int64_t make_row_of_few(const struct cgs_sparse *a, const struct cgs_sparse *b, int64_t i,
                                  int32_t *restrict column, real *restrict sum)
{
    lanes mine;
    int32_t met[2 * CGS_LANES], place[CGS_LANES];
    real number[2 * CGS_LANES];
    const int64_t products = list_products(a, b, i, met, number);
    if (products == 1 || (products == 2 && met[0] != met[1]))
        return order_pair(products, met, number, column, sum);
    close_columns(met, products);
    memcpy(&mine, met, sizeof mine);
    const lanes smaller = smaller_columns(met, products, mine);
    /* 0 + 1 + ..., and all products for each lane without one. */
    if (2 * sum_of(smaller) != products * (2 * CGS_LANES - 1 - products))
        return add_again(products, met, number, column, sum);
    memcpy(place, &smaller, sizeof place);
    for (int64_t p = 0; p < products; p++) {
        column[place[p]] = met[p];
        sum[place[p]] = number[p];
    }
    return products;
}
