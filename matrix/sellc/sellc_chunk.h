/* Compression of one chunk of SELL: private to matrix/. */
#pragma once

#include "matrix/sellc/sellc.h"
#include "matrix/sellc/sellc_table.h"

/* A chunk as written by cgs_matrix_fill: entry j of row r at j chunk + r. */
struct cgs_sellc_view {
    int32_t chunk;
    int64_t width;
    const int32_t *columns;
    const void *values;
    enum cgs_number number;
    bool numbered;                         /* row numbers have 32 bits, as diagonals require */
    int32_t lengths[CGS_SELLC_CHUNK_MOST]; /* 0 for rows missing in the last chunk */
    int32_t rows[CGS_SELLC_CHUNK_MOST];
};

/* The best coding. slots and masks: room for cgs_sellc_diagonals_most. */
struct cgs_sellc_found {
    enum cgs_sellc_way way;
    enum cgs_sellc_coding coding;
    bool masked;
    int64_t slots;
    int64_t bytes;                     /* of the chunk's data, a multiple of CGS_SELLC_ALIGNMENT */
    uint64_t pattern_hash, masks_hash; /* of diagonals */
    struct cgs_sellc_slot *pattern;
    uint32_t *masks;
};

/* Number of diagonals up to which they pay, in a chunk of this width. */
int64_t cgs_sellc_diagonals_most(int32_t chunk, int64_t width);

void cgs_sellc_analyse(const struct cgs_sellc_view *view, const struct cgs_value_table *table,
                       struct cgs_sellc_found *found);

/* Writes other values into the data of a chunk whose columns, way and coding (SAME or VALUES) stay.
 * Those of SAME diagonals are in found->pattern, which is only read. Returns false if a slot that
 * has one value would need several. */
bool cgs_sellc_rewrite(const struct cgs_sellc_view *view, const struct cgs_sellc_found *found,
                       void *data);

/* Sets the values of diagonals that are SAME to those of the chunk's first rows that have them. */
void cgs_sellc_take_values(const struct cgs_sellc_view *view, const struct cgs_sellc_found *found);

/* Writes the chunk's data: found->bytes. */
void cgs_sellc_write(const struct cgs_sellc_view *view, const struct cgs_value_table *table,
                     const struct cgs_sellc_found *found, void *data);
