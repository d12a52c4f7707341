#include "core/field/slice.h"

#include <math.h>

#include "base/memory.h"
#include "core/field/grid.h"
#include "fem/mesh.h"

enum { SIDE = CGS_SLICE_SIDE, PIXELS = SIDE * SIDE };

void cgs_slice_plan(struct cgs_plan *plan, int slices)
{
    cgs_plan_add(plan, CGS_HOST, "pixels of slices", (int64_t)slices * PIXELS,
                 sizeof(struct cgs_slice_pixel));
}

enum cgs_status cgs_slice_open(struct cgs_context *context, const struct cgs_slice_request *request,
                               const struct cgs_mesh *mesh, struct cgs_slice *slice)
{
    const int axis = request->axis, across = axis == 0 ? 1 : 0, up = axis == 2 ? 1 : 2;
    struct cgs_slice s = {.context = context, .request = *request};
    CGS_TRY(
        cgs_alloc(context, PIXELS, sizeof *s.pixels, "pixels of the slice", (void **)&s.pixels));
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int i = 0; i < PIXELS; i++) {
        double point[3];
        point[axis] = request->position / mesh->size[axis];
        point[across] = (i % SIDE + 0.5) / SIDE;
        point[up] = (i / SIDE + 0.5) / SIDE;
        cgs_mesh_undeform(mesh, point);
        for (int k = 0; k < 3; k++)
            s.pixels[i].at[k] = (double)cgs_mesh_cells(mesh, k) * fmin(fmax(point[k], 0.0), 1.0);
        s.pixels[i].value = 0.0;
        for (int k = 0; k < 3; k++)
            s.pixels[i].flux[k] = 0.0;
    }
    s.layers = cgs_mesh_cells(mesh, 2);
    *slice = s;
    slice->least = INFINITY; /* of where it stands in z, until the values are there */
    slice->most = -INFINITY;
    for (int i = 0; i < PIXELS; i++) {
        slice->least = fmin(slice->least, s.pixels[i].at[2]);
        slice->most = fmax(slice->most, s.pixels[i].at[2]);
    }
    return CGS_OK;
}

void cgs_slice_release(struct cgs_slice *slice)
{
    if (slice->pixels)
        cgs_free(slice->context, slice->pixels);
    *slice = (struct cgs_slice){0};
}

/* Returns the cell of a line of `cells` that a coordinate lies in. A node lies in the cell that
 * begins there, the last node in the last cell. */
static int64_t cell_of(double at, int64_t cells)
{
    return (int64_t)fmin(at, (double)(cells - 1));
}

bool cgs_slice_wants(const struct cgs_slice *slice, int64_t iz)
{
    if (slice->pixels && slice->request.flux)
        return iz >= cell_of(slice->least, slice->layers) &&
               iz <= cell_of(slice->most, slice->layers) + 1;
    return slice->pixels && (double)iz > slice->least - 1.0 && (double)iz < slice->most + 1.0;
}

/* Adds the part that plane iz has in the flux, which is linear in the values at the nodes. */
static void add_flux(const struct cgs_mesh *mesh, int64_t iz, const double *plane,
                     struct cgs_slice_pixel *pixel)
{
    const int64_t nodes = cgs_grid_line_nodes(mesh, 0);
    int64_t at[3], cell[3];
    double s[3], u[8] = {0.0}, flux[3];
    for (int k = 0; k < 3; k++) {
        at[k] = cell_of(pixel->at[k], cgs_mesh_cells(mesh, k));
        cell[k] = at[k] + cgs_grid_first(mesh, k);
        s[k] = 2.0 * (pixel->at[k] - (double)at[k]) - 1.0;
    }
    if (iz != at[2] && iz != at[2] + 1)
        return;
    for (int a = 0; a < 4; a++)
        u[4 * (iz - at[2]) + a] = plane[(at[1] + (a >> 1)) * nodes + at[0] + (a & 1)];
    cgs_mesh_flux(mesh, cell, s, u, flux);
    for (int k = 0; k < 3; k++)
        pixel->flux[k] += flux[k];
}

void cgs_slice_add(struct cgs_slice *slice, const struct cgs_mesh *mesh, int64_t iz,
                   const double *plane)
{
    const int64_t nodes = cgs_grid_line_nodes(mesh, 0);
    const double last[2] = {(double)(cgs_mesh_cells(mesh, 0) - 1),
                            (double)(cgs_mesh_cells(mesh, 1) - 1)}; /* cells */
#pragma omp parallel for num_threads(slice->context->threads) schedule(static)
    for (int i = 0; i < PIXELS; i++) {
        struct cgs_slice_pixel *pixel = &slice->pixels[i];
        if (slice->request.flux) {
            add_flux(mesh, iz, plane, pixel);
            continue;
        }
        const double of_plane = 1.0 - fabs(pixel->at[2] - (double)iz);
        if (of_plane <= 0.0)
            continue;
        const int64_t ix = (int64_t)fmin(pixel->at[0], last[0]);
        const int64_t iy = (int64_t)fmin(pixel->at[1], last[1]);
        const double x = pixel->at[0] - (double)ix, y = pixel->at[1] - (double)iy;
        const double *at = plane + iy * nodes + ix;
        pixel->value += of_plane * ((1.0 - y) * ((1.0 - x) * at[0] + x * at[1]) +
                                    y * ((1.0 - x) * at[nodes] + x * at[nodes + 1]));
    }
}

void cgs_slice_finish(struct cgs_slice *slice)
{
    slice->least = INFINITY;
    slice->most = -INFINITY;
    for (int i = 0; i < PIXELS; i++) {
        struct cgs_slice_pixel *pixel = &slice->pixels[i];
        if (slice->request.flux)
            pixel->value = hypot(hypot(pixel->flux[0], pixel->flux[1]), pixel->flux[2]);
        slice->least = fmin(slice->least, pixel->value);
        slice->most = fmax(slice->most, pixel->value);
    }
}
