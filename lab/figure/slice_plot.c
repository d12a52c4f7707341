#include "lab/figure/slice_plot.h"
#include "core/options/option_table.h"

#include <ctype.h>
#include <string.h>

enum { KAPPA_MOST = 40 }; /* characters of kappa in a subtitle */

enum cgs_status cgs_slice_plot(struct cgs_context *context, const struct cgs_report *report,
                               const struct cgs_slice *slice, struct cgs_plot *plot)
{
    const struct cgs_slice_request *r = &slice->request;
    const struct cgs_settings *o = report->settings;
    const size_t size = sizeof plot->subtitles[0];
    char what[128], box[64], lengths[128] = "", mesh[64] = "", kappa[64];
    const double *length = report->mesh.size;
    CGS_TRY(cgs_plot_make(context, 1, 1, plot));
    struct cgs_plot_panel *panel = cgs_plot_add_panel(plot, "");
    panel->x_label = r->axis == 0 ? "y" : "x";
    panel->y_label = r->axis == 2 ? "y" : "z";
    panel->image = (struct cgs_plot_image){
        .values = &slice->pixels->value,
        .side = CGS_SLICE_SIDE,
        .width = length[r->axis == 0 ? 1 : 0],
        .height = length[r->axis == 2 ? 1 : 2],
        .stride = sizeof *slice->pixels / sizeof(double),
        .least = slice->least,
        .most = slice->most,
        .diverging = r->field != CGS_NODAL_SOLUTION,
    };
    const bool unit = o->unit && r->field != CGS_NODAL_RESIDUAL && !r->flux;
    snprintf(panel->image.label, sizeof panel->image.label, "%s%s%s%s", cgs_slice_formula(r),
             unit ? " [" : "", unit ? o->unit : "", unit ? "]" : "");
    snprintf(what, sizeof what, "%s at %c = %g", cgs_slice_formula(r), "xyz"[r->axis],
             r -> position);
    what[0] = (char)toupper((unsigned char)what[0]);
    const bool several = o->title && report->slice_count > 1;
    snprintf(plot->title, sizeof plot->title, "%s%s%s", o->title ? o->title : what,
             several ? ": " : "", several ? what : "");
    if (o->deform != 0.0)
        snprintf(mesh, sizeof mesh, ", mesh deformed by %g", o->deform);
    if (o->grade || o->grid)
        snprintf(mesh, sizeof mesh, ", graded cells");
    cgs_kappa_write(&o->kappa, kappa, sizeof kappa);
    if (strlen(kappa) > KAPPA_MOST)
        strcpy(kappa + KAPPA_MOST - 3, "...");
    cgs_settings_name_box(o, box, sizeof box);
    if (length[0] != 1.0 || length[1] != 1.0 || length[2] != 1.0) {
        const int used = snprintf(lengths, sizeof lengths, ", size ");
        cgs_lengths_write(&o->size, lengths + used, sizeof lengths - (size_t)used);
    }
    snprintf(plot->subtitles[0], size, "%s%sproblem %s, %s%s%s%s%s",
             o->title && !several ? what : "", o->title && !several ? ", " : "", o->problem->name,
             box, lengths, mesh, o->kappa.kind == CGS_KAPPA_ONE ? "" : ", kappa ",
             o->kappa.kind == CGS_KAPPA_ONE ? "" : kappa);
    const int used = snprintf(
        plot->subtitles[1], size, "%s quadrature, true relative residual %.1e",
        cgs_option_choice(o, CGS_OPTION_quadrature), report->result.true_relative_residual);
    if (report->has_errors)
        snprintf(plot->subtitles[1] + used, size - (size_t)used, ", %s error %.4e",
                 report->errors.integral ? "L2" : "nodal L2",
                 report->errors.integral ? report->errors.l2 : report->errors.nodal_l2);
    return CGS_OK;
}
