/* For tests of products of matrices (kernels/spgemm.h): the kernels of the device, and a product
 * held against SMMP's. */
#pragma once

#include "kernels/spgemm.h"
#include "tests/support/sparse.h"

/* A kernel of the device, for a number type: 0 ... spgemm_count() - 1. */
struct spgemm {
    const struct cgs_spgemm_entry *entry;
    const struct cgs_spgemm_kernel *kernel;
    enum cgs_number number;
};

int spgemm_count(void);
struct spgemm spgemm_find(int which);

struct cgs_spgemm_size spgemm_size(const struct cgs_sparse *a, const struct cgs_sparse *b);

/* Returns true if the kernel is in this build and takes these; our own always are and do. */
bool spgemm_takes(const struct spgemm *c, const struct cgs_sparse *a, const struct cgs_sparse *b);

/* A B on the host, columns ascending. facts may be NULL. */
struct cgs_crs spgemm_multiply(const struct spgemm *c, const struct cgs_sparse *a,
                               const struct cgs_sparse *b, bool sort,
                               struct cgs_spgemm_facts *facts);

/* A B as SMMP makes it: sorted, unsorted, and in two parts; with entries counted first the same
 * to the bit. */
void spgemm_check(const char *name, const struct spgemm *c, const struct smmp *a,
                  const struct smmp *b);
