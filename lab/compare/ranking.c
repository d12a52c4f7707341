#include "lab/compare/ranking.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"
#include "core/io/json.h"
#include "lab/compare/difference.h"

enum { CHANGES = CGS_CHANGE_MORE + 1, REPORTS = 2 };

/* Keys of JSON, heads of columns; times are compared. */
static const char *const changes[CHANGES] = {"noise", "unclear", "faster", "slower"};

struct kernel {
    const char *name; /* borrowed */
    bool beside;      /* a baseline that nobody asked for */
    bool in[REPORTS]; /* which of the reports have a time of it */
    int matrices, counts[CHANGES], judged;
    double ratio, least, most; /* sums of logarithms over the matrices that are judged */
    double score[REPORTS];     /* likewise, over all: time over the fastest's on the matrix */
};

struct ranking {
    struct kernel *kernels; /* owned; after cgs_ranking_make by score in A, baselines last */
    int count;
};

static json_t *cell_of(const json_t *line, size_t report)
{
    return json_array_get(json_object_get(line, "reports"), report);
}

static double number_of(const json_t *cell, const char *key)
{
    return json_number_value(json_object_get(cell, key));
}

static bool is_beside(const json_t *line)
{
    return json_is_true(json_object_get(line, "beside"));
}

/* Returns true if both reports have a time of that matrix and kernel. */
static bool is_common(const json_t *line)
{
    return json_is_object(cell_of(line, 0)) && json_is_object(cell_of(line, 1));
}

static struct kernel *find(struct ranking *r, const json_t *line)
{
    const char *name = json_string_value(json_object_get(line, "kernel"));
    int k = 0;
    while (k < r->count && strcmp(r->kernels[k].name, name) != 0)
        k++;
    if (k == r->count)
        r->kernels[r->count++] = (struct kernel){.name = name, .beside = is_beside(line)};
    return &r->kernels[k];
}

/* Returns, by the name of a matrix, the least times in A and B of the kernels that are ranked. */
static json_t *find_best(json_t *lines)
{
    json_t *all = json_object(), *line;
    size_t index;
    json_array_foreach(lines, index, line)
    {
        const char *matrix = json_string_value(json_object_get(line, "matrix"));
        const double a = number_of(cell_of(line, 0), "median_seconds"),
                     b = number_of(cell_of(line, 1), "median_seconds");
        const json_t *best = json_object_get(all, matrix);
        if (!is_common(line) || is_beside(line))
            continue;
        json_object_set_new(
            all, matrix,
            json_pack("[ff]", best ? fmin(a, json_number_value(json_array_get(best, 0))) : a,
                      best ? fmin(b, json_number_value(json_array_get(best, 1))) : b));
    }
    return all;
}

/* Adds a matrix to its kernel. */
static void add_line(struct ranking *r, const json_t *line, const json_t *best)
{
    struct kernel *kernel = find(r, line);
    const json_t *a = cell_of(line, 0), *b = cell_of(line, 1);
    const json_t *least = json_object_get(best, json_string_value(json_object_get(line, "matrix")));
    kernel->in[0] = kernel->in[0] || json_is_object(a);
    kernel->in[1] = kernel->in[1] || json_is_object(b);
    if (!is_common(line))
        return;
    const double ratio = number_of(b, "ratio");
    const double low = number_of(b, "min_seconds") / number_of(a, "max_seconds"),
                 high = number_of(b, "max_seconds") / number_of(a, "min_seconds");
    const bool disturbed = json_is_true(json_object_get(a, "disturbed")) ||
                           json_is_true(json_object_get(b, "disturbed"));
    kernel->matrices++;
    kernel->counts[disturbed ? CGS_CHANGE_UNCLEAR : cgs_change(ratio, low, high)]++;
    for (size_t i = 0; i < REPORTS && least; i++)
        kernel->score[i] += log(number_of(cell_of(line, i), "median_seconds") /
                                json_number_value(json_array_get(least, i)));
    if (disturbed)
        return;
    kernel->judged++;
    kernel->ratio += log(ratio);
    kernel->least += log(low);
    kernel->most += log(high);
}

/* ---- what follows for a kernel ---- */

static json_t *kernel_json(const struct kernel *k)
{
    json_t *o = json_pack("{so si}", "kernel", cgs_json_text(k->name), "matrices", k->matrices);
    if (k->matrices == 0) {
        if (k->in[0] != k->in[1])
            json_object_set_new(o, "in", json_string(k->in[0] ? "a" : "b"));
        return o;
    }
    for (int i = 0; i < CHANGES; i++)
        json_object_set_new(o, changes[i], json_integer(k->counts[i]));
    enum cgs_change change = CGS_CHANGE_UNCLEAR; /* where others disturbed all of them */
    if (k->judged > 0) {
        const double ratio = exp(k->ratio / k->judged), least = exp(k->least / k->judged),
                     most = exp(k->most / k->judged);
        change = cgs_change(ratio, least, most);
        json_object_set_new(o, "ratio", json_real(ratio));
        json_object_set_new(o, "ratio_least", json_real(least));
        json_object_set_new(o, "ratio_most", json_real(most));
    }
    json_object_set_new(o, "verdict", json_string(changes[change]));
    return o;
}

/* ---- the ranking ---- */

/* Orders by the mean score in a report, kernels without one last. */
static int compare_scores(const struct kernel *x, const struct kernel *y, int report)
{
    const bool out_x = x->beside || x->matrices == 0, out_y = y->beside || y->matrices == 0;
    if (out_x || out_y)
        return out_x - out_y;
    const double a = x->score[report] / x->matrices, b = y->score[report] / y->matrices;
    return (a > b) - (a < b);
}

static int compare_in_a(const void *x, const void *y)
{
    return compare_scores(x, y, 0);
}

static int compare_in_b(const void *x, const void *y)
{
    return compare_scores(x, y, 1);
}

/* Returns true if two kernels are within noise of each other, by their mean scores in a report. */
static bool is_near(const struct kernel *x, const struct kernel *y, int report)
{
    const double ratio = exp(x->score[report] / x->matrices - y->score[report] / y->matrices);
    return cgs_change(ratio, 0.0, 0.0) == CGS_CHANGE_NOISE;
}

/* Lists the kernels that are ranked, in the order in which they stand. */
static json_t *names_of(const struct ranking *r)
{
    json_t *names = json_array();
    for (int k = 0; k < r->count; k++)
        if (!r->kernels[k].beside && r->kernels[k].matrices > 0)
            json_array_append_new(names, cgs_json_text(r->kernels[k].name));
    return names;
}

/* The kernels stand as in A before, as in B afterwards. */
static json_t *ranking_json(struct ranking *r)
{
    bool changed = false, noise = true;
    json_t *in_a = names_of(r);
    for (int i = 0; i < r->count; i++)
        for (int k = i + 1; k < r->count; k++) {
            const struct kernel *x = &r->kernels[i], *y = &r->kernels[k];
            if (compare_scores(x, y, 0) >= 0 || compare_scores(x, y, 1) <= 0)
                continue;
            changed = true;
            noise = noise && is_near(x, y, 0) && is_near(x, y, 1);
        }
    qsort(r->kernels, (size_t)r->count, sizeof *r->kernels, compare_in_b);
    return json_pack("{so so sb sb}", "a", in_a, "b", names_of(r), "changed", changed, "noise",
                     changed && noise);
}

enum cgs_status cgs_ranking_make(struct cgs_context *context, json_t *lines, json_t *comparison)
{
    struct ranking r = {0};
    json_t *line;
    size_t index;
    CGS_TRY(cgs_alloc(context, (int64_t)json_array_size(lines) + 1, sizeof *r.kernels,
                      "the ranking", (void **)&r.kernels));
    json_t *kernels = json_array(), *best = find_best(lines);
    json_array_foreach(lines, index, line) add_line(&r, line, best);
    json_decref(best);
    qsort(r.kernels, (size_t)r.count, sizeof *r.kernels, compare_in_a);
    for (int k = 0; k < r.count; k++)
        json_array_append_new(kernels, kernel_json(&r.kernels[k]));
    json_object_set_new(comparison, "kernels", kernels);
    json_object_set_new(comparison, "ranking", ranking_json(&r));
    cgs_free(context, r.kernels);
    return CGS_OK;
}

/* ---- text ---- */

enum { LIST = 2048 };

/* Writes the kernels with a verdict, "NAME 1.50, NAME 1.14 (1 of 3 matrices) times as long": behind
 * a name the ratio, and of how many matrices the verdict holds unless that is all. */
static void join_kernels(const json_t *kernels, enum cgs_change change, char *text, size_t size)
{
    size_t index;
    const json_t *kernel;
    const char *unit = "";
    cgs_text ratio;
    text[0] = '\0';
    json_array_foreach(kernels, index, kernel)
    {
        const char *verdict = json_string_value(json_object_get(kernel, "verdict"));
        const int count = (int)number_of(kernel, changes[change]),
                  matrices = (int)number_of(kernel, "matrices");
        if (!verdict || strcmp(verdict, changes[change]) != 0)
            continue;
        cgs_append(text, size, "%s%s", text[0] ? ", " : "",
                   json_string_value(json_object_get(kernel, "kernel")));
        if (change == CGS_CHANGE_LESS || change == CGS_CHANGE_MORE) {
            cgs_change_text(true, number_of(kernel, "ratio"), ratio);
            unit = strchr(ratio, ' ');
            cgs_append(text, size, " %.*s", (int)(unit - ratio), ratio);
        }
        if (count < matrices)
            cgs_append(text, size, " (%d of %d matrices)", count, matrices);
    }
    cgs_append(text, size, "%s", unit);
}

/* Appends the kernels that both reports name, but on no common matrix ('\0'), or one alone has
 * ('a', 'b'). */
static void join_missing(const json_t *kernels, char where, char *text, size_t size)
{
    size_t index;
    const json_t *kernel;
    text[0] = '\0';
    json_array_foreach(kernels, index, kernel)
    {
        const char *in = json_string_value(json_object_get(kernel, "in"));
        if (!json_object_get(kernel, "verdict") && (in ? *in : '\0') == where)
            cgs_append(text, size, "%s%s", text[0] ? ", " : "",
                       json_string_value(json_object_get(kernel, "kernel")));
    }
}

static void write_list(const struct cgs_page *page, const char *label, char *text)
{
    if (!*text)
        return;
    cgs_make_plain(text);
    cgs_page_section(page, label);
    cgs_page_wrap(page->file, text, CGS_PAGE_COLUMN);
}

static void write_kernels(const struct cgs_page *page, const json_t *kernels)
{
    static const char *const labels[CHANGES] = {"Noise", "Unclear", "Faster", "Slower"};
    char text[LIST];
    for (int i = CHANGES - 1; i >= 0; i--) {
        join_kernels(kernels, (enum cgs_change)i, text, sizeof text);
        write_list(page, labels[i], text);
    }
    join_missing(kernels, 'a', text, sizeof text);
    write_list(page, "Only in A", text);
    join_missing(kernels, 'b', text, sizeof text);
    write_list(page, "Only in B", text);
    join_missing(kernels, '\0', text, sizeof text);
    if (*text)
        cgs_append(text, sizeof text, ": no matrix in common");
    write_list(page, "Unmatched", text);
}

/* Writes "NAME, NAME, ...", shortened where there are very many; each with the place that it had in
 * `before` where that was another. */
static void join_ranked(const json_t *names, const json_t *before, char *text, size_t size)
{
    size_t index, place;
    const json_t *name, *other;
    text[0] = '\0';
    json_array_foreach(names, index, name)
    {
        cgs_append(text, size, "%s%s", index > 0 ? ", " : "", json_string_value(name));
        json_array_foreach(before, place, other)
        {
            if (place != index && json_equal(name, other))
                cgs_append(text, size, " (was %zu)", place + 1);
        }
    }
}

void cgs_ranking_text(const struct cgs_page *page, json_t *comparison)
{
    const json_t *ranking = json_object_get(comparison, "ranking");
    const bool changed = json_is_true(json_object_get(ranking, "changed"));
    char names[LIST], text[LIST + 64];
    write_kernels(page, json_object_get(comparison, "kernels"));
    join_ranked(json_object_get(ranking, "b"), json_object_get(ranking, "a"), names, sizeof names);
    snprintf(text, sizeof text, "%s%s: %s",
             !*names   ? "none"
             : changed ? "changed"
                       : "unchanged",
             json_is_true(json_object_get(ranking, "noise")) ? " within noise" : "",
             *names ? names : "the reports have no asked-for kernel in common");
    write_list(page, "Ranking", text);
}
