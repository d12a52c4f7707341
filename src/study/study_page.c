/* DIR/report.html: the study as one page that needs nothing beside it. No script, no font, no link:
 * figures are part of it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/figure/gnuplot.h"
#include "src/io/format.h"
#include "src/io/output.h"
#include "src/io/version.h"
#include "src/study/study_page.h"

/* ---- head ---- */

/* "N = 7, 15, 31, 63; quadrature = gauss, blended" */
static void write_lists(FILE *file, const struct cgs_study *study)
{
    for (int i = 0; i < study->swept_count; i++) {
        const struct cgs_list *list = &study->lists[study->swept[i]];
        cgs_html_format(file, "%s%s = ", i > 0 ? "; " : "", cgs_option_table[study->swept[i]].name);
        for (int k = 0; k < list->count; k++)
            cgs_html_format(file, "%s%s", k > 0 ? ", " : "", list->values[k]);
    }
}

static const char *title_of(const struct cgs_curves *curves)
{
    return curves->axis == CGS_AXIS_N ? "Convergence and performance" : "Performance";
}

/* As one would type it; as a whole, since a character may have several bytes. */
static void write_word(FILE *file, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_=,./:+@%";
    if (word[0] && word[strspn(word, plain)] == '\0') {
        cgs_html_text(file, word);
        return;
    }
    char *quoted = malloc(4 * strlen(word) + 3), *end = quoted;
    if (!quoted) {
        cgs_html_text(file, word);
        return;
    }
    *end++ = '\'';
    for (; *word; word++)
        if (*word == '\'')
            end = stpcpy(end, "'\\''");
        else
            *end++ = *word;
    stpcpy(end, "'");
    cgs_html_text(file, quoted);
    free(quoted);
}

static void write_command(FILE *file, const struct cgs_study *study)
{
    fputs("<pre><code>cgsolve", file);
    for (int i = 1; i < study->argc; i++) {
        fputc(' ', file);
        write_word(file, study->argv[i]);
    }
    fputs("</code></pre>\n", file);
}

static void open_page(FILE *file, const struct cgs_study *study, const struct cgs_curves *merged)
{
    char days[32];
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
          "<meta name=\"generator\" content=\"",
          file);
    cgs_html_format(file, "cgsolve %s", cgs_version());
    fputs("\"/>\n<title>", file);
    cgs_study_days(study, days, sizeof days);
    cgs_html_format(file, "cgsolve study, %s: ", days);
    write_lists(file, study);
    fputs("</title>\n<style>\n", file);
    for (const char *const *rule = cgs_page_style; *rule; rule++)
        fputs(*rule, file);
    fprintf(file, "</style>\n</head>\n<body>\n<header>\n<h1>%s</h1>\n", title_of(merged));
    fputs("<p class=\"faint\">", file);
    cgs_html_format(file, "%d point%s of cgsolve%s", study->count, study->count == 1 ? "" : "s",
                    study->swept_count > 0 ? ": " : "");
    write_lists(file, study);
    fputs("</p>\n</header>\n<main>\n", file);
    cgs_page_summary(file, study, merged);
}

/* ---- what was run ---- */

static void write_fact(FILE *file, const char *name, const char *value)
{
    if (!value[0])
        return;
    fprintf(file, "<dt>%s</dt><dd>", name);
    cgs_html_text(file, value);
    fputs("</dd>\n", file);
}

static void write_run(FILE *file, const struct cgs_study *study)
{
    char text[512], gnuplot[256], version[64], commit[128], other[320];
    const bool draw = study->options->draw;
    double seconds = 0.0;
    int resumed = 0;
    cgs_text took;
    for (int i = 0; i < study->count; i++) {
        seconds += draw ? fmax(0.0, study->points[i].facts[CGS_FACT_total_seconds])
                        : study->points[i].seconds;
        resumed += study->points[i].resumed;
    }
    fputs("<section>\n<h2>What was run</h2>\n", file);
    write_command(file, study);
    fputs("<dl class=\"run\">\n", file);
    cgs_study_machines(study, text, sizeof text);
    write_fact(file, "machine", text);
    cgs_study_days(study, text, sizeof text);
    write_fact(file, "date", draw ? text : study->date);
    cgs_study_told(study, "cgsolve.version", cgs_version(), version, sizeof version);
    cgs_study_told(study, "cgsolve.commit", cgs_commit(), commit, sizeof commit);
    snprintf(text, sizeof text, "cgsolve %s, commit %s", version, commit);
    write_fact(file, "program", text);
    cgs_study_told(study, "cgsolve.compiler", cgs_compiler(), commit, sizeof commit);
    cgs_study_told(study, "cgsolve.flags", cgs_flags(), other, sizeof other);
    snprintf(text, sizeof text, "%s, %s", commit, other);
    write_fact(file, "built by", text);
    cgs_study_told(study, "cgsolve.cuda", NULL, text, sizeof text);
    write_fact(file, "CUDA", text);
    cgs_study_told(study, "device.driver", NULL, text, sizeof text);
    write_fact(file, "driver", text);
    snprintf(text, sizeof text, "cgsolve %s, commit %s", cgs_version(), cgs_commit());
    write_fact(file, "drawn by", draw ? text : "");
    write_fact(file, "figures", cgs_gnuplot_version(gnuplot, sizeof gnuplot) ? gnuplot : "");
    snprintf(text, sizeof text, "%s%s", cgs_seconds_text(seconds, took),
             resumed == study->count && !draw ? ": all points were there already" : "");
    if (resumed > 0 && resumed < study->count && !draw)
        snprintf(text, sizeof text, "%s; %d of %d points were there already", took, resumed,
                 study->count);
    write_fact(file, "time taken", text);
    fputs("</dl>\n</section>\n", file);
}

/* ---- figures ---- */

/* The figures that are there, of errors or of performance. */
static void write_figures(FILE *file, const struct cgs_study *study,
                          const struct cgs_curves *curves, const char *folder, bool errors)
{
    fputs("<div class=\"figures\">\n", file);
    for (int i = 0; i < CGS_DRAWINGS; i++) {
        char path[4096], prefix[16], caption[1024];
        const enum cgs_drawing drawing = (enum cgs_drawing)i;
        const struct cgs_drawing_row *row = &cgs_drawings[i];
        snprintf(path, sizeof path, "%s/%s.svg", folder, row->file);
        if ((row->kind == CGS_DRAWN_ERROR) != errors || access(path, R_OK) != 0)
            continue;
        snprintf(prefix, sizeof prefix, "f%d-", i);
        fprintf(file, "<figure id=\"%s\">\n", row->file);
        cgs_html_svg(file, path, prefix, row->title);
        fputs("<figcaption>", file);
        cgs_drawing_caption(study, curves, drawing, caption, sizeof caption);
        cgs_html_text(file, caption);
        fputs("</figcaption>\n</figure>\n", file);
    }
    fputs("</div>\n", file);
}

/* Those that lack something, by what they lack. */
static void write_absent(FILE *file, const struct cgs_study *study, const struct cgs_curves *curves)
{
    char why[CGS_DRAWINGS][256];
    bool said[CGS_DRAWINGS], first = true;
    for (int i = 0; i < CGS_DRAWINGS; i++)
        said[i] = cgs_drawing_wanted(study, curves, (enum cgs_drawing)i, why[i], sizeof why[i]);
    for (int i = 0; i < CGS_DRAWINGS; i++) {
        if (said[i])
            continue;
        fputs(first ? "<section>\n<h2>What is not shown</h2>\n<ul class=\"small\">\n" : "", file);
        first = false;
        fprintf(file, "<li>%s", cgs_drawings[i].title);
        for (int k = i + 1; k < CGS_DRAWINGS; k++)
            if (!said[k] && strcmp(why[k], why[i]) == 0) {
                fprintf(file, ", %s", cgs_drawings[k].title);
                said[k] = true;
            }
        cgs_html_format(file, ": %s.", why[i]);
        fputs("</li>\n", file);
    }
    if (!first)
        fputs("</ul>\n</section>\n", file);
}

static void write_remark(FILE *file, const struct cgs_study *study)
{
    if (!study->remark[0])
        return;
    fputs("<p class=\"bad\">Figures are missing: ", file);
    cgs_html_text(file, study->remark);
    fputs("</p>\n", file);
}

static bool has_errors(const struct cgs_study *study, const struct cgs_curves *curves)
{
    char why[256];
    bool any = false;
    for (int i = 0; i < CGS_DRAWINGS; i++)
        any = any || (cgs_drawings[i].kind == CGS_DRAWN_ERROR &&
                      cgs_drawing_wanted(study, curves, (enum cgs_drawing)i, why, sizeof why));
    return any;
}

static void write_page(FILE *file, const struct cgs_study *study, const struct cgs_curves *curves,
                       const struct cgs_curves *merged, const char *folder)
{
    open_page(file, study, merged);
    write_remark(file, study);
    if (has_errors(study, curves)) {
        fputs(
            "<section>\n<h2>Convergence</h2>\n<p class=\"small\">Axes are logarithmic: an error of "
            "order p falls along a straight line of slope -p, as the triangles do. Series whose "
            "errors agree are drawn as one.</p>\n",
            file);
        write_figures(file, study, merged, folder, true);
        cgs_page_convergence(file, study, merged);
        fputs("</section>\n", file);
    }
    fputs("<section>\n<h2>Performance</h2>\n", file);
    write_figures(file, study, curves, folder, false);
    cgs_page_performance(file, study);
    fputs("</section>\n", file);
    cgs_page_failures(file, study);
    write_run(file, study);
    write_absent(file, study, curves);
    fputs("</main>\n</body>\n</html>\n", file);
}

enum cgs_status cgs_study_page(struct cgs_study *study, const char *folder)
{
    struct cgs_context *context = study->context;
    struct cgs_curves curves, merged;
    struct cgs_output output = {0};
    char path[4096];
    snprintf(path, sizeof path, "%s/report.html", folder);
    CGS_TRY(cgs_curves_make(study, &curves));
    if (cgs_curves_make(study, &merged) != CGS_OK) {
        cgs_curves_release(&curves);
        return context->status;
    }
    if (cgs_curves_merge(study, &merged, cgs_error_facts, CGS_ERROR_FACTS) == CGS_OK &&
        cgs_output_open(context, "the page", path, 0, &output) == CGS_OK &&
        cgs_output_begin(context, &output) == CGS_OK) {
        write_page(output.file, study, &curves, &merged, folder);
        cgs_output_commit(context, &output);
    }
    cgs_output_discard(&output);
    cgs_curves_release(&merged);
    cgs_curves_release(&curves);
    return context->status;
}
