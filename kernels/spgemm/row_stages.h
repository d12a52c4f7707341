/* Stages of a row-by-row product on the CPU (kernels/spgemm.h), for any number of threads and any
 * row algorithm. Included once, after the definitions of
 *
 *     struct work    data of a product, with `structure` and `buffers`; make and release
 *     struct scratch data of a thread; scratch_of(work, thread)
 *     make_row       computes listed row k of C and nothing behind it; returns its entries
 */
#pragma once

#include <omp.h>

#include "kernels/spgemm.h"
#include "kernels/spgemm/row_parts.h"

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

/* Computes the rows of a part, contiguously; pointers: NULL, or the entries up to each row. Returns
 * all entries. */
CGS_CLONES static int64_t make_rows(const struct work *work, struct scratch *scratch,
                                    const struct cgs_part *part, int32_t *column, real *sum,
                                    int64_t *pointers)
{
    int64_t entries = 0, at = part->begin;
    for (int64_t k = part->first; k < part->last; k++) {
        const int64_t i = work->structure.list.row[k];
        if (pointers)
            at = pass_rows(at, i, part->end, entries, pointers);
        entries += make_row(work, scratch, k, column + entries, sum + entries);
        if (pointers)
            pointers[++at] = entries;
    }
    if (pointers)
        pass_rows(at, part->end, part->end, entries, pointers);
    return entries;
}

/* ---- each row computed once ---- */

static int64_t make_by_one(const struct work *work, const struct cgs_sparse *c)
{
    struct scratch scratch = scratch_of(work, 0);
    const struct cgs_part all = cgs_structure_part(&work->structure, 0);
    return make_rows(work, &scratch, &all, c->column, c->value, c->pointers);
}

static void make_parts(const struct work *work, const struct cgs_sparse *c, struct turns *turns)
{
    const int thread = omp_get_thread_num();
    const struct buffers mine = buffers_of(&work->structure, &work->buffers, thread);
    struct scratch scratch = scratch_of(work, thread);
    for (int64_t p; (p = next_part(turns)) < work->structure.parts;) {
        const struct cgs_part part = cgs_structure_part(&work->structure, p);
        const int64_t entries =
            make_rows(work, &scratch, &part, mine.column, mine.sum, c->pointers);
        place_part(&mine, &part, wait_turn(turns, p, entries), entries, c);
    }
}

static int64_t make_by_many(const struct work *work, const struct cgs_sparse *c)
{
    struct turns turns = {0};
#pragma omp parallel num_threads(work->structure.threads)
    make_parts(work, c, &turns);
    return turns.entries;
}

static enum cgs_status make_all(void *self, struct cgs_sparse *c)
{
    struct work *work = self;
    if (work->structure.parts > 1)
        CGS_TRY(make_buffers(&work->structure, &work->buffers));
    c->pointers[0] = 0;
    c->nonzeros = work->structure.parts == 1 ? make_by_one(work, c) : make_by_many(work, c);
    return CGS_OK;
}

/* ---- entries counted first ---- */

static enum cgs_status count(void *self, int64_t *pointers, int64_t *entries)
{
    struct work *work = self;
    CGS_TRY(cgs_structure_make_bits(&work->structure));
    *entries = cgs_structure_count(&work->structure, pointers);
    return CGS_OK;
}

static void fill_part(const struct work *work, struct scratch *scratch, int64_t p,
                      const struct cgs_sparse *c)
{
    const struct cgs_part part = cgs_structure_part(&work->structure, p);
    const int64_t to = c->pointers[part.begin];
    make_rows(work, scratch, &part, c->column + to, (real *)c->value + to, NULL);
}

static enum cgs_status fill(void *self, struct cgs_sparse *c)
{
    const struct work *work = self;
    const struct cgs_structure *s = &work->structure;
#pragma omp parallel num_threads(s->threads)
    {
        struct scratch scratch = scratch_of(work, omp_get_thread_num());
#pragma omp for schedule(dynamic, 1)
        for (int64_t p = 0; p < s->parts; p++)
            fill_part(work, &scratch, p, c);
    }
    return CGS_OK;
}
