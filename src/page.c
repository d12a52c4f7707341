#include "src/page.h"

#include <string.h>

#include "src/format.h"
#include "src/version.h"

void cgs_page_section(const struct cgs_page *page, const char *label)
{
    fprintf(page->file, "%s%-*s%s", page->bold ? "\033[1m" : "", CGS_PAGE_COLUMN, label,
            page->bold ? "\033[0m" : "");
}

void cgs_page_more(const struct cgs_page *page)
{
    fprintf(page->file, "%*s", CGS_PAGE_COLUMN, "");
}

void cgs_page_wrap(const struct cgs_page *page, const char *text)
{
    int column = CGS_PAGE_COLUMN;
    while (*text) {
        const int length = (int)strcspn(text, " ");
        if (column > CGS_PAGE_COLUMN && column + 1 + length > CGS_PAGE_WIDTH) {
            fprintf(page->file, "\n%*s", CGS_PAGE_COLUMN, "");
            column = CGS_PAGE_COLUMN;
        }
        column += fprintf(page->file, "%s%.*s", column > CGS_PAGE_COLUMN ? " " : "", length, text);
        text += length + (text[length] == ' ');
    }
    fputc('\n', page->file);
}

void cgs_page_head(const struct cgs_page *page, const struct cgs_report *report)
{
    fprintf(page->file, "cgsolve %s (%s), %s\n", cgs_version(), cgs_commit(), report->date);
}

void cgs_page_problem(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_options *o = report->options;
    const long long n = (long long)o->n;
    cgs_text unknowns;
    cgs_page_section(page, "Problem");
    fprintf(page->file, "%s: %s\n", o->problem->name, o->problem->description);
    cgs_page_more(page);
    fprintf(page->file, "N = %lld: %s unknown%s, h = 1/%lld, trilinear hexahedra, %s quadrature\n",
            n, cgs_count_text(o->n * o->n * o->n, unknowns), n == 1 ? "" : "s", n + 1,
            cgs_option_choice(o, CGS_OPTION_quadrature));
    if (o->deform == 0.0 && o->kappa.kind == CGS_KAPPA_ONE)
        return;
    cgs_page_more(page);
    if (o->deform != 0.0)
        fprintf(page->file, "nodes moved by %g sin(pi x) sin(pi y) sin(pi z) in each direction%s",
                o->deform, o->kappa.kind == CGS_KAPPA_ONE ? "\n" : "; ");
    if (o->kappa.kind == CGS_KAPPA_SMOOTH)
        fprintf(page->file, "kappa = 1 + x + 2 y z at cell centres\n");
    if (o->kappa.kind == CGS_KAPPA_JUMP)
        fprintf(page->file, "kappa = %g in every second octant, else 1\n", o->kappa.ratio);
}
