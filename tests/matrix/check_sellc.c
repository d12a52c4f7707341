/* matrix/: compressed SELL becomes SELL again to the bit, whatever the matrix: values are compared
 * as bits, so that signs of zeros and payloads of NaN count. How far it shrinks, which ways are
 * taken, and that the threads do not matter.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "fem/assembly.h"
#include "matrix/layout.h"
#include "matrix/names.h"
#include "matrix/sellc/sellc_encode.h"
#include "tests/matrix/sellc.h"
#include "tests/support/layout.h"

static const int32_t chunks[] = {32, 8, 4, 16, 1, 3, 7, 31};
enum { CHUNKS = sizeof chunks / sizeof *chunks };

struct made {
    struct cgs_matrix matrix;
    struct cgs_sellc_store store;
    struct cgs_sellc sellc;
};

static void make(const struct cgs_row_source *source, int32_t chunk, int32_t sigma,
                 enum cgs_number number, struct made *made)
{
    *made = (struct made){.store = {.context = &bed.context}};
    const struct cgs_sellc_sink sink = cgs_sellc_into(&made->store);
    must(cgs_matrix_create(&bed.context, source, CGS_SELLC, chunk, sigma, &made->matrix));
    must(cgs_sellc_encode(&bed.context, &made->matrix, number, &sink, &made->sellc));
}

static void unmake(struct made *made)
{
    cgs_sellc_store_release(&made->store);
    cgs_sellc_release(&bed.context, &made->sellc);
    cgs_matrix_release(&bed.context, &made->matrix);
}

/* Decoded chunks are what cgs_matrix_fill gives. */
static void check_decoded(const struct made *made)
{
    const struct cgs_matrix *matrix = &made->matrix;
    const int64_t size = cgs_number_bytes(made->sellc.number);
    int32_t *right, *columns = must_have((size_t)matrix->stored * sizeof *columns + 1);
    char *values = must_have((size_t)(matrix->stored * size) + 1);
    void *right_values;
    layout_draw(matrix, 0, matrix->units, made->sellc.number, &right, &right_values);
    for (int64_t k = 0; k < matrix->units; k++)
        sellc_decode(&made->sellc, matrix, k, columns + matrix->pointers[k],
                     values + matrix->pointers[k] * size);
    ck_assert_msg(memcmp(columns, right, (size_t)matrix->stored * sizeof *columns) == 0,
                  "C = %d, sigma = %d: other columns", matrix->chunk, matrix->sigma);
    ck_assert_msg(memcmp(values, right_values, (size_t)(matrix->stored * size)) == 0,
                  "C = %d, sigma = %d: other values", matrix->chunk, matrix->sigma);
    free(right);
    free(right_values);
    free(columns);
    free(values);
}

static void check_source(const struct cgs_row_source *source)
{
    for (int c = 0; c < CHUNKS; c++)
        for (int how = 0; how < 4; how += CHECK_SMALL ? 3 : 1) {
            struct made made;
            make(source, chunks[c], how & 1 ? 40 : 1, how & 2 ? CGS_F32 : CGS_F64, &made);
            check_decoded(&made);
            unmake(&made);
        }
}

static struct cgs_row_source box(struct cgs_mesh *mesh, int64_t n, double deform)
{
    struct cgs_row_source source;
    *mesh = cgs_mesh_cube(n, CGS_GAUSS, 1.0);
    mesh->deform = deform;
    must(cgs_assembler_create(&bed.context, mesh, cgs_gather_of(mesh), &source));
    return source;
}

/* ---- to the bit ---- */

LOOP_TEST(awkward, plain_cases())
{
    for (int numbers = 0; numbers < 2; numbers++) {
        struct plain *plain = plain_make(_i, numbers ? PLAIN_INTEGERS : PLAIN_RANDOM);
        const struct cgs_row_source source = plain_source(plain);
        check_source(&source);
        plain_free(plain);
    }
}

TEST(boxes)
{
    static const int64_t sizes[] = {1, 2, 3, 7, 8, 16};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes - CHECK_SMALL; i++)
        for (int deformed = 0; deformed < 2; deformed++) {
            struct cgs_mesh mesh;
            struct cgs_row_source source = box(&mesh, sizes[i], deformed ? 0.05 : 0.0);
            check_source(&source);
            cgs_assembler_release(&bed.context, &source);
        }
}

/* Zeros of both signs, NaN of two payloads and signs, infinities, subnormal numbers. */
LOOP_TEST(odd_values, 2)
{
    static const uint64_t odd[] = {0,
                                   UINT64_C(1) << 63,
                                   UINT64_C(0x7ff8000000000001),
                                   UINT64_C(0xfff8dead00000000),
                                   UINT64_C(0x7ff0000000000000),
                                   UINT64_C(0xfff0000000000000),
                                   1,
                                   UINT64_C(0x000fffffffffffff)};
    struct plain *plain = plain_q1(7);
    for (int64_t k = 0; k < plain->start[plain->rows]; k++)
        if (_i == 0 || k % 3 == 0)
            memcpy(&plain->value[k], &odd[cgs_splitmix64((uint64_t)k) % 8], sizeof *odd);
    const struct cgs_row_source source = plain_source(plain);
    check_source(&source);
    plain_free(plain);
}

/* ---- how many different values ---- */

/* A band of 11 diagonals, whose values are number (hash of row and column) % *self. */
enum { ROWS = 20000, BAND = 5 };

static void band_lengths(const struct cgs_row_source *source, int64_t first, int64_t last,
                         int32_t *lengths)
{
    (void)source;
    for (int64_t i = first; i < last; i++)
        lengths[i - first] =
            (int32_t)(1 + (i < BAND ? i : BAND) + (ROWS - 1 - i < BAND ? ROWS - 1 - i : BAND));
}

static void band_fill(const struct cgs_row_source *source, int64_t first, int64_t last,
                      int32_t *columns, double *values)
{
    const int64_t different = *(const int64_t *)source->self;
    for (int64_t i = first; i < last; i++)
        for (int64_t j = i - BAND; j <= i + BAND; j++)
            if (j >= 0 && j < ROWS) {
                *columns++ = (int32_t)j;
                *values++ =
                    (double)(1 + cgs_splitmix64((uint64_t)(i * ROWS + j)) % (uint64_t)different);
            }
}

LOOP_TEST(different_values, 7)
{
    static const struct {
        int64_t different;
        enum cgs_sellc_coding coding;
        int64_t table; /* +0 comes on top */
    } cases[] = {{1, CGS_SELLC_SAME, 0},        {2, CGS_SELLC_CODES8, 3},
                 {255, CGS_SELLC_CODES8, 256},  {256, CGS_SELLC_CODES16, 257},
                 {60000, CGS_SELLC_CODES16, 0}, {100000, CGS_SELLC_VALUES, 0},
                 {1000000, CGS_SELLC_VALUES, 0}};
    const int64_t different = cases[_i].different;
    const struct cgs_row_source source = {.rows = ROWS,
                                          .columns = ROWS,
                                          .self = &different,
                                          .lengths = band_lengths,
                                          .fill = band_fill};
    for (int c = 0; c < 3; c++) {
        struct made made;
        make(&source, chunks[c], 1, CGS_F64, &made);
        check_decoded(&made);
        ck_assert_int_eq(made.sellc.of_way[CGS_SELLC_DIAGONALS], made.matrix.units);
        /* of 257 numbers most chunks of 8 miss the one whose code has 16 bits */
        ck_assert_int_ge(made.sellc.of_coding[cases[_i].coding],
                         cases[_i].table == 257 ? 100 : made.matrix.units - 2);
        if (cases[_i].table > 0)
            ck_assert_int_eq(made.sellc.table_count, cases[_i].table);
        unmake(&made);
    }
}

/* ---- how small ---- */

/* The cube: 16 bytes a chunk and a few patterns; deformed: 8 bytes an entry and a little. */
TEST(boxes_shrink)
{
    struct cgs_mesh mesh;
    struct made made;
    struct cgs_row_source source = box(&mesh, 32, 0.0);
    make(&source, 32, 1, CGS_F64, &made);
    ck_assert_int_eq(made.sellc.of_way[CGS_SELLC_DIAGONALS], made.matrix.units);
    ck_assert_int_eq(made.sellc.of_coding[CGS_SELLC_SAME], made.matrix.units);
    ck_assert_int_eq(made.sellc.data_bytes, 0);
    ck_assert_int_le(made.sellc.slot_count, 27 * 9);
    ck_assert_int_le(made.sellc.mask_count, 1 + 27 + 2 * 18 + 12 + 27 * 9);
    unmake(&made);
    cgs_assembler_release(&bed.context, &source);

    source = box(&mesh, 32, 0.05);
    make(&source, 32, 1, CGS_F64, &made);
    ck_assert_int_eq(made.sellc.of_way[CGS_SELLC_DIAGONALS], made.matrix.units);
    ck_assert_int_eq(made.sellc.data_bytes, made.matrix.stored * 8);
    ck_assert_int_le(cgs_sellc_bytes(&made.sellc), made.matrix.stored * 8 + (INT64_C(40) << 10));
    unmake(&made);
    cgs_assembler_release(&bed.context, &source);

    source = box(&mesh, 31, 0.0); /* chunks begin anywhere in a line of rows */
    make(&source, 8, 1, CGS_F64, &made);
    ck_assert_int_eq(made.sellc.data_bytes, 0);
    unmake(&made);
    cgs_assembler_release(&bed.context, &source);
}

/* Row i: 20 entries at random columns of 1e6, ascending. */
static void random_lengths(const struct cgs_row_source *source, int64_t first, int64_t last,
                           int32_t *lengths)
{
    (void)source;
    for (int64_t i = first; i < last; i++)
        lengths[i - first] = 20;
}

static void random_fill(const struct cgs_row_source *source, int64_t first, int64_t last,
                        int32_t *columns, double *values)
{
    const int64_t span = source->columns / 20;
    for (int64_t i = first; i < last; i++)
        for (int64_t j = 0; j < 20; j++) {
            const uint64_t bits = cgs_splitmix64((uint64_t)(i * 20 + j));
            *columns++ = (int32_t)(j * span + (int64_t)(bits % (uint64_t)span));
            *values++ = cgs_random(bits);
        }
}

/* At most 2 % on top of SELL where nothing can be saved; 16 bits a column where they do. */
TEST(random_matrix)
{
    struct cgs_row_source source = {
        .rows = 5003, .columns = 10000000, .lengths = random_lengths, .fill = random_fill};
    struct made made;
    for (int c = 0; c < 2; c++) {
        make(&source, chunks[c], 1, CGS_F64, &made);
        check_decoded(&made);
        const int64_t plain = made.matrix.stored * 12 + (made.matrix.units + 1) * 8;
        ck_assert_int_eq(made.sellc.of_way[CGS_SELLC_COLUMNS], made.matrix.units);
        ck_assert_int_le(cgs_sellc_bytes(&made.sellc), plain + plain / 50);
        unmake(&made);
    }
    source.columns = 1000000;
    make(&source, 32, 1, CGS_F64, &made);
    check_decoded(&made);
    /* all but the last chunk, which lacks rows */
    ck_assert_int_eq(made.sellc.of_way[CGS_SELLC_DELTAS], made.matrix.units - 1);
    ck_assert_int_le(cgs_sellc_bytes(&made.sellc), made.matrix.stored * 21 / 2);
    unmake(&made);
}

/* ---- the rest ---- */

static uint64_t hash_of(uint64_t hash, const void *from, int64_t bytes)
{
    for (int64_t i = 0; i < bytes; i++)
        hash = cgs_splitmix64(hash ^ ((const unsigned char *)from)[i]);
    return hash;
}

/* All but where in memory the data lie. */
static uint64_t print_of(const struct made *made)
{
    const struct cgs_sellc *s = &made->sellc;
    uint64_t hash = hash_of(1, s->slots, s->slot_count * (int64_t)sizeof *s->slots);
    hash = hash_of(hash, s->masks, s->mask_count * (int64_t)sizeof *s->masks);
    hash = hash_of(hash, s->table, s->table_count * cgs_number_bytes(s->number));
    for (int64_t k = 0; k < s->units; k++) {
        const uint64_t what = s->chunks[k].data - cgs_sellc_address(s->chunks[k]);
        hash = hash_of(hash, &what, sizeof what);
        hash = hash_of(hash, &s->chunks[k].pattern, 8);
    }
    return hash;
}

/* The jump in the coefficient gives all codings; 300000 rows are several pieces. */
TEST(threads_do_not_matter)
{
    struct cgs_mesh mesh = cgs_mesh_cube(66, CGS_GAUSS, 1.0);
    struct cgs_row_source source;
    uint64_t first = 0;
    mesh.kappa = (struct cgs_kappa){.kind = CGS_KAPPA_JUMP, .ratio = 3.0};
    must(cgs_assembler_create(&bed.context, &mesh, cgs_gather_of(&mesh), &source));
    for (int threads = 1; threads <= 4; threads += CHECK_SMALL ? 3 : 1) {
        struct made made;
        bed.context.threads = threads;
        make(&source, 8, 1, CGS_F64, &made);
        if (threads == 1) {
            first = print_of(&made);
            check_decoded(&made);
            ck_assert_int_gt(made.sellc.of_coding[CGS_SELLC_CODES8], 0);
            ck_assert_int_gt(made.sellc.of_coding[CGS_SELLC_SAME], 0);
        }
        ck_assert_msg(print_of(&made) == first, "%d threads: another result", threads);
        unmake(&made);
    }
    bed.context.threads = 2;
    cgs_assembler_release(&bed.context, &source);
}

TEST(wide_chunks_are_refused)
{
    struct plain *plain = plain_q1(3);
    const struct cgs_row_source source = plain_source(plain);
    struct cgs_sellc_store store = {.context = &bed.context};
    const struct cgs_sellc_sink sink = cgs_sellc_into(&store);
    struct cgs_matrix matrix;
    struct cgs_sellc sellc;
    must(cgs_matrix_create(&bed.context, &source, CGS_SELLC, 33, 1, &matrix));
    ck_assert_int_eq(cgs_sellc_encode(&bed.context, &matrix, CGS_F64, &sink, &sellc), CGS_USAGE);
    ck_assert_ptr_nonnull(strstr(bed.context.message, "at most 32 rows"));
    bed_forgive();
    cgs_matrix_release(&bed.context, &matrix);
    plain_free(plain);
}

int main(void)
{
    return bed_tests("sellc", 600);
}
