/* Rows of A_0, P and of what is made of them are tensor products of rows in one direction, entries
 * that are zero included, and so counts are products of those in each direction. There the columns
 * of a row have no gaps, and neither have those of a product:
 *
 *     row i of A_0:    i - 1 ... i + 1
 *     row i of P:      l, l + 1 of kernels/grid/line.h
 *     row i of A P:    from the first column of P's first row of these to the last of the last one
 *     row j of P'A P:  the same of the rows of A P that coarse j reaches
 *
 * Columns of a periodic direction are numbered on beyond either end, and count modulo their number.
 */
#include "core/precond/galerkin_sizes.h"

#include <assert.h>
#include <math.h>

#include "fem/assembly.h"
#include "kernels/grid/line.h"
#include "solver/multigrid.h"

enum { LONGEST = 9 }; /* entries of a row in one direction; 7 for any number of grids */

/* Columns first ... last - 1 of a row. */
struct span {
    int32_t first, last;
};

static int64_t length(struct span span)
{
    return span.last - span.first;
}

/* Rows of a direction. */
struct rows {
    int64_t count, columns;
    const struct span *row;
};

/* Returns row i, which may lie beyond either end of a periodic direction. */
static struct span row_at(const struct rows *rows, int64_t i)
{
    const int64_t turn = i < 0 ? -1 : i < rows->count ? 0 : 1;
    const struct span row = rows->row[i - turn * rows->count];
    const int32_t shift = (int32_t)(turn * rows->columns);
    return (struct span){row.first + shift, row.last + shift};
}

static struct span interpolated(struct cgs_line line, int64_t i)
{
    const struct cgs_line_point point = cgs_line_point(line, i);
    const int32_t end = point.left + 1 + (point.share > 0.0);
    if (cgs_periodic(line.open))
        return (struct span){point.left, end};
    return (struct span){point.left < 0 ? 0 : point.left, end < line.m ? end : (int32_t)line.m};
}

/* The columns of rows of.first ... of.last - 1 together. */
static struct span joined(const struct rows *rows, struct span of)
{
    const struct span all = {row_at(rows, of.first).first, row_at(rows, of.last - 1).last};
    return length(all) <= rows->columns
               ? all
               : (struct span){all.first, (int32_t)(all.first + rows->columns)};
}

/* Entries, products and the most of a row in one direction. */
struct tally {
    int64_t entries, products, longest;
};

static struct tally tally_product(int64_t rows, const struct span *a, const struct rows *b,
                                  const struct span *c)
{
    struct tally tally = {0};
    for (int64_t i = 0; i < rows; i++) {
        int64_t products = 0;
        for (int32_t k = a[i].first; k < a[i].last; k++)
            products += length(row_at(b, k));
        tally.entries += length(c[i]);
        tally.products += products;
        tally.longest = products > tally.longest ? products : tally.longest;
    }
    return tally;
}

/* A pair of grids in one direction: unknowns, entries of A and P, the products A P and P'(A P),
 * and how many rows of the latter have so many entries. */
struct line {
    int64_t rows, coarse, of_a, of_p;
    struct tally ap, made;
    int64_t of_length[LONGEST + 1];
};

/* Fills line[l] for the pairs of grids in direction k. */
static void tally_lines(int count, const struct cgs_mesh *grid, int k, struct line *line)
{
    struct span a[CGS_MESH_MAX_N], p[CGS_MESH_MAX_N], r[CGS_MESH_MAX_N], ap[CGS_MESH_MAX_N];
    const int64_t n = grid[0].n[k];
    assert(n <= CGS_MESH_MAX_N);
    const bool periodic = cgs_periodic(grid[0].open[k]);
    for (int64_t i = 0; i < n; i++)
        a[i] = (struct span){(int32_t)(i > 0 || periodic ? i - 1 : 0),
                             (int32_t)(i + 2 < n || periodic ? i + 2 : n)};
    for (int l = 0; l < count - 1; l++) {
        const int64_t rows = grid[l].n[k], coarse = grid[l + 1].n[k];
        const struct cgs_line grids = {rows, coarse, grid[0].open[k]};
        line[l] = (struct line){.rows = rows, .coarse = coarse};
        for (int64_t i = 0; i < rows; i++) {
            p[i] = interpolated(grids, i);
            line[l].of_a += length(a[i]);
            line[l].of_p += length(p[i]);
        }
        const struct rows of_p = {rows, coarse, p}, of_ap = {rows, coarse, ap};
        for (int64_t i = 0; i < rows; i++)
            ap[i] = joined(&of_p, a[i]);
        line[l].ap = tally_product(rows, a, &of_p, ap);
        for (int64_t j = 0; j < coarse; j++) {
            const struct cgs_line_reach reach = cgs_line_reach(grids, j);
            r[j] = (struct span){reach.first, reach.first + reach.count};
            a[j] = joined(&of_ap, r[j]);
        }
        line[l].made = tally_product(coarse, r, &of_ap, a);
        for (int64_t j = 0; j < coarse; j++) {
            assert(length(a[j]) <= LONGEST);
            line[l].of_length[length(a[j])]++;
        }
    }
}

static struct cgs_row_statistics statistics_of(const struct line *x, const struct line *y,
                                               const struct line *z)
{
    const double rows = (double)(x->coarse * y->coarse * z->coarse);
    struct cgs_row_statistics s = {.shortest = INT32_MAX};
    double squares = 0.0;
    for (int k = 0; k < (LONGEST + 1) * (LONGEST + 1) * (LONGEST + 1); k++) {
        const int of_x = k % (LONGEST + 1), of_y = k / (LONGEST + 1) % (LONGEST + 1),
                  of_z = k / (LONGEST + 1) / (LONGEST + 1);
        const int32_t entries = (int32_t)(of_x * of_y * of_z);
        const int64_t alike = x->of_length[of_x] * y->of_length[of_y] * z->of_length[of_z];
        if (alike == 0)
            continue;
        s.shortest = entries < s.shortest ? entries : s.shortest;
        s.longest = entries > s.longest ? entries : s.longest;
        squares += (double)alike * entries * entries;
        for (int r = 0; r < CGS_ROUNDINGS; r++)
            s.rounded[r] += alike * ((entries + (1 << r) - 1) >> r << r);
    }
    s.mean = (double)s.rounded[0] / rows;
    s.deviation = sqrt(fmax(squares / rows - s.mean * s.mean, 0.0));
    return s;
}

/* The numbers of three directions multiplied. */
#define PRODUCT(number) (x->number * y->number * z->number)

static struct cgs_galerkin_sizes sizes_of(const struct line *x, const struct line *y,
                                          const struct line *z)
{
    const int64_t rows = PRODUCT(rows), coarse = PRODUCT(coarse);
    return (struct cgs_galerkin_sizes){
        .ap = {.rows = rows,
               .columns = coarse,
               .inner = rows,
               .a = PRODUCT(of_a),
               .b = PRODUCT(of_p),
               .products = PRODUCT(ap.products),
               .longest = PRODUCT(ap.longest),
               .entries = PRODUCT(ap.entries)},
        .coarse = {.rows = coarse,
                   .columns = coarse,
                   .inner = rows,
                   .a = PRODUCT(of_p),
                   .b = PRODUCT(ap.entries),
                   .products = PRODUCT(made.products),
                   .longest = PRODUCT(made.longest),
                   .entries = PRODUCT(made.entries)},
        .statistics = statistics_of(x, y, z),
    };
}

void cgs_galerkin_sizes(int count, const struct cgs_mesh *grid, struct cgs_galerkin_sizes *sizes)
{
    struct line line[3][CGS_GRIDS];
    for (int k = 0; k < 3; k++)
        tally_lines(count, grid, k, line[k]);
    for (int l = 0; l < count - 1; l++)
        sizes[l] = sizes_of(&line[0][l], &line[1][l], &line[2][l]);
}
