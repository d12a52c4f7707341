#include "src/compare/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"
#include "src/io/format.h"
#include "src/io/json.h"
#include "src/lab/times.h"
#include "src/tune/kernel_row.h"

/* ---- rows of a report ---- */

struct time {
    char matrix[300], kernel[200];
    double median, least, most;
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
    const char *file = word(matrix, "file"), *slash = strrchr(file, '/');
    if (*file)
        snprintf(text, size, "%.250s", slash ? slash + 1 : file);
    else if (*word(matrix, "random"))
        snprintf(text, size, "random %.250s", word(matrix, "random"));
    else
        snprintf(text, size, "N = %lld",
                 (long long)json_integer_value(json_object_get(matrix, "N")));
}

static bool read_collected(json_t *row, struct time *time)
{
    const bool one = json_is_true(json_object_get(row, "beside")) &&
                     json_integer_value(json_object_get(row, "threads")) == 1;
    snprintf(time->matrix, sizeof time->matrix, "%.120s/%.120s", word(row, "group"),
             word(row, "name"));
    snprintf(time->kernel, sizeof time->kernel, "%.100s %.40s%s", word(row, "kernel"),
             word(row, "layout"), one ? ", 1 thread" : "");
    time->median = json_number_value(json_object_get(row, "median_seconds"));
    time->least = json_number_value(json_object_get(row, "min_seconds"));
    time->most = json_number_value(json_object_get(row, "max_seconds"));
    return time->median > 0.0 && strcmp(word(row, "state"), "failed") != 0;
}

/* Reads a row; false: it has no time. */
static bool read_time(json_t *report, json_t *row, struct time *time)
{
    struct cgs_kernel_point point;
    if (cgs_table_many(report))
        return read_collected(row, time);
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
    json_object_set(places, key, line);
    json_array_append_new(table, line);
    return line;
}

/* Several reports may be of one matrix each: a report without a line's matrix has no time there. Of two rows alike
 * the quicker one counts. */
static void add_report(json_t *table, json_t *places, json_t *report, int at, int reports)
{
    size_t index;
    json_t *row;
    json_array_foreach(rows_of(report), index, row)
    {
        struct time time;
        if (!read_time(report, row, &time))
            continue;
        json_t *cells = json_object_get(find_line(table, places, &time, reports), "reports");
        const json_t *old = json_array_get(cells, (size_t)at);
        if (json_is_object(old) &&
            json_number_value(json_object_get(old, "median_seconds")) <= time.median)
            continue;
        json_array_set_new(cells, (size_t)at,
                           json_pack("{sf sf sf}", "median_seconds", time.median, "min_seconds",
                                     time.least, "max_seconds", time.most));
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

/* ---- geometric means ---- */

/* Of the lines of a kernel; NULL: of all. */
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
    json_t *table = json_array(), *places = json_object(), *means = json_array(), *line;
    double *ratios = NULL;
    size_t index;
    for (int i = 0; i < count; i++)
        add_report(table, places, reports[i], i, count);
    json_decref(places);
    add_ratios(table, count);
    const enum cgs_status status = cgs_alloc(context, (int64_t)json_array_size(table) + 1,
                                             sizeof *ratios, "the table", (void **)&ratios);
    if (status == CGS_OK) {
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
    return status;
}

/* ---- text ---- */

enum { WHAT = 44 };

static void write_what(const struct cgs_page *page, const char *matrix, const char *kernel)
{
    char text[600];
    snprintf(text, sizeof text, "%s%s%s", matrix, *matrix && *kernel ? ", " : "", kernel);
    cgs_make_plain(text);
    fprintf(page->file, "%-*s", WHAT, text);
}

/* "A 14.4 us (14.1 ... 15.9)  B 15.0 us (14.8 ... 16.0) 1.04" */
static void write_cells(const struct cgs_page *page, const json_t *cells)
{
    size_t index;
    const json_t *cell;
    json_array_foreach(cells, index, cell)
    {
        const double ratio = json_number_value(json_object_get(cell, "ratio"));
        const double median = json_number_value(json_object_get(cell, "median_seconds"));
        const long long matrices = json_integer_value(json_object_get(cell, "matrices"));
        cgs_text texts[3], number;
        fprintf(page->file, "%s%c ", index > 0 ? "  " : "", (char)(index < 26 ? 'A' + index : '*'));
        if (!json_is_object(cell))
            fputs("none", page->file);
        else if (median > 0.0)
            fprintf(
                page->file, "%s (%s ... %s)", cgs_seconds_text(median, texts[0]),
                cgs_seconds_text(json_number_value(json_object_get(cell, "min_seconds")), texts[1]),
                cgs_seconds_text(json_number_value(json_object_get(cell, "max_seconds")),
                                 texts[2]));
        if (json_is_object(cell) && index > 0 && ratio > 0.0)
            fprintf(page->file, "%s%s", median > 0.0 ? " " : "", cgs_number_text(ratio, number));
        if (matrices > 0)
            fprintf(page->file, "%s%lld", index > 0 ? " of " : "of ", matrices);
    }
    fputc('\n', page->file);
}

static void write_lines(const struct cgs_page *page, const char *label, const json_t *lines,
                        const char *all)
{
    size_t index;
    const json_t *line;
    json_array_foreach(lines, index, line)
    {
        const char *kernel = word(line, "kernel");
        if (index == 0)
            cgs_page_section(page, label);
        else
            cgs_page_more(page);
        write_what(page, word(line, "matrix"), *kernel ? kernel : all);
        write_cells(page, json_object_get(line, "reports"));
    }
}

void cgs_table_text(const struct cgs_page *page, json_t *comparison)
{
    write_lines(page, "Times", json_object_get(comparison, "table"), "");
    write_lines(page, "Means", json_object_get(comparison, "geometric_means"), "all kernels");
    cgs_page_more(page);
    cgs_page_wrap(
        page->file,
        "times: median (least ... most) of a product, and how many times as long as in A; "
        "means: the geometric means of these ratios",
        CGS_PAGE_COLUMN);
}
