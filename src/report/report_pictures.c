/* Pictures in the text report. */
#include "base/plain.h"
#include "core/field/grid.h"
#include "core/io/format.h"
#include "src/report/sections_internal.h"

void cgs_page_pictures(const struct cgs_page *page, const struct cgs_report *report)
{
    cgs_text nodes, bytes;
    if (!report->has_fields && !report->has_drawn)
        return;
    cgs_page_section(page, "Pictures");
    if (report->has_fields)
        fprintf(page->file, "%s: solution%s, residual at %s nodes, %s, %s\n",
                cgs_plain(report->settings->output, (cgs_name){0}),
                report->has_errors ? ", error" : "",
                cgs_count_text(cgs_grid_nodes(&report->mesh), nodes),
                cgs_bytes_text(report->fields_bytes, bytes),
                cgs_settings_file_type(report->settings)->purpose);
    if (report->has_fields && report->has_drawn)
        cgs_page_more(page);
    if (report->has_drawn)
        fprintf(page->file, "%s: %s at %c = %g, %.4g ... %.4g\n",
                cgs_plain(report->slice.request.file, (cgs_name){0}),
                cgs_slice_formula(&report->slice.request), "xyz"[report->slice.request.axis],
                report -> slice.request.position, report->slice.least, report->slice.most);
}
