/* A client of libcgsolve_mpi, compiled and run under mpirun by tests/library/library_mpi.sh:
 * client_mpi SCENARIO. Each rank compares with what it computes by itself; exit status 0: all is as
 * it should be.
 *
 * By MPI's profiling interface the client sees each call of MPI that the library makes: none may be
 * on MPI_COMM_WORLD or on the client's own communicators (but for duplicating these), none may
 * start or end MPI. */
#include <cgsolve/cgsolve_mpi.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 24, ROWS = SIDE * SIDE, ENTRIES = 5 * ROWS, LONGEST = 4000 };

static MPI_Comm world = MPI_COMM_NULL; /* the client's: a duplicate */
static int rank, ranks;

/* ---- what the library asks of MPI ---- */

static _Thread_local int inside; /* a call of the library is at work */
static int failing_calls;        /* gatherings from this number on fail; 0: none */
static int gatherings, live;     /* communicators of the library */

static void die(const char *what)
{
    fprintf(stderr, "rank %d: %s: %s\n", rank, what, cgsolve_message());
    PMPI_Abort(MPI_COMM_WORLD, 99);
}

static void need(int yes, const char *what)
{
    if (!yes)
        die(what);
}

static void look_at(MPI_Comm comm)
{
    need(!inside || (comm != MPI_COMM_WORLD && comm != world && comm != MPI_COMM_SELF),
         "the library speaks on a communicator that is not its own");
}

int MPI_Allgatherv(const void *out, int count, MPI_Datatype type, void *in, const int *counts,
                   const int *offsets, MPI_Datatype in_type, MPI_Comm comm)
{
    look_at(comm);
    if (inside && failing_calls > 0 && ++gatherings >= failing_calls)
        return MPI_ERR_OTHER;
    return PMPI_Allgatherv(out, count, type, in, counts, offsets, in_type, comm);
}

int MPI_Allreduce(const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    look_at(comm);
    return PMPI_Allreduce(out, in, count, type, op, comm);
}

int MPI_Bcast(void *memory, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    look_at(comm);
    return PMPI_Bcast(memory, count, type, root, comm);
}

int MPI_Isend(const void *memory, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    look_at(comm);
    return PMPI_Isend(memory, count, type, peer, tag, comm, request);
}

int MPI_Irecv(void *memory, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    look_at(comm);
    return PMPI_Irecv(memory, count, type, peer, tag, comm, request);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made)
{
    live += inside;
    return PMPI_Comm_dup(comm, made);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)
{
    look_at(comm);
    live += inside;
    return PMPI_Comm_split_type(comm, type, key, info, made);
}

int MPI_Comm_free(MPI_Comm *comm)
{
    look_at(*comm);
    live -= inside;
    return PMPI_Comm_free(comm);
}

int MPI_Abort(MPI_Comm comm, int code)
{
    need(!inside, "the library ends processes");
    return PMPI_Abort(comm, code);
}

int MPI_Init_thread(int *argc, char ***argv, int wanted, int *got)
{
    need(!inside, "the library starts MPI");
    return PMPI_Init_thread(argc, argv, wanted, got);
}

int MPI_Finalize(void)
{
    need(!inside, "the library ends MPI");
    return PMPI_Finalize();
}

/* A call of the library; its status. */
#define IN(call) (inside = 1, last = (call), inside = 0, last)
static _Thread_local enum cgsolve_status last;

/* ---- the system: -Laplace u on a grid, row i's first neighbour i - SIDE ---- */

struct part {
    int64_t first, rows, pointers[ROWS + 1], columns[ENTRIES];
    int32_t narrow[ENTRIES];
    double values[ENTRIES], b[ROWS], x[ROWS];
};

static void fill(struct part *p, int64_t first, int64_t last_row)
{
    static const int steps[][2] = {{0, -1}, {-1, 0}, {0, 0}, {1, 0}, {0, 1}};
    int64_t k = 0;
    p->first = first;
    p->rows = last_row - first;
    p->pointers[0] = 0;
    for (int64_t i = first; i < last_row; i++) {
        for (int s = 0; s < 5; s++) {
            const int64_t x = i % SIDE + steps[s][0], y = i / SIDE + steps[s][1];
            if (x < 0 || x >= SIDE || y < 0 || y >= SIDE)
                continue;
            p->columns[k] = y * SIDE + x;
            p->narrow[k] = (int32_t)p->columns[k];
            p->values[k++] = s == 2 ? 4.1 : -1.0;
        }
        p->b[i - first] = 1.0 + 0.001 * (double)(i * 37 % 101);
        p->x[i - first] = 7.0;
        p->pointers[i - first + 1] = k;
    }
}

static struct part whole, local;

static struct cgsolve *make(MPI_Comm comm, const char *options)
{
    struct cgsolve *s = NULL;
    char text[200], *at = text;
    need(IN(cgsolve_create(&s)) == CGSOLVE_OK, "create");
    need(cgsolve_set(s, "backend", "cpu") == CGSOLVE_OK, "backend");
    need(cgsolve_set(s, "tol", "1e-10") == CGSOLVE_OK, "tol");
    snprintf(text, sizeof text, "%s", options);
    for (char *word; (word = strsep(&at, " ")) && *word;) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        need(cgsolve_set(s, word, value) == CGSOLVE_OK, word);
    }
    if (comm != MPI_COMM_NULL)
        need(IN(cgsolve_communicator(s, comm)) == CGSOLVE_OK, "communicator");
    return s;
}

static enum cgsolve_status give(struct cgsolve *s, const struct part *p)
{
    return IN(cgsolve_matrix_distributed(s, p->first, p->rows, p->pointers[p->rows],
                                         p->rows ? p->pointers : NULL, p->columns, p->values));
}

static enum cgsolve_status solve(struct cgsolve *s, struct part *p)
{
    return IN(cgsolve_solve(s, p->rows, p->rows ? p->b : NULL, p->rows ? p->x : NULL, NULL));
}

static void destroy(struct cgsolve **s)
{
    need(IN(cgsolve_destroy(s)) == CGSOLVE_OK && !*s, "destroy");
}

/* The answer and the residuals of this process alone. */
static double residuals[LONGEST];
static int64_t count;

static void solve_alone(const char *options)
{
    struct cgsolve *s = make(MPI_COMM_NULL, options);
    const double *history;
    fill(&whole, 0, ROWS);
    need(cgsolve_matrix_crs(s, ROWS, whole.pointers[ROWS], whole.pointers, whole.narrow,
                            whole.values) == CGSOLVE_OK,
         "alone");
    need(solve(s, &whole) == CGSOLVE_OK, "alone");
    need(cgsolve_history(s, &count, &history) == CGSOLVE_OK && count < LONGEST, "history");
    memcpy(residuals, history, (size_t)count * sizeof *history);
    destroy(&s);
}

/* The last answer has the bits of one process. */
static void same(struct cgsolve *s, const struct part *p)
{
    const double *history;
    int64_t iterations;
    need(cgsolve_history(s, &iterations, &history) == CGSOLVE_OK, "history");
    need(iterations == count && memcmp(history, residuals, (size_t)count * sizeof *history) == 0,
         "the history is another than that of one process");
    need(memcmp(p->x, whole.x + p->first, (size_t)p->rows * sizeof *p->x) == 0,
         "x is another than that of one process");
}

/* Row at which rank r of `all` begins, for one of several cuts. */
static int64_t cut(int kind, int r, int all)
{
    switch (kind) {
    case 0: /* even */
        return (int64_t)ROWS * r / all;
    case 1: /* all rows on the last rank */
        return r == all ? ROWS : 0;
    case 2: /* the first has one */
        return r == 0 ? 0 : r == all ? ROWS : 1 + (int64_t)(ROWS - 1) * (r - 1) / (all - 1);
    default: /* all on the first */
        return r == 0 ? 0 : ROWS;
    }
}

enum { CUTS = 4 };

/* ---- scenarios ---- */

/* Any cut, several options, one handle for all. */
static void bits(void)
{
    static const char *const options[] = {"format=crs", "format=sell precond=jacobi",
                                          "kernel=crs_row precond=chebyshev",
                                          "format=sellc precond=jacobi precision=mixed",
                                          "format=crs cg=single-reduction precond=jacobi"};
    for (int o = 0; o < 5; o++) {
        struct cgsolve *s = make(world, options[o]);
        solve_alone(options[o]);
        for (int kind = 0; kind < CUTS; kind++) {
            fill(&local, cut(kind, rank, ranks), cut(kind, rank + 1, ranks));
            need(give(s, &local) == CGSOLVE_OK, "distributed");
            for (int again = 0; again < 2; again++) {
                need(solve(s, &local) == CGSOLVE_OK, "solve");
                same(s, &local);
            }
        }
        destroy(&s);
    }
    need(live == 0, "communicators are left");
}

/* Many communicators, one after the other; the caller's may be freed at once. */
static void cycles(void)
{
    struct cgsolve *s = make(MPI_COMM_NULL, "format=crs");
    solve_alone("format=crs");
    fill(&local, cut(0, rank, ranks), cut(0, rank + 1, ranks));
    for (int i = 0; i < 300; i++) {
        MPI_Comm mine;
        struct cgsolve *other = make(MPI_COMM_NULL, "format=crs");
        PMPI_Comm_dup(world, &mine);
        need(IN(cgsolve_communicator(other, mine)) == CGSOLVE_OK, "communicator");
        need(IN(cgsolve_communicator(s, mine)) == CGSOLVE_OK,
             "communicator"); /* in the place of the last */
        PMPI_Comm_free(&mine);
        if (i % 100 == 0) {
            need(give(s, &local) == CGSOLVE_OK && solve(s, &local) == CGSOLVE_OK, "solve");
            same(s, &local);
        }
        destroy(&other);
        need(live == 1, "a communicator is left");
    }
    destroy(&s);
    need(live == 0, "communicators are left");
}

/* Two handles: on halves of the ranks at once, and on a half and on all in turn. */
static void two(void)
{
    MPI_Comm half;
    int half_rank, half_ranks;
    static struct part of_half;
    PMPI_Comm_split(world, rank % 2, -rank, &half); /* ranks in another order */
    MPI_Comm_rank(half, &half_rank);
    MPI_Comm_size(half, &half_ranks);
    struct cgsolve *wide = make(world, "format=crs"), *narrow = make(half, "format=crs");
    solve_alone("format=crs");
    fill(&local, cut(0, rank, ranks), cut(0, rank + 1, ranks));
    fill(&of_half, cut(0, half_rank, half_ranks), cut(0, half_rank + 1, half_ranks));
    need(give(narrow, &of_half) == CGSOLVE_OK && give(wide, &local) == CGSOLVE_OK, "distributed");
    for (int i = 0; i < 3; i++) {
        need(solve(narrow, &of_half) == CGSOLVE_OK, "half");
        same(narrow, &of_half);
        need(solve(wide, &local) == CGSOLVE_OK, "all");
        same(wide, &local);
    }
    destroy(&narrow);
    need(solve(wide, &local) == CGSOLVE_OK, "all");
    same(wide, &local);
    destroy(&wide);
    PMPI_Comm_free(&half);
}

static void said(enum cgsolve_status status, enum cgsolve_status expected, const char *words)
{
    char what[300];
    snprintf(what, sizeof what, "status %d, not %d with '%s'", (int)status, (int)expected, words);
    need(status == expected && strstr(cgsolve_message(), words), what);
}

/* Looks that all ranks say what one has wrong; then all go on. */
static void errors(void)
{
    const int wrong = rank == ranks - 1;
    char words[100];
    struct cgsolve *s = make(world, "format=crs");
    fill(&local, cut(0, rank, ranks), cut(0, rank + 1, ranks));
    local.columns[2] += wrong ? ROWS : 0;
    snprintf(words, sizeof words, "rank %d: row %d: columns[2] = ", ranks - 1,
             (int)cut(0, ranks - 1, ranks));
    said(give(s, &local), CGSOLVE_INPUT, words);
    said(solve(s, &local), CGSOLVE_USAGE, "the handle has no matrix: the last one was refused");
    local.columns[2] -= wrong ? ROWS : 0;
    local.first += wrong;
    said(give(s, &local), CGSOLVE_INPUT, "expected ranges without rows between them");
    local.first -= wrong;
    need(give(s, &local) == CGSOLVE_OK, "distributed");
    local.b[3] = wrong ? (double)NAN : local.b[3];
    snprintf(words, sizeof words, "rank %d: b[3] is nan", ranks - 1);
    said(solve(s, &local), CGSOLVE_INPUT, words);
    local.b[3] = 1.0;
    need(cgsolve_set(s, "precond", wrong ? "jacobi" : "none") == CGSOLVE_OK, "set");
    snprintf(words, sizeof words, "rank %d has another value of the option 'precond' than rank 0",
             ranks - 1);
    said(solve(s, &local), CGSOLVE_USAGE, words);
    said(wrong ? IN(cgsolve_setup(s)) : solve(s, &local), CGSOLVE_USAGE,
         "all ranks make the same calls");
    need(cgsolve_set(s, "precond", NULL) == CGSOLVE_OK, "set");
    need(cgsolve_set(s, "max-iterations", "2") == CGSOLVE_OK, "set");
    said(solve(s, &local), CGSOLVE_NOT_CONVERGED, "not converged");
    need(cgsolve_set(s, "max-iterations", NULL) == CGSOLVE_OK, "set");
    need(solve(s, &local) == CGSOLVE_OK, "after all that");
    said(IN(cgsolve_communicator(s, MPI_COMM_NULL)), CGSOLVE_USAGE, "MPI_COMM_NULL");
    need(solve(s, &local) == CGSOLVE_OK, "the communicator is the one of before");
    said(IN(cgsolve_communicator(NULL, world)), CGSOLVE_USAGE, "the handle is NULL");
    destroy(&s);
    need(live == 0, "communicators are left");
}

/* MPI itself fails, on all ranks at the same gathering: a status, and no process ends. */
static void lost(void)
{
    for (int at = 1; at < 60; at += 3) {
        struct cgsolve *s = make(world, "format=crs precond=jacobi");
        gatherings = 0;
        failing_calls = at;
        fill(&local, cut(0, rank, ranks), cut(0, rank + 1, ranks));
        if (give(s, &local) == CGSOLVE_OK)
            solve(s, &local);
        said(last, CGSOLVE_LOST, "MPI_Allgatherv failed: ");
        need(local.rows == 0 || local.x[0] == 7.0, "x is touched");
        failing_calls = 0;
        said(give(s, &local), CGSOLVE_LOST, "in an earlier call");
        need(IN(cgsolve_communicator(s, world)) == CGSOLVE_OK, "another communicator");
        need(give(s, &local) == CGSOLVE_OK && solve(s, &local) == CGSOLVE_OK, "solve");
        destroy(&s);
    }
    need(live == 0, "communicators are left");
}

/* The box and a file, whose rows the library cuts. */
static void box(void)
{
    struct cgsolve *s = make(world, "N=17 format=none precond=mg"),
                   *one = make(MPI_COMM_NULL, "N=17 format=none precond=mg");
    struct cgsolve_result of_one, of_all;
    int64_t rows, first;
    static double x[17 * 17 * 17], part[17 * 17 * 17], twice[17 * 17 * 17];
    need(cgsolve_matrix_box(one) == CGSOLVE_OK && cgsolve_matrix_box(s) == CGSOLVE_OK, "box");
    said(cgsolve_unknowns(s, &rows), CGSOLVE_USAGE, "call cgsolve_setup first");
    need(IN(cgsolve_setup(s)) == CGSOLVE_OK, "setup");
    need(cgsolve_unknowns(s, &rows) == CGSOLVE_OK && cgsolve_first_row(s, &first) == CGSOLVE_OK,
         "rows");
    need(cgsolve_solve(one, 17 * 17 * 17, NULL, x, &of_one) == CGSOLVE_OK, "one");
    need(IN(cgsolve_solve(s, rows, NULL, part, &of_all)) == CGSOLVE_OK, "all");
    need(memcmp(part, x + first, (size_t)rows * sizeof *x) == 0,
         "x is another than that of one process");
    need(of_all.l2_error == of_one.l2_error && of_all.unknowns == 17 * 17 * 17,
         "the error is another");
    for (int64_t i = 0; i < rows; i++)
        twice[i] = x[first + i] + 1.0;
    need(IN(cgsolve_solve_from(s, rows, part, twice, NULL)) == CGSOLVE_OK, "b and x of the caller");
    said(IN(cgsolve_solve(s, rows + (rank == 1), part, twice, NULL)), CGSOLVE_USAGE,
         "rank 1: vectors of length ");
    destroy(&s);
    destroy(&one);
}

/* The library called by ranks that do not have MPI as it needs it. */
static void early(void)
{
    struct cgsolve *s = NULL;
    need(IN(cgsolve_create(&s)) == CGSOLVE_OK, "create");
    said(IN(cgsolve_communicator(s, MPI_COMM_WORLD)), CGSOLVE_USAGE, "MPI is not initialised");
    destroy(&s);
}

/* After MPI_Init, for one thread. */
static void one_thread(void)
{
    struct cgsolve *s = make(world, "format=crs threads=2");
    fill(&local, cut(0, rank, ranks), cut(0, rank + 1, ranks));
    need(give(s, &local) == CGSOLVE_OK, "distributed");
    said(solve(s, &local), CGSOLVE_USAGE, "set the option threads to 1");
    need(cgsolve_set(s, "threads", "1") == CGSOLVE_OK, "threads");
    need(solve(s, &local) == CGSOLVE_OK, "one thread");
    destroy(&s);
}

/* Calls of another thread than MPI allows. */
static void *call_elsewhere(void *handle)
{
    struct cgsolve *s = handle;
    said(solve(s, &local), CGSOLVE_USAGE,
         "MPI was initialised for calls of one thread, and this is another");
    return NULL;
}

static void thread(void)
{
    pthread_t other;
    struct cgsolve *s = make(world, "format=crs threads=1");
    fill(&local, cut(0, rank, ranks), cut(0, rank + 1, ranks));
    need(give(s, &local) == CGSOLVE_OK, "distributed");
    need(pthread_create(&other, NULL, call_elsewhere, s) == 0 && pthread_join(other, NULL) == 0,
         "thread");
    need(solve(s, &local) == CGSOLVE_OK, "the thread that may");
    destroy(&s);
}

/* Handles of two threads at once, each with a communicator of its own. */
static void *solve_often(void *communicator)
{
    struct part *p = malloc(sizeof *p);
    struct cgsolve *s = make(*(MPI_Comm *)communicator, "format=crs threads=1");
    need(p != NULL, "memory");
    fill(p, cut(0, rank, ranks), cut(0, rank + 1, ranks));
    need(give(s, p) == CGSOLVE_OK, "distributed");
    for (int i = 0; i < 5; i++) {
        need(solve(s, p) == CGSOLVE_OK, "solve");
        same(s, p);
    }
    destroy(&s);
    free(p);
    return NULL;
}

static void threads(void)
{
    pthread_t other[2];
    MPI_Comm mine[2];
    solve_alone("format=crs threads=1");
    for (int t = 0; t < 2; t++)
        PMPI_Comm_dup(world, &mine[t]);
    for (int t = 0; t < 2; t++)
        need(pthread_create(&other[t], NULL, solve_often, &mine[t]) == 0, "thread");
    for (int t = 0; t < 2; t++) {
        need(pthread_join(other[t], NULL) == 0, "thread");
        PMPI_Comm_free(&mine[t]);
    }
}

/* A handle that is destroyed after MPI. */
static struct cgsolve *left;

static void late(void)
{
    left = make(world, "format=crs");
    fill(&local, cut(0, rank, ranks), cut(0, rank + 1, ranks));
    need(give(left, &local) == CGSOLVE_OK && solve(left, &local) == CGSOLVE_OK, "solve");
}

static void too_late(void)
{
    said(solve(left, &local), CGSOLVE_USAGE, "MPI has been finalised");
    destroy(&left);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
        int level; /* of threads, for MPI */
    } scenarios[] = {
        {"bits", bits, MPI_THREAD_FUNNELED},     {"cycles", cycles, MPI_THREAD_FUNNELED},
        {"two", two, MPI_THREAD_FUNNELED},       {"errors", errors, MPI_THREAD_FUNNELED},
        {"lost", lost, MPI_THREAD_FUNNELED},     {"box", box, MPI_THREAD_FUNNELED},
        {"late", late, MPI_THREAD_FUNNELED},     {"one_thread", one_thread, MPI_THREAD_SINGLE},
        {"thread", thread, MPI_THREAD_FUNNELED}, {"threads", threads, MPI_THREAD_MULTIPLE},
    };
    enum { COUNT = sizeof scenarios / sizeof *scenarios };
    const char *wanted = argc > 1 ? argv[1] : "";
    int level, chosen = 0;
    while (chosen < COUNT && strcmp(wanted, scenarios[chosen].name) != 0)
        chosen++;
    early();
    if (chosen < COUNT && scenarios[chosen].level > MPI_THREAD_SINGLE)
        PMPI_Init_thread(&argc, &argv, scenarios[chosen].level, &level);
    else
        PMPI_Init(&argc, &argv);
    PMPI_Comm_dup(MPI_COMM_WORLD, &world);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &ranks);
    PMPI_Query_thread(&level);
    if (chosen < COUNT && level >= scenarios[chosen].level)
        scenarios[chosen].run();
    else
        fprintf(stderr, "'%s' cannot be played\n", wanted);
    PMPI_Comm_free(&world);
    PMPI_Finalize();
    if (left)
        too_late();
    return chosen == COUNT;
}
