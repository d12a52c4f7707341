/* Patterns that a set-up of algebraic multigrid knows of a grid from an earlier one, of a matrix
 * with the same pattern: those of P, R and R (A P), and where each number goes. New numbers are
 * then written there, without aggregates, decisions on strong entries, or search: those stay that
 * were strong in the first numbers.
 *
 *     P     p_iI adds s_ij in the order of the row, as struct cgs_amg_ops.prolong does
 *     R     each entry of P has its place
 *     A P   products have listed steps to the row (kernels/spgemm/known.h), as those of R (A P)
 *
 * With the first numbers the bits are those of the first set-up.
 */
#pragma once

#include "kernels/spgemm/known.h"

CGS_BEGIN_C

struct cgs_aggregates;

/* Products in A P, and in R (A P), for each entry of A, whose steps are listed at most: they take
 * fewer than twice the bytes of A then. */
enum { CGS_AMG_KNOWN_PRODUCTS = 6 };

/* Patterns and places of one grid; without `place`: nothing is known. */
struct cgs_amg_known {
    int64_t aggregated;             /* rows in an aggregate */
    struct cgs_sparse p, r, coarse; /* without values */
    int64_t *products;              /* rows of A + 1: first entries of the rows of A P */
    uint16_t *place;                /* entries of A: in the row of P */
    int32_t *diagonal;              /* rows of A: the diagonal entry's, from the row's first */
    int32_t *turned;                /* entries of P: in R */
    struct cgs_spgemm_known by_p, by_r;
};

struct cgs_amg_known_ops {
    /* Returns true if a P has few enough products. */
    bool (*fits)(struct cgs_queue *queue, const struct cgs_sparse *a, const struct cgs_sparse *p);
    /* Takes the patterns of p, r and coarse, which borrow them from then on, and lists places;
     * product: a p. It stays empty where a row is too long, or r (a p) has too many products.
     * CGS_MEMORY: nothing is taken. */
    enum cgs_status (*create)(struct cgs_queue *queue, const struct cgs_sparse *a,
                              const struct cgs_aggregates *aggregates, double theta,
                              const struct cgs_sparse *product, struct cgs_sparse *p,
                              struct cgs_sparse *r, struct cgs_sparse *coarse,
                              struct cgs_amg_known *known);
    void (*release)(struct cgs_queue *queue, struct cgs_amg_known *known);
    /* Makes P and R of new numbers, which are the caller's; their patterns are borrowed.
     * CGS_BREAKDOWN: a diagonal entry is not positive; the message has its row. CGS_MEMORY. */
    enum cgs_status (*transfers)(struct cgs_queue *queue, const struct cgs_amg_known *known,
                                 const struct cgs_sparse *a, double omega, struct cgs_sparse *p,
                                 struct cgs_sparse *r);
    /* Makes R (A P) likewise. CGS_MEMORY. */
    enum cgs_status (*coarse)(struct cgs_queue *queue, const struct cgs_amg_known *known,
                              const struct cgs_sparse *a, const struct cgs_sparse *p,
                              const struct cgs_sparse *r, struct cgs_sparse *coarse);
};

/* Table of the CPU (known_cpu.c). */
extern const struct cgs_amg_known_ops cgs_amg_known_cpu;

CGS_END_C
