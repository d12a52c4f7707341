/* A block of rows between a row source and a layout: private to matrix/. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "matrix/matrix.h"

/* Upper bounds of a block: rows, and entries unless a single row has more. 12 bytes an entry, 16 in
 * single precision: 64 rows of 27 entries are 28 KiB. */
enum { CGS_BLOCK_ROWS = 64, CGS_BLOCK_ENTRIES = 2048 };

struct cgs_block {
    int64_t first; /* place of the first row; the others are at the following places */
    int64_t rows;
    int64_t offsets[CGS_BLOCK_ROWS + 1]; /* of the rows' first entries in the buffer */
    bool announced; /* the row lengths match those given by the source at first */
};

/* A thread's buffer for generated blocks. */
struct cgs_block_buffer {
    int32_t *columns;
    double *values;
    float *narrow;
};

/* One buffer a thread; fewer (at least one) if memory is limited. */
struct cgs_block_buffers {
    int count;
    struct cgs_block_buffer *of_thread;
    void *memory;
};

/* Slots of a chunk from the first row to scatter on: slot j of the k-th row after it is at j chunk
 * + k. */
struct cgs_slots {
    int32_t chunk, width;
    int32_t *columns;
    void *values; /* of the requested number type */
};

/* Returns true if rows are stored as generated: CRS, or SELL-1, which is the same. */
static inline bool cgs_as_generated(const struct cgs_matrix *matrix)
{
    return matrix->chunk == 1 && !matrix->padded;
}

/* Returns the row at a place of the layout. */
static inline int64_t cgs_row_at(const struct cgs_matrix *matrix, int64_t place)
{
    return matrix->permutation ? matrix->permutation[place] : place;
}

/* Returns the end of the run of consecutive rows that begins at `place`, at most `end`. Sorted rows
 * form long runs if many have the same length. */
static inline int64_t cgs_run_end(const struct cgs_matrix *matrix, int64_t place, int64_t end)
{
    if (!matrix->permutation)
        return end;
    const int32_t *row = matrix->permutation;
    for (place++; place < end && row[place] == row[place - 1] + 1; place++)
        ;
    return place;
}

/* Number of entries that a buffer needs if the longest row has `longest`. */
int64_t cgs_block_capacity(int32_t longest);

enum cgs_status cgs_block_buffers_create(struct cgs_context *context, int64_t capacity,
                                         int64_t bytes_most, struct cgs_block_buffers *buffers);
void cgs_block_buffers_release(struct cgs_context *context, struct cgs_block_buffers *buffers);

/* Returns true if all columns are within the matrix and ascend in each row. */
bool cgs_block_good(const struct cgs_matrix *matrix, const struct cgs_block *block,
                    const int32_t *column);

/* Converts values to single precision; returns false if a finite one becomes infinite. */
bool cgs_block_narrow(int64_t count, const double *values, float *narrow);

/* Finds the error in the block of rows at `place`, and fails with its message. */
enum cgs_status cgs_block_explain(struct cgs_context *context, const struct cgs_matrix *matrix,
                                  enum cgs_number number, int64_t place,
                                  struct cgs_block_buffer *buffer);
