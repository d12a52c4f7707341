/* The bill of --profile: a line for each step of the iteration, then what is left over. What is
 * left over is the solve's time less the lines, so that all add up to it. */
#include "src/report/report_profile.h"
#include "core/facts/parts.h"
#include "core/io/format.h"

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
