#include "core/library/library_step.h"

#include <string.h>

#include "base/comm.h"
#include "base/memory.h"
#include "core/run/run_box.h"
#include "core/run/run_caller.h"
#include "matrix/layout.h"
#include "solver/cg/cg_create.h"

struct cgs_stepping {
    struct cgs_mesh mesh;         /* that of the run, with -c alone */
    struct cgs_row_source source; /* that of the run, with this mesh */
    struct cgs_matrix matrix;
    struct cgs_operator reaction; /* -R, so that load + R u is a residual */
    void *load;                   /* of its domain */
    void *u, *b; /* of its domain; NULL: the solver's own vectors, which have that domain */
};

void cgs_library_step_release(struct cgs_run *run, struct cgs_stepping **stepping)
{
    struct cgs_stepping *made = *stepping;
    if (!made)
        return;
    const struct cgs_space *space = &made->reaction.domain;
    if (made->reaction.steps) {
        space->ops->free(space, made->load);
        space->ops->free(space, made->u);
        space->ops->free(space, made->b);
    }
    cgs_operator_release(&made->reaction);
    cgs_matrix_release(run->context, &made->matrix);
    cgs_free(run->context, made);
    *stepping = NULL;
}

/* Returns the mesh of the run with the numbers c alone, which it borrows. */
static struct cgs_mesh mesh_of(const struct cgs_run *run)
{
    struct cgs_mesh mesh = run->input.mesh;
    mesh.kappa.cells += CGS_REACTION * cgs_mesh_all_cells(&mesh);
    mesh.kappa.orthotropic = mesh.kappa.reaction = 0;
    mesh.kappa.mass = 1;
    mesh.scale = -mesh.scale;
    return mesh;
}

static enum cgs_status make_matrix(struct cgs_run *run, struct cgs_stepping *made,
                                   const struct cgs_kernel_entry **cells)
{
    const enum cgs_device device = run->machine.device;
    if (run->owned.portion && device == CGS_CPU && run->settings->format != CGS_NONE)
        return cgs_fail(run->context, CGS_USAGE,
                        "steps in time on several ranks need ranks that own whole planes: take "
                        "format = none");
    if (run->input.mesh.order > 1)
        return cgs_fail(run->context, CGS_USAGE,
                        "steps in time are those of cells of order 1 so far, and this box has "
                        "order = %d",
                        run->input.mesh.order);
    made->mesh = mesh_of(run);
    made->source = run->owned;
    made->source.mesh = &made->mesh;
    made->source.norm = NULL; /* is that of A */
    CGS_TRY(cgs_kernel_find(run->context, "cells", device, CGS_NONE, cells));
    return cgs_matrix_create(run->context, &made->source, CGS_NONE, 1, 1, &made->matrix);
}

static enum cgs_status make_operator(struct cgs_run *run, struct cgs_stepping *made)
{
    const struct cgs_machine *machine = &run->machine;
    const struct cgs_kernel_entry *cells;
    CGS_TRY(cgs_comm_agree(run->context, make_matrix(run, made, &cells)));
    return cgs_comm_agree(run->context,
                          cgs_operator_create(machine->queue, machine->backend,
                                              cells->tables[CGS_PRECISION_F64], CGS_PRECISION_F64,
                                              &made->matrix, &made->reaction));
}

static enum cgs_status make_vectors(struct cgs_run *run, struct cgs_stepping *made)
{
    const struct cgs_space *space = &made->reaction.domain;
    if (run->settings->precision != CGS_PRECISION_F64 || run->op.domain.layout.pitch > 0) {
        CGS_TRY(space->ops->alloc(space, "vector of steps", &made->u));
        CGS_TRY(space->ops->alloc(space, "vector of steps", &made->b));
    }
    return space->ops->alloc(space, "load of steps", &made->load);
}

static enum cgs_status make_load(struct cgs_run *run, struct cgs_stepping *made)
{
    const struct cgs_space *space = &made->reaction.domain;
    struct cgs_mesh steady = run->input.mesh;
    steady.kappa.reaction = 0;
    CGS_TRY(cgs_comm_agree(run->context, make_vectors(run, made)));
    CGS_TRY(cgs_run_box_load(run, &steady));
    return space->ops->put(space, run->host, 0, run->rows, made->load);
}

static enum cgs_status make(struct cgs_run *run, struct cgs_stepping **stepping)
{
    void *block;
    if (*stepping)
        return CGS_OK;
    CGS_TRY(cgs_comm_agree(run->context,
                           cgs_alloc(run->context, 1, sizeof **stepping, "steps in time", &block)));
    memset(block, 0, sizeof **stepping);
    *stepping = block;
    enum cgs_status status = make_operator(run, *stepping);
    if (status == CGS_OK)
        status = make_load(run, *stepping);
    if (status != CGS_OK)
        cgs_library_step_release(run, stepping);
    return status;
}

enum cgs_status cgs_library_step(struct cgs_run *run, struct cgs_stepping **stepping,
                                 const double *u, double *b)
{
    struct cgs_queue *queue = run->machine.queue;
    CGS_TRY(cgs_comm_agree(run->context, cgs_run_caller_check(run, "u", run->rows, u)));
    CGS_TRY(cgs_comm_agree(run->context, make(run, stepping)));
    const struct cgs_stepping *made = *stepping;
    const struct cgs_space *space = &made->reaction.domain;
    void *from = made->u ? made->u : cgs_cg_solution(run->cg);
    void *into = cgs_library_step_vector(run, made);
    run->answered = true; /* the solver's vectors are no longer 0 */
    CGS_TRY(space->ops->put(space, u, 0, run->rows, from));
    CGS_TRY(cgs_operator_residual(&made->reaction, queue, NULL, made->load, from, into));
    return b ? space->ops->get(space, into, 0, run->rows, b) : CGS_OK;
}

void *cgs_library_step_vector(const struct cgs_run *run, const struct cgs_stepping *stepping)
{
    return stepping->b ? stepping->b : cgs_cg_rhs(run->cg);
}
