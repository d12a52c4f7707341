/* Judges of kernels, y = A x: `cgsolve spmv` verifies and times them beside one of ours. */
#include <math.h>
#include <omp.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/contention.h"
#include "base/memory.h"
#include "base/random.h"
#include "core/autotune/calls.h"
#include "lab/exercise/box.h"
#include "lab/exercise/exercise.h"
#include "lab/exercise/race.h"
#include "lab/exercise/reports.h"
#include "lab/exercise/verdict.h"

/* The same parts of the rival's speed for all kernels. */
#define NONE_AND_FULL .none = 0.2, .full = 0.55

struct task {
    const char *options; /* of spmv */
    int n;               /* unknowns in each direction */
    bool matrix_free;    /* of that matrix alone; else of any */
    struct cgs_bounds bounds;
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

/* Returns the learner's kernel in a report; NULL after a verdict or a failure. */
static const json_t *find_mine(const struct cgs_judged *judged, const json_t *report,
                               struct cgs_verdict *verdict)
{
    size_t i;
    json_t *row;
    const json_t *mine = NULL;
    json_array_foreach(cgs_reports_kernels(report), i, row)
    {
        const char *state = cgs_reports_text(row, "state");
        if (!json_is_true(json_object_get(row, "foreign")))
            continue;
        snprintf(verdict->calls, sizeof verdict->calls, "%s", cgs_reports_text(row, "calls"));
        if (strcmp(state, "timed") != 0 && strcmp(state, "dropped") != 0) {
            cgs_verdict_wrong(verdict, 0, "%s", cgs_reports_text(row, "reason"));
            return NULL;
        }
        mine = mine ? mine : row;
    }
    if (!mine)
        refuse(judged->context, report);
    return mine;
}

/* Looks at what it did with small matrices. */
static void check_small(const struct task *task, const json_t *mine, struct cgs_verdict *verdict)
{
    const double small = cgs_reports_number(mine, "small_trials"),
                 declined = cgs_reports_number(mine, "small_declined");
    if (small > 0.0 && declined > 0.0 && !task->matrix_free)
        cgs_verdict_wrong(verdict, 0,
                          "it declines %.0f of %.0f small matrices: this exercise is of any matrix",
                          declined, small);
    else if (small > 0.0 && declined < small && task->matrix_free)
        cgs_verdict_wrong(verdict, 0,
                          "it multiplies any matrix, by reading its entries: this exercise is of a "
                          "product that knows them");
}

/* A thread a row, beside which a slow kernel on a GPU is held. */
#define THREAD_A_ROW "crs_thread"

/* Takes what spmv says that a product of the learner's kernel on a GPU moves. */
static void take_rate(const json_t *report, const json_t *mine, struct cgs_verdict *verdict)
{
    static const char *const kinds[] = {"read", "copy", "triad"};
    const double gbs = cgs_reports_number(mine, "gbs"),
                 attainable = cgs_reports_number(mine, "attainable_gbs"),
                 beside =
                     cgs_reports_number(cgs_reports_kernel(report, THREAD_A_ROW), "median_seconds");
    struct cgs_times *times = &verdict->times;
    times->device = true;
    times->all = cgs_reports_number(mine, "median_seconds");
    times->thread_a_row = beside > 0.0 ? beside : 0.0;
    for (int i = 0; i < 3 && gbs > 0.0 && attainable > 0.0; i++)
        if (strcmp(cgs_reports_text(mine, "attainable_kind"), kinds[i]) == 0) {
            verdict->bytes = 1e9 * gbs * times->all;
            verdict->attainable_gbs = attainable;
            times->share = gbs / attainable;
            verdict->attainable_kind = kinds[i];
        }
}

/* On a GPU, which it has for itself, spmv's own medians are the speed. */
static void judge_speed(const struct task *task, const json_t *report, const json_t *mine,
                        struct cgs_verdict *verdict)
{
    const double rival =
        cgs_reports_number(cgs_reports_kernel(report, task->bounds.rival), "median_seconds");
    const double took = cgs_reports_number(mine, "median_seconds");
    if (took > 0.0 && rival > 0.0) {
        verdict->rival_seconds = rival;
        cgs_verdict_right(verdict, rival / took);
        take_rate(report, mine, verdict);
    }
}

/* Finds why a kernel on a GPU is slow: by its time for half as many unknowns in each direction. */
static enum cgs_status explain_on_device(const struct cgs_judged *judged, const struct task *task,
                                         struct cgs_verdict *verdict)
{
    char options[512];
    struct cgs_verdict unused = {0};
    snprintf(options, sizeof options, "spmv %s --N=%d --kernel=%s,", task->options, task->n / 2,
             task->bounds.rival);
    json_t *report = cgs_reports_run(judged->context, options, judged->file, NULL, 0);
    if (!report)
        return judged->context->status;
    const json_t *mine = find_mine(judged, report, &unused);
    const double seconds = mine ? cgs_reports_number(mine, "median_seconds") : 0.0;
    verdict->times.eighth = seconds > 0.0 ? seconds : 0.0;
    verdict->cause = cgs_cause_of(&verdict->times, verdict->cause_text, sizeof verdict->cause_text);
    json_decref(report);
    return judged->context->status;
}

/* Lets spmv find whether it is right, and on a GPU how fast it is. */
static enum cgs_status check(const struct cgs_judged *judged, const struct task *task,
                             struct cgs_verdict *verdict)
{
    char options[512];
    const bool timed = judged->timed && task->bounds.device;
    snprintf(options, sizeof options, "spmv %s --N=%d --repeat=%d --kernel=%s%s,", task->options,
             task->n, timed ? 60 : 1, task->bounds.rival, timed ? "," THREAD_A_ROW : "");
    json_t *report = cgs_reports_run(judged->context, options, judged->file, NULL, 0);
    if (!report)
        return judged->context->status;
    const json_t *mine = find_mine(judged, report, verdict);
    if (mine)
        check_small(task, mine, verdict);
    if (mine && timed && verdict->state == CGS_EXERCISE_RIGHT)
        judge_speed(task, report, mine, verdict);
    json_decref(report);
    return judged->context->status == CGS_OK && verdict->slow
               ? explain_on_device(judged, task, verdict)
               : judged->context->status;
}

/* ---- the race, on the CPU ---- */

enum { PRODUCTS = 2 }; /* of a round */

struct track {
    struct cgs_mesh mesh;
    struct cgs_crs crs;
    struct cgs_callee mine, rival;
    struct cgs_calls *calls[CGS_RUNNERS];
    double *x, *y;
    struct cgs_plugin_note note;
};

/* Times products of ours as those of a learner's process are timed: threads awake, x and the
 * matrix read before. */
static enum cgs_status time_rival(const struct track *t, double *seconds)
{
    const struct cgs_calls *rival = t->calls[CGS_RIVAL];
    cgs_contention_spread(t->mine.context);
    CGS_TRY(cgs_call(rival, t->x, t->y));
    const double waited = cgs_contention_waited(getpid()), begun = cgs_now();
    for (int i = 0; i < PRODUCTS; i++)
        CGS_TRY(cgs_call(rival, t->x, t->y));
    *seconds = cgs_race_seconds(begun, waited);
    return CGS_OK;
}

static enum cgs_status time_round(void *user, double seconds[CGS_RUNNERS], double *part)
{
    struct track *t = user;
    t->mine.context->crowded = 0;
    CGS_TRY(cgs_calls_time(t->calls[CGS_MINE], t->x, t->y, PRODUCTS, &seconds[CGS_MINE]));
    CGS_TRY(time_rival(t, &seconds[CGS_RIVAL]));
    for (int i = 0; i < CGS_RUNNERS; i++)
        seconds[i] /= PRODUCTS;
    if (t->note.switches > 0)
        seconds[CGS_MINE] = INFINITY;
    *part = t->note.part;
    return CGS_OK;
}

static enum cgs_status open_track(const struct cgs_judged *judged, const struct task *task,
                                  struct cgs_verdict *verdict, struct track *t)
{
    struct cgs_context *context = judged->context;
    const struct cgs_kernel_entry *entry;
    const int64_t rows = (int64_t)task->n * task->n * task->n;
    CGS_TRY(cgs_judged_open(judged, verdict, &t->mine));
    CGS_TRY(cgs_kernel_find(context, task->bounds.rival, CGS_CPU,
                            task->matrix_free ? CGS_NONE : CGS_CRS, &entry));
    t->mesh = cgs_mesh_cube(task->n, CGS_GAUSS, 1.0);
    t->rival = t->mine;
    t->rival.plugin = NULL;
    t->rival.kernel = entry->tables[CGS_PRECISION_F64];
    t->rival.mesh = task->matrix_free ? &t->mesh : NULL;
    CGS_TRY(cgs_box_rows(context, task->n, 1.0, 0, &t->crs));
    CGS_TRY(cgs_alloc(context, rows, sizeof *t->x, "vectors", (void **)&t->x));
    CGS_TRY(cgs_alloc(context, rows, sizeof *t->y, "vectors", (void **)&t->y));
    for (int64_t i = 0; i < rows; i++)
        t->x[i] = cgs_random((uint64_t)i);
    cgs_callee_note(&t->mine, &t->note);
    cgs_race_wake();
    CGS_TRY(cgs_calls_begin(&t->mine, &t->crs, &t->calls[CGS_MINE]));
    return cgs_calls_begin(&t->rival, &t->crs, &t->calls[CGS_RIVAL]);
}

/* Times a slow file on one thread, and on an eighth of the rows; on all of them once more, as late
 * as the others. */
static enum cgs_status time_laps(const struct task *task, int processors, struct track *t,
                                 struct cgs_times *times)
{
    struct cgs_context *context = t->mine.context;
    struct cgs_lap lap = {.callee = &t->mine, .note = &t->note, .x = t->x, .y = t->y};
    struct cgs_crs eighth;
    lap.crs = &t->crs;
    lap.threads = 1;
    if (processors > 1)
        CGS_TRY(cgs_lap_time(&lap, &times->alone));
    lap.threads = CGS_CALL_THREADS;
    CGS_TRY(cgs_lap_time(&lap, &times->all));
    CGS_TRY(cgs_box_rows(context, task->n / 2, 1.0, 0, &eighth));
    lap.crs = &eighth;
    const enum cgs_status status = cgs_lap_time(&lap, &times->eighth);
    cgs_crs_release(context, &eighth);
    return status;
}

/* Says what it moves, and why a slow file is slow. */
static enum cgs_status explain_on_host(const struct task *task, int processors, struct track *t,
                                       struct cgs_verdict *verdict)
{
    const struct cgs_traffic traffic = cgs_calls_traffic(t->calls[CGS_RIVAL]);
    if (verdict->slow)
        CGS_TRY(time_laps(task, processors, t, &verdict->times));
    return cgs_cause_find(&t->mine, traffic.matrix + traffic.vectors,
                          t->crs.rows * (int64_t)sizeof(double), 1, verdict);
}

static enum cgs_status race(const struct cgs_judged *judged, const struct task *task,
                            struct cgs_verdict *verdict)
{
    struct cgs_context *context = judged->context;
    struct track track = {.mine = {.context = context}};
    const struct cgs_race race = {
        .processors = omp_get_num_procs(), .time = time_round, .user = &track};
    enum cgs_status status = open_track(judged, task, verdict, &track);
    if (status == CGS_OK)
        status = cgs_race_run(&race, verdict);
    if (status == CGS_OK)
        status = explain_on_host(task, race.processors, &track, verdict);
    for (int i = 0; i < CGS_RUNNERS; i++)
        cgs_calls_end(track.calls[i]);
    cgs_crs_release(context, &track.crs);
    cgs_free(context, track.x);
    cgs_free(context, track.y);
    cgs_callee_close(&track.mine);
    return status;
}

static enum cgs_status judge(const struct cgs_judged *judged, const struct task *task,
                             struct cgs_verdict *verdict)
{
    const bool device = task->bounds.device;
    enum cgs_status status = device ? find_device(judged->context) : CGS_OK;
    verdict->bounds = &task->bounds;
    snprintf(verdict->command, sizeof verdict->command, "cgsolve spmv %s --N=%d --kernel=%s,%s",
             task->options, task->n, task->bounds.rival, judged->file);
    cgs_verdict_solved(verdict);
    if (status == CGS_OK && (device || !judged->right))
        status = check(judged, task, verdict);
    if (status == CGS_OK && judged->timed && !device && verdict->state == CGS_EXERCISE_RIGHT)
        status = race(judged, task, verdict);
    return cgs_verdict_of_failure(judged->context, status, verdict);
}

enum cgs_status cgs_judge_product(const struct cgs_judged *judged, struct cgs_verdict *verdict)
{
    static const struct task task = {.options = "--backend=cpu --threads=2",
                                     .n = 40,
                                     .bounds = {.rival = "crs_row", NONE_AND_FULL}};
    return judge(judged, &task, verdict);
}

enum cgs_status cgs_judge_warp_a_row(const struct cgs_judged *judged, struct cgs_verdict *verdict)
{
    static const struct task task = {
        .options = "--backend=cuda",
        .n = 64,
        .bounds = {.rival = "crs_warp", NONE_AND_FULL, .device = true}};
    return judge(judged, &task, verdict);
}

enum cgs_status cgs_judge_sell(const struct cgs_judged *judged, struct cgs_verdict *verdict)
{
    static const struct task task = {
        .options = "--backend=cuda --chunk=32 --sigma=256",
        .n = 64,
        .bounds = {.rival = "sell_chunk", NONE_AND_FULL, .device = true}};
    return judge(judged, &task, verdict);
}

enum cgs_status cgs_judge_matrix_free(const struct cgs_judged *judged, struct cgs_verdict *verdict)
{
    static const struct task task = {.options = "--backend=cpu --threads=2",
                                     .n = 64,
                                     .matrix_free = true,
                                     .bounds = {.rival = "stencil", NONE_AND_FULL}};
    return judge(judged, &task, verdict);
}
