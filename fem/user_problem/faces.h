/* Face integrals of a problem of the user's own, as numbers of the nodes of a face. Internal to
 * fem/user_problem. */
#pragma once

#include "fem/user_problem/nodes.h"
#include "fem/user_problem/points.h"

struct cgs_user_faces {
    /* Load of each free face: int value phi, or int transfer value phi; NULL: 0. */
    double *load[CGS_USER_FACES];
    /* int kappa du/dn phi of the exact solution, which the weak form of f subtracts; NULL:
     * nothing to subtract. */
    double *weak[CGS_USER_FACES];
};

/* Returns the bytes that cgs_user_faces_create takes at most. */
int64_t cgs_user_faces_bytes(const struct cgs_user_problem *user, const struct cgs_mesh *mesh,
                             bool apart);

/* Computes them. apart: with the weak part of VALUE faces, and with both parts of a free face
 * whose flux follows from the exact solution: these cancel, and are otherwise left out. To be
 * released. */
enum cgs_status cgs_user_faces_create(struct cgs_context *context,
                                      const struct cgs_user_problem *user,
                                      const struct cgs_mesh *mesh, struct cgs_user_points *points,
                                      bool apart, struct cgs_user_faces *faces);
void cgs_user_faces_release(struct cgs_context *context, struct cgs_user_faces *faces);
