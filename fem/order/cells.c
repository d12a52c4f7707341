/* Sums over cells by their definition, point by point, with tables of one-dimensional values and
 * slopes (sum factorisation).
 *
 *     a_ii = sum_c sum_q w_q kappa_q sum_kl (a G)_kl (d_k phi_i)(q) (d_l phi_i)(q)
 *
 * where (d_k phi_i)(d_l phi_i) is a product of one factor of each direction, value^2, value slope
 * or slope^2: three contractions for each of the six kl. The mass matrix has values alone,
 *
 *     a_ii = sum_c sum_q w_q det_q phi_i(q)^2
 *
 * Nodes get the sums of their cells from lines along x in turns, those of even y and z first, then
 * of odd y, and then of odd z: the same bits for any number of threads.
 */
#include "fem/order/cells.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "fem/element/order_cells.h"
#include "fem/element/order_line.h"
#include "fem/mesh.h"
#include "fem/order/box.h"
#include "fem/order/contract.h"
#include "fem/order/entries.h"
#include "fem/order/rows.h"

enum {
    NODES = CGS_NODES_MOST,
    POINTS = CGS_BASIS_POINTS,
    CELL_NODES = NODES * NODES * NODES,
    CELL_POINTS = POINTS * POINTS * POINTS
};

typedef double table[POINTS][NODES]; /* [point][node] */

/* Data of sums over cells: the mesh, its cells, a rule, and the problem, if any. */
struct field {
    const struct cgs_mesh *mesh;
    struct cgs_mesh cells;
    const struct cgs_problem *problem;
    double over[3]; /* 1 / L */
    struct cgs_basis basis;
};

static void make_field(const struct cgs_problem *problem, const struct cgs_mesh *mesh,
                       struct field *field)
{
    field->mesh = mesh;
    field->cells = cgs_order_mesh_of_cells(mesh);
    field->problem = problem;
    for (int k = 0; k < 3; k++)
        field->over[k] = 1.0 / mesh->size[k];
    cgs_order_rule(mesh, &field->basis);
}

/* ---- points of a cell ---- */

/* Point q of the cell, x fastest; returns its weight, that of the volume without det J. */
static double point_of(const struct field *field, const struct cgs_order_cell *cell, int q,
                       struct cgs_order_point *point)
{
    const struct cgs_basis *basis = &field->basis;
    const int m = basis->points, at[3] = {q % m, q / m % m, q / (m * m)};
    double s[3], weight = 1.0;
    for (int k = 0; k < 3; k++) {
        s[k] = basis->point[at[k]];
        weight *= basis->weight[at[k]];
    }
    cgs_order_point_make(&field->cells, cell, s, point);
    return weight;
}

/* kappa at point q of the rule in direction k. */
static double kappa_at(const struct field *field, const struct cgs_order_cell *cell,
                       const struct cgs_order_point *point, int k, int q)
{
    return field->cells.kappa.kind == CGS_KAPPA_CELLS
               ? cgs_order_kappa(&field->cells, k, cell->at, q)
               : point->kappa;
}

/* u and its gradient. Where kappa jumps, u is the sum of terms over kappa for problems that say
 * so. */
static struct cgs_exact exact_at(const struct field *field, const struct cgs_order_cell *cell,
                                 const double t[3])
{
    struct cgs_exact exact =
        cgs_exact_of(field->problem->terms, field->problem->factor, field->over, t);
    if (field->problem->over_kappa && field->cells.kappa.kind == CGS_KAPPA_JUMP) {
        exact.u /= cell->kappa;
        for (int k = 0; k < 3; k++)
            exact.gradient[k] /= cell->kappa;
    }
    return exact;
}

/* ---- sums at nodes ---- */

/* Computes a cell's numbers at its nodes, x fastest. */
typedef void cell_numbers(const struct field *field, const struct cgs_order_cell *cell,
                          double *number);

/* Row of a node of a cell, or -1 where a face holds it. */
static int64_t row_of(const struct cgs_mesh *mesh, const int64_t cell[3], int a, int b, int c)
{
    const int p = mesh->order;
    const int64_t *n = mesh->n;
    int64_t i[3] = {p * cell[0] + a, p * cell[1] + b, p * cell[2] + c};
    for (int k = 0; k < 3; k++) {
        i[k] = cgs_periodic(mesh->open[k]) ? i[k] % n[k] : i[k] - !(mesh->open[k] & 1);
        if (i[k] < 0 || i[k] >= n[k])
            return -1;
    }
    return (i[2] * n[1] + i[1]) * n[0] + i[0];
}

static void add_line(const struct field *field, cell_numbers *numbers, int64_t cy, int64_t cz,
                     int64_t first, int64_t last, double *out)
{
    const int nodes = field->mesh->order + 1;
    for (int64_t cx = 0; cx <= field->cells.n[0]; cx++) {
        struct cgs_order_cell cell;
        double number[CELL_NODES];
        cgs_order_cell_make(&field->cells, cx, cy, cz, &cell);
        numbers(field, &cell, number);
        for (int c = 0; c < nodes; c++)
            for (int b = 0; b < nodes; b++)
                for (int a = 0; a < nodes; a++) {
                    const int64_t row = row_of(field->mesh, cell.at, a, b, c);
                    if (row >= first && row < last)
                        out[row - first] += number[(c * nodes + b) * nodes + a];
                }
    }
}

enum { TURNS = 3 };

/* Every other cell from begin to end. */
struct turn {
    int64_t begin, end;
};

/* Returns the cells lowest ... highest of a direction whose turn it is, which share no nodes: even
 * ones, odd ones, and the last one of an odd number with a period. */
static struct turn turn_of(const struct field *field, int k, int turn, int64_t lowest,
                           int64_t highest)
{
    const int64_t all = field->cells.n[k];
    const int64_t odd = cgs_periodic(field->mesh->open[k]) && all % 2 == 0;
    if (turn == 2)
        return (struct turn){odd ? all : all + 1, highest};
    return (struct turn){lowest + (lowest % 2 != turn), highest < all ? highest : all - odd};
}

/* out = the sums over cells of rows first ... last - 1, times the scale of the matrix. */
static void add_cells(struct cgs_context *context, const struct field *field, cell_numbers *numbers,
                      int64_t first, int64_t last, double *out)
{
    const int64_t plane = cgs_mesh_plane(field->mesh), p = field->mesh->order;
    const int64_t node = first / plane + !(field->mesh->open[2] & 1), all = field->cells.n[2];
    const bool around = cgs_periodic(field->mesh->open[2]);
    /* layer of the first node's lower cells, if any */
    const int64_t lowest = around || node == 0 ? 0 : (node - 1) / p;
    const int64_t top = (last / plane + !(field->mesh->open[2] & 1)) / p;
    const int64_t highest = around || top > all ? all : top;
    memset(out, 0, (size_t)(last - first) * sizeof *out);
    for (int turn = 0; turn < TURNS * TURNS; turn++) {
        const struct turn z = turn_of(field, 2, turn / TURNS, lowest, highest);
        const struct turn y = turn_of(field, 1, turn % TURNS, 0, field->cells.n[1]);
#pragma omp parallel for num_threads(context->threads) collapse(2) schedule(dynamic, 1)
        for (int64_t cz = z.begin; cz <= z.end; cz += 2)
            for (int64_t cy = y.begin; cy <= y.end; cy += 2)
                add_line(field, numbers, cy, cz, first, last, out);
    }
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t i = 0; i < last - first; i++)
        out[i] *= field->mesh->scale;
}

/* sum_q w_q det f(x_q) phi_i(q); f is u for the mass matrix. */
static void load_of_cell(const struct field *field, const struct cgs_order_cell *cell,
                         double *number)
{
    const struct cgs_basis *basis = &field->basis;
    const double(*const values[3])[NODES] = {basis->value, basis->value, basis->value};
    const int m = basis->points;
    const bool smooth = field->cells.kappa.kind == CGS_KAPPA_SMOOTH;
    double f[CELL_POINTS];
    for (int q = 0; q < m * m * m; q++) {
        struct cgs_order_point point;
        const double weight = point_of(field, cell, q, &point);
        const struct cgs_exact exact =
            cgs_exact_of(field->problem->terms, field->problem->factor, field->over, point.t);
        f[q] =
            weight * point.det *
            (field->mesh->mass ? exact.u : cgs_exact_source(&exact, smooth, field->over, point.t));
    }
    cgs_order_contract(basis, values, false, false, f, number);
}

/* Computes the forms of a cell (fem/order/entries.h): (k, l) at the points. */
static void forms_of_cell(const struct field *field, const struct cgs_order_cell *cell,
                          cgs_order_forms form)
{
    const int m = field->basis.points;
    for (int q = 0; q < m * m * m; q++) {
        struct cgs_order_point point;
        const double weight = point_of(field, cell, q, &point);
        for (int k = 0, at = 0; k < 3 && !field->mesh->mass; k++)
            for (int l = k; l < 3; l++, at++)
                form[at][q] =
                    weight * kappa_at(field, cell, &point, k, q) * cgs_order_metric(&point, k, l);
        if (field->mesh->mass)
            form[CGS_FORMS - 1][q] = weight * point.det;
    }
}

/* The cell's part of the diagonal. */
static void diagonal_of_cell(const struct field *field, const struct cgs_order_cell *cell,
                             double *number)
{
    const struct cgs_basis *basis = &field->basis;
    const int nodes = basis->order + 1;
    cgs_order_forms form;
    double part[CELL_NODES];
    table product[3]; /* value^2, value slope, slope^2 */
    for (int q = 0; q < basis->points; q++)
        for (int a = 0; a < nodes; a++) {
            product[0][q][a] = basis->value[q][a] * basis->value[q][a];
            product[1][q][a] = basis->value[q][a] * basis->slope[q][a];
            product[2][q][a] = basis->slope[q][a] * basis->slope[q][a];
        }
    forms_of_cell(field, cell, form);
    memset(number, 0, CELL_NODES * sizeof *number);
    for (int k = 0, at = 0; k < 3; k++)
        for (int l = k; l < 3; l++, at++) {
            const double(*factor[3])[NODES];
            for (int d = 0; d < 3; d++)
                factor[d] = (const double(*)[NODES])product[(d == k) + (d == l)];
            cgs_order_contract(basis, factor, false, false, form[at], part);
            for (int i = 0; i < nodes * nodes * nodes; i++)
                number[i] += (k == l ? 1.0 : 2.0) * part[i];
        }
}

/* The same of the mass matrix. */
static void mass_of_cell(const struct field *field, const struct cgs_order_cell *cell,
                         double *number)
{
    const struct cgs_basis *basis = &field->basis;
    const int m = basis->points;
    double weight[CELL_POINTS];
    table square;
    const double(*const rows)[NODES] = (const double(*)[NODES])square;
    const double(*const squares[3])[NODES] = {rows, rows, rows};
    for (int q = 0; q < m; q++)
        for (int a = 0; a <= basis->order; a++)
            square[q][a] = basis->value[q][a] * basis->value[q][a];
    for (int q = 0; q < m * m * m; q++) {
        struct cgs_order_point point;
        weight[q] = point_of(field, cell, q, &point);
        weight[q] *= point.det;
    }
    cgs_order_contract(basis, squares, false, false, weight, number);
}

/* ---- the source ---- */

struct cells {
    struct cgs_row_source star; /* of the same mesh, plain */
    struct field field;
    struct cgs_order_entries entries;
    double ratio;   /* bound of x'A x over that of the star, or of the masses */
    double largest; /* number of the diagonal, of coefficients that vary */
};

/* Adds the parts of the reaction and of transfer coefficients. */
static void add_lumped(struct cgs_context *context, const struct cgs_mesh *mesh, int64_t first,
                       int64_t last, double *entries)
{
    const struct cgs_order_box box = cgs_order_box(mesh);
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t i = first; i < last; i++) {
        const int64_t at[3] = {i % mesh->n[0], i / mesh->n[0] % mesh->n[1],
                               i / cgs_mesh_plane(mesh)};
        entries[i - first] += box.scale * cgs_order_lumped(mesh, box.line, at);
    }
}

static enum cgs_status diagonal(struct cgs_context *context, const struct cgs_row_source *source,
                                int64_t first, int64_t last, double *entries)
{
    struct field field;
    make_field(NULL, source->mesh, &field);
    add_cells(context, &field, source->mesh->mass ? mass_of_cell : diagonal_of_cell, first, last,
              entries);
    add_lumped(context, source->mesh, first, last, entries);
    return CGS_OK;
}

/* An estimate of the 2-norm: that of the star, whose forms at points are larger up to the largest
 * kappa G, taken at the corners of cells. Gauss's rule, which integrates polynomials of degree 2 p
 * exactly, gives smaller masses than that of the nodes, whose matrix is diagonal. */
static double norm(const struct cgs_row_source *source)
{
    const struct cells *self = source->self;
    double mass = source->mesh->scale;
    if (!source->mesh->mass)
        return self->ratio * self->star.norm(&self->star) + self->largest;
    for (int k = 0; k < 3; k++) {
        struct cgs_order_line line;
        double most = 0.0;
        cgs_order_line_make(source->mesh, k, &line);
        for (int64_t i = 0; i < line.n && i < line.order; i++) /* all cells are alike */
            most = fmax(most, cgs_order_mass(&line, i));
        mass *= most;
    }
    return self->ratio * mass;
}

/* The largest row sum of kappa a G, or det J, at the corners of a layer, that of the undeformed
 * cell being 1. */
static double largest_metric(const struct field *field, int64_t cz)
{
    double most = 0.0;
    for (int64_t cy = 0; cy <= field->cells.n[1]; cy++)
        for (int64_t cx = 0; cx <= field->cells.n[0]; cx++) {
            struct cgs_order_cell cell;
            cgs_order_cell_make(&field->cells, cx, cy, cz, &cell);
            for (int corner = 0; corner < 8; corner++) {
                const double s[3] = {cgs_node_side(corner, 0), cgs_node_side(corner, 1),
                                     cgs_node_side(corner, 2)};
                struct cgs_order_point point;
                cgs_order_point_make(&field->cells, &cell, s, &point);
                if (field->mesh->mass)
                    most = fmax(most, 1.0 + point.sigma);
                for (int k = 0; k < 3 && !field->mesh->mass; k++) {
                    double sum = 0.0;
                    for (int l = 0; l < 3; l++)
                        sum += fabs(cgs_order_metric(&point, k, l));
                    const double plain =
                        point.half[(k + 1) % 3] * point.half[(k + 2) % 3] / point.half[k];
                    most = fmax(most, point.kappa * sum / plain);
                }
            }
        }
    return most;
}

static double find_ratio(struct cgs_context *context, const struct cgs_mesh *mesh)
{
    struct field field;
    double most = 1.0; /* of a reaction and of faces */
    if (mesh->kappa.kind == CGS_KAPPA_CELLS) {
        for (int64_t i = 0; i < cgs_order_kappa_alone(mesh); i++)
            most = fmax(most, mesh->kappa.cells[i]);
        return most;
    }
    most = 0.0;
    make_field(NULL, mesh, &field);
#pragma omp parallel for num_threads(context->threads) schedule(dynamic, 1) reduction(max : most)
    for (int64_t cz = 0; cz <= field.cells.n[2]; cz++)
        most = fmax(most, largest_metric(&field, cz));
    return most;
}

/* The largest number that coefficients that vary add to the diagonal. */
static double find_largest(struct cgs_context *context, const struct cgs_mesh *mesh)
{
    const struct cgs_order_box box = cgs_order_box(mesh);
    double most = 0.0;
    if (!mesh->kappa.varying)
        return 0.0;
#pragma omp parallel for num_threads(context->threads) schedule(static) reduction(max : most)
    for (int64_t i = 0; i < cgs_mesh_rows(mesh); i++) {
        const int64_t at[3] = {i % mesh->n[0], i / mesh->n[0] % mesh->n[1],
                               i / cgs_mesh_plane(mesh)};
        most = fmax(most, cgs_order_lumped(mesh, box.line, at));
    }
    return box.scale * most;
}

static void lengths(const struct cgs_row_source *source, int64_t first, int64_t last,
                    int32_t *lengths_out)
{
    cgs_order_entries_lengths(source->mesh, first, last, lengths_out);
}

static void make_forms(const void *self, const int64_t at[3], cgs_order_forms form)
{
    const struct cells *cells = self;
    struct cgs_order_cell cell;
    cgs_order_cell_make(&cells->field.cells, at[0], at[1], at[2], &cell);
    forms_of_cell(&cells->field, &cell, form);
}

/* Returns the length of the row of an unknown. */
static int32_t row_length(const struct cgs_order_box *box, int apart, const int64_t at[3])
{
    struct cgs_order_row row;
    int count[3];
    for (int k = 0; k < 3; k++) {
        cgs_order_row_of(&box->line[k], at[k], &row);
        count[k] = row.count;
    }
    return cgs_order_length(apart, count);
}

/* Adds the same to the diagonal of rows. */
static void add_diagonal(const struct cgs_mesh *mesh, int64_t first, int64_t last,
                         const int32_t *columns, double *values)
{
    const struct cgs_order_box box = cgs_order_box(mesh);
    const int apart = cgs_order_apart(mesh);
    int32_t length;
    for (int64_t i = first; i < last; i++, columns += length) {
        const int64_t at[3] = {i % mesh->n[0], i / mesh->n[0] % mesh->n[1],
                               i / cgs_mesh_plane(mesh)};
        length = row_length(&box, apart, at);
        for (int32_t k = 0; k < length; k++)
            if (columns[k] == i)
                values[k] += box.scale * cgs_order_lumped(mesh, box.line, at);
        values += length;
    }
}

static void fill(const struct cgs_row_source *source, int64_t first, int64_t last, int32_t *columns,
                 double *values)
{
    const struct cells *self = source->self;
    cgs_order_entries_fill(&self->entries, make_forms, self, first, last, columns, values);
    if (!source->mesh->mass)
        add_diagonal(source->mesh, first, last, columns, values);
}

static void statistics(const struct cgs_row_source *source, struct cgs_row_statistics *found)
{
    *found = cgs_order_statistics(source->mesh);
}

enum cgs_status cgs_order_cells_source(struct cgs_context *context, const struct cgs_mesh *mesh,
                                       struct cgs_row_source *source)
{
    const struct cgs_mesh cells = cgs_order_mesh_of_cells(mesh);
    const int64_t rows = cgs_mesh_rows(mesh), plane = cgs_mesh_plane(mesh);
    struct cells *self;
    CGS_TRY(cgs_mesh_check(context, &cells));
    CGS_TRY(cgs_alloc(context, 1, sizeof *self, "cells of the mesh", (void **)&self));
    const enum cgs_status status = cgs_order_source(context, mesh, &self->star);
    if (status != CGS_OK) {
        cgs_free(context, self);
        return status;
    }
    self->ratio = find_ratio(context, mesh);
    self->largest = find_largest(context, mesh);
    make_field(NULL, mesh, &self->field);
    cgs_order_entries_make(mesh, &self->field.basis, &self->entries);
    *source = (struct cgs_row_source){
        .rows = rows,
        .columns = rows,
        .symmetric = true,
        .mesh = mesh,
        .plane = plane,
        .reach = mesh->order * (plane + mesh->n[0] + 1),
        .unit = self->star.unit,
        .near = {self->star.near[0], self->star.near[1]},
        .self = self,
        .lengths = lengths,
        .statistics = statistics,
        .norm = norm,
        .diagonal = diagonal,
        .fill = rows > INT32_MAX ? NULL : fill,
    };
    return CGS_OK;
}

void cgs_order_cells_release(struct cgs_context *context, struct cgs_row_source *source)
{
    struct cells *self = (void *)source->self;
    cgs_order_release(context, &self->star);
    cgs_free(context, self);
    *source = (struct cgs_row_source){0};
}

void cgs_order_cells_plan(const struct cgs_mesh *mesh, struct cgs_plan *plan)
{
    cgs_order_plan(mesh, plan);
    cgs_plan_add(plan, CGS_HOST, "cells of the mesh", 1, sizeof(struct cells));
}

/* ---- the problem ---- */

enum cgs_status cgs_order_cells_load(struct cgs_context *context, const struct cgs_problem *problem,
                                     const struct cgs_mesh *mesh, int64_t first, int64_t last,
                                     double *b)
{
    struct field field;
    make_field(problem, mesh, &field);
    add_cells(context, &field, load_of_cell, first, last, b);
    return CGS_OK;
}

enum cgs_status cgs_order_cells_solution(struct cgs_context *context,
                                         const struct cgs_problem *problem,
                                         const struct cgs_mesh *mesh, int64_t first, int64_t last,
                                         double *u)
{
    struct cgs_lobatto lobatto;
    struct field field;
    const int p = mesh->order;
    make_field(problem, mesh, &field);
    cgs_lobatto_make(p, &lobatto);
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t i = first; i < last; i++) {
        const int64_t node[3] = {i % mesh->n[0] + 1, i / mesh->n[0] % mesh->n[1] + 1,
                                 i / cgs_mesh_plane(mesh) + 1};
        const double s[3] = {lobatto.point[node[0] % p], lobatto.point[node[1] % p],
                             lobatto.point[node[2] % p]};
        struct cgs_order_cell cell;
        struct cgs_order_point point;
        cgs_order_cell_make(&field.cells, node[0] / p, node[1] / p, node[2] / p, &cell);
        cgs_order_point_make(&field.cells, &cell, s, &point);
        u[i - first] = exact_at(&field, &cell, point.t).u;
    }
    return CGS_OK;
}

/* ---- errors ---- */

/* Adds the squares of the error and of its gradient on a cell; nodes: u_h there, x fastest. */
static void add_integrals(const struct field *field, const struct cgs_order_cell *cell,
                          const double *nodes, struct cgs_point_sums *sums)
{
    const struct cgs_basis *basis = &field->basis;
    const int m = basis->points;
    double value[4][CELL_POINTS]; /* u_h and its slopes in s */
    for (int kind = 0; kind < 4; kind++) {
        const double(*factor[3])[NODES];
        for (int k = 0; k < 3; k++)
            factor[k] = kind == k + 1 ? basis->slope : basis->value;
        cgs_order_contract(basis, factor, true, false, nodes, value[kind]);
    }
    for (int q = 0; q < m * m * m; q++) {
        struct cgs_order_point point;
        const double weight = point_of(field, cell, q, &point) * point.det;
        const struct cgs_exact exact = exact_at(field, cell, point.t);
        const double error = value[0][q] - exact.u;
        double gradient[3] = {value[1][q], value[2][q], value[3][q]}, square = 0.0;
        cgs_order_gradient(&point, gradient);
        for (int k = 0; k < 3; k++)
            square += (gradient[k] - exact.gradient[k]) * (gradient[k] - exact.gradient[k]);
        sums->l2 += weight * error * error;
        sums->h1 += weight * square;
        sums->energy += weight * (field->mesh->mass ? error * error : point.kappa * square);
    }
}

/* Adds the errors at the nodes of a cell, and gathers u_h there; rule: that of the nodes; x: from
 * row `first` on. */
static void add_nodes(const struct field *rule, const struct cgs_order_cell *cell, int64_t first,
                      const double *x, double *nodes, struct cgs_point_sums *sums)
{
    const int n = rule->mesh->order + 1;
    for (int q = 0; q < n * n * n; q++) {
        const int64_t row = row_of(rule->mesh, cell->at, q % n, q / n % n, q / (n * n));
        struct cgs_order_point point;
        const double weight = point_of(rule, cell, q, &point);
        nodes[q] = row < 0 ? 0.0 : x[row - first];
        if (row < 0)
            continue;
        const double error = nodes[q] - exact_at(rule, cell, point.t).u;
        sums->nodal += weight * point.det * error * error;
        sums->max = fmax(sums->max, fabs(error));
    }
}

/* x: from row `first` on. */
static struct cgs_point_sums sum_layer(const struct field *rule, const struct field *gauss,
                                       int64_t cz, int64_t first, const double *x)
{
    struct cgs_point_sums sums = {0};
    for (int64_t cy = 0; cy <= rule->cells.n[1]; cy++)
        for (int64_t cx = 0; cx <= rule->cells.n[0]; cx++) {
            struct cgs_order_cell cell;
            double nodes[CELL_NODES];
            cgs_order_cell_make(&rule->cells, cx, cy, cz, &cell);
            add_nodes(rule, &cell, first, x, nodes, &sums);
            add_integrals(gauss, &cell, nodes, &sums);
        }
    return sums;
}

/* Sums of the slab's layers, each with its last plane. */
static void sum_slab(struct cgs_context *context, const struct field *rule,
                     const struct field *gauss, const struct cgs_slab *slab, const double *x,
                     struct cgs_point_sums *planes)
{
    const struct cgs_mesh *mesh = rule->mesh;
    const int64_t p = mesh->order, first = slab->lower * cgs_mesh_plane(mesh);
#pragma omp parallel for num_threads(context->threads) schedule(dynamic, 1)
    for (int64_t z = slab->first; z < slab->last; z++)
        planes[z] =
            (z + 1) % p == 0 ? sum_layer(rule, gauss, z / p, first, x) : (struct cgs_point_sums){0};
}

enum cgs_status cgs_order_cells_errors(struct cgs_context *context,
                                       const struct cgs_problem *problem,
                                       const struct cgs_mesh *mesh, const struct cgs_slab *slab,
                                       const double *x, struct cgs_errors *errors)
{
    enum { NUMBERS = sizeof(struct cgs_point_sums) / sizeof(double) };
    struct field rule, gauss;
    struct cgs_point_sums *planes, all = {0};
    const bool integral = cgs_problem_known(problem, mesh) == CGS_KNOWN_EVERYWHERE;
    make_field(problem, mesh, &rule);
    gauss = rule;
    cgs_basis_lobatto(mesh->order, &rule.basis);
    cgs_basis_gauss(mesh->order, mesh->order + 3, &gauss.basis);
    enum cgs_status status = cgs_alloc(context, mesh->n[2] + 1, sizeof *planes,
                                       "sums of the error norms", (void **)&planes);
    if (status == CGS_OK)
        sum_slab(context, &rule, &gauss, slab, x, planes);
    status = cgs_slab_agree(context, slab, status);
    if (status == CGS_OK)
        status = cgs_slab_complete(context, slab, NUMBERS, planes);
    for (int64_t z = 0; z <= mesh->n[2] && status == CGS_OK; z++)
        cgs_point_sums_add(&all, &planes[z]);
    cgs_free(context, planes);
    CGS_TRY(status);
    *errors = (struct cgs_errors){
        .nodal_l2 = sqrt(all.nodal),
        .max = isnan(all.nodal) ? all.nodal : all.max, /* comparisons skip NaN */
        .integral = integral,
    };
    if (integral) {
        errors->l2 = sqrt(all.l2);
        errors->h1 = sqrt(all.h1);
        errors->energy = sqrt(all.energy);
    }
    return CGS_OK;
}
