/* Rows of A_0, P and of what is made of them are tensor products of rows in one direction, entries that
 * are zero included, and so counts are cubes of those in one direction. There the columns of a row
 * have no gaps, and neither have those of a product:
 *
 *     row i of A_0:    i - 1 ... i + 1
 *     row i of P:      l, l + 1 of kernels/grid/line.h
 *     row i of A P:    from the first column of P's first row of these to the last of the last one
 *     row j of P'A P:  the same of the rows of A P that coarse j reaches
 */
#include "src/precond/galerkin_sizes.h"

#include <assert.h>
#include <math.h>

#include "fem/assembly.h"
#include "kernels/grid/line.h"

enum { LONGEST = 9 }; /* entries of a row in one direction; 7 for any number of grids */

/* Columns first ... last - 1 of a row. */
struct span {
    int32_t first, last;
};

static int64_t length(struct span span)
{
    return span.last - span.first;
}

static int64_t cube(int64_t x)
{
    return x * x * x;
}

static struct span interpolated(int64_t n, int64_t m, int64_t i)
{
    const struct cgs_line_point point = cgs_line_point(n, m, i);
    const int32_t end = point.left + 1 + (point.share > 0.0);
    return (struct span){point.left < 0 ? 0 : point.left, end < m ? end : (int32_t)m};
}

/* The columns of rows[of.first] ... rows[of.last - 1] together. */
static struct span joined(const struct span *rows, struct span of)
{
    return (struct span){rows[of.first].first, rows[of.last - 1].last};
}

/* Entries, products and the most of a row in one direction. */
struct tally {
    int64_t entries, products, longest;
};

static struct tally tally_product(int64_t rows, const struct span *a, const struct span *b,
                                  const struct span *c)
{
    struct tally tally = {0};
    for (int64_t i = 0; i < rows; i++) {
        int64_t products = 0;
        for (int32_t k = a[i].first; k < a[i].last; k++)
            products += length(b[k]);
        tally.entries += length(c[i]);
        tally.products += products;
        tally.longest = products > tally.longest ? products : tally.longest;
    }
    return tally;
}

static struct cgs_spgemm_size size_of(int64_t rows, int64_t inner, int64_t columns, int64_t a,
                                      int64_t b, const struct tally *tally)
{
    return (struct cgs_spgemm_size){.rows = cube(rows),
                                    .columns = cube(columns),
                                    .inner = cube(inner),
                                    .a = cube(a),
                                    .b = cube(b),
                                    .products = cube(tally->products),
                                    .longest = cube(tally->longest),
                                    .entries = cube(tally->entries)};
}

static struct cgs_row_statistics statistics_of(int64_t n, const struct span *row)
{
    int64_t rows[LONGEST + 1] = {0}; /* of each length, in one direction */
    struct cgs_row_statistics s = {.shortest = INT32_MAX};
    double squares = 0.0;
    for (int64_t i = 0; i < n; i++) {
        assert(length(row[i]) <= LONGEST);
        rows[length(row[i])]++;
    }
    for (int k = 0; k < cube(LONGEST + 1); k++) {
        const int x = k % (LONGEST + 1), y = k / (LONGEST + 1) % (LONGEST + 1),
                  z = k / (LONGEST + 1) / (LONGEST + 1);
        const int32_t entries = (int32_t)(x * y * z);
        const int64_t alike = rows[x] * rows[y] * rows[z];
        if (alike == 0)
            continue;
        s.shortest = entries < s.shortest ? entries : s.shortest;
        s.longest = entries > s.longest ? entries : s.longest;
        squares += (double)alike * entries * entries;
        for (int r = 0; r < CGS_ROUNDINGS; r++)
            s.rounded[r] += alike * ((entries + (1 << r) - 1) >> r << r);
    }
    s.mean = (double)s.rounded[0] / (double)cube(n);
    s.deviation = sqrt(fmax(squares / (double)cube(n) - s.mean * s.mean, 0.0));
    return s;
}

void cgs_galerkin_sizes(int count, const int64_t *n, struct cgs_galerkin_sizes *sizes)
{
    struct span a[CGS_ASSEMBLER_MAX_N], p[CGS_ASSEMBLER_MAX_N], r[CGS_ASSEMBLER_MAX_N],
        ap[CGS_ASSEMBLER_MAX_N];
    assert(n[0] <= CGS_ASSEMBLER_MAX_N);
    for (int64_t i = 0; i < n[0]; i++)
        a[i] = (struct span){(int32_t)(i > 0 ? i - 1 : 0), (int32_t)(i + 2 < n[0] ? i + 2 : n[0])};
    for (int l = 0; l < count - 1; l++) {
        const int64_t rows = n[l], coarse = n[l + 1];
        int64_t of_a = 0, of_p = 0;
        for (int64_t i = 0; i < rows; i++) {
            p[i] = interpolated(rows, coarse, i);
            of_a += length(a[i]);
            of_p += length(p[i]);
        }
        for (int64_t i = 0; i < rows; i++)
            ap[i] = joined(p, a[i]);
        const struct tally fine = tally_product(rows, a, p, ap);
        for (int64_t j = 0; j < coarse; j++) {
            const struct cgs_line_reach reach = cgs_line_reach(rows, coarse, j);
            r[j] = (struct span){reach.first, reach.first + reach.count};
            a[j] = joined(ap, r[j]);
        }
        const struct tally made = tally_product(coarse, r, ap, a);
        sizes[l] = (struct cgs_galerkin_sizes){
            .ap = size_of(rows, rows, coarse, of_a, of_p, &fine),
            .coarse = size_of(coarse, rows, coarse, of_p, fine.entries, &made),
            .statistics = statistics_of(coarse, a),
        };
    }
}
