/* Materials in the text report. */
#include <string.h>

#include "core/facts/parts.h"
#include "core/io/format.h"
#include "fem/own/materials.h"
#include "src/report/sections_internal.h"

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
    const struct cgs_materials *materials = cgs_report_materials(report);
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
