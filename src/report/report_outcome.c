/* The end of a solve in words: lines of the section Solver. A rounding floor is said loudly, for
 * the tolerance was not met. */
#include "src/report/report_outcome.h"

#include <float.h>

#include "core/facts/cost.h"
#include "core/facts/parts.h"
#include "core/io/format.h"
#include "solver/cg/cg_result.h"

/* The bill of --profile: a line for each step of the iteration, then what is left over. What is
 * left over is the solve's time less the lines, so that all add up to it. */

enum { NAME = 18, COLUMNS = 6 };

static const struct cgs_page_column columns[COLUMNS] = {
    {"bytes a call", 11, 3}, {"calls", 7, 4},
    {"seconds", 10, 0},      {"%", 6, 0},
    {"GB/s", 8, 1},          {" of attainable GB/s", -22, 2},
};

/* Writes a line; NULL: the heads. */
static void write_line(const struct cgs_page *page, const char *name,
                       const char *const cells[COLUMNS])
{
    const int rank = cgs_page_ranks(columns, COLUMNS, CGS_PAGE_COLUMN + NAME);
    fprintf(page->file, "%-*s", NAME, name);
    cgs_page_cells(page->file, columns, COLUMNS, rank, cells);
}

/* Returns the value of seconds.solve. */
static double solve_seconds(const struct cgs_report *report)
{
    return report->context->watch.seconds[CGS_PHASE_SOLVE];
}

/* A line of `seconds`, whose other cells may be "". */
static void write_seconds(const struct cgs_page *page, const struct cgs_report *report,
                          const char *name, double seconds, const char *bytes, int64_t calls,
                          const char *rate, const char *share)
{
    const double all = solve_seconds(report);
    cgs_text times = "", taken, percent;
    if (calls > 0)
        snprintf(times, sizeof times, "%lld", (long long)calls);
    snprintf(taken, sizeof taken, "%.6f", seconds);
    snprintf(percent, sizeof percent, "%.1f", all > 0.0 ? 100.0 * seconds / all : 0.0);
    cgs_page_more(page);
    write_line(page, name, (const char *[]){bytes, times, taken, percent, rate, share});
}

static void write_step(const struct cgs_page *page, const struct cgs_report *report,
                       const struct cgs_profile_line *line)
{
    const struct cgs_step_figures f = cgs_step_figures(report, line);
    cgs_text bytes = "", rate = "", share = "", percent, attainable;
    if (line->bytes > 0.0)
        cgs_bytes_text((int64_t)line->bytes, bytes);
    if (f.gbs > 0.0)
        cgs_number_text(f.gbs, rate);
    if (f.roofline > 0.0)
        snprintf(share, sizeof share, " %5s of %s %s",
                 cgs_percent_text(f.gbs, f.attainable, percent), f.kind,
                 cgs_number_text(f.attainable, attainable));
    write_seconds(page, report, line->step.name, line->seconds, bytes, line->calls, rate, share);
}

static void write_left_over(const struct cgs_page *page, const struct cgs_report *report,
                            const char *what, int64_t calls, double seconds)
{
    write_seconds(page, report, what, seconds, "", calls, "", "");
}

/* Says how the launch mode affects what was measured. */
static const char *remark(const struct cgs_report *report)
{
    const struct cgs_settings *o = report->settings;
    if (o->launch != CGS_LAUNCH_PLAIN)
        return "iterations went to the device as one: --launch=plain shows their steps";
    if (report->machine.device == CGS_CUDA)
        return "launched plainly, a mark after each step, so steps cannot overlap and a late "
               "launch "
               "counts to its step: the speed without --profile, and by --launch=graph, is better";
    return report->ranks.timed
               ? "of rank 0; rest: time not assigned to a step, including the host's convergence "
                 "checks"
               : "rest: time not assigned to a step, including the host's convergence checks";
}

void cgs_page_profile(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_profile *profile = &report->profile;
    cgs_page_section(page, "Profile");
    write_line(page, "step", NULL);
    for (int i = 0; i < profile->count; i++)
        write_step(page, report, &profile->lines[i]);
    if (profile->past_iterations > 0)
        write_left_over(page, report, "past the end", profile->past_iterations,
                        profile->past_seconds);
    if (report->has_start)
        write_left_over(page, report, "start", 0, report->start.seconds);
    write_left_over(page, report, "rest", 0, cgs_report_rest_seconds(report));
    write_left_over(page, report, "solve", 0, solve_seconds(report));
    cgs_page_more(page);
    cgs_page_wrap(page->file, remark(report), CGS_PAGE_COLUMN);
}

/* Returns the remedy for a rounding floor: double precision has one as well, but a lower one. */
static const char *floor_remedy(const struct cgs_report *report)
{
    const double lower = DBL_EPSILON / FLT_EPSILON;
    if (report->settings->precision != CGS_PRECISION_F32)
        return "a larger --tol asks for no more";
    if (report->settings->tol > report->result.floor * lower)
        return "--precision=double reaches it";
    return "no precision here reaches it: raise --tol";
}

static void write_loud(const struct cgs_page *page, const char *word)
{
    cgs_page_loud(page);
    fputs(word, page->file);
    cgs_page_calm(page);
}

void cgs_page_outcome(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_cg_result *r = &report->result;
    const double tol = report->settings->tol;
    const char *s = r->iterations == 1 ? "" : "s";
    const long long k = (long long)r->iterations;
    cgs_page_more(page);
    if (r->outcome == CGS_OUTCOME_CONVERGED) {
        write_loud(page, "converged");
        fprintf(page->file,
                " after %lld iteration%s: relative residual %.2e (true: "
                "%.2e), tolerance %.0e\n",
                k, s, r->relative_residual, r->true_relative_residual, tol);
        if (report->settings->stop == CGS_STOP_DISCRETIZATION)
            fprintf(page->file,
                    "%*s--tol came before the discretisation error, %.1e (energy norm)\n",
                    CGS_PAGE_COLUMN, "", report->discretization_error);
    } else if (r->outcome == CGS_OUTCOME_DISCRETIZATION) {
        write_loud(page, "stopped at the discretisation error");
        fprintf(page->file,
                " after %lld iteration%s: algebraic error "
                "about %.1e,\n%*sdiscretisation error %.1e (energy norm); relative residual %.2e "
                "(true: %.2e),\n%*stolerance %.0e; the gradient gains little from more "
                "iterations, the L2 error may gain a lot\n",
                k, s, cgs_report_energy_error(report), CGS_PAGE_COLUMN, "",
                report->discretization_error, r->relative_residual, r->true_relative_residual,
                CGS_PAGE_COLUMN, "", tol);
    } else if (r->outcome == CGS_OUTCOME_ROUNDING_FLOOR) {
        const bool single = report->settings->precision == CGS_PRECISION_F32;
        write_loud(page, "ROUNDING FLOOR");
        fprintf(page->file,
                " after %lld iteration%s: true relative residual %.2e;\n"
                "%*sthe tolerance %.0e was NOT reached, ",
                k, s, r->true_relative_residual, CGS_PAGE_COLUMN, "", tol);
        fprintf(
            page->file,
            "and cannot be: in %s precision rounding\n%*sstops it somewhere below %.1e here; %s\n",
            single ? "single" : "double", CGS_PAGE_COLUMN, "", r->floor, floor_remedy(report));
    } else if (r->outcome == CGS_OUTCOME_NOT_ITERATED) {
        write_loud(page, "no iteration");
        fprintf(page->file, ", as asked: the start is the solution\n");
    } else if (r->outcome == CGS_OUTCOME_PRECISION) {
        const bool single = report->settings->precision == CGS_PRECISION_F32;
        write_loud(page, "NOT CONVERGED");
        fprintf(page->file,
                " (%s) after %lld iteration%s: true relative residual %.2e;\n"
                "%*s%s precision cannot solve this: rounding alone may leave %.1e\n",
                cgs_outcome_name(r->outcome), k, s, r->true_relative_residual, CGS_PAGE_COLUMN, "",
                single ? "single" : "double", r->floor);
    } else {
        write_loud(page, "NOT CONVERGED");
        fprintf(page->file,
                " (%s) after %lld iteration%s:\n%*srelative "
                "residual %.2e (true: %.2e), tolerance %.0e\n",
                cgs_outcome_name(r->outcome), k, s, CGS_PAGE_COLUMN, "", r->relative_residual,
                r->true_relative_residual, tol);
    }
}

void cgs_page_parting(const struct cgs_page *page, const struct cgs_cg_result *r)
{
    cgs_page_more(page);
    fprintf(page->file,
            "restarted after iteration %lld: the recursion said %.1e, the true residual\n"
            "%*swas %.1e: rounding, or a wrong bit in memory\n",
            (long long)r->gap_iteration, r->gap_recursive, CGS_PAGE_COLUMN, "", r->gap_true);
}

/* ---- the cost of a solution (core/facts/cost.h) ---- */

void cgs_page_solution(const struct cgs_page *page, const struct cgs_report *report)
{
    const double solution = cgs_report_to_solution(report);
    const double gdofs = cgs_report_operator_gdofs(report);
    const double merit = cgs_report_merit(report);
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
    if (merit > 0.0) {
        cgs_page_more(page);
        fprintf(page->file, "figure of merit of AMG2023: %.3e entries a second\n", merit);
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
