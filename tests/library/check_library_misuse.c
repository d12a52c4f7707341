/* libcgsolve through its public header: random calls, most of them wrong, in any order, with
 * several handles; the same in every run. Each is answered by a status and a message, and what
 * is not to be written stays. The address sanitizer (configure --enable-sanitizers) sees the
 * rest. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include "tests/library/library.h"

enum {
    SEEDS = 4,
    THREADS = 4,
    CALLS = 400,
    HANDLES = 3,
    MOST = 100 /* rows of nos4.mtx, N^3 of the box is 64 */
};

/* A handle, and what is known of it. */
struct user {
    struct cgsolve *s;
    struct rows a;  /* lent to s */
    int64_t *wide;  /* likewise: columns of 64 bits */
    bool matrix;    /* it has one */
    int64_t length; /* rows of the matrix */
};

static _Thread_local uint64_t state;

/* 0 ... count - 1. */
static int pick(int count)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int)((state >> 20) % (uint64_t)count);
}

/* Every status comes with a message, but for the one of success. */
static enum cgsolve_status said(enum cgsolve_status status)
{
    ck_assert_msg((status == CGSOLVE_OK) == (cgsolve_message()[0] == '\0'), "%s: '%s'",
                  cgsolve_status_text(status), cgsolve_message());
    ck_assert_msg(status != CGSOLVE_BUG && status != CGSOLVE_DEVICE, "%s", cgsolve_message());
    return status;
}

static void make(struct user *u)
{
    if (u->s)
        return;
    ck_assert_int_eq(cgsolve_create(&u->s), CGSOLVE_OK);
    said(cgsolve_set(u->s, "backend", "cpu"));
    said(cgsolve_set(u->s, "threads", pick(2) ? "1" : "2"));
    said(cgsolve_set(u->s, "max-iterations", "50"));
}

static void destroy(struct user *u)
{
    ck_assert_int_eq(cgsolve_destroy(&u->s), CGSOLVE_OK);
    ck_assert_ptr_null(u->s);
    rows_free(&u->a);
    free(u->wide);
    *u = (struct user){0};
}

static void set(struct user *u)
{
    static const char *const options[][2] = {
        {"tol", "1e-3"},
        {"tol", "-1"},
        {"tol", ""},
        {"tol", NULL},
        {NULL, "1"},
        {"", ""},
        {"tolerance", "1"},
        {"precond", "jacobi"},
        {"precond", "amg"},
        {"precond", "mg"},
        {"precond", NULL},
        {"precond", "chebyshev"},
        {"precision", "single"},
        {"precision", "mixed"},
        {"precision", NULL},
        {"format", "crs"},
        {"format", "none"},
        {"format", NULL},
        {"kernel", "crs_row"},
        {"kernel", "nonsense"},
        {"kernel", "./x.so"},
        {"kernel", NULL},
        {"rhs", "ones"},
        {"rhs", "/nowhere/b.mtx"},
        {"rhs", NULL},
        {"guess", "fmg"},
        {"guess", NULL},
        {"stop", NULL},
        {"problem", "course"},
        {"problem", NULL},
        {"memory-limit", "1K"},
        {"memory-limit", NULL},
        {"threads", "0"},
        {"threads", "1e9"},
        {"chunk", "3"},
        {"chunk", NULL},
        {"sigma", "64"},
        {"sigma", NULL},
        {"json", "-"},
        {"matrix", "x.mtx"},
        {"profile", "yes"},
        {"profile", NULL},
        {"N", "4x"},
        {"kappa", "%s%n"},
        {"stop", "discretization"},
        {"max-iterations", "1"},
        {"deform", "0.1"},
        {"deform", NULL},
        {"cells", "5x4x3"},
        {"cells", "5x4"},
        {"cells", NULL},
        {"size", "1x2x0.5"},
        {"size", NULL},
        {"let", "k=2"},
        {"material", "a:kappa=2"},
        {"region", "a:x<1"},
        {"region", ""},
        {"material", NULL},
        {"region", NULL},
        {"let", NULL},
    };
    const int i = pick((int)(sizeof options / sizeof options[0]));
    const enum cgsolve_status status =
        said(cgsolve_set(u->s, options[i][0], pick(2) ? options[i][1] : NULL));
    ck_assert(status == CGSOLVE_OK || status == CGSOLVE_USAGE);
}

static void number(struct user *u)
{
    static const double reals[] = {1e-6, 1e-3, -1.0, NAN, INFINITY, 0.0};
    static const int64_t integers[] = {1, 40, 0, -7, INT64_MAX, INT64_MIN};
    static const char *const names[] = {"tol", "max-iterations", "reproducible", "precond",
                                        NULL,  "nonsense",       "rhs",          "degree"};
    const char *name = names[pick(8)];
    const enum cgsolve_status status =
        said(pick(2) ? cgsolve_set_real(u->s, name, reals[pick(6)])
                     : cgsolve_set_integer(u->s, name, integers[pick(6)]));
    ck_assert(status == CGSOLVE_OK || status == CGSOLVE_USAGE);
}

/* Mostly takes back the options of the box, which no other matrix goes with. */
static void no_box(struct user *u)
{
    static const char *const names[] = {"N",     "deform", "problem",  "kappa",
                                        "guess", "stop",   "format",   "cells",
                                        "size",  "let",    "material", "region"};
    for (int i = 0; pick(8) && i < (int)(sizeof names / sizeof names[0]); i++)
        said(cgsolve_set(u->s, names[i], NULL));
}

/* Rows that are wrong in one of many ways, or right. */
static void give_rows(struct user *u)
{
    static const int64_t no_rows[] = {0, -1, INT64_MIN, INT64_C(3000000000), INT64_MAX};
    const int n = 2 + pick(11), wrong = pick(20), at = pick(n);
    struct rows a = rows_tridiagonal(n);
    int64_t rows = n, nonzeros = a.pointers[n];
    switch (wrong) {
    case 0:
        rows = no_rows[pick(5)];
        break;
    case 1:
        nonzeros += pick(2) ? 1 : -1;
        break;
    case 2:
        nonzeros = no_rows[pick(5)];
        break;
    case 3:
        a.pointers[at + 1] = pick(2) ? -1 : INT64_MAX;
        break;
    case 4:
        a.columns[at] = pick(2) ? n : -1;
        break;
    case 5:
        a.columns[1] = a.columns[0];
        break;
    case 6:
        a.values[at] = pick(2) ? (double)NAN : (double)-INFINITY;
        break;
    case 7:
        a.pointers[0] = 1;
        break;
    }
    const enum cgsolve_status status =
        said(cgsolve_matrix_crs(u->s, rows, nonzeros, wrong == 8 ? NULL : a.pointers,
                                wrong == 9 ? NULL : a.columns, wrong == 10 ? NULL : a.values));
    ck_assert_int_eq(status, !u->s || (wrong >= 8 && wrong <= 10) ? CGSOLVE_USAGE
                             : wrong < 8                          ? CGSOLVE_INPUT
                                                                  : CGSOLVE_OK);
    no_box(u);
    rows_free(&u->a);
    u->a = a;
    u->matrix = status == CGSOLVE_OK;
    u->length = n;
}

/* The same as the part of the one rank that there is. */
static void give_part(struct user *u)
{
    static const int64_t no_columns[] = {-1, INT64_MIN, INT64_C(1) << 32, INT64_MAX};
    const int n = 2 + pick(11), wrong = pick(20), at = pick(n);
    struct rows a = rows_tridiagonal(n);
    int64_t *wide = malloc((size_t)a.pointers[n] * sizeof *wide);
    int64_t first = 0, rows = n, nonzeros = a.pointers[n];
    for (int64_t k = 0; k < nonzeros; k++)
        wide[k] = a.columns[k];
    switch (wrong) {
    case 0:
        first = pick(2) ? 1 : INT64_MIN;
        break;
    case 1:
        rows = pick(2) ? -1 : INT64_MAX;
        break;
    case 2:
        nonzeros += pick(2) ? -1 : 1;
        break;
    case 3:
        wide[at] = pick(2) ? n : no_columns[pick(4)];
        break;
    case 4:
        wide[1] = wide[0];
        break;
    case 5:
        a.values[at] = (double)NAN;
        break;
    case 6:
        a.pointers[at + 1] = pick(2) ? -1 : INT64_MAX;
        break;
    }
    const enum cgsolve_status status =
        said(cgsolve_matrix_distributed(u->s, first, rows, nonzeros, wrong == 7 ? NULL : a.pointers,
                                        wrong == 8 ? NULL : wide, wrong == 9 ? NULL : a.values));
    ck_assert_int_eq(status, !u->s || (wrong >= 7 && wrong <= 9) ? CGSOLVE_USAGE
                             : wrong < 7                         ? CGSOLVE_INPUT
                                                                 : CGSOLVE_OK);
    no_box(u);
    rows_free(&u->a);
    free(u->wide);
    u->a = a;
    u->wide = wide;
    u->matrix = status == CGSOLVE_OK;
    u->length = n;
}

/* The same entry by entry, or of one triangle, copied by the library. */
static void give_arrays(struct user *u)
{
    enum { ENTRIES = 9 };
    int32_t row[ENTRIES], column[ENTRIES];
    double value[ENTRIES];
    const int n = 5, wrong = pick(12), at = pick(ENTRIES);
    struct cgsolve_arrays a = {.rows = n,
                               .nonzeros = ENTRIES,
                               .row = row,
                               .columns = column,
                               .values = value,
                               .stored = CGSOLVE_LOWER};
    for (int k = 0; k < ENTRIES; k++) { /* the diagonal, then what is below it */
        row[k] = k < n ? k : k - n + 1;
        column[k] = k < n ? k : k - n;
        value[k] = k < n ? 2.5 : -1.0;
    }
    switch (wrong) {
    case 0:
        row[at] = pick(2) ? -1 : n;
        break;
    case 1:
        column[at] = pick(2) ? INT32_MIN : INT32_MAX;
        break;
    case 2:
        a.rows = pick(2) ? 0 : INT64_MAX;
        break;
    case 3:
        a.nonzeros = -1;
        break;
    case 4:
        value[at] = (double)INFINITY;
        break;
    case 5:
        a.stored = CGSOLVE_UPPER;
        break;
    case 6:
        a.stored = (enum cgsolve_triangle)pick(1000000);
        a.columns = NULL;
        break;
    case 7:
        a.pointers = row;
        break;
    case 8:
        a.row = NULL;
        a.pointers = row; /* which descend */
        a.pointer_bits = pick(2) ? 32 : 7;
        break;
    }
    const enum cgsolve_status status = said(cgsolve_matrix_arrays(u->s, wrong == 9 ? NULL : &a));
    ck_assert((status == CGSOLVE_OK) == (u->s && wrong > 9));
    no_box(u);
    u->matrix = status == CGSOLVE_OK;
    u->length = n;
}

/* Most often of another number than the matrix has. */
static void give_values(struct user *u)
{
    static double values[3 * MOST];
    for (int k = 0; k < 3 * MOST; k++)
        values[k] = k % 3 == 0 ? 2.5 : -0.5;
    static const int64_t counts[] = {0, -1, 9, 10, 16, 25, 31, INT64_MAX};
    const enum cgsolve_status status =
        said(cgsolve_matrix_values(u->s, counts[pick(8)], pick(6) ? values : NULL));
    ck_assert(status == CGSOLVE_OK || status == CGSOLVE_USAGE);
}

/* y = 3 x, which calls what it must not, and at times gives up. */
static int three_times(void *user, int64_t length, const double *x, double *y)
{
    struct user *u = user;
    for (int64_t i = 0; i < length; i++)
        y[i] = 3.0 * x[i];
    ck_assert_int_eq(said(cgsolve_matrix_operator(u->s, 3, three_times, u)), CGSOLVE_USAGE);
    return pick(50) == 0 ? 1 + pick(9) : 0;
}

static void give_function(struct user *u)
{
    static const int64_t counts[] = {7, 7, 7, 0, -1, INT64_MAX};
    const int i = pick(6);
    const enum cgsolve_status status =
        said(cgsolve_matrix_operator(u->s, counts[i], pick(6) ? three_times : NULL, u));
    ck_assert(status == CGSOLVE_OK || status == CGSOLVE_USAGE || status == CGSOLVE_INPUT);
    no_box(u);
    u->matrix = status == CGSOLVE_OK;
    u->length = 7;
    said(cgsolve_preconditioner(u->s, pick(3) ? NULL : three_times, u));
}

static void give_box(struct user *u)
{
    said(cgsolve_set(u->s, "N", "4"));
    u->matrix = said(cgsolve_matrix_box(u->s)) == CGSOLVE_OK;
    u->length = 64;
}

static void give_file(struct user *u)
{
    static const char *const names[] = {NULL, "", "/", "/nowhere/x.mtx"};
    const char *sources = getenv("CGS_SRCDIR");
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/systems/nos4.mtx", sources ? sources : ".");
    const int i = pick(8);
    no_box(u);
    const enum cgsolve_status status = said(cgsolve_matrix_file(u->s, i < 4 ? names[i] : path));
    ck_assert(status == (u->s && i > 1 ? CGSOLVE_OK : CGSOLVE_USAGE));
    u->matrix = status == CGSOLVE_OK;
    u->length = MOST;
}

/* Changes what was lent behind the library's back. */
static void change_rows(struct user *u)
{
    if (!u->a.rows)
        return;
    switch (pick(3)) {
    case 0:
        u->a.columns[0] = pick(2) ? INT32_MAX : -7;
        if (u->wide)
            u->wide[0] = pick(2) ? INT64_MAX : -7;
        break;
    case 1:
        u->a.pointers[u->a.rows] += 1000;
        break;
    case 2:
        u->a.values[0] = (double)NAN;
        break;
    }
}

static void ask(struct user *u)
{
    int64_t unknowns = -1, first = -1;
    const enum cgsolve_status status = said(cgsolve_unknowns(u->s, pick(4) ? &unknowns : NULL));
    ck_assert((status == CGSOLVE_OK) == (unknowns != -1));
    if (status == CGSOLVE_OK) {
        ck_assert(u->matrix && unknowns == u->length);
        ck_assert(said(cgsolve_first_row(u->s, &first)) == CGSOLVE_OK && first == 0);
    } else
        said(cgsolve_first_row(u->s, pick(2) ? &first : NULL));
    said(cgsolve_rhs_count(u->s, pick(2) ? &first : NULL));
}

static void set_up(struct user *u)
{
    const enum cgsolve_status status = said(cgsolve_setup(u->s));
    if (!u->matrix)
        ck_assert_int_eq(status, CGSOLVE_USAGE);
}

static void solve(struct user *u)
{
    static const int64_t lengths[] = {0, -1, INT64_MIN, INT64_MAX, 1, MOST + 1};
    const bool right = u->matrix && pick(3) > 0;
    const int64_t length = right ? u->length : lengths[pick(6)], room = right ? length : 1;
    double *b = pick(4) ? malloc((size_t)room * sizeof *b) : NULL;
    double *x = pick(4) ? malloc((size_t)room * sizeof *x) : NULL;
    struct cgsolve_result result;
    const bool from = pick(4) == 0, wanted = pick(2);
    for (int64_t i = 0; i < room; i++) {
        if (b)
            b[i] = some((int)i);
        if (x)
            x[i] = 0.25;
    }
    if (b && pick(6) == 0)
        b[room - 1] = NAN;
    const enum cgsolve_status status = said(
        (from ? cgsolve_solve_from : cgsolve_solve)(u->s, length, b, x, wanted ? &result : NULL));
    if (wanted)
        ck_assert(result.status == status && result.outcome && result.kernel && result.format);
    if (!u->matrix || (from && !x))
        ck_assert_int_eq(status, CGSOLVE_USAGE);
    if (!right && (b || x) && length != u->length)
        ck_assert_int_ne(status, CGSOLVE_OK);
    if (x && status != CGSOLVE_OK && status != CGSOLVE_NOT_CONVERGED &&
        status != CGSOLVE_INTERRUPTED)
        for (int64_t i = 0; i < room; i++)
            ck_assert_double_eq(x[i], 0.25);
    free(b);
    free(x);
}

static void solve_many(struct user *u)
{
    enum { COUNT = 3 };
    double b[COUNT * MOST], x[COUNT * MOST];
    struct cgsolve_result results[COUNT];
    for (int i = 0; i < COUNT * MOST; i++)
        b[i] = x[i] = some(i);
    const int count = pick(5) ? 1 + pick(COUNT) : -pick(2);
    const bool right = u->matrix && pick(3) > 0;
    const enum cgsolve_status status =
        said(cgsolve_solve_many(u->s, count, right ? u->length : 1 + pick(MOST), pick(8) ? b : NULL,
                                pick(8) ? x : NULL, pick(2) ? results : NULL));
    if (!u->matrix || count < 1)
        ck_assert_int_eq(status, CGSOLVE_USAGE);
}

static void look_back(struct user *u)
{
    const double *residuals = NULL;
    int64_t count = -1;
    const enum cgsolve_status status =
        said(cgsolve_history(u->s, pick(6) ? &count : NULL, pick(6) ? &residuals : NULL));
    ck_assert((status == CGSOLVE_OK) == (residuals != NULL));
    double ratio;
    int64_t row;
    if (said(cgsolve_worst_row(u->s, pick(6) ? &ratio : NULL, pick(6) ? &row : NULL)) == CGSOLVE_OK)
        ck_assert(ratio >= 0.0 ? row >= -1 : isnan(ratio) && row == -1);
    for (int64_t i = 0; residuals && i < count; i++)
        ck_assert(residuals[i] >= 0.0 || isnan(residuals[i]));
}

static int misuse_inside(void *user, int64_t iteration, double relative_residual)
{
    struct user *u = user;
    (void)relative_residual;
    ck_assert_int_eq(said(cgsolve_setup(u->s)), CGSOLVE_USAGE);
    ck_assert_int_eq(said(cgsolve_destroy(&u->s)), CGSOLVE_USAGE);
    ck_assert_int_eq(said(cgsolve_matrix_box(u->s)), CGSOLVE_USAGE);
    return iteration < 20;
}

static int misuse_with_solution(void *user, int64_t iteration, double relative_residual,
                                int64_t length, const double *x)
{
    ck_assert(isfinite(x[0]) && isfinite(x[length - 1]));
    return misuse_inside(user, iteration, relative_residual);
}

static void watch(struct user *u)
{
    const bool on = pick(2);
    if (pick(2))
        said(cgsolve_watch_solution(u->s, on ? misuse_with_solution : NULL, on ? u : NULL));
    said(cgsolve_watch(u->s, on ? misuse_inside : NULL, on ? u : NULL));
}

static void report(struct user *u)
{
    char *text = NULL;
    const enum cgsolve_status status = said(cgsolve_report_json(u->s, pick(4) ? &text : NULL));
    ck_assert((status == CGSOLVE_OK) == (text != NULL));
    if (text)
        ck_assert_int_eq(text[0], '{');
    cgsolve_free(text);
}

static void *misuse_by(void *seed)
{
    /* Solves as often as the rest together. */
    static void (*const calls[])(struct user *) = {
        make,          destroy,       set,         set,         set,        give_rows,
        give_rows,     ask,           watch,       report,      give_file,  change_rows,
        solve,         solve,         solve,       give_box,    set_up,     solve,
        solve,         make,          number,      number,      solve,      solve,
        solve,         give_arrays,   give_values, give_values, solve_many, look_back,
        give_function, give_function, solve,       solve,       give_part,  give_part};
    struct user users[HANDLES] = {{0}};
    state = UINT64_C(0x9E3779B97F4A7C15) * (uint64_t)(*(const int *)seed + 1);
    for (int i = 0; i < HANDLES; i++)
        make(&users[i]);
    for (int i = 0; i < CALLS; i++) {
        struct user *u = &users[pick(HANDLES)];
        calls[pick((int)(sizeof calls / sizeof calls[0]))](u);
    }
    for (int i = 0; i < HANDLES; i++)
        destroy(&users[i]);
    /* After all that, a new handle solves as ever. */
    struct rows a = rows_tridiagonal(9);
    double b[9] = {1.0}, x[9];
    struct cgsolve *s = handle();
    hand_over(s, &a);
    solved(cgsolve_solve(s, 9, b, x, NULL));
    ck_assert_double_eq_tol(x[0], 0.9, 1e-9);
    cgsolve_destroy(&s);
    rows_free(&a);
    return NULL;
}

LOOP_TEST(misuse, SEEDS)
{
    misuse_by(&_i);
}

TEST(misuse_by_threads)
{
    pthread_t threads[THREADS];
    int seeds[THREADS];
    for (int t = 0; t < THREADS; t++) {
        seeds[t] = SEEDS + t;
        ck_assert_int_eq(pthread_create(&threads[t], NULL, misuse_by, &seeds[t]), 0);
    }
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
}

int main(void)
{
    return suite_run(suite_of("library_misuse", 60, NULL, NULL));
}
