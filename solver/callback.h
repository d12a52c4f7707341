/* Functions of the library's caller in the place of a matrix and of a preconditioner: y = A x, z =
 * M r.
 *
 * They get vectors of doubles in natural order, in the memory of the backend, and have done when
 * they return: on a device all streams are waited for before and after. */
#pragma once

#include "kernels/registry.h"
#include "solver/operator.h"

struct cgs_callback {
    int64_t rows; /* of a matrix */
    /* y = A x; returns 0, or another number to end the solve: CGS_INTERRUPTED. */
    int (*apply)(void *user, int64_t length, const double *x, double *y);
    void *user;
    const char *what; /* "product": for messages */
};

/* Returns an entry of that device, whose kernel applies the function of a source made by
 * cgs_callback_source. Double precision alone. */
const struct cgs_kernel_entry *cgs_callback_entry(enum cgs_device device);

/* Returns rows without entries; *callback is borrowed. */
struct cgs_row_source cgs_callback_source(const struct cgs_callback *callback);

/* Makes an operator on a space of doubles in natural order, which may vary from one product to
 * the next; *callback is borrowed. CGS_MEMORY. */
enum cgs_status cgs_callback_operator(struct cgs_queue *queue, const struct cgs_space *space,
                                      const struct cgs_callback *callback, struct cgs_operator *op);
