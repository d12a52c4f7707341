#include "fem/coarsen.h"

#include <math.h>
#include <stdbool.h>

#include "base/memory.h"
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
    if (!graded && !cgs_mesh_open(mesh) && !(mesh->reaction > 0.0))
        return made;
    made.kappa.kind = CGS_KAPPA_CELLS;
    made.kappa.reaction = mesh->reaction > 0.0;
    made.kappa.orthotropic = graded || made.kappa.reaction;
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

/* Returns number k of cell c, s the cell's lengths in units of the means (struct cgs_mesh). */
static double number_of(const struct cgs_mesh *mesh, const struct cgs_mesh *cells, int k,
                        const int64_t c[3], const double s[3])
{
    const double volume = s[0] * s[1] * s[2];
    int outside = 0, face = 0;
    for (int d = 0; d < 3; d++)
        if (cgs_mesh_void(cells, d, c[d])) {
            outside++;
            face = d;
        }
    if (outside > 0) /* s is 1 across the face, so that the volume is the area */
        return outside == 1 && k == 0 ? mesh->transfer[face][c[face] > 0] * volume : 0.0;
    if (!cells->kappa.orthotropic)
        return 1.0;
    return k == CGS_REACTION ? mesh->reaction * volume : volume / (s[k] * s[k]);
}

enum cgs_status cgs_kappa_of_order(struct cgs_context *context, const struct cgs_mesh *mesh,
                                   const struct cgs_mesh *cells, double **numbers)
{
    const int64_t *n = cells->n, all = cgs_mesh_all_cells(cells);
    const int count = cgs_mesh_numbers(cells);
    struct cgs_order_line line[3];
    double *made;
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
                        number_of(mesh, cells, k, c, s);
            }
    *numbers = made;
    return CGS_OK;
}
