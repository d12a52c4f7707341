/* libcgsolve through its public header: its report, the program beside it, and the process
 * around it. */
#include <dirent.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <omp.h>

#include "tests/library/library.h"

static double number(const json_t *root, const char *object, const char *key)
{
    const json_t *value = json_object_get(json_object_get(root, object), key);
    ck_assert_msg(json_is_number(value), "%s.%s is no number", object, key);
    return json_number_value(value);
}

static const char *text(const json_t *root, const char *object, const char *key)
{
    const char *value = json_string_value(json_object_get(json_object_get(root, object), key));
    return value ? value : "";
}

TEST(reports)
{
    double b[90], x[90];
    struct rows a = rows_tridiagonal(90);
    struct cgsolve *s = handle();
    struct cgsolve_result result;
    for (int i = 0; i < 90; i++)
        b[i] = 1.0;
    option(s, "profile", "yes");
    hand_over(s, &a);
    ck_assert_int_eq(cgsolve_measure(s, 1), CGSOLVE_OK);
    solved(cgsolve_solve(s, 90, b, x, &result));
    option(s, "tol", "1e-9"); /* the report is that of the last solve still */
    json_t *report = report_of(s);
    ck_assert_str_eq(text(report, "problem", "name"), "memory");
    ck_assert_str_eq(text(report, "problem", "rhs"), "given");
    ck_assert_str_eq(text(report, "solver", "status"), result.outcome);
    ck_assert_int_eq((int)number(report, "problem", "unknowns"), 90);
    ck_assert_int_eq((int)number(report, "matrix", "nonzeros"), 3 * 90 - 2);
    ck_assert_double_eq(number(report, "solver", "tolerance"), 1e-10);
    ck_assert_double_eq(number(report, "solver", "true_relative_residual"),
                        result.true_relative_residual);
    ck_assert_int_eq(json_array_size(json_object_get(report, "history")),
                     (size_t)result.iterations + 1);
    ck_assert(json_is_array(json_object_get(report, "profile")));
    ck_assert(json_is_object(json_object_get(report, "choice")));
    ck_assert(json_is_number(json_object_get(report, "spmv_seconds")));
    ck_assert_int_eq(json_integer_value(json_object_get(report, "exit_status")), 0);
    json_decref(report);
    option(s, "max-iterations", "1");
    cgsolve_solve(s, 90, b, x, NULL);
    report = report_of(s);
    ck_assert_int_eq(json_integer_value(json_object_get(report, "exit_status")),
                     CGSOLVE_NOT_CONVERGED);
    ck_assert_str_eq(json_string_value(json_array_get(json_object_get(report, "arguments"), 0)),
                     "--backend=cpu");
    json_decref(report);
    cgsolve_destroy(&s);
    rows_free(&a);
}

/* The same box by the program: the same numbers, to the bit. Of `rows` unknowns; options by name
 * and value. */
static void check_program(int rows, const char *const options[3][2])
{
    const char *program = getenv("CGSOLVE");
    char file[] = "/tmp/check_libraryXXXXXX", command[1024], words[256] = "";
    double x[729];
    struct cgsolve *s = box_handle();
    struct cgsolve_result result;
    if (!program)
        return;
    option(s, "N", NULL);
    for (int i = 0; i < 3; i++) {
        const size_t used = strlen(words);
        option(s, options[i][0], options[i][1]);
        snprintf(words + used, sizeof words - used, " --%s=%s", options[i][0], options[i][1]);
    }
    ck_assert_int_le(rows, 729);
    solved(cgsolve_solve(s, rows, NULL, x, &result));
    const int descriptor = mkstemp(file);
    ck_assert_int_ge(descriptor, 0);
    close(descriptor);
    snprintf(command, sizeof command, "'%s' --backend=cpu%s --json=%s >/dev/null", program, words,
             file);
    ck_assert_int_eq(system(command), 0);
    json_t *report = json_load_file(file, 0, NULL), *own = report_of(s);
    remove(file);
    ck_assert_ptr_nonnull(report);
    ck_assert(json_equal(json_object_get(report, "solution"), json_object_get(own, "solution")));
    if (json_object_get(report, "probes"))
        ck_assert(json_equal(json_object_get(report, "probes"), json_object_get(own, "probes")));
    json_decref(own);
    ck_assert_double_eq(number(report, "error", "l2"), result.l2_error);
    ck_assert_double_eq(number(report, "error", "nodal_l2"), result.nodal_l2_error);
    ck_assert_double_eq(number(report, "error", "h1"), result.h1_error);
    ck_assert_double_eq(number(report, "error", "max"), result.max_error);
    ck_assert_int_eq((int64_t)number(report, "solver", "iterations"), result.iterations);
    ck_assert_str_eq(json_string_value(json_object_get(report, "kernel")), result.kernel);
    json_decref(report);
    cgsolve_destroy(&s);
}

TEST(the_program_agrees)
{
    static const char *const options[][3][2] = {
        {{"N", "9"}, {"deform", "0.1"}, {"precond", "mg"}},
        {{"cells", "10x8x12"}, {"size", "1x2x0.5"}, {"precond", "mg"}},
        {{"cells", "10"}, {"size", "1"}, {"format", "none"}},
        {{"cells", "3x2x2"}, {"order", "4"}, {"probe", "0.3,0.6,0.5"}},
    };
    check_program(729, options[0]);
    check_program(9 * 7 * 11, options[1]);
    check_program(729, options[2]);
    check_program(11 * 7 * 7, options[3]);
}

/* Nothing is printed, no signal is handled, the locale is the caller's again, and numbers of
 * options have a point in it. */
TEST(the_process_is_the_callers)
{
    enum { SIGNALS = 32 };
    double b[50] = {1.0}, x[50];
    char before[64] = "";
    struct rows a = rows_tridiagonal(50);
    struct sigaction handlers[SIGNALS], after;
    struct stat written;
    FILE *file = tmpfile();
    const int kept = dup(2);
    if (setlocale(LC_ALL, "de_DE.UTF-8") || setlocale(LC_ALL, "fr_FR.UTF-8"))
        snprintf(before, sizeof before, "%s", localeconv()->decimal_point);
    for (int i = 1; i < SIGNALS; i++)
        sigaction(i, NULL, &handlers[i]);
    ck_assert_int_eq(dup2(fileno(file), 2), 2);
    struct cgsolve *s = handle();
    option(s, "tol", "0.0000001");
    hand_over(s, &a);
    ck_assert_int_eq(cgsolve_solve(s, 50, b, x, NULL), CGSOLVE_OK);
    ck_assert_int_eq(cgsolve_set(s, "nothing", "1"), CGSOLVE_USAGE);
    option(s, "max-iterations", "1");
    ck_assert_int_eq(cgsolve_solve(s, 50, b, x, NULL), CGSOLVE_NOT_CONVERGED);
    cgsolve_destroy(&s);
    dup2(kept, 2);
    ck_assert_int_eq(fstat(fileno(file), &written), 0);
    ck_assert_int_eq(written.st_size, 0);
    fclose(file);
    if (before[0])
        ck_assert_str_eq(localeconv()->decimal_point, before);
    for (int i = 1; i < SIGNALS; i++) {
        sigaction(i, NULL, &after);
        ck_assert_msg(after.sa_handler == handlers[i].sa_handler, "signal %d", i);
    }
    rows_free(&a);
}

static void end_loops(const pid_t *busy, int loops)
{
    for (int i = 0; i < loops; i++) {
        kill(busy[i], SIGKILL);
        waitpid(busy[i], NULL, 0);
    }
}

/* Keeps in *most_ how many threads this process had at most. */
static int count_threads(void *most_, int64_t iteration, double residual)
{
    (void)iteration, (void)residual;
    int *most = most_, count = 0;
    DIR *tasks = opendir("/proc/self/task");
    while (readdir(tasks))
        count++;
    closedir(tasks);
    *most = count > *most ? count : *most;
    return 1; /* go on */
}

/* Two busy loops for each processor: the second team, which sleeps meanwhile, changes no bit of x,
 * and the report of each solve says that it was disturbed, also of one that needs no set-up. A
 * small box, for which one thread is enough, gets no second team. */
TEST(on_a_busy_machine)
{
    enum { MOST = 64, N = 24, ROWS = N * N * N };
    const int loops = omp_get_num_procs() < MOST / 2 ? 2 * omp_get_num_procs() : MOST;
    pid_t busy[MOST];
    double *x[2] = {calloc(ROWS, sizeof **x), calloc(ROWS, sizeof **x)};
    struct cgsolve *s = handle();
    unsetenv("OMP_WAIT_POLICY"); /* set for all tests; the second team is not started with it */
    unsetenv("OMP_NUM_THREADS");
    for (int i = 0; i < loops; i++)
        if ((busy[i] = fork()) == 0) {
            alarm(30);
            for (;;)
                ;
        }
    ck_assert_int_eq(cgsolve_set_integer(s, "N", N), CGSOLVE_OK);
    ck_assert_int_eq(cgsolve_matrix_box(s), CGSOLVE_OK);
    for (int k = 0; k < 2; k++) {
        solved(cgsolve_solve(s, ROWS, NULL, x[k], NULL));
        json_t *report = report_of(s);
        ck_assert_double_gt(number(report, "host", "waited"), 0.0);
        if (loops < MOST)
            ck_assert(json_is_true(json_object_get(report, "disturbed")));
        json_decref(report);
    }
    ck_assert_mem_eq(x[0], x[1], ROWS * sizeof **x);
    ck_assert_int_eq(cgsolve_set_integer(s, "threads", 1), CGSOLVE_OK);
    solved(cgsolve_solve(s, ROWS, NULL, x[1], NULL));
    ck_assert_mem_eq(x[0], x[1], ROWS * sizeof **x);
    cgsolve_destroy(&s);
    s = handle();
    int before = 0, small = 0, large = 0;
    count_threads(&before, 0, 0.0);
    ck_assert_int_eq(cgsolve_matrix_box(s), CGSOLVE_OK);
    ck_assert_int_eq(cgsolve_set_integer(s, "N", 5), CGSOLVE_OK);
    ck_assert_int_eq(cgsolve_watch(s, count_threads, &small), CGSOLVE_OK);
    solved(cgsolve_solve(s, 125, NULL, x[1], NULL));
    ck_assert_int_eq(cgsolve_set_integer(s, "N", N), CGSOLVE_OK);
    ck_assert_int_eq(cgsolve_watch(s, count_threads, &large), CGSOLVE_OK);
    solved(cgsolve_solve(s, ROWS, NULL, x[1], NULL));
    ck_assert_int_eq(small, before);
    if (omp_get_max_threads() > 1)
        ck_assert_int_gt(large, before + 1);
    end_loops(busy, loops);
    ck_assert_mem_eq(x[0], x[1], ROWS * sizeof **x);
    cgsolve_destroy(&s);
    free(x[0]);
    free(x[1]);
}

int main(void)
{
    return suite_run(suite_of("library_report", 60, NULL, NULL));
}
