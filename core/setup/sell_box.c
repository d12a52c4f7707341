/* Counts the entries that SELL-C-sigma stores for the box, without walking all its rows.
 *
 * Row (ix, iy, iz) has l(ix) l(iy) l(iz) entries, l being 2 at either end, 3 between (and 1 where n
 * = 1): 3^(3-e) 2^e for a row at e ends, which a periodic direction has none of. So the rows come
 * in runs of one length, three a line:
 *
 *     2w  3w ... 3w  2w | 2w'  3w' ... 3w'  2w' | ...        w = l(iy) l(iz)
 *
 * Windows count the rows of each length until they are full, and pass them on by descending length;
 * of one run they pass on all whole windows at a time. Chunks do the same with what the windows
 * pass on: only those that straddle runs are looked at. Of order n^2 steps, whatever C and sigma.
 *
 * All lines of a plane but two are alike, and all planes but two: once counts are as they were some
 * lines, or planes, before, what these stored is stored again and again. With sigma = 1 that is so
 * after at most C of them.
 */
#include "core/setup/sell_box.h"

#include <stdbool.h>

#include "fem/box.h"

enum { ENDS = 4 }; /* a row is at 0 ... 3 of them: the fewer, the longer */

struct box {
    struct cgs_box shape;
    int64_t lengths[ENDS]; /* of rows, by ends */
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
    if (box->in_chunk == 0 || box->lengths[ends] > box->width)
        box->width = box->lengths[ends];
    if (count < missing) {
        box->in_chunk += count;
        return;
    }
    box->in_chunk = rest_of(count - missing, box->chunk);
    box->stored += box->chunk * box->width + (count - missing - box->in_chunk) * box->lengths[ends];
    box->width = box->lengths[ends];
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

/* ---- what comes again ---- */

/* The box after so many lines or planes that are alike. */
struct mark {
    struct box box;
    int64_t done;
};

static bool same_counts(const struct box *a, const struct box *b)
{
    for (int ends = 0; ends < ENDS; ends++)
        if (a->counts[ends] != b->counts[ends])
            return false;
    return a->in_window == b->in_window && a->in_chunk == b->in_chunk && a->width == b->width;
}

/* `done` of `count` are in the box. Where it is as at the mark, adds what comes again; returns how
 * many are in the box then. Else the mark moves on, each time twice as far (R. P. Brent, BIT 20
 * (1980)). */
static int64_t repeat(struct box *box, struct mark *mark, int64_t done, int64_t count)
{
    if (same_counts(box, &mark->box)) {
        const int64_t period = done - mark->done, times = (count - done) / period;
        box->stored += times * (box->stored - mark->box.stored);
        return done + times * period;
    }
    if (done >= 2 * mark->done)
        *mark = (struct mark){*box, done};
    return done;
}

/* Adds the unknowns of a line (k = 0), the lines of a plane (1), or the planes (2). */
static void add(struct box *box, int k, int ends)
{
    const int64_t n = box->shape.n[k];
    const int64_t outer = n > 1 && !box->shape.periodic[k] ? 1 : 0, inner = n - 2 * outer;
    if (k == 0) {
        add_rows(box, ends + 1, outer);
        add_rows(box, ends, inner);
        add_rows(box, ends + 1, outer);
        return;
    }
    if (outer)
        add(box, k - 1, ends + 1);
    struct mark mark = {*box, 0};
    for (int64_t done = 0; done < inner;) {
        add(box, k - 1, ends);
        done = repeat(box, &mark, done + 1, inner);
    }
    if (outer)
        add(box, k - 1, ends + 1);
}

int64_t cgs_box_stored(const struct cgs_mesh *mesh, int32_t chunk, int32_t sigma)
{
    struct box box = {.shape = cgs_box_of(mesh), .chunk = chunk, .sigma = sigma};
    int64_t length = 1; /* of a row at no end */
    for (int k = 0; k < 3; k++)
        length *= mesh->n[k] > 1 ? 3 : 1;
    for (int ends = 0; ends < ENDS; ends++, length = length / 3 * 2)
        box.lengths[ends] = length;
    add(&box, 2, 0);
    close_window(&box);
    return box.stored + (box.in_chunk > 0 ? box.chunk * box.width : 0);
}
