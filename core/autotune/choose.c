/* Compares the best kernel so far with the next one, batch by batch in turn, so that a drift of the
 * machine's speed affects both alike. A comparison takes at most 2 + 3 + 5 (1 + 3) products of
 * each, 50 in all. The least time of a batch counts: disturbances only make products slower. */
#include "core/autotune/choose.h"

#include <stdio.h>
#include <string.h>

#include "base/contention.h"
#include "base/memory.h"
#include "base/random.h"
#include "core/autotune/tournament.h"

enum { BATCHES = 5, PRODUCTS = 15 };
static const double LEAN = 2.5;      /* limit on bytes, times those of the leanest */
static const double HOPELESS = 2.0;  /* limit on the first product, times the faster one's */
static const double PATIENCE = 0.02; /* seconds; a candidate within it is never given up */
static const double BUDGET = 0.5;    /* seconds of timed products, at least 3 of them */

/* State of a choice. */
struct bout {
    const struct cgs_testbed *testbed;
    const struct cgs_settings *settings;
    const struct cgs_row_source *source;
    const struct cgs_room *room;
    struct cgs_selection *choice;
    struct cgs_trial best; /* stays prepared, to be timed again; valid if `held` */
    bool starved;          /* memory was too small for a candidate */
    bool held;
    double seconds; /* best's time in its last comparison */
};

static enum cgs_precision precision_of(const struct bout *bout)
{
    return bout->settings->precision;
}

static void leave_out(struct cgs_selection_item *item, const char *reason)
{
    snprintf(item->reason, sizeof item->reason, "%.199s", reason);
}

/* Computes each candidate's traffic from its layout; leaves out those that do not take the
 * matrix. */
static enum cgs_status weigh(struct bout *bout)
{
    struct cgs_selection *choice = bout->choice;
    for (int i = 0; i < choice->count; i++) {
        struct cgs_selection_item *item = &choice->items[i];
        struct cgs_trial trial;
        const enum cgs_status status = cgs_trial_open(&item->candidate, bout->testbed, bout->source,
                                                      precision_of(bout), &trial);
        if (status == CGS_OK && trial.state == CGS_TRIAL_OPEN) {
            item->bytes = trial.traffic.matrix + trial.traffic.vectors;
            choice->statistics = trial.matrix.statistics;
            choice->nonzeros = trial.matrix.nonzeros;
        } else {
            leave_out(item, trial.verdict.reason);
        }
        cgs_trial_release(&trial);
        CGS_TRY(status);
    }
    return CGS_OK;
}

static void leave_out_fat_ones(struct cgs_selection *choice)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < choice->count; i++)
        if (choice->items[i].bytes > 0 && choice->items[i].bytes < least)
            least = choice->items[i].bytes;
    for (int i = 0; i < choice->count; i++) {
        struct cgs_selection_item *item = &choice->items[i];
        const double ratio = (double)item->bytes / (double)least;
        if (item->bytes > 0 && ratio > LEAN)
            snprintf(item->reason, sizeof item->reason, "moves %.1f times the bytes of the leanest",
                     ratio);
    }
}

/* Times a candidate against the best so far, if there is one, and keeps the faster. Its time is
 * put on the scale of the first comparison: the best one's time times the ratio of this one. */
static enum cgs_status fight(struct bout *bout, struct cgs_trial *trial, int at)
{
    struct cgs_selection *choice = bout->choice;
    const struct cgs_tournament tournament = {.products = PRODUCTS,
                                              .batches = BATCHES,
                                              .budget = BUDGET,
                                              .hopeless = HOPELESS,
                                              .patience = PATIENCE};
    struct cgs_trial *both[2] = {trial, &bout->best};
    const int count = bout->held ? 2 : 1;
    struct cgs_selection_item *item = &choice->items[at];
    double seconds, most;
    const int before = bout->best.products;
    CGS_TRY(cgs_tournament_run(&tournament, both, count));
    choice->products += trial->products + bout->best.products - before;
    cgs_trial_median(trial, &seconds, &most);
    if (bout->held)
        cgs_trial_median(&bout->best, &bout->seconds, &most);
    if (trial->state == CGS_TRIAL_FAILED)
        return CGS_OK;
    if (choice->chosen < 0) {
        item->seconds = seconds;
    } else if (bout->best.state == CGS_TRIAL_FAILED) { /* in this comparison */
        leave_out(&choice->items[choice->chosen], bout->best.verdict.reason);
        item->seconds = seconds;
    } else {
        item->seconds = choice->items[choice->chosen].seconds * seconds / bout->seconds;
        if (trial->state == CGS_TRIAL_DROPPED || seconds >= bout->seconds)
            return CGS_OK;
    }
    cgs_trial_release(&bout->best);
    bout->best = *trial;
    bout->held = true;
    bout->seconds = seconds;
    choice->chosen = at;
    *trial = (struct cgs_trial){0};
    return CGS_OK;
}

static enum cgs_status challenge(struct bout *bout, int at)
{
    struct cgs_selection_item *item = &bout->choice->items[at];
    struct cgs_trial trial;
    enum cgs_status status =
        cgs_trial_open(&item->candidate, bout->testbed, bout->source, precision_of(bout), &trial);
    if (status == CGS_OK && trial.state == CGS_TRIAL_OPEN) {
        struct cgs_plan alone = {0}, beside = {0};
        if (bout->held)
            cgs_trial_plan(&bout->best, &beside);
        if (!cgs_trial_take_room(&trial, bout->room, &alone)) {
            leave_out(item, "no memory for it");
            bout->starved = true;
        } else {
            if (bout->held && !cgs_trial_take_room(&trial, bout->room, &beside)) {
                cgs_operator_release(&bout->best.op); /* its time is known */
                bout->held = false;
            }
            status = cgs_trial_prepare(&trial, precision_of(bout));
            if (status == CGS_OK && trial.state == CGS_TRIAL_OPEN)
                status = fight(bout, &trial, at);
        }
    }
    if (status == CGS_OK && trial.state != CGS_TRIAL_OPEN && trial.verdict.reason[0])
        leave_out(item, trial.verdict.reason);
    cgs_trial_release(&trial);
    return status;
}

static enum cgs_status collect(const struct bout *bout, bool references)
{
    struct cgs_context *context = bout->testbed->queue->context;
    struct cgs_selection *choice = bout->choice;
    const enum cgs_device device = bout->testbed->backend->place == CGS_HOST ? CGS_CPU : CGS_CUDA;
    struct cgs_candidates list = {0};
    const enum cgs_status status = cgs_candidates_add(
        context, bout->settings, device, NULL, !references, references, &choice->padding, &list);
    choice->count = 0;
    /* Without --format only formats with entries count, as in a solve. */
    for (int i = 0; status == CGS_OK && i < list.count && choice->count < CGS_CHOICE_MOST; i++)
        if (list.items[i].entry->format != CGS_NONE || bout->settings->given[CGS_OPTION_format])
            choice->items[choice->count++].candidate = list.items[i];
    cgs_candidates_release(context, &list);
    return status;
}

/* Chooses the first remaining item in the layout that a solve with --reproducible uses, or the
 * first remaining one if none has it. */
static void take_by_lengths(const struct cgs_settings *settings, struct cgs_selection *choice)
{
    const struct cgs_padding *padding = &choice->padding;
    const enum cgs_format format = cgs_padding_format(settings, padding);
    const bool sorted = !settings->given[CGS_OPTION_format] || settings->given[CGS_OPTION_sigma];
    const bool chunked = cgs_format_chunked(format);
    const int32_t chunk = chunked ? padding->chunk : 1;
    const int32_t sigma = chunked && sorted ? padding->sigma : 1;
    bool laid = false;
    choice->measured = false;
    choice->by_lengths = true;
    for (int i = 0; i < choice->count && !laid; i++) {
        const struct cgs_candidate *c = &choice->items[i].candidate;
        if (choice->items[i].reason[0] != '\0')
            continue;
        laid = c->entry->format == format && c->chunk == chunk && c->sigma == sigma;
        if (laid || choice->chosen < 0)
            choice->chosen = i;
    }
}

/* Forgets all times, and that they left something out. */
static void forget_times(struct cgs_selection *choice)
{
    for (int i = 0; i < choice->count; i++)
        if (choice->items[i].seconds > 0.0) {
            choice->items[i].seconds = 0.0;
            choice->items[i].reason[0] = '\0';
        }
    choice->products = 0;
    choice->chosen = -1;
}

static enum cgs_status try_all(struct bout *bout)
{
    struct cgs_selection *choice = bout->choice;
    int open = 0, last = -1;
    CGS_TRY(weigh(bout));
    if (bout->settings->reproducible) {
        take_by_lengths(bout->settings, choice);
        return CGS_OK;
    }
    leave_out_fat_ones(choice);
    for (int i = 0; i < choice->count; i++)
        if (choice->items[i].reason[0] == '\0') {
            open++;
            last = i;
        }
    if (open == 1) { /* nothing to measure */
        choice->chosen = last;
        return CGS_OK;
    }
    struct cgs_contention contention;
    cgs_contention_start("", &contention);
    for (int i = 0; i < choice->count; i++)
        if (choice->items[i].reason[0] == '\0')
            CGS_TRY(challenge(bout, i));
    cgs_contention_stop("", &contention);
    if (choice->chosen >= 0 && bout->testbed->backend->place == CGS_HOST &&
        cgs_contention_disturbs(&contention, bout->testbed->queue->context->threads)) {
        choice->others = cgs_contention_share(&contention);
        forget_times(choice);
        take_by_lengths(bout->settings, choice);
    }
    return CGS_OK;
}

enum cgs_status cgs_choose_on(const struct cgs_testbed *testbed,
                              const struct cgs_settings *settings,
                              const struct cgs_row_source *source, const struct cgs_room *room,
                              struct cgs_selection *choice)
{
    struct cgs_context *context = testbed->queue->context;
    struct bout bout = {
        .testbed = testbed, .settings = settings, .source = source, .room = room, .choice = choice};
    memset(choice, 0, sizeof *choice);
    choice->chosen = -1;
    choice->measured = true;
    choice->rows = source->rows;
    CGS_TRY(cgs_padding_measure(context, settings, testbed->backend, source, &choice->padding));
    enum cgs_status status = CGS_OK;
    char why[200] = "this format has none there";
    for (int references = 0; references < 2 && status == CGS_OK && choice->chosen < 0;
         references++) {
        status = collect(&bout, references == 1);
        if (status == CGS_OK)
            status = try_all(&bout);
        if (choice->chosen < 0 && choice->count > 0 && references == 0)
            snprintf(why, sizeof why, "%s", choice->items[0].reason);
    }
    cgs_trial_release(&bout.best);
    CGS_TRY(status);
    if (choice->chosen >= 0)
        return CGS_OK;
    return cgs_fail(context, bout.starved ? CGS_MEMORY : CGS_USAGE,
                    "no kernel of the %s takes this matrix: %s", testbed->backend->name, why);
}

enum cgs_status cgs_choose(const struct cgs_settings *settings, const struct cgs_backend *backend,
                           struct cgs_queue *queue, const struct cgs_row_source *source,
                           const struct cgs_room *room, struct cgs_selection *choice)
{
    const enum cgs_number real = cgs_precision_real(settings->precision);
    struct cgs_testbed testbed;
    double *x;
    CGS_TRY(cgs_alloc(queue->context, source->columns, sizeof *x, "test vector", (void **)&x));
    for (int64_t j = 0; j < source->columns; j++)
        x[j] = cgs_random((uint64_t)j);
    enum cgs_status status = cgs_testbed_create(backend, queue, real, source->rows, source->columns,
                                                1, (const double *const[]){x}, &testbed);
    cgs_free(queue->context, x);
    CGS_TRY(status);
    status = cgs_choose_on(&testbed, settings, source, room, choice);
    cgs_testbed_release(&testbed);
    return status;
}

enum cgs_status cgs_choose_default(const struct cgs_settings *settings,
                                   const struct cgs_machine *machine,
                                   const struct cgs_matrix *matrix, struct cgs_selection *choice)
{
    const struct cgs_padding padding = {.chunk = matrix->chunk, .sigma = matrix->sigma};
    struct cgs_candidates list = {0};
    struct cgs_settings own = *settings;
    memset(choice, 0, sizeof *choice);
    choice->chosen = -1;
    choice->rows = matrix->rows;
    choice->nonzeros = matrix->nonzeros;
    choice->statistics = matrix->statistics;
    own.given[CGS_OPTION_format] = own.given[CGS_OPTION_sigma] = true; /* decided by now */
    CGS_TRY(cgs_candidates_add(machine->queue->context, &own, machine->device, NULL, true, false,
                               &padding, &list));
    for (int i = 0; i < list.count && i < CGS_CHOICE_MOST; i++) {
        choice->items[choice->count++].candidate = list.items[i];
        if (list.items[i].entry == machine->entry)
            choice->chosen = i;
    }
    cgs_candidates_release(machine->queue->context, &list);
    return CGS_OK;
}
