/* The figures of a study, an SVG each in its folder. What cannot be drawn keeps nothing else from
 * being done: its script and data are left, and study->remark says why. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/io/interrupt.h"
#include "src/io/version.h"
#include "src/study/study_sheet.h"

enum { LONG = 40 }; /* a name of a machine that leaves no room beside it */

static enum cgs_status draw(struct cgs_study *study, enum cgs_drawing drawing, const char *path)
{
    char machines[256], days[32], subtitle[512];
    struct cgs_sheet sheet;
    struct cgs_context apart = *study->context; /* no failure of the study's */
    const struct cgs_drawing_row *row = &cgs_drawings[drawing];
    if (cgs_sheet_make(study, drawing, &sheet) == CGS_OK) {
        const struct cgs_plot plot = {.title = row->title,
                                      .subtitle = subtitle,
                                      .panels = sheet.plots,
                                      .panel_count = sheet.curves.panel_count,
                                      .narrow = true};
        cgs_study_machines(study, machines, sizeof machines);
        cgs_study_days(study, days, sizeof days);
        if (strlen(machines) < LONG)
            snprintf(subtitle, sizeof subtitle, "%s; cgsolve %s, %s", machines, cgs_version(),
                     days);
        else
            snprintf(subtitle, sizeof subtitle, "%s; %s", machines, days);
        if (cgs_plot_write(&apart, &plot, path) != CGS_OK && study->remark[0] == '\0')
            snprintf(study->remark, sizeof study->remark, "%.1000s", apart.message);
    }
    cgs_sheet_release(&sheet);
    return study->context->status;
}

/* Figures of an earlier call, perhaps of fewer points. */
static void remove_figures(const char *folder)
{
    char path[4104];
    for (int i = 0; i < CGS_DRAWINGS; i++) {
        snprintf(path, sizeof path, "%s/%s.svg", folder, cgs_drawings[i].file);
        unlink(path);
        snprintf(path, sizeof path, "%s/%s.svg.gp", folder, cgs_drawings[i].file);
        unlink(path);
    }
}

enum cgs_status cgs_study_figures(struct cgs_study *study)
{
    const char *folder = study->folder;
    struct cgs_curves curves;
    remove_figures(folder);
    CGS_TRY(cgs_curves_make(study, &curves));
    for (int i = 0; i < CGS_DRAWINGS && !cgs_interrupted(); i++) {
        char path[4096], why[256];
        snprintf(path, sizeof path, "%s/%s.svg", folder, cgs_drawings[i].file);
        if (cgs_drawing_wanted(study, &curves, (enum cgs_drawing)i, why, sizeof why) &&
            draw(study, (enum cgs_drawing)i, path) != CGS_OK)
            break;
    }
    if (cgs_interrupted())
        snprintf(study->remark, sizeof study->remark,
                 "the study was interrupted; --resume draws them");
    cgs_curves_release(&curves);
    return study->context->status;
}
