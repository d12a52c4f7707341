/* A block of rows on its way from a row source into a layout: private to matrix/. */
#ifndef CGS_MATRIX_BLOCK_H
#define CGS_MATRIX_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "matrix/matrix.h"

/* Rows of a block at most, and entries, unless a single row has more: 12 bytes each, 16 in single
 * precision; 64 rows of 27 entries are 28 KiB. */
enum { CGS_BLOCK_ROWS = 64, CGS_BLOCK_ENTRIES = 2048 };

struct cgs_block {
    int64_t first; /* place of the first row; the others follow in places */
    int64_t rows;
    int64_t offsets[CGS_BLOCK_ROWS + 1]; /* of the rows' entries in the buffer */
    bool announced; /* the lengths are among those that the source gave at first */
};

/* What a thread draws its blocks into. */
struct cgs_block_buffer {
    int32_t *columns;
    double *values;
    float *narrow;
};

/* One buffer a thread, as many as the memory budget allows (at least one). */
struct cgs_block_buffers {
    int count;
    struct cgs_block_buffer *of_thread;
    void *memory;
};

/* Where a chunk's slots begin for the first of the rows to scatter: slot j of the k-th row further
 * is at j chunk + k. */
struct cgs_slots {
    int32_t chunk, width;
    int32_t *columns;
    void *values; /* of the number asked for */
};

/* Rows stand in the layout as they are drawn: CRS, or SELL-1, which is the same. */
static inline bool cgs_as_generated(const struct cgs_matrix *matrix)
{
    return matrix->chunk == 1 && !matrix->padded;
}

/* The row that stands in a place of the layout. */
static inline int64_t cgs_row_at(const struct cgs_matrix *matrix, int64_t place)
{
    return matrix->permutation ? matrix->permutation[place] : place;
}

/* The end of the run of rows that begins in `place`: places before `end` that have one row after
 * the other. Sorted rows stand in long runs where many have one length. */
static inline int64_t cgs_run_end(const struct cgs_matrix *matrix, int64_t place, int64_t end)
{
    if (!matrix->permutation)
        return end;
    const int32_t *row = matrix->permutation;
    for (place++; place < end && row[place] == row[place - 1] + 1; place++)
        ;
    return place;
}

/* The lengths of the rows in places begin ... end - 1. */
void cgs_matrix_lengths(const struct cgs_matrix *matrix, int64_t begin, int64_t end,
                        int32_t *lengths);

/* Entries that a buffer must hold when the longest row has `longest`. */
int64_t cgs_block_capacity(int32_t longest);

enum cgs_status cgs_block_buffers_create(struct cgs_context *context, int64_t capacity,
                                         int64_t bytes_most, struct cgs_block_buffers *buffers);
void cgs_block_buffers_release(struct cgs_context *context, struct cgs_block_buffers *buffers);

/* Columns of the whole block within 0 ... columns - 1 and ascending in each row. */
bool cgs_block_good(const struct cgs_block *block, int64_t columns, const int32_t *column);

/* Values in single precision; false where a finite one becomes infinite. */
bool cgs_block_narrow(int64_t count, const double *values, float *narrow);

/* Rows begin ... end - 1 of the block, all of one chunk, to their slots, padding included. False
 * where a row is longer than the chunk is wide. */
bool cgs_block_scatter(const struct cgs_matrix *matrix, const struct cgs_block *block,
                       const struct cgs_block_buffer *buffer, enum cgs_number number, int64_t begin,
                       int64_t end, const struct cgs_slots *slots);

/* Finds what is wrong in the block of rows that begins in `place`, and says it. */
enum cgs_status cgs_block_explain(struct cgs_context *context, const struct cgs_matrix *matrix,
                                  enum cgs_number number, int64_t place,
                                  struct cgs_block_buffer *buffer);

#endif
