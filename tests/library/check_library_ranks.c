/* libcgsolve on several ranks, threads of this process (tests/support/ranks.h), by the
 * communicator that a message-passing library would bring (core/library/join.h): a matrix cut
 * anywhere gives the bits of one process, one handle serves many solves, and what one rank has
 * wrong all ranks say, by the same words. */
#include <stdio.h>

#include "core/library/join.h"
#include "tests/library/elastic.h"
#include "tests/support/ranks.h"

enum { SIDE = 20, ROWS = SIDE * SIDE, SOLVES = 3, TEXT = 512, LONGEST = 400 };

/* ---- the system: a grid of SIDE x SIDE, and some far neighbours ---- */

static double weight(int64_t i, int64_t j)
{
    return 1.0 + 0.25 * (double)((i * j + i + j) % 7);
}

static bool joined(int64_t i, int64_t j)
{
    const int64_t far = i > j ? i - j : j - i;
    return (far == 1 && i / SIDE == j / SIDE) || far == SIDE || (far == 211 && (i + j) % 3 == 0);
}

static struct rows system_rows(double scale)
{
    struct rows a = rows_of(ROWS, 9 * (int64_t)ROWS);
    for (int i = 0; i < ROWS; i++) {
        double sum = 0.05 * (1 + i % 5);
        for (int j = 0; j < ROWS; j++)
            sum += joined(i, j) ? weight(i, j) : 0.0;
        for (int j = 0; j < ROWS; j++)
            if (i == j || joined(i, j))
                rows_add(&a, i, j, scale * (i == j ? sum : -weight(i, j)));
    }
    return a;
}

/* ---- a task, and what ranks make of it ---- */

struct task {
    const int *cuts; /* ranks + 1; the caller's */
    const char *const (*options)[2];
    const struct rows *a;
    int64_t *columns; /* of a, in 64 bits */
    bool whole;       /* the matrix is given as a whole, to one process */
    double b[ROWS], x[SOLVES][ROWS], history[SOLVES][LONGEST];
    int64_t iterations[SOLVES];
};

static const char *never_unfit(const struct cgs_comm *comm)
{
    (void)comm;
    return NULL;
}

static void keep_comm(struct cgs_comm *comm)
{
    (void)comm;
}

/* A handle of the rank, with the task's options. */
static struct cgsolve *rank_handle(struct cgs_context *context, const struct task *task)
{
    struct cgsolve *s = handle();
    option(s, "threads", "1");
    option(s, "tol", "1e-9");
    for (int i = 0; task->options && task->options[i][0]; i++)
        option(s, task->options[i][0], task->options[i][1]);
    const struct cgs_join join = {
        .build = CGS_JOIN_BUILD, .comm = context->comm, .unfit = never_unfit, .release = keep_comm};
    if (context->comm)
        solved(cgsolve_join_ranks(s, "test", CGSOLVE_OK, NULL, &join));
    return s;
}

static int rank_of(const struct cgs_context *context)
{
    return context->comm ? context->comm->rank : 0;
}

/* This rank's rows. pointers: begin at 0, owned by the caller. */
struct part {
    int64_t first, rows, nonzeros, *pointers, *columns;
    double *values;
};

static struct part take_part(const struct cgs_context *context, const struct task *task)
{
    const int r = rank_of(context);
    const struct rows *a = task->a;
    struct part p = {.first = task->cuts[r], .rows = task->cuts[r + 1] - task->cuts[r]};
    const int64_t begin = a->pointers[p.first];
    p.nonzeros = a->pointers[p.first + p.rows] - begin;
    p.pointers = calloc((size_t)p.rows + 1, sizeof *p.pointers);
    for (int64_t i = 0; i <= p.rows; i++)
        p.pointers[i] = a->pointers[p.first + i] - begin;
    p.columns = malloc((size_t)(p.nonzeros + 1) * sizeof *p.columns);
    p.values = malloc((size_t)(p.nonzeros + 1) * sizeof *p.values);
    memcpy(p.columns, task->columns + begin, (size_t)p.nonzeros * sizeof *p.columns);
    memcpy(p.values, a->values + begin, (size_t)p.nonzeros * sizeof *p.values);
    return p;
}

static void drop_part(struct part *p)
{
    free(p->pointers);
    free(p->columns);
    free(p->values);
}

static enum cgsolve_status give_part(struct cgsolve *s, const struct part *p)
{
    return cgsolve_matrix_distributed(s, p->first, p->rows, p->nonzeros,
                                      p->rows ? p->pointers : NULL, p->columns, p->values);
}

static void keep_history(struct cgsolve *s, struct task *task, int solve)
{
    int64_t count;
    const double *residuals;
    solved(cgsolve_history(s, &count, &residuals));
    ck_assert_int_le(count, LONGEST);
    task->iterations[solve] = count - 1;
    memcpy(task->history[solve], residuals, (size_t)count * sizeof *residuals);
}

/* Solutions are shown while ranks solve, which changes no bit; the last one is x. */
static int keep_solution(void *seen, int64_t iteration, double relative_residual, int64_t length,
                         const double *x)
{
    (void)iteration, (void)relative_residual;
    memcpy(seen, x, (size_t)length * sizeof *x);
    return 1;
}

/* The matrix as one process gives it, or as ranks do, and three solves: from zero, from that
 * answer with another tolerance, and from zero with other values. */
static void solve_three(struct cgs_context *context, void *user)
{
    struct task *task = user;
    struct cgsolve *s = rank_handle(context, task);
    struct part p = take_part(context, task);
    struct cgsolve_result result;
    const int64_t first = p.first, rows = p.rows;
    double *b = rows ? task->b + first : NULL, seen[ROWS];
    if (task->whole) {
        hand_over(s, task->a);
    } else {
        solved(give_part(s, &p));
        solved(cgsolve_watch_solution(s, keep_solution, seen));
    }
    ck_assert_int_eq(unknowns_of(s), rows);
    solved(cgsolve_solve(s, rows, b, rows ? task->x[0] + first : NULL, &result));
    ck_assert_int_eq(result.unknowns, ROWS);
    ck_assert(result.true_relative_residual < 1e-4);
    if (!task->whole)
        ck_assert(memcmp(seen, task->x[0] + first, (size_t)rows * sizeof *b) == 0);
    if (rank_of(context) == 0)
        keep_history(s, task, 0);
    option(s, "tol", "1e-11");
    memcpy(task->x[1] + first, task->x[0] + first, (size_t)rows * sizeof *b);
    const enum cgsolve_status status =
        cgsolve_solve_from(s, rows, b, rows ? task->x[1] + first : NULL, NULL);
    ck_assert_msg(status == CGSOLVE_OK || status == CGSOLVE_NOT_CONVERGED, "%s", cgsolve_message());
    if (rank_of(context) == 0)
        keep_history(s, task, 1);
    for (int64_t k = 0; k < p.nonzeros; k++)
        p.values[k] *= 4.0;
    double *scaled = malloc((size_t)(ROWS * 9) * sizeof *scaled);
    for (int64_t k = 0; k < task->a->pointers[ROWS]; k++)
        scaled[k] = 4.0 * task->a->values[k];
    option(s, "tol", "1e-9");
    if (task->whole)
        solved(cgsolve_matrix_values(s, task->a->pointers[ROWS], scaled));
    else
        solved(cgsolve_matrix_values(s, p.nonzeros, p.values));
    solved(cgsolve_solve(s, rows, b, rows ? task->x[2] + first : NULL, NULL));
    if (rank_of(context) == 0)
        keep_history(s, task, 2);
    ck_assert_int_eq(cgsolve_destroy(&s), CGSOLVE_OK);
    free(scaled);
    drop_part(&p);
}

static void task_start(struct task *task, const struct rows *a)
{
    *task = (struct task){.a = a, .columns = malloc((size_t)a->pointers[ROWS] * sizeof(int64_t))};
    for (int64_t k = 0; k < a->pointers[ROWS]; k++)
        task->columns[k] = a->columns[k];
    for (int i = 0; i < ROWS; i++)
        task->b[i] = some(i);
}

/* ---- the bits of one process ---- */

static const char *const plain[][2] = {{"format", "crs"}, {NULL, NULL}};
static const char *const jacobi[][2] = {{"format", "sell"}, {"precond", "jacobi"}, {NULL, NULL}};
static const char *const chebyshev[][2] = {
    {"kernel", "crs_row"}, {"precond", "chebyshev"}, {"precision", "mixed"}, {NULL, NULL}};
static const char *const compressed[][2] = {
    {"format", "sellc"}, {"precond", "jacobi"}, {"cg", "single-reduction"}, {NULL, NULL}};
static const char *const sorted[][2] = {
    {"format", "sell"}, {"chunk", "4"}, {"sigma", "16"}, {"precond", "jacobi"}, {NULL, NULL}};
static const char *const single[][2] = {{"format", "crs"},
                                        {"precision", "single"},
                                        {"tol", "1e-5"},
                                        {"precond", "jacobi"},
                                        {NULL, NULL}};
static const char *const (*const settings[])[2] = {plain,      jacobi, chebyshev,
                                                   compressed, sorted, single};

static const int whole[] = {0, ROWS};

/* Cuts of callers: even, uneven, ranks without rows at either end and between, all rows on one
 * rank. */
static const struct {
    int ranks, cuts[TEAM_MOST + 1];
} cut_list[] = {
    {1, {0, ROWS}},           {2, {0, 200, ROWS}},
    {2, {0, 1, ROWS}},        {2, {0, ROWS, ROWS}},
    {3, {0, 0, 0, ROWS}},     {3, {0, 133, 133, ROWS}},
    {3, {0, 128, 256, ROWS}}, {7, {0, 0, 3, 250, 250, 251, 399, ROWS}},
};

static void assert_same_bits(const struct task *one, const struct task *many, int cut)
{
    for (int k = 0; k < SOLVES; k++) {
        ck_assert_msg(one->iterations[k] == many->iterations[k],
                      "cut %d, solve %d: %lld iterations, not %lld", cut, k,
                      (long long)many->iterations[k], (long long)one->iterations[k]);
        ck_assert_msg(memcmp(one->history[k], many->history[k],
                             (size_t)(one->iterations[k] + 1) * sizeof **one->history) == 0,
                      "cut %d, solve %d: the history is another", cut, k);
        ck_assert_msg(memcmp(one->x[k], many->x[k], sizeof one->x[k]) == 0,
                      "cut %d, solve %d: x is another", cut, k);
    }
}

LOOP_TEST(any_cut_has_the_bits_of_one_process, sizeof settings / sizeof settings[0])
{
    struct rows a = system_rows(1.0);
    static struct task one, many;
    task_start(&one, &a);
    one.cuts = whole;
    one.whole = true;
    one.options = settings[_i];
    team_run(1, solve_three, &one);
    for (size_t i = 0; i < sizeof cut_list / sizeof cut_list[0]; i++) {
        task_start(&many, &a);
        many.cuts = cut_list[i].cuts;
        many.options = settings[_i];
        team_run(cut_list[i].ranks, solve_three, &many);
        assert_same_bits(&one, &many, (int)i);
        free(many.columns);
    }
    free(one.columns);
    rows_free(&a);
}

/* ---- near-null vectors ---- */

static const char *const amg[][2] = {
    {"kernel", "crs_row"}, {"precond", "amg"}, {"block", "3"}, {NULL, NULL}};

enum { AGAIN = 2 };

struct body {
    struct task task;
    struct elastic e;
    double *x[AGAIN];
    int64_t iterations[AGAIN];
};

/* Returns the rows of a part of the rigid-body modes, one after the other; NULL: it has none. */
static double *take_modes(const struct elastic *e, const struct part *p)
{
    if (p->rows == 0)
        return NULL;
    double *modes = malloc((size_t)(ELASTIC_MODES * p->rows) * sizeof *modes);
    for (int k = 0; k < ELASTIC_MODES; k++)
        memcpy(modes + k * p->rows, e->modes + k * e->a.rows + p->first,
               (size_t)p->rows * sizeof *modes);
    return modes;
}

/* Solves, and again with other values. */
static void solve_body(struct cgs_context *context, void *user)
{
    struct body *body = user;
    struct cgsolve *s = rank_handle(context, &body->task);
    struct part p = take_part(context, &body->task);
    double *modes = take_modes(&body->e, &p), *b = malloc((size_t)(p.rows + 1) * sizeof *b);
    for (int64_t i = 0; i < p.rows; i++)
        b[i] = some((int)(p.first + i));
    if (body->task.whole)
        hand_over(s, &body->e.a);
    else
        solved(give_part(s, &p));
    solved(cgsolve_near_null(s, ELASTIC_MODES, p.rows, modes));
    for (int k = 0; k < AGAIN; k++) {
        struct cgsolve_result result;
        for (int64_t e = 0; e < p.nonzeros && k > 0; e++)
            p.values[e] *= 4.0;
        if (k > 0)
            solved(cgsolve_matrix_values(s, p.nonzeros, p.values));
        solved(cgsolve_solve(s, p.rows, b, body->x[k] + p.first, &result));
        if (rank_of(context) == 0)
            body->iterations[k] = result.iterations;
    }
    ck_assert_int_eq(cgsolve_destroy(&s), CGSOLVE_OK);
    free(b);
    free(modes);
    drop_part(&p);
}

static void body_start(struct body *body, const int *cuts)
{
    const int64_t entries = body->e.a.pointers[body->e.a.rows];
    body->task = (struct task){.a = &body->e.a,
                               .options = amg,
                               .cuts = cuts,
                               .columns = malloc((size_t)entries * sizeof(int64_t))};
    for (int64_t k = 0; k < entries; k++)
        body->task.columns[k] = body->e.a.columns[k];
    for (int k = 0; k < AGAIN; k++)
        body->x[k] = calloc((size_t)body->e.a.rows, sizeof *body->x[k]);
}

static void body_free(struct body *body)
{
    free(body->task.columns);
    for (int k = 0; k < AGAIN; k++)
        free(body->x[k]);
}

/* Elasticity with its rigid-body modes, where the caller's cuts cut nodes, too, and ranks share a
 * coarse grid. One process takes sums of coarse grids by nodes, so that x differs in rounding. */
TEST(near_null_vectors_of_parts)
{
    static struct body one, many;
    one.e = many.e = elastic_make(10);
    const int rows = (int)one.e.a.rows, all[] = {0, rows};
    const int cuts[][5] = {{0, 500, rows}, {0, 0, 1, rows}, {0, 200, 200, 701, rows}};
    body_start(&one, all);
    one.task.whole = true;
    team_run(1, solve_body, &one);
    for (int i = 0; i < 3; i++) {
        body_start(&many, cuts[i]);
        team_run(2 + i, solve_body, &many);
        for (int k = 0; k < AGAIN; k++) {
            ck_assert_int_eq(many.iterations[k], one.iterations[k]);
            ck_assert_int_le(many.iterations[k], 25);
            for (int row = 0; row < rows; row++)
                ck_assert_double_eq_tol(many.x[k][row], one.x[k][row], 1e-7);
        }
        body_free(&many);
    }
    body_free(&one);
    elastic_free(&one.e);
}

/* ---- what is wrong on one rank is said by all ---- */

enum { WRONG = 1, TRIO = 3 }; /* the rank that is wrong, of so many */

static const int trio[] = {0, 130, 262, ROWS};

/* A fault of one rank, and what all ranks say then. */
struct fault {
    void (*spoil)(struct part *p, struct cgsolve *s, bool wrong); /* the part */
    enum cgsolve_status (*call)(struct cgsolve *s, const struct part *p,
                                bool wrong); /* then; NULL: a solve */
    enum cgsolve_status status;
    const char *message;
};

static double b_of_rank[TRIO][ROWS], x_of_rank[TRIO][ROWS];
static _Thread_local double *local_b, *local_x;

/* Spoils entry 40 of the part, which is in its row 8 or so. */
static void column_out_of_range(struct part *p, struct cgsolve *s, bool wrong)
{
    (void)s;
    p->columns[40] = wrong ? ROWS : p->columns[40];
}

static void column_twice(struct part *p, struct cgsolve *s, bool wrong)
{
    (void)s;
    p->columns[40] = wrong ? p->columns[39] : p->columns[40];
}

static void value_infinite(struct part *p, struct cgsolve *s, bool wrong)
{
    (void)s;
    p->values[40] = wrong ? (double)INFINITY : p->values[40];
}

static void value_of_one_triangle(struct part *p, struct cgsolve *s, bool wrong)
{
    (void)s;
    p->values[p->pointers[1] - 1] += wrong ? 0.125 : 0.0;
}

static void pointers_descend(struct part *p, struct cgsolve *s, bool wrong)
{
    (void)s;
    p->pointers[7] = wrong ? p->nonzeros + 1 : p->pointers[7];
}

static void rows_in_common(struct part *p, struct cgsolve *s, bool wrong)
{
    (void)s;
    p->first -= wrong ? 3 : 0;
}

static void rows_missing(struct part *p, struct cgsolve *s, bool wrong)
{
    (void)s;
    p->first += wrong ? 3 : 0;
}

static void no_columns(struct part *p, struct cgsolve *s, bool wrong)
{
    (void)s;
    free(wrong ? p->columns : NULL);
    p->columns = wrong ? NULL : p->columns;
}

static void other_option(struct part *p, struct cgsolve *s, bool wrong)
{
    (void)p;
    option(s, "precond", wrong ? "jacobi" : "none");
}

static void other_measure(struct part *p, struct cgsolve *s, bool wrong)
{
    (void)p;
    solved(cgsolve_measure(s, wrong));
}

static void own_threads(struct part *p, struct cgsolve *s, bool wrong)
{
    (void)p;
    option(s, "threads", wrong ? "2" : "1");
}

static void few_iterations(struct part *p, struct cgsolve *s, bool wrong)
{
    (void)p;
    (void)wrong;
    option(s, "max-iterations", "3");
}

static void little_memory(struct part *p, struct cgsolve *s, bool wrong)
{
    (void)p;
    (void)wrong;
    option(s, "memory-limit", "9K");
}

static void partition(struct part *p, struct cgsolve *s, bool wrong)
{
    (void)p;
    (void)wrong;
    option(s, "partition", "metis");
}

static void blocks(struct part *p, struct cgsolve *s, bool wrong)
{
    (void)p;
    (void)wrong;
    option(s, "precond", "jacobi");
    option(s, "block", "4");
}

static void reuse(struct part *p, struct cgsolve *s, bool wrong)
{
    (void)p;
    (void)wrong;
    option(s, "precond", "amg");
    option(s, "reuse", "pattern");
}

static int stop_at_once(void *user, int64_t iteration, double relative_residual)
{
    (void)user;
    (void)relative_residual;
    return iteration < 4;
}

static void watched(struct part *p, struct cgsolve *s, bool wrong)
{
    (void)p;
    option(s, "check-every", "4");
    solved(cgsolve_watch(s, wrong ? stop_at_once : NULL, NULL));
}

static void other_watch(struct part *p, struct cgsolve *s, bool wrong)
{
    (void)p;
    solved(cgsolve_watch_solution(s, wrong ? keep_solution : NULL, NULL));
}

static _Thread_local double near_null[2 * ROWS];

/* Gives two vectors, or one, whose last `zeros` numbers are 0. */
static void give_near_null(struct cgsolve *s, int count, int64_t rows, int64_t zeros)
{
    for (int64_t i = 0; i < count * rows; i++)
        near_null[i] = i < count * rows - zeros;
    option(s, "precond", "amg");
    solved(cgsolve_near_null(s, count, rows, near_null));
}

static void other_near_null(struct part *p, struct cgsolve *s, bool wrong)
{
    give_near_null(s, 1 + wrong, p->rows, 0);
}

static void short_near_null(struct part *p, struct cgsolve *s, bool wrong)
{
    give_near_null(s, 1, p->rows - wrong, 0);
}

static void near_null_of_nan(struct part *p, struct cgsolve *s, bool wrong)
{
    give_near_null(s, 1, p->rows, 0);
    near_null[3] = wrong ? (double)NAN : 1.0;
}

static void near_null_of_zeros(struct part *p, struct cgsolve *s, bool wrong)
{
    (void)wrong;
    give_near_null(s, 2, p->rows, p->rows);
}

static int stop_on_rank_1(void *wrong, int64_t iteration, double relative_residual, int64_t length,
                          const double *x)
{
    (void)relative_residual, (void)length, (void)x;
    return !wrong || iteration < 4;
}

static void watched_solution(struct part *p, struct cgsolve *s, bool wrong)
{
    solved(cgsolve_watch_solution(s, stop_on_rank_1, wrong ? p : NULL));
}

static int product(void *user, int64_t length, const double *x, double *y)
{
    (void)user;
    memcpy(y, x, (size_t)length * sizeof *y);
    return 0;
}

static void preconditioner(struct part *p, struct cgsolve *s, bool wrong)
{
    (void)p;
    solved(cgsolve_preconditioner(s, wrong ? product : NULL, NULL));
}

static enum cgsolve_status call_solve(struct cgsolve *s, const struct part *p, bool wrong)
{
    (void)wrong;
    return cgsolve_solve(s, p->rows, local_b, local_x, NULL);
}

static enum cgsolve_status call_with_other_length(struct cgsolve *s, const struct part *p,
                                                  bool wrong)
{
    return cgsolve_solve(s, p->rows - wrong, local_b, local_x, NULL);
}

static enum cgsolve_status call_without_b(struct cgsolve *s, const struct part *p, bool wrong)
{
    return cgsolve_solve(s, p->rows, wrong ? NULL : local_b, local_x, NULL);
}

static enum cgsolve_status call_without_x(struct cgsolve *s, const struct part *p, bool wrong)
{
    return cgsolve_solve(s, p->rows, local_b, wrong ? NULL : local_x, NULL);
}

static enum cgsolve_status call_with_nan(struct cgsolve *s, const struct part *p, bool wrong)
{
    local_b[5] = wrong ? (double)NAN : local_b[5];
    const enum cgsolve_status status = cgsolve_solve(s, p->rows, local_b, local_x, NULL);
    local_b[5] = 0.5;
    return status;
}

static enum cgsolve_status call_another(struct cgsolve *s, const struct part *p, bool wrong)
{
    return wrong ? cgsolve_setup(s) : call_solve(s, p, wrong);
}

static enum cgsolve_status call_with_other_count(struct cgsolve *s, const struct part *p,
                                                 bool wrong)
{
    return cgsolve_solve_many(s, 1 + wrong, p->rows, local_b, local_x, NULL);
}

static enum cgsolve_status call_with_other_values(struct cgsolve *s, const struct part *p,
                                                  bool wrong)
{
    return cgsolve_matrix_values(s, p->nonzeros + wrong, p->values);
}

static enum cgsolve_status call_after_change(struct cgsolve *s, const struct part *p, bool wrong)
{
    const int64_t column = p->columns[40];
    p->columns[40] = wrong ? -1 : column;
    const enum cgsolve_status status = call_solve(s, p, wrong);
    p->columns[40] = column;
    return status;
}

static enum cgsolve_status call_with_whole(struct cgsolve *s, const struct part *p, bool wrong)
{
    struct rows a = rows_tridiagonal(9);
    hand_over(s, &a);
    (void)p;
    (void)wrong;
    const enum cgsolve_status status = cgsolve_setup(s);
    rows_free(&a);
    return status;
}

static enum cgsolve_status call_with_function(struct cgsolve *s, const struct part *p, bool wrong)
{
    (void)wrong;
    solved(cgsolve_matrix_operator(s, p->rows, product, NULL));
    return call_solve(s, p, wrong);
}

static const struct fault faults[] = {
    {column_out_of_range, NULL, CGSOLVE_INPUT,
     "rank 1: row 137: columns[40] = 400 is out of range: expected 0 ... 399"},
    {column_twice, NULL, CGSOLVE_INPUT, "rank 1: row 137: columns[40] = "},
    {value_infinite, NULL, CGSOLVE_INPUT,
     "rank 1: row 137: values[40] is inf: expected finite numbers"},
    {pointers_descend, NULL, CGSOLVE_INPUT, "rank 1: row 136: pointers go from "},
    {rows_in_common, NULL, CGSOLVE_INPUT,
     "rank 1: its rows begin at 127, and those of the ranks before end before 130: expected ranges "
     "without rows in common"},
    {rows_missing, NULL, CGSOLVE_INPUT,
     "rank 1: its rows begin at 133, and those of the ranks before end before 130: expected ranges "
     "without rows between them"},
    {no_columns, NULL, CGSOLVE_USAGE, "rank 1: columns is NULL: expected an array"},
    {value_of_one_triangle, call_solve, CGSOLVE_BREAKDOWN, "not symmetric"},
    {other_option, call_solve, CGSOLVE_USAGE,
     "rank 1 has another value of the option 'precond' than rank 0: set the same on all ranks"},
    {other_measure, call_solve, CGSOLVE_USAGE,
     "rank 1 has another kind of matrix, or of cgsolve_measure, cgsolve_watch_solution or "
     "cgsolve_near_null, than rank 0"},
    {other_watch, call_solve, CGSOLVE_USAGE, "or of cgsolve_measure, cgsolve_watch_solution or"},
    {other_near_null, call_solve, CGSOLVE_USAGE, "cgsolve_near_null, than rank 0"},
    {near_null_of_nan, call_solve, CGSOLVE_INPUT, "rank 1: vectors[3] is nan"},
    {near_null_of_zeros, call_solve, CGSOLVE_USAGE, "near-null vector 2 of the caller is 0"},
    {short_near_null, call_solve, CGSOLVE_USAGE,
     "rank 1: near-null vectors of length 131, but the matrix has 132 rows here"},
    {watched_solution, call_solve, CGSOLVE_INTERRUPTED, "stopped by the caller after 4 iterations"},
    {own_threads, call_solve, CGSOLVE_OK, ""},
    {few_iterations, call_solve, CGSOLVE_NOT_CONVERGED, "not converged"},
    {little_memory, call_solve, CGSOLVE_MEMORY, "memory"},
    {partition, call_solve, CGSOLVE_USAGE, "partition = metis renumbers rows"},
    {blocks, call_solve, CGSOLVE_USAGE,
     "block of precond=jacobi does not work on several ranks yet: leave it out"},
    {reuse, call_solve, CGSOLVE_USAGE, "reuse does not work on several ranks yet: take reuse=none"},
    {watched, call_solve, CGSOLVE_INTERRUPTED, "stopped by the caller after "},
    {preconditioner, call_solve, CGSOLVE_USAGE,
     "rank 1: a preconditioner of the caller's does not work"},
    {NULL, call_with_other_length, CGSOLVE_USAGE,
     "rank 1: vectors of length 131, but the matrix has 132 rows"},
    {NULL, call_without_b, CGSOLVE_USAGE,
     "rank 1: b is NULL: expected a right-hand side of 132 numbers"},
    {NULL, call_without_x, CGSOLVE_USAGE, "rank 1: x is NULL, and rank 0 has one"},
    {NULL, call_with_nan, CGSOLVE_INPUT, "rank 1: b[5] is nan: expected finite numbers"},
    {NULL, call_another, CGSOLVE_USAGE, "rank 1 is in cgsolve_setup and rank 0 in cgsolve_solve"},
    {NULL, call_with_other_count, CGSOLVE_USAGE, "rank 1 has count = 2 and rank 0 1"},
    {NULL, call_with_other_values, CGSOLVE_USAGE, "entries on this rank: expected as many"},
    {NULL, call_after_change, CGSOLVE_INPUT,
     "rank 1: row 137: columns[40] = -1 is out of range: expected 0 ... 399 (the arrays have "
     "changed since they were given)"},
    {NULL, call_with_whole, CGSOLVE_USAGE,
     "the matrix is that of one process, and the handle has 3 ranks"},
    {NULL, call_with_function, CGSOLVE_USAGE,
     "the matrix is that of one process, and the handle has 3 ranks"},
};

/* A fault, and the status and message of each rank. */
struct trial {
    const struct task *task;
    const struct fault *fault;
    enum cgsolve_status status[TRIO];
    char said[TRIO][TEXT];
};

static void start_trial(struct cgs_context *context)
{
    local_b = b_of_rank[context->comm->rank];
    local_x = x_of_rank[context->comm->rank];
    for (int i = 0; i < ROWS; i++) {
        local_b[i] = some(i);
        local_x[i] = 7.0;
    }
}

static void fail_once(struct cgs_context *context, void *user)
{
    struct trial *trial = user;
    const int rank = context->comm->rank;
    const bool wrong = rank == WRONG;
    struct cgsolve *s = rank_handle(context, trial->task);
    struct part p = take_part(context, trial->task), right = take_part(context, trial->task);
    start_trial(context);
    if (trial->fault->spoil)
        trial->fault->spoil(&p, s, wrong);
    enum cgsolve_status status = give_part(s, &p);
    if (status == CGSOLVE_OK && trial->fault->call)
        status = trial->fault->call(s, &p, wrong);
    trial->status[rank] = status;
    snprintf(trial->said[rank], TEXT, "%s", cgsolve_message());
    if (status != CGSOLVE_OK && status != CGSOLVE_NOT_CONVERGED && status != CGSOLVE_INTERRUPTED)
        for (int i = 0; i < ROWS; i++)
            ck_assert_double_eq(local_x[i], 7.0);
    /* The handle is of use again. */
    static const char *const taken_back[] = {"precond",   "max-iterations", "memory-limit",
                                             "partition", "block",          "reuse"};
    for (size_t i = 0; i < sizeof taken_back / sizeof *taken_back; i++)
        option(s, taken_back[i], NULL);
    solved(cgsolve_watch(s, NULL, NULL));
    solved(cgsolve_watch_solution(s, NULL, NULL));
    solved(cgsolve_preconditioner(s, NULL, NULL));
    solved(cgsolve_near_null(s, 0, 0, NULL));
    solved(cgsolve_measure(s, 0));
    solved(give_part(s, &right));
    solved(cgsolve_solve(s, right.rows, local_b, local_x, NULL));
    ck_assert_int_eq(cgsolve_destroy(&s), CGSOLVE_OK);
    drop_part(&p);
    drop_part(&right);
}

TEST(all_ranks_say_the_same)
{
    struct rows a = system_rows(1.0);
    static struct task task;
    task_start(&task, &a);
    task.cuts = trio;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct trial trial = {.task = &task, .fault = &faults[i]};
        team_run(TRIO, fail_once, &trial);
        for (int r = 0; r < TRIO; r++) {
            ck_assert_msg(trial.status[r] == faults[i].status, "fault %d, rank %d: %s: %s", (int)i,
                          r, cgsolve_status_text(trial.status[r]), trial.said[r]);
            ck_assert_msg(strstr(trial.said[r], faults[i].message) != NULL,
                          "fault %d: '%s' lacks '%s'", (int)i, trial.said[r], faults[i].message);
            ck_assert_str_eq(trial.said[r], trial.said[0]);
        }
    }
    free(task.columns);
    rows_free(&a);
}

/* ---- steps in time ---- */

enum { HEAT = 7 * 5 * 8, STEPS = 3 };

static const char *const heat[][2] = {
    {"cells", "6x6x7"},           {"source", "1+x"},   {"face", "x0:flux"},
    {"face", "x1:h=2,ambient=1"}, {"face", "z0:flux"}, {"face", "z1:flux"},
    {"reaction", "8+y"},          {"format", "none"},  {NULL, NULL}};

/* Solutions of ranks, each at its place: of steps, and of a solve with the right-hand side of a
 * step. */
struct march {
    struct task task;
    const char *precond;
    double u[2][HEAT];
};

static void march(struct cgs_context *context, void *user)
{
    struct march *m = user;
    const bool last = !context->comm || context->comm->rank == context->comm->size - 1;
    struct cgsolve *s = rank_handle(context, &m->task);
    int64_t first, rows;
    double b[HEAT], u[HEAT];
    option(s, "precond", m->precond);
    solved(cgsolve_matrix_box(s));
    solved(cgsolve_setup(s));
    solved(cgsolve_first_row(s, &first));
    solved(cgsolve_unknowns(s, &rows));
    ck_assert(!last || first + rows == HEAT);
    for (int64_t i = 0; i < rows; i++)
        u[i] = some((int)(first + i));
    for (int step = 0; step < STEPS; step++)
        solved(cgsolve_step(s, rows, u, NULL));
    memcpy(m->u[0] + first, u, (size_t)rows * sizeof *u);
    solved(cgsolve_step_rhs(s, rows, u, b));
    solved(cgsolve_solve(s, rows, b, m->u[1] + first, NULL));
    /* All ranks say what one has wrong. */
    if (context->comm) {
        u[0] = last ? NAN : u[0];
        ck_assert_int_eq(cgsolve_step_rhs(s, rows, u, b), CGSOLVE_INPUT);
        ck_assert_ptr_nonnull(strstr(cgsolve_message(), "u[0] is"));
        ck_assert_int_eq(cgsolve_step_rhs(s, rows, u, last ? NULL : b), CGSOLVE_USAGE);
        ck_assert_ptr_nonnull(strstr(cgsolve_message(), "b is NULL"));
        ck_assert_int_eq(last ? cgsolve_setup(s) : cgsolve_step(s, rows, u, NULL), CGSOLVE_USAGE);
        ck_assert_ptr_nonnull(strstr(cgsolve_message(), "in cgsolve_s"));
        option(s, "format", "crs");
        solved(cgsolve_setup(s));
        solved(cgsolve_unknowns(s, &rows)); /* another cut */
        ck_assert_int_eq(cgsolve_step(s, rows, b, NULL), CGSOLVE_USAGE);
        ck_assert_ptr_nonnull(strstr(cgsolve_message(), "format = none"));
    }
    ck_assert_int_eq(cgsolve_destroy(&s), CGSOLVE_OK);
}

/* Iterations from u (jacobi) and from 0 (fdm). */
TEST(steps_have_the_bits_of_one_process)
{
    static struct march alone, all;
    for (int fdm = 0; fdm < 2; fdm++) {
        alone = (struct march){.task.options = heat, .precond = fdm ? "fdm" : "jacobi"};
        all = alone;
        team_run(1, march, &alone);
        team_run(TRIO, march, &all);
        ck_assert_int_eq(memcmp(all.u, alone.u, sizeof all.u), 0);
    }
}

/* ---- cells of higher order ---- */

enum { HIGH = 5 * 5 * 11 }; /* unknowns of order 3 at most */

static const char *const plain_high[][2] = {
    {"cells", "2x2x4"}, {"order", "3"}, {"problem", "smooth"}, {"precond", "mg"}, {NULL, NULL}};
static const char *const jumping_high[][2] = {
    {"cells", "2x2x4"},      {"order", "3"},      {"problem", "smooth"}, {"kappa", "jump:5"},
    {"quadrature", "gauss"}, {"precond", "auto"}, {NULL, NULL}};
static const char *const direct_high[][2] = {
    {"cells", "2x2x4"}, {"order", "3"}, {"problem", "smooth"}, {"precond", "fdm"}, {NULL, NULL}};
static const char *const own_high[][2] = {
    {"cells", "2x2x3"},  {"order", "3"},     {"source", "1"},   {"kappa", "1+x,2,1+z"},
    {"face", "z0:flux"}, {"face", "z1:h=2"}, {"reaction", "2"}, {NULL, NULL}};
static const char *const rows_high[][2] = {
    {"cells", "2x2x4"}, {"order", "3"},    {"source", "1"},      {"kappa", "1+x,2,1+z"},
    {"format", "crs"},  {"precond", "mg"}, {"whole-grids", "0"}, {NULL, NULL}};
static const char *const (*const highs[])[2] = {plain_high, jumping_high, direct_high, own_high,
                                                rows_high};
enum { HIGHS = sizeof highs / sizeof *highs };

/* Solutions of ranks, each at its place, with a load of the caller's. */
struct high {
    struct task task;
    double u[HIGH];
};

static void solve_high(struct cgs_context *context, void *user)
{
    struct high *h = user;
    struct cgsolve *s = rank_handle(context, &h->task);
    int64_t first, rows;
    double b[HIGH];
    solved(cgsolve_matrix_box(s));
    solved(cgsolve_setup(s));
    solved(cgsolve_first_row(s, &first));
    solved(cgsolve_unknowns(s, &rows));
    if (h->task.options != rows_high)
        ck_assert_int_eq(first % (3 * 5 * 5), 0);
    for (int64_t i = 0; i < rows; i++)
        b[i] = some((int)(first + i));
    solved(cgsolve_solve(s, rows, b, h->u + first, NULL));
    ck_assert_int_eq(cgsolve_destroy(&s), CGSOLVE_OK);
}

LOOP_TEST(cells_of_higher_order_have_the_bits_of_one_process, HIGHS)
{
    static struct high alone, all;
    alone.task.options = all.task.options = highs[_i];
    team_run(1, solve_high, &alone);
    team_run(TRIO, solve_high, &all);
    ck_assert_int_eq(memcmp(all.u, alone.u, sizeof all.u), 0);
}

/* ---- a communicator that fails ---- */

/* Operations that fail from number `allowed` on, on all ranks alike. */
static _Thread_local const struct cgs_comm_ops *sound;
static _Thread_local int allowed;

static bool fails(struct cgs_comm *comm)
{
    if (!comm->lost && allowed-- > 0)
        return false;
    comm->lost = true;
    snprintf(comm->why, sizeof comm->why, "MPI_X failed: in a test");
    return true;
}

static void clear(const struct cgs_comm *comm, const int *counts, size_t size, void *all)
{
    int64_t sum = 0;
    for (int r = 0; r < comm->size; r++)
        sum += counts[r];
    memset(all, 0, (size_t)sum * size);
}

static void gather(struct cgs_comm *comm, const double *mine, const int *counts, double *all)
{
    if (fails(comm))
        clear(comm, counts, sizeof *all, all);
    else
        sound->gather(comm, mine, counts, all);
}

static void share(struct cgs_comm *comm, int root, void *memory, int64_t bytes)
{
    if (fails(comm))
        memset(memory, 0, (size_t)bytes);
    else
        sound->share(comm, root, memory, bytes);
}

static void swap(struct cgs_comm *comm, const int64_t *out, const int *out_counts, int64_t *in,
                 const int *in_counts)
{
    if (fails(comm))
        clear(comm, in_counts, sizeof *in, in);
    else
        sound->swap(comm, out, out_counts, in, in_counts);
}

static _Thread_local bool begun;

static void start(struct cgs_comm *comm, const struct cgs_message *messages, int count)
{
    begun = !fails(comm);
    if (begun)
        sound->start(comm, messages, count);
}

static void finish(struct cgs_comm *comm)
{
    if (begun) /* others may still be reading */
        sound->finish(comm);
    begun = false;
}

static const struct cgs_comm_ops failing = {
    .gather = gather, .share = share, .swap = swap, .start = start, .finish = finish};

/* Operations until the failure, and what the ranks made of it. */
struct loss {
    const struct task *task;
    int operations;
    enum cgsolve_status status[TRIO];
};

static void lose(struct cgs_context *context, void *user)
{
    struct loss *loss = user;
    struct cgs_comm *comm = context->comm;
    sound = comm->ops;
    struct cgsolve *s = rank_handle(context, loss->task);
    struct part p = take_part(context, loss->task);
    start_trial(context);
    allowed = loss->operations;
    comm->ops = &failing;
    enum cgsolve_status status = give_part(s, &p);
    if (status == CGSOLVE_OK)
        status = cgsolve_solve(s, p.rows, local_b, local_x, NULL);
    loss->status[comm->rank] = status;
    ck_assert(status == CGSOLVE_OK || status == CGSOLVE_LOST);
    if (status == CGSOLVE_LOST) {
        ck_assert_ptr_nonnull(strstr(cgsolve_message(), "MPI_X failed: in a test"));
        ck_assert_int_eq(give_part(s, &p), CGSOLVE_LOST);
        ck_assert_ptr_nonnull(strstr(cgsolve_message(), "in an earlier call"));
    }
    ck_assert_int_eq(cgsolve_destroy(&s), CGSOLVE_OK);
    drop_part(&p);
}

TEST(each_operation_may_fail)
{
    struct rows a = system_rows(1.0);
    static struct task task;
    int operations = 0, step = 1;
    task_start(&task, &a);
    task.cuts = trio;
    task.options = _i == 0 ? chebyshev : compressed;
    for (bool done = false; !done; operations += step) {
        struct loss loss = {.task = &task, .operations = operations};
        team_run(TRIO, lose, &loss);
        for (int r = 0; r < TRIO; r++)
            ck_assert_msg(loss.status[r] == loss.status[0],
                          "after %d operations: rank %d: %s, rank 0: %s", operations, r,
                          cgsolve_status_text(loss.status[r]), cgsolve_status_text(loss.status[0]));
        done = loss.status[0] == CGSOLVE_OK;
        step = operations < 200 ? 1 : 17; /* iterations are alike */
    }
    ck_assert_int_gt(operations, 100);
    free(task.columns);
    rows_free(&a);
}

int main(void)
{
    return suite_run(suite_of("library_ranks", 60, NULL, NULL));
}
