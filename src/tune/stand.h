/* The test stand of a device: the vectors that kernels are tried on. y lies between guard words;
 * every x has NaN around it, so that whatever is read there shows.
 *
 *     x   NaN ... NaN | x_0 ... x_(columns - 1) | NaN ... NaN       CGS_GUARD numbers on
 *     y   canaries    | y_0 ... y_(rows - 1)    | canaries          either side
 */
#ifndef CGS_SRC_TUNE_STAND_H
#define CGS_SRC_TUNE_STAND_H

#include "kernels/backend.h"
#include "kernels/registry.h"

enum {
    CGS_GUARD =
        64, /* a multiple of every alignment that kernels may hope for: 256 bytes of floats */
    CGS_STAND_INPUTS = 4
};

struct cgs_stand {
    const struct cgs_backend *backend; /* NULL: not made */
    struct cgs_queue *queue;           /* borrowed */
    int64_t rows, columns;
    struct cgs_space domain, range; /* guards included */
    int inputs;
    void *inputs_at[CGS_STAND_INPUTS], *output_at; /* whole vectors, guards included */
    double *host;                                  /* room for one of them */
};

/* What a stand will hold. */
void cgs_stand_plan(struct cgs_plan *plan, enum cgs_place place, enum cgs_number number,
                    int64_t rows, int64_t columns, int inputs);

/* x[0 ... inputs - 1] are the vectors in natural order. CGS_MEMORY, nothing held then. */
enum cgs_status cgs_stand_create(const struct cgs_backend *backend, struct cgs_queue *queue,
                                 enum cgs_number number, int64_t rows, int64_t columns, int inputs,
                                 const double *const *x, struct cgs_stand *stand);
void cgs_stand_release(struct cgs_stand *stand);

/* What a kernel gets. */
const void *cgs_stand_x(const struct cgs_stand *stand, int input);
void *cgs_stand_y(const struct cgs_stand *stand);

/* NaN all over y, canaries around it: for a product that is verified. */
enum cgs_status cgs_stand_poison(const struct cgs_stand *stand);
/* NaN in y and around it, by the device alone: quick, between timed batches. */
enum cgs_status cgs_stand_wipe(const struct cgs_stand *stand);

/* Waits, and gives y, in stand->host until the next call. *outside: numbers around it that are not
 * what they were (`wiped`: NaN). */
enum cgs_status cgs_stand_look(const struct cgs_stand *stand, bool wiped, const double **y,
                               int *outside);

/* Whether that input still is x; where not, it is put right again, for the next one. */
enum cgs_status cgs_stand_unchanged(const struct cgs_stand *stand, int input, const double *x,
                                    bool *unchanged);

#endif
