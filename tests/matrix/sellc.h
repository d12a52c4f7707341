/* Compressed SELL in host memory becomes SELL again, by what matrix/sellc/sellc.h says of the
 * format. */
#pragma once

#include "matrix/block.h"
#include "matrix/sellc/sellc.h"
#include "matrix/sellc/sellc_table.h"

/* The chunk's value number i, or of slot s. */
static uint64_t value_at(const struct cgs_sellc *sellc, struct cgs_sellc_chunk chunk,
                         const char *values, int64_t i, int64_t s)
{
    const void *from = values;
    int64_t at = i;
    switch (cgs_sellc_coding_of(chunk)) {
    case CGS_SELLC_SAME:
        if (cgs_sellc_way_of(chunk) == CGS_SELLC_DIAGONALS)
            return sellc->slots[chunk.pattern + s].value.bits;
        at = s;
        break;
    case CGS_SELLC_CODES8:
        from = sellc->table;
        at = ((const uint8_t *)values)[i];
        break;
    case CGS_SELLC_CODES16:
        from = sellc->table;
        at = ((const uint16_t *)values)[i];
        break;
    default:
        break;
    }
    return cgs_value_bits(sellc->number, from, at);
}

/* A row of a chunk of diagonals, which stands in `place`: its entries, then padding as in SELL. */
static void decode_row(const struct cgs_sellc *sellc, const struct cgs_matrix *matrix,
                       struct cgs_sellc_chunk chunk, int64_t place, int64_t width, int32_t *columns,
                       void *values)
{
    const int64_t r = place % sellc->chunk;
    const int64_t row = place < matrix->rows ? cgs_row_at(matrix, place) : place;
    const char *data = (const char *)(uintptr_t)cgs_sellc_address(chunk);
    int64_t j = 0;
    for (int64_t s = 0; s < cgs_sellc_diagonals(chunk); s++) {
        if (place >= matrix->rows || (chunk.masks && !(sellc->masks[chunk.masks + s] >> r & 1)))
            continue;
        const int64_t at = j++ * sellc->chunk + r;
        columns[at] = (int32_t)(row + sellc->slots[chunk.pattern + s].offset);
        cgs_value_put(sellc->number, values, at,
                      value_at(sellc, chunk, data, s * sellc->chunk + r, s));
    }
    const int64_t padding = j > 0 ? columns[r] : row < matrix->columns ? row : matrix->columns - 1;
    for (; j < width; j++) {
        columns[j * sellc->chunk + r] = (int32_t)padding;
        cgs_value_put(sellc->number, values, j * sellc->chunk + r, 0);
    }
}

/* Chunk k as cgs_matrix_fill gives it: columns and values (of sellc->number), slots of
 * (pointers[k + 1] - pointers[k]) entries. */
static void sellc_decode(const struct cgs_sellc *sellc, const struct cgs_matrix *matrix, int64_t k,
                         int32_t *columns, void *values)
{
    const struct cgs_sellc_chunk chunk = sellc->chunks[k];
    const int64_t c = sellc->chunk, width = (matrix->pointers[k + 1] - matrix->pointers[k]) / c;
    const char *data = (const char *)(uintptr_t)cgs_sellc_address(chunk);
    if (cgs_sellc_way_of(chunk) == CGS_SELLC_DIAGONALS) {
        for (int64_t r = 0; r < c; r++)
            decode_row(sellc, matrix, chunk, k * c + r, width, columns, values);
        return;
    }
    const char *coded = data + cgs_sellc_values_at(cgs_sellc_way_of(chunk), width, c);
    const uint16_t *delta = (const uint16_t *)(data + cgs_sellc_deltas_at(width));
    for (int64_t i = 0; i < width * c; i++) {
        columns[i] = cgs_sellc_way_of(chunk) == CGS_SELLC_DELTAS
                         ? ((const int32_t *)data)[i / c] + delta[i]
                         : ((const int32_t *)data)[i];
        cgs_value_put(sellc->number, values, i, value_at(sellc, chunk, coded, i, i / c));
    }
}
