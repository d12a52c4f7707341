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
 * or make in place of count and fill: each row once, into room for all that C can have.
 *
 * A kernel is one file that ends in its table, and one line in kernels/spgemm.def. The same bits in
 * every run: the products of an entry are added in the order of k.
 */
#ifndef CGS_KERNELS_SPGEMM_H
#define CGS_KERNELS_SPGEMM_H

#include <stdbool.h>

#include "kernels/registry.h"
#include "kernels/sparse.h"

CGS_BEGIN_C

/* What the memory that a product takes depends on. */
struct cgs_spgemm_size {
    int64_t rows, columns; /* of C */
    int64_t inner;         /* columns of A, rows of B */
    int64_t a, b;          /* entries of A and B */
    int64_t products;      /* of all rows */
    int64_t longest;       /* products of the row that has most */
    int64_t entries;       /* of C; at most */
    bool at_once;          /* where the kernel has make: it can do this one */
    bool unordered;        /* columns of a row of C need not ascend: a kernel may save that */
};

struct cgs_spgemm_kernel {
    const char *absent; /* why this build has no more than the name; else NULL */
    bool reference;     /* a vendor's, or a textbook's: what the others are held against */
    bool reproducible;
    /* CGS_OK, or the reason why it cannot take these (a library missing, 64-bit pointers, ...). */
    enum cgs_status (*accepts)(struct cgs_queue *queue, const struct cgs_spgemm_size *size);
    /* What begin ... sort will hold beside A, B and C, at most. */
    void (*plan)(const struct cgs_spgemm_size *size, int threads, struct cgs_plan *plan);
    /* C = A B with A's columns = B's rows; both stay until release. *work is owned by the caller;
     * size->products, longest and at_once are set, and entries to a bound: a row of C has no more
     * than products, or columns. */
    enum cgs_status (*begin)(struct cgs_queue *queue, const struct cgs_sparse *a,
                             const struct cgs_sparse *b, void **work, struct cgs_spgemm_size *size);
    /* Into `pointers` (rows of A + 1, in the device's memory), the first 0; *entries on the host. A
     * reference may leave all but the first and the number of entries to fill. */
    enum cgs_status (*count)(void *work, int64_t *pointers, int64_t *entries);
    /* Or NULL; only where size->at_once, for C on the host: count and fill in one. C has room for its
     * pointers and for size->entries; columns as fill leaves them. Sets c->nonzeros. */
    enum cgs_status (*make)(void *work, struct cgs_sparse *c);
    /* C has its pointers and room. */
    enum cgs_status (*fill)(void *work, struct cgs_sparse *c);
    /* NULL: fill leaves columns ascending, unless size->unordered. */
    enum cgs_status (*sort)(void *work, struct cgs_sparse *c);
    void (*release)(void *work); /* NULL is fine */
};

/* The builds of a line: values double and single. */
struct cgs_spgemm_entry {
    const char *name;
    enum cgs_device device;
    bool automatic; /* what --kernel=auto takes, of those of its device */
    const char *description;
    const struct cgs_spgemm_kernel
        *tables[CGS_NUMBERS]; /* NULL where this build lacks the device */
};

/* All lines of spgemm.def in order; *count of them. */
const struct cgs_spgemm_entry *cgs_spgemms(int *count);

/* The kernel of that name for a device; "auto" is the automatic one. CGS_USAGE with the nearest right
 * spelling; CGS_DEVICE where this build has no code for the device. */
enum cgs_status cgs_spgemm_find(struct cgs_context *context, const char *name,
                                enum cgs_device device, const struct cgs_spgemm_entry **entry);

enum cgs_spgemm_stage {
    CGS_SPGEMM_BEGIN,
    CGS_SPGEMM_COUNT,
    CGS_SPGEMM_ALLOC, /* room for C */
    CGS_SPGEMM_FILL,  /* or make: then there is no count, and room is what it has written */
    CGS_SPGEMM_SORT,
    CGS_SPGEMM_STAGES
};

struct cgs_spgemm_facts {
    struct cgs_spgemm_size size;
    double seconds[CGS_SPGEMM_STAGES]; /* each up to its end on the device */
};

/* All stages; `number` is that of A's and B's values. C is owned by the caller; facts may be NULL:
 * then nothing waits where the device need not. CGS_MEMORY: that the host
 * has no room for C, too, found before it is filled. */
enum cgs_status cgs_spgemm(struct cgs_queue *queue, const struct cgs_backend *backend,
                           const struct cgs_spgemm_kernel *kernel, enum cgs_number number,
                           const struct cgs_sparse *a, const struct cgs_sparse *b, bool sort,
                           struct cgs_sparse *c, struct cgs_spgemm_facts *facts);

CGS_END_C

#endif
