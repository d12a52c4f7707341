/* Fast diagonalisation: A^-1 of a sum of Kronecker products by its modes (R. E. Lynch, J. R. Rice,
 * D. H. Thomas, "Direct solution of partial difference equations by tensor product methods",
 * Numer. Math. 6 (1964) 185-199).
 *
 *     A = K_x (x) M_y (x) M_z + M_x (x) K_y (x) M_z + M_x (x) M_y (x) K_z
 *     K_d S_d = M_d S_d diag(lambda_d),   S_d' M_d S_d = diag(1 / weight_d)
 *     A^-1 = (S_x (x) S_y (x) S_z) E (S_x (x) S_y (x) S_z)'
 *     E = weight_x weight_y weight_z / (lambda_x + lambda_y + lambda_z) of each mode,
 *         0 where that sum is 0: the constant of a problem that no face holds
 *
 * Row i of S_d is an unknown, column j a mode; both from 0 to n - 1:
 *
 *     kind             ends               S_ij
 *     SINE             value, value       sin(pi (i + 1) (j + 1) / (n + 1))
 *     COSINE           free, free         cos(pi i j / (n - 1))
 *     MIXED            value, free        sin(pi (i + 1) (j + 1/2) / n)
 *     MIXED_REVERSED   free, value        sin(pi (n - i) (j + 1/2) / n)
 *     PERIODIC         periodic           cos(2 pi i j / n) for j <= n / 2,
 *                                         else sin(2 pi i (n - j) / n)
 *     DENSE            any                vectors[j n + i]
 *
 * Vectors are in natural order, x fastest.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/linkage.h"
#include "kernels/space.h"

CGS_BEGIN_C

enum cgs_fdm_kind {
    CGS_FDM_DENSE,
    CGS_FDM_SINE,
    CGS_FDM_COSINE,
    CGS_FDM_MIXED,
    CGS_FDM_MIXED_REVERSED,
    CGS_FDM_PERIODIC
};

/* Modes of a direction; tables are in the host's memory and are borrowed while `create` runs. */
struct cgs_fdm_direction {
    int64_t n;
    enum cgs_fdm_kind kind;
    /* DENSE: S_(n - 1 - i)j is S_ij for even j and -S_ij for odd j, as in SINE and COSINE. */
    bool mirrored;
    const double *vectors;         /* DENSE: n n numbers */
    const double *lambda, *weight; /* n numbers each */
};

struct cgs_turn_shape; /* kernels/fdm/turn.h */

struct cgs_fdm_ops {
    /* Adds what `create` takes; of the directions all but the tables is read. */
    void (*plan)(struct cgs_plan *plan, const struct cgs_fdm_direction direction[3],
                 enum cgs_number number, int threads, const struct cgs_turn_shape *shape);
    /* Makes the transforms of the vectors of a space, on all ranks at once; *self is owned by the
     * caller. */
    enum cgs_status (*create)(const struct cgs_space *space,
                              const struct cgs_fdm_direction direction[3], void **self);
    void (*release)(void *self);
    /* y = A^-1 x, a step (kernels/space.h); x and y are two vectors. On all ranks at once. */
    enum cgs_status (*apply)(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, void *y);
    /* The same, and sums[sum] = x'y, which is that of their modes, on a rank of those that it
     * divides. NULL: as a dot of its own. */
    enum cgs_status (*apply_dot)(const void *self, struct cgs_queue *queue,
                                 struct cgs_cg_state *state, const void *x, void *y,
                                 enum cgs_sum sum);
    /* Of floats: the same of doubles x and y with the layout of the space, of which `work` is a
     * vector. sum: CGS_SUM_NOWHERE where apply_dot is NULL. */
    enum cgs_status (*apply_narrow)(const void *self, struct cgs_queue *queue,
                                    struct cgs_cg_state *state, const void *x, void *work, void *y,
                                    enum cgs_sum sum);
};

/* Returns S_ij of a kind other than DENSE. */
double cgs_fdm_entry(enum cgs_fdm_kind kind, int64_t n, int64_t i, int64_t j);

CGS_END_C
