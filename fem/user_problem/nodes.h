/* Nodes of a mesh with free faces or periodic directions: those of the box, of its faces, and those
 * with given values. Internal to fem/user_problem. In a periodic direction node 0 is not one of the
 * box, and node n + 1 is, beside node 1.
 *
 * Faces are numbered f = 2 k + side: x = 0, x = L_x, y = 0, ... Directions along a face of
 * direction k in ascending order: cgs_user_along. */
#pragma once

#include "fem/box.h"
#include "fem/user_problem/user_problem.h"

enum { CGS_USER_FACES = 6 };

/* Returns direction 0 or 1 along a face of direction k. */
static inline int cgs_user_along(int k, int which)
{
    return which == 0 ? (k == 0 ? 1 : 0) : (k == 2 ? 1 : 2);
}

/* Returns the nodes of a face. */
static inline int64_t cgs_user_face_nodes(const struct cgs_mesh *mesh, int k)
{
    return (cgs_mesh_cells(mesh, cgs_user_along(k, 0)) + 1) *
           (cgs_mesh_cells(mesh, cgs_user_along(k, 1)) + 1);
}

/* Returns the node of direction k that a face has: 0 or n + 1, or 1 or n of a free one. */
static inline int64_t cgs_user_face_at(const struct cgs_mesh *mesh, int k, int side)
{
    return side == 0 ? (mesh->open[k] & 1) : (mesh->n[k] + 1 - (mesh->open[k] >> 1 & 1));
}

/* Returns the place of node i, which must be on the face, among the nodes of a face of direction
 * k. */
static inline int64_t cgs_user_face_place(const struct cgs_mesh *mesh, int k, const int64_t i[3])
{
    const int l = cgs_user_along(k, 0), m = cgs_user_along(k, 1);
    return (i[m] - (mesh->open[m] & 1)) * (cgs_mesh_cells(mesh, l) + 1) + i[l] -
           (mesh->open[l] & 1);
}

/* Returns true if the node is one of the box, not beyond a free face. */
static inline bool cgs_user_inside(const struct cgs_mesh *mesh, const int64_t i[3])
{
    for (int k = 0; k < 3; k++)
        if (i[k] < cgs_user_face_at(mesh, k, 0) || i[k] > cgs_user_face_at(mesh, k, 1))
            return false;
    return true;
}

/* Returns the face whose value node i of the box has, or -1 of an unknown. */
static inline int cgs_user_value_face(const struct cgs_mesh *mesh, const int64_t i[3])
{
    for (int k = 0; k < 3; k++) {
        const int64_t node = cgs_mesh_wrapped(mesh, k, i[k]);
        if (node == 0)
            return 2 * k;
        if (node == mesh->n[k] + 1)
            return 2 * k + 1;
    }
    return -1;
}

/* Returns true if cell (cx, cy, cz) touches a VALUE face, perhaps from the void. */
static inline bool cgs_user_cell_touches(const struct cgs_mesh *mesh, const int64_t c[3])
{
    for (int k = 0; k < 3; k++)
        if ((c[k] == 0 && !(mesh->open[k] & 1)) ||
            (c[k] == mesh->n[k] && !(mesh->open[k] & 2) && !cgs_periodic(mesh->open[k])))
            return true;
    return false;
}

/* Returns the number of void directions of a cell: 0 of one of the box, 1 outside a face. */
static inline int cgs_user_cell_voids(const struct cgs_mesh *mesh, const int64_t c[3])
{
    int voids = 0;
    for (int k = 0; k < 3; k++)
        voids += cgs_mesh_void(mesh, k, c[k]);
    return voids;
}

/* Returns the expression for kappa in direction k. */
static inline struct cgs_expression *
cgs_user_along_axis(struct cgs_expression *kappa, struct cgs_expression *const across[2], int k)
{
    return k > 0 && across[k - 1] ? across[k - 1] : kappa;
}

/* Returns K of a cell of the mesh, void ones included, by a ^ b, except for the factor *kappa.
 * class: by cgs_cell_class, for 1 (cgs_box_classes, cgs_box_face_classes). room: where it is made
 * if kappa is orthotropic. */
static inline const double *cgs_user_cell_matrix(const struct cgs_mesh *mesh,
                                                 const double class[4][8], const int64_t c[3],
                                                 double room[8], double *kappa)
{
    const int which = cgs_cell_class(mesh, c[0], c[1], c[2]);
    *kappa = cgs_cell_kappa(mesh, c[0], c[1], c[2], NULL);
    if (!mesh->kappa.orthotropic || which > 0)
        return class[which];
    for (int b = 0; b < 8; b++) {
        room[b] = 0.0;
        for (int k = 0; k < cgs_mesh_numbers(mesh); k++)
            room[b] +=
                cgs_cell_kappa_along(mesh, k, c[0], c[1], c[2], NULL) * cgs_box_part(mesh, k, b);
    }
    *kappa = 1.0;
    return room;
}
