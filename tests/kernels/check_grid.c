/* Transfers between grids and dense products (kernels/grid.h), against the formulas, in plain
 * double: nested grids and others, vectors in natural order and in padded lines. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fem/element/lobatto.h"
#include "kernels/grid/line.h"
#include "kernels/grid/prolongation.h"
#include "tests/support/support.h"

/* Fine, coarse of cubes: nested; halved otherwise; far isolated; the same; short lines. */
static const int64_t cubes[][2] = {
    {7, 3},  {15, 7}, {31, 15}, {71, 35}, {8, 4}, {16, 8}, {20, 10}, {33, 16}, {64, 32}, {66, 33},
    {11, 4}, {24, 9}, {6, 6},   {5, 4},   {5, 2}, {4, 2},  {3, 1},   {2, 1},   {2, 2},   {1, 1}};
/* Pairs of boxes: all directions coarsened; all but x, y, z; but two, by windows of 3, 4 and 5
 * numbers; short lines. */
static const int64_t boxes[][2][3] = {
    {{5, 9, 3}, {2, 4, 1}},    {{33, 16, 11}, {16, 8, 4}}, {{7, 15, 7}, {7, 7, 3}},
    {{9, 6, 7}, {4, 6, 3}},    {{15, 8, 5}, {7, 4, 5}},    {{35, 9, 9}, {35, 4, 4}},
    {{70, 3, 17}, {35, 3, 8}}, {{6, 5, 7}, {6, 5, 3}},     {{37, 9, 6}, {37, 4, 6}},
    {{6, 16, 6}, {6, 8, 6}},   {{3, 11, 3}, {3, 4, 3}},    {{9, 4, 6}, {4, 4, 6}},
    {{16, 6, 6}, {8, 6, 6}},   {{11, 3, 3}, {4, 3, 3}},    {{1, 8, 2}, {1, 4, 1}},
    {{2, 11, 4}, {1, 4, 4}},   {{4, 2, 5}, {4, 1, 5}},     {{5, 9, 3}, {5, 9, 3}},
    {{2, 16, 5}, {1, 8, 5}},   {{3, 2, 9}, {3, 2, 4}}};
/* Pairs of boxes with free faces and periodic directions (5; struct cgs_mesh): nested and
 * others, one cell or two, directions that are not coarsened. */
static const struct {
    int64_t n[3], m[3];
    int open[3];
} opens[] = {{{16, 8, 9}, {8, 4, 5}, {1, 2, 3}},      {{9, 15, 16}, {5, 7, 8}, {3, 0, 1}},
             {{7, 10, 11}, {4, 5, 6}, {1, 2, 3}},     {{10, 11, 7}, {5, 6, 4}, {2, 3, 1}},
             {{11, 7, 10}, {6, 4, 5}, {3, 1, 2}},     {{2, 3, 2}, {1, 2, 1}, {1, 3, 2}},
             {{3, 2, 4}, {2, 1, 2}, {3, 2, 1}},       {{70, 6, 17}, {35, 6, 9}, {1, 3, 3}},
             {{6, 37, 6}, {6, 19, 3}, {2, 3, 1}},     {{4, 2, 9}, {3, 2, 5}, {3, 3, 0}},
             {{24, 24, 26}, {10, 10, 11}, {1, 2, 3}}, {{33, 66, 6}, {17, 33, 6}, {3, 2, 1}},
             {{12, 11, 5}, {5, 5, 2}, {1, 2, 2}},     {{2, 2, 2}, {2, 2, 1}, {3, 3, 1}},
             {{6, 9, 9}, {3, 4, 4}, {5, 0, 0}},       {{9, 6, 9}, {4, 3, 4}, {0, 5, 0}},
             {{9, 9, 6}, {4, 4, 3}, {0, 0, 5}},       {{16, 8, 6}, {8, 4, 3}, {5, 5, 5}},
             {{7, 5, 11}, {4, 3, 6}, {5, 5, 5}},      {{70, 6, 9}, {35, 6, 5}, {5, 5, 3}},
             {{5, 13, 20}, {5, 7, 10}, {5, 1, 5}},    {{34, 33, 32}, {17, 17, 16}, {5, 5, 5}},
             {{12, 15, 10}, {5, 6, 4}, {5, 5, 5}}};
enum { CUBES = sizeof cubes / sizeof *cubes, CLOSED = CUBES + sizeof boxes / sizeof *boxes };
enum { PAIR_COUNT = CLOSED + sizeof opens / sizeof *opens, PADS = 4 };

/* A space of n numbers in x, y, z, in padded lines if wanted; false where the device has none
 * such. */
static bool grid_space(enum cgs_number number, const int64_t *n, bool padded,
                       struct cgs_space *space)
{
    struct cgs_layout layout = {.size = n[0] * n[1] * n[2]};
    if (padded) {
        layout.length = n[0];
        layout.rows = n[1] * n[2];
        layout.pitch = (n[0] + 16) / 16 * 16;
    }
    if (bed.backend->spaces[number]->create(bed.queue, &layout, space) == CGS_OK)
        return true;
    ck_assert(padded);
    bed_forgive();
    return false;
}

/* Two grids and what lies on them. */
struct rig {
    struct cgs_space fine, coarse;
    const struct cgs_multigrid_ops *ops;
    int64_t n[3], m[3], fine_count, coarse_count;
    int open[3];
    void *transfer;
    double *f, *c, *got; /* as many as are fine */
    void *vf, *vc;
    char words[100];
};

static bool rig_start(struct rig *r, int i, int pads)
{
    const enum cgs_number number = (enum cgs_number)(i % CGS_NUMBERS);
    const int which = i / CGS_NUMBERS;
    struct cgs_grid_pair pair = {.fine = &r->fine, .coarse = &r->coarse};
    *r = (struct rig){.ops = bed.backend->grids[number]};
    for (int d = 0; d < 3; d++) {
        r->n[d] = which < CUBES    ? cubes[which][0]
                  : which < CLOSED ? boxes[which - CUBES][0][d]
                                   : opens[which - CLOSED].n[d];
        r->m[d] = which < CUBES    ? cubes[which][1]
                  : which < CLOSED ? boxes[which - CUBES][1][d]
                                   : opens[which - CLOSED].m[d];
        r->open[d] = pair.open[d] = which < CLOSED ? 0 : opens[which - CLOSED].open[d];
        pair.fine_n[d] = r->n[d];
        pair.coarse_n[d] = r->m[d];
    }
    pair.last = r->m[2];
    snprintf(r->words, sizeof r->words, "%lld x %lld x %lld, %lld x %lld x %lld",
             (long long)r->n[0], (long long)r->n[1], (long long)r->n[2], (long long)r->m[0],
             (long long)r->m[1], (long long)r->m[2]);
    if (!grid_space(number, r->n, pads & 1, &r->fine) ||
        !grid_space(number, r->m, pads & 2, &r->coarse))
        return false;
    r->fine_count = r->fine.size;
    r->coarse_count = r->coarse.size;
    must(r->ops->transfer_create(&pair, &r->transfer));
    r->f = must_have((size_t)r->fine_count * sizeof *r->f);
    r->c = must_have((size_t)r->fine_count * sizeof *r->c);
    r->got = must_have((size_t)r->fine_count * sizeof *r->got);
    plain_vector(r->fine_count, PLAIN_RANDOM, number, 1, r->f);
    plain_vector(r->coarse_count, PLAIN_RANDOM, number, 2, r->c);
    r->vf = bed_vector(&r->fine, r->f);
    r->vc = bed_vector(&r->coarse, r->c);
    return true;
}

static void rig_end(struct rig *r)
{
    r->ops->transfer_release(r->transfer);
    r->fine.ops->free(&r->fine, r->vf);
    r->coarse.ops->free(&r->coarse, r->vc);
    free(r->f);
    free(r->c);
    free(r->got);
}

/* The first of the two coarse numbers around fine number i in direction d. */
static int64_t left_of(const struct rig *r, int d, int64_t i)
{
    return cgs_line_point((struct cgs_line){r->n[d], r->m[d], r->open[d]}, i).left;
}

/* Cells of a direction of n unknowns, and the place of number i among their nodes. */
static int64_t cells_of(const struct rig *r, int d, int64_t n)
{
    static const int fewer[] = {0, 1, 1, 2, 0, 1};
    return n + 1 - fewer[r->open[d]];
}

static int64_t node_of(const struct rig *r, int d, int64_t i)
{
    return r->open[d] & 1 ? i : i + 1;
}

/* The weight of coarse number j in fine number i, by the definition. */
static double weight(const struct rig *r, int d, int64_t i, int64_t j)
{
    const int64_t fine = cells_of(r, d, r->n[d]), coarse = cells_of(r, d, r->m[d]);
    const int64_t isolated = llabs(node_of(r, d, i) * coarse - node_of(r, d, j) * fine);
    return fmax(0.0, 1.0 - (double)isolated / (double)fine);
}

/* Returns coarse number i of direction d, which a periodic one has beyond its end, too; -1:
 * there is none. */
static int64_t coarse_number(const struct rig *r, int d, int64_t i)
{
    if (r->open[d] == CGS_PERIODIC)
        return (i + r->m[d]) % r->m[d];
    return i < r->m[d] ? i : -1;
}

/* Returns P c at one point of the fine grid. */
static double interpolated(const struct rig *r, const double *c, int64_t x, int64_t y, int64_t z)
{
    const int64_t *m = r->m, left[3] = {left_of(r, 0, x), left_of(r, 1, y), left_of(r, 2, z)};
    double sum = 0.0;
    for (int corner = 0; corner < 8; corner++) {
        const int64_t i = left[0] + (corner & 1), j = left[1] + (corner >> 1 & 1),
                      k = left[2] + (corner >> 2);
        const int64_t a = coarse_number(r, 0, i), b = coarse_number(r, 1, j),
                      s = coarse_number(r, 2, k);
        if (a >= 0 && b >= 0 && s >= 0)
            sum += weight(r, 2, z, k) * weight(r, 1, y, j) * weight(r, 0, x, i) *
                   c[(s * m[1] + b) * m[0] + a];
    }
    return sum;
}

/* The padding of a line is still zero: the space's own sum, which runs over it, sees the numbers
 * alone. */
static void check_padding(const struct cgs_space *space, const void *vector, const double *numbers)
{
    struct cgs_cg_state *state = bed_state(space, 1);
    double sum = 0.0;
    must(space->ops->dot(space, bed.queue, state, vector, vector, CGS_SUM_SCRATCH));
    must(space->ops->reduce(space, bed.queue, state, CGS_SUM_SCRATCH, 1));
    for (int64_t i = 0; i < space->size; i++)
        sum += numbers[i] * numbers[i];
    ck_assert(fabs(bed_look(space, state).sums[CGS_SUM_SCRATCH] - sum) <= 1e-11 * sum);
    space->ops->state_free(space, state);
}

static void check_prolong(struct rig *r, bool add)
{
    const int64_t *n = r->n;
    const double eps = pair_eps(&r->fine);
    void *v = bed_vector(&r->fine, add ? r->f : NULL);
    must(r->ops->prolong(r->transfer, bed.queue, NULL, add, r->vc, v));
    bed_get(&r->fine, v, r->got);
    for (int64_t i = 0; i < r->fine_count; i++) {
        const double right = (add ? r->f[i] : 0.0) +
                             interpolated(r, r->c, i % n[0], i / n[0] % n[1], i / (n[0] * n[1]));
        if (!(fabs(r->got[i] - right) <= 16 * eps))
            ck_abort_msg("N = %s: number %lld is %.17g, should be %.17g", r->words, (long long)i,
                         r->got[i], right);
    }
    check_padding(&r->fine, v, r->got);
    r->fine.ops->free(&r->fine, v);
}

LOOP_TEST(prolongation_is_interpolation, PAIR_COUNT *CGS_NUMBERS)
{
    for (int pads = 0; pads < PADS; pads++) {
        struct rig r;
        if (!rig_start(&r, _i, pads))
            continue;
        check_prolong(&r, false);
        check_prolong(&r, true);
        bed_get(&r.coarse, r.vc, r.got);
        for (int64_t i = 0; i < r.coarse_count; i++)
            ck_assert(r.got[i] == r.c[i]);
        rig_end(&r);
    }
}

/* The explicit matrix is the same interpolation. */
LOOP_TEST(rows_are_the_interpolation, PAIR_COUNT *CGS_NUMBERS)
{
    struct rig r;
    ck_assert(rig_start(&r, _i, 0));
    struct cgs_prolongation p;
    memcpy(p.n, r.n, sizeof p.n);
    memcpy(p.m, r.m, sizeof p.m);
    memcpy(p.open, r.open, sizeof p.open);
    const struct cgs_row_source source = cgs_prolongation_source(&p);
    ck_assert_int_eq(source.rows, r.fine_count);
    ck_assert_int_eq(source.columns, r.coarse_count);
    for (int64_t i = 0; i < r.fine_count; i++) {
        const double right =
            interpolated(&r, r.c, i % r.n[0], i / r.n[0] % r.n[1], i / (r.n[0] * r.n[1]));
        double values[8], sum = 0.0;
        int32_t length, columns[8];
        source.lengths(&source, i, i + 1, &length);
        ck_assert_int_le(length, 8);
        source.fill(&source, i, i + 1, columns, values);
        for (int k = 0; k < length; k++) {
            ck_assert(values[k] != 0.0 && (k == 0 || columns[k] > columns[k - 1]));
            sum += values[k] * r.c[columns[k]];
        }
        ck_assert_double_le(fabs(sum - right), 16 * DBL_EPSILON);
    }
    rig_end(&r);
}

/* P'f, each fine number to the coarse ones around it. */
static double *restricted(const struct rig *r)
{
    const int64_t *n = r->n, *m = r->m;
    double *sums = must_have((size_t)r->coarse_count * sizeof *sums);
    for (int64_t z = 0; z < n[2]; z++)
        for (int64_t y = 0; y < n[1]; y++)
            for (int64_t x = 0; x < n[0]; x++)
                for (int corner = 0; corner < 8; corner++) {
                    const int64_t i = left_of(r, 0, x) + (corner & 1);
                    const int64_t j = left_of(r, 1, y) + (corner >> 1 & 1);
                    const int64_t k = left_of(r, 2, z) + (corner >> 2);
                    const int64_t a = coarse_number(r, 0, i), b = coarse_number(r, 1, j),
                                  s = coarse_number(r, 2, k);
                    if (a >= 0 && b >= 0 && s >= 0)
                        sums[(s * m[1] + b) * m[0] + a] += weight(r, 2, z, k) * weight(r, 1, y, j) *
                                                           weight(r, 0, x, i) *
                                                           r->f[(z * n[1] + y) * n[0] + x];
                }
    return sums;
}

LOOP_TEST(restriction_is_the_transpose, PAIR_COUNT *CGS_NUMBERS)
{
    for (int pads = 0; pads < PADS; pads++) {
        struct rig r;
        if (!rig_start(&r, _i, pads))
            continue;
        double *right = restricted(&r);
        void *v = bed_vector(&r.coarse, NULL);
        must(r.ops->restrict_to(r.transfer, bed.queue, NULL, r.vf, v));
        bed_get(&r.coarse, v, r.got);
        for (int64_t i = 0; i < r.coarse_count; i++) /* the weights' sum is 2.5^3 at most */
            if (!(fabs(r.got[i] - right[i]) <= 150 * pair_eps(&r.fine)))
                ck_abort_msg("N = %s: number %lld is %.17g, should be %.17g", r.words, (long long)i,
                             r.got[i], right[i]);
        check_padding(&r.coarse, v, r.got);
        bed_get(&r.fine, r.vf, r.got);
        for (int64_t i = 0; i < r.fine_count; i++)
            ck_assert(r.got[i] == r.f[i]);
        free(right);
        r.coarse.ops->free(&r.coarse, v);
        rig_end(&r);
    }
}

/* Computes the coordinates of number i of a grid in the unit cube. */
static void place(const struct rig *r, const int64_t *n, int64_t i, double at[3])
{
    const int64_t index[3] = {i % n[0], i / n[0] % n[1], i / (n[0] * n[1])};
    for (int d = 0; d < 3; d++)
        at[d] = (double)node_of(r, d, index[d]) / (double)cells_of(r, d, n[d]);
}

static double trilinear(const double at[3])
{
    return (1 + at[0]) * (2 - at[1]) * (1 + 3 * at[2]);
}

/* A product of linear functions, where all eight coarse numbers are in the box: up to free
 * faces. */
LOOP_TEST(trilinear_functions_stay, PAIR_COUNT *CGS_NUMBERS)
{
    struct rig r;
    double at[3];
    ck_assert(rig_start(&r, _i, 0));
    for (int64_t i = 0; i < r.coarse_count; i++) {
        place(&r, r.m, i, at);
        r.c[i] = trilinear(at);
    }
    must(r.coarse.ops->put(&r.coarse, r.c, 0, r.coarse_count, r.vc));
    must(r.ops->prolong(r.transfer, bed.queue, NULL, false, r.vc, r.vf));
    bed_get(&r.fine, r.vf, r.got);
    for (int64_t i = 0; i < r.fine_count; i++) {
        bool within = true;
        place(&r, r.n, i, at);
        for (int d = 0; d < 3; d++) {
            const double H = 1.0 / (double)cells_of(&r, d, r.m[d]);
            within = within && at[d] >= ((r.open[d] & 1) ? 0.0 : H) &&
                     at[d] <= ((r.open[d] & 2) ? 1.0 : 1.0 - H);
        }
        const double right = trilinear(at);
        if (within)
            ck_assert(fabs(r.got[i] - right) <= 16 * pair_eps(&r.fine) * right);
    }
    rig_end(&r);
}

/* ---- orders ---- */

/* Held, free and periodic ends (struct cgs_mesh); the first box is more than a tile of CUDA. */
static const struct {
    int64_t cells[3];
    int open[3];
} ends[] = {
    {{0, 0, 3}, {0, 0, 0}}, {{2, 3, 2}, {3, 1, 2}}, {{2, 4, 5}, {2, 3, 1}}, {{3, 4, 3}, {5, 5, 5}}};
enum { ENDS = sizeof ends / sizeof *ends, ORDERS = CGS_ORDER_MOST - 1 };

static int64_t cells_at(int end, int k, int p)
{
    return ends[end].cells[k] > 0 ? ends[end].cells[k] : 64 / p / (k + 1) + 1;
}

/* A line of the box with all its nodes. */
struct nodes {
    int64_t cells, count, numbers; /* numbers: unknowns */
    int open;
};

static struct nodes line_of(int order, int64_t count, int open)
{
    const int fewer = (open & 1) + (open >> 1 & 1);
    return (struct nodes){count, order * count + 1, order * count - 1 + fewer, open};
}

/* Returns the unknown of a node; -1: held. */
static int64_t line_number(const struct nodes *line, int64_t node)
{
    const int64_t i = node - 1 + (line->open & 1);
    return cgs_periodic(line->open) ? i % line->numbers : i >= line->numbers ? -1 : i;
}

/* Weights of all coarse unknowns in that of a fine node, from the polynomials of order q. */
static void line_weights(const struct nodes *fine, const struct nodes *coarse, int p, int q,
                         int64_t node, double *weight)
{
    struct cgs_lobatto from, to;
    double value[CGS_NODES_MOST], slope[CGS_NODES_MOST];
    const int64_t cell = node / p < fine->cells ? node / p : fine->cells - 1;
    cgs_lobatto_make(q, &from);
    cgs_lobatto_make(p, &to);
    cgs_lagrange(&from, to.point[node - cell * p], value, slope);
    for (int64_t j = 0; j < coarse->numbers; j++)
        weight[j] = 0.0;
    for (int a = 0; a <= q; a++) {
        const int64_t j = line_number(coarse, cell * q + a);
        if (j >= 0)
            weight[j] += value[a];
    }
}

/* right = P c by whole lines, direction after direction. */
static void interpolate_orders(const struct nodes fine[3], const struct nodes coarse[3], int p,
                               int q, const double *c, double *right)
{
    int64_t n[3] = {coarse[0].numbers, coarse[1].numbers, coarse[2].numbers};
    int64_t most = fine[0].numbers * fine[1].numbers * fine[2].numbers;
    double *from = must_have((size_t)most * sizeof *from), *weight = must_have(1000);
    memcpy(from, c, (size_t)(n[0] * n[1] * n[2]) * sizeof *from);
    for (int k = 0; k < 3; k++) {
        const int64_t inner = k == 0 ? 1 : k == 1 ? n[0] : n[0] * n[1];
        const int64_t outer = n[0] * n[1] * n[2] / inner / n[k], count = fine[k].numbers;
        for (int64_t node = 0; node < fine[k].count; node++) {
            const int64_t i = line_number(&fine[k], node);
            if (i < 0)
                continue;
            line_weights(&fine[k], &coarse[k], p, q, node, weight);
            for (int64_t o = 0; o < outer; o++)
                for (int64_t s = 0; s < inner; s++) {
                    double sum = 0.0;
                    for (int64_t j = 0; j < n[k]; j++)
                        sum += weight[j] * from[(o * n[k] + j) * inner + s];
                    right[(o * count + i) * inner + s] = sum;
                }
        }
        n[k] = count;
        memcpy(from, right, (size_t)(n[0] * n[1] * n[2]) * sizeof *from);
    }
    free(from);
    free(weight);
}

/* P is the interpolation by polynomials, P' its transpose; f + P c adds; the same bits by one
 * thread and by three, in natural order and in padded lines where the device has these. */
static void check_orders(int p, int q, int end, enum cgs_number number)
{
    const double eps = number == CGS_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
    const struct cgs_multigrid_ops *ops = bed.backend->grids[number];
    struct nodes fine[3], coarse[3];
    struct cgs_grid_pair pair = {.fine_order = p, .coarse_order = q};
    for (int k = 0; k < 3; k++) {
        fine[k] = line_of(p, cells_at(end, k, p), ends[end].open[k]);
        coarse[k] = line_of(q, cells_at(end, k, p), ends[end].open[k]);
        pair.fine_n[k] = fine[k].numbers;
        pair.coarse_n[k] = pair.last = coarse[k].numbers;
        pair.open[k] = ends[end].open[k];
    }
    const int64_t n = pair.fine_n[0] * pair.fine_n[1] * pair.fine_n[2];
    const int64_t m = pair.coarse_n[0] * pair.coarse_n[1] * pair.coarse_n[2];
    struct cgs_space spaces[2];
    double *f = must_have((size_t)n * sizeof(double)), *c = must_have((size_t)n * sizeof(double)),
           *right = must_have((size_t)n * sizeof(double)),
           *up[2] = {must_have((size_t)n * sizeof(double)), must_have((size_t)n * sizeof(double))},
           *down[2] = {must_have((size_t)n * sizeof(double)),
                       must_have((size_t)n * sizeof(double))};
    plain_vector(n, PLAIN_RANDOM, number, 1, f);
    plain_vector(m, PLAIN_RANDOM, number, 2, c);
    pair.fine = &spaces[0];
    pair.coarse = &spaces[1];
    for (int t = 0; t < 2; t++) {
        for (int k = 0; k < 2; k++) {
            const int64_t *numbers = k == 0 ? pair.fine_n : pair.coarse_n;
            if (!grid_space(number, numbers, t == 1, &spaces[k]))
                ck_assert(grid_space(number, numbers, false, &spaces[k]));
        }
        void *transfer, *vf = bed_vector(pair.fine, f), *vc = bed_vector(pair.coarse, c),
                        *to = bed_vector(pair.coarse, NULL);
        bed.context.threads = 1 + 2 * t;
        must(ops->transfer_create(&pair, &transfer));
        must(ops->restrict_to(transfer, bed.queue, NULL, vf, to));
        must(ops->prolong(transfer, bed.queue, NULL, true, vc, vf));
        bed_get(pair.coarse, to, down[t]);
        check_padding(pair.coarse, to, down[t]);
        bed_get(pair.fine, vf, up[t]);
        check_padding(pair.fine, vf, up[t]);
        if (t == 1) { /* without f */
            must(ops->prolong(transfer, bed.queue, NULL, false, vc, vf));
            bed_get(pair.fine, vf, up[1]);
        }
        ops->transfer_release(transfer);
        pair.coarse->ops->free(pair.coarse, to);
        pair.coarse->ops->free(pair.coarse, vc);
        pair.fine->ops->free(pair.fine, vf);
    }
    bed.context.threads = 2;
    ck_assert(memcmp(down[0], down[1], (size_t)m * sizeof(double)) == 0);
    interpolate_orders(fine, coarse, p, q, c, right);
    double forth = 0.0, back = 0.0, all = 0.0;
    for (int64_t i = 0; i < n; i++) {
        ck_assert_double_le(fabs(up[1][i] - right[i]), 64.0 * eps);
        ck_assert_double_le(fabs(up[0][i] - f[i] - right[i]), 64.0 * eps);
        forth += f[i] * right[i];
        all += fabs(f[i] * right[i]);
    }
    for (int64_t j = 0; j < m; j++)
        back += c[j] * down[0][j];
    ck_assert_double_le(fabs(forth - back), 64.0 * eps * all);
    free(f);
    free(c);
    free(right);
    for (int t = 0; t < 2; t++) {
        free(up[t]);
        free(down[t]);
    }
}

LOOP_TEST(orders_transfer_by_polynomials, ORDERS)
{
    const int p = _i + 2;
    for (int end = 0; end < ENDS; end++)
        for (int number = 0; number < CGS_NUMBERS; number++)
            check_orders(p, (p + 1) / 2, end, (enum cgs_number)number);
}

/* ---- dense ---- */

static void check_dense(enum cgs_number number, int64_t k, bool padded)
{
    struct cgs_space space;
    if (!grid_space(number, (const int64_t[]){k, k, k}, padded, &space))
        return;
    const int64_t n = space.size;
    const struct cgs_multigrid_ops *ops = bed.backend->grids[number];
    double *entries = must_have((size_t)(n * n) * sizeof *entries);
    double *x = must_have((size_t)n * sizeof *x), *got = must_have((size_t)n * sizeof *got);
    void *dense, *vx, *vy = bed_vector(&space, NULL);
    plain_vector(n * n, PLAIN_RANDOM, number, 5, entries);
    plain_vector(n, PLAIN_RANDOM, number, 6, x);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++)
            entries[i * n + j] = entries[j * n + i];
    vx = bed_vector(&space, x);
    must(ops->dense_create(&space, entries, &dense));
    must(ops->dense_apply(dense, bed.queue, NULL, vx, vy));
    bed_get(&space, vy, got);
    for (int64_t i = 0; i < n; i++) {
        double right = 0.0, all = 0.0;
        for (int64_t j = 0; j < n; j++) {
            right += entries[i * n + j] * x[j];
            all += fabs(entries[i * n + j] * x[j]);
        }
        ck_assert(fabs(got[i] - right) <= (double)(n + 2) * pair_eps(&space) * all);
    }
    check_padding(&space, vy, got);
    ops->dense_release(dense);
    space.ops->free(&space, vx);
    space.ops->free(&space, vy);
    free(entries);
    free(x);
    free(got);
}

LOOP_TEST(dense_product, CGS_NUMBERS)
{
    for (int64_t k = 1; k <= 10; k++)
        for (int padded = 0; padded < 2; padded++)
            check_dense((enum cgs_number)_i, k, padded);
    bed.backend->grids[_i]->dense_release(NULL);
    bed.backend->grids[_i]->transfer_release(NULL);
}

/* Once there is a reason to stop, nothing is written. */
LOOP_TEST(steps_stop, 2 * CGS_NUMBERS)
{
    static const double one = 1.0;
    struct rig r;
    void *dense, *vx = NULL, *vy = NULL;
    ck_assert(rig_start(&r, _i, 0));
    const struct cgs_space single = bed_space(r.fine.number, 1);
    struct cgs_cg_state *state = bed_state(&r.fine, 1);
    must(r.ops->dense_create(&single, &one, &dense));
    vx = bed_vector(&single, &one);
    vy = bed_vector(&single, NULL);
    for (int stopped = 1; stopped >= 0; stopped--) {
        bed_reason(&r.fine, state, stopped ? CGS_CONVERGED : CGS_GOING_ON);
        must(r.ops->restrict_to(r.transfer, bed.queue, state, r.vf, r.vc));
        bed_get(&r.coarse, r.vc, r.got);
        ck_assert((r.got[0] == r.c[0]) == (stopped || (r.fine_count == 1 && r.f[0] == r.c[0])));
        must(r.ops->prolong(r.transfer, bed.queue, state, false, r.vc, r.vf));
        bed_get(&r.fine, r.vf, r.got);
        ck_assert((r.got[0] == r.f[0]) == (stopped || r.fine_count == r.coarse_count));
        must(r.ops->dense_apply(dense, bed.queue, state, vx, vy));
        bed_get(&single, vy, r.got);
        ck_assert(stopped ? isnan(r.got[0]) : r.got[0] == 1.0);
    }
    r.ops->dense_release(dense);
    single.ops->free(&single, vx);
    single.ops->free(&single, vy);
    r.fine.ops->state_free(&r.fine, state);
    rig_end(&r);
}

int main(void)
{
    return bed_tests("grids", 120);
}
