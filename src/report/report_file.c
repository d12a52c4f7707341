/* A matrix from a file in reports: as text, and, for one in the memory of
 * the library's caller, too, as the object `problem` of JSON. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/plain.h"
#include "src/io/format.h"
#include "src/report/report_json.h"
#include "src/report/sections.h"

static const char *const fields[] = {
    [CGS_MARKET_REAL] = "real", [CGS_MARKET_INTEGER] = "integer", [CGS_MARKET_PATTERN] = "pattern"};
static const char *const symmetries[] = {[CGS_MARKET_GENERAL] = "general",
                                         [CGS_MARKET_SYMMETRIC] = "symmetric",
                                         [CGS_MARKET_SKEW] = "skew-symmetric"};

json_t *cgs_json_file(const struct cgs_report *report)
{
    const struct cgs_options *options = report->options;
    const struct cgs_market *m = &report->market;
    json_t *o = json_object();
    cgs_put_text(o, "name", options->matrix ? cgs_report_base_name(options->matrix) : "memory");
    cgs_put_text(o, "file", options->matrix);
    cgs_put_text(o, "rhs", options->handed && options->handed->rhs ? "given" : options->rhs);
    if (report->has_matrix && !report->has_market)
        cgs_put_integer(o, "unknowns", report->matrix.rows);
    if (!report->has_market)
        return o;
    cgs_put_text(o, "member", m->member);
    cgs_put_integer(o, "unknowns", m->rows);
    cgs_put_text(o, "arrangement", m->array ? "array" : "coordinate");
    cgs_put_text(o, "field", fields[m->field]);
    cgs_put_text(o, "symmetry", symmetries[m->symmetry]);
    cgs_put_integer(o, "entries_in_file", m->stored);
    cgs_put_integer(o, "duplicates", m->duplicates);
    cgs_put_integer(o, "explicit_zeros", m->zeros);
    cgs_put_integer(o, "bytes_read", m->bytes);
    cgs_put_real(o, "reading_seconds", m->seconds);
    cgs_put_some(o, "reading_mbs", cgs_report_reading_mbs(report));
    return o;
}

json_t *cgs_json_row_lengths(const struct cgs_row_statistics *s)
{
    json_t *o = json_object();
    cgs_put_integer(o, "shortest", s->shortest);
    cgs_put_real(o, "mean", s->mean);
    cgs_put_integer(o, "longest", s->longest);
    cgs_put_real(o, "deviation", s->deviation);
    cgs_put_integer(o, "empty", s->empty);
    return o;
}

/* Writes where b comes from. */
static void write_rhs(const struct cgs_page *page, const struct cgs_options *options)
{
    cgs_page_more(page);
    if (cgs_rhs_file(options))
        fprintf(page->file, "b from '%s'\n", cgs_plain(options->rhs, (cgs_name){0}));
    else if (strcmp(options->rhs, "ones") == 0)
        fprintf(page->file, "b = 1\n");
    else
        fprintf(page->file, "b = A u with a random u, so that the error is known\n");
}

void cgs_page_file(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_market *m = &report->market;
    cgs_text rows, stored, seconds;
    cgs_page_section(page, "Problem");
    fprintf(page->file, "A x = b, A from '%s'%s%s\n",
            cgs_plain(report->options->matrix, (cgs_name){0}), m->member[0] ? ", member " : "",
            cgs_plain(m->member, (cgs_name){0}));
    cgs_page_more(page);
    fprintf(page->file, "%s unknown%s; %s %s, %s, %s%s\n", cgs_count_text(m->rows, rows),
            m->rows == 1 ? "" : "s", cgs_short_count_text(m->stored, stored),
            m->array ? "values of an array" : "entries in the file", fields[m->field],
            symmetries[m->symmetry], m->symmetry == CGS_MARKET_GENERAL ? "" : " (one triangle)");
    if (m->seconds > 0.0) {
        cgs_page_more(page);
        fprintf(page->file, "read in %s, %.0f MB/s\n", cgs_seconds_text(m->seconds, seconds),
                cgs_report_reading_mbs(report));
    }
    write_rhs(page, report->options);
}

void cgs_page_row_lengths(const struct cgs_page *page, const struct cgs_row_statistics *s)
{
    cgs_text empty;
    cgs_page_more(page);
    fprintf(page->file,
            "entries in a row: %" PRId32 " ... %" PRId32 ", %.1f on average (deviation "
            "%.1f)",
            s->shortest, s->longest, s->mean, s->deviation);
    if (s->empty > 0)
        fprintf(page->file, ", %s row%s without any", cgs_count_text(s->empty, empty),
                s->empty == 1 ? "" : "s");
    fputc('\n', page->file);
}
