/* Algebraic multigrid in reports. */
#include "core/facts/report_json.h"
#include "core/io/format.h"
#include "matrix/names.h"
#include "src/report/sections_internal.h"

/* Reasons why the coarsest grid is smoothed only. */
static const char *const ends[] = {
    [CGS_AMG_SMALL] = "smoothed only: not positive definite to rounding",
    [CGS_AMG_STALLED] = "smoothed only: hardly any strong connections are left",
    [CGS_AMG_GROWN] = "smoothed only: a coarser grid would have far more entries",
    [CGS_AMG_DEEP] = "smoothed only: there are no more grids than this",
};

enum { LEVEL = 5, COLUMNS = 6 };

static const struct cgs_page_column columns[COLUMNS] = {
    {"unknowns", 13, 0}, {"mean row", 9, 3},      {"matrix", 11, 4},
    {"takes", 11, 2},    {"  aggregates", 12, 5}, {"  eigenvalues up to", -19, 1},
};

/* Writes a line of the table of grids; `cells` NULL: the heads. */
static void write_line(const struct cgs_page *page, const char *level, const char *const *cells)
{
    const int rank = cgs_page_ranks(columns, COLUMNS, CGS_PAGE_COLUMN + LEVEL);
    cgs_page_more(page);
    fprintf(page->file, "%-*s", LEVEL, level);
    cgs_page_cells(page->file, columns, COLUMNS, rank, cells);
}

static void write_level(const struct cgs_page *page, const struct cgs_precond_facts *p, int l)
{
    const struct cgs_grid_facts *grid = &p->grid[l];
    cgs_text level, unknowns, row, matrix, bytes, aggregates = "", high = "";
    snprintf(level, sizeof level, "%d", l);
    snprintf(row, sizeof row, "%.1f", (double)grid->nonzeros / (double)grid->unknowns);
    if (l < p->count - 1) {
        snprintf(aggregates, sizeof aggregates, "%.1f", cgs_aggregate_size(p, l));
        snprintf(high, sizeof high, "  %.3f", grid->high);
    }
    write_line(page, level,
               (const char *[]){cgs_count_text(grid->unknowns, unknowns), row,
                                cgs_bytes_text(grid->matrix_bytes, matrix),
                                cgs_bytes_text(grid->bytes, bytes), aggregates, high});
}

static void write_parts(const struct cgs_page *page, const struct cgs_precond_facts *p)
{
    cgs_text seconds;
    char line[256];
    int used = snprintf(line, sizeof line, "set-up:");
    for (int part = 0; part < CGS_AMG_PARTS; part++)
        used += snprintf(line + used, sizeof line - (size_t)used, "%s %s %s", part > 0 ? "," : "",
                         cgs_amg_part_name((enum cgs_amg_part)part),
                         cgs_seconds_text(p->part_seconds[part], seconds));
    cgs_page_more(page);
    cgs_page_wrap(page->file, line, CGS_PAGE_COLUMN);
}

void cgs_page_amg(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_precond_facts *p = &report->preconditioning;
    cgs_text seconds, bytes;
    cgs_page_section(page, "Multigrid");
    fprintf(page->file,
            "algebraic, cycles in %s, smoother of degree %lld (Chebyshev, 4th kind), strength %g, "
            "set up in %s\n",
            cgs_number_name(p->number), (long long)report->settings->degree, p->theta,
            cgs_seconds_text(p->seconds, seconds));
    write_line(page, "grid", NULL);
    for (int l = 0; l < p->count; l++)
        write_level(page, p, l);
    cgs_page_more(page);
    fprintf(page->file, "the coarsest grid is %s\n",
            p->inverted ? "solved exactly, by its inverse" : ends[p->end]);
    cgs_page_shared(page, p);
    cgs_page_more(page);
    fprintf(page->file, "all grids / finest: %.3f in unknowns, %.3f in entries; a cycle moves %s\n",
            cgs_grid_complexity(p), cgs_operator_complexity(p),
            cgs_bytes_text(p->cycle_bytes, bytes));
    write_parts(page, p);
}
