/* Data of a problem of the user's own: kappa of cells, values on faces. */

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "fem/assembly.h"
#include "fem/element/order_cells.h"
#include "fem/element/order_line.h"
#include "fem/user_problem/layers.h"
#include "fem/user_problem/nodes.h"
#include "fem/user_problem/points.h"
#include "fem/user_problem/settle.h"

/* In parts of the box: more than coordinates of nodes are rounded by, and too little to matter. */
static const double INSIDE = 2e-15;

bool cgs_user_source_known(const struct cgs_user_problem *user)
{
    return user->exact && !user->source && !user->cell_source;
}

bool cgs_user_flux_known(const struct cgs_user_problem *user, int k, int side)
{
    const struct cgs_user_face *face = &user->face[k][side];
    return user->exact && !face->value &&
           (face->condition == CGS_FACE_FLUX || face->condition == CGS_FACE_TRANSFER);
}

bool cgs_user_face_values(const struct cgs_user_problem *user, int k, int side)
{
    const struct cgs_user_face *face = &user->face[k][side];
    return face->value || (user->exact && (face->condition == CGS_FACE_VALUE ||
                                           face->condition == CGS_FACE_TRANSFER));
}

double cgs_user_hold(const struct cgs_user_problem *user)
{
    for (int f = 0; f < CGS_USER_FACES; f++)
        if (user->face[f >> 1][f & 1].condition == CGS_FACE_VALUE)
            return INFINITY;
    return user->hold;
}

bool cgs_user_singular(const struct cgs_user_problem *user)
{
    return !(cgs_user_hold(user) > 0.0);
}

/* ---- mesh ---- */

enum cgs_status cgs_user_refine(struct cgs_context *context, struct cgs_user_problem *user,
                                int order, const int64_t cells[3], const double size[3])
{
    struct cgs_lobatto lobatto;
    cgs_lobatto_make(order, &lobatto);
    for (int k = 0; k < 3; k++) {
        const double *end = user->grading.x[k];
        double *x;
        CGS_TRY(cgs_alloc(context, order * cells[k] + 1, sizeof *x, "coordinates of nodes",
                          (void **)&x));
        for (int64_t c = 0; c < cells[k]; c++) {
            const double low = end ? end[c] : size[k] * ((double)c / (double)cells[k]);
            const double high = end ? end[c + 1] : size[k] * ((double)(c + 1) / (double)cells[k]);
            for (int a = 0; a < order; a++)
                x[order * c + a] = low + 0.5 * (high - low) * (1.0 + lobatto.point[a]);
            x[order * (c + 1)] = high;
        }
        cgs_free(context, user->grading.x[k]);
        user->grading.x[k] = x;
    }
    user->order = user->grading.order = order;
    return CGS_OK;
}

/* Returns c of cells of order p > 1; 0 without one, or where it varies. */
static double constant_reaction(const struct cgs_user_problem *user)
{
    static const double origin = 0.0;
    const struct cgs_user_grid grid = {.at = {&origin, &origin, &origin}, .count = {1, 1, 1}};
    double c = 0.0;
    if (user->reaction && !(user->varying & CGS_VARYING_REACTION))
        cgs_user_evaluate(user->reaction, &grid, &c);
    return c;
}

struct cgs_mesh cgs_user_mesh(const struct cgs_user_problem *user, const int64_t cells[3],
                              const double size[3], enum cgs_quadrature quadrature)
{
    int64_t n[3];
    int open[3];
    for (int k = 0; k < 3; k++) {
        const struct cgs_user_face *face = user->face[k];
        const int low = face[0].condition != CGS_FACE_VALUE;
        const int high = face[1].condition != CGS_FACE_VALUE;
        const bool periodic = face[0].condition == CGS_FACE_PERIODIC;
        open[k] = periodic ? CGS_PERIODIC : low + 2 * high;
        n[k] = (user->order > 1 ? user->order : 1) * cells[k] + (periodic ? 0 : low + high - 1);
    }
    struct cgs_mesh mesh = cgs_mesh_box(n, size, quadrature, 1.0);
    memcpy(mesh.open, open, sizeof open);
    cgs_mesh_resize(&mesh, n);
    if (user->grading.x[0] || user->grading.x[1] || user->grading.x[2])
        mesh.grading = &user->grading;
    mesh.kappa.along = 1;
    if (user->order > 1) {
        mesh.order = user->order;
        mesh.gauss = quadrature == CGS_GAUSS;
        mesh.reaction = constant_reaction(user);
        mesh.kappa.points = user->kappa_points;
        mesh.kappa.varying = user->varying;
        mesh.kappa.nodes = user->varying ? user->order + 1 : 0;
        mesh.kappa.orthotropic = user->orthotropic;
        mesh.kappa.along = user->orthotropic ? 3 : 1;
        if (user->kappa_points > 0)
            mesh.kappa.kind = CGS_KAPPA_CELLS;
        for (int k = 0; k < 3; k++)
            mesh.nodes[k] = user->grading.x[k];
        return mesh;
    }
    mesh.kappa.kind = CGS_KAPPA_CELLS;
    mesh.kappa.reaction = user->reaction != NULL;
    mesh.kappa.orthotropic = user->orthotropic || mesh.grading || mesh.kappa.reaction;
    mesh.kappa.along = user->orthotropic ? 3 : 1;
    return mesh;
}

enum cgs_status cgs_user_accepts(struct cgs_context *context, const struct cgs_mesh *mesh)
{
    for (int k = 0; k < 3; k++) {
        const int64_t cells = cgs_mesh_cells(mesh, k) / mesh->order;
        if (cells < 1 || mesh->n[k] < 1 || mesh->n[k] > CGS_MESH_MAX_N)
            return cgs_fail(context, CGS_USAGE,
                            "%" PRId64 " cells in %c give %" PRId64
                            " unknowns in that direction: expected from 1 to %d",
                            cells, "xyz"[k], mesh -> n[k], CGS_MESH_MAX_N);
        if (cgs_periodic(mesh->open[k]) && cells < CGS_PERIODIC_LEAST)
            return cgs_fail(context, CGS_USAGE,
                            "%" PRId64 " cells in %c, which is periodic: expected at least %d",
                            cells, "xyz"[k], CGS_PERIODIC_LEAST);
    }
    return CGS_OK;
}

/* ---- kappa ---- */

/* Returns the expression of kappa in direction k, or of the reaction. */
static struct cgs_expression *expression_of(const struct cgs_user_problem *user, int k)
{
    return k == CGS_REACTION ? user->reaction : cgs_user_along_axis(user->kappa, user->across, k);
}

static enum cgs_status refuse_kappa(struct cgs_context *context,
                                    const struct cgs_user_problem *user,
                                    const struct cgs_user_points *points, int k, const int64_t c[3],
                                    double kappa)
{
    const bool reaction = k == CGS_REACTION;
    const struct cgs_expression *along = expression_of(user, k);
    const char *text = along ? cgs_expression_text(along) : user->cells_file;
    return cgs_fail(context, CGS_USAGE,
                    "%s%s%s%s is %g in cell (%" PRId64 ", %" PRId64 ", %" PRId64
                    ") of (0, 0, 0) ... (%" PRId64 ", %" PRId64 ", %" PRId64
                    "), with its centre at x = %g, y = %g, z = %g: expected a finite number %s 0",
                    reaction ? "the reaction" : "kappa",
                    !text   ? ""
                    : along ? " '"
                            : " of '",
                    text ? text : "", text ? "'" : "", kappa, c[0], c[1], c[2],
                    points->cells[0] - 1, points->cells[1] - 1, points->cells[2] - 1,
                    points->centre[0][c[0]], points->centre[1][c[1]], points->centre[2][c[2]],
                    reaction ? ">=" : ">");
}

/* kappa in direction k, or the reaction, of plane cz of the cells of the box. */
static enum cgs_status kappa_plane(struct cgs_context *context, const struct cgs_user_problem *user,
                                   struct cgs_user_points *points, int k, int64_t cz, double *kappa)
{
    const int64_t *cells = points->cells, count = cells[0] * cells[1];
    struct cgs_expression *along = expression_of(user, k);
    const struct cgs_user_grid grid = {
        .at = {points->centre[0], points->centre[1], points->centre[2] + cz},
        .count = {cells[0], cells[1], 1}};
    if (along)
        cgs_user_evaluate(along, &grid, kappa);
    for (int64_t i = 0; i < count; i++) {
        const int64_t c[3] = {i % cells[0], i / cells[0], cz};
        if (!along)
            kappa[i] = user->cells
                           ? user->cells[((user->orthotropic ? k : 0) * cells[2] + cz) * count + i]
                           : 1.0;
        if (!(kappa[i] > 0.0 || (k == CGS_REACTION && kappa[i] == 0.0)) || !isfinite(kappa[i]))
            return refuse_kappa(context, user, points, k, c, kappa[i]);
    }
    return CGS_OK;
}

static double *number_of(const struct cgs_mesh *mesh, double *all, int64_t cx, int64_t cy,
                         int64_t cz)
{
    return &all[(cz * (mesh->n[1] + 1) + cy) * (mesh->n[0] + 1) + cx];
}

/* Puts the numbers k of a line of cells, from cell `from` of the mesh on, in their place, and adds
 * c to what holds u. */
static void put_line(struct cgs_user_problem *user, const struct cgs_mesh *mesh, int k,
                     const int64_t from[3], const double *line, double *all)
{
    const int64_t count = cgs_mesh_cells(mesh, 0);
    double *to = number_of(mesh, all + k * cgs_mesh_all_cells(mesh), from[0], from[1], from[2]);
    memcpy(to, line, (size_t)count * sizeof *all);
    for (int64_t i = 0; i < count && mesh->grading; i++) {
        const int64_t c[3] = {from[0] + i, from[1], from[2]};
        to[i] *= k == CGS_REACTION ? cgs_grading_volume(mesh, c) : cgs_grading_along(mesh, k, c);
    }
    for (int64_t i = 0; i < count && k == CGS_REACTION; i++)
        user->hold += to[i] * cgs_mesh_cell(mesh);
}

static enum cgs_status kappa_box(struct cgs_context *context, struct cgs_user_problem *user,
                                 const struct cgs_mesh *mesh, struct cgs_user_points *points,
                                 double *plane, double *all)
{
    const int64_t *cells = points->cells;
    const int64_t low[3] = {mesh->open[0] & 1, mesh->open[1] & 1, mesh->open[2] & 1};
    for (int64_t layer = 0; layer < cgs_mesh_numbers(mesh) * cells[2]; layer++) {
        const int64_t k = layer / cells[2], cz = layer % cells[2];
        CGS_TRY(kappa_plane(context, user, points, (int)k, cz, plane));
        for (int64_t cy = 0; cy < cells[1]; cy++) {
            const int64_t from[3] = {low[0], cy + low[1], cz + low[2]};
            put_line(user, mesh, (int)k, from, plane + cy * cells[0], all);
        }
    }
    return CGS_OK;
}

/* Copies the numbers of the last cells of periodic directions, void ones included, to the first
 * ones. */
static void repeat_cells(const struct cgs_mesh *mesh, double *all)
{
    const int64_t *n = mesh->n, stride[3] = {1, n[0] + 1, (n[0] + 1) * (n[1] + 1)};
    for (int k = 0; k < 3; k++) {
        const int l = cgs_user_along(k, 0), m = cgs_user_along(k, 1);
        for (int64_t b = 0; b <= n[m] && cgs_periodic(mesh->open[k]); b++)
            for (int64_t a = 0; a <= n[l]; a++) {
                double *first = all + a * stride[l] + b * stride[m];
                *first = first[n[k] * stride[k]];
            }
    }
}

/* The grid on face (k, side) with these coordinates along it. */
static struct cgs_user_grid face_grid(const struct cgs_user_points *points, int k, int side,
                                      double *const at[3], int64_t more, const double *normal)
{
    struct cgs_user_grid grid = {.normal = normal};
    for (int l = 0; l < 3; l++) {
        grid.at[l] = l == k ? points->node[k] + (side ? points->cells[k] : 0) : at[l];
        grid.count[l] = l == k ? 1 : points->cells[l] + more;
    }
    return grid;
}

static const double NORMAL[CGS_USER_FACES][3] = {{-1, 0, 0}, {1, 0, 0},  {0, -1, 0},
                                                 {0, 1, 0},  {0, 0, -1}, {0, 0, 1}};
static const char *const NAME[CGS_USER_FACES] = {"x = 0",   "x = L_x", "y = 0",
                                                 "y = L_y", "z = 0",   "z = L_z"};

/* Transfer coefficients of face f into the void cells outside it. numbers: room for those of a
 * face. */
static enum cgs_status transfer_face(struct cgs_context *context, struct cgs_user_problem *user,
                                     const struct cgs_mesh *mesh, struct cgs_user_points *points,
                                     int f, double *numbers, double *all)
{
    const int k = f >> 1, side = f & 1, l = cgs_user_along(k, 0), m = cgs_user_along(k, 1);
    const struct cgs_user_grid grid = face_grid(points, k, side, points->centre, 0, NORMAL[f]);
    struct cgs_expression *transfer = user->face[k][side].transfer;
    if (!transfer)
        return cgs_fail(context, CGS_BUG, "face %s has no transfer coefficient", NAME[f]);
    cgs_user_evaluate(transfer, &grid, numbers);
    for (int64_t i = 0; i < cgs_user_grid_points(&grid); i++) {
        int64_t c[3];
        c[l] = i % points->cells[l];
        c[m] = i / points->cells[l];
        c[k] = side ? points->cells[k] - 1 : 0;
        if (!(numbers[i] >= 0.0) || !isfinite(numbers[i]))
            return cgs_fail(context, CGS_USAGE,
                            "the transfer coefficient '%s' of face %s is %g at cell (%" PRId64
                            ", %" PRId64 ", %" PRId64
                            "), at x = %g, y = %g, z = %g: expected a finite number >= 0",
                            cgs_expression_text(transfer), NAME[f], numbers[i], c[0], c[1], c[2],
                            grid.at[0][k == 0 ? 0 : c[0]], grid.at[1][k == 1 ? 0 : c[1]],
                            grid.at[2][k == 2 ? 0 : c[2]]);
        c[l] += mesh->open[l] & 1;
        c[m] += mesh->open[m] & 1;
        c[k] = side ? mesh->n[k] : 0;
        const double number = numbers[i] * cgs_grading_area(mesh, k, c);
        user->hold += number * (mesh->h[l] * mesh->h[m]);
        *number_of(mesh, all, c[0], c[1], c[2]) = number;
    }
    return CGS_OK;
}

/* ---- values on faces ---- */

static enum cgs_status refuse_value(struct cgs_context *context,
                                    const struct cgs_user_points *points,
                                    const struct cgs_expression *expression, int f, int64_t i,
                                    double value)
{
    const int k = f >> 1, l = cgs_user_along(k, 0), m = cgs_user_along(k, 1);
    int64_t node[3];
    node[k] = f & 1 ? points->cells[k] : 0;
    node[l] = i % (points->cells[l] + 1);
    node[m] = i / (points->cells[l] + 1);
    return cgs_fail(context, CGS_USAGE,
                    "the value '%s' of face %s is %g at node (%" PRId64 ", %" PRId64 ", %" PRId64
                    ") of (0, 0, 0) ... (%" PRId64 ", %" PRId64 ", %" PRId64
                    "), x = %g, y = %g, z = %g: expected finite values",
                    cgs_expression_text(expression), NAME[f], value, node[0], node[1], node[2],
                    points->cells[0], points->cells[1], points->cells[2], points->node[0][node[0]],
                    points->node[1][node[1]], points->node[2][node[2]]);
}

static enum cgs_status value_face(struct cgs_context *context, struct cgs_user_problem *user,
                                  const struct cgs_mesh *mesh, struct cgs_user_points *points,
                                  int f)
{
    const int k = f >> 1, side = f & 1;
    const struct cgs_user_face *face = &user->face[k][side];
    const struct cgs_user_grid grid = face_grid(points, k, side, points->node, 1, NORMAL[f]);
    struct cgs_expression *expression = face->value ? face->value : user->exact;
    double *values;
    if (!cgs_user_face_values(user, k, side))
        return CGS_OK;
    CGS_TRY(cgs_alloc(context, cgs_user_face_nodes(mesh, k), sizeof *values, "values on a face",
                      (void **)&values));
    user->nodal[k][side] = values;
    const int64_t bad = cgs_user_evaluate(expression, &grid, values);
    if (bad < cgs_user_grid_points(&grid))
        return refuse_value(context, points, expression, f, bad, values[bad]);
    return CGS_OK;
}

/* Refuses an exact solution that differs on the two faces of a periodic direction by more than
 * rounding of its largest nodal value. low, high: room for the nodes of a face. */
static enum cgs_status compare_faces(struct cgs_context *context,
                                     const struct cgs_user_problem *user,
                                     struct cgs_user_points *points, int k, double *low,
                                     double *high)
{
    const int l = cgs_user_along(k, 0), m = cgs_user_along(k, 1);
    const int64_t line = points->cells[l] + 1, count = line * (points->cells[m] + 1);
    struct cgs_user_grid grid = face_grid(points, k, 0, points->node, 1, NULL);
    double largest = 0.0;
    for (int64_t c = 0; c <= points->cells[k]; c++) {
        double *values = c == 0 ? low : high;
        grid.at[k] = points->node[k] + c;
        CGS_TRY(
            cgs_user_evaluate_finite(context, "the exact solution", user->exact, &grid, values));
        for (int64_t i = 0; i < count; i++)
            largest = fmax(largest, fabs(values[i]));
    }
    for (int64_t i = 0; i < count; i++)
        if (fabs(low[i] - high[i]) > 1e-8 * largest)
            return cgs_fail(context, CGS_USAGE,
                            "the exact solution '%s' is not periodic in %c: %g at %c = 0 and %g at "
                            "%c = %g, where %c = %g, %c = %g",
                            cgs_expression_text(user->exact), "xyz"[k], low[i], "xyz"[k], high[i],
                            "xyz"[k], points -> node[k][points->cells[k]], "xyz"[l],
                            points -> node[l][i % line], "xyz"[m], points -> node[m][i / line]);
    return CGS_OK;
}

static enum cgs_status check_periodic(struct cgs_context *context,
                                      const struct cgs_user_problem *user,
                                      const struct cgs_mesh *mesh, struct cgs_user_points *points)
{
    enum cgs_status status = CGS_OK;
    for (int k = 0; k < 3 && user->exact && status == CGS_OK; k++) {
        const int64_t nodes = cgs_user_face_nodes(mesh, k);
        double *values;
        if (!cgs_periodic(mesh->open[k]))
            continue;
        CGS_TRY(
            cgs_alloc(context, 2 * nodes, sizeof *values, "values on two faces", (void **)&values));
        status = compare_faces(context, user, points, k, values, values + nodes);
        cgs_free(context, values);
    }
    return status;
}

/* ---- all of it ---- */

/* The coefficient of transfer of face f, of a mesh of order p > 1. */
static enum cgs_status transfer_number(struct cgs_context *context, struct cgs_user_problem *user,
                                       struct cgs_mesh *mesh, const struct cgs_user_points *points,
                                       int f)
{
    const int k = f >> 1, l = cgs_user_along(k, 0), m = cgs_user_along(k, 1);
    const struct cgs_expression *transfer = user->face[k][f & 1].transfer;
    struct cgs_user_grid grid = face_grid(points, k, f & 1, points->node, 1, NORMAL[f]);
    double *number = &mesh->transfer[k][f & 1];
    grid.count[0] = grid.count[1] = grid.count[2] = 1;
    cgs_user_evaluate(transfer, &grid, number);
    if (!(*number >= 0.0) || !isfinite(*number))
        return cgs_fail(context, CGS_USAGE,
                        "the transfer coefficient '%s' of face %s is %g: expected a finite number "
                        ">= 0",
                        cgs_expression_text(transfer), NAME[f], *number);
    user->hold += *number * mesh->size[l] * mesh->size[m];
    return CGS_OK;
}

/* Numbers of a mesh of order p > 1. */
static enum cgs_status fill_order(struct cgs_context *context, struct cgs_user_problem *user,
                                  struct cgs_mesh *mesh, struct cgs_user_points *points)
{
    for (int f = 0; f < CGS_USER_FACES; f++) {
        if (user->face[f >> 1][f & 1].condition == CGS_FACE_TRANSFER && !(user->varying >> f & 1))
            CGS_TRY(transfer_number(context, user, mesh, points, f));
        CGS_TRY(value_face(context, user, mesh, points, f));
    }
    if (!user->reaction || user->varying & CGS_VARYING_REACTION)
        return CGS_OK;
    if (!(mesh->reaction >= 0.0) || !isfinite(mesh->reaction))
        return cgs_fail(context, CGS_USAGE,
                        "the reaction '%s' is %g: expected a finite number >= 0",
                        cgs_expression_text(user->reaction), mesh->reaction);
    user->hold += mesh->reaction * mesh->size[0] * mesh->size[1] * mesh->size[2];
    return CGS_OK;
}

/* Coordinates of the points of the rule of cells of order p > 1 at which numbers are taken, a
 * little inside of cells, so that jumps between cells are in none. */
static void place_rule(const struct cgs_mesh *mesh, const struct cgs_user_layer *layer,
                       double *const at[3])
{
    const int m = layer->points;
    struct cgs_basis rule;
    if (m == mesh->order + 1)
        cgs_basis_lobatto(mesh->order, &rule);
    else
        cgs_order_rule(mesh, &rule);
    for (int k = 0; k < 3; k++) {
        const double inside = INSIDE * mesh->size[k];
        for (int64_t i = 0; i < layer->cells[k] * m; i++) {
            const double *x = mesh->nodes[k] + i / m * mesh->order;
            const double middle = 0.5 * (x[0] + x[mesh->order]);
            const double place =
                middle + 0.5 * (x[mesh->order] - x[0]) * (m > 1 ? rule.point[i % m] : 0.0);
            at[k][i] = fmin(fmax(place, x[0] + inside), x[mesh->order] - inside);
        }
    }
}

/* Copies a layer, x fastest, to where its cells have their numbers (cgs_order_kappa_place). */
static void put_layer(const struct cgs_mesh *mesh, const struct cgs_user_layer *layer, int k,
                      const double *values, double *numbers)
{
    const int64_t m = layer->points, line = layer->cells[0] * m, plane = line * layer->cells[1] * m;
    for (int64_t i = 0; i < plane * m; i++) {
        const int64_t x = i % line, y = i / line % (layer->cells[1] * m), z = i / plane;
        const int q = (int)((z * m + y % m) * m + x % m);
        numbers[k == CGS_REACTION ? cgs_order_reaction_place(&mesh->kappa, layer->cells, x / m,
                                                             y / m, layer->cz, q)
                                  : cgs_order_kappa_place(&mesh->kappa, layer->cells, k, x / m,
                                                          y / m, layer->cz, q)] = values[i];
    }
}

/* kappa, or the reaction, at all points, or of all cells. room: that of the layer's points, twice,
 * and of their coordinates. */
static enum cgs_status fill_layers(struct cgs_context *context, const struct cgs_user_problem *user,
                                   const struct cgs_mesh *mesh, bool reaction,
                                   struct cgs_user_layer *layer, double *room, double *numbers)
{
    const int64_t *cells = layer->cells, m = layer->points, count = cells[0] * cells[1] * m * m * m;
    double *at[3];
    for (int k = 0; k < 3; k++) {
        layer->at[k] = at[k] = k == 0 ? room + 2 * count : at[k - 1] + cells[k - 1] * m;
    }
    place_rule(mesh, layer, at);
    for (layer->cz = 0; layer->cz < cells[2] && reaction; layer->cz++) {
        CGS_TRY(cgs_user_layer_reaction(context, user, layer, room + count, room));
        put_layer(mesh, layer, CGS_REACTION, room, numbers);
    }
    for (int k = 0; k < (user->orthotropic ? 3 : 1) && !reaction; k++)
        for (layer->cz = 0; layer->cz < cells[2]; layer->cz++) {
            CGS_TRY(cgs_user_layer_kappa(context, user, layer, k, room + count, room));
            put_layer(mesh, layer, k, room, numbers);
        }
    return CGS_OK;
}

static enum cgs_status fill_kappa(struct cgs_context *context, const struct cgs_user_problem *user,
                                  const struct cgs_mesh *mesh, bool reaction, double *numbers)
{
    struct cgs_user_layer layer = {.points = reaction ? mesh->kappa.nodes : mesh->kappa.points};
    double *room;
    for (int k = 0; k < 3; k++)
        layer.cells[k] = cgs_mesh_cells(mesh, k) / mesh->order;
    const int64_t m = layer.points, plane = layer.cells[0] * layer.cells[1];
    CGS_TRY(cgs_alloc(
        context, 2 * plane * m * m * m + (layer.cells[0] + layer.cells[1] + layer.cells[2]) * m,
        sizeof *room, "a layer of kappa", (void **)&room));
    const enum cgs_status status =
        fill_layers(context, user, mesh, reaction, &layer, room, numbers);
    cgs_free(context, room);
    return status;
}

/* The coefficients of face f, which vary. */
static enum cgs_status fill_transfer(struct cgs_context *context,
                                     const struct cgs_user_problem *user,
                                     const struct cgs_mesh *mesh,
                                     const struct cgs_user_points *points, int f, double *numbers)
{
    const int k = f >> 1, l = cgs_user_along(k, 0), m = cgs_user_along(k, 1);
    const struct cgs_expression *transfer = user->face[k][f & 1].transfer;
    struct cgs_user_layer layer = {.points = mesh->kappa.nodes};
    struct cgs_user_grid grid = face_grid(points, k, f & 1, points->node, 1, NORMAL[f]);
    double *at[3], *room;
    int64_t count[3];
    for (int d = 0; d < 3; d++) {
        layer.cells[d] = cgs_mesh_cells(mesh, d) / mesh->order;
        count[d] = layer.points * layer.cells[d];
    }
    CGS_TRY(cgs_alloc(context, count[0] + count[1] + count[2] + count[l] * count[m], sizeof *room,
                      "transfer coefficients of a face", (void **)&room));
    for (int d = 0; d < 3; d++)
        at[d] = d == 0 ? room : at[d - 1] + count[d - 1];
    double *values = at[2] + count[2];
    place_rule(mesh, &layer, at);
    grid.at[l] = at[l];
    grid.at[m] = at[m];
    grid.count[l] = count[l];
    grid.count[m] = count[m];
    cgs_user_evaluate(transfer, &grid, values);
    enum cgs_status status = CGS_OK;
    for (int64_t i = 0; i < count[l] * count[m] && status == CGS_OK; i++) {
        const int64_t x = i % count[l], y = i / count[l], n = layer.points;
        if (!(values[i] >= 0.0) || !isfinite(values[i]))
            status = cgs_fail(context, CGS_USAGE,
                              "the transfer coefficient '%s' of face %s is %g at %c = %g, %c = %g: "
                              "expected a finite number >= 0",
                              cgs_expression_text(transfer), NAME[f], values[i], "xyz"[l], at[l][x],
                              "xyz"[m], at[m][y]);
        numbers[cgs_order_transfer_place(&mesh->kappa, layer.cells, f, x / n, y / n,
                                         (int)(y % n * n + x % n))] = values[i];
    }
    cgs_free(context, room);
    return status;
}

/* Returns what coefficients that vary add to what holds u: their sums over all unknowns, where no
 * face has a value. */
static double held_by_numbers(const struct cgs_user_problem *user, const struct cgs_mesh *mesh)
{
    struct cgs_mesh alone = *mesh;
    struct cgs_order_line line[3];
    double sum = 0.0;
    if (!user->varying || isinf(cgs_user_hold(user)))
        return 0.0;
    alone.reaction = 0.0;
    memset(alone.transfer, 0, sizeof alone.transfer);
    for (int k = 0; k < 3; k++)
        cgs_order_line_make(&alone, k, &line[k]);
    for (int64_t i = 0; i < cgs_mesh_rows(mesh); i++) {
        const int64_t at[3] = {i % mesh->n[0], i / mesh->n[0] % mesh->n[1],
                               i / cgs_mesh_plane(mesh)};
        sum += cgs_order_lumped(&alone, line, at);
    }
    return sum;
}

/* kappa of all cells, and the coefficients that vary. */
static enum cgs_status fill_cells(struct cgs_context *context, struct cgs_user_problem *user,
                                  struct cgs_mesh *mesh, const struct cgs_user_points *points)
{
    double *numbers;
    CGS_TRY(cgs_alloc(context, cgs_order_kappa_numbers(mesh), sizeof *numbers, "kappa of all cells",
                      (void **)&numbers));
    user->numbers = numbers;
    mesh->kappa.cells = numbers;
    CGS_TRY(fill_kappa(context, user, mesh, false, numbers));
    if (user->varying & CGS_VARYING_REACTION)
        CGS_TRY(fill_kappa(context, user, mesh, true, numbers));
    for (int f = 0; f < CGS_USER_FACES; f++)
        if (user->varying >> f & 1)
            CGS_TRY(fill_transfer(context, user, mesh, points, f, numbers));
    for (int i = 0; i < CGS_KAPPA_PAST; i++)
        numbers[cgs_order_kappa_numbers(mesh) - CGS_KAPPA_PAST + i] = 1.0;
    user->hold += held_by_numbers(user, mesh);
    return CGS_OK;
}

static enum cgs_status settle_order(struct cgs_context *context, struct cgs_user_problem *user,
                                    struct cgs_mesh *mesh)
{
    struct cgs_user_points points;
    CGS_TRY(cgs_user_points_create(context, mesh, &points));
    enum cgs_status status = check_periodic(context, user, mesh, &points);
    if (status == CGS_OK)
        status = fill_order(context, user, mesh, &points);
    if (status == CGS_OK && mesh->kappa.kind == CGS_KAPPA_CELLS)
        status = fill_cells(context, user, mesh, &points);
    cgs_user_points_release(context, &points);
    return status;
}

static enum cgs_status fill_numbers(struct cgs_context *context, struct cgs_user_problem *user,
                                    const struct cgs_mesh *mesh, struct cgs_user_points *points,
                                    double *all)
{
    const int64_t *c = points->cells, faces[3] = {c[1] * c[2], c[0] * c[2], c[0] * c[1]};
    int64_t room = 0;
    double *plane;
    for (int k = 0; k < 3; k++)
        room = faces[k] > room ? faces[k] : room;
    CGS_TRY(cgs_alloc(context, room, sizeof *plane, "a plane of kappa", (void **)&plane));
    enum cgs_status status = kappa_box(context, user, mesh, points, plane, all);
    for (int f = 0; f < CGS_USER_FACES && status == CGS_OK; f++) {
        if (user->face[f >> 1][f & 1].condition == CGS_FACE_TRANSFER)
            status = transfer_face(context, user, mesh, points, f, plane, all);
        if (status == CGS_OK)
            status = value_face(context, user, mesh, points, f);
    }
    for (int k = 0; k < cgs_mesh_numbers(mesh); k++)
        repeat_cells(mesh, all + k * cgs_mesh_all_cells(mesh));
    cgs_free(context, plane);
    return status;
}

/* kappa of three numbers is constant in each cell, in the load of an exact solution, too. */
static void drop_expressions(struct cgs_user_problem *user)
{
    struct cgs_expression **all[3] = {&user->kappa, &user->across[0], &user->across[1]};
    for (int k = 0; k < 3 && user->orthotropic; k++) {
        cgs_expression_release(*all[k]);
        *all[k] = NULL;
    }
}

enum cgs_status cgs_user_settle(struct cgs_context *context, struct cgs_user_problem *user,
                                const int64_t cells[3], const double size[3],
                                enum cgs_quadrature quadrature, struct cgs_mesh *mesh)
{
    struct cgs_mesh made = cgs_user_mesh(user, cells, size, quadrature);
    struct cgs_user_points points;
    double *all;
    CGS_TRY(cgs_user_accepts(context, &made));
    if (made.order > 1) {
        CGS_TRY(settle_order(context, user, &made));
        *mesh = made;
        return CGS_OK;
    }
    const int64_t plane = (made.n[0] + 1) * (made.n[1] + 1);
    const int64_t planes = (made.n[2] + 1) * cgs_mesh_numbers(&made);
    CGS_TRY(cgs_alloc(context, plane * planes, sizeof *all, "kappa of all cells", (void **)&all));
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t cz = 0; cz < planes; cz++)
        memset(all + cz * plane, 0, (size_t)plane * sizeof *all);
    enum cgs_status status = cgs_user_points_create(context, &made, &points);
    if (status == CGS_OK) {
        status = check_periodic(context, user, &made, &points);
        if (status == CGS_OK)
            status = fill_numbers(context, user, &made, &points, all);
        cgs_user_points_release(context, &points);
    }
    if (status != CGS_OK) {
        cgs_free(context, all);
        return status;
    }
    cgs_free(context, user->cells);
    user->cells = all;
    made.kappa.cells = all;
    drop_expressions(user);
    *mesh = made;
    return CGS_OK;
}

void cgs_user_plan(const struct cgs_user_problem *user, const struct cgs_mesh *mesh,
                   struct cgs_plan *plan)
{
    const int64_t cells =
        cgs_mesh_cells(mesh, 0) * cgs_mesh_cells(mesh, 1) * cgs_mesh_cells(mesh, 2);
    int64_t values = 0;
    for (int f = 0; f < CGS_USER_FACES; f++)
        if (cgs_user_face_values(user, f >> 1, f & 1))
            values += cgs_user_face_nodes(mesh, f >> 1);
    cgs_plan_add(plan, CGS_HOST, "values on faces", values, sizeof(double));
    for (int k = 0; k < 3; k++)
        if (user->grading.x[k])
            cgs_plan_add(plan, CGS_HOST, "coordinates of nodes", cgs_mesh_cells(mesh, k) + 1,
                         sizeof(double));
    if (user->constant_source && mesh->order == 1)
        cgs_plan_add(plan, CGS_HOST, "source of cells", cells, sizeof(double));
    if (mesh->order > 1 && (user->cells_file || (user->materials && !user->kappa))) {
        const int64_t all = cells / (mesh->order * mesh->order * mesh->order);
        cgs_plan_add(plan, CGS_HOST, "kappa of cells, as given", user->orthotropic ? 3 * all : all,
                     sizeof(double));
        cgs_plan_add(plan, CGS_HOST, "materials of cells", all, sizeof *user->material);
    }
}

void cgs_user_release(struct cgs_context *context, struct cgs_user_problem *user)
{
    cgs_expression_release(user->source);
    cgs_expression_release(user->exact);
    cgs_expression_release(user->kappa);
    cgs_expression_release(user->reaction);
    for (int k = 0; k < 2; k++)
        cgs_expression_release(user->across[k]);
    for (int k = 0; k < 3; k++)
        cgs_free(context, user->grading.x[k]);
    for (int f = 0; f < CGS_USER_FACES; f++) {
        cgs_expression_release(user->face[f >> 1][f & 1].value);
        cgs_expression_release(user->face[f >> 1][f & 1].transfer);
        cgs_free(context, user->nodal[f >> 1][f & 1]);
    }
    cgs_free(context, user->cells);
    cgs_free(context, user->cell_source);
    cgs_free(context, user->numbers);
    cgs_free(context, user->material);
    *user = (struct cgs_user_problem){0};
}

/* ---- nodes ---- */

/* Planes begin ... end - 1 of unknowns. */
static enum cgs_status solution_planes(struct cgs_context *context,
                                       const struct cgs_user_problem *user,
                                       const struct cgs_mesh *mesh, struct cgs_user_points *points,
                                       int64_t begin, int64_t end, double *u)
{
    struct cgs_user_grid grid = {.count = {mesh->n[0], mesh->n[1], end - begin}};
    for (int k = 0; k < 3; k++) /* unknown i is node i + 1, that of the box without the void one */
        grid.at[k] = points->node[k] + 1 - (mesh->open[k] & 1) + (k == 2 ? begin : 0);
    return cgs_user_evaluate_finite(context, "the exact solution", user->exact, &grid, u);
}

static enum cgs_status solution_rows(struct cgs_context *context,
                                     const struct cgs_user_problem *user,
                                     const struct cgs_mesh *mesh, struct cgs_user_points *points,
                                     int64_t first, int64_t last, double *u)
{
    const int64_t plane = cgs_mesh_plane(mesh), begin = first / plane,
                  end = (last + plane - 1) / plane;
    double *one;
    if (begin * plane == first && end * plane == last)
        return solution_planes(context, user, mesh, points, begin, end, u);
    CGS_TRY(cgs_alloc(context, plane, sizeof *one, "a plane of the solution", (void **)&one));
    enum cgs_status status = CGS_OK;
    for (int64_t iz = begin; iz < end && status == CGS_OK; iz++) {
        const int64_t low = iz * plane > first ? iz * plane : first;
        const int64_t high = (iz + 1) * plane < last ? (iz + 1) * plane : last;
        status = solution_planes(context, user, mesh, points, iz, iz + 1, one);
        if (status == CGS_OK)
            memcpy(u + (low - first), one + (low - iz * plane), (size_t)(high - low) * sizeof *u);
    }
    cgs_free(context, one);
    return status;
}

enum cgs_status cgs_user_solution(struct cgs_context *context, const struct cgs_user_problem *user,
                                  const struct cgs_mesh *mesh, int64_t first, int64_t last,
                                  double *u)
{
    struct cgs_user_points points;
    if (!user->exact)
        return cgs_fail(context, CGS_BUG, "the solution is not known");
    CGS_TRY(cgs_user_points_create(context, mesh, &points));
    const enum cgs_status status = solution_rows(context, user, mesh, &points, first, last, u);
    cgs_user_points_release(context, &points);
    return status;
}

void cgs_user_boundary(const struct cgs_user_problem *user, const struct cgs_mesh *mesh, int64_t iz,
                       double *plane)
{
    const int64_t last[3] = {mesh->n[0] + 1, mesh->n[1] + 1, mesh->n[2] + 1};
    for (int64_t iy = 0; iy <= last[1]; iy++) {
        const bool all = iz == 0 || iz == last[2] || iy == 0 || iy == last[1];
        for (int64_t ix = 0; ix <= last[0]; ix += all ? 1 : last[0]) {
            const int64_t i[3] = {ix, iy, iz};
            double value = 0.0;
            const int f = cgs_user_inside(mesh, i) ? cgs_user_value_face(mesh, i) : -1;
            if (f >= 0 && user->nodal[f >> 1][f & 1])
                value = user->nodal[f >> 1][f & 1][cgs_user_face_place(mesh, f >> 1, i)];
            if (f >= 0 || !cgs_user_inside(mesh, i))
                plane[iy * (last[0] + 1) + ix] = value;
        }
    }
}
