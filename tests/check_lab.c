/* The laboratory believes nobody: kernels that are wrong in every way that has been thought of are
 * found, named, and never timed further; right ones pass; slow ones are dropped. Random matrices
 * are what they are said to be. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "matrix/random.h"
#include "src/lab.h"
#include "tests/support.h"

/* ---- kernels that cheat: CRS, double, on the CPU ---- */

struct fake {
    int64_t rows, columns;
    struct cgs_crs crs;
    double *kept; /* an answer of before */
    int calls;
};

static enum cgs_status fake_prepare(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                                    void **self)
{
    struct fake *made = must_have(sizeof *made);
    made->rows = matrix->rows;
    made->columns = matrix->columns;
    made->kept = must_have((size_t)(matrix->rows + 1) * sizeof *made->kept);
    must(cgs_crs_draw(queue->context, matrix->source, &made->crs));
    *self = made;
    return CGS_OK;
}

static void fake_release(void *self)
{
    struct fake *made = self;
    if (!made)
        return;
    cgs_crs_release(&bed.context, &made->crs);
    free(made->kept);
    free(made);
}

static void fake_plan(const struct cgs_matrix *matrix, struct cgs_plan *plan)
{
    cgs_plan_add(plan, CGS_HOST, "fake", matrix->nonzeros, 12);
}

static struct cgs_traffic fake_traffic(const struct cgs_matrix *matrix)
{
    return (struct cgs_traffic){.matrix = 12 * matrix->nonzeros,
                                .vectors = 8 * (matrix->rows + matrix->columns),
                                .additions = matrix->nonzeros};
}

static void multiply(const struct fake *fake, int64_t rows, const double *x, double *y)
{
    for (int64_t i = 0; i < rows; i++) {
        double sum = 0.0;
        for (int64_t k = fake->crs.pointers[i]; k < fake->crs.pointers[i + 1]; k++)
            sum += fake->crs.value[k] * x[fake->crs.column[k]];
        y[i] = sum;
    }
}

#define FAKE(name)                                                                                 \
    static enum cgs_status name(const void *self, struct cgs_queue *queue,                         \
                                const struct cgs_cg_state *state, const void *vx, void *vy)
#define TAKE                                                                                       \
    struct fake *fake = (struct fake *)(uintptr_t)self;                                            \
    const double *x = vx;                                                                          \
    double *y = vy;                                                                                \
    (void)queue, (void)state;                                                                      \
    fake->calls++

FAKE(honest)
{
    TAKE;
    multiply(fake, fake->rows, x, y);
    return CGS_OK;
}

FAKE(half_the_rows)
{
    TAKE;
    multiply(fake, fake->rows / 2, x, y);
    return CGS_OK;
}

/* The first answer for ever. */
FAKE(last_answer_again)
{
    TAKE;
    if (fake->calls == 1)
        multiply(fake, fake->rows, x, fake->kept);
    memcpy(y, fake->kept, (size_t)fake->rows * sizeof *y);
    return CGS_OK;
}

/* Honest while it is looked at, then saves itself the trouble. */
FAKE(tires_of_it)
{
    TAKE;
    if (fake->calls <= 9) {
        multiply(fake, fake->rows, x, y);
        memcpy(fake->kept, y, (size_t)fake->rows * sizeof *y);
    } else {
        memcpy(y, fake->kept, (size_t)fake->rows * sizeof *y);
    }
    return CGS_OK;
}

/* Does nothing at all once it has been looked at. */
FAKE(falls_asleep)
{
    TAKE;
    if (fake->calls <= 9)
        multiply(fake, fake->rows, x, y);
    return CGS_OK;
}

FAKE(writes_nan)
{
    TAKE;
    multiply(fake, fake->rows, x, y);
    y[fake->rows / 3] = NAN;
    return CGS_OK;
}

FAKE(writes_past_the_end)
{
    TAKE;
    multiply(fake, fake->rows, x, y);
    y[fake->rows] = 0.0;
    return CGS_OK;
}

FAKE(writes_before_the_start)
{
    TAKE;
    multiply(fake, fake->rows, x, y);
    y[-1] = NAN;
    return CGS_OK;
}

/* Knows one input by heart, and the answer to it. */
FAKE(right_for_one_seed)
{
    TAKE;
    if (fake->calls == 1)
        fake->kept[fake->rows] = x[0];
    multiply(fake, fake->rows, x, y);
    for (int64_t i = 0; i < fake->rows; i++)
        y[i] = x[0] == fake->kept[fake->rows] ? y[i] : y[i] * (1.0 + 1e-3);
    return CGS_OK;
}

/* Off by a little more than rounding explains, in one row. */
FAKE(a_little_off)
{
    TAKE;
    multiply(fake, fake->rows, x, y);
    y[fake->rows - 1] *= 1.0 + 1e-10;
    return CGS_OK;
}

FAKE(reads_past_x)
{
    TAKE;
    multiply(fake, fake->rows, x, y);
    y[1] += 0.0 * x[fake->columns];
    return CGS_OK;
}

FAKE(changes_x)
{
    TAKE;
    multiply(fake, fake->rows, x, y);
    ((double *)(uintptr_t)vx)[2] += 1.0;
    return CGS_OK;
}

FAKE(adds_to_y)
{
    TAKE;
    for (int64_t i = 0; i < fake->rows; i++)
        for (int64_t k = fake->crs.pointers[i]; k < fake->crs.pointers[i + 1]; k++)
            y[i] += fake->crs.value[k] * x[fake->crs.column[k]];
    return CGS_OK;
}

FAKE(refuses_later)
{
    TAKE;
    multiply(fake, fake->rows, x, y);
    return fake->calls < 12 ? CGS_OK
                            : cgs_fail(queue->context, CGS_DEVICE, "the worker process has died");
}

FAKE(snail)
{
    TAKE;
    multiply(fake, fake->rows, x, y);
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    return CGS_OK;
}

/* Says nothing to the queue, but has a clock of its own: 20 us a product. */
static enum cgs_status own_clock(const void *self, struct cgs_queue *queue, const void *x, void *y,
                                 int times, double *seconds)
{
    for (int i = 0; i < times; i++)
        must(honest(self, queue, NULL, x, y));
    *seconds = 2e-5 * times;
    return CGS_OK;
}

static enum cgs_status refuse(struct cgs_context *context, const struct cgs_matrix *matrix)
{
    return cgs_fail(context, CGS_USAGE, "%lld rows are not for this one", (long long)matrix->rows);
}

static enum cgs_status no_worker(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                                 void **self)
{
    (void)matrix, (void)self;
    return cgs_fail(queue->context, CGS_DEVICE, "its process ended by SIGSEGV");
}

#define KERNEL(function)                                                                           \
    {                                                                                              \
        .plan = fake_plan, .prepare = fake_prepare, .traffic = fake_traffic, .steps = {            \
            .apply = function,                                                                     \
            .release = fake_release                                                                \
        }                                                                                          \
    }

static const struct {
    const char *name;
    struct cgs_kernel kernel;
    enum cgs_trial_state state; /* in the end */
    bool at_once;               /* found before anything is timed */
    const char *words;          /* in the reason */
} fakes[] = {
    {"honest", KERNEL(honest), CGS_TRIAL_OPEN, false, ""},
    {"half_the_rows", KERNEL(half_the_rows), CGS_TRIAL_FAILED, true, "is nan, should be"},
    {"last_answer_again", KERNEL(last_answer_again), CGS_TRIAL_FAILED, true, "should be"},
    {"tires_of_it", KERNEL(tires_of_it), CGS_TRIAL_FAILED, false, "should be"},
    {"falls_asleep", KERNEL(falls_asleep), CGS_TRIAL_FAILED, false, "is nan, should be"},
    {"writes_nan", KERNEL(writes_nan), CGS_TRIAL_FAILED, true, "is nan, should be"},
    {"writes_past_the_end", KERNEL(writes_past_the_end), CGS_TRIAL_FAILED, true, "outside y: 1 of"},
    {"writes_before_the_start", KERNEL(writes_before_the_start), CGS_TRIAL_FAILED, true,
     "outside y: 1 of"},
    {"right_for_one_seed", KERNEL(right_for_one_seed), CGS_TRIAL_FAILED, true, "should be"},
    {"a_little_off", KERNEL(a_little_off), CGS_TRIAL_FAILED, true, "should be"},
    {"reads_past_x", KERNEL(reads_past_x), CGS_TRIAL_FAILED, true, "row 1 of"},
    {"changes_x", KERNEL(changes_x), CGS_TRIAL_FAILED, true, "changes x"},
    {"adds_to_y", KERNEL(adds_to_y), CGS_TRIAL_FAILED, true, "row 0 of"},
    {"refuses_later", KERNEL(refuses_later), CGS_TRIAL_FAILED, false, "worker process has died"},
    {"snail", KERNEL(snail), CGS_TRIAL_DROPPED, false, "times as slow as the best"},
    {"own_clock",
     {.plan = fake_plan,
      .prepare = fake_prepare,
      .traffic = fake_traffic,
      .steps = {.apply = honest, .time = own_clock, .release = fake_release}},
     CGS_TRIAL_OPEN,
     false,
     ""},
    {"accepts_nothing",
     {.accepts = refuse,
      .plan = fake_plan,
      .prepare = fake_prepare,
      .traffic = fake_traffic,
      .steps = {.apply = honest, .release = fake_release}},
     CGS_TRIAL_SKIPPED,
     true,
     "are not for this one"},
    {"cannot_be_prepared",
     {.plan = fake_plan,
      .prepare = no_worker,
      .traffic = fake_traffic,
      .steps = {.apply = honest, .release = fake_release}},
     CGS_TRIAL_FAILED,
     true,
     "SIGSEGV"},
};

enum { FAKES = sizeof fakes / sizeof *fakes };

/* ---- what they are tried on ---- */

struct hall {
    struct cgs_crs crs;
    struct cgs_row_source source;
    struct cgs_truths truths;
    struct cgs_stand stand;
};

static struct hall open_hall(const struct plain *plain)
{
    struct hall hall = {0};
    const double *x[CGS_STAND_INPUTS];
    const struct cgs_row_source source = plain_source(plain);
    must(cgs_crs_draw(&bed.context, &source, &hall.crs));
    must(cgs_truths_create(&bed.context, &hall.crs, CGS_PRECISION_F64, &hall.truths));
    for (int t = 0; t < hall.truths.count; t++)
        x[t] = hall.truths.items[t].x;
    must(cgs_stand_create(bed.backend, bed.queue, CGS_F64, hall.crs.rows, hall.crs.columns,
                          hall.truths.count, x, &hall.stand));
    return hall;
}

static void close_hall(struct hall *hall)
{
    cgs_stand_release(&hall->stand);
    cgs_truths_release(&bed.context, &hall->truths);
    cgs_crs_release(&bed.context, &hall->crs);
}

/* ---- tests ---- */

/* A kernel beside an honest one, which must come through whatever the other does. */
START_TEST(each_cheat_is_caught_and_named)
{
    struct plain *plain = plain_q1(7);
    struct hall hall = open_hall(plain);
    struct cgs_kernel_entry entries[2];
    struct cgs_candidate candidates[2] = {0};
    struct cgs_trial trials[2], *both[2] = {&trials[0], &trials[1]};
    double least, most;
    const struct cgs_race race = {
        .products = 20, .batches = 5, .budget = 60.0, .hopeless = 20.0, .truths = &hall.truths};
    hall.source = cgs_crs_source(&hall.crs);
    for (int i = 0; i < 2; i++) {
        const int which = i == 0 ? _i : 0;
        entries[i] = (struct cgs_kernel_entry){.name = fakes[which].name,
                                               .device = CGS_CPU,
                                               .format = CGS_CRS,
                                               .tables = {&fakes[which].kernel}};
        candidates[i] = (struct cgs_candidate){.entry = &entries[i], .chunk = 1, .sigma = 1};
        must(cgs_trial_open(&candidates[i], &hall.stand, &hall.source, CGS_PRECISION_F64, both[i]));
        if (trials[i].state == CGS_TRIAL_OPEN)
            must(cgs_trial_prepare(both[i], CGS_PRECISION_F64));
        if (trials[i].state == CGS_TRIAL_OPEN)
            must(cgs_trial_verify(both[i], &hall.truths));
    }
    ck_assert_msg((trials[0].state != CGS_TRIAL_OPEN) == fakes[_i].at_once, "%s: %s",
                  fakes[_i].name, trials[0].verdict.reason);
    must(cgs_race_run(&race, both, 2));
    ck_assert_msg(trials[0].state == fakes[_i].state, "%s: state %d, %s", fakes[_i].name,
                  (int)trials[0].state, trials[0].verdict.reason);
    ck_assert_msg(strstr(trials[0].verdict.reason, fakes[_i].words), "%s: %s", fakes[_i].name,
                  trials[0].verdict.reason);
    printf("%s: %s\n", fakes[_i].name, trials[0].verdict.reason);
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
END_TEST

START_TEST(the_first_wrong_row_is_named)
{
    struct plain *plain = plain_make(9, PLAIN_RANDOM); /* power law 3001 */
    struct hall hall = open_hall(plain);
    double *y = must_have((size_t)plain->rows * sizeof *y);
    for (int t = 0; t < hall.truths.count; t++) {
        for (int64_t i = 0; i < plain->rows; i++)
            y[i] = hall.truths.items[t].exact[i];
        struct cgs_verdict v = cgs_truths_compare(&bed.context, &hall.truths, t, plain->rows, y, 0);
        ck_assert(v.right && v.wrong_row == -1 && v.worst_error == 0.0);
        y[2000] += 1.0;
        y[77] = NAN;
        v = cgs_truths_compare(&bed.context, &hall.truths, t, plain->rows, y, 0);
        ck_assert(!v.right && isinf(v.worst_error));
        ck_assert_int_eq(v.wrong_row, 77);
    }
    free(y);
    close_hall(&hall);
    plain_free(plain);
}
END_TEST

/* Whole numbers: every row of the exact input must be right to the bit; others: many of them. */
START_TEST(exact_rows_are_exact)
{
    for (int numbers = PLAIN_RANDOM; numbers <= PLAIN_INTEGERS; numbers++) {
        struct plain *plain = plain_make(11, (enum plain_numbers)numbers); /* band 5003 */
        struct hall hall = open_hall(plain);
        long double *y = must_have((size_t)plain->rows * sizeof *y);
        long double *bound = must_have((size_t)plain->rows * sizeof *bound);
        for (int t = 0; t < hall.truths.count; t++) {
            const struct cgs_truth *truth = &hall.truths.items[t];
            plain_multiply(plain, CGS_F64, truth->x, y, bound);
            for (int64_t i = 0; i < plain->rows; i++)
                ck_assert(truth->exact[i] == (double)y[i]);
        }
        const int64_t exact = hall.truths.items[2].exact_rows;
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
END_TEST

/* Handmade rows: against one thread and against the CPU's best. */
START_TEST(speedup_and_break_even)
{
    struct cgs_lab_row rows[] = {
        {.device = CGS_CPU, .threads = 2, .prepare_seconds = 1.0, .median = 0.010},
        {.device = CGS_CPU, .threads = 2, .prepare_seconds = 2.0, .median = 0.020},
        {.device = CGS_CPU, .threads = 1, .beside = true, .prepare_seconds = 1.0, .median = 0.040},
        {.device = CGS_CUDA, .prepare_seconds = 1.9, .median = 0.001},
        {.device = CGS_CUDA, .prepare_seconds = 0.9, .median = 0.001},
        {.device = CGS_CUDA, .state = CGS_LAB_FAILED, .median = 0.001, .break_even = -1},
        {.device = CGS_CUDA, .reference = true, .prepare_seconds = 1.0, .median = 0.002},
    };
    static const double speedups[] = {4, 2, 1, 40, 40, 0, 20}, ratios[] = {0, 0, 0, 2, 2, 0, 1};
    static const int64_t evens[] = {0, -1, -1, 100, 0, -1, 0};
    enum { ROWS = sizeof rows / sizeof *rows };
    int items[ROWS];
    struct cgs_lab lab = {.rows = rows, .count = ROWS};
    for (int i = 0; i < ROWS; i++)
        items[i] = i;
    cgs_lab_hold_against_vendor(&lab, items, ROWS);
    cgs_lab_hold_against_cpu(&lab);
    for (int i = 0; i < ROWS; i++) {
        ck_assert_msg(fabs(rows[i].speedup - speedups[i]) < 1e-9, "row %d: %g", i, rows[i].speedup);
        ck_assert_msg(fabs(rows[i].vendor_ratio - ratios[i]) < 1e-9, "row %d: %g", i,
                      rows[i].vendor_ratio);
        ck_assert_msg(llabs((long long)(rows[i].break_even - evens[i])) <= (evens[i] > 0),
                      "row %d: %lld", i, (long long)rows[i].break_even);
    }
}
END_TEST

static void check_crs(const struct cgs_crs *crs)
{
    for (int64_t i = 0; i < crs->rows; i++)
        for (int64_t k = crs->pointers[i]; k < crs->pointers[i + 1]; k++) {
            ck_assert(crs->column[k] >= 0 && crs->column[k] < crs->columns);
            ck_assert(k == crs->pointers[i] || crs->column[k] > crs->column[k - 1]);
            ck_assert(crs->value[k] >= -1.0 && crs->value[k] < 1.0);
        }
}

START_TEST(random_matrices_by_any_threads)
{
    static const struct {
        int64_t n;
        double density;
        bool powerlaw;
    } cases[] = {{1, 1.0, false},     {1, 0.5, true},      {300, 1.0, false},   {300, 1.0, true},
                 {5000, 0.01, false}, {5000, 0.002, true}, {20000, 1e-9, false}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct cgs_crs one, many;
        const double n = (double)cases[c].n, expected = n * n * cases[c].density;
        bed.context.threads = 1;
        must(
            cgs_random_create(&bed.context, cases[c].n, cases[c].density, cases[c].powerlaw, &one));
        bed.context.threads = 3;
        must(cgs_random_create(&bed.context, cases[c].n, cases[c].density, cases[c].powerlaw,
                               &many));
        bed.context.threads = 2;
        const int64_t nonzeros = one.pointers[one.rows];
        check_crs(&one);
        ck_assert_int_eq(nonzeros, many.pointers[many.rows]);
        ck_assert(memcmp(one.pointers, many.pointers,
                         (size_t)(one.rows + 1) * sizeof *one.pointers) == 0);
        ck_assert(memcmp(one.column, many.column, (size_t)nonzeros * sizeof *one.column) == 0);
        ck_assert(memcmp(one.value, many.value, (size_t)nonzeros * sizeof *one.value) == 0);
        if (cases[c].density == 1.0 && !cases[c].powerlaw)
            ck_assert_int_eq(nonzeros, cases[c].n * cases[c].n);
        if (expected > 1e4) /* within a fifth: a power law varies */
            ck_assert_msg(fabs((double)nonzeros - expected) <
                              (cases[c].powerlaw ? 0.2 : 0.02) * expected,
                          "%lld entries, %g expected", (long long)nonzeros, expected);
        cgs_crs_release(&bed.context, &one);
        cgs_crs_release(&bed.context, &many);
    }
}
END_TEST

/* Few rows hold much of it, none is far above n / 10, most are short. */
START_TEST(power_laws_have_long_rows_and_short_ones)
{
    const int64_t n = 20000;
    struct cgs_crs crs;
    int64_t longest = 0, shorter = 0;
    must(cgs_random_create(&bed.context, n, 0.001, true, &crs));
    for (int64_t i = 0; i < n; i++) {
        const int64_t length = crs.pointers[i + 1] - crs.pointers[i];
        longest = length > longest ? length : longest;
        shorter += (double)length < (double)crs.pointers[n] / (double)n;
    }
    ck_assert_int_gt(longest, n / 20);
    ck_assert_int_lt(longest, n / 8);
    ck_assert_int_gt(shorter, 3 * n / 4);
    cgs_crs_release(&bed.context, &crs);
}
END_TEST

/* On a matrix with one full row SELL-64, sorted or not, has thirteen times the bytes of CRS: it is
 * not even tried. */
START_TEST(auto_keeps_to_the_lean)
{
    struct plain *plain = plain_make(8, PLAIN_RANDOM); /* arrow 5000 */
    struct cgs_row_source source = plain_source(plain);
    struct cgs_options options = {.precision = CGS_PRECISION_F64, .kernel = "auto", .chunk = 64};
    struct cgs_room room = {.bytes = {INT64_MAX, INT64_MAX}};
    struct cgs_selection choice;
    options.given[CGS_OPTION_chunk] = true;
    must(cgs_choose(&options, bed.backend, bed.queue, &source, &room, &choice));
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
    ck_assert_int_eq(cgs_choose(&options, bed.backend, bed.queue, &source, &room, &choice),
                     CGS_USAGE);
    ck_assert(strstr(bed.context.message, "no memory for it"));
    bed_forgive();
    plain_free(plain);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lab");
    TCase *tcase = bed_case(suite, "laboratory", 300);
    tcase_add_loop_test(tcase, each_cheat_is_caught_and_named, 0, FAKES);
    tcase_add_test(tcase, the_first_wrong_row_is_named);
    tcase_add_test(tcase, exact_rows_are_exact);
    tcase_add_test(tcase, speedup_and_break_even);
    tcase_add_test(tcase, random_matrices_by_any_threads);
    tcase_add_test(tcase, power_laws_have_long_rows_and_short_ones);
    tcase_add_test(tcase, auto_keeps_to_the_lean);
    return bed_run(suite);
}
