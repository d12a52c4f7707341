/* Products of sparse matrices in CRS: C = A B, row by row,
 *
 *     c_i = sum over the entries k of row i of A of a_ik b_k,   b_k: row k of B
 *
 * (F. G. Gustavson, ACM TOMS 4 (1978) 250-269). A product is each a_ik b_kj; several of them fall
 * on one entry of C. An entry of C is stored wherever there is a product, even if these cancel: the
 * structure depends on structures alone. In these stages, each a function of a kernel's table:
 *
 *     begin    the products of each row: sum_k entries of b_k; what bounds entries and work
 *     count    the entries of each row, and their prefix sum: pointers of C
 *     fill     columns and values, in any order within a row
 *     sort     columns ascending
 *
 * or `make` in place of count and fill: each row once, into room for the upper bound of C.
 *
 * A kernel is one file that ends in its table, and one line in kernels/spgemm.def. The same bits in
 * every run: the products of an entry are added in the order of k.
 */
#pragma once

#include <stdbool.h>

#include "kernels/registry.h"
#include "kernels/sparse.h"

CGS_BEGIN_C

/* Sizes that determine the memory of a product. */
struct cgs_spgemm_size {
    int64_t rows, columns; /* of C */
    int64_t inner;         /* columns of A, rows of B */
    int64_t a, b;          /* entries of A and B */
    int64_t products;      /* of all rows */
    int64_t longest;       /* products of the longest row */
    int64_t entries;       /* of C; an upper bound until they are counted */
    bool at_once;          /* the kernel's `make` can do this product */
    bool unordered;        /* columns of C need not ascend: a kernel may skip the sort */
};

struct cgs_spgemm_kernel {
    const char *absent; /* reason why this build has only the name; else NULL */
    bool reference;     /* a vendor's or textbook kernel: the baseline of the others */
    bool reproducible;
    /* Returns CGS_OK, or the reason why it cannot do this product (missing library, 64-bit
     * pointers, ...). */
    enum cgs_status (*accepts)(struct cgs_queue *queue, const struct cgs_spgemm_size *size);
    /* Adds the memory of begin ... sort apart from A, B and C to the plan; an upper bound. */
    void (*plan)(const struct cgs_spgemm_size *size, int threads, struct cgs_plan *plan);
    /* Begins C = A B; A's columns = B's rows, and both must live until release. *work is owned by
     * the caller. Sets size->products, longest, at_once, and an upper bound of entries: a row of C
     * has at most as many as products, or columns. */
    enum cgs_status (*begin)(struct cgs_queue *queue, const struct cgs_sparse *a,
                             const struct cgs_sparse *b, void **work, struct cgs_spgemm_size *size);
    /* Writes `pointers` (rows of A + 1, device memory; the first is 0) and *entries. A reference
     * kernel may leave all but the first pointer and the total to fill. */
    enum cgs_status (*count)(void *work, int64_t *pointers, int64_t *entries);
    /* Counts and fills in one; NULL if the kernel cannot. Only if size->at_once, for C on the host.
     * C has room for its pointers and size->entries; columns are as fill leaves them. Sets
     * c->nonzeros. */
    enum cgs_status (*make)(void *work, struct cgs_sparse *c);
    /* Writes columns and values; C has its pointers and room. */
    enum cgs_status (*fill)(void *work, struct cgs_sparse *c);
    /* Sorts the columns of each row. NULL: fill leaves them ascending, unless size->unordered. */
    enum cgs_status (*sort)(void *work, struct cgs_sparse *c);
    void (*release)(void *work); /* NULL is allowed */
};

/* The builds of a line: values double and single. */
struct cgs_spgemm_entry {
    const char *name;
    enum cgs_device device;
    bool automatic; /* taken by --kernel=auto on its device */
    const char *description;
    const struct cgs_spgemm_kernel *tables[CGS_NUMBERS]; /* NULL if this build lacks the device */
};

enum cgs_spgemm_stage {
    CGS_SPGEMM_BEGIN,
    CGS_SPGEMM_COUNT,
    CGS_SPGEMM_ALLOC, /* room for C */
    CGS_SPGEMM_FILL,  /* or `make`: then there is no count, and room is what make has written */
    CGS_SPGEMM_SORT,
    CGS_SPGEMM_STAGES
};

struct cgs_spgemm_facts {
    struct cgs_spgemm_size size;
    double seconds[CGS_SPGEMM_STAGES]; /* of each stage, up to its end on the device */
};

CGS_END_C
