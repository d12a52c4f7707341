/* Linear elasticity on the unit cube of n^3 trilinear bricks with the face z = 0 fixed, E = 1 and
 * nu = 0.3, by Gauss's rule of 2^3 points: three unknowns u_x, u_y, u_z a node. */
#pragma once

#include "tests/library/library.h"

struct elastic {
    struct rows a;
    int64_t nodes;
    double *x;     /* of the nodes, 3 numbers each */
    double *modes; /* the six rigid-body modes, one after the other */
};

enum { ELASTIC_CORNERS = 8, ELASTIC_ELEMENT = 3 * ELASTIC_CORNERS, ELASTIC_MODES = 6 };

/* Corner c of a brick is at (c & 1, c >> 1 & 1, c >> 2). */
static inline int corner(int c, int k)
{
    return c >> k & 1;
}

/* The gradient of corner c's function at a point of the unit brick. */
static inline void gradient(int c, const double point[3], double g[3])
{
    double value[3];
    for (int k = 0; k < 3; k++)
        value[k] = corner(c, k) ? point[k] : 1.0 - point[k];
    for (int k = 0; k < 3; k++)
        g[k] = (corner(c, k) ? 1.0 : -1.0) * value[(k + 1) % 3] * value[(k + 2) % 3];
}

/* element[3 c + i][3 d + j] of the unit brick: lambda g_c,i g_d,j + mu g_c,j g_d,i, and
 * mu g_c . g_d where i = j. */
static inline void make_element(double element[ELASTIC_ELEMENT][ELASTIC_ELEMENT])
{
    const double nu = 0.3, lambda = nu / ((1.0 + nu) * (1.0 - 2.0 * nu)), mu = 0.5 / (1.0 + nu),
                 at[2] = {0.5 - 0.5 / sqrt(3.0), 0.5 + 0.5 / sqrt(3.0)}, weight = 1.0 / 8.0;
    memset(element, 0, sizeof(double) * ELASTIC_ELEMENT * ELASTIC_ELEMENT);
    for (int q = 0; q < ELASTIC_CORNERS; q++) {
        const double point[3] = {at[corner(q, 0)], at[corner(q, 1)], at[corner(q, 2)]};
        double g[ELASTIC_CORNERS][3];
        for (int c = 0; c < ELASTIC_CORNERS; c++)
            gradient(c, point, g[c]);
        for (int c = 0; c < ELASTIC_CORNERS; c++)
            for (int d = 0; d < ELASTIC_CORNERS; d++)
                for (int i = 0; i < 3; i++)
                    for (int j = 0; j < 3; j++) {
                        double sum = lambda * g[c][i] * g[d][j] + mu * g[c][j] * g[d][i];
                        for (int k = 0; k < 3 && i == j; k++)
                            sum += mu * g[c][k] * g[d][k];
                        element[3 * c + i][3 * d + j] += weight * sum;
                    }
    }
}

/* Entry of unknown i of a node and unknown j of its neighbour at `apart` (-1 ... 1 in x, y, z), of
 * the bricks that hold both. at: of the node, n bricks each way. */
static inline double entry(double element[ELASTIC_ELEMENT][ELASTIC_ELEMENT], int n, const int at[3],
                           const int apart[3], int i, int j)
{
    double sum = 0.0;
    for (int c = 0; c < ELASTIC_CORNERS; c++) { /* the node is that corner of the brick */
        int other = 0;
        bool there = true;
        for (int k = 0; k < 3; k++) {
            const int brick = at[k] - corner(c, k), to = corner(c, k) + apart[k];
            there = there && brick >= 0 && brick < n && (to == 0 || to == 1);
            other |= (to == 1) << k;
        }
        if (there)
            sum += element[3 * c + i][3 * other + j];
    }
    return sum / n;
}

/* Adds the row of unknown i of a node. Nodes of the plane z = 0 are fixed and have no rows. */
static inline void add_row(struct rows *a, double element[ELASTIC_ELEMENT][ELASTIC_ELEMENT], int n,
                           const int at[3], int i)
{
    const int64_t m = n + 1;
    const int64_t node = ((at[2] - 1) * m + at[1]) * m + at[0];
    for (int t = 0; t < 27; t++) {
        const int apart[3] = {t % 3 - 1, t / 3 % 3 - 1, t / 9 - 1};
        bool there = at[2] + apart[2] > 0;
        for (int k = 0; k < 3; k++)
            there = there && at[k] + apart[k] >= 0 && at[k] + apart[k] <= n;
        for (int j = 0; j < 3 && there; j++)
            rows_add(a, 3 * node + i,
                     (int32_t)(3 * (node + (apart[2] * m + apart[1]) * m + apart[0]) + j),
                     entry(element, n, at, apart, i, j));
    }
}

static inline struct elastic elastic_make(int n)
{
    static double element[ELASTIC_ELEMENT][ELASTIC_ELEMENT];
    const int64_t m = n + 1, nodes = m * m * n, rows = 3 * nodes;
    struct elastic e = {.a = rows_of(rows, 81 * rows), .nodes = nodes};
    e.x = calloc((size_t)rows, sizeof *e.x);
    e.modes = calloc((size_t)(ELASTIC_MODES * rows), sizeof *e.modes);
    make_element(element);
    for (int64_t node = 0; node < nodes; node++) {
        const int at[3] = {(int)(node % m), (int)(node / m % m), (int)(node / m / m) + 1};
        for (int i = 0; i < 3; i++) {
            const int next = (i + 1) % 3, after = (i + 2) % 3;
            double *turn = e.modes + (3 + i) * rows + 3 * node;
            add_row(&e.a, element, n, at, i);
            e.x[3 * node + i] = (double)at[i] / n;
            e.modes[i * rows + 3 * node + i] = 1.0;
            turn[next] = -(double)at[after] / n;
            turn[after] = (double)at[next] / n;
        }
    }
    return e;
}

static inline void elastic_free(struct elastic *e)
{
    rows_free(&e->a);
    free(e->x);
    free(e->modes);
}
