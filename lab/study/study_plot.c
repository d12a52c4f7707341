/* The figures of a study, an SVG each in its folder, and by --figures=pdf a PDF. What cannot be
 * drawn keeps nothing else from being done: its script and data are left, and study->remark says
 * why. */
#include <stdio.h>
#include <string.h>

#include "core/io/interrupt.h"
#include "core/io/version.h"
#include "lab/figure/plot_draw.h"
#include "lab/study/study_sheet.h"

enum { LONG = 40 }; /* a name of a machine that leaves no room beside it */

static enum cgs_status draw(struct cgs_study *study, enum cgs_drawing drawing)
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
        if (cgs_plot_write_into(&apart, plot, study->folder, cgs_drawings[drawing].file,
                                study->options->figures) != CGS_OK &&
            study->remark[0] == '\0')
            snprintf(study->remark, sizeof study->remark, "%.1000s", apart.message);
    }
    cgs_sheet_release(&sheet);
    return study->context->status;
}

enum cgs_status cgs_study_figures(struct cgs_study *study)
{
    struct cgs_curves curves;
    for (int i = 0; i < CGS_DRAWINGS; i++) /* of an earlier call, perhaps of fewer points */
        cgs_plot_remove(study->folder, cgs_drawings[i].file);
    CGS_TRY(cgs_curves_make(study, &curves));
    for (int i = 0; i < CGS_DRAWINGS && !cgs_interrupted(); i++) {
        char why[256];
        if (cgs_drawing_wanted(study, &curves, (enum cgs_drawing)i, why, sizeof why) &&
            draw(study, (enum cgs_drawing)i) != CGS_OK)
            break;
    }
    if (cgs_interrupted())
        snprintf(study->remark, sizeof study->remark,
                 "the study was interrupted; --resume draws them");
    cgs_curves_release(&curves);
    return study->context->status;
}
