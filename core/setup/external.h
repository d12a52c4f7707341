/* Objects of a run besides its settings: data of a caller of libcgsolve (a matrix by rows,
 * vectors, a callback), and the kernel of a user with its watcher. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cgs_crs;      /* matrix/crs.h */
struct cgs_callback; /* solver/callback.h */
struct cgs_plugin;   /* kernels/plugin/plugin.h */
struct cgs_pulse;    /* kernels/plugin/pulse.h */

/* A matrix by rows in the memory of a device: rows + 1 pointers of 64 or 32 bits, `nonzeros`
 * columns and values. */
struct cgs_caller_rows {
    int64_t rows, nonzeros;
    const void *pointers;
    int pointer_bits;
    const int32_t *column;
    const double *value;
};

/* This rank's rows of a matrix that the caller has cut among ranks. */
struct cgs_caller_part {
    int64_t first, rows, whole; /* rows first ... first + rows - 1 of `whole` */
    const int64_t *cuts;        /* rank r has rows cuts[r] ... cuts[r + 1] - 1; alone: 0, whole */
    const int64_t *pointers;    /* rows + 1, from 0 */
    const int64_t *column;      /* of the whole */
    const double *value;
};

/* Vectors of the caller, `length` numbers each, one after the other; borrowed. */
struct cgs_caller_vectors {
    int count;
    int64_t length;
    const double *numbers;
};

struct cgs_caller {
    const struct cgs_crs *crs;               /* borrowed; NULL: the matrix of the options */
    const struct cgs_caller_rows *there;     /* likewise, in the memory of a device */
    const struct cgs_caller_part *part;      /* likewise, cut among ranks */
    const struct cgs_callback *product;      /* likewise, as a function */
    const struct cgs_callback *precondition; /* in the place of --precond; NULL: none */
    struct cgs_caller_vectors near;          /* of --precond=amg, near-null; count 0: none */
    /* Vectors of one solve, borrowed: a number per row, in natural order, or per row of the part;
     * all ranks have one, or none has. */
    const double *rhs;   /* NULL: the right-hand side of the options */
    const double *start; /* NULL: start vector of --guess; may be `solution` */
    double *solution;    /* set unless CG breaks down; NULL: none */
    bool measure;        /* measure bandwidths, products and kernels, as the program does */
    /* One of several solves of a box: how well rows are solved may be bounded, since to look at
     * each takes longer than a direct solve. */
    bool several;
    /* Called whenever CG checks the residual; returns false to stop it. NULL: none. */
    bool (*watch)(void *user, int64_t iteration, double relative_residual);
    void *user;
    /* Called after each iteration with its solution, of as many numbers as `solution`, borrowed for
     * the call; returns false to stop CG. All ranks have one, or none has. NULL: none. */
    bool (*look)(void *look_user, int64_t iteration, double relative_residual, int64_t length,
                 const double *x);
    void *look_user;
};

/* All borrowed; NULL: none. */
struct cgs_external {
    const struct cgs_caller *caller; /* NULL in the program */
    struct cgs_plugin *plugin;       /* the user's kernel, if --kernel names a file */
    struct cgs_pulse *pulse;         /* shows that kernel's progress to its watcher */
};

/* Return what the caller hands over; NULL: nothing of the kind. */
static inline const struct cgs_callback *cgs_external_product(const struct cgs_external *external)
{
    return external->caller ? external->caller->product : NULL;
}

static inline const struct cgs_callback *
cgs_external_precondition(const struct cgs_external *external)
{
    return external->caller ? external->caller->precondition : NULL;
}

static inline const struct cgs_caller_part *cgs_external_part(const struct cgs_external *external)
{
    return external->caller ? external->caller->part : NULL;
}

static inline const double *cgs_external_rhs(const struct cgs_external *external)
{
    return external->caller ? external->caller->rhs : NULL;
}
