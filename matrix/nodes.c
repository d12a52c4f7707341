/* Nodes of a matrix by rows: their detection, and their entries, generated piece by piece. */
#include "matrix/nodes.h"

#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "matrix/fill.h"
#include "matrix/names.h"

/* Rows of the largest node; entries generated at a time, unless a node has more. */
enum { LARGEST = 3, PIECE = 1 << 18 };

/* ---- detection ---- */

/* Returns the first row whose number of entries breaks the nodes, or that of rows if none does.
 * Without pointers the totals are looked at alone. */
static int64_t uneven(const struct cgs_matrix *crs, int block)
{
    const int64_t *pointers = crs->pointers;
    if (crs->columns % block || (!pointers && crs->nonzeros % ((int64_t)block * block)))
        return 0;
    for (int64_t i = 0; pointers && i + block <= crs->rows; i += block) {
        const int64_t length = pointers[i + 1] - pointers[i];
        if (length % block)
            return i;
        for (int k = 1; k < block; k++)
            if (pointers[i + k + 1] - pointers[i + k] != length)
                return i + k;
    }
    return crs->rows - crs->rows % block;
}

int cgs_nodes_expected(const struct cgs_matrix *crs)
{
    int block = LARGEST;
    while (block > 1 && uneven(crs, block) < crs->rows)
        block--;
    return block;
}

int cgs_nodes_least(const struct cgs_matrix *crs)
{
    return crs->pointers && cgs_nodes_expected(crs) == 3 ? 3 : 2;
}

/* A thread's room for the rows of a node: columns of the first and of another one. */
struct room {
    int32_t *columns[2];
    double *values;
};

/* Returns true if the columns come in whole blocks. */
static bool in_blocks(int64_t length, const int32_t *column, int block)
{
    int32_t broken = 0;
    for (int64_t k = 0; k < length; k += block) {
        broken |= column[k] % block;
        for (int c = 1; c < block; c++)
            broken |= column[k + c] ^ (column[k] + c);
    }
    return !broken;
}

/* Returns the first of the node's rows that breaks it, or INT64_MAX. All have the same length. */
static int64_t broken(const struct cgs_matrix *crs, int64_t row, int block, const struct room *room)
{
    const struct cgs_row_source *source = crs->source;
    const int64_t length = crs->pointers[row + 1] - crs->pointers[row];
    for (int k = 0; k < block; k++) {
        int32_t *columns = room->columns[k > 0];
        source->fill(source, row + k, row + k + 1, columns, room->values);
        if (k == 0 ? !in_blocks(length, columns, block)
                   : memcmp(columns, room->columns[0], (size_t)length * sizeof *columns) != 0)
            return row + k;
    }
    return INT64_MAX;
}

/* Finds the first row that breaks nodes of `block` rows, or INT64_MAX. memory: of all threads. */
static int64_t first_broken(const struct cgs_matrix *crs, int block, int threads, char *memory,
                            int64_t bytes)
{
    const int64_t longest = crs->statistics.longest, bad = uneven(crs, block);
    int64_t first = INT64_MAX;
    if (bad < crs->rows)
        return bad;
#pragma omp parallel num_threads(threads) reduction(min : first)
    {
        char *own = memory + omp_get_thread_num() * bytes;
        const struct room room = {
            .values = (double *)own,
            .columns = {(int32_t *)(own + longest * (int64_t)sizeof(double)),
                        (int32_t *)(own + longest * (int64_t)sizeof(double)) + longest}};
#pragma omp for schedule(static)
        for (int64_t row = 0; row < crs->rows; row += block)
            if (first == INT64_MAX)
                first = broken(crs, row, block, &room);
    }
    return first;
}

enum cgs_status cgs_nodes_find(struct cgs_context *context, const struct cgs_matrix *crs,
                               int *block)
{
    const int64_t bytes = crs->statistics.longest * (int64_t)(sizeof(double) + 2 * sizeof(int32_t));
    int64_t bad[LARGEST + 1] = {0};
    char *memory;
    CGS_TRY(cgs_alloc(context, context->threads, (size_t)bytes, "rows of nodes", (void **)&memory));
    for (int b = LARGEST; b > 1; b--) {
        bad[b] = first_broken(crs, b, context->threads, memory, bytes);
        if (bad[b] == INT64_MAX) {
            cgs_free(context, memory);
            *block = b;
            return CGS_OK;
        }
    }
    cgs_free(context, memory);
    return cgs_fail(context, CGS_USAGE,
                    "the entries do not fill dense blocks: of 3 x 3 row %lld (counting from 1) "
                    "breaks one, of 2 x 2 row %lld; use another kernel",
                    (long long)bad[3] + 1, (long long)bad[2] + 1);
}

enum cgs_status cgs_nodes_accepts(struct cgs_context *context, const struct cgs_matrix *crs)
{
    int block;
    if (crs->mesh)
        return cgs_fail(context, CGS_USAGE,
                        "it takes dense blocks of a matrix in arrays or of a file, and here is the "
                        "box, with one unknown a node; use another kernel");
    if (crs->pointers)
        return cgs_nodes_find(context, crs, &block);
    if (crs->source && crs->source->there)
        return cgs_fail(context, CGS_USAGE,
                        "the rows are in the device's memory, where blocks are not looked for; use "
                        "another kernel");
    if (crs->source || cgs_nodes_expected(crs) > 1) /* its rows will be looked at */
        return CGS_OK;
    return cgs_fail(context, CGS_USAGE,
                    "the entries do not fill dense blocks of 3 x 3 or 2 x 2; use another kernel");
}

/* ---- entries ---- */

/* Returns the end of the piece that begins with row `first`: whole nodes, at least one. */
static int64_t piece_end(const struct cgs_matrix *crs, int64_t first, int block)
{
    int64_t end = first + block;
    while (end < crs->rows && crs->pointers[end + block] - crs->pointers[first] <= PIECE)
        end += block;
    return end;
}

void cgs_nodes_columns(const struct cgs_context *context, const struct cgs_matrix *crs, int block,
                       int64_t first, int64_t last, const int32_t *columns, int32_t *blocks)
{
    const int64_t *pointers = crs->pointers, begin = pointers[first];
#pragma omp parallel for schedule(static) num_threads(context->threads)
    for (int64_t row = first; row < last; row += block) {
        const int32_t *column = columns + (pointers[row] - begin);
        const int64_t count = (pointers[row + 1] - pointers[row]) / block;
        const int64_t at = (pointers[row] - begin) / ((int64_t)block * block);
        for (int64_t k = 0; k < count; k++)
            blocks[at + k] = column[k * block] / block;
    }
}

int64_t cgs_nodes_beside(const struct cgs_matrix *crs)
{
    const int64_t node = (int64_t)LARGEST * crs->statistics.longest;
    return crs->stored < PIECE || crs->stored < node ? crs->stored : node > PIECE ? node : PIECE;
}

enum cgs_status cgs_nodes_fill(struct cgs_context *context, const struct cgs_matrix *crs, int block,
                               enum cgs_number number, int32_t *blocks, void *values)
{
    const int64_t *pointers = crs->pointers;
    enum cgs_status status = CGS_OK;
    int32_t *columns;
    CGS_TRY(cgs_alloc(context, cgs_nodes_beside(crs), sizeof *columns, "columns of nodes",
                      (void **)&columns));
    for (int64_t first = 0, end; first < crs->rows && status == CGS_OK; first = end) {
        end = piece_end(crs, first, block);
        status = cgs_matrix_fill(context, crs, first, end, number, columns,
                                 (char *)values + pointers[first] * cgs_number_bytes(number));
        if (status != CGS_OK)
            break;
        cgs_nodes_columns(context, crs, block, first, end, columns,
                          blocks + pointers[first] / ((int64_t)block * block));
    }
    cgs_free(context, columns);
    return status;
}
