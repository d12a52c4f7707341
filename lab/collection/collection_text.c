/* Text report of a collection: a line for each matrix and kernel, the means by kernel, and what
 * was refused or failed. */
#include "lab/collection/collection_text.h"

#include <math.h>
#include <string.h>

#include "base/plain.h"
#include "core/options/options.h"
#include "lab/collection/summary.h"
#include "lab/io/table_file.h"

/* tables.md and tables.tex: the means by kernel, and GFLOP/s by matrix and kernel. */

static void tabulate_means(struct cgs_table *t, const void *self)
{
    static const char *const heads[] = {"kernel",   "matrices", "fastest", "failed",
                                        "speed-up", "least",    "most"};
    const struct cgs_summary *s = self;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        cgs_table_words(t, heads[i]);
    cgs_table_end_row(t);
    for (int k = 0; k < s->times.kernels; k++) {
        const struct cgs_summary_kernel *kernel = &s->kernels[k];
        const bool compared = kernel->speedup.matrices > 0;
        cgs_table_cell(t, kernel->label);
        cgs_table_number(t, 'f', 0, kernel->timed, false);
        cgs_table_number(t, 'f', 0, kernel->fastest, false);
        cgs_table_number(t, 'f', 0, kernel->failed, false);
        cgs_table_number(t, 'g', 3, compared ? kernel->speedup.mean : NAN, false);
        cgs_table_number(t, 'g', 3, compared ? kernel->speedup.least : NAN, false);
        cgs_table_number(t, 'g', 3, compared ? kernel->speedup.most : NAN, false);
        cgs_table_end_row(t);
    }
}

static bool disturbed(const struct cgs_summary *s)
{
    for (int m = 0; m < s->shown.matrices; m++)
        if (cgs_row_disturbed(s->matrices[m]))
            return true;
    return false;
}

static void write_matrices(struct cgs_table *t, const void *self)
{
    const struct cgs_summary *s = self;
    const bool column = disturbed(s);
    cgs_table_words(t, "group");
    cgs_table_words(t, "matrix");
    if (column)
        cgs_table_words(t, "DISTURBED");
    cgs_table_words(t, "entries");
    for (int k = 0; k < s->shown.kernels; k++)
        cgs_table_words(t, s->kernels[k].label);
    cgs_table_end_row(t);
    for (int m = 0; m < s->shown.matrices; m++) {
        const json_t *first = s->matrices[m];
        const double best = cgs_times_best(&s->shown, m);
        cgs_table_cell(t, cgs_row_text(first, "group"));
        cgs_table_cell(t, cgs_row_text(first, "name"));
        if (column)
            cgs_table_cell(t, cgs_row_disturbed(first) ? "yes" : "");
        cgs_table_number(t, 'f', 0, cgs_row_number(first, "nonzeros"), false);
        for (int k = 0; k < s->shown.kernels; k++) {
            const json_t *row = s->rows[m * s->times.kernels + k];
            const double gflops = cgs_row_number(row, "gflops");
            cgs_table_number(t, 'g', 3, gflops > 0.0 ? gflops : NAN,
                             s->shown.seconds[m * s->shown.kernels + k] == best);
        }
        cgs_table_end_row(t);
    }
}

enum cgs_status cgs_collection_tables(struct cgs_collection *c, const struct cgs_summary *s)
{
    char caption[256];
    snprintf(caption, sizeof caption, "Speed-up over %s: geometric mean, least and most",
             cgs_summary_baseline(s));
    for (int markdown = 0; markdown <= 1; markdown++) {
        struct cgs_output output = {0};
        enum cgs_status status =
            cgs_collection_begin(c, markdown ? "tables.md" : "tables.tex", &output);
        if (status == CGS_OK) {
            fprintf(output.file, "%s%s %s, %s, %.10s%s\n", markdown ? "" : cgs_table_packages,
                    markdown ? "<!--" : "%", c->host, c->device, c->date, markdown ? " -->" : "");
            cgs_table_write(output.file, markdown, caption, tabulate_means, s);
            cgs_table_write(output.file, markdown,
                            "GFLOP/s by matrix and kernel; the fastest in bold", write_matrices, s);
            status = cgs_output_commit(c->context, &output);
        }
        cgs_output_discard(&output);
        CGS_TRY(status);
    }
    return CGS_OK;
}

enum {
    NAME = 24,
    COLUMNS = 6,
    PRODUCT_COLUMNS = COLUMNS + 2
}; /* NAME: width of a kernel among the means */

/* Texts of the first columns of a row, and their widths. */
struct words {
    char name[256], kernel[128], layout[48];
};
struct widths {
    int name, kernel, layout;
};

static struct words words_of(const struct cgs_collection *c, const json_t *row)
{
    struct words words;
    snprintf(words.name, sizeof words.name, "%.100s/%.100s", cgs_row_text(row, "group"),
             cgs_row_text(row, "name"));
    cgs_summary_label(c, row, words.kernel, sizeof words.kernel);
    snprintf(words.layout, sizeof words.layout, "%.40s", cgs_row_text(row, "layout"));
    cgs_make_plain(words.name);
    cgs_make_plain(words.kernel);
    return words;
}

static void widen(int *width, const char *text)
{
    *width = (int)strlen(text) > *width ? (int)strlen(text) : *width;
}

static struct widths widths_of(const struct cgs_collection *c)
{
    struct widths widths = {6, 6, 6};
    size_t index;
    const json_t *row;
    json_array_foreach(c->rows, index, row)
    {
        const struct words words = words_of(c, row);
        if (!(cgs_row_number(row, "median_seconds") > 0.0))
            continue;
        widen(&widths.name, words.name);
        widen(&widths.kernel, words.kernel);
        widen(&widths.layout, words.layout);
    }
    return widths;
}

static void write_products(const struct cgs_page *page, const struct cgs_collection *c)
{
    static const struct cgs_page_column columns[PRODUCT_COLUMNS] = {
        {"median", 9, 0},  {"least", 9, 4},  {"most", 9, 4},    {"GB/s", 7, 3},
        {"GFLOP/s", 8, 2}, {"of max", 6, 3}, {"default", 7, 1}, {"DISTURBED", 9, 0},
    };
    const int shown = PRODUCT_COLUMNS - (cgs_collection_disturbed(c) == 0);
    const struct widths w = widths_of(c);
    const int rank = cgs_page_ranks(columns, shown, 4 + w.name + w.kernel + w.layout);
    size_t index;
    json_t *row;
    fprintf(page->file, "\n  %-*s %-*s %-*s", w.name, "Matrix", w.kernel, "kernel", w.layout,
            "layout");
    cgs_page_cells(page->file, columns, shown, rank, NULL);
    json_array_foreach(c->rows, index, row)
    {
        const double median = cgs_row_number(row, "median_seconds");
        const struct words words = words_of(c, row);
        cgs_text texts[PRODUCT_COLUMNS];
        if (!(median > 0.0))
            continue;
        const char *const cells[PRODUCT_COLUMNS] = {
            cgs_seconds_text(median, texts[0]),
            cgs_seconds_text(cgs_row_number(row, "min_seconds"), texts[1]),
            cgs_seconds_text(cgs_row_number(row, "max_seconds"), texts[2]),
            cgs_number_text(cgs_row_number(row, "gbs"), texts[3]),
            cgs_number_text(cgs_row_number(row, "gflops"), texts[4]),
            cgs_percent_text(cgs_row_number(row, "attainable_percent"), 100.0, texts[5]),
            cgs_times_text(cgs_row_number(row, "default_ratio"), texts[6]),
            cgs_row_disturbed(row) ? "yes" : "",
        };
        fprintf(page->file, "  %-*s %-*s %-*s", w.name, words.name, w.kernel, words.kernel,
                w.layout, words.layout);
        cgs_page_cells(page->file, columns, shown, rank, cells);
    }
}

static void write_means(const struct cgs_page *page, const struct cgs_summary *s)
{
    static const struct cgs_page_column columns[COLUMNS] = {
        {"matrices", 8, 1}, {"fastest", 7, 1}, {"speed-up", 9, 0},
        {"least", 8, 2},    {"most", 8, 2},    {"within 2 x", 10, 3},
    };
    const int rank = cgs_page_ranks(columns, COLUMNS, 2 + NAME);
    char legend[640], single[300];
    fprintf(page->file, "\n  %-*s", NAME, "Kernel");
    cgs_page_cells(page->file, columns, COLUMNS, rank, NULL);
    for (int k = 0; k < s->times.kernels; k++) {
        const struct cgs_summary_kernel *kernel = &s->kernels[k];
        const bool shown = k < s->shown.kernels;
        cgs_text texts[COLUMNS];
        char name[128];
        snprintf(name, sizeof name, "%s", kernel->label);
        cgs_make_plain(name);
        const char *const cells[COLUMNS] = {
            cgs_count_text(kernel->timed, texts[0]),
            shown ? cgs_count_text(kernel->fastest, texts[1]) : "",
            cgs_times_text(kernel->speedup.mean, texts[2]),
            cgs_times_text(kernel->speedup.least, texts[3]),
            cgs_times_text(kernel->speedup.most, texts[4]),
            shown ? cgs_percent_text(cgs_times_profile(&s->shown, k, 2.0), 1.0, texts[5]) : "",
        };
        fprintf(page->file, "  %-*s", NAME, name);
        cgs_page_cells(page->file, columns, COLUMNS, rank, cells);
    }
    snprintf(
        legend, sizeof legend,
        "a kernel counts with its fastest layout on each matrix; fastest: number of matrices; "
        "speed-up: geometric mean over %s, with the least and the most of all matrices; within "
        "2 x: share of the matrices on which it takes at most twice the time of the fastest; "
        "default: times as fast as the default kernel of CRS, with the threads of a solve",
        s->baseline >= 0 ? cgs_summary_baseline(s) : "a baseline, which is missing");
    fputs("\n  ", page->file);
    cgs_page_wrap(page->file, legend, 2);
    cgs_summary_say_single(s, single, sizeof single);
    if (single[0]) {
        fputc('\n', page->file);
        cgs_page_section(page, "Note");
        cgs_page_wrap(page->file, single, CGS_PAGE_COLUMN);
    }
}

static bool alike(const json_t *a, const json_t *b)
{
    static const char *const keys[] = {"state", "kernel", "reason"};
    bool same = true;
    for (int i = 0; i < 3 && same; i++)
        same = strcmp(cgs_row_text(a, keys[i]), cgs_row_text(b, keys[i])) == 0;
    return same;
}

/* Returns how many rows are as row `at`; 0 where an earlier one is. */
static int count_alike(const json_t *rows, size_t at)
{
    const json_t *row = json_array_get(rows, at), *other;
    size_t index;
    int count = 0;
    json_array_foreach(rows, index, other)
    {
        if (!alike(row, other))
            continue;
        if (index < at)
            return 0;
        count++;
    }
    return count;
}

/* The rows in a state with their reasons; what is the same on several matrices, such as a
 * vendor's kernel that is not there, is said once. */
static void write_others(const struct cgs_page *page, const struct cgs_collection *c,
                         const char *state, const char *label)
{
    bool first = true;
    size_t index;
    json_t *row;
    json_array_foreach(c->rows, index, row)
    {
        char text[1600], others[32] = "";
        const int count =
            strcmp(cgs_row_text(row, "state"), state) == 0 ? count_alike(c->rows, index) : 0;
        if (count == 0)
            continue;
        cgs_page_item(page, label, &first);
        if (count > 1)
            snprintf(others, sizeof others, " and %d more", count - 1);
        snprintf(text, sizeof text, "%.200s/%.200s%s%s%.100s: %.900s", cgs_row_text(row, "group"),
                 cgs_row_text(row, "name"), others, cgs_row_text(row, "kernel")[0] ? ", " : "",
                 cgs_row_text(row, "kernel"), cgs_row_text(row, "reason"));
        cgs_make_plain(text);
        cgs_page_wrap(page->file, text, CGS_PAGE_COLUMN);
    }
}

void cgs_collection_text(const struct cgs_page *page, const struct cgs_collection *c,
                         const struct cgs_summary *s)
{
    char disturbed[200];
    cgs_collection_say_disturbed(c, disturbed, sizeof disturbed);
    if (disturbed[0]) {
        cgs_page_section(page, "DISTURBED");
        cgs_page_wrap(page->file, disturbed, CGS_PAGE_COLUMN);
    }
    cgs_page_section(page, "Matrices");
    fprintf(page->file, "%d found, %d done, %d of these refused; %s precision\n", c->count,
            cgs_collection_done(c), s->refused, cgs_precision_name(c->options->settings.precision));
    write_products(page, c);
    write_means(page, s);
    write_others(page, c, "refused", "Refused");
    write_others(page, c, "skipped", "Skipped");
    write_others(page, c, "failed", "FAILED");
    if (!c->folder)
        return;
    fputc('\n', page->file);
    cgs_page_section(page, "Report");
    fprintf(page->file, "%s/report.html\n", cgs_plain(c->folder, (cgs_name){0}));
    if (c->remark[0]) {
        cgs_page_more(page);
        cgs_page_wrap(page->file, c->remark, CGS_PAGE_COLUMN);
    }
}
