/* tables.md and tables.tex: the means by kernel, and GFLOP/s by matrix and kernel. The LaTeX
 * needs the package longtable, which comes with LaTeX itself, and has \hline alone. */
#include <string.h>

#include "lab/collection/collection_tables.h"
#include "lab/collection/summary.h"
#include "lab/io/latex.h"

/* How a table is written. */
struct dialect {
    const char *name;                   /* of the file */
    const char *first, *between, *last; /* of a line */
    const char *strong, *weak;          /* around the best */
    bool latex;
};

static const struct dialect dialects[] = {
    {"tables.md", "| ", " | ", " |\n", "**", "**", false},
    {"tables.tex", "", " & ", " \\\\\n", "\\textbf{", "}", true},
};

static void put_text(FILE *file, const struct dialect *d, const char *text)
{
    if (d->latex) {
        cgs_latex_text(file, text);
        return;
    }
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c < 0x20 || c == 0x7f)
            fputc(' ', file);
        else if (strchr("|\\`*_<>[]", c))
            fprintf(file, "\\%c", c);
        else
            fputc(c, file);
    }
}

static void begin(FILE *file, const struct dialect *d, const char *caption, const char *columns,
                  int numbers)
{
    if (d->latex) {
        fprintf(file, "\n\\begin{longtable}{%s", columns);
        for (int k = 0; k < numbers; k++)
            fputc('r', file);
        fputs("}\n\\caption{", file);
        put_text(file, d, caption);
        fputs("}\\\\\n\\hline\n", file);
    } else {
        fprintf(file, "\n%s\n\n", caption);
    }
}

/* The line below the heads of `texts` columns of words and `numbers` of numbers. */
static void end_heads(FILE *file, const struct dialect *d, int texts, int numbers)
{
    fputs(d->last, file);
    if (d->latex) {
        fputs("\\hline\n\\endhead\n", file);
        return;
    }
    for (int i = 0; i < texts + numbers; i++)
        fputs(i < texts ? "|---" : "|--:", file);
    fputs("|\n", file);
}

static void end(FILE *file, const struct dialect *d)
{
    if (d->latex)
        fputs("\\hline\n\\end{longtable}\n", file);
}

static void write_means(FILE *file, const struct dialect *d, const struct cgs_summary *s)
{
    static const char *const heads[] = {"matrices", "fastest", "failed",
                                        "speed-up", "least",   "most"};
    enum { HEADS = sizeof heads / sizeof *heads };
    char caption[256];
    snprintf(caption, sizeof caption, "Speed-up over %s: geometric mean, least and most",
             cgs_summary_baseline(s));
    begin(file, d, caption, "l", HEADS);
    fprintf(file, "%skernel", d->first);
    for (int i = 0; i < HEADS; i++)
        fprintf(file, "%s%s", d->between, heads[i]);
    end_heads(file, d, 1, HEADS);
    for (int k = 0; k < s->times.kernels; k++) {
        const struct cgs_summary_kernel *kernel = &s->kernels[k];
        fputs(d->first, file);
        put_text(file, d, kernel->label);
        fprintf(file, "%s%d%s%d%s%d%s%.3g%s%.3g%s%.3g%s", d->between, kernel->timed, d->between,
                kernel->fastest, d->between, kernel->failed, d->between, kernel->speedup.mean,
                d->between, kernel->speedup.least, d->between, kernel->speedup.most, d->last);
    }
    end(file, d);
}

static void write_cell(FILE *file, const struct dialect *d, const struct cgs_summary *s, int matrix,
                       int kernel)
{
    const json_t *row = s->rows[matrix * s->times.kernels + kernel];
    const double gflops = cgs_row_number(row, "gflops");
    const bool best =
        s->shown.seconds[matrix * s->shown.kernels + kernel] == cgs_times_best(&s->shown, matrix);
    if (gflops > 0.0)
        fprintf(file, "%s%s%.3g%s", d->between, best ? d->strong : "", gflops, best ? d->weak : "");
    else
        fprintf(file, "%s--", d->between);
}

/* disturbed: some matrix was, and has that in a column. */
static void write_matrices(FILE *file, const struct dialect *d, const struct cgs_summary *s,
                           bool disturbed)
{
    const int texts = disturbed ? 3 : 2;
    begin(file, d, "GFLOP/s by matrix and kernel; the fastest in bold", disturbed ? "lll" : "ll",
          1 + s->shown.kernels);
    fprintf(file, "%sgroup%smatrix", d->first, d->between);
    if (disturbed)
        fprintf(file, "%sDISTURBED", d->between);
    fprintf(file, "%sentries", d->between);
    for (int k = 0; k < s->shown.kernels; k++) {
        fputs(d->between, file);
        put_text(file, d, s->kernels[k].label);
    }
    end_heads(file, d, texts, 1 + s->shown.kernels);
    for (int m = 0; m < s->shown.matrices; m++) {
        const json_t *first = s->matrices[m];
        fputs(d->first, file);
        put_text(file, d, cgs_row_text(first, "group"));
        fputs(d->between, file);
        put_text(file, d, cgs_row_text(first, "name"));
        if (disturbed)
            fprintf(file, "%s%s", d->between, cgs_row_disturbed(first) ? "yes" : "");
        fprintf(file, "%s%.0f", d->between, cgs_row_number(first, "nonzeros"));
        for (int k = 0; k < s->shown.kernels; k++)
            write_cell(file, d, s, m, k);
        fputs(d->last, file);
    }
    end(file, d);
}

enum cgs_status cgs_collection_tables(struct cgs_collection *c, const struct cgs_summary *s)
{
    for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++) {
        const struct dialect *d = &dialects[i];
        struct cgs_output output = {0};
        enum cgs_status status = cgs_collection_begin(c, d->name, &output);
        if (status == CGS_OK) {
            fprintf(output.file, "%s %s, %s, %.10s%s\n",
                    d->latex ? "% \\usepackage{longtable}\n%" : "<!--", c->host, c->device, c->date,
                    d->latex ? "" : " -->");
            write_means(output.file, d, s);
            write_matrices(output.file, d, s, cgs_collection_disturbed(c) > 0);
            status = cgs_output_commit(c->context, &output);
        }
        cgs_output_discard(&output);
        CGS_TRY(status);
    }
    return CGS_OK;
}
