#include "src/lab/laboratory.h"

#include "lab/figure/plot_draw.h"

enum cgs_status cgs_lab_outputs_open(struct cgs_context *context, const struct cgs_files *files,
                                     const char *what, const char *path,
                                     struct cgs_lab_outputs *outputs)
{
    *outputs = (struct cgs_lab_outputs){0};
    CGS_TRY(cgs_output_open(context, "the JSON report", files->json, 1, &outputs->json));
    CGS_TRY(cgs_output_open(context, "the table", files->csv, 0, &outputs->csv));
    CGS_TRY(cgs_plot_check(context, files->plot));
    return cgs_output_open(context, what, path, 0, &outputs->matrix);
}
