#include "src/field/planes.h"

#include "base/memory.h"

void cgs_planes_plan(struct cgs_plan *plan, int64_t n)
{
    cgs_plan_add(plan, CGS_HOST, "planes of unknowns", 2, cgs_bytes(n * n, sizeof(double)));
}

enum cgs_status cgs_planes_open(struct cgs_planes *planes)
{
    const int64_t n = planes->mesh->n;
    planes->known = cgs_problem_known(planes->problem, planes->mesh) != CGS_KNOWN_NOWHERE;
    planes->values = planes->exact = NULL;
    CGS_TRY(cgs_alloc(planes->context, n * n, sizeof(double), "plane of unknowns",
                      (void **)&planes->values));
    if (!planes->known)
        return CGS_OK;
    const enum cgs_status status = cgs_alloc(planes->context, n * n, sizeof(double),
                                             "plane of exact values", (void **)&planes->exact);
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
    const int64_t n = planes->mesh->n, nodes = n + 2;
#pragma omp parallel for num_threads(planes->context->threads) schedule(static)
    for (int64_t iy = 0; iy < n; iy++)
        for (int64_t ix = 0; ix < n; ix++)
            plane[(iy + 1) * nodes + ix + 1] =
                values[iy * n + ix] - (from ? from[iy * n + ix] : 0.0);
}

/* The boundary nodes of a field that is zero there. */
static void clear_boundary(const struct cgs_planes *planes, int64_t iz, double *plane)
{
    static const struct cgs_problem nothing = {.boundary_values = false};
    cgs_problem_boundary(&nothing, planes->mesh, iz, plane);
}

static enum cgs_status get(const struct cgs_planes *planes, int64_t iz, const void *vector)
{
    const int64_t n = planes->mesh->n;
    struct cgs_stopwatch *watch = &planes->context->watch;
    const enum cgs_phase outer = cgs_stopwatch_enter(watch, CGS_PHASE_TRANSFER);
    const enum cgs_status status =
        planes->space->ops->get(planes->space, vector, (iz - 1) * n * n, n * n, planes->values);
    cgs_stopwatch_enter(watch, outer);
    return status;
}

enum cgs_status cgs_planes_get(const struct cgs_planes *planes, int64_t iz,
                               double *const plane[CGS_NODALS])
{
    const int64_t n = planes->mesh->n;
    const bool inside = iz > 0 && iz <= n;
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
    if (solution || error)
        CGS_TRY(get(planes, iz, planes->x));
    if (solution)
        place(planes, planes->values, NULL, solution);
    if (error) {
        CGS_TRY(cgs_problem_solution(planes->context, planes->problem, planes->mesh,
                                     (iz - 1) * n * n, iz * n * n, planes->exact));
        place(planes, planes->values, planes->exact, error);
    }
    if (residual) {
        CGS_TRY(get(planes, iz, planes->residual));
        place(planes, planes->values, NULL, residual);
    }
    return CGS_OK;
}
