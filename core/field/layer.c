#include "core/field/layer.h"

#include <string.h>

#include "base/memory.h"
#include "core/field/grid.h"
#include "fem/mesh.h"

void cgs_layer_plan(struct cgs_plan *plan, const struct cgs_mesh *mesh)
{
    cgs_plan_add(plan, CGS_HOST, "u below a layer", cgs_grid_plane_nodes(mesh), sizeof(double));
    cgs_plan_add(plan, CGS_HOST, "kappa and flux of a layer", cgs_grid_layer_cells(mesh),
                 (cgs_layer_kappas(mesh) + 3) * (int64_t)sizeof(double));
}

enum cgs_status cgs_layer_open(struct cgs_context *context, const struct cgs_mesh *mesh,
                               struct cgs_materials *materials, struct cgs_layer *layer)
{
    const int64_t cells = cgs_grid_layer_cells(mesh);
    *layer = (struct cgs_layer){.context = context, .mesh = mesh, .materials = materials};
    CGS_TRY(cgs_alloc(context, cgs_grid_plane_nodes(mesh), sizeof(double), "u below a layer",
                      (void **)&layer->below));
    const int kappas = cgs_layer_kappas(mesh);
    CGS_TRY(cgs_alloc(context, cells * (kappas + 3), sizeof(double), "kappa and flux of a layer",
                      (void **)&layer->kappa));
    layer->flux = layer->kappa + kappas * cells;
    if (!materials)
        return CGS_OK;
    CGS_TRY(cgs_alloc(context, cells, sizeof(int32_t), "materials of a layer",
                      (void **)&layer->material));
    return cgs_user_points_create(context, mesh, &layer->points);
}

void cgs_layer_release(struct cgs_layer *layer)
{
    if (!layer->context)
        return;
    if (layer->points.memory)
        cgs_user_points_release(layer->context, &layer->points);
    cgs_free(layer->context, layer->material);
    cgs_free(layer->context, layer->kappa);
    cgs_free(layer->context, layer->below);
}

/* The materials of layer cz; expressions use the room of the fluxes, which come later. */
static enum cgs_status find_materials(struct cgs_layer *layer, int64_t cz)
{
    CGS_TRY(cgs_materials_plane(layer->context, layer->materials, &layer->points, cz, layer->flux,
                                layer->material));
    for (int64_t i = 0; i < cgs_grid_layer_cells(layer->mesh); i++)
        layer->material[i]++;
    return CGS_OK;
}

/* kappa and flux of cell (ix, iy) of layer cz of the box. */
static void find_flux(const struct cgs_layer *layer, int64_t ix, int64_t iy, int64_t cz,
                      const double *plane)
{
    static const double centre[3] = {0.0, 0.0, 0.0};
    const struct cgs_mesh *mesh = layer->mesh;
    const int64_t line = cgs_grid_line_nodes(mesh, 0);
    const int64_t at = iy * cgs_mesh_cells(mesh, 0) + ix, node = iy * line + ix;
    const int64_t cell[3] = {ix + cgs_grid_first(mesh, 0), iy + cgs_grid_first(mesh, 1),
                             cz + cgs_grid_first(mesh, 2)};
    const double *nodes[2] = {layer->below + node, plane + node};
    double u[8];
    for (int a = 0; a < 8; a++)
        u[a] = nodes[a >> 2][(a >> 1 & 1) * line + (a & 1)];
    const int kappas = cgs_layer_kappas(mesh);
    for (int k = 0; k < kappas; k++)
        layer->kappa[kappas * at + k] = cgs_mesh_kappa(mesh, k, cell);
    cgs_mesh_flux(mesh, cell, centre, u, layer->flux + 3 * at);
}

enum cgs_status cgs_layer_take(struct cgs_layer *layer, int64_t iz, const double *plane)
{
    const struct cgs_mesh *mesh = layer->mesh;
    const int64_t cells = cgs_mesh_cells(mesh, 0), lines = cgs_mesh_cells(mesh, 1);
    if (iz > 0) {
        if (layer->materials)
            CGS_TRY(find_materials(layer, iz - 1));
#pragma omp parallel for num_threads(layer->context->threads) schedule(static)
        for (int64_t iy = 0; iy < lines; iy++)
            for (int64_t ix = 0; ix < cells; ix++)
                find_flux(layer, ix, iy, iz - 1, plane);
    }
    memcpy(layer->below, plane, (size_t)cgs_grid_plane_nodes(mesh) * sizeof *plane);
    return CGS_OK;
}
