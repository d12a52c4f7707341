/* The stages of a product on the CPU that makes row after row (kernels/spgemm.h), by as many threads as
 * there are, whatever a row's way. Included once, behind
 *
 *     struct work    what a product holds, with `structure` and `kept`; make and release
 *     struct own     what a thread has of its own; own_of(work, thread)
 *     make_row       listed row k of C, into the room for its products: how many entries
 */
#ifndef CGS_KERNELS_SPGEMM_ROW_STAGES_H
#define CGS_KERNELS_SPGEMM_ROW_STAGES_H

#include <omp.h>

#include "kernels/spgemm.h"
#include "kernels/spgemm/row_kept.h"

static enum cgs_status begin(struct cgs_queue *queue, const struct cgs_sparse *a,
                             const struct cgs_sparse *b, void **out, struct cgs_spgemm_size *size)
{
    struct work *work;
    CGS_TRY(cgs_alloc(queue->context, 1, sizeof *work, "product of matrices", (void **)&work));
    *work = (struct work){.structure.context = queue->context};
    const enum cgs_status status = make(work, a, b, size);
    if (status != CGS_OK) {
        release(work);
        return status;
    }
    *out = work;
    return CGS_OK;
}

/* Rows of a part, one behind the other; pointers: NULL, or the entries up to each row. */
CGS_CLONES static void make_rows(const struct work *work, struct own *own,
                                 const struct cgs_part *part, int32_t *column, real *sum,
                                 int64_t *pointers)
{
    int64_t entries = 0, at = part->begin;
    for (int64_t k = part->first; k < part->last; k++) {
        const int64_t i = work->structure.list.row[k];
        if (pointers)
            at = pass_rows(at, i, part->end, entries, pointers);
        entries += make_row(work, own, k, column + entries, sum + entries);
        if (pointers)
            pointers[++at] = entries;
    }
    if (pointers)
        pass_rows(at, part->end, part->end, entries, pointers);
}

static void keep_part(const struct work *work, struct own *own, int64_t p, int64_t *pointers)
{
    const struct cgs_part part = cgs_structure_part(&work->structure, p);
    const int64_t from = work->structure.list.products[part.first];
    make_rows(work, own, &part, work->kept.column + from, work->kept.sum + from, pointers);
}

static enum cgs_status count(void *self, int64_t *pointers, int64_t *entries)
{
    const struct work *work = self;
    const struct cgs_structure *s = &work->structure;
    if (!work->kept.column) {
        *entries = cgs_structure_count(s, pointers);
        return CGS_OK;
    }
#pragma omp parallel num_threads(s->threads)
    {
        struct own own = own_of(work, omp_get_thread_num());
#pragma omp for schedule(dynamic, 1)
        for (int64_t p = 0; p < s->parts; p++)
            keep_part(work, &own, p, pointers);
    }
    *entries = cgs_structure_close(s, pointers);
    return CGS_OK;
}

static void fill_part(const struct work *work, struct own *own, int64_t p,
                      const struct cgs_sparse *c)
{
    const struct cgs_part part = cgs_structure_part(&work->structure, p);
    const int64_t to = c->pointers[part.begin];
    if (work->kept.column)
        copy_part(&work->structure, &work->kept, &part, c);
    else
        make_rows(work, own, &part, c->column + to, (real *)c->value + to, NULL);
}

static enum cgs_status fill(void *self, struct cgs_sparse *c)
{
    const struct work *work = self;
    const struct cgs_structure *s = &work->structure;
#pragma omp parallel num_threads(s->threads)
    {
        struct own own = own_of(work, omp_get_thread_num());
#pragma omp for schedule(dynamic, 1)
        for (int64_t p = 0; p < s->parts; p++)
            fill_part(work, &own, p, c);
    }
    return CGS_OK;
}

#endif
