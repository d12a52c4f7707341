/* Tables of the mesh for loops over its cells. */
#include "fem/element/cells.h"

#include "base/memory.h"
#include "fem/box.h"

enum {
    PADDING = 16
}; /* numbers past the mesh that a batch of cells and its right-hand nodes may
                          read */

/* Numbers of the tables. */
static int64_t count_of(const struct cgs_mesh *mesh)
{
    return 2 * (mesh->n[0] + mesh->n[1] + mesh->n[2] + 3 * (1 + PADDING));
}

void cgs_cells_plan(const struct cgs_mesh *mesh, struct cgs_plan *plan)
{
    cgs_plan_add(plan, CGS_HOST, "tables of the mesh", count_of(mesh), sizeof(double));
}

enum cgs_status cgs_cells_create(struct cgs_context *context, const struct cgs_mesh *mesh,
                                 struct cgs_cells *cells)
{
    const int64_t *n = mesh->n;
    double *tables, value[4][8];
    CGS_TRY(
        cgs_alloc(context, count_of(mesh), sizeof *tables, "tables of the mesh", (void **)&tables));
    *cells = (struct cgs_cells){.mesh = mesh, .tables = tables};
    for (int k = 0; k < 3; k++) {
        const int64_t length = n[k] + 1 + PADDING;
        cells->value[k] = tables;
        cells->step[k] = tables + length;
        tables += 2 * length;
        for (int64_t i = 0; i < length; i++) {
            cells->value[k][i] = cells->step[k][i] = 0.0;
            if (i <= n[k] + 1)
                cgs_mesh_wave(mesh, k, i, &cells->value[k][i], &cells->step[k][i]);
        }
        cells->over[k] = 1.0 / mesh->size[k];
    }
    cgs_box_classes(mesh, value[0]);
    for (int k = 0; k < 3; k++)
        cgs_box_face_classes(mesh, k, value[1 + k]);
    for (int class = 0; class < 4; class ++)
        for (int a = 0; a < 8; a++)
            for (int b = 0; b <= a; b++)
                cells->reference[class][cgs_packed(a, b)] = value[class][a ^ b];
    for (int k = 0; k < CGS_MOST_NUMBERS; k++)
        for (int a = 0; a < 8; a++)
            for (int b = 0; b <= a; b++)
                cells->part[k][cgs_packed(a, b)] = cgs_box_part(mesh, k, a ^ b);
    return CGS_OK;
}

void cgs_cells_release(struct cgs_context *context, struct cgs_cells *cells)
{
    cgs_free(context, cells->tables);
    *cells = (struct cgs_cells){0};
}
