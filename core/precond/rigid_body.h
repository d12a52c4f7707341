/* Rigid-body modes of an elastic body, near-null vectors of its matrix: three unknowns a node,
 *
 *     unknown    translations    rotations about the nodes' centre, which is 0
 *     u_x        1  0  0          0  z -y
 *     u_y        0  1  0         -z  0  x
 *     u_z        0  0  1          y -x  0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { CGS_BODY_DIMENSIONS = 3, CGS_BODY_MODES = 6 };

/* Moves the nodes' centre to 0 and scales them into [-1, 1]. x: all x, then all y, then all z.
 * Returns false if they are one point. */
bool cgs_body_centre(int64_t nodes, double *x);

/* Computes the modes, one after the other: 6 times 3 numbers a node. */
void cgs_body_modes(int64_t nodes, const double *x, double *modes);
