/* Fast diagonalisation: A^-1 of a sum of Kronecker products by its modes (R. E. Lynch, J. R. Rice,
 * D. H. Thomas, "Direct solution of partial difference equations by tensor product methods",
 * Numer. Math. 6 (1964) 185-199).
 *
 *     A = K_x (x) M_y (x) M_z + M_x (x) K_y (x) M_z + M_x (x) M_y (x) K_z
 *     K_d S_d = M_d S_d diag(lambda_d),   S_d' M_d S_d = diag(1 / weight_d),   d = x, y
 *     A^-1 = (S_x (x) S_y) E (S_x (x) S_y)'
 *     E = weight_x weight_y T^-1 of each pair of modes,   T = K_z + (lambda_x + lambda_y) M_z
 *
 * T is tridiagonal, or has two corners more where z is periodic, so that a line along z takes one
 * elimination whatever its cells, its layers and its ends are. Where nothing holds the box, the
 * constant is left out: T of the first pair of modes is then K_z with K_z 1 = 0, and T^-1 b stands
 * for the x with
 *
 *     K_z x = b - M_z 1 (1'b) / (1'M_z 1),   1'M_z x = 0
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

/* Modes of a direction, x or y; tables are in the host's memory and are borrowed while `create`
 * runs. */
struct cgs_fdm_direction {
    int64_t n;
    enum cgs_fdm_kind kind;
    /* DENSE: S_(n - 1 - i)j is S_ij for even j and -S_ij for odd j, as in SINE and COSINE. */
    bool mirrored;
    const double *vectors;         /* DENSE: n n numbers */
    const double *lambda, *weight; /* n numbers each */
};

/* Lines along z, which are solved: entries (i, i), and in `off` (i, i + 1), the last of which is
 * that of the last and the first unknown, 0 unless the line is periodic. Tables are in the host's
 * memory and are borrowed while `create` runs. */
struct cgs_fdm_line {
    int64_t n; /* at least 3 if periodic */
    bool periodic;
    bool held; /* K is regular; else the constant is left out where lambda_x + lambda_y is 0 */
    const double *stiffness, *stiffness_off, *mass, *mass_off; /* n numbers each */
};

struct cgs_turn_shape; /* kernels/fdm/turn.h */

struct cgs_fdm_ops {
    /* Adds what `create` takes; of the directions all but the tables is read, of the line `n` and
     * `periodic`. */
    void (*plan)(struct cgs_plan *plan, const struct cgs_fdm_direction direction[2],
                 const struct cgs_fdm_line *line, enum cgs_number number, int threads,
                 const struct cgs_turn_shape *shape);
    /* Makes the transforms of the vectors of a space, on all ranks at once; *self is owned by the
     * caller. */
    enum cgs_status (*create)(const struct cgs_space *space,
                              const struct cgs_fdm_direction direction[2],
                              const struct cgs_fdm_line *line, void **self);
    void (*release)(void *self);
    /* y = A^-1 x, a step (kernels/space.h); x and y are two vectors. On all ranks at once. */
    enum cgs_status (*apply)(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, void *y);
    /* The same, and sums[sum] = x'y, which is that of their modes, on a rank of those that it
     * divides. NULL: as a dot of its own. */
    enum cgs_status (*apply_dot)(const void *self, struct cgs_queue *queue,
                                 struct cgs_cg_state *state, const void *x, void *y,
                                 enum cgs_sum sum);
    /* Does the same by floats for doubles x and y, which have the layout of the space; `work` is a
     * vector of it. sum: CGS_SUM_NOWHERE where apply_dot is NULL. */
    enum cgs_status (*apply_narrow)(const void *self, struct cgs_queue *queue,
                                    struct cgs_cg_state *state, const void *x, void *work, void *y,
                                    enum cgs_sum sum);
};

/* Returns S_ij of a kind other than DENSE. */
double cgs_fdm_entry(enum cgs_fdm_kind kind, int64_t n, int64_t i, int64_t j);

CGS_END_C
