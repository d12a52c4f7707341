/* The table of --plan: every line of the plan, host and device, and whether it fits. */
#include "src/format.h"
#include "src/page.h"

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
    cgs_page_more(page);
    fprintf(page->file, "%-40s%12s   %s\n",
            report->room.limited[place] ? "allowed by --memory-limit"
            : place == CGS_HOST         ? "free now, less 3 % for others"
                                        : "free now",
            cgs_bytes_text(room, text), total <= room ? "it fits" : "IT DOES NOT FIT");
}

void cgs_report_plan(FILE *file, const struct cgs_report *report, bool bold)
{
    const struct cgs_page page = {file, bold};
    cgs_text entries;
    struct cgs_matrix matrix;
    const struct cgs_forecast forecast = cgs_forecast_of(report->options, &report->machine);
    cgs_forecast_matrix(&forecast, &matrix);
    cgs_page_head(&page, report);
    cgs_page_problem(&page, report);
    cgs_page_section(&page, "Matrix");
    fprintf(file, "%s entries, %s precision, format %s, kernel %s on %s\n",
            cgs_short_count_text(matrix.stored, entries),
            cgs_option_choice(report->options, CGS_OPTION_precision),
            cgs_format_name(matrix.format), report->machine.entry->name,
            report->machine.backend->name);
    if (report->machine.why[0]) {
        cgs_page_more(&page);
        fprintf(file, "%s: using the CPU\n", report->machine.why);
    }
    write_place(&page, report, CGS_HOST, "Host");
    if (report->machine.backend->place == CGS_DEVICE_MEMORY)
        write_place(&page, report, CGS_DEVICE_MEMORY, "Device");
    cgs_page_section(&page, "Ran with");
    cgs_print_effective(file, report->options, CGS_PAGE_COLUMN, CGS_PAGE_WIDTH);
}
