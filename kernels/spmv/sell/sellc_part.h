/* One chunk of compressed SELL (matrix/sellc.h) on the CPU, slot by slot, vectorised by the
 * compiler over its rows. Each way of columns and of values has a loop of its own, from the pieces
 * below:
 *
 *     for each slot j:  s[r] += value(j, r) x[column(j, r)],   r = 0 ... C-1
 *
 * Along a diagonal neighbouring rows read neighbouring numbers of x: no gather. Rows that lack it
 * are computed, too, and their sums kept as they were (what they would read exists, except near the
 * ends of x, where rows go one by one); nothing of what another row has reaches a row's sum.
 */
#ifndef CGS_KERNELS_SPMV_SELL_SELLC_PART_H
#define CGS_KERNELS_SPMV_SELL_SELLC_PART_H

#include "kernels/spmv/spmv_cpu.h"
#include "matrix/sellc.h"

/* A row's bit of a mask, in lanes as wide as those of the sums. */
#if CGS_BITS == 2
typedef uint32_t cgs_sellc_lane;
#else
typedef uint64_t cgs_sellc_lane;
#endif
#define CGS_SELLC_FOUR(row) 1u << (row), 2u << (row), 4u << (row), 8u << (row)
static const cgs_sellc_lane cgs_sellc_bit[CGS_SELLC_CHUNK_MOST] = {
    CGS_SELLC_FOUR(0),  CGS_SELLC_FOUR(4),  CGS_SELLC_FOUR(8),  CGS_SELLC_FOUR(12),
    CGS_SELLC_FOUR(16), CGS_SELLC_FOUR(20), CGS_SELLC_FOUR(24), CGS_SELLC_FOUR(28)};
#undef CGS_SELLC_FOUR

/* What prepare makes. */
struct cgs_sellc_cpu {
    struct cgs_spmv_cpu
        spmv; /* what divides the work: pointers as in SELL; no columns, no values */
    struct cgs_sellc list;
    struct cgs_sellc_store store;
    int64_t columns;
    struct cgs_traffic moved;
    void *plain; /* made by sell_gather, where compression gains nothing; all else is empty then */
};

/* One chunk, as its loop sees it. */
struct cgs_sellc_part {
    int64_t slots;
    const struct cgs_sellc_slot *pattern;
    const uint32_t *masks;
    const int32_t *base; /* of deltas */
    const uint16_t *delta;
    const int32_t *column;
    const void *values; /* or codes, or one a slot */
    const value *table;
};

CGS_PIECE struct cgs_sellc_part cgs_sellc_part_of(const struct cgs_sellc *list,
                                                  struct cgs_sellc_chunk chunk)
{
    const char *data = (const char *)(uintptr_t)cgs_sellc_address(chunk);
    const int64_t slots = cgs_sellc_width(chunk);
    return (struct cgs_sellc_part){
        .slots = slots,
        .pattern = list->slots + chunk.pattern,
        .masks = list->masks + chunk.masks,
        .base = (const int32_t *)data,
        .delta = (const uint16_t *)(data + cgs_sellc_deltas_at(slots)),
        .column = (const int32_t *)data,
        .values = data + cgs_sellc_values_at(cgs_sellc_way_of(chunk), slots, list->chunk),
        .table = list->table,
    };
}

/* The value of slot j, row r, the chunk's entry i. */
CGS_PIECE real cgs_sellc_value(enum cgs_sellc_coding coding, const struct cgs_sellc_part *part,
                               int64_t j, int64_t i)
{
    switch (coding) {
    case CGS_SELLC_SAME:
        return (real)((const value *)part->values)[j];
    case CGS_SELLC_CODES8:
        return (real)part->table[((const uint8_t *)part->values)[i]];
    case CGS_SELLC_CODES16:
        return (real)part->table[((const uint16_t *)part->values)[i]];
    default:
        return (real)((const value *)part->values)[i];
    }
}

CGS_PIECE real cgs_sellc_pattern_value(const struct cgs_sellc_slot *slot)
{
    return sizeof(value) == sizeof(double) ? (real)slot->value.f64 : (real)slot->value.f32;
}

/* Asks for what a slot's values (or codes) will need further on. */
CGS_PIECE void cgs_sellc_ahead(enum cgs_sellc_coding coding, const struct cgs_sellc_part *part,
                               int64_t i, int64_t chunk)
{
    if (coding == CGS_SELLC_VALUES)
        for (int64_t r = 0; r < chunk; r += 64 / (int64_t)sizeof(value))
            CGS_PREFETCH((const value *)part->values + i + r);
}

/* A slot that lies on a diagonal, all of whose rows read an x that exists: row `first` + r reads
 * x[at + r], and adds it where the mask says so. In two loops, since GCC for AVX2 takes a read
 * under a condition for one that could fail, and does not vectorise it. */
CGS_PIECE void cgs_sellc_diagonal(int64_t chunk, bool masked, enum cgs_sellc_coding coding,
                                  const struct cgs_sellc_part *part, int64_t j,
                                  const real *restrict x, real *restrict sums)
{
    const bool same = coding == CGS_SELLC_SAME;
    const real one = same ? cgs_sellc_pattern_value(&part->pattern[j]) : 0;
    const cgs_sellc_lane mask = masked ? part->masks[j] : 0;
    real more[CGS_SELLC_CHUNK_MOST];
#pragma omp simd
    for (int64_t r = 0; r < chunk; r++) {
        const real v = same ? one : cgs_sellc_value(coding, part, j, j * chunk + r);
        more[r] = sums[r] + v * x[r];
    }
#pragma omp simd
    for (int64_t r = 0; r < chunk; r++)
        sums[r] = !masked || (mask & cgs_sellc_bit[r]) ? more[r] : sums[r];
}

/* The same row by row; rows: which they are. */
CGS_PIECE void cgs_sellc_diagonal_slowly(int64_t chunk, enum cgs_sellc_coding coding,
                                         const struct cgs_sellc_part *part, int64_t j,
                                         uint32_t mask, const int32_t *rows, int64_t first,
                                         const real *restrict x, real *restrict sums)
{
    const bool same = coding == CGS_SELLC_SAME;
    const struct cgs_sellc_slot *slot = &part->pattern[j];
    for (int64_t r = 0; r < chunk; r++) {
        const real v =
            same ? cgs_sellc_pattern_value(slot) : cgs_sellc_value(coding, part, j, j * chunk + r);
        if (mask >> r & 1)
            sums[r] += v * x[(rows ? rows[r] : first + r) + slot->offset];
    }
}

/* Whether all that `chunk` rows from `first` on may read exists, masked rows included: offsets
 * ascend. */
CGS_PIECE bool cgs_sellc_inside(int64_t chunk, const struct cgs_sellc_part *part, int64_t first,
                                int64_t columns)
{
    return part->slots == 0 || (first + part->pattern[0].offset >= 0 &&
                                first + chunk + part->pattern[part->slots - 1].offset <= columns);
}

CGS_PIECE void cgs_sellc_diagonals_sum(int64_t chunk, bool masked, enum cgs_sellc_coding coding,
                                       const struct cgs_sellc_part *part, const int32_t *rows,
                                       int64_t first, int64_t columns, const real *restrict x,
                                       real *restrict sums)
{
    if (!rows && (!masked || cgs_sellc_inside(chunk, part, first, columns)))
        for (int64_t j = 0; j < part->slots; j++) {
            CGS_NOT_JAMMED;
            cgs_sellc_ahead(coding, part, j * chunk, chunk);
            cgs_sellc_diagonal(chunk, masked, coding, part, j, x + first + part->pattern[j].offset,
                               sums);
        }
    else
        for (int64_t j = 0; j < part->slots; j++) {
            cgs_sellc_ahead(coding, part, j * chunk, chunk);
            cgs_sellc_diagonal_slowly(chunk, coding, part, j, masked ? part->masks[j] : UINT32_MAX,
                                      rows, first, x, sums);
        }
}

CGS_PIECE void cgs_sellc_gathered_sum(int64_t chunk, enum cgs_sellc_way way,
                                      enum cgs_sellc_coding coding,
                                      const struct cgs_sellc_part *part, const real *restrict x,
                                      real *restrict sums)
{
    for (int64_t j = 0; j < part->slots; j++) {
        const int64_t i = j * chunk;
        const int32_t base = way == CGS_SELLC_DELTAS ? part->base[j] : 0;
        cgs_sellc_ahead(coding, part, i, chunk);
        for (int64_t r = 0; r < chunk; r += 16)
            CGS_PREFETCH(way == CGS_SELLC_DELTAS ? (const void *)&part->delta[i + r]
                                                 : (const void *)&part->column[i + r]);
#pragma omp simd
        for (int64_t r = 0; r < chunk; r++) {
            const int32_t c =
                way == CGS_SELLC_DELTAS ? base + part->delta[i + r] : part->column[i + r];
            sums[r] += cgs_sellc_value(coding, part, j, i + r) * x[c];
        }
    }
}

#endif
