/* Algebraic multigrid by smoothed aggregation: grids that are made of the matrix alone, so that
 * files have them, too (kernels/amg.h has formulas and source). With A_0 the run's matrix,
 *
 *     aggregates of A_l with threshold theta / 2^l
 *     P = (I - omega D_F^-1 A_F) T,   omega = 4/3 / the bound of the eigenvalues of D^-1 A_l
 *     R = P',   A_(l+1) = R (A_l P)
 *
 * down to so few rows that an inverse is cheap, or until aggregates are hardly fewer than rows.
 * Set-up is in double where the run's backend computes; operators are then made of the matrices by
 * way of the host, in the cycle's numbers: the finest as the run's own, coarser ones and transfers
 * as CRS, since their rows are long and uneven, and few (core/precond/galerkin.h).
 *
 * Several ranks share large grids, and set these up on the host (amg_shared.c,
 * core/precond/shared.h); a grid of few rows each rank has as a whole, and goes on from there by
 * itself. Grids have the bits of one process.
 */
#ifndef CGS_CORE_PRECOND_AMG_H
#define CGS_CORE_PRECOND_AMG_H

#include "core/precond/galerkin.h"
#include "core/setup/spec.h"
#include "matrix/ranks/portion.h"
#include "solver/multigrid.h"

/* Rows of a grid that gets an inverse instead of coarser ones: more would cost more to invert
 * than another grid. */
enum { CGS_AMG_INVERTED = 400, CGS_AMG_GROWTH = 2 };

/* Parts of set-up that are timed. */
enum cgs_amg_part {
    CGS_AMG_DRAW,      /* the finest matrix as CRS */
    CGS_AMG_BOUNDS,    /* of eigenvalues */
    CGS_AMG_AGGREGATE, /* aggregates, T, S */
    CGS_AMG_PRODUCTS,  /* S T, P', A P, R (A P) */
    CGS_AMG_FETCH,     /* matrices to the host */
    CGS_AMG_OPERATORS, /* operators and diagonals of them */
    CGS_AMG_COARSEST,  /* its inverse, and the cycle's vectors */
    CGS_AMG_PARTS
};
/* "aggregate", ...: keys of reports. */
const char *cgs_amg_part_name(enum cgs_amg_part part);

/* Why there is no grid below the coarsest. */
enum cgs_amg_end {
    CGS_AMG_SMALL,   /* it is small enough for an inverse */
    CGS_AMG_STALLED, /* hardly any row has strong neighbours: it is smoothed */
    /* the next one would have more than CGS_AMG_GROWTH times its entries: the same */
    CGS_AMG_GROWN,
    CGS_AMG_DEEP   /* there are CGS_GRIDS: the same */
};

struct cgs_amg {
    int count;
    double theta;
    enum cgs_amg_end end;
    bool inverted; /* the coarsest grid has an inverse: it is small, and positive definite */
    double seconds[CGS_AMG_PARTS];
    struct cgs_amg_level {
        int64_t rows, nonzeros; /* of all ranks */
        int64_t aggregated; /* rows that the next coarser grid knows; 0 of the coarsest */
        bool shared;        /* by several ranks; else each has all of it */
        /* This rank's rows of a shared grid; empty for the finest, whose portion is the run's. */
        struct cgs_portion portion;
        /* Numbers that transfers to the next coarser grid read: P those of that grid, if it is
         * shared, R those of this one. */
        struct cgs_portion read_by_p, read_by_r;
        struct cgs_operator op, jacobi;
        bool borrowed; /* op is CG's own */
        struct cgs_traffic product;
        double high; /* of the eigenvalues of D^-1 A; 0 of a grid that has an inverse */
        struct cgs_transfer transfer; /* to the next coarser grid */
    } level[CGS_GRIDS];
    struct cgs_multigrid *multigrid;
};

/* Under `op`, the run's operator on the rows of `laid`, its cycles in numbers of type `number`.
 * To be released before op and machine. On several ranks at once, which agree on failure.
 * CGS_BREAKDOWN: the matrix is not positive definite. CGS_USAGE: on several ranks, more rows
 * than 31 bits number. */
enum cgs_status cgs_amg_create(const struct cgs_spec *spec, const struct cgs_machine *machine,
                               const struct cgs_matrix *laid, const struct cgs_operator *op,
                               enum cgs_number number, struct cgs_amg *amg);
/* An empty struct is nothing to release. */
void cgs_amg_release(struct cgs_context *context, struct cgs_amg *amg);

/* Its grids as multigrid takes them, `inverse` NULL. */
void cgs_amg_settings(const struct cgs_amg *amg, int degree,
                      struct cgs_multigrid_settings *settings);

/* ---- amg_coarsen.c ---- */

/* A set-up under way. */
struct cgs_amg_setup {
    const struct cgs_spec *spec;
    struct cgs_galerkin by; /* what products, coarser grids and transfers are made by */
    struct cgs_machine host;     /* of several ranks: */
    struct cgs_galerkin by_host; /* products of grids that they share, on the host */
    struct cgs_amg *amg;
    double since; /* when the part under way began */
};

/* Charges what has passed to `part`; waits until the device is done. */
enum cgs_status cgs_amg_charge(struct cgs_amg_setup *setup, enum cgs_amg_part part);

/* Finds the bound of a grid's eigenvalues. */
enum cgs_status cgs_amg_find_bound(struct cgs_amg_setup *setup, struct cgs_amg_level *level);

/* Returns true where so many aggregates of so many rows are not worth a grid. */
bool cgs_amg_stalls(int64_t aggregates, int64_t rows);

/* P, R and R A P of matrix a with threshold theta; all three owned by the caller. *aggregated:
 * rows that have an aggregate; where there are too many aggregates to be worth it, *coarse is
 * empty (no rows), and so are P and R. high: of the eigenvalues of D^-1 A. */
enum cgs_status cgs_amg_coarsen(struct cgs_amg_setup *setup, const struct cgs_sparse *a,
                                double theta, double high, int64_t *aggregated,
                                struct cgs_sparse *p, struct cgs_sparse *r,
                                struct cgs_sparse *coarse);

/* ---- amg_shared.c ---- */

/* Makes the grids that ranks share, from the rows of `source`, whose operator is there. *l: the
 * last grid that is made; *whole: the rows of that one, if each rank has all of them and coarser
 * ones may follow, owned by the caller; else empty. */
enum cgs_status cgs_amg_make_shared(struct cgs_amg_setup *setup,
                                    const struct cgs_row_source *source, int *l,
                                    struct cgs_crs *whole);

#endif
