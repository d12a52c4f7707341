/* C = A B on the CPU for new numbers in known patterns of A, B and C: nothing is counted, sought or
 * sorted, each product is added where a list says.
 *
 *     place   of the product a_ik b_kj: the entry of row i of C, from 0; rows ascending, k and j in
 *             the order of their rows
 *
 * The products of an entry are added in the order of k: the bits of kernels/spgemm.h.
 */
#pragma once

#include "base/linkage.h"
#include "kernels/sparse.h"

CGS_BEGIN_C

/* Longest row of C that places can tell. */
enum { CGS_KNOWN_LONGEST = 1 << 16 };

struct cgs_spgemm_known {
    int64_t *begin; /* rows of A + 1: the first product of each */
    uint16_t *place;
};

/* Returns the number of products in A B. */
int64_t cgs_spgemm_known_products(const struct cgs_sparse *a, const struct cgs_sparse *b,
                                  int threads);

/* Lists the places of the products of A B in C, whose columns ascend. It stays empty where C has a
 * longer row than CGS_KNOWN_LONGEST. Owned by the caller, to be released even after a failure.
 * CGS_MEMORY. */
enum cgs_status cgs_spgemm_known_create(struct cgs_context *context, const struct cgs_sparse *a,
                                        const struct cgs_sparse *b, const struct cgs_sparse *c,
                                        struct cgs_spgemm_known *known);
void cgs_spgemm_known_release(struct cgs_context *context, struct cgs_spgemm_known *known);

/* Writes the values of C, double as those of A and B, whose rows `begin` of C tells; its columns
 * are not read. */
void cgs_spgemm_known_multiply(const struct cgs_spgemm_known *known, int threads,
                               const struct cgs_sparse *a, const struct cgs_sparse *b,
                               const struct cgs_sparse *c);

CGS_END_C
