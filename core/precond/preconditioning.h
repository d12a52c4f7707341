/* Facts of a preconditioner for reports: set-up, polynomials, the grids of multigrid. */
#pragma once

#include "core/precond/amg.h"
#include "core/precond/hierarchy.h"

/* The polynomial of --precond=chebyshev is made for [high / SPREAD, high], high being MARGIN times
 * the largest eigenvalue that a few steps of CG have shown. */
#define CGS_CHEBYSHEV_SPREAD 30.0
#define CGS_CHEBYSHEV_MARGIN 1.1

struct cgs_precond_facts {
    double seconds;          /* of its set-up; 0 without one */
    double low, high;        /* what Chebyshev's polynomial is made for; else 0 */
    int count;               /* grids; 0: no multigrid */
    enum cgs_number number;  /* of the cycle */
    int64_t cycle_bytes;     /* that a cycle moves */
    bool galerkin;           /* coarser grids of the box have Galerkin products, */
    double galerkin_seconds; /* made in so many of `seconds` */
    bool algebraic;          /* the grids are those of --precond=amg: */
    double theta;
    enum cgs_reuse reused; /* of an earlier set-up */
    int vectors; /* near-null vectors; 0: none */
    int block;   /* rows of a diagonal block that Jacobi inverts; 0: it inverts the diagonal */
    enum cgs_amg_end end;
    bool inverted;
    double part_seconds[CGS_AMG_PARTS];
    /* fdm: "exact" or "nearest", why, and struct cgs_separable's spread; else NULL and 0 */
    const char *separable, *separable_why;
    double spread;
    struct cgs_grid_facts {
        int64_t n[3], unknowns, nonzeros; /* n: of the box's grids, in x, y, z */
        int order; /* of the cells of the box's grids, where the finest has more than 1; else 0 */
        /* of algebraic ones: rows that the next coarser grid knows */
        int64_t aggregated;
        int64_t interpolating; /* entries of P that leads to that grid */
        int64_t nodes;         /* of near-null vectors; 0: there are none */
        int64_t
            matrix_bytes; /* that a product reads of the matrix; of the finest grid perhaps CG's */
        int64_t cycle_bytes; /* that a cycle moves on it; conversions count on the finest */
        double seconds;      /* of a cycle on it, where that was timed, else 0 */
        int64_t bytes; /* that it takes beside CG's own: matrix, diagonal, vectors, transfer */
        double high;   /* of the eigenvalues of D^-1 A; 0 of the coarsest grid */
        enum cgs_bound bound; /* how it was found */
        int ranks;            /* that share the grid; 1: each rank has all of it; 0: one process */
    } grid[CGS_GRIDS];
};

/* Describes the hierarchy of a run. */
void cgs_preconditioning_describe(const struct cgs_spec *spec,
                                  const struct cgs_hierarchy *hierarchy,
                                  struct cgs_precond_facts *facts);

/* The same of algebraic multigrid under a matrix of CG's with vectors of `outer`. */
void cgs_preconditioning_describe_amg(const struct cgs_amg *amg, int degree,
                                      const struct cgs_space *outer,
                                      struct cgs_precond_facts *facts);

/* --profile: times cycles from each grid on, whose differences are the grids' own seconds; x and y:
 * vectors of CG's to work with, x finite. */
enum cgs_status cgs_preconditioning_time(const struct cgs_machine *machine,
                                         struct cgs_multigrid *multigrid, const void *x, void *y,
                                         struct cgs_precond_facts *facts);

/* Returns the iterations that fdm's spread bounds: those that reduce the energy norm of the error
 * by `tolerance` at this condition number. */
double cgs_precond_predicted(const struct cgs_precond_facts *facts, double tolerance);

/* Unknowns, or entries, of all grids as a multiple of the finest's. */
double cgs_grid_complexity(const struct cgs_precond_facts *facts);
double cgs_operator_complexity(const struct cgs_precond_facts *facts);

/* Entries of A and P of all grids of algebraic multigrid, else of A. */
double cgs_grid_entries(const struct cgs_precond_facts *facts);
