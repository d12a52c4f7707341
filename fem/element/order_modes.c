#include "fem/element/order_modes.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "fem/element/lobatto.h"

static_assert(CGS_INNER_MOST == CGS_ORDER_MOST - 1, "inner nodes of the highest order");

/* ---- the cell ---- */

enum { HALF = CGS_ORDER_MOST / 2, SWEEPS = 10 };

/* Diagonalises a symmetric matrix of order n by Jacobi's rotations: its eigenvalues are left on the
 * diagonal, vectors are columns of V. */
static void diagonalise(int n, double A[HALF][HALF], double V[HALF][HALF])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            V[i][j] = i == j;
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++) {
                if (A[i][j] == 0.0)
                    continue;
                const double ratio = (A[j][j] - A[i][i]) / (2.0 * A[i][j]);
                const double t = copysign(1.0, ratio) / (fabs(ratio) + hypot(1.0, ratio));
                const double c = 1.0 / hypot(1.0, t), s = t * c;
                for (int k = 0; k < n; k++) {
                    const double a = A[k][i], b = A[k][j];
                    A[k][i] = c * a - s * b;
                    A[k][j] = s * a + c * b;
                }
                for (int k = 0; k < n; k++) {
                    const double a = A[i][k], b = A[j][k], v = V[k][i], u = V[k][j];
                    A[i][k] = c * a - s * b;
                    A[j][k] = s * a + c * b;
                    V[k][i] = c * v - s * u;
                    V[k][j] = s * v + c * u;
                }
                A[i][j] = A[j][i] = 0.0;
            }
}

/* The derivative at point q of part i of the nodes: i = 0 is that of the vertices. */
static double slope_of(const struct cgs_lobatto *lobatto, bool odd, int q, int i)
{
    const double *slope = lobatto->slope + q * CGS_NODES_MOST;
    const int p = lobatto->order;
    const double low = slope[i], high = slope[p - i];
    if (2 * i == p)
        return low;
    return sqrt(0.5) * (!odd ? low + high : i == 0 ? high - low : low - high);
}

static void find_part(const struct cgs_lobatto *lobatto, bool odd, struct cgs_cell_modes *cell)
{
    const int p = lobatto->order, n = odd ? (p - 1) / 2 : p / 2, at = odd ? cell->even : 0;
    const double *w = lobatto->weight;
    double A[HALF][HALF], V[HALF][HALF];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int q = 0; q <= p; q++)
                sum += w[q] * slope_of(lobatto, odd, q, i + 1) * slope_of(lobatto, odd, q, j + 1);
            A[i][j] = sum / sqrt(w[i + 1] * w[j + 1]);
        }
    diagonalise(n, A, V);
    for (int m = 0; m < n; m++) {
        cell->mu[at + m] = A[m][m];
        for (int i = 0; i < n; i++) {
            const double part = V[i][m] / sqrt(w[i + 1]);
            cell->Q[at + i][at + m] = part;
            for (int q = 0; q <= p; q++)
                cell->beta[at + m] +=
                    part * w[q] * slope_of(lobatto, odd, q, i + 1) * slope_of(lobatto, odd, q, 0);
        }
    }
}

void cgs_cell_modes_make(int order, struct cgs_cell_modes *cell)
{
    struct cgs_lobatto lobatto;
    cgs_lobatto_make(order, &lobatto);
    memset(cell, 0, sizeof *cell);
    cell->order = order;
    cell->even = order / 2;
    cell->weight = lobatto.weight[0];
    find_part(&lobatto, false, cell);
    find_part(&lobatto, true, cell);
}

/* ---- waves ---- */

/* constant + sum_i weight_i / (pole_i - l); poles ascend. */
struct secular {
    int poles;
    double pole[CGS_ORDER_MOST], weight[CGS_ORDER_MOST], constant;
};

static void add_pole(struct secular *s, double pole, double weight)
{
    int at = s->poles++;
    for (; at > 0 && s->pole[at - 1] > pole; at--) {
        s->pole[at] = s->pole[at - 1];
        s->weight[at] = s->weight[at - 1];
    }
    s->pole[at] = pole;
    s->weight[at] = weight;
}

/* Returns its value at origin + delta, where origin is a pole. */
static double value_at(const struct secular *s, double origin, double delta)
{
    double sum = s->constant;
    for (int i = 0; i < s->poles; i++)
        sum += s->weight[i] / ((s->pole[i] - origin) - delta);
    return sum;
}

/* Finds the root after pole j as the nearest pole and the distance from it, so that pole - root has
 * no cancellation. */
static void find_root(const struct secular *s, int j, double *origin, double *delta)
{
    double sum = 0.0, from = 0.0, to;
    for (int i = 0; i < s->poles; i++)
        sum += s->weight[i];
    *origin = s->pole[j];
    if (j + 1 == s->poles) {
        to = 1.0 + sum / s->constant;
    } else {
        to = 0.5 * (s->pole[j + 1] - s->pole[j]);
        if (value_at(s, *origin, to) < 0.0) {
            *origin = s->pole[j + 1];
            from = -to;
            to = 0.0;
        }
    }
    for (;;) {
        *delta = from + 0.5 * (to - from);
        if (*delta == from || *delta == to)
            return;
        if (value_at(s, *origin, *delta) < 0.0)
            from = *delta;
        else
            to = *delta;
    }
}

/* A mode's numbers of the vertices and of the even and odd parts of inner nodes. */
struct wave {
    double l, vertex, part[CGS_INNER_MOST];
};

/* From inner modes to parts of nodes, and to length 1. */
static void finish(const struct cgs_cell_modes *cell, struct wave *wave)
{
    const int inner = cell->order - 1;
    double mode[CGS_INNER_MOST], square = 2.0 * cell->weight * wave->vertex * wave->vertex;
    for (int m = 0; m < inner; m++) {
        mode[m] = wave->part[m];
        square += mode[m] * mode[m];
    }
    wave->vertex /= sqrt(square);
    for (int i = 0; i < inner; i++) {
        wave->part[i] = 0.0;
        for (int m = 0; m < inner; m++)
            wave->part[i] += cell->Q[i][m] * mode[m] / sqrt(square);
    }
}

/* Finds the modes whose vertices have a wave with C and S; returns how many there are. */
static int find_waves(const struct cgs_cell_modes *cell, double C, double S, struct wave *wave)
{
    struct secular s = {.constant = 2.0 * cell->weight};
    int modes = 0;
    if (S > 0.0)
        add_pole(&s, 0.0, S * S);
    for (int m = 0; m < cell->order - 1; m++) {
        const double by = m < cell->even ? C : S;
        if (by != 0.0)
            add_pole(&s, cell->mu[m], by * by * cell->beta[m] * cell->beta[m] / cell->mu[m]);
    }
    for (int j = S > 0.0 ? 0 : -1; j < s.poles; j++, modes++) { /* -1: the constant */
        double origin = 0.0, delta = 0.0;
        if (j >= 0)
            find_root(&s, j, &origin, &delta);
        wave[modes] = (struct wave){.l = origin + delta, .vertex = 1.0};
        for (int m = 0; m < cell->order - 1; m++) {
            const double by = m < cell->even ? C : S;
            if (by != 0.0)
                wave[modes].part[m] = -by * cell->beta[m] / ((cell->mu[m] - origin) - delta);
        }
        finish(cell, &wave[modes]);
    }
    return modes;
}

/* Those of inner nodes alone, all even or all odd. */
static int find_inner(const struct cgs_cell_modes *cell, bool odd, struct wave *wave)
{
    int modes = 0;
    for (int m = odd ? cell->even : 0; m < (odd ? cell->order - 1 : cell->even); m++, modes++) {
        wave[modes] = (struct wave){.l = cell->mu[m]};
        wave[modes].part[m] = 1.0;
        finish(cell, &wave[modes]);
    }
    return modes;
}

void cgs_order_line_modes(const struct cgs_cell_modes *cell, enum cgs_order_ends ends,
                          int64_t cells, double *l, double *block)
{
    const int p = cell->order;
    const bool mixed = ends == CGS_ORDER_MIXED, cosine = ends == CGS_ORDER_FREE;
    const double pi = 3.14159265358979323846;
    for (int64_t q = 0; q < cgs_order_angles(ends, cells); q++, block += p * p) {
        const bool at_0 = !mixed && q == 0, at_pi = !mixed && q == cells;
        const double half = 0.25 * pi * (double)(2 * q + mixed) / (double)cells;
        const double cs = at_pi ? 0.0 : cos(half), sn = at_0 ? 0.0 : sin(half);
        const double scale = sqrt((at_0 || at_pi ? 1.0 : 2.0) / (double)cells);
        struct wave wave[CGS_ORDER_MOST];
        const int modes = ends == CGS_ORDER_VALUES && (at_0 || at_pi)
                              ? find_inner(cell, at_0, wave)
                              : find_waves(cell, sqrt(2.0) * cs, sqrt(2.0) * sn, wave);
        memset(block, 0, (size_t)(p * p) * sizeof *block);
        for (int r = 0; r < modes; r++) {
            const double own = cosine ? scale : -scale;
            *l++ = wave[r].l;
            block[r] = own * wave[r].vertex;
            for (int s = 1; 2 * s < p; s++) {
                const double even = sqrt(0.5) * scale * wave[r].part[s - 1],
                             odd = sqrt(0.5) * scale * wave[r].part[cell->even + s - 1];
                block[(2 * s - 1) * p + r] = cosine ? cs * even - sn * odd : sn * even + cs * odd;
                block[2 * s * p + r] = cosine ? sn * even + cs * odd : sn * odd - cs * even;
            }
            if (p % 2 == 0)
                block[(p - 1) * p + r] = own * wave[r].part[p / 2 - 1];
        }
    }
}
