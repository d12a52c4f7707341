/* Lists of values of an option: 'cgsolve study --N=7,15,31'. Each value is read as `solve` does
 * and kept in its shortest spelling, so that two spellings of a number are one value. Among
 * whole numbers there may be ranges: 8:64:8, 8..64. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/options/option_table.h"
#include "core/options/options_input.h"
#include "core/options/options_rules.h"
#include "core/options/options_value.h"
#include "core/options/values.h"
#include "lab/command_line/expect.h"
#include "lab/command_line/options_list.h"

bool cgs_option_listable(enum cgs_option_id id)
{
    enum {
        LISTABLE = 1 << CGS_KIND_INT | 1 << CGS_KIND_REAL | 1 << CGS_KIND_CHOICE |
                   1 << CGS_KIND_PROBLEM | 1 << CGS_KIND_KAPPA | 1 << CGS_KIND_CELLS |
                   1 << CGS_KIND_LENGTHS | 1 << CGS_KIND_GPUS
    };
    return ((LISTABLE & 1 << cgs_option_table[id].kind) &&
            cgs_option_table[id].group != CGS_GROUP_OUTPUT) ||
           id == CGS_OPTION_kernel || id == CGS_OPTION_matrix;
}

/* Checks one value and replaces it by its shortest spelling; both are owned by the caller. */
static enum cgs_status read_value(struct cgs_context *context, enum cgs_option_id id, char **value)
{
    struct cgs_options scratch = {0};
    char text[64];
    CGS_TRY(cgs_options_take(context, &scratch, id, *value));
    if (cgs_option_table[id].kind == CGS_KIND_TEXT || cgs_option_table[id].kind == CGS_KIND_TEXTS ||
        cgs_option_table[id].kind == CGS_KIND_FLAG ||
        scratch.settings.kappa.kind == CGS_KAPPA_CELLS || scratch.settings.guess_file)
        return CGS_OK;
    cgs_option_value(&scratch, id, text, sizeof text);
    char *brief = strdup(text);
    if (!brief)
        return cgs_fail(context, CGS_MEMORY, "no memory for the values of --%s",
                        cgs_option_table[id].name);
    free(*value);
    *value = brief;
    return CGS_OK;
}

/* Appends the value of `length` characters. */
static enum cgs_status append(struct cgs_context *context, enum cgs_option_id id, const char *text,
                              size_t length, struct cgs_list *list)
{
    const char *name = cgs_option_table[id].name;
    char **values = realloc(list->values, ((size_t)list->count + 1) * sizeof *values);
    char *value = strndup(text, length);
    list->values = values ? values : list->values;
    if (!values || !value) {
        free(value);
        return cgs_fail(context, CGS_MEMORY, "no memory for the values of --%s", name);
    }
    values[list->count++] = value;
    char **last = &values[list->count - 1];
    CGS_TRY(read_value(context, id, last));
    for (int i = 0; i + 1 < list->count; i++)
        if (strcmp(values[i], *last) == 0)
            return cgs_fail(context, CGS_USAGE,
                            "--%s has the value %.256s twice: leave one of them out", name, *last);
    return CGS_OK;
}

struct range {
    int64_t first, last, step;
};

/* Reads 8..64, 8:64 or, with a step, 8:64:8; returns false for anything else. */
static bool read_range(const char *text, size_t length, struct range *range)
{
    static const double MOST = 1e15;
    char first[64];
    if (length >= sizeof first)
        return false;
    snprintf(first, sizeof first, "%.*s", (int)length, text);
    char *dots = strstr(first, ".."), *last = dots ? dots : strchr(first, ':');
    if (!last)
        return false;
    *last = '\0';
    last += dots ? 2 : 1;
    char *step = strchr(last, ':');
    if (step)
        *step++ = '\0';
    return cgs_value_whole(first, 0, MOST, &range->first) == CGS_VALUE_FINE &&
           cgs_value_whole(last, 0, MOST, &range->last) == CGS_VALUE_FINE &&
           cgs_value_whole(step ? step : "1", 1, MOST, &range->step) == CGS_VALUE_FINE;
}

static enum cgs_status append_range(struct cgs_context *context, enum cgs_option_id id,
                                    const struct range *range, struct cgs_list *list)
{
    enum { MOST = 10000 };
    const char *name = cgs_option_table[id].name;
    if (range->step > range->last - range->first) /* perhaps FIRST:STEP:LAST was meant */
        return cgs_fail(context, CGS_USAGE,
                        "--%s: a range from %lld to %lld in steps of %lld has no second value: "
                        "expected FIRST:LAST:STEP, such as 8:64:8, or FIRST..LAST",
                        name, (long long)range->first, (long long)range->last,
                        (long long)range->step);
    if ((range->last - range->first) / range->step >= MOST)
        return cgs_fail(context, CGS_USAGE,
                        "--%s: a range from %lld to %lld in steps of %lld has more than %d values: "
                        "take larger steps",
                        name, (long long)range->first, (long long)range->last,
                        (long long)range->step, MOST);
    for (int64_t value = range->first; value <= range->last; value += range->step) {
        char text[32];
        snprintf(text, sizeof text, "%lld", (long long)value);
        CGS_TRY(append(context, id, text, strlen(text), list));
    }
    return CGS_OK;
}

bool cgs_list_several(enum cgs_option_id id, const char *text)
{
    struct range range;
    return cgs_option_listable(id) &&
           (strchr(text, ',') ||
            (cgs_option_table[id].kind == CGS_KIND_INT && read_range(text, strlen(text), &range)));
}

enum cgs_status cgs_list_read(struct cgs_context *context, enum cgs_option_id id, const char *text,
                              struct cgs_list *list)
{
    const char *const separator = cgs_option_listable(id) ? "," : "";
    struct range range;
    *list = (struct cgs_list){0};
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, separator);
        if (cgs_option_table[id].kind == CGS_KIND_INT && read_range(at, length, &range))
            CGS_TRY(append_range(context, id, &range, list));
        else if (length == 0 && strchr(text, ',') && *separator)
            return cgs_fail(
                context, CGS_USAGE,
                "--%s=%.256s has nothing on one side of a comma: leave the comma out, or "
                "name a value there",
                cgs_option_table[id].name, text);
        else
            CGS_TRY(append(context, id, at, length, list));
        at += length;
        if (*at == '\0')
            return CGS_OK;
    }
}

void cgs_list_release(struct cgs_list *list)
{
    for (int i = 0; i < list->count; i++)
        free(list->values[i]);
    free(list->values);
    *list = (struct cgs_list){0};
}

enum cgs_status cgs_options_take_list(struct cgs_context *context, struct cgs_options *options,
                                      enum cgs_option_id id, const char *text)
{
    struct cgs_list list;
    if (!cgs_option_listable(id))
        return cgs_options_take(context, options, id, text);
    enum cgs_status status = cgs_list_read(context, id, text, &list);
    const bool whole = cgs_option_table[id].kind == CGS_KIND_TEXT;
    if (status == CGS_OK)
        status = cgs_options_take(context, options, id, whole ? text : list.values[list.count - 1]);
    cgs_list_release(&list);
    if (options->settings.guess_file && id == CGS_OPTION_guess)
        options->settings.guess_file = text;
    return status;
}

/* The study chooses the meshes itself, and no error is smaller than rounding. */
static enum cgs_status check_targets(struct cgs_context *context, const struct cgs_options *o)
{
    static const enum cgs_option_id others[] = {CGS_OPTION_n,      CGS_OPTION_cells,
                                                CGS_OPTION_grid,   CGS_OPTION_matrix,
                                                CGS_OPTION_random, CGS_OPTION_scaling};
    static const double least = 1e-14, least_single = 1e-5;
    const char *precisions = o->texts[CGS_OPTION_precision];
    const bool single = precisions && strstr(precisions, "single");
    struct cgs_list list;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (o->settings.given[others[i]])
            return cgs_fail(context, CGS_USAGE,
                            "--target-error finds the mesh of a box for each error: leave out --%s",
                            cgs_option_table[others[i]].name);
    enum cgs_status status =
        cgs_list_read(context, CGS_OPTION_target_error, o->texts[CGS_OPTION_target_error], &list);
    for (int i = 0; i < list.count && status == CGS_OK && !o->settings.exact; i++)
        if (strtod(list.values[i], NULL) < (single ? least_single : least))
            status = cgs_fail(context, CGS_USAGE,
                              "--target-error=%s is below rounding in %s precision: take at least "
                              "%g",
                              list.values[i], single ? "single" : "double",
                              single ? least_single : least);
    cgs_list_release(&list);
    return status;
}

enum cgs_status cgs_options_check_study(struct cgs_context *context, const struct cgs_options *o)
{
    struct cgs_expectation expectation;
    CGS_TRY(cgs_options_check_folder(context, o));
    if (o->settings.given[CGS_OPTION_target_error])
        CGS_TRY(check_targets(context, o));
    else if (o->settings.given[CGS_OPTION_time_limit])
        return cgs_fail(context, CGS_USAGE,
                        "--time-limit of a study needs --target-error: give that, too, or leave it "
                        "out");
    if (!cgs_expectation_read(o->expect_order, &expectation))
        return cgs_fail(context, CGS_USAGE,
                        "--expect-order=%s is not understood: expected " CGS_EXPECT_GRAMMAR,
                        o->expect_order);
    CGS_TRY(cgs_options_check_kept(context, o));
    return cgs_options_check_files(context, o);
}
