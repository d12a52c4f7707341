/* Grids of algebraic multigrid, and the state of their set-up (amg.h). */
#pragma once

#include "core/precond/galerkin.h"
#include "core/setup/spec.h"
#include "kernels/near_null.h"
#include "matrix/ranks/portion.h"
#include "solver/multigrid.h"

/* A grid of at most CGS_AMG_INVERTED rows gets a dense inverse: a larger one costs more than
 * another grid. A coarse grid has at most CGS_AMG_GROWTH times the entries of the finer one. */
enum { CGS_AMG_INVERTED = 400, CGS_AMG_GROWTH = 2 };

/* Stages of set-up, timed one by one. */
enum cgs_amg_part {
    CGS_AMG_DRAW,      /* finest matrix to CRS */
    CGS_AMG_BOUNDS,    /* eigenvalue bounds */
    CGS_AMG_AGGREGATE, /* strong connections and aggregates */
    CGS_AMG_PROLONG,   /* P */
    CGS_AMG_TRANSPOSE, /* R = P'; of shared grids among the products */
    CGS_AMG_PRODUCTS,  /* A P, R (A P) */
    CGS_AMG_FETCH,     /* the coarsest matrix to the host; of shared grids what ranks gather */
    CGS_AMG_OPERATORS, /* operators and their diagonals */
    CGS_AMG_COARSEST,  /* inverse of the coarsest grid, vectors of the cycle */
    CGS_AMG_PARTS
};

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
    int vectors; /* near-null vectors; 0: none */
    enum cgs_amg_end end;
    bool inverted; /* the coarsest grid has an inverse: it is small, and positive definite */
    bool reused; /* aggregates or patterns are those of an earlier set-up */
    double seconds[CGS_AMG_PARTS];
    struct cgs_amg_level {
        int64_t rows, nonzeros; /* of all ranks */
        int64_t aggregated;     /* rows in an aggregate; 0 on the coarsest grid */
        int64_t nodes;          /* of near-null vectors; 0: there are none */
        bool shared;            /* distributed over the ranks; else replicated */
        /* This rank's rows of a shared grid; empty for the finest, whose portion is the run's. And
         * its rows in set-up, cut at nodes; empty: the same. */
        struct cgs_portion portion, nodal;
        /* Entries that transfers to and from the next coarser grid read: P on that grid, if it is
         * shared, R on this one. */
        struct cgs_portion read_by_p, read_by_r;
        struct cgs_operator op, jacobi;
        bool borrowed; /* op is CG's own */
        struct cgs_traffic product;
        double high; /* bound of the eigenvalues of D^-1 A; 0 for a grid with an inverse */
        struct cgs_transfer transfer; /* to the next coarser grid */
        int64_t interpolating;        /* entries of its P, of all ranks */
    } level[CGS_GRIDS];
    struct cgs_multigrid *multigrid;
};

/* State that set-ups of matrices with one pattern share: of each grid that has coarser ones its
 * aggregates, empty where there are none yet, and what is known of its patterns, if anything. */
struct cgs_amg_kept {
    struct cgs_queue *queue;
    const struct cgs_amg_ops *ops;
    struct cgs_aggregates grid[CGS_GRIDS];
    struct cgs_amg_known known[CGS_GRIDS];
    uint64_t pattern; /* a hash of the finest matrix's, where something may be known of it */
    /* Operators of the last set-up that have known patterns, to be renewed. */
    struct cgs_amg_operators {
        struct cgs_operator op, p, r;
    } old[CGS_GRIDS];
};

/* State of a set-up. */
struct cgs_amg_setup {
    const struct cgs_spec *spec;
    struct cgs_galerkin by; /* makes products, coarse operators and transfers */
    /* Several ranks: the host, and what makes the products of shared grids there. */
    struct cgs_machine host;
    struct cgs_galerkin by_host;
    struct cgs_amg *amg;
    struct cgs_amg_kept *kept; /* NULL: nothing is taken or kept */
    bool same; /* the coarsest matrix so far has the pattern that is known of it */
    /* Vectors of the coarsest grid so far; of a shared one this rank's. Empty: none. */
    struct cgs_near_null near;
    bool symmetric;            /* the coarsest matrix so far is known to be, to the bit */
    double since;              /* start of the current stage, by cgs_now */
};
