#include "core/setup/assemble.h"
#include "solver/jacobi.h"

#include <string.h>

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
