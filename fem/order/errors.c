/* In each cell u_h at its nodes is interpolated to the Gauss points, direction by direction (sum
 * factorisation), and the exact solution there is taken off. The gradient of this difference is
 * that of the polynomial through its values (fem/order/samples.h). */
#include "fem/order/errors.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "fem/load.h"
#include "fem/order/contract.h"
#include "fem/order/samples.h"

enum { NODES = CGS_NODES_MOST, POINTS = CGS_BASIS_POINTS };

struct sweep {
    const struct cgs_problem *problem;
    const struct cgs_mesh *mesh;
    const struct cgs_slab *slab;
    const double *x; /* from the slab's plane `lower` on */
    struct cgs_order_box box;
    struct cgs_order_samples samples;
    double *memory;
    double *nodes; /* u_h at p + 1 planes of nodes, those beyond the box included */
    double *exact; /* at a plane of unknowns */
    int64_t plane; /* nodes of a plane */
    struct cgs_point_sums *lines;
    struct cgs_point_sums *planes; /* of unknowns, with the layer of cells that ends there */
};

/* e = u_h - u at the points of cell (cx, cy). */
static void find_error(const struct sweep *s, int64_t cx, int64_t cy, double *e)
{
    const struct cgs_mesh *mesh = s->mesh;
    const struct cgs_order_samples *samples = &s->samples;
    const int p = mesh->order, nodes = p + 1, m = samples->points;
    const int64_t line = mesh->n[0] + 2;
    const double(*const value)[NODES] = samples->basis.value;
    double u[NODES * NODES * NODES];
    for (int c = 0; c < nodes; c++)
        for (int b = 0; b < nodes; b++)
            memcpy(u + (c * nodes + b) * nodes,
                   s->nodes + c * s->plane + (p * cy + b + (mesh->open[1] & 1)) * line + p * cx +
                       (mesh->open[0] & 1),
                   (size_t)nodes * sizeof *u);
    cgs_order_contract(&samples->basis, (const double(*const[3])[NODES]){value, value, value}, true,
                       false, u, e);
    for (int c = 0; c < m; c++)
        for (int b = 0; b < m; b++)
            for (int a = 0; a < m; a++)
                e[(c * m + b) * m + a] -=
                    samples->value[(c * samples->count[1] + m * cy + b) * samples->count[0] +
                                   m * cx + a];
}

/* Adds the squares of the error and of its gradient on one cell. */
static void add_cell(const struct sweep *s, const int64_t cell[3], struct cgs_point_sums *sums)
{
    const struct cgs_basis *basis = &s->samples.basis;
    const int m = s->samples.points, stride[3] = {1, m, m * m};
    double e[POINTS * POINTS * POINTS], half[3];
    for (int k = 0; k < 3; k++)
        half[k] = 0.5 * s->box.line[k].length * cgs_order_stretch(&s->box.line[k], cell[k]);
    find_error(s, cell[0], cell[1], e);
    for (int c = 0; c < m; c++)
        for (int b = 0; b < m; b++)
            for (int a = 0; a < m; a++) {
                const int at = (c * m + b) * m + a, i[3] = {a, b, c};
                const double weight = basis->weight[a] * basis->weight[b] * basis->weight[c] *
                                      half[0] * half[1] * half[2];
                sums->l2 += weight * e[at] * e[at];
                sums->energy +=
                    weight * cgs_order_samples_reaction(&s->samples, cell, i) * e[at] * e[at];
                for (int k = 0; k < 3; k++) {
                    const double *from = e + at - i[k] * stride[k];
                    double slope = 0.0;
                    for (int q = 0; q < m; q++)
                        slope += s->samples.slope[i[k]][q] * from[q * stride[k]];
                    const double square = weight * (slope / half[k]) * (slope / half[k]);
                    sums->h1 += square;
                    sums->energy += cgs_order_samples_kappa(&s->samples, k, cell, i) * square;
                }
            }
}

static void add_records(const struct sweep *s, int64_t count, struct cgs_point_sums *sums)
{
    for (int64_t i = 0; i < count; i++)
        cgs_point_sums_add(sums, &s->lines[i]);
}

/* The layer of cells cz: each line of cells by one thread, added in order. */
static enum cgs_status add_layer(struct cgs_context *context, struct sweep *s, int64_t cz,
                                 struct cgs_point_sums *sums)
{
    const int p = s->mesh->order;
    CGS_TRY(cgs_order_samples_layer(context, &s->samples, cz));
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int a = 0; a <= p; a++) {
        memset(s->nodes + a * s->plane, 0, (size_t)s->plane * sizeof *s->nodes);
        cgs_problem_nodes(s->problem, s->mesh, s->slab->lower, s->x,
                          p * cz + a + (s->mesh->open[2] & 1), s->nodes + a * s->plane);
    }
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t cy = 0; cy < s->box.line[1].cells; cy++) {
        s->lines[cy] = (struct cgs_point_sums){0};
        for (int64_t cx = 0; cx < s->box.line[0].cells; cx++)
            add_cell(s, (int64_t[]){cx, cy, cz}, &s->lines[cy]);
    }
    add_records(s, s->box.line[1].cells, sums);
    return CGS_OK;
}

/* The plane of unknowns z. */
static enum cgs_status add_nodes(struct cgs_context *context, struct sweep *s, int64_t z,
                                 struct cgs_point_sums *sums)
{
    const int64_t *n = s->mesh->n, plane = cgs_mesh_plane(s->mesh);
    const double *x = s->x + (z - s->slab->lower) * plane;
    CGS_TRY(
        cgs_problem_solution(context, s->problem, s->mesh, z * plane, (z + 1) * plane, s->exact));
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t j = 0; j < n[1]; j++) {
        s->lines[j] = (struct cgs_point_sums){0};
        for (int64_t i = 0; i < n[0]; i++) {
            const double e = x[j * n[0] + i] - s->exact[j * n[0] + i];
            s->lines[j].nodal += cgs_order_box_mass(&s->box, i, j, z) * e * e;
            s->lines[j].max = fmax(s->lines[j].max, fabs(e));
        }
    }
    add_records(s, n[1], sums);
    return CGS_OK;
}

static enum cgs_status create(struct cgs_context *context, struct sweep *s)
{
    const struct cgs_mesh *mesh = s->mesh;
    CGS_TRY(cgs_order_samples_create(context, s->problem, mesh, &s->samples));
    CGS_TRY(cgs_alloc(context, (mesh->order + 1) * s->plane + cgs_mesh_plane(mesh), sizeof(double),
                      "planes of the error norms", (void **)&s->memory));
    s->nodes = s->memory;
    s->exact = s->nodes + (mesh->order + 1) * s->plane;
    CGS_TRY(cgs_alloc(context, mesh->n[1] + 1 + mesh->n[2] + 1, sizeof *s->lines,
                      "sums of the error norms", (void **)&s->lines));
    s->planes = s->lines + mesh->n[1] + 1;
    return CGS_OK;
}

/* The planes of the slab. */
static enum cgs_status sum_slab(struct cgs_context *context, struct sweep *s)
{
    const int p = s->mesh->order, below = s->mesh->open[2] & 1;
    for (int64_t z = s->slab->first; z < s->slab->last; z++) {
        const int64_t end = z + 1 - below; /* node of the line */
        s->planes[z] = (struct cgs_point_sums){0};
        if (end > 0 && end % p == 0 && end / p <= s->box.line[2].cells)
            CGS_TRY(add_layer(context, s, end / p - 1, &s->planes[z]));
        if (z < s->mesh->n[2])
            CGS_TRY(add_nodes(context, s, z, &s->planes[z]));
    }
    return CGS_OK;
}

enum cgs_status cgs_order_errors(struct cgs_context *context, const struct cgs_problem *problem,
                                 const struct cgs_mesh *mesh, const struct cgs_slab *slab,
                                 const double *x, struct cgs_errors *errors)
{
    enum { NUMBERS = sizeof(struct cgs_point_sums) / sizeof(double) };
    struct cgs_point_sums sums = {0};
    struct sweep s = {.problem = problem,
                      .mesh = mesh,
                      .slab = slab,
                      .x = x,
                      .box = cgs_order_box(mesh),
                      .plane = (mesh->n[0] + 2) * (mesh->n[1] + 2)};
    enum cgs_status status = create(context, &s);
    if (status == CGS_OK)
        status = sum_slab(context, &s);
    status = cgs_slab_agree(context, slab, status);
    if (status == CGS_OK)
        status = cgs_slab_complete(context, slab, NUMBERS, s.planes);
    for (int64_t z = 0; z <= mesh->n[2] && status == CGS_OK; z++)
        cgs_point_sums_add(&sums, &s.planes[z]);
    if (status == CGS_OK)
        *errors = (struct cgs_errors){
            .nodal_l2 = sqrt(sums.nodal),
            .max = isnan(sums.nodal) ? sums.nodal : sums.max, /* comparisons skip NaN */
            .l2 = sqrt(sums.l2),
            .h1 = sqrt(sums.h1),
            .energy = sqrt(sums.energy),
            .integral = true};
    cgs_free(context, s.lines);
    cgs_free(context, s.memory);
    cgs_order_samples_release(context, &s.samples);
    return status;
}
