/* Checks options as cgs_machine_open does, without opening a device. */
#include <string.h>

#include "core/options/solver_settings.h"
#include "core/options/values.h"
#include "core/setup/asked.h"
#include "core/setup/machine_foresee.h"
#include "core/setup/machine_kernel.h"
#include "fem/mesh.h"

/* Unknowns of the largest mesh that is checked here; larger ones take seconds and are checked by
 * the run. */
enum { MESH_MOST = 128 * 128 * 128 };

static enum cgs_status foresee_on(struct cgs_context *context, const struct cgs_settings *settings,
                                  enum cgs_device device)
{
    const enum cgs_precision precision = settings->precision;
    struct cgs_machine machine = {.device = device, .backend = cgs_backend(device)};
    if (strcmp(settings->kernel, "auto") == 0) { /* the kernel is chosen on the machine */
        CGS_TRY(
            cgs_kernel_find(context, settings->kernel, device, settings->format, &machine.entry));
        CGS_TRY(cgs_settings_check_grids(context, settings, NULL));
    } else {
        CGS_TRY(cgs_machine_choose(context, settings, &machine));
    }
    return cgs_machine_check_launch(
        context, settings, &machine,
        machine.backend->spaces[cgs_precision_real(precision)]->record_begin != NULL);
}

/* Succeeds if one of the devices left open accepts the options. A backend missing in this build is
 * not an error here: the run reports it. */
static enum cgs_status foresee_kernel(struct cgs_context *context,
                                      const struct cgs_settings *settings,
                                      enum cgs_backend_choice backend)
{
    static const enum cgs_device devices[] = {CGS_CPU, CGS_CUDA};
    struct cgs_context refusal;
    cgs_context_init(&refusal);
    for (int i = 0; i < 2; i++) {
        struct cgs_context trial;
        if (backend != CGS_BACKEND_AUTO && (enum cgs_device)backend != devices[i])
            continue;
        if (!cgs_backend(devices[i])) {
            if (backend == CGS_BACKEND_AUTO)
                continue; /* the other device decides */
            return CGS_OK;
        }
        cgs_context_init(&trial);
        if (foresee_on(&trial, settings, devices[i]) == CGS_OK)
            return CGS_OK;
        if (refusal.status == CGS_OK)
            refusal = trial;
    }
    return refusal.status == CGS_OK ? CGS_OK
                                    : cgs_fail(context, refusal.status, "%.1000s", refusal.message);
}

enum cgs_status cgs_machine_foresee(struct cgs_context *context, struct cgs_settings *settings)
{
    enum cgs_backend_choice backend = settings->backend;
    if (cgs_settings_box(settings) && settings->problem) {
        const struct cgs_mesh mesh = cgs_mesh_asked(settings);
        if (cgs_mesh_rows(&mesh) <= MESH_MOST)
            CGS_TRY(cgs_mesh_check(context, &mesh));
    }
    if (cgs_plugin_named(settings->kernel)) { /* its formats are not known before it is loaded */
        if (settings->given[CGS_OPTION_format])
            CGS_TRY(cgs_machine_check_format(context, settings));
        return cgs_settings_check_grids(context, settings, NULL);
    }
    CGS_TRY(cgs_machine_follow_kernel(context, settings, &(struct cgs_external){0}, &backend));
    CGS_TRY(cgs_machine_check_format(context, settings));
    return foresee_kernel(context, settings, backend);
}
