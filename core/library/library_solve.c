/* libcgsolve: the pipeline of a solve (run.h) behind a handle. Each public function is framed by
 * cgs_library_begin and cgs_library_end; what stands between writes its failure into s->call. */
#include "core/library/handle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/threads.h"
#include "core/io/version.h"
#include "core/library/library_call.h"
#include "core/library/library_matrix.h"
#include "core/library/library_options.h"
#include "core/library/library_ranks.h"
#include "core/library/library_report.h"
#include "core/library/library_step.h"
#include "core/run/judge.h"
#include "core/run/run_caller.h"
#include "core/run/run_ranks.h"
#include "core/run/run_vectors.h"
#include "core/run/steps.h"
#include "core/setup/asked.h"
#include "matrix/crs_check.h"
#include "solver/cg/cg_result.h"

enum cgsolve_status cgsolve_create(struct cgsolve **solver)
{
    struct cgsolve *s;
    if (!solver)
        return cgs_library_refuse(CGSOLVE_USAGE, "cgsolve_create",
                                  "solver is NULL: expected room for a handle");
    *solver = NULL;
    if (!(s = calloc(1, sizeof *s)))
        return cgs_library_refuse(CGSOLVE_MEMORY, "cgsolve_create", "no memory for a handle");
    atomic_flag_clear(&s->busy);
    cgs_context_init(&s->call);
    s->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    *solver = s;
    return CGSOLVE_OK;
}

enum cgsolve_status cgsolve_destroy(struct cgsolve **solver)
{
    struct cgs_library_call call;
    struct cgsolve *s = solver ? *solver : NULL;
    if (!s)
        return CGSOLVE_OK;
    if (!cgs_library_begin(&call, s, "cgsolve_destroy"))
        return CGSOLVE_USAGE;
    cgs_library_close(s);
    cgs_library_forget(s);
    cgs_library_options_release(s);
    cgs_library_rows_release(&s->own);
    cgs_library_leave(s);
    for (int i = 0; i < CGS_OPTIONS; i++)
        free(s->values[i]);
    cgs_library_restore(&call);
    if (s->plain)
        freelocale(s->plain);
    free(s);
    *solver = NULL;
    return CGSOLVE_OK;
}

enum cgsolve_status cgsolve_measure(struct cgsolve *s, int yes)
{
    struct cgs_library_call call;
    if (!cgs_library_begin(&call, s, "cgsolve_measure"))
        return CGSOLVE_USAGE;
    if (s->caller.measure != (yes != 0))
        cgs_library_close(s);
    s->caller.measure = yes != 0;
    return cgs_library_end(&call);
}

static bool watch(void *user, int64_t iteration, double relative_residual)
{
    const struct cgsolve *s = user;
    return s->watch(s->user, iteration, relative_residual) != 0;
}

enum cgsolve_status
cgsolve_watch(struct cgsolve *s,
              int (*callback)(void *user, int64_t iteration, double relative_residual), void *user)
{
    struct cgs_library_call call;
    if (!cgs_library_begin(&call, s, "cgsolve_watch"))
        return CGSOLVE_USAGE;
    s->watch = callback;
    s->user = user;
    s->caller.watch = callback ? watch : NULL;
    s->caller.user = s;
    return cgs_library_end(&call);
}

static bool look(void *user, int64_t iteration, double relative_residual, int64_t length,
                 const double *x)
{
    const struct cgsolve *s = user;
    return s->look(s->look_user, iteration, relative_residual, length, x) != 0;
}

enum cgsolve_status cgsolve_watch_solution(struct cgsolve *s,
                                           int (*callback)(void *user, int64_t iteration,
                                                           double relative_residual, int64_t length,
                                                           const double *x),
                                           void *user)
{
    struct cgs_library_call call;
    if (!cgs_library_begin(&call, s, "cgsolve_watch_solution"))
        return CGSOLVE_USAGE;
    if (!s->look != !callback) /* CG stops after each iteration, or does not */
        cgs_library_renew_solver(s);
    s->look = callback;
    s->look_user = user;
    s->caller.look = callback ? look : NULL;
    s->caller.look_user = s;
    return cgs_library_end(&call);
}

/* Returns true if this rank has no part of the matrix, so that its vectors may be missing. */
static bool is_without_rows(const struct cgsolve *s)
{
    return s->matrix == CGS_LIBRARY_PART && s->part.rows == 0;
}

static bool set_to(const struct cgsolve *s, enum cgs_option_id id, const char *value)
{
    return s->values[id] && strcmp(s->values[id], value) == 0;
}

/* Lengths of vectors, where the matrix is known; refused ones are touched nowhere. */
static enum cgs_status check_length(struct cgsolve *s, int64_t length, bool vectors)
{
    const int64_t rows = cgs_library_unknowns(s);
    const bool known = rows > 0 || s->matrix == CGS_LIBRARY_PART;
    if (!vectors || !known || length == rows)
        return CGS_OK;
    return cgs_fail(
        &s->call, CGS_USAGE,
        "vectors of length %lld, but the matrix has %lld rows: expected b and x of that "
        "length",
        (long long)length, (long long)rows);
}

/* OpenMP would wait for ever for threads that fork has not copied. */
static enum cgs_status check_process(struct cgsolve *s)
{
    if (set_to(s, CGS_OPTION_threads, "1"))
        return CGS_OK;
    cgs_library_compute(s->call.threads);
    if (!s->forked)
        return CGS_OK;
    return cgs_fail(
        &s->call, CGS_USAGE,
        "this process is a child of fork, in which the OpenMP threads of its parent are "
        "missing: set the option threads to 1, call from a new thread, or fork before "
        "this thread's first matrix, set-up or solve");
}

/* Vectors and options that say the same thing twice, or nobody does. */
static enum cgs_status check_vectors(struct cgsolve *s, const double *b, const double *start)
{
    const char *rhs = s->values[CGS_OPTION_rhs];
    if (b && rhs)
        return cgs_fail(
            &s->call, CGS_USAGE,
            "b is given, and rhs = %s is another right-hand side: leave one of them out", rhs);
    if (!b && !rhs && !is_without_rows(s) &&
        (s->matrix == CGS_LIBRARY_CRS || s->matrix == CGS_LIBRARY_PART ||
         s->matrix == CGS_LIBRARY_OPERATOR))
        return cgs_fail(&s->call, CGS_USAGE,
                        "b is NULL: expected a right-hand side of %lld numbers, or rhs set to "
                        "random, ones or a file",
                        (long long)cgs_library_unknowns(s));
    if (b && set_to(s, CGS_OPTION_stop, "discretization"))
        return cgs_fail(&s->call, CGS_USAGE,
                        "stop = discretization needs an exact solution, which is unknown for a b "
                        "that is given: %stake stop = residual",
                        s->matrix != CGS_LIBRARY_BOX ? "" : "pass NULL for the problem's own, or ");
    if (b && (s->values[CGS_OPTION_probe] || s->values[CGS_OPTION_line]))
        return cgs_fail(
            &s->call, CGS_USAGE,
            "%s says what u is in the box, and a b that is given does not say what it is "
            "on the faces: pass NULL for the problem's own, or take the option back",
            s->values[CGS_OPTION_probe] ? "probe" : "line");
    if ((b || start) && s->matrix == CGS_LIBRARY_BOX && set_to(s, CGS_OPTION_problem, "course"))
        return cgs_fail(
            &s->call, CGS_USAGE,
            "problem = course is a benchmark with a start and a residual of its own: pass "
            "NULL for b and call cgsolve_solve, or take another problem");
    if (start && s->values[CGS_OPTION_guess] && !set_to(s, CGS_OPTION_guess, "zero"))
        return cgs_fail(&s->call, CGS_USAGE,
                        "x is a start vector, and guess = %s makes another: take cgsolve_solve, or "
                        "guess = zero",
                        s->values[CGS_OPTION_guess]);
    return CGS_OK;
}

/* The caller's arrays again, which may have changed since they were checked first: what follows
 * trusts their columns. */
static enum cgs_status take_arrays(struct cgsolve *s)
{
    const bool part = s->matrix == CGS_LIBRARY_PART;
    const enum cgs_status status = part ? cgs_part_check(&s->context, &s->part, s->nonzeros)
                                        : cgs_crs_check(&s->context, &s->crs, s->nonzeros);
    if (status != CGS_OK)
        cgs_fail_add(&s->context, " (the arrays have changed since they were given)");
    else if (!part)
        cgs_crs_measure(&s->context, &s->crs);
    return cgs_comm_agree(&s->context, status);
}

/* Makes anew what an option of CG, or new values, have left out of date. */
static enum cgs_status renew(struct cgsolve *s)
{
    const enum cgs_run_stale stale = s->stale;
    s->ready = false;
    s->stale = CGS_RUN_FRESH;
    cgs_library_step_release(&s->run, &s->stepping); /* with an old load */
    const enum cgs_status status = cgs_library_options_renew(s);
    s->report.argc = s->argument_count;
    s->report.argv = (const char *const *)s->arguments;
    CGS_TRY(cgs_comm_agree(&s->context, status));
    if (stale == CGS_RUN_STALE_VALUES && !s->on_device)
        CGS_TRY(take_arrays(s));
    CGS_TRY(cgs_run_renew(&s->run, stale));
    s->ready = true;
    s->facts = s->report;
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
    cgs_contention_start("", &s->report.machine.contention);
    cgs_date_now(s->report.date);
    s->reported = true;
    cgs_threads_brief_begin(s->context.threads, &s->brief);
    return s->stale == CGS_RUN_FRESH ? CGS_OK : renew(s);
}

/* Returns the number of entries that a product reads or stands for. That of a file, which is not
 * read yet, is taken as large. */
static int64_t entries_of(const struct cgsolve *s)
{
    if (s->matrix == CGS_LIBRARY_CRS || s->matrix == CGS_LIBRARY_PART)
        return s->nonzeros;
    if (s->matrix == CGS_LIBRARY_OPERATOR)
        return CGS_THREADS_ROW * s->product.rows;
    if (!cgs_settings_box(&s->options.settings))
        return INT64_MAX;
    const struct cgs_mesh mesh = cgs_mesh_asked(&s->options.settings);
    return CGS_THREADS_ROW * cgs_mesh_rows(&mesh);
}

static enum cgs_status set_up(struct cgsolve *s)
{
    cgs_library_close(s);
    cgs_library_options_release(s);
    cgs_context_init(&s->context);
    s->context.comm = cgs_library_comm(s);
    s->caller.part = s->matrix == CGS_LIBRARY_PART ? &s->part : NULL;
    s->caller.crs = s->matrix == CGS_LIBRARY_CRS && !s->on_device ? &s->crs : NULL;
    s->caller.there = s->on_device ? &s->there : NULL;
    s->caller.product = s->matrix == CGS_LIBRARY_OPERATOR ? &s->product : NULL;
    s->caller.precondition = s->precondition.apply ? &s->precondition : NULL;
    enum cgs_status status = cgs_library_options(s);
    if (status == CGS_OK)
        cgs_library_share(s, entries_of(s));
    s->context.threads = s->call.threads;
    if (status == CGS_OK)
        status = cgs_run_ranks_accept(&s->context, &s->options.settings, NULL);
    status = cgs_comm_agree(&s->context, status);
    s->report = cgs_report_start(&s->context, &s->options.settings, s->argument_count,
                                 (const char *const *)s->arguments);
    s->report.external.caller = &s->caller;
    s->reported = true;
    CGS_TRY(status);
    if (s->caller.crs || s->caller.part)
        CGS_TRY(take_arrays(s));
    s->run = (struct cgs_run){.context = &s->context,
                              .settings = &s->options.settings,
                              .report = &s->report,
                              .turns = s->run.turns,
                              .turn = s->run.turn};
    s->open = true;
    cgs_threads_brief_begin(s->context.threads, &s->brief);
    CGS_TRY(cgs_run_set_up(&s->run, NULL));
    s->ready = true;
    s->rows = s->run.rows;
    s->first = cgs_run_first_row(&s->run);
    s->facts = s->report;
    return CGS_OK;
}

/* Makes the set-up, or what new values or options have left out of date of one that is there. */
static enum cgs_status prepare(struct cgsolve *s)
{
    const bool values_there = s->on_device && s->stale == CGS_RUN_STALE_VALUES;
    if (!s->ready || (values_there && !cgs_run_caller_renews(&s->run, &s->there)))
        return set_up(s);
    return go_on(s);
}

/* Turns CG's outcome into a status of the run. */
static enum cgs_status judge(struct cgsolve *s)
{
    const struct cgs_cg_result *r = &s->report.result;
    if (r->outcome == CGS_OUTCOME_INTERRUPTED)
        return cgs_fail(&s->context, CGS_INTERRUPTED, "stopped by the caller after %lld iterations",
                        (long long)r->iterations);
    return cgs_run_judge(&s->context, &s->report);
}

/* A set-up that cannot be used again, or not for the same facts. */
static bool spent(const struct cgsolve *s)
{
    return !s->ready || !s->run.cg || s->options.settings.profile ||
           s->context.status == CGS_MEMORY || s->context.status == CGS_DEVICE ||
           s->context.status == CGS_BUG || s->context.status == CGS_LOST;
}

/* The context's status and message, as they were. */
static void say_again(struct cgs_context *context, const struct cgs_context *before)
{
    context->status = before->status;
    memcpy(context->message, before->message, sizeof context->message);
}

/* The end of a set-up or solve: what the run said is what the call says. */
static enum cgs_status conclude(struct cgsolve *s, enum cgs_status status)
{
    cgs_stopwatch_enter(&s->context.watch, CGS_PHASE_OUTPUT);
    if (s->open) /* else there was no machine yet */
        cgs_contention_stop("", &s->report.machine.contention);
    if (spent(s))
        cgs_library_close(s);
    if (status != CGS_OK) {
        say_again(&s->call, &s->context); /* with its ends of lines */
        s->call.status = status;
    }
    return status;
}

/* Fails for a vector that the run's backend cannot use: of another device, or of a device where
 * the host computes. */
static enum cgs_status check_place(struct cgsolve *s, const char *name, int64_t length,
                                   const double *vector)
{
    const bool part = s->matrix == CGS_LIBRARY_PART; /* whose vectors move between hosts */
    const struct cgs_rows_ops *ops = part ? NULL : s->run.machine.backend->rows;
    if (!vector || (ops && ops->holds(vector)))
        return CGS_OK;
    return cgs_library_check_place(
        &s->call, name, vector, length * (int64_t)sizeof *vector,
        part  ? ""
        : ops ? ", or of the device that computes (the option 'device' chooses another)"
              : "; those of a CUDA device are for solves on it: backend = cuda");
}

/* Fails for a handle, a matrix or vectors with which no solve can begin. */
static enum cgs_status check_solve(struct cgsolve *s, int64_t length, const double *b, bool from,
                                   const double *x)
{
    CGS_TRY(check_process(s));
    CGS_TRY(cgs_library_wants_matrix(s));
    CGS_TRY(cgs_library_check_ranks(s));
    if (from && !x && !is_without_rows(s))
        return cgs_fail(&s->call, CGS_USAGE, "x is NULL: expected a start vector");
    CGS_TRY(check_length(s, length, b || x));
    return check_vectors(s, b, from ? x : NULL);
}

/* Fails for vectors that do not fit what the set-up found. */
static enum cgs_status check_fit(struct cgsolve *s, int64_t length, const double *b,
                                 const double *x)
{
    CGS_TRY(check_length(s, length, b || x)); /* of a file known only now */
    CGS_TRY(check_place(s, "b", length, b));
    return check_place(s, "x", length, x);
}

static enum cgs_status solve(struct cgsolve *s, int64_t length, const double *b, bool from,
                             double *x, double *seconds)
{
    const double since = cgs_now();
    struct cgs_library_meeting meeting = {
        .function = from ? CGS_LIBRARY_SOLVE_FROM : CGS_LIBRARY_SOLVE, .b = b, .x = x};
    cgs_library_forget(s);
    CGS_TRY(cgs_library_meet(s, check_solve(s, length, b, from, x), &meeting));
    s->caller.rhs = meeting.b;
    s->caller.start = from ? meeting.x : NULL;
    s->caller.solution = (double *)meeting.x;
    enum cgs_status status = prepare(s);
    *seconds = cgs_now() - since;
    if (status == CGS_OK) {
        CGS_TRY(cgs_comm_agree(&s->call, check_fit(s, length, b, x)));
        status = cgs_run_answer(&s->run);
    }
    if (status == CGS_OK)
        status = judge(s);
    return conclude(s, status);
}

/* A solve, and its findings. */
static enum cgs_status solve_into(struct cgsolve *s, int64_t length, const double *b, bool from,
                                  double *x, struct cgsolve_result *result)
{
    double seconds = 0.0;
    solve(s, length, b, from, x, &seconds);
    cgs_threads_brief_end(&s->brief);
    s->caller.start = NULL; /* `rhs` stays: the report says that it was given */
    s->caller.solution = NULL;
    if (result) {
        cgs_library_result(s, result);
        result->status = (enum cgsolve_status)cgs_status_exit(s->call.status);
        result->setup_seconds = seconds;
    }
    return s->call.status;
}

/* from: the start vector stands in x. */
static enum cgsolve_status solve_one(struct cgsolve *s, const char *function, int64_t length,
                                     const double *b, bool from, double *x,
                                     struct cgsolve_result *result)
{
    struct cgs_library_call call;
    if (!cgs_library_begin(&call, s, function)) {
        if (result)
            cgs_library_result(NULL, result);
        return CGSOLVE_USAGE;
    }
    solve_into(s, length, b, from, x, result);
    return cgs_library_end(&call);
}

enum cgsolve_status cgsolve_solve(struct cgsolve *s, int64_t length, const double *b, double *x,
                                  struct cgsolve_result *result)
{
    return solve_one(s, "cgsolve_solve", length, b, false, x, result);
}

enum cgsolve_status cgsolve_solve_from(struct cgsolve *s, int64_t length, const double *b,
                                       double *x, struct cgsolve_result *result)
{
    return solve_one(s, "cgsolve_solve_from", length, b, true, x, result);
}

/* Returns the file that the option rhs names; NULL: none. */
static const char *rhs_file(const struct cgsolve *s)
{
    const char *rhs = s->matrix == CGS_LIBRARY_BOX ? NULL : s->values[CGS_OPTION_rhs];
    return rhs && strcmp(rhs, "random") != 0 && strcmp(rhs, "ones") != 0 ? rhs : NULL;
}

/* Goes on after a right-hand side that could not be solved, and says at the end why the first
 * was not. */
static void solve_all(struct cgsolve *s, int64_t count, int64_t length, const double *b, double *x,
                      struct cgsolve_result *results)
{
    struct cgs_context first = {.status = CGS_OK};
    s->run.turns = !b && rhs_file(s) ? count : 0;
    s->caller.several = count > 1 && s->matrix == CGS_LIBRARY_BOX;
    for (int64_t i = 0; i < count; i++) {
        s->run.turn = s->run.turns ? i : 0;
        struct cgsolve_result *result = results ? &results[i] : NULL;
        s->call.status = CGS_OK;
        s->call.message[0] = '\0';
        const enum cgs_status status = solve_into(s, length, b ? b + i * length : NULL, false,
                                                  x ? x + i * length : NULL, result);
        if (first.status == CGS_OK) {
            say_again(&first, &s->call);
            if (status != CGS_OK && status != CGS_USAGE && count > 1)
                cgs_fail_add(&first, " (right-hand side %lld of 0 ... %lld)", (long long)i,
                             (long long)count - 1);
        }
        if (status == CGS_USAGE || status == CGS_INTERRUPTED)
            break;
    }
    s->run.turns = s->run.turn = 0;
    s->caller.several = false;
    say_again(&s->call, &first);
}

/* Returns true if the vectors of b and x share memory, other than all of it. */
static bool overlap(const double *b, const double *x, int64_t count, int64_t length)
{
    const uintptr_t first = (uintptr_t)b, second = (uintptr_t)x;
    const uint64_t between = first < second ? second - first : first - second;
    return between > 0 && between / sizeof *b / (uint64_t)length < (uint64_t)count;
}

static enum cgs_status check_many(struct cgsolve *s, int64_t count, int64_t length, const double *b,
                                  const double *x)
{
    if (count < 1)
        return cgs_fail(&s->call, CGS_USAGE, "count = %lld: expected 1 or more", (long long)count);
    if (length > 0 && b && x && overlap(b, x, count, length))
        return cgs_fail(
            &s->call, CGS_USAGE,
            "b and x overlap: expected the same array, or two that have nothing in common");
    if (!is_without_rows(s) && ((!b && !rhs_file(s)) || !x))
        return cgs_fail(&s->call, CGS_USAGE, "%s is NULL: expected %lld vectors%s", x ? "b" : "x",
                        (long long)count, x ? ", or rhs set to a file of them" : "");
    return CGS_OK;
}

enum cgsolve_status cgsolve_rhs_count(struct cgsolve *s, int64_t *count)
{
    struct cgs_library_call call;
    if (!cgs_library_begin(&call, s, "cgsolve_rhs_count"))
        return CGSOLVE_USAGE;
    struct cgs_rhs_size size = {.vectors = 1};
    const char *file = rhs_file(s);
    if (!count)
        cgs_fail(&s->call, CGS_USAGE, "count is NULL: expected room for a number");
    else if (cgs_library_know_rows(s) == CGS_OK && file)
        cgs_run_head_rhs(&s->call, file,
                         s->ready                        ? cgs_run_all_rows(&s->run)
                         : s->matrix == CGS_LIBRARY_PART ? s->part.whole
                                                         : cgs_library_unknowns(s),
                         &size);
    if (s->call.status == CGS_OK)
        *count = size.vectors;
    return cgs_library_end(&call);
}

enum cgsolve_status cgsolve_solve_many(struct cgsolve *s, int64_t count, int64_t length,
                                       const double *b, double *x, struct cgsolve_result *results)
{
    struct cgs_library_call call;
    const bool there = cgs_library_begin(&call, s, "cgsolve_solve_many");
    for (int64_t i = 0; results && i < count; i++) /* of those that are not reached */
        cgs_library_result(NULL, &results[i]);
    if (!there)
        return CGSOLVE_USAGE;
    struct cgs_library_meeting meeting = {
        .function = CGS_LIBRARY_SOLVE_MANY, .count = count, .b = b, .x = x};
    if (cgs_library_meet(s, check_many(s, count, length, b, x), &meeting) == CGS_OK)
        solve_all(s, count, length, b, x, results);
    return cgs_library_end(&call);
}

enum cgsolve_status cgsolve_history(struct cgsolve *s, int64_t *count, const double **residuals)
{
    struct cgs_library_call call;
    if (!cgs_library_begin(&call, s, "cgsolve_history"))
        return CGSOLVE_USAGE;
    const struct cgs_cg_result *r = &s->report.result;
    if (!count || !residuals)
        cgs_fail(&s->call, CGS_USAGE, "%s is NULL: expected room for it",
                 count ? "residuals" : "count");
    else if (!s->reported || !s->report.has_result)
        cgs_fail(&s->call, CGS_USAGE, "there is no history: no solve has come to iterate");
    else {
        *count = r->iterations + 1;
        *residuals = r->history;
    }
    return cgs_library_end(&call);
}

enum cgsolve_status cgsolve_worst_row(struct cgsolve *s, double *ratio, int64_t *row)
{
    struct cgs_library_call call;
    if (!cgs_library_begin(&call, s, "cgsolve_worst_row"))
        return CGSOLVE_USAGE;
    const struct cgs_cg_rows *rows = &s->report.result.rows;
    if (!ratio || !row)
        cgs_fail(&s->call, CGS_USAGE, "%s is NULL: expected room for it", ratio ? "row" : "ratio");
    else if (!s->reported || !s->report.has_result)
        cgs_fail(&s->call, CGS_USAGE, "there is no worst row: no solve has come to iterate");
    else {
        *ratio = cgs_cg_rows_worst(rows);
        *row = rows->looked ? rows->row : -1;
    }
    return cgs_library_end(&call);
}

enum cgsolve_status cgsolve_setup(struct cgsolve *s)
{
    struct cgs_library_call call;
    if (!cgs_library_begin(&call, s, "cgsolve_setup"))
        return CGSOLVE_USAGE;
    struct cgs_library_meeting meeting = {.function = CGS_LIBRARY_SETUP};
    enum cgs_status status = check_process(s);
    if (status == CGS_OK)
        status = cgs_library_wants_matrix(s);
    if (status == CGS_OK)
        status = cgs_library_check_ranks(s);
    if (cgs_library_meet(s, status, &meeting) == CGS_OK &&
        (!s->ready || s->stale != CGS_RUN_FRESH)) {
        cgs_library_forget(s);
        s->caller.rhs = NULL;
        conclude(s, prepare(s));
        cgs_threads_brief_end(&s->brief);
    }
    return cgs_library_end(&call);
}

/* Fails for a handle or vectors with which there is no step in time. */
static enum cgs_status check_step(struct cgsolve *s, int64_t length, const double *u,
                                  bool without_b)
{
    CGS_TRY(check_process(s));
    CGS_TRY(cgs_library_wants_matrix(s));
    CGS_TRY(cgs_library_check_ranks(s));
    if (s->matrix != CGS_LIBRARY_BOX || !s->values[CGS_OPTION_reaction])
        return cgs_fail(&s->call, CGS_USAGE,
                        "a step in time is of a box with the option reaction: set it to 1 / dt");
    if (!u || without_b)
        return cgs_fail(&s->call, CGS_USAGE, "%s is NULL: expected %s", u ? "b" : "u",
                        u ? "room for a vector" : "a vector");
    return check_length(s, length, true);
}

/* Fails for vectors that do not fit what the set-up found. */
static enum cgs_status check_step_fit(struct cgsolve *s, int64_t length, const double *u,
                                      const double *b)
{
    CGS_TRY(check_length(s, length, true));
    CGS_TRY(check_place(s, "u", length, u));
    return check_place(s, "b", length, b);
}

/* Makes the right-hand side of a step from u, in b unless this is cgsolve_step, and before it the
 * set-up where that is not done. */
static enum cgs_status make_step(struct cgsolve *s, enum cgs_library_function function,
                                 int64_t length, const double *u, double *b)
{
    const bool without_b = function == CGS_LIBRARY_STEP_RHS && !b;
    struct cgs_library_meeting meeting = {.function = function, .x = u};
    enum cgs_status status = cgs_library_meet(s, check_step(s, length, u, without_b), &meeting);
    if (status == CGS_OK && (!s->ready || s->stale != CGS_RUN_FRESH)) {
        cgs_library_forget(s);
        s->caller.rhs = NULL;
        status = conclude(s, prepare(s));
        cgs_threads_brief_end(&s->brief);
    }
    if (status == CGS_OK)
        status = cgs_comm_agree(&s->call, check_step_fit(s, length, u, b));
    if (status == CGS_OK) {
        say_again(&s->context, &s->call); /* nothing */
        cgs_threads_brief_begin(s->context.threads, &s->brief);
        status = cgs_library_step(&s->run, &s->stepping, u, b);
        cgs_threads_brief_end(&s->brief);
        say_again(&s->call, &s->context);
        if (spent(s))
            cgs_library_close(s);
    }
    return status;
}

enum cgsolve_status cgsolve_step_rhs(struct cgsolve *s, int64_t length, const double *u, double *b)
{
    struct cgs_library_call call;
    if (!cgs_library_begin(&call, s, "cgsolve_step_rhs"))
        return CGSOLVE_USAGE;
    make_step(s, CGS_LIBRARY_STEP_RHS, length, u, b);
    return cgs_library_end(&call);
}

/* Returns false where fdm solves a box directly: it takes the same iteration from 0, without the
 * product that the residual of u needs. */
static bool starts_with_u(const struct cgsolve *s)
{
    const char *separable = s->report.preconditioning.separable;
    return !separable || strcmp(separable, "exact") != 0 || s->values[CGS_OPTION_guess];
}

enum cgsolve_status cgsolve_step(struct cgsolve *s, int64_t length, double *u,
                                 struct cgsolve_result *result)
{
    struct cgs_library_call call;
    const bool there = cgs_library_begin(&call, s, "cgsolve_step");
    if (result)
        cgs_library_result(NULL, result);
    if (!there)
        return CGSOLVE_USAGE;
    if (make_step(s, CGS_LIBRARY_STEP, length, u, NULL) == CGS_OK) {
        s->caller.several = true;
        solve_into(s, length, cgs_library_step_vector(&s->run, s->stepping), starts_with_u(s), u,
                   result);
        s->caller.several = false;
    }
    return cgs_library_end(&call);
}

const char *cgsolve_version(void)
{
    return cgs_version();
}
