#include "core/autotune/battery.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/random.h"
#include "base/testing.h"
#include "core/autotune/trial.h"
#include "core/io/interrupt.h"
#include "kernels/plugin/direct.h"

/* ---- the matrices ---- */

enum lengths {
    ONE,
    NONE,
    GAPS,
    ONE_FULL,
    NONE_AT_END,
    NONE_AT_BEGIN,
    FEW,
    SOME,
    MIXED,
    LONG,
    ALIKE
};

static int64_t length_of(enum lengths lengths, int64_t i)
{
    const int64_t length[] = {
        [ONE] = 1,
        [NONE] = 0,
        [GAPS] = i % 3 == 1 ? 0 : 4,
        [ONE_FULL] = i == 150 ? 300 : 1,
        [NONE_AT_END] = i == 63 ? 0 : 5,
        [NONE_AT_BEGIN] = i < 40 ? 0 : 3,
        [FEW] = 1 + i % 3,
        [SOME] = 1 + i % 9,
        [MIXED] = i % 50 == 0 ? 600 : i % 4,
        [LONG] = 28 + 3 * i,
        [ALIKE] = 17,
    };
    return length[lengths];
}

/* all_threads: tried with every thread count. on_device: in the short list for GPUs, where
 * starting a process is slow. checked: as it is compiled for checks alone, where no optimiser hides
 * a race: threads take longer for it than a busy system lets one of them go on before another. */
static const struct {
    const char *name;
    int64_t rows, columns;
    enum lengths lengths;
    bool extreme, all_threads, on_device, checked;
} matrices[] = {
    {"many rows", 60000, 60000, ALIKE, false, false, false, true},
    {"one number", 1, 1, ONE, false, false, true, false},
    {"no entries", 40, 40, NONE, false, false, true, false},
    {"rows without entries", 101, 101, GAPS, false, false, true, false},
    {"one full row", 300, 300, ONE_FULL, false, true, true, false},
    {"a last row without entries", 64, 64, NONE_AT_END, false, false, true, false},
    {"first rows without entries", 64, 64, NONE_AT_BEGIN, false, false, false, false},
    {"more columns than rows", 37, 101, SOME, false, false, true, false},
    {"more rows than columns", 101, 37, SOME, false, true, true, false},
    {"few rows", 3, 3, FEW, false, true, false, false},
    {"few rows", 5, 5, FEW, false, false, false, false},
    {"few rows", 7, 9, SOME, false, false, false, false},
    {"rows one short of 32", 31, 31, SOME, false, false, false, false},
    {"rows one more than 32", 33, 33, SOME, false, true, true, false},
    {"rows one short of 256", 255, 255, SOME, false, false, false, false},
    {"rows one more than 256", 257, 257, SOME, false, false, false, false},
    {"rows longer than 27", 40, 200, LONG, false, false, true, false},
    {"long rows beside short ones", 400, 700, MIXED, false, true, true, false},
    {"very large and very small numbers", 67, 67, SOME, true, false, true, false},
};

int cgs_battery_count(void)
{
    return (int)(sizeof matrices / sizeof *matrices);
}

const char *cgs_battery_name(int which)
{
    static _Thread_local char name[96];
    snprintf(name, sizeof name, "%s, %" PRId64 " x %" PRId64, matrices[which].name,
             matrices[which].rows, matrices[which].columns);
    return name;
}

/* Factor of a row of a matrix with extreme numbers; every seventh is near each end of the range. */
static double scale_of(int64_t row, enum cgs_number number)
{
    if (row % 7 == 3)
        return number == CGS_F32 ? 1e30 : 1e300;
    if (row % 7 == 5)
        return number == CGS_F32 ? 1e-40 : 1e-310;
    return 1.0;
}

/* Entries lie at even distances, from a random place on. */
static void fill_row(int which, enum cgs_number number, int64_t row, struct cgs_crs *crs)
{
    const int64_t begin = crs->pointers[row], length = crs->pointers[row + 1] - begin;
    const uint64_t seed = cgs_splitmix64((uint64_t)(1000 * which) + (uint64_t)row);
    const double shift = 0.5 + 0.49 * cgs_random(seed);
    const double scale = matrices[which].extreme ? scale_of(row, number) : 1.0;
    for (int64_t k = 0; k < length; k++) {
        const double place = ((double)k + shift) * (double)crs->columns / (double)length;
        crs->column[begin + k] = (int32_t)place;
        crs->value[begin + k] = scale * cgs_random(seed + 1 + (uint64_t)k);
    }
}

enum cgs_status cgs_battery_make(struct cgs_context *context, int which, enum cgs_number number,
                                 struct cgs_crs *crs)
{
    const int64_t rows = matrices[which].rows, columns = matrices[which].columns;
    int64_t entries = 0;
    for (int64_t i = 0; i < rows; i++) {
        const int64_t length = length_of(matrices[which].lengths, i);
        entries += length < columns ? length : columns;
    }
    CGS_TRY(cgs_crs_alloc(context, rows, columns, entries, crs));
    crs->pointers[0] = 0;
    for (int64_t i = 0; i < rows; i++) {
        const int64_t length = length_of(matrices[which].lengths, i);
        crs->pointers[i + 1] = crs->pointers[i] + (length < columns ? length : columns);
        fill_row(which, number, i, crs);
    }
    return CGS_OK;
}

/* ---- trials ---- */

struct attempt {
    const struct cgs_plugin *plugin;
    const struct cgs_backend *backend;
    struct cgs_queue *queue;
    enum cgs_precision precision;
    int which, threads;
    double until;  /* seconds of cgs_now */
    bool checked;  /* the kernel is compiled for checks: one precision is enough */
    bool thorough; /* with other numbers of threads, too: once */
};

/* A kernel that takes its time in each process is not tried on all: some ten times what is
 * usual. */
static const double LIMIT[CGS_PLACES] = {[CGS_HOST] = 8.0, [CGS_DEVICE_MEMORY] = 60.0};

/* Prepares, verifies and repeats products, as of any kernel; the outcome is in the trial. */
static enum cgs_status run_trial(const struct attempt *a, const struct cgs_crs *crs,
                                 struct cgs_candidate *candidate, struct cgs_trial *trial)
{
    enum { PRODUCTS = 3 };
    const struct cgs_row_source source = cgs_crs_source(crs);
    struct cgs_references references = {0};
    struct cgs_testbed testbed = {0};
    double seconds;
    enum cgs_status status =
        cgs_references_create(a->queue->context, crs, a->precision, &references);
    if (status == CGS_OK)
        status =
            cgs_references_testbed(&references, crs, a->backend, a->queue, a->precision, &testbed);
    if (status == CGS_OK)
        status = cgs_trial_open(candidate, &testbed, &source, a->precision, trial);
    if (status == CGS_OK)
        status = cgs_trial_prepare(trial, a->precision);
    candidate->threads = 0; /* of what we do */
    if (status == CGS_OK)
        status = cgs_trial_verify(trial, &references);
    if (status == CGS_OK)
        status = cgs_trial_time(trial, 0, PRODUCTS, &seconds);
    cgs_trial_release(trial);
    cgs_testbed_release(&testbed);
    cgs_references_release(a->queue->context, &references);
    return status;
}

static void note(const struct attempt *a, const struct cgs_trial *trial,
                 struct cgs_battery_result *result)
{
    const char *reason = trial->verdict.reason;
    const bool right = trial->state == CGS_TRIAL_OPEN;
    const bool declined = !right && strstr(reason, CGS_DIRECT_DECLINES);
    result->trials++;
    result->declined += declined;
    if (right || declined)
        return;
    char threads[32] = "";
    if (a->backend->place == CGS_HOST)
        snprintf(threads, sizeof threads, ", %d thread%s", a->threads, a->threads == 1 ? "" : "s");
    snprintf(result->reason, sizeof result->reason, "on another matrix (%s, %s%s): %s",
             cgs_battery_name(a->which), cgs_precision_name(a->precision), threads, reason);
}

static enum cgs_status try_one(const struct attempt *a, struct cgs_battery_result *result)
{
    struct cgs_context *context = a->queue->context;
    const int threads = context->threads;
    const struct cgs_kernel_entry *entry = cgs_plugin_isolated(a->plugin);
    const enum cgs_number value = cgs_precision_value(a->precision);
    struct cgs_candidate candidate = {.entry = entry,
                                      .chunk =
                                          entry->format == CGS_SELL ? a->backend->chunk[value] : 1,
                                      .sigma = 1,
                                      .threads = a->threads,
                                      .plugin = true};
    struct cgs_trial trial = {0};
    struct cgs_crs crs;
    CGS_TRY(cgs_battery_make(context, a->which, value, &crs));
    context->threads = 1; /* for what is so small */
    const enum cgs_status status = run_trial(a, &crs, &candidate, &trial);
    context->threads = threads;
    cgs_crs_release(context, &crs);
    CGS_TRY(status);
    note(a, &trial, result);
    return cgs_interrupted()
               ? cgs_fail(context, CGS_INTERRUPTED, "interrupted while a kernel was verified")
               : CGS_OK;
}

/* One precision. The usual number of threads, which shows most, comes first. */
static enum cgs_status try_all(struct attempt *a, struct cgs_battery_result *result)
{
    static const int threads[] = {2, 7, 3, 1};
    const bool host = a->backend->place == CGS_HOST;
    const size_t counts = host && a->thorough ? sizeof threads / sizeof *threads : 1;
    for (size_t t = 0; t < counts; t++)
        for (a->which = 0; a->which < cgs_battery_count(); a->which++) {
            if (host ? t > 0 && !matrices[a->which].all_threads : !matrices[a->which].on_device)
                continue;
            if (matrices[a->which].checked && !a->checked)
                continue;
            a->threads = host ? threads[t] : 0;
            CGS_TRY(try_one(a, result));
            result->late = cgs_now() > a->until;
            if (result->reason[0] || result->late)
                return CGS_OK;
        }
    return CGS_OK;
}

/* Tries the kernel in its precisions. */
static enum cgs_status try_precisions(struct attempt *a, struct cgs_battery_result *result)
{
    static const enum cgs_precision precisions[] = {CGS_PRECISION_F64, CGS_PRECISION_F32};
    for (size_t p = 0; p < sizeof precisions / sizeof *precisions; p++) {
        a->precision = precisions[p];
        if (!cgs_plugin_isolated(a->plugin)->tables[a->precision])
            continue;
        CGS_TRY(try_all(a, result));
        if (result->reason[0] || result->late || a->checked)
            break;
        a->thorough = false;
    }
    return CGS_OK;
}

/* Adds what the compiler says of the source, where that may be the reason. */
static void add_warnings(const struct cgs_plugin *checked, struct cgs_battery_result *result)
{
    const size_t used = strlen(result->reason);
    const char *warnings = strstr(cgs_plugin_warnings(checked), "warning: ");
    if (!warnings)
        return;
    const char *line = warnings;
    while (line > cgs_plugin_warnings(checked) && line[-1] != '\n')
        line--;
    snprintf(result->reason + used, sizeof result->reason - used, "; the compiler says: %.*s",
             (int)strcspn(line, "\n"), line);
}

/* Tries it again as it is compiled for checks, with two threads. */
static enum cgs_status try_checked(struct attempt *a, const struct cgs_plugin *checked,
                                   struct cgs_battery_result *result)
{
    struct cgs_battery_result found = {0};
    char finding[256];
    a->plugin = checked;
    a->checked = true;
    a->thorough = false;
    CGS_TRY(try_precisions(a, &found));
    result->trials += found.trials;
    result->declined += found.declined;
    result->late = found.late;
    if (!found.reason[0])
        return CGS_OK;
    cgs_plugin_finding(checked, finding, sizeof finding);
    snprintf(result->reason, sizeof result->reason, "compiled with -O0 and checks: %s%s%.400s",
             finding, finding[0] ? "; " : "", found.reason);
    return CGS_OK;
}

static enum cgs_status try_builds(struct attempt *a, struct cgs_battery_result *result)
{
    struct cgs_plugin *checked;
    struct cgs_context *context = a->queue->context;
    CGS_TRY(try_precisions(a, result));
    CGS_TRY(cgs_plugin_open_checked(context, a->plugin, &checked));
    if (!checked)
        return CGS_OK;
    enum cgs_status status = CGS_OK;
    if (!result->reason[0])
        status = try_checked(a, checked, result);
    if (result->reason[0])
        add_warnings(checked, result);
    cgs_plugin_close(context, checked);
    return status;
}

/* Nothing is timed, so that threads may sleep while they wait: new ones, which share a processor
 * at first, end ten times as soon then. */
enum cgs_status cgs_battery_try(const struct cgs_plugin *plugin, const struct cgs_machine *machine,
                                struct cgs_battery_result *result)
{
    static const char policy[] = "OMP_WAIT_POLICY";
    const struct cgs_kernel_entry *entry = cgs_plugin_isolated(plugin);
    struct attempt a = {.plugin = plugin,
                        .backend =
                            entry->device == CGS_CPU ? cgs_backend(CGS_CPU) : machine->backend,
                        .queue = entry->device == CGS_CPU ? machine->host_queue : machine->queue};
    *result = (struct cgs_battery_result){0};
    a.thorough = true;
    a.until = cgs_now() + LIMIT[a.backend->place];
    if (cgs_testing("battery", 1.0) == 0.0)
        return CGS_OK;
    const bool asked = getenv(policy) != NULL;
    if (!asked)
        setenv(policy, "passive", 0);
    const enum cgs_status status = try_builds(&a, result);
    if (!asked)
        unsetenv(policy);
    return status;
}
