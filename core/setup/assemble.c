#include "core/setup/assemble.h"

#include <string.h>

#include "fem/assembly.h"
#include "fem/element/order_cells.h"
#include "fem/order/cells.h"
#include "fem/order/rows.h"
#include "solver/jacobi.h"

enum cgs_status cgs_assemble_rows(struct cgs_context *context, const struct cgs_mesh *mesh,
                                  struct cgs_row_source *source)
{
    if (mesh->order > 1)
        return (cgs_order_star(mesh) ? cgs_order_source : cgs_order_cells_source)(context, mesh,
                                                                                  source);
    return cgs_assembler_create(context, mesh, cgs_gather_of(mesh), source);
}

void cgs_assemble_rows_release(struct cgs_context *context, struct cgs_row_source *source)
{
    if (source->self)
        (source->mesh->order == 1       ? cgs_assembler_release
         : cgs_order_star(source->mesh) ? cgs_order_release
                                        : cgs_order_cells_release)(context, source);
}

void cgs_assemble_rows_plan(const struct cgs_mesh *mesh, struct cgs_plan *plan)
{
    (mesh->order == 1       ? cgs_assembler_plan
     : cgs_order_star(mesh) ? cgs_order_plan
                            : cgs_order_cells_plan)(mesh, plan);
}

enum cgs_status cgs_assemble_jacobi(const struct cgs_assembly_ops *box, struct cgs_queue *queue,
                                    const struct cgs_operator *op,
                                    const struct cgs_row_source *source,
                                    struct cgs_operator *jacobi)
{
    if (box && source->mesh)
        return cgs_jacobi_compute(queue, op, box, source->mesh, jacobi);
    return cgs_jacobi_create(queue, op, source, jacobi);
}

struct cgs_box_problem cgs_assemble_problem(const struct cgs_problem *problem,
                                            const struct cgs_mesh *mesh)
{
    struct cgs_box_problem plain = {
        .mesh = *mesh,
        .terms = problem->terms,
        .over_kappa = problem->over_kappa && mesh->kappa.kind == CGS_KAPPA_JUMP,
        .lifted = problem->boundary_values,
    };
    memcpy(plain.factor, problem->factor, sizeof plain.factor);
    return plain;
}
