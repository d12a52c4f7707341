/* The cost of a solution (core/facts/cost.h) in the text report. */
#include "core/facts/cost.h"
#include "core/io/format.h"
#include "src/report/sections_internal.h"

void cgs_page_solution(const struct cgs_page *page, const struct cgs_report *report)
{
    const double solution = cgs_report_to_solution(report);
    const double gdofs = cgs_report_operator_gdofs(report);
    const bool made = report->preconditioning.seconds > 0.0;
    cgs_text rate, setup, solve;
    if (solution > 0.0) {
        cgs_page_more(page);
        fprintf(page->file, "to solution: %s unknowns a second (unknowns / (",
                cgs_short_count_text((int64_t)solution, rate));
        if (made)
            fprintf(page->file, "preconditioner's set-up %s + ",
                    cgs_seconds_text(report->preconditioning.seconds, setup));
        fprintf(page->file, "solve %s))\n", cgs_seconds_text(report->result.seconds, solve));
    }
    if (gdofs > 0.0) {
        cgs_page_more(page);
        fprintf(page->file, "operator: %.3g GDoF/s (1e9 unknowns a second of one product A x)\n",
                gdofs);
    }
}

void cgs_page_solves(const struct cgs_page *page, const struct cgs_report *report)
{
    cgs_text median, least, most, once, spread;
    cgs_page_section(page, "Solves");
    fprintf(page->file,
            "%lld from the same start: median %s (%s ... %s); made once in %s: matrix,\n"
            "%*spreconditioner, CG's vectors; spread over these solves: %s each\n",
            (long long)report->solves.count, cgs_seconds_text(report->solves.median, median),
            cgs_seconds_text(report->solves.least, least),
            cgs_seconds_text(report->solves.most, most),
            cgs_seconds_text(report->once_seconds, once), CGS_PAGE_COLUMN, "",
            cgs_seconds_text(cgs_report_amortized(report), spread));
}

void cgs_page_mesh_accuracy(const struct cgs_page *page, const struct cgs_report *report)
{
    const int64_t reached = cgs_report_mesh_iterations(report);
    cgs_text seconds;
    if (reached < 0)
        return;
    cgs_page_more(page);
    fprintf(page->file,
            "the algebraic error was below that of the mesh (%.2e, energy norm) after %lld "
            "iteration%s, %s\n",
            cgs_report_mesh_error(report), (long long)reached, reached == 1 ? "" : "s",
            cgs_seconds_text(cgs_report_mesh_seconds(report, reached), seconds));
}
