/* matrix/market: files. Those of tests/matrices/, each with what has to come out; and every file of
 * the collection beside the repository, where it is there, as its EXPECTED.tsv says. */
#include "matrix/market/market_archive.h"
#include "matrix/market/market_read.h"
#include "tests/matrix/market.h"

/* ---- tests/matrices ---- */

struct expected {
    const char *file;
    const char *complaint; /* part of the message, NULL: the file is read */
    int64_t rows, columns, stored, nonzeros, duplicates, zeros;
    double sum;
};

static const struct expected files[] = {
    {"crlf.mtx", NULL, 3, 3, 3, 3, 0, 0, 6.0},
    {"tabs_and_spaces.mtx", NULL, 3, 3, 3, 3, 0, 0, 6.0},
    {"mixed_case_banner.mtx", NULL, 3, 3, 3, 3, 0, 0, 6.0},
    {"no_final_newline.mtx", NULL, 3, 3, 3, 3, 0, 0, 6.0},
    {"unsorted.mtx", NULL, 4, 4, 8, 8, 0, 0, 36.0},
    {"explicit_zeros.mtx", NULL, 3, 3, 5, 5, 0, 4, 5.0},
    {"exponent_forms.mtx", NULL, 4, 4, 8, 8, 0, 1, 19.8000001},
    {"indefinite_2x2.mtx", NULL, 2, 2, 1, 2, 0, 0, 2.0},
    {"array_column_vector.mtx", NULL, 4, 1, 4, 4, 0, 0, 10.0},
    {"gzip_bomb_50MB_comment.mtx.gz", NULL, 3, 3, 3, 3, 0, 0, 6.0},
    {"gzip_data_named.mtx", NULL, 1000, 1000, 1000, 1000, 0, 0, 185185.0},
    {"not_gzip_but_named.mtx.gz", NULL, 3, 3, 3, 3, 0, 0, 6.0},
    {"small.mtx.xz", NULL, 2, 3, 2, 2, 0, 0, 12.0},
    {"small_sha256.mtx.xz", NULL, 2, 3, 2, 2, 0, 0, 12.0},
    {"small.tar.xz", NULL, 2, 3, 2, 2, 0, 0, 12.0},
    {"small.tar.gz", NULL, 2, 3, 2, 2, 0, 0, 12.0},
    {"only.tar.xz", NULL, 2, 1, 2, 2, 0, 0, 3.0},
    {"csr_stored.npz", NULL, 2, 2, 4, 4, 0, 0, 2.5},
    {"csr_deflated.npz", NULL, 2, 2, 4, 4, 0, 0, 2.5},
    {"boeing.rsa", NULL, 3, 3, 5, 7, 0, 0, 2.5},
    /* what the format leaves open: doc/matrix-market.md */
    {"duplicates_sum.mtx", NULL, 3, 3, 6, 4, 2, 1, 8.0},
    {"duplicates_symmetric.mtx", NULL, 2, 2, 4, 4, 1, 0, 2.0},
    {"fortran_D_exponents.mtx", NULL, 3, 3, 4, 4, 0, 0, 136.4975},
    {"skew_explicit_zero_diagonal.mtx", NULL, 3, 3, 3, 5, 0, 1, 0.0},
    {"underflow_1e-400.mtx", NULL, 3, 3, 3, 3, 0, 1, 4.0},
    {"utf8_bom.mtx", NULL, 3, 3, 3, 3, 0, 0, 6.0},
    {.file = "symmetric_both_triangles.mtx",
     .complaint = ":5: an entry above the diagonal, but line 4 has one below it"},
    {.file = "cr_only.mtx",
     .complaint = ":1: a CR (carriage return, \\x0d) within the line, byte 46"},
    {.file = "array_several_per_line.mtx",
     .complaint = ":3: expected one value, found 3 words: \"1 2 3\""},
    {.file = "ctrl_z_at_end.mtx", .complaint = ":6: one entry too many: expected 3 (line 2)"},
    /* wrong ones */
    {.file = "index_row_too_big.mtx", .complaint = ":4: row index 4 outside 1 ... 3"},
    {.file = "index_wraps_32bit.mtx", .complaint = ":4: row index 4294967298 outside 1 ... 3"},
    {.file = "nnz_1e18_declared.mtx",
     .complaint = ":6: the text ends after 3 entries: expected 1000000000000000000 (line 2)"},
    {.file = "nnz_wraps_64bit.mtx",
     .complaint = ":2: the number of entries, \"18446744073709551619\", does not fit 64 bits"},
    {.file = "array_huge_declared.mtx", .complaint = ": expected 1000000000000 (line 2)"},
    {.file = "array_symmetric_given_full.mtx", .complaint = ":6: one entry too many: expected 3"},
    {.file = "too_many_entries.mtx", .complaint = ":5: one entry too many: expected 2 (line 2)"},
    {.file = "too_few_entries.mtx",
     .complaint = ":6: the text ends after 3 entries: expected 5 (line 2)"},
    {.file = "truncated_mid_entry.mtx",
     .complaint = ":5: expected ROW COLUMN VALUE, found 2 words: \"3 3\""},
    {.file = "truncated_exponent.mtx",
     .complaint = ":5: expected a decimal number, found \"3.5e\""},
    {.file = "value_nan.mtx", .complaint = ":4: expected a finite number, found \"NaN\""},
    {.file = "value_overflow_1e400.mtx",
     .complaint = ":4: \"1e400\" is past the range of double precision"},
    {.file = "value_hex.mtx", .complaint = ":4: expected a decimal number, found \"0x1A\""},
    {.file = "comment_at_end_of_entry.mtx", .complaint = ":3: expected ROW COLUMN VALUE, found 5"},
    {.file = "complex_one_value.mtx",
     .complaint = ":1: the matrix is complex: cgsolve solves real systems"},
    {.file = "pattern_skew.mtx", .complaint = ":1: a pattern cannot be skew-symmetric"},
    {.file = "hermitian_rectangular.mtx", .complaint = ":1: the matrix is complex"},
    {.file = "symmetric_rectangular.mtx", .complaint = ":2: symmetric, but 3 rows and 4 columns"},
    {.file = "rows_above_int32.mtx", .complaint = ":2: 2147483648 rows: cgsolve counts columns in"},
    {.file = "size_line_two_numbers.mtx",
     .complaint = ":2: expected the three numbers ROWS COLUMNS ENTRIES, found 2"},
    {.file = "banner_symmetry_missing.mtx",
     .complaint = "general|symmetric|skew-symmetric, found 4"},
    {.file = "html_error_page.mtx", .complaint = ":1: expected the banner"},
    {.file = "binary_after_header.mtx", .complaint = ":3: expected a row index, found \""},
    {.file = "only_newlines.mtx", .complaint = ":1: expected the banner"},
    {.file = "empty.mtx", .complaint = ":1: the text ends here: expected the banner"},
    {.file = "gzip_truncated.mtx.gz", .complaint = "truncated gzip input"},
    {.file = "gzip_many_comments.mtx.gz", .complaint = "truncated gzip input"},
    {.file = "cut.tar.gz", .complaint = "truncated gzip input"},
    {.file = "no_matrix.tar.gz",
     .complaint = "the archive holds no .mtx file; it holds: small/README"},
    {.file = "two.tar.gz", .complaint = "small/small_b.mtx, small/small_coord.mtx"},
    {.file = "", .complaint = "is a folder"},
    {.file = "missing.mtx", .complaint = "cannot be opened: No such file or directory"},
};

static void check_read(const struct expected *e, const char *path)
{
    struct cgs_crs crs;
    struct cgs_market market;
    double sum = 0.0;
    must(cgs_market_read(&bed.context, path, NULL, &crs, &market));
    check_rows(&crs);
    ck_assert_int_eq(market.rows, e->rows);
    ck_assert_int_eq(market.columns, e->columns);
    ck_assert_int_eq(crs.rows, e->rows);
    ck_assert_int_eq(crs.columns, e->columns);
    ck_assert_int_eq(market.stored, e->stored);
    ck_assert_int_eq(market.nonzeros, e->nonzeros);
    ck_assert_int_eq(crs.pointers[crs.rows], e->nonzeros);
    ck_assert_int_eq(market.duplicates, e->duplicates);
    ck_assert_int_eq(market.zeros, e->zeros);
    for (int64_t k = 0; k < market.nonzeros; k++)
        sum += crs.value[k];
    ck_assert_double_le(fabs(sum - e->sum), 1e-12 * fabs(e->sum));
    cgs_crs_release(&bed.context, &crs);
    ck_assert_int_lt(bed.context.host_peak, 2 << 20); /* also where 50 MB come out of 48 kB */
}

LOOP_TEST(files_of_the_tests, sizeof files / sizeof *files)
{
    const struct expected *e = &files[_i];
    const char *folder = getenv("CGS_SRCDIR");
    char path[4096];
    struct cgs_crs crs;
    struct cgs_market market;
    snprintf(path, sizeof path, "%s/tests/matrices/%s", folder ? folder : ".", e->file);
    if (!e->complaint) {
        check_read(e, path);
        return;
    }
    ck_assert_int_eq(cgs_market_read(&bed.context, path, NULL, &crs, &market), CGS_FILE);
    ck_assert_msg(strstr(bed.context.message, e->complaint), "%s", bed.context.message);
    ck_assert_msg(strncmp(bed.context.message, path, strlen(path)) == 0, "%s", bed.context.message);
    ck_assert_int_eq(bed.context.host_bytes, 0);
    bed_forgive();
}

TEST(names_of_members)
{
    const char *folder = getenv("CGS_SRCDIR");
    char path[4096];
    struct cgs_crs crs;
    struct cgs_market market;
    snprintf(path, sizeof path, "%s/tests/matrices/small.tar.gz", folder ? folder : ".");
    must(cgs_market_read(&bed.context, path, NULL, &crs, &market));
    ck_assert_str_eq(market.member, "small/small.mtx");
    ck_assert(!market.array && market.field == CGS_MARKET_REAL);
    ck_assert_int_eq(market.bytes, 64);
    cgs_crs_release(&bed.context, &crs);
}

/* Companions of NAME/NAME.mtx are no matrices of their own; any member can be read by its name. */
TEST(members_of_archives)
{
    const char *folder = getenv("CGS_SRCDIR");
    char path[4096], **names;
    int count;
    struct cgs_crs crs;
    struct cgs_market market;
    struct cgs_market_settings settings = {.member = "small/small_coord.mtx"};
    snprintf(path, sizeof path, "%s/tests/matrices/small.tar.gz", folder ? folder : ".");
    must(cgs_market_members(&bed.context, path, NULL, &names, &count));
    ck_assert_int_eq(count, 1);
    ck_assert_str_eq(names[0], "small/small.mtx");
    cgs_market_members_release(names, count);
    snprintf(path, sizeof path, "%s/tests/matrices/two.tar.gz", folder ? folder : ".");
    must(cgs_market_members(&bed.context, path, NULL, &names, &count));
    ck_assert_int_eq(count, 2);
    ck_assert_str_eq(names[1], settings.member);
    cgs_market_members_release(names, count);
    must(cgs_market_read(&bed.context, path, &settings, &crs, &market));
    ck_assert_str_eq(market.member, settings.member);
    cgs_crs_release(&bed.context, &crs);
    settings.member = "small/other.mtx";
    ck_assert_int_eq(cgs_market_read(&bed.context, path, &settings, &crs, &market), CGS_FILE);
    ck_assert_ptr_nonnull(strstr(bed.context.message, "holds no member 'small/other.mtx'"));
    snprintf(path, sizeof path, "%s/tests/matrices/small.mtx.xz", folder ? folder : ".");
    bed.context.status = CGS_OK;
    must(cgs_market_members(&bed.context, path, NULL, &names, &count));
    ck_assert_int_eq(count, 0);
    cgs_market_members_release(names, count);
}

/* ---- EXPECTED.tsv ---- */

enum { FIELDS = 32 };

struct table {
    FILE *file;
    char folder[3000];
    char names[2048], line[4096];
    char *name[FIELDS], *field[FIELDS];
};

static void cut(char *line, char **fields)
{
    line[strcspn(line, "\r\n")] = '\0';
    for (int i = 0; i < FIELDS; i++) {
        fields[i] = line;
        line += strcspn(line, "\t");
        if (*line)
            *line++ = '\0';
    }
}

static const char *field(const struct table *table, const char *name)
{
    for (int i = 0; i < FIELDS; i++)
        if (strcmp(table->name[i], name) == 0)
            return table->field[i];
    return "";
}

/* $CGS_SHARED or ../shared beside the sources: false where it is not there. */
static bool open_table(struct table *table, const char *below)
{
    const char *shared = getenv("CGS_SHARED"), *sources = getenv("CGS_SRCDIR");
    char path[4096];
    snprintf(table->folder, sizeof table->folder, "%s%s/data/matrices%s",
             shared    ? shared
             : sources ? sources
                       : ".",
             shared ? "" : "/../shared", below);
    snprintf(path, sizeof path, "%s/EXPECTED.tsv", table->folder);
    table->file = fopen(path, "r");
    if (!table->file) {
        printf("no %s: skipped\n", path);
        return false;
    }
    ck_assert_ptr_nonnull(fgets(table->names, sizeof table->names, table->file));
    cut(table->names, table->name);
    return true;
}

static void check_numbers(const struct table *t, const struct cgs_crs *crs,
                          const struct cgs_market *market)
{
    const char *file = field(t, "file");
    double sum = 0.0, size = 0.0;
    for (int64_t k = 0; k < crs->pointers[crs->rows]; k++) {
        sum += crs->value[k];
        size += fabs(crs->value[k]);
    }
    ck_assert_msg(market->rows == atoll(field(t, "rows")), "%s", file);
    ck_assert_msg(market->columns == atoll(field(t, "cols")), "%s", file);
    ck_assert_msg(market->stored == atoll(field(t, "stored")), "%s", file);
    ck_assert_msg(market->nonzeros == atoll(field(t, "nnz_expanded")), "%s", file);
    const double n = (double)market->nonzeros;
    ck_assert_msg(fabs(sum - atof(field(t, "sum_re"))) <= n * 0x1p-52 * size, "%s: %.17g", file,
                  sum);
    ck_assert_msg(crs->symmetric == (strcmp(field(t, "symmetry"), "symmetric") == 0), "%s", file);
}

/* Returns true if cgsolve reads such files: not complex ones. */
static bool is_ours(const struct table *t)
{
    return strcmp(field(t, "field"), "complex") != 0;
}

LOOP_TEST(expected, 2)
{
    static const char *const below[] = {"", "/awkward"};
    struct table t;
    int read = 0;
    if (!open_table(&t, below[_i]))
        return;
    while (fgets(t.line, sizeof t.line, t.file)) {
        char path[8192];
        struct cgs_crs crs;
        struct cgs_market market;
        cut(t.line, t.field);
        const char *outcome = field(&t, "outcome");
        snprintf(path, sizeof path, "%s/%s", t.folder, field(&t, "file"));
        const enum cgs_status status = cgs_market_read(&bed.context, path, NULL, &crs, &market);
        const bool either = strcmp(outcome, "either") == 0;
        const bool wanted = strcmp(outcome, "reject") != 0 && is_ours(&t);
        ck_assert_msg(status == CGS_OK || status == CGS_FILE, "%s", bed.context.message);
        ck_assert_msg(either || (status == CGS_OK) == wanted, "%s: %s", path, bed.context.message);
        ck_assert_msg(status == CGS_OK || strstr(bed.context.message, path), "%s: %s", path,
                      bed.context.message);
        if (status == CGS_OK) {
            check_rows(&crs);
            if (*field(&t, "rows"))
                check_numbers(&t, &crs, &market);
            cgs_crs_release(&bed.context, &crs);
        }
        ck_assert_int_eq(bed.context.host_bytes, 0);
        bed_forgive();
        read++;
    }
    fclose(t.file);
    printf("%d files of %s\n", read, t.folder);
    ck_assert_int_gt(read, 100);
}

int main(void)
{
    return market_tests("market", 300);
}
