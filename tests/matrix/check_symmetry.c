/* matrix/symmetry.h: matrices that are symmetric, and the first pair of entries of those that are
 * not, against a plain search. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "fem/assembly.h"
#include "matrix/symmetry.h"
#include "tests/support/support.h"

/* The message of a refusal; "" where the matrix is taken. Forgets it in the bed. */
static const char *verdict(const struct cgs_row_source *source, bool positive_diagonal)
{
    static char message[512];
    const enum cgs_status status =
        cgs_matrix_check_symmetry(&bed.context, source, positive_diagonal, NULL);
    ck_assert(status == CGS_OK || status == CGS_BREAKDOWN);
    ck_assert_int_eq(status, bed.context.status);
    snprintf(message, sizeof message, "%.500s", bed.context.message);
    bed_forgive();
    return status == CGS_OK ? "" : message;
}

#define takes(source, diagonal) ck_assert_str_eq(verdict((source), (diagonal)), "")

#define refuses(source, diagonal, words)                                                           \
    do {                                                                                           \
        const char *said = verdict((source), (diagonal));                                          \
        ck_assert_msg(strstr(said, (words)) != NULL, "'%s' is not in '%s'", (words), said);        \
    } while (0)

/* ---- 4 x 4, entry by entry ---- */

/*     2 1 . 0          in the pattern all that is not a dot, so that explicit zeros count, too
 *     1 2 . .
 *     . . 3 5
 *     . . 5 4    */
static int64_t start[] = {0, 3, 5, 7, 9};
static int32_t column[] = {0, 1, 3, 0, 1, 2, 3, 2, 3};
static const double right[] = {2, 1, 0, 1, 2, 3, 5, 5, 4};
static double value[9];

static struct cgs_row_source four(int changed, double to)
{
    static struct plain plain;
    memcpy(value, right, sizeof value);
    value[changed] = to;
    plain = (struct plain){4, 4, start, column, value};
    return plain_source(&plain);
}

TEST(an_explicit_zero_is_as_good_as_none)
{
    struct cgs_row_source source = four(2, 0.0);
    takes(&source, true);
    source = four(2, -0.0);
    takes(&source, true);
}

TEST(a_pair_is_named_with_its_values)
{
    struct cgs_row_source source = four(1, -0.5);
    refuses(&source, true, "a(1, 2) = -0.5 but a(2, 1) = 1 (rows and columns counted from 1)");
    source = four(7, 6.0);
    refuses(&source, false, "a(3, 4) = 5 but a(4, 3) = 6");
    source = four(2, 7.0);
    refuses(&source, true, "a(1, 4) = 7 but a(4, 1) is not there");
    source = four(1, 0.0);
    refuses(&source, true, "a(1, 2) = 0 but a(2, 1) = 1");
    source = four(7, nextafter(5.0, 6.0));
    refuses(&source, true, "a(3, 4) = 5 but a(4, 3) = 5.0000000000000009");
    source = four(7, NAN);
    refuses(&source, true, "a(4, 3) = nan");
}

TEST(a_mirror_that_is_missing_above_the_diagonal)
{
    static int64_t begin[] = {0, 1, 2, 4};
    static int32_t columns[] = {0, 1, 0, 2};
    static double values[] = {1, 1, 3, 1};
    const struct plain plain = {3, 3, begin, columns, values};
    const struct cgs_row_source source = plain_source(&plain);
    refuses(&source, true, "a(1, 3) is not there but a(3, 1) = 3");
}

TEST(the_diagonal_is_positive_where_that_is_asked)
{
    struct cgs_row_source source = four(4, -2.0);
    takes(&source, false);
    refuses(&source, true, "a(2, 2) = -2 ");
    source = four(0, 0.0);
    refuses(&source, true, "a(1, 1) = 0 ");
    source = four(8, NAN);
    refuses(&source, true, "a(4, 4) = nan");

    static int64_t begin[] = {0, 1, 1};
    static int32_t columns[] = {0};
    static double values[] = {1};
    const struct plain plain = {2, 2, begin, columns, values};
    source = plain_source(&plain);
    takes(&source, false);
    refuses(&source, true, "row and column 2 (counted from 1) have no entries");
}

TEST(a_row_of_zeros_is_named_as_such)
{
    static int64_t begin[] = {0, 2, 4};
    static int32_t columns[] = {0, 1, 0, 1};
    static double values[] = {1, 0, -0.0, 0};
    const struct plain plain = {2, 2, begin, columns, values};
    const struct cgs_row_source source = plain_source(&plain);
    takes(&source, false);
    refuses(&source, true, "row and column 2 (counted from 1) hold only zeros");
    values[1] = values[2] = 3;
    refuses(&source, true, "a(2, 2) = 0 ");
}

TEST(not_square)
{
    const struct plain plain = {4, 5, start, column, value};
    memcpy(value, right, sizeof value);
    const struct cgs_row_source source = plain_source(&plain);
    refuses(&source, true, "4 rows and 5 columns");
}

/* ---- many rows: several groups, several walks, any number of threads ---- */

enum { ROWS = 3 * 4096 + 17, WIDTH = 7, FAR = 5000 };

/* Entries at distances 0, 1, 40 and FAR, mirrored. */
static struct plain *banded(void)
{
    static const int32_t distance[WIDTH] = {-FAR, -40, -1, 0, 1, 40, FAR};
    struct plain *plain = must_have(sizeof *plain);
    plain->rows = plain->columns = ROWS;
    plain->start = must_have((ROWS + 1) * sizeof *plain->start);
    plain->column = must_have(ROWS * WIDTH * sizeof *plain->column);
    plain->value = must_have(ROWS * WIDTH * sizeof *plain->value);
    int64_t at = 0;
    for (int32_t i = 0; i < ROWS; i++) {
        plain->start[i] = at;
        for (int d = 0; d < WIDTH; d++) {
            const int32_t j = i + distance[d];
            if (j < 0 || j >= ROWS)
                continue;
            const uint64_t low = (uint64_t)(i < j ? i : j), high = (uint64_t)(i < j ? j : i);
            plain->column[at] = j;
            plain->value[at++] = i == j ? 10.0 : cgs_random(low * ROWS + high);
        }
    }
    plain->start[ROWS] = at;
    return plain;
}

static double plain_entry(const struct plain *plain, int64_t i, int64_t j)
{
    for (int64_t k = plain->start[i]; k < plain->start[i + 1]; k++)
        if (plain->column[k] == j)
            return plain->value[k];
    return 0.0;
}

/* "a(i, j) " of the first pair that differs; "" where none does. */
static void first_pair(const struct plain *plain, char *text, size_t size)
{
    int64_t first_i = ROWS, first_j = ROWS;
    for (int64_t i = 0; i < plain->rows; i++)
        for (int64_t k = plain->start[i]; k < plain->start[i + 1]; k++) {
            const int64_t j = plain->column[k];
            const int64_t low = i < j ? i : j, high = i < j ? j : i;
            if (plain->value[k] != plain_entry(plain, j, i) &&
                (low < first_i || (low == first_i && high < first_j))) {
                first_i = low;
                first_j = high;
            }
        }
    text[0] = '\0';
    if (first_i < ROWS)
        snprintf(text, size, "a(%lld, %lld) ", (long long)first_i + 1, (long long)first_j + 1);
}

TEST(the_first_pair_whatever_the_threads)
{
    static const int threads[] = {1, 2, 5};
    struct plain *plain = banded();
    const int64_t entries = plain->start[ROWS];
    const struct cgs_row_source source = plain_source(plain);
    for (int changes = 0; changes < 12; changes++) {
        char expected[64];
        first_pair(plain, expected, sizeof expected);
        ck_assert_int_eq(expected[0] == '\0', changes == 0);
        for (int t = 0; t < 3; t++) {
            bed.context.threads = threads[t];
            if (changes == 0)
                takes(&source, true);
            else
                refuses(&source, true, expected);
        }
        /* Three more entries off the diagonal, two of a row at least, ever further to the front. */
        int64_t k =
            (int64_t)(cgs_splitmix64((uint64_t)changes) % (uint64_t)entries) / (changes + 1);
        for (int more = 0; more < 3; k++)
            if (plain->value[k] != 10.0) {
                plain->value[k] += 0.25;
                more++;
            }
    }
    bed.context.threads = 2;
    plain_free(plain);
}

/* ---- what the program itself makes ---- */

LOOP_TEST(assembled_matrices_are_what_they_say, 2)
{
    const bool box = _i == 1;
    static const enum cgs_gather how[] = {CGS_GATHER_SHARED, CGS_GATHER_CELLS};
    for (int rule = CGS_GAUSS; rule <= CGS_BLENDED; rule++)
        for (int h = 0; h < 2; h++)
            for (int64_t n = 1; n <= 19; n += 6) {
                const int64_t sizes[3] = {n, n % 5 + 1, 2 * n - 1};
                const double lengths[3] = {1.0, 2.0, 0.5};
                const struct cgs_mesh mesh =
                    box ? cgs_mesh_box(sizes, lengths, (enum cgs_quadrature)rule, 3.0)
                        : cgs_mesh_cube(n, (enum cgs_quadrature)rule, 3.0);
                struct cgs_row_source source;
                must(cgs_assembler_create(&bed.context, &mesh, how[h], &source));
                ck_assert(source.symmetric);
                takes(&source, true);
                cgs_assembler_release(&bed.context, &source);
            }
}

int main(void)
{
    return bed_tests("symmetry", 120);
}
