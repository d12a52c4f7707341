/* Least value, most value and mean of a discrete solution: cell by cell, a plane of cells at a
 * time, lines of a plane by one thread each. Lines are joined in order, then planes. Of order p > 1
 * node by node instead, with its part of the mass matrix. */
#include "fem/extremes.h"

#include <math.h>
#include <stddef.h>

#include "base/memory.h"
#include "fem/element/cells.h"
#include "fem/element/order_line.h"
#include "fem/grading.h"
#include "fem/load.h"
#include "fem/mesh.h"
#include "fem/user_problem/points.h"

/* Part of the cells of a group: numbers alone, which ranks exchange. Node (ix, iy, iz) has the
 * number (iz (n_y + 2) + iy)(n_x + 2) + ix. */
struct part {
    double least, least_node, most, most_node;
    double integral;
};

static const struct part no_cells = {.least = INFINITY, .most = -INFINITY};

/* Groups of cells: all of the box; with materials cells in no region, then those of each. */
struct sweep {
    struct cgs_context *context;
    const struct cgs_problem *problem;
    const struct cgs_mesh *mesh;
    const struct cgs_slab *slab;
    const double *x;
    struct cgs_materials *materials; /* NULL: none */
    int groups;
    struct cgs_user_points points; /* with materials */
    int *material;                /* of the cells of a plane of the box */
    double *values;               /* room for an expression at these */
    struct cgs_cells cells;       /* of a deformed mesh */
    double *nodes[2];             /* u below and above the plane of cells */
    struct part *lines, *planes;  /* [n_y + 2][groups], [n_z + 1][groups] */
};

static enum cgs_status create(struct sweep *sweep)
{
    struct cgs_context *context = sweep->context;
    const struct cgs_mesh *mesh = sweep->mesh;
    const int64_t nodes = (mesh->n[0] + 2) * (mesh->n[1] + 2);
    const int64_t cells = cgs_mesh_cells(mesh, 0) * cgs_mesh_cells(mesh, 1);
    CGS_TRY(cgs_alloc(context, 2 * nodes, sizeof(double), "planes of the solution",
                      (void **)&sweep->nodes[0]));
    sweep->nodes[1] = sweep->nodes[0] + nodes;
    CGS_TRY(cgs_alloc(context, (mesh->n[1] + 2) * sweep->groups, sizeof(struct part),
                      "lines of the solution", (void **)&sweep->lines));
    CGS_TRY(cgs_alloc(context, (mesh->n[2] + 1) * sweep->groups, sizeof(struct part),
                      "extremes of the solution", (void **)&sweep->planes));
    if (mesh->deform != 0.0)
        CGS_TRY(cgs_cells_create(context, mesh, &sweep->cells));
    if (!sweep->materials || mesh->order > 1) /* order p > 1 has its cells' materials */
        return CGS_OK;
    CGS_TRY(
        cgs_alloc(context, cells, sizeof(int), "materials of a plane", (void **)&sweep->material));
    CGS_TRY(
        cgs_alloc(context, cells, sizeof(double), "a plane of materials", (void **)&sweep->values));
    return cgs_user_points_create(context, mesh, &sweep->points);
}

static void release(struct sweep *sweep)
{
    struct cgs_context *context = sweep->context;
    if (sweep->points.memory)
        cgs_user_points_release(context, &sweep->points);
    if (sweep->cells.tables)
        cgs_cells_release(context, &sweep->cells);
    cgs_free(context, sweep->values);
    cgs_free(context, sweep->material);
    cgs_free(context, sweep->planes);
    cgs_free(context, sweep->lines);
    cgs_free(context, sweep->nodes[0]);
}

/* ---- cells ---- */

/* The four nodes of a line of cells with the same ix. */
struct column {
    double least, most, sum;
};

/* Lines of nodes around a line of cells: bit 0 of a line's number is its side in y, bit 1 in z. */
struct around {
    const double *line[4];
    double node[4]; /* the number of its node ix = 0 */
};

static struct column column_of(const struct around *around, int64_t ix)
{
    const double a = around->line[0][ix], b = around->line[1][ix], c = around->line[2][ix],
                 d = around->line[3][ix];
    const double low[2] = {a < b ? a : b, c < d ? c : d};
    const double high[2] = {a < b ? b : a, c < d ? d : c};
    return (struct column){.least = low[0] < low[1] ? low[0] : low[1],
                           .most = high[0] > high[1] ? high[0] : high[1],
                           .sum = (a + b) + (c + d)};
}

/* Returns the number of the first corner of cell cx that has this value. */
static double corner_of(const struct around *around, int64_t cx, double value)
{
    for (int a = 0; a < 8; a++)
        if (around->line[a >> 1][cx + (a & 1)] == value)
            return around->node[a >> 1] + (double)(cx + (a & 1));
    return 0.0;
}

static void add_cell(const struct around *around, int64_t cx, const struct column column[2],
                     double integral, struct part *part)
{
    const double least = column[0].least < column[1].least ? column[0].least : column[1].least;
    const double most = column[0].most > column[1].most ? column[0].most : column[1].most;
    part->integral += integral;
    if (least < part->least) {
        part->least = least;
        part->least_node = corner_of(around, cx, least);
    }
    if (most > part->most) {
        part->most = most;
        part->most_node = corner_of(around, cx, most);
    }
}

/* Integrals over deformed cells cx ... cx + 7. */
static CGS_CLONES void integrate(const struct sweep *sweep, const struct around *around, int64_t cx,
                                 int64_t cy, int64_t cz, double integral[CGS_CELL_LANES])
{
    const double at = cgs_rule_point(CGS_GAUSS);
    cgs_lanes corner[24];
    cgs_cells_corners(&sweep->cells, cx, cy, cz, corner);
    for (int i = 0; i < CGS_CELL_LANES; i++)
        integral[i] = 0.0;
    for (int q = 0; q < 8; q++) {
        const double s[3] = {at * cgs_node_side(q, 0), at * cgs_node_side(q, 1),
                             at * cgs_node_side(q, 2)};
        double shape[8], determinant[CGS_CELL_LANES];
        const cgs_lanes lanes = cgs_lanes_jacobian_determinant(corner, s);
        CGS_LANES_STORE(determinant, lanes);
        for (int a = 0; a < 8; a++)
            shape[a] = cgs_shape(a, s);
        for (int i = 0; i < CGS_CELL_LANES && cx + i <= sweep->mesh->n[0]; i++)
            for (int a = 0; a < 8; a++)
                integral[i] += determinant[i] * shape[a] * around->line[a >> 1][cx + i + (a & 1)];
    }
}

/* The line of cells (cy, cz) of the mesh, which lies in the box. */
static void sum_line(const struct sweep *sweep, int64_t cy, int64_t cz, struct part *parts)
{
    const struct cgs_mesh *mesh = sweep->mesh;
    const int64_t nodes = mesh->n[0] + 2, first = mesh->open[0] & 1;
    const int64_t cells = cgs_mesh_cells(mesh, 0);
    const double eighth = cgs_mesh_cell(mesh) / 8.0;
    const int *material =
        sweep->materials ? sweep->material + (cy - (mesh->open[1] & 1)) * cells : NULL;
    struct around around;
    double integral[CGS_CELL_LANES];
    for (int l = 0; l < 4; l++) {
        const int64_t iy = cy + (l & 1);
        around.line[l] = sweep->nodes[l >> 1] + iy * nodes;
        around.node[l] = (double)(((cz + (l >> 1)) * (mesh->n[1] + 2) + iy) * nodes);
    }
    struct column column[2] = {{0}, column_of(&around, first)};
    for (int64_t i = 0; i < cells; i++) {
        const int64_t cx = first + i, cell[3] = {cx, cy, cz};
        column[0] = column[1];
        column[1] = column_of(&around, cx + 1);
        if (sweep->cells.tables && i % CGS_CELL_LANES == 0)
            integrate(sweep, &around, cx, cy, cz, integral);
        add_cell(&around, cx, column,
                 sweep->cells.tables
                     ? integral[i % CGS_CELL_LANES]
                     : eighth * cgs_grading_volume(mesh, cell) * (column[0].sum + column[1].sum),
                 &parts[material ? 2 + material[i] : 0]);
    }
}

/* ---- nodes of order p > 1 ---- */

static void join(struct part *into, const struct part *other)
{
    into->integral += other->integral;
    if (other->least < into->least ||
        (other->least == into->least && other->least_node < into->least_node)) {
        into->least = other->least;
        into->least_node = other->least_node;
    }
    if (other->most > into->most ||
        (other->most == into->most && other->most_node < into->most_node)) {
        into->most = other->most;
        into->most_node = other->most_node;
    }
}

static void join_all(const struct sweep *sweep, const struct part *parts, int64_t count,
                     struct part *into)
{
    for (int g = 0; g < sweep->groups; g++)
        into[g] = no_cells;
    for (int64_t i = 0; i < count; i++)
        for (int g = 0; g < sweep->groups; g++)
            join(&into[g], &parts[i * sweep->groups + g]);
}

/* The cells beside node i of the box in a direction, and the node's mass in each; returns how
 * many. */
static int cells_beside(const struct cgs_order_line *line, int64_t i, int64_t cell[2],
                        double mass[2])
{
    const int a = (int)(i % line->order);
    const int64_t c = i / line->order;
    int count = 0;
    if (a == 0 && c > 0) {
        cell[count] = c - 1;
        mass[count++] = line->mass[line->order] * cgs_order_stretch(line, c - 1);
    }
    if (c < line->cells) {
        cell[count] = c;
        mass[count++] = line->mass[a] * cgs_order_stretch(line, c);
    }
    return count;
}

/* Adds node i of the box, with its parts of the cells beside it, to those of their groups. */
static void add_node(const struct sweep *sweep, const struct cgs_order_line line[3],
                     const int64_t i[3], double u, double node, struct part *parts)
{
    const int *material = sweep->materials ? sweep->problem->user->material : NULL;
    int64_t cell[3][2];
    double mass[3][2];
    int count[3];
    for (int k = 0; k < 3; k++)
        count[k] = cells_beside(&line[k], i[k], cell[k], mass[k]);
    for (int b = 0; b < count[0] * count[1] * count[2]; b++) {
        const int x = b % count[0], y = b / count[0] % count[1], z = b / (count[0] * count[1]);
        const int64_t at = (cell[2][z] * line[1].cells + cell[1][y]) * line[0].cells + cell[0][x];
        const struct part one = {u, node, u, node, mass[2][z] * mass[1][y] * mass[0][x] * u};
        join(&parts[material ? 2 + material[at] : 0], &one);
    }
}

/* The nodes of plane iz of the mesh, which lies in the box. */
static void sum_plane_of_nodes(struct sweep *sweep, int64_t iz, struct part *plane)
{
    const struct cgs_mesh *mesh = sweep->mesh;
    const int64_t lines = cgs_mesh_cells(mesh, 1) + 1, nodes = mesh->n[0] + 2,
                  z = iz - (mesh->open[2] & 1);
    struct cgs_order_line line[3];
    for (int k = 0; k < 3; k++)
        cgs_order_line_make(mesh, k, &line[k]);
    cgs_problem_nodes(sweep->problem, mesh, sweep->slab->lower, sweep->x, iz, sweep->nodes[0]);
#pragma omp parallel for num_threads(sweep->context->threads) schedule(static)
    for (int64_t y = 0; y < lines; y++) {
        const int64_t row = (y + (mesh->open[1] & 1)) * nodes + (mesh->open[0] & 1);
        struct part *parts = sweep->lines + y * sweep->groups;
        join_all(sweep, NULL, 0, parts);
        for (int64_t x = 0; x <= cgs_mesh_cells(mesh, 0); x++)
            add_node(sweep, line, (int64_t[]){x, y, z}, sweep->nodes[0][row + x],
                     (double)(iz * nodes * (mesh->n[1] + 2) + row + x), parts);
    }
    for (int64_t y = 0; y < lines; y++)
        for (int g = 0; g < sweep->groups; g++)
            join(&plane[g], &sweep->lines[y * sweep->groups + g]);
}

/* ---- all of it ---- */

static enum cgs_status sum_plane(struct sweep *sweep, int64_t cz)
{
    struct cgs_context *context = sweep->context;
    const struct cgs_mesh *mesh = sweep->mesh;
    const int64_t z = cz - (mesh->open[2] & 1), lines = cgs_mesh_cells(mesh, 1);
    struct part *plane = sweep->planes + cz * sweep->groups;
    join_all(sweep, NULL, 0, plane);
    if (z < 0 || z >= cgs_mesh_cells(mesh, 2))
        return CGS_OK;
    if (mesh->order > 1) { /* the plane of nodes below, of the last layer that above, too */
        for (int64_t iz = cz; iz <= cz + (z + 1 == cgs_mesh_cells(mesh, 2)); iz++)
            sum_plane_of_nodes(sweep, iz, plane);
        return CGS_OK;
    }
    if (sweep->materials)
        CGS_TRY(cgs_materials_plane(context, sweep->materials, &sweep->points, z, sweep->values,
                                    sweep->material));
    for (int upper = 0; upper < 2; upper++)
        cgs_problem_nodes(sweep->problem, mesh, sweep->slab->lower, sweep->x, cz + upper,
                          sweep->nodes[upper]);
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t y = 0; y < lines; y++) {
        struct part *line = sweep->lines + y * sweep->groups;
        join_all(sweep, NULL, 0, line);
        sum_line(sweep, y + (mesh->open[1] & 1), cz, line);
    }
    join_all(sweep, sweep->lines, lines, plane);
    return CGS_OK;
}

/* Sets where node `number` is. */
static void place_node(const struct cgs_mesh *mesh, double number, double point[3])
{
    const int64_t node = (int64_t)number, nodes[2] = {mesh->n[0] + 2, mesh->n[1] + 2};
    const int64_t i[3] = {node % nodes[0], node / nodes[0] % nodes[1], node / nodes[0] / nodes[1]};
    cgs_mesh_node(mesh, i, point);
}

static struct cgs_extremes extremes_of(const struct cgs_mesh *mesh, const struct part *part,
                                       double volume)
{
    struct cgs_extremes extremes = {
        .least = part->least, .most = part->most, .mean = part->integral / volume};
    place_node(mesh, part->least_node, extremes.least_at);
    place_node(mesh, part->most_node, extremes.most_at);
    return extremes;
}

/* Sets the extremes of the box and of the materials from those of all planes. parts: room for
 * those of each group. */
static struct cgs_extremes conclude(const struct sweep *sweep, struct part *parts)
{
    const struct cgs_mesh *mesh = sweep->mesh;
    struct cgs_materials *materials = sweep->materials;
    join_all(sweep, sweep->planes, mesh->n[2] + 1, parts);
    for (int g = 1; g < sweep->groups; g++) {
        struct cgs_material_facts *facts =
            g == 1 ? &materials->rest : &materials->list[g - 2].facts;
        if (facts->cells > 0)
            facts->extremes = extremes_of(mesh, &parts[g], facts->volume);
        join(&parts[0], &parts[g]);
    }
    return extremes_of(mesh, &parts[0], mesh->size[0] * mesh->size[1] * mesh->size[2]);
}

enum cgs_status cgs_extremes_find(struct cgs_context *context, const struct cgs_problem *problem,
                                  const struct cgs_mesh *mesh, const struct cgs_slab *slab,
                                  const double *x, struct cgs_materials *materials,
                                  struct cgs_extremes *extremes)
{
    const int groups = materials ? 2 + materials->count : 1;
    const int numbers = groups * (int)(sizeof(struct part) / sizeof(double));
    struct sweep sweep = {.context = context,
                          .problem = problem,
                          .mesh = mesh,
                          .slab = slab,
                          .x = x,
                          .materials = materials,
                          .groups = groups};
    enum cgs_status status = create(&sweep);
    for (int64_t cz = slab->first; cz < slab->last && status == CGS_OK; cz++)
        status = sum_plane(&sweep, cz);
    status = cgs_slab_agree(context, slab, status);
    if (status == CGS_OK)
        status = cgs_slab_complete(context, slab, numbers, sweep.planes);
    if (status == CGS_OK)
        *extremes = conclude(&sweep, sweep.lines);
    release(&sweep);
    return status;
}
