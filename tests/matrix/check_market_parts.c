/* A file that ranks read together, threads of this process: the rows of all ranks are those of
 * one process, to the bit, wherever ranges and rounds end; a wrong line gives the same message
 * on every rank; and so does a matrix that is not symmetric. */
#include "base/memory.h"
#include "matrix/market/market_read.h"
#include "matrix/market/market_vector.h"
#include "matrix/symmetry.h"
#include "tests/matrix/market.h"
#include "tests/support/ranks.h"

/* The file, its rows as one process reads them or its message, and how the ranks read it. */
struct task {
    const char *path;
    const struct cgs_crs *one;
    const struct cgs_market *market;
    const char *message;
    enum cgs_status status;
    int64_t buffer;
};

/* Cuts rows at odd places; rank 1 has none. */
static void cut(void *user, int64_t rows, int64_t *cuts)
{
    const int ranks = *(const int *)user;
    for (int r = 0; r <= ranks; r++)
        cuts[r] = rows * r * r / (ranks * ranks);
    if (ranks > 2)
        cuts[1] = cuts[2];
}

static struct cgs_market_settings settings_of(const struct task *task, int *ranks)
{
    return (struct cgs_market_settings){.cut = cut, .user = ranks, .buffer = task->buffer};
}

/* The rank's rows are a piece of the whole. */
static void check_piece(const struct cgs_crs *crs, const struct cgs_crs *one)
{
    const int64_t base = one->pointers[crs->first];
    ck_assert_int_eq(crs->whole, one->rows);
    ck_assert_int_eq(crs->columns, one->columns);
    for (int64_t i = 0; i <= crs->rows; i++)
        if (crs->pointers[i] != one->pointers[crs->first + i] - base)
            ck_abort_msg("pointer %lld of row %lld", (long long)i, (long long)crs->first);
    const size_t count = (size_t)crs->pointers[crs->rows];
    ck_assert(count == 0 ||
              (memcmp(crs->column, one->column + base, count * sizeof *crs->column) == 0 &&
               memcmp(crs->value, one->value + base, count * sizeof *crs->value) == 0));
    ck_assert_mem_eq(&crs->norm, &one->norm, sizeof one->norm);
    ck_assert(crs->symmetric == one->symmetric);
}

static void read_part(struct cgs_context *context, void *user)
{
    const struct task *task = user;
    int ranks = cgs_comm_size(context);
    const struct cgs_market_settings settings = settings_of(task, &ranks);
    struct cgs_market market;
    struct cgs_crs crs;
    const enum cgs_status status = cgs_market_read(context, task->path, &settings, &crs, &market);
    ck_assert_msg(status == task->status, "%s", context->message);
    if (status != CGS_OK) {
        ck_assert_str_eq(context->message, task->message);
        return;
    }
    check_piece(&crs, task->one);
    ck_assert_int_eq(market.nonzeros, task->market->nonzeros);
    ck_assert_int_eq(market.duplicates, task->market->duplicates);
    ck_assert_int_eq(market.zeros, task->market->zeros);
    ck_assert_int_eq(market.bytes, task->market->bytes);
    cgs_crs_release(context, &crs);
}

/* Reads the file by one process, then by several ranks in stretches of several lengths. */
static void compare(const char *path)
{
    static const int64_t buffers[] = {0, 200, 1000};
    struct cgs_crs one = {0};
    struct cgs_market market;
    char message[sizeof bed.context.message];
    for (size_t b = 0; b < sizeof buffers / sizeof *buffers; b++) {
        const struct cgs_market_settings settings = {.buffer = buffers[b]};
        const enum cgs_status status =
            cgs_market_read(&bed.context, path, &settings, &one, &market);
        snprintf(message, sizeof message, "%s", bed.context.message);
        struct task task = {.path = path,
                            .one = &one,
                            .market = &market,
                            .message = message,
                            .status = status,
                            .buffer = buffers[b]};
        for (int ranks = 2; ranks <= 7; ranks += ranks == 4 ? 3 : 1)
            team_run(ranks, read_part, &task);
        if (status != CGS_OK)
            bed_forgive();
        else
            cgs_crs_release(&bed.context, &one);
    }
}

/* ---- right ones ---- */

static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric"};

/* Many places are met twice. */
LOOP_TEST(same_rows, 3)
{
    enum { N = 60, ENTRIES = 2000 };
    struct lines lines = make_lines(symmetries[_i], N, ENTRIES, ENTRIES);
    const struct made made = made_file(lines.text, lines.size);
    compare(made.path);
    made_end(&made);
    lines_end(&lines);
}

/* An array, of n (n + 1) / 2 numbers if it is symmetric. */
LOOP_TEST(same_array, 3)
{
    enum { N = 19 };
    char text[16384];
    int at = sprintf(text, "%%%%MatrixMarket matrix array real %s\n%d %d\n", symmetries[_i], N, N);
    const int numbers = _i == 0 ? N * N : _i == 1 ? N * (N + 1) / 2 : N * (N - 1) / 2;
    for (int k = 0; k < numbers; k++)
        at += sprintf(text + at, "%.17g\n", cgs_random((uint64_t)k));
    const struct made made = made_text(text);
    compare(made.path);
    made_end(&made);
}

static const char *const texts[] = {
    "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 5\n1 1\n2 2\n%c\n3 3\n4 4\n4 1",
    "%%MatrixMarket matrix coordinate integer general\n3 3 3\n3 3 1\n\n1 1 7\n2 2 0\n",
    "%%MatrixMarket matrix coordinate real general\n5 5 0\n",
    "%%MatrixMarket matrix coordinate real general\n9 9 1\n9 9 1e-300\n%\n%\n",
    /* wrong ones */
    "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n2 2 2\n",
    "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n2 2 2\n3 3 3\n",
    "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n2 2 x\n4 3 3\n",
    "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 1\n2 1 2\n3 3 3\n2 3 1\n",
    "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 1\n2 2 1e308\n3 3 3\n2 2 1e308\n",
    "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 1\r2\n",
    "%%MatrixMarket matrix coordinate real general\n3 x\n",
    "no matrix\n",
    "",
};

LOOP_TEST(same_outcome, sizeof texts / sizeof *texts)
{
    const struct made made = made_text(texts[_i]);
    compare(made.path);
    made_end(&made);
}

/* A wrong entry anywhere. */
LOOP_TEST(same_line, 8)
{
    enum { N = 40, ENTRIES = 300 };
    struct lines lines = make_lines("symmetric", N, ENTRIES, ENTRIES - _i % 2);
    for (size_t at = lines.size / 9 * (size_t)(_i + 1); _i > 1 && at < lines.size; at++)
        if (lines.text[at] == '.') {
            lines.text[at] = 'e';
            lines.text[at + 1] = '-';
            lines.text[at + 2] = 'z';
            break;
        }
    const struct made made = made_file(lines.text, lines.size);
    compare(made.path);
    made_end(&made);
    lines_end(&lines);
}

/* ---- packed files, which rank 0 reads ---- */

static const char *const packed[] = {
    "small.mtx.xz", "small_sha256.mtx.xz", "small.tar.gz",
    "only.tar.xz",  "two.tar.gz",          "gzip_many_comments.mtx.gz",
    "cut.tar.gz",   "no_matrix.tar.gz",    "gzip_truncated.mtx.gz",
};
enum { PACKED = sizeof packed / sizeof *packed };

/* Reads packed files as they are, and with another byte where the checksums are. */
LOOP_TEST(same_packed, 2 * PACKED)
{
    enum { MOST = 1 << 18 };
    const char *folder = getenv("CGS_SRCDIR");
    char path[4096], *bytes = must_have(MOST);
    snprintf(path, sizeof path, "%s/tests/matrices/%s", folder ? folder : ".", packed[_i / 2]);
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    const size_t size = fread(bytes, 1, MOST, file);
    ck_assert(size > 6 && size < MOST);
    fclose(file);
    if (_i % 2)
        bytes[size - 6] ^= 1;
    const struct made made = made_file(bytes, size);
    compare(made.path);
    made_end(&made);
    free(bytes);
}

/* ---- vectors ---- */

static void read_vector(struct cgs_context *context, void *user)
{
    enum { N = 50 };
    const struct task *task = user;
    int64_t cuts[TEAM_MOST + 1];
    double *values;
    int ranks = cgs_comm_size(context);
    const struct cgs_market_settings settings = settings_of(task, &ranks);
    const enum cgs_status status =
        cgs_market_read_vectors(context, task->path, &settings, N, NULL, &values);
    ck_assert_msg(status == CGS_OK, "%s", context->message);
    cut(&ranks, N, cuts);
    const int rank = context->comm->rank;
    for (int64_t i = cuts[rank]; i < cuts[rank + 1]; i++)
        ck_assert(values[i - cuts[rank]] == cgs_random((uint64_t)i));
    cgs_free(context, values);
}

LOOP_TEST(same_vector, 2)
{
    enum { N = 50 };
    char text[4096];
    int at = sprintf(text, "%%%%MatrixMarket matrix %s real general\n%d 1%s\n",
                     _i ? "coordinate" : "array", N, _i ? " 50" : "");
    for (int k = 0; k < N; k++)
        at += _i ? sprintf(text + at, "%d 1 %.17g\n", k + 1, cgs_random((uint64_t)k))
                 : sprintf(text + at, "%.17g\n", cgs_random((uint64_t)k));
    const struct made made = made_text(text);
    struct task task = {.path = made.path};
    for (int ranks = 2; ranks <= 4; ranks++)
        team_run(ranks, read_vector, &task);
    made_end(&made);
}

/* ---- symmetry ---- */

static void check_part(struct cgs_context *context, void *user)
{
    const struct task *task = user;
    int ranks = cgs_comm_size(context);
    const struct cgs_market_settings settings = settings_of(task, &ranks);
    struct cgs_market market;
    struct cgs_crs crs;
    ck_assert_int_eq(cgs_market_read(context, task->path, &settings, &crs, &market), CGS_OK);
    const struct cgs_row_source source = cgs_crs_source(&crs);
    ck_assert_int_eq(cgs_matrix_check_symmetry(context, &source, true, NULL), task->status);
    ck_assert_str_eq(context->message, task->message);
    cgs_crs_release(context, &crs);
}

static const char *const checked[] = {
    "5 5 5\n1 1 1\n2 2 1\n3 3 1\n4 4 1\n5 5 1\n",
    "5 5 7\n1 1 1\n2 2 1\n3 3 1\n4 4 1\n5 5 1\n5 1 2\n1 5 2\n",
    "5 5 7\n1 1 1\n2 2 1\n3 3 1\n4 4 1\n5 5 1\n5 1 2\n1 5 2.0000000000000004\n",
    "5 5 6\n1 1 1\n2 2 1\n3 3 1\n4 4 1\n5 5 1\n5 3 2\n",
    "5 5 7\n1 1 1\n2 2 1\n3 3 1\n4 4 1\n5 5 1\n4 5 2\n2 3 1\n",
    "5 5 4\n1 1 1\n2 2 1\n3 3 1\n5 5 1\n",
    "5 5 5\n1 1 1\n2 2 1\n3 3 1\n4 4 1\n5 5 -1\n",
};

LOOP_TEST(same_verdict, sizeof checked / sizeof *checked)
{
    char text[256], message[sizeof bed.context.message];
    struct cgs_market market;
    struct cgs_crs one;
    snprintf(text, sizeof text, "%%%%MatrixMarket matrix coordinate real general\n%s", checked[_i]);
    const struct made made = made_text(text);
    must(cgs_market_read(&bed.context, made.path, NULL, &one, &market));
    const struct cgs_row_source source = cgs_crs_source(&one);
    struct task task = {.path = made.path, .message = message};
    task.status = cgs_matrix_check_symmetry(&bed.context, &source, true, NULL);
    ck_assert_int_eq(task.status, _i < 2 ? CGS_OK : CGS_BREAKDOWN);
    snprintf(message, sizeof message, "%s", bed.context.message);
    if (task.status != CGS_OK)
        bed_forgive();
    for (int ranks = 2; ranks <= 5; ranks++)
        team_run(ranks, check_part, &task);
    cgs_crs_release(&bed.context, &one);
    made_end(&made);
}

int main(void)
{
    return market_tests("market_parts", 60);
}
