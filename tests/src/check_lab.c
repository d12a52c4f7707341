/* The laboratory believes nobody: kernels that are wrong in every way that has been thought of
 * (fakes.c) are found, named, and never timed further; right ones pass; slow ones are dropped. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/autotune/tournament.h"
#include "core/facts/choice.h"
#include "core/setup/measure.h"
#include "matrix/random.h"
#include "src/spmv/lab_rows.h"
#include "tests/src/fakes.h"
#include "tests/support/support.h"

struct hall {
    struct cgs_crs crs;
    struct cgs_row_source source;
    struct cgs_references references;
    struct cgs_testbed testbed;
};

static struct hall open_hall(const struct plain *plain)
{
    struct hall hall = {0};
    const double *x[CGS_TESTBED_INPUTS];
    const struct cgs_row_source source = plain_source(plain);
    must(cgs_crs_generate(&bed.context, &source, &hall.crs));
    must(cgs_references_create(&bed.context, &hall.crs, CGS_PRECISION_F64, &hall.references));
    for (int t = 0; t < hall.references.count; t++)
        x[t] = hall.references.items[t].x;
    must(cgs_testbed_create(bed.backend, bed.queue, CGS_F64, hall.crs.rows, hall.crs.columns,
                            hall.references.count, x, &hall.testbed));
    return hall;
}

static void close_hall(struct hall *hall)
{
    cgs_testbed_release(&hall->testbed);
    cgs_references_release(&bed.context, &hall->references);
    cgs_crs_release(&bed.context, &hall->crs);
}

/* A kernel beside an honest one, which must come through whatever the other does. */
LOOP_TEST(each_cheat_is_caught_and_named, FAKES)
{
    struct plain *plain = plain_q1(7);
    struct hall hall = open_hall(plain);
    struct cgs_kernel_entry entries[2];
    struct cgs_candidate candidates[2] = {0};
    struct cgs_trial trials[2], *both[2] = {&trials[0], &trials[1]};
    double least, most;
    const struct cgs_tournament tournament = {.products = 20,
                                              .batches = 5,
                                              .budget = 60.0,
                                              .hopeless = 20.0,
                                              .references = &hall.references};
    hall.source = cgs_crs_source(&hall.crs);
    for (int i = 0; i < 2; i++) {
        const int which = i == 0 ? _i : 0;
        entries[i] = (struct cgs_kernel_entry){.name = fakes[which].name,
                                               .device = CGS_CPU,
                                               .format = CGS_CRS,
                                               .tables = {&fakes[which].kernel}};
        candidates[i] = (struct cgs_candidate){.entry = &entries[i], .chunk = 1, .sigma = 1};
        must(cgs_trial_open(&candidates[i], &hall.testbed, &hall.source, CGS_PRECISION_F64,
                            both[i]));
        if (trials[i].state == CGS_TRIAL_OPEN)
            must(cgs_trial_prepare(both[i], CGS_PRECISION_F64));
        if (trials[i].state == CGS_TRIAL_OPEN)
            must(cgs_trial_verify(both[i], &hall.references));
    }
    ck_assert_msg((trials[0].state != CGS_TRIAL_OPEN) == fakes[_i].at_once, "%s: %s",
                  fakes[_i].name, trials[0].verdict.reason);
    must(cgs_tournament_run(&tournament, both, 2));
    ck_assert_msg(trials[0].state == fakes[_i].state, "%s: state %d, %s", fakes[_i].name,
                  (int)trials[0].state, trials[0].verdict.reason);
    ck_assert_msg(strstr(trials[0].verdict.reason, fakes[_i].words), "%s: %s", fakes[_i].name,
                  trials[0].verdict.reason);
    printf("%s: %s\n", fakes[_i].name, trials[0].verdict.reason);
    if (trials[0].state == CGS_TRIAL_DROPPED) { /* by the figures of the table */
        const double ratio = trials[0].seconds[0] / cgs_trial_median(both[1], &least, &most);
        ck_assert_double_eq_tol(strtod(trials[0].verdict.reason, NULL), ratio, 0.5 + 1e-9 * ratio);
    }
    if (fakes[_i].at_once)
        ck_assert_int_eq(trials[0].products, 0); /* never timed */
    if (fakes[_i].kernel.steps.time)
        ck_assert(fabs(cgs_trial_median(both[0], &least, &most) - 2e-5) < 1e-12);
    ck_assert_int_eq(trials[1].state, CGS_TRIAL_OPEN);
    ck_assert_int_eq(trials[1].batches * trials[1].in_batch, 20);
    ck_assert(trials[1].verdict.worst_error <= 1.0);
    ck_assert_int_eq(bed.context.status, CGS_OK);
    for (int i = 0; i < 2; i++)
        cgs_trial_release(both[i]);
    close_hall(&hall);
    plain_free(plain);
}

TEST(the_first_wrong_row_is_named)
{
    struct plain *plain = plain_make(9, PLAIN_RANDOM); /* power law 3001 */
    struct hall hall = open_hall(plain);
    double *y = must_have((size_t)plain->rows * sizeof *y);
    for (int t = 0; t < hall.references.count; t++) {
        for (int64_t i = 0; i < plain->rows; i++)
            y[i] = hall.references.items[t].exact[i];
        struct cgs_judgement v =
            cgs_references_compare(&bed.context, &hall.references, t, plain->rows, y, 0);
        ck_assert(v.right && v.wrong_row == -1 && v.worst_error == 0.0);
        y[2000] += 1.0;
        y[77] = NAN;
        v = cgs_references_compare(&bed.context, &hall.references, t, plain->rows, y, 0);
        ck_assert(!v.right && isinf(v.worst_error));
        ck_assert_int_eq(v.wrong_row, 77);
    }
    free(y);
    close_hall(&hall);
    plain_free(plain);
}

/* Whole numbers: every row of the exact input must be right to the bit; others: many of them. */
TEST(exact_rows_are_exact)
{
    for (int numbers = PLAIN_RANDOM; numbers <= PLAIN_INTEGERS; numbers++) {
        struct plain *plain = plain_make(11, (enum plain_numbers)numbers); /* band 5003 */
        struct hall hall = open_hall(plain);
        long double *y = must_have((size_t)plain->rows * sizeof *y);
        long double *bound = must_have((size_t)plain->rows * sizeof *bound);
        for (int t = 0; t < hall.references.count; t++) {
            const struct cgs_truth *truth = &hall.references.items[t];
            plain_multiply(plain, CGS_F64, truth->x, y, bound);
            for (int64_t i = 0; i < plain->rows; i++)
                ck_assert(truth->exact[i] == (double)y[i]);
        }
        const int64_t exact = hall.references.items[2].exact_rows;
        if (numbers == PLAIN_INTEGERS)
            ck_assert_int_eq(exact, plain->rows);
        else
            ck_assert_int_gt(exact, plain->rows / 4);
        printf("%lld of %lld rows exact\n", (long long)exact, (long long)plain->rows);
        free(y);
        free(bound);
        close_hall(&hall);
        plain_free(plain);
    }
}

/* Handmade rows: against one thread, the default kernel, and the CPU's best. */
TEST(speedup_and_break_even)
{
    struct cgs_lab_row rows[] = {
        {.device = CGS_CPU, .threads = 2, .prepare_seconds = 1.0, .median = 0.010},
        {.device = CGS_CPU,
         .threads = 2,
         .beside = true,
         .standard = true,
         .prepare_seconds = 2.0,
         .median = 0.020},
        {.device = CGS_CPU, .threads = 1, .beside = true, .prepare_seconds = 1.0, .median = 0.040},
        {.device = CGS_CUDA, .prepare_seconds = 1.9, .median = 0.001},
        {.device = CGS_CUDA, .prepare_seconds = 0.9, .median = 0.001},
        {.device = CGS_CUDA, .state = CGS_TRIAL_FAILED, .median = 0.001, .break_even = -1},
        {.device = CGS_CUDA, .reference = true, .prepare_seconds = 1.0, .median = 0.002},
    };
    static const double speedups[] = {4, 2, 1, 40, 40, 0, 20}, ratios[] = {0, 0, 0, 2, 2, 0, 1},
                        defaults[] = {2, 1, 0.5, 20, 20, 0, 10};
    static const int64_t evens[] = {0, -1, -1, 100, 0, -1, 0};
    enum { ROWS = sizeof rows / sizeof *rows };
    int items[ROWS];
    struct cgs_lab lab = {.rows = rows, .count = ROWS};
    for (int i = 0; i < ROWS; i++)
        items[i] = i;
    cgs_lab_hold_against_vendor(&lab, items, ROWS);
    cgs_lab_hold_against_baselines(&lab);
    for (int i = 0; i < ROWS; i++) {
        ck_assert_msg(fabs(rows[i].speedup - speedups[i]) < 1e-9, "row %d: %g", i, rows[i].speedup);
        ck_assert_msg(fabs(rows[i].default_ratio - defaults[i]) < 1e-9, "row %d: %g", i,
                      rows[i].default_ratio);
        ck_assert_msg(fabs(rows[i].vendor_ratio - ratios[i]) < 1e-9, "row %d: %g", i,
                      rows[i].vendor_ratio);
        ck_assert_msg(llabs((long long)(rows[i].break_even - evens[i])) <= (evens[i] > 0),
                      "row %d: %lld", i, (long long)rows[i].break_even);
    }
}

/* The default kernel is the baseline of one thread where the run has one. */
TEST(default_of_one_thread)
{
    struct cgs_lab_row rows[] = {
        {.device = CGS_CPU, .threads = 1, .standard = true, .median = 0.020},
        {.device = CGS_CPU, .threads = 1, .median = 0.010}};
    struct cgs_lab lab = {.rows = rows, .count = 2};
    cgs_lab_hold_against_baselines(&lab);
    ck_assert(rows[0].speedup == 1.0 && rows[1].speedup == 2.0 && rows[1].default_ratio == 2.0);
    ck_assert(rows[0].break_even == -1 && rows[1].break_even == 0);
}

/* On a matrix with one full row SELL-64, sorted or not, has thirteen times the bytes of CRS: it is
 * not even tried. */
/* A read along with products is the denominator, unless it is far below what the run saw before. */
/* 1.1 GB in 1 ms is more than 100 GB/s of memory give, but not of a cache, and not if the matrix
 * may be smaller. */
TEST(nobody_beats_the_roof)
{
    static const struct {
        bool plugin, cached, prepares, refused;
        double median;
    } cases[] = {{true, false, false, true, 1e-3}, {true, false, false, false, 1e-2},
                 {true, true, false, false, 1e-3}, {false, false, false, false, 1e-3},
                 {true, false, true, false, 1e-3}, {true, false, true, true, 1e-4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cgs_lab lab = {.cached = cases[i].cached};
        struct cgs_lab_row row = {.state = CGS_TRIAL_OPEN,
                                  .plugin = cases[i].plugin,
                                  .bytes_after = 1000000000,
                                  .attainable_gbs = 100.0,
                                  .median = cases[i].median};
        const int64_t least = cgs_lab_least_bytes(&row, 100000000, cases[i].prepares);
        cgs_lab_hold_against_roof(&lab, least, &row);
        ck_assert_msg(row.state == (cases[i].refused ? CGS_TRIAL_FAILED : CGS_TRIAL_OPEN),
                      "case %zu: %s", i, row.reason);
        ck_assert(cases[i].refused == (strstr(row.reason, "something is left out") != NULL));
    }
}

TEST(a_disturbed_read_is_no_denominator)
{
    ck_assert(cgs_trusted_read(40.0, 44.0) == 44.0);
    ck_assert(cgs_trusted_read(40.0, 30.0) == 30.0);
    ck_assert(cgs_trusted_read(40.0, 19.0) == 40.0);
    ck_assert(cgs_trusted_read(40.0, 0.0) == 40.0); /* not measured */
    ck_assert(cgs_trusted_read(0.0, 30.0) == 30.0);
    ck_assert(cgs_trusted_read(0.0, 0.0) == 0.0);
}

TEST(auto_keeps_to_the_lean)
{
    struct plain *plain = plain_make(8, PLAIN_RANDOM); /* arrow 5000 */
    struct cgs_row_source source = plain_source(plain);
    struct cgs_options options = {
        .settings.precision = CGS_PRECISION_F64, .settings.kernel = "auto", .settings.chunk = 64};
    struct cgs_room room = {.bytes = {INT64_MAX, INT64_MAX}};
    struct cgs_selection choice;
    options.settings.given[CGS_OPTION_chunk] = true;
    must(cgs_choose(&options.settings, bed.backend, bed.queue, &source, &room, &choice));
    ck_assert_int_ge(choice.chosen, 0);
    ck_assert(choice.items[choice.chosen].reason[0] == '\0');
    int open = 0;
    for (int i = 0; i < choice.count; i++) {
        const struct cgs_selection_item *item = &choice.items[i];
        ck_assert(!item->candidate.entry->tables[CGS_PRECISION_F64]->reference);
        open += item->seconds > 0.0;
        if (item->candidate.entry->format == CGS_SELL)
            ck_assert_msg(item->seconds == 0.0 && strstr(item->reason, "times the bytes"), "%s: %s",
                          item->candidate.entry->name, item->reason);
    }
    ck_assert_int_le(choice.products, 50 * open);
    char lines[CGS_CHOICE_LINES][CGS_CHOICE_WIDTH];
    cgs_choice_explain(&choice, lines);
    for (int i = 0; i < CGS_CHOICE_LINES; i++)
        printf("%s\n", lines[i]);
    ck_assert(strstr(lines[0], " to 5000 entries") && strstr(lines[2], "takes "));

    room.bytes[CGS_HOST] = 1; /* nothing fits */
    ck_assert_int_eq(cgs_choose(&options.settings, bed.backend, bed.queue, &source, &room, &choice),
                     CGS_MEMORY);
    ck_assert(strstr(bed.context.message, "no memory for it"));
    bed_forgive();
    plain_free(plain);
}

int main(void)
{
    return bed_tests("lab", 300);
}
