/* Studies before and after their runs: lists, points and their order, names and labels, series,
 * --expect-order, which reports --resume takes, and what is refused before anything runs. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/study.h"
#include "src/version.h"
#include "tests/support.h"

enum { WORDS_MOST = 12 };

static struct cgs_context context;
static struct cgs_options options;
static struct cgs_study study;
static char folder[32];

static void setup(void)
{
    cgs_context_init(&context);
    study = (struct cgs_study){.lock = -1};
    options = (struct cgs_options){0};
    snprintf(folder, sizeof folder, "studyXXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void teardown(void)
{
    char command[64];
    cgs_study_close(&study);
    cgs_study_release(&study);
    cgs_options_release(&options);
    unsetenv("TMPDIR");
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

/* "study" and these words, up to NULL. */
static enum cgs_status make(const char *const *words)
{
    const char *argv[WORDS_MOST] = {"cgsolve", "study"};
    int argc = 2;
    while (*words)
        argv[argc++] = *words++;
    CGS_TRY(cgs_options_parse(&context, argc, argv, &options));
    study = (struct cgs_study){.context = &context, .options = &options, .lock = -1};
    return cgs_study_make(&study);
}
#define MAKE(...) make((const char *const[]){__VA_ARGS__, NULL})

static void said(const char *part)
{
    ck_assert_msg(strstr(context.message, part) != NULL, "'%s' is not in: %s", part,
                  context.message);
}

START_TEST(product)
{
    static const char *const names[] = {"N3-gauss-crs",    "N3-gauss-sell",  "N3-blended-crs",
                                        "N3-blended-sell", "N7-gauss-crs",   "N7-gauss-sell",
                                        "N7-blended-crs",  "N7-blended-sell"};
    ck_assert_int_eq(
        MAKE("--format=crs,sell", "--N=7,3", "--tol=1e-8", "--quadrature=gauss,blended"), CGS_OK);
    ck_assert_int_eq(study.count, 8);
    for (int i = 0; i < 8; i++)
        ck_assert_str_eq(study.points[i].name, names[i]);
    ck_assert_int_eq(study.swept_count, 3);
    ck_assert_int_eq(study.swept[0], CGS_OPTION_n);
    ck_assert_str_eq(study.points[5].values[CGS_OPTION_n], "7");
    ck_assert_ptr_null(study.points[5].values[CGS_OPTION_tol]);
    ck_assert_int_eq(study.series_count, 4);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(study.series[i].count, 2);
        ck_assert_int_eq(study.series[i].points[0], i);
        ck_assert_int_eq(study.series[i].points[1], i + 4);
    }
    ck_assert_str_eq(study.series[2].label, "blended, crs");
    char **words = cgs_point_words(&study, &study.points[7]);
    static const char *const right[] = {
        "cgsolve", "solve", "--N=7", "--quadrature=blended", "--format=sell", "--tol=1e-08"};
    for (int i = 0; i < 6; i++)
        ck_assert_str_eq(words[i], right[i]);
    ck_assert_ptr_null(words[6]);
    cgs_words_release(words);
}
END_TEST

START_TEST(labels)
{
    char label[200];
    ck_assert_int_eq(MAKE("--kappa=1,jump:100", "--threads=1,2", "--reproducible",
                          "--kernel=crs_row,sell_chunk,auto"),
                     CGS_OK);
    ck_assert_int_eq(study.count, 12);
    ck_assert_int_eq(study.series_count, 12);
    ck_assert_int_eq(study.series[11].count, 1);
    cgs_point_label(&study, &study.points[11], false, label, sizeof label);
    ck_assert_str_eq(label, "kappa=jump:100, auto, threads=2");
    ck_assert_str_eq(study.points[11].name, "kappajump_100-auto-threads2");
    char **words = cgs_point_words(&study, &study.points[0]);
    ck_assert_str_eq(words[5], "--reproducible");
    cgs_words_release(words);
}
END_TEST

/* Files of one name, and those that would make a hidden file. */
START_TEST(names)
{
    ck_assert_int_eq(MAKE("--matrix=a/.x.mtx,b/.x.mtx,c d.mtx"), CGS_OK);
    ck_assert_str_eq(study.points[0].name, "_x.mtx");
    ck_assert_str_eq(study.points[1].name, "_x.mtx-2");
    ck_assert_str_eq(study.points[2].name, "c_d.mtx");
}
END_TEST

START_TEST(alone)
{
    ck_assert_int_eq(MAKE("--tol=1e-6"), CGS_OK); /* nothing is swept: convergence */
    ck_assert_int_eq(study.count, 4);
    ck_assert_str_eq(study.points[3].name, "N63");
    ck_assert_str_eq(study.series[0].label, "");
    cgs_study_release(&study);
    cgs_options_release(&options);
    ck_assert_int_eq(MAKE("--N=1e1"), CGS_OK);
    ck_assert_int_eq(study.count, 1);
    ck_assert_str_eq(study.points[0].name, "point");
    ck_assert_str_eq(study.lists[CGS_OPTION_n].values[0], "10");
}
END_TEST

static const struct {
    const char *words[4], *said;
} wrong[] = {
    {{"--N=7,x"}, "--N=x is not a number"},
    {{"--N=7,"}, "--N= is not a number"},
    {{"--N=7,10001"}, "--N=10001 is out of range"},
    {{"--N=7,15,7.0"}, "--N has the value 7 twice"},
    {{"--format=crs,sel"}, "did you mean 'sell'?"},
    {{"--kernel=crs_row,"}, "--kernel is empty"},
    {{"--kernel=crs_row,crs_rwo"}, "unknown kernel 'crs_rwo'; did you mean 'crs_row'"},
    {{"--kernel=crs_row,sell_chunk", "--format=crs"},
     "1 of 2 combinations make no sense, and nothing is run; the first is sell_chunk"},
    {{"--format=crs,sell", "--chunk=8", "--N=3,5"},
     "2 of 4 combinations make no sense, and nothing is run; the first is N=3, crs: --chunk "
     "belongs"},
    {{"--threads=1,2,3,4,5,6,7,8,9,10,11", "--solves=1,2,3,4,5,6,7,8,9,10,11",
      "--N=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,"
      "33,34,"
      "35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,"
      "65,66,"
      "67,68,69,70,71,72,73,74,75,76,77,78,79,80,81,82,83"},
     "more than 10000 points"},
    {{"--resume"}, "--report=DIR"},
    {{"--expect-order=l3:2"}, "--expect-order=l3:2 is not understood"},
    {{"--history=x"}, "--history belongs to 'cgsolve solve', not to 'cgsolve study'"},
    {{"--report="}, "--report is empty"},
};
enum { WRONG = sizeof wrong / sizeof *wrong };

START_TEST(refused)
{
    ck_assert_int_eq(make(wrong[_i].words), CGS_USAGE);
    said(wrong[_i].said);
}
END_TEST

START_TEST(expectations)
{
    struct cgs_expectation e;
    static const char *const not [] = {
        "",       "l2",   "l2:",      "l2:2,", "l2:2,l2:2", "l2:0",    "l2:x",        "l2:2:",
        "l2:2:0", "L2:2", "l2:2:1:1", "l2:20", ",l2:2",     "nodal:4", "theory,l2:2", "l2:2 "};
    for (size_t i = 0; i < sizeof not / sizeof *not ; i++)
        ck_assert_msg(!cgs_expectation_read(not [i], &e), "%s", not [i]);
    ck_assert(cgs_expectation_read("theory", &e) && e.theory && !e.given[CGS_NORM_L2]);
    ck_assert(cgs_expectation_read("none", &e) && !e.theory && !e.given[CGS_NORM_L2]);
    ck_assert(cgs_expectation_read("l2:2,nodal_l2:4:0.05,max:1e0", &e));
    ck_assert(!e.theory && e.given[CGS_NORM_L2] && !e.given[CGS_NORM_H1] && e.given[CGS_NORM_MAX]);
    ck_assert(e.order[CGS_NORM_NODAL_L2] == 4.0 && e.tolerance[CGS_NORM_NODAL_L2] == 0.05);
    ck_assert(e.order[CGS_NORM_MAX] == 1.0 && e.tolerance[CGS_NORM_L2] == 0.0);
}
END_TEST

/* ---- --resume ---- */

/* A report as the point itself would leave it; `json`: its last argument. */
static void leave(const struct cgs_point *point, const char *version, int exit_status,
                  const char *more)
{
    char **words = cgs_point_words(&study, point);
    json_t *arguments = json_array();
    for (int i = 1; words[i]; i++)
        json_array_append_new(arguments, json_string(words[i]));
    cgs_words_release(words);
    if (more)
        json_array_append_new(arguments, json_string(more));
    json_array_append_new(arguments, json_string("--json=elsewhere/x.json"));
    json_t *root =
        json_pack("{s{ssss}so si s{sf}}", "cgsolve", "version", version, "commit", cgs_commit(),
                  "arguments", arguments, "exit_status", exit_status, "error", "l2", 0.25);
    ck_assert_ptr_nonnull(root);
    ck_assert_int_eq(json_dump_file(root, point->file, 0), 0);
    json_decref(root);
}

START_TEST(resume)
{
    char report[64];
    int stale;
    snprintf(report, sizeof report, "--report=%s/a/b/", folder);
    ck_assert_int_eq(MAKE("--N=1,2,3,4,5,6,7,8,9,10", report, "--resume"), CGS_OK);
    ck_assert_int_eq(cgs_study_open(&study), CGS_OK);
    struct cgs_point *p = study.points;
    leave(&p[0], cgs_version(), 0, NULL);
    leave(&p[1], cgs_version(), 2, NULL);
    leave(&p[2], cgs_version(), 3, NULL);
    leave(&p[3], cgs_version(), 5, NULL);
    leave(&p[4], cgs_version(), 6, NULL);
    leave(&p[5], cgs_version(), 130, NULL);
    leave(&p[6], "0.0.0", 0, NULL);
    leave(&p[7], cgs_version(), 0, "--tol=1e-3");
    FILE *file = fopen(p[8].file, "w");
    fputs("{\"cgsolve\": {", file); /* cut off */
    fclose(file);
    ck_assert_int_eq(cgs_study_resume(&study, &stale), 3);
    ck_assert_int_eq(stale, 5);
    for (int i = 0; i < 10; i++) {
        ck_assert_int_eq(p[i].resumed, i < 3);
        ck_assert_int_eq(p[i].exit_status, i == 0 ? 0 : i < 3 ? i + 1 : -1);
        ck_assert_int_eq(isfinite(p[i].facts[CGS_FACT_l2]) != 0, i < 3);
    }
    ck_assert(p[0].facts[CGS_FACT_l2] == 0.25 && isnan(p[0].facts[CGS_FACT_h1]));
}
END_TEST

START_TEST(folders)
{
    char report[64], other[64];
    snprintf(report, sizeof report, "--report=%s", folder);
    ck_assert_int_eq(MAKE("--N=3", report), CGS_OK); /* an empty folder is fine */
    ck_assert_int_eq(cgs_study_open(&study), CGS_OK);
    leave(&study.points[0], cgs_version(), 0, NULL);

    struct cgs_study second = study; /* while the first one has it */
    struct cgs_options resumes = options;
    resumes.resume = true;
    second.options = &resumes;
    second.count = 0;
    ck_assert_int_eq(cgs_study_open(&second), CGS_FILE);
    said("another study is running");
    cgs_study_close(&second);
    cgs_study_close(&study);

    cgs_context_init(&context);
    second.options = &options;
    ck_assert_int_eq(cgs_study_open(&second), CGS_USAGE);
    said("holds a study already: --resume goes on");
    cgs_study_close(&second);
    snprintf(other, sizeof other, "%s/points", folder);
    cgs_context_init(&context);
    resumes.report = other;
    second.options = &resumes;
    ck_assert_int_eq(cgs_study_open(&second), CGS_USAGE);
    said("holds something else than a study");
    cgs_study_close(&second);
}
END_TEST

/* Without --report: a folder that goes, whatever is in it. */
START_TEST(temporary)
{
    ck_assert_int_eq(setenv("TMPDIR", folder, 1), 0);
    ck_assert_int_eq(MAKE("--N=3,4"), CGS_OK);
    ck_assert_int_eq(cgs_study_open(&study), CGS_OK);
    ck_assert(study.temporary && strncmp(study.folder, folder, strlen(folder)) == 0);
    leave(&study.points[0], cgs_version(), 0, NULL);
    ck_assert_int_eq(access(study.points[0].file, F_OK), 0);
    cgs_study_close(&study);
    ck_assert_int_eq(rmdir(folder), 0); /* it is empty again */
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    ck_assert_int_eq(setenv("TMPDIR", "/nonexistent", 1), 0);
    ck_assert_int_eq(cgs_study_open(&study), CGS_FILE);
    said("by $TMPDIR");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("study");
    TCase *tests = tcase_create("study");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, product);
    tcase_add_test(tests, labels);
    tcase_add_test(tests, names);
    tcase_add_test(tests, alone);
    tcase_add_loop_test(tests, refused, 0, WRONG);
    tcase_add_test(tests, expectations);
    tcase_add_test(tests, resume);
    tcase_add_test(tests, folders);
    tcase_add_test(tests, temporary);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
