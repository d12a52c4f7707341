/* Boxes of order 2 ... 8, deformed, with a coefficient, by both rules: products of the kernels
 * order_cells, rows and the diagonal, and those of the mass matrix, against the definition, basis
 * function by basis function at each point of each cell, and steps of CG that are fused with the
 * products; orders of convergence are in tests/cli/cli_solve.sh. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fem/element/order_cells.h"
#include "fem/order/cells.h"
#include "fem/order/rows.h"
#include "solver/cg/cg_create.h"
#include "solver/cg/cg_solve.h"
#include "solver/jacobi.h"
#include "tests/kernels/free.h"
#include "tests/support/rows.h"

/* MASS: the mass matrix, by Gauss's rule; of boxes of many cells also NUMBERS, FREE and AROUND,
 * boxes of numbers by the rule of nodes, and POINTS, one by Gauss's. */
enum rule { LOBATTO, GAUSS, MASS, NUMBERS, FREE, AROUND, POINTS };

/* A mesh of each kind: cells in x, y, z; more than a vector of cells in x. */
static const struct form {
    int64_t cells[3];
    double size[3], deform;
    enum cgs_kappa_kind kappa;
    enum rule rule;
} forms[] = {
    {{2, 2, 2}, {1, 1, 1}, 0.1, CGS_KAPPA_SMOOTH, LOBATTO},
    {{2, 2, 2}, {2, 2, 2}, -0.08, CGS_KAPPA_JUMP, GAUSS},
    {{17, 1, 1}, {1, 2, 0.5}, 0.0, CGS_KAPPA_SMOOTH, GAUSS},
    {{3, 2, 1}, {1, 2, 0.5}, 0.0, CGS_KAPPA_JUMP, LOBATTO},
    {{1, 1, 2}, {1, 2, 0.5}, 0.0, CGS_KAPPA_ONE, GAUSS},
    {{2, 2, 2}, {2, 2, 2}, -0.08, CGS_KAPPA_ONE, MASS},
    {{9, 1, 2}, {1, 2, 0.5}, 0.0, CGS_KAPPA_ONE, MASS},
};
enum { FORMS = sizeof forms / sizeof *forms };

/* Orders compared with the definition: under sanitizers up to 5, as its sums take most of the time
 * and higher orders are of the same lines. */
enum { DEFINED = CHECK_SMALL && CHECK_DEVICE == CGS_CPU ? 4 : ORDERS };

static struct cgs_mesh mesh_by(const struct form *form, int p)
{
    const int64_t wide = p > 4 && form->cells[0] == 17 ? 9 : form->cells[0]; /* for time */
    const int64_t n[3] = {p * wide - 1, p * form->cells[1] - 1, p * form->cells[2] - 1};
    struct cgs_mesh mesh = cgs_mesh_box(n, form->size, CGS_GAUSS, 2.0);
    mesh.order = p;
    mesh.deform = form->deform;
    mesh.kappa.kind = form->kappa;
    mesh.kappa.ratio = 7.0;
    mesh.gauss = form->rule != LOBATTO;
    mesh.mass = form->rule == MASS;
    return mesh;
}

/* ---- the definition ---- */

/* The sum over one point, with slopes of all basis functions in x. */
struct oracle {
    const struct cgs_mesh *mesh;
    struct cgs_mesh cells;
    struct cgs_lobatto lobatto;
    struct cgs_basis rule;
    int64_t cell[3];
    double corner[24], origin[3];
};

/* Unknown of local node a, or -1. */
static int64_t unknown_of(const struct oracle *o, int a)
{
    const int n = o->mesh->order + 1, at[3] = {a % n, a / n % n, a / (n * n)};
    int64_t row = 0;
    for (int k = 2; k >= 0; k--) {
        const int open = o->mesh->open[k];
        const int64_t node = o->cell[k] * o->mesh->order + at[k],
                      i = open == CGS_PERIODIC ? node % o->mesh->n[k] : node - !(open & 1);
        if (i < 0 || i >= o->mesh->n[k])
            return -1;
        row = row * o->mesh->n[k] + i;
    }
    return row;
}

/* Gradients of the cell's basis functions at a point of the rule, or for the mass matrix their
 * values and zeros; returns weight det J kappa. */
static double gradients_at(const struct oracle *o, int point, double gradient[][3])
{
    const int m = o->rule.points, n = o->mesh->order + 1;
    const int at[3] = {point % m, point / m % m, point / (m * m)};
    double s[3], x[3], adjugate[9], value[3][CGS_NODES_MOST], slope[3][CGS_NODES_MOST], weight = 1;
    for (int k = 0; k < 3; k++) {
        s[k] = o->rule.point[at[k]];
        weight *= o->rule.weight[at[k]];
        cgs_lagrange(&o->lobatto, s[k], value[k], slope[k]);
    }
    const double det = cgs_jacobian_adjugate(o->corner, s, adjugate);
    for (int k = 0; k < 3; k++) {
        x[k] = o->origin[k];
        for (int a = 0; a < 8; a++)
            x[k] += o->corner[3 * a + k] * cgs_shape(a, s) / o->mesh->size[k];
    }
    for (int a = 0; a < n * n * n; a++) {
        const int i[3] = {a % n, a / n % n, a / (n * n)};
        const double reference[3] = {slope[0][i[0]] * value[1][i[1]] * value[2][i[2]],
                                     value[0][i[0]] * slope[1][i[1]] * value[2][i[2]],
                                     value[0][i[0]] * value[1][i[1]] * slope[2][i[2]]};
        for (int k = 0; k < 3; k++)
            gradient[a][k] = (adjugate[k] * reference[0] + adjugate[3 + k] * reference[1] +
                              adjugate[6 + k] * reference[2]) /
                             det;
        if (o->mesh->mass) {
            gradient[a][0] = value[0][i[0]] * value[1][i[1]] * value[2][i[2]];
            gradient[a][1] = gradient[a][2] = 0.0;
        }
    }
    const int upper = 2 * o->cell[0] + 1 >= o->cells.n[0] + 1;
    const int upper_y = 2 * o->cell[1] + 1 >= o->cells.n[1] + 1;
    const int upper_z = 2 * o->cell[2] + 1 >= o->cells.n[2] + 1;
    const double kappa = o->mesh->kappa.kind == CGS_KAPPA_SMOOTH ? 1 + x[0] + 2 * x[1] * x[2]
                         : o->mesh->kappa.kind == CGS_KAPPA_JUMP
                             ? ((upper + upper_y + upper_z) % 2 ? o->mesh->kappa.ratio : 1.0)
                             : 1.0;
    return weight * det * kappa * o->mesh->scale;
}

/* c at node a of the cell. */
static double reaction_at(const struct oracle *o, int a)
{
    const struct cgs_kappa *kappa = &o->mesh->kappa;
    const int64_t count[3] = {o->cells.n[0] + 1, o->cells.n[1] + 1, o->cells.n[2] + 1};
    return kappa->varying & CGS_VARYING_REACTION
               ? kappa->cells[cgs_order_reaction_place(kappa, count, o->cell[0], o->cell[1],
                                                       o->cell[2], a)]
               : o->mesh->reaction;
}

/* The transfer coefficient of face f at node `at` of the cell. */
static double transfer_at(const struct oracle *o, int f, const int at[3])
{
    const struct cgs_kappa *kappa = &o->mesh->kappa;
    const int64_t count[3] = {o->cells.n[0] + 1, o->cells.n[1] + 1, o->cells.n[2] + 1};
    const int l = f < 2 ? 1 : 0, m = f < 4 ? 2 : 1;
    return kappa->varying >> f & 1
               ? kappa->cells[cgs_order_transfer_place(kappa, count, f, o->cell[l], o->cell[m],
                                                       at[m] * kappa->nodes + at[l])]
               : o->mesh->transfer[f >> 1][f & 1];
}

/* Adds what a reaction and the transfer through faces bring to the sums of a cell, by the rule of
 * nodes. */
static void define_lumped(const struct oracle *o, const double *x, double *y, double *bound,
                          double *diagonal)
{
    const struct cgs_mesh *mesh = o->mesh;
    const int n = mesh->order + 1;
    for (int a = 0; a < n * n * n; a++) {
        const int64_t row = unknown_of(o, a);
        const int at[3] = {a % n, a / n % n, a / (n * n)};
        double mass[3], sum;
        for (int k = 0; k < 3; k++)
            mass[k] =
                0.5 * cgs_order_cell_length(&o->cells, k, o->cell[k]) * o->lobatto.weight[at[k]];
        sum = reaction_at(o, a) * mass[0] * mass[1] * mass[2];
        for (int k = 0; k < 3; k++) {
            const double face = mass[(k + 1) % 3] * mass[(k + 2) % 3];
            const bool low = o->cell[k] == 0 && at[k] == 0,
                       high = o->cell[k] == o->cells.n[k] && at[k] == mesh->order;
            if (low && mesh->open[k] != CGS_PERIODIC)
                sum += transfer_at(o, 2 * k, at) * face;
            if (high && mesh->open[k] != CGS_PERIODIC)
                sum += transfer_at(o, 2 * k + 1, at) * face;
        }
        if (row < 0)
            continue;
        y[row] += mesh->scale * sum * x[row];
        bound[row] += mesh->scale * sum * fabs(x[row]);
        diagonal[row] += mesh->scale * sum;
    }
}

/* y = A x, bound = the sum of the magnitudes of its terms, diagonal. */
static void define(const struct cgs_mesh *mesh, const double *x, double *y, double *bound,
                   double *diagonal)
{
    enum { MOST = CGS_NODES_MOST * CGS_NODES_MOST * CGS_NODES_MOST };
    static double gradient[MOST][3];
    int64_t unknown[MOST];
    struct oracle o = {.mesh = mesh, .cells = cgs_order_mesh_of_cells(mesh)};
    const int n = mesh->order + 1;
    cgs_lobatto_make(mesh->order, &o.lobatto);
    cgs_order_rule(mesh, &o.rule);
    const int m = o.rule.points;
    for (int64_t i = 0; i < cgs_mesh_rows(mesh); i++)
        y[i] = bound[i] = diagonal[i] = 0.0;
    for (int64_t c = 0; c < cgs_mesh_all_cells(&o.cells); c++) {
        o.cell[0] = c % (o.cells.n[0] + 1);
        o.cell[1] = c / (o.cells.n[0] + 1) % (o.cells.n[1] + 1);
        o.cell[2] = c / ((o.cells.n[0] + 1) * (o.cells.n[1] + 1));
        cgs_mesh_corners(&o.cells, o.cell[0], o.cell[1], o.cell[2], o.corner);
        for (int i = 0; i < 24; i++)
            o.corner[i] *= cgs_order_cell_length(&o.cells, i % 3, o.cell[i % 3]) / o.cells.h[i % 3];
        for (int a = 0; a < n * n * n; a++)
            unknown[a] = unknown_of(&o, a);
        define_lumped(&o, x, y, bound, diagonal);
        double move = mesh->deform;
        for (int k = 0; k < 3; k++)
            move *= sin(M_PI * cgs_mesh_coordinate(&o.cells, k, o.cell[k]));
        for (int k = 0; k < 3; k++)
            o.origin[k] = cgs_mesh_coordinate(&o.cells, k, o.cell[k]) + move;
        for (int point = 0; point < m * m * m; point++) {
            const double weight = gradients_at(&o, point, gradient);
            double flux[3] = {0, 0, 0}, size[3] = {0, 0, 0}, kappa[3] = {weight, weight, weight};
            for (int k = 0; k < 3 && mesh->kappa.kind == CGS_KAPPA_CELLS; k++)
                kappa[k] *= cgs_order_kappa(&o.cells, k, o.cell, point);
            for (int a = 0; a < n * n * n; a++) {
                const int64_t row = unknown[a];
                for (int k = 0; k < 3 && row >= 0; k++) {
                    flux[k] += kappa[k] * gradient[a][k] * x[row];
                    size[k] += fabs(kappa[k] * gradient[a][k] * x[row]);
                }
            }
            for (int a = 0; a < n * n * n; a++) {
                const int64_t row = unknown[a];
                for (int k = 0; k < 3 && row >= 0; k++) {
                    y[row] += gradient[a][k] * flux[k];
                    bound[row] += fabs(gradient[a][k]) * size[k];
                    diagonal[row] += kappa[k] * gradient[a][k] * gradient[a][k];
                }
            }
        }
    }
}

/* ---- products ---- */

static const struct cgs_kernel_entry *entry_of(const char *name, enum cgs_device device)
{
    int count;
    const struct cgs_kernel_entry *entries = cgs_kernels(&count);
    for (int i = 0; i < count; i++)
        if (entries[i].device == device && strcmp(entries[i].name, name) == 0)
            return &entries[i];
    ck_abort_msg("no kernel %s", name);
}

/* y = A x by so many threads into a vector of NaN, alone and with x'y, which is returned. */
static double apply(struct cgs_queue *queue, const struct cgs_operator *op, int threads,
                    const double *x, double *y)
{
    const struct cgs_space *space = &op->domain;
    const int64_t rows = space->size;
    double *other = must_have((size_t)rows * sizeof *other);
    struct cgs_cg_state *state = bed_state(space, 1);
    void *vx, *vy;
    for (int64_t i = 0; i < rows; i++)
        other[i] = NAN;
    must(space->ops->alloc(space, "x", &vx));
    must(space->ops->alloc(space, "y", &vy));
    must(space->ops->put(space, x, 0, rows, vx));
    must(space->ops->put(space, other, 0, rows, vy));
    bed.context.threads = threads;
    must(op->steps->apply(op->self, queue, NULL, vx, vy));
    must(space->ops->get(space, vy, 0, rows, y));
    must(space->ops->put(space, other, 0, rows, vy));
    must(op->steps->apply_dot(op->self, queue, state, vx, vy, CGS_SUM_PQ));
    must(space->ops->get(space, vy, 0, rows, other));
    bed.context.threads = 2;
    ck_assert(memcmp(y, other, (size_t)rows * sizeof *y) == 0);
    struct cgs_cg_state found;
    must(space->ops->look_start(space, queue, state, 0));
    must(space->ops->look_finish(space, queue, 0, &found));
    space->ops->state_free(space, state);
    space->ops->free(space, vx);
    space->ops->free(space, vy);
    free(other);
    return found.sums[CGS_SUM_PQ];
}

/* A kernel at work on a mesh. */
struct kernel_at_work {
    struct cgs_queue *queue;
    const struct cgs_backend *backend;
    struct cgs_row_source source;
    struct cgs_matrix matrix;
    struct cgs_operator op;
};

static void begin_cells(const struct cgs_mesh *mesh, const struct cgs_kernel_entry *kernel,
                        enum cgs_precision precision, struct kernel_at_work *work)
{
    work->backend = cgs_backend(kernel->device);
    work->queue = bed.queue;
    if (kernel->device != CHECK_DEVICE)
        must(work->backend->open(&bed.context, 0, &work->queue));
    must(cgs_order_cells_source(&bed.context, mesh, &work->source));
    must(cgs_matrix_create(&bed.context, &work->source, CGS_NONE, 1, 1, &work->matrix));
    must(cgs_operator_create(work->queue, work->backend, kernel->tables[precision], precision,
                             &work->matrix, &work->op));
}

static void end_cells(struct kernel_at_work *work)
{
    cgs_operator_release(&work->op);
    cgs_matrix_release(&bed.context, &work->matrix);
    cgs_order_cells_release(&bed.context, &work->source);
    if (work->queue != bed.queue)
        work->backend->close(work->queue);
}

static double product(const struct cgs_mesh *mesh, const struct cgs_kernel_entry *kernel,
                      enum cgs_precision precision, int threads, const double *x, double *y)
{
    struct kernel_at_work work;
    begin_cells(mesh, kernel, precision, &work);
    const double dot = apply(work.queue, &work.op, threads, x, y);
    end_cells(&work);
    return dot;
}

/* Rows times x are y; columns ascend, entries are those of the
 * diagonal and the same the other way round, and rows drawn one by one have the same bits. */
static void check_rows(const struct cgs_row_source *source, const double *x, const double *y,
                       const double *bound, const double *diagonal)
{
    struct rows rows = rows_gather(source, 1000), other = rows_gather(source, 3);
    ck_assert_int_eq(rows.entries, cgs_order_statistics(source->mesh).rounded[0]);
    ck_assert(memcmp(rows.columns, other.columns, (size_t)rows.entries * sizeof(int32_t)) == 0);
    ck_assert(memcmp(rows.values, other.values, (size_t)rows.entries * sizeof(double)) == 0);
    for (int64_t i = 0; i < rows.count; i++) {
        double sum = 0.0;
        for (int64_t k = rows.start[i]; k < rows.start[i + 1]; k++) {
            const int32_t j = rows.columns[k];
            ck_assert(k == rows.start[i] || rows.columns[k - 1] < j);
            if (j == i)
                ck_assert_double_le(fabs(rows.values[k] - diagonal[i]), 1e-12 * diagonal[i]);
            int64_t back = rows.start[j];
            while (back < rows.start[j + 1] - 1 && rows.columns[back] < i)
                back++;
            ck_assert(rows.columns[back] == i && rows.values[back] == rows.values[k]);
            sum += rows.values[k] * x[j];
        }
        ck_assert_double_le(fabs(sum - y[i]), 32.0 * DBL_EPSILON * bound[i]);
    }
    rows_free(&rows);
    rows_free(&other);
}

static void check_products(struct cgs_mesh mesh)
{
    const int64_t rows = cgs_mesh_rows(&mesh);
    const size_t bytes = (size_t)rows * sizeof(double);
    double *x = must_have(bytes), *y = must_have(bytes), *exact = must_have(bytes),
           *bound = must_have(bytes), *diagonal = must_have(bytes), *found = must_have(bytes);
    struct cgs_row_source source;
    plain_vector(rows, PLAIN_RANDOM, CGS_F32, 3, x);
    define(&mesh, x, exact, bound, diagonal);
    for (int single = 0; single < 2; single++) {
        const double eps = single ? (double)FLT_EPSILON : DBL_EPSILON;
        const enum cgs_precision precision = single ? CGS_PRECISION_F32 : CGS_PRECISION_F64;
        double off = product(&mesh, entry_of("order_cells", CHECK_DEVICE), precision, 1, x, y);
        double most = 0.0;
        for (int64_t i = 0; i < rows; i++) {
            ck_assert_double_le(fabs(y[i] - exact[i]), 32.0 * eps * bound[i]);
            off -= x[i] * exact[i];
            most += fabs(x[i]) * bound[i];
        }
        ck_assert_double_le(fabs(off), 32.0 * eps * most);
    }
    must(cgs_order_cells_source(&bed.context, &mesh, &source));
    must(source.diagonal(&bed.context, &source, 0, rows, found));
    const double norm = source.norm(&source);
    double xx = 0.0, xy = 0.0;
    for (int64_t i = 0; i < rows; i++) {
        ck_assert_double_le(fabs(found[i] - diagonal[i]), 1e-12 * diagonal[i]);
        ck_assert_double_le(diagonal[i], norm);
        xx += x[i] * x[i];
        xy += x[i] * exact[i];
    }
    ck_assert_double_le(xy, norm * xx);
    if (rows > 2) { /* a part of it has the same bits */
        must(source.diagonal(&bed.context, &source, rows / 3, rows - 1, y));
        ck_assert(memcmp(y, found + rows / 3, (size_t)(rows - 1 - rows / 3) * sizeof *y) == 0);
    }
    if (CHECK_DEVICE == CGS_CPU)
        if (rows <= 4000) /* for time */
        check_rows(&source, x, exact, bound, diagonal);
    cgs_order_cells_release(&bed.context, &source);
    free(x), free(y), free(exact), free(bound), free(diagonal), free(found);
}

LOOP_TEST(products_are_those_of_the_definition, DEFINED *FORMS)
{
    check_products(mesh_by(&forms[_i % FORMS], _i / FORMS + 2));
}

/* Boxes of numbers: kappa at points, of cells in three directions, or 1; faces that are held, free
 * or periodic, with transfer and a reaction, which may vary, graded in y, by either rule. */
static const struct box {
    int64_t cells[3];
    int open[3], points, orthotropic, varying, gauss;
} numbered[] = {
    {{3, 3, 3}, {1, CGS_PERIODIC, 2}, 2, 0, 0, 0},
    {{9, 3, 4}, {CGS_PERIODIC, 3, CGS_PERIODIC}, 1, 1, CGS_VARYING_REACTION | 1 << 2, 0},
    {{8, 2, 3}, {3, 3, 3}, 2, 1, 1 << 1 | 1 << 2 | 1 << 5, 0},
    {{4, 3, 1}, {2, 1, 1}, 0, 0, 0, 0},
    {{2, 2, 2}, {0, 0, 0}, 1, 0, CGS_VARYING_REACTION, 0},
    {{9, 2, 2}, {2, 3, 1}, 2, 1, CGS_VARYING_REACTION | 1 << 4, 1},
    {{3, 3, 3}, {CGS_PERIODIC, CGS_PERIODIC, 3}, 0, 0, 0, 1},
};
enum { NUMBERED = sizeof numbered / sizeof *numbered };

/* points: 2 stands for those of the rule. nodes: room for coordinates in y. The numbers of kappa
 * are to be freed. */
static struct cgs_mesh mesh_of_box(const struct box *box, int p, double *nodes)
{
    static const double size[3] = {1.0, 2.0, 0.5};
    const double cells = (double)box->cells[1];
    int64_t n[3];
    struct cgs_lobatto lobatto;
    for (int k = 0; k < 3; k++)
        n[k] = p * box->cells[k] - 1 +
               (box->open[k] == CGS_PERIODIC ? 1 : (box->open[k] & 1) + box->open[k] / 2);
    struct cgs_mesh mesh = cgs_mesh_box(n, size, CGS_GAUSS, 2.0);
    memcpy(mesh.open, box->open, sizeof mesh.open);
    cgs_mesh_resize(&mesh, n);
    mesh.order = p;
    mesh.reaction = box->points == 2 ? 1.5 : 0.0;
    for (int k = 0; k < 3; k++)
        for (int side = 0; side < 2; side++)
            if (box->open[k] != CGS_PERIODIC && box->open[k] >> side & 1 &&
                !(box->varying >> (2 * k + side) & 1))
                mesh.transfer[k][side] = 0.5 + k + side;
    cgs_lobatto_make(p, &lobatto);
    for (int i = 0; i <= box->cells[1] * p; i++) {
        const int c = i < box->cells[1] * p ? i / p : (int)box->cells[1] - 1, a = i - p * c;
        const double low = c * (c + cells) / (cells * cells),
                     high = (c + 1) * (c + 1 + cells) / (cells * cells);
        nodes[i] = low + 0.5 * (high - low) * (1.0 + lobatto.point[a]);
    }
    mesh.nodes[1] = nodes;
    mesh.gauss = box->gauss;
    mesh.kappa.points = box->points == 2 ? p + 1 + box->gauss : box->points;
    mesh.kappa.orthotropic = box->orthotropic;
    mesh.kappa.varying = box->varying;
    mesh.kappa.nodes = box->varying ? p + 1 : 0;
    if (box->points == 0)
        return mesh;
    const int64_t count = cgs_order_kappa_numbers(&mesh);
    double *kappa = must_have((size_t)count * sizeof *kappa);
    plain_vector(count, PLAIN_RANDOM, CGS_F32, 5, kappa);
    for (int64_t i = 0; i < count; i++)
        kappa[i] = 0.25 + fabs(kappa[i]);
    mesh.kappa.kind = CGS_KAPPA_CELLS;
    mesh.kappa.cells = kappa;
    return mesh;
}

LOOP_TEST(boxes_of_numbers, DEFINED *NUMBERED)
{
    const int p = _i / NUMBERED + 2;
    double nodes[LONGEST];
    const struct cgs_mesh mesh = mesh_of_box(&numbered[_i % NUMBERED], p, nodes);
    check_products(mesh);
    free((void *)mesh.kappa.cells);
}

/* Boxes of many cells, several blocks of CUDA's kernel in each direction; as mesh_of_box. */
static struct cgs_mesh mesh_of_many(int p, enum rule rule, double *nodes)
{
    const struct box by_numbers[] = {
        {{24 / p + 1, 18 / p + 1, 18 / p + 1}, {0, 0, 0}, 1, 0, 0, 0},
        {{48 / p + 1, 18 / p + 1, 18 / p + 1}, {1, CGS_PERIODIC, 3}, 2, 1, 0, 0},
        {{24 / p + 1, 18 / p + 1, 24 / p + 1}, {CGS_PERIODIC, 2, CGS_PERIODIC}, 2, 0, 1 << 3, 0},
        {{48 / p + 1, 18 / p + 1, 18 / p + 1}, {3, CGS_PERIODIC, 1}, 2, 1, CGS_VARYING_REACTION, 1},
    };
    const struct form many[] = {
        {{48 / p + 1, 18 / p + 1, 18 / p + 1}, {1, 2, 0.5}, 0.0, CGS_KAPPA_ONE, LOBATTO},
        {{24 / p + 1, 24 / p + 1, 24 / p + 1}, {1, 1, 1}, 0.1, CGS_KAPPA_SMOOTH, GAUSS},
        {{24 / p + 1, 24 / p + 1, 24 / p + 1}, {1, 1, 1}, 0.1, CGS_KAPPA_ONE, MASS},
    };
    return rule < NUMBERS ? mesh_by(&many[rule], p)
                          : mesh_of_box(&by_numbers[rule - NUMBERS], p, nodes);
}

/* Many cells: the same bits by any number of threads, more than there are layers among them, and in
 * every run of a device; on the plain box the product is that of kernel order, on a deformed one
 * that of the CPU. */
LOOP_TEST(threads_and_kernels_agree, ORDERS)
{
    const int p = _i + 2, most_threads = CHECK_DEVICE == CGS_CPU ? 13 : 2;
    double nodes[LONGEST];
    for (enum rule rule = LOBATTO; rule <= POINTS; rule++) {
        const struct cgs_mesh mesh = mesh_of_many(p, rule, nodes);
        const struct cgs_kernel_entry *kernel = entry_of("order_cells", CHECK_DEVICE);
        const int64_t rows = cgs_mesh_rows(&mesh);
        const size_t bytes = (size_t)rows * sizeof(double);
        double *x = must_have(bytes), *y = must_have(bytes), *z = must_have(bytes), most = 0.0;
        plain_vector(rows, PLAIN_RANDOM, CGS_F64, 3, x);
        product(&mesh, kernel, CGS_PRECISION_F64, 1, x, y);
        for (int threads = 2; threads <= most_threads; threads += 1 + threads * (threads > 2)) {
            product(&mesh, kernel, CGS_PRECISION_F64, threads, x, z);
            ck_assert(memcmp(y, z, bytes) == 0);
        }
        for (int64_t i = 0; i < rows; i++)
            most = fmax(most, fabs(y[i]));
        product(&mesh, entry_of(rule == LOBATTO ? "order" : "order_cells", CGS_CPU),
                CGS_PRECISION_F64, 2, x, z);
        for (int64_t i = 0; i < rows; i++)
            ck_assert_double_le(fabs(y[i] - z[i]), 1e-13 * most);
        free(x), free(y), free(z), free((void *)mesh.kappa.cells);
    }
}

/* Some iterations of CG with this operator. */
static void iterate(const struct kernel_at_work *work, const struct cgs_operator *op,
                    const struct cgs_operator *preconditioner, const double *b, double *x)
{
    const struct cgs_space *space = &op->domain;
    const struct cgs_cg_settings settings = {.tolerance = 1e-30, .max_iterations = 3};
    struct cgs_cg_result result;
    struct cgs_cg *cg;
    must(cgs_cg_create(work->queue, op, preconditioner, &settings, &cg));
    must(space->ops->put(space, b, 0, space->size, cgs_cg_rhs(cg)));
    must(cgs_cg_solve(cg, &result));
    ck_assert_int_eq(result.iterations, 3);
    must(space->ops->get(space, cgs_cg_solution(cg), 0, space->size, x));
    cgs_cg_release(cg);
}

/* CG's steps fused with the product are those that CG composes, without a preconditioner, where x
 * is one iteration late at the end, and with one; and they have the same bits in every run. */
LOOP_TEST(fused_steps_are_composed, ORDERS)
{
    const struct cgs_kernel_entry *kernel = entry_of("order_cells", CHECK_DEVICE);
    double nodes[LONGEST];
    for (enum rule rule = LOBATTO; rule <= POINTS && CHECK_DEVICE != CGS_CPU; rule++) {
        /* the CPU's has none */
        const bool gauss = rule == GAUSS;
        const struct cgs_mesh mesh = mesh_of_many(_i + 2, rule, nodes);
        const int64_t rows = cgs_mesh_rows(&mesh);
        const size_t bytes = (size_t)rows * sizeof(double);
        double *b = must_have(bytes), *x = must_have(bytes), *y = must_have(bytes), most = 0.0;
        struct cgs_operator jacobi;
        struct kernel_at_work work;
        begin_cells(&mesh, kernel, gauss ? CGS_PRECISION_F32 : CGS_PRECISION_F64, &work);
        must(cgs_jacobi_create(work.queue, &work.op, &work.source, &jacobi));
        const struct cgs_operator *preconditioner = gauss ? &jacobi : NULL;
        plain_vector(rows, PLAIN_RANDOM, CGS_F32, 3, b);
        iterate(&work, &work.op, preconditioner, b, x);
        if (!gauss) {
            iterate(&work, &work.op, preconditioner, b, y);
            ck_assert(memcmp(x, y, bytes) == 0);
        }
        struct cgs_steps steps = *work.op.steps;
        struct cgs_operator composed = work.op;
        ck_assert(steps.direction_apply_dot && steps.update_conclude);
        steps.direction_apply_dot = NULL;
        steps.update = steps.update_conclude = NULL;
        steps.finish = NULL;
        composed.steps = &steps;
        iterate(&work, &composed, preconditioner, b, y);
        for (int64_t i = 0; i < rows; i++)
            most = fmax(most, fabs(y[i]));
        for (int64_t i = 0; i < rows; i++)
            ck_assert_double_le(fabs(x[i] - y[i]), (gauss ? 1e-5 : 1e-13) * most);
        cgs_operator_release(&jacobi);
        end_cells(&work);
        free(b), free(x), free(y), free((void *)mesh.kappa.cells);
    }
}

/* A step of a smoother, and b - A x, with the product's sides are those that are composed. */
static void check_following(const struct kernel_at_work *work, const double *numbers, double eps)
{
    const struct cgs_operator *op = &work->op;
    const struct cgs_space *space = &op->domain;
    const int64_t rows = space->size;
    struct cgs_steps steps = *op->steps;
    struct cgs_operator composed = *op;
    void *x = bed_vector(space, numbers), *d = bed_vector(space, numbers);
    void *b = bed_vector(space, numbers), *product = bed_vector(space, NULL);
    double *y[2] = {must_have((size_t)rows * sizeof(double)),
                    must_have((size_t)rows * sizeof(double))};
    steps.residual = NULL;
    composed.steps = &steps;
    for (int how = 0; how < 5; how++) { /* 4: the residual */
        double most = 0.0;
        for (int i = 0; i < 2; i++) {
            void *out = bed_vector(space, numbers);
            const struct cgs_relaxation step = {.on_x = 1.25,
                                                .on_y = how & 1 ? -0.25 : 0.0,
                                                .c = 0.5,
                                                .d = how & 2 ? d : NULL,
                                                .b = b,
                                                .x = x,
                                                .y = out};
            if (how == 4) {
                must(cgs_operator_residual(i ? &composed : op, work->queue, NULL, b, x, out));
            } else if (i == 0) {
                must(op->steps->relax_with(op->self, work->queue, NULL, &step, product));
            } else {
                must(cgs_operator_apply(op, work->queue, NULL, x, product));
                must(space->ops->relax(space, work->queue, NULL, &step, product));
            }
            must(space->ops->wait(work->queue));
            bed_get(space, out, y[i]);
            space->ops->free(space, out);
        }
        for (int64_t i = 0; i < rows; i++)
            most = fmax(most, fabs(y[1][i]));
        for (int64_t i = 0; i < rows; i++)
            ck_assert_double_le(fabs(y[0][i] - y[1][i]), 32.0 * eps * most);
    }
    for (int i = 0; i < 2; i++)
        free(y[i]);
    space->ops->free(space, x), space->ops->free(space, d);
    space->ops->free(space, b), space->ops->free(space, product);
}

LOOP_TEST(what_follows_is_composed, ORDERS)
{
    const struct cgs_kernel_entry *kernel = entry_of("order_cells", CHECK_DEVICE);
    double nodes[LONGEST];
    for (enum rule rule = LOBATTO; rule <= POINTS && CHECK_DEVICE != CGS_CPU; rule++) {
        /* the CPU's has none */
        const bool single = rule == GAUSS || rule == FREE;
        if (rule == MASS || rule == NUMBERS)
            continue;
        const struct cgs_mesh mesh = mesh_of_many(_i + 2, rule, nodes);
        const int64_t rows = cgs_mesh_rows(&mesh);
        double *numbers = must_have((size_t)rows * sizeof(double));
        struct kernel_at_work work;
        begin_cells(&mesh, kernel, single ? CGS_PRECISION_F32 : CGS_PRECISION_F64, &work);
        plain_vector(rows, PLAIN_RANDOM, CGS_F32, 3, numbers);
        check_following(&work, numbers, single ? (double)FLT_EPSILON : DBL_EPSILON);
        end_cells(&work);
        free(numbers), free((void *)mesh.kappa.cells);
    }
}

/* Operations of a cell of order 2, counted by hand: 9 for a line of slopes by halves, 3 x 3, in 54
 * lines, 44 at a point; of the mass matrix 14 and 15 for lines of 3 nodes to 4 points and back, 37
 * of each, 4 at a point. */
TEST(operations_are_those_of_the_lines)
{
    const struct form all[] = {{{3, 2, 1}, {1, 1, 1}, 0.0, CGS_KAPPA_ONE, LOBATTO},
                               {{3, 2, 1}, {1, 1, 1}, 0.0, CGS_KAPPA_ONE, MASS}};
    static const int64_t of_a_cell[] = {54 * 9 + 27 * 44, 37 * (14 + 15) + 64 * 4};
    for (int i = 0; i < 2; i++) {
        const struct cgs_mesh mesh = mesh_by(&all[i], 2);
        const struct cgs_matrix matrix = {.rows = 15, .columns = 15, .mesh = &mesh};
        const struct cgs_kernel *kernel = entry_of("order_cells", CHECK_DEVICE)->tables[0];
        ck_assert_int_eq(kernel->traffic(&matrix).operations, 6 * of_a_cell[i]);
    }
}

/* Kernel order refuses what is no star. */
LOOP_TEST(the_star_refuses_it, FORMS)
{
    const struct cgs_mesh mesh = mesh_by(&forms[_i], 3);
    struct cgs_row_source source;
    struct cgs_matrix matrix;
    must(cgs_order_cells_source(&bed.context, &mesh, &source));
    must(cgs_matrix_create(&bed.context, &source, CGS_NONE, 1, 1, &matrix));
    ck_assert_int_eq(entry_of("order", CGS_CPU)->tables[0]->accepts(&bed.context, &matrix),
                     CGS_USAGE);
    bed_forgive();
    cgs_matrix_release(&bed.context, &matrix);
    cgs_order_cells_release(&bed.context, &source);
}

int main(void)
{
    return bed_tests("order_cells", 120);
}
