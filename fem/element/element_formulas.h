/* The formulas of a trilinear hexahedron, for any type of number: included by fem/element/element.h
 * for double (host and device), and by fem/element/lanes.h for eight cells at a time.
 *
 *     CGS_E(name)    names of the functions,   CGS_E_REAL    their number type,
 *     CGS_E_INLINE   their declaration
 *
 * No comparisons and no branches on numbers, so that eight cells can be computed at a time.
 */

/* The 8 corners of a cell, 24 numbers: corner[3 a + k] is coordinate k of local node a, relative to
 * the cell's lower corner, which Jacobians do not depend on. x, y, z: value and step of the wave
 * (cgs_mesh_wave) in each direction. With bits (bx, by, bz) of a the wave's product grows by
 *     bx dX (Y + by dY) (Z + bz dZ) + X by dY (Z + bz dZ) + X Y bz dZ,
 * telescoped, so that nothing cancels. */
CGS_E_INLINE void CGS_E(cell_corners)(const struct cgs_mesh *mesh, const CGS_E_REAL *x,
                                      const double *y, const double *z, CGS_E_REAL *corner)
{
    for (int a = 0; a < 8; a++) {
        const double by = (double)(a >> 1 & 1), bz = (double)(a >> 2);
        const double ay = mesh->deform * (y[0] + by * y[1]), az = z[0] + bz * z[1];
        const double fixed = mesh->deform * (by * y[1] * az + y[0] * bz * z[1]);
        const CGS_E_REAL move = (a & 1) ? x[1] * (ay * az) + x[0] * fixed : x[0] * fixed;
        for (int k = 0; k < 3; k++)
            corner[3 * a + k] =
                ((a >> k) & 1) ? mesh->size[k] * move + mesh->h[k] : mesh->size[k] * move;
    }
}

/* Jacobian of the trilinear map at s: J_kl = d x_k / d s_l. Writes its adjugate (9 numbers, row
 * major: adj J = det(J) J^-1) and returns det(J). */
CGS_E_INLINE CGS_E_REAL CGS_E(jacobian_adjugate)(const CGS_E_REAL *corner, const double *s,
                                                 CGS_E_REAL *adjugate)
{
    CGS_E_REAL j[9];
    for (int a = 0; a < 8; a++) {
        double g[3];
        cgs_shape_gradient(a, s, g);
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < 3; l++)
                j[3 * k + l] = a == 0 ? corner[k] * g[l] : j[3 * k + l] + corner[3 * a + k] * g[l];
    }
    adjugate[0] = j[4] * j[8] - j[5] * j[7];
    adjugate[1] = j[2] * j[7] - j[1] * j[8];
    adjugate[2] = j[1] * j[5] - j[2] * j[4];
    adjugate[3] = j[5] * j[6] - j[3] * j[8];
    adjugate[4] = j[0] * j[8] - j[2] * j[6];
    adjugate[5] = j[2] * j[3] - j[0] * j[5];
    adjugate[6] = j[3] * j[7] - j[4] * j[6];
    adjugate[7] = j[1] * j[6] - j[0] * j[7];
    adjugate[8] = j[0] * j[4] - j[1] * j[3];
    return j[0] * adjugate[0] + j[1] * adjugate[3] + j[2] * adjugate[6];
}

/* det(J) alone. */
CGS_E_INLINE CGS_E_REAL CGS_E(jacobian_determinant)(const CGS_E_REAL *corner, const double *s)
{
    CGS_E_REAL adjugate[9];
    return CGS_E(jacobian_adjugate)(corner, s, adjugate);
}

/* Element stiffness matrix of the hexahedron with these 8 corners (24 numbers, as above), by the
 * rule's 8 points, all of weight 1:
 *
 *     K_ab = kappa sum_q grad phi_a . grad phi_b det J,    grad phi = J^-T grad_s phi,
 *
 * so that with w = adj(J)^T grad_s phi each point adds kappa w_a . w_b / det J. 36 numbers, K_ab at
 * cgs_packed(a, b). Meaningless for an inverted cell (cgs_mesh_check). */
CGS_E_INLINE void CGS_E(element_stiffness)(const CGS_E_REAL *corner, enum cgs_quadrature quadrature,
                                           CGS_E_REAL kappa, CGS_E_REAL *stiffness)
{
    for (int q = 0; q < 8; q++) {
        double s[3];
        CGS_E_REAL adjugate[9], w[24];
        for (int k = 0; k < 3; k++)
            s[k] = cgs_node_side(q, k) * cgs_rule_point(quadrature);
        const CGS_E_REAL determinant = CGS_E(jacobian_adjugate)(corner, s, adjugate);
        const CGS_E_REAL weight = kappa / determinant;
        for (int a = 0; a < 8; a++) {
            double g[3];
            cgs_shape_gradient(a, s, g);
            for (int k = 0; k < 3; k++)
                w[3 * a + k] = adjugate[k] * g[0] + adjugate[3 + k] * g[1] + adjugate[6 + k] * g[2];
        }
        for (int a = 0; a < 8; a++) {
            const CGS_E_REAL x = weight * w[3 * a], y = weight * w[3 * a + 1],
                             z = weight * w[3 * a + 2];
            for (int b = 0; b <= a; b++) {
                const CGS_E_REAL here = x * w[3 * b] + y * w[3 * b + 1] + z * w[3 * b + 2];
                const int at = a * (a + 1) / 2 + b;
                stiffness[at] = q == 0 ? here : stiffness[at] + here;
            }
        }
    }
}
