/* Time of ranks by its parts: least, median and most of them; and the time of an iteration by their
 * number, as foretold. */
#include <string.h>

#include "base/comm.h"
#include "base/plain.h"
#include "core/facts/parts.h"
#include "core/io/format.h"
#include "src/report/report_ranks.h"

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
