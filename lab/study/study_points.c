/* Lists become points: all combinations, N ascending and slowest, so that cheap points come first;
 * else as the options stand in the table, the last one fastest. Points that differ in N alone are a
 * series. */
#include "lab/study/study_points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/options/options_value.h"
#include "core/run/run_ranks.h"
#include "core/setup/machine_foresee.h"
#include "lab/command_line/options_list.h"
#include "lab/command_line/options_parse.h"
#include "lab/study/study_point.h"
#include "lab/study/study_scaling.h"
#include "lab/study/study_targets.h"

/* A study of nothing in particular is one of convergence. */
static const char default_sizes[] = "7,15,31,63";

static enum cgs_status no_memory(const struct cgs_study *study)
{
    return cgs_fail(study->context, CGS_MEMORY, "no memory for the points of the study");
}

/* ---- lists ---- */

/* Options of the points: what is computed and how, not where it is written. */
static bool of_points(enum cgs_option_id id)
{
    const struct cgs_option *option = &cgs_option_table[id];
    return id == CGS_OPTION_scaling || id == CGS_OPTION_probe ||
           (option->commands & 1 << CGS_COMMAND_SOLVE && option->group != CGS_GROUP_OUTPUT &&
            option->group != CGS_GROUP_HELP);
}

static int by_number(const void *a, const void *b)
{
    const double x = strtod(*(char *const *)a, NULL), y = strtod(*(char *const *)b, NULL);
    return (x > y) - (x < y);
}

static int by_cells(const void *a, const void *b)
{
    const double x = cgs_point_cube(*(char *const *)a), y = cgs_point_cube(*(char *const *)b);
    return (x > y) - (x < y);
}

static enum cgs_status read_lists(struct cgs_study *study)
{
    const struct cgs_options *o = study->options;
    for (int i = 0; i < CGS_OPTIONS; i++) {
        const enum cgs_option_id id = (enum cgs_option_id)i;
        if (!o->settings.given[i] || !of_points(id))
            continue;
        CGS_TRY(
            cgs_list_read(study->context, id, o->texts[i] ? o->texts[i] : "", &study->lists[i]));
        if (study->lists[i].count > 1)
            study->swept_count++;
    }
    const bool targets = o->settings.given[CGS_OPTION_target_error];
    if (targets && !o->settings.given[CGS_OPTION_format] && !o->settings.given[CGS_OPTION_kernel])
        CGS_TRY(cgs_list_read(study->context, CGS_OPTION_format, "none",
                              &study->lists[CGS_OPTION_format])); /* as order p > 1 has it */
    if (study->swept_count == 0 && !targets && !o->settings.given[CGS_OPTION_n] &&
        !o->settings.given[CGS_OPTION_cells] && !o->settings.given[CGS_OPTION_matrix])
        CGS_TRY(cgs_list_read(study->context, CGS_OPTION_n, default_sizes,
                              &study->lists[CGS_OPTION_n]));
    struct cgs_list *sizes = &study->lists[CGS_OPTION_n];
    if (sizes->count > 1)
        qsort(sizes->values, (size_t)sizes->count, sizeof *sizes->values, by_number);
    struct cgs_list *cells = &study->lists[CGS_OPTION_cells];
    if (cells->count > 1)
        qsort(cells->values, (size_t)cells->count, sizeof *cells->values, by_cells);
    study->swept_count = 0;
    for (int i = 0; i < CGS_OPTIONS; i++)
        if (study->lists[i].count > 1)
            study->swept[study->swept_count++] = (enum cgs_option_id)i;
    return CGS_OK;
}

/* ---- points ---- */

static enum cgs_status make_points(struct cgs_study *study)
{
    int64_t count = 1;
    for (int i = 0; i < study->swept_count; i++) {
        count *= study->lists[study->swept[i]].count;
        if (count > CGS_POINTS_MOST)
            return cgs_fail(study->context, CGS_USAGE,
                            "these lists make more than %d points: leave some of their values out",
                            CGS_POINTS_MOST);
    }
    study->points = calloc((size_t)count, sizeof *study->points);
    if (!study->points)
        return no_memory(study);
    study->count = (int)count;
    for (int p = 0; p < study->count; p++) {
        struct cgs_point *point = &study->points[p];
        int rest = p;
        point->exit_status = -1;
        for (int i = 0; i < CGS_FACTS; i++)
            point->facts[i] = NAN;
        for (int i = study->swept_count - 1; i >= 0; i--) {
            const struct cgs_list *list = &study->lists[study->swept[i]];
            point->values[study->swept[i]] = list->values[rest % list->count];
            rest /= list->count;
        }
        point->facts[CGS_FACT_n] = cgs_point_size(study, point);
    }
    return CGS_OK;
}

/* ---- what `solve` thinks of them ---- */

/* `solve` reads the point's options, and looks whether they go together. */
static enum cgs_status check_point(const struct cgs_study *study, const struct cgs_point *point,
                                   struct cgs_context *context)
{
    struct cgs_options options;
    int count = 0;
    char **words = cgs_point_words(study, point);
    if (!words)
        return no_memory(study);
    while (words[count])
        count++;
    cgs_context_init(context);
    context->threads = 1; /* the points are to have the machine */
    cgs_options_parse(context, count, (const char *const *)words, &options);
    context->comm = study->context->comm; /* to know of it: nothing is exchanged */
    if (context->status == CGS_OK && study->target_count > 0)
        cgs_targets_accept(context, &options.settings);
    if (context->status == CGS_OK)
        cgs_run_ranks_accept(context, &options.settings, NULL);
    context->comm = NULL;
    if (context->status == CGS_OK)
        cgs_machine_foresee(context, &options.settings);
    cgs_options_release(&options);
    cgs_words_release(words);
    return context->status == CGS_MEMORY ? no_memory(study) : CGS_OK; /* ours */
}

/* Refused combinations end the study before it begins: one that silently lacks points would be
 * worse. What only this machine, or the kernel of a file, can refuse is found by the run. */
static enum cgs_status check_points(struct cgs_study *study)
{
    int refused = 0;
    char first[200] = "", why[1024] = "";
    for (int i = 0; i < study->count; i++) {
        struct cgs_context context;
        CGS_TRY(check_point(study, &study->points[i], &context));
        if (context.status == CGS_OK || refused++ > 0)
            continue;
        cgs_point_label(study, &study->points[i], false, first, sizeof first);
        snprintf(why, sizeof why, "%.1023s", context.message);
    }
    if (refused == 0)
        return CGS_OK;
    if (study->swept_count == 0)
        return cgs_fail(study->context, CGS_USAGE, "%s", why);
    return cgs_fail(study->context, CGS_USAGE,
                    "%d of %d combinations make no sense, and nothing is run; the first is %s: %s",
                    refused, study->count, first, why);
}

/* ---- series ---- */

/* The point with the next larger N, or more cells, is `stride` further on. */
static enum cgs_status make_series(struct cgs_study *study)
{
    int sizes = 1, stride = study->count, made = 0;
    for (int i = 0; i < study->swept_count && sizes == 1; i++) {
        stride /= study->lists[study->swept[i]].count;
        if (cgs_study_refines(study->swept[i]) && study->target_count == 0)
            sizes = study->lists[study->swept[i]].count;
    }
    study->series = calloc((size_t)(study->count / sizes), sizeof *study->series);
    if (!study->series)
        return no_memory(study);
    for (int i = 0; i < study->count; i++) {
        if (sizes > 1 && i / stride % sizes != 0)
            continue;
        struct cgs_series *series = &study->series[made++];
        char label[256];
        cgs_point_label(study, &study->points[i], true, label, sizeof label);
        series->label = strdup(label);
        series->points = calloc((size_t)sizes, sizeof *series->points);
        series->targets = calloc((size_t)study->target_count + 1, sizeof *series->targets);
        study->series_count = made;
        if (!series->label || !series->points || !series->targets)
            return no_memory(study);
        series->count = sizes;
        for (int k = 0; k < sizes; k++)
            series->points[k] = sizes > 1 ? i + k * stride : i;
    }
    return CGS_OK;
}

enum cgs_status cgs_study_make(struct cgs_study *study)
{
    CGS_TRY(read_lists(study));
    CGS_TRY(make_points(study));
    if (study->options->settings.given[CGS_OPTION_target_error])
        CGS_TRY(cgs_targets_begin(study));
    CGS_TRY(cgs_scaling_resize(study));
    for (int i = 0; i < study->count; i++)
        CGS_TRY(cgs_study_name(study, &study->points[i]));
    CGS_TRY(check_points(study));
    return make_series(study);
}

void cgs_study_release(struct cgs_study *study)
{
    for (int i = 0; i < study->count; i++) {
        free(study->points[i].name);
        free(study->points[i].file);
        free(study->points[i].message);
        json_decref(study->points[i].report);
    }
    for (int i = 0; i < study->series_count; i++) {
        free(study->series[i].label);
        free(study->series[i].points);
        free(study->series[i].targets);
    }
    free(study->targets);
    for (int i = 0; i < CGS_OPTIONS; i++)
        cgs_list_release(&study->lists[i]);
    free(study->points);
    free(study->series);
}
