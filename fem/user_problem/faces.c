/* Face integrals of a problem of the user's own.
 *
 * The exact flux by 3 x 3 Gauss points of each cell's face: grad u from the polynomial of the cell
 * beside it, a line of cells at a time. */
#include "fem/user_problem/faces.h"

#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "fem/box.h"
#include "fem/grading.h"
#include "fem/user_problem/samples.h"
#include "fem/user_problem/settle.h"

/* kappa of a cell of the mesh, or h of a void one. */
static double number_of(const struct cgs_mesh *mesh, const int64_t c[3])
{
    return cgs_cell_kappa(mesh, c[0], c[1], c[2], NULL);
}

/* A face: its direction and side, the directions along it, its cells and nodes in these. */
struct face {
    int k, side, l, m;
    int64_t cells[2], line; /* line: nodes */
};

static struct face face_of(const struct cgs_mesh *mesh, int f)
{
    struct face face = {.k = f >> 1, .side = f & 1};
    face.l = cgs_user_along(face.k, 0);
    face.m = cgs_user_along(face.k, 1);
    face.cells[0] = cgs_mesh_cells(mesh, face.l);
    face.cells[1] = cgs_mesh_cells(mesh, face.m);
    face.line = face.cells[0] + 1;
    return face;
}

/* Cell of the mesh at (cl, cm) of the face: that of the box beside it, or the void one outside. */
static void cell_at(const struct cgs_mesh *mesh, const struct face *face, int64_t cl, int64_t cm,
                    bool outside, int64_t c[3])
{
    const int64_t at = cgs_user_face_at(mesh, face->k, face->side);
    c[face->l] = cl + (mesh->open[face->l] & 1);
    c[face->m] = cm + (mesh->open[face->m] & 1);
    c[face->k] = (face->side == 1) == outside ? at : at - 1;
}

/* ---- given values ---- */

/* Adds int h value phi by the face's mass matrix; h: that of the void cells (transfer), or 1. The
 * mass is that of equal cells, and the number of a void one has the area of a graded face in it. */
static void add_mass(const struct cgs_mesh *mesh, const struct face *face, bool transfer,
                     const double *value, double *load)
{
    double mass[8];
    cgs_box_face_classes(mesh, face->k, mass);
    for (int64_t cm = 0; cm < face->cells[1]; cm++)
        for (int64_t cl = 0; cl < face->cells[0]; cl++) {
            int64_t c[3];
            cell_at(mesh, face, cl, cm, true, c);
            const double h = transfer ? number_of(mesh, c) : cgs_grading_area(mesh, face->k, c);
            const int64_t first = cm * face->line + cl;
            for (int a = 0; a < 4; a++) {
                double sum = 0.0;
                for (int b = 0; b < 4; b++)
                    sum += mass[((a ^ b) & 1) << face->l | ((a ^ b) >> 1) << face->m] *
                           value[first + (b & 1) + (b >> 1) * face->line];
                load[first + (a & 1) + (a >> 1) * face->line] += h * sum;
            }
        }
}

/* ---- the exact flux ---- */

struct flux {
    const struct cgs_user_problem *user;
    const struct cgs_mesh *mesh;
    struct cgs_user_points *points;
    struct cgs_user_basis gauss, end;
    double *samples, *kappa,
        *element; /* of a line of cells: u, kappa at points, 4 numbers a cell */
};

static enum cgs_status sample_line(struct cgs_context *context, struct flux *flux,
                                   const struct face *face, int64_t cm, int64_t stride[3])
{
    struct cgs_user_points *p = flux->points;
    struct cgs_user_grid grid = {.normal = NULL}, at = {.normal = NULL};
    const int k = face->k, l = face->l, m = face->m;
    grid.at[k] = p->lobatto[k] + (face->side ? CGS_LOBATTO * (p->cells[k] - 1) : 0);
    grid.at[l] = p->lobatto[l];
    grid.at[m] = p->lobatto[m] + CGS_LOBATTO * cm;
    grid.count[k] = grid.count[m] = CGS_SAMPLES;
    grid.count[l] = CGS_LOBATTO * face->cells[0] + 1;
    at.at[k] = p->node[k] + (face->side ? p->cells[k] : 0);
    at.at[l] = p->gauss[l];
    at.at[m] = p->gauss[m] + CGS_USER_GAUSS * cm;
    at.count[k] = 1;
    at.count[l] = CGS_USER_GAUSS * face->cells[0];
    at.count[m] = CGS_USER_GAUSS;
    stride[0] = 1;
    stride[1] = grid.count[0];
    stride[2] = grid.count[0] * grid.count[1];
    if (flux->user->kappa)
        CGS_TRY(cgs_user_evaluate_finite(context, "kappa", flux->user->kappa, &at, flux->kappa));
    return cgs_user_evaluate_finite(context, "the exact solution", flux->user->exact, &grid,
                                    flux->samples);
}

/* int kappa du/dn phi over the face of cell cl of the line, 4 numbers. */
static void flux_of_cell(const struct flux *flux, const struct face *face, int64_t cl, int64_t cm,
                         const int64_t stride[3])
{
    enum { G = CGS_USER_GAUSS };
    const struct cgs_user_basis *basis[3];
    double u[G * G], slope[3][G * G], *const gradient[3] = {slope[0], slope[1], slope[2]};
    double *element = flux->element + 4 * cl;
    int64_t c[3];
    const double *h = flux->mesh->h;
    const double factor = (face->side ? 2.0 : -2.0) / h[face->k] * (0.25 * h[face->l] * h[face->m]);
    basis[face->k] = &flux->end;
    basis[face->l] = basis[face->m] = &flux->gauss;
    cgs_user_interpolate(basis, flux->samples + CGS_LOBATTO * cl * stride[face->l], stride, u,
                         gradient);
    cell_at(flux->mesh, face, cl, cm, false, c);
    memset(element, 0, 4 * sizeof *element);
    const double along = cgs_grading_along(flux->mesh, face->k, c);
    for (int q = 0; q < G * G; q++) {
        const int ql = q % G, qm = q / G;
        const double kappa =
            flux->user->kappa ? along * flux->kappa[qm * G * face->cells[0] + G * cl + ql]
                              : cgs_cell_kappa_along(flux->mesh, face->k, c[0], c[1], c[2], NULL);
        const double part =
            factor * flux->gauss.weight[ql] * flux->gauss.weight[qm] * kappa * slope[face->k][q];
        for (int a = 0; a < 4; a++)
            element[a] += part * 0.25 * (1.0 + cgs_node_side(a, 0) * flux->gauss.s[ql]) *
                          (1.0 + cgs_node_side(a, 1) * flux->gauss.s[qm]);
    }
}

static enum cgs_status flux_of_face(struct cgs_context *context, struct flux *flux,
                                    const struct face *face, double *nodal)
{
    int64_t stride[3];
    flux->end = cgs_user_basis_point(face->side ? 1.0 : -1.0);
    for (int64_t cm = 0; cm < face->cells[1]; cm++) {
        CGS_TRY(sample_line(context, flux, face, cm, stride));
#pragma omp parallel for num_threads(context->threads) schedule(static)
        for (int64_t cl = 0; cl < face->cells[0]; cl++)
            flux_of_cell(flux, face, cl, cm, stride);
        for (int64_t cl = 0; cl < face->cells[0]; cl++)
            for (int a = 0; a < 4; a++)
                nodal[(cm + (a >> 1)) * face->line + cl + (a & 1)] += flux->element[4 * cl + a];
    }
    return CGS_OK;
}

/* Returns the numbers of a line of cells of the face: u at Gauss-Lobatto points, kappa at Gauss
 * points, integrals. */
static void line_numbers(const struct face *face, int64_t *samples, int64_t *kappa, int64_t *all)
{
    *samples = CGS_SAMPLES * CGS_SAMPLES * (CGS_LOBATTO * face->cells[0] + 1);
    *kappa = CGS_USER_GAUSS * CGS_USER_GAUSS * face->cells[0];
    *all = *samples + *kappa + 4 * face->cells[0];
}

static enum cgs_status exact_flux(struct cgs_context *context, const struct cgs_user_problem *user,
                                  const struct cgs_mesh *mesh, struct cgs_user_points *points,
                                  const struct face *face, double *nodal)
{
    struct flux flux = {
        .user = user, .mesh = mesh, .points = points, .gauss = cgs_user_basis_gauss(3)};
    int64_t samples, kappa, all;
    line_numbers(face, &samples, &kappa, &all);
    CGS_TRY(cgs_alloc(context, all, sizeof(double), "a line of the exact flux",
                      (void **)&flux.samples));
    flux.kappa = flux.samples + samples;
    flux.element = flux.kappa + kappa;
    const enum cgs_status status = flux_of_face(context, &flux, face, nodal);
    cgs_free(context, flux.samples);
    return status;
}

/* ---- all faces ---- */

static enum cgs_status make_nodal(struct cgs_context *context, const struct cgs_mesh *mesh,
                                  const struct face *face, double **nodal)
{
    const int64_t count = cgs_user_face_nodes(mesh, face->k);
    CGS_TRY(cgs_alloc(context, count, sizeof **nodal, "integrals over a face", (void **)nodal));
    memset(*nodal, 0, (size_t)count * sizeof **nodal);
    return CGS_OK;
}

/* Adds the numbers of the last nodes of periodic directions to the first ones, which are the
 * same. */
static void fold(const struct cgs_mesh *mesh, const struct face *face, double *nodal)
{
    const int64_t line = face->line, lines = face->cells[1] + 1;
    for (int64_t m = 0; m < lines && nodal && cgs_periodic(mesh->open[face->l]); m++) {
        nodal[m * line] += nodal[m * line + line - 1];
        nodal[m * line + line - 1] = 0.0;
    }
    for (int64_t l = 0; l < line && nodal && cgs_periodic(mesh->open[face->m]); l++) {
        nodal[l] += nodal[(lines - 1) * line + l];
        nodal[(lines - 1) * line + l] = 0.0;
    }
}

/* The integrals that face f needs. weak: in the weak form of f; load: given or known. */
static void needs(const struct cgs_user_problem *user, bool apart, int f, bool *given, bool *known,
                  bool *weak)
{
    const struct cgs_user_face *face = &user->face[f >> 1][f & 1];
    const enum cgs_condition condition = face->condition;
    *given = condition != CGS_FACE_VALUE && cgs_user_face_values(user, f >> 1, f & 1);
    *known = cgs_user_flux_known(user, f >> 1, f & 1);
    *weak = cgs_user_source_known(user) && (apart || condition != CGS_FACE_VALUE);
    if (condition == CGS_FACE_PERIODIC)
        *given = *known = *weak = false;
    if (!apart && *known && *weak)
        *known = *weak = false;
}

int64_t cgs_user_faces_bytes(const struct cgs_user_problem *user, const struct cgs_mesh *mesh,
                             bool apart)
{
    int64_t numbers = 0, line = 0;
    for (int f = 0; f < CGS_USER_FACES; f++) {
        const struct face face = face_of(mesh, f);
        bool given, known, weak;
        int64_t samples, kappa, all;
        needs(user, apart, f, &given, &known, &weak);
        line_numbers(&face, &samples, &kappa, &all);
        numbers += ((given || known) + weak) * cgs_user_face_nodes(mesh, face.k);
        line = (known || weak) && all > line ? all : line;
    }
    return (numbers + line) * (int64_t)sizeof(double);
}

static enum cgs_status make_face(struct cgs_context *context, const struct cgs_user_problem *user,
                                 const struct cgs_mesh *mesh, struct cgs_user_points *points,
                                 bool apart, int f, struct cgs_user_faces *faces)
{
    const struct face face = face_of(mesh, f);
    const double *value = user->nodal[face.k][face.side];
    const enum cgs_condition condition = user->face[face.k][face.side].condition;
    bool given, known, weak;
    needs(user, apart, f, &given, &known, &weak);
    if (given || known)
        CGS_TRY(make_nodal(context, mesh, &face, &faces->load[f]));
    if (given)
        add_mass(mesh, &face, condition == CGS_FACE_TRANSFER, value, faces->load[f]);
    if (weak) {
        CGS_TRY(make_nodal(context, mesh, &face, &faces->weak[f]));
        CGS_TRY(exact_flux(context, user, mesh, points, &face, faces->weak[f]));
    }
    if (known && weak)
        for (int64_t i = 0; i < cgs_user_face_nodes(mesh, face.k); i++)
            faces->load[f][i] += faces->weak[f][i];
    else if (known)
        CGS_TRY(exact_flux(context, user, mesh, points, &face, faces->load[f]));
    fold(mesh, &face, faces->load[f]);
    fold(mesh, &face, faces->weak[f]);
    return CGS_OK;
}

enum cgs_status cgs_user_faces_create(struct cgs_context *context,
                                      const struct cgs_user_problem *user,
                                      const struct cgs_mesh *mesh, struct cgs_user_points *points,
                                      bool apart, struct cgs_user_faces *faces)
{
    struct cgs_user_faces made = {.load = {NULL}};
    for (int f = 0; f < CGS_USER_FACES; f++) {
        const enum cgs_status status = make_face(context, user, mesh, points, apart, f, &made);
        if (status != CGS_OK) {
            cgs_user_faces_release(context, &made);
            return status;
        }
    }
    *faces = made;
    return CGS_OK;
}

void cgs_user_faces_release(struct cgs_context *context, struct cgs_user_faces *faces)
{
    for (int f = 0; f < CGS_USER_FACES; f++) {
        cgs_free(context, faces->load[f]);
        cgs_free(context, faces->weak[f]);
    }
    *faces = (struct cgs_user_faces){.load = {NULL}};
}
