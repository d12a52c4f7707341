/* The table of --plan: every line of the plan, host and device, and whether it fits; what would
 * fit. */
#include "src/report/report_plan.h"

#include <string.h>

#include "base/available.h"
#include "base/comm.h"
#include "base/plain.h"
#include "core/facts/parts.h"
#include "core/io/format.h"
#include "core/options/option_table.h"
#include "lab/command_line/help.h"
#include "matrix/names.h"
#include "src/report/sections.h"

/* Time of ranks by its parts: least, median and most of them; and the time of an iteration by their
 * number, as foretold. */

/* Returns true if the GPUs of the ranks have several names. */
static bool names_differ(const struct cgs_rank_facts *ranks)
{
    for (int r = 1; r < ranks->shares; r++)
        if (strcmp(ranks->share[r].name, ranks->share[0].name) != 0)
            return true;
    return false;
}

void cgs_page_rank_devices(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_rank_facts *ranks = &report->ranks;
    const bool named = names_differ(ranks);
    char words[160 * CGS_RANKS_MOST] = "";
    cgs_text rows, bytes;
    for (int r = 0; r < ranks->shares; r++) {
        const struct cgs_gpu_part *part = &ranks->share[r];
        cgs_append(words, sizeof words, "%sGPU %d%s%s%s: %s rows, %s %s", r > 0 ? "; " : "",
                   part->device, named ? " (" : "", named ? part->name : "", named ? ")" : "",
                   cgs_count_text(part->rows, rows),
                   cgs_bytes_text(part->peak > 0 ? part->peak : part->planned, bytes),
                   part->peak > 0 ? "taken" : "planned");
    }
    if (!words[0])
        return;
    cgs_page_more(page);
    cgs_page_wrap(page->file, words, CGS_PAGE_COLUMN);
}

void cgs_page_planned_devices(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_rank_facts *ranks = &report->ranks;
    cgs_text rows, planned, available;
    for (int r = 0; r < ranks->shares; r++) {
        const struct cgs_gpu_part *part = &ranks->share[r];
        char what[96];
        snprintf(what, sizeof what, "rank %d on GPU %d, %s rows", r, part->device,
                 cgs_count_text(part->rows, rows));
        cgs_page_more(page);
        fprintf(page->file, "%-40s%12s   %s %s%s\n", what, cgs_bytes_text(part->planned, planned),
                part->sharers > 1                         ? "its share is"
                : report->room.limited[CGS_DEVICE_MEMORY] ? "allowed"
                                                          : "free now",
                cgs_bytes_text(part->available, available),
                part->planned <= part->available ? "" : ": IT DOES NOT FIT");
    }
}

static void write_row(const struct cgs_page *page, const char *name,
                      const struct cgs_rank_seconds *s)
{
    cgs_page_more(page);
    fprintf(page->file, "%-20s%11.6f %11.6f %11.6f\n", name, s->least, s->median, s->most);
}

/* A line for each rank that computes on a GPU. */
static void write_gpus(const struct cgs_page *page, const struct cgs_rank_facts *ranks)
{
    cgs_page_section(page, "By GPU");
    fprintf(page->file, "%-10s", "seconds");
    for (int p = 0; p < CGS_RANK_PARTS; p++)
        fprintf(page->file, "%12s", cgs_rank_part_names[p]);
    fputc('\n', page->file);
    for (int r = 0; r < ranks->count; r++) {
        cgs_page_more(page);
        fprintf(page->file, "GPU %-6d", ranks->device[r]);
        for (int p = 0; p < CGS_RANK_PARTS; p++)
            fprintf(page->file, "%12.6f", ranks->by_rank[p][r]);
        fputc('\n', page->file);
    }
}

void cgs_page_rank_seconds(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_rank_facts *ranks = &report->ranks;
    cgs_page_section(page, "By rank");
    fprintf(page->file, "%-20s%11s %11s %11s\n", "seconds", "least", "median", "most");
    for (int i = 0; i < report->profile.count; i++)
        write_row(page, report->profile.lines[i].step.name, &ranks->steps[i]);
    for (int p = 0; p < CGS_RANK_PARTS; p++)
        write_row(page, p == CGS_RANK_WAITING ? "  waiting in these" : cgs_rank_part_names[p],
                  &ranks->parts[p]);
    cgs_page_more(page);
    fprintf(page->file, "imbalance %.3f: most compute / mean; %lld exchanges, %lld gatherings\n",
            ranks->imbalance, (long long)ranks->exchanges, (long long)ranks->gatherings);
    if (ranks->gpus > 0)
        write_gpus(page, ranks);
}

static void write_point(const struct cgs_page *page, const struct cgs_report *report,
                        const struct cgs_scaling_point *point)
{
    const double mups = cgs_scaling_mups(&report->scaling.problem, point);
    const double percent = 100.0 / point->all;
    cgs_text seconds, rate;
    cgs_page_more(page);
    fprintf(page->file, "%6lld %12s %10s %9.1f %% %7.1f %% %7.1f %%\n", (long long)point->ranks,
            cgs_seconds_text(point->all, seconds), cgs_number_text(mups, rate),
            percent * point->compute, percent * point->halo, percent * point->sums);
}

void cgs_page_scaling(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_scaling_facts *facts = &report->scaling;
    const struct cgs_scaling_machine *m = &facts->machine;
    cgs_text alone, together, message, link, gathering;
    char words[400];
    if (facts->count == 0)
        return;
    cgs_page_section(page, "Scaling");
    fprintf(page->file, "%6s %12s %10s %11s %9s %9s\n", "ranks", "iteration", "MUPS", "compute",
            "halo", "sums");
    for (int i = 0; i < facts->count; i++)
        write_point(page, report, &facts->points[i]);
    cgs_page_more(page);
    snprintf(
        words, sizeof words,
        "foretold from what %d ranks do here: %s GB/s of memory each, %s alone; a message %s, %s "
        "GB/s; a gathering %s%s. More ranks: %d on each of more such hosts, with such links",
        cgs_comm_size(report->context), cgs_number_text(1e-9 * m->together, together),
        cgs_number_text(1e-9 * m->alone, alone), cgs_seconds_text(m->message, message),
        cgs_number_text(1e-9 * m->link, link), cgs_seconds_text(facts->gathering, gathering),
        report->ranks.shares > 0 ? " (not measured: two H200 by NVLink)" : "", m->on_host);
    cgs_page_wrap(page->file, words, CGS_PAGE_COLUMN);
}

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
    if (plan->later[place] > 0) {
        cgs_page_more(page);
        fprintf(page->file, "%-40s%12s\n", "a second iteration would add",
                cgs_bytes_text(plan->later[place], text));
    }
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
