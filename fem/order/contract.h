/* From the nodes of a cell of order p to its points and back, a direction at a time. */
#pragma once

#include <stdbool.h>

#include "fem/element/lobatto.h"

/* out = or += sum over (r, q, p) of x_ir y_jq z_kp in[p][q][r] at [k][j][i]. factor: of x, y and z,
 * [point][node]; to_points: i, j, k are points and p, q, r nodes, else the other way round. */
void cgs_order_contract(const struct cgs_basis *basis,
                        const double (*const factor[3])[CGS_NODES_MOST], bool to_points, bool adds,
                        const double *in, double *out);
