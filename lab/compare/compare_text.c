/* The page of `cgsolve compare`:
 *
 *     Compared   spmv reports
 *                A  old.json, 2026-11-20T..., commit ...
 *                B  new.json, ...
 *     Settings   host.threads                  1 -> 2
 *     Results    solver.iterations             84 -> 85
 *     Measured   crs_row, cpu   12.3 us -> 13.8 us   1.12 times as long (1.09 ... 1.15)
 *     Pays       B from 3 solves on: ...
 *     Agree      41 figures ...
 */
#include "lab/compare/compare_text.h"

#include <string.h>

#include "base/plain.h"
#include "core/io/format.h"
#include "lab/compare/change.h"
#include "lab/compare/ranking.h"
#include "lab/compare/table.h"

enum { VALUE = 512, VALUES = 20, RATIO = 35 };

/* Width of what is compared, beside two values and a ratio. */
static int width_of_what(void)
{
    const int width = cgs_page_width() - CGS_PAGE_COLUMN - VALUES - RATIO;
    return width < 14 ? 14 : width;
}

static void write_value(json_t *value, const char *unit, int digits, char text[VALUE])
{
    cgs_text number;
    if (!value)
        snprintf(text, VALUE, "none");
    else if (json_is_null(value))
        snprintf(text, VALUE, "not finite");
    else if (json_is_string(value))
        snprintf(text, VALUE, "%s", json_string_value(value));
    else if (json_is_boolean(value))
        snprintf(text, VALUE, "%s", json_is_true(value) ? "yes" : "no");
    else if (strcmp(unit, "s") == 0)
        snprintf(text, VALUE, "%s", cgs_seconds_text(json_number_value(value), number));
    else if (strcmp(unit, "B") == 0)
        snprintf(text, VALUE, "%s", cgs_bytes_text((int64_t)json_number_value(value), number));
    else if (json_is_number(value) && *unit)
        snprintf(text, VALUE, "%s %s", cgs_number_text(json_number_value(value), number), unit);
    else if (json_is_integer(value))
        snprintf(text, VALUE, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        snprintf(text, VALUE, "%.*g", digits, json_real_value(value));
    else
        snprintf(text, VALUE, "%s", json_is_object(value) ? "{...}" : "[...]");
    cgs_make_plain(text);
}

/* The label where it is the section's first line. */
static void begin_line(const struct cgs_page *page, const char *label, size_t index)
{
    if (index == 0)
        cgs_page_section(page, label);
    else
        cgs_page_more(page);
}

static void write_what(const struct cgs_page *page, const char *label, size_t index,
                       const json_t *fact, int width)
{
    char what[VALUE];
    snprintf(what, sizeof what, "%s", json_string_value(json_object_get(fact, "what")));
    cgs_make_plain(what);
    begin_line(page, label, index);
    fprintf(page->file, "%-*s", width, what);
}

/* Writes a fact's name, and both values with what follows from them ("": nothing) behind it or,
 * where there is no room, below it. */
static void write_pair(const struct cgs_page *page, const char *label, size_t index,
                       const json_t *fact, const char *both, const char *after)
{
    const int length = (int)strlen(json_string_value(json_object_get(fact, "what")));
    const int width = length + 2 > width_of_what() ? length + 2 : width_of_what();
    char text[2 * VALUE + 256];
    snprintf(text, sizeof text, "%-*s%s%s", after[0] ? VALUES : 0, both, after[0] ? " " : "",
             after);
    if (CGS_PAGE_COLUMN + width + (int)strlen(text) <= cgs_page_width()) {
        write_what(page, label, index, fact, width);
        fprintf(page->file, "%s\n", text);
        return;
    }
    snprintf(text, sizeof text, "%s%s%s", both, after[0] ? "  " : "", after);
    write_what(page, label, index, fact, 0);
    fprintf(page->file, "\n%*s", CGS_PAGE_COLUMN + 4, "");
    cgs_page_wrap(page->file, text, CGS_PAGE_COLUMN + 4);
}

/* Old and new, in one line or, where they are long, in lines of their own. */
static void write_exact(const struct cgs_page *page, const char *label, json_t *list)
{
    size_t index;
    json_t *fact;
    json_array_foreach(list, index, fact)
    {
        json_t *va = json_object_get(fact, "a"), *vb = json_object_get(fact, "b");
        char a[VALUE], b[VALUE], both[2 * VALUE + 8];
        int digits = 6;
        do { /* as many as show the difference */
            write_value(va, "", digits, a);
            write_value(vb, "", digits, b);
        } while (strcmp(a, b) == 0 && digits++ < 17);
        if (strlen(a) + strlen(b) + 4 <=
            (size_t)(cgs_page_width() - CGS_PAGE_COLUMN - width_of_what())) {
            snprintf(both, sizeof both, "%s -> %s", a, b);
            write_pair(page, label, index, fact, both, "");
            continue;
        }
        write_what(page, label, index, fact, 0);
        fprintf(page->file, "\n%*sA  ", CGS_PAGE_COLUMN + 4, "");
        cgs_page_wrap(page->file, a, CGS_PAGE_COLUMN + 7);
        fprintf(page->file, "%*sB  ", CGS_PAGE_COLUMN + 4, "");
        cgs_page_wrap(page->file, b, CGS_PAGE_COLUMN + 7);
    }
}

static void write_measured(const struct cgs_page *page, const char *label, json_t *list)
{
    size_t index;
    json_t *fact;
    json_array_foreach(list, index, fact)
    {
        const char *unit = json_string_value(json_object_get(fact, "unit"));
        const double ratio = json_number_value(json_object_get(fact, "ratio"));
        const double least = json_number_value(json_object_get(fact, "ratio_least"));
        const double most = json_number_value(json_object_get(fact, "ratio_most"));
        const bool seconds = strcmp(unit, "s") == 0, fast = seconds && ratio < 1.0;
        char a[VALUE], b[VALUE], both[2 * VALUE + 8], after[256] = "";
        cgs_text one, low, high;
        write_value(json_object_get(fact, "a"), unit, 3, a);
        write_value(json_object_get(fact, "b"), unit, 3, b);
        snprintf(both, sizeof both, "%s -> %s", a, b);
        cgs_append(after, sizeof after, "%s", cgs_change_text(seconds, ratio, one));
        if (least > 0.0)
            cgs_append(after, sizeof after, " (%s ... %s)",
                       cgs_number_text(fast ? 1.0 / most : least, low),
                       cgs_number_text(fast ? 1.0 / least : most, high));
        write_pair(page, label, index, fact, both, after);
    }
}

/* Says why the figures above are unclear. */
static void write_unclear(const struct cgs_page *page, json_t *comparison)
{
    json_t *disturbed = json_object_get(comparison, "disturbed");
    if (json_array_size(json_object_get(comparison, "overlapping")) == 0)
        return;
    cgs_page_more(page);
    if (json_array_size(disturbed) == 0)
        fprintf(page->file, "(apart, but their spreads overlap: measure again)\n");
    else
        fprintf(page->file, "(other processes used the CPUs during %s: measure again)\n",
                json_array_size(disturbed) == 2                                     ? "both runs"
                : strcmp(json_string_value(json_array_get(disturbed, 0)), "a") == 0 ? "run A"
                                                                                    : "run B");
}

static void write_only(const struct cgs_page *page, json_t *list)
{
    size_t index;
    json_t *fact;
    json_array_foreach(list, index, fact)
    {
        const bool in_a = strcmp(json_string_value(json_object_get(fact, "in")), "a") == 0;
        write_pair(page, "In one", index, fact, in_a ? "only in A" : "only in B", "");
    }
}

static void write_reports(const struct cgs_page *page, json_t *comparison)
{
    json_t *list = json_object_get(comparison, "reports"), *report;
    size_t index;
    cgs_page_section(page, "Compared");
    fprintf(page->file, "%zu reports of 'cgsolve %s'\n", json_array_size(list),
            json_string_value(json_object_get(comparison, "of")));
    json_array_foreach(list, index, report)
    {
        char file[VALUE], date[VALUE], commit[VALUE];
        write_value(json_object_get(report, "file"), "", 6, file);
        write_value(json_object_get(report, "date"), "", 6, date);
        write_value(json_object_get(report, "commit"), "", 6, commit);
        cgs_page_more(page);
        if (index < 26)
            fprintf(page->file, "%c  ", (char)('A' + index));
        fprintf(page->file, "%s: %s, commit %s\n", file, date, commit);
    }
}

static void write_agreement(const struct cgs_page *page, json_t *comparison)
{
    const long long agreed = json_integer_value(json_object_get(comparison, "agreed"));
    size_t changed = 0;
    static const char *const lists[] = {"settings", "results", "measured", "overlapping", "only"};
    char text[512];
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        changed += json_array_size(json_object_get(comparison, lists[i]));
    cgs_page_section(page, changed == 0 ? "Unchanged" : "Agree");
    snprintf(text, sizeof text,
             "%s%lld figure%s agree%s: exactly, or within noise, which is %g %%; of figures with a "
             "spread in both, ranges (least ... most) that overlap, or %g %%",
             changed == 0 ? "all " : "", agreed, agreed == 1 ? "" : "s", agreed == 1 ? "s" : "",
             100.0 * CGS_NOISE, 100.0 * CGS_NOISE_SPREAD);
    cgs_page_wrap(page->file, text, CGS_PAGE_COLUMN);
}

void cgs_compare_text(const struct cgs_page *page, json_t *comparison)
{
    const char *figure = json_string_value(json_object_get(comparison, "figure"));
    write_reports(page, comparison);
    if (json_object_get(comparison, "agreed")) {
        write_exact(page, "Settings", json_object_get(comparison, "settings"));
        write_exact(page, "Results", json_object_get(comparison, "results"));
        write_measured(page, "Measured", json_object_get(comparison, "measured"));
        write_measured(page, "Unclear", json_object_get(comparison, "overlapping"));
        write_unclear(page, comparison);
        write_only(page, json_object_get(comparison, "only"));
        write_agreement(page, comparison);
    }
    if (json_object_get(comparison, "ranking"))
        cgs_ranking_text(page, comparison);
    else if (json_object_get(comparison, "table"))
        cgs_table_text(page, comparison);
    if (figure) {
        cgs_page_section(page, "Figure");
        fprintf(page->file, "%s\n", cgs_plain(figure, (cgs_name){0}));
    }
}
