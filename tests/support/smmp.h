/* Products of sparse matrices by a textbook: what kernels of kernels/spgemm.h are held against, in
 * tests and in benches. SMMP: R. E. Bank and C. C. Douglas, Adv. Comput. Math. 1 (1993) 127-137.
 *
 *     symbolic    row by row, columns met are chained: next[j] is the one met before j
 *     numeric     row by row, products are added in a dense row, which is read out and cleared
 *     transpose   by counting; twice: columns ascend
 *
 * Serial. Define SMMP_NUMBER, the number type of the values, before this file is included.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* Row i has entries start[i] ... start[i + 1] - 1. */
struct smmp {
    int64_t rows, columns;
    int64_t *start;
    int32_t *column;
    SMMP_NUMBER *value;
};

static inline void smmp_free(struct smmp *m)
{
    free(m->start);
    free(m->column);
    free(m->value);
    *m = (struct smmp){0};
}

/* The structure of row i of A B behind `entries` columns, which grow by doubling. Returns the new
 * number of columns, -1 where there is no memory. next: all -1, before and after. */
static inline int64_t smmp_row(const struct smmp *a, const struct smmp *b, int64_t i,
                               int64_t entries, int64_t *room, int32_t *next, int32_t **column)
{
    int32_t last = -2, length = 0;
    for (int64_t e = a->start[i]; e < a->start[i + 1]; e++)
        for (int64_t f = b->start[a->column[e]]; f < b->start[a->column[e] + 1]; f++) {
            const int32_t j = b->column[f];
            if (next[j] != -1)
                continue;
            next[j] = last;
            last = j;
            length++;
        }
    if (entries + length > *room) {
        *room = 2 * (entries + length);
        int32_t *grown = realloc(*column, (size_t)*room * sizeof *grown);
        if (!grown)
            return -1;
        *column = grown;
    }
    for (; length > 0; length--) {
        const int32_t j = last;
        (*column)[entries++] = j;
        last = next[j];
        next[j] = -1;
    }
    return entries;
}

/* Rows and columns of C; false where there is no memory. *c holds what there is of it. */
static inline bool smmp_symbolic(const struct smmp *a, const struct smmp *b, struct smmp *c)
{
    const size_t columns = (size_t)b->columns;
    int64_t room = 1 + a->start[a->rows], entries = 0;
    int32_t *next = malloc((columns + 1) * sizeof *next);
    *c = (struct smmp){.rows = a->rows, .columns = b->columns};
    c->start = malloc((size_t)(a->rows + 1) * sizeof *c->start);
    c->column = malloc((size_t)room * sizeof *c->column);
    bool fine = next && c->start && c->column;
    for (size_t j = 0; fine && j < columns; j++)
        next[j] = -1;
    for (int64_t i = 0; fine && i < a->rows; i++) {
        c->start[i] = entries;
        entries = smmp_row(a, b, i, entries, &room, next, &c->column);
        fine = entries >= 0;
    }
    if (fine)
        c->start[a->rows] = entries;
    free(next);
    return fine;
}

static inline bool smmp_numeric(const struct smmp *a, const struct smmp *b, struct smmp *c)
{
    SMMP_NUMBER *sum = calloc((size_t)b->columns + 1, sizeof *sum);
    c->value = malloc((size_t)(c->start[c->rows] + 1) * sizeof *c->value);
    for (int64_t i = 0; sum && c->value && i < a->rows; i++) {
        for (int64_t e = a->start[i]; e < a->start[i + 1]; e++)
            for (int64_t f = b->start[a->column[e]]; f < b->start[a->column[e] + 1]; f++)
                sum[b->column[f]] += a->value[e] * b->value[f];
        for (int64_t e = c->start[i]; e < c->start[i + 1]; e++) {
            c->value[e] = sum[c->column[e]];
            sum[c->column[e]] = 0;
        }
    }
    const bool fine = sum && c->value;
    free(sum);
    return fine;
}

/* C = A B, columns of a row in any order. */
static inline bool smmp_multiply(const struct smmp *a, const struct smmp *b, struct smmp *c)
{
    if (smmp_symbolic(a, b, c) && smmp_numeric(a, b, c))
        return true;
    smmp_free(c);
    return false;
}

/* T = M', columns ascending. */
static inline bool smmp_transpose(const struct smmp *m, struct smmp *t)
{
    const int64_t entries = m->start[m->rows] - m->start[0];
    *t = (struct smmp){.rows = m->columns, .columns = m->rows};
    t->start = calloc((size_t)t->rows + 2, sizeof *t->start);
    t->column = malloc((size_t)(entries + 1) * sizeof *t->column);
    t->value = malloc((size_t)(entries + 1) * sizeof *t->value);
    if (!t->start || !t->column || !t->value) {
        smmp_free(t);
        return false;
    }
    int64_t *at = t->start + 1; /* row j's next place, the next row's first in the end */
    for (int64_t e = m->start[0]; e < m->start[m->rows]; e++)
        at[m->column[e] + 1]++;
    for (int64_t j = 0; j < t->rows; j++)
        at[j + 1] += at[j];
    for (int64_t i = 0; i < m->rows; i++)
        for (int64_t e = m->start[i]; e < m->start[i + 1]; e++) {
            const int64_t slot = at[m->column[e]]++;
            t->column[slot] = (int32_t)i;
            t->value[slot] = m->value[e];
        }
    return true;
}

/* Columns of each row ascend from now on. */
static inline bool smmp_sort(struct smmp *m)
{
    struct smmp turned, back;
    if (!smmp_transpose(m, &turned))
        return false;
    const bool fine = smmp_transpose(&turned, &back);
    smmp_free(&turned);
    if (fine) {
        smmp_free(m);
        *m = back;
    }
    return fine;
}
