/* Tables of the mesh for loops over its cells. */
#include "fem/cells.h"

#include <stddef.h>

#include "base/memory.h"
#include "fem/box.h"

enum {
    PADDING = 16
}; /* numbers past the mesh that a batch of cells and its right-hand nodes may
                          read */

void cgs_mesh_stencil(const struct cgs_mesh *mesh, double number[4])
{
    double value[4];
    cgs_box_classes(mesh, value);
    for (int distance = 0; distance < 4; distance++)
        number[distance] = mesh->scale * ((8 >> distance) * value[distance]);
}

enum cgs_status cgs_cells_create(struct cgs_context *context, const struct cgs_mesh *mesh,
                                 struct cgs_cells *cells)
{
    const int64_t length = mesh->n + 1 + PADDING;
    double *tables, class_value[4];
    CGS_TRY(cgs_alloc(context, 2 * length, sizeof *tables, "tables of the mesh", (void **)&tables));
    *cells = (struct cgs_cells){.mesh = mesh, .value = tables, .step = tables + length};
    for (int64_t i = 0; i < length; i++) {
        cells->value[i] = cells->step[i] = 0.0;
        if (i <= mesh->n + 1)
            cgs_mesh_wave(mesh, i, &cells->value[i], &cells->step[i]);
    }
    cgs_box_classes(mesh, class_value);
    for (int a = 0; a < 8; a++)
        for (int b = 0; b <= a; b++)
            cells->reference[cgs_packed(a, b)] = class_value[cgs_box_distance(a ^ b)];
    return CGS_OK;
}

void cgs_cells_release(struct cgs_context *context, struct cgs_cells *cells)
{
    cgs_free(context, cells->value);
    *cells = (struct cgs_cells){0};
}
