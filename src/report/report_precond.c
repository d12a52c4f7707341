/* The preconditioner in the text report: a section of its own, with the grids of multigrid. */
#include "src/report/report_precond.h"
#include "core/facts/report_json.h"
#include "core/io/format.h"
#include "core/precond/preconditioner.h"
#include "matrix/names.h"
#include "src/report/sections.h"

/* Origins of a bound of the eigenvalues. */
static const char *const bounds[] = {[CGS_BOUND_PROVEN] = "proven",
                                     [CGS_BOUND_ESTIMATED] = "estimated",
                                     [CGS_BOUND_COARSER] = "from coarser grids"};

enum { GRID = 9, GRID_OF_ORDER = 18, GRID_COLUMNS = 4, STEP = 18, CYCLE_COLUMNS = 5 };

static const struct cgs_page_column grid_columns[GRID_COLUMNS] = {
    {"unknowns", 13, 0},
    {"matrix", 11, 3},
    {"takes", 11, 1},
    {"  eigenvalues of D^-1 A up to", -32, 2},
};

/* Those of the profile's table (report_outcome.c), which stands above it. */
static const struct cgs_page_column cycle_columns[CYCLE_COLUMNS] = {
    {"bytes a call", 11, 2}, {"", 7, 3}, {"seconds", 10, 0}, {"%", 6, 0}, {"GB/s", 8, 1},
};

/* Writes a line of a table after a label of `width` columns; `cells` NULL: the heads. */
static void write_line(const struct cgs_page *page, const char *label, int width,
                       const struct cgs_page_column *columns, int count, const char *const *cells)
{
    const int rank = cgs_page_ranks(columns, count, CGS_PAGE_COLUMN + width);
    fprintf(page->file, "%-*s", width, label);
    cgs_page_cells(page->file, columns, count, rank, cells);
}

/* Writes what all grids have and move, a line of multigrid and AMG. */
static void write_sums(const struct cgs_page *page, const struct cgs_precond_facts *p)
{
    cgs_text bytes;
    cgs_page_shared(page, p);
    cgs_page_more(page);
    fprintf(page->file, "all grids / finest: %.3f in unknowns, %.3f in entries; a cycle moves %s\n",
            cgs_grid_complexity(p), cgs_operator_complexity(p),
            cgs_bytes_text(p->cycle_bytes, bytes));
}

/* Returns the width of the first column of the grids. */
static int grid_width(const struct cgs_precond_facts *p)
{
    return p->grid[0].order > 0 ? GRID_OF_ORDER : GRID;
}

static void write_grid(const struct cgs_page *page, const struct cgs_precond_facts *p, int l)
{
    const struct cgs_grid_facts *grid = &p->grid[l];
    cgs_text side, unknowns, matrix, bytes, bound = "  solved exactly, by its inverse";
    if (l < p->count - 1)
        snprintf(bound, sizeof bound, "  %.3f (%s)", grid->high, bounds[grid->bound]);
    cgs_page_more(page);
    write_line(page, cgs_grid_order_text(grid->n, grid->order, side), grid_width(p), grid_columns,
               GRID_COLUMNS,
               (const char *[]){cgs_count_text(grid->unknowns, unknowns),
                                grid->matrix_bytes > 0 ? cgs_bytes_text(grid->matrix_bytes, matrix)
                                                       : "none",
                                cgs_bytes_text(grid->bytes, bytes), bound});
}

static void write_multigrid(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_precond_facts *p = &report->preconditioning;
    cgs_text seconds;
    cgs_page_section(page, "Multigrid");
    fprintf(page->file,
            "cycles in %s, smoother of degree %lld (Chebyshev, 4th kind%s), set up in %s\n",
            cgs_number_name(p->number), (long long)report->settings->degree,
            p->grid[0].order > 0 ? ", optimal weights above order 1" : "",
            cgs_seconds_text(p->seconds, seconds));
    if (p->galerkin) {
        cgs_page_more(page);
        fprintf(page->file, "coarser grids: Galerkin products P'A P in CRS, %s of that\n",
                cgs_seconds_text(p->galerkin_seconds, seconds));
    }
    cgs_page_more(page);
    write_line(page, "grid", grid_width(p), grid_columns, GRID_COLUMNS, NULL);
    for (int l = 0; l < p->count; l++)
        write_grid(page, p, l);
    write_sums(page, p);
}

void cgs_page_cycle(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_precond_facts *p = &report->preconditioning;
    double all = 0.0;
    for (int l = 0; l < p->count; l++)
        all += p->grid[l].seconds;
    if (!(all > 0.0))
        return;
    cgs_page_section(page, "Cycle");
    write_line(page, "grid", STEP, cycle_columns, CYCLE_COLUMNS, NULL);
    for (int l = 0; l < p->count; l++) {
        const struct cgs_grid_facts *grid = &p->grid[l];
        cgs_text side, bytes, seconds, share, rate = "";
        if (p->algebraic)
            snprintf(side, sizeof side, "%lld", (long long)grid->unknowns);
        else
            cgs_grid_order_text(grid->n, grid->order, side);
        snprintf(seconds, sizeof seconds, "%.6f", grid->seconds);
        snprintf(share, sizeof share, "%.1f", 100.0 * grid->seconds / all);
        if (grid->seconds > 0.0)
            cgs_number_text(1e-9 * (double)grid->cycle_bytes / grid->seconds, rate);
        cgs_page_more(page);
        write_line(
            page, side, STEP, cycle_columns, CYCLE_COLUMNS,
            (const char *[]){cgs_bytes_text(grid->cycle_bytes, bytes), "", seconds, share, rate});
    }
    cgs_page_more(page);
    cgs_page_wrap(
        page->file,
        "timed after the solve, the quickest of some: cycles from each grid on, less those "
        "from the next grid on",
        CGS_PAGE_COLUMN);
}

/* Writes which box fdm has inverted. */
static void write_separable(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_precond_facts *p = &report->preconditioning;
    cgs_page_more(page);
    fprintf(page->file, "inverse of %s: %s\n",
            p->spread == 1.0 ? "the box itself" : "the nearest separable box", p->separable_why);
    if (!(p->spread > 1.0))
        return;
    cgs_page_more(page);
    fprintf(page->file,
            "at most about %.0f iterations, as kappa is up to %.3g times what it is there\n",
            cgs_precond_predicted(p, report->settings->tol), p->spread);
}

/* ---- algebraic multigrid ---- */

/* Reasons why the coarsest grid is smoothed only. */
static const char *const ends[] = {
    [CGS_AMG_SMALL] = "smoothed only: not positive definite to rounding",
    [CGS_AMG_STALLED] = "smoothed only: hardly any strong connections are left",
    [CGS_AMG_GROWN] = "smoothed only: a coarser grid would have far more entries",
    [CGS_AMG_DEEP] = "smoothed only: there are no more grids than this",
};

enum { LEVEL = 5, AMG_COLUMNS = 6 };

static const struct cgs_page_column amg_columns[AMG_COLUMNS] = {
    {"unknowns", 13, 0}, {"mean row", 9, 3},      {"matrix", 11, 4},
    {"takes", 11, 2},    {"  aggregates", 12, 5}, {"  eigenvalues up to", -19, 1},
};

static void write_amg_grid(const struct cgs_page *page, const struct cgs_precond_facts *p, int l)
{
    const struct cgs_grid_facts *grid = &p->grid[l];
    cgs_text level, unknowns, row, matrix, bytes, aggregates = "", high = "";
    snprintf(level, sizeof level, "%d", l);
    snprintf(row, sizeof row, "%.1f", (double)grid->nonzeros / (double)grid->unknowns);
    if (l < p->count - 1) {
        snprintf(aggregates, sizeof aggregates, "%.1f", cgs_aggregate_size(p, l));
        snprintf(high, sizeof high, "  %.3f", grid->high);
    }
    cgs_page_more(page);
    write_line(page, level, LEVEL, amg_columns, AMG_COLUMNS,
               (const char *[]){cgs_count_text(grid->unknowns, unknowns), row,
                                cgs_bytes_text(grid->matrix_bytes, matrix),
                                cgs_bytes_text(grid->bytes, bytes), aggregates, high});
}

static void write_amg_parts(const struct cgs_page *page, const struct cgs_precond_facts *p)
{
    cgs_text seconds;
    char line[512];
    int used = snprintf(line, sizeof line, "set-up:");
    for (int part = 0; part < CGS_AMG_PARTS; part++)
        used += snprintf(line + used, sizeof line - (size_t)used, "%s %s %s", part > 0 ? "," : "",
                         cgs_amg_part_name((enum cgs_amg_part)part),
                         cgs_seconds_text(p->part_seconds[part], seconds));
    cgs_page_more(page);
    cgs_page_wrap(page->file, line, CGS_PAGE_COLUMN);
}

static void write_amg(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_precond_facts *p = &report->preconditioning;
    cgs_text seconds;
    cgs_page_section(page, "Multigrid");
    fprintf(page->file,
            "algebraic, cycles in %s, smoother of degree %lld (Chebyshev, 4th kind), strength %g, "
            "set up in %s\n",
            cgs_number_name(p->number), (long long)report->settings->degree, p->theta,
            cgs_seconds_text(p->seconds, seconds));
    if (p->vectors > 0) {
        cgs_page_more(page);
        fprintf(page->file, "%d near-null vector%s, nodes of %lld row%s\n", p->vectors,
                p->vectors == 1 ? "" : "s", (long long)(p->grid[0].unknowns / p->grid[0].nodes),
                p->grid[0].unknowns == p->grid[0].nodes ? "" : "s");
    }
    cgs_page_more(page);
    write_line(page, "grid", LEVEL, amg_columns, AMG_COLUMNS, NULL);
    for (int l = 0; l < p->count; l++)
        write_amg_grid(page, p, l);
    cgs_page_more(page);
    fprintf(page->file, "the coarsest grid is %s\n",
            p->inverted ? "solved exactly, by its inverse" : ends[p->end]);
    write_sums(page, p);
    write_amg_parts(page, p);
}

/* ---- any ---- */

void cgs_page_preconditioning(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_precond_facts *p = &report->preconditioning;
    cgs_text seconds;
    if (p->algebraic) {
        write_amg(page, report);
    } else if (p->count > 0) {
        write_multigrid(page, report);
    } else if (p->high > 0.0) {
        cgs_page_section(page, "Chebyshev");
        fprintf(page->file,
                "polynomial of degree %lld in D^-1 A on [%.4f, %.3f], set up in %s; the upper end\n"
                "%*sis the largest Ritz value of 10 steps of CG, times 1.1, the lower one a "
                "thirtieth of it\n",
                (long long)report->settings->degree, p->low, p->high,
                cgs_seconds_text(p->seconds, seconds), CGS_PAGE_COLUMN, "");
    } else {
        cgs_page_section(page, cgs_preconditioner(report->settings->precond)->title);
        if (p->block > 0)
            fprintf(page->file, "diagonal blocks of %d rows, ", p->block);
        fprintf(page->file, "set up in %s\n", cgs_seconds_text(p->seconds, seconds));
        if (p->separable)
            write_separable(page, report);
    }
    if (report->settings->precond_why) {
        cgs_page_more(page);
        fprintf(page->file, "chosen by --precond=auto: %s\n", report->settings->precond_why);
    }
}
