/* One chunk on its way from SELL to compressed SELL: private to matrix/. */
#ifndef CGS_MATRIX_SELLC_CHUNK_H
#define CGS_MATRIX_SELLC_CHUNK_H

#include "matrix/sellc.h"
#include "matrix/sellc_table.h"

/* As cgs_matrix_fill gives it: entry j of row r at j chunk + r. */
struct cgs_sellc_view {
    int32_t chunk;
    int64_t width;
    const int32_t *columns;
    const void *values;
    enum cgs_number number;
    bool numbered;                         /* rows have 32 bits: a diagonal can be told */
    int32_t lengths[CGS_SELLC_CHUNK_MOST]; /* 0 where the last chunk lacks the row */
    int32_t rows[CGS_SELLC_CHUNK_MOST];
};

/* What is best for it. slots and masks: room for cgs_sellc_diagonals_most. */
struct cgs_sellc_found {
    enum cgs_sellc_way way;
    enum cgs_sellc_coding coding;
    bool masked;
    int64_t slots;
    int64_t bytes;                     /* of its data, a multiple of CGS_SELLC_ALIGNMENT */
    uint64_t pattern_hash, masks_hash; /* of diagonals */
    struct cgs_sellc_slot *pattern;
    uint32_t *masks;
};

/* Diagonals that are worth it in a chunk of this width. */
int64_t cgs_sellc_diagonals_most(int32_t chunk, int64_t width);

void cgs_sellc_analyse(const struct cgs_sellc_view *view, const struct cgs_value_table *table,
                       struct cgs_sellc_found *found);

/* Its data: found->bytes. */
void cgs_sellc_write(const struct cgs_sellc_view *view, const struct cgs_value_table *table,
                     const struct cgs_sellc_found *found, void *data);

#endif
