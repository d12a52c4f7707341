#include "core/autotune/user_kernels.h"

#include <stdio.h>
#include <string.h>

#include "base/comm.h"
#include "core/autotune/trial.h"
#include "core/options/values.h"
#include "kernels/plugin/memory.h"

enum cgs_status cgs_user_kernels_open(struct cgs_context *context,
                                      const struct cgs_settings *settings,
                                      struct cgs_user_kernels *kernels)
{
    char word[4096];
    *kernels = (struct cgs_user_kernels){0};
    for (int i = 0; cgs_kernel_word(settings->kernel, i, word, sizeof word); i++) {
        if (!cgs_plugin_named(word) || cgs_user_kernels_find(kernels, word))
            continue;
        if (kernels->count == CGS_USER_KERNELS_MOST)
            return cgs_fail(context, CGS_USAGE, "\1kernel= names more than %d files",
                            CGS_USER_KERNELS_MOST);
        CGS_TRY(
            cgs_plugin_open(context, word, (int)settings->device, &kernels->items[kernels->count]));
        kernels->count++;
    }
    return CGS_OK;
}

void cgs_user_kernels_close(struct cgs_context *context, struct cgs_user_kernels *kernels)
{
    for (int i = 0; i < kernels->count; i++)
        cgs_plugin_close(context, kernels->items[i]);
    *kernels = (struct cgs_user_kernels){0};
}

/* Returns kernels->count if there is none. */
static int place_of(const struct cgs_user_kernels *kernels, const char *word)
{
    int i = 0;
    while (i < kernels->count && strcmp(cgs_plugin_isolated(kernels->items[i])->name, word) != 0)
        i++;
    return i;
}

const struct cgs_plugin *cgs_user_kernels_find(const struct cgs_user_kernels *kernels,
                                               const char *word)
{
    const int i = place_of(kernels, word);
    return i < kernels->count ? kernels->items[i] : NULL;
}

const char *cgs_user_kernels_name(const struct cgs_user_kernels *kernels, const char *word)
{
    const int at = place_of(kernels, word);
    const char *name = at < kernels->count ? cgs_plugin_name(kernels->items[at]) : word;
    int count;
    const struct cgs_kernel_entry *ours = cgs_kernels(&count);
    bool taken = false;
    for (int i = 0; i < count; i++)
        taken = taken || strcmp(ours[i].name, name) == 0;
    for (int i = 0; i < kernels->count; i++)
        taken = taken || (i != at && strcmp(cgs_plugin_name(kernels->items[i]), name) == 0);
    return taken ? word : name;
}

enum cgs_status cgs_user_kernels_try(struct cgs_user_kernels *kernels,
                                     const struct cgs_machine *machine, const char *word,
                                     const struct cgs_battery_result **result)
{
    const int i = place_of(kernels, word);
    *result = &kernels->results[i];
    if (kernels->tried[i])
        return CGS_OK;
    kernels->tried[i] = true;
    return cgs_battery_try(kernels->items[i], machine, &kernels->results[i]);
}

const struct cgs_battery_result *cgs_user_kernels_tried(const struct cgs_user_kernels *kernels,
                                                        const char *word)
{
    const int i = place_of(kernels, word);
    return i < kernels->count && kernels->tried[i] && kernels->results[i].trials > 0
               ? &kernels->results[i]
               : NULL;
}

struct cgs_candidate cgs_user_kernels_candidate(const struct cgs_plugin *plugin,
                                                enum cgs_device device,
                                                enum cgs_precision precision, int32_t chunk,
                                                int32_t sigma)
{
    const struct cgs_kernel_entry *entry = cgs_plugin_isolated(plugin);
    const bool sell = entry->format == CGS_SELL;
    struct cgs_candidate candidate = {
        .entry = entry, .chunk = sell ? chunk : 1, .sigma = sell ? sigma : 1, .plugin = true};
    if (entry->device == CGS_CUDA && device == CGS_CPU)
        snprintf(candidate.reason, sizeof candidate.reason,
                 "it is of CUDA, but this run is on the CPU");
    else if (!entry->tables[precision])
        snprintf(candidate.reason, sizeof candidate.reason, "it is not there in %s precision",
                 cgs_precision_name(precision));
    return candidate;
}

/* ---- before CG ---- */

static enum cgs_status fail_before(struct cgs_context *context, enum cgs_status status,
                                   const char *name, const char *reason)
{
    const bool named = strstr(reason, name) != NULL;
    return cgs_fail(context, status,
                    "%s%s%s%s; verified before the solve ('cgsolve spmv' tries it alone)",
                    named ? "" : "kernel '", named ? "" : name, named ? "" : "': ", reason);
}

/* Turns the trial's outcome into the run's status. */
static enum cgs_status judge(struct cgs_context *context, const struct cgs_trial *trial)
{
    if (trial->state == CGS_TRIAL_OPEN)
        return CGS_OK;
    return fail_before(context, trial->state == CGS_TRIAL_SKIPPED ? CGS_MEMORY : CGS_NOT_CONVERGED,
                       trial->candidate->entry->name, trial->verdict.reason);
}

static enum cgs_status try_battery(struct cgs_context *context, const struct cgs_plugin *plugin,
                                   const struct cgs_machine *machine)
{
    struct cgs_battery_result result;
    if (!cgs_comm_first(context))
        return CGS_OK;
    CGS_TRY(cgs_battery_try(plugin, machine, &result));
    return result.reason[0] ? fail_before(context, CGS_NOT_CONVERGED,
                                          cgs_plugin_isolated(plugin)->name, result.reason)
                            : CGS_OK;
}

static enum cgs_status try_on(const struct cgs_testbed *testbed,
                              const struct cgs_candidate *candidate,
                              const struct cgs_row_source *source, enum cgs_precision precision,
                              const struct cgs_references *references)
{
    struct cgs_trial trial;
    double seconds;
    enum cgs_status status = cgs_trial_open(candidate, testbed, source, precision, &trial);
    if (status == CGS_OK)
        status = cgs_trial_prepare(&trial, precision);
    if (status == CGS_OK)
        status = cgs_trial_verify(&trial, references);
    if (status == CGS_OK)
        status = cgs_trial_time(&trial, 0, 3, &seconds); /* consecutive products, as in CG */
    if (status == CGS_OK)
        status = judge(testbed->queue->context, &trial);
    cgs_trial_release(&trial);
    return status;
}

/* Shifts the columns of a rank's rows as they are for the kernel in CG, and makes them a matrix
 * of their own. */
static void begin_at_zero(const struct cgs_row_source *source, enum cgs_precision precision,
                          struct cgs_crs *crs)
{
    const int64_t shift = cgs_plugin_shift(source, cgs_precision_value(precision));
    crs->columns += shift;
    for (int64_t k = 0; shift > 0 && k < crs->pointers[crs->rows]; k++)
        crs->column[k] += (int32_t)shift;
}

enum cgs_status cgs_user_kernels_verify(struct cgs_context *context,
                                        const struct cgs_settings *settings,
                                        const struct cgs_machine *machine,
                                        const struct cgs_row_source *source)
{
    const enum cgs_precision precision = settings->precision;
    const struct cgs_candidate candidate =
        cgs_user_kernels_candidate(machine->external.plugin, machine->device, precision,
                                   (int32_t)settings->chunk, (int32_t)settings->sigma);
    struct cgs_crs crs;
    struct cgs_references references = {0};
    struct cgs_testbed testbed = {0};
    CGS_TRY(cgs_crs_generate(context, source, &crs));
    begin_at_zero(source, precision, &crs);
    const struct cgs_row_source rows = cgs_crs_source(&crs);
    enum cgs_status status = cgs_references_create(context, &crs, precision, &references);
    if (status == CGS_OK)
        status = cgs_references_testbed(&references, &crs, machine->backend, machine->queue,
                                        precision, &testbed);
    if (status == CGS_OK)
        status = try_on(&testbed, &candidate, &rows, precision, &references);
    cgs_testbed_release(&testbed);
    cgs_references_release(context, &references);
    cgs_crs_release(context, &crs);
    return status == CGS_OK ? try_battery(context, machine->external.plugin, machine) : status;
}
