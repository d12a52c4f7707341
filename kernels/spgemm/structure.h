/* Structure of C = A B on the CPU: the rows that have products (row_list.h), their division into
 * parts, and the entries of each row, by bits (row_bits.h). It depends only on structures and is
 * the same for all number types.
 *
 *     parts      about as many products and listed rows each, distributed dynamically to threads
 *     rows       of a part: from the first that it lists, or row 0, to the first of the next part
 *
 * A row's result does not depend on its thread. Few products go to one thread, in one part: waking
 * others takes longer.
 */
#pragma once

#include "kernels/spgemm.h"
#include "kernels/spgemm/alike.h"
#include "kernels/spgemm/blocks.h"
#include "kernels/spgemm/row_bits.h"
#include "kernels/spgemm/row_list.h"

/* Approximate products of a part: its rows take some hundred kB and stay in the second-level cache.
 * If no row has more products than that, a part has at most twice as many: fewer up to its nominal
 * end, plus those of the row there. */
enum { CGS_PART_PRODUCTS = 1 << 16, CGS_PART_ENTRIES = 2 * CGS_PART_PRODUCTS + 1 };

struct cgs_structure {
    struct cgs_context *context;
    const struct cgs_sparse *a, *b;
    int threads;
    int64_t parts;
    struct cgs_row_list list;
    struct cgs_blocks blocks; /* of B, if they pay */
    uint8_t *alike;           /* rows of C that shift the previous one; NULL: few do */
    int64_t words, summaries; /* of a row of bits, and of their summary */
    uint64_t *bits;           /* threads x (words + summaries); NULL until made */
    int32_t *touched;         /* threads x (words + 1) */
};

/* Adds an upper bound of the memory to the plan. */
void cgs_structure_plan(const struct cgs_spgemm_size *size, int threads, struct cgs_plan *plan);

/* Counts the products: size->products, longest, at_once, and an upper bound of entries. Owned by
 * the caller, to be released even after a failure. CGS_MEMORY. */
enum cgs_status cgs_structure_create(struct cgs_context *context, const struct cgs_sparse *a,
                                     const struct cgs_sparse *b, struct cgs_structure *s,
                                     struct cgs_spgemm_size *size);
void cgs_structure_release(struct cgs_structure *s);

/* Part p: listed rows first ... last - 1, rows begin ... end - 1 of C. */
struct cgs_part {
    int64_t first, last, begin, end;
};

struct cgs_part cgs_structure_part(const struct cgs_structure *s, int64_t p);

/* Finds the rows that are alike. CGS_MEMORY. */
enum cgs_status cgs_structure_find_alike(struct cgs_structure *s);

/* Allocates bits and blocks for counting and long rows, unless they exist. CGS_MEMORY. */
enum cgs_status cgs_structure_make_bits(struct cgs_structure *s);

/* A thread's own bits, all 0 after it has called cgs_structure_clear. */
struct row_bits cgs_structure_bits(const struct cgs_structure *s, int thread);
void cgs_structure_clear(const struct cgs_structure *s, int thread);

/* Counts the entries of each row: pointers[i + 1] = entries of all rows up to i. Returns the
 * total. */
int64_t cgs_structure_count(const struct cgs_structure *s, int64_t *pointers);

/* Returns true if row i of A has one entry: the row of C is then a multiple of a row of
 * B. */
CGS_PIECE bool is_single(const struct cgs_structure *s, int64_t i)
{
    return s->a->pointers[i + 1] - s->a->pointers[i] == 1;
}

CGS_PIECE bool is_alike(const struct cgs_structure *s, int64_t i)
{
    return s->alike && s->alike[i];
}

CGS_PIECE int64_t products_of(const struct cgs_structure *s, int64_t k)
{
    return s->list.products[k + 1] - s->list.products[k];
}

/* Rows that pass_rows writes in one step, needed or not: a branch for each row would be
 * mispredicted too often. */
enum { CGS_ROWS_PASSED = 8 };

/* Writes `entries` as the pointers of rows `at` ... `row` - 1, which have no products. It may
 * overwrite pointers of later rows, up to `end`, which they correct. Returns row. */
CGS_PIECE int64_t pass_rows(int64_t at, int64_t row, int64_t end, int64_t entries,
                            int64_t *pointers)
{
    int64_t next = at;
    if (at + CGS_ROWS_PASSED <= end)
        for (; next < at + CGS_ROWS_PASSED; next++)
            pointers[next + 1] = entries;
    for (; next < row; next++)
        pointers[next + 1] = entries;
    return row;
}
