/* Load vector and nodal values of the exact solution on the plain box, line by line from 1-D
 * tables. Other meshes, and nonzero boundary values: fem/load_cells.c.
 *
 *     b = scale M f,   f = -sum_t (X'' Y Z + X Y'' Z + X Y Z''),   M = m_z (x) m_y (x) m_x
 *
 * with the 1-D mass matrix m_k = h_k (w1, w0, w1) of the mesh's rule, applied to the nodal values
 * of f. Derivatives are those in x = L t.  * M of a product is the product of the m's, so that a
 * node costs for each term
 *
 *     b = -(mX'')[i] (mY mZ) - (mX)[i] (mY'' mZ + mY mZ''):
 *
 * two multiplications and additions, and 8 bytes written.
 */
#include <stddef.h>
#include <string.h>

#include "fem/element/order_cells.h"
#include "fem/element/order_line.h"
#include "fem/exact.h"
#include "fem/load.h"
#include "fem/load_cells.h"
#include "fem/mesh.h"
#include "fem/order/cells.h"
#include "fem/order/load.h"
#include "fem/user_problem/load.h"
#include "fem/user_problem/settle.h"

/* A range of rows as lines of unknowns: line = iz n_y + iy; only the first and the last may be
 * incomplete. */
struct line {
    int64_t iy, iz, begin, end; /* begin <= ix < end */
    int64_t row;                /* of ix = 0 */
};

static struct line line_of(const struct cgs_mesh *mesh, int64_t line, int64_t first, int64_t last)
{
    const int64_t n = mesh->n[0], row = line * n;
    return (struct line){
        .iy = line % mesh->n[1],
        .iz = line / mesh->n[1],
        .begin = first > row ? first - row : 0,
        .end = last < row + n ? last - row : n,
        .row = row,
    };
}

enum cgs_status cgs_load_tables(struct cgs_context *context, const struct cgs_problem *problem,
                                const struct cgs_mesh *mesh, struct cgs_tables *tables)
{
    CGS_TRY(cgs_tables_create(context, problem, mesh, CGS_MASSES, tables));
    double weight[2];
    cgs_mass_weights(mesh->quadrature, weight);
    for (int term = 0; term < problem->terms; term++)
        for (int axis = 0; axis < 3; axis++) {
            const enum cgs_factor factor = problem->factor[term][axis];
            const double over = 1.0 / mesh->size[axis], scale[2] = {1.0, over * over};
            double before[3], here[3], after[3];
            cgs_factor_at(factor, 0.0, before);
            cgs_factor_at(factor, cgs_mesh_coordinate(mesh, axis, 1), here);
            for (int64_t i = 1; i <= mesh->n[axis]; i++) {
                cgs_factor_at(factor, cgs_mesh_coordinate(mesh, axis, i + 1), after);
                for (int kind = 0; kind < CGS_MASSES; kind++) {
                    const int d = kind == CGS_MASS_VALUE ? 0 : 2;
                    cgs_table(tables, term, axis, kind)[i] =
                        mesh->h[axis] * (weight[0] * here[d] + weight[1] * (before[d] + after[d])) *
                        scale[kind == CGS_MASS_VALUE ? 0 : 1];
                }
                for (int d = 0; d < 3; d++) {
                    before[d] = here[d];
                    here[d] = after[d];
                }
            }
        }
    return CGS_OK;
}

static void load_line(const struct cgs_problem *problem, const struct cgs_mesh *mesh,
                      const struct cgs_tables *tables, const struct line *line, double *restrict b)
{
    const int64_t count = line->end - line->begin;
    for (int64_t i = 0; i < count; i++)
        b[i] = 0.0;
    for (int term = 0; term < problem->terms; term++) {
        const struct cgs_load_weights w =
            cgs_load_line(tables, term, mesh->scale, line->iy + 1, line->iz + 1);
        const double *restrict x = cgs_table(tables, term, 0, CGS_MASS_VALUE) + line->begin + 1;
        const double *restrict x2 = cgs_table(tables, term, 0, CGS_MASS_SECOND) + line->begin + 1;
        for (int64_t i = 0; i < count; i++)
            b[i] += x2[i] * w.of_second + x[i] * w.of_value;
    }
}

enum cgs_status cgs_problem_load(struct cgs_context *context, const struct cgs_problem *problem,
                                 const struct cgs_mesh *mesh, int64_t first, int64_t last,
                                 double *b)
{
    if (mesh->order > 1 && (problem->user || !problem->product_rhs))
        return (cgs_order_star(mesh) || problem->user ? cgs_order_load : cgs_order_cells_load)(
            context, problem, mesh, first, last, b);
    if (problem->user)
        return cgs_user_load(context, problem->user, mesh, first, last, b);
    if (problem->product_rhs || problem->terms == 0)
        return cgs_fail(context, CGS_BUG, "problem '%s' has no load vector: its b is A u",
                        problem->name);
    if (!cgs_mesh_plain(mesh) || problem->boundary_values)
        return cgs_load_cells(context, problem, mesh, first, last, b);
    struct cgs_tables tables;
    CGS_TRY(cgs_load_tables(context, problem, mesh, &tables));
    const int64_t n = mesh->n[0], lines_end = (last + n - 1) / n;
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t i = first / n; i < lines_end; i++) {
        const struct line line = line_of(mesh, i, first, last);
        load_line(problem, mesh, &tables, &line, b + (line.row + line.begin - first));
    }
    cgs_tables_release(context, &tables);
    return CGS_OK;
}

enum cgs_status cgs_problem_solution(struct cgs_context *context, const struct cgs_problem *problem,
                                     const struct cgs_mesh *mesh, int64_t first, int64_t last,
                                     double *u)
{
    struct cgs_tables tables;
    if (problem->user)
        return cgs_user_solution(context, problem->user, mesh, first, last, u);
    if (mesh->order > 1 && problem->terms > 0)
        return (cgs_order_star(mesh) ? cgs_order_solution : cgs_order_cells_solution)(
            context, problem, mesh, first, last, u);
    if (problem->terms > 0 && !cgs_mesh_plain(mesh))
        return cgs_solution_cells(context, problem, mesh, first, last, u);
    CGS_TRY(cgs_tables_create(context, problem, mesh, 1, &tables));
    cgs_tables_nodal(problem, mesh, 0, &tables);
    const int64_t n = mesh->n[0], lines_end = (last + n - 1) / n;
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t i = first / n; i < lines_end; i++) {
        const struct line line = line_of(mesh, i, first, last);
        cgs_tables_solution(problem, mesh, &tables, 0, line.begin, line.end, line.iy, line.iz,
                            u + (line.row + line.begin - first));
    }
    cgs_tables_release(context, &tables);
    return CGS_OK;
}

void cgs_problem_boundary(const struct cgs_problem *problem, const struct cgs_mesh *mesh,
                          int64_t iz, double *plane)
{
    const double over[3] = {1.0 / mesh->size[0], 1.0 / mesh->size[1], 1.0 / mesh->size[2]};
    const int64_t last[3] = {mesh->n[0] + 1, mesh->n[1] + 1, mesh->n[2] + 1};
    struct cgs_order_line line[3];
    if (problem->user) {
        cgs_user_boundary(problem->user, mesh, iz, plane);
        return;
    }
    for (int k = 0; k < 3 && mesh->order > 1; k++)
        cgs_order_line_make(mesh, k, &line[k]);
    for (int64_t iy = 0; iy <= last[1]; iy++) {
        const bool all = iz == 0 || iz == last[2] || iy == 0 || iy == last[1];
        for (int64_t ix = 0; ix <= last[0]; ix += all ? 1 : last[0]) {
            /* equal to the nodes of the undeformed mesh */
            const int64_t i[3] = {ix, iy, iz};
            double point[3];
            for (int k = 0; k < 3; k++)
                point[k] = mesh->order > 1 ? cgs_order_coordinate(&line[k], i[k])
                                           : cgs_mesh_coordinate(mesh, k, i[k]);
            plane[iy * (last[0] + 1) + ix] =
                problem->boundary_values ? cgs_exact_at(problem, over, point).u : 0.0;
        }
    }
}

void cgs_problem_nodes(const struct cgs_problem *problem, const struct cgs_mesh *mesh,
                       int64_t lower, const double *x, int64_t iz, double *plane)
{
    const int64_t *n = mesh->n, line = n[0] + 2;
    iz = cgs_mesh_wrapped(mesh, 2, iz);
    cgs_problem_boundary(problem, mesh, iz, plane);
    for (int64_t iy = 1; iy <= n[1] && iz >= 1 && iz <= n[2]; iy++)
        memcpy(plane + iy * line + 1, x + ((iz - 1 - lower) * n[1] + iy - 1) * n[0],
               (size_t)n[0] * sizeof *plane);
    cgs_mesh_wrap_plane(mesh, plane);
}
