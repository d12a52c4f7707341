/* Preconditioners as the pipeline knows them: a table of functions each,
 * cgs_preconditioner_<name>, listed in core/options/preconditioners.def. */
#pragma once

#include "core/precond/preconditioning.h"
#include "core/setup/spec.h"
#include "solver/centre.h"

/* All that a preconditioner is made from; borrowed. */
struct cgs_precond_task {
    struct cgs_context *context;
    const struct cgs_spec *spec;
    const struct cgs_machine *machine;
    const struct cgs_mesh *mesh;          /* of the box */
    const struct cgs_row_source *rows;    /* of the matrix */
    const struct cgs_matrix *matrix;      /* laid out */
    const struct cgs_operator *op;        /* what CG iterates with */
};

/* A preconditioner that has been made: M, and what it works with. To be released; all empty:
 * none. */
struct cgs_precond_made {
    struct cgs_operator op;         /* z = M r; empty: there is none */
    struct cgs_operator jacobi;     /* D^-1, where M works with it */
    struct cgs_hierarchy hierarchy; /* grids of the box */
    struct cgs_amg amg;             /* grids of the matrix */
    struct cgs_centre *centre;      /* for CG with op; NULL: none */
    struct cgs_amg_kept kept;       /* --reuse=pattern: for those of its next values */
};

struct cgs_preconditioner {
    /* of its section of the report's text; one with facts of its own has its own section */
    const char *title;
    /* NULL of `none` alone. What is made stays in *made and is released by the caller, also
     * after a failure; facts for the report, but for their seconds. CGS_BREAKDOWN: the matrix is
     * not positive definite. */
    enum cgs_status (*make)(const struct cgs_precond_task *task, struct cgs_precond_made *made,
                            struct cgs_precond_facts *facts);
    /* A line for each thing that make and apply hold, beside z. `op`: what is iterated with, as
     * far as it tells what it will be; before: totals without CG's own, which comes after
     * set-up. NULL: nothing. */
    void (*plan)(const struct cgs_spec *spec, const struct cgs_operator *op, int64_t rows,
                 const int64_t before[CGS_PLACES], struct cgs_plan *plan);
    /* Bytes that the C library keeps of what set-up has given back, and for each thread. */
    int64_t kept_bytes, thread_kept_bytes;
};

/* Never NULL. */
const struct cgs_preconditioner *cgs_preconditioner(enum cgs_precond precond);

void cgs_precond_release(struct cgs_context *context, struct cgs_precond_made *made);
