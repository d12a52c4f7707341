/* The table of --plan: every line of the plan, host and device, and whether it fits; what would
 * fit. */
#include "src/report/report_plan.h"
#include "base/available.h"
#include "base/comm.h"
#include "base/plain.h"
#include "core/io/format.h"
#include "core/options/option_table.h"
#include "lab/command_line/help.h"
#include "matrix/names.h"
#include "src/report/report_ranks.h"
#include "src/report/sections.h"

/* Says which rank's plan this is, and the sum of all. */
static void write_ranks(const struct cgs_page *page, const struct cgs_report *report)
{
    cgs_text text;
    char what[64];
    if (report->planned_all == 0)
        return;
    cgs_page_more(page);
    snprintf(what, sizeof what, "of rank %d, the largest; all %d ranks", report->planned_rank,
             cgs_comm_size(report->context));
    fprintf(page->file, "%-40s%12s\n", what, cgs_bytes_text(report->planned_all, text));
}

/* One place of the plan: its lines, the total, what is free, the verdict. */
static void write_place(const struct cgs_page *page, const struct cgs_report *report,
                        enum cgs_place place, const char *name)
{
    const struct cgs_plan *plan = &report->plan;
    const int64_t total = plan->total[place], room = report->room.bytes[place];
    cgs_text text;
    cgs_page_section(page, name);
    bool first = true;
    for (int i = 0; i < plan->count; i++) {
        if (plan->lines[i].place != place)
            continue;
        if (!first)
            cgs_page_more(page);
        first = false;
        fprintf(page->file, "%-40s%12s\n", plan->lines[i].what,
                cgs_bytes_text(plan->lines[i].bytes, text));
    }
    if (!first)
        cgs_page_more(page);
    fprintf(page->file, "%-40s%12s\n", "total", cgs_bytes_text(total, text));
    if (place == CGS_HOST)
        write_ranks(page, report);
    else
        cgs_page_planned_devices(page, report);
    cgs_page_more(page);
    char limit[64] = "free now";
    const struct cgs_rank_facts *ranks = &report->ranks;
    const bool on_gpus = place == CGS_DEVICE_MEMORY && ranks->shares > 0;
    const bool shared =
        on_gpus ? ranks->share[report->planned_rank].sharers > 1 : report->planned_all > 0;
    if (report->room.limited[place])
        snprintf(limit, sizeof limit, "%s --memory-limit", shared ? "its share of" : "allowed by");
    else if (on_gpus)
        snprintf(limit, sizeof limit, "of rank %d: %s", report->planned_rank,
                 shared ? "its share of what is free" : "free now");
    else if (place == CGS_HOST && shared)
        snprintf(limit, sizeof limit, "its share of what is free, less 3 %%");
    else if (place == CGS_HOST) /* less CGS_RESERVE */
        snprintf(limit, sizeof limit, "free now (%s), less 3 %%", cgs_memory_limit());
    fprintf(page->file, "%-40s%12s   %s\n", limit, cgs_bytes_text(room, text),
            total <= room ? "it fits" : "IT DOES NOT FIT");
}

/* A file's matrix: what it would take in other ways. */
static void write_ways(const struct cgs_page *page, const struct cgs_report *report)
{
    cgs_page_section(page, "Otherwise");
    for (int i = 1; i < report->variant_count; i++) {
        const struct cgs_variant *v = &report->variants[i];
        const enum cgs_place place = report->machine.backend->place;
        cgs_text bytes;
        fprintf(page->file, "%s%s: %s", i > 1 ? ", " : "", v->options,
                v->fits ? cgs_bytes_text(v->bytes[place], bytes) : "does not fit");
    }
    fprintf(page->file, "%s\n", report->variant_count > 1 ? "" : "no other way to run");
}

/* The largest N as asked and in other ways. */
static void write_largest(const struct cgs_page *page, const struct cgs_report *report)
{
    if (report->has_market) {
        write_ways(page, report);
        return;
    }
    cgs_page_section(page, report->variants[0].by_cells ? "Largest" : "Largest N");
    for (int i = 0; i < report->variant_count; i++) {
        const struct cgs_variant *v = &report->variants[i];
        fputs(i > 0 ? ", " : "", page->file);
        if (v->by_cells && v->largest > 0)
            fprintf(page->file, "--cells=%lldx%lldx%lld", (long long)v->cells[0],
                    (long long)v->cells[1], (long long)v->cells[2]);
        else
            fprintf(page->file, "%lld", (long long)v->largest);
        fprintf(page->file, " %s%s", i > 0 ? "with " : "as asked", v->options);
    }
    fputc('\n', page->file);
}

void cgs_report_plan(const struct cgs_page *page, const struct cgs_report *report)
{
    cgs_text entries, stored;
    const struct cgs_matrix *m = &report->matrix;
    cgs_page_head(page, report->date);
    cgs_page_problem(page, report);
    cgs_page_section(page, "Matrix");
    if (cgs_format_chunked(m->format))
        fprintf(page->file, "%s-%d-%d%s, ", cgs_format_word(m->format), m->chunk, m->sigma,
                m->sigma > 1 ? " (rows sorted)" : "");
    else
        fprintf(page->file, "%s, ", m->format == CGS_NONE ? "matrix-free" : "CRS");
    fprintf(page->file, "%s, %s entries", cgs_option_choice(report->settings, CGS_OPTION_precision),
            cgs_short_count_text(m->nonzeros, entries));
    if (m->format == CGS_NONE)
        fprintf(page->file, ", none of them stored");
    else if (m->stored != m->nonzeros)
        fprintf(page->file, ", %s stored (%.1f %% padding)",
                cgs_short_count_text(m->stored, stored),
                100.0 * (double)(m->stored - m->nonzeros) / (double)m->stored);
    fprintf(page->file, ", kernel %s on %s\n",
            cgs_plain(report->machine.entry->name, (cgs_name){0}), report->machine.backend->name);
    if (report->machine.why[0]) {
        cgs_page_more(page);
        fprintf(page->file, "%s: using the CPU\n", report->machine.why);
    }
    write_place(page, report, CGS_HOST, "Host");
    if (report->machine.backend->place == CGS_DEVICE_MEMORY)
        write_place(page, report, CGS_DEVICE_MEMORY, "Device");
    write_largest(page, report);
    cgs_page_scaling(page, report);
    cgs_page_section(page, "Ran with");
    cgs_print_effective(page->file, report->settings, CGS_PAGE_COLUMN, cgs_page_width());
}
