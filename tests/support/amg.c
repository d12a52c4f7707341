/* Symmetric matrices for tests of algebraic multigrid, and aggregates in plain words. */
#include "tests/support/amg.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "kernels/amg/rules.h"

/* ---- symmetric matrices ---- */

enum sums { ZERO_SUMS, ANY_SUMS };

static const struct {
    const char *name;
    int64_t n;
    enum lengths lengths;
    enum sums sums;
} shapes[] = {
    {"0 x 0", 0, ALL, ANY_SUMS},
    {"1 x 1", 1, NO_ENTRIES, ANY_SUMS},
    {"2 x 2", 2, ALL, ZERO_SUMS},
    {"diagonal", 300, NO_ENTRIES, ANY_SUMS},
    {"dense", 65, ALL, ZERO_SUMS},
    {"dense, any sums", 200, ALL, ANY_SUMS},
    {"three a row", 1000, THREE, ZERO_SUMS},
    {"up to nine a row", CHECK_SMALL ? 1000 : 3000, UP_TO_NINE, ANY_SUMS},
    {"many rows alone", CHECK_SMALL ? 1000 : 2000, THIRDS, ZERO_SUMS},
    {"a dense row", CHECK_SMALL ? 1501 : 3001, FULL_ROW, ZERO_SUMS},
    {"a dense row, any sums", 700, FULL_ROW, ANY_SUMS},
    {"a dense column", 900, FULL_COLUMN, ANY_SUMS},
    {"rows of all lengths", CHECK_SMALL ? 700 : 2000, HALVING, ZERO_SUMS},
    {"above many blocks", CHECK_SMALL ? 9000 : 70000, THREE, ZERO_SUMS},
};
static_assert(sizeof shapes / sizeof *shapes == AMG_Q1, "tests/support/amg.h counts them");

const char *amg_name(int kind)
{
    return kind == AMG_Q1 ? "Q1" : kind == AMG_PATH ? "path" : shapes[kind].name;
}

/* Row i of B + B' into column and value, with its diagonal; the number of entries. */
static int64_t symmetric_row(const struct smmp *b, const struct smmp *t, int64_t i, enum sums sums,
                             int32_t *column, double *value)
{
    int64_t e = b->start[i], f = t->start[i], at = 0, diagonal = -1;
    double sum = 0.0;
    for (;;) {
        const int64_t j = e < b->start[i + 1] ? b->column[e] : INT64_MAX;
        const int64_t k = f < t->start[i + 1] ? t->column[f] : INT64_MAX;
        const int64_t next = j < k ? j : k;
        double entry = 0.0;
        if (diagonal < 0 && next >= i) {
            diagonal = at;
            column[at++] = (int32_t)i;
        }
        if (next == INT64_MAX)
            break;
        if (j == next)
            entry += b->value[e++];
        if (k == next)
            entry += t->value[f++];
        if (next == i)
            continue;
        entry = sums == ZERO_SUMS ? -fabs(entry) : entry;
        sum += fabs(entry);
        column[at] = (int32_t)next;
        value[at++] = entry;
    }
    const double chance = cgs_random((uint64_t)i) + 1.5;
    value[diagonal] = sums == ZERO_SUMS && sum > 0.0 ? sum : chance;
    return at;
}

static struct smmp symmetric(int64_t n, enum lengths lengths, enum sums sums)
{
    struct smmp b = smmp_make(n, n, lengths, CGS_F64, 5), t, a = {.rows = n, .columns = n};
    ck_assert(smmp_transpose(&b, &t));
    const size_t room = (size_t)(2 * b.start[n] + n);
    a.start = must_have((size_t)(n + 1) * sizeof *a.start);
    a.column = must_have(room * sizeof *a.column);
    a.value = must_have(room * sizeof *a.value);
    for (int64_t i = 0; i < n; i++)
        a.start[i + 1] = a.start[i] + symmetric_row(&b, &t, i, sums, a.column + a.start[i],
                                                    a.value + a.start[i]);
    smmp_free(&b);
    smmp_free(&t);
    return a;
}

struct smmp amg_path(int64_t n)
{
    struct smmp a = {.rows = n, .columns = n};
    int64_t at = 0;
    a.start = must_have((size_t)(n + 1) * sizeof *a.start);
    a.column = must_have((size_t)(3 * n) * sizeof *a.column);
    a.value = must_have((size_t)(3 * n) * sizeof *a.value);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = i - 1; j <= i + 1; j++)
            if (j >= 0 && j < n) {
                a.column[at] = (int32_t)j;
                a.value[at++] = i == j ? 2.0 : -1.0;
            }
        a.start[i + 1] = at;
    }
    return a;
}

struct smmp amg_matrix(int kind)
{
    if (kind == AMG_Q1)
        return smmp_of(plain_q1(AMG_Q1_SIDE), CGS_F64);
    return kind == AMG_PATH ? amg_path(CHECK_SMALL ? 3000 : 20000)
                            : symmetric(shapes[kind].n, shapes[kind].lengths, shapes[kind].sums);
}

/* ---- in plain words ---- */

double amg_diagonal(const struct smmp *a, int64_t i)
{
    for (int64_t e = a->start[i]; e < a->start[i + 1]; e++)
        if (a->column[e] == i)
            return a->value[e];
    return 0.0;
}

bool amg_strong(const struct smmp *a, const double *roots, double theta, int64_t i, int64_t e)
{
    const int32_t j = a->column[e];
    return j != i && fabs(a->value[e]) > theta * (roots[i] * roots[j]);
}

struct smmp amg_graph(const struct smmp *a, double theta)
{
    const int64_t n = a->rows;
    struct smmp g = {.rows = n, .columns = n};
    double *roots = must_have((size_t)(n + 1) * sizeof *roots);
    int64_t at = 0;
    g.start = must_have((size_t)(n + 1) * sizeof *g.start);
    g.column = must_have((size_t)(a->start[n] + 1) * sizeof *g.column);
    g.value = must_have((size_t)(a->start[n] + 1) * sizeof *g.value);
    for (int64_t i = 0; i < n; i++)
        roots[i] = sqrt(amg_diagonal(a, i));
    for (int64_t i = 0; i < n; i++) {
        for (int64_t e = a->start[i]; e < a->start[i + 1]; e++)
            if (amg_strong(a, roots, theta, i, e)) {
                g.column[at] = a->column[e];
                g.value[at++] = fabs(a->value[e]) / roots[a->column[e]];
            }
        g.start[i + 1] = at;
    }
    free(roots);
    return g;
}

static int falling(const void *one, const void *other)
{
    const uint64_t x = *(const uint64_t *)one, y = *(const uint64_t *)other;
    return (x < y) - (x > y);
}

/* taken[i]: 0 free, 1 within distance 2 of a root, 2 a root. Rows in the order of their keys. */
static void plain_roots(const struct smmp *g, char *taken)
{
    const int64_t n = g->rows;
    uint64_t *key = must_have((size_t)(n + 1) * sizeof *key);
    for (int64_t i = 0; i < n; i++)
        key[i] = cgs_amg_key(CGS_AMG_UNDECIDED, i);
    qsort(key, (size_t)n, sizeof *key, falling);
    for (int64_t k = 0; k < n; k++) {
        const int64_t i = cgs_amg_row_of(key[k]);
        if (taken[i] || g->start[i] == g->start[i + 1])
            continue;
        for (int64_t e = g->start[i]; e < g->start[i + 1]; e++) {
            const int32_t j = g->column[e];
            taken[j] = 1;
            for (int64_t f = g->start[j]; f < g->start[j + 1]; f++)
                taken[g->column[f]] = 1;
        }
        taken[i] = 2;
    }
    free(key);
}

int64_t amg_aggregates(const struct smmp *g, int32_t *of)
{
    const int64_t n = g->rows;
    char *taken = must_have((size_t)n + 1);
    int32_t *first = must_have((size_t)(n + 1) * sizeof *first);
    int64_t count = 0;
    plain_roots(g, taken);
    for (int64_t i = 0; i < n; i++)
        first[i] = -1;
    for (int64_t i = 0; i < n; i++)
        if (taken[i] == 2) {
            for (int64_t e = g->start[i]; e < g->start[i + 1]; e++)
                first[g->column[e]] = (int32_t)count;
            first[i] = (int32_t)count++;
        }
    for (int64_t i = 0; i < n; i++) {
        double most = 0.0;
        of[i] = first[i];
        for (int64_t e = g->start[i]; first[i] < 0 && e < g->start[i + 1]; e++)
            if (first[g->column[e]] >= 0 && g->value[e] > most) {
                most = g->value[e];
                of[i] = first[g->column[e]];
            }
    }
    free(first);
    free(taken);
    return count;
}
