#include "matrix/walk.h"

#include <omp.h>

#include "matrix/block.h"

/* Longest of rows first ... last - 1, at most CGS_BLOCK_ROWS rows. */
static int32_t longest_row(const struct cgs_row_source *source, int64_t first, int64_t last)
{
    int32_t longest = 0;
    int32_t lengths[CGS_BLOCK_ROWS];
    source->lengths(source, first, last, lengths);
    for (int64_t i = 0; i < last - first; i++)
        longest = lengths[i] > longest ? lengths[i] : longest;
    return longest;
}

/* Arguments of a walk. */
struct walk {
    const struct cgs_row_source *source;
    int64_t capacity; /* entries of a thread's buffer */
    void (*visit)(void *user, int thread, const struct cgs_walk_block *block);
    void *user;
};

/* Visits rows first ... last - 1, at most CGS_BLOCK_ROWS, in as many blocks as the buffer
 * requires. */
static void visit_rows(const struct walk *walk, int64_t first, int64_t last, int thread,
                       const struct cgs_block_buffer *buffer)
{
    const struct cgs_row_source *source = walk->source;
    int32_t lengths[CGS_BLOCK_ROWS];
    source->lengths(source, first, last, lengths);
    for (int64_t begin = first; begin < last;) {
        const int32_t *length = lengths + (begin - first);
        int64_t rows = 1, entries = length[0];
        while (begin + rows < last && entries + length[rows] <= walk->capacity)
            entries += length[rows++];
        source->fill(source, begin, begin + rows, buffer->columns, buffer->values);
        const struct cgs_walk_block block = {begin, rows, length, buffer->columns, buffer->values};
        walk->visit(walk->user, thread, &block);
        begin += rows;
    }
}

enum cgs_status
cgs_walk_rows(struct cgs_context *context, const struct cgs_row_source *source, int64_t first,
              int64_t last,
              void (*visit)(void *user, int thread, const struct cgs_walk_block *block), void *user)
{
    enum { BLOCK = CGS_BLOCK_ROWS };
    if (!source->fill)
        return cgs_fail(
            context, CGS_USAGE,
            "the matrix has %lld columns: column numbers have 32 bits, so that its rows "
            "cannot be drawn",
            (long long)source->columns);
    const int64_t rows = last - first, blocks = rows / BLOCK + (rows % BLOCK != 0);
    int32_t longest = 0;
#pragma omp parallel for num_threads(context->threads) schedule(static) reduction(max : longest)
    for (int64_t b = 0; b < blocks; b++) {
        const int64_t begin = first + b * BLOCK;
        const int32_t here =
            longest_row(source, begin, last - begin < BLOCK ? last : begin + BLOCK);
        longest = here > longest ? here : longest;
    }
    struct cgs_block_buffers buffers;
    const struct walk walk = {source, cgs_block_capacity(longest), visit, user};
    CGS_TRY(cgs_block_buffers_create(context, walk.capacity, INT64_C(1) << 30, &buffers));
#pragma omp parallel for num_threads(buffers.count) schedule(static)
    for (int64_t b = 0; b < blocks; b++) {
        const int64_t begin = first + b * BLOCK;
        const int thread = omp_get_thread_num();
        visit_rows(&walk, begin, last - begin < BLOCK ? last : begin + BLOCK, thread,
                   &buffers.of_thread[thread]);
    }
    cgs_block_buffers_release(context, &buffers);
    return CGS_OK;
}

/* ---- the diagonal ---- */

/* Destination of the diagonal, and the column of row 0's diagonal entry. */
struct taking {
    double *diagonal;
    int64_t first;
};

static void take_diagonal(void *user, int thread, const struct cgs_walk_block *block)
{
    const struct taking *taking = user;
    double *const diagonal = taking->diagonal;
    int64_t at = 0;
    (void)thread;
    for (int64_t i = 0; i < block->rows; i++) {
        const int64_t row = block->first + i;
        diagonal[row] = 0.0;
        for (int32_t j = 0; j < block->lengths[i]; j++, at++)
            if (block->columns[at] == taking->first + row)
                diagonal[row] = block->values[at];
    }
}

enum cgs_status cgs_matrix_diagonal(struct cgs_context *context,
                                    const struct cgs_row_source *source, double *diagonal)
{
    const int64_t rows = source->rows < source->columns ? source->rows : source->columns;
    if (source->diagonal)
        return source->diagonal(context, source, 0, rows, diagonal);
    struct taking taking = {diagonal, source->first};
    return cgs_walk_rows(context, source, 0, rows, take_diagonal, &taking);
}
