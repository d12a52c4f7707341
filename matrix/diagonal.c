/* The diagonal of a matrix, from its row source, in blocks of rows as in fill.c. */
#include "matrix/matrix.h"

#include <omp.h>

#include "matrix/block.h"

/* The longest of rows first ... last - 1, CGS_BLOCK_ROWS at most. */
static int32_t longest_row(const struct cgs_row_source *source, int64_t first, int64_t last)
{
    int32_t longest = 0;
    int32_t lengths[CGS_BLOCK_ROWS];
    source->lengths(source, first, last, lengths);
    for (int64_t i = 0; i < last - first; i++)
        longest = lengths[i] > longest ? lengths[i] : longest;
    return longest;
}

/* Rows begin ... end - 1, which fit the buffer. */
static void draw(const struct cgs_row_source *source, int64_t begin, int64_t end,
                 const int32_t *lengths, struct cgs_block_buffer *buffer, double *diagonal)
{
    int64_t at = 0;
    source->fill(source, begin, end, buffer->columns, buffer->values);
    for (int64_t row = begin; row < end; row++) {
        double found = 0.0;
        for (int32_t j = 0; j < lengths[row - begin]; j++)
            if (buffer->columns[at + j] == row)
                found = buffer->values[at + j];
        diagonal[row] = found;
        at += lengths[row - begin];
    }
}

static void draw_all(const struct cgs_row_source *source, int64_t first, int64_t last,
                     int64_t capacity, struct cgs_block_buffer *buffer, double *diagonal)
{
    int32_t lengths[CGS_BLOCK_ROWS];
    for (int64_t begin = first; begin < last;) {
        const int64_t most = last - begin < CGS_BLOCK_ROWS ? last - begin : CGS_BLOCK_ROWS;
        source->lengths(source, begin, begin + most, lengths);
        int64_t rows = 1, entries = lengths[0];
        while (rows < most && entries + lengths[rows] <= capacity)
            entries += lengths[rows++];
        draw(source, begin, begin + rows, lengths, buffer, diagonal);
        begin += rows;
    }
}

enum cgs_status cgs_matrix_diagonal(struct cgs_context *context,
                                    const struct cgs_row_source *source, double *diagonal)
{
    enum { BLOCK = CGS_BLOCK_ROWS };
    const int64_t rows = source->rows < source->columns ? source->rows : source->columns;
    const int64_t blocks = rows / BLOCK + (rows % BLOCK != 0);
    int32_t longest = 0;
#pragma omp parallel for num_threads(context->threads) schedule(static) reduction(max : longest)
    for (int64_t b = 0; b < blocks; b++) {
        const int64_t end = (b + 1) * BLOCK < rows ? (b + 1) * BLOCK : rows;
        const int32_t here = longest_row(source, b * BLOCK, end);
        longest = here > longest ? here : longest;
    }
    struct cgs_block_buffers buffers;
    const int64_t capacity = cgs_block_capacity(longest);
    CGS_TRY(cgs_block_buffers_create(context, capacity, INT64_C(1) << 30, &buffers));
#pragma omp parallel for num_threads(buffers.count) schedule(static)
    for (int64_t b = 0; b < blocks; b++) {
        const int64_t end = (b + 1) * BLOCK < rows ? (b + 1) * BLOCK : rows;
        draw_all(source, b * BLOCK, end, capacity, &buffers.of_thread[omp_get_thread_num()],
                 diagonal);
    }
    cgs_block_buffers_release(context, &buffers);
    return CGS_OK;
}
