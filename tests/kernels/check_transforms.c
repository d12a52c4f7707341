/* Inverses by fast diagonalisation (kernels/fdm.h) against sums over all modes in plain double and
 * solves of lines in long double: every kind of line, lengths of all radices and of none, vectors
 * in natural order and in padded lines. The tables of lambda and weight are any positive numbers,
 * the lines along z of any cells between ends like those of the kind. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fem/element/lobatto.h"
#include "kernels/fdm.h"
#include "tests/support/support.h"

/* 127, 128, 129 of their kinds in padded lines are a compiled size; 16, 18, 33 have too large
 * primes. */
static const struct box {
    int64_t n[3];
    enum cgs_fdm_kind kind[3];
} boxes[] = {
    {{127, 5, 3}, {CGS_FDM_SINE, CGS_FDM_COSINE, CGS_FDM_MIXED}},
    {{6, 127, 4}, {CGS_FDM_COSINE, CGS_FDM_SINE, CGS_FDM_MIXED_REVERSED}},
    {{17, 4, 127}, {CGS_FDM_MIXED, CGS_FDM_MIXED_REVERSED, CGS_FDM_SINE}},
    {{1, 2, 3}, {CGS_FDM_SINE, CGS_FDM_COSINE, CGS_FDM_MIXED}},
    {{2, 1, 1}, {CGS_FDM_COSINE, CGS_FDM_MIXED, CGS_FDM_MIXED_REVERSED}},
    {{16, 18, 33}, {CGS_FDM_SINE, CGS_FDM_SINE, CGS_FDM_SINE}},
    {{20, 24, 9}, {CGS_FDM_SINE, CGS_FDM_COSINE, CGS_FDM_MIXED}},
    {{11, 13, 48}, {CGS_FDM_MIXED, CGS_FDM_COSINE, CGS_FDM_SINE}},
    {{35, 27, 61}, {CGS_FDM_MIXED_REVERSED, CGS_FDM_MIXED, CGS_FDM_COSINE}},
    {{63, 14, 49}, {CGS_FDM_SINE, CGS_FDM_MIXED_REVERSED, CGS_FDM_MIXED}},
    {{5, 128, 4}, {CGS_FDM_SINE, CGS_FDM_MIXED, CGS_FDM_COSINE}},
    {{128, 3, 129}, {CGS_FDM_MIXED_REVERSED, CGS_FDM_SINE, CGS_FDM_COSINE}},
    {{5, 6, 7}, {CGS_FDM_PERIODIC, CGS_FDM_PERIODIC, CGS_FDM_COSINE}},
    {{9, 10, 8}, {CGS_FDM_DENSE, CGS_FDM_SINE, CGS_FDM_PERIODIC}},
    {{4, 9, 10}, {CGS_FDM_COSINE, CGS_FDM_DENSE, CGS_FDM_DENSE}},
};
enum { BOXES = sizeof boxes / sizeof *boxes };

/* Cells of order p in x and y: a few, for which dense products are faster, and many; 131 is too
 * large a prime. In z, too: all alike where n is odd, else each its own. The last box has no
 * absorption and free ends in z. */
static const struct {
    struct box box;
    int order[3];
} order_boxes[] = {
    {{{15, 9, 3}, {CGS_FDM_SINE, CGS_FDM_COSINE, CGS_FDM_SINE}}, {4, 2, 1}},
    {{{48, 55, 2}, {CGS_FDM_MIXED, CGS_FDM_SINE, CGS_FDM_MIXED}}, {8, 7, 1}},
    {{{60, 41, 2}, {CGS_FDM_MIXED_REVERSED, CGS_FDM_COSINE, CGS_FDM_COSINE}}, {3, 5, 1}},
    {{{47, 43, 1}, {CGS_FDM_SINE, CGS_FDM_COSINE, CGS_FDM_SINE}}, {6, 6, 1}},
    {{{63, 33, 1}, {CGS_FDM_SINE, CGS_FDM_COSINE, CGS_FDM_SINE}}, {8, 4, 1}},
    {{{40, 70, 1}, {CGS_FDM_MIXED, CGS_FDM_MIXED_REVERSED, CGS_FDM_SINE}}, {2, 7, 1}},
    {{{261, 1, 2}, {CGS_FDM_SINE, CGS_FDM_SINE, CGS_FDM_SINE}}, {2, 2, 1}},
    {{{7, 2, 7}, {CGS_FDM_SINE, CGS_FDM_MIXED, CGS_FDM_SINE}}, {8, 2, 8}},
    {{{2, 3, 35}, {CGS_FDM_SINE, CGS_FDM_SINE, CGS_FDM_MIXED}}, {1, 1, 7}},
    {{{3, 2, 6}, {CGS_FDM_SINE, CGS_FDM_SINE, CGS_FDM_PERIODIC}}, {1, 1, 6}},
    {{{2, 3, 26}, {CGS_FDM_SINE, CGS_FDM_SINE, CGS_FDM_COSINE}}, {1, 1, 5}},
    {{{3, 2, 20}, {CGS_FDM_SINE, CGS_FDM_SINE, CGS_FDM_MIXED_REVERSED}}, {1, 1, 4}},
    {{{2, 3, 60}, {CGS_FDM_SINE, CGS_FDM_SINE, CGS_FDM_PERIODIC}}, {1, 1, 3}},
    {{{3, 2, 59}, {CGS_FDM_SINE, CGS_FDM_SINE, CGS_FDM_SINE}}, {1, 1, 2}},
    {{{2, 3, 41}, {CGS_FDM_MIXED, CGS_FDM_COSINE, CGS_FDM_COSINE}}, {2, 2, 8}},
};
enum { ORDER_BOXES = sizeof order_boxes / sizeof *order_boxes };

/* A box's directions, and S of each as columns of modes; its line along z and that one's tables. */
struct rig {
    struct cgs_fdm_direction direction[2];
    struct cgs_fdm_line line;
    double *vectors[2], *tables[2], *blocks[2], *entries;
    struct cgs_fdm_cell *cells;
    int64_t n[3], size;
};

/* Cells of any stiffness and mass between the unknowns, and before and after them where those ends
 * are not free. */
static void make_line(struct rig *r, enum cgs_fdm_kind kind, bool constant)
{
    const int64_t n = r->n[2];
    const bool periodic = kind == CGS_FDM_PERIODIC, loose = constant || kind == CGS_FDM_COSINE;
    double *cells = must_have((size_t)(2 * (n + 1)) * sizeof *cells), *stiff = cells,
           *heavy = cells + n + 1;
    r->entries = must_have((size_t)(4 * n) * sizeof *cells);
    plain_vector(2 * (n + 1), PLAIN_RANDOM, CGS_F64, 9, cells);
    for (int64_t c = 0; c <= n; c++) {
        stiff[c] = 1.5 + stiff[c];
        heavy[c] = 1.5 + heavy[c];
    }
    if (!periodic && (loose || kind == CGS_FDM_MIXED_REVERSED))
        stiff[0] = heavy[0] = 0.0;
    if (!periodic && (loose || kind == CGS_FDM_MIXED))
        stiff[n] = heavy[n] = 0.0;
    if (periodic) {
        stiff[0] = stiff[n];
        heavy[0] = heavy[n];
    }
    for (int64_t i = 0; i < n; i++) {
        const bool next = i + 1 < n || periodic;
        r->entries[i] = stiff[i] + stiff[i + 1];
        r->entries[n + i] = next ? -stiff[i + 1] : 0.0;
        r->entries[2 * n + i] = (heavy[i] + heavy[i + 1]) / 3.0;
        r->entries[3 * n + i] = next ? heavy[i + 1] / 6.0 : 0.0;
    }
    r->line = (struct cgs_fdm_line){.n = n,
                                    .periodic = periodic,
                                    .held = !periodic && !loose,
                                    .stiffness = r->entries,
                                    .stiffness_off = r->entries + n,
                                    .mass = r->entries + 2 * n,
                                    .mass_off = r->entries + 3 * n};
    free(cells);
}

/* Returns the unknown of a node of a cell of order p, or -1. */
static int64_t unknown_of(const struct cgs_fdm_line *line, int64_t cell, int node)
{
    const int64_t i = line->first + cell * line->order + node;
    return line->periodic && i == line->n ? 0 : i < line->n ? i : -1;
}

/* The same of cells of order p; all alike where n is odd, else of any stiffness, mass and
 * absorption. The constant is held by nothing at all, else by absorption, too, and transfer. */
static void make_cells(struct rig *r, enum cgs_fdm_kind kind, int p, bool constant)
{
    const int64_t n = r->n[2];
    const bool periodic = kind == CGS_FDM_PERIODIC;
    const bool low = constant || kind == CGS_FDM_COSINE || kind == CGS_FDM_MIXED_REVERSED,
               high = constant || kind == CGS_FDM_COSINE || kind == CGS_FDM_MIXED;
    struct cgs_lobatto lobatto;
    cgs_lobatto_make(p, &lobatto);
    r->line = (struct cgs_fdm_line){.n = n,
                                    .order = p,
                                    .periodic = periodic,
                                    .held = !constant,
                                    .first = periodic || low ? 0 : -1,
                                    .cells = periodic ? n / p : (n + 1 - low - high) / p};
    const int64_t cells = r->line.cells;
    ck_assert(n == cells * p + (periodic ? 0 : low + high - 1));
    r->cells = must_have((size_t)cells * sizeof *r->cells);
    double *any = must_have((size_t)(3 * cells) * sizeof *any);
    r->entries = must_have((size_t)n * sizeof *r->entries);
    plain_vector(3 * cells, PLAIN_RANDOM, CGS_F64, 9, any);
    for (int64_t i = 0; i < n; i++)
        r->entries[i] = 0.0;
    for (int64_t c = 0; c < cells; c++) {
        const double *of = any + (n % 2 ? 0 : 3 * c);
        r->cells[c] = (struct cgs_fdm_cell){.stiff = 1.5 + of[0], .mass = 1.5 + of[1]};
        if (!constant)
            r->cells[c].absorb = 0.1 * (1.0 + of[2]);
        for (int a = 0; a <= p; a++) {
            const int64_t i = unknown_of(&r->line, c, a);
            if (i >= 0)
                r->entries[i] += r->cells[c].mass * lobatto.weight[a];
        }
    }
    for (int side = 0; side < 2 && !constant && !periodic; side++)
        if (side ? high : low)
            r->line.transfer[side] = 0.5 + side;
    r->line.mass = r->entries;
    r->line.cell = r->cells;
    free(any);
}

/* order: of x, y and z, or NULL; constant: nothing holds u. */
static void rig_start(struct rig *r, const struct box *box, const int *order, bool constant)
{
    const bool mirrored = box == &boxes[BOXES - 1]; /* its dense lines */
    r->size = box->n[0] * box->n[1] * box->n[2];
    memcpy(r->n, box->n, sizeof r->n);
    for (int k = 0; k < 2; k++) {
        const int64_t n = r->n[k];
        const enum cgs_fdm_kind kind = box->kind[k];
        const int p = order ? order[k] : 1;
        r->vectors[k] = must_have((size_t)(n * n) * sizeof(double));
        r->tables[k] = must_have((size_t)(2 * n) * sizeof(double));
        plain_vector(n * n, PLAIN_RANDOM, CGS_F64, (uint64_t)k, r->vectors[k]);
        for (int64_t i = 0; mirrored && i < n * n; i++) {
            const int64_t j = i / n, there = j * n + n - 1 - i % n;
            if (there <= i) /* the middle is its own image */
                r->vectors[k][i] = j % 2 == 0  ? r->vectors[k][there]
                                   : there < i ? -r->vectors[k][there]
                                               : 0.0;
        }
        plain_vector(2 * n, PLAIN_RANDOM, CGS_F64, 7, r->tables[k]);
        for (int64_t j = 0; j < n; j++) {
            r->tables[k][j] = 1.5 + r->tables[k][j];
            r->tables[k][n + j] = 1.5 + r->tables[k][n + j];
        }
        const int64_t amplitudes = (n + 1 + p) * p;
        r->blocks[k] = must_have((size_t)amplitudes * sizeof(double));
        plain_vector(amplitudes, PLAIN_RANDOM, CGS_F64, 11, r->blocks[k]);
        r->direction[k] = (struct cgs_fdm_direction){.n = n,
                                                     .kind = kind,
                                                     .order = p,
                                                     .mirrored = mirrored,
                                                     .vectors = r->vectors[k],
                                                     .blocks = r->blocks[k],
                                                     .lambda = r->tables[k],
                                                     .weight = r->tables[k] + n};
        for (int64_t i = 0; kind != CGS_FDM_DENSE && i < n * n; i++)
            r->vectors[k][i] = cgs_fdm_entry_of(&r->direction[k], i % n, i / n);
    }
    r->cells = NULL;
    if (order && order[2] > 1)
        make_cells(r, box->kind[2], order[2], constant);
    else
        make_line(r, box->kind[2], constant);
    if (constant)
        r->tables[0][0] = r->tables[1][0] = 0.0;
}

static void rig_end(struct rig *r)
{
    for (int k = 0; k < 2; k++) {
        free(r->vectors[k]);
        free(r->tables[k]);
        free(r->blocks[k]);
    }
    free(r->entries);
    free(r->cells);
}

/* x = S x or S' x along direction k. */
static void multiply(const struct rig *r, int k, bool back, double *x)
{
    const int64_t n = r->n[k], step = k == 0 ? 1 : r->n[0];
    double *line = must_have((size_t)n * sizeof *line);
    for (int64_t first = 0; first < r->size; first++) {
        if (first / step % n != 0)
            continue;
        for (int64_t i = 0; i < n; i++) {
            line[i] = 0.0;
            for (int64_t j = 0; j < n; j++)
                line[i] += r->vectors[k][back ? j * n + i : i * n + j] * x[first + j * step];
        }
        for (int64_t i = 0; i < n; i++)
            x[first + i * step] = line[i];
    }
    free(line);
}

/* Solves T x = b of a line, in place: its unknowns but the last one by elimination, that one by
 * what is left; or, of the constant, with 0 for that one and then without its mean. */
static void solve_line(const struct cgs_fdm_line *line, double lambda, int64_t step, double *of)
{
    const int64_t n = line->n, last = n - 1;
    const bool constant = lambda == 0.0 && !line->held;
    long double *pivot = must_have((size_t)(5 * n) * sizeof *pivot), *off = pivot + n, *b = off + n,
                *arrow = b + n, *heavy = arrow + n, mass = 0.0L, sum = 0.0L;
    for (int64_t k = 0; k < n; k++) {
        pivot[k] = line->stiffness[k] + (long double)lambda * line->mass[k];
        off[k] = line->stiffness_off[k] + (long double)lambda * line->mass_off[k];
        b[k] = of[k * step];
        arrow[k] = 0.0L;
        heavy[k] = line->mass[k] + (long double)line->mass_off[k];
        heavy[k] += line->mass_off[k > 0 ? k - 1 : last];
        mass += heavy[k];
        sum += b[k];
    }
    for (int64_t k = 0; k < n && constant; k++)
        b[k] -= sum / mass * heavy[k];
    if (n > 1) {
        arrow[0] += off[last];
        arrow[last - 1] += off[last - 1];
    }
    for (int64_t k = 1; k < last; k++) {
        const long double ratio = off[k - 1] / pivot[k - 1];
        pivot[k] -= ratio * off[k - 1];
        b[k] -= ratio * b[k - 1];
        arrow[k] -= ratio * arrow[k - 1];
    }
    for (int64_t k = 0; k < last; k++) {
        pivot[last] -= arrow[k] * arrow[k] / pivot[k];
        b[last] -= arrow[k] * b[k] / pivot[k];
    }
    b[last] = constant ? 0.0L : b[last] / pivot[last];
    for (int64_t k = last - 1; k >= 0; k--)
        b[k] = (b[k] - arrow[k] * b[last] - (k + 1 < last ? off[k] * b[k + 1] : 0.0L)) / pivot[k];
    sum = 0.0L;
    for (int64_t k = 0; k < n; k++)
        sum += b[k] * heavy[k];
    for (int64_t k = 0; k < n; k++)
        of[k * step] = (double)(b[k] - (constant ? sum / mass : 0.0L));
    free(pivot);
}

/* The same for cells of order p, of which all entries of T are added up. */
static void solve_cells(const struct cgs_fdm_line *line, double lambda, int64_t step, double *of)
{
    const int64_t n = line->n;
    const bool constant = lambda == 0.0 && !line->held;
    const int64_t count = constant ? n - 1 : n; /* the last one is 0 */
    struct cgs_lobatto lobatto;
    long double *T = must_have((size_t)(n * n + n) * sizeof *T), *b = T + n * n;
    long double sum = 0.0L, mass = 0.0L;
    cgs_lobatto_make(line->order, &lobatto);
    for (int64_t i = 0; i < n * n; i++)
        T[i] = 0.0L;
    for (int64_t i = 0; i < n; i++) {
        b[i] = of[i * step];
        sum += b[i];
        mass += line->mass[i];
        T[i * n + i] = (long double)lambda * line->mass[i];
    }
    for (int64_t i = 0; i < n && constant; i++)
        b[i] -= sum / mass * line->mass[i];
    for (int64_t c = 0; c < line->cells; c++)
        for (int q = 0; q <= line->order; q++) {
            const double *slope = &lobatto.slope[q * CGS_NODES_MOST];
            const int64_t at = unknown_of(line, c, q);
            if (at >= 0)
                T[at * n + at] += (long double)line->cell[c].absorb * lobatto.weight[q];
            for (int e = 0; e < CGS_NODES_MOST * CGS_NODES_MOST; e++) {
                const int low = e / CGS_NODES_MOST, high = e % CGS_NODES_MOST;
                const int64_t i = low > line->order ? -1 : unknown_of(line, c, low),
                              j = high > line->order ? -1 : unknown_of(line, c, high);
                if (i >= 0 && j >= 0)
                    T[i * n + j] += (long double)line->cell[c].stiff * lobatto.weight[q] *
                                    slope[low] * slope[high];
            }
        }
    T[0] += line->transfer[0];
    T[n * n - 1] += line->transfer[1];
    for (int64_t k = 0; k < count; k++)
        for (int64_t i = k + 1; i < count; i++) {
            const long double ratio = T[i * n + k] / T[k * n + k];
            for (int64_t j = k; j < count && ratio != 0.0L; j++)
                T[i * n + j] -= ratio * T[k * n + j];
            b[i] -= ratio * b[k];
        }
    b[n - 1] = constant ? 0.0L : b[n - 1];
    sum = 0.0L;
    for (int64_t i = n - 1; i >= 0; i--) {
        for (int64_t j = i + 1; j < count && i < count; j++)
            b[i] -= T[i * n + j] * b[j];
        b[i] /= i < count ? T[i * n + i] : 1.0L;
        sum += b[i] * line->mass[i];
    }
    for (int64_t i = 0; i < n; i++)
        of[i * step] = (double)(b[i] - (constant ? sum / mass : 0.0L));
    free(T);
}

static void solve_plainly(const struct rig *r, double *x)
{
    const int64_t plane = r->n[0] * r->n[1];
    for (int k = 0; k < 2; k++)
        multiply(r, k, false, x);
    for (int64_t i = 0; i < plane; i++) {
        const double *const tables[] = {r->tables[0] + i % r->n[0], r->tables[1] + i / r->n[0]};
        for (int64_t z = 0; z < r->n[2]; z++)
            x[z * plane + i] *= tables[0][r->n[0]] * tables[1][r->n[1]];
        (r->cells ? solve_cells : solve_line)(&r->line, tables[0][0] + tables[1][0], plane, x + i);
    }
    for (int k = 0; k < 2; k++)
        multiply(r, k, true, x);
}

static const struct cgs_fdm_ops *ops_of(enum cgs_number number)
{
    return bed.backend->fdm[number];
}

static bool make_space(const struct rig *r, enum cgs_number number, bool padded,
                       struct cgs_space *space)
{
    struct cgs_layout layout = {.size = r->size};
    if (padded) {
        layout.length = r->n[0];
        layout.rows = r->n[1] * r->n[2];
        layout.pitch = (r->n[0] + 16) / 16 * 16;
    }
    if (bed.backend->spaces[number]->create(bed.queue, &layout, space) == CGS_OK)
        return true;
    ck_assert(padded);
    bed_forgive();
    return false;
}

/* x'y comes with y, by its modes. */
static void check_dot(const struct rig *r, enum cgs_number number, const void *self,
                      const struct cgs_space *space, const void *vx, const double *x)
{
    struct cgs_cg_state *state = bed_state(space, 1), seen;
    void *vy = bed_vector(space, NULL);
    double *y = must_have((size_t)r->size * sizeof *y), dot = 0.0, size = 0.0;
    must(ops_of(number)->apply_dot(self, bed.queue, state, vx, vy, CGS_SUM_RZ));
    must(space->ops->look_start(space, bed.queue, state, 0));
    must(space->ops->look_finish(space, bed.queue, 0, &seen));
    bed_get(space, vy, y);
    for (int64_t i = 0; i < r->size; i++) {
        dot += x[i] * y[i];
        size += fabs(x[i] * y[i]);
    }
    ck_assert_msg(fabs(seen.sums[CGS_SUM_RZ] - dot) <=
                      64.0 * (number == CGS_F64 ? DBL_EPSILON : FLT_EPSILON) * size,
                  "x'y is %.17g, not %.17g", seen.sums[CGS_SUM_RZ], dot);
    space->ops->state_free(space, state);
    space->ops->free(space, vy);
    free(y);
}

/* Floats between doubles; y: what they come to. */
static void apply_narrow(const struct rig *r, const void *self, const struct cgs_space *floats,
                         bool padded, const double *x, double *y)
{
    struct cgs_space doubles;
    ck_assert(make_space(r, CGS_F64, padded, &doubles));
    void *vx = bed_vector(&doubles, x), *vy = bed_vector(&doubles, NULL);
    void *work = bed_vector(floats, NULL);
    must(ops_of(CGS_F32)->apply_narrow(self, bed.queue, NULL, vx, work, vy, CGS_SUM_NOWHERE));
    bed_get(&doubles, vy, y);
    doubles.ops->free(&doubles, vx);
    doubles.ops->free(&doubles, vy);
    floats->ops->free(floats, work);
}

/* Compares with sums over all modes, in natural order and in padded lines. */
static void check_box(const struct box *box, const int *order, bool constant,
                      enum cgs_number number)
{
    struct rig r;
    rig_start(&r, box, order, constant);
    double *x = must_have((size_t)r.size * sizeof *x), *y = must_have((size_t)r.size * sizeof *y);
    double *wanted = must_have((size_t)r.size * sizeof *wanted);
    plain_vector(r.size, PLAIN_RANDOM, number, 3, x);
    double most = 0.0;
    for (int64_t i = 0; i < r.size; i++)
        wanted[i] = x[i];
    solve_plainly(&r, wanted);
    for (int64_t i = 0; i < r.size; i++)
        most = fmax(most, fabs(wanted[i]));
    /* the constant's line: its condition number is of the order of n^2 */
    const double cells = constant ? (double)(r.n[2] * r.n[2]) : 0.0;
    const double tolerance =
        (64.0 + cells) * (number == CGS_F64 ? DBL_EPSILON : FLT_EPSILON) * most;
    for (int padded = 0; padded < 2; padded++) {
        struct cgs_space space;
        if (!make_space(&r, number, padded, &space))
            continue;
        void *self, *vx = bed_vector(&space, x), *vy = bed_vector(&space, NULL);
        must(ops_of(number)->create(&space, r.direction, &r.line, &self));
        must(ops_of(number)->apply(self, bed.queue, NULL, vx, vy));
        bed_get(&space, vy, y);
        if (ops_of(number)->apply_dot)
            check_dot(&r, number, self, &space, vx, x);
        if (number == CGS_F32) { /* the same, but for the last rounding */
            double *z = must_have((size_t)r.size * sizeof *z);
            apply_narrow(&r, self, &space, padded, x, z);
            for (int64_t i = 0; i < r.size; i++)
                ck_assert((float)z[i] == (float)y[i]);
            free(z);
        }
        for (int64_t i = 0; i < r.size; i++)
            ck_assert_msg(fabs(y[i] - wanted[i]) <= tolerance,
                          "%lld x %lld x %lld, padded %d: y[%lld] is %.17g, not %.17g",
                          (long long)r.n[0], (long long)r.n[1], (long long)r.n[2], padded,
                          (long long)i, y[i], wanted[i]);
        ops_of(number)->release(self);
        space.ops->free(&space, vx);
        space.ops->free(&space, vy);
    }
    free(x);
    free(y);
    free(wanted);
    rig_end(&r);
}

LOOP_TEST(inverses, 2 * BOXES)
{
    check_box(&boxes[_i / 2], NULL, _i / 2 % 2 == 1, _i % 2 ? CGS_F32 : CGS_F64);
}

LOOP_TEST(inverses_of_order, 2 * ORDER_BOXES)
{
    const enum cgs_number number = _i % 2 ? CGS_F32 : CGS_F64;
    const struct box *box = &order_boxes[_i / 2].box;
    check_box(box, order_boxes[_i / 2].order, box == &order_boxes[ORDER_BOXES - 1].box, number);
}

/* Long lines of each order between all ends, in x and y in turn, which CUDA transforms fast. */
LOOP_TEST(long_lines_of_order, 7)
{
    static const enum cgs_fdm_kind kinds[] = {CGS_FDM_SINE, CGS_FDM_COSINE, CGS_FDM_MIXED,
                                              CGS_FDM_MIXED_REVERSED};
    static const int64_t long_cells[] = {200, 132, 98, 80, 66, 60, 49};
    for (int i = 0; i < 4; i++) {
        const int p = 2 + _i, k = (_i + i) % 2, order[3] = {k ? 2 : p, k ? p : 2, 1};
        const int64_t cells = long_cells[_i];
        struct box box = {{2, 2, 1}, {CGS_FDM_MIXED, CGS_FDM_MIXED, CGS_FDM_SINE}};
        box.kind[k] = kinds[i];
        box.n[k] = cells * p - (i == 0) + (i == 1);
        check_box(&box, order, false, i == 3 ? CGS_F32 : CGS_F64);
    }
}

/* Each kind by every length up to SHORT, and by some that are powers, products and primes, or whose
 * periods are, in each direction in turn. */
LOOP_TEST(lengths, CGS_FDM_PERIODIC)
{
    enum { SHORT = CHECK_SMALL ? 12 : 40 };
    static const int64_t longer[] = {48,  49,  63,  64,  67,  81,  105,
                                     121, 126, 127, 128, 129, 242, 255};
    enum { LONGER = CHECK_SMALL ? 4 : sizeof longer / sizeof *longer };
    for (int64_t i = 0; i < SHORT + LONGER; i++) {
        const enum cgs_fdm_kind kind = (enum cgs_fdm_kind)(CGS_FDM_DENSE + 1 + _i);
        struct box box = {{3, 2, 3}, {CGS_FDM_SINE, CGS_FDM_COSINE, CGS_FDM_MIXED}};
        box.n[i % 3] = i < SHORT ? i + 1 : longer[i - SHORT];
        box.kind[i % 3] = kind;
        if (box.n[i % 3] > 1 || kind != CGS_FDM_COSINE)
            check_box(&box, NULL, false, CGS_F64);
    }
}

/* Once there is a reason to stop, nothing is written. */
TEST(steps_stop)
{
    struct rig r;
    rig_start(&r, &boxes[BOXES - 2], NULL, false);
    struct cgs_space space;
    ck_assert(make_space(&r, CGS_F64, false, &space));
    double *x = must_have((size_t)r.size * sizeof *x), *y = must_have((size_t)r.size * sizeof *y);
    plain_vector(r.size, PLAIN_RANDOM, CGS_F64, 3, x);
    void *self, *vx = bed_vector(&space, x), *vy = bed_vector(&space, x);
    struct cgs_cg_state *state = bed_state(&space, 1);
    bed_reason(&space, state, CGS_CONVERGED);
    must(ops_of(CGS_F64)->create(&space, r.direction, &r.line, &self));
    must(ops_of(CGS_F64)->apply(self, bed.queue, state, vx, vy));
    bed_get(&space, vy, y);
    for (int64_t i = 0; i < r.size; i++)
        ck_assert(y[i] == x[i]);
    ops_of(CGS_F64)->release(self);
    space.ops->state_free(&space, state);
    space.ops->free(&space, vx);
    space.ops->free(&space, vy);
    free(x);
    free(y);
    rig_end(&r);
}

int main(void)
{
    return bed_tests("transforms", 120);
}
