#include "core/autotune/candidates.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/plain.h"
#include "core/options/values.h"
#include "core/setup/machine_kernel.h"
#include "matrix/layout.h"
#include "matrix/names.h"

enum { WINDOW = 512, WIDE = 32, NARROWER = 4 }; /* WINDOW: chunks per sorting window */
static const double WORTH_SORTING = 0.1;
static const double PADDING_MOST = 0.25; /* padding / stored of sorted SELL; above it: CRS */

static double padding_of(const struct cgs_matrix *matrix)
{
    return matrix->stored > 0 ? 1.0 - (double)matrix->nonzeros / (double)matrix->stored : 0.0;
}

enum cgs_status cgs_padding_measure(struct cgs_context *context,
                                    const struct cgs_settings *settings,
                                    const struct cgs_backend *backend,
                                    const struct cgs_row_source *source,
                                    struct cgs_padding *padding)
{
    const enum cgs_number value = cgs_precision_value(settings->precision);
    const int32_t chunk =
        settings->given[CGS_OPTION_chunk] ? (int32_t)settings->chunk : backend->chunk[value];
    const bool settled = settings->given[CGS_OPTION_sigma];
    struct cgs_padding found = {.chunk = chunk,
                                .sigma = settled ? (int32_t)settings->sigma : WINDOW * chunk};
    struct cgs_matrix matrix;
    CGS_TRY(cgs_matrix_create(context, source, CGS_SELL, chunk, 1, &matrix));
    found.unsorted = found.sorted = padding_of(&matrix);
    cgs_matrix_release(context, &matrix);
    if (!settled && found.unsorted <= WORTH_SORTING)
        found.sigma = 1;
    if (found.sigma > 1) {
        CGS_TRY(cgs_matrix_create(context, source, CGS_SELL, chunk, found.sigma, &matrix));
        found.sorted = padding_of(&matrix);
        cgs_matrix_release(context, &matrix);
    }
    if (found.unsorted > WORTH_SORTING && chunk >= WIDE && !settings->given[CGS_OPTION_chunk])
        found.narrow = chunk / NARROWER;
    *padding = found;
    return CGS_OK;
}

enum cgs_format cgs_padding_format(const struct cgs_settings *settings,
                                   const struct cgs_padding *padding)
{
    if (settings->given[CGS_OPTION_format])
        return settings->format;
    if (settings->given[CGS_OPTION_chunk] || settings->given[CGS_OPTION_sigma])
        return CGS_SELL;
    return padding->sorted > PADDING_MOST ? CGS_CRS : CGS_SELL;
}

/* ---- the words of --kernel= ---- */

/* Returns the length of the first word: up to a comma, or all of the list where that is a file. */
static size_t word_length(const char *list)
{
    const size_t length = strcspn(list, ",");
    const bool file = list[length] && cgs_plugin_named(list) && access(list, F_OK) == 0;
    return file ? strlen(list) : length;
}

const char *cgs_kernel_word(const char *list, int index, char *word, size_t size)
{
    for (; index > 0; index--) {
        list += word_length(list);
        if (*list == '\0')
            return NULL;
        list++;
    }
    snprintf(word, size, "%.*s", (int)word_length(list), list);
    return word;
}

enum cgs_status cgs_kernel_words_check(struct cgs_context *context,
                                       const struct cgs_settings *settings)
{
    char word[4096];
    for (int i = 0; cgs_kernel_word(settings->kernel, i, word, sizeof word); i++) {
        int formats, devices;
        if (strcmp(word, "auto") == 0 || strcmp(word, "all") == 0 || cgs_plugin_named(word))
            continue;
        CGS_TRY(cgs_machine_look_up(context, word, &formats, &devices));
        if (settings->given[CGS_OPTION_format] && !(formats & 1 << settings->format))
            return cgs_fail(
                context, CGS_USAGE,
                "kernel '%s' does not take \1format=%s: leave that out, or take another "
                "kernel ('cgsolve list kernels')",
                word, cgs_format_name(settings->format));
    }
    return CGS_OK;
}

/* ---- the list ---- */

static bool same(const struct cgs_candidate *a, const struct cgs_candidate *b)
{
    return a->entry == b->entry && a->chunk == b->chunk && a->sigma == b->sigma &&
           a->threads == b->threads;
}

enum cgs_status cgs_candidates_append(struct cgs_context *context,
                                      const struct cgs_candidate *candidate,
                                      struct cgs_candidates *list)
{
    for (int i = 0; i < list->count; i++)
        if (same(&list->items[i], candidate)) {
            list->items[i].beside = list->items[i].beside && candidate->beside;
            list->items[i].standard = list->items[i].standard || candidate->standard;
            return CGS_OK;
        }
    if (list->count == list->room) {
        const int room = list->room > 0 ? 2 * list->room : 32;
        struct cgs_candidate *items;
        CGS_TRY(cgs_alloc(context, room, sizeof *items, "candidates", (void **)&items));
        if (list->count > 0)
            memcpy(items, list->items, (size_t)list->count * sizeof *items);
        cgs_free(context, list->items);
        list->items = items;
        list->room = room;
    }
    list->items[list->count++] = *candidate;
    return CGS_OK;
}

void cgs_candidates_release(struct cgs_context *context, struct cgs_candidates *list)
{
    cgs_free(context, list->items);
    *list = (struct cgs_candidates){0};
}

/* Adds one kernel, once for each of its layouts. */
static enum cgs_status add_entry(struct cgs_context *context, const struct cgs_settings *settings,
                                 const struct cgs_kernel_entry *entry, bool beside,
                                 const struct cgs_padding *padding, struct cgs_candidates *list)
{
    const struct cgs_kernel *kernel = entry->tables[settings->precision];
    struct cgs_candidate made = {.entry = entry, .chunk = 1, .sigma = 1, .beside = beside};
    if (!cgs_backend(entry->device))
        snprintf(made.reason, sizeof made.reason, "%s", cgs_backend_reason(entry->device));
    else if (!kernel)
        snprintf(made.reason, sizeof made.reason, "not there in %s precision",
                 cgs_precision_name(settings->precision));
    else if (settings->reproducible && !cgs_kernel_repeats(kernel, entry->device))
        snprintf(made.reason, sizeof made.reason,
                 "\1reproducible: it may give other bits in every run%s",
                 kernel->reproducible ? ", or on more GPUs" : "");
    cgs_name_settings(made.reason, sizeof made.reason);
    if (!cgs_format_chunked(entry->format))
        return cgs_candidates_append(context, &made, list);
    made.chunk = padding->chunk;
    if (!settings->given[CGS_OPTION_sigma])
        CGS_TRY(cgs_candidates_append(context, &made, list));
    made.sigma = padding->sigma;
    CGS_TRY(cgs_candidates_append(context, &made, list));
    if (padding->narrow == 0 || entry->format != CGS_SELL)
        return CGS_OK;
    made.chunk = padding->narrow;
    return cgs_candidates_append(context, &made, list);
}

enum cgs_status cgs_candidates_add(struct cgs_context *context, const struct cgs_settings *settings,
                                   enum cgs_device device, const char *name, bool others,
                                   bool references, const struct cgs_padding *padding,
                                   struct cgs_candidates *list)
{
    int count;
    const struct cgs_kernel_entry *all = cgs_kernels(&count);
    for (int i = 0; i < count; i++) {
        const struct cgs_kernel *kernel = all[i].tables[settings->precision];
        const bool reference = kernel && kernel->reference;
        const bool box = cgs_settings_box(settings);
        if (all[i].device != device || (all[i].format == CGS_NONE && !box && !name) ||
            (name && strcmp(name, all[i].name) != 0) ||
            (settings->given[CGS_OPTION_format] && all[i].format != settings->format) ||
            !(reference ? references : others))
            continue;
        CGS_TRY(add_entry(context, settings, &all[i], !others, padding, list));
    }
    return CGS_OK;
}

void cgs_candidate_name(const struct cgs_candidate *candidate, char *text, size_t size)
{
    const struct cgs_kernel_entry *entry = candidate->entry;
    if (cgs_format_chunked(entry->format))
        snprintf(text, size, "%s %s, %s-%d-%d", cgs_device_name(entry->device), entry->name,
                 cgs_format_word(entry->format), (int)candidate->chunk, (int)candidate->sigma);
    else
        snprintf(text, size, "%s %s, %s", cgs_device_name(entry->device), entry->name,
                 entry->format == CGS_CRS ? "CRS" : "matrix-free");
}
