#include "fem/probe.h"

#include <math.h>
#include <string.h>

#include "base/comm.h"
#include "base/memory.h"
#include "fem/element/lobatto.h"
#include "fem/load.h"
#include "fem/mesh.h"

/* A place in a cell: reference coordinates in [-1, 1]^3. The functions that find it are given the
 * mesh of order 1 with these cells. */
struct place {
    int64_t cell[3];
    double s[3];
};

/* Returns the place of a point of the undeformed box; t: its coordinates in the unit cube. Rounding
 * must not put a point between cells into the one before. */
static struct place place_plain(const struct cgs_mesh *mesh, const double t[3])
{
    struct place place;
    for (int k = 0; k < 3; k++) {
        const int64_t cells = cgs_mesh_cells(mesh, k);
        double at = fmin(fmax(t[k], 0.0), 1.0) * (double)cells;
        at = fabs(at - round(at)) < 1e-9 ? round(at) : at;
        const int64_t cell = at < (double)cells ? (int64_t)at : cells - 1;
        place.cell[k] = cell + (mesh->open[k] & 1);
        place.s[k] = 2.0 * (at - (double)cell) - 1.0;
    }
    return place;
}

/* Moves place->s to where the cell's trilinear map has the point, by Newton's method. */
static void invert(const struct cgs_mesh *mesh, const double point[3], struct place *place)
{
    enum { STEPS = 20 };
    double corner[24], first[3]; /* corners are relative to the first one */
    cgs_mesh_corners(mesh, place->cell[0], place->cell[1], place->cell[2], corner);
    cgs_mesh_node(mesh, place->cell, first);
    for (int step = 0; step < STEPS; step++) {
        double adjugate[9], off[3], moved = 0.0;
        const double determinant = cgs_jacobian_adjugate(corner, place->s, adjugate);
        for (int k = 0; k < 3; k++) {
            off[k] = point[k] - first[k];
            for (int a = 0; a < 8; a++)
                off[k] -= cgs_shape(a, place->s) * corner[3 * a + k];
        }
        for (int m = 0; m < 3; m++) {
            const double change = (adjugate[3 * m] * off[0] + adjugate[3 * m + 1] * off[1] +
                                   adjugate[3 * m + 2] * off[2]) /
                                  determinant;
            place->s[m] += change;
            moved = fmax(moved, fabs(change));
        }
        if (moved < 1e-15)
            break;
    }
}

/* Returns the place of a point of the box. The mesh's formula gives the cell; its trilinear map,
 * which is off that by order h^2, may have the point in a neighbour. */
static struct place find_place(const struct cgs_mesh *mesh, const double point[3])
{
    enum { WALK = 8 };
    double t[3];
    for (int k = 0; k < 3; k++)
        t[k] = point[k] / mesh->size[k];
    cgs_mesh_undeform(mesh, t);
    struct place place = place_plain(mesh, t);
    for (int step = 0; step < WALK && mesh->deform != 0.0; step++) {
        bool left = false;
        invert(mesh, point, &place);
        for (int k = 0; k < 3; k++) {
            const int64_t to = place.cell[k] + (place.s[k] < 0.0 ? -1 : 1);
            if (fabs(place.s[k]) > 1.0 + 1e-9 && to >= 0 && to <= mesh->n[k]) {
                place.cell[k] = to;
                place.s[k] = 0.0;
                left = true;
            }
        }
        if (!left)
            break;
    }
    return place;
}

/* Returns the mesh's number of the first node of cell c of direction k. */
static int64_t first_node(const struct cgs_mesh *mesh, int k, int64_t c)
{
    const int64_t beyond = mesh->open[k] & 1; /* a void cell, whatever the order */
    return beyond + mesh->order * (c - beyond);
}

/* Evaluates u in a cell; planes: of its p + 1 nodes in z. */
static void evaluate(const struct cgs_mesh *mesh, const struct cgs_mesh *cells,
                     const struct cgs_lobatto *lobatto, const struct place *place,
                     const double *planes, struct cgs_probe *probe)
{
    const int64_t line = mesh->n[0] + 2, room = line * (mesh->n[1] + 2);
    const double *u =
        planes + first_node(mesh, 1, place->cell[1]) * line + first_node(mesh, 0, place->cell[0]);
    double value[3][CGS_NODES_MOST], slope[3][CGS_NODES_MOST];
    for (int k = 0; k < 3; k++)
        cgs_lagrange(lobatto, place->s[k], value[k], slope[k]);
    for (int c = 0; c <= mesh->order; c++)
        for (int b = 0; b <= mesh->order; b++)
            for (int a = 0; a <= mesh->order; a++) {
                const double node = u[c * room + b * line + a];
                probe->value += node * value[0][a] * value[1][b] * value[2][c];
                probe->gradient[0] += node * slope[0][a] * value[1][b] * value[2][c];
                probe->gradient[1] += node * value[0][a] * slope[1][b] * value[2][c];
                probe->gradient[2] += node * value[0][a] * value[1][b] * slope[2][c];
            }
    cgs_mesh_gradient(cells, place->cell, place->s, probe->gradient);
}

/* Gives all ranks the numbers of the one that has them; the others have 0. */
static void share(struct cgs_context *context, struct cgs_probe *probe)
{
    probe->value = cgs_comm_sum(context, probe->value);
    for (int k = 0; k < 3; k++)
        probe->gradient[k] = cgs_comm_sum(context, probe->gradient[k]);
}

enum cgs_status cgs_probe_measure(struct cgs_context *context, const struct cgs_problem *problem,
                                  const struct cgs_mesh *mesh, const struct cgs_slab *slab,
                                  const double *x, int64_t count, struct cgs_probe *probes)
{
    const struct cgs_mesh cells = cgs_mesh_of_order(mesh, 1);
    const int64_t room = (mesh->n[0] + 2) * (mesh->n[1] + 2);
    struct cgs_lobatto lobatto;
    double *planes;
    int64_t there = -1; /* the layer of cells that they are of */
    cgs_lobatto_make(mesh->order, &lobatto);
    CGS_TRY(cgs_slab_agree(context, slab,
                           cgs_alloc(context, (mesh->order + 1) * room, sizeof(double),
                                     "planes of the solution", (void **)&planes)));
    for (int64_t i = 0; i < count; i++) {
        struct cgs_probe *probe = &probes[i];
        const struct place place = find_place(&cells, probe->at);
        const int64_t cz = place.cell[2], iz = first_node(mesh, 2, cz);
        probe->value = probe->gradient[0] = probe->gradient[1] = probe->gradient[2] = 0.0;
        if (cgs_slab_has(slab, mesh, iz)) {
            for (int c = 0; c <= mesh->order && cz != there; c++)
                cgs_problem_nodes(problem, mesh, slab->lower, x, iz + c, planes + c * room);
            there = cz;
            evaluate(mesh, &cells, &lobatto, &place, planes, probe);
        }
        if (slab->shared)
            share(context, probe);
    }
    cgs_free(context, planes);
    return CGS_OK;
}
