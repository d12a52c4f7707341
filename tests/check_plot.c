/* src/plot, src/gnuplot and the figures of the laboratory: the script that is written, what happens
 * where gnuplot is missing, fails, hangs or says nothing, and, where it is there, real figures. */
#include <check.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "src/compare_plot.h"
#include "src/gnuplot.h"
#include "src/lab_plot.h"
#include "src/plot_script.h"

static char folder[64];
static char was[4096];
static struct cgs_context context;

static void setup(void)
{
    snprintf(folder, sizeof folder, "/tmp/check_plot_XXXXXX");
    ck_assert_ptr_nonnull(getcwd(was, sizeof was));
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
    unsetenv("CGSOLVE_GNUPLOT");
    cgs_context_init(&context);
}

/* No temporary is left, whatever happened. */
static void teardown(void)
{
    DIR *listing = opendir(".");
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        ck_assert_msg(!strstr(entry->d_name, ".tmp"), "%s is left", entry->d_name);
        if (entry->d_name[0] != '.')
            unlink(entry->d_name);
    }
    closedir(listing);
    ck_assert_int_eq(chdir(was), 0);
    rmdir(folder);
    unsetenv("CGSOLVE_GNUPLOT");
    ck_assert_int_eq(context.host_bytes, 0);
}

static void put(const char *name, const char *text, mode_t mode)
{
    FILE *file = fopen(name, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
    chmod(name, mode);
}

/* All of a file, to be freed; NULL: not there. */
static char *get(const char *name)
{
    FILE *file = fopen(name, "r");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    const size_t size = (size_t)ftell(file);
    char *text = calloc(size + 1, 1);
    rewind(file);
    ck_assert_uint_eq(fread(text, 1, size, file), size);
    fclose(file);
    return text;
}

/* Instead of gnuplot. */
static void pretend(const char *script)
{
    char text[512];
    snprintf(text, sizeof text, "#!/bin/sh\n%s\n", script);
    put("gnuplot.sh", text, 0755);
    setenv("CGSOLVE_GNUPLOT", "./gnuplot.sh", 1);
}

static void said(const char *what)
{
    ck_assert_msg(strstr(context.message, what) != NULL, "no '%s' in: %s", what, context.message);
}

#define NASTY "it's_a {name}^2 `touch pwned` \\\" %s <&> @x\n$y\xff"
#define NASTY_QUOTED "'it''s_a {name}^2 `touch pwned` \\\" %s <&> @x $y?'"

static const double ys[] = {3e-6, NAN, 5e-5}, lows[] = {2e-6, NAN, 4e-5},
                    highs[] = {4e-6, NAN, 1e-4}, xs[] = {1e3, 1e4, 1e6},
                    levels[] = {6e-5, 6e-5, 6e-5}, none[] = {NAN, NAN, NAN};
static const char *const names[] = {NASTY, "two", "three"};
static const struct cgs_plot_series bars[] = {
    {"absent", CGS_PLOT_BARS, 3, NULL, none, NULL, NULL},
    {"own", CGS_PLOT_BARS, 3, NULL, ys, lows, highs},
    {"level", CGS_PLOT_LEVELS, 3, NULL, levels, NULL, NULL}};
static const struct cgs_plot_series lines[] = {
    {NASTY, CGS_PLOT_LINES, 3, xs, ys, lows, highs},
    {"points", CGS_PLOT_POINTS, 3, xs, levels, NULL, NULL},
    {"guide", CGS_PLOT_GUIDE, 3, xs, levels, NULL, NULL}};
static const struct cgs_plot_panel panels[] = {
    {.title = "Bars " NASTY,
     .y_label = "time [s]",
     .log_y = true,
     .names = names,
     .values = names,
     .name_count = 3,
     .series = bars,
     .series_count = 3},
    {.title = "Lines", .x_label = "n", .y_label = "s", .series = lines, .series_count = 3},
    {.title = "Both",
     .x_label = "n",
     .y_label = "s",
     .log_x = true,
     .log_y = true,
     .series = lines,
     .series_count = 3},
    {.title = "Empty", .x_label = "n", .y_label = "s", .series = bars, .series_count = 1}};
static const struct cgs_plot plot = {NASTY, NASTY, panels, 4};

START_TEST(script)
{
    FILE *file = fopen("script", "w");
    cgs_plot_script(file, &plot, "svg", NULL);
    fclose(file);
    char *text = get("script");
    ck_assert_ptr_nonnull(strstr(text, "set terminal svg size "));
    ck_assert_ptr_null(strstr(text, "set output"));
    ck_assert_ptr_nonnull(strstr(text, NASTY_QUOTED));
    ck_assert_ptr_null(strstr(text, "\xff"));
    /* the point that is NaN is left out, the others have their spread */
    ck_assert_ptr_nonnull(
        strstr(text, "$d0_1 << EOD\n0 3e-06 2e-06 4e-06\n2 5e-05 4e-05 0.0001\nEOD\n"));
    ck_assert_ptr_nonnull(strstr(text, "$d1_0 << EOD\n1000 3e-06 2e-06 4e-06\n"));
    ck_assert_ptr_nonnull(strstr(text, "plot NaN notitle"));
    ck_assert_ptr_null(strstr(text, "'absent'"));
    int times = 0;
    for (const char *at = text; (at = strstr(at, NASTY_QUOTED)) != NULL; at++, times++) {
        const char *plain = strstr(at, "noenhanced");
        ck_assert(plain && plain < strchr(at, '\n'));
    }
    ck_assert_int_eq(times, 2 + 2 + 2); /* title and subtitle, name and value, two keys */
    free(text);
    ck_assert(!cgs_plot_has_points(&bars[0]));
    ck_assert(cgs_plot_has_points(&bars[1]));
}
END_TEST

START_TEST(endings)
{
    static const char *const wrong[] = {"x.jpg", "svg",     ".svg",  "a/.png",
                                        "x.SVG", "x.svg/y", "x.svg."};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cgs_context_init(&context);
        ck_assert_int_eq(cgs_plot_check(&context, wrong[i]), CGS_USAGE);
        said(".svg, .png or .pdf");
        cgs_context_init(&context);
        ck_assert_int_eq(cgs_plot_write(&context, &plot, wrong[i]), CGS_USAGE);
    }
    cgs_context_init(&context);
    ck_assert_int_eq(cgs_plot_check(&context, NULL), CGS_OK);
    ck_assert_int_eq(cgs_plot_check(&context, "x.y.svg"), CGS_OK);
    ck_assert_int_eq(cgs_plot_check(&context, "/nonexistent/x.svg"), CGS_FILE);
    said("the figure '/nonexistent/x.svg'");
}
END_TEST

/* What was there stays, script and data are left, and the package is named. */
static void expect_script(const char *why)
{
    put("x.svg", "old", 0644);
    cgs_context_init(&context);
    ck_assert_int_eq(cgs_plot_write(&context, &plot, "x.svg"), CGS_FILE);
    said("cannot draw 'x.svg'");
    said(why);
    said("'gnuplot x.svg.gp' draws it");
    char *figure = get("x.svg"), *left = get("x.svg.gp");
    ck_assert_str_eq(figure, "old");
    ck_assert_ptr_nonnull(left);
    ck_assert_ptr_nonnull(strstr(left, "set output 'x.svg'\n"));
    ck_assert_ptr_nonnull(strstr(left, "$d0_1 << EOD\n"));
    free(figure);
    free(left);
}

START_TEST(missing)
{
    char *path = strdup(getenv("PATH"));
    setenv("CGSOLVE_GNUPLOT", "/nonexistent/gnuplot", 1);
    expect_script("'/nonexistent/gnuplot' is not there (package gnuplot-nox");
    unsetenv("CGSOLVE_GNUPLOT");
    setenv("PATH", "/nonexistent", 1);
    expect_script("'gnuplot' is not there (package gnuplot-nox");
    setenv("PATH", path, 1);
    free(path);
}
END_TEST

START_TEST(failing)
{
    pretend("echo 'line 3:  no such thing' >&2; exit 3");
    expect_script("./gnuplot.sh failed with status 3: line 3: no such thing");
    pretend("echo half; kill -SEGV $$");
    expect_script("./gnuplot.sh was ended by signal 11");
    pretend("exit 0");
    expect_script("has written nothing");
    put("gnuplot.sh", "", 0644);
    expect_script("'./gnuplot.sh' cannot be started");
    pretend("exit 3");
    ck_assert_int_eq(cgs_plot_write(&context, &plot, "/nonexistent/x.svg"), CGS_FILE);
}
END_TEST

/* It and what it has started are ended; a reader of its output does not wait for them. */
START_TEST(hanging)
{
    char why[256];
    pretend("echo waiting >&2; sleep 1000 & sleep 1000");
    FILE *in = tmpfile(), *out = tmpfile();
    const double start = cgs_now();
    ck_assert(!cgs_gnuplot_run(in, fileno(out), 0.3, why, sizeof why));
    ck_assert_msg(strstr(why, "was ended after 0.3 s: waiting"), "%s", why);
    ck_assert(cgs_now() - start < 500.0);
    fclose(in);
    fclose(out);
}
END_TEST

/* The first failure stays the one that counts. */
START_TEST(after_a_failure)
{
    pretend("exit 3");
    cgs_fail(&context, CGS_NOT_CONVERGED, "a kernel failed");
    ck_assert_int_eq(cgs_plot_write(&context, &plot, "x.png"), CGS_NOT_CONVERGED);
    said("a kernel failed; moreover, cannot draw 'x.png'");
    ck_assert_int_eq(context.status, CGS_NOT_CONVERGED);
    pretend("cat"); /* draws its script */
    ck_assert_int_eq(cgs_plot_write(&context, &plot, "x.png"), CGS_OK);
}
END_TEST

START_TEST(versions)
{
    char text[128];
    pretend("echo 'gnuplot 5.2 patchlevel 8'");
    ck_assert(!cgs_gnuplot_version(text, sizeof text));
    ck_assert_ptr_nonnull(strstr(text, "too old"));
    pretend("echo 'gnuplot 6.0 patchlevel 0'");
    ck_assert(cgs_gnuplot_version(text, sizeof text));
    ck_assert_str_eq(text, "gnuplot 6.0 patchlevel 0");
    pretend("echo no");
    ck_assert(!cgs_gnuplot_version(text, sizeof text));
}
END_TEST

static int has_gnuplot(void)
{
    char text[256];
    const int there = cgs_gnuplot_version(text, sizeof text);
    if (!there)
        printf("skipped: %s\n", text);
    return there;
}

START_TEST(real)
{
    static const struct {
        const char *path, *start;
    } files[] = {{"it's $x.svg", "<?xml"}, {"x.png", "\x89PNG"}, {"x.pdf", "%PDF"}};
    if (!has_gnuplot())
        return;
    for (size_t i = 0; i < 3; i++) {
        ck_assert_msg(cgs_plot_write(&context, &plot, files[i].path) == CGS_OK, "%s",
                      context.message);
        char *figure = get(files[i].path);
        ck_assert_ptr_nonnull(figure);
        ck_assert_int_eq(strncmp(figure, files[i].start, strlen(files[i].start)), 0);
        if (i == 0) /* the name as it is, but for XML's own */
            ck_assert_ptr_nonnull(strstr(figure, "s_a {name}^2 `touch pwned` \\"));
        free(figure);
    }
    ck_assert_int_ne(access("pwned", F_OK), 0);
}
END_TEST

/* ---- the laboratory ---- */

static struct cgs_lab_row row(const char *name, enum cgs_device device, double median)
{
    struct cgs_lab_row r = {.device = device,
                            .format = CGS_CRS,
                            .threads = device == CGS_CPU ? 2 : 0,
                            .state = CGS_LAB_TIMED,
                            .median = median,
                            .least = 0.9 * median,
                            .most = 1.5 * median,
                            .gbs = 1e-3 / median,
                            .attainable_gbs = 40.0,
                            .speedup = 1e-3 / median};
    snprintf(r.name, sizeof r.name, "%s", name);
    return r;
}

START_TEST(laboratory)
{
    struct cgs_options options = {.n = 9};
    struct cgs_machine machine = {.device = CGS_CPU};
    struct cgs_input input = {.kind = CGS_INPUT_BOX};
    struct cgs_lab_row rows[] = {row("slow", CGS_CPU, 1e-3),  row("vendor", CGS_CPU, 2e-4),
                                 row("fast", CGS_CPU, 1e-4),  row("bad", CGS_CPU, 0.0),
                                 row("other", CGS_CPU, 5e-4), row("left_out", CGS_CPU, 0.0)};
    const struct cgs_lab lab = {.options = &options,
                                .context = &context,
                                .machine = &machine,
                                .input = &input,
                                .crs = {.rows = 729, .nonzeros = 15625},
                                .rows = rows,
                                .count = 6};
    rows[0].threads = 1;
    rows[1].reference = true;
    rows[3].state = CGS_LAB_FAILED;
    rows[4].format = CGS_SELL;
    rows[4].chunk = 8;
    rows[4].sigma = 1;
    rows[5].state = CGS_LAB_SKIPPED;
    setenv("CGSOLVE_GNUPLOT", "/nonexistent", 1);
    ck_assert_int_eq(cgs_lab_plot(&context, &lab, "lab.svg"), CGS_FILE);
    char *text = get("lab.svg.gp");
    ck_assert_ptr_nonnull(text);
    /* fastest first, the failed one last and without a bar, the skipped one nowhere */
    const char *at = text;
    static const char *const order[] = {"Q1 matrix, N = 9: 729 rows, 15 625 entries, double",
                                        "'fast, 2 threads' at graph 0, first 0",
                                        "'vendor, 2 threads' at graph 0, first 1",
                                        "'other 8-1, 2 threads' at graph 0, first 2",
                                        "'slow, 1 thread' at graph 0, first 3",
                                        "'bad, 2 threads (FAILED)' at graph 0, first 4"};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        at = strstr(at, order[i]);
        ck_assert_msg(at != NULL, "no '%s', or too early", order[i]);
    }
    ck_assert_ptr_null(strstr(text, "left_out"));
    ck_assert_ptr_nonnull(
        strstr(text, "$d0_0 << EOD\n0 100 90 150\n2 500 450 750\n3 1000 900 1500\nEOD"));
    ck_assert_ptr_nonnull(strstr(text, "$d0_1 << EOD\n1 200 180 300\nEOD"));
    ck_assert_ptr_nonnull(strstr(text, "$d1_3 << EOD\n0 40 40 40\n"));
    ck_assert_ptr_nonnull(strstr(text, "$d2_0 << EOD\n0 10 10 10\n"));
    ck_assert_ptr_nonnull(strstr(text, "'10 = 25 %'"));
    ck_assert_ptr_nonnull(strstr(text, "[us]"));
    free(text);
    /* memory that is refused, each block in turn */
    enum cgs_status status = CGS_MEMORY;
    for (int64_t k = 1; status == CGS_MEMORY; k++) {
        cgs_context_init(&context);
        context.starve_in[CGS_HOST] = k;
        status = cgs_lab_plot(&context, &lab, "lab.svg");
        ck_assert_int_eq(context.host_bytes, 0);
    }
    ck_assert_int_eq(status, CGS_FILE);
    unsetenv("CGSOLVE_GNUPLOT");
    if (!has_gnuplot())
        return;
    cgs_context_init(&context);
    ck_assert_msg(cgs_lab_plot(&context, &lab, "lab.svg") == CGS_OK, "%s", context.message);
    for (int i = 0; i < 6; i++) /* nothing was timed: names alone */
        rows[i].state = CGS_LAB_FAILED;
    ck_assert_msg(cgs_lab_plot(&context, &lab, "lab.svg") == CGS_OK, "%s", context.message);
    for (int i = 0; i < 6; i++)
        rows[i].state = CGS_LAB_SKIPPED;
    ck_assert_int_eq(cgs_lab_plot(&context, &lab, "lab.svg"), CGS_USAGE);
}
END_TEST

START_TEST(several_reports)
{
    json_t *reports[3];
    for (int i = 0; i < 3; i++)
        reports[i] =
            json_pack("{s:{s:{s:i}, s:[{s:s, s:s, s:s, s:i, s:f, s:f, s:f}, "
                      "{s:s, s:s, s:s, s:f, s:f, s:f}, {s:s, s:s}]}}",
                      "spmv", "matrix", "nonzeros", 1000 * (3 - i), "kernels", "name", "own",
                      "device", "cpu", "format", "crs", "threads", i == 1 ? 4 : 2, "median_seconds",
                      1e-3 * (3 - i), "min_seconds", 1e-4, "max_seconds", 1.0, "name", "gpu",
                      "device", "cuda", "format", "crs", "median_seconds", 1e-4, "min_seconds",
                      1e-5, "max_seconds", 1.0, "name", "untimed", "device", "cpu");
    setenv("CGSOLVE_GNUPLOT", "/nonexistent", 1);
    enum cgs_status status = CGS_MEMORY;
    for (int64_t k = 1; status == CGS_MEMORY; k++) {
        cgs_context_init(&context);
        context.starve_in[CGS_HOST] = k;
        status = cgs_compare_plot(&context, reports, 3, "c.pdf");
        ck_assert_int_eq(context.host_bytes, 0);
    }
    ck_assert_int_eq(status, CGS_FILE);
    char *text = get("c.pdf.gp");
    ck_assert_ptr_nonnull(text);
    /* by entries, however they came; the threads of each apart; the slope of the last point */
    ck_assert_ptr_nonnull(
        strstr(text, "$d0_0 << EOD\n1000 0.001 0.0001 1\n3000 0.003 0.0001 1\nEOD\n"
                     "$d0_1 << EOD\n2000 0.002 0.0001 1\nEOD\n"
                     "$d0_2 << EOD\n1000 0.001 0.001 0.001\n3000 0.003 0.003 0.003\nEOD\n"));
    ck_assert_ptr_nonnull(strstr(text, "'2 threads'"));
    ck_assert_ptr_nonnull(strstr(text, "'CPU, 4 threads: by kernel'"));
    ck_assert_ptr_nonnull(strstr(text, "'CUDA: by kernel'"));
    ck_assert_ptr_null(strstr(text, "untimed"));
    free(text);
    cgs_context_init(&context);
    json_object_clear(reports[0]);
    ck_assert_int_eq(cgs_compare_plot(&context, reports, 1, "c.pdf"), CGS_USAGE);
    for (int i = 0; i < 3; i++)
        json_decref(reports[i]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plot");
    TCase *tcase = tcase_create("plot");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, script);
    tcase_add_test(tcase, endings);
    tcase_add_test(tcase, missing);
    tcase_add_test(tcase, failing);
    tcase_add_test(tcase, hanging);
    tcase_add_test(tcase, after_a_failure);
    tcase_add_test(tcase, versions);
    tcase_add_test(tcase, real);
    tcase_add_test(tcase, laboratory);
    tcase_add_test(tcase, several_reports);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
