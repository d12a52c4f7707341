#include "fem/coarsen.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "fem/element/order_cells.h"
#include "fem/element/order_line.h"
#include "fem/mesh.h"

enum { PARTS = 4 }; /* fine cells in a coarse one at most: 5/2 of them, cut at both ends */

/* The fine cells of a coarse one in a direction, and their shares of it. */
struct parts {
    int64_t first;
    int count;
    double share[PARTS];
};

static struct parts parts_of(const struct cgs_mesh *fine, const struct cgs_mesh *coarse, int k,
                             int64_t c)
{
    const int low = fine->open[k] & 1;
    const double ratio = (double)cgs_mesh_cells(fine, k) / (double)cgs_mesh_cells(coarse, k);
    struct parts parts = {.first = c == 0 ? 0 : fine->n[k], .count = 1, .share = {1.0}};
    if (cgs_mesh_void(coarse, k, c))
        return parts;
    if (cgs_mesh_repeats(coarse, k, c))
        c = coarse->n[k];
    const double begin = ratio * (double)(c - low), end = ratio * (double)(c - low + 1);
    const double first = floor(begin + 1e-9);
    parts.first = (int64_t)first + low;
    parts.count = 0;
    for (double at = first; at < end - 1e-9 && parts.count < PARTS; at += 1.0)
        parts.share[parts.count++] = (fmin(at + 1.0, end) - fmax(at, begin)) / ratio;
    return parts;
}

/* cells: of the finer mesh. */
static double mean_of(const struct cgs_mesh *fine, const double *cells, const struct parts *x,
                      const struct parts *y, const struct parts *z)
{
    const int64_t line = fine->n[0] + 1, plane = line * (fine->n[1] + 1);
    double sum = 0.0;
    for (int c = 0; c < z->count; c++)
        for (int b = 0; b < y->count; b++) {
            const double *from = cells + (z->first + c) * plane + (y->first + b) * line + x->first;
            for (int a = 0; a < x->count; a++)
                sum += z->share[c] * y->share[b] * x->share[a] * from[a];
        }
    return sum;
}

enum cgs_status cgs_kappa_coarsen(struct cgs_context *context, const struct cgs_mesh *fine,
                                  const struct cgs_mesh *coarse, double **cells)
{
    const int64_t *n = coarse->n, all = cgs_mesh_all_cells(coarse);
    const int numbers = cgs_mesh_numbers(fine);
    double *made;
    CGS_TRY(
        cgs_alloc(context, numbers * all, sizeof *made, "kappa of a coarser grid", (void **)&made));
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t cz = 0; cz <= n[2]; cz++) {
        const struct parts z = parts_of(fine, coarse, 2, cz);
        for (int64_t cy = 0; cy <= n[1]; cy++) {
            const struct parts y = parts_of(fine, coarse, 1, cy);
            for (int64_t cx = 0; cx <= n[0]; cx++) {
                const struct parts x = parts_of(fine, coarse, 0, cx);
                for (int k = 0; k < numbers; k++)
                    made[k * all + (cz * (n[1] + 1) + cy) * (n[0] + 1) + cx] =
                        mean_of(fine, fine->kappa.cells + k * cgs_mesh_all_cells(fine), &x, &y, &z);
            }
        }
    }
    *cells = made;
    return CGS_OK;
}

/* ---- cells of order p > 1 ---- */

struct cgs_mesh cgs_mesh_of_cells(const struct cgs_mesh *mesh)
{
    static const double EQUAL = 1e-9; /* own problems have nodes of equal cells, too */
    struct cgs_mesh made = cgs_mesh_of_order(mesh, 1);
    bool graded = false;
    for (int k = 0; k < 3; k++) {
        struct cgs_order_line line;
        cgs_order_line_make(mesh, k, &line);
        for (int64_t c = 0; c < line.cells && line.x; c++)
            graded = graded || fabs(cgs_order_stretch(&line, c) - 1.0) > EQUAL;
    }
    made.grading = NULL;
    made.quadrature = CGS_GAUSS; /* that of order p may be CGS_COLLOCATED */
    made.kappa.points = made.kappa.nodes = made.kappa.varying = 0;
    if (!graded && !cgs_mesh_open(mesh) && !(mesh->reaction > 0.0) &&
        mesh->kappa.kind != CGS_KAPPA_CELLS)
        return made;
    made.kappa.kind = CGS_KAPPA_CELLS;
    made.kappa.reaction = mesh->reaction > 0.0 || mesh->kappa.varying & CGS_VARYING_REACTION;
    made.kappa.orthotropic = graded || made.kappa.reaction || mesh->kappa.orthotropic;
    return made;
}

/* Returns the length of a cell of the mesh of order 1 in units of the mean; 1 of a void cell. */
static double stretch_of(const struct cgs_order_line *line, const struct cgs_mesh *cells, int k,
                         int64_t c)
{
    if (cgs_mesh_void(cells, k, c))
        return 1.0;
    return cgs_order_stretch(line, (cgs_mesh_repeats(cells, k, c) ? cells->n[k] : c) -
                                       (cells->open[k] & 1));
}

/* The rules of points at which a mesh has kappa, and of its nodes. */
struct rules {
    struct cgs_basis kappa, nodes;
};

static void make_rules(const struct cgs_mesh *mesh, struct rules *rules)
{
    cgs_order_rule(mesh, &rules->kappa);
    cgs_basis_lobatto(mesh->order, &rules->nodes);
}

/* Returns the mean of kappa of a cell in direction k, or of c. */
static double mean_in_cell(const struct cgs_mesh *mesh, const struct rules *rules, int k,
                           const int64_t at[3])
{
    const struct cgs_mesh cells = cgs_order_mesh_of_cells(mesh);
    const int64_t count[3] = {cells.n[0] + 1, cells.n[1] + 1, cells.n[2] + 1};
    const bool reaction = k == CGS_REACTION;
    const struct cgs_basis *rule = reaction ? &rules->nodes : &rules->kappa;
    const int m = reaction ? mesh->kappa.nodes : mesh->kappa.points;
    double sum = 0.0;
    if (reaction && !(mesh->kappa.varying & CGS_VARYING_REACTION))
        return mesh->reaction;
    if (mesh->kappa.kind != CGS_KAPPA_CELLS)
        return 1.0;
    for (int q = 0; q < m * m * m && m > 1; q++)
        sum += 0.125 * rule->weight[q % m] * rule->weight[q / m % m] * rule->weight[q / (m * m)] *
               (reaction ? mesh->kappa.cells[cgs_order_reaction_place(&mesh->kappa, count, at[0],
                                                                      at[1], at[2], q)]
                         : cgs_order_kappa(&cells, k, at, q));
    return m > 1 ? sum : cgs_order_kappa(&cells, k, at, 0);
}

/* Returns the mean of the transfer coefficient of face f over a cell's side likewise. */
static double mean_transfer(const struct cgs_mesh *mesh, const struct cgs_basis *rule, int f,
                            const int64_t at[3])
{
    const struct cgs_mesh cells = cgs_order_mesh_of_cells(mesh);
    const int64_t count[3] = {cells.n[0] + 1, cells.n[1] + 1, cells.n[2] + 1};
    const int m = mesh->kappa.nodes;
    double sum = 0.0;
    if (!(mesh->kappa.varying >> f & 1))
        return mesh->transfer[f >> 1][f & 1];
    for (int q = 0; q < m * m; q++)
        sum += 0.25 * rule->weight[q % m] * rule->weight[q / m] *
               mesh->kappa.cells[cgs_order_transfer_place(&mesh->kappa, count, f, at[f < 2 ? 1 : 0],
                                                          at[f < 4 ? 2 : 1], q)];
    return sum;
}

/* Returns number k of cell c, s the cell's lengths in units of the means (struct cgs_mesh). */
static double number_of(const struct cgs_mesh *mesh, const struct cgs_mesh *cells,
                        const struct rules *rules, int k, const int64_t c[3], const double s[3])
{
    const double volume = s[0] * s[1] * s[2];
    int outside = 0, face = 0;
    int64_t at[3]; /* the cell of the box */
    for (int d = 0; d < 3; d++) {
        at[d] = (cgs_mesh_repeats(cells, d, c[d]) ? cells->n[d] : c[d]) - (cells->open[d] & 1);
        if (cgs_mesh_void(cells, d, c[d])) {
            outside++;
            face = d;
        }
    }
    if (outside > 1 || (outside == 1 && k > 0))
        return 0.0;
    if (outside == 1) /* s is 1 across the face, so that the volume is the area */
        return mean_transfer(mesh, &rules->nodes, 2 * face + (c[face] > 0), at) * volume;
    return mean_in_cell(mesh, rules, k, at) * (k == CGS_REACTION          ? volume
                                               : cells->kappa.orthotropic ? volume / (s[k] * s[k])
                                                                          : 1.0);
}

enum cgs_status cgs_kappa_of_order(struct cgs_context *context, const struct cgs_mesh *mesh,
                                   const struct cgs_mesh *cells, double **numbers)
{
    const int64_t *n = cells->n, all = cgs_mesh_all_cells(cells);
    const int count = cgs_mesh_numbers(cells);
    struct cgs_order_line line[3];
    struct rules rules;
    double *made;
    make_rules(mesh, &rules);
    CGS_TRY(
        cgs_alloc(context, count * all, sizeof *made, "kappa of a coarser grid", (void **)&made));
    for (int k = 0; k < 3; k++)
        cgs_order_line_make(mesh, k, &line[k]);
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t cz = 0; cz <= n[2]; cz++)
        for (int64_t cy = 0; cy <= n[1]; cy++)
            for (int64_t cx = 0; cx <= n[0]; cx++) {
                const int64_t c[3] = {cx, cy, cz};
                double s[3];
                for (int k = 0; k < 3; k++)
                    s[k] = stretch_of(&line[k], cells, k, c[k]);
                for (int k = 0; k < count; k++)
                    made[k * all + (cz * (n[1] + 1) + cy) * (n[0] + 1) + cx] =
                        number_of(mesh, cells, &rules, k, c, s);
            }
    *numbers = made;
    return CGS_OK;
}

/* Places of the points of one rule between those of another one, which lie further out. */
struct between {
    int from, to; /* points */
    int below[CGS_BASIS_POINTS];
    double share[CGS_BASIS_POINTS]; /* of the next point */
};

static void find_between(const struct cgs_basis *fine, const struct cgs_basis *coarse,
                         struct between *between)
{
    const double *from = fine->point, *to = coarse->point;
    between->from = fine->points;
    between->to = coarse->points;
    for (int a = 0; a < coarse->points; a++) {
        int i = 0;
        while (i + 2 < fine->points && from[i + 1] <= to[a])
            i++;
        between->below[a] = i;
        between->share[a] = (to[a] - from[i]) / (from[i + 1] - from[i]);
    }
}

/* Interpolates linearly in each of `directions` between the numbers at points of lines of `cells`
 * cells: those of a line are [point][cell]. */
static void interpolate(struct cgs_context *context, const struct between *between, int directions,
                        int64_t lines, int64_t cells, const double *in, double *out)
{
    const int m = between->from, n = between->to;
    const int from = directions == 3 ? m * m * m : m * m, to = directions == 3 ? n * n * n : n * n;
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t i = 0; i < lines * to; i++)
        for (int64_t c = 0; c < cells; c++) {
            const int at[3] = {(int)(i % n), (int)(i / n % n), (int)(i % to / (n * n))};
            double sum = 0.0;
            for (int corner = 0; corner < 1 << directions; corner++) {
                double weight = 1.0;
                int q = 0;
                for (int d = directions - 1; d >= 0; d--) {
                    const int high = corner >> d & 1;
                    const double share = between->share[at[d]];
                    weight *= high ? share : 1.0 - share;
                    q = q * m + between->below[at[d]] + high;
                }
                sum += weight * in[(i / to * from + q) * cells + c];
            }
            out[i * cells + c] = sum;
        }
}

enum cgs_status cgs_kappa_between_orders(struct cgs_context *context, const struct cgs_mesh *mesh,
                                         const struct cgs_mesh *coarse, double **numbers)
{
    const struct cgs_kappa *from = &mesh->kappa, *to = &coarse->kappa;
    const struct cgs_mesh cells = cgs_order_mesh_of_cells(mesh);
    const int64_t n[3] = {cells.n[0] + 1, cells.n[1] + 1, cells.n[2] + 1},
                  all = cgs_order_kappa_numbers(coarse);
    struct rules fine, low;
    struct between between, nodes;
    double *made;
    CGS_TRY(cgs_alloc(context, all, sizeof *made, "kappa of a coarser grid", (void **)&made));
    make_rules(mesh, &fine);
    make_rules(coarse, &low);
    find_between(&fine.kappa, &low.kappa, &between);
    find_between(&fine.nodes, &low.nodes, &nodes);
    if (to->points > 1)
        interpolate(context, &between, 3, (to->orthotropic ? 3 : 1) * n[1] * n[2], n[0],
                    from->cells, made);
    else
        memcpy(made, from->cells, (size_t)cgs_order_kappa_alone(coarse) * sizeof *made);
    if (to->varying & CGS_VARYING_REACTION)
        interpolate(context, &nodes, 3, n[1] * n[2], n[0],
                    from->cells + cgs_order_reaction_place(from, n, 0, 0, 0, 0),
                    made + cgs_order_reaction_place(to, n, 0, 0, 0, 0));
    for (int f = 0; f < 6; f++)
        if (to->varying >> f & 1)
            interpolate(context, &nodes, 2, n[f < 4 ? 2 : 1], n[f < 2 ? 1 : 0],
                        from->cells + cgs_order_transfer_place(from, n, f, 0, 0, 0),
                        made + cgs_order_transfer_place(to, n, f, 0, 0, 0));
    for (int i = 0; i < CGS_KAPPA_PAST; i++)
        made[all - CGS_KAPPA_PAST + i] = 1.0;
    *numbers = made;
    return CGS_OK;
}
