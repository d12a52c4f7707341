/* Load vector of a problem of the user's own: a plane of cells at a time.
 *
 *     for each plane of cells            8 numbers a cell: int f phi (fem/user_problem/cells.h)
 *         minus K g of each cell         that touches a VALUE face, void ones included
 *         to the two planes of rows      beside it, cells in ascending order, the lower plane's first
 *     a complete plane of rows           plus face integrals (fem/user_problem/faces.h), times mesh->scale
 */
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "fem/box.h"
#include "fem/user_problem/cells.h"
#include "fem/user_problem/faces.h"
#include "fem/user_problem/load.h"

struct load {
    const struct cgs_user_problem *user;
    const struct cgs_mesh *mesh;
    struct cgs_user_points points;
    struct cgs_user_cells cells;
    struct cgs_user_faces faces;
    double class[4][8]; /* cell matrices for the number 1 */
    double *vectors;    /* of the cells of a plane */
    double *given[2];   /* values at the nodes below and above it */
    double *rows;       /* a plane of rows that has only its lower cells so far */
    double *memory;
};

/* Returns all numbers of load->memory, and those of its parts. */
static int64_t planes_of(const struct cgs_mesh *mesh, int64_t *vectors, int64_t *nodes)
{
    *vectors = 8 * (mesh->n[0] + 1) * (mesh->n[1] + 1);
    *nodes = (mesh->n[0] + 2) * (mesh->n[1] + 2);
    return *vectors + 2 * *nodes + 2 * cgs_mesh_plane(mesh);
}

int64_t cgs_user_load_bytes(const struct cgs_user_problem *user, const struct cgs_mesh *mesh,
                            int threads)
{
    int64_t vectors, nodes;
    return planes_of(mesh, &vectors, &nodes) * (int64_t)sizeof(double) +
           cgs_user_points_bytes(mesh) + cgs_user_cells_bytes(user, mesh, threads) +
           cgs_user_faces_bytes(user, mesh, false);
}

static enum cgs_status create(struct cgs_context *context, const struct cgs_user_problem *user,
                              const struct cgs_mesh *mesh, struct load *load)
{
    int64_t vectors, nodes;
    const int64_t all = planes_of(mesh, &vectors, &nodes);
    *load = (struct load){.user = user, .mesh = mesh};
    cgs_box_classes(mesh, load->class[0]);
    for (int k = 0; k < 3; k++)
        cgs_box_face_classes(mesh, k, load->class[1 + k]);
    CGS_TRY(cgs_alloc(context, all, sizeof(double), "planes of the load", (void **)&load->memory));
    load->vectors = load->memory;
    load->given[0] = load->vectors + vectors;
    load->given[1] = load->given[0] + nodes;
    load->rows = load->given[1] + nodes;
    CGS_TRY(cgs_user_points_create(context, mesh, &load->points));
    CGS_TRY(cgs_user_cells_create(context, user, mesh, &load->points, &load->cells));
    return cgs_user_faces_create(context, user, mesh, &load->points, false, &load->faces);
}

static void release(struct cgs_context *context, struct load *load)
{
    cgs_user_faces_release(context, &load->faces);
    cgs_user_cells_release(context, &load->cells);
    cgs_user_points_release(context, &load->points);
    cgs_free(context, load->memory);
}

/* Subtracts K g from the numbers of a cell; g is 0 at unknowns. */
static void lift_cell(const struct load *load, const int64_t c[3], double *restrict vector)
{
    const struct cgs_mesh *mesh = load->mesh;
    double g[8], room[8], number;
    const double *class = cgs_user_cell_matrix(mesh, load->class, c, room, &number);
    for (int b = 0; b < 8; b++)
        g[b] = load->given[b >> 2][(c[1] + (b >> 1 & 1)) * (mesh->n[0] + 2) + c[0] + (b & 1)];
    for (int a = 0; a < 8; a++) {
        double sum = 0.0;
        for (int b = 0; b < 8; b++)
            sum += class[a ^ b] * g[b];
        vector[a] -= number * sum;
    }
}

static void lift_plane(struct cgs_context *context, const struct load *load, int64_t cz)
{
    const int64_t *n = load->mesh->n;
    cgs_user_node_plane(load->user, load->mesh, 0, NULL, cz, load->given[0]);
    cgs_user_node_plane(load->user, load->mesh, 0, NULL, cz + 1, load->given[1]);
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t cy = 0; cy <= n[1]; cy++)
        for (int64_t cx = 0; cx <= n[0]; cx++) {
            const int64_t c[3] = {cx, cy, cz};
            if (cgs_user_cell_touches(load->mesh, c))
                lift_cell(load, c, load->vectors + 8 * (cy * (n[0] + 1) + cx));
        }
}

/* Adds the cells of the plane below (upper = 0) or above a plane of rows. */
static void gather(struct cgs_context *context, const struct load *load, int upper, double *rows)
{
    const int64_t *n = load->mesh->n;
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t iy = 0; iy < n[1]; iy++)
        for (int64_t ix = 0; ix < n[0]; ix++) {
            double sum = upper ? rows[iy * n[0] + ix] : 0.0;
            for (int q = 0; q < 4; q++) {
                const int64_t cell = (iy + (q >> 1)) * (n[0] + 1) + ix + (q & 1);
                sum += load->vectors[8 * cell + (7 ^ (q + 4 * upper))];
            }
            rows[iy * n[0] + ix] = sum;
        }
}

/* Adds the face integrals at unknown (ix, iy, iz). */
static double at_faces(const struct load *load, int64_t ix, int64_t iy, int64_t iz)
{
    const int64_t i[3] = {ix + 1, iy + 1, iz + 1};
    double sum = 0.0;
    for (int f = 0; f < CGS_USER_FACES; f++) {
        const int k = f >> 1;
        if (i[k] != cgs_user_face_at(load->mesh, k, f & 1))
            continue;
        const int64_t place = cgs_user_face_place(load->mesh, k, i);
        if (load->faces.load[f])
            sum += load->faces.load[f][place];
        if (load->faces.weak[f])
            sum -= load->faces.weak[f][place];
    }
    return sum;
}

static void complete(const struct load *load, int64_t iz, double *rows)
{
    const int64_t *n = load->mesh->n;
    for (int64_t iy = 0; iy < n[1]; iy++) {
        const bool all = iy == 0 || iy == n[1] - 1 || iz == 0 || iz == n[2] - 1 || n[0] == 1;
        for (int64_t ix = 0; ix < n[0]; ix += all ? 1 : n[0] - 1)
            rows[iy * n[0] + ix] += at_faces(load, ix, iy, iz);
    }
    for (int64_t i = 0; i < n[0] * n[1]; i++)
        rows[i] *= load->mesh->scale;
}

static enum cgs_status compute(struct cgs_context *context, struct load *load, int64_t first,
                               int64_t last, double *b)
{
    const int64_t plane = cgs_mesh_plane(load->mesh), begin = first / plane,
                  end = (last + plane - 1) / plane;
    double *lower = load->rows, *upper = load->rows + plane;
    for (int64_t cz = begin; cz <= end && begin < end; cz++) {
        CGS_TRY(cgs_user_cells_plane(context, &load->cells, cz, load->vectors));
        lift_plane(context, load, cz);
        if (cz > begin) {
            const int64_t row = (cz - 1) * plane, from = row > first ? row : first;
            const int64_t to = row + plane < last ? row + plane : last;
            gather(context, load, 1, lower);
            complete(load, cz - 1, lower);
            memcpy(b + (from - first), lower + (from - row), (size_t)(to - from) * sizeof *b);
        }
        if (cz < end)
            gather(context, load, 0, upper);
        double *swap = lower;
        lower = upper;
        upper = swap;
    }
    return CGS_OK;
}

enum cgs_status cgs_user_load(struct cgs_context *context, const struct cgs_user_problem *user,
                              const struct cgs_mesh *mesh, int64_t first, int64_t last, double *b)
{
    struct load load;
    enum cgs_status status = create(context, user, mesh, &load);
    if (status == CGS_OK)
        status = compute(context, &load, first, last, b);
    release(context, &load);
    return status;
}
