/* Balance of a discrete solution.
 *
 * With A and b of all nodes, boundary nodes included, columns of A have the sum 0 but for the
 * faces' h and c, so that
 *     sum over all nodes (A x - b) = sum over TRANSFER faces int h (x - value) - sum over FLUX faces int value - int f + int c x,
 * where the left side is that over the nodes of VALUE faces if x solves the system: minus the
 * fluxes through these. At a node of several VALUE faces A x - b is divided among them by the
 * fluxes of the discrete solution,
 *     d_F = -int over F kappa du_h/dn phi,   flux_F = d_F + (b - A x - sum of all d_F) / number of faces,
 * so that each face's flux is accurate to second order.
 *
 * Sums are made cell by cell, a plane of cells at a time; face integrals of node plane k + 1 count
 * for plane of cells k.
 */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "fem/box.h"
#include "fem/user_problem/balance.h"
#include "fem/user_problem/cells.h"
#include "fem/user_problem/faces.h"
#include "fem/user_problem/settle.h"

/* Sums of a line or a plane; loads of f and given fluxes that bring in, and that take out; diagonal
 * entries of the cells' matrices, for rounding. */
struct sums {
    double source, reaction, flux[CGS_USER_FACES], in, out, diagonal;
};

struct sweep {
    const struct cgs_user_problem *user;
    const struct cgs_mesh *mesh;
    const struct cgs_slab *slab;
    const double *x;
    struct cgs_user_points points;
    struct cgs_user_cells cells;
    struct cgs_user_faces faces;
    double class[4][8];
    double *vectors, *nodes[2]; /* of a plane of cells: int f phi; x below and above */
    struct sums *lines, *planes;
};

/* Returns all numbers of a plane of cells, and those of its parts. */
static int64_t plane_of(const struct cgs_mesh *mesh, int64_t *vectors, int64_t *nodes)
{
    *vectors = 8 * (mesh->n[0] + 1) * (mesh->n[1] + 1);
    *nodes = (mesh->n[0] + 2) * (mesh->n[1] + 2);
    return *vectors + 2 * *nodes;
}

int64_t cgs_user_balance_bytes(const struct cgs_user_problem *user, const struct cgs_mesh *mesh,
                               int threads)
{
    int64_t vectors, nodes;
    return plane_of(mesh, &vectors, &nodes) * (int64_t)sizeof(double) +
           (mesh->n[1] + 1 + mesh->n[2] + 1) * (int64_t)sizeof(struct sums) +
           cgs_user_points_bytes(mesh) + cgs_user_cells_bytes(user, mesh, threads) +
           cgs_user_faces_bytes(user, mesh, true);
}

static enum cgs_status create(struct cgs_context *context, struct sweep *sweep)
{
    const struct cgs_mesh *mesh = sweep->mesh;
    int64_t vectors, nodes;
    const int64_t all = plane_of(mesh, &vectors, &nodes);
    cgs_box_classes(mesh, sweep->class[0]);
    for (int k = 0; k < 3; k++)
        cgs_box_face_classes(mesh, k, sweep->class[1 + k]);
    CGS_TRY(
        cgs_alloc(context, all, sizeof(double), "planes of the balance", (void **)&sweep->vectors));
    sweep->nodes[0] = sweep->vectors + vectors;
    sweep->nodes[1] = sweep->nodes[0] + nodes;
    CGS_TRY(cgs_alloc(context, mesh->n[1] + 1, sizeof(struct sums), "lines of the balance",
                      (void **)&sweep->lines));
    CGS_TRY(cgs_alloc(context, mesh->n[2] + 1, sizeof(struct sums), "sums of the balance",
                      (void **)&sweep->planes));
    CGS_TRY(cgs_user_points_create(context, mesh, &sweep->points));
    CGS_TRY(cgs_user_cells_create(context, sweep->user, mesh, &sweep->points, &sweep->cells));
    return cgs_user_faces_create(context, sweep->user, mesh, &sweep->points, true, &sweep->faces);
}

static void release(struct cgs_context *context, struct sweep *sweep)
{
    cgs_user_faces_release(context, &sweep->faces);
    cgs_user_cells_release(context, &sweep->cells);
    cgs_user_points_release(context, &sweep->points);
    cgs_free(context, sweep->planes);
    cgs_free(context, sweep->lines);
    cgs_free(context, sweep->vectors);
}

static void add_sums(struct sums *into, const struct sums *other)
{
    into->source += other->source;
    into->reaction += other->reaction;
    for (int f = 0; f < CGS_USER_FACES; f++)
        into->flux[f] += other->flux[f];
    into->in += other->in;
    into->out += other->out;
    into->diagonal += other->diagonal;
}

static void add_load(double load, struct sums *sums)
{
    sums->in += fmax(load, 0.0);
    sums->out += fmax(-load, 0.0);
}

/* Writes the VALUE faces that a node is on; returns their number. */
static int value_faces(const struct cgs_mesh *mesh, const int64_t node[3], int faces[3])
{
    int count = 0;
    for (int k = 0; k < 3; k++)
        if (!cgs_periodic(mesh->open[k]) && (node[k] == 0 || node[k] == mesh->n[k] + 1))
            faces[count++] = 2 * k + (node[k] > 0);
    return count;
}

/* Returns -int kappa du_h/dn phi_a over face f of a cell with the values x at its corners. */
static double direct_flux(const struct sweep *sweep, int f, const int64_t c[3], const double x[8],
                          int a)
{
    const int k = f >> 1, bit = 1 << k;
    const double kappa = cgs_cell_kappa_along(sweep->mesh, k, c[0], c[1], c[2], NULL);
    double sum = 0.0;
    for (int b = 0; b < 8; b++)
        if (!(b & bit))
            sum += sweep->class[1 + k][(a ^ b) & ~bit] * (x[b | bit] - x[b]);
    return (f & 1 ? -kappa : kappa) * sum / sweep->mesh->h[k];
}

/* Adds K x of a cell that touches a VALUE face, or lies outside a TRANSFER face. */
static void add_matrix(const struct sweep *sweep, const int64_t c[3], const double *vector,
                       struct sums *sums)
{
    const struct cgs_mesh *mesh = sweep->mesh;
    const int which = cgs_cell_class(mesh, c[0], c[1], c[2]);
    double x[8], room[8], number;
    const double *class = cgs_user_cell_matrix(mesh, sweep->class, c, room, &number);
    for (int b = 0; b < 8; b++)
        x[b] = sweep->nodes[b >> 2][(c[1] + (b >> 1 & 1)) * (mesh->n[0] + 2) + c[0] + (b & 1)];
    for (int a = 0; a < 8; a++) {
        const int64_t node[3] = {c[0] + (a & 1), c[1] + (a >> 1 & 1), c[2] + (a >> 2)};
        double product = 0.0, direct[3] = {0.0}, rest;
        int faces[3];
        if (!cgs_user_inside(mesh, node))
            continue;
        for (int b = 0; b < 8; b++)
            product += class[a ^ b] * x[b];
        product *= number;
        if (which > 0)
            sums->flux[2 * (which - 1) + (c[which - 1] > 0)] += product;
        const int count = value_faces(mesh, node, faces);
        rest = vector[a] - product;
        for (int i = 0; i < count && count > 1 && which == 0; i++) {
            direct[i] = direct_flux(sweep, faces[i], c, x, a);
            rest -= direct[i];
        }
        for (int i = 0; i < count; i++)
            sums->flux[faces[i]] += direct[i] + rest / count;
    }
}

/* Returns int c x over a cell of the box: rows of its mass matrix add up to an eighth of it. */
static double reaction_of(const struct sweep *sweep, const int64_t c[3])
{
    const struct cgs_mesh *mesh = sweep->mesh;
    double sum = 0.0;
    for (int b = 0; b < 8; b++)
        sum += sweep->nodes[b >> 2][(c[1] + (b >> 1 & 1)) * (mesh->n[0] + 2) + c[0] + (b & 1)];
    return cgs_cell_kappa_along(mesh, CGS_REACTION, c[0], c[1], c[2], NULL) * cgs_mesh_cell(mesh) /
           8.0 * sum;
}

static struct sums sum_line(const struct sweep *sweep, int64_t cy, int64_t cz)
{
    const int64_t *n = sweep->mesh->n;
    struct sums sums = {0};
    if (cgs_mesh_repeats(sweep->mesh, 1, cy) || cgs_mesh_repeats(sweep->mesh, 2, cz))
        return sums;
    for (int64_t cx = cgs_periodic(sweep->mesh->open[0]) ? 1 : 0; cx <= n[0]; cx++) {
        const int64_t c[3] = {cx, cy, cz};
        const double *vector = sweep->vectors + 8 * (cy * (n[0] + 1) + cx);
        const int voids = cgs_user_cell_voids(sweep->mesh, c);
        for (int a = 0; a < 8; a++) {
            sums.source += vector[a];
            add_load(vector[a], &sums);
        }
        if (voids == 0) {
            double room[8], number;
            const double *class = cgs_user_cell_matrix(sweep->mesh, sweep->class, c, room, &number);
            sums.diagonal += 8.0 * class[0] * number;
            if (sweep->mesh->kappa.reaction)
                sums.reaction += reaction_of(sweep, c);
        }
        if (voids == 1 || (voids == 0 && cgs_user_cell_touches(sweep->mesh, c)))
            add_matrix(sweep, c, vector, &sums);
    }
    return sums;
}

/* Adds the face integrals at a node. */
static void add_node(const struct sweep *sweep, const int64_t node[3], struct sums *sums)
{
    int user[3];
    const int count = value_faces(sweep->mesh, node, user);
    for (int f = 0; f < CGS_USER_FACES; f++) {
        if (node[f >> 1] != cgs_user_face_at(sweep->mesh, f >> 1, f & 1))
            continue;
        const int64_t place = cgs_user_face_place(sweep->mesh, f >> 1, node);
        const double load = sweep->faces.load[f] ? sweep->faces.load[f][place] : 0.0;
        const double weak = sweep->faces.weak[f] ? sweep->faces.weak[f][place] : 0.0;
        sums->source -= weak;
        sums->flux[f] -= load;
        if (sweep->user->face[f >> 1][f & 1].condition == CGS_FACE_FLUX)
            add_load(load, sums);
        for (int i = 0; i < count; i++)
            sums->flux[user[i]] += (load - weak) / count;
    }
}

static void add_node_plane(const struct sweep *sweep, int64_t iz, struct sums *sums)
{
    const int64_t *n = sweep->mesh->n;
    for (int64_t iy = 0; iy <= n[1] + 1; iy++)
        for (int64_t ix = 0; ix <= n[0] + 1; ix++) {
            const int64_t node[3] = {ix, iy, iz};
            if (cgs_user_inside(sweep->mesh, node))
                add_node(sweep, node, sums);
        }
}

static enum cgs_status sum_plane(struct cgs_context *context, struct sweep *sweep, int64_t cz,
                                 struct sums *sums)
{
    const int64_t lines = sweep->mesh->n[1] + 1;
    *sums = (struct sums){0};
    CGS_TRY(cgs_user_cells_plane(context, &sweep->cells, cz, sweep->vectors));
    for (int upper = 0; upper < 2; upper++)
        cgs_user_node_plane(sweep->user, sweep->mesh, sweep->slab->lower, sweep->x, cz + upper,
                            sweep->nodes[upper]);
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t cy = 0; cy < lines; cy++)
        sweep->lines[cy] = sum_line(sweep, cy, cz);
    for (int64_t cy = 0; cy < lines; cy++)
        add_sums(sums, &sweep->lines[cy]);
    if (cz == 0)
        add_node_plane(sweep, 0, sums);
    add_node_plane(sweep, cz + 1, sums);
    return CGS_OK;
}

/* Finds the least and the most of the values and ambients that are given; with a reaction, which
 * draws u to it, 0 is one of them. */
static void find_given(const struct cgs_user_problem *user, const struct cgs_mesh *mesh,
                       struct cgs_balance *balance)
{
    balance->least_given = mesh->kappa.reaction ? 0.0 : INFINITY;
    balance->most_given = mesh->kappa.reaction ? 0.0 : -INFINITY;
    for (int f = 0; f < CGS_USER_FACES; f++) {
        const enum cgs_condition condition = user->face[f >> 1][f & 1].condition;
        const double *nodal = user->nodal[f >> 1][f & 1];
        const bool given = condition == CGS_FACE_VALUE || condition == CGS_FACE_TRANSFER;
        const int64_t count = nodal ? cgs_user_face_nodes(mesh, f >> 1) : 1;
        for (int64_t i = 0; i < count && given; i++) {
            const double value = nodal ? nodal[i] : 0.0;
            balance->least_given = fmin(balance->least_given, value);
            balance->most_given = fmax(balance->most_given, value);
        }
    }
}

static struct cgs_balance balance_of(const struct sweep *sweep)
{
    struct sums total = {0};
    struct cgs_balance balance;
    for (int64_t cz = 0; cz <= sweep->mesh->n[2]; cz++)
        add_sums(&total, &sweep->planes[cz]);
    balance.source = total.source;
    balance.reaction = total.reaction;
    balance.imbalance = total.source - total.reaction;
    for (int f = 0; f < CGS_USER_FACES; f++) {
        balance.flux[f >> 1][f & 1] = total.flux[f];
        balance.imbalance -= total.flux[f];
    }
    find_given(sweep->user, sweep->mesh, &balance);
    /* Rounding of a load; that of an exact solution has either sign. */
    const double rounding = 1e-12 * (total.in + total.out);
    balance.floored =
        !sweep->user->exact && total.out <= rounding && cgs_user_hold(sweep->user) > 0.0;
    balance.capped =
        !sweep->user->exact && total.in <= rounding && cgs_user_hold(sweep->user) > 0.0;
    const double most = fmax(fabs(balance.least_given), fabs(balance.most_given));
    /* The load of a constant exact solution is rounding of its values. */
    balance.still = total.in + total.out <= 1e-12 * most * total.diagonal &&
                    balance.most_given - balance.least_given <= 4.0 * DBL_EPSILON * most;
    return balance;
}

enum cgs_status cgs_user_balance(struct cgs_context *context, const struct cgs_user_problem *user,
                                 const struct cgs_mesh *mesh, const struct cgs_slab *slab,
                                 const double *x, struct cgs_balance *balance)
{
    enum { NUMBERS = sizeof(struct sums) / sizeof(double) };
    struct sweep sweep = {.user = user, .mesh = mesh, .slab = slab, .x = x};
    enum cgs_status status = create(context, &sweep);
    for (int64_t cz = slab->first; cz < slab->last && status == CGS_OK; cz++)
        status = sum_plane(context, &sweep, cz, &sweep.planes[cz]);
    status = cgs_slab_agree(context, slab, status);
    if (status == CGS_OK)
        status = cgs_slab_complete(context, slab, NUMBERS, sweep.planes);
    if (status == CGS_OK)
        *balance = balance_of(&sweep);
    release(context, &sweep);
    return status;
}
