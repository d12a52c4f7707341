/* The bill of --profile: a line for each step of the iteration, then what is left over. What is
 * left over is the solve's time less the lines, so that all add up to it. */
#include "core/facts/parts.h"
#include "core/io/format.h"
#include "src/report/sections_internal.h"

enum { NAME = 18 }; /* columns */

/* Returns the value of seconds.solve. */
static double solve_seconds(const struct cgs_report *report)
{
    return report->context->watch.seconds[CGS_PHASE_SOLVE];
}

static void write_seconds(const struct cgs_page *page, double seconds, double all)
{
    fprintf(page->file, "%11.6f %6.1f", seconds, all > 0.0 ? 100.0 * seconds / all : 0.0);
}

static void write_step(const struct cgs_page *page, const struct cgs_report *report,
                       const struct cgs_profile_line *line)
{
    const struct cgs_step_figures f = cgs_step_figures(report, line);
    cgs_text bytes, rate, share;
    cgs_page_more(page);
    fprintf(page->file, "%-*s%12s %7lld", NAME, line->step.name,
            line->bytes > 0.0 ? cgs_bytes_text((int64_t)line->bytes, bytes) : "",
            (long long)line->calls);
    write_seconds(page, line->seconds, solve_seconds(report));
    if (f.gbs > 0.0)
        fprintf(page->file, "%9s", cgs_number_text(f.gbs, rate));
    if (f.roofline > 0.0)
        fprintf(page->file, "  %5s of %s %s", cgs_percent_text(f.gbs, f.attainable, share), f.kind,
                cgs_number_text(f.attainable, rate));
    fputc('\n', page->file);
}

static void write_left_over(const struct cgs_page *page, const struct cgs_report *report,
                            const char *what, int64_t calls, double seconds)
{
    cgs_page_more(page);
    if (calls > 0)
        fprintf(page->file, "%-*s%12s %7lld", NAME, what, "", (long long)calls);
    else
        fprintf(page->file, "%-*s%12s %7s", NAME, what, "", "");
    write_seconds(page, seconds, solve_seconds(report));
    fputc('\n', page->file);
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
    fprintf(page->file, "%-*s%12s %7s%11s %6s%9s  %s\n", NAME, "step", "bytes a call", "calls",
            "seconds", "%", "GB/s", "of attainable GB/s");
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
