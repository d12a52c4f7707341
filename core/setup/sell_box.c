/* Counts the entries that SELL-C-sigma stores for the box, without walking all its rows.
 *
 * A row's length follows from how many unknowns its cells have in x, y and z: a b c, or fewer
 * where a rule leaves entries out (cgs_order_length). For order 1 these are 2 at either end, 3
 * between, 1 where n = 1. For order p, rows within cells have p + 1, those between two 2 p + 1,
 * fewer where a face holds values; a line has p of them again and again,
 *
 *     head | p rows | p rows | ... | p rows | tail
 *
 * Windows count the rows of each length until they are full, and pass them on by descending length;
 * of one run they pass on all whole windows at a time. Chunks do the same with what the windows
 * pass on: only those that straddle runs are looked at.
 *
 * What comes again in a line comes again in lines and planes: once counts are as they were some
 * cells, lines of cells, or layers before, what these stored is stored again and again. With sigma
 * = 1 that is so after at most C of them.
 */
#include "core/setup/sell_box.h"

#include <stdbool.h>

#include "fem/box.h"
#include "fem/element/order_line.h"
#include "fem/order/rows.h"

enum {
    CLASSES = 64, /* lengths of rows: 4 counts in each direction at most */
    SLOTS = 4 * CGS_NODES_MOST,
    LONGEST = CGS_ORDER_ROW * CGS_ORDER_ROW * CGS_ORDER_ROW
};

/* A direction: counts of the first `head` unknowns, of `period` ones that come `inner` times, of
 * the last `tail`. */
struct line {
    int head, period, tail;
    int64_t inner;
    int count[SLOTS];
};

struct shape {
    struct line line[3];
    int apart;                /* cgs_order_apart */
    int64_t lengths[CLASSES]; /* descending */
    int classes;
    uint8_t class_of[LONGEST + 1];
};

struct box {
    const struct shape *shape;
    int64_t chunk, sigma;
    int64_t in_window, counts[CLASSES]; /* rows in the window that is open, by class */
    int64_t in_chunk, width;            /* rows in the chunk that is open, the longest of them */
    int64_t stored;                     /* entries of all chunks before */
};

/* Returns the unknowns of the cells of unknown i in direction k. */
static int count_of(const struct cgs_mesh *mesh, int k, int64_t i)
{
    struct cgs_order_line line;
    struct cgs_order_row row;
    const struct cgs_box box = cgs_box_of(mesh);
    if (mesh->order == 1)
        return cgs_box_count(cgs_box_place(&box, k, i));
    cgs_order_line_make(mesh, k, &line);
    cgs_order_row_of(&line, i, &row);
    return row.count;
}

static void make_line(const struct cgs_mesh *mesh, int k, struct line *line)
{
    const int64_t n = mesh->n[k], p = mesh->order, ends = p + 1;
    line->head = (int)(n < ends ? n : ends);
    line->period = (int)p;
    line->inner = n > 2 * ends ? (n - 2 * ends) / p : 0;
    line->tail = (int)(n - line->head - p * line->inner);
    for (int slot = 0; slot < line->head + line->period + line->tail; slot++) {
        const bool last = slot >= line->head + line->period;
        const int64_t i = last ? slot + p * (line->inner - 1) : slot;
        line->count[slot] = i < n ? count_of(mesh, k, i) : 0;
    }
}

/* Numbers the lengths of rows. */
static void make_classes(struct shape *shape)
{
    bool found[LONGEST + 1] = {false};
    unsigned counts[3] = {0};
    for (int k = 0; k < 3; k++)
        for (int slot = 0; slot < SLOTS; slot++)
            counts[k] |= 1u << shape->line[k].count[slot];
    for (int a = 1; a <= CGS_ORDER_ROW; a++)
        for (int b = 1; b <= CGS_ORDER_ROW; b++)
            for (int c = 1; c <= CGS_ORDER_ROW; c++)
                if (counts[0] >> a & counts[1] >> b & counts[2] >> c & 1)
                    found[cgs_order_length(shape->apart, (const int[3]){a, b, c})] = true;
    for (int length = LONGEST; length > 0; length--)
        if (found[length]) {
            shape->class_of[length] = (uint8_t)shape->classes;
            shape->lengths[shape->classes++] = length;
        }
}

/* Rows in groups of `size`: how many of `count` are left when the whole groups are taken. */
static int64_t rest_of(int64_t count, int64_t size)
{
    return count < size ? count : count % size;
}

/* The next `count` places of the layout have rows of a class. */
static void add_places(struct box *box, int class, int64_t count)
{
    const int64_t missing = box->chunk - box->in_chunk, length = box->shape->lengths[class];
    if (count == 0)
        return;
    if (box->in_chunk == 0 || length > box->width)
        box->width = length;
    if (count < missing) {
        box->in_chunk += count;
        return;
    }
    box->in_chunk = rest_of(count - missing, box->chunk);
    box->stored += box->chunk * box->width + (count - missing - box->in_chunk) * length;
    box->width = length;
}

static void close_window(struct box *box)
{
    for (int class = 0; class < box->shape->classes; class ++) {
        add_places(box, class, box->counts[class]);
        box->counts[class] = 0;
    }
}

/* The next `count` rows of the box are of a class. */
static void add_rows(struct box *box, int class, int64_t count)
{
    const int64_t missing = box->sigma - box->in_window;
    if (count < missing) {
        box->in_window += count;
        box->counts[class] += count;
        return;
    }
    box->counts[class] += missing;
    close_window(box);
    box->in_window = rest_of(count - missing, box->sigma);
    add_places(box, class, count - missing - box->in_window);
    box->counts[class] = box->in_window;
}

/* ---- what comes again ---- */

/* The box after so many cells, lines of cells or layers that are alike. */
struct mark {
    struct box box;
    int64_t done;
};

static bool same_counts(const struct box *a, const struct box *b)
{
    for (int class = 0; class < a->shape->classes; class ++)
        if (a->counts[class] != b->counts[class])
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

/* Returns the class of the unknowns of a slot. count: that of the line in y and z, and room. */
static int class_at(const struct box *box, int slot, int count[3])
{
    count[0] = box->shape->line[0].count[slot];
    return box->shape->class_of[cgs_order_length(box->shape->apart, count)];
}

/* Adds the unknowns of slots begin ... end - 1, by runs of one class. */
static void add_slots(struct box *box, int begin, int end, int count[3])
{
    for (int slot = begin, next; slot < end; slot = next) {
        const int class = class_at(box, slot, count);
        for (next = slot + 1; next < end && class_at(box, next, count) == class; next++)
            ;
        add_rows(box, class, next - slot);
    }
}

/* Adds so many periods that end within the window. */
static void add_periods(struct box *box, int64_t periods, int count[3])
{
    const struct line *line = &box->shape->line[0];
    for (int slot = line->head; slot < line->head + line->period; slot++)
        box->counts[class_at(box, slot, count)] += periods;
    box->in_window += periods * line->period;
}

static void add_line(struct box *box, int count[3])
{
    const struct line *line = &box->shape->line[0];
    const int inner = line->head, tail = line->head + line->period;
    struct mark mark;
    add_slots(box, 0, inner, count);
    mark = (struct mark){*box, 0};
    for (int64_t done = 0, periods; done < line->inner;) {
        periods = (box->sigma - 1 - box->in_window) / line->period;
        periods = periods < line->inner - done ? periods : line->inner - done;
        if (line->period == 1) {
            periods = line->inner - done;
            add_rows(box, class_at(box, inner, count), periods);
        } else if (periods > 0) {
            add_periods(box, periods, count);
        } else {
            periods = 1;
            add_slots(box, inner, tail, count);
        }
        done = repeat(box, &mark, done + periods, line->inner);
    }
    add_slots(box, tail, tail + line->tail, count);
}

static void add(struct box *box, int k, int count[3]);

/* Adds the line (k = 1) or the plane (2) of a slot. */
static void add_slot(struct box *box, int k, int slot, int count[3])
{
    count[k] = box->shape->line[k].count[slot];
    if (k == 1)
        add_line(box, count);
    else
        add(box, 1, count);
}

/* Adds the lines of a plane (k = 1), or the planes (2). */
static void add(struct box *box, int k, int count[3])
{
    const struct line *line = &box->shape->line[k];
    const int inner = line->head, tail = line->head + line->period;
    struct mark mark;
    for (int slot = 0; slot < inner; slot++)
        add_slot(box, k, slot, count);
    mark = (struct mark){*box, 0};
    for (int64_t done = 0; done < line->inner;) {
        for (int slot = inner; slot < tail; slot++)
            add_slot(box, k, slot, count);
        done = repeat(box, &mark, done + 1, line->inner);
    }
    for (int slot = tail; slot < tail + line->tail; slot++)
        add_slot(box, k, slot, count);
}

int64_t cgs_box_stored(const struct cgs_mesh *mesh, int32_t chunk, int32_t sigma)
{
    struct shape shape = {.apart = cgs_order_apart(mesh)};
    struct box box = {.shape = &shape, .chunk = chunk, .sigma = sigma};
    for (int k = 0; k < 3; k++)
        make_line(mesh, k, &shape.line[k]);
    make_classes(&shape);
    add(&box, 2, (int[3]){0});
    close_window(&box);
    return box.stored + (box.in_chunk > 0 ? box.chunk * box.width : 0);
}
