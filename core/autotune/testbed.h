/* Test vectors of a device for trying kernels. Canaries around y detect writes outside it; NaNs
 * around each x make reads outside it visible in y.
 *
 *     x   NaN ... NaN | x_0 ... x_(columns - 1) | NaN ... NaN       CGS_GUARD numbers on
 *     y   canaries    | y_0 ... y_(rows - 1)    | canaries          either side
 *
 * Vectors in padded lines have no guards: the zeros between lines are read, and not written.
 */
#pragma once

#include "kernels/backend.h"
#include "kernels/registry.h"

enum {
    CGS_GUARD =
        64, /* numbers; a multiple of every alignment that kernels rely on: 256 bytes of floats */
    CGS_TESTBED_INPUTS = 4
};

struct cgs_testbed {
    const struct cgs_backend *backend; /* NULL: not created */
    struct cgs_queue *queue;           /* borrowed */
    int64_t rows, columns;
    int guard;                      /* numbers on either side: CGS_GUARD, 0 in padded lines */
    struct cgs_space domain, range; /* guards included */
    int inputs;
    void *inputs_at[CGS_TESTBED_INPUTS], *output_at; /* owned; guards included */
    double *host;                                    /* owned buffer for one vector */
};

/* Adds the memory of a testbed to the plan. */
void cgs_testbed_plan(struct cgs_plan *plan, enum cgs_place place, enum cgs_number number,
                      int64_t rows, int64_t columns, int inputs);

/* Creates a testbed with the inputs x[0 ... inputs - 1] of `columns` numbers in natural order,
 * which are copied. On CGS_MEMORY nothing is held. */
enum cgs_status cgs_testbed_create(const struct cgs_backend *backend, struct cgs_queue *queue,
                                   enum cgs_number number, int64_t rows, int64_t columns,
                                   int inputs, const double *const *x, struct cgs_testbed *testbed);
/* Creates a testbed with the inputs of `other` in that layout, padded lines. */
enum cgs_status cgs_testbed_create_padded(const struct cgs_testbed *other,
                                          const struct cgs_layout *domain,
                                          const struct cgs_layout *range,
                                          struct cgs_testbed *testbed);
void cgs_testbed_release(struct cgs_testbed *testbed);

/* Return the first number of an input and of y, without guards, to pass to a kernel. */
const void *cgs_testbed_x(const struct cgs_testbed *testbed, int input);
void *cgs_testbed_y(const struct cgs_testbed *testbed);

/* Fills y with NaN and its guards with canaries, before a product that is verified. */
enum cgs_status cgs_testbed_poison(const struct cgs_testbed *testbed);
/* Fills y and its guards with NaN on the device; quick, for use between timed batches. */
enum cgs_status cgs_testbed_wipe(const struct cgs_testbed *testbed);

/* Waits for the queue and copies y to the host; *y points into testbed->host until the next call.
 * *outside: changed guard numbers around y, which were NaN if `wiped`, else canaries. */
enum cgs_status cgs_testbed_look(const struct cgs_testbed *testbed, bool wiped, const double **y,
                                 int *outside);

/* Sets *unchanged to true if the input still equals x; restores it otherwise. */
enum cgs_status cgs_testbed_unchanged(const struct cgs_testbed *testbed, int input, const double *x,
                                      bool *unchanged);
