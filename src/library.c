/* libcgsolve: the pipeline of a solve (run.h) behind a handle. Public functions clear what the last one
 * said, do their work, and keep what is to be said. */
#include "src/library.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "src/solve.h"
#include "src/values.h"
#include "src/version.h"

static enum cgsolve_status public_status(enum cgs_status status)
{
    return (enum cgsolve_status)cgs_status_exit(status);
}

locale_t cgs_library_begin(struct cgsolve *s)
{
    s->call.status = CGS_OK;
    s->call.message[0] = '\0';
    return s->plain ? uselocale(s->plain) : (locale_t)0;
}

enum cgsolve_status cgs_library_end(struct cgsolve *s, locale_t before)
{
    if (before)
        uselocale(before);
    return public_status(s->call.status);
}

struct cgsolve *cgsolve_create(void)
{
    struct cgsolve *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    cgs_context_init(&s->call);
    s->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return s;
}

void cgsolve_destroy(struct cgsolve *s)
{
    if (!s)
        return;
    cgs_library_close(s);
    cgs_library_forget(s);
    cgs_library_options_release(s);
    for (int i = 0; i < CGS_OPTIONS; i++)
        free(s->values[i]);
    if (s->plain)
        freelocale(s->plain);
    free(s);
}

void cgs_library_close(struct cgsolve *s)
{
    if (s->open)
        cgs_run_release(&s->run);
    s->open = s->ready = false;
}

enum cgsolve_status cgsolve_matrix_crs(struct cgsolve *s, int64_t rows, const int64_t *pointers,
                                       const int32_t *columns, const double *values)
{
    if (!s)
        return CGSOLVE_MEMORY;
    const locale_t before = cgs_library_begin(s);
    /* Borrowed and only read: struct cgs_crs owns its arrays elsewhere. */
    struct cgs_crs crs = {.rows = rows,
                          .columns = rows,
                          .pointers = (int64_t *)pointers,
                          .column = (int32_t *)columns,
                          .value = (double *)values};
    if (!pointers || !columns || !values)
        cgs_fail(&s->call, CGS_USAGE, "%s is NULL: expected an array",
                 !pointers  ? "pointers"
                 : !columns ? "columns"
                            : "values");
    else if (cgs_crs_check(&s->call, &crs) == CGS_OK) {
        cgs_library_close(s);
        cgs_crs_measure(&s->call, &crs);
        s->crs = crs;
        s->rows = 0;
    }
    return cgs_library_end(s, before);
}

enum cgsolve_status cgsolve_matrix_options(struct cgsolve *s)
{
    if (!s)
        return CGSOLVE_MEMORY;
    const locale_t before = cgs_library_begin(s);
    cgs_library_close(s);
    s->crs = (struct cgs_crs){0};
    s->rows = 0;
    return cgs_library_end(s, before);
}

enum cgsolve_status cgsolve_measure(struct cgsolve *s, int yes)
{
    if (!s)
        return CGSOLVE_MEMORY;
    const locale_t before = cgs_library_begin(s);
    if (s->handed.measure != (yes != 0))
        cgs_library_close(s);
    s->handed.measure = yes != 0;
    return cgs_library_end(s, before);
}

static bool watch(void *user, int64_t iteration, double relative_residual)
{
    const struct cgsolve *s = user;
    return s->watch(s->user, iteration, relative_residual) != 0;
}

void cgsolve_watch(struct cgsolve *s,
                   int (*callback)(void *user, int64_t iteration, double relative_residual),
                   void *user)
{
    if (!s)
        return;
    s->watch = callback;
    s->user = user;
    s->handed.watch = callback ? watch : NULL;
    s->handed.user = s;
}

int64_t cgsolve_unknowns(const struct cgsolve *s)
{
    int64_t n;
    if (!s)
        return 0;
    if (s->crs.rows > 0 || s->rows > 0)
        return s->crs.rows > 0 ? s->crs.rows : s->rows;
    if (s->values[CGS_OPTION_matrix])
        return 0;
    const struct cgs_option *option = &cgs_option_table[CGS_OPTION_n];
    const char *text = s->values[CGS_OPTION_n] ? s->values[CGS_OPTION_n] : option->initial;
    return cgs_value_whole(text, option->least, option->most, &n) == CGS_VALUE_FINE ? n * n * n : 0;
}

static bool set_to(const struct cgsolve *s, enum cgs_option_id id, const char *value)
{
    return s->values[id] && strcmp(s->values[id], value) == 0;
}

/* Vectors and options that say the same thing twice, or nobody does. */
static enum cgs_status check_vectors(struct cgsolve *s, const double *b, const double *start)
{
    const char *rhs = s->values[CGS_OPTION_rhs];
    if (b && rhs)
        return cgs_fail(
            &s->call, CGS_USAGE,
            "b is given, and rhs = %s is another right-hand side: leave one of them out", rhs);
    if (!b && !rhs && s->crs.rows > 0)
        return cgs_fail(&s->call, CGS_USAGE,
                        "b is NULL: expected a right-hand side of %lld numbers, or rhs set to "
                        "random, ones or a file",
                        (long long)s->crs.rows);
    if (b && set_to(s, CGS_OPTION_stop, "discretization"))
        return cgs_fail(&s->call, CGS_USAGE,
                        "stop = discretization needs an exact solution, which nobody knows for a b "
                        "that is given: %stake stop = residual",
                        s->crs.rows > 0 ? "" : "pass NULL for the problem's own, or ");
    if ((b || start) && s->crs.rows == 0 && set_to(s, CGS_OPTION_problem, "course"))
        return cgs_fail(&s->call, CGS_USAGE,
                        "problem = course is a benchmark with a start and a residual of its own: pass "
                        "NULL for b and call cgsolve_solve, or take another problem");
    if (start && set_to(s, CGS_OPTION_guess, "fmg"))
        return cgs_fail(
            &s->call, CGS_USAGE,
            "x is a start vector, and guess = fmg makes another: take cgsolve_solve, or "
            "guess = zero");
    return CGS_OK;
}

/* A set-up that is there: the clock starts anew, the report is as it was after it. */
static enum cgs_status go_on(struct cgsolve *s)
{
    s->context.status = CGS_OK;
    s->context.message[0] = '\0';
    s->context.link_bytes = 0;
    s->context.link_seconds = 0.0;
    cgs_stopwatch_start(&s->context.watch);
    s->report = s->facts;
    cgs_date_now(s->report.date);
    s->reported = true;
    return CGS_OK;
}

static enum cgs_status set_up(struct cgsolve *s)
{
    cgs_library_close(s);
    cgs_library_options_release(s);
    cgs_context_init(&s->context);
    s->handed.crs = s->crs.rows > 0 ? &s->crs : NULL;
    const enum cgs_status status = cgs_library_options(s);
    s->report = cgs_report_start(&s->context, &s->options, s->argument_count,
                                 (const char *const *)s->arguments);
    s->reported = true;
    CGS_TRY(status);
    s->run = (struct cgs_run){.context = &s->context, .options = &s->options, .report = &s->report};
    s->open = true;
    CGS_TRY(cgs_run_set_up(&s->run, NULL));
    s->ready = true;
    s->rows = s->run.rows;
    s->facts = s->report;
    return CGS_OK;
}

/* What CG came to, as a status of the run. */
static enum cgs_status judge(struct cgsolve *s)
{
    const struct cgs_cg_result *r = &s->report.result;
    if (r->outcome == CGS_OUTCOME_INTERRUPTED)
        return cgs_fail(&s->context, CGS_INTERRUPTED, "stopped by the caller after %lld iterations",
                        (long long)r->iterations);
    return cgs_solve_judge(&s->context, &s->report);
}

/* A set-up that cannot be used again, or not for the same facts. */
static bool spent(const struct cgsolve *s)
{
    return !s->ready || s->options.profile || s->context.status == CGS_MEMORY ||
           s->context.status == CGS_DEVICE || s->context.status == CGS_BUG;
}

static enum cgs_status solve(struct cgsolve *s, const double *b, bool from, double *x,
                             double *seconds)
{
    const double since = cgs_now();
    const double *start = from ? x : NULL;
    cgs_library_forget(s);
    if (from && !x)
        return cgs_fail(&s->call, CGS_USAGE, "x is NULL: expected a start vector");
    CGS_TRY(check_vectors(s, b, start));
    s->handed.rhs = b;
    s->handed.start = start;
    s->handed.solution = x;
    enum cgs_status status = s->ready ? go_on(s) : set_up(s);
    *seconds = cgs_now() - since;
    if (status == CGS_OK)
        status = cgs_run_answer(&s->run);
    if (status == CGS_OK)
        status = judge(s);
    cgs_stopwatch_enter(&s->context.watch, CGS_PHASE_OUTPUT);
    if (spent(s))
        cgs_library_close(s);
    if (status != CGS_OK) {
        cgs_fail(&s->call, status, "%s", s->context.message);
        s->call.status = status;
    }
    return status;
}

/* from: the start vector stands in x. */
static enum cgsolve_status solve_into(struct cgsolve *s, const double *b, bool from, double *x,
                                      struct cgsolve_result *result)
{
    if (!s) {
        if (result)
            *result = (struct cgsolve_result){CGSOLVE_MEMORY, .outcome = "", .backend = "",
                                              .kernel = "", .format = ""};
        return CGSOLVE_MEMORY;
    }
    const locale_t before = cgs_library_begin(s);
    double seconds = 0.0;
    const enum cgs_status status = solve(s, b, from, x, &seconds);
    if (result) {
        cgs_library_result(s, result);
        result->status = public_status(status);
        result->setup_seconds = seconds;
    }
    return cgs_library_end(s, before);
}

enum cgsolve_status cgsolve_solve(struct cgsolve *s, const double *b, double *x,
                                  struct cgsolve_result *result)
{
    return solve_into(s, b, false, x, result);
}

enum cgsolve_status cgsolve_solve_from(struct cgsolve *s, const double *b, double *x,
                                       struct cgsolve_result *result)
{
    return solve_into(s, b, true, x, result);
}

const char *cgsolve_message(const struct cgsolve *s)
{
    return s ? s->call.message : "no memory for a handle";
}

const char *cgsolve_version(void)
{
    return cgs_version();
}
