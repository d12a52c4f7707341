#include "core/field/planes.h"

#include <string.h>

#include "base/comm.h"
#include "base/memory.h"
#include "core/field/grid.h"
#include "fem/element/order_line.h"
#include "fem/load.h"
#include "fem/mesh.h"

void cgs_planes_plan(struct cgs_plan *plan, const struct cgs_mesh *mesh)
{
    cgs_plan_add(plan, CGS_HOST, "planes of unknowns", 2,
                 cgs_bytes(cgs_mesh_plane(mesh), sizeof(double)));
}

enum cgs_status cgs_planes_open(struct cgs_planes *planes)
{
    struct cgs_context *context = planes->context;
    const int64_t unknowns = cgs_mesh_plane(planes->mesh);
    planes->known = cgs_problem_known(planes->problem, planes->mesh) != CGS_KNOWN_NOWHERE;
    planes->values = planes->exact = NULL;
    enum cgs_status status =
        cgs_alloc(context, unknowns, sizeof(double), "plane of unknowns", (void **)&planes->values);
    if (status == CGS_OK && planes->known && cgs_comm_first(context))
        status = cgs_alloc(context, unknowns, sizeof(double), "plane of exact values",
                           (void **)&planes->exact);
    status = cgs_comm_agree(context, status);
    if (status != CGS_OK)
        cgs_planes_release(planes);
    return status;
}

void cgs_planes_release(struct cgs_planes *planes)
{
    cgs_free(planes->context, planes->values);
    cgs_free(planes->context, planes->exact);
    planes->values = planes->exact = NULL;
}

/* Unknowns, less `from` where that is not NULL, into the middle of a plane of nodes. */
static void place(const struct cgs_planes *planes, const double *values, const double *from,
                  double *plane)
{
    const int64_t *n = planes->mesh->n, nodes = n[0] + 2;
#pragma omp parallel for num_threads(planes->context->threads) schedule(static)
    for (int64_t iy = 0; iy < n[1]; iy++)
        for (int64_t ix = 0; ix < n[0]; ix++)
            plane[(iy + 1) * nodes + ix + 1] =
                values[iy * n[0] + ix] - (from ? from[iy * n[0] + ix] : 0.0);
}

/* Divides planes->values, plane iz of the residual, by the nodes' parts of the mass matrix, in
 * units of their mean. */
static void weigh(const struct cgs_planes *planes, int64_t iz)
{
    const struct cgs_mesh *mesh = planes->mesh;
    struct cgs_order_line line[3];
    for (int k = 0; k < 3; k++)
        cgs_order_line_make(mesh, k, &line[k]);
    const double of_z = cgs_order_mass(&line[2], iz - 1) / cgs_mesh_cell(mesh);
#pragma omp parallel for num_threads(planes->context->threads) schedule(static)
    for (int64_t iy = 0; iy < mesh->n[1]; iy++)
        for (int64_t ix = 0; ix < mesh->n[0]; ix++)
            planes->values[iy * mesh->n[0] + ix] /=
                cgs_order_mass(&line[0], ix) * cgs_order_mass(&line[1], iy) * of_z;
}

/* The boundary nodes of a field that is zero there. */
static void clear_boundary(const struct cgs_planes *planes, int64_t iz, double *plane)
{
    static const struct cgs_problem nothing = {.boundary_values = false};
    cgs_problem_boundary(&nothing, planes->mesh, iz, plane);
}

/* Gathers a plane, of which each rank has put its part at the right place of planes->values, on
 * the first. */
static void gather(const struct cgs_planes *planes, int64_t first, int64_t last)
{
    const struct cgs_portion *portion = planes->portion;
    int64_t from[CGS_RANKS_MOST] = {first}, to[CGS_RANKS_MOST] = {last}; /* none for the others */
    const struct cgs_comm_ranges ranges = {portion->cuts, from, to};
    cgs_comm_fetch(planes->context, &ranges, planes->values, first, planes->values);
}

/* Takes plane iz of unknowns from the vector to planes->values, complete on the first rank. */
static enum cgs_status get(const struct cgs_planes *planes, int64_t iz, const void *vector)
{
    const int64_t unknowns = cgs_mesh_plane(planes->mesh);
    const int64_t first = (iz - 1) * unknowns, last = iz * unknowns;
    const struct cgs_portion *portion = planes->portion;
    struct cgs_stopwatch *watch = &planes->context->watch;
    const enum cgs_phase outer = cgs_stopwatch_enter(watch, CGS_PHASE_TRANSFER);
    int64_t begin = first, end = last, owned = 0; /* this rank's part, and its first row */
    if (portion) {
        owned = portion->first;
        begin = begin > owned ? begin : owned;
        end = end < owned + portion->count ? end : owned + portion->count;
    }
    enum cgs_status status = CGS_OK;
    if (begin < end)
        status = planes->space->ops->get(planes->space, vector, begin - owned, end - begin,
                                         planes->values + (begin - first));
    if (portion)
        gather(planes, first, last);
    cgs_stopwatch_enter(watch, outer);
    return status;
}

/* Places planes->values, plane iz of the solution, less the exact values. */
static enum cgs_status place_error(const struct cgs_planes *planes, int64_t iz, double *plane)
{
    const int64_t unknowns = cgs_mesh_plane(planes->mesh);
    CGS_TRY(cgs_problem_solution(planes->context, planes->problem, planes->mesh,
                                 (iz - 1) * unknowns, iz * unknowns, planes->exact));
    place(planes, planes->values, planes->exact, plane);
    return CGS_OK;
}

/* Takes plane iz of the mesh, with the nodes beyond free faces and periodic ones. */
static enum cgs_status get_extended(const struct cgs_planes *planes, int64_t iz,
                                    double *const plane[CGS_NODALS])
{
    iz = cgs_mesh_wrapped(planes->mesh, 2, iz);
    const bool inside = iz > 0 && iz <= planes->mesh->n[2];
    double *solution = plane[CGS_NODAL_SOLUTION], *residual = plane[CGS_NODAL_RESIDUAL];
    double *error = planes->known ? plane[CGS_NODAL_ERROR] : NULL;
    if (solution)
        cgs_problem_boundary(planes->problem, planes->mesh, iz, solution);
    if (error)
        clear_boundary(planes, iz, error);
    if (residual)
        clear_boundary(planes, iz, residual);
    if (!inside)
        return CGS_OK;
    enum cgs_status status = CGS_OK; /* the other ranks send both vectors, whatever happens here */
    if (residual) {
        status = get(planes, iz, planes->residual);
        if (planes->mesh->order > 1)
            weigh(planes, iz);
        place(planes, planes->values, NULL, residual);
    }
    if (solution || error) {
        const enum cgs_status taken = get(planes, iz, planes->x);
        status = status == CGS_OK ? taken : status;
    }
    CGS_TRY(status);
    if (solution)
        place(planes, planes->values, NULL, solution);
    return error ? place_error(planes, iz, error) : CGS_OK;
}

/* Leaves the nodes of the box of a plane, in place, without those beyond free faces. */
static void strip(const struct cgs_mesh *mesh, double *plane)
{
    const int64_t line = cgs_grid_line_nodes(mesh, 0), lines = cgs_grid_line_nodes(mesh, 1);
    for (int64_t iy = 0; iy < lines; iy++)
        memmove(plane + iy * line,
                plane + (iy + cgs_grid_first(mesh, 1)) * (mesh->n[0] + 2) + cgs_grid_first(mesh, 0),
                (size_t)line * sizeof *plane);
}

enum cgs_status cgs_planes_get(const struct cgs_planes *planes, int64_t iz,
                               double *const plane[CGS_NODALS])
{
    CGS_TRY(get_extended(planes, iz + cgs_grid_first(planes->mesh, 2), plane));
    for (int i = 0; i < CGS_NODALS && cgs_mesh_open(planes->mesh); i++)
        if (plane[i] && (i != CGS_NODAL_ERROR || planes->known)) {
            cgs_mesh_wrap_plane(planes->mesh, plane[i]);
            strip(planes->mesh, plane[i]);
        }
    return CGS_OK;
}

enum cgs_status cgs_planes_send(const struct cgs_planes *planes, int64_t iz,
                                const bool wanted[CGS_NODALS])
{
    enum cgs_status status = CGS_OK, sent = CGS_OK;
    iz = cgs_mesh_wrapped(planes->mesh, 2, iz + cgs_grid_first(planes->mesh, 2));
    if (iz < 1 || iz > planes->mesh->n[2])
        return CGS_OK;
    if (wanted[CGS_NODAL_RESIDUAL])
        status = get(planes, iz, planes->residual);
    if (wanted[CGS_NODAL_SOLUTION] || (wanted[CGS_NODAL_ERROR] && planes->known))
        sent = get(planes, iz, planes->x);
    return status == CGS_OK ? sent : status;
}
