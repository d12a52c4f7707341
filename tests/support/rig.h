/* A kernel at work on a plain matrix, and its products held against the plain one. */
#pragma once

#include "tests/support/support.h"

struct rig {
    const struct cgs_kernel_entry *entry;
    const struct cgs_kernel *kernel;
    enum cgs_precision precision;
    const struct plain *plain;
    struct cgs_row_source source;
    struct cgs_matrix matrix;
    void *self;
    struct cgs_space domain, range; /* with a guard where vectors lie naturally */
    int guard;
    char words[160];
};

/* The pairs of a kernel of this device and a precision, which varies fastest, where `wanted`
 * holds for the format: how many there are, and the kernel of one; NULL past the last. */
int rig_pairs(bool (*wanted)(enum cgs_format format));
const struct cgs_kernel_entry *rig_entry(bool (*wanted)(enum cgs_format format), int pair);

/* False, with the reason in the log, where the kernel does not take the matrix. */
bool rig_set_up(struct rig *rig, const struct cgs_kernel_entry *entry, enum cgs_precision precision,
                const struct plain *plain, const char *name, int32_t chunk, int32_t sigma);
void rig_take_down(struct rig *rig);

/* y = A x into a poisoned vector, by a number of threads; x must come out as it went in. */
double *rig_product(const struct rig *rig, const double *x, int threads, bool fused, double *dot);

/* y against the product in long double: random numbers within the row-wise bound, whole ones
 * exactly. */
void rig_check_product(const struct rig *rig, enum plain_numbers numbers, const double *x,
                       const double *y);

/* All that a kernel promises of its products: by several threads and with each of its variants that
 * this processor runs, after the end of a run, and the figures of plan and traffic. The rig then
 * has the last variant. */
void rig_check_all(struct rig *rig, enum plain_numbers numbers);
