/* The start vector of --guess=fmg in the text report: lines of the section Solver. */
#include "core/io/format.h"
#include "src/report/sections.h"

void cgs_page_start(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_start *start = &report->start;
    cgs_text setup, seconds;
    cgs_page_more(page);
    fprintf(page->file, "start: full multigrid, %s (its grids: %s): relative residual %.2e",
            cgs_seconds_text(start->seconds, seconds),
            cgs_seconds_text(start->setup_seconds, setup), report->result.history[0]);
    if (start->has_errors) {
        fprintf(page->file, ",\n%*s", CGS_PAGE_COLUMN, "");
        if (start->errors.integral)
            fprintf(page->file, "L2 error %.4e, ", start->errors.l2);
        fprintf(page->file, "nodal L2 %.4e", start->errors.nodal_l2);
    }
    fputc('\n', page->file);
}
