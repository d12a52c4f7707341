/* Scatters rows of a block into the slots of a chunk: the transposition that makes SELL (and, with
 * chunks of one row, padded CRS).
 *
 *     in the buffer, row by row             in the chunk, slot by slot (C = 2)
 *     1 2 | 0 3     (columns)               1 0 | 2 3
 *
 * Written slot by slot, so that the stores to the large arrays stream, while the reads stay in the
 * L1 cache. Slots that all rows have come first, without a branch; usual numbers of rows are
 * compile-time constants, so that the inner loop is unrolled.
 */
#include "base/vectorise.h"
#include "matrix/block.h"
#include "matrix/scatter.h"

/* Rows in the buffer: positions, lengths, and padding. */
struct rows {
    int32_t count, shortest, longest;
    int32_t start[CGS_BLOCK_ROWS], length[CGS_BLOCK_ROWS], padding[CGS_BLOCK_ROWS];
};

/* Two functions a number type: `slots_all` for slots that every row has, `slots_some` for the
 * others. */
#define CGS_SCATTER(number, type)                                                                  \
    CGS_PIECE void slots_all_##number(                                                             \
        int32_t count, const struct rows *rows, const struct cgs_slots *slots,                     \
        const int32_t *restrict from_columns, const type *restrict from_values)                    \
    {                                                                                              \
        int32_t *restrict columns = slots->columns;                                                \
        type *restrict values = slots->values;                                                     \
        const int64_t chunk = slots->chunk;                                                        \
        for (int64_t j = 0; j < rows->shortest; j++)                                               \
            for (int32_t k = 0; k < count; k++) {                                                  \
                columns[j * chunk + k] = from_columns[rows->start[k] + j];                         \
                values[j * chunk + k] = from_values[rows->start[k] + j];                           \
            }                                                                                      \
    }                                                                                              \
                                                                                                   \
    CGS_PIECE void slots_some_##number(const struct rows *rows, const struct cgs_slots *slots,     \
                                       const int32_t *restrict from_columns,                       \
                                       const type *restrict from_values)                           \
    {                                                                                              \
        int32_t *restrict columns = slots->columns;                                                \
        type *restrict values = slots->values;                                                     \
        for (int64_t j = rows->shortest; j < slots->width; j++)                                    \
            for (int32_t k = 0; k < rows->count; k++) {                                            \
                const bool there = j < rows->length[k];                                            \
                columns[j * slots->chunk + k] =                                                    \
                    there ? from_columns[rows->start[k] + j] : rows->padding[k];                   \
                values[j * slots->chunk + k] = there ? from_values[rows->start[k] + j] : 0;        \
            }                                                                                      \
    }                                                                                              \
                                                                                                   \
    static void scatter_##number(const struct rows *rows, const struct cgs_slots *slots,           \
                                 const int32_t *columns, const type *values)                       \
    {                                                                                              \
        switch (rows->count) {                                                                     \
        case 1:                                                                                    \
            slots_all_##number(1, rows, slots, columns, values);                                   \
            break;                                                                                 \
        case 4:                                                                                    \
            slots_all_##number(4, rows, slots, columns, values);                                   \
            break;                                                                                 \
        case 8:                                                                                    \
            slots_all_##number(8, rows, slots, columns, values);                                   \
            break;                                                                                 \
        case 16:                                                                                   \
            slots_all_##number(16, rows, slots, columns, values);                                  \
            break;                                                                                 \
        case 32:                                                                                   \
            slots_all_##number(32, rows, slots, columns, values);                                  \
            break;                                                                                 \
        case 64:                                                                                   \
            slots_all_##number(64, rows, slots, columns, values);                                  \
            break;                                                                                 \
        default:                                                                                   \
            slots_all_##number(rows->count, rows, slots, columns, values);                         \
        }                                                                                          \
        slots_some_##number(rows, slots, columns, values);                                         \
    }

CGS_SCATTER(f64, double)
CGS_SCATTER(f32, float)

bool cgs_block_scatter(const struct cgs_matrix *matrix, const struct cgs_block *block,
                       const struct cgs_block_buffer *buffer, enum cgs_number number, int64_t begin,
                       int64_t end, const struct cgs_slots *slots)
{
    struct rows rows = {.count = (int32_t)(end - begin), .shortest = INT32_MAX, .longest = 0};
    for (int32_t k = 0; k < rows.count; k++) {
        const int64_t row = cgs_row_at(matrix, block->first + begin + k);
        const int32_t start = (int32_t)block->offsets[begin + k];
        const int32_t length = (int32_t)(block->offsets[begin + k + 1] - start);
        rows.start[k] = start;
        rows.length[k] = length;
        rows.padding[k] = length > 0              ? buffer->columns[start]
                          : row < matrix->columns ? (int32_t)row
                                                  : (int32_t)(matrix->columns - 1);
        rows.shortest = length < rows.shortest ? length : rows.shortest;
        rows.longest = length > rows.longest ? length : rows.longest;
    }
    if (rows.longest > slots->width)
        return false;
    if (number == CGS_F64)
        scatter_f64(&rows, slots, buffer->columns, buffer->values);
    else
        scatter_f32(&rows, slots, buffer->columns, buffer->narrow);
    return true;
}
