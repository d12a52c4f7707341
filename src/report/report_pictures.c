/* Pictures in the text report. */
#include "base/plain.h"
#include "core/field/grid.h"
#include "core/io/format.h"
#include "src/report/sections_internal.h"

void cgs_page_pictures(const struct cgs_page *page, const struct cgs_report *report)
{
    cgs_text nodes, bytes;
    bool more = report->has_fields;
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
    for (int i = 0; i < report->slice_count; i++) {
        const struct cgs_slice *slice = &report->slices[i];
        const struct cgs_slice_request *r = &slice->request;
        const char axis = "xyz"[r->axis];
        if (!slice->drawn)
            continue;
        if (more)
            cgs_page_more(page);
        more = true;
        fprintf(page->file, "%s: %s at %c = %g, %.4g ... %.4g\n", cgs_plain(r->file, (cgs_name){0}),
                cgs_slice_formula(r), axis, r->position, slice->least, slice->most);
    }
}
