/* Materials, extremes of the solution, the solution at points, and pictures, in the text report. */
#include <string.h>

#include "base/plain.h"
#include "core/facts/parts.h"
#include "core/field/grid.h"
#include "core/io/format.h"
#include "fem/user_problem/materials.h"
#include "src/report/report_materials.h"

enum { KAPPA, SOURCE, VOLUME, SHARE, CELLS, COLUMNS };
enum { ALL = 5 }; /* above the ranks of columns that are shown where there is room */

static const char *kappa_text(const struct cgs_material_facts *facts, cgs_text text)
{
    if (facts->kappa_least == facts->kappa_most)
        snprintf(text, sizeof(cgs_text), "%.6g", facts->kappa_least);
    else
        snprintf(text, sizeof(cgs_text), "%.4g ... %.4g", facts->kappa_least, facts->kappa_most);
    return text;
}

/* The table: its columns, and the widest name of a material. */
struct table {
    struct cgs_page_column columns[COLUMNS];
    int name, rank;
    double volume; /* of all materials */
};

static int wider(int width, const char *text)
{
    return (int)strlen(text) > width ? (int)strlen(text) : width;
}

static void write_line(const struct cgs_page *page, const struct table *t, const char *name,
                       const struct cgs_material_facts *facts)
{
    cgs_text kappa, source, volume, share, cells;
    snprintf(source, sizeof source, "%.5g", facts->source);
    snprintf(volume, sizeof volume, "%.5g", facts->volume);
    cgs_page_more(page);
    fprintf(page->file, "%-*s ", t->name, name);
    cgs_page_cells(page->file, t->columns, COLUMNS, t->rank,
                   (const char *[]){kappa_text(facts, kappa), source, volume,
                                    cgs_percent_text(facts->volume, t->volume, share),
                                    cgs_count_text(facts->cells, cells)});
}

/* Returns the columns that the longest name takes. */
static int name_width(const struct cgs_materials *materials)
{
    int width = (int)strlen("material");
    for (int m = 0; m < materials->count; m++)
        width = wider(width, materials->list[m].name);
    return width;
}

void cgs_page_materials(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_materials *materials = cgs_report_materials(report);
    cgs_text text;
    if (!materials)
        return;
    struct table t = {{{"kappa", -1, 0},
                       {"source", -11, materials->source_known ? 2 : ALL},
                       {"volume", -11, 3},
                       {"share", -7, 1},
                       {"cells", -9, 4}},
                      name_width(materials),
                      0,
                      materials->rest.volume};
    int kappa = wider((int)strlen("kappa"), kappa_text(&materials->rest, text));
    for (int m = 0; m < materials->count; m++) {
        kappa = wider(kappa, kappa_text(&materials->list[m].facts, text));
        t.volume += materials->list[m].facts.volume;
    }
    t.columns[KAPPA].width = -kappa - 1;
    t.rank = cgs_page_ranks(t.columns, COLUMNS, CGS_PAGE_COLUMN + t.name + 1);
    t.rank = t.rank > ALL ? ALL : t.rank;
    cgs_page_section(page, "Materials");
    fprintf(page->file, "%-*s ", t.name, "material");
    cgs_page_cells(page->file, t.columns, COLUMNS, t.rank, NULL);
    for (int m = 0; m < materials->count; m++)
        write_line(page, &t, materials->list[m].name, &materials->list[m].facts);
    if (materials->rest.cells > 0)
        write_line(page, &t, "else", &materials->rest);
}

static void write_extremes(const struct cgs_page *page, const char *name, int width,
                           const struct cgs_extremes *e)
{
    cgs_page_more(page);
    fprintf(page->file, "%-*s  %-14.7g%-14.7g%.7g\n", width, name, e->least, e->most, e->mean);
}

void cgs_page_extremes(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_extremes *e = &report->extremes;
    const struct cgs_materials *materials = cgs_report_materials(report);
    const bool all = report->settings->verbose;
    const int digits = all ? 7 : 4;
    if (!report->has_extremes)
        return;
    cgs_page_section(page, "Solution");
    fprintf(page->file, "%.*g at (%.4g, %.4g, %.4g) ... %.*g at (%.4g, %.4g, %.4g)", digits,
            e->least, e->least_at[0], e->least_at[1], e->least_at[2], digits, e->most,
            e->most_at[0], e->most_at[1], e->most_at[2]);
    if (all)
        fprintf(page->file, ", mean %.*g", digits, e->mean);
    fputc('\n', page->file);
    if (!all || !materials)
        return;
    const int width = name_width(materials);
    cgs_page_more(page);
    fprintf(page->file, "%-*s  %-14s%-14s%s\n", width, "material", "least", "most", "mean");
    for (int m = 0; m < materials->count; m++)
        write_extremes(page, materials->list[m].name, width, &materials->list[m].facts.extremes);
    if (materials->rest.cells > 0)
        write_extremes(page, "else", width, &materials->rest.extremes);
}

/* The table of --line without a file. */
static void write_points(const struct cgs_page *page, const struct cgs_report *report)
{
    static const char *const heads[] = {"arc length", "u", "du/dx", "du/dy", "du/dz"};
    cgs_page_more(page);
    for (int i = 0; i < 5; i++)
        fprintf(page->file, "%13s", heads[i]);
    fputc('\n', page->file);
    for (int64_t i = 0; i < report->line_count; i++) {
        const struct cgs_probe *p = &report->probes[report->probe_count + i];
        cgs_page_more(page);
        fprintf(page->file, "%13.6g%13.6g%13.5g%13.5g%13.5g\n", cgs_report_arc(report, i), p->value,
                p->gradient[0], p->gradient[1], p->gradient[2]);
    }
}

void cgs_page_probes(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_line_request *line = &report->settings->line;
    for (int64_t i = 0; i < report->probe_count; i++) {
        const struct cgs_probe *p = &report->probes[i];
        if (i == 0)
            cgs_page_section(page, report->probe_count == 1 ? "Probe" : "Probes");
        else
            cgs_page_more(page);
        fprintf(page->file, "%.7g at (%.6g, %.6g, %.6g), gradient (%.5g, %.5g, %.5g)\n", p->value,
                p->at[0], p->at[1], p->at[2], p->gradient[0], p->gradient[1], p->gradient[2]);
    }
    if (report->line_count == 0)
        return;
    cgs_page_section(page, "Line");
    if (line->file)
        fprintf(page->file, "%s: ", cgs_plain(line->file, (cgs_name){0}));
    fprintf(page->file, "%lld points from (%.6g, %.6g, %.6g) to (%.6g, %.6g, %.6g)\n",
            (long long)line->points, line->from[0], line->from[1], line->from[2], line->to[0],
            line->to[1], line->to[2]);
    if (!line->file)
        write_points(page, report);
}

/* ---- pictures ---- */

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
