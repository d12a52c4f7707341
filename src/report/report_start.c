/* The start vector of --guess=fmg in reports: in the section Solver, and as the object `start`. */
#include "src/io/format.h"
#include "src/report/report_json.h"
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

json_t *cgs_json_start(const struct cgs_report *report)
{
    const struct cgs_start *start = &report->start;
    json_t *o = json_object();
    cgs_put_text(o, "guess", cgs_option_choice(report->options, CGS_OPTION_guess));
    cgs_put_integer(o, "cycles", start->cycles);
    cgs_put_real(o, "setup_seconds", start->setup_seconds);
    cgs_put_real(o, "seconds", start->seconds);
    cgs_put_real(o, "relative_residual", report->result.history[0]);
    if (start->has_errors)
        cgs_put_errors(o, &start->errors, &report->mesh);
    return o;
}
