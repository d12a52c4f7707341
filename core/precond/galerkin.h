/* Coarse matrices by Galerkin products, R (A P) with R = P', where the backend computes
 * (kernels/spgemm.h), and operators made of them: what multigrid's set-up shares, geometric
 * (hierarchy_galerkin.c) and algebraic (amg.c).
 *
 * Set-up is in double. R (A P) is symmetric to rounding, as all sums have a fixed order, the same
 * in every run; it is not symmetrised. Operators of coarse matrices are CRS: their rows are long
 * and uneven. */
#pragma once

#include "core/setup/machine.h"
#include "core/setup/there.h"
#include "kernels/spgemm.h"
#include "matrix/crs.h"
#include "solver/operator.h"

/* Kernels and settings that make products and coarse operators. */
struct cgs_galerkin {
    const struct cgs_machine *machine;
    const struct cgs_sparse_ops *sparse;     /* double */
    const struct cgs_spgemm_kernel *product; /* double */
    enum cgs_number number;                  /* of operators */
    const struct cgs_kernel *kernel;         /* of operators: CRS, in these numbers */
    const struct cgs_kernel *nodes;          /* of those with dense blocks; NULL: `kernel`, too */
};

/* CGS_USAGE, CGS_DEVICE: as cgs_kernel_find. */
enum cgs_status cgs_galerkin_find(const struct cgs_machine *machine, enum cgs_number number,
                                  struct cgs_galerkin *galerkin);

/* Has operators of coarse matrices with dense blocks computed by the kernel of nodes. CGS_USAGE: as
 * cgs_kernel_find. */
enum cgs_status cgs_galerkin_find_nodes(struct cgs_galerkin *galerkin);

/* All rows of a source as CRS where the backend computes, owned by the caller; those of a mesh
 * are assembled there by `box`, unless that is NULL. */
enum cgs_status cgs_galerkin_draw(const struct cgs_galerkin *galerkin,
                                  const struct cgs_assembly_ops *box,
                                  const struct cgs_row_source *source, struct cgs_sparse *m);

/* Returns true if a matrix of a source's rows may borrow their arrays: the host computes, and the
 * source has arrays. */
bool cgs_galerkin_lends(enum cgs_place place, const struct cgs_row_source *source);

/* As cgs_galerkin_draw, but borrows the arrays of a source that lends some: only to be read, and
 * only while the source has them. */
enum cgs_status cgs_galerkin_borrow(const struct cgs_galerkin *galerkin,
                                    const struct cgs_assembly_ops *box,
                                    const struct cgs_row_source *source, struct cgs_sparse *m);

/* c = a b */
enum cgs_status cgs_galerkin_multiply(const struct cgs_galerkin *galerkin,
                                      const struct cgs_sparse *a, const struct cgs_sparse *b,
                                      struct cgs_sparse *c);

/* coarse = r (a p), owned by the caller. */
enum cgs_status cgs_galerkin_coarse(const struct cgs_galerkin *galerkin,
                                    const struct cgs_sparse *a, const struct cgs_sparse *p,
                                    const struct cgs_sparse *r, struct cgs_sparse *coarse);

/* r = p', coarse = r (a p); both are owned by the caller. */
enum cgs_status cgs_galerkin_project(const struct cgs_galerkin *galerkin,
                                     const struct cgs_sparse *a, const struct cgs_sparse *p,
                                     struct cgs_sparse *r, struct cgs_sparse *coarse);

/* A matrix as rows where it is; must not move. */
struct cgs_galerkin_rows {
    struct cgs_crs crs;     /* on the host */
    struct cgs_there there; /* on a device */
    struct cgs_row_source source;
};

/* Looks at a matrix, which is borrowed; nothing to release. CGS_MEMORY, CGS_DEVICE. */
enum cgs_status cgs_galerkin_look(const struct cgs_galerkin *galerkin, const struct cgs_sparse *m,
                                  struct cgs_galerkin_rows *rows);

/* The operator of rows, which may go afterwards, and what a product of it moves. *op: empty, or one
 * of the same pattern to be renewed (cgs_operator_renew). */
enum cgs_status cgs_galerkin_operator(const struct cgs_galerkin *galerkin,
                                      const struct cgs_row_source *source, struct cgs_operator *op,
                                      struct cgs_traffic *product);
