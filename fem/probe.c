#include "fem/probe.h"

#include <math.h>
#include <string.h>

#include "base/comm.h"
#include "base/memory.h"
#include "fem/load.h"
#include "fem/mesh.h"

/* A place in a cell of the mesh: reference coordinates in [-1, 1]^3. */
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

/* u at the 8 corners of a cell, from the planes below and above. */
static void evaluate(const struct cgs_mesh *mesh, const struct place *place, double *const nodes[2],
                     struct cgs_probe *probe)
{
    const int64_t line = mesh->n[0] + 2;
    double u[8];
    for (int a = 0; a < 8; a++) {
        u[a] = nodes[a >> 2][(place->cell[1] + (a >> 1 & 1)) * line + place->cell[0] + (a & 1)];
        probe->value += u[a] * cgs_shape(a, place->s);
    }
    cgs_mesh_gradient(mesh, place->cell, place->s, u, probe->gradient);
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
    const int64_t room = (mesh->n[0] + 2) * (mesh->n[1] + 2);
    double *nodes[2];
    int64_t there = -1; /* the plane of cells between these */
    CGS_TRY(cgs_slab_agree(context, slab,
                           cgs_alloc(context, 2 * room, sizeof(double), "planes of the solution",
                                     (void **)&nodes[0])));
    nodes[1] = nodes[0] + room;
    for (int64_t i = 0; i < count; i++) {
        struct cgs_probe *probe = &probes[i];
        const struct place place = find_place(mesh, probe->at);
        const int64_t cz = place.cell[2];
        probe->value = probe->gradient[0] = probe->gradient[1] = probe->gradient[2] = 0.0;
        if (cz >= slab->first && cz < slab->last) {
            for (int upper = 0; upper < 2 && cz != there; upper++)
                cgs_problem_nodes(problem, mesh, slab->lower, x, cz + upper, nodes[upper]);
            there = cz;
            evaluate(mesh, &place, nodes, probe);
        }
        if (slab->shared)
            share(context, probe);
    }
    cgs_free(context, nodes[0]);
    return CGS_OK;
}
