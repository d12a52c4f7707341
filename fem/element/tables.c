/* One-dimensional tables of a separable solution: their memory, and the nodal values. */
#include "fem/element/tables.h"

#include <stddef.h>

#include "base/memory.h"
#include "base/random.h"

enum cgs_status cgs_tables_create(struct cgs_context *context, const struct cgs_problem *problem,
                                  const struct cgs_mesh *mesh, int kinds, struct cgs_tables *tables)
{
    const int64_t *n = mesh->n, more = n[0] > n[1] ? n[0] : n[1], most = more > n[2] ? more : n[2];
    const int64_t stride = (most + 2 + 7) / 8 * 8;
    void *values;
    CGS_TRY(cgs_alloc(context, problem->terms * 3 * kinds * stride, sizeof(double),
                      "tables of the exact solution", &values));
    *tables = (struct cgs_tables){
        .terms = problem->terms, .kinds = kinds, .stride = stride, .values = values};
    return CGS_OK;
}

void cgs_tables_release(struct cgs_context *context, struct cgs_tables *tables)
{
    cgs_free(context, tables->values);
    tables->values = NULL;
}

void cgs_tables_nodal(const struct cgs_problem *problem, const struct cgs_mesh *mesh, int kind,
                      struct cgs_tables *tables)
{
    for (int term = 0; term < problem->terms; term++)
        for (int axis = 0; axis < 3; axis++) {
            double *table = cgs_table(tables, term, axis, kind);
            for (int64_t i = 0; i <= mesh->n[axis] + 1; i++) {
                double g[3];
                cgs_factor_at(problem->factor[term][axis], cgs_mesh_coordinate(mesh, axis, i), g);
                table[i] = g[0];
            }
        }
}

void cgs_tables_solution(const struct cgs_problem *problem, const struct cgs_mesh *mesh,
                         const struct cgs_tables *tables, int kind, int64_t begin, int64_t end,
                         int64_t iy, int64_t iz, double *restrict u)
{
    const int64_t count = end - begin;
    if (problem->terms == 0) {
        const uint64_t row = (uint64_t)((iz * mesh->n[1] + iy) * mesh->n[0] + begin);
        for (int64_t i = 0; i < count; i++)
            u[i] = cgs_random(row + (uint64_t)i);
    }
    for (int term = 0; term < problem->terms; term++) {
        /* Unknown i is node i + 1. */
        const double *restrict x = cgs_table(tables, term, 0, kind) + begin + 1;
        const double yz =
            cgs_table(tables, term, 1, kind)[iy + 1] * cgs_table(tables, term, 2, kind)[iz + 1];
        if (term == 0)
            for (int64_t i = 0; i < count; i++)
                u[i] = x[i] * yz;
        else
            for (int64_t i = 0; i < count; i++)
                u[i] += x[i] * yz;
    }
}
