/* A matrix from a file in the text report. */
#include <inttypes.h>
#include <string.h>

#include "base/plain.h"
#include "core/io/format.h"
#include "matrix/market/market_header.h"
#include "src/report/report_file.h"

/* Writes where b comes from. */
static void write_rhs(const struct cgs_page *page, const struct cgs_settings *settings)
{
    cgs_page_more(page);
    if (cgs_rhs_file(settings))
        fprintf(page->file, "b from '%s'\n", cgs_plain(settings->rhs, (cgs_name){0}));
    else if (strcmp(settings->rhs, "ones") == 0)
        fprintf(page->file, "b = 1\n");
    else
        fprintf(page->file, "b = A u with a random u, so that the error is known\n");
}

void cgs_page_file(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_market *m = &report->market;
    cgs_text rows, stored, seconds, rate;
    cgs_page_section(page, "Problem");
    fprintf(page->file, "A x = b, A from '%s'%s%s\n",
            cgs_plain(report->settings->matrix, (cgs_name){0}), m->member[0] ? ", member " : "",
            cgs_plain(m->member, (cgs_name){0}));
    cgs_page_more(page);
    fprintf(page->file, "%s unknown%s; %s %s, %s, %s%s\n", cgs_count_text(m->rows, rows),
            m->rows == 1 ? "" : "s", cgs_short_count_text(m->stored, stored),
            m->array ? "values of an array" : "entries in the file", cgs_market_field_name(m),
            cgs_market_symmetry_name(m),
            m->symmetry == CGS_MARKET_GENERAL ? "" : " (one triangle)");
    if (m->seconds > 0.0) {
        cgs_page_more(page);
        fprintf(page->file, "read in %s, %s MB/s\n", cgs_seconds_text(m->seconds, seconds),
                cgs_number_text(cgs_report_reading_mbs(report), rate));
    }
    write_rhs(page, report->settings);
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
