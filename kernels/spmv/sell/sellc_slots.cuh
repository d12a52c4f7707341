/* Sum of a row over the slots of its chunk, compressed SELL (matrix/sellc/sellc.h) on CUDA: one
 * thread a row, one warp a chunk, so that all threads of a warp decode alike.
 *
 * On a diagonal, neighbouring threads read neighbouring numbers of x. Data common to the chunk
 * (slots of a pattern, masks, bases) are read by all threads of the warp at one address: one
 * access, nearly always to the L1 cache. Additions are in the order of SELL. */
#pragma once

#include "kernels/spmv/sell/sellc_cuda.cuh"

namespace
{

/* Tunable: slots in flight; fewer for a pattern shared by several chunks, since each chunk has as
 * many numbers of x in flight. */
enum { BATCH = 9, SHARED_BATCH = 3 };

__device__ inline struct cgs_sellc_chunk load_chunk(const struct cgs_sellc_chunk *chunk)
{
    const uint4 raw = __ldg(reinterpret_cast<const uint4 *>(chunk));
    return {(uint64_t)raw.y << 32 | raw.x, raw.z, raw.w};
}

/* A slot of a pattern, in one load. */
struct slot {
    value v;
    int32_t offset;
};

__device__ inline struct slot load_slot(const struct cgs_sellc_slot *from)
{
    const int4 raw = __ldg(reinterpret_cast<const int4 *>(from));
    struct slot slot;
    if constexpr (sizeof(value) == sizeof(double))
        slot.v = (value)__hiloint2double(raw.y, raw.x);
    else
        slot.v = (value)__int_as_float(raw.x);
    slot.offset = raw.z;
    return slot;
}

/* One chunk as seen by one of its threads. */
struct part {
    const struct cgs_sellc_slot *pattern;
    const uint32_t *masks;
    const char *columns; /* bases, or columns */
    const char *deltas;
    const char *values; /* or codes, or one value a slot */
    const value *table;
    int lane;
    uint64_t hint;
};

template <class T> __device__ inline T load_at(const char *array, int64_t i)
{
    return __ldg(reinterpret_cast<const T *>(array) + i);
}

/* Returns true if the thread's row has slot s; always without a mask. */
template <bool MASKED> __device__ inline bool is_there(const part &p, int s)
{
    return !MASKED || (__ldg(p.masks + s) >> p.lane & 1u) != 0;
}

template <cgs_sellc_way WAY, cgs_sellc_coding CODING>
__device__ inline value load_value(const part &p, int s)
{
    const int64_t i = (int64_t)s * CGS_WARP + p.lane;
    if constexpr (CODING == CGS_SELLC_SAME && WAY == CGS_SELLC_DIAGONALS)
        return load_slot(p.pattern + s).v;
    else if constexpr (CODING == CGS_SELLC_SAME)
        return load_at<value>(p.values, s);
    else if constexpr (CODING == CGS_SELLC_CODES8)
        return __ldg(p.table + load_at<uint8_t>(p.values, i));
    else if constexpr (CODING == CGS_SELLC_CODES16)
        return __ldg(p.table + load_at<uint16_t>(p.values, i));
    else
        return load_entry<true, false>(reinterpret_cast<const value *>(p.values) + i, p.hint);
}

/* Column in x: relative to the row's own number on a diagonal, else absolute. */
template <cgs_sellc_way WAY, cgs_sellc_coding CODING>
__device__ inline int32_t load_place(const part &p, int s)
{
    const int64_t i = (int64_t)s * CGS_WARP + p.lane;
    if constexpr (WAY == CGS_SELLC_DIAGONALS && CODING == CGS_SELLC_SAME)
        return load_slot(p.pattern + s).offset; /* one load with the value */
    else if constexpr (WAY == CGS_SELLC_DIAGONALS)
        return __ldg(&p.pattern[s].offset);
    else if constexpr (WAY == CGS_SELLC_DELTAS)
        return load_at<int32_t>(p.columns, s) + load_at<uint16_t>(p.deltas, i);
    else
        return load_entry<true, false>(reinterpret_cast<const int32_t *>(p.columns) + i, p.hint);
}

/* Adds the products of slots s ... s + COUNT - 1: all loads are in flight before the first use. */
template <int COUNT, cgs_sellc_way WAY, cgs_sellc_coding CODING, bool MASKED>
__device__ inline real add_batch(real sum, const part &p, int s, const real *__restrict__ x)
{
    value v[COUNT];
    real from[COUNT];
    int32_t place[COUNT];
#pragma unroll
    for (int k = 0; k < COUNT; k++)
        place[k] = load_place<WAY, CODING>(p, s + k);
#pragma unroll
    for (int k = 0; k < COUNT; k++)
        v[k] = load_value<WAY, CODING>(p, s + k);
#pragma unroll
    for (int k = 0; k < COUNT; k++)
        from[k] = is_there<MASKED>(p, s + k) ? __ldg(x + place[k]) : (real)0;
#pragma unroll
    for (int k = 0; k < COUNT; k++)
        if (is_there<MASKED>(p, s + k))
            sum += (real)v[k] * from[k];
    return sum;
}

template <cgs_sellc_way WAY, cgs_sellc_coding CODING, bool MASKED>
__device__ inline real add_slots(const part &p, int slots, const real *__restrict__ x)
{
    real sum = 0;
    int s = 0;
#pragma unroll 1
    for (; s + BATCH <= slots; s += BATCH)
        sum = add_batch<BATCH, WAY, CODING, MASKED>(sum, p, s, x);
#pragma unroll 1
    for (; s < slots; s++)
        sum = add_batch<1, WAY, CODING, MASKED>(sum, p, s, x);
    return sum;
}

/* All codings of columns for one coding of values. xr: x at the thread's own row. */
template <cgs_sellc_coding CODING>
__device__ inline real sum_of_ways(struct cgs_sellc_chunk what, part &p, const real *__restrict__ x,
                                   const real *__restrict__ xr)
{
    const cgs_sellc_way way = cgs_sellc_way_of(what);
    const int slots = (int)cgs_sellc_width(what); /* column numbers have 32 bits */
    p.values = p.columns + cgs_sellc_values_at(way, slots, CGS_WARP);
    if (way == CGS_SELLC_DIAGONALS && what.masks == 0)
        return add_slots<CGS_SELLC_DIAGONALS, CODING, false>(p, slots, xr);
    if (way == CGS_SELLC_DIAGONALS)
        return add_slots<CGS_SELLC_DIAGONALS, CODING, true>(p, slots, xr);
    if (way == CGS_SELLC_DELTAS)
        return add_slots<CGS_SELLC_DELTAS, CODING, false>(p, slots, x);
    return add_slots<CGS_SELLC_COLUMNS, CODING, false>(p, slots, x);
}

/* Sum of the thread's row in one chunk of any coding. */
__device__ inline real sum_of_chunk(const compressed &m, struct cgs_sellc_chunk what, int lane,
                                    uint64_t hint, const real *__restrict__ x,
                                    const real *__restrict__ xr)
{
    const char *data = reinterpret_cast<const char *>(cgs_sellc_address(what));
    part p = {m.slots + what.pattern,
              m.masks + what.masks,
              data,
              data + cgs_sellc_deltas_at((int64_t)what.pattern),
              nullptr,
              m.table,
              lane,
              hint};
    switch (cgs_sellc_coding_of(what)) {
    case CGS_SELLC_SAME:
        return sum_of_ways<CGS_SELLC_SAME>(what, p, x, xr);
    case CGS_SELLC_CODES8:
        return sum_of_ways<CGS_SELLC_CODES8>(what, p, x, xr);
    case CGS_SELLC_CODES16:
        return sum_of_ways<CGS_SELLC_CODES16>(what, p, x, xr);
    default:
        return sum_of_ways<CGS_SELLC_VALUES>(what, p, x, xr);
    }
}

/* Adds COUNT slots of a pattern shared by G chunks to the sums of the thread's row in each; a slot
 * is loaded once for all. xr[g]: x at that row. */
template <int COUNT, int G, bool MASKED>
__device__ inline void add_shared(const struct cgs_sellc_slot *pattern,
                                  const uint32_t *const masks[G], int lane, const real *const xr[G],
                                  real sum[G])
{
    struct slot slot[COUNT];
    real from[COUNT][G];
    uint32_t mask[COUNT][G];
#pragma unroll
    for (int k = 0; k < COUNT; k++)
        slot[k] = load_slot(pattern + k);
#pragma unroll
    for (int k = 0; k < COUNT; k++)
#pragma unroll
        for (int g = 0; g < G; g++) {
            mask[k][g] = MASKED && masks[g] ? __ldg(masks[g] + k) : UINT32_MAX;
            const bool there = !MASKED || (mask[k][g] >> lane & 1u) != 0;
            from[k][g] = there ? __ldg(xr[g] + slot[k].offset) : (real)0;
        }
#pragma unroll
    for (int k = 0; k < COUNT; k++)
#pragma unroll
        for (int g = 0; g < G; g++)
            if (!MASKED || (mask[k][g] >> lane & 1u) != 0)
                sum[g] += (real)slot[k].v * from[k][g];
}

/* Sums of the thread's rows in G chunks of one pattern; masks[g] NULL: no entry is missing. */
template <int G, bool MASKED>
__device__ inline void sum_shared(const struct cgs_sellc_slot *pattern, int slots,
                                  const uint32_t *masks[G], int lane, const real *const xr[G],
                                  real sum[G])
{
#pragma unroll
    for (int g = 0; g < G; g++)
        sum[g] = 0;
    int s = 0;
#pragma unroll 1
    for (; s + SHARED_BATCH <= slots; s += SHARED_BATCH, pattern += SHARED_BATCH) {
        add_shared<SHARED_BATCH, G, MASKED>(pattern, masks, lane, xr, sum);
#pragma unroll
        for (int g = 0; MASKED && g < G; g++)
            masks[g] = masks[g] ? masks[g] + SHARED_BATCH : nullptr;
    }
#pragma unroll 1
    for (; s < slots; s++, pattern++) {
        add_shared<1, G, MASKED>(pattern, masks, lane, xr, sum);
#pragma unroll
        for (int g = 0; MASKED && g < G; g++)
            masks[g] = masks[g] ? masks[g] + 1 : nullptr;
    }
}

} // namespace
