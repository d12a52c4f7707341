/* Fuzz target of the Matrix Market reader: the input is a file. Whatever it is:
 *
 *     read       says CGS_OK, or CGS_FILE, or what it was told by progress and accept, with a
 *                message that fits its room
 *     when OK    pointers monotone, columns in range and ascending, numbers finite, counts that
 *                agree with each other, a norm
 *     always     no more memory than the file, its text and its rows justify, none kept
 *     again      with a buffer of a few lines, many pieces and now and then two threads: the same
 * in every bit, or the same complaint about the same line
 *
 * Files that unpack to more than MOST_TEXT or have more than MOST_ROWS rows are refused by progress
 * and accept, as a user might. */
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "matrix/market/market.h"
#include "matrix/market/market_boeing.h"
#include "matrix/market/market_read.h"
#include "tests/fuzz/fuzz.h"

enum { SLICE = 1 << 20, MOST_SLICES = 16, MOST_ROWS = 1 << 16, SMALL_BUFFER = 200 };

const char fuzz_name[] = "market", fuzz_seeds[] = "tests/matrices";
const int fuzz_changes = 4000;

void fuzz_word(uint64_t draw, char *word, size_t room)
{
    static const char *const words[] = {
        "\n1 1 1",
        "\n2 1 -3.5e-300",
        "\n1 2",
        "\n%",
        "\r\n",
        "coordinate",
        "array",
        "real",
        "integer",
        "pattern",
        "general",
        "symmetric",
        "\n3",
        "skew-symmetric",
        "\n2 2 2\n",
        "\n3 3\n",
        "1e308",
        "1e-310",
        "2147483647",
        "4294967297",
        "0.1D+1",
        "\n1 1 1e308",
        "\n2 1 0",
        "\n3 2 1",
        "18446744073709551617",
        "%%MatrixMarket matrix ",
        "1 1 1 1",
        "\t",
        /* SciPy's .npz */
        "PK\003\004",
        "indices.npy",
        "indptr.npy",
        "format.npy",
        "shape.npy",
        "row.npy",
        "col.npy",
        "\x93NUMPY",
        "'descr': '>f4'",
        "'descr': '<i8'",
        "'shape': (3,)",
        "'fortran_order': True",
        "csc",
        "coo",
        /* Harwell-Boeing */
        "RSA",
        "RUA",
        "PSA",
        "RZA",
        "(16I5)",
        "(1P,4D20.12)",
        "(8F10.3)",
        "             3",
    };
    snprintf(word, room, "%s", words[draw % (sizeof words / sizeof *words)]);
}

/* ---- one reading ---- */

struct reading {
    struct cgs_context context;
    enum cgs_status status;
    struct cgs_market market;
    struct cgs_crs crs;
    int64_t rows;   /* that accept has seen */
    int64_t slices; /* of text that progress was told of */
};

static enum cgs_status accept(void *user, struct cgs_context *context,
                              const struct cgs_market *market, const struct cgs_plan *plan)
{
    struct reading *reading = user;
    reading->rows = market->rows;
    HOLDS(market->rows > 0 && market->columns > 0 && market->stored >= 0, "size");
    HOLDS(plan->total[CGS_HOST] >= market->rows, "plan of %" PRId64, plan->total[CGS_HOST]);
    return market->rows <= MOST_ROWS
               ? CGS_OK
               : cgs_fail(context, CGS_MEMORY, "%" PRId64 " rows", market->rows);
}

static bool progress(void *user, int64_t done, int64_t all)
{
    struct reading *reading = user;
    HOLDS(done <= all, "%" PRId64 " of %" PRId64, done, all);
    return ++reading->slices < MOST_SLICES;
}

static void read_file(const char *path, int threads, int64_t buffer, struct reading *reading)
{
    const struct cgs_market_settings settings = {
        .accept = accept, .progress = progress, .user = reading, .buffer = buffer};
    memset(reading, 0, sizeof *reading);
    cgs_context_init(&reading->context);
    reading->context.threads = threads;
    reading->status =
        cgs_market_read(&reading->context, path, &settings, &reading->crs, &reading->market);
}

static void release(struct reading *reading)
{
    if (reading->status == CGS_OK)
        cgs_crs_release(&reading->context, &reading->crs);
    HOLDS(reading->context.host_bytes == 0, "%" PRId64 " bytes are held",
          reading->context.host_bytes);
}

/* ---- what has to hold ---- */

static void check_status(const struct reading *r)
{
    const size_t length = strlen(r->context.message);
    HOLDS(r->status == r->context.status, "%d is not %d", r->status, r->context.status);
    HOLDS(r->status == CGS_OK || r->status == CGS_FILE ||
              (r->status == CGS_MEMORY && r->rows > MOST_ROWS) ||
              (r->status == CGS_INTERRUPTED && r->slices == MOST_SLICES),
          "status %d: %s", r->status, r->context.message);
    HOLDS((r->status == CGS_OK) == (length == 0), "status %d: '%s'", r->status, r->context.message);
    HOLDS(length < sizeof r->context.message - 1, "the message is cut");
    for (size_t i = 0; i < length; i++)
        HOLDS((unsigned char)r->context.message[i] >= ' ' || r->status != CGS_FILE,
              "unprintable: %s", r->context.message);
}

/* Text, its pieces, its entries (of at least 4 bytes for 16), and rows of them (mirrored: 24). */
static void check_memory(const struct reading *r, int64_t size)
{
    const int64_t text = size + SLICE * r->slices;
    const int64_t most = 3 * SLICE + 12 * text + 16 * (r->rows + 1);
    HOLDS(r->context.host_peak <= most,
          "%" PRId64 " bytes for %" PRId64 " of text, %" PRId64 " rows", r->context.host_peak, text,
          r->rows);
}

static void check_matrix(const struct cgs_crs *crs, const struct cgs_market *m)
{
    int64_t zeros = 0;
    HOLDS(crs->rows == m->rows && crs->columns == m->columns, "size");
    HOLDS(crs->pointers[0] == 0 && crs->pointers[crs->rows] == m->nonzeros, "pointers");
    for (int64_t i = 0; i < crs->rows; i++) {
        int64_t before = -1;
        HOLDS(crs->pointers[i] <= crs->pointers[i + 1], "pointer of row %" PRId64, i);
        for (int64_t k = crs->pointers[i]; k < crs->pointers[i + 1]; k++) {
            HOLDS(crs->column[k] > before && crs->column[k] < crs->columns, "column");
            HOLDS(isfinite(crs->value[k]), "value of row %" PRId64, i);
            before = crs->column[k];
            zeros += crs->value[k] == 0.0;
        }
    }
    HOLDS(zeros == m->zeros, "zeros");
    HOLDS(m->duplicates >= 0 && m->duplicates <= m->stored, "duplicates");
    HOLDS(m->symmetry != CGS_MARKET_GENERAL || m->nonzeros + m->duplicates == m->stored, "entries");
    HOLDS(m->nonzeros <= 2 * m->stored, "entries");
    HOLDS(crs->norm >= 0.0 && crs->symmetric == (m->symmetry == CGS_MARKET_SYMMETRIC), "norm");
    HOLDS(!m->array || m->symmetry == CGS_MARKET_SKEW || m->nonzeros == m->rows * m->columns,
          "full");
}

static size_t length_without_guess(const char *message)
{
    const char *guess = strstr(message, "; it seems to ");
    return guess ? (size_t)(guess - message) : strlen(message);
}

/* Unless a line was too long for the small buffer, or packed data are refused later by one of them
 * than by the other. */
static void check_same(const struct reading *a, const struct reading *b)
{
    const char *const messages[] = {a->context.message, b->context.message};
    if (strstr(b->context.message, "a line of more than") || a->status == CGS_INTERRUPTED ||
        b->status == CGS_INTERRUPTED)
        return;
    for (int i = 0; i < 2; i++)
        if (strstr(messages[i], "cannot be read") || strstr(messages[i], "download it again") ||
            strstr(messages[i], "the file is damaged"))
            return;
    /* The guess at a file without a banner is made of what is in the buffer. */
    const size_t said[] = {length_without_guess(messages[0]), length_without_guess(messages[1])};
    HOLDS(said[0] == said[1] && memcmp(messages[0], messages[1], said[0]) == 0, "'%s' is not '%s'",
          messages[0], messages[1]);
    if (a->status != CGS_OK)
        return;
    const size_t rows = (size_t)a->crs.rows + 1, count = (size_t)a->crs.pointers[a->crs.rows];
    HOLDS(a->crs.rows == b->crs.rows && a->market.bytes == b->market.bytes &&
              a->market.duplicates == b->market.duplicates,
          "sizes");
    HOLDS(memcmp(a->crs.pointers, b->crs.pointers, rows * sizeof *a->crs.pointers) == 0,
          "pointers");
    HOLDS(memcmp(a->crs.column, b->crs.column, count * sizeof *a->crs.column) == 0, "columns");
    HOLDS(memcmp(a->crs.value, b->crs.value, count * sizeof *a->crs.value) == 0, "values");
}

/* A file that is written anew each time. */
static const char *file_of(const uint8_t *data, size_t size)
{
    static char path[] = "/tmp/cgs-fuzz-XXXXXX", name[64];
    static int file = -1;
    if (file < 0) {
        file = mkstemp(path);
        HOLDS(file >= 0, "no file %s", path);
        unlink(path);
        snprintf(name, sizeof name, "/dev/fd/%d", file);
    }
    HOLDS(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == (ssize_t)size, "no room");
    return name;
}

/* Returns true for a Harwell-Boeing file, which is known by its head: the small buffer may not hold
 * that. */
static bool is_boeing(const char *path)
{
    struct cgs_context context;
    struct cgs_market_text text;
    const char *first, *last;
    cgs_context_init(&context);
    if (cgs_market_text_open(&context, path, NULL, &text) != CGS_OK)
        return false;
    const bool boeing = cgs_market_text_lines(&text, &first, &last) == CGS_OK && first < last &&
                        cgs_market_is_boeing(&text);
    cgs_market_text_close(&text);
    return boeing;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = file_of(data, size);
    static struct reading one, two;
    read_file(path, 1, 0, &one);
    check_status(&one);
    check_memory(&one, (int64_t)size);
    if (one.status == CGS_OK)
        check_matrix(&one.crs, &one.market);
    read_file(path, size % 64 == 0 ? 2 : 1, SMALL_BUFFER, &two);
    check_status(&two);
    if (!is_boeing(path))
        check_same(&one, &two);
    release(&one);
    release(&two);
    return 0;
}
