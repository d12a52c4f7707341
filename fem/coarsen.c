#include "fem/coarsen.h"

#include <math.h>
#include <stdbool.h>

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
    made.kappa.points = 0;
    if (!graded && !cgs_mesh_open(mesh) && !(mesh->reaction > 0.0) &&
        mesh->kappa.kind != CGS_KAPPA_CELLS)
        return made;
    made.kappa.kind = CGS_KAPPA_CELLS;
    made.kappa.reaction = mesh->reaction > 0.0;
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

/* Returns the mean of kappa of a cell in direction k by the rule of nodes. */
static double mean_kappa(const struct cgs_mesh *mesh, const struct cgs_lobatto *rule, int k,
                         const int64_t at[3])
{
    const struct cgs_mesh cells = cgs_order_mesh_of_cells(mesh);
    const int m = mesh->kappa.points;
    double sum = 0.0;
    if (mesh->kappa.kind != CGS_KAPPA_CELLS)
        return 1.0;
    for (int q = 0; q < m * m * m && m > 1; q++)
        sum += 0.125 * rule->weight[q % m] * rule->weight[q / m % m] * rule->weight[q / (m * m)] *
               cgs_order_kappa(&cells, k, at, q);
    return m > 1 ? sum : cgs_order_kappa(&cells, k, at, 0);
}

/* Returns number k of cell c, s the cell's lengths in units of the means (struct cgs_mesh). */
static double number_of(const struct cgs_mesh *mesh, const struct cgs_mesh *cells,
                        const struct cgs_lobatto *rule, int k, const int64_t c[3],
                        const double s[3])
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
    if (outside > 0) /* s is 1 across the face, so that the volume is the area */
        return outside == 1 && k == 0 ? mesh->transfer[face][c[face] > 0] * volume : 0.0;
    if (k == CGS_REACTION)
        return mesh->reaction * volume;
    return mean_kappa(mesh, rule, k, at) *
           (cells->kappa.orthotropic ? volume / (s[k] * s[k]) : 1.0);
}

enum cgs_status cgs_kappa_of_order(struct cgs_context *context, const struct cgs_mesh *mesh,
                                   const struct cgs_mesh *cells, double **numbers)
{
    const int64_t *n = cells->n, all = cgs_mesh_all_cells(cells);
    const int count = cgs_mesh_numbers(cells);
    struct cgs_order_line line[3];
    struct cgs_lobatto rule;
    double *made;
    cgs_lobatto_make(mesh->order, &rule);
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
                        number_of(mesh, cells, &rule, k, c, s);
            }
    *numbers = made;
    return CGS_OK;
}

/* Places of the points of one rule between those of another one, which has its ends. */
struct between {
    int below[CGS_NODES_MOST];
    double share[CGS_NODES_MOST]; /* of the next point */
};

static void find_between(int fine, int coarse, struct between *between)
{
    struct cgs_lobatto from, to;
    cgs_lobatto_make(fine, &from);
    cgs_lobatto_make(coarse, &to);
    for (int a = 0; a <= coarse; a++) {
        int i = 0;
        while (i + 1 < fine && from.point[i + 1] <= to.point[a])
            i++;
        between->below[a] = i;
        between->share[a] = (to.point[a] - from.point[i]) / (from.point[i + 1] - from.point[i]);
    }
}

/* Interpolates linearly in each direction between points of a cell, kappa in direction k. */
static double between_points(const struct cgs_mesh *cells, const struct between *between, int k,
                             const int64_t at[3], const int to[3])
{
    const int m = cells->kappa.points;
    double sum = 0.0;
    for (int corner = 0; corner < 8; corner++) {
        double weight = 1.0;
        int q = 0;
        for (int d = 2; d >= 0; d--) {
            const int high = corner >> d & 1;
            const double share = between->share[to[d]];
            weight *= high ? share : 1.0 - share;
            q = q * m + between->below[to[d]] + high;
        }
        sum += weight * cgs_order_kappa(cells, k, at, q);
    }
    return sum;
}

enum cgs_status cgs_kappa_between_orders(struct cgs_context *context, const struct cgs_mesh *mesh,
                                         const struct cgs_mesh *coarse, double **numbers)
{
    const struct cgs_mesh cells = cgs_order_mesh_of_cells(mesh);
    const int64_t n[3] = {cells.n[0] + 1, cells.n[1] + 1, cells.n[2] + 1},
                  all = cgs_order_kappa_numbers(coarse);
    const int m = coarse->kappa.points, directions = coarse->kappa.orthotropic ? 3 : 1;
    struct between between;
    double *made;
    CGS_TRY(cgs_alloc(context, all, sizeof *made, "kappa of a coarser grid", (void **)&made));
    find_between(mesh->order, coarse->order, &between);
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t line = 0; line < directions * n[1] * n[2]; line++)
        for (int q = 0; q < m * m * m; q++)
            for (int64_t cx = 0; cx < n[0]; cx++) {
                const int64_t k = line / (n[1] * n[2]),
                              at[3] = {cx, line % n[1], line / n[1] % n[2]};
                const int to[3] = {q % m, q / m % m, q / (m * m)};
                made[(line * m * m * m + q) * n[0] + cx] =
                    between_points(&cells, &between, (int)k, at, to);
            }
    for (int i = 0; i < CGS_KAPPA_PAST; i++)
        made[all - CGS_KAPPA_PAST + i] = 1.0;
    *numbers = made;
    return CGS_OK;
}
