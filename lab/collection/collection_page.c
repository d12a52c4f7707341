/* DIR/report.html: a collection as one page that needs no other file. Its facts fill the template page.html. */
#include <string.h>

#include "base/plain.h"
#include "core/io/json.h"
#include "core/io/page.h"
#include "core/io/version.h"
#include "lab/collection/summary.h"
#include "lab/io/folder.h"
#include "lab/io/html.h"

static const char template[] = {
#include "lab/collection/page.inc" /* page.html as numbers */
    0};

/* ---- small parts ---- */

enum form { WHOLE, THREE, PERCENT }; /* a whole number, three digits, per cent */

/* Writes a number that is not 0; else nothing. */
static const char *write_number(double x, enum form form, cgs_text text)
{
    if (x == 0.0)
        text[0] = '\0';
    else if (form == THREE)
        snprintf(text, sizeof(cgs_text), "%.3g", x);
    else
        snprintf(text, sizeof(cgs_text), "%.0f%s", x, form == PERCENT ? " %" : "");
    return text;
}

static json_t *number(double x, enum form form)
{
    return json_string(write_number(x, form, (cgs_text){0}));
}

/* The command line as one would type it. */
static json_t *command_of(const struct cgs_collection *c)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    for (int i = 0; i < c->call->argc && file; i++) {
        fputs(i > 0 ? " " : "cgsolve", file);
        if (i > 0)
            cgs_page_word(file, c->call->argv[i]);
    }
    json_t *made = file && fclose(file) == 0 ? cgs_json_text(text) : NULL;
    free(text);
    return made;
}

static json_t *figures_of(const struct cgs_collection *c)
{
    static const char *const captions[] = {
        "Two operations an entry, by the median time of a product.",
        "Bars: the geometric mean over all matrices that both kernels took. Lines: the least and "
        "the most.",
        "Share of the matrices on which a kernel takes at most so many times as long as the "
        "fastest one "
        "(Dolan and More, 2002). A kernel that fails on a matrix, or does not take it, is never "
        "among the best there.",
        "Marks: the fastest kernel on each matrix. Lines: what reading gives from each cache, with "
        "arrays of half its size, and from memory. "
        "A product whose matrix "
        "is in a cache may be above the memory's line."};
    json_t *list = json_array();
    for (int i = 0; cgs_collection_drawings[i]; i++) {
        char prefix[16];
        char *path = cgs_folder_join(c->folder, cgs_collection_drawings[i], ".svg");
        snprintf(prefix, sizeof prefix, "f%d-", i);
        json_t *svg = path ? cgs_html_svg(path, prefix) : NULL;
        free(path);
        if (svg)
            json_array_append_new(list, json_pack("{ss so ss}", "name", cgs_collection_drawings[i],
                                                  "svg", svg, "caption", captions[i]));
    }
    return list;
}

/* ---- tables ---- */

static json_t *means_of(const struct cgs_summary *s)
{
    json_t *list = json_array();
    for (int k = 0; k < s->times.kernels; k++) {
        const struct cgs_summary_kernel *kernel = &s->kernels[k];
        json_array_append_new(
            list, json_pack("{so so so so so so so so}", "kernel", cgs_json_text(kernel->label),
                            "matrices", number(kernel->timed, WHOLE), "fastest",
                            number(kernel->fastest, WHOLE), "failed", number(kernel->failed, WHOLE),
                            "mean", number(kernel->speedup.mean, THREE), "least",
                            number(kernel->speedup.least, THREE), "most",
                            number(kernel->speedup.most, THREE), "twice",
                            k < s->shown.kernels
                                ? number(100.0 * cgs_times_profile(&s->shown, k, 2.0), PERCENT)
                                : json_string("")));
    }
    return list;
}

/* A cell: what is shown, and the number by which its column is sorted. */
static void add_cell(json_t *cells, double value, const char *text)
{
    char sorted[32];
    snprintf(sorted, sizeof sorted, "%.9g", value);
    json_array_append_new(cells,
                          json_pack("{ss ss}", "sorted", sorted, "text", value != 0.0 ? text : ""));
}

static void add_number(json_t *cells, const json_t *row, const char *key, enum form form)
{
    const double value = cgs_row_number(row, key);
    add_cell(cells, value, write_number(value, form, (cgs_text){0}));
}

static json_t *cells_of(const json_t *row)
{
    static const char *const seconds[] = {"median_seconds", "min_seconds", "max_seconds"};
    json_t *cells = json_array();
    add_number(cells, row, "rows", WHOLE);
    add_number(cells, row, "nonzeros", WHOLE);
    add_number(cells, row, "mean_row", THREE);
    for (int i = 0; i < 3; i++) {
        const double value = cgs_row_number(row, seconds[i]);
        add_cell(cells, value, cgs_seconds_text(value, (cgs_text){0}));
    }
    add_number(cells, row, "gbs", THREE);
    add_number(cells, row, "gflops", THREE);
    add_number(cells, row, "attainable_percent", PERCENT);
    return cells;
}

static json_t *rows_of(const struct cgs_collection *c)
{
    json_t *list = json_array(), *row;
    size_t index;
    json_array_foreach(c->rows, index, row)
    {
        const char *state = cgs_row_text(row, "state");
        json_t *o = json_object();
        cgs_put_text(o, "group", cgs_row_text(row, "group"));
        cgs_put_text(o, "name", cgs_row_text(row, "name"));
        char kernel[128];
        cgs_summary_label(c, row, kernel, sizeof kernel);
        cgs_put_text(o, "kernel", kernel);
        cgs_put_text(o, "layout", cgs_row_text(row, "layout"));
        cgs_put_text(o, "state", state);
        cgs_put_text(o, "reason", cgs_row_text(row, "reason"));
        cgs_put_yes(o, "failed", strcmp(state, "failed") == 0 || strcmp(state, "refused") == 0);
        cgs_put_part(o, "cells", cells_of(row));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *ceilings_of(const struct cgs_collection *c)
{
    json_t *list = json_array(), *level;
    size_t index;
    json_array_foreach(c->ceilings, index, level)
    {
        cgs_text bytes;
        json_array_append_new(
            list, json_pack("{ss ss so so so}", "level", cgs_row_text(level, "level"), "bytes",
                            cgs_bytes_text((int64_t)cgs_row_number(level, "bytes"), bytes), "read",
                            number(cgs_row_number(level, "read_gbs"), WHOLE), "copy",
                            number(cgs_row_number(level, "copy_gbs"), WHOLE), "triad",
                            number(cgs_row_number(level, "triad_gbs"), WHOLE)));
    }
    return list;
}

/* ---- the page ---- */

static json_t *facts_of(const struct cgs_collection *c, const struct cgs_summary *s)
{
    char counts[256], machine[400], program[200];
    snprintf(counts, sizeof counts, "%d matrices, %d refused, %zu lines, %d failed",
             s->times.matrices, s->refused, json_array_size(c->rows), s->failed);
    snprintf(machine, sizeof machine, "%s%s%s, %d thread%s",
             c->machine.device == CGS_CPU ? "" : c->device,
             c->machine.device == CGS_CPU ? "" : "; host ", c->host, c->context->threads,
             c->context->threads == 1 ? "" : "s");
    snprintf(program, sizeof program, "cgsolve %s, commit %s", cgs_version(), cgs_commit());
    json_t *facts = json_pack("{ss ss ss so so so so}", "version", cgs_version(), "counts", counts,
                              "baseline", cgs_summary_baseline(s), "figures", figures_of(c),
                              "means", means_of(s), "rows", rows_of(c), "ceilings", ceilings_of(c));
    json_object_set_new(facts, "style", json_string(cgs_html_style));
    json_object_set_new(facts, "command", command_of(c));
    json_object_set_new(facts, "machine", cgs_json_text(machine));
    json_object_set_new(facts, "program", cgs_json_text(program));
    json_object_set_new(facts, "compiler", cgs_json_text(cgs_compiler()));
    json_object_set_new(facts, "date", json_string(c->date));
    json_object_set_new(facts, "remark", cgs_json_text(c->remark));
    return facts;
}

enum cgs_status cgs_collection_page(struct cgs_collection *c, const struct cgs_summary *s)
{
    struct cgs_output output = {0};
    json_t *facts = facts_of(c, s);
    enum cgs_status status = CGS_OK;
    if (cgs_json_starved())
        status = cgs_fail(c->context, CGS_MEMORY, "no memory for the page of '%s'", c->folder);
    if (status == CGS_OK)
        status = cgs_collection_begin(c, "report.html", &output);
    if (status == CGS_OK) {
        cgs_html_fill(output.file, template, facts);
        status = cgs_output_commit(c->context, &output);
    }
    cgs_output_discard(&output);
    json_decref(facts);
    return status;
}
