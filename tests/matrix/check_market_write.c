/* matrix/market: matrices and vectors written and read again, by us and,
 * where it is there, by SciPy. */
#include "base/memory.h"
#include "matrix/market/market_read.h"
#include "matrix/market/market_vector.h"
#include "matrix/market/market_write.h"
#include "tests/matrix/market.h"

static struct made written(const struct cgs_row_source *source)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(file);
    must(cgs_market_write(&bed.context, file, "first line\nsecond line", source));
    ck_assert_int_eq(ferror(file), 0);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_ptr_nonnull(strstr(text, "\n% first line\n% second line\n"));
    const struct made made = made_file(text, size);
    free(text);
    return made;
}

static void check_round_trip(const struct cgs_row_source *source, const struct plain *plain)
{
    struct cgs_crs crs;
    struct cgs_market market;
    const struct made made = written(source);
    must(cgs_market_read(&bed.context, made.path, NULL, &crs, &market));
    const size_t count = (size_t)plain->start[plain->rows];
    ck_assert_int_eq(crs.rows, plain->rows);
    ck_assert_int_eq(crs.columns, plain->columns);
    ck_assert_mem_eq(crs.pointers, plain->start, (size_t)(plain->rows + 1) * sizeof *plain->start);
    ck_assert_mem_eq(crs.column, plain->column, count * sizeof *crs.column);
    ck_assert_mem_eq(crs.value, plain->value, count * sizeof *crs.value);
    ck_assert(crs.symmetric == source->symmetric);
    ck_assert_int_eq(market.symmetry,
                     source->symmetric ? CGS_MARKET_SYMMETRIC : CGS_MARKET_GENERAL);
    cgs_crs_release(&bed.context, &crs);
    made_end(&made);
}

LOOP_TEST(matrices, plain_cases())
{
    struct plain *plain = plain_make(_i, PLAIN_RANDOM);
    const struct cgs_row_source source = plain_source(plain);
    check_round_trip(&source, plain);
    plain_free(plain);
}

TEST(a_symmetric_matrix)
{
    struct plain *plain = plain_q1(20);
    struct cgs_row_source source = plain_source(plain);
    check_round_trip(&source, plain);
    source.symmetric = true;
    check_round_trip(&source, plain);
    plain_free(plain);
}

TEST(vectors)
{
    enum { N = 10001 };
    double *x = must_have(2 * N * sizeof *x), *y;
    int64_t columns;
    char *text = NULL;
    size_t size = 0;
    for (int i = 0; i < 2 * N; i++)
        x[i] = made_double((uint64_t)i);
    FILE *file = open_memstream(&text, &size);
    must(cgs_market_write_vectors(&bed.context, file, NULL, N, 2, x));
    ck_assert_int_eq(fclose(file), 0);
    const struct made made = made_file(text, size);
    must(cgs_market_read_vectors(&bed.context, made.path, NULL, N, &columns, &y));
    ck_assert_int_eq(columns, 2);
    ck_assert_mem_eq(x, y, 2 * N * sizeof *x);
    cgs_free(&bed.context, y);
    ck_assert_int_eq(cgs_market_read_vectors(&bed.context, made.path, NULL, N, NULL, &y), CGS_FILE);
    ck_assert_msg(strstr(bed.context.message, "expected a vector, 10001 rows and 1 column, found "
                                              "10001 rows and 2 columns"),
                  "%s", bed.context.message);
    bed_forgive();
    made_end(&made);
    free(text);
    const struct made sparse = made_text("%%MatrixMarket matrix coordinate integer general\n"
                                         "10001 1 2\n10001 1 -7\n3 1 5\n");
    must(cgs_market_read_vectors(&bed.context, sparse.path, NULL, N, NULL, &y));
    for (int i = 0; i < N; i++)
        ck_assert(y[i] == (i == 2 ? 5.0 : i == N - 1 ? -7.0 : 0.0));
    made_end(&sparse);
    cgs_free(&bed.context, y);
    free(x);
}

/* Numbers that overflow only when they are added. */
TEST(a_sum_past_the_range)
{
    const struct made made = made_text("%%MatrixMarket matrix coordinate real general\n"
                                       "3 3 3\n1 1 1\n2 3 1e308\n2 3 1e308\n");
    struct cgs_crs crs;
    struct cgs_market market;
    ck_assert_int_eq(cgs_market_read(&bed.context, made.path, NULL, &crs, &market), CGS_FILE);
    ck_assert_ptr_nonnull(strstr(bed.context.message, "entries of row 2"));
    bed_forgive();
    made_end(&made);
}

/* A full disk shows in ferror, and ends the writing. */
TEST(a_full_disk)
{
    FILE *file = fopen("/dev/full", "w");
    struct plain *plain = plain_q1(30);
    const struct cgs_row_source source = plain_source(plain);
    if (file) {
        must(cgs_market_write(&bed.context, file, NULL, &source));
        ck_assert_int_ne(ferror(file), 0);
        fclose(file);
    }
    plain_free(plain);
}

TEST(memory_that_runs_out)
{
    enum cgs_status status = CGS_MEMORY;
    struct plain *plain = plain_q1(3);
    const struct cgs_row_source source = plain_source(plain);
    FILE *file = fopen("/dev/null", "w");
    int k = 0;
    ck_assert_ptr_nonnull(file);
    for (; status == CGS_MEMORY && k < 100; k++) {
        bed.context.starve_in[CGS_HOST] = k + 1;
        status = cgs_market_write(&bed.context, file, NULL, &source);
        bed.context.starve_in[CGS_HOST] = 0;
        ck_assert_int_eq(bed.context.host_bytes, 0);
        ck_assert_int_eq(status, bed.context.status);
        bed_forgive();
    }
    ck_assert_int_eq(status, CGS_OK);
    ck_assert_int_eq(k, 6); /* five buffers */
    fclose(file);
    plain_free(plain);
}

/* SciPy reads our files: the same sums, the same entries. */
TEST(scipy_reads_it)
{
    static const char *const pythons[] = {"python3", "/usr/bin/python3"};
    char command[512];
    struct plain *plain = plain_q1(6);
    struct cgs_row_source source = plain_source(plain);
    int i = 0;
    for (; i < 2; i++) {
        snprintf(command, sizeof command, "%s -c 'import scipy.io' 2>/dev/null", pythons[i]);
        if (system(command) == 0)
            break;
    }
    if (i == 2)
        printf("no SciPy: skipped\n");
    for (int symmetric = 0; symmetric < 2 && i < 2; symmetric++) {
        source.symmetric = symmetric;
        const struct made made = written(&source);
        char *numbers = NULL;
        size_t size = 0;
        FILE *file = open_memstream(&numbers, &size);
        for (int64_t row = 0; row < plain->rows; row++)
            for (int64_t k = plain->start[row]; k < plain->start[row + 1]; k++)
                fprintf(file, "%lld %d %.17g\n", (long long)row, plain->column[k], plain->value[k]);
        fclose(file);
        const struct made list = made_file(numbers, size);
        snprintf(command, sizeof command,
                 "%s -c 'import scipy.io,sys\n"
                 "a=scipy.io.mmread(sys.argv[1]).tocsr()\n"
                 "b=[l.split() for l in open(sys.argv[2])]\n"
                 "assert a.nnz==len(b) and all(a[int(i),int(j)]==float(v) for i,j,v in b)' %s %s",
                 pythons[i], made.path, list.path);
        ck_assert_int_eq(system(command), 0);
        free(numbers);
        made_end(&list);
        made_end(&made);
    }
    plain_free(plain);
}

int main(void)
{
    return market_tests("market_write", 60);
}
