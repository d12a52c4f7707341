#include "matrix/ranks/cut.h"

#include <assert.h>
#include <string.h>

#include "base/comm.h"
#include "base/integers.h"
#include "base/memory.h"
#include "matrix/walk.h"

enum { BITS = 64, LENGTHS = 256 };

void cgs_portion_cut(int64_t whole, int64_t unit, int ranks, int64_t *cuts)
{
    const int64_t units = whole / unit + (whole % unit != 0);
    for (int r = 0; r <= ranks; r++) {
        const int64_t row = units * r / ranks * unit;
        cuts[r] = row < whole ? row : whole;
    }
}

/* ---- ghosts ---- */

/* Sets the rows without ghosts to those between two rows, if there are any. */
static void set_inner(struct cgs_portion *portion, int64_t first, int64_t last)
{
    portion->inner_first = first;
    portion->inner_last = cgs_most(first, last);
}

/* Columns outside a range of rows, a bit each; and the rows between those that have one before
 * the range and those that have one behind it. */
struct marks {
    int64_t first, last;
    uint64_t *bits;
    int64_t inner_first, inner_last;
};

static void mark_columns(void *user, int thread, const struct cgs_walk_block *block)
{
    struct marks *marks = user;
    int64_t inner_first = 0, inner_last = INT64_MAX, entry = 0;
    (void)thread;
    for (int64_t i = 0; i < block->rows; i++)
        for (const int64_t end = entry + block->lengths[i]; entry < end; entry++) {
            const int64_t column = block->columns[entry];
            if (marks->first <= column && column < marks->last)
                continue;
            if (column < marks->first)
                inner_first = block->first + i + 1;
            else if (inner_last == INT64_MAX)
                inner_last = block->first + i;
            const uint64_t bit = UINT64_C(1) << (column % BITS);
#pragma omp atomic
            marks->bits[column / BITS] |= bit;
        }
#pragma omp critical
    {
        marks->inner_first = cgs_most(inner_first, marks->inner_first);
        marks->inner_last = cgs_least(inner_last, marks->inner_last);
    }
}

static int64_t count_marks(const uint64_t *bits, int64_t words)
{
    int64_t count = 0;
    for (int64_t w = 0; w < words; w++)
        count += __builtin_popcountll(bits[w]);
    return count;
}

/* Lists the marked columns in ascending order. */
static void list_marks(const uint64_t *bits, int64_t words, struct cgs_portion *portion)
{
    int64_t at = 0;
    for (int64_t w = 0; w < words; w++)
        for (uint64_t left = bits[w]; left; left &= left - 1) {
            const int64_t column = w * BITS + __builtin_ctzll(left);
            portion->below += column < portion->first;
            portion->ghosts[at++] = column;
        }
    portion->above = at - portion->below;
}

static enum cgs_status find_ghosts(struct cgs_context *context, struct cgs_portion *portion)
{
    const int64_t words = portion->whole / BITS + 1;
    const int64_t there = portion->first - portion->source->first;
    struct marks marks = {.first = portion->first,
                          .last = portion->first + portion->count,
                          .inner_first = there,
                          .inner_last = there + portion->count};
    CGS_TRY(
        cgs_alloc(context, words, sizeof *marks.bits, "marks of columns", (void **)&marks.bits));
    memset(marks.bits, 0, (size_t)words * sizeof *marks.bits);
    enum cgs_status status = cgs_walk_rows(context, portion->source, there, there + portion->count,
                                           mark_columns, &marks);
    if (status == CGS_OK)
        status = cgs_alloc(context, count_marks(marks.bits, words), sizeof *portion->ghosts,
                           "ghosts", (void **)&portion->ghosts);
    if (status == CGS_OK) {
        list_marks(marks.bits, words, portion);
        set_inner(portion, marks.inner_first - there, marks.inner_last - there);
    }
    cgs_free(context, marks.bits);
    return status;
}

void cgs_portion_widen(struct cgs_portion *portion, int64_t numbers)
{
    const int64_t behind = portion->whole - portion->first - portion->count;
    portion->before = cgs_most(portion->before, cgs_least(numbers, portion->first));
    portion->after = cgs_most(portion->after, cgs_least(numbers, behind));
}

/* Makes all numbers within the mesh's reach ghosts; of whole units the planes next to them. */
static void take_neighbours(struct cgs_portion *portion)
{
    const struct cgs_row_source *whole = portion->source;
    bool units = whole->unit > 0;
    for (int r = 0; r < portion->ranks; r++)
        units = units && portion->cuts[r] % whole->unit == 0;
    for (int side = 0; side < 2; side++)
        portion->reach[side] = units ? whole->near[side] : whole->reach;
    portion->below = cgs_least(portion->reach[0], portion->first);
    portion->above = cgs_least(portion->reach[1], portion->whole - portion->first - portion->count);
    /* the matrix is symmetric: a neighbour reads the rows that read its own */
    set_inner(portion, portion->below > 0 ? cgs_least(portion->reach[1], portion->count) : 0,
              portion->count -
                  (portion->above > 0 ? cgs_least(portion->reach[0], portion->count) : 0));
}

/* Starts the portion of a rank: its rows by `cuts`, copied, of which *portion owns the copy. */
static enum cgs_status start(struct cgs_context *context, const struct cgs_row_source *source,
                             const int64_t *cuts, int rank, int ranks, struct cgs_portion *portion)
{
    *portion =
        (struct cgs_portion){.rank = rank, .ranks = ranks, .whole = cuts[ranks], .source = source};
    CGS_TRY(cgs_alloc(context, ranks + 1, sizeof *portion->cuts, "cuts", (void **)&portion->cuts));
    memcpy(portion->cuts, cuts, (size_t)(ranks + 1) * sizeof *cuts);
    portion->first = cuts[rank];
    portion->count = cuts[rank + 1] - cuts[rank];
    assert(source->first <= portion->first &&
           portion->first + portion->count <= source->first + source->rows);
    return CGS_OK;
}

enum cgs_status cgs_portion_of_mesh(struct cgs_context *context, const struct cgs_row_source *whole,
                                    const int64_t *cuts, int rank, int ranks,
                                    struct cgs_portion *portion)
{
    struct cgs_portion made;
    CGS_TRY(start(context, whole, cuts, rank, ranks, &made));
    take_neighbours(&made);
    made.before = made.below;
    made.after = made.above;
    *portion = made;
    return CGS_OK;
}

enum cgs_status cgs_portion_accept(struct cgs_context *context, int64_t rows, int64_t unit,
                                   int ranks)
{
    const int64_t units = rows / unit + (rows % unit != 0);
    if (units >= ranks)
        return CGS_OK;
    return cgs_fail(
        context, CGS_USAGE,
        "%lld rows make %lld block%s of %lld, whose sums one rank each adds up: too few for "
        "%d ranks, take at most %lld",
        (long long)rows, (long long)units, units == 1 ? "" : "s", (long long)unit, ranks,
        (long long)units);
}

enum cgs_status cgs_portion_create(struct cgs_context *context, const struct cgs_row_source *source,
                                   int64_t unit, int rank, int ranks, struct cgs_portion *portion)
{
    const int64_t rows = source->whole ? source->whole : source->rows;
    int64_t cuts[CGS_RANKS_MOST + 1];
    cgs_portion_cut(rows, unit, ranks, cuts);
    if (source->plane)
        return cgs_portion_of_mesh(context, source, cuts, rank, ranks, portion);
    struct cgs_portion made;
    CGS_TRY(start(context, source, cuts, rank, ranks, &made));
    const enum cgs_status status = find_ghosts(context, &made);
    made.before = made.below;
    made.after = made.above;
    if (status == CGS_OK)
        *portion = made;
    else
        cgs_portion_release(context, &made);
    return status;
}

void cgs_portion_release(struct cgs_context *context, struct cgs_portion *portion)
{
    cgs_free(context, portion->cuts);
    cgs_free(context, portion->ghosts);
    *portion = (struct cgs_portion){0};
}

/* ---- the source ---- */

static void lengths(const struct cgs_row_source *source, int64_t first, int64_t last,
                    int32_t *lengths)
{
    const struct cgs_portion *portion = source->self;
    const int64_t there = portion->first - portion->source->first;
    portion->source->lengths(portion->source, there + first, there + last, lengths);
}

/* Number of entries of rows first ... last - 1 of the source. */
static int64_t entries_of(const struct cgs_row_source *source, int64_t first, int64_t last)
{
    int64_t entries = 0;
    for (int64_t begin = first; begin < last; begin += LENGTHS) {
        const int64_t end = last - begin < LENGTHS ? last : begin + LENGTHS;
        int32_t some[LENGTHS];
        source->lengths(source, begin, end, some);
        for (int64_t i = 0; i < end - begin; i++)
            entries += some[i];
    }
    return entries;
}

static void fill(const struct cgs_row_source *source, int64_t first, int64_t last, int32_t *columns,
                 double *values)
{
    const struct cgs_portion *portion = source->self;
    const struct cgs_row_source *behind = portion->source;
    const int64_t there = portion->first - behind->first;
    const int64_t entries = entries_of(behind, there + first, there + last);
    behind->fill(behind, there + first, there + last, columns, values);
    for (int64_t k = 0; k < entries; k++)
        columns[k] = (int32_t)cgs_portion_local(portion, columns[k]);
}

/* The norm of the rows that were generated here: the largest of all ranks is the matrix's. */
static double norm(const struct cgs_row_source *source)
{
    const struct cgs_portion *portion = source->self;
    return portion->source->norm(portion->source);
}

static enum cgs_status diagonal(struct cgs_context *context, const struct cgs_row_source *source,
                                int64_t first, int64_t last, double *diagonal)
{
    const struct cgs_portion *portion = source->self;
    const int64_t there = portion->first - portion->source->first;
    return portion->source->diagonal(context, portion->source, there + first, there + last,
                                     diagonal);
}

struct cgs_row_source cgs_portion_source(const struct cgs_portion *portion)
{
    const struct cgs_row_source *whole = portion->source;
    return (struct cgs_row_source){.rows = portion->count,
                                   .columns = portion->count + portion->above,
                                   .portion = portion,
                                   .mesh = whole->mesh,
                                   .symmetric = whole->symmetric,
                                   .diagonals = whole->diagonals,
                                   .constant = whole->constant,
                                   .self = portion,
                                   .lengths = lengths,
                                   .norm = whole->norm ? norm : NULL,
                                   .diagonal = whole->diagonal ? diagonal : NULL,
                                   .fill = whole->fill ? fill : NULL};
}
