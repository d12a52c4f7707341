/* Compressed SELL-C-sigma: the same matrix to the bit, with fewer bytes a chunk.
 *
 * Columns of a chunk, coded in one of three ways:
 *     diagonals  slot s is a diagonal: column = row + offset[s] in every row that has the entry; a
 *                mask of C bits marks these rows. Slots are the union of the rows' diagonals,
 *                ascending: so each row's entries keep their order, and sums their bits.
 *     deltas     slots as in SELL, column = base[s] + 16 bits an entry
 *     columns    slots as in SELL, 32 bits an entry
 * Values, in one of four: one a slot; codes of 8 or of 16 bits into a table of the whole matrix (if
 * it has at most 256 or 65536 different bit patterns); uncoded. Each chunk gets the coding with the
 * fewest bytes.
 *
 * The pattern of a chunk is its diagonals, and its values if they are one a slot. Patterns and
 * masks are kept in two lists without repetition: on the cube all inner chunks share one pattern,
 * which stays in cache, and a chunk is only its 16 bytes here.
 *
 *     chunk    data: address, multiple of 16 | columns' coding | values' << 2 | diagonals << 52
 *              pattern: index of its slots in `slots` (diagonals), or its number of slots
 *              masks: index of its masks in `masks`, a word a slot; 0: no entry is missing
 *     data     deltas: base[slots], then delta[slots][C];  columns: column[slots][C];
 *              then values: value[slots] (not with diagonals), code[slots][C] or value[slots][C];
 *              each of these begins at a multiple of 16 bytes
 *
 * In a chunk without diagonals padding is as in SELL (matrix.h). A chunk of 4x4 that is diagonal:
 * the matrix of matrix.h has as rows 0 ... 3 the offsets -3 -1 0 1 2 with the masks 8 10 12 1 3
 * (bit r: row r has it).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "matrix/matrix.h"

CGS_BEGIN_C

enum cgs_sellc_way { CGS_SELLC_DIAGONALS, CGS_SELLC_DELTAS, CGS_SELLC_COLUMNS, CGS_SELLC_WAYS };
enum cgs_sellc_coding {
    CGS_SELLC_SAME,
    CGS_SELLC_CODES8,
    CGS_SELLC_CODES16,
    CGS_SELLC_VALUES,
    CGS_SELLC_CODINGS
};

enum {
    CGS_SELLC_CHUNK_MOST = 32,       /* rows of a chunk: bits of a mask */
    CGS_SELLC_CHUNK_LEAST = 4,       /* smallest chunk that may be coded by diagonals */
    CGS_SELLC_DIAGONALS_MOST = 4095, /* of a chunk */
    CGS_SELLC_TABLE_MOST = 65536,
    CGS_SELLC_ALIGNMENT = 16
};

struct cgs_sellc_slot {
    union {
        double f64;
        float f32;
        uint64_t bits;
    } value; /* if it is one a slot; else 0 */
    int32_t offset;
    int32_t unused;
};

struct cgs_sellc_chunk {
    uint64_t data;
    uint32_t pattern, masks;
};

CGS_INLINE enum cgs_sellc_way cgs_sellc_way_of(struct cgs_sellc_chunk chunk)
{
    return (enum cgs_sellc_way)(chunk.data & 3);
}

CGS_INLINE enum cgs_sellc_coding cgs_sellc_coding_of(struct cgs_sellc_chunk chunk)
{
    return (enum cgs_sellc_coding)(chunk.data >> 2 & 3);
}

CGS_INLINE int cgs_sellc_diagonals(struct cgs_sellc_chunk chunk)
{
    return (int)(chunk.data >> 52);
}

CGS_INLINE int64_t cgs_sellc_width(struct cgs_sellc_chunk chunk)
{
    return cgs_sellc_way_of(chunk) == CGS_SELLC_DIAGONALS ? cgs_sellc_diagonals(chunk)
                                                          : (int64_t)chunk.pattern;
}

CGS_INLINE uint64_t cgs_sellc_address(struct cgs_sellc_chunk chunk)
{
    return chunk.data & ((UINT64_C(1) << 52) - 16);
}

CGS_INLINE int64_t cgs_sellc_whole(int64_t bytes)
{
    return (bytes + CGS_SELLC_ALIGNMENT - 1) / CGS_SELLC_ALIGNMENT * CGS_SELLC_ALIGNMENT;
}

/* Offset of the deltas in a chunk's data: after the bases. */
CGS_INLINE int64_t cgs_sellc_deltas_at(int64_t slots)
{
    return cgs_sellc_whole(slots * (int64_t)sizeof(int32_t));
}

/* Offset of the values (or codes) in a chunk's data: bytes of the columns. */
CGS_INLINE int64_t cgs_sellc_values_at(enum cgs_sellc_way way, int64_t slots, int64_t chunk)
{
    if (way == CGS_SELLC_DIAGONALS)
        return 0;
    if (way == CGS_SELLC_DELTAS)
        return cgs_sellc_deltas_at(slots) +
               cgs_sellc_whole(slots * chunk * (int64_t)sizeof(uint16_t));
    return cgs_sellc_whole(slots * chunk * (int64_t)sizeof(int32_t));
}

/* Consumer of the chunks' data, piece by piece in order: `room` returns where to write `bytes`
 * (never 0), and their final address, a multiple of 16; `done` is called once they are written. */
struct cgs_sellc_sink {
    void *self;
    enum cgs_status (*room)(void *self, int64_t bytes, void **write, uint64_t *address);
    enum cgs_status (*done)(void *self, int64_t bytes);
};

struct cgs_sellc {
    enum cgs_number number;
    int32_t chunk;
    int64_t units;
    struct cgs_sellc_chunk *chunks; /* [units] */
    struct cgs_sellc_slot *slots;
    uint32_t *masks;
    void *table; /* numbers, the most frequent first */
    int64_t slot_count, mask_count, table_count;
    int64_t data_bytes; /* of all chunks, without the lists */
    int64_t told;       /* slots times C: entries, and missing entries */
    int64_t of_way[CGS_SELLC_WAYS], of_coding[CGS_SELLC_CODINGS]; /* chunks */
};

/* A sink that keeps the data in host memory; a chunk's address is a pointer. */
struct cgs_sellc_store {
    struct cgs_context *context;
    struct cgs_sellc_block *blocks;
};

CGS_END_C
