/* A heat is as many kernels as fit into memory at the same time, prepared, verified, then timed in
 * turn. The vendors' kernels take part in every one, so that all others are held against them as
 * they were at that moment. */
#include <string.h>

#include "base/memory.h"
#include "src/io/interrupt.h"
#include "src/spmv/lab_session.h"

static const double HOPELESS = 20.0; /* times the best: DROPPED */
static const double PATIENCE = 2.0;  /* seconds: not dropped where all its products take less */
static const double BUDGET = 30.0;   /* seconds of timed products for each kernel, about ... */
static const double BUDGET_BASELINE = 2.0; /* ... and for one that is there to compare with */

static bool is_open(const struct cgs_trial *trial)
{
    return trial->state == CGS_TRIAL_OPEN;
}

/* Layout, room, entries, verification. *waiting: it does not fit beside the others of this heat. */
static enum cgs_status enter_heat(struct cgs_session *s, struct cgs_trial *trial,
                                  struct cgs_plan *held, bool *waiting)
{
    const struct cgs_candidate *c = trial->candidate;
    const bool alone = held->total[CGS_HOST] + held->total[CGS_DEVICE_MEMORY] == 0;
    char name[128];
    *waiting = false;
    if (cgs_interrupted())
        return cgs_fail(s->context, CGS_INTERRUPTED, "interrupted before all kernels were timed");
    const struct cgs_stand *stand = &s->stands[c->entry->device];
    if (!stand->backend) /* the candidate says why it cannot be tried */
        stand = &s->stands[CGS_CPU];
    CGS_TRY(cgs_trial_open(c, stand, &s->source, s->lab->precision, trial));
    if (!is_open(trial))
        return CGS_OK;
    if (!cgs_trial_take_room(trial, &s->room, held)) {
        *waiting = !alone;
        return alone ? cgs_trial_end(trial, CGS_TRIAL_SKIPPED, "there is no memory for it")
                     : CGS_OK;
    }
    cgs_candidate_name(c, name, sizeof name);
    cgs_session_say(s, "verifying ", name);
    CGS_TRY(cgs_trial_prepare(trial, s->lab->precision));
    cgs_stopwatch_enter(&s->context->watch, CGS_PHASE_SETUP);
    return cgs_trial_verify(trial, &s->truths);
}

/* Times the trials of this heat: those asked for, then those beside them, which take less. */
static enum cgs_status time_heat(struct cgs_session *s, const int *items, int count)
{
    struct cgs_race race = {.products = (int)s->options->repeat,
                            .batches = CGS_BATCHES_MOST,
                            .cold = s->options->cold,
                            .budget = BUDGET,
                            .baseline_budget = BUDGET_BASELINE,
                            .hopeless = HOPELESS,
                            .patience = PATIENCE,
                            .truths = &s->truths};
    struct cgs_trial **trials;
    CGS_TRY(cgs_alloc(s->context, count, sizeof *trials, "trials", (void **)&trials));
    for (int i = 0; i < count; i++)
        trials[i] = &s->trials[items[i]];
    cgs_session_say(s, "timing", "");
    const enum cgs_status status = cgs_race_run(&race, trials, count);
    cgs_free(s->context, trials);
    return status;
}

/* One heat of what is left; *left: how many still are. */
static enum cgs_status run_heat(struct cgs_session *s, bool *done, int *items, int *left)
{
    struct cgs_lab *lab = s->lab;
    struct cgs_plan held = {0};
    int count = 0;
    enum cgs_status status = CGS_OK;
    *left = 0;
    for (int pass = 0; pass < 2 && status == CGS_OK; pass++) /* references first */
        for (int i = 0; i < lab->count && status == CGS_OK; i++) {
            struct cgs_trial *trial = &s->trials[i];
            const struct cgs_kernel *kernel = s->candidates.items[i].entry->tables[lab->precision];
            const bool reference = kernel && kernel->reference;
            bool waiting;
            if (reference != (pass == 0) || (done[i] && (!reference || !is_open(trial))))
                continue;
            status = enter_heat(s, trial, &held, &waiting);
            if (waiting)
                (*left)++;
            else
                items[count++] = i;
            if (waiting)
                cgs_trial_release(trial);
        }
    if (status == CGS_OK)
        status = time_heat(s, items, count);
    for (int i = 0; i < count; i++) {
        cgs_lab_note(&s->trials[items[i]], lab, &lab->rows[items[i]]);
        done[items[i]] = true;
    }
    cgs_lab_hold_against_vendor(lab, items, count);
    for (int i = 0; i < count; i++)
        cgs_trial_release(&s->trials[items[i]]);
    return status;
}

enum cgs_status cgs_session_run_heats(struct cgs_session *s)
{
    struct cgs_lab *lab = s->lab;
    const int count = s->candidates.count;
    bool *done = NULL;
    int *items = NULL, left = count;
    CGS_TRY(
        cgs_alloc(s->context, count, sizeof *lab->rows, "rows of the table", (void **)&lab->rows));
    lab->count = count;
    for (int i = 0; i < count; i++) {
        s->trials[i] =
            (struct cgs_trial){.candidate = &s->candidates.items[i], .verdict = {.wrong_row = -1}};
        lab->rows[i] = (struct cgs_lab_row){.state = CGS_TRIAL_SKIPPED,
                                            .wrong_row = -1,
                                            .break_even = -1,
                                            .attainable_kind = "",
                                            .reason = "the run ended before it"};
        snprintf(lab->rows[i].name, sizeof lab->rows[i].name, "%s",
                 s->candidates.items[i].entry->name);
        lab->rows[i].device = s->candidates.items[i].entry->device;
        lab->rows[i].format = s->candidates.items[i].entry->format;
    }
    enum cgs_status status = cgs_alloc(s->context, count, sizeof *done, "trials", (void **)&done);
    if (status == CGS_OK)
        status = cgs_alloc(s->context, count, sizeof *items, "trials", (void **)&items);
    if (status == CGS_OK)
        memset(done, 0, (size_t)count * sizeof *done);
    for (int before = count + 1; status == CGS_OK && 0 < left && left < before;) {
        before = left;
        status = run_heat(s, done, items, &left);
    }
    for (int i = 0; i < count && status == CGS_OK; i++)
        if (!done[i])
            snprintf(lab->rows[i].reason, sizeof lab->rows[i].reason,
                     "there is no memory for it beside a vendor's kernel");
    cgs_free(s->context, done);
    cgs_free(s->context, items);
    return status;
}
