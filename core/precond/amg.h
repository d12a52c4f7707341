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
#ifndef CGS_CORE_PRECOND_AMG_H
#define CGS_CORE_PRECOND_AMG_H

#include "core/precond/galerkin.h"
#include "core/setup/spec.h"
#include "matrix/ranks/portion.h"
#include "solver/multigrid.h"

/* A grid of at most CGS_AMG_INVERTED rows gets a dense inverse: a larger one costs more than
 * another grid. A coarse grid has at most CGS_AMG_GROWTH times the entries of the finer one. */
enum { CGS_AMG_INVERTED = 400, CGS_AMG_GROWTH = 2 };

/* Stages of set-up, timed one by one. */
enum cgs_amg_part {
    CGS_AMG_DRAW,      /* finest matrix to CRS */
    CGS_AMG_BOUNDS,    /* eigenvalue bounds */
    CGS_AMG_AGGREGATE, /* aggregates, T, S */
    CGS_AMG_PRODUCTS,  /* S T, P', A P, R (A P) */
    CGS_AMG_FETCH,     /* matrices to the host */
    CGS_AMG_OPERATORS, /* operators and their diagonals */
    CGS_AMG_COARSEST,  /* inverse of the coarsest grid, vectors of the cycle */
    CGS_AMG_PARTS
};
/* "aggregate", ...: keys of reports. */
const char *cgs_amg_part_name(enum cgs_amg_part part);

/* Why coarsening ended. */
enum cgs_amg_end {
    CGS_AMG_SMALL, /* the coarsest grid is small enough for an inverse */
    /* in all other cases it is smoothed: */
    CGS_AMG_STALLED, /* hardly any row has strong neighbours */
    CGS_AMG_GROWN,   /* the next grid would have more than CGS_AMG_GROWTH times its entries */
    CGS_AMG_DEEP     /* there are CGS_GRIDS grids */
};

struct cgs_amg {
    int count;
    double theta;
    enum cgs_amg_end end;
    bool inverted; /* the coarsest grid has an inverse: it is small, and positive definite */
    double seconds[CGS_AMG_PARTS];
    struct cgs_amg_level {
        int64_t rows, nonzeros; /* of all ranks */
        int64_t aggregated;     /* rows in an aggregate; 0 on the coarsest grid */
        bool shared;            /* distributed over the ranks; else replicated */
        /* This rank's rows of a shared grid; empty for the finest, whose portion is the run's. */
        struct cgs_portion portion;
        /* Entries that transfers to and from the next coarser grid read: P on that grid, if it is
         * shared, R on this one. */
        struct cgs_portion read_by_p, read_by_r;
        struct cgs_operator op, jacobi;
        bool borrowed; /* op is CG's own */
        struct cgs_traffic product;
        double high; /* bound of the eigenvalues of D^-1 A; 0 for a grid with an inverse */
        struct cgs_transfer transfer; /* to the next coarser grid */
    } level[CGS_GRIDS];
    struct cgs_multigrid *multigrid;
};

/* Sets up multigrid for `op`, the run's operator on the rows of `laid`, with cycles in `number`.
 * Collective; all ranks fail alike. Release it before op and machine. CGS_BREAKDOWN: the matrix is
 * not positive definite. CGS_USAGE: on several ranks, more than 2^31 - 1 rows. */
enum cgs_status cgs_amg_create(const struct cgs_spec *spec, const struct cgs_machine *machine,
                               const struct cgs_matrix *laid, const struct cgs_operator *op,
                               enum cgs_number number, struct cgs_amg *amg);
/* A struct of zeros may be released. */
void cgs_amg_release(struct cgs_context *context, struct cgs_amg *amg);

/* Describes the grids for cgs_multigrid_create, `inverse` NULL. */
void cgs_amg_settings(const struct cgs_amg *amg, int degree,
                      struct cgs_multigrid_settings *settings);

/* ---- amg_coarsen.c ---- */

/* State of a set-up. */
struct cgs_amg_setup {
    const struct cgs_spec *spec;
    struct cgs_galerkin by; /* makes products, coarse operators and transfers */
    /* Several ranks: the host, and what makes the products of shared grids there. */
    struct cgs_machine host;
    struct cgs_galerkin by_host;
    struct cgs_amg *amg;
    double since; /* start of the current stage, by cgs_now */
};

/* Waits for the device and adds the time since the last call to `part`. */
enum cgs_status cgs_amg_charge(struct cgs_amg_setup *setup, enum cgs_amg_part part);

/* Computes level->high. */
enum cgs_status cgs_amg_find_bound(struct cgs_amg_setup *setup, struct cgs_amg_level *level);

/* Returns true if aggregation reduces the rows too little for another grid. */
bool cgs_amg_stalls(int64_t aggregates, int64_t rows);

/* Makes P, R and R A P of matrix a with threshold theta; all three owned by the caller. If
 * aggregation stalls, all three are empty (no rows). *aggregated: rows in an aggregate. high: bound
 * of the eigenvalues of D^-1 A. */
enum cgs_status cgs_amg_coarsen(struct cgs_amg_setup *setup, const struct cgs_sparse *a,
                                double theta, double high, int64_t *aggregated,
                                struct cgs_sparse *p, struct cgs_sparse *r,
                                struct cgs_sparse *coarse);

/* ---- amg_shared.c ---- */

/* Makes the shared grids from the rows of `source`, the finest grid, whose operator exists. *l: the
 * last grid made. *whole: all rows of that grid if it is replicated and may be coarsened further,
 * owned by the caller; else empty. */
enum cgs_status cgs_amg_make_shared(struct cgs_amg_setup *setup,
                                    const struct cgs_row_source *source, int *l,
                                    struct cgs_crs *whole);

#endif
