/* A study on several ranks: rank 0 has the study, and tells the others what to solve with it.
 *
 *     rank 0     order {bytes of the words, or 0}, words     all: solve     ...     order {0, status}
 *
 * The words of a command line end with a 0 each. A point that fails does so on all ranks. */
#include <stdlib.h>
#include <string.h>

#include "base/comm.h"
#include "base/memory.h"
#include "core/options/options_value.h"
#include "core/run/run_ranks.h"
#include "lab/command_line/options_parse.h"
#include "lab/study/study.h"

struct order {
    int64_t bytes;  /* of the words that follow; 0: the study ends */
    int64_t status; /* then: its status */
};

static void share(struct cgs_context *context, void *memory, int64_t bytes)
{
    context->comm->ops->share(context->comm, 0, memory, bytes);
}

/* Solves a command line together with the other ranks; the first alone writes its report. */
static void solve_words(struct cgs_comm *comm, cgs_solver *solve, const char *const *words,
                        struct cgs_context *outcome)
{
    struct cgs_options options;
    int count = 0;
    while (words[count])
        count++;
    cgs_context_init(outcome);
    outcome->comm = comm;
    if (cgs_options_parse(outcome, count, words, &options) == CGS_OK)
        cgs_run_ranks_accept(outcome, &options.settings, NULL);
    if (comm->rank > 0)
        options.json = options.history = NULL;
    const struct cgs_call call = {.options = &options, .argc = count, .argv = words};
    solve(outcome, &call);
    cgs_options_release(&options);
    comm->ended = false; /* that was this point's */
}

enum cgs_status cgs_study_lead(struct cgs_study *study, char *const *words,
                               struct cgs_context *outcome)
{
    struct cgs_context *context = study->context;
    struct order order = {0};
    char *text = NULL;
    for (int i = 0; words[i]; i++)
        order.bytes += (int64_t)strlen(words[i]) + 1;
    CGS_TRY(cgs_alloc(context, order.bytes, 1, "words of a point", (void **)&text));
    char *at = text;
    for (int i = 0; words[i]; i++)
        at = stpcpy(at, words[i]) + 1;
    share(context, &order, (int64_t)sizeof order);
    const enum cgs_status status = cgs_comm_agree(context, CGS_OK); /* all have room */
    if (status == CGS_OK) {
        share(context, text, order.bytes);
        solve_words(context->comm, study->solve, (const char *const *)words, outcome);
    }
    cgs_free(context, text);
    return status;
}

/* Receives the words of an order, and solves. */
static enum cgs_status obey(struct cgs_context *context, const struct order *order,
                            cgs_solver *solve)
{
    struct cgs_context outcome;
    const char *words[CGS_OPTIONS + 4] = {NULL}; /* as cgs_point_words makes them, and --json */
    char *text = NULL;
    int count = 0;
    const enum cgs_status status = cgs_comm_agree(
        context, cgs_alloc(context, order->bytes, 1, "words of a point", (void **)&text));
    if (status == CGS_OK) {
        share(context, text, order->bytes);
        for (const char *at = text; at < text + order->bytes; at += strlen(at) + 1)
            words[count++] = at;
        solve_words(context->comm, solve, words, &outcome);
    }
    cgs_free(context, text);
    return status;
}

enum cgs_status cgs_study_follow(struct cgs_context *context, cgs_solver *solve)
{
    struct order order;
    for (;;) {
        share(context, &order, (int64_t)sizeof order);
        if (order.bytes == 0)
            return context->status = (enum cgs_status)order.status;
        CGS_TRY(obey(context, &order, solve));
    }
}

void cgs_study_dismiss(struct cgs_context *context)
{
    struct order order = {.status = (int64_t)context->status};
    if (context->comm && !context->comm->ended)
        share(context, &order, (int64_t)sizeof order);
}
