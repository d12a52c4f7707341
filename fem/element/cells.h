/* Shared by loops over cells: tables of the mesh, and the data of eight neighbouring cells at a
 * time. Internal to fem/.
 */
#pragma once

#include "base/context.h"
#include "base/plan.h"
#include "fem/element/element.h"
#include "fem/element/lanes.h"

struct cgs_cells {
    const struct cgs_mesh *mesh; /* borrowed */
    double *value[3],
        *step[3];   /* the wave at node i = 0 ... n + 1 of each direction; zero up to n + 16 */
    double *tables; /* memory of all these */
    double over[3]; /* 1/L */
    /* Matrices of undeformed cells with kappa = 1 by their class (cgs_cell_class), equal entries
     * bit-equal: of a cell of the box (cgs_box_classes), and of a void one outside a free face
     * of each direction (cgs_box_face_classes). */
    double reference[4][CGS_PACKED];
    /* Parts of the first by direction, and the mass matrix, where kappa is orthotropic. */
    double part[CGS_MOST_NUMBERS][CGS_PACKED];
};

/* To be released. */
enum cgs_status cgs_cells_create(struct cgs_context *context, const struct cgs_mesh *mesh,
                                 struct cgs_cells *cells);
void cgs_cells_release(struct cgs_context *context, struct cgs_cells *cells);
/* Adds the tables to the plan. */
void cgs_cells_plan(const struct cgs_mesh *mesh, struct cgs_plan *plan);

/* Position of node (ix, iy, iz) in the unit cube, t = x / L. */
static inline void cgs_cells_node(const struct cgs_cells *cells, int64_t ix, int64_t iy, int64_t iz,
                                  double point[3])
{
    const struct cgs_mesh *mesh = cells->mesh;
    const double move =
        mesh->deform * (cells->value[0][ix] * cells->value[1][iy] * cells->value[2][iz]);
    point[0] = cgs_mesh_coordinate(mesh, 0, ix) + move;
    point[1] = cgs_mesh_coordinate(mesh, 1, iy) + move;
    point[2] = cgs_mesh_coordinate(mesh, 2, iz) + move;
}

static inline struct cgs_cell_wave cgs_cells_wave(const struct cgs_cells *cells, int64_t cx,
                                                  int64_t cy, int64_t cz)
{
    return (struct cgs_cell_wave){{cells->value[0][cx], cells->step[0][cx]},
                                  {cells->value[1][cy], cells->step[1][cy]},
                                  {cells->value[2][cz], cells->step[2][cz]}};
}

/* Corners of cells cx ... cx + 7 of the line (cy, cz), 24 vectors; harmless numbers past the mesh
 * (cx > n_x). */
CGS_PIECE void cgs_cells_corners(const struct cgs_cells *cells, int64_t cx, int64_t cy, int64_t cz,
                                 cgs_lanes *corner)
{
    const double y[2] = {cells->value[1][cy], cells->step[1][cy]};
    const double z[2] = {cells->value[2][cz], cells->step[2][cz]};
    cgs_lanes x[2];
    CGS_LANES_LOAD(x[0], cells->value[0] + cx);
    CGS_LANES_LOAD(x[1], cells->step[0] + cx);
    cgs_lanes_cell_corners(cells->mesh, x, y, z, corner);
}

/* kappa of the same cells in direction k. */
CGS_PIECE cgs_lanes cgs_cells_kappa(const struct cgs_cells *cells, int k, int64_t cx, int64_t cy,
                                    int64_t cz)
{
    double kappa[CGS_CELL_LANES];
    cgs_lanes lanes;
    for (int i = 0; i < CGS_CELL_LANES; i++) {
        const struct cgs_cell_wave wave = cgs_cells_wave(cells, cx + i, cy, cz);
        kappa[i] = cgs_cell_kappa_along(cells->mesh, k, cx + i, cy, cz, &wave);
    }
    CGS_LANES_LOAD(lanes, kappa);
    return lanes;
}

/* The same in all directions, and c; as many as there are (cgs_mesh_numbers). */
CGS_PIECE void cgs_cells_tensor(const struct cgs_cells *cells, int64_t cx, int64_t cy, int64_t cz,
                                cgs_lanes tensor[CGS_MOST_NUMBERS])
{
    for (int k = 0; k < cgs_mesh_numbers(cells->mesh); k++)
        tensor[k] = cgs_cells_kappa(cells, k, cx, cy, cz);
}

/* Entry i of the matrices of the same cells, undeformed ones, for this kappa
 * (cgs_cells_tensor). Only the first and
 * the last cell of a line may have another class than the others. */
CGS_PIECE cgs_lanes cgs_cells_entry(const struct cgs_cells *cells, int64_t cx, int64_t cy,
                                    int64_t cz, const cgs_lanes tensor[CGS_MOST_NUMBERS], int i)
{
    const struct cgs_mesh *mesh = cells->mesh;
    const int class = cgs_cell_class(mesh, -1, cy, cz);
    const int64_t last = mesh->n[0] - cx;
    const cgs_lanes kappa = tensor[0];
    cgs_lanes entry = kappa * cells->reference[class][i];
    if (class == 0 && mesh->kappa.orthotropic)
        entry = kappa * cells->part[0][i] + tensor[1] * cells->part[1][i] +
                tensor[2] * cells->part[2][i];
    if (class == 0 && mesh->kappa.reaction)
        entry += tensor[CGS_REACTION] * cells->part[CGS_REACTION][i];
    if (class == 0 && mesh->open[0] != 0) {
        if (cx == 0 && cgs_mesh_void(mesh, 0, 0))
            entry[0] = kappa[0] * cells->reference[1][i];
        if (last >= 0 && last < CGS_CELL_LANES && (mesh->open[0] & 2))
            entry[last] = kappa[last] * cells->reference[1][i];
    }
    return entry;
}

/* Element matrices of the same cells, CGS_PACKED vectors. */
CGS_PIECE void cgs_cells_stiffness(const struct cgs_cells *cells, int64_t cx, int64_t cy,
                                   int64_t cz, cgs_lanes *stiffness)
{
    cgs_lanes tensor[CGS_MOST_NUMBERS];
    cgs_cells_tensor(cells, cx, cy, cz, tensor);
    if (cells->mesh->deform == 0.0) {
        for (int i = 0; i < CGS_PACKED; i++)
            stiffness[i] = cgs_cells_entry(cells, cx, cy, cz, tensor, i);
        return;
    }
    cgs_lanes corner[24];
    cgs_cells_corners(cells, cx, cy, cz, corner);
    cgs_lanes_element_stiffness(corner, cells->mesh->quadrature, tensor[0], stiffness);
}
