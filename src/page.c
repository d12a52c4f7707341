#include "src/page.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

void cgs_page_wrap(FILE *file, const char *text, int indent)
{
    int column = indent;
    while (*text) {
        const int length = (int)strcspn(text, " ");
        if (column + length > CGS_PAGE_WIDTH && column > indent) {
            fprintf(file, "\n%*s", indent, "");
            column = indent;
        }
        fprintf(file, "%.*s", length, text);
        column += length;
        text += length;
        if (*text == ' ') {
            text++;
            if (column + 1 + (int)strcspn(text, " ") <= CGS_PAGE_WIDTH) {
                fputc(' ', file);
                column++;
            } else {
                fprintf(file, "\n%*s", indent, "");
                column = indent;
            }
        }
    }
    fputc('\n', file);
}

bool cgs_page_bold(FILE *file)
{
    const char *terminal = getenv("TERM"), *plain = getenv("NO_COLOR");
    return isatty(fileno(file)) && terminal && strcmp(terminal, "dumb") != 0 && !(plain && *plain);
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
}
