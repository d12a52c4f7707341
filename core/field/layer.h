/* Fields of the cells of the box, a layer between two planes of nodes at a time: kappa, material
 * and flux, x fastest. */
#ifndef CGS_CORE_FIELD_LAYER_H
#define CGS_CORE_FIELD_LAYER_H

#include <stdint.h>

#include "base/context.h"
#include "base/plan.h"
#include "fem/grading.h"
#include "fem/user_problem/materials.h"
#include "fem/user_problem/points.h"

struct cgs_layer {
    struct cgs_context *context;
    const struct cgs_mesh *mesh;     /* borrowed */
    struct cgs_materials *materials; /* borrowed; NULL: none */
    double *below;                   /* owned, as all below: u at the nodes of the lower plane */
    double *kappa, *flux; /* cgs_layer_kappas a cell; three a cell: -kappa grad u at its centre */
    int32_t *material;            /* 0 of a cell in no region, else 1, 2, ... as in the list */
    struct cgs_user_points points; /* with materials */
};

/* Returns how many numbers kappa has in a cell: 1, or 3 where it is orthotropic. */
static inline int cgs_layer_kappas(const struct cgs_mesh *mesh)
{
    return mesh->kappa.along == 3 ? 3 : 1;
}

/* Adds the memory of a layer to a plan. */
void cgs_layer_plan(struct cgs_plan *plan, const struct cgs_mesh *mesh);

/* To be released also where it fails. CGS_MEMORY. */
enum cgs_status cgs_layer_open(struct cgs_context *context, const struct cgs_mesh *mesh,
                               struct cgs_materials *materials, struct cgs_layer *layer);
void cgs_layer_release(struct cgs_layer *layer);

/* Computes the fields of the cells below plane iz of nodes, numbered as in core/field/grid.h, from
 * u at these and at those of the last call; nothing for the lowest plane. To be called for
 * iz = 0, 1, ... */
enum cgs_status cgs_layer_take(struct cgs_layer *layer, int64_t iz, const double *plane);

#endif
