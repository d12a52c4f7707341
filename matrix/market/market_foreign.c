/* Recognises a file without a banner: its first bytes are in the table; or each of its lines has as
 * many numbers as an entry. Messages quote commands that make the file that was expected; those
 * with SciPy were run with its version 1.17. */
#include "matrix/market/market_foreign.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "matrix/market/market_number.h"
#include "matrix/market/market_words.h"

/* ---- known by their first bytes ---- */

#define PYTHON(modules, matrix)                                                                    \
    "python3 -c \"import scipy.io, " modules "; scipy.io.mmwrite('A.mtx', " matrix ")\" makes "    \
    "A.mtx of it"

static const struct {
    const char *magic;
    size_t length;
    const char *what, *how;
} known[] = {
    {"\x93NUMPY", 6, "an array of NumPy",
     PYTHON("scipy.sparse, numpy", "scipy.sparse.coo_array(numpy.load('FILE'))")},
    {"MATLAB 5", 8, "a MAT-file of MATLAB",
     "where NAME is the matrix, " PYTHON(
         "scipy.sparse", "scipy.sparse.coo_array(scipy.io.loadmat('FILE')['NAME'])")},
    {"MATLAB 7", 8, "a MAT-file of MATLAB in HDF5",
     "save it by MATLAB's save('FILE.mat', 'NAME', '-v7'), and " PYTHON(
         "scipy.sparse", "scipy.sparse.coo_array(scipy.io.loadmat('FILE.mat')['NAME'])")},
    {"\x89HDF\r\n", 6, "an HDF5 file",
     "cgsolve reads Matrix Market, SciPy's .npz and Harwell-Boeing"},
    {"\0\x12{P", 4, "a matrix in PETSc's binary format",
     "with indices of 32 bits and numbers of 64, PETSc's own, python3 -c \"import numpy as np, "
     "scipy.io, scipy.sparse; f = open('FILE'); _, m, n, nnz = np.fromfile(f, '>i4', 4); "
     "p = np.append(0, np.fromfile(f, '>i4', m).cumsum()); j = np.fromfile(f, '>i4', nnz); "
     "v = np.fromfile(f, '>f8', nnz); scipy.io.mmwrite('A.mtx', "
     "scipy.sparse.csr_array((v.astype(float), j.astype('i4'), p), (m, n)))\" makes A.mtx of it"},
    {"\0\x12{N", 4, "a vector in PETSc's binary format",
     "python3 -c \"import numpy; numpy.save('b.npy', numpy.fromfile('FILE', '>f8', offset=8))\" "
     "makes b.npy of it"},
    {"%%NVAMGBinary\n", 14, "a system in AmgX's binary format",
     "without blocks or a diagonal apart, python3 -c \"import numpy as np, scipy.io, scipy.sparse; "
     "f = open('FILE', 'rb'); f.seek(14); n, nnz = np.fromfile(f, '<u4', 9)[7:].astype(int); "
     "p = np.fromfile(f, '<i4', n + 1); j = np.fromfile(f, '<i4', nnz); "
     "v = np.fromfile(f, '<f8', nnz); scipy.io.mmwrite('A.mtx', "
     "scipy.sparse.csr_array((v, j, p), (n, n))); np.save('b.npy', np.fromfile(f, '<f8', n))\" "
     "makes A.mtx of it, and b.npy of its right-hand side"},
    {"%%NVAMGBin_v2\n", 14, "a system in AmgX's second binary format",
     "without blocks or a diagonal apart, python3 -c \"import numpy as np, scipy.io, scipy.sparse; "
     "f = open('FILE', 'rb'); f.seek(14); h = np.fromfile(f, '<u8', 128).astype(int); "
     "n, nnz, a, b, i = h[8:13]; kind = ['<i4', '<i8', '<f4', '<f8']; "
     "p = np.fromfile(f, kind[i], n + 1); j = np.fromfile(f, kind[i], nnz); "
     "v = np.fromfile(f, kind[a], nnz); scipy.io.mmwrite('A.mtx', "
     "scipy.sparse.csr_array((v, j, p), (n, n))); np.save('b.npy', np.fromfile(f, kind[b], n))\" "
     "makes A.mtx of it, and b.npy of its right-hand side"},
    {"BZh", 3, "packed by bzip2",
     "unpack it by bunzip2, or python3 -c \"import bz2; open('A.mtx', "
     "'wb').write(bz2.open('FILE').read())\" makes A.mtx of it; gzip and xz are read as they are"},
    {"(\xb5/\xfd", 4, "packed by zstd", "unpack it by zstd -d; gzip and xz are read as they are"},
    {"\xff\xfe", 2, "text in UTF-16, as PowerShell's > writes it",
     "iconv -f UTF-16 -t UTF-8 FILE >A.mtx"},
    {"version https://git-lfs", 23, "a pointer of Git LFS", "git lfs pull fetches the file itself"},
    {"$MeshFormat", 11, "a mesh of Gmsh, not a matrix",
     "a finite-element program (scikit-fem, FEniCS, deal.II) assembles one on it"},
    {"solid ", 6, "a surface (STL), not a matrix",
     "a mesh generator makes a mesh of it, and a finite-element program a matrix on that"},
};
enum { KNOWN = sizeof known / sizeof *known, STL = KNOWN - 1 };

enum { STL_HEAD = 84, STL_TRIANGLE = 50 };

/* Returns true if the triangles in the buffer, each a normal, three corners and two more bytes,
 * have normals of at most unit length and finite corners. */
static bool are_triangles(const char *at, const char *end)
{
    for (; end - at >= STL_TRIANGLE; at += STL_TRIANGLE) {
        float x[12];
        memcpy(x, at, sizeof x);
        for (int i = 3; i < 12; i++)
            if (!isfinite(x[i]))
                return false;
        if (!(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] <= 1.001F))
            return false;
    }
    return true;
}

/* Returns true for a binary STL file, which begins with any 80 bytes: the number of triangles that
 * follows them, in 32 bits, gives the length of the file. Where that is unknown, since the file is
 * packed, the triangles in the buffer decide. */
static bool is_binary_stl(const struct cgs_market_text *text)
{
    const char *const begin = text->buffer + text->begin, *const end = text->buffer + text->end;
    if (end - begin < STL_HEAD)
        return false;
    const unsigned char *at = (const unsigned char *)begin + STL_HEAD - 4;
    const int64_t triangles = at[0] | at[1] << 8 | at[2] << 16 | (int64_t)at[3] << 24;
    const int64_t bytes = STL_HEAD + STL_TRIANGLE * triangles;
    if (triangles == 0)
        return false;
    if (text->ended) /* the reader has perhaps added an end of line */
        return end - begin == bytes || end - begin == bytes + 1;
    if (text->text_bytes < INT64_MAX)
        return text->text_bytes == bytes;
    return end - begin >= STL_HEAD + STL_TRIANGLE && end - begin <= bytes &&
           are_triangles(begin + STL_HEAD, end);
}

static bool name_known(struct cgs_market_text *text)
{
    const size_t there = text->end - text->begin;
    for (size_t i = 0; i < KNOWN; i++)
        if ((known[i].length <= there &&
             memcmp(text->buffer + text->begin, known[i].magic, known[i].length) == 0) ||
            (i == STL && is_binary_stl(text))) {
            cgs_fail_add(text->context, "; it seems to be %s: %s", known[i].what, known[i].how);
            return true;
        }
    return false;
}

/* ---- lines of numbers ---- */

enum { MOST = 3 };

/* Numbers of all lines but the first, and what they would be as indices and values. */
struct table {
    double first[MOST]; /* of the first line with numbers */
    int width;          /* numbers of each line; 0: none yet */
    int64_t lines, rows, columns, lowest;
    bool above, below; /* the diagonal */
    bool indices;      /* the first two numbers of each line are whole and not negative */
    bool whole;        /* ... and so is the third one of the first line */
    bool titled;       /* words stand before the first line with numbers */
    bool odd;          /* words, comments by #, commas, indices with a fraction or an exponent */
};

static bool is_index(double x)
{
    return x >= 0.0 && x <= INT32_MAX && x == floor(x);
}

static void add_indices(struct table *table, const double *numbers)
{
    if (!is_index(numbers[0]) || !is_index(numbers[1])) {
        table->indices = false;
        return;
    }
    const int64_t i = (int64_t)numbers[0], j = (int64_t)numbers[1];
    table->rows = i > table->rows ? i : table->rows;
    table->columns = j > table->columns ? j : table->columns;
    table->lowest = i < table->lowest ? i : table->lowest;
    table->lowest = j < table->lowest ? j : table->lowest;
    table->above = table->above || j > i;
    table->below = table->below || j < i;
}

/* Returns true for a line without numbers that may be left out: a comment, here or in other
 * programs, or names of columns above the first one. */
static bool is_left_out(struct table *table, const char *at)
{
    const bool banner = strncasecmp(at, "%%MatrixMarket", 14) == 0;
    if (*at == '%')
        return !banner;
    const bool title = *at != '#';
    if (title && (table->titled || table->width != 0 || !isalpha((unsigned char)*at)))
        return false;
    table->titled = table->titled || title;
    table->odd = true;
    return true;
}

/* Reads a line; returns false if it has something else than numbers, or another count of them. */
static bool add_line(struct table *table, const char *at, locale_t c)
{
    double numbers[MOST];
    int count = 0;
    bool plain = true;
    for (;;) {
        char word[64];
        at += strspn(at, " \t,;");
        const size_t length = strcspn(at, " \t,;\r\n");
        if (length == 0)
            break;
        if (count == MOST)
            return false;
        const size_t kept = length < sizeof word - 2 ? length : sizeof word - 2;
        memcpy(word, at, kept);
        memcpy(word + kept, "\n", 2);
        const char *end = word;
        if (kept < length || !cgs_market_number(&end, c, &numbers[count]))
            return count == 0 && is_left_out(table, at);
        at += length;
        table->odd = table->odd || *at == ',' || *at == ';';
        plain = plain && (count == 2 || strcspn(word, ".eEdD") >= length);
        count++;
    }
    if (count == 0)
        return cgs_market_at_end(at);
    if (table->width != 0 && count != table->width)
        return false;
    table->odd = table->odd || (count > 1 && !plain);
    if (table->lines++ == 0) {
        table->width = count;
        memcpy(table->first, numbers, sizeof numbers);
        table->whole = count == MOST && is_index(numbers[2]);
    } else if (count > 1)
        add_indices(table, numbers);
    return true;
}

static bool read_table(struct cgs_market_text *text, struct table *table)
{
    const locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const char *line, *last;
    bool right = c != (locale_t)0;
    while (right && cgs_market_text_lines(text, &line, &last) == CGS_OK && line < last) {
        const char *const begin = line;
        int64_t lines = 0;
        for (; right && line < last; lines++) {
            right = add_line(table, line, c);
            line = (const char *)memchr(line, '\n', (size_t)(last - line)) + 1;
        }
        cgs_market_text_skip(text, (size_t)(line - begin), lines);
    }
    if (c)
        freelocale(c);
    return right && text->ended && table->lines > 0;
}

/* Returns true if the first line has rows, columns and the number of the lines that follow. */
static bool has_sizes(const struct table *table)
{
    return table->whole && table->first[2] == (double)(table->lines - 1) &&
           table->first[0] >= (double)table->rows && table->first[1] >= (double)table->columns;
}

static void name_table(struct cgs_market_text *text)
{
    struct table table = {.lowest = INT64_MAX, .indices = true};
    if (!read_table(text, &table))
        return;
    struct cgs_context *context = text->context;
    if (table.width == 1) {
        cgs_fail_add(context, "; it seems to be a vector%s",
                     table.odd ? ": a line has one number and nothing else: tr ',;' '  ' <FILE | "
                                 "awk '$1 ~ /^[-+.0-9]/ { print $1 }' writes them so"
                               : ", which \1rhs and \1guess take as it is");
        return;
    }
    const bool sized = table.lines > 1 && has_sizes(&table);
    if (!sized)
        add_indices(&table, table.first);
    if (!table.indices)
        return;
    const char *const symmetry = table.above == table.below ? "general" : "symmetric";
    const char *const field = table.width == 2 ? "pattern" : "real";
    const int64_t shift = table.lowest == 0;
    if (sized)
        cgs_fail_add(context,
                     "; it seems to lack its first line alone: put \"%%%%MatrixMarket matrix "
                     "coordinate %s %s\" above it",
                     field, symmetry);
    else
        cgs_fail_add(context,
                     "; it seems to be entries, ROW COLUMN%s a line, without the two lines before "
                     "them: put \"%%%%MatrixMarket matrix coordinate %s %s\" and \"%" PRId64
                     " %" PRId64 " %" PRId64 "\" (rows, columns, entries) above them",
                     table.width == 2 ? "" : " VALUE", field, symmetry, table.rows + shift,
                     table.columns + shift, table.lines);
    if (!sized && !table.odd && table.above == table.below) /* else SciPy would take a half */
        cgs_fail_add(
            context,
            ", or python3 -c \"import numpy, scipy.io, scipy.sparse; "
            "a = numpy.loadtxt('FILE', comments='%%', ndmin=2); "
            "i, j = a[:, :2].T.astype(int) - %d; "
            "scipy.io.mmwrite('A.mtx', scipy.sparse.coo_array((%s, (i, j))))\" makes A.mtx "
            "of it",
            (int)!shift, table.width == 2 ? "i * 0 + 1" : "a[:, 2]");
    if (table.odd || shift)
        cgs_fail_add(
            context,
            "; entries are numbered from 1, with whole numbers between blanks: tr ',;' '  ' "
            "<FILE | awk '$1 ~ /^[-+.0-9]/ { %sprint $1 + %d, $2 + %d, $3 }' writes them so",
            sized ? "if (!n++) print; else " : "", (int)shift, (int)shift);
}

void cgs_market_name_foreign(struct cgs_market_text *text)
{
    if (!name_known(text))
        name_table(text);
}

/* ---- AmgX ---- */

static bool is(struct cgs_market_word word, const char *what)
{
    return word.length == strlen(what) && strncasecmp(word.text, what, word.length) == 0;
}

void cgs_market_note_amgx(const char *comment, int64_t line, struct cgs_market_amgx *amgx)
{
    struct cgs_market_word word = cgs_market_word(&comment);
    if (!is(word, "%%AMGX") && !is(word, "%%NVAMG"))
        return;
    amgx->line = line;
    while ((word = cgs_market_word(&comment)).length > 0) {
        const bool number = isdigit((unsigned char)word.text[0]);
        amgx->vectors = amgx->vectors || is(word, "rhs") || is(word, "solution");
        amgx->other =
            amgx->other || is(word, "diagonal") || is(word, "base0") || (number && !is(word, "1"));
    }
}

enum cgs_status cgs_market_check_amgx(struct cgs_market_text *text, const struct cgs_market *market,
                                      const struct cgs_market_amgx *amgx)
{
    if (amgx->other)
        return cgs_market_complain(text, amgx->line,
                                   "AmgX's line %%%%AMGX says that the file has blocks, a diagonal "
                                   "apart, or numbers from 0: cgsolve reads entries one by one, "
                                   "from 1, and the diagonal with them");
    if (!amgx->vectors)
        return CGS_OK;
    const int64_t last = text->line - 1 + market->stored;
    return cgs_market_complain(
        text, amgx->line,
        "AmgX's line %%%%AMGX says that a right-hand side follows the entries: the matrix alone is "
        "head -n %" PRId64 " FILE | grep -v '^%%%%AMGX' >A.mtx, and the right-hand side for \1rhs "
        "(echo '%%%%MatrixMarket matrix array real general'; echo %" PRId64 " 1; tail -n +%" PRId64
        " FILE | head -n %" PRId64 ") >b.mtx",
        last, market->rows, last + 1, market->rows);
}
