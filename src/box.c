/* How many entries SELL-C-sigma stores for the box, without walking its n^3 rows.
 *
 * Row (ix, iy, iz) has l(ix) l(iy) l(iz) entries, l being 2 at either end, 3 between (and 1 where
 * n = 1): 3^(3-e) 2^e for a row at e ends. So the rows come in runs of one length, three a line:
 *
 *     2w  3w ... 3w  2w | 2w'  3w' ... 3w'  2w' | ...        w = l(iy) l(iz)
 *
 * Windows count the rows of each length until they are full, and pass them on by descending length;
 * of one run they pass on all whole windows at a time. Chunks do the same with what the windows
 * pass on: only those that straddle runs are looked at. Of order n^2 steps, whatever C and sigma.
 */
#include "src/forecast.h"

enum { ENDS = 4 }; /* a row is at 0 ... 3 of them: the fewer, the longer */

static const int64_t lengths[ENDS] = {27, 18, 12, 8};

struct box {
    int64_t chunk, sigma;
    int64_t in_window, counts[ENDS]; /* rows in the window that is open, by ends */
    int64_t in_chunk, width;         /* rows in the chunk that is open, the longest of them */
    int64_t stored;                  /* entries of all chunks before */
};

/* Rows in groups of `size`: how many of `count` are left when the whole groups are taken. */
static int64_t rest_of(int64_t count, int64_t size)
{
    return count < size ? count : count % size;
}

/* The next `count` places of the layout have rows at `ends`. */
static void add_places(struct box *box, int ends, int64_t count)
{
    const int64_t missing = box->chunk - box->in_chunk;
    if (count == 0)
        return;
    if (box->in_chunk == 0 || lengths[ends] > box->width)
        box->width = lengths[ends];
    if (count < missing) {
        box->in_chunk += count;
        return;
    }
    box->in_chunk = rest_of(count - missing, box->chunk);
    box->stored += box->chunk * box->width + (count - missing - box->in_chunk) * lengths[ends];
    box->width = lengths[ends];
}

static void close_window(struct box *box)
{
    for (int ends = 0; ends < ENDS; ends++) {
        add_places(box, ends, box->counts[ends]);
        box->counts[ends] = 0;
    }
}

/* The next `count` rows of the box are at `ends`. */
static void add_rows(struct box *box, int ends, int64_t count)
{
    const int64_t missing = box->sigma - box->in_window;
    if (count < missing) {
        box->in_window += count;
        box->counts[ends] += count;
        return;
    }
    box->counts[ends] += missing;
    close_window(box);
    box->in_window = rest_of(count - missing, box->sigma);
    add_places(box, ends, count - missing - box->in_window);
    box->counts[ends] = box->in_window;
}

int64_t cgs_box_stored(int64_t n, int32_t chunk, int32_t sigma)
{
    struct box box = {.chunk = chunk, .sigma = sigma};
    if (n == 1)
        return chunk;
    for (int64_t iz = 0; iz < n; iz++)
        for (int64_t iy = 0; iy < n; iy++) {
            const int ends = (iy == 0 || iy == n - 1) + (iz == 0 || iz == n - 1);
            add_rows(&box, ends + 1, 1);
            add_rows(&box, ends, n - 2);
            add_rows(&box, ends + 1, 1);
        }
    close_window(&box);
    return box.stored + (box.in_chunk > 0 ? box.chunk * box.width : 0);
}
