/* Chooses the kernel of a run by name, format, device, precision and --reproducible. */
#include "core/setup/machine_kernel.h"

#include <stdio.h>
#include <string.h>

#include "base/spelling.h"
#include "core/options/meant.h"
#include "core/options/solver_settings.h"
#include "core/setup/asked.h"
#include "fem/assembly.h"
#include "kernels/plugin/plugin.h"
#include "matrix/names.h"

enum { KERNELS_MOST = 256 }; /* maximum number of names compared for the nearest spelling */

enum cgs_status cgs_machine_look_up(struct cgs_context *context, const char *name, int *formats,
                                    int *devices)
{
    const char *names[KERNELS_MOST];
    int count;
    const struct cgs_kernel_entry *entries = cgs_kernels(&count);
    *formats = *devices = 0;
    for (int i = 0; i < count; i++) {
        if (i < KERNELS_MOST)
            names[i] = entries[i].name;
        if (strcmp(entries[i].name, name) == 0) {
            *formats |= 1 << entries[i].format;
            *devices |= 1 << entries[i].device;
        }
    }
    if (*formats != 0)
        return CGS_OK;
    if (name[0] == '\0')
        return cgs_fail(
            context, CGS_USAGE,
            "\1kernel has nothing on one side of a comma: leave the comma out, or name a "
            "kernel there ('cgsolve list kernels')");
    const int nearest = cgs_nearest(name, names, count < KERNELS_MOST ? count : KERNELS_MOST);
    if (strcmp(name, "all") == 0 || strchr(name, ','))
        return cgs_fail(context, CGS_USAGE,
                        "\1kernel=%s: a solve takes one kernel ('cgsolve list kernels'), or auto; "
                        "'cgsolve spmv' compares several",
                        name);
    char meant[64] = "";
    if (!cgs_meant_value(name, meant, sizeof meant) && nearest >= 0) /* "crs" is a format */
        snprintf(meant, sizeof meant, "%s", names[nearest]);
    return cgs_fail(context, CGS_USAGE,
                    "unknown kernel '%s'%s%s%s ('cgsolve list kernels' names all%s)", name,
                    meant[0] ? "; did you mean '" : "", meant, meant[0] ? "'?" : "",
                    strchr(name, '.') ? "; one of your own is a .c, .cu or .so" : "");
}

enum cgs_status cgs_machine_follow_kernel(struct cgs_context *context,
                                          struct cgs_settings *settings,
                                          const struct cgs_external *external,
                                          enum cgs_backend_choice *backend)
{
    int formats, devices;
    if (strcmp(settings->kernel, "auto") == 0)
        return CGS_OK;
    if (external->plugin) {
        const struct cgs_kernel_entry *entry =
            cgs_plugin_in_process(external->plugin, external->pulse);
        formats = 1 << entry->format;
        devices = 1 << entry->device;
    } else {
        CGS_TRY(cgs_machine_look_up(context, settings->kernel, &formats, &devices));
    }
    if (!settings->given[CGS_OPTION_format]) {
        for (enum cgs_format format = 0; format < CGS_FORMATS; format++)
            if (formats == 1 << format)
                CGS_DECIDE(settings, format, format);
        if (!cgs_format_chunked(settings->format) &&
            (settings->given[CGS_OPTION_chunk] || settings->given[CGS_OPTION_sigma]))
            return cgs_fail(context, CGS_USAGE,
                            "\1%s belongs to SELL, but kernel '%s' is of %s: leave it out",
                            settings->given[CGS_OPTION_chunk] ? "chunk" : "sigma", settings->kernel,
                            settings->format == CGS_CRS ? "CRS" : "\1format=none");
    }
    if (settings->given[CGS_OPTION_device] && devices == 1 << CGS_CPU)
        return cgs_fail(context, CGS_USAGE,
                        "\1device names a CUDA device, but kernel '%s' computes on the host: leave "
                        "one of them out",
                        settings->kernel);
    if (*backend == CGS_BACKEND_AUTO && devices == 1 << CGS_CPU)
        *backend = CGS_BACKEND_CPU;
    if (*backend == CGS_BACKEND_AUTO && devices == 1 << CGS_CUDA)
        *backend = CGS_BACKEND_CUDA;
    return CGS_OK;
}

/* Returns true if the kernel is as reproducible as the options ask for. */
static bool repeats(const struct cgs_settings *settings, enum cgs_device device,
                    const struct cgs_kernel *kernel)
{
    return settings->reproducible ? cgs_kernel_repeats(kernel, device) : kernel->reproducible;
}

/* Handles a kernel that is not reproducible: --kernel=auto takes the first reproducible one
 * instead; a kernel asked for by name is fine without --reproducible. */
static enum cgs_status prefer_reproducible(struct cgs_context *context,
                                           const struct cgs_settings *settings,
                                           struct cgs_machine *machine)
{
    const bool automatic = strcmp(settings->kernel, "auto") == 0;
    int count;
    const struct cgs_kernel_entry *all = cgs_kernels(&count), *other = NULL;
    for (int i = count - 1; i >= 0; i--) {
        const struct cgs_kernel *kernel = all[i].tables[settings->precision];
        if (all[i].device == machine->device && all[i].format == machine->entry->format && kernel &&
            repeats(settings, machine->device, kernel))
            other = &all[i];
    }
    if (automatic && other) {
        cgs_machine_use(settings->precision, other, machine);
    } else if (settings->reproducible) {
        return cgs_fail(context, CGS_USAGE,
                        "\1reproducible: kernel '%s' may give other bits in every run%s; %s%s",
                        machine->entry->name,
                        machine->kernel->reproducible ? ", or on more GPUs" : "",
                        other ? "take \1kernel="
                              : "none that does not takes this format, so take another \1format",
                        other ? other->name : "");
    }
    return CGS_OK;
}

/* Takes the user's kernel, which has one device and one format. */
static enum cgs_status take_plugin(struct cgs_context *context, const struct cgs_settings *settings,
                                   struct cgs_machine *machine)
{
    const struct cgs_kernel_entry *entry =
        cgs_plugin_in_process(machine->external.plugin, machine->external.pulse);
    const char *format = cgs_format_name(entry->format), *device = cgs_device_name(entry->device);
    if (cgs_plugin_broken(machine->external.plugin))
        return cgs_fail(context, CGS_NOT_CONVERGED, "%s",
                        cgs_plugin_broken(machine->external.plugin));
    if (entry->format != settings->format)
        return cgs_fail(context, CGS_USAGE, "kernel '%s' takes \1format=%s: leave out \1format=%s",
                        entry->name, format, cgs_format_name(settings->format));
    if (entry->device != machine->device)
        return cgs_fail(context, CGS_USAGE, "kernel '%s' is of backend %s: leave out \1backend=%s",
                        entry->name, device, cgs_device_name(machine->device));
    machine->entry = entry;
    return CGS_OK;
}

enum cgs_status cgs_machine_check_format(struct cgs_context *context,
                                         const struct cgs_settings *settings)
{
    const char *format = cgs_format_name(settings->format);
    const bool box = cgs_settings_box(settings);
    char cut[64];
    if (!box && settings->format == CGS_NONE)
        return cgs_fail(context, CGS_USAGE,
                        "kernel '%s' computes from the mesh of the box, but %s brings "
                        "entries without a mesh: leave one of them out",
                        settings->kernel, settings->matrix ? "\1matrix" : "the caller");
    if (!box)
        return CGS_OK;
    const struct cgs_mesh mesh = cgs_mesh_asked(settings);
    if (cgs_mesh_indexed(&mesh))
        return CGS_OK;
    char most[64];
    const bool cells = settings->cells.of[0] > 0;
    cgs_settings_write_cut(settings, cut, sizeof cut);
    if (cells)
        snprintf(most, sizeof most, "there are at most %d unknowns", INT32_MAX);
    else
        snprintf(most, sizeof most, "N is 1 ... %d", CGS_ASSEMBLER_MAX_N);
    const char *asked = cells ? cut : cut + strlen("\1N=");
    if (settings->format != CGS_NONE)
        return cgs_fail(context, CGS_USAGE,
                        "%s is out of range: the columns of \1format=%s have 32 bits, so that %s; "
                        "\1format=none has no columns",
                        cut, format, most);
    if (settings->coarse == CGS_COARSE_GALERKIN)
        return cgs_fail(
            context, CGS_USAGE,
            "\1coarse=galerkin needs the matrix by rows, whose columns have 32 bits: %s "
            "then, not %s; \1coarse=rediscretize does not",
            most, asked);
    if (settings->save_matrix)
        return cgs_fail(
            context, CGS_USAGE,
            "\1save-matrix needs the matrix by rows, whose columns have 32 bits: %s then, not %s",
            most, asked);
    return CGS_OK;
}

/* Returns true if that kernel accepts the mesh of the run. */
static bool takes_mesh(const struct cgs_settings *settings, const struct cgs_machine *machine,
                       const struct cgs_kernel_entry *entry)
{
    struct cgs_machine with = *machine;
    struct cgs_context quiet; /* the user did not ask for this kernel, so no message */
    with.entry = entry;
    with.kernel = entry->tables[settings->precision];
    if (!with.kernel)
        return false;
    const struct cgs_spec spec = cgs_spec_asked(settings, &with, NULL);
    cgs_context_init(&quiet);
    return cgs_spec_accepts(&quiet, &spec) == CGS_OK;
}

/* For --kernel=auto with --format=none: takes the first kernel that accepts the mesh if the default
 * does not. */
static void prefer_accepting(const struct cgs_settings *settings, struct cgs_machine *machine)
{
    int count;
    const struct cgs_kernel_entry *all = cgs_kernels(&count);
    if (takes_mesh(settings, machine, machine->entry))
        return;
    for (int i = 0; i < count; i++)
        if (all[i].device == machine->device && all[i].format == CGS_NONE &&
            takes_mesh(settings, machine, &all[i])) {
            machine->entry = &all[i];
            return;
        }
}

enum cgs_status cgs_machine_choose(struct cgs_context *context, const struct cgs_settings *settings,
                                   struct cgs_machine *machine)
{
    if (machine->external.plugin)
        CGS_TRY(take_plugin(context, settings, machine));
    else
        CGS_TRY(cgs_kernel_find(context, settings->kernel, machine->device, settings->format,
                                &machine->entry));
    if (settings->format == CGS_NONE && machine->automatic)
        prefer_accepting(settings, machine);
    cgs_machine_use(settings->precision, machine->entry, machine);
    if (machine->kernel && !repeats(settings, machine->device, machine->kernel))
        CGS_TRY(prefer_reproducible(context, settings, machine));
    CGS_TRY(cgs_settings_check_grids(context, settings, machine->entry));
    if (!machine->kernel || (settings->precision == CGS_PRECISION_MIXED && !machine->outer))
        return cgs_fail(context, CGS_USAGE, "kernel '%s' is not there in %s precision",
                        machine->entry->name, cgs_precision_name(settings->precision));
    return CGS_OK;
}
