/* C = A B on the CPU for new numbers in known patterns of A, B and C: nothing is counted, sought or
 * sorted. The entries of a row of C lie in octets, and a list of steps says, entry by entry of A,
 * where the row of B goes that it multiplies:
 *
 *     step   octet | 1: first of an entry of A | 8 bits, for each of the octet: 1: the next number
 *                                                of the row of B is added here
 *
 * An entry whose row of B is empty has a step without bits. The products of an entry of C are added
 * in the order of k: the bits of kernels/spgemm.h.
 */
#pragma once

#include "base/linkage.h"
#include "kernels/sparse.h"

CGS_BEGIN_C

/* Longest row of C that steps can tell. */
enum { CGS_KNOWN_LONGEST = 1024 };

struct cgs_spgemm_known {
    int64_t *begin; /* rows of A + 1: the first step of each */
    uint16_t *step;
};

/* Returns the number of products in A B. */
int64_t cgs_spgemm_known_products(const struct cgs_sparse *a, const struct cgs_sparse *b,
                                  int threads);

/* Lists the steps of A B to C, whose columns ascend. It stays empty where C has a
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
