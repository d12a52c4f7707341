#include "lab/compare/table.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"
#include "core/io/format.h"
#include "core/io/json.h"
#include "lab/compare/kernel_row.h"
#include "lab/compare/ranking.h"
#include "lab/times.h"

/* ---- rows of a report ---- */

struct time {
    char matrix[300], kernel[200];
    double median, least, most;
    bool beside, disturbed;
};

static const char *word(const json_t *row, const char *key)
{
    const char *text = json_string_value(json_object_get(row, key));
    return text ? text : "";
}

static json_t *rows_of(json_t *report)
{
    json_t *rows = json_object_get(json_object_get(report, "collection"), "rows");
    return rows ? rows : cgs_kernel_rows(report);
}

bool cgs_table_many(json_t *report)
{
    return json_is_object(json_object_get(report, "collection"));
}

/* Names the matrix of a report of one: its file without folders, or what it was made of. */
static void name_matrix(json_t *report, char *text, size_t size)
{
    const json_t *spmv = json_object_get(json_object_get(report, "spmv"), "matrix");
    const json_t *matrix = spmv ? spmv : json_object_get(report, "matrix_a");
    const char *file = word(matrix, "file");
    if (*file)
        snprintf(text, size, "%.250s", cgs_base_name(file));
    else if (*word(matrix, "random"))
        snprintf(text, size, "random %.250s", word(matrix, "random"));
    else
        snprintf(text, size, "N = %lld",
                 (long long)json_integer_value(json_object_get(matrix, "N")));
}

/* layouts: the kernel's name says how the matrix lies in memory. */
static bool read_collected(json_t *report, json_t *row, bool layouts, struct time *time)
{
    const json_t *settings = json_object_get(json_object_get(report, "collection"), "settings");
    const char *device = word(row, "device");
    const bool other = strcmp(device, word(settings, "device")) != 0; /* a CPU's beside a GPU's */
    time->beside = json_is_true(json_object_get(row, "beside")) &&
                   !json_is_true(json_object_get(row, "reference"));
    time->disturbed = json_is_true(json_object_get(row, "disturbed"));
    const bool one = time->beside && json_integer_value(json_object_get(row, "threads")) == 1 &&
                     !json_is_true(json_object_get(row, "default_kernel"));
    snprintf(time->matrix, sizeof time->matrix, "%.120s/%.120s", word(row, "group"),
             word(row, "name"));
    snprintf(time->kernel, sizeof time->kernel, "%.40s%s%.80s%s%.40s%s", other ? device : "",
             other ? " " : "", word(row, "kernel"), layouts ? " " : "",
             layouts ? word(row, "layout") : "", one ? ", 1 thread" : "");
    time->median = json_number_value(json_object_get(row, "median_seconds"));
    time->least = json_number_value(json_object_get(row, "min_seconds"));
    time->most = json_number_value(json_object_get(row, "max_seconds"));
    return time->median > 0.0 && strcmp(word(row, "state"), "failed") != 0;
}

/* Reads a row; false: it has no time. */
static bool read_time(json_t *report, json_t *row, bool layouts, struct time *time)
{
    struct cgs_kernel_point point;
    *time = (struct time){0};
    if (cgs_table_many(report))
        return read_collected(report, row, layouts, time);
    if (!cgs_kernel_row_point(report, row, &point))
        return false;
    name_matrix(report, time->matrix, sizeof time->matrix);
    cgs_kernel_row_label(row, time->kernel, sizeof time->kernel);
    time->median = point.median;
    time->least = point.least;
    time->most = point.most;
    return time->median > 0.0;
}

/* ---- the table ---- */

/* The line of that matrix and kernel, made where it is not there. */
static json_t *find_line(json_t *table, json_t *places, const struct time *time, int reports)
{
    char key[520];
    snprintf(key, sizeof key, "%s\n%s", time->matrix, time->kernel);
    json_t *line = json_object_get(places, key);
    if (line)
        return line;
    json_t *cells = json_array();
    for (int i = 0; i < reports; i++)
        json_array_append_new(cells, json_null());
    line = json_pack("{so so so}", "matrix", cgs_json_text(time->matrix), "kernel",
                     cgs_json_text(time->kernel), "reports", cells);
    if (time->beside)
        json_object_set_new(line, "beside", json_true());
    json_object_set(places, key, line);
    json_array_append_new(table, line);
    return line;
}

/* Several reports may be of one matrix each: a report without a line's matrix has no time there.
 * Of two rows alike the quicker one counts. */
static void add_report(json_t *table, json_t *places, json_t *report, bool layouts, int at,
                       int reports)
{
    size_t index;
    json_t *row;
    json_array_foreach(rows_of(report), index, row)
    {
        struct time time;
        if (!read_time(report, row, layouts, &time))
            continue;
        json_t *cells = json_object_get(find_line(table, places, &time, reports), "reports");
        const json_t *old = json_array_get(cells, (size_t)at);
        if (json_is_object(old) &&
            json_number_value(json_object_get(old, "median_seconds")) <= time.median)
            continue;
        json_t *cell = json_pack("{sf sf sf}", "median_seconds", time.median, "min_seconds",
                                 time.least, "max_seconds", time.most);
        if (time.disturbed)
            json_object_set_new(cell, "disturbed", json_true());
        json_array_set_new(cells, (size_t)at, cell);
    }
}

static double median_of(const json_t *line, int report)
{
    const json_t *cell = json_array_get(json_object_get(line, "reports"), (size_t)report);
    return json_number_value(json_object_get(cell, "median_seconds"));
}

static void add_ratios(json_t *table, int reports)
{
    size_t index;
    json_t *line;
    json_array_foreach(table, index, line)
    {
        for (int i = 0; i < reports; i++) {
            json_t *cell = json_array_get(json_object_get(line, "reports"), (size_t)i);
            if (median_of(line, 0) > 0.0 && json_is_object(cell))
                json_object_set_new(cell, "ratio",
                                    json_real(median_of(line, i) / median_of(line, 0)));
        }
    }
}

/* Returns a line of each matrix and kernel, those of one with several layouts apart or not. */
static json_t *make_lines(json_t *const *reports, int count, bool layouts)
{
    json_t *lines = json_array(), *places = json_object();
    for (int i = 0; i < count && i < CGS_TABLE_REPORTS; i++)
        add_report(lines, places, reports[i], layouts, i, count);
    json_decref(places);
    add_ratios(lines, count);
    return lines;
}

/* ---- geometric means ---- */

/* Returns the geometric means of the lines of a kernel; NULL: of all. */
static json_t *mean_of(json_t *table, const char *kernel, int reports, double *ratios)
{
    json_t *cells = json_array(), *line;
    size_t index;
    for (int i = 0; i < reports; i++) {
        int count = 0;
        json_array_foreach(table, index, line)
        {
            const double own = median_of(line, i), first = median_of(line, 0);
            if (own > 0.0 && first > 0.0 && (!kernel || strcmp(word(line, "kernel"), kernel) == 0))
                ratios[count++] = own / first;
        }
        json_array_append_new(cells, count == 0 ? json_null()
                                                : json_pack("{si sf}", "matrices", count, "ratio",
                                                            cgs_geometric_mean(ratios, count)));
    }
    json_t *mean = json_pack("{so}", "reports", cells);
    if (kernel)
        json_object_set_new(mean, "kernel", cgs_json_text(kernel));
    return mean;
}

static bool has_kernel(const json_t *means, const char *kernel)
{
    size_t index;
    const json_t *mean;
    json_array_foreach(means, index, mean)
    {
        if (strcmp(word(mean, "kernel"), kernel) == 0)
            return true;
    }
    return false;
}

enum cgs_status cgs_table_make(struct cgs_context *context, json_t *const *reports, int count,
                               json_t *comparison)
{
    json_t *table = make_lines(reports, count, true), *means = json_array(), *line;
    double *ratios = NULL;
    size_t index;
    if (count > CGS_TABLE_REPORTS)
        cgs_fail(context, CGS_USAGE, "a table has columns for %d reports at most, %d given",
                 CGS_TABLE_REPORTS, count);
    if (context->status == CGS_OK &&
        cgs_alloc(context, (int64_t)json_array_size(table) + 1, sizeof *ratios, "the table",
                  (void **)&ratios) == CGS_OK) {
        json_array_foreach(table, index, line)
        {
            if (!has_kernel(means, word(line, "kernel")))
                json_array_append_new(means, mean_of(table, word(line, "kernel"), count, ratios));
        }
        json_array_append_new(means, mean_of(table, NULL, count, ratios));
    }
    cgs_free(context, ratios);
    json_object_set_new(comparison, "table", table);
    json_object_set_new(comparison, "geometric_means", means);
    if (context->status == CGS_OK && count == 2 && cgs_table_many(reports[0]) &&
        cgs_table_many(reports[1])) {
        json_t *kernels = make_lines(reports, count, false);
        cgs_ranking_make(context, kernels, comparison);
        json_decref(kernels);
    }
    return context->status;
}

/* ---- text ---- */

enum { PARTS = 3, LEAST_WHAT = 18, RANK_RATIO = 1, RANK_RANGE };

static void name_line(const json_t *line, char *text, size_t size)
{
    const char *matrix = word(line, "matrix"), *kernel = word(line, "kernel");
    snprintf(text, size, "%s%s%s", matrix, *matrix ? ", " : "", *kernel ? kernel : "all kernels");
    cgs_make_plain(text);
}

/* Columns of reports `first` ... `last` - 1: of each the median, its range where there is room, and
 * the ratio to the first report of all. */
struct columns {
    struct cgs_page_column items[PARTS * CGS_TABLE_REPORTS];
    char heads[CGS_TABLE_REPORTS][16];
    int count, rank;
};

static void make_columns(size_t first, size_t last, bool means, int what, struct columns *c)
{
    *c = (struct columns){0};
    for (size_t i = first; i < last; i++) {
        snprintf(c->heads[i], sizeof c->heads[i], means ? "%c / A" : "%c", (char)('A' + i));
        c->items[c->count++] = (struct cgs_page_column){c->heads[i], 9, 0};
        c->items[c->count++] = means ? (struct cgs_page_column){"matrices", 8, RANK_RANGE}
                                     : (struct cgs_page_column){"least ... most", 21, RANK_RANGE};
        if (i > 0 && !means)
            c->items[c->count++] = (struct cgs_page_column){"/ A", 7, RANK_RATIO};
    }
    c->rank = cgs_page_ranks(c->items, c->count, 2 + what);
}

/* Texts of a cell, in the order of its columns; returns their number. */
static int write_cell(const json_t *cell, bool first, bool means, cgs_text texts[PARTS])
{
    const double ratio = json_number_value(json_object_get(cell, "ratio"));
    const double median = json_number_value(json_object_get(cell, "median_seconds"));
    cgs_text least, most;
    for (int i = 0; i < PARTS; i++)
        texts[i][0] = '\0';
    if (means && json_is_object(cell)) {
        cgs_number_text(ratio, texts[0]);
        cgs_count_text(json_integer_value(json_object_get(cell, "matrices")), texts[1]);
    } else if (json_is_object(cell)) {
        cgs_seconds_text(median, texts[0]);
        snprintf(texts[1], sizeof(cgs_text), "%.20s ... %.20s",
                 cgs_seconds_text(json_number_value(json_object_get(cell, "min_seconds")), least),
                 cgs_seconds_text(json_number_value(json_object_get(cell, "max_seconds")), most));
        if (ratio > 0.0)
            cgs_number_text(ratio, texts[2]);
    }
    return means || first ? 2 : 3;
}

/* Writes the name of a line; where it is longer than its column, the cells follow on the next
 * line. */
static void write_what(const struct cgs_page *page, const char *text, int width)
{
    fprintf(page->file, "  %-*s", width, text);
    if ((int)strlen(text) > width)
        fprintf(page->file, "\n  %-*s", width, "");
}

/* Width of the names, which leaves room for medians and ratios of `reports` columns. */
static int width_of_what(const json_t *lines, size_t reports)
{
    const int room = cgs_page_width() - 2 - 18 * (int)reports + 8;
    size_t index;
    const json_t *line;
    int width = LEAST_WHAT;
    json_array_foreach(lines, index, line)
    {
        char text[600];
        name_line(line, text, sizeof text);
        width = (int)strlen(text) > width ? (int)strlen(text) : width;
    }
    return width <= room ? width : room > LEAST_WHAT ? room : LEAST_WHAT;
}

/* As many reports beside each other as the page has room for, the others below. */
static void write_lines(const struct cgs_page *page, const char *label, const json_t *lines,
                        bool means)
{
    const size_t reports = json_array_size(json_object_get(json_array_get(lines, 0), "reports"));
    const size_t room = (size_t)(cgs_page_width() - 2 - LEAST_WHAT) / 10;
    for (size_t from = 0; from < reports; from += room) {
        const size_t to = from + room < reports ? from + room : reports;
        const int what = width_of_what(lines, to - from);
        struct columns columns;
        size_t index;
        const json_t *line;
        make_columns(from, to, means, what, &columns);
        fprintf(page->file, "\n  %-*s", what, label);
        cgs_page_cells(page->file, columns.items, columns.count, columns.rank, NULL);
        json_array_foreach(lines, index, line)
        {
            cgs_text texts[PARTS * CGS_TABLE_REPORTS];
            const char *cells[PARTS * CGS_TABLE_REPORTS];
            char name[600];
            int used = 0;
            for (size_t i = from; i < to; i++)
                used += write_cell(json_array_get(json_object_get(line, "reports"), i), i == 0,
                                   means, texts + used);
            for (int i = 0; i < used; i++)
                cells[i] = texts[i][0] ? texts[i] : "-";
            name_line(line, name, sizeof name);
            write_what(page, name, what);
            cgs_page_cells(page->file, columns.items, columns.count, columns.rank, cells);
        }
    }
}

void cgs_table_text(const struct cgs_page *page, json_t *comparison)
{
    write_lines(page, "Matrix and kernel", json_object_get(comparison, "table"), false);
    write_lines(page, "Geometric means", json_object_get(comparison, "geometric_means"), true);
    fputs("\n  ", page->file);
    cgs_page_wrap(page->file,
                  "median (and range) of a product; / A: how many times as long as in A; geometric "
                  "means of these ratios over the matrices that both have",
                  2);
}
