/* Judges of kernels, y = A x: `cgsolve spmv` verifies and times them beside one of ours. */
#include <math.h>
#include <string.h>

#include "core/autotune/calls.h"
#include "lab/exercise/exercise.h"
#include "lab/exercise/exercises.h"
#include "lab/exercise/reports.h"

struct task {
    const char *options;   /* of spmv */
    int n;                 /* unknowns in each direction */
    const char *reference; /* the kernel of ours that it is held against */
    bool device;           /* on a GPU */
    bool matrix_free;      /* of that matrix alone; else of any */
    double low, high;      /* points for speed, as a part of the reference's (cgs_verdict_right) */
};

/* CGS_DEVICE: there is no GPU here. */
static enum cgs_status find_device(struct cgs_context *context)
{
    struct cgs_context quiet = *context;
    return cgs_callee_gpu(&quiet) == CGS_OK
               ? CGS_OK
               : cgs_fail(context, CGS_DEVICE, "this exercise needs a GPU: %s", quiet.message);
}

/* Turns a report without a table of kernels into a failure. */
static enum cgs_status refuse(struct cgs_context *context, const json_t *report)
{
    const int status = (int)cgs_reports_number(report, "exit_status");
    const char *message = cgs_reports_text(report, "error_message");
    for (int i = 0; i < CGS_STATUSES; i++)
        if (cgs_status_exit((enum cgs_status)i) == status) {
            size_t length = strcspn(message, "\n");
            cgs_fail(context, (enum cgs_status)i, "%.*s", (int)length, message);
            while (message[length]) { /* a compiler's lines stay lines */
                message += length + 1;
                length = strcspn(message, "\n");
                cgs_fail_add(context, "\n%.*s", (int)length, message);
            }
            return context->status;
        }
    return cgs_fail(context, CGS_BUG, "spmv ended with exit status %d: %s", status, message);
}

static enum cgs_status judge_row(const struct cgs_judged *judged, const struct task *task,
                                 const json_t *report, struct cgs_verdict *verdict)
{
    size_t i;
    json_t *row;
    const json_t *mine = NULL;
    json_array_foreach(cgs_reports_kernels(report), i, row)
    {
        const char *state = cgs_reports_text(row, "state");
        if (!json_is_true(json_object_get(row, "foreign")))
            continue;
        if (strcmp(state, "timed") != 0 && strcmp(state, "dropped") != 0)
            return cgs_verdict_wrong(verdict, 0, "%s", cgs_reports_text(row, "reason"));
        mine = mine ? mine : row;
    }
    if (!mine)
        return refuse(judged->context, report);
    const double small = cgs_reports_number(mine, "small_trials"),
                 declined = cgs_reports_number(mine, "small_declined");
    if (small > 0.0 && declined > 0.0 && !task->matrix_free)
        return cgs_verdict_wrong(
            verdict, 0, "it declines %.0f of %.0f small matrices: this exercise is of any matrix",
            declined, small);
    if (small > 0.0 && declined < small && task->matrix_free)
        return cgs_verdict_wrong(verdict, 0,
                                 "it multiplies any matrix, by reading its entries: this exercise "
                                 "is of a product that knows them");
    const double took = cgs_reports_number(mine, "median_seconds");
    const double should =
        cgs_reports_number(cgs_reports_kernel(report, task->reference), "median_seconds");
    const bool known = judged->timed && took > 0.0 && should > 0.0;
    cgs_verdict_right(verdict, known ? should / took : -1.0, task->low, task->high);
    return CGS_OK;
}

static enum cgs_status judge(const struct cgs_judged *judged, const struct task *task,
                             struct cgs_verdict *verdict)
{
    struct cgs_context *context = judged->context;
    enum cgs_status status = task->device ? find_device(context) : CGS_OK;
    char options[512];
    json_t *report = NULL;
    snprintf(options, sizeof options, "spmv %s --N=%d --repeat=%d --kernel=%s,", task->options,
             task->n, judged->timed ? 60 : 1, task->reference);
    if (status == CGS_OK) {
        report = cgs_reports_run(context, options, judged->file, verdict->command,
                                 sizeof verdict->command);
        status = report ? judge_row(judged, task, report, verdict) : context->status;
        json_decref(report);
    }
    return cgs_verdict_of_failure(context, status, verdict);
}

enum cgs_status cgs_judge_product(const struct cgs_judged *judged, struct cgs_verdict *verdict)
{
    static const struct task task = {.options = "--backend=cpu --threads=2",
                                     .n = 40,
                                     .reference = "crs_row",
                                     .low = 0.0,
                                     .high = 0.6};
    return judge(judged, &task, verdict);
}

enum cgs_status cgs_judge_warp_a_row(const struct cgs_judged *judged, struct cgs_verdict *verdict)
{
    static const struct task task = {.options = "--backend=cuda",
                                     .n = 64,
                                     .reference = "crs_warp",
                                     .device = true,
                                     .low = 0.2,
                                     .high = 0.6};
    return judge(judged, &task, verdict);
}

enum cgs_status cgs_judge_sell(const struct cgs_judged *judged, struct cgs_verdict *verdict)
{
    static const struct task task = {.options = "--backend=cuda --chunk=32 --sigma=256",
                                     .n = 64,
                                     .reference = "sell_chunk",
                                     .device = true,
                                     .low = 0.2,
                                     .high = 0.7};
    return judge(judged, &task, verdict);
}

enum cgs_status cgs_judge_matrix_free(const struct cgs_judged *judged, struct cgs_verdict *verdict)
{
    static const struct task task = {.options = "--backend=cpu --threads=2",
                                     .n = 64,
                                     .reference = "crs_row",
                                     .matrix_free = true,
                                     .low = 0.5,
                                     .high = 1.5};
    return judge(judged, &task, verdict);
}
