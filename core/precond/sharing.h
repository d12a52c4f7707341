/* Multigrid on several ranks: which grids they share by planes, and which each of them has as a
 * whole.
 *
 * A grid of n planes takes, in a cycle of degree d on P ranks of T threads,
 *
 *     whole     t = 2 d (matrix + 2 vectors) / (T w)          bytes of 2 d products (struct cgs_traffic)
 *     shared    t ceil(n / P) / n + 2 (d + 1) (2 l)           exchanges: of each product, and of the transfers
 *
 * seconds (T = 1 of a device), and is shared where that is less. P > n: ranks without planes wait
 * for the others, so that a small grid is computed by as many ranks as it has planes, and a smaller
 * one by each. w, l are figures of any machine, not measured, so that a plan, its run and another
 * run share the same grids; n goes by the cube root of l w. doc/clusters.md has what follows, and
 * what was measured. No bit depends on it: a cycle has no sums.
 */
#pragma once

#include "core/setup/spec.h"

/* Eigenvalues of deformed meshes are estimated on grids of at most so many unknowns in each
 * direction. An estimate has sums, for which a coarse grid is not cut: each rank has it as a
 * whole. */
enum { CGS_ESTIMATED_N = 32 };

/* Returns true if the spec's ranks share a grid that is neither the finest nor the coarsest.
 * spec->whole_n: grids of the unknowns of a cube of so many in each direction, and less, are
 * whole; below 0: by the rule. */
bool cgs_sharing(const struct cgs_spec *spec, const struct cgs_mesh *grid);

/* The rule by itself, for grids of a matrix, too (amg_shared.c). Returns true if it pays to
 * share a grid of which a product moves so many bytes (matrix and twice its vectors), `share` of
 * them on the rank that has most. */
bool cgs_sharing_pays(const struct cgs_spec *spec, double bytes, double share);

/* Returns the bytes at most of a grid that is not worth it. */
double cgs_sharing_most(const struct cgs_spec *spec, double share);
