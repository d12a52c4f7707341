/* matrix/market: what needs files made on the spot: long ones, in which threads meet and buffers
 * end; wrong lines at any place; the plan, progress, memory that runs out. */
#include "matrix/market/market_read.h"
#include "tests/matrix/market.h"

/* ---- long files ---- */

/* The entry k of such a file, as the reader should see it. */
static double entry_value(const struct lines *lines, char **at, int64_t *row, int64_t *column)
{
    (void)lines;
    char *line = *at;
    while (line[strspn(line, " \t")] == '%' || line[strspn(line, " \t")] == '\n')
        line = strchr(line, '\n') + 1;
    *row = strtoll(line, &line, 10) - 1;
    *column = strtoll(line, &line, 10) - 1;
    const double value = strtod(line, &line);
    *at = strchr(line, '\n') + 1;
    return value;
}

/* A dense matrix by the plainest means: a[i * n + j], and how often each place is met. */
static void plain_read(const struct lines *lines, int64_t n, int64_t entries, char symmetry,
                       double *a, int *met)
{
    char *at = lines->text;
    for (int i = 0; i < 3; i++)
        at = strchr(at, '\n') + 1;
    for (int64_t k = 0; k < entries; k++) {
        int64_t row, column;
        const double value = entry_value(lines, &at, &row, &column);
        a[row * n + column] += value;
        met[row * n + column]++;
        if (symmetry != 'g' && row != column) {
            a[column * n + row] += symmetry == 'k' ? -value : value;
            met[column * n + row]++;
        }
    }
}

static void check_dense(const struct cgs_crs *crs, int64_t n, const double *a, const int *met)
{
    int64_t entries = 0;
    check_rows(crs);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = crs->pointers[i]; k < crs->pointers[i + 1]; k++) {
            const int64_t at = i * n + crs->column[k];
            if (met[at] == 0 || a[at] != crs->value[k]) /* the same sums in the same order */
                ck_abort_msg("entry %lld, %d: %.17g", (long long)i, crs->column[k], crs->value[k]);
        }
    for (int64_t at = 0; at < n * n; at++)
        entries += met[at] > 0;
    ck_assert_int_eq(entries, crs->pointers[n]);
}

static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric"};

/* 300 x 300 with 60 000 entries: rows of 200, unsorted, many places met twice. */
LOOP_TEST(against_a_plain_reader, 3)
{
    enum { N = 300, ENTRIES = 60000 };
    struct lines lines = make_lines(symmetries[_i], N, ENTRIES, ENTRIES);
    const struct made made = made_file(lines.text, lines.size);
    double *a = must_have(N * N * sizeof *a);
    int *met = must_have(N * N * sizeof *met);
    int64_t duplicates = 0;
    plain_read(&lines, N, ENTRIES, "gsk"[_i], a, met);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < (_i == 0 ? N : i + 1); j++)
            duplicates += met[i * N + j] > 1 ? met[i * N + j] - 1 : 0;
    struct cgs_crs one = {0};
    for (int threads = 1; threads <= 3; threads++) {
        struct cgs_crs crs;
        struct cgs_market market;
        bed.context.threads = threads;
        must(cgs_market_read(&bed.context, made.path, NULL, &crs, &market));
        ck_assert_int_eq(market.duplicates, duplicates);
        ck_assert_int_eq(market.stored, ENTRIES);
        check_dense(&crs, N, a, met);
        if (threads == 1) {
            one = crs;
            continue;
        }
        check_same(&crs, &one);
        cgs_crs_release(&bed.context, &crs);
    }
    ck_assert(one.symmetric == (_i == 1));
    ck_assert_double_gt(one.norm, 0.0);
    cgs_crs_release(&bed.context, &one);
    free(met);
    free(a);
    made_end(&made);
    lines_end(&lines);
}

/* Buffers that end anywhere, pieces of a line each: the same matrix. */
LOOP_TEST(any_buffer, 3)
{
    enum { N = 300, ENTRIES = 3000 };
    static const int64_t buffers[] = {100, 101, 128, 1000, 4096, 65536};
    struct lines lines = make_lines(symmetries[_i], N, ENTRIES, ENTRIES);
    const struct made made = made_file(lines.text, lines.size);
    struct cgs_crs one, crs;
    struct cgs_market market;
    must(cgs_market_read(&bed.context, made.path, NULL, &one, &market));
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
        const struct cgs_market_settings settings = {.buffer = buffers[i]};
        must(cgs_market_read(&bed.context, made.path, &settings, &crs, &market));
        check_same(&crs, &one);
        ck_assert_int_eq(market.bytes, (int64_t)lines.size);
        cgs_crs_release(&bed.context, &crs);
    }
    cgs_crs_release(&bed.context, &one);
    made_end(&made);
    lines_end(&lines);
}

/* A comment may be longer than the buffer, anywhere below the banner; a line of numbers may not. */
TEST(lines_longer_than_the_buffer)
{
    char text[2000] = "%%MatrixMarket matrix coordinate real general\n  %";
    const struct cgs_market_settings settings = {.buffer = 80};
    struct cgs_crs crs;
    struct cgs_market market;
    memset(text + strlen(text), 'c', 500);
    strcat(text, "\n2 2 3\n1 1 1\n%");
    memset(text + strlen(text), 'd', 400);
    strcat(text, "\n2 2 2\n");
    const size_t before = strlen(text);
    strcat(text, "2 1 5");
    struct made made = made_text(text);
    must(cgs_market_read(&bed.context, made.path, &settings, &crs, &market));
    ck_assert_int_eq(market.nonzeros, 3);
    ck_assert(crs.value[0] == 1.0 && crs.value[1] == 5.0 && crs.value[2] == 2.0);
    cgs_crs_release(&bed.context, &crs);
    made_end(&made);
    memset(text + before, ' ', 200);
    strcpy(text + before + 200, "2 1 x\n");
    made = made_text(text);
    ck_assert_int_eq(cgs_market_read(&bed.context, made.path, &settings, &crs, &market), CGS_FILE);
    ck_assert_msg(strstr(bed.context.message, ":7: a line of more than 80 bytes"), "%s",
                  bed.context.message);
    bed_forgive();
    made_end(&made);
}

/* Past the buffer: several stretches, and lines that are cut by its end. */
TEST(longer_than_the_buffer)
{
    enum { N = 100000, ENTRIES = 600000 };
    struct lines lines = make_lines("general", N, ENTRIES, ENTRIES);
    const struct made made = made_file(lines.text, lines.size);
    struct cgs_crs crs[2];
    struct cgs_market market;
    ck_assert_uint_gt(lines.size, (size_t)1 << 24);
    for (int i = 0; i < 2; i++) {
        bed.context.threads = i + 1;
        must(cgs_market_read(&bed.context, made.path, NULL, &crs[i], &market));
    }
    check_same(&crs[0], &crs[1]);
    check_rows(&crs[0]);
    ck_assert_int_eq(market.bytes, (int64_t)lines.size);
    ck_assert_int_eq(market.stored, ENTRIES);
    ck_assert_int_eq(market.nonzeros + market.duplicates, ENTRIES);
    ck_assert_double_gt(market.seconds, 0.0);
    for (int i = 0; i < 2; i++)
        cgs_crs_release(&bed.context, &crs[i]);
    made_end(&made);
    lines_end(&lines);
}

/* ---- wrong lines ---- */

static void expect_failure(const struct made *made, int64_t line, const char *what)
{
    struct cgs_crs crs;
    struct cgs_market market;
    char wanted[256];
    snprintf(wanted, sizeof wanted, "%s:%lld: %s", made->path, (long long)line, what);
    for (int threads = 1; threads <= 3; threads++) {
        bed.context.threads = threads;
        ck_assert_int_eq(cgs_market_read(&bed.context, made->path, NULL, &crs, &market), CGS_FILE);
        ck_assert_msg(strncmp(bed.context.message, wanted, strlen(wanted)) == 0, "%s: %s", wanted,
                      bed.context.message);
        ck_assert_int_eq(bed.context.host_bytes, 0);
        bed_forgive();
    }
}

/* Spoils the first character of entry k. */
static void spoil(struct lines *lines, int64_t k)
{
    char *at = lines->text;
    for (int64_t line = 1; line < lines->where[k]; line++)
        at = strchr(at, '\n') + 1;
    *at = 'x';
}

TEST(first_wrong_line)
{
    enum { N = 5000, ENTRIES = 700000 };
    static const int64_t wrong[] = {0, 1, 1999, 54321, 400000, 599998, ENTRIES - 1};
    struct lines lines = make_lines("general", N, ENTRIES, ENTRIES);
    for (int i = (int)(sizeof wrong / sizeof *wrong); i-- > 0;) {
        spoil(&lines, wrong[i]); /* those behind it are spoiled already */
        const struct made made = made_file(lines.text, lines.size);
        expect_failure(&made, lines.where[wrong[i]], "expected a row index, found \"x");
        made_end(&made);
    }
    lines_end(&lines);
}

/* A CR stands before the LF of a line's end, or in a comment: anywhere else it is no blank. */
TEST(carriage_returns)
{
#define BANNER "%%MatrixMarket matrix coordinate real general"
    static const char *const read[] = {
        BANNER "\r\n% a\rcomment\r\n\r\n2 2 2\r\n1 1 3\r\n \r\n2 2 4\r\n",
        BANNER "\n2 2 2\r\n1 1 3 \r\n\t2\t2 4\r", /* amid the last line's end */
    };
    static const struct {
        const char *text;
        int line, byte;
    } refused[] = {
        {BANNER "\r\r\n2 2 2\n1 1 3\n2 2 4\n", 1, 46},
        {"%%MatrixMarket\rmatrix coordinate real general\n2 2 2\n1 1 3\n2 2 4\n", 1, 15},
        {BANNER "\n2 2\r2\n1 1 3\n2 2 4\n", 2, 4},
        {BANNER "\n\r \n2 2 2\n1 1 3\n2 2 4\n", 2, 1},
        {BANNER "\n2 2 2\n1\r1 3\n2 2 4\n", 3, 2},
        {BANNER "\n2 2 2\n1 1\r3\n2 2 4\n", 3, 4},
        {BANNER "\n2 2 2\n1 1 3\r \n2 2 4\n", 3, 6},
        {BANNER "\n2 2 2\n1 1 3\r\r\n2 2 4\n", 3, 6},
        {BANNER "\n2 2 2\n\r1 1 3\n2 2 4\n", 3, 1},
        {BANNER "\n2 2 2\n1 1 3\r2 2 4\n", 3, 6},
        {BANNER "\n2 2 2\n1 1 3\n2 2 4\n\r\r\n", 5, 1},
    };
#undef BANNER
    struct cgs_crs crs;
    struct cgs_market market;
    char what[128];
    for (size_t i = 0; i < sizeof read / sizeof *read; i++) {
        const struct made made = made_text(read[i]);
        must(cgs_market_read(&bed.context, made.path, NULL, &crs, &market));
        ck_assert(market.nonzeros == 2 && crs.value[0] == 3.0 && crs.value[1] == 4.0);
        cgs_crs_release(&bed.context, &crs);
        made_end(&made);
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const struct made made = made_text(refused[i].text);
        snprintf(what, sizeof what,
                 "a CR (carriage return, \\x0d) within the line, byte %d of it:", refused[i].byte);
        expect_failure(&made, refused[i].line, what);
        made_end(&made);
    }
}

TEST(too_many_and_too_few)
{
    enum { N = 5000, ENTRIES = 50000 };
    for (int i = -1; i <= 1; i += 2) {
        struct lines lines = make_lines("symmetric", N, ENTRIES, ENTRIES + i);
        const struct made made = made_file(lines.text, lines.size);
        expect_failure(&made, lines.where[i < 0 ? ENTRIES - 1 : ENTRIES],
                       i < 0 ? "one entry too many: expected 49999 (line 3)"
                             : "the text ends after 50000 entries: expected 50001 (line 3)");
        made_end(&made);
        lines_end(&lines);
    }
}

/* A count that a big file cannot hold is refused before its entries are read. */
TEST(no_room_for_what_is_declared)
{
    enum { N = 5000, ENTRIES = 200000 };
    struct lines lines = make_lines("general", N, ENTRIES, INT64_C(1000000000000000000));
    const struct made made = made_file(lines.text, lines.size);
    expect_failure(&made, 3, "1000000000000000000 entries expected, but the ");
    ck_assert_int_lt(bed.context.host_peak, 17 << 20); /* the buffer */
    made_end(&made);
    lines_end(&lines);
}

int main(void)
{
    return market_tests("market_made", 120);
}
