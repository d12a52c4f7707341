/* How many entries SELL-C-1 stores for the box, without walking its n^3 rows.
 *
 * Row (ix, iy, iz) has l(ix) l(iy) l(iz) entries, l being 2 at either end, 3 between (and 1 where
 * n = 1). A chunk of C rows takes C times the widest of them. A line of n rows has two numbers
 * only, 2 w at its ends and 3 w between, w = l(iy) l(iz):
 *
 *     2w 3w 3w 3w 3w 3w 2w | 2w' 3w' 3w' ...
 *      ...][       ][        ][                chunks of C rows
 *
 * so chunks within a line are 3 w wide (C >= 2: none lies on ends only), and only those that
 * straddle lines need a look at each line they touch: of order n^2 lines and no more chunks.
 */
#include "src/forecast.h"

static int64_t width(int64_t n, int64_t i)
{
    return n == 1 ? 1 : i == 0 || i == n - 1 ? 2 : 3;
}

/* Widest row among rows first ... last - 1 of the box. */
static int64_t widest(int64_t n, int64_t first, int64_t last)
{
    int64_t most = 0;
    for (int64_t row = first; row < last;) {
        const int64_t line = row / n, begin = row % n;
        const int64_t end = last - line * n < n ? last - line * n : n;
        int64_t x = width(n, begin); /* at one end, or between */
        if (width(n, begin + (end - begin) / 2) > x)
            x = width(n, begin + (end - begin) / 2);
        const int64_t here = x * width(n, line % n) * width(n, line / n);
        most = here > most ? here : most;
        row = line * n + end;
    }
    return most;
}

int64_t cgs_box_stored(int64_t n, int32_t chunk)
{
    const int64_t rows = n * n * n, side = 3 * n - 2;
    int64_t stored = 0;
    if (chunk == 1)
        return side * side * side;
    for (int64_t row = 0; row < rows;) { /* row: where a chunk begins */
        const int64_t line = row / n, inside = ((line + 1) * n - row) / chunk;
        if (inside > 0 && n > 2) {
            stored += inside * chunk * 3 * width(n, line % n) * width(n, line / n);
            row += inside * chunk;
        } else {
            const int64_t end = row + chunk < rows ? row + chunk : rows;
            stored += chunk * widest(n, row, end);
            row += chunk;
        }
    }
    return stored;
}
