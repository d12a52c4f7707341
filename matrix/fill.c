/* The entries of a matrix, drawn from its row source into any part of its layout.
 *
 * Threads take shares of the units (cgs_share: the same division that the CPU's kernels use, so
 * that a page is placed where it will be read). A thread draws blocks of rows, at most BLOCK_ROWS
 * and, long rows apart, BLOCK_ENTRIES, into a buffer that stays in its L1 cache; the block is
 * checked there, and then written out:
 *     CRS    as it is (columns, and double values, go straight to their place: no buffer)
 *     SELL   slot by slot, so that the stores into the big arrays stream
 *     padded CRS   as chunks of one row
 * Where rows are sorted, a block's rows are those of its places, drawn run by run of rows that
 * still follow each other: any part of the layout can be filled, whatever windows it cuts. The
 * check costs a few vector instructions a row: a block's columns are in range, and they fall
 * nowhere but from one row to the next. Only a block that fails is walked again for the message.
 */
#include "matrix/matrix.h"

#include <assert.h>
#include <omp.h>
#include <stddef.h>

#include "base/memory.h"
#include "matrix/block.h"
#include "matrix/share.h"

/* What all threads' buffers may take together before fewer threads do the work. */
static const int64_t BUFFERS_MOST = INT64_C(1) << 30;

/* One call of cgs_matrix_fill, as its threads see it. */
struct job {
    const struct cgs_matrix *matrix;
    int64_t first; /* unit where the caller's arrays begin */
    enum cgs_number number;
    int32_t *columns;
    void *values;
    int64_t capacity; /* entries of a thread's buffer */
};

void cgs_matrix_lengths(const struct cgs_matrix *matrix, int64_t begin, int64_t end,
                        int32_t *lengths)
{
    for (int64_t place = begin, next; place < end; place = next) {
        const int64_t row = cgs_row_at(matrix, place);
        next = cgs_run_end(matrix, place, end);
        matrix->source->lengths(matrix->source, row, row + (next - place), lengths);
        lengths += next - place;
    }
}

/* The block's rows, one after the other without gaps. */
static void draw_rows(const struct cgs_matrix *matrix, const struct cgs_block *block,
                      int32_t *columns, double *values)
{
    const int64_t end = block->first + block->rows;
    for (int64_t place = block->first, next; place < end; place = next) {
        const int64_t row = cgs_row_at(matrix, place), at = block->offsets[place - block->first];
        next = cgs_run_end(matrix, place, end);
        matrix->source->fill(matrix->source, row, row + (next - place), columns + at, values + at);
    }
}

/* Places from `begin` on, before `end`, that make one block: their rows' offsets go into
 * block->offsets. */
static void take_block(const struct job *job, int64_t begin, int64_t end, struct cgs_block *block)
{
    const struct cgs_matrix *matrix = job->matrix;
    const int64_t most = end - begin < CGS_BLOCK_ROWS ? end - begin : CGS_BLOCK_ROWS;
    int32_t lengths[CGS_BLOCK_ROWS];
    if (cgs_as_generated(matrix))
        for (int64_t i = 0; i < most; i++)
            lengths[i] = (int32_t)(matrix->pointers[begin + i + 1] - matrix->pointers[begin + i]);
    else
        cgs_matrix_lengths(matrix, begin, begin + most, lengths);
    block->first = begin;
    block->rows = 0;
    block->offsets[0] = 0;
    block->announced = true;
    while (block->rows < most) {
        const int32_t length = lengths[block->rows];
        if (length < 0 || length > matrix->statistics.longest) {
            block->announced = false; /* not what it said when the matrix was laid out */
            return;
        }
        const int64_t next = block->offsets[block->rows] + length;
        if (block->rows > 0 && next > job->capacity)
            return;
        block->offsets[++block->rows] = next;
    }
}

/* A block of CRS, or of SELL-1, which is the same: straight to its place. False: something is wrong
 * with it. */
static bool crs_block(const struct job *job, const struct cgs_block *block,
                      struct cgs_block_buffer *buffer)
{
    const struct cgs_matrix *matrix = job->matrix;
    const int64_t at = matrix->pointers[block->first] - matrix->pointers[job->first];
    const int64_t count = block->offsets[block->rows];
    const bool straight = job->number == CGS_F64;
    int32_t *columns = job->columns + at;
    double *values = straight ? (double *)job->values + at : buffer->values;
    draw_rows(matrix, block, columns, values);
    if (!cgs_block_good(block, matrix->columns, columns))
        return false;
    return straight || cgs_block_narrow(count, values, (float *)job->values + at);
}

/* A block of SELL: into the buffer, then to the slots of each chunk that it touches. */
static bool sell_block(const struct job *job, const struct cgs_block *block,
                       struct cgs_block_buffer *buffer)
{
    const struct cgs_matrix *matrix = job->matrix;
    const int64_t count = block->offsets[block->rows];
    const int64_t end = block->first + block->rows;
    draw_rows(matrix, block, buffer->columns, buffer->values);
    if (!cgs_block_good(block, matrix->columns, buffer->columns))
        return false;
    if (job->number == CGS_F32 && !cgs_block_narrow(count, buffer->values, buffer->narrow))
        return false;
    for (int64_t place = block->first; place < end;) {
        const int64_t unit = place / matrix->chunk, begin = unit * matrix->chunk;
        const int64_t width = (matrix->pointers[unit + 1] - matrix->pointers[unit]) / matrix->chunk;
        const int64_t next = begin + matrix->chunk;
        const int64_t at = matrix->pointers[unit] - matrix->pointers[job->first] + (place - begin);
        const struct cgs_slots slots = {
            .chunk = matrix->chunk,
            .width = (int32_t)width,
            .columns = job->columns + at,
            .values = (char *)job->values + at * cgs_number_bytes(job->number),
        };
        const int64_t stop = next < end ? next : end;
        if (!cgs_block_scatter(matrix, block, buffer, job->number, place - block->first,
                               stop - block->first, &slots))
            return false;
        place = stop;
    }
    return true;
}

/* Rows that the last chunk has and the matrix has not. */
static void fill_lacking(const struct job *job, int64_t last)
{
    const struct cgs_matrix *matrix = job->matrix;
    const int64_t unit = matrix->units - 1, begin = unit * matrix->chunk;
    if (last != matrix->units || matrix->units <= job->first)
        return;
    const int64_t at = matrix->pointers[unit] - matrix->pointers[job->first];
    const int64_t width = (matrix->pointers[unit + 1] - matrix->pointers[unit]) / matrix->chunk;
    for (int64_t j = 0; j < width; j++)
        for (int64_t row = matrix->rows; row < begin + matrix->chunk; row++) {
            const int64_t slot = at + j * matrix->chunk + (row - begin);
            job->columns[slot] = (int32_t)(row < matrix->columns ? row : matrix->columns - 1);
            if (job->number == CGS_F64)
                ((double *)job->values)[slot] = 0.0;
            else
                ((float *)job->values)[slot] = 0.0f;
        }
}

/* Units begin ... end - 1 by one thread. Returns the first place of a block that is wrong, or
 * INT64_MAX. */
static int64_t fill_share(const struct job *job, int64_t begin, int64_t end,
                          struct cgs_block_buffer *buffer)
{
    const struct cgs_matrix *matrix = job->matrix;
    const int64_t stop = end * matrix->chunk;
    const int64_t last = stop < matrix->rows ? stop : matrix->rows;
    struct cgs_block block;
    for (int64_t place = begin * matrix->chunk; place < last; place += block.rows) {
        take_block(job, place, last, &block);
        if (!block.announced)
            return place;
        if (!(cgs_as_generated(matrix) ? crs_block : sell_block)(job, &block, buffer))
            return place;
    }
    return INT64_MAX;
}

enum cgs_status cgs_matrix_fill(struct cgs_context *context, const struct cgs_matrix *matrix,
                                int64_t first, int64_t last, enum cgs_number number,
                                int32_t *columns, void *values)
{
    assert(matrix->pointers && 0 <= first && first <= last && last <= matrix->units);
    const enum cgs_phase before = cgs_stopwatch_enter(&context->watch, CGS_PHASE_ASSEMBLE);
    const struct job job = {.matrix = matrix,
                            .first = first,
                            .number = number,
                            .columns = columns,
                            .values = values,
                            .capacity = cgs_block_capacity(matrix->statistics.longest)};
    struct cgs_block_buffers buffers;
    enum cgs_status status =
        cgs_block_buffers_create(context, job.capacity, BUFFERS_MOST, &buffers);
    if (status == CGS_OK) {
        int64_t bad = INT64_MAX;
#pragma omp parallel num_threads(buffers.count) reduction(min : bad)
        {
            const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
            bad = fill_share(&job, cgs_share(matrix->pointers, first, last, thread, threads),
                             cgs_share(matrix->pointers, first, last, thread + 1, threads),
                             &buffers.of_thread[thread]);
        }
        if (bad == INT64_MAX)
            fill_lacking(&job, last);
        else
            status = cgs_block_explain(context, matrix, number, bad, &buffers.of_thread[0]);
        cgs_block_buffers_release(context, &buffers);
    }
    cgs_stopwatch_enter(&context->watch, before);
    return status;
}
