/* Load vectors of boxes of order p > 1: at the nodes, or cell by cell; then what faces bring. With
 * a diagonal mass matrix a held node of a face has neighbours among the unknowns along one line
 * alone, so that edges of the box hold nothing but themselves. */
#include "fem/order/load.h"

#include <string.h>

#include "base/memory.h"
#include "fem/order/contract.h"
#include "fem/order/samples.h"
#include "fem/user_problem/layers.h"
#include "fem/user_problem/points.h"
#include "fem/user_problem/settle.h"

/* ---- built-in problems: products of functions of one variable ---- */

enum { VALUE, SLOPE, SECOND, KINDS };

/* Value, first and second derivative of each factor of a problem at the nodes of each direction. */
struct factors {
    int terms;
    double *of[CGS_TERMS][3][KINDS];
    double *memory;
};

static enum cgs_status make_factors(struct cgs_context *context, const struct cgs_problem *problem,
                                    const struct cgs_order_box *box, struct factors *factors)
{
    int64_t count[3];
    for (int k = 0; k < 3; k++)
        count[k] = box->line[k].order * box->line[k].cells + 1;
    factors->terms = problem->terms;
    CGS_TRY(cgs_alloc(context, problem->terms * KINDS * (count[0] + count[1] + count[2]),
                      sizeof(double), "tables of the solution", (void **)&factors->memory));
    double *next = factors->memory;
    for (int t = 0; t < problem->terms; t++)
        for (int k = 0; k < 3; k++) {
            for (int kind = 0; kind < KINDS; kind++, next += count[k])
                factors->of[t][k][kind] = next;
            for (int64_t i = 0; i < count[k]; i++) {
                double g[KINDS];
                cgs_factor_at(problem->factor[t][k], cgs_order_coordinate(&box->line[k], i), g);
                cgs_factor_stretch(1.0 / box->line[k].size, g);
                for (int kind = 0; kind < KINDS; kind++)
                    factors->of[t][k][kind][i] = g[kind];
            }
        }
    return CGS_OK;
}

/* u at a node. */
static double exact_at(const struct factors *f, const int64_t i[3])
{
    double sum = 0.0;
    for (int t = 0; t < f->terms; t++)
        sum += f->of[t][0][VALUE][i[0]] * f->of[t][1][VALUE][i[1]] * f->of[t][2][VALUE][i[2]];
    return sum;
}

static double laplace_at(const struct factors *f, const int64_t i[3])
{
    double sum = 0.0;
    for (int t = 0; t < f->terms; t++) {
        double *const(*of)[KINDS] = f->of[t];
        sum += of[0][SECOND][i[0]] * of[1][VALUE][i[1]] * of[2][VALUE][i[2]] +
               of[0][VALUE][i[0]] * of[1][SECOND][i[1]] * of[2][VALUE][i[2]] +
               of[0][VALUE][i[0]] * of[1][VALUE][i[1]] * of[2][SECOND][i[2]];
    }
    return sum;
}

/* u, or -M Laplace u, at unknowns first ... last - 1. */
static void at_unknowns(struct cgs_context *context, const struct cgs_order_box *box,
                        const struct factors *factors, bool load, int64_t first, int64_t last,
                        double *out)
{
    const int64_t nx = box->line[0].n, ny = box->line[1].n;
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t row = first; row < last; row++) {
        const int64_t x = row % nx, y = row / nx % ny, z = row / (nx * ny);
        const int64_t i[3] = {x + box->line[0].first, y + box->line[1].first,
                              z + box->line[2].first};
        out[row - first] = load ? -cgs_order_box_mass(box, x, y, z) * laplace_at(factors, i)
                                : exact_at(factors, i);
    }
}

enum cgs_status cgs_order_solution(struct cgs_context *context, const struct cgs_problem *problem,
                                   const struct cgs_mesh *mesh, int64_t first, int64_t last,
                                   double *u)
{
    const struct cgs_order_box box = cgs_order_box(mesh);
    struct factors factors;
    CGS_TRY(make_factors(context, problem, &box, &factors));
    at_unknowns(context, &box, &factors, false, first, last, u);
    cgs_free(context, factors.memory);
    return CGS_OK;
}

/* ---- f of a problem of the user's own ---- */

struct load {
    const struct cgs_user_problem *user; /* NULL: a built-in problem */
    const struct cgs_mesh *mesh;
    struct cgs_order_box box;
    struct cgs_user_points points; /* of the user's problem */
    struct factors factors;        /* of a built-in one */
    struct cgs_mesh cells;         /* cgs_order_mesh_of_cells */
    struct cgs_basis rule;         /* of the mesh */
    int64_t first, last;
    double *b; /* of rows first ... last - 1 */
};

/* Adds to b, unless it is another rank's. */
static void add(const struct load *load, int64_t row, double value)
{
    if (load->first <= row && row < load->last)
        load->b[row - load->first] += value;
}

enum { NODES = CGS_NODES_MOST, POINTS = CGS_BASIS_POINTS };

/* Adds numbers of the nodes of a cell. */
static void add_nodes(const struct load *load, const int64_t cell[3], const double *number)
{
    const struct cgs_order_line *line = load->box.line;
    const int nodes = line[0].order + 1;
    for (int i = 0; i < nodes * nodes * nodes; i++) {
        const int a[3] = {i % nodes, i / nodes % nodes, i / (nodes * nodes)};
        int64_t to[3];
        for (int k = 0; k < 3; k++)
            to[k] = cgs_order_unknown(&line[k], line[k].order * cell[k] + a[k]);
        if (to[0] >= 0 && to[1] >= 0 && to[2] >= 0)
            add(load, (to[2] * line[1].n + to[1]) * line[0].n + to[0], number[i]);
    }
}

static void find_half(const struct load *load, const int64_t cell[3], double half[3])
{
    for (int k = 0; k < 3; k++)
        half[k] = 0.5 * load->box.line[k].length * cgs_order_stretch(&load->box.line[k], cell[k]);
}

/* Adds int (kappa grad u . grad phi + c u phi), or int f phi of a given f, of a cell of the sampled
 * layer. */
static void add_cell(const struct load *load, const struct cgs_order_samples *samples,
                     const int64_t cell[3])
{
    enum { VALUES = 3 }; /* kinds: derivatives in x, y, z; the value */
    const struct cgs_basis *basis = &samples->basis;
    const bool given = !cgs_user_source_known(load->user);
    const int m = samples->points, stride[3] = {1, m, m * m};
    double u[POINTS * POINTS * POINTS], at[POINTS * POINTS * POINTS],
        out[NODES * NODES * NODES] = {0.0}, half[3];
    find_half(load, cell, half);
    for (int i = 0; i < m * m; i++)
        memcpy(u + i * m,
               samples->value + cgs_order_samples_place(samples, cell, (int[3]){0, i % m, i / m}),
               (size_t)m * sizeof *u);
    for (int kind = given ? VALUES : 0; kind <= VALUES; kind++) {
        const double scale =
            half[0] * half[1] * half[2] * (kind < VALUES ? 1.0 / (half[kind] * half[kind]) : 1.0);
        for (int i = 0; i < m * m * m; i++) {
            const int q[3] = {i % m, i / m % m, i / (m * m)};
            double value = kind == VALUES ? u[i] : 0.0;
            for (int r = 0; r < m && kind < VALUES; r++)
                value += samples->slope[q[kind]][r] * u[i + (r - q[kind]) * stride[kind]];
            if (kind < VALUES)
                value *= cgs_order_samples_kappa(samples, kind, cell, q);
            else if (!given)
                value *= cgs_order_samples_reaction(samples, cell, q);
            at[i] = scale * basis->weight[q[0]] * basis->weight[q[1]] * basis->weight[q[2]] * value;
        }
        const double(*factor[3])[NODES];
        for (int k = 0; k < 3; k++)
            factor[k] = kind == k ? basis->slope : basis->value;
        cgs_order_contract(basis, factor, false, true, at, out);
    }
    add_nodes(load, cell, out);
}

/* Returns true if a layer of cells may add to the load's rows. */
static bool has_rows(const struct load *load, int64_t cz)
{
    const struct cgs_order_line *line = load->box.line;
    const int64_t plane = line[0].n * line[1].n, z = line[2].order * cz - line[2].first;
    return cgs_periodic(line[2].open) ||
           (z * plane < load->last && (z + line[2].order + 1) * plane > load->first);
}

/* Writes the values given at the nodes of a cell that VALUE faces hold, else 0; false: there are
 * none. */
static bool find_held(const struct load *load, const int64_t cell[3], double *value)
{
    const struct cgs_order_line *line = load->box.line;
    const int p = line[0].order, nodes = p + 1;
    bool found = false;
    for (int i = 0; i < nodes * nodes * nodes; i++) {
        const int64_t node[3] = {p * cell[0] + i % nodes, p * cell[1] + i / nodes % nodes,
                                 p * cell[2] + i / (nodes * nodes)};
        value[i] = 0.0;
        for (int k = 2; k >= 0; k--) {
            const int l = k == 0, m = k == 2 ? 1 : 2, side = node[k] > 0;
            if (cgs_order_unknown(&line[k], node[k]) >= 0)
                continue;
            const double *given = load->user->nodal[k][side];
            value[i] = given ? given[node[m] * (p * line[l].cells + 1) + node[l]] : 0.0;
            found = true;
        }
    }
    return found;
}

/* Returns kappa in direction k at point q of the rule. */
static double kappa_at(const struct load *load, int k, const int64_t cell[3], int q)
{
    return load->mesh->kappa.kind == CGS_KAPPA_CELLS ? cgs_order_kappa(&load->cells, k, cell, q)
                                                     : 1.0;
}

/* Subtracts K g of a cell by the rule of the mesh, g the values that faces hold at its nodes. */
static void lift_cell(const struct load *load, const int64_t cell[3])
{
    const struct cgs_basis *rule = &load->rule;
    const int64_t m = rule->points;
    double g[NODES * NODES * NODES], out[NODES * NODES * NODES] = {0.0}, half[3];
    double at[POINTS * POINTS * POINTS];
    if (!find_held(load, cell, g))
        return;
    find_half(load, cell, half);
    for (int k = 0; k < 3; k++) {
        const double scale = half[0] * half[1] * half[2] / (half[k] * half[k]);
        const double(*factor[3])[NODES] = {rule->value, rule->value, rule->value};
        factor[k] = rule->slope;
        cgs_order_contract(rule, factor, true, false, g, at);
        for (int64_t i = 0; i < m * m * m; i++)
            at[i] *= -scale * kappa_at(load, k, cell, (int)i) * rule->weight[i % m] *
                     rule->weight[i / m % m] * rule->weight[i / (m * m)];
        cgs_order_contract(rule, factor, false, true, at, out);
    }
    add_nodes(load, cell, out);
}

/* The cells of a layer, in turns of lines that share no nodes: even ones, odd ones, and the last
 * one of an odd number with a period. samples: NULL, the part of held nodes. */
static void add_layer(struct cgs_context *context, const struct load *load,
                      const struct cgs_order_samples *samples, int64_t cz)
{
    const struct cgs_order_line *line = load->box.line;
    const int64_t odd = cgs_periodic(line[1].open) && line[1].cells % 2 == 1;
    const int64_t turns[3][2] = {
        {0, line[1].cells - odd}, {1, line[1].cells - odd}, {line[1].cells - odd, line[1].cells}};
    for (int turn = 0; turn < 3; turn++) {
#pragma omp parallel for num_threads(context->threads) schedule(static)
        for (int64_t cy = turns[turn][0]; cy < turns[turn][1]; cy += 2)
            for (int64_t cx = 0; cx < line[0].cells; cx++) {
                const int64_t cell[3] = {cx, cy, cz};
                if (samples)
                    add_cell(load, samples, cell);
                else
                    lift_cell(load, cell);
            }
    }
}

/* The source, layer by layer. */
static enum cgs_status add_source(struct cgs_context *context, const struct cgs_problem *problem,
                                  const struct load *load)
{
    const bool known = cgs_user_source_known(load->user);
    struct cgs_order_samples samples;
    CGS_TRY(cgs_order_samples_create(context, problem, load->mesh, &samples));
    enum cgs_status status = CGS_OK;
    for (int64_t cz = 0; cz < load->box.line[2].cells && status == CGS_OK; cz++) {
        if (!has_rows(load, cz))
            continue;
        status =
            (known ? cgs_order_samples_layer : cgs_order_samples_source)(context, &samples, cz);
        if (status == CGS_OK)
            add_layer(context, load, &samples, cz);
    }
    cgs_order_samples_release(context, &samples);
    return status;
}

/* ---- faces ---- */

/* Value at a node of a face: `place` in the user's numbers. */
static double face_value(const struct load *load, int k, int side, const int64_t node[3],
                         int64_t place)
{
    if (!load->user)
        return exact_at(&load->factors, node);
    return load->user->nodal[k][side] ? load->user->nodal[k][side][place] : 0.0;
}

/* Values at s of the polynomials through the points of the rule. */
static void values_at(const struct cgs_basis *rule, double s, double *value)
{
    for (int a = 0; a < rule->points; a++) {
        value[a] = 1.0;
        for (int b = 0; b < rule->points; b++)
            if (b != a)
                value[a] *= (s - rule->point[b]) / (rule->point[a] - rule->point[b]);
    }
}

/* Computes kappa across face (k, side) at the nodes of a cell there: that of the polynomial through
 * the points of the rule. */
static void kappa_on_face(const struct load *load, int k, int side, const int64_t cell[3],
                          double *kappa)
{
    const struct cgs_basis *rule = &load->rule;
    const int m = rule->points, nodes = rule->order + 1, stride[3] = {1, m, m * m};
    const int l = k == 0, n = k == 2 ? 1 : 2;
    double end[POINTS], at[NODES][POINTS], plane[POINTS * POINTS] = {0.0};
    values_at(rule, side ? 1.0 : -1.0, end);
    for (int a = 0; a < nodes; a++)
        values_at(rule, load->box.line[k].point[a], at[a]);
    for (int i = 0; i < m * m; i++)
        for (int q = 0; q < m; q++)
            plane[i] += end[q] * kappa_at(load, k, cell,
                                          q * stride[k] + i % m * stride[l] + i / m * stride[n]);
    for (int i = 0; i < nodes * nodes; i++) {
        kappa[i] = 0.0;
        for (int q = 0; q < m * m; q++)
            kappa[i] += at[i % nodes][q % m] * at[i / nodes][q / m] * plane[q];
    }
}

/* Multiplies numbers at the unknowns of face (k, side) by int kappa phi over it, by the rule of
 * nodes and each cell's own kappa. weight: room for as many numbers. */
static void weigh_face(const struct load *load, int k, int side, double *weight, double *number)
{
    const struct cgs_order_line *line = load->box.line;
    const int l = k == 0, m = k == 2 ? 1 : 2, p = line[k].order, nodes = p + 1;
    const int64_t count = line[l].n * line[m].n, lines = line[l].cells;
    double kappa[NODES * NODES];
    int64_t cell[3];
    memset(weight, 0, (size_t)count * sizeof *weight);
    cell[k] = side ? line[k].cells - 1 : 0;
    for (int64_t c = 0; c < lines * line[m].cells; c++) {
        cell[l] = c % lines;
        cell[m] = c / lines;
        kappa_on_face(load, k, side, cell, kappa);
        for (int i = 0; i < nodes * nodes; i++) {
            const int a = i % nodes, b = i / nodes;
            const int64_t x = cgs_order_unknown(&line[l], p * cell[l] + a),
                          y = cgs_order_unknown(&line[m], p * cell[m] + b);
            const double mass = line[l].mass[a] * cgs_order_stretch(&line[l], cell[l]) *
                                line[m].mass[b] * cgs_order_stretch(&line[m], cell[m]);
            if (x >= 0 && y >= 0)
                weight[y * line[l].n + x] += mass * kappa[i];
        }
    }
    for (int64_t i = 0; i < count; i++)
        number[i] *= weight[i];
}

/* Integrals of kappa du/dn phi, u the exact solution, at the unknowns of a free face. */
static enum cgs_status face_slopes(struct cgs_context *context, const struct cgs_problem *problem,
                                   const struct load *load, int k, int side, double *slope)
{
    const struct cgs_order_line *line = load->box.line;
    const int l = k == 0, m = k == 2 ? 1 : 2;
    const int64_t count = line[l].n * line[m].n, cell = side ? line[k].cells - 1 : 0;
    const double over = 2.0 / (line[k].length * cgs_order_stretch(&line[k], cell));
    struct cgs_order_samples samples;
    struct cgs_user_grid grid;
    double *values = NULL;
    CGS_TRY(cgs_order_samples_create(context, problem, load->mesh, &samples));
    for (int d = 0; d < 3; d++) {
        grid.at[d] = load->points.node[d] + line[d].first;
        grid.count[d] = d == k ? 1 : line[d].n;
    }
    grid.normal = NULL;
    grid.list = false;
    enum cgs_status status =
        cgs_alloc(context, count, sizeof *values, "the solution at a face", (void **)&values);
    memset(slope, 0, (size_t)count * sizeof *slope);
    for (int q = 0; q < samples.points && status == CGS_OK; q++) {
        grid.at[k] = samples.at[k] + cell * samples.points + q;
        status = cgs_user_evaluate_finite(context, "the exact solution", problem->user->exact,
                                          &grid, values);
        for (int64_t i = 0; i < count && status == CGS_OK; i++)
            slope[i] += (side ? over : -over) * samples.end[side][q] * values[i];
    }
    if (status == CGS_OK)
        weigh_face(load, k, side, values, slope);
    cgs_free(context, values);
    cgs_order_samples_release(context, &samples);
    return status;
}

/* Adds what a face brings: K g of a held one of a star, else its flux. slope: integrals of the
 * exact solution's, and how often they are added. */
static void add_face(const struct load *load, int k, int side, const double *slope, double times)
{
    const struct cgs_order_line *line = load->box.line, *own = &line[k];
    const int l = k == 0, m = k == 2 ? 1 : 2, p = own->order;
    const int64_t end = side ? p * own->cells : 0,
                  stride[3] = {1, line[0].n, line[0].n * line[1].n};
    const bool held = !(own->open & (side ? 2 : 1)), star = cgs_order_star(load->mesh);
    const enum cgs_condition condition =
        load->user ? load->user->face[k][side].condition : CGS_FACE_VALUE;
    for (int64_t j = 0; j < line[m].n; j++)
        for (int64_t i = 0; i < line[l].n; i++) {
            int64_t node[3], at[3] = {0};
            at[l] = i;
            at[m] = j;
            node[k] = end;
            node[l] = i + line[l].first;
            node[m] = j + line[m].first;
            const double mass = cgs_order_mass(&line[l], i) * cgs_order_mass(&line[m], j);
            const double value = face_value(
                load, k, side, node, node[m] * (line[l].order * line[l].cells + 1) + node[l]);
            const double weight = condition == CGS_FACE_TRANSFER
                                      ? cgs_order_transfer(load->mesh, line, k, side, at)
                                      : mass;
            const int64_t row = i * stride[l] + j * stride[m];
            if (!held)
                add(load, row + (end - own->first) * stride[k],
                    weight * value + (slope ? times * slope[j * line[l].n + i] : 0.0));
            for (int64_t a = side ? (own->n > p ? own->n - p : 0) : 0;
                 held && star && a < (side ? own->n : p) && a < own->n; a++)
                add(load, row + a * stride[k], -cgs_order_coupling(own, side, a) * mass * value);
        }
}

static enum cgs_status add_faces(struct cgs_context *context, const struct cgs_problem *problem,
                                 const struct load *load)
{
    const struct cgs_user_problem *user = load->user;
    for (int f = 0; f < 6; f++) {
        const int k = f >> 1, side = f & 1;
        if (cgs_periodic(load->box.line[k].open))
            continue;
        const bool open = load->box.line[k].open >> side & 1;
        const int times =
            open ? cgs_user_flux_known(user, k, side) - cgs_user_source_known(user) : 0;
        double *slope = NULL;
        if (times != 0) {
            CGS_TRY(cgs_alloc(context, load->box.line[k == 0].n * load->box.line[k == 2 ? 1 : 2].n,
                              sizeof *slope, "flux of a face", (void **)&slope));
            const enum cgs_status status = face_slopes(context, problem, load, k, side, slope);
            if (status != CGS_OK) {
                cgs_free(context, slope);
                return status;
            }
        }
        add_face(load, k, side, slope, times);
        cgs_free(context, slope);
    }
    return CGS_OK;
}

/* ---- all of it ---- */

int64_t cgs_order_work_bytes(const struct cgs_mesh *mesh)
{
    const int64_t plane = (mesh->n[0] + 2) * (mesh->n[1] + 2), p = mesh->order;
    int64_t face = plane;
    for (int k = 0; k < 2; k++)
        face = mesh->n[k] * mesh->n[2] > face ? mesh->n[k] * mesh->n[2] : face;
    return cgs_order_samples_bytes(mesh) + cgs_user_points_bytes(mesh) +
           ((p + 2) * plane + 2 * face + 8 * (mesh->n[1] + mesh->n[2] + 2)) *
               (int64_t)sizeof(double);
}

static enum cgs_status compute(struct cgs_context *context, const struct cgs_problem *problem,
                               const struct load *load)
{
    const int64_t count = load->last - load->first;
    if (load->user)
        memset(load->b, 0, (size_t)count * sizeof *load->b);
    if (!load->user)
        at_unknowns(context, &load->box, &load->factors, true, load->first, load->last, load->b);
    else if (cgs_user_source_known(load->user) || cgs_user_source_given(load->user))
        CGS_TRY(add_source(context, problem, load));
    for (int64_t cz = 0; cz < load->box.line[2].cells && !cgs_order_star(load->mesh); cz++)
        if (has_rows(load, cz))
            add_layer(context, load, NULL, cz);
    if (load->user || problem->boundary_values)
        CGS_TRY(add_faces(context, problem, load));
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t i = 0; i < count; i++)
        load->b[i] *= load->box.scale;
    return CGS_OK;
}

enum cgs_status cgs_order_load(struct cgs_context *context, const struct cgs_problem *problem,
                               const struct cgs_mesh *mesh, int64_t first, int64_t last, double *b)
{
    struct load load = {.user = problem->user,
                        .mesh = mesh,
                        .box = cgs_order_box(mesh),
                        .cells = cgs_order_mesh_of_cells(mesh),
                        .first = first,
                        .last = last,
                        .b = b};
    cgs_order_rule(mesh, &load.rule);
    enum cgs_status status = load.user ? cgs_user_points_create(context, mesh, &load.points)
                                       : make_factors(context, problem, &load.box, &load.factors);
    if (status == CGS_OK)
        status = compute(context, problem, &load);
    cgs_user_points_release(context, &load.points);
    cgs_free(context, load.factors.memory);
    return status;
}
