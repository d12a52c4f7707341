/* Matrices that ranks share in multigrid's set-up: each has its rows, in double, on the host; and
 * coarse matrices of them by Galerkin products. What is computed of a row, and in which order, does
 * not depend on the cuts:
 *
 *     A P        rows of this rank: P's rows of its ghosts come from their owners
 *     P'(A P)    rows of the coarse grid that this rank owns: rows of P and A P that reach them come from theirs,
 *                and are added in ascending order
 *
 * so that all entries have the bits of one process.
 */
#pragma once

#include "core/precond/galerkin.h"
#include "kernels/sparse/ghosts.h"

/* Rows of a rank; an empty struct is nothing to release. */
struct cgs_shared {
    const struct cgs_portion *portion; /* of rows and columns; borrowed */
    struct cgs_sparse rows; /* columns from the first ghost on (kernels/sparse/ghosts.h) */
    struct cgs_ghosts ghosts;
    int64_t nonzeros; /* of all ranks */
};

/* The functions below are called by all ranks at once, which agree on failure. `host` makes
 * products on the CPU. */

/* Returns a machine like this one, whose products are made on the host. */
struct cgs_machine cgs_shared_machine(const struct cgs_machine *machine);

/* Draws the rows of a portion's source. CGS_MEMORY, CGS_FILE; CGS_USAGE: more rows than 31 bits
 * number. */
enum cgs_status cgs_shared_draw(const struct cgs_galerkin *host,
                                const struct cgs_row_source *source, struct cgs_shared *m);

/* Takes rows over whose columns are the portion's, and empties them. */
enum cgs_status cgs_shared_take(const struct cgs_galerkin *host, const struct cgs_portion *portion,
                                struct cgs_sparse *rows, struct cgs_shared *m);

void cgs_shared_release(const struct cgs_galerkin *host, struct cgs_shared *m);

/* c = a b on this rank alone, whatever the number of b's columns; b's are renumbered. */
enum cgs_status cgs_shared_multiply(const struct cgs_galerkin *host, const struct cgs_sparse *a,
                                    struct cgs_sparse *b, struct cgs_sparse *c);

/* Makes this rank's rows of r = p' and of coarse = r (a p), where rank k owns coarse rows
 * cuts[k] ... cuts[k + 1] - 1. p: this rank's rows. Columns of p and coarse are those of the
 * whole coarse grid, r's those of the whole finer one. Both are owned by the caller. CGS_MEMORY. */
enum cgs_status cgs_shared_project(const struct cgs_galerkin *host, const struct cgs_shared *a,
                                   const struct cgs_sparse *p, const int64_t *cuts,
                                   struct cgs_sparse *r, struct cgs_sparse *coarse);

/* Moves rows with columns of the whole from one cut to another: rank r's are rows from[r] ...
 * from[r + 1] - 1, those moved to[r] ... to[r + 1] - 1, owned by the caller. CGS_MEMORY. */
enum cgs_status cgs_shared_recut(const struct cgs_galerkin *host, const int64_t *from,
                                 const int64_t *to, const struct cgs_sparse *rows,
                                 struct cgs_sparse *moved);

/* Gathers all rows of a small matrix on every rank; columns of `rows` are those of the whole.
 * Owned by the caller. */
enum cgs_status cgs_shared_gather(struct cgs_context *context, const int64_t *cuts,
                                  const struct cgs_sparse *rows, struct cgs_crs *whole);

/* Makes the portion of rows with columns of the whole, cut at `cuts`, and renumbers them. Both
 * owned by the caller. */
enum cgs_status cgs_shared_renumber(struct cgs_context *context, const int64_t *cuts,
                                    struct cgs_sparse *rows, struct cgs_portion *portion);

/* Makes the operator of this rank's rows, by the machine of `by`; their columns are the
 * portion's, which must outlive it. portion NULL: vectors that it takes have all numbers on each
 * rank. */
enum cgs_status cgs_shared_operator(const struct cgs_galerkin *by,
                                    const struct cgs_portion *portion,
                                    const struct cgs_sparse *rows, struct cgs_operator *op,
                                    struct cgs_traffic *product);

/* Makes D^-1 of that operator. CGS_BREAKDOWN: as cgs_jacobi_create. */
enum cgs_status cgs_shared_jacobi(const struct cgs_galerkin *by, const struct cgs_portion *portion,
                                  const struct cgs_sparse *rows, const struct cgs_operator *op,
                                  struct cgs_operator *jacobi);
