#include "src/spgemm/multiply_slabs.h"

#include "base/memory.h"
#include "core/io/format.h"
#include "core/options/options.h"
#include "src/spgemm/multiply_check.h"

/* Sizes of the product of rows first ... last - 1, with the exact number of entries. */
static struct cgs_spgemm_size size_of(const struct cgs_multiply *m, int64_t first, int64_t last)
{
    const int64_t *pointers = m->a->crs->pointers;
    return (struct cgs_spgemm_size){.rows = last - first,
                                    .columns = m->size.columns,
                                    .inner = m->size.inner,
                                    .a = pointers[last] - pointers[first],
                                    .b = m->size.b,
                                    .products = m->products[last] - m->products[first],
                                    .longest = m->size.longest,
                                    .entries = m->entries[last] - m->entries[first]};
}

/* Returns true if the kernel reads the operands in place: on the host, in double. */
static bool borrows(const struct cgs_multiply *m, const struct cgs_multiply_row *row)
{
    return row->entry->device == CGS_CPU && m->number == CGS_F64;
}

static void plan_operands(const struct cgs_multiply *m, const struct cgs_multiply_row *row,
                          struct cgs_plan *plan)
{
    static const char *const names[] = {"matrix A", "matrix B"};
    const struct cgs_operand *const operands[] = {m->a, m->b};
    const enum cgs_place place = cgs_backend(row->entry->device)->place;
    for (int i = 0; i < (m->a == m->b ? 1 : 2); i++) {
        const struct cgs_crs *crs = operands[i]->crs;
        cgs_sparse_plan(plan, CGS_HOST, names[i], crs->rows, crs->pointers[crs->rows], CGS_F64);
        if (!borrows(m, row))
            cgs_sparse_plan(plan, place, names[i], crs->rows, crs->pointers[crs->rows], m->number);
    }
    cgs_plan_add(plan, CGS_HOST, "products, entries of rows", 2 * (m->size.rows + 1),
                 sizeof(int64_t));
}

void cgs_multiply_plan(const struct cgs_multiply *m, const struct cgs_multiply_row *row,
                       int64_t first, int64_t last, struct cgs_plan *plan)
{
    const struct cgs_spgemm_size size = size_of(m, first, last);
    const struct cgs_backend *backend = cgs_backend(row->entry->device);
    *plan = (struct cgs_plan){0};
    plan_operands(m, row, plan);
    cgs_multiply_check_plan(m, plan);
    if (m->options->settings.output)
        cgs_sparse_plan(plan, CGS_HOST, "all of C", m->size.rows, m->size.entries, CGS_F64);
    cgs_sparse_plan(plan, backend->place, "C", size.rows, size.entries, m->number);
    if (!borrows(m, row))
        cgs_sparse_plan(plan, CGS_HOST, "C to be checked", size.rows, size.entries, CGS_F64);
    row->kernel->plan(&size, m->context->threads, plan);
    cgs_backend(CGS_CPU)->plan(plan, false);
    if (backend->place == CGS_DEVICE_MEMORY)
        backend->plan(plan, true);
}

/* Share of the free memory for a slab if the product has to be cut. The rest is left to other
 * processes; shorter slabs cost little. A limit set by the user is used in full. */
static const double SLAB_SHARE = 0.5;

/* Returns true if rows first ... last - 1 fit into `part` of the memory left; else *where is the
 * place that is too small. cut: apply SLAB_SHARE. */
static bool fits(const struct cgs_multiply *m, const struct cgs_multiply_row *row, int64_t first,
                 int64_t last, double part, bool cut, enum cgs_place *where)
{
    struct cgs_plan plan, none;
    cgs_multiply_plan(m, row, first, last, &plan);
    cgs_multiply_plan(m, row, first, first, &none);
    for (int place = CGS_PLACES - 1; place >= 0; place--) {
        const double left = (double)(m->room.bytes[place] - none.total[place]);
        const double share = cut && !m->room.limited[place] ? part * SLAB_SHARE : part;
        if (plan.total[place] == 0 ||
            (double)(plan.total[place] - none.total[place]) <= share * left)
            continue;
        *where = (enum cgs_place)place;
        return false;
    }
    return true;
}

static enum cgs_status refuse(const struct cgs_multiply *m, const struct cgs_multiply_row *row,
                              int64_t first, enum cgs_place where)
{
    struct cgs_plan plan, none;
    cgs_text all, slab, there;
    cgs_multiply_plan(m, row, first, first + 1, &plan);
    cgs_multiply_plan(m, row, first, first, &none);
    return cgs_fail(
        m->context, CGS_MEMORY,
        "the product needs %s of %s memory for row %lld of C alone (%s of it whatever the "
        "row), but %s %s: take a smaller matrix%s%s%s",
        cgs_bytes_text(plan.total[where], all), cgs_place_name(where), (long long)first + 1,
        cgs_bytes_text(none.total[where], slab), cgs_bytes_text(m->room.bytes[where], there),
        m->room.limited[where] ? "is the limit (--memory-limit)" : "is free",
        m->options->settings.output && where == CGS_HOST
            ? ", leave out --output, which keeps all of C"
            : "",
        m->context->threads > 1 && where == CGS_HOST ? ", fewer --threads" : "",
        m->number == CGS_F64 && where == CGS_DEVICE_MEMORY ? ", or --precision=single" : "");
}

/* Returns the end of the longest slab from `first` on. A single row may exceed SLAB_SHARE; returns
 * `first` if not even one row fits. */
static int64_t find_end(const struct cgs_multiply *m, const struct cgs_multiply_row *row,
                        int64_t first, double part, enum cgs_place *where)
{
    int64_t fitting = first, failing = m->size.rows;
    if (fits(m, row, first, m->size.rows, part, first > 0, where))
        return m->size.rows;
    while (failing - fitting > 1) {
        const int64_t middle = fitting + (failing - fitting) / 2;
        if (fits(m, row, first, middle, part, true, where))
            fitting = middle;
        else
            failing = middle;
    }
    if (fitting == first && fits(m, row, first, first + 1, part, false, where))
        return first + 1;
    return fitting;
}

enum cgs_status cgs_multiply_cut(struct cgs_multiply *m, const struct cgs_multiply_row *row,
                                 double part, int64_t **starts, int *count)
{
    int64_t *made = NULL, room = 0;
    int slabs = 0;
    enum cgs_place where = CGS_HOST;
    for (int64_t at = 0; at < m->size.rows || slabs == 0;) {
        const int64_t end = find_end(m, row, at, part, &where);
        if (end == at && at < m->size.rows) {
            cgs_free(m->context, made);
            return refuse(m, row, at, where);
        }
        if (slabs + 2 > room) {
            int64_t *more;
            const enum cgs_status status =
                cgs_alloc(m->context, 2 * room + 16, sizeof *more, "slabs of rows", (void **)&more);
            for (int i = 0; status == CGS_OK && i <= slabs && slabs > 0; i++)
                more[i] = made[i];
            cgs_free(m->context, made);
            CGS_TRY(status);
            made = more;
            room = 2 * room + 16;
        }
        made[0] = 0;
        made[++slabs] = at = end;
    }
    *starts = made;
    *count = slabs;
    return CGS_OK;
}

enum cgs_status cgs_multiply_ask(const struct cgs_multiply *m, const struct cgs_multiply_row *row,
                                 struct cgs_queue *queue, const int64_t *starts)
{
    for (int slab = 0; row->kernel->accepts && slab < row->slabs; slab++) {
        const struct cgs_spgemm_size size = size_of(m, starts[slab], starts[slab + 1]);
        CGS_TRY(row->kernel->accepts(queue, &size));
    }
    return CGS_OK;
}
