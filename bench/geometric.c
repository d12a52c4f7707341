/* Writes the Laplacian of a random geometric graph, plus a little of the identity, as a Matrix
 * Market file: rows of unequal length, in an order that keeps neighbours near, of any size.
 *
 *     geometric [--n=1000000] [--entries=13] [--shift=0.001] [--seed=1] FILE.mtx
 *
 * n random points of the unit cube, two of them joined where they are nearer than r; a row has
 * -1 for each neighbour and their number plus `shift` on the diagonal: symmetric, positive
 * definite. r is such that a row far from the surface has `entries` on average, the diagonal
 * among them: n 4/3 pi r^3 = entries - 1.
 *
 * Points are numbered by the cells of a grid, whose sides are at least r, x fastest: neighbours
 * lie in the 27 cells around, and parts of consecutive rows are slabs. The file, the lower
 * triangle by rows, does not depend on the number of threads.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/random.h"

/* Rows that a thread formats at a time; bytes of an entry: two numbers of 10 digits, a value. */
enum { ROWS = 4096, ENTRY_BYTES = 64, DIGITS = 12 };

struct point {
    double x[3];
};

struct graph {
    struct cgs_context context;
    int64_t n, cells; /* points; cells in each direction */
    double radius, shift;
    uint64_t seed;
    struct point *points;
    int64_t *first;  /* of each cell, and n: its first point */
    int32_t *degree; /* of each point */
    int64_t entries; /* of the lower triangle, with the diagonal */
};

static void check(struct graph *g, enum cgs_status status)
{
    if (status == CGS_OK)
        return;
    fprintf(stderr, "geometric: %s\n", g->context.message);
    exit(cgs_status_exit(status));
}

/* ---- points, in the order of cells ---- */

static struct point point_of(const struct graph *g, int64_t i)
{
    struct point p;
    for (int d = 0; d < 3; d++)
        p.x[d] = 0.5 * (cgs_random(cgs_splitmix64(g->seed) + 3 * (uint64_t)i + (uint64_t)d) + 1.0);
    return p;
}

static int64_t along(const struct graph *g, double x)
{
    const int64_t k = (int64_t)(x * (double)g->cells);
    return k < g->cells ? k : g->cells - 1;
}

static int64_t cell_of(const struct graph *g, const struct point *p)
{
    return (along(g, p->x[2]) * g->cells + along(g, p->x[1])) * g->cells + along(g, p->x[0]);
}

/* Sorts by counting: points of one cell stay in the order of their numbers. */
static void place_points(struct graph *g)
{
    const int64_t cells = g->cells * g->cells * g->cells;
    int64_t *cell;
    check(g, cgs_alloc(&g->context, g->n, sizeof *g->points, "points", (void **)&g->points));
    check(g, cgs_alloc(&g->context, cells + 2, sizeof *g->first, "cells", (void **)&g->first));
    check(g, cgs_alloc(&g->context, g->n, sizeof *cell, "cells of points", (void **)&cell));
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < g->n; i++) {
        const struct point p = point_of(g, i);
        cell[i] = cell_of(g, &p);
    }
    memset(g->first, 0, (size_t)(cells + 2) * sizeof *g->first);
    int64_t *next =
        g->first + 1; /* of cell c: where its next point goes; at the end, first[c + 1] */
    for (int64_t i = 0; i < g->n; i++)
        next[cell[i] + 1]++;
    for (int64_t c = 0; c < cells; c++)
        next[c + 1] += next[c];
    for (int64_t i = 0; i < g->n; i++)
        cell[i] = next[cell[i]]++;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < g->n; i++)
        g->points[cell[i]] = point_of(g, i);
    cgs_free(&g->context, cell);
}

/* ---- neighbours ---- */

static bool joined(const struct graph *g, const struct point *p, const struct point *q)
{
    double square = 0.0;
    for (int d = 0; d < 3; d++)
        square += (p->x[d] - q->x[d]) * (p->x[d] - q->x[d]);
    return square < g->radius * g->radius;
}

/* Points of three cells beside each other in x, that are row 0...8 of the 27 around point i. */
static void row_of_cells(const struct graph *g, int64_t i, int row, int64_t *begin, int64_t *end)
{
    const struct point *p = &g->points[i];
    const int64_t x = along(g, p->x[0]), y = along(g, p->x[1]) + row % 3 - 1;
    const int64_t z = along(g, p->x[2]) + row / 3 - 1, m = g->cells;
    if (y < 0 || y >= m || z < 0 || z >= m) {
        *begin = *end = 0;
        return;
    }
    const int64_t line = (z * m + y) * m;
    *begin = g->first[line + (x > 0 ? x - 1 : 0)];
    *end = g->first[line + (x + 1 < m ? x + 1 : x) + 1];
}

static void count_neighbours(struct graph *g)
{
    int64_t sum = 0;
    check(g, cgs_alloc(&g->context, g->n, sizeof *g->degree, "degrees", (void **)&g->degree));
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int64_t i = 0; i < g->n; i++) {
        int32_t degree = 0;
        for (int row = 0; row < 9; row++) {
            int64_t begin, end;
            row_of_cells(g, i, row, &begin, &end);
            for (int64_t j = begin; j < end; j++)
                degree += j != i && joined(g, &g->points[i], &g->points[j]);
        }
        g->degree[i] = degree;
        sum += degree;
    }
    g->entries = g->n + sum / 2;
}

/* ---- text ---- */

static char *put_number(char *to, int64_t number)
{
    char digits[DIGITS];
    int length = 0;
    do
        digits[length++] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    while (length > 0)
        *to++ = digits[--length];
    return to;
}

static char *put_row(const struct graph *g, int64_t i, char *to)
{
    char name[DIGITS];
    const size_t length = (size_t)(put_number(name, i + 1) - name);
    for (int row = 0; row < 9; row++) {
        int64_t begin, end;
        row_of_cells(g, i, row, &begin, &end);
        for (int64_t j = begin; j < end && j < i; j++) {
            if (!joined(g, &g->points[i], &g->points[j]))
                continue;
            memcpy(to, name, length);
            to[length] = ' ';
            to = put_number(to + length + 1, j + 1);
            memcpy(to, " -1\n", 4);
            to += 4;
        }
    }
    return to + sprintf(to, "%.*s %.*s %.15g\n", (int)length, name, (int)length, name,
                        g->degree[i] + g->shift);
}

/* Threads format ROWS rows each, and write in turn. */
static bool write_file(struct graph *g, FILE *file)
{
    bool good = fprintf(file,
                        "%%%%MatrixMarket matrix coordinate real symmetric\n"
                        "%% Laplacian + %g I of a random geometric graph, radius %.6g, seed %llu\n"
                        "%lld %lld %lld\n",
                        g->shift, g->radius, (unsigned long long)g->seed, (long long)g->n,
                        (long long)g->n, (long long)g->entries) > 0;
#pragma omp parallel for ordered schedule(static, 1)
    for (int64_t begin = 0; begin < g->n; begin += ROWS) {
        const int64_t end = begin + ROWS < g->n ? begin + ROWS : g->n;
        int64_t most = 0;
        for (int64_t i = begin; i < end; i++)
            most += g->degree[i] + 1;
        char *text = malloc((size_t)most * ENTRY_BYTES), *to = text;
        for (int64_t i = begin; text && i < end; i++)
            to = put_row(g, i, to);
#pragma omp ordered
        good = good && text && fwrite(text, 1, (size_t)(to - text), file) == (size_t)(to - text);
        free(text);
    }
    return good;
}

/* ---- arguments ---- */

static const char *value_of(const char *argument, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(argument, name, length) == 0 && argument[length] == '=' ? argument + length + 1
                                                                           : NULL;
}

int main(int argc, char **argv)
{
    struct graph g = {.n = 1000000, .shift = 0.001, .seed = 1};
    double entries = 13.0;
    const char *path = NULL, *v;
    bool good = true;
    for (int i = 1; i < argc; i++) {
        if ((v = value_of(argv[i], "--n")))
            g.n = (int64_t)atof(v);
        else if ((v = value_of(argv[i], "--entries")))
            entries = atof(v);
        else if ((v = value_of(argv[i], "--shift")))
            g.shift = atof(v);
        else if ((v = value_of(argv[i], "--seed")))
            g.seed = strtoull(v, NULL, 10);
        else if (argv[i][0] != '-' && !path)
            path = argv[i];
        else
            good = false;
    }
    if (!good || !path || g.n < 1 || g.n > INT32_MAX || !(entries > 1.0 && entries < 1e4)) {
        fprintf(stderr, "usage: geometric [--n=N] [--entries=E] [--shift=S] [--seed=I] FILE.mtx\n");
        return 1;
    }
    const double start = cgs_now();
    g.radius = cbrt((entries - 1.0) * 3.0 / (4.0 * 3.14159265358979 * (double)g.n));
    g.cells = g.radius < 1.0 ? (int64_t)(1.0 / g.radius) : 1;
    cgs_context_init(&g.context);
    place_points(&g);
    count_neighbours(&g);
    FILE *file = fopen(path, "w");
    good = file && write_file(&g, file);
    good = file && fclose(file) == 0 && good;
    if (!good)
        fprintf(stderr, "geometric: cannot write %s\n", path);
    else
        printf("%s: %lld rows, %lld entries, %.1f s\n", path, (long long)g.n,
               (long long)(2 * g.entries - g.n), cgs_now() - start);
    cgs_free(&g.context, g.degree);
    cgs_free(&g.context, g.first);
    cgs_free(&g.context, g.points);
    return good ? 0 : 4;
}
