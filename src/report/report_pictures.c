/* Pictures in reports: as text, and as the array `pictures` of JSON. */
#include "base/plain.h"
#include "core/field/grid.h"
#include "core/io/format.h"
#include "src/report/report_json.h"
#include "src/report/sections.h"

static json_t *fields_of(const struct cgs_report *report)
{
    json_t *o = json_object(), *fields = json_array();
    cgs_put_text(o, "file", report->options->output);
    cgs_put_text(o, "kind", cgs_options_file_type(report->options)->endings[0] + 1);
    for (int i = 0; i < CGS_NODALS; i++)
        if (i != CGS_NODAL_ERROR || report->has_errors)
            json_array_append_new(fields, cgs_json_text(cgs_nodal_name((enum cgs_nodal)i)));
    json_object_set_new(o, "fields", fields);
    cgs_put_integer(o, "nodes", cgs_grid_nodes(&report->mesh));
    cgs_put_integer(o, "file_bytes", report->fields_bytes);
    return o;
}

static json_t *slice(const struct cgs_slice *slice)
{
    const struct cgs_slice_request *r = &slice->request;
    const char axis[2] = {"xyz"[r->axis], '\0'};
    json_t *o = json_object();
    cgs_put_text(o, "file", r->file);
    cgs_put_text(o, "kind", "slice");
    cgs_put_text(o, "axis", axis);
    cgs_put_real(o, "position", r->position);
    cgs_put_text(o, "field", cgs_nodal_name(r->field));
    cgs_put_real(o, "least", slice->least);
    cgs_put_real(o, "most", slice->most);
    return o;
}

json_t *cgs_json_pictures(const struct cgs_report *report)
{
    json_t *array = json_array();
    if (report->has_fields)
        json_array_append_new(array, fields_of(report));
    if (report->has_drawn)
        json_array_append_new(array, slice(&report->slice));
    return array;
}

void cgs_page_pictures(const struct cgs_page *page, const struct cgs_report *report)
{
    cgs_text nodes, bytes;
    if (!report->has_fields && !report->has_drawn)
        return;
    cgs_page_section(page, "Pictures");
    if (report->has_fields)
        fprintf(page->file, "%s: solution%s, residual at %s nodes, %s, %s\n",
                cgs_plain(report->options->output, (cgs_name){0}),
                report->has_errors ? ", error" : "",
                cgs_count_text(cgs_grid_nodes(&report->mesh), nodes),
                cgs_bytes_text(report->fields_bytes, bytes),
                cgs_options_file_type(report->options)->purpose);
    if (report->has_fields && report->has_drawn)
        cgs_page_more(page);
    if (report->has_drawn)
        fprintf(page->file, "%s: %s at %c = %g, %.4g ... %.4g\n",
                cgs_plain(report->slice.request.file, (cgs_name){0}),
                cgs_nodal_formula(report->slice.request.field),
                "xyz"[report->slice.request.axis], report -> slice.request.position,
                report->slice.least, report->slice.most);
}
