/* y = A x on any mesh of order p = 2 ... 8 (fem/element/order_cells.h), cell by cell.
 *
 * LANES neighbours in x are the lanes of a vector, so that all three directions of the sum
 * factorisation are the same code. Lane l's node p is lane l + 1's node 0: a batch reads and adds
 * LANES p + 1 neighbouring numbers of a line. A batch is
 *
 *     values at the points    three passes (Gauss's rule; those of the nodes are there)
 *     slopes at the points    one pass for z; for x and y plane by plane
 *     times kappa w a G       some 40 operations a point, from the wave's two numbers a direction
 *     the transposed of both
 *
 * and of the mass matrix the values alone, times w det J.
 *
 * With numbers of kappa or cells of other lengths the box is undeformed, and the metric is
 * diagonal: one number of each direction and cell, times kappa's.
 *
 * Free faces add unknowns at the ends of lines; in a periodic direction the last node of the last
 * cell is the first one of the first. Reaction and transfer coefficients are numbers of the
 * diagonal, since the masses of the rule of nodes are.
 *
 * A one-dimensional matrix is applied by its halves.
 *
 * Threads have layers of cells in z. A layer writes the planes of nodes inside it and adds the
 * first part of its upper plane; what it adds to its lower plane is summed on its own, in `edge`,
 * and added when it is complete. So the plane between two layers is (sum of the lower one) + (sum
 * of the upper one): the same bits for any number of threads and ranks. A rank has the planes of
 * whole layers, without their lowest one, and computes the layer above them, too, for its `edge`;
 * where the face z0 is open, without their highest one, and computes the layer below them. Layers
 * that read ghosts come last.
 *
 * A product moves x and y; the time goes into arithmetic.
 */
#include <omp.h>
#include <stddef.h>
#include <string.h>

#include "kernels/matrix_free/order_cells.h"
#include "kernels/matrix_free/planes_cpu.h"
#include "kernels/vector/state_cpu.h"
#include "kernels/vector/sum_cpu.h"

typedef real lanes __attribute__((vector_size(64)));
enum {
    LANES = sizeof(lanes) / sizeof(real),
    NODES = CGS_NODES_MOST,
    POINTS = CGS_POINTS_MOST,
    HALF = CGS_HALF,
    CELL_POINTS = POINTS * POINTS * POINTS,
    LINE = LANES * CGS_ORDER_MOST + 1 /* nodes of a batch in x */
};

/* Lines of numbers: `count` of them, distances of lines and of the numbers of a line. */
struct lines {
    int count, step_in, in, step_out, out;
};

/* out = A in along lines, or out += A in. */
typedef void pass(const struct cgs_halves *h, const struct lines *lines, const lanes *in,
                  lanes *out);

struct cells {
    struct cgs_context *context;
    const struct cgs_portion *portion;
    struct cgs_planes_here planes;
    int64_t lowest, layers; /* layers of cells that are computed here; lowest: in the box */
    struct cgs_order_form form;
    pass *to_points, *to_nodes, *slope_pass, *slope_add;
    real *edge;     /* a plane for each layer */
    int held[3];    /* the low face is: the node of unknown 0 in each direction */
    bool around[3]; /* periodic */
    bool numbered;  /* cgs_order_cells_numbered */
    struct cgs_kappa kappa;
    real *lumped;    /* numbers of the diagonal beside the cells' own; NULL: none */
};

/* ---- one direction ---- */

/* out = A in along a line, or out += A in. m x n and sign (+1: symmetric) are constants where it is
 * called. */
CGS_PIECE void line(int m, int n, int sign, bool add, const struct cgs_halves *h, const lanes *in,
                    int from, lanes *out, int to)
{
    lanes even[HALF], odd[HALF];
#pragma GCC unroll 8
    for (int a = 0; a < n / 2; a++) {
        even[a] = in[a * from] + in[(n - 1 - a) * from];
        odd[a] = in[a * from] - in[(n - 1 - a) * from];
    }
    if (n % 2 != 0)
        even[n / 2] = in[n / 2 * from];
#pragma GCC unroll 8
    for (int i = 0; i < m / 2; i++) {
        lanes s = h->even[i][0] * even[0], d = h->odd[i][0] * odd[0];
#pragma GCC unroll 8
        for (int a = 1; a < (n + 1) / 2; a++)
            s += h->even[i][a] * even[a];
#pragma GCC unroll 8
        for (int a = 1; a < n / 2; a++)
            d += h->odd[i][a] * odd[a];
        const lanes low = s + d, high = sign > 0 ? s - d : d - s;
        out[i * to] = add ? out[i * to] + low : low;
        out[(m - 1 - i) * to] = add ? out[(m - 1 - i) * to] + high : high;
    }
    if (m % 2 != 0) {
        const int i = m / 2;
        lanes s = sign > 0 ? h->even[i][0] * even[0] : h->odd[i][0] * odd[0];
#pragma GCC unroll 8
        for (int a = 1; a < (n + 1) / 2; a++)
            if (sign > 0 || a < n / 2)
                s += sign > 0 ? h->even[i][a] * even[a] : h->odd[i][a] * odd[a];
        out[i * to] = add ? out[i * to] + s : s;
    }
}

#define PASS(name, m, n, sign, add)                                                                \
    static CGS_CLONES void name(const struct cgs_halves *h, const struct lines *lines,             \
                                const lanes *in, lanes *out)                                       \
    {                                                                                              \
        for (int i = 0; i < lines->count; i++)                                                     \
            line(m, n, sign, add, h, in + i * lines->step_in, lines->in,                           \
                 out + i * lines->step_out, lines->out);                                           \
    }
#define SLOPES(q) PASS(slope_##q, q, q, -1, false) PASS(slope_add_##q, q, q, -1, true)
#define VALUES(n, q) PASS(to_points_##n, q, n, 1, false) PASS(to_nodes_##n, n, q, 1, false)
#define SLOPE_ENTRY(q) {slope_##q, slope_add_##q},
#define VALUE_ENTRY(n, q) {to_points_##n, to_nodes_##n},
#define ALL_SLOPES(X) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10)
#define ALL_VALUES(X) X(3, 4) X(4, 5) X(5, 6) X(6, 7) X(7, 8) X(8, 9) X(9, 10)

/* clang-format off */
ALL_SLOPES(SLOPES)
ALL_VALUES(VALUES)
/* clang-format on */

/* By the number of points, and of nodes, from 3 on. */
static pass *const slope_passes[][2] = {ALL_SLOPES(SLOPE_ENTRY)};
static pass *const value_passes[][2] = {ALL_VALUES(VALUE_ENTRY)};

/* ---- the points of a batch ---- */

/* LANES cells in x from cell ex on, at line (ey, ez) of cells. */
struct batch {
    const struct cells *self;
    lanes wave, step, middle, kappa;
    lanes metric[3]; /* of `numbered` */
    int64_t ex, ey, ez;
};

CGS_PIECE void look_at(const struct cells *self, int64_t ex, int64_t ey, int64_t ez,
                       struct batch *batch)
{
    const struct cgs_order_form *form = &self->form;
    *batch = (struct batch){.self = self, .ex = ex, .ey = ey, .ez = ez};
    if (self->numbered) {
        lanes x;
        const real y = form->length[1][ey], z = form->length[2][ez];
        memcpy(&x, form->length[0] + ex, sizeof x);
        batch->metric[0] = form->factor[0] * (y * z) / x;
        batch->metric[1] = form->factor[1] * (x * (z / y));
        batch->metric[2] = form->factor[2] * (x * (y / z));
        for (int l = 0; l < LANES; l++) /* past the line there are nodes, but no cells */
            for (int d = 0; d < 3 && ex + l >= form->cells[0]; d++)
                batch->metric[d][l] = 0;
        return;
    }
    memcpy(&batch->wave, form->wave[0] + ex, sizeof batch->wave);
    memcpy(&batch->step, form->step[0] + ex, sizeof batch->step);
    memcpy(&batch->middle, form->middle[0] + ex, sizeof batch->middle);
    if (form->kappa == CGS_KAPPA_JUMP) {
        lanes excess;
        memcpy(&excess, form->excess[0] + ex, sizeof excess);
        excess = (real)0.5 * (1 - excess * (form->excess[1][ey] * form->excess[2][ez]));
        batch->kappa = 1 + excess * (form->ratio - 1);
    } else {
        batch->kappa = (lanes){0} + 1;
    }
}

/* kappa in a direction at a point of the batch, where it has numbers; else 1. */
CGS_PIECE void load_numbers(const struct cells *self, int direction, const struct batch *batch,
                            int point, lanes *kappa)
{
    if (self->kappa.kind != CGS_KAPPA_CELLS) {
        *kappa = (lanes){0} + 1;
        return;
    }
    const double *from =
        self->kappa.cells + cgs_order_kappa_place(&self->kappa, self->form.cells, direction,
                                                  batch->ex, batch->ey, batch->ez, point);
#pragma GCC unroll 16
    for (int l = 0; l < LANES; l++)
        (*kappa)[l] = (real)from[l];
}

/* Slopes in s at the q points of line (j, k) become kappa w times the diagonal metric and them. */
CGS_PIECE void numbers_of_line(const struct batch *batch, int q, int j, int k, lanes *x, lanes *y,
                               lanes *z)
{
    const struct cells *self = batch->self;
    const struct cgs_order_form *form = &self->form;
    const real weight = form->weight[j] * form->weight[k];
    for (int i = 0; i < q; i++) {
        lanes kappa, along[3];
        load_numbers(self, 0, batch, (k * q + j) * q + i, &kappa);
        for (int d = 0; d < 3; d++) {
            if (d > 0 && self->kappa.orthotropic)
                load_numbers(self, d, batch, (k * q + j) * q + i, &kappa);
            along[d] = kappa * batch->metric[d] * (weight * form->weight[i]);
        }
        x[i] *= along[0];
        y[i] *= along[1];
        z[i] *= along[2];
    }
}

/* Slopes in s at the q points of line (j, k) become kappa w a G times them. */
CGS_PIECE void points_of_line(const struct batch *batch, int q, int j, int k, lanes *x, lanes *y,
                              lanes *z)
{
    const struct cgs_order_form *form = &batch->self->form;
    const int64_t ey = batch->ey, ez = batch->ez;
    const real r = form->point[j], t = form->point[k], weight = form->weight[j] * form->weight[k];
    const real wy = form->wave[1][ey] + r * form->step[1][ey], dy = form->over * form->step[1][ey];
    const real wz = form->wave[2][ez] + t * form->step[2][ez], dz = form->over * form->step[2][ez];
    const real ty = form->middle[1][ey] + r * form->half_step[1];
    const real tz = form->middle[2][ez] + t * form->half_step[2];
    const lanes gx = batch->step * (form->over * (wy * wz));
    const real along_y = dy * wz, along_z = wy * dz;
    for (int i = 0; i < q; i++) {
        const lanes wave = batch->wave + form->point[i] * batch->step;
        const lanes gy = wave * along_y, gz = wave * along_z, whole = 1 + (gx + gy + gz);
        const lanes squares = (gx * gx + gy * gy + gz * gz) / whole;
        const lanes sum = x[i] + y[i] + z[i];
        const lanes common = gx * x[i] + gy * y[i] + gz * z[i] - squares * sum;
        lanes scale = batch->kappa * (weight * form->weight[i]);
        if (form->kappa == CGS_KAPPA_SMOOTH) {
            const lanes move = form->deform * (wave * (wy * wz));
            const lanes tx = batch->middle + form->point[i] * form->half_step[0] + move;
            scale *= 1 + tx + 2 * ((ty + move) * (tz + move));
        }
        x[i] = form->factor[0] * scale * (whole * x[i] - gx * sum - common);
        y[i] = form->factor[1] * scale * (whole * y[i] - gy * sum - common);
        z[i] = form->factor[2] * scale * (whole * z[i] - gz * sum - common);
    }
}

/* Values at the q^3 points become w det J times them. */
CGS_PIECE void weigh(const struct batch *batch, lanes *u)
{
    const struct cgs_order_form *form = &batch->self->form;
    const int64_t ey = batch->ey, ez = batch->ez;
    const int q = form->points;
    const lanes wave = form->over * batch->wave, step = form->over * batch->step;
    for (int line = 0; line < q * q; line++) {
        const int j = line % q, k = line / q;
        const real wy = form->wave[1][ey] + form->point[j] * form->step[1][ey];
        const real wz = form->wave[2][ez] + form->point[k] * form->step[2][ez];
        const real slopes = form->step[1][ey] * wz + wy * form->step[2][ez];
        const real weight = form->volume * (form->weight[j] * form->weight[k]);
        const lanes first = weight * (1 + step * (wy * wz) + wave * slopes);
        const lanes rise = weight * (step * slopes);
        for (int i = 0; i < q; i++)
            u[line * q + i] *= form->weight[i] * (first + form->point[i] * rise);
    }
}

/* w, values at the q^3 points, becomes the transposed slopes of kappa w a G times their slopes. */
CGS_PIECE void slopes(const struct batch *batch, lanes *w, lanes *g)
{
    const struct cells *self = batch->self;
    const int q = self->form.points;
    const struct lines along_x = {q, q, 1, q, 1}, along_y = {q, 1, q, 1, q},
                       along_z = {q * q, 1, q * q, 1, q * q};
    self->slope_pass(&self->form.slope, &along_z, w, g);
    for (int k = 0; k < q; k++) {
        lanes gx[POINTS * POINTS], gy[POINTS * POINTS];
        lanes *plane = w + k * q * q, *gz = g + k * q * q;
        self->slope_pass(&self->form.slope, &along_x, plane, gx);
        self->slope_pass(&self->form.slope, &along_y, plane, gy);
        for (int j = 0; j < q; j++)
            (self->numbered ? numbers_of_line : points_of_line)(batch, q, j, k, gx + j * q,
                                                                gy + j * q, gz + j * q);
        self->slope_pass(&self->form.slope_t, &along_x, gx, plane);
        self->slope_add(&self->form.slope_t, &along_y, gy, plane);
    }
    self->slope_add(&self->form.slope_t, &along_z, g, w);
}

/* u of n^3 vectors becomes the batch's part of A u; v and g: work. */
CGS_PIECE void multiply_batch(const struct batch *batch, lanes *u, lanes *v, lanes *g)
{
    const struct cells *self = batch->self;
    const int n = self->form.order + 1, q = self->form.points;
    if (q == n) {
        slopes(batch, u, g);
        return;
    }
    const struct lines x = {n * n, n, 1, q, 1}, y = {q, 1, q, 1, q},
                       z = {q * q, 1, q * q, 1, q * q}, back_x = {n * n, q, 1, n, 1};
    self->to_points(&self->form.interpolate, &x, u, v);
    for (int k = 0; k < n; k++)
        self->to_points(&self->form.interpolate, &y, v + k * n * q, g + k * q * q);
    self->to_points(&self->form.interpolate, &z, g, v);
    if (self->form.volume != 0)
        weigh(batch, v);
    else
        slopes(batch, v, g);
    self->to_nodes(&self->form.interpolate_t, &z, v, g);
    for (int k = 0; k < n; k++)
        self->to_nodes(&self->form.interpolate_t, &y, g + k * q * q, v + k * n * q);
    self->to_nodes(&self->form.interpolate_t, &back_x, v, u);
}

/* ---- a layer ---- */

/* Nodes low ... high of those of a batch in x are unknowns; node 0 is number `begin` of a line.
 * starts: it is the first one of the line. wrap: the node that is unknown 0 again, or 0. */
struct span {
    int64_t begin;
    int low, high, wrap;
    bool starts;
};

CGS_PIECE struct span span_of(const struct cells *self, int64_t ex)
{
    const int p = self->form.order, length = LANES * p;
    const int64_t begin = ex * p - self->held[0], left = self->form.n[0] - 1 - begin;
    struct span span = {.begin = begin,
                        .low = ex == 0 ? self->held[0] : 0,
                        .high = left < length ? (int)left : length,
                        .starts = ex == 0};
    if (self->around[0] && left + 1 <= length)
        span.wrap = (int)left + 1;
    return span;
}

/* Returns the unknown in direction k at node `a` of cell e; -1: it is held. */
CGS_PIECE int64_t unknown_of(const struct cells *self, int k, int64_t e, int a)
{
    const int64_t n = self->form.n[k], i = e * self->form.order + a - self->held[k];
    return i < n ? i : self->around[k] ? 0 : -1;
}

/* Returns the rank's plane of unknowns at node `a` of layer ez of those here, or one outside. */
CGS_PIECE int64_t plane_of(const struct cells *self, int64_t ez, int a)
{
    return unknown_of(self, 2, self->lowest + ez, a) - self->planes.first;
}

/* u = the nodes of a line; from: the line's unknowns, or NULL on the boundary. */
CGS_PIECE void load_line(int p, const struct span *span, const real *from, lanes *u)
{
    real node[LINE];
    if (!from) {
        for (int i = 0; i <= p; i++)
            u[i] = (lanes){0};
        return;
    }
    node[0] = 0;
    for (int i = span->high + 1; i <= LANES * p; i++)
        node[i] = 0;
    memcpy(node + span->low, from + span->begin + span->low,
           (size_t)(span->high - span->low + 1) * sizeof *node);
    if (span->wrap)
        node[span->wrap] = from[0];
    for (int i = 0; i <= p; i++)
#pragma GCC unroll 16
        for (int l = 0; l < LANES; l++)
            u[i][l] = node[l * p + i];
}

/* Adds u to the nodes of a line, or writes those that have no number yet: all but the first, which
 * the batch before has written. */
CGS_PIECE void add_line(int p, const struct span *span, bool fresh, const lanes *u, real *to)
{
    real node[LINE];
    for (int i = 0; i < p; i++)
#pragma GCC unroll 16
        for (int l = 0; l < LANES; l++)
            node[l * p + i] = u[i][l];
#pragma GCC unroll 16
    for (int l = 1; l < LANES; l++)
        node[l * p] += u[p][l - 1];
    node[LANES * p] = u[p][LANES - 1];
    real *begin = to + span->begin;
    if (!fresh) {
        for (int i = span->low; i <= span->high; i++)
            begin[i] += node[i];
    } else {
        if (span->low == 0)
            begin[0] = span->starts ? node[0] : begin[0] + node[0];
        for (int i = 1; i <= span->high; i++)
            begin[i] = node[i];
    }
    if (span->wrap)
        to[0] += node[span->wrap];
}

/* Layer ez of those here: writes or adds to the planes of y above its lowest one, and writes
 * `edge`. With a period the plane above the last layer is plane 0. */
static CGS_CLONES void layer(const struct cells *self, int64_t ez, const real *x, real *y,
                             real *edge)
{
    const int p = self->form.order;
    const int64_t *n = self->form.n, plane = n[0] * n[1];
    const struct cgs_planes_here *planes = &self->planes;
    lanes u[NODES * NODES * NODES], v[CELL_POINTS], g[CELL_POINTS];
    for (int64_t ey = 0; ey < self->form.cells[1]; ey++)
        for (int64_t ex = 0; ex < self->form.cells[0]; ex += LANES) {
            const struct span span = span_of(self, ex);
            struct batch batch;
            look_at(self, ex, ey, self->lowest + ez, &batch);
            for (int k = 0; k <= p; k++)
                for (int j = 0; j <= p; j++) {
                    const int64_t iy = unknown_of(self, 1, ey, j), iz = plane_of(self, ez, k);
                    const bool there = iy >= 0 && iz >= planes->low && iz < planes->high;
                    load_line(p, &span, there ? x + iz * plane + iy * n[0] : NULL,
                              u + (k * (p + 1) + j) * (p + 1));
                }
            multiply_batch(&batch, u, v, g);
            for (int k = 0; k <= p; k++)
                for (int j = 0; j <= p; j++) {
                    const int64_t iy = unknown_of(self, 1, ey, j), iz = plane_of(self, ez, k);
                    const bool fresh = ey == 0 || (j > 0 && !(j == p && iy == 0));
                    const bool here = k == 0 ? iz >= planes->low && iz < planes->high
                                             : iz >= 0 && iz < planes->count;
                    if (iy < 0 || !here)
                        continue;
                    add_line(p, &span, fresh, u + (k * (p + 1) + j) * (p + 1),
                             (k == 0 ? edge : y + iz * plane) + iy * n[0]);
                }
        }
}

/* ---- all layers ---- */

/* y += edge + lumped x (NULL: nothing) on a plane; returns x'y if it is asked for. */
static CGS_CLONES double finish(int64_t n, const real *restrict edge, const real *restrict lumped,
                                const real *restrict x, bool product, real *restrict y)
{
    for (int64_t i = 0; edge && i < n; i++)
        y[i] += edge[i];
    for (int64_t i = 0; lumped && i < n; i++)
        y[i] += lumped[i] * x[i];
    return product ? cgs_lanes_dot(n, x, y) : 0.0;
}

static void finish_plane(const struct cells *self, int64_t z, const real *edge, double *partials,
                         const real *x, real *y)
{
    const int64_t plane = self->form.n[0] * self->form.n[1];
    const double sum = finish(plane, edge, self->lumped ? self->lumped + z * plane : NULL,
                              x + z * plane, partials != NULL, y + z * plane);
    if (partials)
        partials[z] = sum;
}

/* Multiplies the layers of `run` and finishes their planes except for those at its ends: the lowest
 * one, whose edge is kept, and the highest one, unless it is that of a free face. */
static void multiply_run(const struct cells *self, struct cgs_slab run, struct cgs_arrival *arrival,
                         double *partials, const real *x, real *y)
{
    const int64_t plane = self->form.n[0] * self->form.n[1];
    const int p = self->form.order;
    for (int64_t ez = run.begin; ez < run.end; ez++) {
        const bool shared = ez == run.begin; /* its lower plane is another run's, too */
        const bool top = self->lowest + ez == self->form.cells[2] - 1 && !self->around[2];
        real *edge = self->edge + (run.begin + !shared) * plane;
        layer(self, ez, x, y, edge);
        for (int k = shared; k < p + top; k++) {
            const int64_t z = plane_of(self, ez, k);
            if (z >= 0 && z < self->planes.count)
                finish_plane(self, z, k == 0 ? edge : NULL, partials, x, y);
        }
        cgs_arrival_progress(arrival);
    }
}

/* Finishes the lowest plane of a run that begins with layer ez. */
static void finish_lowest(const struct cells *self, int64_t ez, double *partials, const real *x,
                          real *y)
{
    const int64_t plane = self->form.n[0] * self->form.n[1], z = plane_of(self, ez, 0);
    if (z < 0 || z >= self->planes.count)
        return;
    if (self->lowest + ez == 0 && !self->around[2])
        memset(y, 0, (size_t)plane * sizeof *y); /* no layer is below */
    finish_plane(self, z, self->edge + ez * plane, partials, x, y);
}

static void multiply(const struct cells *self, struct cgs_queue *queue, double *partials,
                     const real *x, real *y)
{
    const struct cgs_planes_here layers = {.inner_first = self->planes.low < 0,
                                           .inner_last = self->layers -
                                                         (self->planes.high > self->planes.count)};
    const int threads = cgs_threads_for(queue, self->form.n);
#pragma omp parallel num_threads(threads < self->layers ? threads : (int)self->layers)
    {
        const struct cgs_slab slab = cgs_slab_of_thread(self->layers);
        const struct cgs_slab inner = cgs_slab_inner(&layers, slab);
        const struct cgs_slab runs[] = {inner, {slab.begin, inner.begin}, {inner.end, slab.end}};
        multiply_run(self, runs[0], queue->arrival, partials, x, y);
        cgs_arrival_await(queue->arrival, inner.begin > slab.begin || inner.end < slab.end);
        multiply_run(self, runs[1], NULL, partials, x, y);
        multiply_run(self, runs[2], NULL, partials, x, y);
#pragma omp barrier
        for (int r = 0; r < CGS_MARCH_PARTS; r++)
            if (runs[r].begin < runs[r].end)
                finish_lowest(self, runs[r].begin, partials, x, y);
    }
}

static enum cgs_status apply(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, void *y)
{
    if (!state || cgs_cg_going_on(state))
        multiply(self, queue, NULL, x, y);
    return CGS_OK;
}

static enum cgs_status apply_dot(const void *self, struct cgs_queue *queue,
                                 struct cgs_cg_state *state, const void *x, void *y,
                                 enum cgs_sum sum)
{
    const struct cells *cells = self;
    const int64_t plane = cells->form.n[0] * cells->form.n[1], count = cells->planes.count;
    const struct cgs_blocks blocks = {
        .n = count * plane, .size = plane, .count = count, .unit = plane, .per_unit = 1};
    if (!cgs_cg_going_on(state))
        return CGS_OK;
    multiply(cells, queue, queue->partials, x, y);
    cgs_cpu_add_up(queue, state, sum, cells->portion, &blocks);
    return CGS_OK;
}

/* ---- the table ---- */

static enum cgs_status accepts(struct cgs_context *context, const struct cgs_matrix *matrix)
{
    CGS_TRY(cgs_order_cells_accepts(context, matrix));
    if (matrix->mesh->n[2] > CGS_PARTIALS)
        return cgs_fail(context, CGS_USAGE,
                        "it adds up sums of at most %d planes, and the box has %lld",
                        (int)CGS_PARTIALS, (long long)matrix->mesh->n[2]);
    return CGS_OK;
}

/* Planes for the layers of a rank and the one above them. */
static int64_t edge_numbers(const struct cgs_matrix *matrix)
{
    const int64_t plane = cgs_mesh_plane(matrix->mesh), unit = matrix->mesh->order * plane;
    const bool part = matrix->rows < cgs_mesh_rows(matrix->mesh);
    return ((matrix->rows + unit - 1) / unit + part) * plane;
}

static int64_t lumped_numbers(const struct cgs_matrix *matrix)
{
    return cgs_order_cells_lumped(matrix->mesh) ? matrix->rows : 0;
}

static void plan(const struct cgs_matrix *matrix, struct cgs_plan *plan_out)
{
    cgs_plan_add(plan_out, CGS_HOST, "cells", 1, sizeof(struct cells));
    cgs_plan_add(plan_out, CGS_HOST, "tables of cells", cgs_order_tables(matrix->mesh),
                 sizeof(real));
    cgs_plan_add(plan_out, CGS_HOST, "planes between layers", edge_numbers(matrix), sizeof(real));
    cgs_plan_add(plan_out, CGS_HOST, "reaction and transfer", lumped_numbers(matrix), sizeof(real));
}

static struct cgs_traffic traffic(const struct cgs_matrix *matrix)
{
    struct cgs_traffic traffic = cgs_order_cells_traffic(matrix, sizeof(double));
    if (cgs_order_cells_lumped(matrix->mesh))
        traffic.matrix += matrix->rows * (int64_t)sizeof(real);
    return traffic;
}

static void release(void *self)
{
    struct cells *made = self;
    if (!made)
        return;
    struct cgs_context *context = made->context;
    cgs_free(context, made->lumped);
    cgs_free(context, made->edge);
    cgs_free(context, made->form.wave[0]);
    cgs_free(context, made);
}

/* Finds the layers of cells with nodes among the planes here. */
static void find_layers(const struct cgs_mesh *mesh, struct cells *made)
{
    const int64_t p = mesh->order, all = cgs_mesh_cells(mesh, 2) / p;
    const int64_t first = made->planes.first + made->held[2];
    const int64_t highest = cgs_least((first + made->planes.count - 1) / p, all - 1);
    made->lowest = first == 0 ? 0 : (first - 1) / p;
    made->layers = highest - made->lowest + 1;
}

/* Sets the numbers of the diagonal. */
static enum cgs_status prepare_lumped(struct cgs_context *context, const struct cgs_matrix *matrix,
                                      struct cells *made)
{
    const struct cgs_mesh *mesh = matrix->mesh;
    const int64_t diagonal = lumped_numbers(matrix);
    if (diagonal == 0)
        return CGS_OK;
    CGS_TRY(cgs_alloc(context, diagonal, sizeof(real), "reaction and transfer",
                      (void **)&made->lumped));
    cgs_order_lumped_planes(context->threads, mesh, made->planes.first, made->planes.count,
                            mesh->n[0], made->lumped);
    return CGS_OK;
}

static enum cgs_status prepare(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                               void **self)
{
    struct cgs_context *context = queue->context;
    const struct cgs_mesh *mesh = matrix->mesh;
    struct cells *made;
    real *tables = NULL;
    CGS_TRY(cgs_alloc(context, 1, sizeof *made, "cells", (void **)&made));
    *made = (struct cells){.context = context,
                           .portion = matrix->source->portion,
                           .planes = cgs_planes_of(matrix->source->portion, mesh->n),
                           .numbered = cgs_order_cells_numbered(mesh),
                           .kappa = mesh->kappa};
    for (int k = 0; k < 3; k++) {
        made->held[k] = !(mesh->open[k] & 1);
        made->around[k] = cgs_periodic(mesh->open[k]);
    }
    find_layers(mesh, made);
    enum cgs_status status = cgs_alloc(context, cgs_order_tables(mesh), sizeof(real),
                                       "tables of cells", (void **)&tables);
    made->form.wave[0] = tables;
    if (status == CGS_OK)
        status = cgs_alloc(context, edge_numbers(matrix), sizeof(real), "planes between layers",
                           (void **)&made->edge);
    if (status == CGS_OK)
        status = prepare_lumped(context, matrix, made);
    if (status != CGS_OK) {
        release(made);
        return status;
    }
    cgs_order_form_make(mesh, tables, &made->form);
    made->slope_pass = slope_passes[made->form.points - 3][0];
    made->slope_add = slope_passes[made->form.points - 3][1];
    made->to_points = value_passes[mesh->order - 2][0];
    made->to_nodes = value_passes[mesh->order - 2][1];
    *self = made;
    return CGS_OK;
}

CGS_TABLE(struct cgs_kernel, cgs_cpu_order_cells) = {
    .reproducible = true,
    .shared = true,
    .entryless = true,
    .accepts = accepts,
    .layout = cgs_planes_layout,
    .plan = plan,
    .prepare = prepare,
    .traffic = traffic,
    .steps = {.overlaps = true, .apply = apply, .apply_dot = apply_dot, .release = release},
};
