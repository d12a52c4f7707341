/* A row of P is the tensor product of three one-dimensional interpolation rows
 *
 *     fine i:  1 - w in column l,  w in column l + 1       l, w: kernels/grid/line.h
 *
 * without columns -1 and m, where functions are zero, and without entries w = 0. Column m of a
 * periodic direction is column 0, which then comes first.
 */
#include "kernels/grid/prolongation.h"

#include "kernels/grid/line.h"

/* The entries in one direction: columns first, first + step. */
struct share {
    int32_t first, step, count; /* count: 1 or 2 */
    double weight[2];
};

/* d: direction */
static struct share share_of(const struct cgs_prolongation *p, int d, int64_t i)
{
    const struct cgs_line_point point =
        cgs_line_point((struct cgs_line){p->n[d], p->m[d], p->open[d]}, i);
    const int32_t last =
        point.share > 0.0 && point.left + 1 < p->m[d] ? point.left + 1 : point.left;
    struct share share = {
        .first = point.left, .step = 1, .weight = {1.0 - point.share, point.share}};
    if (cgs_periodic(p->open[d]) && point.share > 0.0 && point.left == p->m[d] - 1)
        return (struct share){
            .step = point.left, .count = 2, .weight = {point.share, 1.0 - point.share}};
    if (point.left < 0) {
        share.first = 0;
        share.weight[0] = point.share;
    }
    share.count = last - share.first + 1;
    return share;
}

static void lengths(const struct cgs_row_source *source, int64_t first, int64_t last, int32_t *out)
{
    const struct cgs_prolongation *p = source->self;
    const int64_t *n = p->n;
    for (int64_t row = first; row < last; row++)
        out[row - first] = share_of(p, 0, row % n[0]).count *
                           share_of(p, 1, row / n[0] % n[1]).count *
                           share_of(p, 2, row / (n[0] * n[1])).count;
}

static void fill(const struct cgs_row_source *source, int64_t first, int64_t last, int32_t *columns,
                 double *values)
{
    const struct cgs_prolongation *p = source->self;
    const int64_t *n = p->n, *m = p->m;
    int64_t e = 0;
    for (int64_t row = first; row < last; row++) {
        const struct share x = share_of(p, 0, row % n[0]), y = share_of(p, 1, row / n[0] % n[1]),
                           z = share_of(p, 2, row / (n[0] * n[1]));
        for (int32_t c = 0; c < z.count; c++)
            for (int32_t b = 0; b < y.count; b++)
                for (int32_t a = 0; a < x.count; a++) {
                    columns[e] =
                        (int32_t)(((z.first + c * z.step) * m[1] + y.first + b * y.step) * m[0] +
                                  x.first + a * x.step);
                    values[e++] = z.weight[c] * y.weight[b] * x.weight[a];
                }
    }
}

struct cgs_row_source cgs_prolongation_source(const struct cgs_prolongation *p)
{
    return (struct cgs_row_source){.rows = p->n[0] * p->n[1] * p->n[2],
                                   .columns = p->m[0] * p->m[1] * p->m[2],
                                   .self = p,
                                   .lengths = lengths,
                                   .fill = fill};
}
