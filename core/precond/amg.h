/* Algebraic multigrid by smoothed aggregation: coarse grids are built from the matrix alone, so it
 * works for matrices from files (kernels/amg.h has formulas and source). With A_0 the run's matrix,
 *
 *     aggregates of A_l with threshold theta / 2^l
 *     P = (I - omega D_F^-1 A_F) T,   omega = 4/3 / the bound of the eigenvalues of D^-1 A_l
 *     R = P',   A_(l+1) = R (A_l P)
 *
 * until a grid is small enough for a dense inverse, or aggregation no longer reduces the rows.
 * Set-up runs in double on the run's backend. The operators of the cycle are then built on the host
 * in the precision of the cycle: the finest one in the run's format; coarser ones and transfers in
 * CRS, since they have few, long and uneven rows (core/precond/galerkin.h).
 *
 * On several ranks large grids are distributed and set up on the hosts (amg_shared.c,
 * core/precond/shared.h). A small grid is replicated: each rank has it whole, and all coarser ones.
 * The grids have the same bits as those of one process.
 */
#pragma once

#include "core/precond/amg_level.h"

/* "aggregate", ...: keys of reports. */
const char *cgs_amg_part_name(enum cgs_amg_part part);

/* Sets up multigrid for `op`, the run's operator on the rows of `laid`, with cycles in `number`.
 * Collective; all ranks fail alike. Release it before op and machine. CGS_BREAKDOWN: the matrix is
 * not positive definite. CGS_USAGE: on several ranks, more than 2^31 - 1 rows.
 * kept: aggregates and patterns of an earlier matrix of the same pattern are taken from there,
 * others are put there, and released by cgs_amg_kept_release; NULL: neither. */
enum cgs_status cgs_amg_create(const struct cgs_spec *spec, const struct cgs_machine *machine,
                               const struct cgs_matrix *laid, const struct cgs_operator *op,
                               enum cgs_number number, struct cgs_amg_kept *kept,
                               struct cgs_amg *amg);
/* A struct of zeros may be released. */
void cgs_amg_release(struct cgs_context *context, struct cgs_amg *amg);
/* Moves operators whose entries may be renewed to `kept`, before the rest is released. */
void cgs_amg_leave(struct cgs_amg *amg, struct cgs_amg_kept *kept);
void cgs_amg_kept_release(struct cgs_amg_kept *kept);

/* Makes the cycle independent of `op`, which it was made for: that becomes empty if the cycle
 * works with it. */
void cgs_amg_take_operator(struct cgs_amg *amg, struct cgs_operator *op);

/* Describes the grids for cgs_multigrid_create, `inverse` NULL. */
void cgs_amg_settings(const struct cgs_amg *amg, int degree,
                      struct cgs_multigrid_settings *settings);
