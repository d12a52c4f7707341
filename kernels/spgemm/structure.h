/* The structure of C = A B on the CPU: what products there are, the parts in which rows are handed
 * out, and the entries of each row, by bits (row_bits.h). It depends on structures alone, and is the same
 * for all number types.
 *
 *     products   0 ... of the rows before row i        a prefix sum; bounds the entries, too
 *     parts      about as many products and rows each; threads that are free take the next one
 *
 * No row knows which thread made it. Few products are one thread's, in one part: waking others takes
 * longer.
 */
#ifndef CGS_KERNELS_SPGEMM_STRUCTURE_H
#define CGS_KERNELS_SPGEMM_STRUCTURE_H

#include "kernels/spgemm.h"
#include "kernels/spgemm/blocks.h"
#include "kernels/spgemm/row_bits.h"

struct cgs_structure {
    struct cgs_context *context;
    const struct cgs_sparse *a, *b;
    int threads;
    int64_t parts;
    int64_t *products;        /* rows + 1: products of the rows before */
    int64_t *before;          /* parts + 1: entries of the parts before, for cgs_structure_close */
    struct cgs_blocks blocks; /* of B, where they pay */
    int64_t words, summaries; /* of a row of bits, and of their own bits */
    uint64_t *bits;           /* threads x (words + summaries) */
    int32_t *touched;         /* threads x (words + 1) */
};

/* What it will hold, at most. */
void cgs_structure_plan(const struct cgs_spgemm_size *size, int threads, struct cgs_plan *plan);

/* Counts the products: size->products, longest, and entries as their bound. Owned by the caller;
 * what a failure has left is for release. CGS_MEMORY. */
enum cgs_status cgs_structure_create(struct cgs_context *context, const struct cgs_sparse *a,
                                     const struct cgs_sparse *b, struct cgs_structure *s,
                                     struct cgs_spgemm_size *size);
void cgs_structure_release(struct cgs_structure *s);

/* Rows of part p: first ... the next part's first - 1. */
int64_t cgs_structure_first(const struct cgs_structure *s, int64_t p);

/* A thread's own bits, all 0 once cgs_structure_clear has been called by it. */
struct row_bits cgs_structure_bits(const struct cgs_structure *s, int thread);
void cgs_structure_clear(const struct cgs_structure *s, int thread);

/* Entries of each row: pointers[i + 1] = entries of all rows up to i. Returns all. */
int64_t cgs_structure_count(const struct cgs_structure *s, int64_t *pointers);

/* From entries up to row i within its part to entries of all rows up to i. Returns all. */
int64_t cgs_structure_close(const struct cgs_structure *s, int64_t *pointers);

/* A row of A that has one entry, or none: the row of C is a row of B. */
CGS_PIECE bool is_single(const struct cgs_structure *s, int64_t i)
{
    return s->a->pointers[i + 1] - s->a->pointers[i] <= 1;
}

#endif
