/* Studies that have run: which reports --resume takes, which folders are a study's, what goes,
 * how long the rest will take, and whose machines' times do not compare. */
#include <math.h>
#include <sys/stat.h>

#include "core/io/version.h"
#include "core/options/options_value.h"
#include "lab/command_line/options_list.h"
#include "lab/command_line/options_parse.h"
#include "lab/study/study_folder.h"
#include "lab/study/study_origin.h"
#include "lab/study/study_point.h"
#include "lab/study/study_run.h"
#include "tests/src/study.h"

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

TEST(resume)
{
    char report[64];
    int resumed, stale;
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
    ck_assert_int_eq(cgs_study_resume(&study, &resumed, &stale), CGS_OK);
    ck_assert_int_eq(resumed, 3);
    ck_assert_int_eq(stale, 5);
    for (int i = 0; i < 10; i++) {
        ck_assert_int_eq(p[i].resumed, i < 3);
        ck_assert_int_eq(p[i].exit_status, i == 0 ? 0 : i < 3 ? i + 1 : -1);
        ck_assert_int_eq(isfinite(p[i].facts[CGS_FACT_l2]) != 0, i < 3);
    }
    ck_assert(p[0].facts[CGS_FACT_l2] == 0.25 && isnan(p[0].facts[CGS_FACT_h1]));
}

TEST(folders)
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

static bool there(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

static void put(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fclose(file);
}

/* A subfolder of that name makes no study, and of a study only what its points began goes. */
TEST(strangers)
{
    char report[64], points[64];
    snprintf(report, sizeof report, "--report=%s", folder);
    snprintf(points, sizeof points, "%s/points", folder);
    ck_assert_int_eq(mkdir(points, 0777), 0);
    put("points/N3.json.tmpAAAAAA");
    ck_assert_int_eq(MAKE("--N=3,4", report, "--resume"), CGS_OK);
    ck_assert_int_eq(cgs_study_open(&study), CGS_USAGE);
    said("holds something else than a study");
    cgs_study_close(&study);
    ck_assert(there("points/N3.json.tmpAAAAAA"));
    put("points/.cgsolve-study");
    put("points/mine.json.tmp");
    cgs_context_init(&context);
    ck_assert_int_eq(cgs_study_open(&study), CGS_OK);
    ck_assert(!there("points/N3.json.tmpAAAAAA") && there("points/mine.json.tmp"));
}

/* Without --report: a folder that goes, whatever is in it. */
TEST(temporary)
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

/* ---- machines ---- */

static void of(int point, const char *cpu, const char *device)
{
    study.points[point].report =
        json_pack("{s{ss} s{ss*}}", "host", "cpu", cpu, "device", "name", device);
    ck_assert_ptr_nonnull(study.points[point].report);
}

/* A GPU makes no second machine of its host; two processors do, and two GPUs where one was asked
 * for. */
TEST(machines)
{
    char text[200] = "";
    ck_assert_int_eq(MAKE("--backend=cpu,cuda", "--N=7,8"), CGS_OK);
    of(0, "EPYC", NULL);
    of(1, "EPYC", "H200");
    ck_assert(!cgs_study_mixed(&study, text, sizeof text));
    of(2, "Xeon", NULL);
    ck_assert(cgs_study_mixed(&study, text, sizeof text));
    ck_assert_ptr_nonnull(strstr(text, "of 2 machines"));
    for (int devices = 1; devices <= 2; devices++) {
        cgs_study_release(&study);
        cgs_options_release(&options);
        ck_assert_int_eq(MAKE("--N=7,8", devices == 1 ? "--device=0" : "--device=0,1"), CGS_OK);
        of(0, "Xeon", "H200");
        of(1, "Xeon", "H100");
        ck_assert_int_eq(cgs_study_mixed(&study, text, sizeof text), devices == 1);
    }
}

int main(void)
{
    return run_tests("studies that have run", 60, setup, teardown);
}
