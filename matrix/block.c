/* Blocks of rows: buffers, the check of the row source's output, and error messages. */
#include "matrix/block.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

#include "base/memory.h"
#include "base/vectorise.h"
#include "matrix/ranks/portion.h"

int64_t cgs_block_capacity(int32_t longest)
{
    const int64_t capacity = longest > CGS_BLOCK_ENTRIES ? longest : CGS_BLOCK_ENTRIES;
    return (capacity + 15) / 16 * 16; /* every array begins at a cache line */
}

enum cgs_status cgs_block_buffers_create(struct cgs_context *context, int64_t capacity,
                                         int64_t bytes_most, struct cgs_block_buffers *buffers)
{
    const int64_t bytes = capacity * (int64_t)(sizeof(double) + sizeof(int32_t) + sizeof(float));
    const int64_t fitting = bytes_most / bytes;
    const int64_t count = fitting < 1 ? 1 : fitting < context->threads ? fitting : context->threads;
    struct cgs_block_buffers made = {.count = (int)count};
    CGS_TRY(cgs_alloc(context, count, sizeof *made.of_thread, "buffers of the threads",
                      (void **)&made.of_thread));
    const enum cgs_status status =
        cgs_alloc(context, count, (size_t)bytes, "blocks of matrix rows", &made.memory);
    if (status != CGS_OK) {
        cgs_free(context, made.of_thread);
        return status;
    }
    for (int64_t t = 0; t < count; t++) {
        char *memory = (char *)made.memory + t * bytes;
        made.of_thread[t] = (struct cgs_block_buffer){
            .values = (double *)memory,
            .columns = (int32_t *)(memory + capacity * (int64_t)sizeof(double)),
            .narrow = (float *)(memory + capacity * (int64_t)(sizeof(double) + sizeof(int32_t))),
        };
    }
    *buffers = made;
    return CGS_OK;
}

void cgs_block_buffers_release(struct cgs_context *context, struct cgs_block_buffers *buffers)
{
    cgs_free(context, buffers->memory);
    cgs_free(context, buffers->of_thread);
}

/* Counts descents of the columns, over the whole block and between rows only: equal if the columns
 * ascend in every row. Then a row's first and last column tell whether all are in range. */
CGS_CLONES bool cgs_block_good(const struct cgs_matrix *matrix, const struct cgs_block *block,
                               const int32_t *column)
{
    const int64_t count = block->offsets[block->rows];
    const int64_t least = -cgs_portion_below(matrix->source->portion), columns = matrix->columns;
    int32_t falls = 0, beginnings = 0, outside = 0;
    for (int64_t k = 1; k < count; k++)
        falls += column[k] <= column[k - 1];
    for (int64_t i = 0; i < block->rows; i++) {
        const int64_t begin = block->offsets[i], end = block->offsets[i + 1];
        if (begin == end)
            continue;
        if (begin > 0)
            beginnings += column[begin] <= column[begin - 1];
        outside |= column[begin] < least || column[end - 1] >= columns;
    }
    return falls == beginnings && !outside;
}

/* Doubles from here on round to infinity in single precision: halfway past the largest float. */
static const double TOO_BIG = 0x1.ffffffp127;

static bool too_big(double value)
{
    return fabs(value) >= TOO_BIG && fabs(value) <= DBL_MAX;
}

CGS_CLONES bool cgs_block_narrow(int64_t count, const double *values, float *narrow)
{
    int32_t bad = 0;
    for (int64_t k = 0; k < count; k++) {
        narrow[k] = (float)values[k];
        bad |= (fabs(values[k]) >= TOO_BIG) & (fabs(values[k]) <= DBL_MAX);
    }
    return !bad;
}

/* Finds the error in one row, which is in the buffer; CGS_OK: none. */
static enum cgs_status explain_row(struct cgs_context *context, const struct cgs_matrix *matrix,
                                   enum cgs_number number, int64_t local_row, int32_t length,
                                   const struct cgs_block_buffer *buffer)
{
    const struct cgs_portion *portion = matrix->source->portion;
    const int32_t *column = buffer->columns;
    const int64_t row = cgs_portion_global(portion, local_row);
    for (int32_t j = 0; j < length; j++) {
        if (column[j] < -cgs_portion_below(portion) || column[j] >= matrix->columns)
            return cgs_fail(
                context, CGS_FILE, "row %lld (counting from 1): column %lld is outside 1 ... %lld",
                (long long)row + 1, (long long)column[j] + 1, (long long)matrix->columns);
        if (j > 0 && column[j] <= column[j - 1])
            return cgs_fail(context, CGS_FILE,
                            "row %lld (counting from 1): column %lld comes after column %lld; "
                            "columns must ascend, each once",
                            (long long)row + 1, (long long)column[j] + 1,
                            (long long)column[j - 1] + 1);
        if (number == CGS_F32 && too_big(buffer->values[j]))
            return cgs_fail(context, CGS_FILE,
                            "matrix entry (%lld, %lld) = %.6g does not fit single precision "
                            "(at most %.6g); use \1precision=double",
                            (long long)row + 1,
                            (long long)cgs_portion_global(portion, column[j]) + 1,
                            buffer->values[j], (double)FLT_MAX);
    }
    return CGS_OK;
}

enum cgs_status cgs_block_explain(struct cgs_context *context, const struct cgs_matrix *matrix,
                                  enum cgs_number number, int64_t place,
                                  struct cgs_block_buffer *buffer)
{
    const struct cgs_row_source *source = matrix->source;
    for (int64_t i = place; i < matrix->rows && i < place + CGS_BLOCK_ROWS; i++) {
        const int64_t unit = i / matrix->chunk, row = cgs_row_at(matrix, i);
        const int64_t width = (matrix->pointers[unit + 1] - matrix->pointers[unit]) / matrix->chunk;
        int32_t length = 0;
        source->lengths(source, row, row + 1, &length);
        if (length < 0 || length > width || (cgs_as_generated(matrix) && length != width))
            return cgs_fail(context, CGS_FILE,
                            "row %lld (counting from 1): %ld entries now, where %s%lld were "
                            "announced before",
                            (long long)row + 1, (long)length,
                            cgs_as_generated(matrix) ? "" : "at most ", (long long)width);
        source->fill(source, row, row + 1, buffer->columns, buffer->values);
        CGS_TRY(explain_row(context, matrix, number, row, length, buffer));
    }
    return cgs_fail(context, CGS_BUG,
                    "row %lld and those after it were refused, but nothing is wrong with them",
                    (long long)cgs_row_at(matrix, place) + 1);
}
