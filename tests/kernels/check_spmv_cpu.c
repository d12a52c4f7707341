/* The CPU's SpMV kernels where check_kernels does not reach: matrices of many pieces of the merge
 * path, cut at every kind of place, runs of chunks with one pattern, the choice among vector
 * instructions, and new entries in the arrays of old ones. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "matrix/layout.h"
#include "solver/operator.h"
#include "tests/support/rig.h"

enum { PIECE = 16384 }; /* items of a piece of crs_merge */

static const struct cgs_kernel_entry *entry_named(const char *name)
{
    int count;
    const struct cgs_kernel_entry *entries = cgs_kernels(&count);
    for (int i = 0; i < count; i++)
        if (entries[i].device == CGS_CPU && strcmp(entries[i].name, name) == 0)
            return &entries[i];
    ck_abort_msg("no kernel %s", name);
}

/* ---- matrices of given row lengths ---- */

/* n x n, row i with length(i) whole entries from a column of its own on. */
static struct plain *plain_of(int64_t n, int64_t (*length)(int64_t n, int64_t row))
{
    struct plain *plain = must_have(sizeof *plain);
    *plain = (struct plain){.rows = n, .columns = n};
    plain->start = must_have((size_t)(n + 1) * sizeof *plain->start);
    for (int64_t i = 0; i < n; i++)
        plain->start[i + 1] = plain->start[i] + length(n, i);
    plain->column = must_have((size_t)plain->start[n] * sizeof *plain->column + 1);
    plain->value = must_have((size_t)plain->start[n] * sizeof *plain->value + 1);
    for (int64_t i = 0; i < n; i++) {
        const int64_t count = plain->start[i + 1] - plain->start[i];
        const int64_t most = n - count, column = i < most ? i : most;
        for (int64_t j = 0; j < count; j++) {
            plain->column[plain->start[i] + j] = (int32_t)(column + j);
            plain->value[plain->start[i] + j] =
                (double)(cgs_splitmix64((uint64_t)(i * n + j)) % 7) - 3.0;
        }
    }
    return plain;
}

static int64_t none(int64_t n, int64_t row)
{
    return (void)n, (void)row, 0;
}

/* 16 items a row: pieces end where rows end. */
static int64_t fifteen(int64_t n, int64_t row)
{
    return (void)n, (void)row, 15;
}

/* A row fills a piece exactly, and so the next; then one item too few, one too many. */
static int64_t a_piece(int64_t n, int64_t row)
{
    (void)n;
    return row < 2 ? PIECE - 1 : row == 2 ? PIECE - 2 : row == 3 ? PIECE + 1 : row % 3;
}

/* One row of all pieces between the first and the last. */
static int64_t one_full(int64_t n, int64_t row)
{
    return row == n / 2 ? n : 0;
}

/* The first and the last row, and one whose end falls alone into the next piece. */
static int64_t at_the_ends(int64_t n, int64_t row)
{
    return row == 0 ? 3 * PIECE : row == n - 1 ? n : row == 1 ? PIECE - 1 : 1;
}

/* Long rows that follow each other: a piece that goes on one row and begins the next. */
static int64_t neighbours(int64_t n, int64_t row)
{
    return row < 6 ? n - row * 777 : 2;
}

static const struct {
    const char *name;
    int64_t rows;
    int64_t (*length)(int64_t n, int64_t row);
} cases[] = {
    {"many empty rows", 3 * PIECE + 5, none},       {"rows of 15", 5 * PIECE / 16, fifteen},
    {"rows of a piece", 2 * PIECE, a_piece},        {"one full row", 5 * PIECE, one_full},
    {"first and last row", 4 * PIECE, at_the_ends}, {"long neighbours", 2 * PIECE, neighbours},
};
enum { CASES = sizeof cases / sizeof *cases };

static void try_kernel(const char *name, int precision, const struct plain *plain,
                       const char *words)
{
    struct rig rig;
    ck_assert(
        rig_set_up(&rig, entry_named(name), (enum cgs_precision)precision, plain, words, 1, 1));
    rig_check_all(&rig, PLAIN_INTEGERS);
    rig_take_down(&rig);
}

/* Whole numbers: sums are exact wherever rows are cut, fused x'y included. */
LOOP_TEST(pieces, CASES)
{
    struct plain *plain = plain_of(cases[_i].rows, cases[_i].length);
    for (int p = 0; p < CGS_PRECISIONS; p++) {
        try_kernel("crs_merge", p, plain, cases[_i].name);
        try_kernel("crs_row", p, plain, cases[_i].name);
        try_kernel("crs_gather", p, plain, cases[_i].name);
    }
    plain_free(plain);
}

/* Random numbers, whose sums depend on the order: the same bits by any number of threads, and by
 * more threads than there are pieces. */
TEST(same_bits_by_many_threads)
{
    struct plain *plain = plain_of(3 * PIECE, neighbours);
    const int64_t n = plain->rows;
    for (int64_t k = 0; k < plain->start[n]; k++)
        plain->value[k] = cgs_random((uint64_t)k);
    double *x = must_have((size_t)n * sizeof *x), *first = NULL, dots[2];
    plain_vector(n, PLAIN_RANDOM, CGS_F64, 3, x);
    struct rig rig;
    ck_assert(rig_set_up(&rig, entry_named("crs_merge"), CGS_PRECISION_F64, plain,
                         "long neighbours", 1, 1));
    for (int threads = 1; threads <= 17; threads += 2) {
        double *y = rig_product(&rig, x, threads, true, &dots[first != NULL]);
        rig_check_product(&rig, PLAIN_RANDOM, x, y);
        if (!first) {
            first = y;
            continue;
        }
        ck_assert_msg(memcmp(first, y, (size_t)n * sizeof *y) == 0 && dots[0] == dots[1],
                      "other bits by %d threads", threads);
        free(y);
    }
    rig_take_down(&rig);
    free(first);
    free(x);
    plain_free(plain);
}

/* ---- runs of chunks with one pattern, compressed SELL ---- */

/* The compiler chooses whether to contract a product and its addition into one operation,
 * the same for both kernels except where a sanitizer puts its checks between the two: whole numbers
 * there, which give the same either way. */
#ifdef __SANITIZE_ADDRESS__
static const enum plain_numbers run_numbers = PLAIN_INTEGERS;
#else
static const enum plain_numbers run_numbers = PLAIN_RANDOM;
#endif

/* A band of diagonals with one number each. Rows at growing distances, multiples of half a
 * chunk, lack an entry, so that between masked chunks there are runs of 0, 1, 2, ... chunks; the
 * first and the last rows lack what lies outside. */
static struct plain *plain_runs(int64_t n, int64_t chunk)
{
    static const int64_t offsets[] = {-37, -9, -1, 0, 1, 2, 41};
    enum { DIAGONALS = sizeof offsets / sizeof *offsets };
    struct plain *plain = must_have(sizeof *plain);
    *plain = (struct plain){.rows = n, .columns = n};
    plain->start = must_have((size_t)(n + 1) * sizeof *plain->start);
    plain->column = must_have((size_t)(n * DIAGONALS) * sizeof *plain->column);
    plain->value = must_have((size_t)(n * DIAGONALS) * sizeof *plain->value);
    int64_t count = 0, lacking = 50, distance = chunk;
    for (int64_t i = 0; i < n; i++) {
        const bool lacks = i == lacking;
        if (lacks) {
            lacking += distance;
            distance += (chunk + 1) / 2;
        }
        plain->start[i] = count;
        for (int d = 0; d < DIAGONALS; d++) {
            const int64_t column = i + offsets[d];
            if (column < 0 || column >= n || (lacks && d == (int)(i % DIAGONALS)))
                continue;
            plain->column[count] = (int32_t)column;
            plain->value[count++] =
                run_numbers == PLAIN_RANDOM ? cgs_random((uint64_t)d) : (double)(d + 1);
        }
    }
    plain->start[n] = count;
    return plain;
}

static bool row_reads(const struct plain *plain, int64_t row, int64_t column)
{
    for (int64_t k = plain->start[row]; k < plain->start[row + 1]; k++)
        if (plain->column[k] == column)
            return true;
    return false;
}

/* Sums are those of sell_chunk to the bit, with and without x'y, wherever teams of threads divide
 * the runs; a NaN in x reaches the rows that read it and no other. */
static void check_runs(const struct plain *plain, enum cgs_precision precision, int32_t chunk)
{
    const int64_t n = plain->rows, odd = n / 2;
    double *x = must_have((size_t)n * sizeof *x), dot;
    struct rig sell, sellc;
    ck_assert(rig_set_up(&sell, entry_named("sell_chunk"), precision, plain, "runs", chunk, 1));
    ck_assert(rig_set_up(&sellc, entry_named("sellc_chunk"), precision, plain, "runs", chunk, 1));
    ck_assert_int_lt(sellc.kernel->steps.moved(sellc.self).matrix, 2 * plain->start[n]);
    plain_vector(n, run_numbers, cgs_precision_real(precision), 5, x);
    double *right = rig_product(&sell, x, 1, false, &dot);
    for (int threads = 1; threads <= 7; threads += 2) {
        double *y = rig_product(&sellc, x, threads, threads & 2, &dot);
        ck_assert_msg(memcmp(y, right, (size_t)n * sizeof *y) == 0,
                      "n = %d, C = %d, %s, %d threads: other sums than sell_chunk", (int)n, chunk,
                      cgs_precision_name((int)precision), threads);
        free(y);
    }
    x[odd] = NAN;
    double *y = rig_product(&sellc, x, 2, false, &dot);
    for (int64_t i = 0; i < n; i++)
        ck_assert_msg(isnan(y[i]) == row_reads(plain, i, odd), "n = %d, C = %d: row %d is %g",
                      (int)n, chunk, (int)i, y[i]);
    rig_take_down(&sell);
    rig_take_down(&sellc);
    free(right);
    free(y);
    free(x);
}

LOOP_TEST(one_pattern, 6)
{
    static const int32_t chunks[] = {4, 5, 8, 16, 31, 32};
    const int32_t chunk = chunks[_i];
    const int64_t sizes[] = {2048, 2048 + chunk / 2, 3001};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct plain *plain = plain_runs(sizes[s], chunk);
        for (int p = 0; p < CGS_PRECISIONS; p++)
            check_runs(plain, (enum cgs_precision)p, chunk);
        plain_free(plain);
    }
}

/* ---- nodes ---- */

/* The case of that name, whose rows come in nodes. */
static struct plain *nodes_named(const char *name)
{
    int which = 0;
    while (strcmp(plain_name(which), name) != 0)
        ck_assert_int_lt(++which, plain_cases());
    return plain_make(which, PLAIN_INTEGERS);
}

/* An index for each block and a pointer for each node: what the figures say, and at least what they
 * say before the rows have been looked at. */
LOOP_TEST(bytes_of_nodes, 2)
{
    static const char *const names[] = {"nodes of 2, 514x250", "nodes of 3, 102 rows"};
    const int block = 2 + _i;
    struct plain *plain = nodes_named(names[_i]);
    const int64_t entries = plain->start[plain->rows];
    struct rig rig;
    ck_assert_int_gt(entries, 0);
    ck_assert(
        rig_set_up(&rig, entry_named("crs_nodes"), CGS_PRECISION_F64, plain, names[_i], 1, 1));
    const struct cgs_traffic moved = rig.kernel->steps.moved(rig.self);
    ck_assert_int_eq(moved.matrix,
                     entries * 8 + entries / (block * block) * 4 + (plain->rows / block + 1) * 8);
    ck_assert_int_eq(moved.matrix, rig.kernel->traffic(&rig.matrix).matrix);
    struct cgs_matrix forecast = rig.matrix;
    forecast.pointers = NULL;
    ck_assert_int_ge(rig.kernel->traffic(&forecast).matrix, moved.matrix);
    rig_take_down(&rig);
    plain_free(plain);
}

static void refuses(const struct plain *plain, const char *words)
{
    const struct cgs_row_source source = plain_source(plain);
    const struct cgs_kernel *kernel = entry_named("crs_nodes")->tables[CGS_PRECISION_F64];
    struct cgs_matrix matrix;
    void *self = NULL;
    must(cgs_matrix_create(&bed.context, &source, CGS_CRS, 1, 1, &matrix));
    ck_assert_int_eq(kernel->accepts(&bed.context, &matrix), CGS_USAGE);
    ck_assert_msg(strstr(bed.context.message, words), "%s", bed.context.message);
    bed_forgive();
    ck_assert_int_eq(kernel->prepare(bed.queue, &matrix, &self), CGS_USAGE);
    bed_forgive();
    ck_assert_ptr_null(self);
    cgs_matrix_release(&bed.context, &matrix);
}

/* Returns a row near the middle that has an entry at its node and none at the node before. */
static int64_t loose_row(const struct plain *plain)
{
    int64_t row = 51;
    while (plain->start[row] == plain->start[row + 1] || plain->column[plain->start[row]] < 3)
        row += 3;
    return row;
}

/* The row that breaks a block is named: by a column beside the block, or by its length. */
TEST(broken_nodes)
{
    struct plain *plain = nodes_named("nodes of 3, 102 rows");
    const int64_t row = loose_row(plain), first = plain->start[row + 1];
    char words[80];
    plain->column[first]--;
    snprintf(words, sizeof words, "of 3 x 3 row %lld (", (long long)row + 2);
    refuses(plain, words);
    plain->column[first]++;
    plain->start[row + 1]++;
    snprintf(words, sizeof words, "of 3 x 3 row %lld (", (long long)row + 1);
    refuses(plain, words);
    plain_free(plain);
    plain = plain_q1(4);
    refuses(plain, "do not fill dense blocks: of 3 x 3 row 1 ");
    plain_free(plain);
}

/* ---- variants ---- */

/* Returns true if /proc/cpuinfo has the flag; *known: it can be read. */
static bool has_flag(const char *flag, bool *known)
{
    static char line[16384];
    FILE *file = fopen("/proc/cpuinfo", "r");
    *known = false;
    while (file && !*known && fgets(line, sizeof line, file))
        *known = strncmp(line, "flags", 5) == 0;
    if (file)
        fclose(file);
    const char *at = *known ? strstr(line, flag) : NULL;
    return at && at[-1] == ' ' && strchr(" \n", at[strlen(flag)]);
}

static bool runs(const struct cgs_kernel *kernel, const char *name)
{
    for (int v = 0; kernel->variant(v); v++)
        if (strcmp(kernel->variant(v), name) == 0)
            return true;
    return false;
}

/* All that the processor has and no more, the best first, plain C last. */
TEST(variants)
{
    static const char *const names[] = {"crs_gather", "sell_gather"};
    for (int i = 0; i < 2 * CGS_PRECISIONS; i++) {
        const struct cgs_kernel *kernel =
            entry_named(names[i / CGS_PRECISIONS])->tables[i % CGS_PRECISIONS];
        bool known;
        int count = 0;
        while (kernel->variant(count))
            count++;
        ck_assert_int_ge(count, 1);
        ck_assert_str_eq(kernel->variant(count - 1), "plain C");
        const bool avx512 = has_flag("avx512dq", &known), avx2 = has_flag("avx2", &known);
        if (!known)
            continue;
        ck_assert_int_eq(runs(kernel, "AVX-512"), avx512);
        ck_assert_int_eq(runs(kernel, "AVX2"), avx2);
        ck_assert_int_eq(count, 1 + avx512 + avx2);
        if (avx512)
            ck_assert_str_eq(kernel->variant(0), "AVX-512");
    }
}

static int64_t staircase(int64_t n, int64_t row)
{
    return (void)n, row;
}

/* Rows of 0, 1, 2, ... up to more than three vectors: what is left of one is masked. (Chunks of
 * every size are in check_sigma.) */
TEST(every_length)
{
    struct plain *plain = plain_of(3 * 16 + 2, staircase);
    for (int p = 0; p < CGS_PRECISIONS; p++)
        try_kernel("crs_gather", p, plain, "a staircase");
    plain_free(plain);
}

/* ---- new entries ---- */

/* Writes y = A x, x random. */
static void multiply(const struct cgs_operator *op, int64_t columns, double *y)
{
    double *x = must_have((size_t)columns * sizeof *x);
    plain_vector(columns, PLAIN_RANDOM, op->domain.number, 11, x);
    void *from = bed_vector(&op->domain, x), *to = bed_vector(&op->range, NULL);
    must(cgs_operator_apply(op, bed.queue, NULL, from, to));
    bed_get(&op->range, to, y);
    op->domain.ops->free(&op->domain, from);
    op->range.ops->free(&op->range, to);
    free(x);
}

enum change { DOUBLED, RANDOM, ALIKE, CHANGES };

static void change(const struct plain *plain, enum change how)
{
    for (int64_t e = 0; e < plain->start[plain->rows]; e++)
        plain->value[e] = how == DOUBLED  ? 2.0 * plain->value[e]
                          : how == RANDOM ? ldexp((double)(cgs_splitmix64((uint64_t)e) >> 11), -53)
                                          : 0.75;
}

/* Returns true if the entries of the changed matrix fit the operator, which has its products then,
 * to the bit; else it is made anew, and has them, too. */
static bool renew(const struct cgs_kernel *kernel, enum cgs_precision precision,
                  const struct cgs_matrix *matrix, const char *name, struct cgs_operator *op)
{
    const size_t bytes = (size_t)matrix->rows * sizeof(double);
    double *y = must_have(bytes + 1), *right = must_have(bytes + 1);
    struct cgs_operator fresh;
    bool renewed = false;
    must(kernel->steps.renew(op->self, bed.queue, matrix, &renewed));
    if (!renewed)
        must(cgs_operator_renew(bed.queue, bed.backend, kernel, precision, matrix, op));
    must(cgs_operator_create(bed.queue, bed.backend, kernel, precision, matrix, &fresh));
    multiply(op, matrix->columns, y);
    multiply(&fresh, matrix->columns, right);
    ck_assert_msg(memcmp(y, right, bytes) == 0, "%s, %s: products differ", name,
                  cgs_precision_name(precision));
    cgs_operator_release(&fresh);
    free(right);
    free(y);
    return renewed;
}

/* Changes the entries one time after the other. fits: whether they do each time; NULL: whatever. */
static void try_renewals(const struct cgs_kernel_entry *entry, enum cgs_precision precision,
                         const struct plain *plain, int32_t sigma, const char *name,
                         const bool *fits)
{
    const struct cgs_row_source source = plain_source(plain);
    const struct cgs_kernel *kernel = entry->tables[precision];
    struct cgs_matrix matrix;
    struct cgs_operator op;
    must(cgs_matrix_create(&bed.context, &source, entry->format, entry->format == CGS_CRS ? 1 : 8,
                           sigma, &matrix));
    must(cgs_operator_create(bed.queue, bed.backend, kernel, precision, &matrix, &op));
    for (int how = 0; how < CHANGES; how++) {
        change(plain, (enum change)how);
        const bool renewed = renew(kernel, precision, &matrix, name, &op);
        ck_assert_msg(!fits || renewed == fits[how], "%s, %s, change %d: renewed %d", entry->name,
                      name, how, renewed);
    }
    cgs_operator_release(&op);
    cgs_matrix_release(&bed.context, &matrix);
}

/* Compressed chunks keep their form: one value a diagonal does not take random ones. Of these the
 * larger matrix has too many for a table, so that its chunks take any afterwards. */
static void renewals_of(const struct cgs_kernel_entry *entry, enum cgs_precision precision)
{
    static const bool any[CHANGES] = {true, true, true}, alike[CHANGES] = {true, false, true};
    const bool *fits = entry->format == CGS_SELLC ? alike : any;
    struct plain *q1 = plain_q1(17);
    try_renewals(entry, precision, q1, 1, "Q1", fits);
    plain_free(q1);
    for (int which = 0; which < plain_cases(); which++)
        for (int32_t sigma = 1; sigma <= (entry->format == CGS_CRS ? 1 : 64); sigma += 63) {
            struct plain *plain = plain_make(which, PLAIN_RANDOM);
            try_renewals(entry, precision, plain, sigma, plain_name(which),
                         fits == any ? fits : NULL);
            plain_free(plain);
        }
}

LOOP_TEST(new_entries, CGS_PRECISIONS)
{
    int count, renewed = 0;
    const struct cgs_kernel_entry *entries = cgs_kernels(&count);
    for (int i = 0; i < count; i++) {
        const struct cgs_kernel *kernel =
            entries[i].device == CGS_CPU ? entries[i].tables[_i] : NULL;
        if (!kernel || !kernel->steps.renew)
            continue;
        renewals_of(&entries[i], (enum cgs_precision)_i);
        renewed++;
    }
    ck_assert_int_eq(renewed, 5);
}

int main(void)
{
    return bed_tests("SpMV on the CPU", 600);
}
