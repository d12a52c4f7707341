/* DIR/report.html: the study as one page that needs no other file. Its facts are made here, as
 * JSON, and fill the template page.html. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/plain.h"
#include "core/io/format.h"
#include "core/io/json.h"
#include "core/io/output.h"
#include "core/io/page.h"
#include "core/io/version.h"
#include "lab/figure/gnuplot.h"
#include "lab/io/html.h"
#include "lab/study/study_page.h"

static const char template[] = {
#include "lab/study/page.inc" /* page.html as numbers */
    0};

/* ---- head ---- */

/* The text that has been written to `file`, a memory stream of `text`, which it closes and
 * releases. */
static json_t *end_text(FILE *file, char **text)
{
    json_t *made = file && fclose(file) == 0 ? cgs_json_text(*text) : NULL;
    free(*text);
    return made;
}

/* "N = 7, 15, 31, 63; quadrature = gauss, blended" */
static json_t *lists_of(const struct cgs_study *study)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    for (int i = 0; i < study->swept_count && file; i++) {
        const struct cgs_list *list = &study->lists[study->swept[i]];
        fprintf(file, "%s%s = ", i > 0 ? "; " : "", cgs_option_table[study->swept[i]].name);
        for (int k = 0; k < list->count; k++)
            fprintf(file, "%s%s", k > 0 ? ", " : "", list->values[k]);
    }
    return end_text(file, &text);
}

/* The command line as one would type it. */
static json_t *command_of(const struct cgs_study *study)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    for (int i = 0; i < study->argc && file; i++) {
        fputs(i > 0 ? " " : "cgsolve", file);
        if (i > 0)
            cgs_page_word(file, study->argv[i]);
    }
    return end_text(file, &text);
}

/* ---- what was run ---- */

static void add_fact(json_t *list, const char *name, const char *value)
{
    if (value[0])
        json_array_append_new(list,
                              json_pack("{ss so}", "name", name, "value", cgs_json_text(value)));
}

static void add_time(json_t *list, const struct cgs_study *study)
{
    const bool draw = study->options->draw;
    double seconds = 0.0;
    int resumed = 0;
    char text[128];
    for (int i = 0; i < study->count; i++) {
        const struct cgs_point *point = &study->points[i];
        seconds += draw ? fmax(0.0, point->facts[CGS_FACT_total_seconds]) : point->seconds;
        resumed += point->resumed && !draw;
    }
    snprintf(text, sizeof text, "%s", cgs_seconds_text(seconds, (cgs_text){0}));
    if (resumed == study->count)
        cgs_append(text, sizeof text, ": all points were there already");
    else if (resumed > 0)
        cgs_append(text, sizeof text, "; %d of %d points were there already", resumed,
                   study->count);
    add_fact(list, "time taken", text);
}

static json_t *run_of(const struct cgs_study *study)
{
    static const char program[] = "cgsolve %s, commit %s";
    char text[512], first[128], second[320];
    const bool draw = study->options->draw;
    json_t *list = json_array();
    cgs_study_machines(study, text, sizeof text);
    add_fact(list, "machine", text);
    cgs_study_days(study, text, sizeof text);
    add_fact(list, "date", draw ? text : study->date);
    cgs_study_told(study, "cgsolve.version", cgs_version(), first, sizeof first);
    cgs_study_told(study, "cgsolve.commit", cgs_commit(), second, sizeof second);
    snprintf(text, sizeof text, program, first, second);
    add_fact(list, "program", text);
    cgs_study_told(study, "cgsolve.compiler", cgs_compiler(), first, sizeof first);
    cgs_study_told(study, "cgsolve.flags", cgs_flags(), second, sizeof second);
    snprintf(text, sizeof text, "%s, %s", first, second);
    add_fact(list, "built by", text);
    cgs_study_told(study, "cgsolve.cuda", NULL, text, sizeof text);
    add_fact(list, "CUDA", text);
    cgs_study_told(study, "device.driver", NULL, text, sizeof text);
    add_fact(list, "driver", text);
    snprintf(text, sizeof text, program, cgs_version(), cgs_commit());
    add_fact(list, "drawn by", draw ? text : "");
    add_fact(list, "figures", cgs_gnuplot_version(text, sizeof text) ? text : "");
    add_time(list, study);
    return list;
}

/* ---- sections ---- */

/* The figures that are there, of errors or of performance. */
static json_t *figures_of(const struct cgs_study *study, const struct cgs_curves *curves,
                          bool errors)
{
    json_t *list = json_array();
    for (int i = 0; i < CGS_DRAWINGS; i++) {
        char path[4096], prefix[16], caption[1024];
        const struct cgs_drawing_row *row = &cgs_drawings[i];
        snprintf(path, sizeof path, "%s/%s.svg", study->folder, row->file);
        snprintf(prefix, sizeof prefix, "f%d-", i);
        json_t *svg = (row->kind == CGS_DRAWN_ERROR) == errors ? cgs_html_svg(path, prefix) : NULL;
        if (!svg)
            continue;
        cgs_drawing_caption(study, curves, (enum cgs_drawing)i, caption, sizeof caption);
        json_array_append_new(list,
                              json_pack("{ss ss so so}", "name", row->file, "title", row->title,
                                        "svg", svg, "caption", cgs_json_text(caption)));
    }
    return list;
}

/* The section on errors where there are some, and the one on performance. */
static json_t *sections_of(const struct cgs_study *study, const struct cgs_curves *curves,
                           const struct cgs_curves *merged)
{
    char why[256];
    bool errors = false;
    json_t *list = json_array();
    for (int i = 0; i < CGS_DRAWINGS; i++)
        errors =
            errors || (cgs_drawings[i].kind == CGS_DRAWN_ERROR &&
                       cgs_drawing_wanted(study, curves, (enum cgs_drawing)i, why, sizeof why));
    if (errors)
        json_array_append_new(list, json_pack("{ss sb so so*}", "title", "Convergence", "errors", 1,
                                              "figures", figures_of(study, merged, true), "orders",
                                              cgs_page_orders(study, merged)));
    json_array_append_new(list, json_pack("{ss so so}", "title", "Performance", "figures",
                                          figures_of(study, curves, false), "performance",
                                          cgs_page_performance(study)));
    return list;
}

static json_t *failures_of(const struct cgs_study *study)
{
    json_t *list = json_array();
    for (int i = 0; i < study->count; i++) {
        const struct cgs_point *point = &study->points[i];
        char label[256], name[300];
        if (point->exit_status <= 0)
            continue;
        cgs_point_label(study, point, false, label, sizeof label);
        snprintf(name, sizeof name, "%s (exit status %d)", label[0] ? label : "the run",
                 point->exit_status);
        json_array_append_new(
            list,
            json_pack("{so so}", "name", cgs_json_text(name), "why",
                      cgs_json_text(point->message ? point->message : "it does not say why")));
    }
    return list;
}

/* Titles of the figures that lack something, together where they lack the same: "A, B: why." */
static json_t *absent_of(const struct cgs_study *study, const struct cgs_curves *curves)
{
    char why[CGS_DRAWINGS][256];
    bool said[CGS_DRAWINGS];
    json_t *list = json_array();
    for (int i = 0; i < CGS_DRAWINGS; i++)
        said[i] = cgs_drawing_wanted(study, curves, (enum cgs_drawing)i, why[i], sizeof why[i]);
    for (int i = 0; i < CGS_DRAWINGS; i++) {
        char text[1024] = "";
        if (said[i])
            continue;
        for (int k = i; k < CGS_DRAWINGS; k++)
            if (!said[k] && strcmp(why[k], why[i]) == 0) {
                cgs_append(text, sizeof text, "%s%s", text[0] ? ", " : "", cgs_drawings[k].title);
                said[k] = true;
            }
        cgs_append(text, sizeof text, ": %s.", why[i]);
        json_array_append_new(list, cgs_json_text(text));
    }
    return list;
}

/* {list}; NULL where it is empty. */
static json_t *unless_empty(json_t *list)
{
    if (json_array_size(list) > 0)
        return json_pack("{so}", "list", list);
    json_decref(list);
    return NULL;
}

/* ---- the page ---- */

static json_t *make_facts(const struct cgs_study *study, const struct cgs_curves *curves,
                          const struct cgs_curves *merged)
{
    char days[32], points[32];
    const bool of_n = merged->axis == CGS_AXIS_N;
    cgs_study_days(study, days, sizeof days);
    snprintf(points, sizeof points, "%d point%s", study->count, study->count == 1 ? "" : "s");
    json_t *facts = json_pack(
        "{ss ss so ss ss so so*}", "version", cgs_version(), "days", days, "lists", lists_of(study),
        "heading", of_n ? "Convergence and performance" : "Performance", "points", points,
        "summary", cgs_page_summary(study, merged), "failures", unless_empty(failures_of(study)));
    json_object_set_new(facts, "style", json_string(cgs_html_style));
    json_object_set_new(facts, "remark", cgs_json_text(study->remark));
    json_object_set_new(facts, "sections", sections_of(study, curves, merged));
    json_object_set_new(facts, "command", command_of(study));
    json_object_set_new(facts, "run", run_of(study));
    json_object_set_new(facts, "absent", unless_empty(absent_of(study, curves)));
    return facts;
}

static enum cgs_status write_page(struct cgs_study *study, const struct cgs_curves *curves,
                                  const struct cgs_curves *merged)
{
    struct cgs_context *context = study->context;
    struct cgs_output output = {0};
    char path[4096];
    snprintf(path, sizeof path, "%s/report.html", study->folder);
    json_t *facts = make_facts(study, curves, merged);
    if (cgs_json_starved())
        cgs_fail(context, CGS_MEMORY, "no memory for the page '%s'", path);
    else if (cgs_output_open(context, "the page", path, 0, &output) == CGS_OK &&
             cgs_output_begin(context, &output) == CGS_OK) {
        cgs_html_fill(output.file, template, facts);
        cgs_output_commit(context, &output);
    }
    cgs_output_discard(&output);
    json_decref(facts);
    return context->status;
}

enum cgs_status cgs_study_page(struct cgs_study *study)
{
    struct cgs_curves curves, merged = {0};
    CGS_TRY(cgs_curves_make(study, &curves));
    if (cgs_curves_make(study, &merged) == CGS_OK &&
        cgs_curves_merge(study, &merged, cgs_error_facts, CGS_ERROR_FACTS) == CGS_OK)
        write_page(study, &curves, &merged);
    cgs_curves_release(&merged);
    cgs_curves_release(&curves);
    return study->context->status;
}
