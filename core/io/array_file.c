/* The reader of .npy and .raw. */
#include "core/io/array_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/reader.h"
#include "core/io/interrupt.h"
#include "matrix/market/market_npy.h"

enum {
    ITEMS = 1 << 13, /* numbers read at a time */
};

struct array_file {
    struct cgs_context *context;
    const char *option, *path;
    const struct cgs_array *array;
    int64_t n[3];     /* numbers of the file in x, y, z: those of `array`, or of all nodes; of
                       * vectors n[1] of them */
    bool many;        /* several vectors are taken */
    const char *what; /* each is of one: "cell", "unknown", "node" */
    struct cgs_reader reader;
    struct cgs_npy npy; /* how the numbers lie in the file */
};

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

bool cgs_array_file(const char *text)
{
    return ends_with(text, ".npy") || ends_with(text, ".raw");
}

static enum cgs_status malformed(const struct array_file *file, const char *what)
{
    return cgs_fail(file->context, CGS_FILE, "%s=%s: %s", file->option, file->path, what);
}

static bool go_on(void *user)
{
    (void)user;
    return !cgs_interrupted();
}

/* Reads up to `size` bytes; fewer at the end of the file. */
static enum cgs_status take(struct array_file *file, void *to, size_t size, size_t *got)
{
    size_t done = 0;
    while (done < size) {
        const int64_t bytes = cgs_reader_read(&file->reader, (char *)to + done, size - done);
        if (cgs_interrupted())
            return cgs_fail(file->context, CGS_INTERRUPTED, "interrupted while reading '%s'",
                            file->path);
        if (bytes < 0)
            return cgs_fail(file->context, CGS_FILE, "%s=%s: cannot read: %s", file->option,
                            file->path, strerror((int)-bytes));
        if (bytes == 0)
            break;
        done += (size_t)bytes;
    }
    *got = done;
    return CGS_OK;
}

/* ---- the header of .npy ---- */

static bool has_shape(const struct array_file *file, const int64_t n[3])
{
    const int64_t *shape = file->npy.shape;
    if (file->array->vector) /* (n,), or a column (n, 1), which has the same order of numbers */
        return shape[0] == n[0] &&
               (file->npy.dimensions == 1 || (file->npy.dimensions == 2 && shape[1] == 1));
    return file->npy.dimensions == 3 && shape[0] == n[2] && shape[1] == n[1] && shape[2] == n[0];
}

/* Returns the product of the shape; -1: beyond 64 bits. */
static int64_t count_numbers(const struct array_file *file)
{
    int64_t count = 1;
    for (int k = 0; k < file->npy.dimensions; k++)
        if (__builtin_mul_overflow(count, file->npy.shape[k], &count))
            return -1;
    return count;
}

/* Counts all nodes; false: the array has none beside its numbers. */
static bool count_nodes(const struct cgs_array *array, int64_t nodes[3])
{
    bool more = false;
    for (int k = 0; k < 3; k++) {
        nodes[k] = array->low[k] + array->n[k] + array->high[k];
        more = more || nodes[k] > array->n[k];
    }
    return more;
}

/* Writes what is expected: "the box of 8x8x4 cells has (4, 8, 8), ..." */
static void describe(const struct cgs_array *array, char *text, size_t size)
{
    const int64_t *n = array->n;
    int64_t nodes[3];
    char more[96] = "";
    if (array->vector) {
        snprintf(text, size, "there are (%" PRId64 ",) %ss", n[0], array->what);
        return;
    }
    if (strcmp(array->what, "cell") == 0) {
        snprintf(text, size,
                 "the box of %" PRId64 "x%" PRId64 "x%" PRId64 " cells has (%" PRId64 ", %" PRId64
                 ", %" PRId64 "), for a[iz, iy, ix] is the number of a cell",
                 n[0], n[1], n[2], n[2], n[1], n[0]);
        return;
    }
    if (count_nodes(array, nodes))
        snprintf(more, sizeof more, ", or (%" PRId64 ", %" PRId64 ", %" PRId64 ") nodes", nodes[2],
                 nodes[1], nodes[0]);
    snprintf(text, size,
             "the box has (%" PRId64 ", %" PRId64 ", %" PRId64
             ") %ss%s, for a[iz, iy, ix] is the number of one",
             n[2], n[1], n[0], array->what, more);
}

static enum cgs_status check_shape(struct array_file *file)
{
    const struct cgs_array *array = file->array;
    const int64_t *n = array->n, *shape = file->npy.shape;
    char given[CGS_NPY_DIMENSIONS * 24] = "", wanted[320];
    int64_t nodes[3];
    if (has_shape(file, n))
        return CGS_OK;
    if (file->many && file->npy.dimensions == 2 && shape[0] == n[0] && shape[1] > 0) {
        file->n[1] = shape[1];
        return CGS_OK;
    }
    if (count_nodes(array, nodes) && has_shape(file, nodes)) {
        memcpy(file->n, nodes, sizeof nodes);
        file->what = "node";
        return CGS_OK;
    }
    const bool turned = file->npy.dimensions == 3 && !array->vector && shape[0] == n[0] &&
                        shape[1] == n[1] && shape[2] == n[2];
    for (int k = 0; k < file->npy.dimensions; k++) {
        const size_t at = strlen(given);
        snprintf(given + at, sizeof given - at, "%s%" PRId64 "%s", k ? ", " : "", shape[k],
                 file->npy.dimensions == 1 ? "," : "");
    }
    describe(array, wanted, sizeof wanted);
    return cgs_fail(file->context, CGS_FILE, "%s=%s: its shape is (%s), and %s%s", file->option,
                    file->path, given, wanted,
                    turned                                         ? ": save a.transpose()"
                    : array->vector && count_numbers(file) == n[0] ? ": save a.ravel()"
                    : array->vector && file->npy.dimensions == 2 && shape[0] == n[0]
                        ? ": give one column, as by saving a[:, 0]"
                        : "");
}

static enum cgs_status read_header(struct array_file *file)
{
    unsigned char start[12];
    char text[CGS_NPY_HEADER + 1];
    size_t got;
    CGS_TRY(take(file, start, 8, &got));
    if (got < 8 || memcmp(start, "\x93NUMPY", 6) != 0)
        return malformed(file, "is not a .npy file: it does not begin with \\x93NUMPY");
    const int version = start[6];
    if ((version != 1 && version != 2) || start[7] != 0)
        return cgs_fail(file->context, CGS_FILE,
                        "%s=%s: is of version %d.%d of .npy: expected 1.0 or 2.0", file->option,
                        file->path, version, start[7]);
    const size_t bytes = version == 1 ? 2 : 4;
    CGS_TRY(take(file, start, bytes, &got));
    size_t length = 0;
    for (size_t i = bytes; i-- > 0;)
        length = length << 8 | start[i];
    if (got == bytes && length > CGS_NPY_HEADER)
        return malformed(file, "the header is not numpy's: it is too long");
    const size_t wanted = got == bytes ? length : 1;
    CGS_TRY(take(file, text, got == bytes ? length : 0, &got));
    if (got < wanted)
        return malformed(file, "ends within the header");
    text[length] = '\0';
    if (strlen(text) != length || !cgs_npy_header(text, &file->npy))
        return malformed(
            file, "the header is not numpy's: expected {'descr': '<f8', 'fortran_order': False, "
                  "'shape': (nz, ny, nx), }");
    if (file->npy.type == '\0')
        return malformed(file, "the numbers have a type that is not read here: expected float64, "
                               "float32 or integers, as by "
                               "a.astype(float)");
    return check_shape(file);
}

/* ---- numbers ---- */

/* Returns the place, x fastest, of the i-th number of the file; of vectors row fastest, the first
 * of the two axes. */
static int64_t place_of(const struct array_file *file, int64_t i)
{
    const int64_t *n = file->n;
    if (file->npy.fortran == file->array->vector)
        return i;
    return (i % n[2] * n[1] + i / n[2] % n[1]) * n[0] + i / (n[2] * n[1]);
}

/* Returns the place in the array of what is at a place of the file; -1: it is not wanted. */
static int64_t wanted_of(const struct array_file *file, int64_t place)
{
    const struct cgs_array *array = file->array;
    const int64_t *all = file->n, *n = array->n;
    if (strcmp(file->what, array->what) != 0) { /* all nodes */
        const int64_t at[3] = {place % all[0] - array->low[0],
                               place / all[0] % all[1] - array->low[1],
                               place / (all[0] * all[1]) - array->low[2]};
        for (int k = 0; k < 3; k++)
            if (at[k] < 0 || at[k] >= n[k])
                return -1;
        place = (at[2] * n[1] + at[1]) * n[0] + at[0];
    }
    if (array->vector) {
        const int64_t row = place % n[0] - array->first, rows = array->last - array->first;
        return row >= 0 && row < rows ? place / n[0] * rows + row : -1;
    }
    return place >= array->first && place < array->last ? place - array->first : -1;
}

/* Fails for the number of a cell, unknown, ... */
static enum cgs_status refuse_number(const struct array_file *file, int64_t place, double number)
{
    const int64_t *n = file->n;
    if (file->array->vector)
        return cgs_fail(file->context, CGS_FILE,
                        "%s=%s: the number of %s %" PRId64 " of 0 ... %" PRId64
                        " is %g: expected finite ones",
                        file->option, file->path, file->what, place % n[0], n[0] - 1, number);
    return cgs_fail(file->context, CGS_FILE,
                    "%s=%s: the number of %s (%" PRId64 ", %" PRId64 ", %" PRId64
                    ") of (0, 0, 0) ... (%" PRId64 ", %" PRId64 ", %" PRId64
                    ") is %g: expected finite ones",
                    file->option, file->path, file->what, place % n[0], place / n[0] % n[1],
                    place / (n[0] * n[1]), n[0] - 1, n[1] - 1, n[2] - 1, number);
}

/* Fails for a file with fewer or more numbers than there are to be. */
static enum cgs_status refuse_length(const struct array_file *file, const char *how)
{
    const int64_t *n = file->n;
    char extent[80];
    snprintf(extent, sizeof extent,
             file->array->vector ? "%" PRId64 : "%" PRId64 "x%" PRId64 "x%" PRId64, n[0], n[1],
             n[2]);
    return cgs_fail(file->context, CGS_FILE, "%s=%s: %s %" PRId64 " numbers, those of %s %ss",
                    file->option, file->path, how, n[0] * n[1] * n[2], extent, file->what);
}

static enum cgs_status read_numbers(struct array_file *file, double *numbers)
{
    const int64_t all = file->n[0] * file->n[1] * file->n[2];
    const size_t size = (size_t)file->npy.size;
    unsigned char items[ITEMS * 8], more;
    size_t got;
    for (int64_t first = 0; first < all; first += ITEMS) {
        const size_t count = (size_t)(all - first < ITEMS ? all - first : ITEMS);
        CGS_TRY(take(file, items, count * size, &got));
        if (got < count * size) {
            char how[64];
            snprintf(how, sizeof how, "ends after %" PRId64 " of", first + (int64_t)(got / size));
            return refuse_length(file, how);
        }
        for (size_t i = 0; i < count; i++) {
            const int64_t place = place_of(file, first + (int64_t)i);
            const int64_t wanted = wanted_of(file, place);
            const double number = cgs_npy_number(&file->npy, items + i * size);
            if (!isfinite(number))
                return refuse_number(file, place, number);
            if (wanted >= 0)
                numbers[wanted] = number;
        }
    }
    CGS_TRY(take(file, &more, 1, &got));
    return got > 0 ? refuse_length(file, "goes on after") : CGS_OK;
}

enum cgs_status cgs_array_read(struct cgs_context *context, const char *option, const char *path,
                               const struct cgs_array *array, int64_t *columns, double **numbers)
{
    struct array_file file = {.context = context,
                              .option = option,
                              .path = path,
                              .array = array,
                              .n = {array->n[0], array->n[1], array->n[2]},
                              .many = columns != NULL,
                              .what = array->what,
                              .npy = {.type = 'f', .size = 8}};
    double *made = NULL;
    const int error = cgs_reader_open(&file.reader, path);
    if (error)
        return cgs_fail(context, CGS_FILE, "%s=%s: cannot open: %s", option, path, strerror(error));
    file.reader.wanted = go_on;
    enum cgs_status status = ends_with(path, ".npy") ? read_header(&file) : CGS_OK;
    const int64_t vectors = array->vector ? file.n[1] : 1;
    if (status == CGS_OK && numbers)
        status = cgs_alloc(context, (array->last - array->first) * vectors, sizeof *made,
                           "numbers of a file", (void **)&made);
    if (status == CGS_OK && numbers)
        status = read_numbers(&file, made);
    cgs_reader_close(&file.reader);
    if (status != CGS_OK) {
        cgs_free(context, made);
        return status;
    }
    if (numbers)
        *numbers = made;
    if (columns)
        *columns = vectors;
    return CGS_OK;
}
