/* Materials in reports: a section of text, and the array `materials` of JSON. */
#include <string.h>

#include "core/io/format.h"
#include "core/options/own.h"
#include "src/report/report_json.h"
#include "src/report/sections.h"

/* Returns the materials of the run; NULL: none, or their cells are not known yet. */
static const struct cgs_materials *materials_of(const struct cgs_report *report)
{
    const struct cgs_own_problem *own = report->options->own;
    return own && own->settled && own->materials.count > 0 ? &own->materials : NULL;
}

bool cgs_report_materials(const struct cgs_report *report)
{
    return materials_of(report) != NULL;
}

static json_t *material(const char *name, const struct cgs_material_facts *facts, bool source)
{
    json_t *o = json_object();
    cgs_put_text(o, "name", name);
    cgs_put_real(o, "kappa_least", facts->kappa_least);
    cgs_put_real(o, "kappa_most", facts->kappa_most);
    if (source)
        cgs_put_real(o, "source", facts->source);
    cgs_put_real(o, "volume", facts->volume);
    cgs_put_integer(o, "cells", facts->cells);
    return o;
}

json_t *cgs_json_materials(const struct cgs_report *report)
{
    const struct cgs_materials *materials = materials_of(report);
    json_t *array = json_array();
    for (int m = 0; materials && m < materials->count; m++)
        json_array_append_new(array, material(materials->list[m].name, &materials->list[m].facts,
                                              materials->source_known));
    if (materials && materials->rest.cells > 0)
        json_array_append_new(array, material("else", &materials->rest, materials->source_known));
    return array;
}

static void write_line(const struct cgs_page *page, const char *name, int width,
                       const struct cgs_material_facts *facts, bool source, double volume)
{
    char kappa[64];
    cgs_text cells, share;
    if (facts->kappa_least == facts->kappa_most)
        snprintf(kappa, sizeof kappa, "%.6g", facts->kappa_least);
    else
        snprintf(kappa, sizeof kappa, "%.4g ... %.4g", facts->kappa_least, facts->kappa_most);
    cgs_page_more(page);
    fprintf(page->file, "%-*s  %-22s", width, name, kappa);
    if (source)
        fprintf(page->file, "%-12.5g", facts->source);
    fprintf(page->file, "%-12.5g%-8s%s\n", facts->volume,
            cgs_percent_text(facts->volume, volume, share), cgs_count_text(facts->cells, cells));
}

void cgs_page_materials(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_materials *materials = materials_of(report);
    if (!materials)
        return;
    int width = (int)strlen("material");
    double volume = materials->rest.volume;
    for (int m = 0; m < materials->count; m++) {
        const int length = (int)strlen(materials->list[m].name);
        width = length > width ? length : width;
        volume += materials->list[m].facts.volume;
    }
    cgs_page_section(page, "Materials");
    fprintf(page->file, "%-*s  %-22s", width, "material", "kappa");
    if (materials->source_known)
        fprintf(page->file, "%-12s", "source");
    fprintf(page->file, "%-12s%-8s%s\n", "volume", "share", "cells");
    for (int m = 0; m < materials->count; m++)
        write_line(page, materials->list[m].name, width, &materials->list[m].facts,
                   materials->source_known, volume);
    if (materials->rest.cells > 0)
        write_line(page, "else", width, &materials->rest, materials->source_known, volume);
}
