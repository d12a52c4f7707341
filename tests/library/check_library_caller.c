/* libcgsolve through its public header, inside callers of several kinds: those that trap
 * floating-point exceptions, those within a parallel region of their own, several threads with
 * one handle, those that fork, those whose matrix is small. */
#define _GNU_SOURCE /* feenableexcept */
#include <dirent.h>
#include <fenv.h>
#include <omp.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/library/library.h"

enum { TRAPS = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW, N = 3000 };

static double b[N], x[N];

static const struct kind {
    const char *precond;
    double scale; /* of the right-hand side */
    enum cgsolve_status status;
} kinds[] = {
    {"none", 1.0, CGSOLVE_OK}, {"jacobi", 1.0, CGSOLVE_OK},
    {"amg", 1.0, CGSOLVE_OK},  {"chebyshev", 1.0, CGSOLVE_OK},
    {"none", 0.0, CGSOLVE_OK}, {"none", 1e307, CGSOLVE_BREAKDOWN}, /* x overflows */
};

/* Nothing of the library traps, in whichever OpenMP thread it is; afterwards all is as it was. */
LOOP_TEST(floating_point_traps, sizeof kinds / sizeof *kinds)
{
    const struct kind *kind = &kinds[_i];
    int others = 0;
    struct rows a = rows_tridiagonal(N);
    for (int i = 0; i < N; i++)
        b[i] = kind->scale;
    struct cgsolve *s = handle();
    omp_set_num_threads(2 - _i % 2); /* the option may ask for more */
    option(s, "threads", "2");
    option(s, "precond", kind->precond);
    feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(TRAPS);
    fesetround(FE_TONEAREST);
#pragma omp parallel num_threads(2) reduction(+ : others) /* which inherit the traps */
    others += fegetexcept() != TRAPS;
    hand_over(s, &a);
    const enum cgsolve_status status = cgsolve_solve(s, N, b, x, NULL);
    ck_assert_int_eq(fegetexcept(), TRAPS);
    ck_assert_int_eq(fetestexcept(FE_ALL_EXCEPT), 0);
#pragma omp parallel num_threads(2) reduction(+ : others)
    others += fegetexcept() != TRAPS;
    fedisableexcept(FE_ALL_EXCEPT);
    ck_assert_int_eq(others, 0);
    ck_assert_msg(status == kind->status, "%s: %s", cgsolve_status_text(status), cgsolve_message());
    cgsolve_destroy(&s);
    rows_free(&a);
}

/* 1 where the solution is wrong. */
static int solve_alone(int number, const char *precond)
{
    enum { ROWS = 400 };
    double right[ROWS], u[ROWS];
    struct rows a = rows_tridiagonal(ROWS);
    struct cgsolve *s = NULL;
    int wrong = cgsolve_create(&s) != CGSOLVE_OK ||
                cgsolve_set(s, "backend", "cpu") != CGSOLVE_OK ||
                cgsolve_set(s, "precond", precond) != CGSOLVE_OK ||
                cgsolve_matrix_crs(s, ROWS, a.pointers[ROWS], a.pointers, a.columns, a.values) !=
                    CGSOLVE_OK;
    for (int i = 0; i < ROWS; i++)
        right[i] = number + 1.0;
    wrong = wrong || cgsolve_solve(s, ROWS, right, u, NULL) != CGSOLVE_OK;
    for (int i = 0; i < ROWS && !wrong; i++)
        wrong = !(fabs(u[i] - right[i] * 0.5 * (i + 1.0) * (ROWS - i)) <= 1e-3);
    cgsolve_destroy(&s);
    rows_free(&a);
    return wrong;
}

TEST(parallel_region)
{
    static const char *const preconds[] = {"none", "jacobi", "chebyshev", "amg"};
    int wrong = 0;
    for (int i = 0; i < 4; i++) {
#pragma omp parallel for num_threads(4) schedule(static, 1) reduction(+ : wrong)
        for (int k = 0; k < 4; k++)
            wrong += solve_alone(k, preconds[i]);
    }
    ck_assert_int_eq(wrong, 0);
}

/* Four threads with one handle: each call is done or refused, and one at least is done. */
static struct cgsolve *shared;

static void *share(void *counts)
{
    enum { TRIES = 50 };
    double right[100], u[100], *own = counts;
    for (int i = 0; i < 100; i++)
        right[i] = 1.0;
    for (int i = 0; i < TRIES; i++) {
        const enum cgsolve_status status = cgsolve_solve(shared, 100, right, u, NULL);
        const bool done = status == CGSOLVE_OK && fabs(u[0] - 50.0) <= 1e-6;
        own[done                                                                           ? 0
            : status == CGSOLVE_USAGE && strstr(cgsolve_message(), "the handle is in use") ? 1
                                                                                           : 2]++;
        cgsolve_set(shared, "tol", "1e-10");
    }
    return NULL;
}

TEST(one_handle_of_four_threads)
{
    pthread_t threads[4];
    double counts[4][3] = {{0.0}}, done = 0.0;
    struct rows a = rows_tridiagonal(100);
    shared = handle();
    option(shared, "threads", "1");
    hand_over(shared, &a);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, share, counts[i]), 0);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
        done += counts[i][0];
        ck_assert_double_eq(counts[i][2], 0.0);
    }
    ck_assert_double_ge(done, 1.0);
    ck_assert_int_eq(cgsolve_destroy(&shared), CGSOLVE_OK);
    rows_free(&a);
}

/* In a child of fork: the number of the first expectation that does not hold, 0: all do. Check's
 * own fork stands between this and the parent that reports, so that nothing is asserted here. */
static int child(struct cgsolve *old, const struct rows *a, const double *right)
{
    double u[100];
    struct cgsolve *made = NULL;
    alarm(60); /* it waits for no thread that is not there */
    if (cgsolve_solve(old, 100, right, u, NULL) != CGSOLVE_USAGE)
        return 1;
    if (!strstr(cgsolve_message(), "child of fork") || !strstr(cgsolve_message(), "threads to 1"))
        return 2;
    if (cgsolve_setup(old) != CGSOLVE_USAGE)
        return 3;
    if (cgsolve_set(old, "threads", "1") != CGSOLVE_OK ||
        cgsolve_solve(old, 100, right, u, NULL) != CGSOLVE_OK || !(fabs(u[0] - 50.0) <= 1e-6))
        return 4;
    if (cgsolve_create(&made) != CGSOLVE_OK || cgsolve_set(made, "backend", "cpu") != CGSOLVE_OK ||
        cgsolve_matrix_crs(made, 100, a->pointers[100], a->pointers, a->columns, a->values) !=
            CGSOLVE_OK)
        return 5;
    if (cgsolve_solve(made, 100, right, u, NULL) != CGSOLVE_USAGE)
        return 6;
    if (cgsolve_set(made, "threads", "1") != CGSOLVE_OK ||
        cgsolve_set(made, "precond", "amg") != CGSOLVE_OK ||
        cgsolve_solve(made, 100, right, u, NULL) != CGSOLVE_OK || !(fabs(u[0] - 50.0) <= 1e-6))
        return 7;
    return cgsolve_destroy(&made) == CGSOLVE_OK && cgsolve_destroy(&old) == CGSOLVE_OK ? 0 : 8;
}

TEST(after_fork)
{
    struct rows a = rows_tridiagonal(100);
    struct cgsolve *s = handle();
    double right[100], u[100];
    int status = -1;
    for (int i = 0; i < 100; i++)
        right[i] = 1.0;
    option(s, "threads", "2");
    hand_over(s, &a);
    ck_assert_int_eq(cgsolve_solve(s, 100, right, u, NULL), CGSOLVE_OK);
    const pid_t pid = fork();
    if (pid == 0)
        _exit(child(s, &a, right));
    ck_assert_int_gt(pid, 0);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0); /* 256 times the number; 14: it hung */
    ck_assert_int_eq(cgsolve_solve(s, 100, right, u, NULL), CGSOLVE_OK); /* the parent goes on */
    ck_assert_int_eq(cgsolve_destroy(&s), CGSOLVE_OK);
    rows_free(&a);
}

static void *fork_alone(void *unused)
{
    struct rows a = rows_tridiagonal(100);
    struct cgsolve *s = handle();
    double right[100], u[100];
    int status = -1;
    for (int i = 0; i < 100; i++)
        right[i] = 1.0;
    omp_set_num_threads(1);
    hand_over(s, &a);
    solved(cgsolve_solve(s, 100, right, u, NULL));
    const pid_t pid = fork();
    if (pid == 0) {
        alarm(60);
        u[0] = 0.0;
        _exit(cgsolve_solve(s, 100, right, u, NULL) != CGSOLVE_OK || !(fabs(u[0] - 50.0) <= 1e-6));
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    cgsolve_destroy(&s);
    rows_free(&a);
    return unused;
}

/* A child lacks nothing whose parent's thread has had no other OpenMP thread. */
TEST(after_fork_of_one_thread)
{
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, fork_alone, NULL), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
}

static int threads_there(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/task");
    ck_assert_ptr_nonnull(folder);
    for (const struct dirent *entry; (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

/* Threads that only cost time are not started: beside a busy loop each wait for one is as long as a
 * slice of the scheduler. */
TEST(a_small_matrix_starts_no_thread)
{
    enum { ROWS = 400 };
    struct rows a = rows_tridiagonal(ROWS);
    double ones[ROWS], u[ROWS];
    for (int i = 0; i < ROWS; i++)
        ones[i] = 1.0;
    unsetenv("OMP_NUM_THREADS");
    const int before = threads_there();
    struct cgsolve *s = handle();
    hand_over(s, &a);
    solved(cgsolve_solve(s, ROWS, ones, u, NULL));
    ck_assert_int_eq(cgsolve_matrix_values(s, a.pointers[ROWS], a.values), CGSOLVE_OK);
    solved(cgsolve_solve(s, ROWS, ones, u, NULL));
    cgsolve_destroy(&s);
    s = box_handle();
    option(s, "N", "5");
    solved(cgsolve_solve(s, 125, NULL, u, NULL));
    cgsolve_destroy(&s);
    ck_assert_int_eq(threads_there(), before);
    rows_free(&a);
}

int main(void)
{
    return suite_run(suite_of("library_caller", 60, NULL, NULL));
}
