/* Table of the different values of a matrix, compared by bits: private to matrix/. */
#pragma once

#include <string.h>

#include "matrix/matrix.h"

/* Hash table with open addressing; where[i] is 1 + the code of key[i], 0: free. */
struct cgs_value_table {
    int64_t count;    /* 0: too many different values */
    uint64_t *values; /* [count] bits of each code; code 0 is +0, then the most frequent first */
    uint64_t *key;    /* [mask + 1] */
    uint32_t *where;
    uint64_t mask;
};

CGS_INLINE uint64_t cgs_value_hash(uint64_t bits)
{
    bits *= UINT64_C(0x9E3779B97F4A7C15);
    return bits ^ bits >> 29;
}

/* Returns the code of a value in the table. */
CGS_INLINE uint32_t cgs_value_code(const struct cgs_value_table *table, uint64_t bits)
{
    uint64_t i = cgs_value_hash(bits) & table->mask;
    while (table->key[i] != bits || table->where[i] == 0)
        i = (i + 1) & table->mask;
    return table->where[i] - 1;
}

/* Convert number i of an array to its bits, and back. */
CGS_INLINE uint64_t cgs_value_bits(enum cgs_number number, const void *values, int64_t i)
{
    uint64_t wide;
    uint32_t narrow;
    if (number == CGS_F64) {
        memcpy(&wide, (const char *)values + i * (int64_t)sizeof wide, sizeof wide);
        return wide;
    }
    memcpy(&narrow, (const char *)values + i * (int64_t)sizeof narrow, sizeof narrow);
    return narrow;
}

CGS_INLINE void cgs_value_put(enum cgs_number number, void *values, int64_t i, uint64_t bits)
{
    const uint32_t narrow = (uint32_t)bits;
    if (number == CGS_F64)
        memcpy((char *)values + i * (int64_t)sizeof bits, &bits, sizeof bits);
    else
        memcpy((char *)values + i * (int64_t)sizeof narrow, &narrow, sizeof narrow);
}

/* Upper bound of the memory of cgs_value_table_make for a matrix of so many entries. */
int64_t cgs_value_table_bytes(int64_t entries);

/* Collects the values of the source's rows; the table is empty if there are too many. */
enum cgs_status cgs_value_table_make(struct cgs_context *context,
                                     const struct cgs_row_source *source, enum cgs_number number,
                                     struct cgs_value_table *table);
void cgs_value_table_release(struct cgs_context *context, struct cgs_value_table *table);
