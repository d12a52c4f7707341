/* scipy.sparse.save_npz writes a zip archive, compressed or not, of NumPy's arrays in any order:
 *
 *     format.npy     b'csr', b'csc', b'coo', ...
 *     shape.npy      rows, columns
 *     data.npy       values
 *     indices.npy, indptr.npy    of csr, csc: columns (rows) of the values, and where each row
 *                                (column) begins among them
 *     row.npy, col.npy           of coo
 *
 * It is read twice: headers, format and shape, so that all sizes are known to fit together before
 * anything of them is allocated; then numbers. libarchive checks each array's CRC at its end. */
#include "matrix/market/market_npz.h"

#include <archive.h>
#include <archive_entry.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "matrix/market/market_archive.h"
#include "matrix/market/market_npy.h"

enum { ITEMS = 1 << 13 /* numbers read at a time */, DEFLATE = 1040 /* bytes of one, at most */ };

enum array { DATA, INDICES, POINTERS, ROW, COLUMN, SHAPE, FORMAT, ARRAYS };
static const char *const names[ARRAYS] = {"data", "indices", "indptr", "row",
                                          "col",  "shape",   "format"};

/* Returns the array of the member; ARRAYS: none of these. */
static enum array array_of(const char *member)
{
    int a = 0;
    for (; member && a < ARRAYS; a++) {
        const size_t length = strlen(names[a]);
        if (strncmp(member, names[a], length) == 0 && strcmp(member + length, ".npy") == 0)
            break;
    }
    return member ? (enum array)a : ARRAYS;
}

/* Goes to the next array, whose name messages have from here on; ARRAYS at the end. */
static enum cgs_status next_array(struct cgs_market_text *text, enum array *array)
{
    struct archive_entry *entry;
    text->member[0] = '\0';
    do {
        CGS_TRY(cgs_market_archive_next(text, &entry));
        *array = entry ? array_of(archive_entry_pathname(entry)) : ARRAYS;
    } while (entry && *array == ARRAYS);
    if (entry)
        snprintf(text->member, sizeof text->member, "%s.npy", names[*array]);
    return CGS_OK;
}

/* Reads up to `size` bytes of the array; fewer at its end. */
static enum cgs_status take(struct cgs_market_text *text, void *to, size_t size, size_t *got)
{
    const la_ssize_t count = archive_read_data(text->archive, to, size);
    *got = 0;
    if (count < 0)
        return cgs_market_archive_failed(text);
    text->bytes += count;
    *got = (size_t)count;
    return CGS_OK;
}

static enum cgs_status read_npy(struct cgs_market_text *text, struct cgs_npy *npy)
{
    unsigned char start[12] = {0};
    char header[CGS_NPY_HEADER + 1];
    size_t got, length = 0;
    CGS_TRY(take(text, start, 8, &got));
    const bool known = got == 8 && memcmp(start, "\x93NUMPY", 6) == 0 && start[7] == 0;
    const size_t bytes = known && start[6] == 1 ? 2 : known && start[6] == 2 ? 4 : 0;
    if (bytes > 0)
        CGS_TRY(take(text, start, bytes, &got));
    for (size_t i = bytes; i-- > 0;)
        length = length << 8 | start[i];
    if (bytes == 0 || got < bytes || length > CGS_NPY_HEADER)
        return cgs_market_complain(text, 0, "is not an array of .npy 1.0 or 2.0");
    CGS_TRY(take(text, header, length, &got));
    header[got] = '\0';
    if (got < length || strlen(header) < length || !cgs_npy_header(header, npy))
        return cgs_market_complain(text, 0, "the header is not numpy's");
    return CGS_OK;
}

/* ---- numbers ---- */

/* Destinations of the numbers. */
struct reading {
    struct cgs_market_text *text;
    const struct cgs_market *market;
    int64_t shape[2];
    struct cgs_market_block *block; /* owned */
    int64_t *pointers;              /* owned; of csr and csc */
    bool by_columns;                /* csc */
};

static enum cgs_status put_index(struct reading *r, enum array array, int64_t k, double index)
{
    const bool is_row = array == ROW || (array == INDICES && r->by_columns);
    const int64_t limit = is_row ? r->market->rows : r->market->columns;
    if (index < 0.0 || index >= (double)limit)
        return cgs_market_complain(r->text, 0,
                                   "%s %.0f of entry %" PRId64 " outside 0 ... %" PRId64,
                                   is_row ? "row" : "column", index, k, limit - 1);
    (is_row ? r->block->row : r->block->column)[k] = (int32_t)index;
    return CGS_OK;
}

static enum cgs_status put(struct reading *r, enum array array, int64_t k, double number)
{
    switch (array) {
    case SHAPE:
        r->shape[k] = (int64_t)fmin(fmax(number, -1.0), 9e15);
        return CGS_OK;
    case DATA:
        if (!isfinite(number))
            return cgs_market_complain(r->text, 0,
                                       "the value of entry %" PRId64 " is %g: expected finite ones",
                                       k, number);
        r->block->value[k] = number;
        return CGS_OK;
    case POINTERS:
        if (!(number >= (k == 0 ? 0.0 : (double)r->pointers[k - 1]) &&
              number <= (k == 0 ? 0.0 : (double)r->market->stored)))
            return cgs_market_complain(r->text, 0,
                                       "number %" PRId64 " is %.0f: expected 0 first, then numbers "
                                       "that do not fall, up to %" PRId64,
                                       k, number, r->market->stored);
        r->pointers[k] = (int64_t)number;
        return CGS_OK;
    default:
        return put_index(r, array, k, number);
    }
}

/* Reads all `count` numbers of an array, and that it ends there. */
static enum cgs_status read_numbers(struct reading *r, enum array array, const struct cgs_npy *npy,
                                    int64_t count)
{
    unsigned char items[ITEMS * 8], more;
    const size_t size = (size_t)npy->size;
    size_t got;
    for (int64_t first = 0; first < count; first += ITEMS) {
        const size_t some = (size_t)(count - first < ITEMS ? count - first : ITEMS);
        CGS_TRY(take(r->text, items, some * size, &got));
        if (got < some * size)
            return cgs_market_complain(r->text, 0, "ends after %" PRId64 " of %" PRId64 " numbers",
                                       first + (int64_t)(got / size), count);
        for (size_t i = 0; i < some; i++)
            CGS_TRY(put(r, array, first + (int64_t)i, cgs_npy_number(npy, items + i * size)));
    }
    CGS_TRY(take(r->text, &more, 1, &got));
    return got == 0
               ? CGS_OK
               : cgs_market_complain(r->text, 0, "goes on after its %" PRId64 " numbers", count);
}

/* ---- headers ---- */

struct headers {
    bool found[ARRAYS];
    struct cgs_npy npy[ARRAYS];
    char format[16];
    int64_t shape[2];
};

static bool is_whole(const struct cgs_npy *npy)
{
    return npy->type == 'i' || npy->type == 'u';
}

static enum cgs_status read_shape(struct cgs_market_text *text, struct headers *headers)
{
    const struct cgs_npy *npy = &headers->npy[SHAPE];
    struct reading r = {.text = text};
    if (!is_whole(npy) || npy->dimensions != 1 || npy->shape[0] != 2)
        return cgs_market_complain(text, 0, "expected two whole numbers, rows and columns");
    CGS_TRY(read_numbers(&r, SHAPE, npy, 2));
    memcpy(headers->shape, r.shape, sizeof r.shape);
    return CGS_OK;
}

/* Reads the name of the format, in bytes, or in text of four bytes a letter. */
static enum cgs_status read_format(struct cgs_market_text *text, char format[16])
{
    char bytes[64];
    size_t got, length = 0;
    CGS_TRY(take(text, bytes, sizeof bytes, &got));
    for (size_t i = 0; i < got && length < 15; i++)
        if (bytes[i] >= 'a' && bytes[i] <= 'z')
            format[length++] = bytes[i];
    format[length] = '\0';
    return CGS_OK;
}

static enum cgs_status read_headers(struct cgs_market_text *text, struct headers *headers)
{
    enum array array;
    CGS_TRY(cgs_market_archive_rewind(text));
    for (;;) {
        CGS_TRY(next_array(text, &array));
        if (array == ARRAYS)
            return CGS_OK;
        CGS_TRY(read_npy(text, &headers->npy[array]));
        if (headers->found[array])
            return cgs_market_complain(text, 0, "the archive has it twice");
        headers->found[array] = true;
        if (array == SHAPE)
            CGS_TRY(read_shape(text, headers));
        if (array == FORMAT)
            CGS_TRY(read_format(text, headers->format));
    }
}

/* Checks that an array is there, with `count` numbers of one kind. */
static enum cgs_status check_array(struct cgs_market_text *text, const struct headers *headers,
                                   enum array array, int64_t count)
{
    const struct cgs_npy *npy = &headers->npy[array];
    if (!headers->found[array])
        return cgs_market_complain(text, 0, "the matrix in format '%s' lacks its %s.npy",
                                   headers->format, names[array]);
    if (array == DATA ? npy->type == '\0' : !is_whole(npy))
        return cgs_market_complain(text, 0,
                                   "%s.npy has no %s numbers of 64 bits or fewer: cgsolve solves "
                                   "real systems, and A.astype(float) makes one of booleans",
                                   names[array], array == DATA ? "real" : "whole");
    if (npy->dimensions != 1 || npy->shape[0] != count)
        return cgs_market_complain(text, 0, "%s.npy has %" PRId64 " numbers: expected %" PRId64,
                                   names[array], npy->dimensions == 1 ? npy->shape[0] : -1, count);
    return CGS_OK;
}

static enum cgs_status check_kind(struct cgs_market_text *text, const struct headers *headers)
{
    static const char *const read[] = {"csr", "csc", "coo"};
    if (!headers->found[SHAPE] || !headers->found[FORMAT] || !headers->found[DATA])
        return cgs_market_complain(
            text, 0,
            "it seems to be a zip archive, and not a matrix by scipy.sparse.save_npz, which is "
            "read: python3 -c \"import zipfile; zipfile.ZipFile('FILE').extractall()\" unpacks it");
    for (size_t i = 0; i < sizeof read / sizeof *read; i++)
        if (strcmp(headers->format, read[i]) == 0)
            return CGS_OK;
    return cgs_market_complain(
        text, 0,
        "the matrix is in SciPy's format '%s', and csr, csc and coo are read: python3 -c \"import "
        "scipy.sparse as s; s.save_npz('A.npz', s.load_npz('FILE').tocsr())\" makes A.npz of it",
        headers->format);
}

static enum cgs_status check_arrays(struct cgs_market_text *text, const struct headers *headers)
{
    const struct cgs_npy *data = &headers->npy[DATA];
    const int64_t rows = headers->shape[0], columns = headers->shape[1];
    const int64_t count = data->dimensions == 1 ? data->shape[0] : 0;
    if (rows < 1 || columns < 1 || rows > INT32_MAX || columns > INT32_MAX)
        return cgs_market_complain(
            text, 0, "%" PRId64 " rows and %" PRId64 " columns: expected 1 ... 2147483647 of both",
            rows, columns);
    CGS_TRY(check_array(text, headers, DATA, count));
    int64_t most = count; /* numbers of the longest array */
    if (strcmp(headers->format, "coo") == 0) {
        CGS_TRY(check_array(text, headers, ROW, count));
        CGS_TRY(check_array(text, headers, COLUMN, count));
    } else {
        const int64_t pointers = (strcmp(headers->format, "csc") == 0 ? columns : rows) + 1;
        CGS_TRY(check_array(text, headers, INDICES, count));
        CGS_TRY(check_array(text, headers, POINTERS, pointers));
        most = pointers > most ? pointers : most;
    }
    if (text->reader.regular && !text->packed && most / DEFLATE > text->reader.bytes)
        return cgs_market_complain(text, 0,
                                   "an array of %" PRId64
                                   " numbers expected, for which the file's %" PRId64
                                   " bytes have no room",
                                   most, text->reader.bytes);
    return CGS_OK;
}

enum cgs_status cgs_market_npz_header(struct cgs_market_text *text, struct cgs_market *market)
{
    struct headers headers = {0};
    CGS_TRY(read_headers(text, &headers));
    CGS_TRY(check_kind(text, &headers));
    CGS_TRY(check_arrays(text, &headers));
    *market = (struct cgs_market){.field = is_whole(&headers.npy[DATA]) ? CGS_MARKET_INTEGER
                                                                        : CGS_MARKET_REAL,
                                  .symmetry = CGS_MARKET_GENERAL,
                                  .rows = headers.shape[0],
                                  .columns = headers.shape[1],
                                  .stored = headers.npy[DATA].shape[0]};
    snprintf(text->npz, sizeof text->npz, "%.3s", headers.format);
    return CGS_OK;
}

/* ---- entries ---- */

/* Returns the numbers of an array, which its header has to confirm; -1: it is not needed. */
static int64_t length_of(const struct reading *r, enum array array)
{
    const struct cgs_market *market = r->market;
    if (array == POINTERS)
        return r->pointers ? (r->by_columns ? market->columns : market->rows) + 1 : -1;
    if (array == INDICES)
        return r->pointers ? market->stored : -1;
    if (array == ROW || array == COLUMN)
        return r->pointers ? -1 : market->stored;
    return array == DATA ? market->stored : -1;
}

static enum cgs_status read_arrays(struct reading *r)
{
    const int wanted = 3; /* arrays of each format */
    bool read[ARRAYS] = {false};
    enum array array;
    int done = 0;
    CGS_TRY(cgs_market_archive_rewind(r->text));
    for (;;) {
        struct cgs_npy npy;
        CGS_TRY(next_array(r->text, &array));
        if (array == ARRAYS)
            break;
        const int64_t length = length_of(r, array);
        if (length < 0)
            continue;
        CGS_TRY(read_npy(r->text, &npy));
        if (read[array] || npy.dimensions != 1 || npy.shape[0] != length || npy.type == '\0' ||
            (array != DATA && !is_whole(&npy)))
            break;
        CGS_TRY(read_numbers(r, array, &npy, length));
        read[array] = true;
        done++;
    }
    return done == wanted ? CGS_OK
                          : cgs_market_complain(r->text, 0, "has changed while it was read");
}

/* Gives the entries of each row (csc: column) its number. */
static enum cgs_status expand(struct reading *r)
{
    const int64_t lines = length_of(r, POINTERS) - 1;
    int32_t *const to = r->by_columns ? r->block->column : r->block->row;
    if (r->pointers[lines] != r->market->stored)
        return cgs_market_complain(r->text, 0,
                                   "indptr.npy ends with %" PRId64 ": expected %" PRId64
                                   ", the number of entries",
                                   r->pointers[lines], r->market->stored);
    for (int64_t i = 0; i < lines; i++)
        for (int64_t k = r->pointers[i]; k < r->pointers[i + 1]; k++)
            to[k] = (int32_t)i;
    return CGS_OK;
}

static enum cgs_status read_block(struct reading *r)
{
    struct cgs_context *context = r->text->context;
    const struct cgs_market *market = r->market;
    CGS_TRY(cgs_market_block_create(context, 0, market->stored, true, true, &r->block));
    if (strcmp(r->text->npz, "coo") == 0)
        return read_arrays(r);
    r->by_columns = strcmp(r->text->npz, "csc") == 0;
    CGS_TRY(cgs_alloc(context, (r->by_columns ? market->columns : market->rows) + 1,
                      sizeof *r->pointers, "row pointers of a file", (void **)&r->pointers));
    CGS_TRY(read_arrays(r));
    return expand(r);
}

enum cgs_status cgs_market_npz_entries(struct cgs_market_text *text,
                                       const struct cgs_market *market,
                                       const struct cgs_market_part *part,
                                       struct cgs_market_entries *entries)
{
    struct reading r = {.text = text, .market = market};
    struct cgs_market_entries read = {0};
    enum cgs_status status = read_block(&r);
    text->member[0] = '\0';
    cgs_free(text->context, r.pointers);
    if (status == CGS_OK && part)
        status = cgs_market_part_keep(text->context, market, part, &read.kept, &r.block);
    if (status != CGS_OK) {
        cgs_free(text->context, r.block);
        return status;
    }
    read.blocks = r.block;
    *entries = read;
    return CGS_OK;
}
