/* Studies before their runs: lists, points and their order, names and labels, series,
 * --expect-order, and what is refused before anything runs. */
#include "core/facts/facts.h"
#include "core/options/options_value.h"
#include "lab/command_line/options_list.h"
#include "lab/command_line/options_parse.h"
#include "lab/study/study_point.h"
#include "tests/src/study.h"

TEST(product)
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
        "cgsolve",       "solve",       "--N=7",     "--quadrature=blended",
        "--format=sell", "--tol=1e-08", "--solves=0"};
    for (int i = 0; i < 7; i++)
        ck_assert_str_eq(words[i], right[i]);
    ck_assert_ptr_null(words[7]);
    cgs_words_release(words);
}

TEST(labels)
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

/* Files of one name, and those that would make a hidden file. */
TEST(names)
{
    ck_assert_int_eq(MAKE("--matrix=a/.x.mtx,b/.x.mtx,c d.mtx"), CGS_OK);
    ck_assert_str_eq(study.points[0].name, "_x.mtx");
    ck_assert_str_eq(study.points[1].name, "_x.mtx-2");
    ck_assert_str_eq(study.points[2].name, "c_d.mtx");
}

TEST(alone)
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

TEST(ranges)
{
    static const char *const sizes[] = {"3", "8", "16", "24", "30", "31", "32"};
    ck_assert_int_eq(MAKE("--N=30..32,8:27:8,3", "--threads=1:2"), CGS_OK);
    ck_assert_int_eq(study.lists[CGS_OPTION_n].count, 7);
    for (int i = 0; i < 7; i++)
        ck_assert_str_eq(study.lists[CGS_OPTION_n].values[i], sizes[i]);
    ck_assert_int_eq(study.lists[CGS_OPTION_threads].count, 2);
    ck_assert_int_eq(study.count, 14);
}

static const struct {
    const char *words[5], *said;
} wrong[] = {
    {{"--N=7,x"}, "--N=x is not a number"},
    {{"--N=7,"}, "--N=7, has nothing on one side of a comma"},
    {{"--N=7,10001"}, "--N=10001 is out of range"},
    {{"--N=8:8:64"}, "a range from 8 to 8 in steps of 64 has no second value: expected FIRST:LAST"},
    {{"--N=64..8"}, "has no second value"},
    {{"--N=8:64:0"}, "--N=8:64:0 is not a number"},
    {{"--N=8...64"}, "--N=8...64 is not a number"},
    {{"--N=9990..10001"}, "--N=10001 is out of range"},
    {{"--max-iterations=1..1e9"}, "from 1 to 1000000000 in steps of 1 has more than 10000 values"},
    {{"--N=3..7,5"}, "--N has the value 5 twice"},
    {{"--deform=0:1:0.1"}, "--deform=0:1:0.1 is not a number"},
    {{"--N=7,15,7.0"}, "--N has the value 7 twice"},
    {{"--format=crs,sel"}, "did you mean 'sell'?"},
    {{"--kernel=crs_row,"}, "--kernel=crs_row, has nothing on one side of a comma"},
    {{"--kernel=crs_row,crs_rwo"}, "unknown kernel 'crs_rwo'; did you mean 'crs_row'"},
    {{"--kernel=crs_row,sell_chunk", "--format=crs"},
     "1 of 2 combinations make no sense, and nothing is run; the first is sell_chunk: kernel "
     "'sell_chunk' is of backend cpu and format sell"},
    {{"--N=5,7", "--format=sell,none", "--precond=mg,amg", "--backend=cpu"},
     "2 of 8 combinations make no sense, and nothing is run; the first is N=5, none, "
     "precond=amg: --precond=amg makes its grids of the matrix's entries"},
    {{"--N=5,1300", "--format=sell"}, "the first is N=1300: --N=1300 is out of range: the columns"},
    {{"--N=9", "--deform=0.1,0.4"}, "the first is deform=0.4: --deform=0.4 turns cell"},
    {{"--N=9", "--kernel=./a.c,auto", "--precond=mg"}, "the first is a.c: --precond=mg applies"},
    {{"--N=9", "--launch=plain,graph", "--backend=cpu"},
     "the first is launch=graph: --launch=graph belongs to --backend=cuda"},
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

LOOP_TEST(refused, WRONG)
{
    ck_assert_int_eq(make(wrong[_i].words), CGS_USAGE);
    said(wrong[_i].said);
}

TEST(expectations)
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

/* The first mesh of each order: eight unknowns a direction, a tolerance below all targets. */
TEST(targets)
{
    ck_assert_int_eq(MAKE("--order=1,2,8", "--target-error=1e-8,1e-4,1e-6"), CGS_OK);
    ck_assert_int_eq(study.target_count, 3);
    ck_assert(study.targets[0] == 1e-4 && study.targets[2] == 1e-8);
    ck_assert_int_eq(study.series_count, 3);
    ck_assert_str_eq(study.points[1].name, "cells4-order2");
    ck_assert_double_eq(study.points[1].facts[CGS_FACT_n], 7.0);
    ck_assert_str_eq(study.series[2].label, "order=8");
    char **words = cgs_point_words(&study, &study.points[2]);
    static const char *const right[] = {"cgsolve",       "solve",       "--cells=2", "--order=8",
                                        "--format=none", "--tol=1e-10", "--solves=0"};
    for (int i = 0; i < 7; i++)
        ck_assert_str_eq(words[i], right[i]);
    ck_assert_ptr_null(words[7]);
    cgs_words_release(words);
}

/* Columns of a study are keys of a report, or of several; the row of a key. */
TEST(facts)
{
    for (int i = 0; i < CGS_FACTS; i++)
        ck_assert_msg(!cgs_facts[i].path[0] || cgs_report_fact_find(cgs_facts[i].path),
                      "no key of a report: %s", cgs_facts[i].path);
    ck_assert_int_eq(cgs_report_fact_find("solver.iterations")->rule, CGS_RESULT);
    ck_assert_str_eq(cgs_report_fact_find("throughput.mups")->unit, "MUPS");
    ck_assert_int_eq(cgs_report_fact_find("preconditioning.setup_parts.draw")->rule, CGS_PHASE);
    ck_assert_str_eq(cgs_report_fact_find("solver.mixed.updates")->key, "updates");
    ck_assert_int_eq(cgs_report_fact_find("spmv.kernels[].convert_seconds")->rule, CGS_PHASE);
    ck_assert_int_eq(cgs_report_fact_find("kernels[].fill_seconds")->rule, CGS_PHASE);
    ck_assert_ptr_null(cgs_report_fact_find("kernels[].convert_seconds"));
    ck_assert_ptr_null(cgs_report_fact_find("solver.iteration"));
    ck_assert_ptr_null(cgs_report_fact_find("solvers.iterations"));
    ck_assert_ptr_null(cgs_report_fact_find("iterations"));
}

int main(void)
{
    return run_tests("study", 60, setup, teardown);
}
