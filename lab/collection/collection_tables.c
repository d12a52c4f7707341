/* tables.md and tables.tex: the means by kernel, and GFLOP/s by matrix and kernel. */
#include <math.h>
#include <string.h>

#include "lab/collection/collection_tables.h"
#include "lab/collection/summary.h"
#include "lab/io/table_file.h"

static void write_means(struct cgs_table *t, const void *self)
{
    static const char *const heads[] = {"kernel",   "matrices", "fastest", "failed",
                                        "speed-up", "least",    "most"};
    const struct cgs_summary *s = self;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        cgs_table_words(t, heads[i]);
    cgs_table_end_row(t);
    for (int k = 0; k < s->times.kernels; k++) {
        const struct cgs_summary_kernel *kernel = &s->kernels[k];
        const bool compared = kernel->speedup.matrices > 0;
        cgs_table_cell(t, kernel->label);
        cgs_table_number(t, 'f', 0, kernel->timed, false);
        cgs_table_number(t, 'f', 0, kernel->fastest, false);
        cgs_table_number(t, 'f', 0, kernel->failed, false);
        cgs_table_number(t, 'g', 3, compared ? kernel->speedup.mean : NAN, false);
        cgs_table_number(t, 'g', 3, compared ? kernel->speedup.least : NAN, false);
        cgs_table_number(t, 'g', 3, compared ? kernel->speedup.most : NAN, false);
        cgs_table_end_row(t);
    }
}

static bool disturbed(const struct cgs_summary *s)
{
    for (int m = 0; m < s->shown.matrices; m++)
        if (cgs_row_disturbed(s->matrices[m]))
            return true;
    return false;
}

static void write_matrices(struct cgs_table *t, const void *self)
{
    const struct cgs_summary *s = self;
    const bool column = disturbed(s);
    cgs_table_words(t, "group");
    cgs_table_words(t, "matrix");
    if (column)
        cgs_table_words(t, "DISTURBED");
    cgs_table_words(t, "entries");
    for (int k = 0; k < s->shown.kernels; k++)
        cgs_table_words(t, s->kernels[k].label);
    cgs_table_end_row(t);
    for (int m = 0; m < s->shown.matrices; m++) {
        const json_t *first = s->matrices[m];
        const double best = cgs_times_best(&s->shown, m);
        cgs_table_cell(t, cgs_row_text(first, "group"));
        cgs_table_cell(t, cgs_row_text(first, "name"));
        if (column)
            cgs_table_cell(t, cgs_row_disturbed(first) ? "yes" : "");
        cgs_table_number(t, 'f', 0, cgs_row_number(first, "nonzeros"), false);
        for (int k = 0; k < s->shown.kernels; k++) {
            const json_t *row = s->rows[m * s->times.kernels + k];
            const double gflops = cgs_row_number(row, "gflops");
            cgs_table_number(t, 'g', 3, gflops > 0.0 ? gflops : NAN,
                             s->shown.seconds[m * s->shown.kernels + k] == best);
        }
        cgs_table_end_row(t);
    }
}

enum cgs_status cgs_collection_tables(struct cgs_collection *c, const struct cgs_summary *s)
{
    char caption[256];
    snprintf(caption, sizeof caption, "Speed-up over %s: geometric mean, least and most",
             cgs_summary_baseline(s));
    for (int markdown = 0; markdown <= 1; markdown++) {
        struct cgs_output output = {0};
        enum cgs_status status =
            cgs_collection_begin(c, markdown ? "tables.md" : "tables.tex", &output);
        if (status == CGS_OK) {
            fprintf(output.file, "%s%s %s, %s, %.10s%s\n", markdown ? "" : cgs_table_packages,
                    markdown ? "<!--" : "%", c->host, c->device, c->date, markdown ? " -->" : "");
            cgs_table_write(output.file, markdown, caption, write_means, s);
            cgs_table_write(output.file, markdown,
                            "GFLOP/s by matrix and kernel; the fastest in bold", write_matrices, s);
            status = cgs_output_commit(c->context, &output);
        }
        cgs_output_discard(&output);
        CGS_TRY(status);
    }
    return CGS_OK;
}
