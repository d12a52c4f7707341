/* A study from outside: outputs are made sure of first, then lists become points, which run;
 * their orders are fitted, figures and page drawn, and the facts are written, those of a study
 * that failed or was interrupted, too. */
#include "lab/study/study_command.h"

#include <string.h>

#include "base/comm.h"
#include "core/io/interrupt.h"
#include "core/io/output.h"
#include "core/io/page.h"
#include "core/options/options_input.h"
#include "lab/study/study_folder.h"
#include "lab/study/study_json.h"
#include "lab/study/study_orders.h"
#include "lab/study/study_origin.h"
#include "lab/study/study_page.h"
#include "lab/study/study_point.h"
#include "lab/study/study_points.h"
#include "lab/study/study_run.h"
#include "lab/study/study_scaling.h"
#include "lab/study/study_sheet.h"
#include "lab/study/study_text.h"

struct outputs {
    struct cgs_output json, csv, own;
};

/* The points are checked before anything is made, and the folder is there before outputs, which may
 * be in it. What is refused is said in the JSON report nevertheless. */
static enum cgs_status open_outputs(struct cgs_study *study, struct outputs *outputs)
{
    struct cgs_context *context = study->context;
    const char *json = study->options->json;
    char own[4200];
    enum cgs_status status = cgs_study_make(study);
    if (status == CGS_OK)
        status = cgs_study_open(study);
    if (status == CGS_OK && cgs_options_check_kept(context, study->options) != CGS_OK)
        return context->status; /* as the folder shows, now that it is there */
    cgs_output_open(context, "the JSON report", json, 1, &outputs->json);
    CGS_TRY(context->status);
    CGS_TRY(cgs_output_open(context, "the table", study->options->csv, 0, &outputs->csv));
    if (study->temporary || study->options->draw) /* what ran says its study.json already */
        return CGS_OK;
    if (snprintf(own, sizeof own, "%s/study.json", study->folder) >= (int)sizeof own)
        return cgs_fail(context, CGS_USAGE,
                        "the name of the folder is too long: take a shorter one");
    return cgs_output_open(context, "the study's report", own, 0, &outputs->own);
}

static enum cgs_status resume(struct cgs_study *study, FILE *progress)
{
    int resumed, stale;
    CGS_TRY(cgs_study_resume(study, &resumed, &stale));
    if (!progress)
        return CGS_OK;
    fprintf(progress, "%d of %d points are there already", resumed, study->count);
    if (stale > 0 && study->options->draw)
        fprintf(progress, "; %d more, which did not end, or are of other options, are left out",
                stale);
    else if (stale > 0)
        fprintf(progress,
                "; %d more, which did not end, or are of other options, of files that have changed "
                "since, or of another version of cgsolve, %s run again",
                stale, stale == 1 ? "is" : "are");
    fputc('\n', progress);
    return CGS_OK;
}

static enum cgs_status run(struct cgs_study *study, FILE *progress)
{
    const bool draw = study->options->draw;
    if (study->options->resume || draw)
        CGS_TRY(resume(study, progress));
    if (draw && cgs_interrupted())
        return cgs_fail(study->context, CGS_INTERRUPTED, "interrupted while reports were read");
    if (draw && !cgs_study_reported(study))
        return cgs_fail(study->context, CGS_USAGE,
                        "no report in %s/points is of these options: take those of the study's "
                        "command, as \"arguments\" of its study.json says",
                        study->folder);
    cgs_scaling_link(study);
    const enum cgs_status status = draw ? CGS_OK : cgs_study_run(study, progress);
    cgs_study_fit(study);
    cgs_study_scale(study);
    if (study->temporary || (status != CGS_OK && status != CGS_INTERRUPTED))
        return status;
    const enum cgs_status drawn = cgs_study_figures(study);
    return drawn == CGS_OK || drawn == CGS_INTERRUPTED ? cgs_study_page(study) : drawn;
}

/* The points that failed, in one sentence. */
static void judge_points(struct cgs_study *study)
{
    const struct cgs_point *first = NULL;
    int failed = 0;
    char label[256];
    for (int i = 0; i < study->count; i++)
        if (study->points[i].exit_status > 0 && failed++ == 0)
            first = &study->points[i];
    if (!first)
        return;
    cgs_point_label(study, first, false, label, sizeof label);
    cgs_fail(study->context, CGS_NOT_CONVERGED, "%d of %d points failed%s%s: %.1000s", failed,
             study->count, label[0] ? "; the first is " : "", label,
             first->message ? first->message : "it does not say why");
}

/* The orders that are not as expected, likewise. */
static void judge_orders(struct cgs_study *study)
{
    struct cgs_context *context = study->context;
    const struct cgs_order *first = NULL;
    int unmet = 0;
    char name[400], why[500], all[64];
    for (int i = 0; i < study->series_count; i++)
        for (int norm = 0; norm < CGS_NORMS; norm++) {
            const struct cgs_series *series = &study->series[i];
            const struct cgs_order *order = &series->orders[norm];
            if (order->met || unmet++ > 0)
                continue;
            first = order;
            snprintf(name, sizeof name, "%.300s%s%s", series->label, series->label[0] ? ": " : "",
                     cgs_norms[norm].name);
        }
    if (unmet == 0)
        return;
    if (first->fitted)
        snprintf(why, sizeof why, "%s %.3f instead of %g", name, first->order, first->theory);
    else
        snprintf(why, sizeof why, "%s cannot be fitted: too few points, and %g was asked for", name,
                 first->theory);
    snprintf(all, sizeof all, "%d order%s of convergence %s not as expected", unmet,
             unmet == 1 ? "" : "s", unmet == 1 ? "is" : "are");
    if (context->status == CGS_NOT_CONVERGED)
        cgs_fail_add(context, "; and %s; the first is %s", all, why);
    else
        cgs_fail(context, CGS_NOT_CONVERGED, "%s; the first is %s", all, why);
}

/* CSV, text, JSON: in this order, so that the JSON files know of all that could not be written. */
static void write_all(struct cgs_study *study, struct outputs *outputs, FILE *text)
{
    struct cgs_context *context = study->context;
    struct cgs_output *const reports[] = {&outputs->own, &outputs->json};
    const char *json = study->options->json;
    bool ran = study->interrupted;
    for (int i = 0; i < study->count && !ran; i++)
        ran = cgs_point_done(&study->points[i]);
    if (ran && outputs->csv.target && cgs_output_begin(context, &outputs->csv) == CGS_OK) {
        cgs_study_csv(outputs->csv.file, study);
        cgs_output_commit(context, &outputs->csv);
    }
    cgs_output_discard(&outputs->csv);
    if (ran && !(json && strcmp(json, "-") == 0)) {
        struct cgs_page page;
        cgs_page_open(&page, text);
        cgs_study_text(&page, study);
        cgs_page_close(context, &page);
        cgs_output_flush(context, text);
    }
    if (context->status == CGS_OK && cgs_interrupted())
        cgs_fail(context, CGS_INTERRUPTED, "interrupted when all had been computed");
    for (int i = 0; i < 2; i++) {
        if (reports[i]->target && cgs_output_begin(context, reports[i]) == CGS_OK) {
            cgs_study_json(study, reports[i]->file);
            cgs_output_commit(context, reports[i]);
        }
        cgs_output_discard(reports[i]);
    }
}

enum cgs_status cgs_study(struct cgs_context *context, const struct cgs_call *call)
{
    struct cgs_options *options = call->options;
    struct cgs_study study = {.context = context,
                              .solve = call->solve,
                              .options = options,
                              .argc = call->argc,
                              .argv = call->argv,
                              .lock = -1};
    struct outputs outputs = {0};
    cgs_date_now(study.date);
    cgs_interrupt_catch();
    if (!cgs_comm_first(context))
        return cgs_study_follow(context, call->solve);
    if (open_outputs(&study, &outputs) == CGS_OK)
        run(&study, call->said);
    if (context->status == CGS_OK) {
        judge_points(&study);
        judge_orders(&study);
    }
    write_all(&study, &outputs, call->text);
    cgs_study_dismiss(context);
    cgs_study_close(&study);
    cgs_study_release(&study);
    return context->status;
}
