/* One chunk of compressed SELL (matrix/sellc/sellc.h) on the CPU, slot by slot, vectorised by the
 * compiler over its rows. Each coding of columns and of values has its own loop, made of the parts
 * below:
 *
 *     for each slot j:  s[r] += value(j, r) x[column(j, r)],   r = 0 ... C-1
 *
 * On a diagonal, neighbouring rows read neighbouring numbers of x: no gather. Rows without an entry
 * there are computed, too, and their sums kept unchanged (what they read exists, except near the
 * ends of x, where rows are done one by one); no row's sum is affected by another row's entries.
 */
#pragma once

#include "kernels/spmv/spmv_cpu.h"
#include "matrix/sellc/sellc.h"

/* A row's mask bit, in lanes as wide as those of the sums. */
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

/* Data of the kernel. */
struct cgs_sellc_cpu {
    struct cgs_spmv_cpu spmv; /* division of the work: pointers as in SELL; no columns, no values */
    struct cgs_sellc list;
    struct cgs_sellc_store store;
    int64_t columns;
    struct cgs_traffic moved;
    void *plain; /* made by sell_gather if the matrix does not compress; all else is then empty */
};

/* One chunk as seen by its loop. */
struct cgs_sellc_part {
    int64_t slots;
    const struct cgs_sellc_slot *pattern;
    const uint32_t *masks;
    const int32_t *base; /* of deltas */
    const uint16_t *delta;
    const int32_t *column;
    const void *values; /* or codes, or one value a slot */
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

/* Value of slot j, row r, entry i of the chunk. */
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

/* Prefetches values (or codes) of later slots. */
CGS_PIECE void cgs_sellc_ahead(enum cgs_sellc_coding coding, const struct cgs_sellc_part *part,
                               int64_t i, int64_t chunk)
{
    if (coding == CGS_SELLC_VALUES)
        for (int64_t r = 0; r < chunk; r += 64 / (int64_t)sizeof(value))
            CGS_PREFETCH((const value *)part->values + i + r);
}

/* A slot on a diagonal, all of whose rows read an existing x: row `first` + r reads x[at + r], and
 * adds it if the mask says so. Two loops, since GCC for AVX2 assumes that a conditional read may
 * fault and does not vectorise it. */
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

/* The same row by row; rows: row numbers. */
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

/* Returns true if everything that `chunk` rows from `first` on may read exists, masked rows
 * included: offsets ascend. */
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
