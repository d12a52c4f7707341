/* Fast diagonalisation: separable boxes are sums of Kronecker products to rounding, their inverse
 * solves A x = b to rounding, as a dense factorisation does, with the same bits for any number of
 * threads, and the nearest separable box is a positive definite preconditioner within its bound.
 *
 *     check_fdm 2000           so many random boxes against the dense factorisation
 *     check_fdm 100 300        and lines of 2 to 300 cells
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "core/precond/modes.h"
#include "fem/assembly.h"
#include "fem/element/lobatto.h"
#include "fem/separable.h"
#include "matrix/ranks/portion.h"
#include "tests/support/ranks.h"
#include "tests/support/rows.h"
#include "tests/support/support.h"

enum { BOXES = CHECK_SMALL ? 40 : 200, GROUPS = 4 };

static long dense_boxes = CHECK_SMALL ? 40 : 300, longest = 40; /* or of the command line */

/* ---- boxes ---- */

/* Ends of a line: free faces, with transfer or without, or periodic. */
enum ends { VALUES, HIGH_FREE, LOW_FREE, FREE, TRANSFER, PERIODIC, ENDS };

/* A box by the ends of its lines; to be released. */
struct box {
    struct cgs_mesh mesh;
    double *cells; /* kappa and transfer; NULL: kappa is 1 */
    uint64_t seed;
    bool layered; /* a reaction that differs from the factors in one direction */
};

static double draw(struct box *box)
{
    return cgs_random(box->seed++); /* in [-1, 1) */
}

static int draw_one(struct box *box, int of)
{
    const int one = (int)(0.5 * (draw(box) + 1.0) * of);
    return one < of ? one : of - 1;
}

/* Factors of cells: constant, layers of a contrast of 1e6, or any numbers. */
static void draw_factors(struct box *box, int64_t count, double *factors)
{
    const int how = draw_one(box, 3);
    for (int64_t c = 0; c < count; c++)
        factors[c] = how == 0 ? 1.0 : how == 1 ? (c * 3 / count % 2 ? 1e3 : 1e-3) : exp(draw(box));
}

/* cells: of the box, in each direction. layers: kappa is a product of factors; else it is constant.
 * orthotropic: three products that go together. Some have a reaction with the factors of masses, or
 * with others in one direction. */
static struct box make_box(uint64_t seed, const int64_t cells[3], const enum ends ends[3],
                           bool layers, bool orthotropic, enum cgs_quadrature rule)
{
    static const int open[ENDS] = {0, 2, 1, 3, 3, CGS_PERIODIC};
    struct box box = {.seed = 1000 * seed};
    const double size[3] = {1.0, 1.5, 0.75};
    int64_t n[3];
    for (int k = 0; k < 3; k++) {
        const int o = open[ends[k]];
        n[k] = cells[k] - 1 + (o & 1) + (o >> 1 & 1);
    }
    box.mesh = cgs_mesh_box(n, size, rule, seed % 2 ? 1.0 : 3.0);
    for (int k = 0; k < 3; k++)
        box.mesh.open[k] = open[ends[k]];
    cgs_mesh_resize(&box.mesh, n);
    if (!layers && !cgs_mesh_open(&box.mesh))
        return box;
    double *factor[2][3], transfer[3][2]; /* [mass, stiff] */
    for (int k = 0; k < 3; k++) {
        for (int f = 0; f < 2; f++)
            factor[f][k] = must_have((size_t)(n[k] + 1) * sizeof(double));
        draw_factors(&box, n[k] + 1, factor[0][k]);
        draw_factors(&box, n[k] + 1, factor[1][k]);
        for (int64_t c = 0; c <= n[k]; c++) {
            if (!layers)
                factor[0][k][c] = 1.0;
            if (!orthotropic)
                factor[1][k][c] = factor[0][k][c];
        }
        transfer[k][0] = ends[k] == TRANSFER ? 2.0 + draw(&box) : 0.0;
        transfer[k][1] = ends[k] == TRANSFER ? 2.0 + draw(&box) : 0.0;
    }
    const int64_t all = cgs_mesh_all_cells(&box.mesh);
    const bool reaction = draw_one(&box, 3) == 0;
    const double absorbed = exp(5.0 * draw(&box));
    const int layered = draw_one(&box, 5); /* a direction in whose layers it is anything, or none */
    double *layer = must_have((size_t)(n[0] + n[1] + n[2]) * sizeof(double));
    for (int64_t c = 0; c < n[0] + n[1] + n[2]; c++)
        layer[c] = c % 4 == 1 ? 0.0 : exp(3.0 * draw(&box));
    box.cells = must_have((size_t)(CGS_MOST_NUMBERS * all) * sizeof(double));
    box.mesh.kappa.kind = CGS_KAPPA_CELLS;
    box.mesh.kappa.cells = box.cells;
    box.mesh.kappa.orthotropic = orthotropic || reaction;
    box.mesh.kappa.reaction = reaction;
    for (int64_t i = 0; i < all; i++) {
        const int64_t c[3] = {i % (n[0] + 1), i / (n[0] + 1) % (n[1] + 1),
                              i / ((n[0] + 1) * (n[1] + 1))};
        int voids = 0, outside = 0;
        int64_t at[3];
        for (int k = 0; k < 3; k++) {
            at[k] = cgs_mesh_repeats(&box.mesh, k, c[k]) ? n[k] : c[k];
            if (cgs_mesh_void(&box.mesh, k, c[k])) {
                voids++;
                outside = k;
            }
        }
        for (int k = 0; k < 3; k++) {
            double product = k == 0 && voids == 0 ? 1.25 : 1.0;
            for (int d = 0; d < 3; d++)
                product *= voids > 0 ? (d == outside ? transfer[d][c[d] > 0] : factor[0][d][at[d]])
                                     : factor[d == k][d][at[d]];
            box.cells[k * all + i] =
                voids > 1 ? 0.0
                : orthotropic || voids > 0
                    ? product
                    : 1.25 * factor[0][0][at[0]] * factor[0][1][at[1]] * factor[0][2][at[2]];
        }
        double *absorb = &box.cells[CGS_REACTION * all + i];
        *absorb = voids > 0 ? 0.0 : absorbed;
        for (int d = 0; d < 3; d++)
            *absorb *= d == layered ? layer[at[d]] : factor[0][d][at[d]];
    }
    box.layered = reaction && layered < 3;
    free(layer);
    for (int k = 0; k < 3; k++)
        for (int f = 0; f < 2; f++)
            free(factor[f][k]);
    return box;
}

/* Cells in each direction: fewer than `most`. */
static struct box random_box_of(uint64_t seed, int most)
{
    struct box box = {.seed = 77 * seed};
    int64_t cells[3];
    enum ends ends[3];
    for (int k = 0; k < 3; k++) {
        ends[k] = (enum ends)draw_one(&box, ENDS);
        const int least = ends[k] == PERIODIC ? 3 : 2;
        cells[k] = least + draw_one(&box, most - least);
    }
    const bool layers = draw_one(&box, 3) > 0, orthotropic = draw_one(&box, 3) == 0;
    return make_box(seed, cells, ends, layers, layers && orthotropic,
                    draw_one(&box, 2) ? CGS_GAUSS : CGS_BLENDED);
}

static struct box random_box(uint64_t seed)
{
    return random_box_of(seed, 9);
}

static void describe(const struct box *box, uint64_t seed)
{
    printf("box %llu: %lld x %lld x %lld, open %d %d %d, %s%s\n", (unsigned long long)seed,
           (long long)box->mesh.n[0], (long long)box->mesh.n[1], (long long)box->mesh.n[2],
           box->mesh.open[0], box->mesh.open[1], box->mesh.open[2], box->cells ? "cells" : "plain",
           box->mesh.kappa.reaction      ? ", reaction"
           : box->mesh.kappa.orthotropic ? ", orthotropic"
                                         : "");
}

static struct rows rows_of(const struct cgs_mesh *mesh)
{
    struct cgs_row_source source;
    must(cgs_assembler_create(&bed.context, mesh, cgs_gather_of(mesh), &source));
    const struct rows rows = rows_gather(&source, 64);
    cgs_assembler_release(&bed.context, &source);
    return rows;
}

/* ---- the sum of products ---- */

static double entry_of(const double *own, const double *off, int64_t n, bool periodic, int64_t i,
                       int64_t j)
{
    return i == j                                             ? own[i]
           : j == i + 1                                       ? off[i]
           : i == j + 1                                       ? off[j]
           : periodic && (i == 0 || j == 0) && i + j == n - 1 ? off[n - 1]
                                                              : 0.0;
}

static void check_sum(uint64_t seed)
{
    struct box box = random_box(seed);
    const int64_t *n = box.mesh.n;
    struct cgs_separable separable;
    struct cgs_line_matrices line[3];
    describe(&box, seed);
    must(cgs_separable_create(&bed.context, &box.mesh, &separable));
    ck_assert_msg(separable.exact, "%s", separable.why);
    ck_assert_double_eq(separable.spread, 1.0);
    for (int k = 0; k < 3; k++) {
        double *memory = must_have((size_t)(4 * n[k]) * sizeof(double));
        line[k] =
            (struct cgs_line_matrices){memory, memory + n[k], memory + 2 * n[k], memory + 3 * n[k]};
        cgs_separable_matrices(&separable, k, &line[k]);
    }
    struct rows rows = rows_of(&box.mesh);
    for (int64_t r = 0; r < rows.count; r++) {
        const int64_t i[3] = {r % n[0], r / n[0] % n[1], r / (n[0] * n[1])};
        double largest = 0.0;
        for (int64_t e = rows.start[r]; e < rows.start[r + 1]; e++)
            largest = fmax(largest, fabs(rows.values[e]));
        for (int64_t e = rows.start[r]; e < rows.start[r + 1]; e++) {
            const int64_t c = rows.columns[e],
                          j[3] = {c % n[0], c / n[0] % n[1], c / (n[0] * n[1])};
            double sum = 0.0;
            for (int k = 0; k < CGS_MOST_NUMBERS; k++) {
                double product = k == CGS_REACTION ? separable.reaction : 1.0;
                for (int d = 0; d < 3; d++)
                    product *= d == k ? entry_of(line[d].stiffness, line[d].stiffness_off, n[d],
                                                 separable.direction[d].periodic, i[d], j[d])
                                      : entry_of(line[d].mass, line[d].mass_off, n[d],
                                                 separable.direction[d].periodic, i[d], j[d]);
                sum += product;
            }
            ck_assert_msg(fabs(sum - rows.values[e]) <= 100.0 * DBL_EPSILON * largest,
                          "row %lld, column %lld: %.17g is not %.17g", (long long)r, (long long)c,
                          sum, rows.values[e]);
        }
    }
    rows_free(&rows);
    for (int k = 0; k < 3; k++)
        free(line[k].stiffness);
    cgs_separable_release(&bed.context, &separable);
    free(box.cells);
}

LOOP_TEST(matrix_is_a_sum_of_products, GROUPS)
{
    for (uint64_t seed = (uint64_t)_i; seed < BOXES; seed += GROUPS)
        check_sum(seed);
}

/* ---- the inverse ---- */

/* y = A^-1 x of the separable box. */
static void invert(const struct cgs_separable *separable, enum cgs_number number, const double *x,
                   double *y)
{
    const int64_t rows =
        separable->direction[0].n * separable->direction[1].n * separable->direction[2].n;
    const struct cgs_space space = bed_space(number, rows);
    const struct cgs_fdm_ops *ops = bed.backend->fdm[number];
    struct cgs_modes modes;
    void *self, *vx = bed_vector(&space, x), *vy = bed_vector(&space, NULL);
    must(cgs_modes_create(&bed.context, separable, &modes));
    must(ops->create(&space, modes.direction, &modes.line, &self));
    must(ops->apply(self, bed.queue, NULL, vx, vy));
    bed_get(&space, vy, y);
    ops->release(self);
    cgs_modes_release(&bed.context, &modes);
    space.ops->free(&space, vx);
    space.ops->free(&space, vy);
}

static bool is_held(const struct cgs_separable *separable)
{
    return separable->direction[0].held || separable->direction[1].held ||
           separable->direction[2].held || separable->reaction > 0.0;
}

/* Returns the largest residual of a row over what it adds up, after two steps of refinement: what
 * the inverse leaves is eps times the condition number. *first: without them. */
static double residual_of(const struct box *box, const struct cgs_separable *separable,
                          double *first)
{
    struct rows rows = rows_of(&box->mesh);
    const size_t bytes = (size_t)rows.count * sizeof(double);
    double *b = must_have(bytes), *x = must_have(bytes), *r = must_have(bytes),
           *z = must_have(bytes), worst = 0.0, mean = 0.0;
    const bool held = is_held(separable);
    for (int64_t i = 0; i < rows.count; i++) {
        b[i] = cgs_random((uint64_t)i + box->seed);
        mean += b[i] / (double)rows.count;
        x[i] = 0.0;
    }
    for (int64_t i = 0; i < rows.count; i++)
        r[i] = b[i] -= held ? 0.0 : mean;
    for (int step = 0; step < 3; step++) {
        double largest_x = 0.0;
        invert(separable, CGS_F64, r, z);
        for (int64_t i = 0; i < rows.count; i++) {
            x[i] += z[i];
            largest_x = fmax(largest_x, fabs(x[i]));
        }
        worst = 0.0;
        for (int64_t i = 0; i < rows.count; i++) {
            double sum = b[i], terms = fabs(b[i]);
            for (int64_t e = rows.start[i]; e < rows.start[i + 1]; e++) {
                sum -= rows.values[e] * x[rows.columns[e]];
                terms += fabs(rows.values[e]) * largest_x;
            }
            r[i] = sum;
            worst = fmax(worst, fabs(sum) / terms);
        }
        if (step == 0)
            *first = worst;
    }
    free(b);
    free(x);
    free(r);
    free(z);
    rows_free(&rows);
    return worst;
}

static void check_inverse(struct box *box)
{
    struct cgs_separable separable;
    double first;
    must(cgs_separable_create(&bed.context, &box->mesh, &separable));
    const double worst = residual_of(box, &separable, &first);
    printf("residual %.1e, refined %.1e\n", first, worst);
    ck_assert_double_le(worst, 1e-12);
    ck_assert_double_le(first, 1e-9);
    cgs_separable_release(&bed.context, &separable);
    free(box->cells);
}

LOOP_TEST(inverse_solves, GROUPS)
{
    bed.context.threads = 1; /* each box is small */
    for (uint64_t seed = (uint64_t)_i; seed < BOXES; seed += GROUPS) {
        struct box box = random_box(seed);
        describe(&box, seed);
        check_inverse(&box);
    }
}

/* ---- a dense solve ---- */

/* LAPACK's Cholesky factorisation, and a solve by it. */
void dpotrf_(const char *triangle, const int *n, double *a, const int *step, int *info, size_t);
void dpotrs_(const char *triangle, const int *n, const int *columns, const double *a,
             const int *step, double *b, const int *step_b, int *info, size_t);

/* A's Cholesky factor; where nothing holds u, that of A and a constant matrix, which has the same
 * solutions. To be freed. NULL: rounding leaves no positive definite matrix, as may be at a
 * contrast of 1e18. */
static double *factor_of(const struct rows *rows, bool held)
{
    const int n = (int)rows->count;
    double *a = must_have((size_t)n * (size_t)n * sizeof *a), largest = 0.0;
    int info;
    for (int64_t e = 0; e < rows->start[n]; e++)
        largest = fmax(largest, fabs(rows->values[e]));
    for (int64_t i = 0; i < (int64_t)n * n; i++)
        a[i] = held ? 0.0 : largest / n;
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++)
            a[i * n + rows->columns[e]] += rows->values[e];
    dpotrf_("L", &n, a, &n, &info, 1);
    if (info == 0)
        return a;
    free(a);
    return NULL;
}

/* r = b - A x; returns the largest number over what its row adds up. */
static double residual(const struct rows *rows, const double *b, const double *x, double *r)
{
    double worst = 0.0;
    for (int64_t i = 0; i < rows->count; i++) {
        double terms = fabs(b[i]);
        r[i] = b[i];
        for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++) {
            const double term = rows->values[e] * x[rows->columns[e]];
            r[i] -= term;
            terms += fabs(term);
        }
        worst = fmax(worst, fabs(r[i]) / terms);
    }
    return worst;
}

/* Solves by the inverse and by the factor, both with a step of refinement, as CG has. */
static void check_dense(const struct box *box, const struct cgs_separable *separable)
{
    struct rows rows = rows_of(&box->mesh);
    const int n = (int)rows.count, one = 1;
    int info;
    const bool held = is_held(separable);
    double *memory = must_have((size_t)(6 * n) * sizeof *memory), *factor = factor_of(&rows, held);
    double *b = memory, *z = memory + n, *x[2] = {z + n, z + 2 * n}, *r[2] = {z + 3 * n, z + 4 * n},
           mean = 0.0, worst[2] = {0.0, 0.0};
    memset(memory, 0, (size_t)(6 * n) * sizeof *memory);
    for (int i = 0; i < n; i++) {
        b[i] = cgs_random((uint64_t)i + box->seed);
        mean += b[i] / n;
    }
    for (int i = 0; i < n; i++)
        b[i] -= held ? 0.0 : mean;
    for (int step = 0; step < 2; step++)
        for (int dense = 0; dense < (factor ? 2 : 1); dense++) {
            residual(&rows, b, x[dense], r[dense]);
            memcpy(z, r[dense], (size_t)n * sizeof *z);
            if (dense)
                dpotrs_("L", &n, &one, factor, &n, z, &n, &info, 1);
            else
                invert(separable, CGS_F64, r[0], z);
            for (int i = 0; i < n; i++)
                x[dense][i] += z[i];
        }
    for (int dense = 0; dense < (factor ? 2 : 1); dense++)
        worst[dense] = residual(&rows, b, x[dense], r[dense]);
    printf("residuals %.1e, dense %.1e\n", worst[0], worst[1]);
    ck_assert_double_le(worst[0], worst[1] + 1e-12); /* dense: of a contrast of 1e18, up to 1e-6 */
    free(memory);
    free(factor);
    rows_free(&rows);
}

LOOP_TEST(inverse_is_a_dense_solve, GROUPS)
{
    enum { MOST_ROWS = 300 };
    bed.context.threads = 1;
    for (long i = _i; i < dense_boxes; i += GROUPS) {
        const uint64_t seed = 5000 + (uint64_t)i;
        struct box box = random_box_of(seed, 13);
        struct cgs_separable separable;
        if (cgs_mesh_rows(&box.mesh) <= MOST_ROWS) {
            describe(&box, seed);
            must(cgs_separable_create(&bed.context, &box.mesh, &separable));
            ck_assert(separable.exact);
            check_dense(&box, &separable);
            cgs_separable_release(&bed.context, &separable);
        }
        free(box.cells);
    }
}

/* Each size of a line, with each kind of ends, in each direction in turn. */
LOOP_TEST(each_size, ENDS)
{
    bed.context.threads = 1;
    for (int64_t size = 2; size <= longest; size++) {
        int64_t cells[3] = {3, 4, 3};
        enum ends ends[3] = {VALUES, LOW_FREE, VALUES};
        cells[(size + _i) % 3] = size + (_i == PERIODIC);
        ends[(size + _i) % 3] = (enum ends)_i;
        struct box box = make_box(3, cells, ends, false, false, CGS_GAUSS);
        describe(&box, 3);
        check_inverse(&box);
    }
}

/* Along x or y such layers would take LAPACK minutes. */
TEST(long_line_along_z)
{
    static const int64_t cells[3] = {3, 3, CHECK_SMALL ? 2000 : 9999};
    static const enum ends ends[3] = {VALUES, FREE, TRANSFER};
    struct box box = make_box(3, cells, ends, true, false, CGS_GAUSS);
    check_inverse(&box);
}

/* The same bits by any number of threads, and floats to their rounding; lines of the first box are
 * long enough for fast transforms. */
LOOP_TEST(bits_are_those_of_one_thread, 6)
{
    static const int64_t cells[3] = {32, 30, 24};
    static const enum ends ends[3] = {VALUES, PERIODIC, LOW_FREE};
    struct box box = _i == 0 ? make_box(50, cells, ends, false, false, CGS_GAUSS)
                             : random_box((uint64_t)_i + 50);
    const int64_t rows = cgs_mesh_rows(&box.mesh);
    const int threads = bed.context.threads;
    double *b = must_have((size_t)rows * sizeof(double)),
           *x = must_have((size_t)rows * sizeof(double)),
           *one = must_have((size_t)rows * sizeof(double)), largest = 0.0;
    plain_vector(rows, PLAIN_RANDOM, CGS_F32, 5, b);
    for (int t = 1; t <= 3; t++) {
        struct cgs_separable separable;
        bed.context.threads = t;
        must(cgs_separable_create(&bed.context, &box.mesh, &separable));
        invert(&separable, CGS_F64, b, t == 1 ? one : x);
        ck_assert(t == 1 || memcmp(x, one, (size_t)rows * sizeof *x) == 0);
        if (t == 3)
            invert(&separable, CGS_F32, b, x);
        cgs_separable_release(&bed.context, &separable);
    }
    bed.context.threads = threads;
    for (int64_t i = 0; i < rows; i++)
        largest = fmax(largest, fabs(one[i]));
    for (int64_t i = 0; i < rows; i++)
        ck_assert_double_le(fabs(x[i] - one[i]), 8.0 * FLT_EPSILON * largest);
    free(b);
    free(x);
    free(one);
    free(box.cells);
}

/* ---- ranks ---- */

/* Data that ranks share: the modes of a box, its vector, and where it is cut. */
struct shared {
    struct cgs_modes modes;
    enum cgs_number number;
    int ranks;
    int64_t cuts[TEAM_MOST + 1];
    const double *x;
    double *y;
};

#define need(context, call) ck_assert_msg((call) == CGS_OK, "%s: %s", #call, (context)->message)

static void invert_part(struct cgs_context *context, void *user)
{
    struct shared *shared = user;
    const int rank = context->comm ? context->comm->rank : 0;
    const int64_t first = shared->cuts[rank], count = shared->cuts[rank + 1] - first;
    const struct cgs_portion portion = {.first = first,
                                        .count = count,
                                        .whole = shared->cuts[shared->ranks],
                                        .rank = rank,
                                        .ranks = shared->ranks,
                                        .cuts = shared->cuts};
    const struct cgs_layout layout = {.size = count, .portion = context->comm ? &portion : NULL};
    const struct cgs_backend *cpu = cgs_backend(CGS_CPU);
    const struct cgs_fdm_ops *ops = cpu->fdm[shared->number];
    struct cgs_queue *queue;
    struct cgs_space space;
    void *x, *y, *self;
    context->threads = 1 + rank % 2;
    need(context, cpu->open(context, 0, &queue));
    need(context, cpu->spaces[shared->number]->create(queue, &layout, &space));
    need(context, space.ops->alloc(&space, "x", &x));
    need(context, space.ops->alloc(&space, "y", &y));
    need(context, space.ops->put(&space, shared->x + first, 0, count, x));
    need(context, ops->create(&space, shared->modes.direction, &shared->modes.line, &self));
    for (int turn = 0; turn < 2; turn++)
        need(context, ops->apply(self, queue, NULL, x, y));
    need(context, space.ops->get(&space, y, 0, count, shared->y + first));
    ops->release(self);
    space.ops->free(&space, x);
    space.ops->free(&space, y);
    cpu->close(queue);
}

/* The same bits on any number of ranks, cut between planes or within them; ranks may be left
 * without planes, without rows y, or without anything. */
LOOP_TEST(bits_are_those_of_one_rank, 12)
{
    static const int64_t cells[3] = {32, 5, 24};
    static const enum ends ends[3] = {VALUES, PERIODIC, LOW_FREE};
    struct box box =
        _i < 2 ? make_box(50, cells, ends, false, false, CGS_GAUSS) : random_box((uint64_t)_i + 50);
    const int64_t rows = cgs_mesh_rows(&box.mesh), plane = box.mesh.n[0] * box.mesh.n[1];
    double *x = must_have((size_t)rows * sizeof *x), *y = must_have((size_t)rows * sizeof *y),
           *one = must_have((size_t)rows * sizeof *one);
    struct shared shared = {.number = _i % 2 ? CGS_F32 : CGS_F64, .x = x};
    struct cgs_separable separable;
    describe(&box, (uint64_t)_i + 50);
    plain_vector(rows, PLAIN_RANDOM, shared.number, 5, x);
    must(cgs_separable_create(&bed.context, &box.mesh, &separable));
    must(cgs_modes_create(&bed.context, &separable, &shared.modes));
    for (int ranks = 1; ranks <= TEAM_MOST; ranks += ranks == 3 ? 4 : 1) {
        const int64_t unit = ranks % 2 ? 1 : plane, units = rows / unit;
        shared.ranks = ranks;
        shared.y = ranks == 1 ? one : y;
        for (int r = 0; r <= ranks; r++) /* of 7 and 8 ranks, two are empty */
            shared.cuts[r] = units * (ranks > 3 && r % 4 == 2 ? r - 1 : r) / ranks * unit;
        team_run(ranks, invert_part, &shared);
        for (int64_t i = 0; i < rows; i++)
            ck_assert_msg(memcmp(&shared.y[i], &one[i], sizeof *one) == 0,
                          "%d ranks: y[%lld] is %.17g, not %.17g", ranks, (long long)i, shared.y[i],
                          one[i]);
    }
    cgs_modes_release(&bed.context, &shared.modes);
    cgs_separable_release(&bed.context, &separable);
    free(x);
    free(y);
    free(one);
    free(box.cells);
}

/* ---- order p ---- */

/* A direction's K, n n numbers, and M's diagonal. */
struct dense {
    int64_t n;
    double *stiffness, *mass;
};

/* Random factors of one direction, equal cells or not. */
static void draw_direction(struct box *box, int p, struct cgs_separable_direction *d)
{
    static const int open[ENDS] = {0, 2, 1, 3, 3, CGS_PERIODIC};
    const enum ends ends = (enum ends)draw_one(box, ENDS);
    const bool equal = draw_one(box, 2) == 0, absorbs = draw_one(box, 4) == 0;
    const double ratio = 2.0 + draw(box);
    *d = (struct cgs_separable_direction){.cells = 1 + draw_one(box, 1 + 20 / p),
                                          .order = p,
                                          .h = 1.5 + draw(box),
                                          .ratio = absorbs ? 0.0 : ratio,
                                          .uniform = equal && !absorbs && ends != TRANSFER,
                                          .periodic = ends == PERIODIC,
                                          .open = open[ends]};
    const int ends_with_values = !d->periodic * (2 - (d->open & 1) - (d->open >> 1 & 1));
    d->n = p * d->cells + 1 - d->periodic - ends_with_values;
    d->first = (d->open & 1) - 1;
    d->stiff = must_have((size_t)(3 * d->cells) * sizeof(double));
    d->mass = d->stiff + d->cells;
    d->absorb = absorbs ? d->mass + d->cells : NULL;
    for (int64_t c = 0; c < d->cells; c++) {
        d->mass[c] = equal ? 1.25 : exp(3.0 * draw(box));
        d->stiff[c] = ratio * d->mass[c];
        d->stiff[2 * d->cells + c] = 1.0 + draw(box);
    }
    for (int side = 0; side < 2; side++)
        d->transfer[side] = ends == TRANSFER ? 2.0 + draw(box) : 0.0;
    d->held = absorbs || ends < FREE || ends == TRANSFER;
}

/* The sum over cells of weights times products of slopes. */
static struct dense assemble(const struct cgs_separable_direction *d)
{
    const int p = d->order;
    const int64_t n = d->n;
    struct cgs_lobatto lobatto;
    struct dense m = {n, must_have((size_t)(n * n) * sizeof(double)),
                      must_have((size_t)n * sizeof(double))};
    cgs_lobatto_make(p, &lobatto);
    memset(m.stiffness, 0, (size_t)(n * n) * sizeof(double));
    memset(m.mass, 0, (size_t)n * sizeof(double));
    for (int64_t c = 0; c < d->cells; c++)
        for (int a = 0; a <= p; a++)
            for (int b = 0; b <= p; b++) {
                int64_t i = d->first + c * p + a, j = d->first + c * p + b;
                if (d->periodic) {
                    i %= n;
                    j %= n;
                }
                if (i < 0 || j < 0 || i >= n || j >= n)
                    continue;
                const double mass = a == b ? 0.5 * d->h * lobatto.weight[a] : 0.0;
                double sum = d->absorb ? d->absorb[c] * mass : 0.0;
                for (int q = 0; q <= p; q++)
                    sum += d->stiff[c] * 2.0 / d->h * lobatto.weight[q] *
                           lobatto.slope[q * CGS_NODES_MOST + a] *
                           lobatto.slope[q * CGS_NODES_MOST + b];
                m.stiffness[i * n + j] += sum;
                m.mass[i] += d->mass[c] * mass;
            }
    m.stiffness[0] += d->transfer[0];
    m.stiffness[n * n - 1] += d->transfer[1];
    return m;
}

/* y = A x; bound: of the magnitudes of A's entries and x. */
static void multiply_dense(const struct dense m[3], double reaction, const double *x, double *y,
                           double *bound)
{
    const int64_t rows = m[0].n * m[1].n * m[2].n;
    for (int64_t r = 0; r < rows; r++) {
        const int64_t i[3] = {r % m[0].n, r / m[0].n % m[1].n, r / (m[0].n * m[1].n)};
        const double mass[3] = {m[0].mass[i[0]], m[1].mass[i[1]], m[2].mass[i[2]]};
        y[r] = reaction * mass[0] * mass[1] * mass[2] * x[r];
        bound[r] = fabs(y[r]);
        for (int64_t k = 0, step = 1; k < 3; step *= m[k].n, k++)
            for (int64_t j = 0; j < m[k].n; j++) {
                const double term = m[k].stiffness[i[k] * m[k].n + j] * mass[(k + 1) % 3] *
                                    mass[(k + 2) % 3] * x[r + (j - i[k]) * step];
                y[r] += term;
                bound[r] += fabs(term);
            }
    }
}

/* Lines of order p with all ends, equal cells and layers: the inverse of what their cells add up
 * to, for which a step of refinement leaves rounding; the same bits by one and three threads. */
LOOP_TEST(inverse_of_order_solves, CGS_ORDER_MOST - 1)
{
    if (CHECK_DEVICE != CGS_CPU)
        return;
    for (uint64_t seed = 0; seed < (CHECK_SMALL ? 6 : 24); seed++) {
        struct box box = {.seed = 1000 * seed + 100000 * (uint64_t)_i};
        struct cgs_separable s = {.reaction = seed % 3 == 0 ? 1.5 : 0.0};
        struct dense m[3];
        bed.context.threads = 1 + 2 * (int)(seed % 2);
        for (int k = 0; k < 3; k++) {
            draw_direction(&box, 2 + _i, &s.direction[k]);
            m[k] = assemble(&s.direction[k]);
            printf("%lld (%d%s%s) ", (long long)m[k].n, s.direction[k].open,
                   s.direction[k].uniform ? ", equal" : "",
                   s.direction[k].absorb ? ", absorbs" : "");
        }
        const int64_t rows = m[0].n * m[1].n * m[2].n;
        const size_t bytes = (size_t)rows * sizeof(double);
        double *b = must_have(bytes), *x = must_have(bytes), *z = must_have(bytes),
               *r = must_have(bytes), *bound = must_have(bytes), worst[2] = {0.0, 0.0};
        for (int64_t i = 0; i < rows; i++)
            z[i] = draw(&box);
        multiply_dense(m, s.reaction, z, b, bound);
        invert(&s, CGS_F64, b, x);
        bed.context.threads = 4 - bed.context.threads;
        invert(&s, CGS_F64, b, z);
        ck_assert_mem_eq(x, z, bytes);
        for (int step = 0; step < 2; step++) {
            multiply_dense(m, s.reaction, x, r, bound);
            for (int64_t i = 0; i < rows; i++) {
                r[i] = b[i] - r[i];
                worst[step] = fmax(worst[step], fabs(r[i]) / (bound[i] + fabs(b[i])));
            }
            invert(&s, CGS_F64, r, z);
            for (int64_t i = 0; i < rows; i++)
                x[i] += z[i];
        }
        printf("residual %.1e, refined %.1e\n", worst[0], worst[1]);
        ck_assert_double_le(worst[0], 1e-11);
        ck_assert_double_le(worst[1], 1e-13);
        for (int k = 0; k < 3; k++) {
            free(s.direction[k].stiff);
            free(m[k].stiffness);
            free(m[k].mass);
        }
        free(b);
        free(x);
        free(z);
        free(r);
        free(bound);
    }
}

/* ---- the nearest box ---- */

/* x'A x of the nearest box is within the spread of that of the box itself: kappa disturbed by up to
 * a factor 2. */
LOOP_TEST(nearest_box_keeps_its_bound, 12)
{
    struct box box = random_box((uint64_t)_i + 80);
    struct cgs_separable separable;
    if (!box.cells) {
        box.mesh.kappa.kind = CGS_KAPPA_SMOOTH;
    } else {
        const int64_t *n = box.mesh.n, all = cgs_mesh_all_cells(&box.mesh);
        for (int64_t i = 0; i < CGS_MOST_NUMBERS * all; i++)
            box.cells[i] *= exp(0.5 * log(2.0) * draw(&box));
        for (int64_t i = 0; i < CGS_MOST_NUMBERS * all;
             i++) { /* a periodic direction's first cell is its last */
            int64_t c[3] = {i % (n[0] + 1), i % all / (n[0] + 1) % (n[1] + 1),
                            i % all / ((n[0] + 1) * (n[1] + 1))};
            for (int k = 0; k < 3; k++)
                c[k] = cgs_mesh_repeats(&box.mesh, k, c[k]) ? n[k] : c[k];
            box.cells[i] =
                box.cells[i / all * all + (c[2] * (n[1] + 1) + c[1]) * (n[0] + 1) + c[0]];
        }
    }
    if (box.layered) /* 0 in some layers: there is no bound */
        box.mesh.kappa.reaction = 0;
    describe(&box, (uint64_t)_i + 80);
    must(cgs_separable_create(&bed.context, &box.mesh, &separable));
    ck_assert(!separable.exact);
    printf("%s, spread %.2f\n", separable.why, separable.spread);
    ck_assert_double_gt(separable.spread, 1.0);
    ck_assert_double_le(separable.spread, 32.0);
    struct rows rows = rows_of(&box.mesh);
    double *x = must_have((size_t)rows.count * sizeof *x),
           *ax = must_have((size_t)rows.count * sizeof *x),
           *z = must_have((size_t)rows.count * sizeof *x), low = HUGE_VAL, high = 0.0;
    for (int trial = 0; trial < 8; trial++) { /* (A x)' B^-1 (A x) over x' A x */
        double energy = 0.0, other = 0.0;
        for (int64_t i = 0; i < rows.count; i++)
            x[i] = trial == 0 ? (double)(i % 7) : draw(&box);
        for (int64_t i = 0; i < rows.count; i++) {
            ax[i] = 0.0;
            for (int64_t e = rows.start[i]; e < rows.start[i + 1]; e++)
                ax[i] += rows.values[e] * x[rows.columns[e]];
            energy += x[i] * ax[i];
        }
        invert(&separable, CGS_F64, ax, z);
        for (int64_t i = 0; i < rows.count; i++)
            other += ax[i] * z[i];
        low = fmin(low, other / energy);
        high = fmax(high, other / energy);
    }
    ck_assert_double_gt(low, 0.0);
    ck_assert_double_le(high / low, separable.spread * (1.0 + 1e-9));
    free(x);
    free(ax);
    free(z);
    rows_free(&rows);
    cgs_separable_release(&bed.context, &separable);
    free(box.cells);
}

/* A deformed box has the factors of the undeformed one, and no bound. */
TEST(deformed_box_has_no_bound)
{
    struct cgs_mesh mesh = cgs_mesh_cube(5, CGS_GAUSS, 1.0);
    struct cgs_separable separable;
    mesh.deform = 0.05;
    must(cgs_separable_create(&bed.context, &mesh, &separable));
    ck_assert(!separable.exact);
    ck_assert_double_eq(separable.spread, 0.0);
    ck_assert_str_eq(separable.why, "the cells are deformed");
    cgs_separable_release(&bed.context, &separable);
}

int main(int argc, char **argv)
{
    dense_boxes = argc > 1 ? strtol(argv[1], NULL, 10) : dense_boxes;
    longest = argc > 2 ? strtol(argv[2], NULL, 10) : longest;
    return bed_tests("fdm", 60);
}
