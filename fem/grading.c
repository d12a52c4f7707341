/* Graded boxes: coordinates of nodes that are not equally spaced in a direction. */
#include "fem/grading.h"

#include <math.h>

void cgs_grading_fill(int64_t cells, double length, double ratio, double *x)
{
    /* Sums of a geometric sequence, (q^i - 1) / (q^cells - 1), without cancellation near q = 1. */
    const double log_q = cells > 1 ? log(ratio) / (double)(cells - 1) : 0.0;
    for (int64_t i = 0; i <= cells; i++)
        x[i] = length * (log_q == 0.0 ? (double)i / (double)cells
                                      : expm1(log_q * (double)i) / expm1(log_q * (double)cells));
    x[cells] = length;
}

int64_t cgs_grading_thin(int64_t cells, const double *x)
{
    for (int64_t c = 0; c < cells; c++)
        if (!(x[c + 1] - x[c] >= CGS_GRADING_LEAST * x[cells]))
            return c;
    return -1;
}

/* The coordinates of a direction: node i has x[i * step]. x NULL: equally spaced. */
struct spaced {
    const double *x;
    int64_t step;
};

static struct spaced line_of(const struct cgs_mesh *mesh, int k)
{
    const struct cgs_grading *grading = mesh->grading;
    return (struct spaced){.x = grading ? grading->x[k] : NULL,
                           .step = grading && grading->order > 1 ? grading->order / mesh->order
                                                                 : 1};
}

double cgs_grading_node(const struct cgs_mesh *mesh, int k, int64_t i)
{
    const struct spaced line = line_of(mesh, k);
    const int64_t node = i - (mesh->open[k] & 1);
    return line.x && node >= 0 && node <= cgs_mesh_cells(mesh, k) ? line.x[node * line.step]
                                                                  : cgs_mesh_position(mesh, k, i);
}

double cgs_stretch_of_cell(const struct cgs_mesh *mesh, int k, int64_t c)
{
    const struct spaced line = line_of(mesh, k);
    if (!line.x || cgs_mesh_void(mesh, k, c))
        return 1.0;
    const int64_t cell = (cgs_mesh_repeats(mesh, k, c) ? mesh->n[k] : c) - (mesh->open[k] & 1);
    return (line.x[(cell + 1) * line.step] - line.x[cell * line.step]) / mesh->h[k];
}

double cgs_stretch_of_node(const struct cgs_mesh *mesh, int k, int64_t i)
{
    const int64_t below = cgs_mesh_void(mesh, k, i - 1) ? i : i - 1;
    const int64_t above = cgs_mesh_void(mesh, k, i) ? i - 1 : i;
    return 0.5 * (cgs_grading_stretch(mesh, k, below) + cgs_grading_stretch(mesh, k, above));
}

double cgs_grading_undo(const struct cgs_mesh *mesh, int k, double t)
{
    const struct spaced line = line_of(mesh, k);
    const double *x = line.x, at = t * mesh->size[k];
    int64_t low = 0, high = cgs_mesh_cells(mesh, k);
    const double cells = (double)high;
    if (!x)
        return t;
    while (high - low > 1) { /* x[low] <= at < x[high], or at an end of the box */
        const int64_t middle = (low + high) / 2;
        if (at < x[middle * line.step])
            high = middle;
        else
            low = middle;
    }
    const double from = x[low * line.step];
    return ((double)low + (at - from) / (x[high * line.step] - from)) / cells;
}
