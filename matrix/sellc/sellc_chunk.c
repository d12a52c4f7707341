/* Finds the coding of a chunk with the fewest bytes, and writes its data.
 *
 * Diagonals are found by merging the rows: the next remaining entry of each row is on some
 * diagonal; the lowest of these is the next slot, for all rows whose entry is on it.
 *
 * Bytes a slot:   diagonals  SHARED + coding,   deltas  4 + 2 C + coding,   columns  4 C + coding
 *     coding:     same 0 (with diagonals) or a value,  codes C, 2 C,  values sizeof(value) C
 * A slot of a pattern has 16 bytes and a mask 4, but as most patterns are shared by many chunks
 * they count as SHARED.
 */
#include "matrix/sellc/sellc_chunk.h"

#include <string.h>

#include "base/vectorise.h"
#include "matrix/names.h"
#include "matrix/unique.h"

enum { SHARED = 8, NO_MORE = INT32_MAX };

int64_t cgs_sellc_diagonals_most(int32_t chunk, int64_t width)
{
    const int64_t most = 2 * width;
    if (chunk < CGS_SELLC_CHUNK_LEAST)
        return 0;
    return most < CGS_SELLC_DIAGONALS_MOST ? most : CGS_SELLC_DIAGONALS_MOST;
}

/* ---- diagonals ---- */

/* Next entries of the rows, and their diagonals. */
struct heads {
    int32_t offset[CGS_SELLC_CHUNK_MOST];
    int64_t at[CGS_SELLC_CHUNK_MOST]; /* offset in the chunk */
};

static struct heads first_heads(const struct cgs_sellc_view *view)
{
    struct heads heads;
    for (int r = 0; r < CGS_SELLC_CHUNK_MOST; r++) {
        const bool there = r < view->chunk && view->lengths[r] > 0;
        heads.at[r] = r;
        heads.offset[r] = there ? view->columns[r] - view->rows[r] : NO_MORE;
    }
    return heads;
}

static void next_head(const struct cgs_sellc_view *view, int r, struct heads *heads)
{
    heads->at[r] += view->chunk;
    heads->offset[r] = heads->at[r] < (int64_t)view->lengths[r] * view->chunk
                           ? view->columns[heads->at[r]] - view->rows[r]
                           : NO_MORE;
}

/* Returns the offset of the next slot, and the rows that have it; NO_MORE: none. */
static int32_t next_slot(const struct heads *heads, uint32_t *mask)
{
    int32_t lowest = NO_MORE;
    uint32_t found = 0;
    for (int r = 0; r < CGS_SELLC_CHUNK_MOST; r++)
        lowest = heads->offset[r] < lowest ? heads->offset[r] : lowest;
    for (int r = 0; r < CGS_SELLC_CHUNK_MOST; r++)
        found |= (uint32_t)(heads->offset[r] == lowest) << r;
    *mask = found;
    return lowest;
}

/* Returns true if slot j has an entry of each row, all on one diagonal; *same becomes false if they
 * have different values. */
CGS_PIECE bool is_full(const struct cgs_sellc_view *view, int64_t j, bool *same)
{
    const int64_t at = j * view->chunk;
    const int32_t *column = view->columns + at;
    const uint64_t bits = cgs_value_bits(view->number, view->values, at);
    int32_t other = 0;
    uint64_t differs = 0;
    for (int r = 0; r < view->chunk; r++)
        other |=
            (view->lengths[r] <= j) | ((column[r] - view->rows[r]) ^ (column[0] - view->rows[0]));
    for (int r = 1; *same && other == 0 && r < view->chunk; r++)
        differs |= cgs_value_bits(view->number, view->values, at + r) ^ bits;
    *same &= differs == 0;
    return other == 0;
}

/* Writes the leading slots that are full to pattern and masks, as find_diagonals does, at most
 * `most`, and moves the heads behind them. Returns their number. */
CGS_PIECE int64_t take_full(const struct cgs_sellc_view *view, int64_t most,
                            struct cgs_sellc_slot *pattern, uint32_t *masks, bool *same,
                            struct heads *heads)
{
    int64_t slots = 0;
    for (; slots < view->width && slots < most && is_full(view, slots, same); slots++) {
        const uint64_t bits = cgs_value_bits(view->number, view->values, slots * view->chunk);
        const int32_t offset = view->columns[slots * view->chunk] - view->rows[0];
        pattern[slots] = (struct cgs_sellc_slot){.value = {.bits = bits}, .offset = offset};
        masks[slots] = UINT32_MAX >> (CGS_SELLC_CHUNK_MOST - view->chunk);
    }
    for (int r = 0; slots > 0 && r < view->chunk; r++) {
        heads->at[r] += (slots - 1) * view->chunk;
        next_head(view, r, heads);
    }
    return slots;
}

/* Writes the chunk's diagonals to pattern and masks, and their values if each has one (*same).
 * Returns their number, or -1: too many. */
static CGS_CLONES int64_t find_diagonals(const struct cgs_sellc_view *view, int64_t most,
                                         struct cgs_sellc_slot *pattern, uint32_t *masks,
                                         bool *same)
{
    struct heads heads = first_heads(view);
    *same = true;
    int64_t slots = take_full(view, most, pattern, masks, same, &heads);
    for (;; slots++) {
        uint32_t mask;
        const int32_t offset = next_slot(&heads, &mask);
        if (offset == NO_MORE)
            break;
        if (slots == most)
            return -1;
        const int first = __builtin_ctz(mask);
        const uint64_t bits = cgs_value_bits(view->number, view->values, heads.at[first]);
        pattern[slots] = (struct cgs_sellc_slot){.value = {.bits = bits}, .offset = offset};
        masks[slots] = mask;
        for (uint32_t left = mask; left != 0; left &= left - 1) {
            const int r = __builtin_ctz(left);
            *same &= cgs_value_bits(view->number, view->values, heads.at[r]) == bits;
            next_head(view, r, &heads);
        }
    }
    if (!*same)
        for (int64_t s = 0; s < slots; s++)
            pattern[s].value.bits = 0;
    return slots;
}

/* ---- the choice ---- */

static bool same_in_slots(const struct cgs_sellc_view *view)
{
    for (int64_t j = 0; j < view->width; j++) {
        const uint64_t bits = cgs_value_bits(view->number, view->values, j * view->chunk);
        for (int r = 1; r < view->chunk; r++)
            if (cgs_value_bits(view->number, view->values, j * view->chunk + r) != bits)
                return false;
    }
    return true;
}

/* Coding for values that differ within slots. */
static enum cgs_sellc_coding coding_of(const struct cgs_sellc_view *view,
                                       const struct cgs_value_table *table)
{
    uint32_t most = 0;
    if (table->count == 0)
        return CGS_SELLC_VALUES;
    if (table->count <= 256)
        return CGS_SELLC_CODES8;
    for (int64_t i = 0; i < view->width * view->chunk; i++) {
        const uint32_t code = cgs_value_code(table, cgs_value_bits(view->number, view->values, i));
        most = code > most ? code : most;
    }
    return most < 256 ? CGS_SELLC_CODES8 : CGS_SELLC_CODES16;
}

static bool deltas_fit(const struct cgs_sellc_view *view)
{
    for (int64_t j = 0; j < view->width; j++) {
        int32_t least = INT32_MAX, most = 0;
        for (int r = 0; r < view->chunk; r++) {
            const int32_t column = view->columns[j * view->chunk + r];
            least = column < least ? column : least;
            most = column > most ? column : most;
        }
        if (most - least > UINT16_MAX)
            return false;
    }
    return true;
}

static int64_t coding_bytes(const struct cgs_sellc_view *view, enum cgs_sellc_way way,
                            enum cgs_sellc_coding coding)
{
    const int64_t value = cgs_number_bytes(view->number);
    switch (coding) {
    case CGS_SELLC_SAME:
        return way == CGS_SELLC_DIAGONALS ? 0 : value;
    case CGS_SELLC_CODES8:
        return view->chunk;
    case CGS_SELLC_CODES16:
        return 2 * view->chunk;
    default:
        return value * view->chunk;
    }
}

static void choose(const struct cgs_sellc_view *view, const struct cgs_value_table *table,
                   int64_t diagonals, bool same, struct cgs_sellc_found *found)
{
    enum cgs_sellc_coding coding = CGS_SELLC_SAME;
    /* full diagonals with one value each: nothing is smaller */
    if (diagonals < 0 || diagonals > view->width || !same) {
        const bool alike = same_in_slots(view);
        const enum cgs_sellc_coding differing =
            alike && same ? CGS_SELLC_SAME : coding_of(view, table);
        const enum cgs_sellc_way way = deltas_fit(view) ? CGS_SELLC_DELTAS : CGS_SELLC_COLUMNS;
        const int64_t column = way == CGS_SELLC_DELTAS ? 4 + 2 * view->chunk : 4 * view->chunk;
        coding = alike ? CGS_SELLC_SAME : differing;
        const int64_t packed = view->width * (column + coding_bytes(view, way, coding));
        found->way = way;
        if (diagonals >= 0) {
            const enum cgs_sellc_coding own = same ? CGS_SELLC_SAME : differing;
            if (diagonals * (SHARED + coding_bytes(view, CGS_SELLC_DIAGONALS, own)) <= packed) {
                found->way = CGS_SELLC_DIAGONALS;
                coding = own;
            }
        }
    } else {
        found->way = CGS_SELLC_DIAGONALS;
    }
    found->coding = coding;
    found->slots = found->way == CGS_SELLC_DIAGONALS ? diagonals : view->width;
    found->bytes = cgs_sellc_values_at(found->way, found->slots, view->chunk) +
                   cgs_sellc_whole(found->slots * coding_bytes(view, found->way, coding));
}

/* Returns true if some row misses some diagonal. */
static bool any_lacks(int32_t chunk, const uint32_t *masks, int64_t slots)
{
    const uint32_t full = UINT32_MAX >> (CGS_SELLC_CHUNK_MOST - chunk);
    for (int64_t s = 0; s < slots; s++)
        if (masks[s] != full)
            return true;
    return false;
}

void cgs_sellc_analyse(const struct cgs_sellc_view *view, const struct cgs_value_table *table,
                       struct cgs_sellc_found *found)
{
    const int64_t most = cgs_sellc_diagonals_most(view->chunk, view->width);
    bool same = false;
    const int64_t diagonals = most > 0 && view->numbered
                                  ? find_diagonals(view, most, found->pattern, found->masks, &same)
                                  : -1;
    choose(view, table, diagonals, same, found);
    if (found->way != CGS_SELLC_DIAGONALS)
        return;
    found->masked = any_lacks(view->chunk, found->masks, found->slots);
    found->pattern_hash =
        cgs_unique_hash(found->pattern, found->slots * (int64_t)sizeof *found->pattern);
    if (found->masked)
        found->masks_hash =
            cgs_unique_hash(found->masks, found->slots * (int64_t)sizeof *found->masks);
}

/* ---- writing ---- */

/* Writes entry `to` of the chunk's codes or values: the chunk's entry `from`, or 0 if from < 0. */
static void put(const struct cgs_sellc_view *view, const struct cgs_value_table *table,
                enum cgs_sellc_coding coding, int64_t from, int64_t to, void *out)
{
    const uint64_t bits = from < 0 ? 0 : cgs_value_bits(view->number, view->values, from);
    if (coding == CGS_SELLC_CODES8)
        ((uint8_t *)out)[to] = (uint8_t)cgs_value_code(table, bits);
    else if (coding == CGS_SELLC_CODES16)
        ((uint16_t *)out)[to] = (uint16_t)cgs_value_code(table, bits);
    else
        cgs_value_put(view->number, out, to, bits);
}

static void write_diagonals(const struct cgs_sellc_view *view, const struct cgs_value_table *table,
                            const struct cgs_sellc_found *found, void *data)
{
    int64_t at[CGS_SELLC_CHUNK_MOST];
    for (int r = 0; r < view->chunk; r++)
        at[r] = r;
    for (int64_t s = 0; s < found->slots; s++)
        for (int r = 0; r < view->chunk; r++) {
            const bool there = found->masks[s] >> r & 1;
            put(view, table, found->coding, there ? at[r] : -1, s * view->chunk + r, data);
            at[r] += there ? view->chunk : 0;
        }
}

static void write_deltas(const struct cgs_sellc_view *view, void *data)
{
    const int64_t chunk = view->chunk;
    int32_t *base = data;
    uint16_t *delta = (uint16_t *)((char *)data + cgs_sellc_deltas_at(view->width));
    for (int64_t j = 0; j < view->width; j++) {
        const int32_t *column = view->columns + j * chunk;
        base[j] = column[0];
        for (int64_t r = 1; r < chunk; r++)
            base[j] = column[r] < base[j] ? column[r] : base[j];
        for (int64_t r = 0; r < chunk; r++)
            delta[j * chunk + r] = (uint16_t)(column[r] - base[j]);
    }
}

/* Writes codes or values behind the columns, in the order of the chunk's entries. */
static void write_values(const struct cgs_sellc_view *view, const struct cgs_value_table *table,
                         const struct cgs_sellc_found *found, void *data)
{
    const int64_t entries = view->width * view->chunk;
    char *values = (char *)data + cgs_sellc_values_at(found->way, view->width, view->chunk);
    const int64_t step = found->coding == CGS_SELLC_SAME ? view->chunk : 1;
    if (found->coding == CGS_SELLC_VALUES)
        memcpy(values, view->values, (size_t)(entries * cgs_number_bytes(view->number)));
    else
        for (int64_t i = 0; i < entries; i += step)
            put(view, table, found->coding, i, i / step, values);
}

void cgs_sellc_write(const struct cgs_sellc_view *view, const struct cgs_value_table *table,
                     const struct cgs_sellc_found *found, void *data)
{
    const int64_t entries = view->width * view->chunk;
    if (found->bytes == 0)
        return;
    memset((char *)data + found->bytes - CGS_SELLC_ALIGNMENT, 0, CGS_SELLC_ALIGNMENT);
    if (found->way == CGS_SELLC_DIAGONALS && found->masked) {
        write_diagonals(view, table, found, data);
        return;
    }
    if (found->way == CGS_SELLC_DELTAS)
        write_deltas(view, data);
    else if (found->way == CGS_SELLC_COLUMNS)
        memcpy(data, view->columns, (size_t)entries * sizeof *view->columns);
    write_values(view, table, found, data);
}

/* ---- other values ---- */

void cgs_sellc_take_values(const struct cgs_sellc_view *view, const struct cgs_sellc_found *found)
{
    int64_t at[CGS_SELLC_CHUNK_MOST];
    for (int r = 0; r < view->chunk; r++)
        at[r] = r;
    for (int64_t s = 0; s < found->slots; s++) {
        const uint32_t mask = found->masked ? found->masks[s] : 1;
        found->pattern[s].value.bits =
            cgs_value_bits(view->number, view->values, at[__builtin_ctz(mask)]);
        for (int r = 0; r < view->chunk; r++)
            at[r] += !found->masked || mask >> r & 1 ? view->chunk : 0;
    }
}

/* Returns true if each diagonal has its value in all rows that have it. */
static CGS_CLONES bool has_values(const struct cgs_sellc_view *view,
                                  const struct cgs_sellc_found *found)
{
    int64_t at[CGS_SELLC_CHUNK_MOST];
    uint64_t differs = 0;
    for (int r = 0; r < view->chunk; r++)
        at[r] = r;
    for (int64_t s = 0; s < found->slots; s++) {
        const uint32_t mask = found->masked ? found->masks[s] : UINT32_MAX;
        const uint64_t bits = found->pattern[s].value.bits;
        for (int r = 0; r < view->chunk; r++)
            if (mask >> r & 1) {
                differs |= cgs_value_bits(view->number, view->values, at[r]) ^ bits;
                at[r] += view->chunk;
            }
    }
    return differs == 0;
}

bool cgs_sellc_rewrite(const struct cgs_sellc_view *view, const struct cgs_sellc_found *found,
                       void *data)
{
    const bool diagonals = found->way == CGS_SELLC_DIAGONALS;
    if (found->coding == CGS_SELLC_SAME &&
        (diagonals ? !has_values(view, found) : !same_in_slots(view)))
        return false;
    if (diagonals && found->coding == CGS_SELLC_SAME)
        return true;
    if (diagonals && found->masked)
        write_diagonals(view, NULL, found, data);
    else
        write_values(view, NULL, found, data);
    return true;
}
