/* The CPU's 27-point stencil on one tile of one plane (planes_cpu.h): products, and steps of CG and
 * of smoothers that use A x of a strip without storing it. Lines of x are read nine times, from the
 * caches, all others once.
 */
#ifndef CGS_KERNELS_MATRIX_FREE_STENCIL_TILES_H
#define CGS_KERNELS_MATRIX_FREE_STENCIL_TILES_H

#include "kernels/matrix_free/planes_cpu.h"
#include "kernels/matrix_free/stencil_lines.h"
#include "kernels/space.h"
#include "kernels/vector/relax_cpu.h"
#include "kernels/vector/sum_cpu.h"

struct stencil {
    struct cgs_context *context;
    struct cgs_tiles tiles;
    real number[4];
    real *zero; /* a line of zeros */
};

CGS_PIECE struct cgs_nine nine_lines(const struct stencil *self, const real *x, int64_t line,
                                     int64_t z)
{
    const struct cgs_tiles *tiles = &self->tiles;
    return cgs_nine_lines(tiles->n, tiles->planes.low, tiles->planes.high, x, self->zero, line, z);
}

/* y = A x; returns x'y if `dot`. */
static CGS_CLONES double multiply_tile(const struct stencil *self, int64_t z,
                                       const struct cgs_tile *tile, bool dot, const real *x,
                                       real *y)
{
    const int64_t n = self->tiles.n;
    double sum = 0.0;
    for (int64_t line = tile->begin; line < tile->end; line++) {
        const struct cgs_nine nine = nine_lines(self, x, line, z);
        real *out = y + (z * n + line) * n;
        for (int64_t i = 0; i < n; i += CGS_STRIP) {
            const int64_t count = n - i < CGS_STRIP ? n - i : CGS_STRIP;
            cgs_stencil_strip(n, self->number, &nine, i, count, out + i);
            if (dot)
                sum += cgs_lanes_dot(count, nine.at[4] + i, out + i);
        }
    }
    return sum;
}

/* x'A x. */
static CGS_CLONES double energy_of_tile(const struct stencil *self, int64_t z,
                                        const struct cgs_tile *tile, const real *x)
{
    const int64_t n = self->tiles.n;
    double sum = 0.0;
    for (int64_t line = tile->begin; line < tile->end; line++) {
        const struct cgs_nine nine = nine_lines(self, x, line, z);
        real out[CGS_STRIP];
        for (int64_t i = 0; i < n; i += CGS_STRIP) {
            const int64_t count = n - i < CGS_STRIP ? n - i : CGS_STRIP;
            cgs_stencil_strip(n, self->number, &nine, i, count, out);
            sum += cgs_lanes_dot(count, nine.at[4] + i, out);
        }
    }
    return sum;
}

/* x += alpha p, r -= alpha A p; returns r'r. */
static CGS_CLONES double update_tile(const struct stencil *self, int64_t z,
                                     const struct cgs_tile *tile, real alpha, const real *p,
                                     real *restrict x, real *restrict r)
{
    const int64_t n = self->tiles.n;
    double sum = 0.0;
    for (int64_t line = tile->begin; line < tile->end; line++) {
        const struct cgs_nine nine = nine_lines(self, p, line, z);
        const int64_t at = (z * n + line) * n;
        real out[CGS_STRIP];
        for (int64_t i = 0; i < n; i += CGS_STRIP) {
            const int64_t count = n - i < CGS_STRIP ? n - i : CGS_STRIP;
            const real *restrict here = nine.at[4] + i;
            real *restrict to_x = x + at + i, *restrict to_r = r + at + i;
            cgs_stencil_strip(n, self->number, &nine, i, count, out);
            for (int64_t k = 0; k < count; k++) {
                to_x[k] += alpha * here[k];
                to_r[k] -= alpha * out[k];
            }
            sum += cgs_lanes_dot(count, to_r, to_r);
        }
    }
    return sum;
}

/* p = z + beta old for `count` numbers; with beta = 0, p = z whatever old holds. */
static CGS_CLONES void make_direction(int64_t count, const real *restrict z, real beta,
                                      const real *restrict old, real *restrict p)
{
    if (beta == 0)
        for (int64_t i = 0; i < count; i++)
            p[i] = z[i];
    else
        for (int64_t i = 0; i < count; i++)
            p[i] = z[i] + beta * old[i];
}

/* r = b - A x. */
static CGS_CLONES void residual_tile(const struct stencil *self, int64_t z,
                                     const struct cgs_tile *tile, const real *b, const real *x,
                                     real *restrict r)
{
    const int64_t n = self->tiles.n;
    for (int64_t line = tile->begin; line < tile->end; line++) {
        const struct cgs_nine nine = nine_lines(self, x, line, z);
        const int64_t at = (z * n + line) * n;
        real out[CGS_STRIP];
        for (int64_t i = 0; i < n; i += CGS_STRIP) {
            const int64_t count = n - i < CGS_STRIP ? n - i : CGS_STRIP;
            cgs_stencil_strip(n, self->number, &nine, i, count, out);
            for (int64_t k = 0; k < count; k++)
                r[at + i + k] = b[at + i + k] - out[k];
        }
    }
}

/* y = on_x x + on_y y + c d (b - A x). */
static CGS_CLONES void relax_tile(const struct stencil *self, int64_t z,
                                  const struct cgs_tile *tile, const struct cgs_relaxation *step)
{
    const int64_t n = self->tiles.n;
    const real on_x = (real)step->on_x, on_y = (real)step->on_y, c = (real)step->c;
    for (int64_t line = tile->begin; line < tile->end; line++) {
        const struct cgs_nine nine = nine_lines(self, step->x, line, z);
        const int64_t at = (z * n + line) * n;
        real out[CGS_STRIP];
        for (int64_t i = 0; i < n; i += CGS_STRIP) {
            const int64_t count = n - i < CGS_STRIP ? n - i : CGS_STRIP;
            const real *d = step->d ? (const real *)step->d + at + i : NULL;
            cgs_stencil_strip(n, self->number, &nine, i, count, out);
            cgs_relax(count, on_x, on_y, c, d, (const real *)step->b + at + i, out, nine.at[4] + i,
                      (real *)step->y + at + i);
        }
    }
}

#endif
