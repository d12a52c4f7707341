#include "fem/coarsen.h"

#include <math.h>

#include "base/memory.h"

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
