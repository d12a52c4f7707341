/* Matrices in the plainest form, and their product in the plainest words: what the fast ones are
 * held against. */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "tests/support/support.h"

/* A few more seeds from one. */
static uint64_t mix(uint64_t seed, uint64_t i)
{
    return cgs_splitmix64(seed * UINT64_C(1000003) + i);
}

static double number(enum plain_numbers numbers, uint64_t seed, uint64_t i)
{
    const uint64_t bits = mix(seed, i);
    if (numbers == PLAIN_RANDOM)
        return cgs_random(bits);
    const int whole = (int)(bits % 8); /* 0 ... 7: -4 ... -1, 1 ... 4 */
    return whole < 4 ? whole - 4 : whole - 3;
}

/* ---- building row by row ---- */

struct builder {
    struct plain *plain;
    int64_t room, row;
};

static struct builder builder_start(int64_t rows, int64_t columns)
{
    struct builder builder = {.plain = must_have(sizeof(struct plain)), .room = 16};
    builder.plain->rows = rows;
    builder.plain->columns = columns;
    builder.plain->start = must_have((size_t)(rows + 1) * sizeof(int64_t));
    builder.plain->column = must_have((size_t)builder.room * sizeof(int32_t));
    builder.plain->value = must_have((size_t)builder.room * sizeof(double));
    return builder;
}

static void add(struct builder *builder, int64_t column, double value)
{
    struct plain *plain = builder->plain;
    const int64_t at = plain->start[builder->row + 1]++;
    if (at == builder->room) {
        builder->room *= 2;
        plain->column = realloc(plain->column, (size_t)builder->room * sizeof(int32_t));
        plain->value = realloc(plain->value, (size_t)builder->room * sizeof(double));
        ck_assert(plain->column && plain->value);
    }
    plain->column[at] = (int32_t)column;
    plain->value[at] = value;
}

static void next_row(struct builder *builder)
{
    builder->row++;
    if (builder->row < builder->plain->rows)
        builder->plain->start[builder->row + 1] = builder->plain->start[builder->row];
}

void plain_free(struct plain *plain)
{
    if (!plain)
        return;
    free(plain->start);
    free(plain->column);
    free(plain->value);
    free(plain);
}

/* ---- the cases ---- */

/* Places of the entries; see is_there. */
enum shape { SCATTERED, ARROW, POWER, SHUFFLED, BAND, STAIRS, HOLLOW, FULL, NODES3, NODES2 };

struct plain_case {
    const char *name;
    enum shape shape;
    int64_t rows, columns;
    double mean; /* entries a row, about */
};

/* A chunk of C such rows stores C times as many entries; on the CPU nobody cuts a row of 4099
 * but by the number of threads. */
enum { WIDE = CHECK_DEVICE == CGS_CPU ? 4099 : CHECK_SMALL ? 9001 : 20000 };

static const struct plain_case cases[] = {
    {"1x1", FULL, 1, 1, 1},
    {"no entries 3x3", HOLLOW, 3, 3, 0},
    {"dense 5x5", FULL, 5, 5, 5},
    {"scattered 31", SCATTERED, 31, 31, 3},
    {"scattered 33 (above a warp)", SCATTERED, 33, 33, 7},
    {"scattered 257 (above a block)", SCATTERED, 257, 257, 20},
    {"scattered 1025", SCATTERED, 1025, 1025, 40},
    {"arrow 100", ARROW, 100, 100, 2},
#ifdef CGS_TEST_EMULATED
    {"arrow 1500, one full row", ARROW, 1500, 1500, 1},
    {"power law 1001", POWER, 1001, 1001, 3},
#else
    {"arrow 5000, one full row", ARROW, 5000, 5000, 1},
    {"power law 3001", POWER, 3001, 3001, 3},
#endif
    {"power law 601, rows shuffled", SHUFFLED, 601, 601, 40},
#ifndef CGS_TEST_EMULATED
    {"band 5003", BAND, 5003, 5003, 7},
#endif
    {"scattered 129, 12 a row", SCATTERED, 129, 129, 12},
    {"stairs 200, i entries in row i", STAIRS, 200, 200, 100},
#ifndef CGS_TEST_EMULATED
    {"stairs 400, i entries in row i", STAIRS, 400, 400, 200},
#endif
    {"wide 70x400", SCATTERED, 70, 400, 33},
    {"tall 400x70", SCATTERED, 400, 70, 5},
    {"full rows 3, above many blocks", FULL, 3, WIDE, WIDE},
    {"nodes of 3, 102 rows", NODES3, 102, 102, 40},
    {"nodes of 3, 1002 rows, longer than a span", NODES3, 1002, 1002, 600},
    {"nodes of 2, 514x250", NODES2, 514, 250, 60},
    {"nearly empty 9001x31", SCATTERED, 9001, 31, 0.05},
};

int plain_cases(void)
{
    return (int)(sizeof cases / sizeof *cases);
}

const char *plain_name(int which)
{
    return cases[which].name;
}

/* In [0, 1). */
static double chance(uint64_t seed, uint64_t entry)
{
    return cgs_random(mix(seed + 7, entry)) * 0.5 + 0.5;
}

/* Is the block of these nodes there? Nodes 3, 10, 17, ... are empty. */
static bool block_there(const struct plain_case *c, uint64_t seed, int64_t i, int64_t j)
{
    return i % 7 != 3 &&
           chance(seed, (uint64_t)(i * c->columns + j)) * (double)c->columns < c->mean;
}

/* Is (i, j) there? Rows 3, 10, 17, ... of the scattered ones are empty, and so is the last. */
static bool is_there(const struct plain_case *c, uint64_t seed, int64_t i, int64_t j)
{
    const uint64_t entry = (uint64_t)(i * c->columns + j);
    switch (c->shape) {
    case FULL:
        return true;
    case HOLLOW:
        return false;
    case BAND:
        return llabs((long long)(i - j)) <= (int64_t)c->mean / 2;
    case STAIRS:
        return j < i;
    case ARROW:
        return i == j || i == c->rows / 2 || j == 0;
    case NODES3:
        return block_there(c, seed, i / 3, j / 3);
    case NODES2:
        return block_there(c, seed, i / 2, j / 2);
    case POWER:
    case SHUFFLED:
        return true; /* next_column leaves out the others */
    default:
        return i % 7 != 3 && i != c->rows - 1 && chance(seed, entry) * (double)c->columns < c->mean;
    }
}

/* Returns the first column of row i after j that is_there may take; before column 0 j is -1. Of a
 * power law, row r has each column with the chance mean / (5 r + 1): gaps are drawn, in time. */
static int64_t next_column(const struct plain_case *c, uint64_t seed, int64_t i, int64_t j)
{
    const int64_t half = (int64_t)c->mean / 2, r = c->shape == POWER ? i : i * 167 % c->rows;
    const double p = c->mean / (double)(5 * r + 1);
    switch (c->shape) {
    case BAND:
        return j < i - half ? i - half : j < i + half ? j + 1 : c->columns;
    case ARROW:
        return j < 0 || i == c->rows / 2 ? j + 1 : j < i ? i : c->columns;
    case POWER:
    case SHUFFLED:
        if (p < 1.0)
            j += (int64_t)(log(1.0 - chance(seed, (uint64_t)(i * c->columns + j + 1))) / log1p(-p));
        return j + 1;
    default:
        return j + 1;
    }
}

struct plain *plain_make(int which, enum plain_numbers numbers)
{
    const struct plain_case *c = &cases[which];
    const uint64_t seed = (uint64_t)which + 1;
    struct builder builder = builder_start(c->rows, c->columns);
    for (int64_t i = 0; i < c->rows; i++, next_row(&builder))
        for (int64_t j = -1; (j = next_column(c, seed, i, j)) < c->columns;)
            if (is_there(c, seed, i, j))
                add(&builder, j, number(numbers, seed, (uint64_t)(i * c->columns + j)));
    return builder.plain;
}

/* K x M x M + M x K x M + M x M x K with the 1-D matrices K = (-1 2 -1)/h, M = h (1 4 1)/6. */
struct plain *plain_q1(int64_t n)
{
    const double h = 1.0 / (double)(n + 1);
    const double stiff[2] = {2.0 / h, -1.0 / h}, mass[2] = {4.0 * h / 6.0, h / 6.0};
    struct builder builder = builder_start(n * n * n, n * n * n);
    for (int64_t row = 0; row < n * n * n; row++, next_row(&builder)) {
        const int64_t ix = row % n, iy = row / n % n, iz = row / (n * n);
        for (int64_t jz = iz - 1; jz <= iz + 1; jz++)
            for (int64_t jy = iy - 1; jy <= iy + 1; jy++)
                for (int64_t jx = ix - 1; jx <= ix + 1; jx++) {
                    if (jx < 0 || jy < 0 || jz < 0 || jx >= n || jy >= n || jz >= n)
                        continue;
                    const int x = jx != ix, y = jy != iy, z = jz != iz;
                    add(&builder, (jz * n + jy) * n + jx,
                        stiff[x] * mass[y] * mass[z] + mass[x] * stiff[y] * mass[z] +
                            mass[x] * mass[y] * stiff[z]);
                }
    }
    return builder.plain;
}

/* ---- as a row source ---- */

static void lengths_of(const struct cgs_row_source *source, int64_t first, int64_t last,
                       int32_t *lengths)
{
    const struct plain *plain = source->self;
    for (int64_t i = first; i < last; i++)
        lengths[i - first] = (int32_t)(plain->start[i + 1] - plain->start[i]);
}

static void fill_from(const struct cgs_row_source *source, int64_t first, int64_t last,
                      int32_t *columns, double *values)
{
    const struct plain *plain = source->self;
    for (int64_t k = plain->start[first]; k < plain->start[last]; k++) {
        *columns++ = plain->column[k];
        *values++ = plain->value[k];
    }
}

static double norm_of(const struct cgs_row_source *source)
{
    const struct plain *plain = source->self;
    double norm = 0.0;
    for (int64_t i = 0; i < plain->rows; i++) {
        double sum = 0.0;
        for (int64_t k = plain->start[i]; k < plain->start[i + 1]; k++)
            sum += fabs(plain->value[k]);
        norm = fmax(norm, sum);
    }
    return norm;
}

struct cgs_row_source plain_source(const struct plain *plain)
{
    return (struct cgs_row_source){.rows = plain->rows,
                                   .columns = plain->columns,
                                   .self = plain,
                                   .lengths = lengths_of,
                                   .fill = fill_from,
                                   .norm = norm_of};
}

/* ---- vectors and products ---- */

static double rounded(enum cgs_number to, double x)
{
    return to == CGS_F32 ? (double)(float)x : x;
}

void plain_vector(int64_t n, enum plain_numbers numbers, enum cgs_number to, uint64_t seed,
                  double *x)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = numbers == PLAIN_RANDOM ? rounded(to, cgs_random(mix(seed, (uint64_t)i)))
                                       : (double)(mix(seed, (uint64_t)i) % 17) - 8.0;
}

void plain_multiply(const struct plain *plain, enum cgs_number to, const double *x, long double *y,
                    long double *bound)
{
    for (int64_t i = 0; i < plain->rows; i++) {
        y[i] = bound[i] = 0.0L;
        for (int64_t k = plain->start[i]; k < plain->start[i + 1]; k++) {
            const long double product =
                (long double)rounded(to, plain->value[k]) * (long double)x[plain->column[k]];
            y[i] += product;
            bound[i] += fabsl(product);
        }
    }
}
