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
 * Lines of equal cells of order p > 1 have the kinds of their ends, except for PERIODIC. Modes are
 * waves with the angles of the cells, in the order of angles, and blocks of amplitudes that
 * cgs_order_line_modes (fem/element/order_modes.h) finds. Along z M is diagonal for p > 1, and T
 * couples the p + 1 nodes of each cell.
 *
 * Vectors are in natural order, x fastest.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/linkage.h"
#include "fem/element/order_modes.h"
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
    int order; /* p; 0 and 1: as for Q1 */
    /* DENSE: S_(n - 1 - i)j is S_ij for even j and -S_ij for odd j, as in SINE and COSINE. */
    bool mirrored;
    const double *vectors;         /* DENSE: n n numbers */
    const double *blocks;          /* order > 1, not DENSE: of all angles, order^2 numbers each */
    const double *lambda, *weight; /* n numbers each */
};

/* A cell of a line along z of order > 1, a factor each of the reference cell's: K is stiff Kref +
 * absorb Mref, M is mass Mref. */
struct cgs_fdm_cell {
    double stiff, mass, absorb;
};

/* Lines along z, which are solved: entries (i, i), and in `off` (i, i + 1), the last of which is
 * that of the last and the first unknown, 0 unless the line is periodic. Those of order > 1 are
 * given by cells instead, and by M's diagonal. Tables are in the host's memory and are borrowed
 * while `create` runs. */
struct cgs_fdm_line {
    int64_t n; /* at least 3 if periodic */
    bool periodic;
    bool held; /* K is regular; else the constant is left out where lambda_x + lambda_y is 0 */
    int order; /* 0 and 1: tridiagonal */
    const double *stiffness, *stiffness_off, *mass, *mass_off; /* n numbers each */
    /* order > 1 */
    int64_t cells;
    int64_t first;                   /* unknown of the lowest node: -1 (a value), or 0 */
    const struct cgs_fdm_cell *cell; /* `cells` of them */
    double transfer[2];              /* on K's diagonal, low and high end */
};

struct cgs_turn_shape; /* kernels/fdm/turn.h */

struct cgs_fdm_ops {
    /* Adds what `create` takes; of the directions and the line all but the tables is read. */
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

/* Returns S_ij of a kind other than DENSE, of order 1. */
double cgs_fdm_entry(enum cgs_fdm_kind kind, int64_t n, int64_t i, int64_t j);

/* Returns S_ij of any direction. */
double cgs_fdm_entry_of(const struct cgs_fdm_direction *direction, int64_t i, int64_t j);

/* Returns the ends of a kind of order > 1 other than DENSE, those of MIXED for its reverse, and the
 * number of cells. */
enum cgs_order_ends cgs_fdm_ends(enum cgs_fdm_kind kind);
int64_t cgs_fdm_cells(const struct cgs_fdm_direction *direction);

CGS_END_C
