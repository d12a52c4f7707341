/* The CPU's 27-point stencil on one tile of one plane (planes_cpu.h): products, and steps of CG and
 * of smoothers that use A x of a strip without storing it. Lines of x are read nine times, from the
 * caches, all others once. Each function is compiled twice, `cubic` or not
 * (cgs_stencil_cubic): a choice in each line would cost a fifth of a product of short lines.
 */
#pragma once

#include "kernels/matrix_free/planes_cpu.h"
#include "kernels/matrix_free/stencil_lines.h"
#include "kernels/space.h"
#include "kernels/vector/relax_cpu.h"
#include "kernels/vector/sum_cpu.h"

struct stencil {
    struct cgs_context *context;
    struct cgs_tiles tiles;
    real number[8];
    bool cubic; /* of as many directions equal */
    real *zero; /* a line of zeros */
};

CGS_PIECE struct cgs_nine nine_lines(const struct stencil *self, const real *x, int64_t line,
                                     int64_t z)
{
    const struct cgs_tiles *tiles = &self->tiles;
    return cgs_nine_lines(tiles->n, tiles->planes.low, tiles->planes.high, x, self->zero, line, z);
}

/* y = A x; returns x'y if `dot`. */
CGS_PIECE double multiply_tile_with(bool cubic, const struct stencil *self, int64_t z,
                                    const struct cgs_tile *tile, bool dot, const real *x, real *y)
{
    const int64_t length = self->tiles.n[0], lines = self->tiles.n[1];
    double sum = 0.0;
    for (int64_t line = tile->begin; line < tile->end; line++) {
        const struct cgs_nine nine = nine_lines(self, x, line, z);
        real *out = y + (z * lines + line) * length;
        for (int64_t i = 0; i < length; i += CGS_STRIP) {
            const int64_t count = length - i < CGS_STRIP ? length - i : CGS_STRIP;
            cgs_stencil_strip(length, cubic, self->number, &nine, i, count, out + i);
            if (dot)
                sum += cgs_lanes_dot(count, nine.at[4] + i, out + i);
        }
    }
    return sum;
}

static CGS_CLONES double multiply_tile(const struct stencil *self, int64_t z,
                                       const struct cgs_tile *tile, bool dot, const real *x,
                                       real *y)
{
    return self->cubic ? multiply_tile_with(true, self, z, tile, dot, x, y)
                       : multiply_tile_with(false, self, z, tile, dot, x, y);
}

/* x'A x. */
CGS_PIECE double energy_of_tile_with(bool cubic, const struct stencil *self, int64_t z,
                                     const struct cgs_tile *tile, const real *x)
{
    const int64_t length = self->tiles.n[0];
    double sum = 0.0;
    for (int64_t line = tile->begin; line < tile->end; line++) {
        const struct cgs_nine nine = nine_lines(self, x, line, z);
        real out[CGS_STRIP];
        for (int64_t i = 0; i < length; i += CGS_STRIP) {
            const int64_t count = length - i < CGS_STRIP ? length - i : CGS_STRIP;
            cgs_stencil_strip(length, cubic, self->number, &nine, i, count, out);
            sum += cgs_lanes_dot(count, nine.at[4] + i, out);
        }
    }
    return sum;
}

static CGS_CLONES double energy_of_tile(const struct stencil *self, int64_t z,
                                        const struct cgs_tile *tile, const real *x)
{
    return self->cubic ? energy_of_tile_with(true, self, z, tile, x)
                       : energy_of_tile_with(false, self, z, tile, x);
}

/* x += alpha p, r -= alpha A p; returns r'r. */
CGS_PIECE double update_tile_with(bool cubic, const struct stencil *self, int64_t z,
                                  const struct cgs_tile *tile, real alpha, const real *p,
                                  real *restrict x, real *restrict r)
{
    const int64_t length = self->tiles.n[0], lines = self->tiles.n[1];
    double sum = 0.0;
    for (int64_t line = tile->begin; line < tile->end; line++) {
        const struct cgs_nine nine = nine_lines(self, p, line, z);
        const int64_t at = (z * lines + line) * length;
        real out[CGS_STRIP];
        for (int64_t i = 0; i < length; i += CGS_STRIP) {
            const int64_t count = length - i < CGS_STRIP ? length - i : CGS_STRIP;
            const real *restrict here = nine.at[4] + i;
            real *restrict to_x = x + at + i, *restrict to_r = r + at + i;
            cgs_stencil_strip(length, cubic, self->number, &nine, i, count, out);
            for (int64_t k = 0; k < count; k++) {
                to_x[k] += alpha * here[k];
                to_r[k] -= alpha * out[k];
            }
            sum += cgs_lanes_dot(count, to_r, to_r);
        }
    }
    return sum;
}

static CGS_CLONES double update_tile(const struct stencil *self, int64_t z,
                                     const struct cgs_tile *tile, real alpha, const real *p,
                                     real *restrict x, real *restrict r)
{
    return self->cubic ? update_tile_with(true, self, z, tile, alpha, p, x, r)
                       : update_tile_with(false, self, z, tile, alpha, p, x, r);
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
CGS_PIECE void residual_tile_with(bool cubic, const struct stencil *self, int64_t z,
                                  const struct cgs_tile *tile, const real *b, const real *x,
                                  real *restrict r)
{
    const int64_t length = self->tiles.n[0], lines = self->tiles.n[1];
    for (int64_t line = tile->begin; line < tile->end; line++) {
        const struct cgs_nine nine = nine_lines(self, x, line, z);
        const int64_t at = (z * lines + line) * length;
        real out[CGS_STRIP];
        for (int64_t i = 0; i < length; i += CGS_STRIP) {
            const int64_t count = length - i < CGS_STRIP ? length - i : CGS_STRIP;
            cgs_stencil_strip(length, cubic, self->number, &nine, i, count, out);
            for (int64_t k = 0; k < count; k++)
                r[at + i + k] = b[at + i + k] - out[k];
        }
    }
}

static CGS_CLONES void residual_tile(const struct stencil *self, int64_t z,
                                     const struct cgs_tile *tile, const real *b, const real *x,
                                     real *restrict r)
{
    if (self->cubic)
        residual_tile_with(true, self, z, tile, b, x, r);
    else
        residual_tile_with(false, self, z, tile, b, x, r);
}

/* ||b - A x||^2. */
CGS_PIECE double norm_of_tile_with(bool cubic, const struct stencil *self, int64_t z,
                                   const struct cgs_tile *tile, const real *b, const real *x)
{
    const int64_t length = self->tiles.n[0], lines = self->tiles.n[1];
    double sum = 0.0;
    for (int64_t line = tile->begin; line < tile->end; line++) {
        const struct cgs_nine nine = nine_lines(self, x, line, z);
        const int64_t at = (z * lines + line) * length;
        real out[CGS_STRIP];
        for (int64_t i = 0; i < length; i += CGS_STRIP) {
            const int64_t count = length - i < CGS_STRIP ? length - i : CGS_STRIP;
            cgs_stencil_strip(length, cubic, self->number, &nine, i, count, out);
            for (int64_t k = 0; k < count; k++)
                out[k] = b[at + i + k] - out[k];
            sum += cgs_lanes_dot(count, out, out);
        }
    }
    return sum;
}

static CGS_CLONES double norm_of_tile(const struct stencil *self, int64_t z,
                                      const struct cgs_tile *tile, const real *b, const real *x)
{
    return self->cubic ? norm_of_tile_with(true, self, z, tile, b, x)
                       : norm_of_tile_with(false, self, z, tile, b, x);
}

/* y = on_x x + on_y y + c d (b - A x). */
CGS_PIECE void relax_tile_with(bool cubic, const struct stencil *self, int64_t z,
                               const struct cgs_tile *tile, const struct cgs_relaxation *step)
{
    const int64_t length = self->tiles.n[0], lines = self->tiles.n[1];
    const real on_x = (real)step->on_x, on_y = (real)step->on_y, c = (real)step->c;
    for (int64_t line = tile->begin; line < tile->end; line++) {
        const struct cgs_nine nine = nine_lines(self, step->x, line, z);
        const int64_t at = (z * lines + line) * length;
        real out[CGS_STRIP];
        for (int64_t i = 0; i < length; i += CGS_STRIP) {
            const int64_t count = length - i < CGS_STRIP ? length - i : CGS_STRIP;
            const real *d = step->d ? (const real *)step->d + at + i : NULL;
            cgs_stencil_strip(length, cubic, self->number, &nine, i, count, out);
            cgs_relax(count, on_x, on_y, c, d, (const real *)step->b + at + i, out, nine.at[4] + i,
                      (real *)step->y + at + i);
        }
    }
}

static CGS_CLONES void relax_tile(const struct stencil *self, int64_t z,
                                  const struct cgs_tile *tile, const struct cgs_relaxation *step)
{
    if (self->cubic)
        relax_tile_with(true, self, z, tile, step);
    else
        relax_tile_with(false, self, z, tile, step);
}
