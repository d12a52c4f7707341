/* Kernels of spgemm by the words of --kernel=: auto (the device's first), all, or names. */
#include <string.h>

#include "base/spelling.h"
#include "core/autotune/candidates.h"
#include "core/options/options.h"
#include "kernels/spgemm/spgemm.h"
#include "kernels/spgemm/spgemm_table.h"
#include "src/spgemm/multiply_choose.h"

static bool is_named(const char *word)
{
    return strcmp(word, "auto") != 0 && strcmp(word, "all") != 0;
}

/* Sets a bit for each device that has a kernel of that name. CGS_USAGE: there is none. */
static enum cgs_status look_up(struct cgs_multiply *m, const char *name, int *devices)
{
    const char *names[CGS_MULTIPLY_ROWS];
    int count, named = 0;
    const struct cgs_spgemm_entry *entries = cgs_spgemms(&count);
    *devices = 0;
    for (int i = 0; i < count; i++) {
        if (named < CGS_MULTIPLY_ROWS)
            names[named++] = entries[i].name;
        if (strcmp(entries[i].name, name) == 0)
            *devices |= 1 << entries[i].device;
    }
    if (*devices != 0)
        return CGS_OK;
    const int nearest = cgs_nearest(name, names, named);
    return cgs_fail(m->context, CGS_USAGE,
                    "unknown kernel '%s' for products of matrices%s%s%s ('cgsolve list kernels')",
                    name, nearest < 0 ? "" : "; did you mean '", nearest < 0 ? "" : names[nearest],
                    nearest < 0 ? "" : "'?");
}

enum cgs_status cgs_multiply_devices(struct cgs_multiply *m, int *devices)
{
    char word[256];
    int all = 0;
    for (int i = 0; cgs_kernel_word(m->options->settings.kernel, i, word, sizeof word); i++) {
        int of_word = 1 << CGS_CPU | 1 << CGS_CUDA;
        if (is_named(word))
            CGS_TRY(look_up(m, word, &of_word));
        all |= of_word;
    }
    *devices = all;
    return CGS_OK;
}

/* Adds a row unless the kernel has one, and returns the kernel's row; NULL if the table is full. */
static struct cgs_multiply_row *add(struct cgs_multiply *m, const struct cgs_spgemm_entry *entry,
                                    bool beside)
{
    for (int i = 0; i < m->count; i++)
        if (m->rows[i].entry == entry)
            return &m->rows[i];
    if (m->count == CGS_MULTIPLY_ROWS)
        return NULL;
    struct cgs_multiply_row *row = &m->rows[m->count++];
    *row = (struct cgs_multiply_row){.entry = entry,
                                     .kernel = entry->tables[m->number],
                                     .beside = beside,
                                     .state = CGS_TRIAL_SKIPPED,
                                     .skipped = CGS_DEVICE,
                                     .wrong_row = -1,
                                     .attainable_kind = ""};
    const char *why = row->kernel ? row->kernel->absent : cgs_backend_reason(entry->device);
    if (!why && m->options->settings.reproducible && !row->kernel->reproducible) {
        why = "--reproducible: it may give other bits in every run";
        row->skipped = CGS_USAGE;
    }
    snprintf(row->reason, sizeof row->reason, "%s", why ? why : "the run ended before it");
    if (why)
        row->kernel = NULL;
    return row;
}

/* Adds all kernels of a device, or its reference kernels only if `others` is false. */
static void add_all(struct cgs_multiply *m, enum cgs_device device, bool others, bool beside)
{
    int count;
    const struct cgs_spgemm_entry *entries = cgs_spgemms(&count);
    for (int i = 0; i < count; i++) {
        const struct cgs_spgemm_kernel *kernel = entries[i].tables[m->number];
        if (entries[i].device == device && (others || (kernel && kernel->reference)))
            add(m, &entries[i], beside);
    }
}

/* Adds the kernel of that name on the run's device, or on the other one if the run's has none. */
static enum cgs_status add_named(struct cgs_multiply *m, const char *name)
{
    int count, devices;
    const struct cgs_spgemm_entry *entries = cgs_spgemms(&count);
    CGS_TRY(look_up(m, name, &devices));
    for (int i = 0; i < count; i++) {
        if (strcmp(entries[i].name, name) != 0 ||
            (devices & 1 << m->machine.device && entries[i].device != m->machine.device))
            continue;
        struct cgs_multiply_row *row = add(m, &entries[i], false);
        if (row && entries[i].device == CGS_CUDA && m->machine.device != CGS_CUDA) {
            row->kernel = NULL;
            snprintf(row->reason, sizeof row->reason, "it is of CUDA, but this run is on the CPU");
        }
    }
    return CGS_OK;
}

enum cgs_status cgs_multiply_choose(struct cgs_multiply *m)
{
    char word[256];
    for (int i = 0; cgs_kernel_word(m->options->settings.kernel, i, word, sizeof word); i++) {
        const struct cgs_spgemm_entry *entry;
        if (strcmp(word, "all") == 0) {
            add_all(m, m->machine.device, true, false);
        } else if (strcmp(word, "auto") == 0) {
            CGS_TRY(cgs_spgemm_find(m->context, word, m->machine.device, &entry));
            add(m, entry, false);
        } else {
            CGS_TRY(add_named(m, word));
        }
    }
    add_all(m, m->machine.device, false, true);
    return CGS_OK;
}
