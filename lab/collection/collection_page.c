/* DIR/report.html: a collection as one page that needs no other file. */
#include <stdlib.h>
#include <string.h>

#include "core/io/version.h"
#include "lab/collection/collection_page.h"
#include "lab/collection/summary.h"
#include "lab/io/folder.h"
#include "lab/io/html_page.h"

/* ---- small parts ---- */

enum form { WHOLE, THREE, PERCENT, SECONDS }; /* a whole number, three digits, per cent, a time */

/* Writes a number that is not 0; else nothing. */
static const char *write_number(double x, enum form form, cgs_text text)
{
    if (x == 0.0)
        text[0] = '\0';
    else if (form == SECONDS)
        return cgs_seconds_text(x, text);
    else if (form == THREE)
        snprintf(text, sizeof(cgs_text), "%.3g", x);
    else
        snprintf(text, sizeof(cgs_text), "%.0f%s", x, form == PERCENT ? " %" : "");
    return text;
}

static void add_number(json_t *row, double x, enum form form)
{
    cgs_html_cell(row, "", write_number(x, form, (cgs_text){0}));
}

static void add_figures(json_t *section, const struct cgs_collection *c)
{
    static const char *const captions[] = {
        "Two operations an entry, by the median time of a product.",
        "Bars: the geometric mean over all matrices that both kernels took. Lines: the least and "
        "the most.",
        "Share of the matrices on which a kernel takes at most a given multiple of the fastest "
        "kernel's time (Dolan and More, 2002). A kernel that fails on a matrix, or does not take "
        "it, is never among the best there.",
        "Marks: the fastest kernel on each matrix. Lines: what reading gives from each cache, with "
        "arrays of half its size, and from memory. "
        "A product whose matrix "
        "is in a cache may be above the memory's line."};
    for (int i = 0; cgs_collection_drawings[i]; i++) {
        const char *name = cgs_collection_drawings[i];
        char *path = cgs_folder_join(c->folder, name, ".svg");
        if (path)
            cgs_html_figure(section, i, path, name, name, captions[i]);
        free(path);
    }
}

/* ---- tables ---- */

static void add_means(json_t *section, const struct cgs_summary *s)
{
    const char *baseline = cgs_summary_baseline(s);
    char caption[300];
    snprintf(caption, sizeof caption, "A kernel with its fastest layout on each matrix%s%s",
             baseline[0] ? "; speed-up over " : "", baseline);
    json_t *table = cgs_html_table(section, "Means by kernel", caption,
                                   "<kernel|matrices|fastest on|failed on|speed-up, geometric "
                                   "mean|least|most|within 2 \303\227 the fastest");
    json_t *body = cgs_html_add(table, "bodies");
    for (int k = 0; k < s->times.kernels; k++) {
        const struct cgs_summary_kernel *kernel = &s->kernels[k];
        json_t *row = cgs_html_add(body, "rows");
        cgs_html_name(row, "word", kernel->label);
        add_number(row, kernel->timed, WHOLE);
        add_number(row, kernel->fastest, WHOLE);
        add_number(row, kernel->failed, WHOLE);
        add_number(row, kernel->speedup.mean, THREE);
        add_number(row, kernel->speedup.least, THREE);
        add_number(row, kernel->speedup.most, THREE);
        add_number(row, k < s->shown.kernels ? 100.0 * cgs_times_profile(&s->shown, k, 2.0) : 0.0,
                   PERCENT);
    }
}

static void add_ceilings(json_t *section, const struct cgs_collection *c)
{
    json_t *table = cgs_html_table(section, "Bandwidth by level", "Bandwidth as measured, GB/s",
                                   "<level|arrays|read|copy|triad");
    json_t *body = cgs_html_add(table, "bodies");
    size_t index;
    json_t *level;
    json_array_foreach(c->ceilings, index, level)
    {
        json_t *row = cgs_html_add(body, "rows");
        cgs_html_name(row, "word", cgs_row_text(level, "level"));
        cgs_html_cell(row, "",
                      cgs_bytes_text((int64_t)cgs_row_number(level, "bytes"), (cgs_text){0}));
        add_number(row, cgs_row_number(level, "read_gbs"), WHOLE);
        add_number(row, cgs_row_number(level, "copy_gbs"), WHOLE);
        add_number(row, cgs_row_number(level, "triad_gbs"), WHOLE);
    }
}

static void add_row(json_t *row, const struct cgs_collection *c, const json_t *facts)
{
    static const struct {
        const char *key;
        enum form form;
    } numbers[] = {{"rows", WHOLE},
                   {"nonzeros", WHOLE},
                   {"mean_row", THREE},
                   {"median_seconds", SECONDS},
                   {"min_seconds", SECONDS},
                   {"max_seconds", SECONDS},
                   {"gbs", THREE},
                   {"gflops", THREE},
                   {"attainable_percent", PERCENT},
                   {"default_ratio", THREE}};
    const char *state = cgs_row_text(facts, "state"), *reason = cgs_row_text(facts, "reason");
    const bool failed = strcmp(state, "failed") == 0 || strcmp(state, "refused") == 0;
    char kernel[128], sorted[32];
    cgs_summary_label(c, facts, kernel, sizeof kernel);
    cgs_html_cell(row, "word", cgs_row_text(facts, "group"));
    cgs_html_name(row, "word", cgs_row_text(facts, "name"));
    cgs_html_cell(row, "word", kernel);
    cgs_html_cell(row, "word", cgs_row_text(facts, "layout"));
    cgs_html_cell(row, failed ? "word bad" : "word", state);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const double value = cgs_row_number(facts, numbers[i].key);
        const char *text = write_number(value, numbers[i].form, (cgs_text){0});
        snprintf(sorted, sizeof sorted, "%.9g",
                 value); /* the number by which its column is sorted */
        cgs_put_text(cgs_html_cell(row, "", text), "value", sorted);
    }
    cgs_html_cell(row, "word bad", cgs_row_disturbed(facts) ? "yes" : "");
    cgs_html_cell(row, reason[0] ? "word words" : "word", reason);
}

static void add_rows(json_t *section, const struct cgs_collection *c)
{
    json_t *table =
        cgs_html_table(section, "All matrices and kernels", NULL,
                       "<group|<matrix|<kernel|<layout|<ended|rows|entries|a row|median|"
                       "least|most|GB/s|GFLOP/s|of attainable|times default|<disturbed|<why");
    json_t *body = cgs_html_add(table, "bodies"), *row;
    size_t index;
    json_array_foreach(c->rows, index, row) add_row(cgs_html_add(body, "rows"), c, row);
}

/* ---- the page ---- */

static void say_run(json_t *section, const struct cgs_collection *c)
{
    char machine[400], program[200];
    snprintf(machine, sizeof machine, "%s%s%s, %d thread%s",
             c->machine.device == CGS_CPU ? "" : c->device,
             c->machine.device == CGS_CPU ? "" : "; host ", c->host, c->context->threads,
             c->context->threads == 1 ? "" : "s");
    snprintf(program, sizeof program, "cgsolve %s, commit %s", cgs_version(), cgs_commit());
    cgs_html_command(section, c->call->argc, c->call->argv);
    cgs_html_pair(section, "run", "machine", machine);
    cgs_html_pair(section, "run", "date", c->date);
    cgs_html_pair(section, "run", "program", program);
    cgs_html_pair(section, "run", "built by", cgs_compiler());
}

enum cgs_status cgs_collection_page(struct cgs_collection *c, const struct cgs_summary *s)
{
    char counts[256], title[300], disturbed[200], single[300];
    snprintf(counts, sizeof counts, "%d matrices, %d refused, %zu lines, %d failed",
             s->times.matrices, s->refused, json_array_size(c->rows), s->failed);
    snprintf(title, sizeof title, "cgsolve spmv, %s", counts);
    json_t *page = cgs_html_page(title, "Products of sparse matrices and vectors", counts);
    cgs_put_yes(page, "script", true);
    cgs_put_text(page, "remark", c->remark);
    cgs_collection_say_disturbed(c, disturbed, sizeof disturbed);
    if (disturbed[0]) {
        json_t *item = json_object();
        json_array_append_new(cgs_html_list(page, "summary"), item);
        cgs_put_text(item, "class", "bad");
        cgs_put_text(item, "strong", "DISTURBED: ");
        cgs_put_text(item, "after", disturbed);
    }
    cgs_summary_say_single(s, single, sizeof single);
    if (single[0]) {
        json_t *item = json_object();
        json_array_append_new(cgs_html_list(page, "summary"), item);
        cgs_put_text(item, "after", single);
    }
    add_means(cgs_html_section(page, "By kernel"), s);
    json_t *figures = cgs_html_section(page, "Figures");
    add_figures(figures, c);
    add_ceilings(figures, c);
    add_rows(cgs_html_section(page, "All matrices and kernels"), c);
    say_run(cgs_html_section(page, "What was run"), c);
    char *path = cgs_folder_join(c->folder, "report.html", "");
    if (!path) {
        json_decref(page);
        return cgs_fail(c->context, CGS_MEMORY, "no memory for the names of files");
    }
    const enum cgs_status status = cgs_html_write(c->context, "the report", path, page);
    free(path);
    return status;
}
