#include "base/plain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/io/output.h"
#include "lab/figure/gnuplot.h"
#include "lab/figure/plot_draw.h"
#include "lab/figure/plot_script.h"
#include "lab/io/folder.h"

/* A figure takes a fraction of a second; gnuplot's first one on a machine may have to look for all
 * its fonts. */
static const double time_limit = 60.0;

static const char what[] = "the figure";

/* "svg", "png" or "pdf"; NULL: another. */
static const char *find_ending(const char *path)
{
    static const char *const endings[] = {"svg", "png", "pdf"};
    const char *dot = strrchr(path, '.');
    for (int i = 0; i < 3 && dot && dot > cgs_base_name(path); i++)
        if (strcmp(dot + 1, endings[i]) == 0)
            return endings[i];
    return NULL;
}

static enum cgs_status open_figure(struct cgs_context *context, const char *path,
                                   struct cgs_output *output)
{
    if (!find_ending(path))
        return cgs_fail(context, CGS_USAGE,
                        "'%s' is no name for a figure: it has to end with .svg, .png or .pdf",
                        path);
    return cgs_output_open(context, what, path, 0, output);
}

enum cgs_status cgs_plot_check(struct cgs_context *context, const char *path)
{
    struct cgs_output output;
    if (!path)
        return CGS_OK;
    CGS_TRY(open_figure(context, path, &output));
    cgs_output_discard(&output);
    return CGS_OK;
}

/* Leaves the script of a figure that could not be drawn, to be drawn later or elsewhere. */
static enum cgs_status leave_script(struct cgs_context *context, const struct cgs_plot *plot,
                                    const char *path, const char *why)
{
    const bool first = context->status == CGS_OK;
    const size_t size = strlen(path) + sizeof ".gp";
    char *name = malloc(size);
    struct cgs_output output;
    if (!name)
        return cgs_fail(context, CGS_MEMORY, "no memory for the figure's name");
    snprintf(name, size, "%s.gp", path);
    if (first)
        cgs_fail(context, CGS_FILE, "cannot draw '%s': %s", path, why);
    else
        cgs_fail_add(context, "; moreover, cannot draw '%s': %s", path, why);
    if (cgs_output_open(context, "its script", name, 0, &output) == CGS_OK &&
        cgs_output_begin(context, &output) == CGS_OK) {
        cgs_plot_script(output.file, plot, find_ending(path), path);
        if (cgs_output_commit(context, &output) == CGS_OK)
            cgs_fail_add(context, "; script and data are in '%s': 'gnuplot %s' draws it", name,
                         name);
    }
    free(name);
    return context->status;
}

static bool draw(const struct cgs_plot *plot, const char *path, FILE *file, char *why, size_t size)
{
    FILE *script = tmpfile();
    if (!script) {
        snprintf(why, size, "no temporary file for the script: %s", strerror(errno));
        return false;
    }
    cgs_plot_script(script, plot, find_ending(path), NULL);
    bool drawn = false;
    if (fflush(script) != 0 || fseek(script, 0, SEEK_SET) != 0)
        snprintf(why, size, "its script cannot be written: %s", strerror(errno));
    else
        drawn = cgs_gnuplot_run(script, fileno(file), time_limit, why, size);
    fclose(script);
    if (drawn && fseek(file, 0, SEEK_END) == 0 && ftell(file) == 0) {
        snprintf(why, size, "gnuplot has written nothing");
        drawn = false;
    }
    return drawn;
}

enum cgs_status cgs_plot_write(struct cgs_context *context, const struct cgs_plot *plot,
                               const char *path)
{
    struct cgs_output output;
    char why[768];
    CGS_TRY(open_figure(context, path, &output));
    CGS_TRY(cgs_output_begin(context, &output));
    if (draw(plot, path, output.file, why, sizeof why))
        return cgs_output_commit(context, &output);
    cgs_output_discard(&output);
    return leave_script(context, plot, path, why);
}

/* ---- folders ---- */

enum cgs_status cgs_plot_write_into(struct cgs_context *context, const struct cgs_plot *plot,
                                    const char *folder, const char *name, enum cgs_figures figures)
{
    const char *const kinds[] = {".svg", figures == CGS_FIGURES_PDF ? ".pdf" : NULL};
    enum cgs_status status = CGS_OK;
    for (int i = 0; i < 2 && kinds[i] && status == CGS_OK; i++) {
        char *path = cgs_folder_join(folder, name, kinds[i]);
        status = path ? cgs_plot_write(context, plot, path)
                      : cgs_fail(context, CGS_MEMORY, "no memory for the figure's name");
        free(path);
    }
    return status;
}

static const char *const left[] = {".svg", ".svg.gp", ".pdf", ".pdf.gp"};
enum { LEFT = sizeof left / sizeof *left };

void cgs_plot_remove(const char *folder, const char *name)
{
    for (int i = 0; i < LEFT; i++) {
        char *path = cgs_folder_join(folder, name, left[i]);
        if (path)
            unlink(path);
        free(path);
    }
}

bool cgs_plot_begun(const char *file, const char *name)
{
    for (int i = 0; i < LEFT; i++)
        if (cgs_folder_begun(file, name, left[i]))
            return true;
    return false;
}
