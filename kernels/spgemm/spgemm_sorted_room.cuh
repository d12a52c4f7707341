/* Memory of sorted rows (spgemm_sorted.cuh): its division, and an upper bound. */
#pragma once

#include "base/integers.h"
#include "kernels/sparse/order_cuda.cuh"
#include "kernels/spgemm.h"
#include "kernels/spgemm/spgemm_sorted.cuh"

namespace
{

constexpr const char *SORTED_NAME = "product: sorted rows";
constexpr int64_t BATCH = 1 << 25;         /* products; more if a row has more */
constexpr int64_t MOST_SORTED = INT32_MAX; /* products of a row */
constexpr int NARROW_BITS = 22;            /* bits of a column: at least 1024 rows then have 32-bit
                                              keys */

/* Device memory in these orders: of all sorted rows; of a batch. */
struct sorted_room {
    int64_t rows, entries, products, bytes;
};

struct batch_room {
    int64_t key[2], place[2], value, tiles, first, bytes;
};

struct sorted_room sorted_room_for(int64_t count)
{
    struct sorted_room r;
    r.rows = 0;
    r.entries = r.rows + up(count * (int64_t)sizeof(int32_t));
    r.products = r.entries + up((count + 1) * (int64_t)sizeof(int64_t));
    r.bytes = r.products + up((count + 1) * (int64_t)sizeof(int64_t));
    return r;
}

bool has_narrow_keys(int64_t columns)
{
    return cgs_key_bits(columns) <= NARROW_BITS;
}

struct batch_room batch_room_for(int64_t columns, int64_t rows, int64_t products)
{
    const size_t key = has_narrow_keys(columns) ? sizeof(uint32_t) : sizeof(uint64_t);
    const int64_t keys = up(products * (int64_t)key),
                  places = up(products * (int64_t)sizeof(uint32_t));
    struct batch_room r;
    r.key[0] = 0;
    r.key[1] = r.key[0] + keys;
    r.place[0] = r.key[1] + keys;
    r.place[1] = r.place[0] + places;
    r.value = r.place[1] + places;
    r.tiles = r.value + up(products * (int64_t)sizeof(real));
    r.first = r.tiles + up(blocks(products, SCAN_TILE) * (int64_t)sizeof(int64_t));
    r.bytes = r.first + up((rows + 1) * (int64_t)sizeof(int64_t));
    return r;
}

/* Upper bound; a plan knows neither the device nor which rows have the products. The sort's scratch
 * is negligible. */
void sorted_plan(const struct cgs_spgemm_size *size, struct cgs_plan *plan)
{
    const int64_t most = cgs_least(size->rows, size->products / (LEAST_SORTED + 1));
    if (size->longest <= LEAST_SORTED || size->longest > MOST_SORTED || most == 0)
        return;
    const int64_t batch = cgs_least(size->products, size->longest > BATCH ? size->longest : BATCH);
    const int64_t rows = cgs_least(most, batch / (LEAST_SORTED + 1));
    cgs_plan_add(plan, CGS_DEVICE_MEMORY, SORTED_NAME, sorted_room_for(most).bytes, 1);
    cgs_plan_add(plan, CGS_DEVICE_MEMORY, SORTED_NAME, size->a + 1, sizeof(int64_t));
    cgs_plan_add(plan, CGS_DEVICE_MEMORY, SORTED_NAME,
                 batch_room_for(size->columns, rows, batch).bytes, 1);
    cgs_plan_add(plan, CGS_HOST, SORTED_NAME, 2 * (most + 1), sizeof(int64_t));
}

} // namespace
