/* Entries of the transforms. */
#include "kernels/fdm.h"

#include <math.h>

double cgs_fdm_entry(enum cgs_fdm_kind kind, int64_t n, int64_t i, int64_t j)
{
    const double pi = 3.14159265358979323846, m = (double)n;
    switch (kind) { /* angles below 2 pi, reduced in integers */
    case CGS_FDM_SINE:
        return sin(pi * (double)((i + 1) * (j + 1) % (2 * (n + 1))) / (m + 1.0));
    case CGS_FDM_COSINE:
        return cos(pi * (double)(i * j % (2 * (n - 1))) / (m - 1.0));
    case CGS_FDM_MIXED:
        return sin(pi * (double)((i + 1) * (2 * j + 1) % (4 * n)) / (2.0 * m));
    case CGS_FDM_MIXED_REVERSED:
        return sin(pi * (double)((n - i) * (2 * j + 1) % (4 * n)) / (2.0 * m));
    case CGS_FDM_PERIODIC:
        return 2 * j <= n ? cos(2.0 * pi * (double)(i * j % n) / m)
                          : sin(2.0 * pi * (double)(i * (n - j) % n) / m);
    default:
        return 0.0;
    }
}

enum cgs_order_ends cgs_fdm_ends(enum cgs_fdm_kind kind)
{
    return kind == CGS_FDM_SINE     ? CGS_ORDER_VALUES
           : kind == CGS_FDM_COSINE ? CGS_ORDER_FREE
                                    : CGS_ORDER_MIXED;
}

int64_t cgs_fdm_cells(const struct cgs_fdm_direction *d)
{
    return (d->n + (d->kind == CGS_FDM_SINE) - (d->kind == CGS_FDM_COSINE)) / d->order;
}

/* Returns S_ij of order p by the amplitudes of the waves (fem/element/order_modes.h). */
static double order_entry(const struct cgs_fdm_direction *d, int64_t i, int64_t j)
{
    const enum cgs_order_ends ends = cgs_fdm_ends(d->kind);
    const int64_t cells = cgs_fdm_cells(d), mixed = ends == CGS_ORDER_MIXED;
    const bool cosine = ends == CGS_ORDER_FREE;
    const int64_t node = d->kind == CGS_FDM_MIXED_REVERSED ? d->n - i : i + !cosine;
    const int64_t k = node / d->order;
    const int p = d->order, a = (int)(node % p), b = p - a;
    int64_t q = j / p + 1; /* at most */
    while (cgs_order_modes_before(ends, p, cells, q) > j)
        q--;
    const double *block = d->blocks + q * p * p + (j - cgs_order_modes_before(ends, p, cells, q));
    /* angles are multiples of pi / (4 cells), reduced in integers */
    const int64_t turns = k + (2 * a > p), unit = 2 * q + mixed;
    const double step = 3.14159265358979323846 / (double)(4 * cells);
    const double angle = step * (double)(2 * turns * unit % (8 * cells));
    if (a == 0 || 2 * a == p) {
        const double at = step * (double)((2 * k + (a > 0)) * unit % (8 * cells));
        return block[(a == 0 ? 0 : p - 1) * p] * (cosine ? cos(at) : -sin(at));
    }
    if (2 * a < p)
        return block[(2 * a - 1) * p] * cos(angle) - block[2 * a * p] * sin(angle);
    return (cosine ? 1.0 : -1.0) *
           (block[(2 * b - 1) * p] * cos(angle) + block[2 * b * p] * sin(angle));
}

double cgs_fdm_entry_of(const struct cgs_fdm_direction *d, int64_t i, int64_t j)
{
    return d->kind == CGS_FDM_DENSE ? d->vectors[j * d->n + i]
           : d->order > 1           ? order_entry(d, i, j)
                                    : cgs_fdm_entry(d->kind, d->n, i, j);
}
