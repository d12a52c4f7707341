/* The rows of the star, and built-in problems on it, by tables of one-dimensional functions at
 * nodes and at Gauss points. Errors: in each cell the values of u_h at its nodes are interpolated
 * direction by direction (sum factorisation), which gives u_h and its gradient at (p + 3)^3 points.
 */
#include "fem/order_box.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "fem/element/order_cells.h"
#include "fem/element/order_line.h"

struct box {
    struct cgs_order_line line[3];
    double scale;
};

static void make_box(const struct cgs_mesh *mesh, struct box *box)
{
    for (int k = 0; k < 3; k++)
        cgs_order_line_make(mesh, k, &box->line[k]);
    box->scale = mesh->scale;
}

/* ---- rows ---- */

/* The rows of K and the entries of M that meet in one row of the matrix. */
struct star {
    struct cgs_order_row row[3];
    double mass[3], over[3]; /* over: scale times the masses of the other two directions */
    int64_t at[3];
};

static void place(const struct box *box, int k, int64_t i, struct star *star)
{
    star->at[k] = i;
    cgs_order_row_of(&box->line[k], i, &star->row[k]);
    star->mass[k] = cgs_order_mass(&box->line[k], i);
}

static void find_star(const struct box *box, int64_t row, struct star *star)
{
    const int64_t nx = box->line[0].n, ny = box->line[1].n;
    place(box, 0, row % nx, star);
    place(box, 1, row / nx % ny, star);
    place(box, 2, row / (nx * ny), star);
    for (int k = 0; k < 3; k++)
        star->over[k] = box->scale * star->mass[(k + 1) % 3] * star->mass[(k + 2) % 3];
}

static double entry_of(const struct star *star, int k, int64_t other)
{
    return star->over[k] * star->row[k].entry[other - star->row[k].first];
}

static double diagonal_of(const struct star *star)
{
    return entry_of(star, 0, star->at[0]) + entry_of(star, 1, star->at[1]) +
           entry_of(star, 2, star->at[2]);
}

static void lengths(const struct cgs_row_source *source, int64_t first, int64_t last,
                    int32_t *lengths_out)
{
    const struct box *box = source->self;
    struct star star;
    for (int64_t i = first; i < last; i++) {
        find_star(box, i, &star);
        lengths_out[i - first] = star.row[0].count + star.row[1].count + star.row[2].count - 2;
    }
}

/* Writes the entries of direction k before (side -1) or after (1) the unknown. */
static int64_t write_side(const struct star *star, int k, int side, int64_t row, int64_t distance,
                          int32_t *columns, double *values)
{
    const struct cgs_order_row *from = &star->row[k];
    const int64_t low = side < 0 ? from->first : star->at[k] + 1;
    const int64_t high = side < 0 ? star->at[k] : from->first + from->count;
    for (int64_t i = low; i < high; i++) {
        columns[i - low] = (int32_t)(row + (i - star->at[k]) * distance);
        values[i - low] = entry_of(star, k, i);
    }
    return high - low;
}

static void fill(const struct cgs_row_source *source, int64_t first, int64_t last, int32_t *columns,
                 double *values)
{
    const struct box *box = source->self;
    const int64_t distance[3] = {1, box->line[0].n, box->line[0].n * box->line[1].n};
    struct star star;
    int64_t at = 0;
    for (int64_t i = first; i < last; i++) {
        find_star(box, i, &star);
        for (int k = 2; k >= 0; k--)
            at += write_side(&star, k, -1, i, distance[k], columns + at, values + at);
        columns[at] = (int32_t)i;
        values[at++] = diagonal_of(&star);
        for (int k = 0; k < 3; k++)
            at += write_side(&star, k, 1, i, distance[k], columns + at, values + at);
    }
}

static enum cgs_status diagonal(struct cgs_context *context, const struct cgs_row_source *source,
                                int64_t first, int64_t last, double *entries)
{
    const struct box *box = source->self;
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t i = first; i < last; i++) {
        struct star star;
        find_star(box, i, &star);
        entries[i - first] = diagonal_of(&star);
    }
    return CGS_OK;
}

/* The largest row sum of magnitudes: rows within the first two cells of each direction stand for
 * all. */
static double norm(const struct cgs_row_source *source)
{
    const struct box *box = source->self;
    const int p = box->line[0].order;
    double most = 0.0, sum[3][2 * CGS_ORDER_MOST], mass[3][2 * CGS_ORDER_MOST];
    int64_t count[3];
    for (int k = 0; k < 3; k++) {
        struct star star;
        count[k] = box->line[k].n < 2 * p ? box->line[k].n : 2 * p;
        for (int64_t i = 0; i < count[k]; i++) {
            place(box, k, i, &star);
            mass[k][i] = star.mass[k];
            sum[k][i] = 0.0;
            for (int a = 0; a < star.row[k].count; a++)
                sum[k][i] += fabs(star.row[k].entry[a]);
        }
    }
    for (int64_t z = 0; z < count[2]; z++)
        for (int64_t y = 0; y < count[1]; y++)
            for (int64_t x = 0; x < count[0]; x++)
                most = fmax(most, sum[0][x] * mass[1][y] * mass[2][z] +
                                      mass[0][x] * sum[1][y] * mass[2][z] +
                                      mass[0][x] * mass[1][y] * sum[2][z]);
    return box->scale * most;
}

static void statistics(const struct cgs_row_source *source, struct cgs_row_statistics *found)
{
    *found = cgs_order_statistics(source->mesh);
}

enum cgs_status cgs_order_source(struct cgs_context *context, const struct cgs_mesh *mesh,
                                 struct cgs_row_source *source)
{
    const int64_t rows = cgs_mesh_rows(mesh);
    struct box *self;
    CGS_TRY(cgs_alloc(context, 1, sizeof *self, "rows of the mesh", (void **)&self));
    make_box(mesh, self);
    *source = (struct cgs_row_source){
        .rows = rows,
        .columns = rows,
        .symmetric = true,
        .mesh = mesh,
        .plane = cgs_mesh_plane(mesh),
        .reach = mesh->order * cgs_mesh_plane(mesh),
        .self = self,
        .lengths = lengths,
        .statistics = statistics,
        .norm = norm,
        .diagonal = diagonal,
        .fill = rows > INT32_MAX ? NULL : fill,
    };
    return CGS_OK;
}

void cgs_order_release(struct cgs_context *context, struct cgs_row_source *source)
{
    cgs_free(context, (void *)source->self);
    *source = (struct cgs_row_source){0};
}

void cgs_order_plan(const struct cgs_mesh *mesh, struct cgs_plan *plan)
{
    (void)mesh; /* the same for each */
    cgs_plan_add(plan, CGS_HOST, "rows of the mesh", 1, sizeof(struct box));
}

struct cgs_row_statistics cgs_order_statistics(const struct cgs_mesh *mesh)
{
    struct cgs_row_statistics found = {.shortest = INT32_MAX};
    int64_t count[3][CGS_ORDER_ROW + 1] = {{0}}; /* rows of K by their length */
    for (int k = 0; k < 3; k++) {
        struct cgs_order_line line;
        struct cgs_order_row row;
        cgs_order_line_make(mesh, k, &line);
        for (int64_t i = 0; i < line.n; i++) {
            cgs_order_row_of(&line, i, &row);
            count[k][row.count]++;
        }
    }
    double squares = 0.0;
    for (int a = 1; a <= CGS_ORDER_ROW; a++)
        for (int b = 1; b <= CGS_ORDER_ROW; b++)
            for (int c = 1; c <= CGS_ORDER_ROW; c++) {
                const int64_t rows = count[0][a] * count[1][b] * count[2][c];
                const int32_t length = cgs_order_star(mesh) ? a + b + c - 2 : a * b * c;
                if (rows == 0)
                    continue;
                found.shortest = length < found.shortest ? length : found.shortest;
                found.longest = length > found.longest ? length : found.longest;
                squares += (double)rows * length * length;
                for (int k = 0; k < CGS_ROUNDINGS; k++)
                    found.rounded[k] += rows * ((length + (1 << k) - 1) >> k << k);
            }
    const double rows = (double)cgs_mesh_rows(mesh);
    found.mean = (double)found.rounded[0] / rows;
    found.deviation = sqrt(fmax(0.0, squares / rows - found.mean * found.mean));
    return found;
}

/* ---- functions of one variable ---- */

/* Value, first and second derivative of each factor of a problem at points of each direction. */
enum { VALUE, SLOPE, SECOND, KINDS };

struct factors {
    int terms;
    double *of[CGS_TERMS][3][KINDS];
    double *memory;
};

/* Where factors are tabulated: at the unknowns, or at the Gauss points of all cells. */
struct places {
    const struct box *box;
    const double *gauss; /* NULL: the unknowns */
    int points;          /* Gauss points of a cell */
};

static int64_t count_of(const struct places *places, int k)
{
    const struct cgs_order_line *line = &places->box->line[k];
    return places->gauss ? line->cells * places->points : line->n;
}

static double coordinate_of(const struct places *places, int k, int64_t i)
{
    const struct cgs_order_line *line = &places->box->line[k];
    if (!places->gauss)
        return cgs_order_coordinate(line, i + 1);
    return ((double)(i / places->points) + 0.5 * (1.0 + places->gauss[i % places->points])) /
           (double)line->cells;
}

static enum cgs_status make_factors(struct cgs_context *context, const struct cgs_problem *problem,
                                    const struct cgs_mesh *mesh, const struct places *places,
                                    struct factors *factors)
{
    const int64_t all = count_of(places, 0) + count_of(places, 1) + count_of(places, 2);
    factors->terms = problem->terms;
    CGS_TRY(cgs_alloc(context, problem->terms * KINDS * all, sizeof(double),
                      "tables of the solution", (void **)&factors->memory));
    double *next = factors->memory;
    for (int t = 0; t < problem->terms; t++)
        for (int k = 0; k < 3; k++) {
            const int64_t count = count_of(places, k);
            for (int kind = 0; kind < KINDS; kind++, next += count)
                factors->of[t][k][kind] = next;
            for (int64_t i = 0; i < count; i++) {
                double g[KINDS];
                cgs_factor_at(problem->factor[t][k], coordinate_of(places, k, i), g);
                cgs_factor_stretch(1.0 / mesh->size[k], g);
                for (int kind = 0; kind < KINDS; kind++)
                    factors->of[t][k][kind][i] = g[kind];
            }
        }
    return CGS_OK;
}

static double exact_at(const struct factors *f, int64_t x, int64_t y, int64_t z)
{
    double sum = 0.0;
    for (int t = 0; t < f->terms; t++)
        sum += f->of[t][0][VALUE][x] * f->of[t][1][VALUE][y] * f->of[t][2][VALUE][z];
    return sum;
}

static double laplace_at(const struct factors *f, int64_t x, int64_t y, int64_t z)
{
    double sum = 0.0;
    for (int t = 0; t < f->terms; t++) {
        double *const(*of)[KINDS] = f->of[t];
        sum += of[0][SECOND][x] * of[1][VALUE][y] * of[2][VALUE][z] +
               of[0][VALUE][x] * of[1][SECOND][y] * of[2][VALUE][z] +
               of[0][VALUE][x] * of[1][VALUE][y] * of[2][SECOND][z];
    }
    return sum;
}

static double mass_at(const struct box *box, int64_t x, int64_t y, int64_t z)
{
    return cgs_order_mass(&box->line[0], x) * cgs_order_mass(&box->line[1], y) *
           cgs_order_mass(&box->line[2], z);
}

/* u, or -M Laplace u, at unknowns first ... last - 1. */
static enum cgs_status at_unknowns(struct cgs_context *context, const struct cgs_problem *problem,
                                   const struct cgs_mesh *mesh, bool load, int64_t first,
                                   int64_t last, double *out)
{
    struct box box;
    struct factors factors;
    make_box(mesh, &box);
    const struct places nodes = {.box = &box};
    const int64_t *n = mesh->n;
    CGS_TRY(make_factors(context, problem, mesh, &nodes, &factors));
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t i = first; i < last; i++) {
        const int64_t x = i % n[0], y = i / n[0] % n[1], z = i / (n[0] * n[1]);
        out[i - first] =
            load ? -box.scale * mass_at(&box, x, y, z) * laplace_at(&factors, x, y, z)
                 : exact_at(&factors, x, y, z);
    }
    cgs_free(context, factors.memory);
    return CGS_OK;
}

enum cgs_status cgs_order_load(struct cgs_context *context, const struct cgs_problem *problem,
                               const struct cgs_mesh *mesh, int64_t first, int64_t last, double *b)
{
    return at_unknowns(context, problem, mesh, true, first, last, b);
}

enum cgs_status cgs_order_solution(struct cgs_context *context, const struct cgs_problem *problem,
                                   const struct cgs_mesh *mesh, int64_t first, int64_t last,
                                   double *u)
{
    return at_unknowns(context, problem, mesh, false, first, last, u);
}

/* ---- errors ---- */

enum { NODES = CGS_NODES_MOST, POINTS = CGS_BASIS_POINTS };

struct sweep {
    const struct box *box;
    const int64_t *n;
    const double *x;
    int nodes, points;
    struct cgs_basis basis; /* of p + 3 Gauss points */
    struct factors at_points, at_nodes;
};

/* out[other][point] = sum_a table[point][a] in[a][other], `others` of them: contracts the slowest
 * direction, which becomes the fastest one. */
static void contract(const struct sweep *s, bool slopes, int64_t others, const double *in,
                     double *out)
{
    const double(*table)[NODES] = slopes ? s->basis.slope : s->basis.value;
    for (int64_t o = 0; o < others; o++)
        for (int q = 0; q < s->points; q++) {
            double sum = 0.0;
            for (int a = 0; a < s->nodes; a++)
                sum += table[q][a] * in[a * others + o];
            out[o * s->points + q] = sum;
        }
}

/* Adds the squares of the error and of its gradient on one cell. */
static void add_cell(const struct sweep *s, const int64_t cell[3], struct cgs_point_sums *sums)
{
    const int p = s->nodes - 1, m = s->points;
    double u[NODES * NODES * NODES], one[NODES * NODES * POINTS], two[NODES * POINTS * POINTS],
        value[4][POINTS * POINTS * POINTS];
    for (int c = 0; c < s->nodes; c++)
        for (int b = 0; b < s->nodes; b++)
            for (int a = 0; a < s->nodes; a++) {
                const int64_t i[3] = {p * cell[0] + a - 1, p * cell[1] + b - 1,
                                      p * cell[2] + c - 1};
                bool inside = true;
                for (int k = 0; k < 3; k++)
                    inside = inside && i[k] >= 0 && i[k] < s->n[k];
                u[(c * s->nodes + b) * s->nodes + a] =
                    inside ? s->x[(i[2] * s->n[1] + i[1]) * s->n[0] + i[0]] : 0.0;
            }
    for (int kind = 0; kind < 4; kind++) { /* u and its derivatives in x, y, z */
        contract(s, kind == 3, (int64_t)s->nodes * s->nodes, u, one);
        contract(s, kind == 2, (int64_t)s->nodes * m, one, two);
        contract(s, kind == 1, (int64_t)m * m, two, value[kind]);
    }
    const struct factors *f = &s->at_points;
    const struct cgs_order_line *line = s->box->line;
    for (int c = 0; c < m; c++)
        for (int b = 0; b < m; b++)
            for (int a = 0; a < m; a++) {
                const int at = (c * m + b) * m + a;
                const int64_t q[3] = {cell[0] * m + a, cell[1] * m + b, cell[2] * m + c};
                const double weight = s->basis.weight[a] * s->basis.weight[b] * s->basis.weight[c] *
                                      line[0].length * line[1].length * line[2].length / 8.0;
                double error[4];
                for (int kind = 0; kind < 4; kind++) {
                    double exact = 0.0;
                    for (int t = 0; t < f->terms; t++)
                        exact += f->of[t][0][kind == 1][q[0]] * f->of[t][1][kind == 2][q[1]] *
                                 f->of[t][2][kind == 3][q[2]];
                    error[kind] =
                        (kind > 0 ? 2.0 / line[kind - 1].length : 1.0) * value[kind][at] - exact;
                }
                sums->l2 += weight * error[0] * error[0];
                sums->h1 += weight * (error[1] * error[1] + error[2] * error[2] +
                                      error[3] * error[3]);
            }
}

/* Adds what is at the unknowns of plane z. */
static void add_nodes(const struct sweep *s, int64_t z, struct cgs_point_sums *sums)
{
    for (int64_t y = 0; y < s->n[1]; y++)
        for (int64_t x = 0; x < s->n[0]; x++) {
            const double error =
                s->x[(z * s->n[1] + y) * s->n[0] + x] - exact_at(&s->at_nodes, x, y, z);
            sums->nodal += mass_at(s->box, x, y, z) * error * error;
            sums->max = fmax(sums->max, fabs(error));
        }
}

/* The layers of cells, each by one thread, added in order. */
static enum cgs_status add_layers(struct cgs_context *context, const struct sweep *s,
                                  struct cgs_point_sums *all)
{
    const struct cgs_order_line *line = s->box->line;
    const int p = s->nodes - 1;
    struct cgs_point_sums *layers;
    CGS_TRY(cgs_alloc(context, line[2].cells, sizeof *layers, "sums of the error norms",
                      (void **)&layers));
#pragma omp parallel for num_threads(context->threads) schedule(dynamic, 1)
    for (int64_t cz = 0; cz < line[2].cells; cz++) {
        layers[cz] = (struct cgs_point_sums){0};
        for (int64_t cy = 0; cy < line[1].cells; cy++)
            for (int64_t cx = 0; cx < line[0].cells; cx++)
                add_cell(s, (int64_t[]){cx, cy, cz}, &layers[cz]);
        for (int64_t z = p * cz; z < p * (cz + 1) && z < s->n[2]; z++)
            add_nodes(s, z, &layers[cz]);
    }
    for (int64_t cz = 0; cz < line[2].cells; cz++)
        cgs_point_sums_add(all, &layers[cz]);
    cgs_free(context, layers);
    return CGS_OK;
}

enum cgs_status cgs_order_errors(struct cgs_context *context, const struct cgs_problem *problem,
                                 const struct cgs_mesh *mesh, const double *x,
                                 struct cgs_errors *errors)
{
    struct box box;
    struct cgs_point_sums sums = {0};
    struct sweep s = {
        .box = &box, .n = mesh->n, .x = x, .nodes = mesh->order + 1, .points = mesh->order + 3};
    make_box(mesh, &box);
    cgs_basis_gauss(mesh->order, s.points, &s.basis);
    const struct places nodes = {.box = &box},
                        points = {.box = &box,   .gauss = s.basis.point, .points = s.points};
    enum cgs_status status = make_factors(context, problem, mesh, &nodes, &s.at_nodes);
    if (status == CGS_OK)
        status = make_factors(context, problem, mesh, &points, &s.at_points);
    if (status == CGS_OK)
        status = add_layers(context, &s, &sums);
    if (status == CGS_OK)
        *errors = (struct cgs_errors){.nodal_l2 = sqrt(sums.nodal),
                                      .max = sums.max,
                                      .l2 = sqrt(sums.l2),
                                      .h1 = sqrt(sums.h1),
                                      .energy = sqrt(sums.h1),
                                      .integral = true};
    cgs_free(context, s.at_points.memory);
    cgs_free(context, s.at_nodes.memory);
    return status;
}
