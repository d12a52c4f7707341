#include "core/field/slice.h"

#include <math.h>

#include "base/memory.h"
#include "core/field/grid.h"
#include "fem/element/lobatto.h"
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
    struct cgs_slice s = {.context = context,
                          .request = *request,
                          .order = mesh->order,
                          .cells = cgs_mesh_of_order(mesh, 1)};
    mesh = &s.cells;
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
    const int64_t layers = cgs_mesh_cells(&slice->cells, 2), p = slice->order;
    return slice->pixels && iz >= p * cell_of(slice->least, layers) &&
           iz <= p * (cell_of(slice->most, layers) + 1);
}

/* Adds the part of plane iz, in which u and its gradient are linear. */
static void add(const struct cgs_slice *slice, const struct cgs_lobatto *lobatto, int64_t iz,
                const double *plane, struct cgs_slice_pixel *pixel)
{
    const int p = slice->order;
    const int64_t line = p * cgs_mesh_cells(&slice->cells, 0) + 1;
    double value[3][CGS_NODES_MOST], slope[3][CGS_NODES_MOST];
    int64_t cell[3];
    for (int k = 0; k < 3; k++)
        cell[k] = cell_of(pixel->at[k], cgs_mesh_cells(&slice->cells, k));
    const int64_t c = iz - p * cell[2];
    if (c < 0 || c > p)
        return;
    for (int k = 0; k < 3; k++)
        cgs_lagrange(lobatto, 2.0 * (pixel->at[k] - (double)cell[k]) - 1.0, value[k], slope[k]);
    double u = 0.0, along_x = 0.0, along_y = 0.0;
    for (int b = 0; b <= p; b++)
        for (int a = 0; a <= p; a++) {
            const double node = plane[(p * cell[1] + b) * line + p * cell[0] + a];
            u += node * value[0][a] * value[1][b];
            along_x += node * slope[0][a] * value[1][b];
            along_y += node * value[0][a] * slope[1][b];
        }
    pixel->value += value[2][c] * u;
    pixel->flux[0] += value[2][c] * along_x;
    pixel->flux[1] += value[2][c] * along_y;
    pixel->flux[2] += slope[2][c] * u;
}

void cgs_slice_add(struct cgs_slice *slice, int64_t iz, const double *plane)
{
    struct cgs_lobatto lobatto;
    cgs_lobatto_make(slice->order, &lobatto);
#pragma omp parallel for num_threads(slice->context->threads) schedule(static)
    for (int i = 0; i < PIXELS; i++)
        add(slice, &lobatto, iz, plane, &slice->pixels[i]);
}

/* Sets the pixel's flux from its gradient, and its value to the magnitude of this. */
static void set_flux(const struct cgs_mesh *cells, struct cgs_slice_pixel *pixel)
{
    int64_t cell[3];
    double s[3];
    for (int k = 0; k < 3; k++) {
        const int64_t at = cell_of(pixel->at[k], cgs_mesh_cells(cells, k));
        cell[k] = at + cgs_grid_first(cells, k);
        s[k] = 2.0 * (pixel->at[k] - (double)at) - 1.0;
    }
    cgs_mesh_flux(cells, cell, s, pixel->flux);
    pixel->value = hypot(hypot(pixel->flux[0], pixel->flux[1]), pixel->flux[2]);
}

void cgs_slice_finish(struct cgs_slice *slice)
{
    slice->least = INFINITY;
    slice->most = -INFINITY;
    for (int i = 0; i < PIXELS; i++) {
        struct cgs_slice_pixel *pixel = &slice->pixels[i];
        if (slice->request.flux)
            set_flux(&slice->cells, pixel);
        slice->least = fmin(slice->least, pixel->value);
        slice->most = fmax(slice->most, pixel->value);
    }
}
