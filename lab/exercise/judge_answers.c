/* Judge of exercises whose answers are numbers and words, in a file of lines `name = value`. Some
 * follow from the formats alone. Others are measured here once more: errors are the same each time,
 * but times are not. The learner has measured at another moment, perhaps on another machine, so a
 * time has to have the right size, and what is computed from times is judged by the learner's. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lab/exercise/judge_answers.h"
#include "lab/exercise/reports.h"
#include "lab/exercise/verdict.h"
#include "lab/io/pairs.h"

struct answers {
    struct cgs_pairs given;
    int asked, right;
    char reason[1600]; /* of all that are not right */
};

/* Reads the file, whose values end at a comment. */
static enum cgs_status read_answers(struct cgs_context *context, const char *file,
                                    struct answers *a)
{
    char name[4096];
    FILE *stream = fopen(file, "re");
    if (!stream)
        return cgs_fail(context, CGS_FILE, "'%s' can't be read: %s", file, strerror(errno));
    snprintf(name, sizeof name, "'%s'", file);
    const enum cgs_status status = cgs_pairs_read(context, stream, name, &a->given);
    fclose(stream);
    for (int i = 0; i < a->given.count; i++) {
        char *value = a->given.items[i].value;
        size_t length = status == CGS_OK ? strcspn(value, "#") : 0;
        while (length > 0 && isspace((unsigned char)value[length - 1]))
            length--;
        value[length] = '\0';
    }
    return status;
}

/* ---- questions ---- */

static void complain(struct answers *a, const char *format, ...) CGS_PRINTF(2, 3);
static void complain(struct answers *a, const char *format, ...)
{
    const size_t used = strlen(a->reason);
    va_list list;
    va_start(list, format);
    snprintf(a->reason + used, sizeof a->reason - used, "%s", used > 0 ? "; " : "");
    vsnprintf(a->reason + strlen(a->reason), sizeof a->reason - strlen(a->reason), format, list);
    va_end(list);
}

/* Returns the value of a question, NULL after a complaint where there is none. */
static const char *ask(struct answers *a, const char *name)
{
    a->asked++;
    const char *value = cgs_pairs_get(&a->given, name);
    if (value && value[0])
        return value;
    complain(a, "%s has no value", name);
    return NULL;
}

/* Returns a number that was given, NAN after a complaint. */
static double ask_number(struct answers *a, const char *name)
{
    char *end;
    const char *value = ask(a, name);
    if (!value)
        return NAN;
    const double number = strtod(value, &end);
    if (*end == '\0' && isfinite(number))
        return number;
    complain(a, "%s is '%s', should be a number", name, value);
    return NAN;
}

/* Holds a number against the right one: factor 1.1 allows for 10 % either way. `measured`: the
 * right one may be told. */
static void expect(struct answers *a, const char *name, double number, double should_be,
                   double factor, bool measured)
{
    if (isnan(number))
        return;
    const double part = number / should_be; /* negative where one of them is */
    const bool near = should_be == 0.0 ? number == 0.0 : part <= factor && part * factor >= 1.0;
    if (near)
        a->right++;
    else if (measured)
        complain(a, "%s is %g, should be about %.4g by what was measured now", name, number,
                 should_be);
    else
        complain(a, "%s is %g, should be %s", name, number, number < should_be ? "more" : "less");
}

static void expect_number(struct answers *a, const char *name, double should_be, double factor,
                          bool measured)
{
    expect(a, name, ask_number(a, name), should_be, factor, measured);
}

static void expect_word(struct answers *a, const char *name, const char *right, const char *choices)
{
    const char *value = ask(a, name);
    if (!value)
        return;
    if (strcmp(value, right) == 0)
        a->right++;
    else
        complain(a, "%s is %s, should be another of %s", name, value, choices);
}

static const double EXACT = 1.0 + 1e-9;
/* A time in the unit that is asked for: between this machine and another one, or a busy moment and
 * a quiet one, is less than a factor of 30; between two units is 1000. */
static const double UNIT = 30.0;
/* A ratio of two times that one run has measured in turn. */
static const double RATIO = 2.0;

/* ---- the exercises ---- */

struct quiz {
    struct cgs_context *context;
    struct cgs_verdict *verdict;
    struct answers *answers;
    const struct cgs_transfer_measured *measured; /* NULL: still to be measured */
};

static json_t *run(const struct quiz *q, const char *line)
{
    return cgs_reports_run(q->context, line, NULL, q->verdict->command, sizeof q->verdict->command);
}

/* A report of spmv with all of `names`; fails with its message where it has not. */
static enum cgs_status require(const struct quiz *q, const json_t *report, const char *const *names)
{
    for (int i = 0; names[i]; i++)
        if (!(cgs_reports_number(cgs_reports_kernel(report, names[i]), "median_seconds") > 0.0))
            return cgs_fail(q->context, CGS_DEVICE, "this exercise needs a GPU: %s",
                            cgs_reports_text(report, "error_message"));
    return CGS_OK;
}

static double seconds_of(const json_t *report, const char *name)
{
    return cgs_reports_number(cgs_reports_kernel(report, name), "median_seconds");
}

/* A warp's load of a value a thread: 32 sectors of 32 bytes where each lies in a row of its own;
 * of one row of 27 values as many as 216 bytes may touch. */
static enum cgs_status ask_thread_a_row(const struct quiz *q)
{
    static const char *const names[] = {"crs_thread", "crs_warp", NULL};
    json_t *report = run(q, "spmv --backend=cuda --N=64 --kernel=crs_thread,crs_warp");
    const enum cgs_status status = report ? require(q, report, names) : q->context->status;
    if (status == CGS_OK) {
        struct answers *a = q->answers;
        expect_number(a, "fetched_thread", 32 * 32, EXACT, false);
        expect_number(a, "used_thread", 32 * 8, EXACT, false);
        expect_number(a, "fetched_warp", 8 * 32, EXACT, false);
        expect_number(a, "ratio", seconds_of(report, "crs_thread") / seconds_of(report, "crs_warp"),
                      RATIO, true);
        expect_word(a, "why", "coalescing", "coalescing, divergence, occupancy");
    }
    json_decref(report);
    return status;
}

/* Returns the time of the CPU's fastest kernel. */
static double best_of_cpu(const json_t *report)
{
    double best = INFINITY;
    size_t i;
    json_t *row;
    json_array_foreach(cgs_reports_kernels(report), i, row)
    {
        const double seconds = cgs_reports_number(row, "median_seconds");
        if (strcmp(cgs_reports_text(row, "device"), "cpu") == 0 && seconds < best)
            best = seconds;
    }
    return best;
}

/* `pays` and `cg` follow from the learner's own numbers. */
static void compare_transfer(struct answers *a, const struct cgs_transfer_measured *measured)
{
    static const double entries = 190.0 * 190.0 * 190.0, rows = 64.0 * 64.0 * 64.0; /* N = 64 */
    const double cpu = ask_number(a, "cpu"), gpu = ask_number(a, "gpu"),
                 cost = ask_number(a, "cost"), pays = ask_number(a, "pays");
    expect_number(a, "bytes", 12.0 * entries + 8.0 * (rows + 1.0), EXACT, false);
    expect(a, "cpu", cpu, measured->cpu, UNIT, true);
    expect(a, "gpu", gpu, measured->gpu, UNIT, true);
    expect(a, "cost", cost, measured->cost, UNIT, true);
    if (isnan(cpu) || isnan(gpu) || isnan(cost))
        complain(a, "pays can't be held against cost / (cpu - gpu)");
    else if (!isnan(pays) && fabs(pays * (cpu - gpu) - cost) > 0.05 * cost)
        complain(a, "pays is %g, should be cost / (cpu - gpu) of your own numbers, %.4g", pays,
                 cost / (cpu - gpu));
    else
        a->right += !isnan(pays);
    if (!isnan(pays))
        expect_word(a, "cg", pays >= 0.0 && pays <= measured->iterations ? "yes" : "no", "yes, no");
    else if (ask(a, "cg"))
        complain(a, "cg can't be held against pays");
}

static enum cgs_status measure_transfer(const struct quiz *q,
                                        struct cgs_transfer_measured *measured)
{
    static const char *const names[] = {"crs_warp", NULL};
    json_t *solve = run(q, "solve --N=64 --tol=1e-8 --format=crs");
    json_t *report = solve ? run(q, "spmv --backend=cuda --N=64 --kernel=crs_warp") : NULL;
    const enum cgs_status status = report ? require(q, report, names) : q->context->status;
    if (status == CGS_OK)
        *measured = (struct cgs_transfer_measured){
            .cpu = best_of_cpu(report),
            .gpu = seconds_of(report, "crs_warp"),
            .cost = cgs_reports_number(cgs_reports_kernel(report, "crs_warp"), "prepare_seconds"),
            .iterations = cgs_reports_number(solve, "solver.iterations")};
    json_decref(solve);
    json_decref(report);
    return status;
}

static enum cgs_status ask_transfer(const struct quiz *q)
{
    struct cgs_transfer_measured now;
    if (!q->measured)
        CGS_TRY(measure_transfer(q, &now));
    compare_transfer(q->answers, q->measured ? q->measured : &now);
    return CGS_OK;
}

/* *error: the error at the nodes of fourth-order elements. */
static enum cgs_status solve_box(const struct quiz *q, int n, const char *precision, double *error)
{
    char line[192];
    snprintf(
        line, sizeof line,
        "solve --backend=cpu --threads=2 --format=none --quadrature=blended --tol=1e-10 --N=%d "
        "--precision=%s",
        n, precision);
    json_t *report = run(q, line);
    if (!report)
        return q->context->status;
    *error = cgs_reports_number(report, "error.nodal_l2");
    json_decref(report);
    return CGS_OK;
}

static enum cgs_status ask_rounding(const struct quiz *q)
{
    enum { SIZES = 4 };
    static const int sizes[SIZES] = {7, 15, 31, 63};
    double coarse = NAN, fine = NAN, mixed = NAN, single[SIZES];
    int best = 0;
    CGS_TRY(solve_box(q, 15, "double", &coarse));
    CGS_TRY(solve_box(q, 31, "double", &fine));
    CGS_TRY(solve_box(q, 63, "mixed", &mixed));
    for (int i = 0; i < SIZES; i++) {
        CGS_TRY(solve_box(q, sizes[i], "single", &single[i]));
        if (single[i] < single[best])
            best = i;
    }
    struct answers *a = q->answers;
    expect_number(a, "order", log2(coarse / fine), 1.02, true);
    expect_number(a, "best_N", sizes[best], EXACT, false);
    expect_number(a, "best_error", single[best], 1.5, true);
    expect_number(a, "growth", single[3] / single[2], 1.7, true);
    expect_number(a, "mixed_63", mixed, 1.1, true);
    return CGS_OK;
}

static enum cgs_status judge(struct quiz quiz, const char *file,
                             enum cgs_status (*questions)(const struct quiz *))
{
    struct answers answers = {0};
    struct cgs_verdict *verdict = quiz.verdict;
    enum cgs_status status = read_answers(quiz.context, file, &answers);
    quiz.answers = &answers;
    if (status == CGS_OK)
        status = questions(&quiz);
    if (status == CGS_OK && answers.right == answers.asked)
        cgs_verdict_solved(verdict);
    else if (status == CGS_OK)
        cgs_verdict_wrong(verdict, 100 * answers.right / answers.asked, "%s", answers.reason);
    cgs_pairs_release(&answers.given);
    return cgs_verdict_of_failure(quiz.context, status, verdict);
}

enum cgs_status cgs_judge_thread_a_row(const struct cgs_judged *judged, struct cgs_verdict *verdict)
{
    return judge((struct quiz){.context = judged->context, .verdict = verdict}, judged->file,
                 ask_thread_a_row);
}

enum cgs_status cgs_judge_transfer(const struct cgs_judged *judged, struct cgs_verdict *verdict)
{
    return judge((struct quiz){.context = judged->context, .verdict = verdict}, judged->file,
                 ask_transfer);
}

enum cgs_status cgs_transfer_judge(struct cgs_context *context, const char *file,
                                   const struct cgs_transfer_measured *measured,
                                   struct cgs_verdict *verdict)
{
    const struct quiz quiz = {.context = context, .verdict = verdict, .measured = measured};
    return judge(quiz, file, ask_transfer);
}

enum cgs_status cgs_judge_rounding(const struct cgs_judged *judged, struct cgs_verdict *verdict)
{
    return judge((struct quiz){.context = judged->context, .verdict = verdict}, judged->file,
                 ask_rounding);
}
