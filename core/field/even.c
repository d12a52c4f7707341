#include "core/field/even.h"

#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "core/field/grid.h"

void cgs_even_plan(struct cgs_plan *plan, const struct cgs_mesh *mesh)
{
    if (mesh->order > 1)
        cgs_plan_add(plan, CGS_HOST, "planes of a layer of cells", CGS_NODALS * (mesh->order + 2),
                     cgs_bytes(cgs_grid_plane_nodes(mesh), sizeof(double)));
}

enum cgs_status cgs_even_open(struct cgs_field_file *file, struct cgs_even *even)
{
    const struct cgs_mesh *mesh = file->mesh;
    struct cgs_lobatto lobatto;
    *even = (struct cgs_even){.file = file};
    if (mesh->order == 1)
        return CGS_OK;
    cgs_lobatto_make(mesh->order, &lobatto);
    for (int j = 0; j <= mesh->order; j++) {
        double slope[CGS_NODES_MOST];
        cgs_lagrange(&lobatto, 2.0 * j / mesh->order - 1.0, even->value[j], slope);
    }
    return cgs_alloc(file->context, CGS_NODALS * (mesh->order + 2) * cgs_grid_plane_nodes(mesh),
                     sizeof(double), "planes of a layer of cells", (void **)&even->memory);
}

void cgs_even_release(struct cgs_even *even)
{
    if (even->file)
        cgs_free(even->file->context, even->memory);
    even->memory = NULL;
}

/* Returns plane c = 0 ... p of a layer, or the plane that is written, c = p + 1. */
static double *plane_of(const struct cgs_even *even, int field, int64_t c)
{
    const struct cgs_mesh *mesh = even->file->mesh;
    return even->memory + (field * (mesh->order + 2) + c) * cgs_grid_plane_nodes(mesh);
}

/* Replaces the p + 1 values at the nodes of a cell, `step` apart, by those at its points. Its ends
 * stay as they are, also for its neighbour. */
static void sample(const struct cgs_even *even, int p, double *u, int64_t step)
{
    double node[CGS_NODES_MOST];
    for (int a = 0; a <= p; a++)
        node[a] = u[a * step];
    for (int j = 1; j < p; j++) {
        double sum = 0.0;
        for (int a = 0; a <= p; a++)
            sum += even->value[j][a] * node[a];
        u[j * step] = sum;
    }
}

/* Replaces values at the nodes of a plane by those at points of the same plane. */
static void sample_plane(const struct cgs_even *even, double *plane)
{
    const struct cgs_mesh *mesh = even->file->mesh;
    const int p = mesh->order, threads = even->file->context->threads;
    const int64_t line = cgs_grid_line_nodes(mesh, 0), lines = cgs_grid_line_nodes(mesh, 1);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t iy = 0; iy < lines; iy++)
        for (int64_t ix = 0; ix + p < line; ix += p)
            sample(even, p, plane + iy * line + ix, 1);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t iy = 0; iy < lines - 1; iy += p)
        for (int64_t ix = 0; ix < line; ix++)
            sample(even, p, plane + iy * line + ix, line);
}

/* Writes plane `below` + j of points, in the layer of cells whose planes of nodes are there. */
static enum cgs_status put(struct cgs_even *even, int64_t below, int j)
{
    struct cgs_field_file *file = even->file;
    const int p = file->mesh->order;
    const int64_t points = cgs_grid_plane_nodes(file->mesh);
    double *plane[CGS_NODALS];
    for (int field = 0; field < CGS_NODALS; field++) {
        double *sum = plane[field] = plane_of(even, field, p + 1);
        const double *nodes = plane_of(even, field, 0), *value = even->value[j];
#pragma omp parallel for num_threads(file->context->threads) schedule(static)
        for (int64_t i = 0; i < points; i++) {
            sum[i] = 0.0;
            for (int c = 0; c <= p; c++)
                sum[i] += value[c] * nodes[c * points + i];
        }
    }
    return file->writer->put(file, below + j, plane);
}

enum cgs_status cgs_even_put(struct cgs_even *even, int64_t iz, double *const plane[CGS_NODALS])
{
    struct cgs_field_file *file = even->file;
    const int p = file->mesh->order;
    const size_t bytes = (size_t)cgs_grid_plane_nodes(file->mesh) * sizeof(double);
    const int64_t c = iz == 0 ? 0 : (iz - 1) % p + 1;
    if (p == 1)
        return file->writer->put(file, iz, plane);
    for (int field = 0; field < CGS_NODALS; field++) {
        double *into = plane_of(even, field, c);
        if (field == CGS_NODAL_ERROR && !file->known)
            memset(into, 0, bytes);
        else
            memcpy(into, plane[field], bytes);
        sample_plane(even, into);
    }
    for (int j = iz == p ? 0 : 1; c == p && j <= p; j++)
        CGS_TRY(put(even, iz - p, j));
    for (int field = 0; c == p && field < CGS_NODALS; field++)
        memcpy(plane_of(even, field, 0), plane_of(even, field, p), bytes);
    return CGS_OK;
}
