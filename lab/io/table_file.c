#include "lab/io/table_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char cgs_table_packages[] = "% \\usepackage{longtable,siunitx}\n";

/* ---- texts ---- */

/* Writes a character that LaTeX takes for something else, or its usual font has not, by name. A
 * bracket or star in braces is not an argument of the \\ before it. */
static void put_special(FILE *file, char c)
{
    static const struct {
        char c;
        const char *name;
    } named[] = {
        {'\\', "textbackslash"}, {'~', "textasciitilde"}, {'^', "textasciicircum"},
        {'<', "textless"},       {'>', "textgreater"},    {'|', "textbar"},
    };
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (c == named[i].c) {
            fprintf(file, "\\%s{}", named[i].name);
            return;
        }
    fprintf(file, strchr("[*", c) ? "{%c}" : "\\%c", c);
}

/* Writes a text so that it shows as it is; control characters become spaces. */
static void put_text(const struct cgs_table *t, const char *text)
{
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c < 0x20 || c == 0x7f)
            fputc(' ', t->file);
        else if (!t->markdown && strchr("_%&#${}[*\\~^<>|", c))
            put_special(t->file, *text);
        else if (t->markdown && strchr("|\\`*_<>[]", c))
            fprintf(t->file, "\\%c", c);
        else
            fputc(c, t->file);
    }
}

/* ---- cells ---- */

/* Measures a number and returns true, or returns false. */
static bool measure(struct cgs_table_column *c, const char *text)
{
    struct cgs_table_column n = *c;
    const char *at = text + (*text == '-');
    const int whole = (int)strspn(at, "0123456789");
    int part = 0, exponent = 0;
    n.minus = n.minus || *text == '-';
    at += whole;
    if (*at == '.') {
        part = (int)strspn(at + 1, "0123456789");
        at += 1 + part;
    }
    if (*at == 'e') {
        n.minus_exponent = n.minus_exponent || at[1] == '-';
        at += 1 + (at[1] == '-');
        exponent = (int)strspn(at, "0123456789");
        at += exponent;
    }
    if (whole == 0 || *at)
        return false;
    n.whole = whole > n.whole ? whole : n.whole;
    n.part = part > n.part ? part : n.part;
    n.exponent = exponent > n.exponent ? exponent : n.exponent;
    *c = n;
    return true;
}

/* Widths in LaTeX's \footnotesize, in points: a line, the gap between columns, characters. */
static const double line_width = 345.0, column_gap = 6.0, capital = 5.9, character = 4.2;

/* Widens a column to a text; "e-2" of a number shows as a product with a power of ten. */
static void widen(struct cgs_table_column *c, const char *text, bool number)
{
    double width = number && strchr(text, 'e') ? 20.0 : 0.0;
    for (; *text; text++)
        width += *text >= 'A' && *text <= 'Z' ? capital : character;
    c->width = fmax(c->width, width);
}

static bool is_shown(const struct cgs_table *t, int column)
{
    return column < t->lead || (column >= t->from && column < t->to);
}

/* Begins a cell; returns its column, NULL if it is not written. */
static struct cgs_table_column *begin_cell(struct cgs_table *t)
{
    if (t->at == CGS_TABLE_COLUMNS)
        return NULL;
    const int column = t->at++;
    if (t->file && !is_shown(t, column))
        return NULL;
    if (t->file && t->markdown)
        fputs(column > 0 ? " | " : "| ", t->file);
    else if (t->file && column > 0)
        fputs(" & ", t->file);
    return &t->columns[column];
}

void cgs_table_cell(struct cgs_table *t, const char *text)
{
    struct cgs_table_column *c = begin_cell(t);
    if (c && t->file) {
        put_text(t, text);
    } else if (c) {
        c->words = !measure(c, text) || c->words;
        widen(c, text, !c->words);
    }
}

void cgs_table_words(struct cgs_table *t, const char *text)
{
    struct cgs_table_column *c = begin_cell(t);
    if (c && !t->file)
        widen(c, text, false);
    if (!c || !t->file)
        return;
    fputs(t->markdown ? "" : "{", t->file);
    put_text(t, text);
    fputs(t->markdown ? "" : "}", t->file);
}

void cgs_table_number(struct cgs_table *t, char form, int digits, double x, bool strong)
{
    char text[64];
    if (!isfinite(x)) {
        cgs_table_words(t, "--");
        return;
    }
    snprintf(text, sizeof text, form == 'e' ? "%.*e" : form == 'f' ? "%.*f" : "%.*g", digits, x);
    char *e = strchr(text, 'e'); /* e-02 -> e-2 */
    if (e)
        snprintf(e + 1, 16, "%d", atoi(e + 1));
    struct cgs_table_column *c = begin_cell(t);
    if (c && !t->file) {
        measure(c, text);
        c->strong = c->strong || strong;
        widen(c, text, true);
    } else if (c) {
        fprintf(t->file, !strong ? "%s" : t->markdown ? "**%s**" : "\\bfseries %s", text);
    }
}

/* Ends the heads, in Markdown by a line that says how columns are aligned. */
static void end_heads(const struct cgs_table *t)
{
    if (!t->markdown)
        fputs("\\hline\n\\endhead\n", t->file);
    for (int i = 0; t->markdown && i < t->count; i++)
        fputs(t->columns[i].words ? "|---" : "|--:", t->file);
    fputs(t->markdown ? "|\n" : "", t->file);
}

void cgs_table_end_row(struct cgs_table *t)
{
    t->count = t->at;
    t->at = 0;
    if (t->file) {
        fputs(t->markdown ? " |\n" : " \\\\\n", t->file);
        if (!t->headed)
            end_heads(t);
    }
    t->headed = true;
}

void cgs_table_group(struct cgs_table *t, const char *label)
{
    if (!t->file || t->markdown || !label[0])
        return;
    fprintf(t->file, "\\multicolumn{%d}{l}{\\itshape ", t->lead + t->to - t->from);
    put_text(t, label);
    fputs("} \\\\\n", t->file);
}

/* ---- a table ---- */

static void put_column(FILE *file, const struct cgs_table_column *c, bool first)
{
    fputs(first ? "" : " ", file);
    if (c->words || c->whole == 0) {
        fputc('l', file);
        return;
    }
    fprintf(file, "S[table-format=%s%d.%d", c->minus ? "-" : "", c->whole, c->part);
    if (c->exponent > 0)
        fprintf(file, "e%s%d", c->minus_exponent ? "-" : "", c->exponent);
    fputs(c->strong ? ",detect-weight]" : "]", file);
}

static void write_latex(struct cgs_table *t, const char *caption, cgs_table_rows *rows,
                        const void *self)
{
    /* small and close, as a page is not much wider than nine columns */
    fputs("\n{\\footnotesize\\setlength{\\tabcolsep}{3pt}\\renewcommand{\\arraystretch}{1.1}\n"
          "\\begin{longtable}{",
          t->file);
    for (int i = 0; i < t->count; i++)
        if (is_shown(t, i))
            put_column(t->file, &t->columns[i], i == 0);
    fputs("}\n\\caption{", t->file);
    put_text(t, caption);
    if (t->from > t->lead)
        fputs(" (further columns)", t->file);
    fputs("}\\\\\n\\hline\n", t->file);
    rows(t, self);
    fputs("\\hline\n\\end{longtable}\n}\n", t->file);
}

/* Sets the end of the columns that fit on a page behind the leading ones, one at least. */
static void fit_columns(struct cgs_table *t)
{
    double width = 0.0;
    for (int i = 0; i < t->lead; i++)
        width += t->columns[i].width + column_gap;
    for (t->to = t->from; t->to < t->count; t->to++) {
        width += t->columns[t->to].width + column_gap;
        if (width > line_width && t->to > t->from)
            return;
    }
}

void cgs_table_write(FILE *file, bool markdown, const char *caption, cgs_table_rows *rows,
                     const void *self)
{
    struct cgs_table t = {.markdown = markdown};
    rows(&t, self);
    if (t.count == 0)
        return;
    t.file = file;
    if (markdown) {
        t.to = t.count;
        t.headed = false;
        fputs("\n", file);
        put_text(&t, caption);
        fputs("\n\n", file);
        rows(&t, self);
        return;
    }
    do
        t.lead++;
    while (t.lead < t.count && t.columns[t.lead].words);
    t.to = t.lead;
    do {
        t.from = t.to;
        t.headed = false;
        fit_columns(&t);
        write_latex(&t, caption, rows, self);
    } while (t.to < t.count);
}
