/* The figures of a study, an SVG each in its folder. What cannot be drawn keeps nothing else from
 * being done: its script and data are left, and study->remark says why. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/io/interrupt.h"
#include "core/io/version.h"
#include "lab/figure/plot_draw.h"
#include "lab/study/study_sheet.h"

enum { LONG = 40 }; /* a name of a machine that leaves no room beside it */

static enum cgs_status draw(struct cgs_study *study, enum cgs_drawing drawing, const char *path)
{
    char machines[256], days[32];
    struct cgs_sheet sheet;
    struct cgs_context apart = *study->context; /* no failure of the study's */
    struct cgs_plot *plot = &sheet.plot;
    if (cgs_sheet_make(study, drawing, &sheet) == CGS_OK) {
        const size_t size = sizeof plot->subtitles[0];
        cgs_study_machines(study, machines, sizeof machines);
        cgs_study_days(study, days, sizeof days);
        snprintf(plot->title, sizeof plot->title, "%s", cgs_drawings[drawing].title);
        if (strlen(machines) < LONG)
            snprintf(plot->subtitles[0], size, "%s; cgsolve %s, %s", machines, cgs_version(), days);
        else
            snprintf(plot->subtitles[0], size, "%s; %s", machines, days);
        if (cgs_plot_write(&apart, plot, path) != CGS_OK && study->remark[0] == '\0')
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
