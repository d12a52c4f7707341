/* The grids of a multigrid, and how it smooths on them. */
#pragma once

#include "solver/operator.h"
#include "solver/transfer.h"

/* Upper bound: a box of 10^12 rows is halved in one direction after the other. */
enum { CGS_GRIDS = 36 };

/* A grid of the hierarchy; its pointers are borrowed and must outlive the multigrid. */
struct cgs_grid {
    const struct cgs_operator *op; /* A, on a space of the cycle's number type */
    const void *inverse;           /* 1 / a_ii in op's domain; NULL: all equal `diagonal` */
    double diagonal;
    struct cgs_traffic product;    /* of A x */
    double high;                   /* upper bound of the eigenvalues of D^-1 A, if smoothed */
    bool optimal;                  /* smooths by CGS_SMOOTH_OPTIMAL */
    const struct cgs_transfer *transfer; /* to the next coarser grid; unused on the coarsest */
};

struct cgs_multigrid_settings {
    int degree;             /* of the smoother, 1 ... CGS_DEGREE_MOST */
    int count;              /* number of grids, 1 ... CGS_GRIDS, finest first */
    struct cgs_grid grid[CGS_GRIDS];
    bool smoothed;         /* smooth on the coarsest grid, too; else apply `inverse` there */
    const double *inverse; /* inverse of the coarsest matrix, natural order; read in create only */
};
