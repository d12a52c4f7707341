/* The preconditioner in the text report: a section of its own. */
#include "core/io/format.h"
#include "core/precond/preconditioner.h"
#include "matrix/names.h"
#include "src/report/sections_internal.h"

/* Origins of a bound of the eigenvalues. */
static const char *const bounds[] = {[CGS_BOUND_PROVEN] = "proven",
                                     [CGS_BOUND_ESTIMATED] = "estimated",
                                     [CGS_BOUND_COARSER] = "from coarser grids"};

static void write_grid(const struct cgs_page *page, const struct cgs_precond_facts *p, int l)
{
    const struct cgs_grid_facts *grid = &p->grid[l];
    cgs_text side, unknowns, matrix, bytes;
    cgs_page_more(page);
    fprintf(page->file, "%-9s%14s%12s%12s   ", cgs_grid_text(grid->n, side),
            cgs_count_text(grid->unknowns, unknowns),
            grid->matrix_bytes > 0 ? cgs_bytes_text(grid->matrix_bytes, matrix) : "none",
            cgs_bytes_text(grid->bytes, bytes));
    if (l < p->count - 1)
        fprintf(page->file, "%.3f (%s)\n", grid->high, bounds[grid->bound]);
    else
        fprintf(page->file, "solved exactly, by its inverse\n");
}

static void write_multigrid(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_precond_facts *p = &report->preconditioning;
    cgs_text seconds, bytes;
    cgs_page_section(page, "Multigrid");
    fprintf(page->file,
            "cycles in %s, smoother of degree %lld (Chebyshev, 4th kind), set up in %s\n",
            cgs_number_name(p->number), (long long)report->settings->degree,
            cgs_seconds_text(p->seconds, seconds));
    if (p->galerkin) {
        cgs_page_more(page);
        fprintf(page->file, "coarser grids: Galerkin products P'A P in CRS, %s of that\n",
                cgs_seconds_text(p->galerkin_seconds, seconds));
    }
    cgs_page_more(page);
    fprintf(page->file, "%-9s%14s%12s%12s   %s\n", "grid", "unknowns", "matrix", "takes",
            "eigenvalues of D^-1 A up to");
    for (int l = 0; l < p->count; l++)
        write_grid(page, p, l);
    cgs_page_shared(page, p);
    cgs_page_more(page);
    fprintf(page->file, "all grids / finest: %.3f in unknowns, %.3f in entries; a cycle moves %s\n",
            cgs_grid_complexity(p), cgs_operator_complexity(p),
            cgs_bytes_text(p->cycle_bytes, bytes));
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
    fprintf(page->file, "%-18s%12s %7s%11s %6s%9s\n", "grid", "bytes a call", "", "seconds", "%",
            "GB/s");
    for (int l = 0; l < p->count; l++) {
        const struct cgs_grid_facts *grid = &p->grid[l];
        cgs_text side, bytes;
        if (p->algebraic)
            snprintf(side, sizeof side, "%lld", (long long)grid->unknowns);
        else
            cgs_grid_text(grid->n, side);
        cgs_page_more(page);
        fprintf(page->file, "%-18s%12s %7s%11.6f %6.1f", side,
                cgs_bytes_text(grid->cycle_bytes, bytes), "", grid->seconds,
                100.0 * grid->seconds / all);
        if (grid->seconds > 0.0)
            fprintf(page->file, "%9s",
                    cgs_number_text(1e-9 * (double)grid->cycle_bytes / grid->seconds, bytes));
        fputc('\n', page->file);
    }
    cgs_page_more(page);
    cgs_page_wrap(
        page->file,
        "timed after the solve, the quickest of some: cycles from each grid on, less those "
        "from the next grid on",
        CGS_PAGE_COLUMN);
}

void cgs_page_preconditioning(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_precond_facts *p = &report->preconditioning;
    cgs_text seconds;
    if (p->algebraic) {
        cgs_page_amg(page, report);
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
        fprintf(page->file, "set up in %s\n", cgs_seconds_text(p->seconds, seconds));
    }
}
