/* A function on a cell from its values at Gauss-Lobatto points. */
#include "fem/user_problem/samples.h"

#include <assert.h>

#include "base/vectorise.h"

/* l_j and its derivative at s. */
static void lagrange(double s, double value[CGS_SAMPLES], double slope[CGS_SAMPLES])
{
    static const double at[CGS_SAMPLES] = {-1.0, -0.65465367070797714380, 0.0,
                                           0.65465367070797714380, 1.0};
    for (int j = 0; j < CGS_SAMPLES; j++) {
        value[j] = 1.0;
        slope[j] = 0.0;
        for (int m = 0; m < CGS_SAMPLES; m++) {
            if (m == j)
                continue;
            slope[j] = (slope[j] * (s - at[m]) + value[j]) / (at[j] - at[m]);
            value[j] *= (s - at[m]) / (at[j] - at[m]);
        }
    }
}

struct cgs_user_basis cgs_user_basis_gauss(int points)
{
    static const double at[2][4] = {{-0.77459666924148337704, 0.0, 0.77459666924148337704},
                                    {-0.86113631159405257522, -0.33998104358485626480,
                                     0.33998104358485626480, 0.86113631159405257522}};
    static const double weight[2][4] = {{5.0 / 9.0, 8.0 / 9.0, 5.0 / 9.0},
                                        {0.34785484513745385737, 0.65214515486254614263,
                                         0.65214515486254614263, 0.34785484513745385737}};
    struct cgs_user_basis basis = {.points = points};
    assert(points == 3 || points == 4);
    for (int q = 0; q < points; q++) {
        basis.s[q] = at[points - 3][q];
        basis.weight[q] = weight[points - 3][q];
        lagrange(basis.s[q], basis.value[q], basis.slope[q]);
    }
    return basis;
}

struct cgs_user_basis cgs_user_basis_point(double s)
{
    struct cgs_user_basis basis = {.points = 1, .s = {s}, .weight = {1.0}};
    lagrange(s, basis.value[0], basis.slope[0]);
    return basis;
}

/* Contracts the direction of numbers `inner` apart: to[o][q][i] = sum_j matrix[q][j]
 * from[o][j][i]. */
CGS_PIECE void contract(int points, const double matrix[][CGS_SAMPLES], int outer, int inner,
                        const double *restrict from, double *restrict to)
{
    for (int o = 0; o < outer; o++)
        for (int q = 0; q < points; q++)
            for (int i = 0; i < inner; i++) {
                double sum = 0.0;
                for (int j = 0; j < CGS_SAMPLES; j++)
                    sum += matrix[q][j] * from[(o * CGS_SAMPLES + j) * inner + i];
                to[(o * points + q) * inner + i] = sum;
            }
}

/* nx, ny, nz: the points of the bases, known to the compiler. */
CGS_PIECE void interpolate(const struct cgs_user_basis *const basis[3], int nx, int ny, int nz,
                           const double *samples, const int64_t stride[3], double *value,
                           double *const gradient[3])
{
    enum { S = CGS_SAMPLES, P = CGS_BASIS_POINTS };
    const struct cgs_user_basis *x = basis[0], *y = basis[1], *z = basis[2];
    double u[S * S * S], v[S * S * P], vx[S * S * P], w[S * P * P], wx[S * P * P], wy[S * P * P];
    for (int k = 0; k < S; k++)
        for (int j = 0; j < S; j++)
            for (int i = 0; i < S; i++)
                u[(k * S + j) * S + i] = samples[i * stride[0] + j * stride[1] + k * stride[2]];
    contract(nx, x->value, S * S, 1, u, v);
    contract(nx, x->slope, S * S, 1, u, vx);
    contract(ny, y->value, S, nx, v, w);
    contract(ny, y->value, S, nx, vx, wx);
    contract(ny, y->slope, S, nx, v, wy);
    contract(nz, z->value, 1, nx * ny, w, value);
    contract(nz, z->value, 1, nx * ny, wx, gradient[0]);
    contract(nz, z->value, 1, nx * ny, wy, gradient[1]);
    contract(nz, z->slope, 1, nx * ny, w, gradient[2]);
}

CGS_CLONES void cgs_user_interpolate(const struct cgs_user_basis *const basis[3],
                                     const double *samples, const int64_t stride[3], double *value,
                                     double *const gradient[3])
{
    const int n[3] = {basis[0]->points, basis[1]->points, basis[2]->points};
    if (n[0] == 4 && n[1] == 4 && n[2] == 4)
        interpolate(basis, 4, 4, 4, samples, stride, value, gradient);
    else if (n[0] == 3 && n[1] == 3 && n[2] == 3)
        interpolate(basis, 3, 3, 3, samples, stride, value, gradient);
    else
        interpolate(basis, n[0], n[1], n[2], samples, stride, value, gradient);
}
