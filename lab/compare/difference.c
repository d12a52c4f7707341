/* Both reports are walked side by side; what a figure is follows from its place. */
#include "lab/compare/difference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/facts/facts.h"
#include "core/io/json.h"
#include "core/options/table.h"
#include "lab/compare/kernel_row.h"

enum cgs_change cgs_change(double ratio, double least, double most)
{
    const bool spread = least > 0.0 && most >= least,
               overlap = spread && least <= 1.0 && most >= 1.0;
    const double distance = ratio > 1.0 ? ratio - 1.0 : 1.0 / ratio - 1.0;
    if (distance <= (spread && !overlap ? CGS_NOISE_SPREAD : CGS_NOISE))
        return CGS_CHANGE_NOISE;
    if (overlap)
        return CGS_CHANGE_UNCLEAR;
    return ratio > 1.0 ? CGS_CHANGE_MORE : CGS_CHANGE_LESS;
}

const char *cgs_change_text(bool seconds, double ratio, cgs_text text)
{
    const bool fast = seconds && ratio < 1.0;
    cgs_text number;
    snprintf(text, sizeof(cgs_text), "%.20s times as %s",
             cgs_number_text(fast ? 1.0 / ratio : ratio, number),
             fast      ? "fast"
             : seconds ? "long"
                       : "much");
    return text;
}

struct walk {
    json_t *settings, *results, *measured, *overlapping, *only;
    json_int_t agreed;
    bool disturbed;      /* one of them was: its times mean little */
    const char *kernels; /* place of the table of kernels: of spmv, of spgemm */
};

/* Returns true if a word of the command line names an output, whose place changes nothing in a
 * report. *next: so does the word after it ("--json FILE"). */
static bool is_output(const char *word, bool *next)
{
    *next = false;
    for (int i = 0; i < CGS_OPTIONS; i++) {
        const struct cgs_option *option = &cgs_option_table[i];
        const size_t length = strlen(option->name);
        if (option->group != CGS_GROUP_OUTPUT ||
            (option->kind != CGS_KIND_TEXT && option->kind != CGS_KIND_SLICE &&
             option->kind != CGS_KIND_LINE) ||
            strncmp(word, "--", 2) != 0 || strncmp(word + 2, option->name, length) != 0)
            continue;
        *next = word[2 + length] == '\0';
        if (*next || word[2 + length] == '=')
            return true;
    }
    return false;
}

/* The command line without outputs; NULL where there is none. */
static json_t *find_arguments(json_t *report)
{
    json_t *all = json_object_get(report, "arguments"), *kept = all ? json_array() : NULL, *word;
    bool skip = false;
    size_t index;
    json_array_foreach(all, index, word)
    {
        const char *text = json_string_value(word);
        if (skip)
            skip = false;
        else if (!text || !is_output(text, &skip))
            json_array_append(kept, word);
    }
    return kept;
}

/* An array of words or numbers as one text, "-O3 -fopenmp": arguments, architectures. */
static json_t *join(const json_t *array)
{
    char text[1024] = "";
    size_t index, used = 0;
    json_t *word;
    json_array_foreach(array, index, word)
    {
        char *dumped = json_is_string(word) ? NULL : json_dumps(word, JSON_ENCODE_ANY);
        if (used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? " " : "",
                                     dumped ? dumped : json_string_value(word));
        free(dumped);
    }
    return cgs_json_text(text);
}

/* {what, a, b}; what a report does not have is absent. */
static json_t *make_fact(const char *what, json_t *a, json_t *b)
{
    json_t *fact = json_object();
    json_object_set_new(fact, "what", json_string(what));
    json_object_set_new(fact, "a", json_is_array(a) ? join(a) : json_incref(a));
    json_object_set_new(fact, "b", json_is_array(b) ? join(b) : json_incref(b));
    return fact;
}

static void note_only(struct walk *w, const char *what, bool in_a)
{
    json_array_append_new(w->only, json_pack("{s:s, s:s}", "what", what, "in", in_a ? "a" : "b"));
}

/* Returns what two figures may be apart without being beyond noise. */
static double floor_of(const struct cgs_report_fact *rule)
{
    return rule->rule == CGS_PHASE ? 1e-3 : 0.0;
}

/* Least and most of a figure, beside it: min_KEY and max_KEY of median_KEY, else KEY_min, KEY_max.
 */
static bool find_spread(json_t *object, const char *key, double *least, double *most)
{
    const bool median = strncmp(key, "median_", 7) == 0;
    char low[128], high[128];
    snprintf(low, sizeof low, median ? "min_%s" : "%s_min", median ? key + 7 : key);
    snprintf(high, sizeof high, median ? "max_%s" : "%s_max", median ? key + 7 : key);
    *least = json_number_value(json_object_get(object, low));
    *most = json_number_value(json_object_get(object, high));
    return *least > 0.0 && *most >= *least;
}

/* A positive figure of both: same, beyond noise, or apart with spreads that overlap. */
static void compare_measured(struct walk *w, const char *what, const struct cgs_report_fact *rule,
                             const char *key, json_t *a, json_t *b)
{
    json_t *va = json_object_get(a, key), *vb = json_object_get(b, key);
    const double x = json_number_value(va), y = json_number_value(vb), ratio = y / x;
    double least_a, most_a, least_b, most_b;
    const bool spread =
        find_spread(a, key, &least_a, &most_a) && find_spread(b, key, &least_b, &most_b);
    const enum cgs_change change =
        cgs_change(ratio, spread ? least_b / most_a : 0.0, spread ? most_b / least_a : 0.0);
    if (change == CGS_CHANGE_NOISE || fabs(y - x) <= floor_of(rule)) {
        w->agreed++;
        return;
    }
    json_t *fact = make_fact(what, va, vb);
    json_object_set_new(fact, "unit", json_string(rule->unit));
    json_object_set_new(fact, "ratio", json_real(ratio));
    if (spread) {
        json_object_set_new(fact, "ratio_least", json_real(least_b / most_a));
        json_object_set_new(fact, "ratio_most", json_real(most_b / least_a));
    }
    json_object_set_new(fact, "better",
                        json_string((ratio > 1.0) == (rule->rule == CGS_RATE) ? "b" : "a"));
    const bool noise = w->disturbed && rule->rule != CGS_BYTES;
    json_array_append_new(change == CGS_CHANGE_UNCLEAR || noise ? w->overlapping : w->measured,
                          fact);
}

static void compare_value(struct walk *w, const char *what, const struct cgs_report_fact *rule,
                          const char *key, json_t *a, json_t *b)
{
    json_t *va = json_object_get(a, key), *vb = json_object_get(b, key);
    const bool measured = rule->rule == CGS_TIME || rule->rule == CGS_PHASE ||
                          rule->rule == CGS_RATE || rule->rule == CGS_BYTES;
    if (measured && json_number_value(va) > 0.0 && json_number_value(vb) > 0.0)
        compare_measured(w, what, rule, key, a, b);
    else if (json_equal(va, vb))
        w->agreed++;
    else if (measured && (!va || !vb))
        note_only(w, what, va != NULL);
    else if (measured && fabs(json_number_value(va) - json_number_value(vb)) <= floor_of(rule))
        w->agreed++;
    else
        json_array_append_new(rule->rule == CGS_SETTING ? w->settings : w->results,
                              make_fact(what, va, vb));
}

/* All keys below `place` ("" is the top); `what` is how they are called. Either may be missing. */
static void walk_object(struct walk *w, const char *place, const char *what, json_t *a, json_t *b)
{
    static const struct cgs_report_fact setting = {.rule = CGS_SETTING}; /* a key without a row */
    const bool kernel = place == w->kernels;
    char below[256], name[256];
    for (int side = 0; side < 2; side++) {
        const char *key;
        json_t *value;
        json_object_foreach(side == 0 ? a : b, key, value)
        {
            if (side == 1 && json_object_get(a, key))
                continue; /* has been */
            snprintf(below, sizeof below, "%s%s%s", place, *place ? "." : "", key);
            snprintf(name, sizeof name, "%s%s%s", what, !*what ? "" : kernel ? ": " : ".", key);
            const struct cgs_report_fact *fact = cgs_report_fact_find(below);
            const struct cgs_report_fact *rule = fact ? fact : &setting;
            json_t *va = json_object_get(a, key), *vb = json_object_get(b, key);
            if (rule->rule == CGS_IGNORED)
                continue;
            if ((!va || json_is_object(va)) && (!vb || json_is_object(vb)))
                walk_object(w, below, name, va, vb);
            else
                compare_value(w, name, rule, key, a, b);
        }
    }
}

static void compare_arguments(struct walk *w, json_t *a, json_t *b)
{
    json_t *of_a = find_arguments(a), *of_b = find_arguments(b);
    if (json_equal(of_a, of_b))
        w->agreed++;
    else
        json_array_append_new(w->settings, make_fact("arguments", of_a, of_b));
    json_decref(of_a);
    json_decref(of_b);
}

/* ---- kernels of the laboratory ---- */

static void compare_kernel(struct walk *w, json_t *a, json_t *b)
{
    char label[160];
    cgs_kernel_row_label(a, label, sizeof label);
    if (json_equal(json_object_get(a, "state"), json_object_get(b, "state"))) {
        walk_object(w, w->kernels, label, a, b);
        return;
    }
    json_t *outcome[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        const char *state = json_string_value(json_object_get(outcome[i], "state"));
        const char *reason = json_string_value(json_object_get(outcome[i], "reason"));
        outcome[i] =
            json_sprintf("%s%s%s", state ? state : "", reason ? ": " : "", reason ? reason : "");
    }
    json_array_append_new(w->results, make_fact(label, outcome[0], outcome[1]));
    json_decref(outcome[0]);
    json_decref(outcome[1]);
}

static void compare_kernels(struct walk *w, json_t *a, json_t *b)
{
    char label[160];
    size_t index;
    json_t *row;
    json_array_foreach(a, index, row)
    {
        json_t *other = cgs_kernel_row_find(b, row);
        if (other)
            compare_kernel(w, row, other);
        else
            note_only(w, cgs_kernel_row_label(row, label, sizeof label), true);
    }
    json_array_foreach(b, index, row)
    {
        if (!cgs_kernel_row_find(a, row))
            note_only(w, cgs_kernel_row_label(row, label, sizeof label), false);
    }
}

/* The reports, "a", "b", of runs during which others had the processors. */
static json_t *find_disturbed(json_t *a, json_t *b)
{
    json_t *list = json_array();
    if (json_is_true(json_object_get(a, "disturbed")))
        json_array_append_new(list, json_string("a"));
    if (json_is_true(json_object_get(b, "disturbed")))
        json_array_append_new(list, json_string("b"));
    return list;
}

json_t *cgs_difference(json_t *a, json_t *b)
{
    json_t *disturbed = find_disturbed(a, b);
    struct walk w = {
        .settings = json_array(),
        .results = json_array(),
        .measured = json_array(),
        .overlapping = json_array(),
        .only = json_array(),
        .disturbed = json_array_size(disturbed) > 0,
        .kernels = json_object_get(a, "spmv") ? "spmv.kernels[]" : "kernels[]",
    };
    json_t *difference = json_object();
    compare_arguments(&w, a, b);
    walk_object(&w, "", "", a, b);
    compare_kernels(&w, cgs_kernel_rows(a), cgs_kernel_rows(b));
    json_object_set_new(difference, "settings", w.settings);
    json_object_set_new(difference, "results", w.results);
    json_object_set_new(difference, "measured", w.measured);
    json_object_set_new(difference, "overlapping", w.overlapping);
    json_object_set_new(difference, "only", w.only);
    json_object_set_new(difference, "disturbed", disturbed);
    json_object_set_new(difference, "agreed", json_integer(w.agreed));
    json_object_set_new(difference, "noise", json_real(CGS_NOISE));
    json_object_set_new(difference, "noise_spread", json_real(CGS_NOISE_SPREAD));
    return difference;
}
