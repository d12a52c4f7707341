/* C = A B on the CPU, a row of C at a time (kernels/spgemm.h), for f64 and f32: columns of a row in
 * order of first occurrence (row_places.h).
 *
 * Rows are computed once (row_parts.h), or after counting their entries by bits (structure.h).
 */
#include "kernels/spgemm.h"

#include "base/memory.h"
#include "kernels/spgemm/row_parts.h"
#include "kernels/spgemm/row_places.h"

struct work {
    struct cgs_structure structure;
    struct buffers buffers;
    uint32_t *place; /* threads x columns of B */
};

static void release(void *self)
{
    struct work *work = self;
    if (!work)
        return;
    struct cgs_context *context = work->structure.context;
    cgs_free(context, work->place);
    release_buffers(context, &work->buffers);
    cgs_structure_release(&work->structure);
    cgs_free(context, work);
}

static void plan(const struct cgs_spgemm_size *size, int threads, struct cgs_plan *plan)
{
    cgs_structure_plan(size, threads, plan);
    plan_buffers(size, threads, plan);
    cgs_plan_add(plan, CGS_HOST, "places of columns", cgs_bytes(size->columns, threads),
                 sizeof(uint32_t));
}

static enum cgs_status make(struct work *work, const struct cgs_sparse *a,
                            const struct cgs_sparse *b, struct cgs_spgemm_size *size)
{
    struct cgs_structure *s = &work->structure;
    const char *what = "places of columns";
    CGS_TRY(cgs_structure_create(s->context, a, b, s, size));
    return cgs_alloc(s->context, cgs_bytes(b->columns, s->threads), sizeof *work->place, what,
                     (void **)&work->place);
}

/* ---- rows ---- */

struct scratch {
    struct places places;
};

static struct scratch scratch_of(const struct work *work, int thread)
{
    const int64_t columns = work->structure.b->columns;
    return (struct scratch){{work->place + thread * columns, columns, 0}};
}

CGS_PIECE int64_t make_row(const struct work *work, struct scratch *scratch, int64_t k,
                           int32_t *column, real *sum)
{
    const struct cgs_structure *s = &work->structure;
    return meet_row(s->a, s->b, s->list.row[k], &scratch->places, column, sum);
}

#include "kernels/spgemm/row_stages.h"

enum { SHORT = 48 }; /* largest row for insertion sort; heap sort beyond */

static void swap(int32_t *column, real *number, int64_t e, int64_t f)
{
    const int32_t j = column[e];
    const real v = number[e];
    column[e] = column[f];
    number[e] = number[f];
    column[f] = j;
    number[f] = v;
}

/* Restores the heap below entry e of `entries`, the largest column on top. */
static void sink(int64_t e, int64_t entries, int32_t *column, real *number)
{
    for (int64_t child = 2 * e + 1; child < entries; child = 2 * e + 1) {
        if (child + 1 < entries && column[child + 1] > column[child])
            child++;
        if (column[child] <= column[e])
            return;
        swap(column, number, e, child);
        e = child;
    }
}

static void sort_heap(int64_t entries, int32_t *column, real *number)
{
    for (int64_t e = entries / 2 - 1; e >= 0; e--)
        sink(e, entries, column, number);
    for (int64_t last = entries - 1; last > 0; last--) {
        swap(column, number, 0, last);
        sink(0, last, column, number);
    }
}

static void sort_insert(int64_t entries, int32_t *column, real *number)
{
    for (int64_t e = 1; e < entries; e++)
        for (int64_t at = e; at > 0 && column[at - 1] > column[at]; at--)
            swap(column, number, at - 1, at);
}

/* Sorts in place; columns of a row differ, so stability does not matter. */
static void sort_row(int64_t entries, int32_t *column, real *number)
{
    if (entries <= SHORT)
        sort_insert(entries, column, number);
    else
        sort_heap(entries, column, number);
}

static enum cgs_status sort(void *self, struct cgs_sparse *c)
{
    const struct work *work = self;
    real *number = c->value;
#pragma omp parallel for schedule(dynamic, 64) num_threads(work->structure.threads)
    for (int64_t i = 0; i < c->rows; i++)
        sort_row(c->pointers[i + 1] - c->pointers[i], c->column + c->pointers[i],
                 number + c->pointers[i]);
    return CGS_OK;
}

CGS_TABLE(struct cgs_spgemm_kernel, cgs_cpu_spgemm_rows) = {
    .reproducible = true,
    .plan = plan,
    .begin = begin,
    .count = count,
    .make = make_all,
    .fill = fill,
    .sort = sort,
    .release = release,
};
