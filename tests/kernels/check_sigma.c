/* Products with sorted rows: every SELL kernel in every precision, SELL-C-sigma = CRS to the bit.
 *
 * Entries and x are small whole numbers, so that sums are exact in any order; the product that
 * kernels are held against (tests/support/rig.c) is that of the plain rows. Each one by 1, 2 and 3
 * threads, with and without the fused x'y; y is NaN before. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "matrix/layout.h"
#include "tests/support/rig.h"

/* True where the kernel took the matrix. */
static bool try_case(int pair, const struct plain *plain, const char *name, int32_t chunk,
                     int32_t sigma)
{
    struct rig rig;
    if (!rig_set_up(&rig, rig_entry(cgs_format_chunked, pair), pair % CGS_PRECISIONS, plain, name,
                    chunk, sigma))
        return false;
    rig_check_all(&rig, PLAIN_INTEGERS);
    rig_take_down(&rig);
    return true;
}

/* A share of the sigmas for each chunk, or matrix; others for other chunks and in other
 * precisions. */
enum { SHARES = 2 * CGS_PRECISIONS };

static int try_sigmas(int pair, const struct plain *plain, const char *name, int32_t chunk)
{
    const int32_t n = (int32_t)plain->rows;
    const int32_t sigmas[] = {1, 2, 3, 7, chunk, chunk + 1, n - 1, n, n + 1, INT32_MAX};
    int ran = 0;
    for (size_t s = (size_t)(chunk + pair) % SHARES; s < sizeof sigmas / sizeof *sigmas;
         s += SHARES)
        if (sigmas[s] > 0)
            ran += try_case(pair, plain, name, chunk, sigmas[s]);
    return ran;
}

/* Returns true for chunks that CUDA's kernels take. */
static bool power_of_two(int32_t chunk)
{
    return (chunk & (chunk - 1)) == 0;
}

LOOP_TEST(bit_for_bit, rig_pairs(cgs_format_chunked))
{
#ifdef CGS_TEST_EMULATED
    static const int32_t chunks[] = {1, 32, 64}; /* every_chunk has the others */
#else
    static const int32_t chunks[] = {1, 3, 4, 8, 16, 32, 40, 64};
#endif
    int ran = 0;
    for (int which = 0; which < plain_cases(); which++) {
        struct plain *plain = plain_make(which, PLAIN_INTEGERS);
        for (size_t c = 0; c < sizeof chunks / sizeof *chunks; c++)
            if (CHECK_DEVICE == CGS_CPU || power_of_two(chunks[c]))
                ran += try_sigmas(_i, plain, plain_name(which), chunks[c]);
        plain_free(plain);
    }
    printf("%s %s: %d products\n", rig_entry(cgs_format_chunked, _i)->name,
           cgs_precision_name(_i % CGS_PRECISIONS), ran);
    if (strcmp(rig_entry(cgs_format_chunked, _i)->name, "sell_chunk") == 0)
        ck_assert_int_gt(ran, plain_cases() * (CHECK_SMALL ? 20 : 40) / SHARES);
}

/* All of 1 ... 64 rows a chunk, where the kernel takes them, and the most. */
LOOP_TEST(every_chunk, rig_pairs(cgs_format_chunked))
{
    const int which = 5; /* scattered 257, with empty rows */
    struct plain *plain = plain_make(which, PLAIN_INTEGERS);
    for (int32_t chunk = 1; chunk <= 65; chunk++) {
        const int32_t c = chunk == 65 ? CGS_CHUNK_MOST : chunk;
        if (CHECK_DEVICE == CGS_CPU || power_of_two(c))
            try_sigmas(_i, plain, plain_name(which), c);
    }
    plain_free(plain);
}

/* ---- past the cache: other hints on CUDA, uploads that cut windows, windows sorted by a team ----
 */

enum {
    BIG_ROWS = CHECK_SMALL             ? 1 << 12
               : CHECK_DEVICE == CGS_CUDA ? 1 << 18
                                          : 1 << 15,
    SHORTEST = 16,
    LONGEST = 48
};

/* 16 ... 48 entries a row, as a hash has it, `stride` columns isolated, about the diagonal. */
static struct plain *big(int64_t stride)
{
    struct plain *plain = must_have(sizeof *plain);
    *plain = (struct plain){.rows = BIG_ROWS, .columns = BIG_ROWS};
    plain->start = must_have((BIG_ROWS + 1) * sizeof *plain->start);
    plain->column = must_have((size_t)BIG_ROWS * LONGEST * sizeof *plain->column);
    plain->value = must_have((size_t)BIG_ROWS * LONGEST * sizeof *plain->value);
    for (int64_t i = 0; i < BIG_ROWS; i++) {
        const uint64_t hash = cgs_splitmix64((uint64_t)i);
        const int64_t length = SHORTEST + (int64_t)(hash % (LONGEST - SHORTEST + 1));
        const int64_t last = BIG_ROWS - length * stride, middle = i - length * stride / 2;
        const int64_t column = middle < 0 ? 0 : middle < last ? middle : last;
        const int64_t at = plain->start[i];
        for (int64_t j = 0; j < length; j++) {
            plain->column[at + j] = (int32_t)(column + j * stride);
            plain->value[at + j] = (double)((hash >> j & 7) + 1);
        }
        plain->start[i + 1] = at + length;
    }
    return plain;
}

LOOP_TEST(past_the_cache, rig_pairs(cgs_format_chunked))
{
    static const int32_t sigmas[] = {1, 1000, 4096, 100000, INT32_MAX};
    for (int far = 0; far < 2; far++) {
        struct plain *plain = big(far ? BIG_ROWS / (2 * LONGEST) : 1);
        for (size_t s = (size_t)(_i + far) % SHARES; s < sizeof sigmas / sizeof *sigmas;
             s += SHARES)
            try_case(_i, plain, far ? "big, far columns" : "big, near columns", 32, sigmas[s]);
        plain_free(plain);
    }
}

/* A kernel that takes no permutation says so. */
LOOP_TEST(taken_or_refused, rig_pairs(cgs_format_chunked))
{
    struct plain *plain = plain_q1(4);
    const struct cgs_kernel *kernel =
        rig_entry(cgs_format_chunked, _i)->tables[_i % CGS_PRECISIONS];
    const struct cgs_row_source source = plain_source(plain);
    struct cgs_matrix matrix;
    must(cgs_matrix_create(&bed.context, &source, CGS_SELL, 32, 8, &matrix));
    if (kernel->absent) {
        ck_assert_int_eq(kernel->accepts(&bed.context, &matrix), CGS_DEVICE);
        bed_forgive();
    } else if (strcmp(rig_entry(cgs_format_chunked, _i)->name, "sell_cusparse") == 0) {
        ck_assert_int_eq(kernel->accepts(&bed.context, &matrix), CGS_USAGE);
        bed_forgive();
    } else if (kernel->accepts)
        must(kernel->accepts(&bed.context, &matrix));
    cgs_matrix_release(&bed.context, &matrix);
    plain_free(plain);
}

int main(void)
{
    return bed_tests("sigma", 600);
}
