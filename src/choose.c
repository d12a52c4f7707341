/* Duels: the best so far against the next, in turn, so that a machine whose speed drifts is fair to
 * both. A duel takes at most 2 + 3 + 5 (1 + 3) products of either, 50 in all. What counts is the
 * least time of a batch: whatever disturbs a few products makes them slower, never faster. */
#include "src/choose.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "src/format.h"

enum { BATCHES = 5, PRODUCTS = 15 };
static const double LEAN = 2.5;     /* times the bytes of the leanest */
static const double HOPELESS = 2.0; /* times the better one's first product */
static const double BUDGET = 0.5;   /* seconds of timed products, at least 3 of them */

/* What a choice works with. */
struct bout {
    const struct cgs_stand *stand;
    const struct cgs_options *options;
    const struct cgs_row_source *source;
    const struct cgs_room *room;
    struct cgs_selection *choice;
    struct cgs_trial best; /* `held`: prepared, so that it can be timed again */
    bool held;
};

static enum cgs_precision precision_of(const struct bout *bout)
{
    return (enum cgs_precision)bout->options->precision;
}

static void leave_out(struct cgs_selection_item *item, const char *reason)
{
    snprintf(item->reason, sizeof item->reason, "%.199s", reason);
}

/* Bytes of each candidate, from its layout alone. */
static enum cgs_status weigh(struct bout *bout)
{
    struct cgs_selection *choice = bout->choice;
    for (int i = 0; i < choice->count; i++) {
        struct cgs_selection_item *item = &choice->items[i];
        struct cgs_trial trial;
        const enum cgs_status status =
            cgs_trial_open(&item->candidate, bout->stand, bout->source, precision_of(bout), &trial);
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

/* Whether the trial fits beside the stand, and beside the best so far. */
static bool fits(const struct bout *bout, const struct cgs_trial *trial, bool beside)
{
    struct cgs_plan plan = {0};
    cgs_trial_plan(trial, &plan);
    if (beside)
        cgs_trial_plan(&bout->best, &plan);
    for (int place = 0; place < CGS_PLACES; place++)
        if (plan.total[place] > 0 && plan.total[place] > bout->room->bytes[place])
            return false;
    return true;
}

static enum cgs_status fight(struct bout *bout, struct cgs_trial *trial, int at)
{
    struct cgs_selection *choice = bout->choice;
    const struct cgs_race race = {
        .products = PRODUCTS, .batches = BATCHES, .budget = BUDGET, .hopeless = HOPELESS};
    struct cgs_trial *both[2] = {trial, &bout->best};
    const int count = bout->held ? 2 : 1;
    double most;
    for (int i = 0; i < count; i++)
        choice->products -= both[i]->products;
    CGS_TRY(cgs_race_run(&race, both, count));
    for (int i = 0; i < count; i++) {
        struct cgs_selection_item *item = &choice->items[i == 0 ? at : choice->chosen];
        choice->products += both[i]->products;
        cgs_trial_median(both[i], &item->seconds, &most);
        if (both[i]->state != CGS_TRIAL_OPEN)
            leave_out(item, both[i]->verdict.reason);
    }
    if (trial->state != CGS_TRIAL_OPEN ||
        (choice->chosen >= 0 && bout->best.state == CGS_TRIAL_OPEN &&
         choice->items[choice->chosen].seconds <= choice->items[at].seconds))
        return CGS_OK;
    cgs_trial_release(&bout->best);
    bout->best = *trial;
    bout->held = true;
    choice->chosen = at;
    *trial = (struct cgs_trial){0};
    return CGS_OK;
}

static enum cgs_status challenge(struct bout *bout, int at)
{
    struct cgs_selection_item *item = &bout->choice->items[at];
    struct cgs_trial trial;
    enum cgs_status status =
        cgs_trial_open(&item->candidate, bout->stand, bout->source, precision_of(bout), &trial);
    if (status == CGS_OK && trial.state == CGS_TRIAL_OPEN) {
        if (!fits(bout, &trial, false)) {
            leave_out(item, "no memory for it");
        } else {
            if (bout->held && !fits(bout, &trial, true)) { /* its time is known */
                cgs_operator_release(&bout->best.op);
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
    struct cgs_context *context = bout->stand->queue->context;
    struct cgs_selection *choice = bout->choice;
    const enum cgs_device device = bout->stand->backend->place == CGS_HOST ? CGS_CPU : CGS_CUDA;
    struct cgs_candidates list = {0};
    const enum cgs_status status = cgs_candidates_add(
        context, bout->options, device, NULL, !references, references, &choice->padding, &list);
    choice->count = 0;
    for (int i = 0; status == CGS_OK && i < list.count && i < CGS_CHOICE_MOST; i++)
        choice->items[choice->count++].candidate = list.items[i];
    cgs_candidates_release(context, &list);
    return status;
}

static enum cgs_status try_all(struct bout *bout)
{
    struct cgs_selection *choice = bout->choice;
    int open = 0, last = -1;
    CGS_TRY(weigh(bout));
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
    for (int i = 0; i < choice->count; i++)
        if (choice->items[i].reason[0] == '\0')
            CGS_TRY(challenge(bout, i));
    return CGS_OK;
}

enum cgs_status cgs_choose_on(const struct cgs_stand *stand, const struct cgs_options *options,
                              const struct cgs_row_source *source, const struct cgs_room *room,
                              struct cgs_selection *choice)
{
    struct cgs_context *context = stand->queue->context;
    struct bout bout = {
        .stand = stand, .options = options, .source = source, .room = room, .choice = choice};
    memset(choice, 0, sizeof *choice);
    choice->chosen = -1;
    choice->measured = true;
    choice->rows = source->rows;
    CGS_TRY(cgs_padding_measure(context, options, stand->backend, source, &choice->padding));
    enum cgs_status status = CGS_OK;
    for (int references = 0; references < 2 && status == CGS_OK && choice->chosen < 0;
         references++) {
        status = collect(&bout, references == 1);
        if (status == CGS_OK)
            status = try_all(&bout);
    }
    cgs_trial_release(&bout.best);
    CGS_TRY(status);
    if (choice->chosen >= 0)
        return CGS_OK;
    return cgs_fail(context, CGS_USAGE, "no kernel of the %s takes this matrix: %s",
                    stand->backend->name,
                    choice->count > 0 ? choice->items[0].reason : "this format has none there");
}

enum cgs_status cgs_choose(const struct cgs_options *options, const struct cgs_backend *backend,
                           struct cgs_queue *queue, const struct cgs_row_source *source,
                           const struct cgs_room *room, struct cgs_selection *choice)
{
    const enum cgs_number real = cgs_precision_real((enum cgs_precision)options->precision);
    struct cgs_stand stand;
    double *x;
    CGS_TRY(cgs_alloc(queue->context, source->columns, sizeof *x, "test vector", (void **)&x));
    for (int64_t j = 0; j < source->columns; j++)
        x[j] = cgs_random((uint64_t)j);
    enum cgs_status status = cgs_stand_create(backend, queue, real, source->rows, source->columns,
                                              1, (const double *const[]){x}, &stand);
    cgs_free(queue->context, x);
    CGS_TRY(status);
    status = cgs_choose_on(&stand, options, source, room, choice);
    cgs_stand_release(&stand);
    return status;
}

/* ---- words ---- */

/* "crs_row", "sell_chunk (SELL-8-1)": the device is the same for all. */
static const char *short_name(const struct cgs_candidate *candidate, char *text, size_t size)
{
    if (candidate->entry->format == CGS_SELL)
        snprintf(text, size, "%s (SELL-%d-%d)", candidate->entry->name, (int)candidate->chunk,
                 (int)candidate->sigma);
    else
        snprintf(text, size, "%s", candidate->entry->name);
    return text;
}

/* Adds to a text that may be full. */
static void add(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void add(char *text, size_t size, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

static void explain_rows(const struct cgs_selection *choice, char *text, size_t size)
{
    const struct cgs_row_statistics *s = &choice->statistics;
    const struct cgs_padding *p = &choice->padding;
    snprintf(text, size,
             "rows of %d to %d entries, mean %.1f, deviation %.1f, %lld empty; SELL-%d "
             "would pad %.1f %%",
             (int)s->shortest, (int)s->longest, s->mean, s->deviation, (long long)s->empty,
             (int)p->chunk, 100.0 * p->unsorted);
    if (p->sigma > 1)
        add(text, size, ", sorted by %d rows %.1f %%", (int)p->sigma, 100.0 * p->sorted);
    if (s->rounded[2] > 0 && choice->nonzeros > 0)
        add(text, size, "; rows padded to 4 entries %.1f %%",
            100.0 * (1.0 - (double)choice->nonzeros / (double)s->rounded[2]));
}

static void explain_candidates(const struct cgs_selection *choice, char *text, size_t size)
{
    char name[128];
    int out = 0;
    snprintf(text, size, "candidates: ");
    for (int i = 0; i < choice->count; i++)
        add(text, size, "%s%s", i ? ", " : "",
            short_name(&choice->items[i].candidate, name, sizeof name));
    for (int i = 0; i < choice->count; i++) {
        const struct cgs_selection_item *item = &choice->items[i];
        if (item->reason[0] == '\0' || item->seconds > 0.0)
            continue;
        add(text, size, "%s%s: %s",
            out++ ? "; " : ". Left out: ", short_name(&item->candidate, name, sizeof name),
            item->reason);
    }
}

/* The next item in the order of their times, after one of `seconds` at index `after`; -1: none. */
static int next_slower(const struct cgs_selection *choice, double seconds, int after)
{
    int next = -1;
    for (int i = 0; i < choice->count; i++) {
        const double here = choice->items[i].seconds;
        if (here > 0.0 && (here > seconds || (here == seconds && i > after)) &&
            (next < 0 || here < choice->items[next].seconds))
            next = i;
    }
    return next;
}

static void explain_times(const struct cgs_selection *choice, char *text, size_t size)
{
    char name[128];
    cgs_text time;
    const char *chosen = choice->chosen < 0 ? "none"
                                            : short_name(&choice->items[choice->chosen].candidate,
                                                         name, sizeof name);
    int at = next_slower(choice, 0.0, -1);
    if (at < 0) {
        snprintf(text, size, "takes %s: %s", chosen,
                 choice->measured ? "no other takes this matrix"
                                  : "the default for this structure");
        return;
    }
    snprintf(text, size, "takes %s, by %d products: ", chosen, choice->products);
    for (bool first = true; at >= 0; first = false) {
        const struct cgs_selection_item *item = &choice->items[at];
        add(text, size, "%s%s %s", first ? "" : ", ",
            short_name(&item->candidate, name, sizeof name), cgs_seconds_text(item->seconds, time));
        at = next_slower(choice, item->seconds, at);
    }
}

void cgs_choice_explain(const struct cgs_selection *choice,
                        char lines[CGS_CHOICE_LINES][CGS_CHOICE_WIDTH])
{
    explain_rows(choice, lines[0], CGS_CHOICE_WIDTH);
    explain_candidates(choice, lines[1], CGS_CHOICE_WIDTH);
    explain_times(choice, lines[2], CGS_CHOICE_WIDTH);
}
