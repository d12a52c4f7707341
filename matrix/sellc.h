/* Compressed SELL-C-sigma: the same matrix to the bit, chunk by chunk in fewer bytes.
 *
 * Columns of a chunk, in one of three ways:
 *     diagonals  slot s stands for a diagonal: column = row + offset[s] in every row that has the
 *                entry; rows that lack it are told by a mask of C bits, and are left out. Slots are
 *                the union of the rows' diagonals, ascending: so each row's entries keep their
 *                order, and sums their bits.
 *     deltas     slots as in SELL, column = base[s] + 16 bits an entry
 *     columns    slots as in SELL, 32 bits an entry
 * Values, in one of four: one a slot; codes of 8 or of 16 bits into a table of the whole matrix (as
 * long as that has at most 256 or 65536 different numbers, told apart by their bits); as they are.
 * For each chunk the ways with the fewest bytes are taken.
 *
 * What diagonals a chunk has, and its values where they are one a slot, is its pattern; patterns
 * and masks are kept in two lists, each only once: on the cube all inner chunks share one pattern,
 * which stays in a cache, and a chunk is nothing but its 16 bytes here.
 *
 *     chunk    data: address, multiple of 16 | columns' way | values' way << 2 | diagonals << 52
 *              pattern: where its slots begin in `slots` (diagonals), or how many slots it has
 *              masks: where its masks begin in `masks`, a word a slot; 0: all rows have all entries
 *     data     deltas: base[slots], then delta[slots][C];  columns: column[slots][C];
 *              then values: value[slots] (not with diagonals), code[slots][C] or value[slots][C];
 *              each of these begins at a multiple of 16 bytes
 *
 * In a chunk without diagonals padding is as in SELL (matrix.h). A chunk of 4x4 that is diagonal:
 * the matrix of matrix.h has as rows 0 ... 3 the offsets -3 -1 0 1 2 with the masks 8 10 12 1 3 (bit
 * r: row r has it).
 */
#ifndef CGS_MATRIX_SELLC_H
#define CGS_MATRIX_SELLC_H

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
    CGS_SELLC_CHUNK_LEAST = 4,       /* of a chunk that may be told by diagonals */
    CGS_SELLC_DIAGONALS_MOST = 4095, /* of a chunk */
    CGS_SELLC_TABLE_MOST = 65536,
    CGS_SELLC_ALIGNMENT = 16
};

struct cgs_sellc_slot {
    union {
        double f64;
        float f32;
        uint64_t bits;
    } value; /* where it is one a slot; else 0 */
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

/* Where in its data deltas begin: behind the bases. */
CGS_INLINE int64_t cgs_sellc_deltas_at(int64_t slots)
{
    return cgs_sellc_whole(slots * (int64_t)sizeof(int32_t));
}

/* Where in its data the values (or codes) begin: the bytes of the columns. */
CGS_INLINE int64_t cgs_sellc_values_at(enum cgs_sellc_way way, int64_t slots, int64_t chunk)
{
    if (way == CGS_SELLC_DIAGONALS)
        return 0;
    if (way == CGS_SELLC_DELTAS)
        return cgs_sellc_deltas_at(slots) +
               cgs_sellc_whole(slots * chunk * (int64_t)sizeof(uint16_t));
    return cgs_sellc_whole(slots * chunk * (int64_t)sizeof(int32_t));
}

/* Who takes the chunks' data, piece by piece in order: `room` says where to write `bytes` (never 0)
 * and what their address will be in the end, a multiple of 16; `done` comes once they are written.
 */
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
    int64_t told;       /* slots times C: entries, and rows that lack one */
    int64_t of_way[CGS_SELLC_WAYS], of_coding[CGS_SELLC_CODINGS]; /* chunks */
};

/* Host memory that cgs_sellc_encode needs at most beside its result, and what it makes at most: the
 * lists and `data`, which lies in `place`; not more than SELL, but for 16 bytes a chunk and what
 * begins at multiples of 16. Where the matrix is known to have few diagonals, or one number on each
 * (row_source.h), less. Of a forecast, too. */
void cgs_sellc_plan(const struct cgs_matrix *matrix, enum cgs_number number, enum cgs_place place,
                    struct cgs_plan *plan);

/* CGS_USAGE: a chunk has more rows than a mask has bits. */
enum cgs_status cgs_sellc_accepts(struct cgs_context *context, const struct cgs_matrix *matrix);

/* Draws the matrix (CGS_SELLC, 1 ... CGS_SELLC_CHUNK_MOST rows a chunk), piece by piece and in
 * parallel: once for the table of values (given up at the first piece with too many) and once for
 * all. The same for any number of threads. Lists are owned by the result, data by the sink's side.
 * CGS_USAGE as cgs_sellc_accepts. CGS_FILE as cgs_matrix_fill. CGS_MEMORY; what the sink returns.
 */
enum cgs_status cgs_sellc_encode(struct cgs_context *context, const struct cgs_matrix *matrix,
                                 enum cgs_number number, const struct cgs_sellc_sink *sink,
                                 struct cgs_sellc *out);
void cgs_sellc_release(struct cgs_context *context, struct cgs_sellc *sellc);

/* All of it that a product reads: 16 bytes a chunk, data, lists. */
int64_t cgs_sellc_bytes(const struct cgs_sellc *sellc);

/* The same before it exists: what a matrix whose diagonals are known comes to (but for its lists),
 * or SELL's own bytes, which it will hardly pass. Of a forecast, too. */
int64_t cgs_sellc_bytes_expected(const struct cgs_matrix *matrix, enum cgs_number number);

/* A sink that keeps the data in host memory, where a chunk's address is a pointer. */
struct cgs_sellc_store {
    struct cgs_context *context;
    struct cgs_sellc_block *blocks;
};
struct cgs_sellc_sink cgs_sellc_into(struct cgs_sellc_store *store);
void cgs_sellc_store_release(struct cgs_sellc_store *store);

CGS_END_C

#endif
