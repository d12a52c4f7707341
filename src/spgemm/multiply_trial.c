#include "src/spgemm/multiply_trial.h"

#include <string.h>

#include "base/memory.h"
#include "core/io/interrupt.h"
#include "core/options/options.h"
#include "core/setup/measure.h"
#include "kernels/spgemm/spgemm.h"
#include "matrix/layout.h"
#include "matrix/names.h"
#include "src/spgemm/multiply_slabs.h"
#include "src/spgemm/traffic.h"

/* ---- operands on a device ---- */

/* Returns a view of the host's rows. */
static struct cgs_sparse borrow(const struct cgs_crs *crs)
{
    return (struct cgs_sparse){.rows = crs->rows,
                               .columns = crs->columns,
                               .nonzeros = crs->pointers[crs->rows],
                               .pointers = crs->pointers,
                               .column = crs->column,
                               .value = crs->value};
}

static enum cgs_status send(struct cgs_multiply *m, const struct cgs_crs *crs,
                            const struct cgs_multiply_side *side, struct cgs_sparse *sparse)
{
    const struct cgs_row_source source = cgs_crs_source(crs);
    struct cgs_matrix layout;
    CGS_TRY(cgs_matrix_create(m->context, &source, CGS_CRS, 1, 1, &layout));
    const enum cgs_status status = side->ops->generate(side->queue, &layout, sparse);
    cgs_matrix_release(m->context, &layout);
    return status;
}

enum cgs_status cgs_multiply_side_make(struct cgs_multiply *m, const struct cgs_backend *backend,
                                       struct cgs_queue *queue, struct cgs_multiply_side *side)
{
    struct cgs_multiply_side made = {.backend = backend,
                                     .queue = queue,
                                     .ops = backend->sparse[m->number],
                                     .borrowed = backend->place == CGS_HOST && m->number == CGS_F64,
                                     .same = m->a == m->b};
    if (made.borrowed) {
        made.a = borrow(m->a->crs);
        made.b = borrow(m->b->crs);
        return *side = made, CGS_OK;
    }
    CGS_TRY(send(m, m->a->crs, &made, &made.a));
    const enum cgs_status status = made.same ? CGS_OK : send(m, m->b->crs, &made, &made.b);
    if (made.same)
        made.b = made.a;
    if (status != CGS_OK)
        made.ops->release(queue, &made.a);
    else
        *side = made;
    return status;
}

void cgs_multiply_side_release(struct cgs_multiply_side *side)
{
    if (!side->backend)
        return;
    if (!side->borrowed)
        side->ops->release(side->queue, &side->a);
    if (!side->borrowed && !side->same)
        side->ops->release(side->queue, &side->b);
    *side = (struct cgs_multiply_side){0};
}

/* ---- a slab ---- */

/* Returns a view of the slab's rows of A. */
static struct cgs_sparse view(const struct cgs_multiply_trial *t, int slab)
{
    const int64_t first = t->starts[slab], last = t->starts[slab + 1];
    const int64_t *pointers = t->m->a->crs->pointers;
    struct cgs_sparse rows = t->side->a;
    rows.rows = last - first;
    rows.nonzeros = pointers[last] - pointers[first];
    rows.pointers += first;
    return rows;
}

static enum cgs_status stop(const struct cgs_multiply *m)
{
    return cgs_interrupted()
               ? cgs_fail(m->context, CGS_INTERRUPTED, "interrupted before all kernels were timed")
               : CGS_OK;
}

/* Computes a slab of C and waits for the device. facts: times of the stages, or NULL; *seconds:
 * wall-clock time including the wait. */
static enum cgs_status multiply_slab(const struct cgs_multiply_trial *t, int slab,
                                     struct cgs_sparse *c, struct cgs_spgemm_facts *facts,
                                     double *seconds)
{
    const struct cgs_multiply *m = t->m;
    const struct cgs_multiply_side *side = t->side;
    const struct cgs_sparse rows = view(t, slab);
    CGS_TRY(stop(m));
    const double begin = cgs_now();
    CGS_TRY(cgs_spgemm(side->queue, side->backend, t->row->kernel, m->number, &rows, &side->b,
                       m->options->sort, c, facts));
    const enum cgs_status status = side->backend->spaces[m->number]->wait(side->queue);
    *seconds = cgs_now() - begin;
    if (status != CGS_OK)
        side->ops->release(side->queue, c);
    return status;
}

/* ---- verification ---- */

/* Copies a slab to its rows of m->c. */
static void keep_slab(struct cgs_multiply *m, int64_t first, const struct cgs_crs *slab)
{
    const int64_t at = m->entries[first], entries = slab->pointers[slab->rows];
    for (int64_t i = 0; i <= slab->rows; i++)
        m->c.pointers[first + i] = at + slab->pointers[i];
    memcpy(m->c.column + at, slab->column, (size_t)entries * sizeof *slab->column);
    memcpy(m->c.value + at, slab->value, (size_t)entries * sizeof *slab->value);
}

static enum cgs_status look_at(const struct cgs_multiply_trial *t, int slab,
                               struct cgs_multiply_check *check, const struct cgs_sparse *c,
                               bool keep, struct cgs_multiply_verdict *verdict)
{
    struct cgs_multiply *m = t->m;
    struct cgs_crs rows = {.rows = c->rows,
                           .columns = c->columns,
                           .pointers = c->pointers,
                           .column = c->column,
                           .value = c->value};
    if (!t->side->borrowed)
        CGS_TRY(t->side->ops->fetch(t->side->queue, c, &rows));
    cgs_multiply_check_rows(check, t->starts[slab], &rows, m->options->sort, verdict);
    if (keep && verdict->wrong_row < 0)
        keep_slab(m, t->starts[slab], &rows);
    if (!t->side->borrowed)
        cgs_crs_release(m->context, &rows);
    return stop(m);
}

static enum cgs_status verify_slabs(struct cgs_multiply_trial *t, struct cgs_multiply_check *check,
                                    bool keep, struct cgs_multiply_verdict *verdict)
{
    t->row->first = 0.0;
    for (int slab = 0; slab < t->row->slabs && verdict->wrong_row < 0; slab++) {
        struct cgs_sparse c;
        double seconds;
        CGS_TRY(multiply_slab(t, slab, &c, NULL, &seconds));
        t->row->first += seconds;
        const enum cgs_status status = look_at(t, slab, check, &c, keep, verdict);
        t->side->ops->release(t->side->queue, &c);
        CGS_TRY(status);
    }
    return CGS_OK;
}

static enum cgs_status end(struct cgs_multiply_trial *t, enum cgs_trial_state state)
{
    const enum cgs_status cause = t->m->context->status;
    CGS_TRY(cgs_outcome_settle(t->m->context, NULL, t->row->reason, sizeof t->row->reason));
    t->row->state = state;
    t->row->skipped = cause;
    return CGS_OK;
}

static void judge(struct cgs_multiply_trial *t, const struct cgs_multiply_verdict *verdict)
{
    struct cgs_multiply_row *row = t->row;
    row->wrong_row = verdict->wrong_row;
    row->worst_error = verdict->worst_error;
    row->projected = verdict->projected;
    row->state = verdict->wrong_row < 0 ? CGS_TRIAL_OPEN : CGS_TRIAL_FAILED;
    row->reason[0] = '\0';
    if (verdict->wrong_row >= 0)
        snprintf(row->reason, sizeof row->reason, "row %lld of C: %s",
                 (long long)verdict->wrong_row + 1, verdict->reason);
}

static void note_plan(struct cgs_multiply_trial *t)
{
    struct cgs_plan plan;
    for (int slab = 0; slab < t->row->slabs; slab++) {
        cgs_multiply_plan(t->m, t->row, t->starts[slab], t->starts[slab + 1], &plan);
        for (int place = 0; place < CGS_PLACES; place++)
            if (plan.total[place] > t->row->planned[place])
                t->row->planned[place] = plan.total[place];
    }
}

enum cgs_status cgs_multiply_trial_verify(struct cgs_multiply_trial *t,
                                          struct cgs_multiply_check *check, bool keep)
{
    enum { HALVINGS = 5 };
    struct cgs_context *context = t->m->context;
    enum cgs_status status = CGS_OK;
    double part = 1.0;
    for (int i = 0; i < HALVINGS; i++, part *= 0.5) {
        struct cgs_multiply_verdict verdict = {.wrong_row = -1};
        cgs_free(context, t->starts);
        t->starts = NULL;
        status = cgs_multiply_cut(t->m, t->row, part, &t->starts, &t->row->slabs);
        if (status != CGS_OK)
            return end(t, CGS_TRIAL_SKIPPED);
        status = cgs_multiply_ask(t->m, t->row, t->side->queue, t->starts);
        const bool refused = status != CGS_OK;
        if (!refused)
            status = verify_slabs(t, check, keep, &verdict);
        if (status == CGS_OK) {
            note_plan(t);
            judge(t, &verdict);
            return CGS_OK;
        }
        if ((status != CGS_MEMORY && !refused) || i + 1 == HALVINGS)
            break;
        /* Another process took the memory, or the kernel has a limit on entries: retry with shorter
         * slabs. */
        CGS_TRY(end(t, CGS_TRIAL_SKIPPED));
    }
    t->row->slabs = 0;
    return end(t,
               status == CGS_MEMORY || status == CGS_USAGE ? CGS_TRIAL_SKIPPED : CGS_TRIAL_FAILED);
}

/* ---- timing ---- */

/* Computes all slabs and releases each at once. */
static enum cgs_status multiply_all(struct cgs_multiply_trial *t, bool staged,
                                    double stages[CGS_SPGEMM_STAGES], double *seconds)
{
    double all = 0.0;
    memset(stages, 0, CGS_SPGEMM_STAGES * sizeof *stages);
    for (int slab = 0; slab < t->row->slabs; slab++) {
        struct cgs_sparse c;
        struct cgs_spgemm_facts facts;
        double one;
        CGS_TRY(multiply_slab(t, slab, &c, staged ? &facts : NULL, &one));
        t->side->ops->release(t->side->queue, &c);
        all += one;
        for (int s = 0; staged && s < CGS_SPGEMM_STAGES; s++)
            stages[s] += facts.seconds[s];
    }
    *seconds = all;
    return CGS_OK;
}

/* Ends the trial. Lack of memory for a product that fitted before fails the run, not the kernel. */
static enum cgs_status fail_timing(struct cgs_multiply_trial *t)
{
    return t->m->context->status == CGS_MEMORY ? CGS_MEMORY : end(t, CGS_TRIAL_FAILED);
}

enum cgs_status cgs_multiply_trial_time(struct cgs_multiply_trial *t)
{
    double stages[CGS_SPGEMM_STAGES], seconds;
    if (t->staged < CGS_MULTIPLY_STAGED) {
        if (multiply_all(t, true, stages, &seconds) != CGS_OK)
            return fail_timing(t);
        for (int s = 0; s < CGS_SPGEMM_STAGES; s++)
            t->stages[s][t->staged] = stages[s];
        t->staged++;
        t->spent += seconds;
    }
    if (multiply_all(t, false, stages, &seconds) != CGS_OK)
        return fail_timing(t);
    t->seconds[t->taken++] = seconds;
    t->spent += seconds;
    return CGS_OK;
}

void cgs_multiply_trial_note(struct cgs_multiply_trial *t)
{
    const struct cgs_multiply *m = t->m;
    struct cgs_multiply_row *row = t->row;
    const int64_t bytes = cgs_multiply_least_bytes(m);
    const int64_t written = m->size.entries * (cgs_number_bytes(m->number) + 4) +
                            (m->size.rows + 1) * (int64_t)sizeof(int64_t);
    if (row->state != CGS_TRIAL_OPEN || t->taken == 0)
        return;
    row->products = t->taken;
    row->median = cgs_median(t->seconds, t->taken);
    row->least = t->seconds[0]; /* in ascending order now */
    row->most = t->seconds[t->taken - 1];
    for (int s = 0; s < CGS_SPGEMM_STAGES && t->staged > 0; s++)
        row->stages[s] = cgs_median(t->stages[s], t->staged);
    if (!(row->median > 0.0))
        return;
    row->gflops = 2e-9 * (double)m->size.products / row->median;
    row->gbs = 1e-9 * (double)bytes / row->median;
    row->attainable_gbs =
        cgs_attainable(&m->bandwidth[row->entry->device], written, bytes, &row->attainable_kind);
}

void cgs_multiply_trial_release(struct cgs_multiply_trial *t)
{
    cgs_free(t->m->context, t->starts);
    cgs_free(t->m->context, t->seconds);
}
