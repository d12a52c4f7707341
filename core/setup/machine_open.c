#include "core/setup/machine_open.h"

#include <string.h>

#include "base/comm.h"
#include "core/io/threads.h"
#include "core/options/option_table.h"
#include "core/options/solver_settings.h"
#include "core/setup/asked.h"
#include "core/setup/machine_kernel.h"
#include "fem/element/order_cells.h"

/* Returns the CUDA device of this rank: that of --gpus or --device, else the ranks of a host
 * take its devices in turn. On all ranks at once. */
static int device_index(struct cgs_context *context, const struct cgs_settings *settings)
{
    double hosts[CGS_RANKS_MOST];
    struct cgs_survey survey;
    int place = 0;
    if (settings->given[CGS_OPTION_gpus])
        return cgs_gpus_device(&settings->gpus, context->comm ? context->comm->rank : 0);
    if (!context->comm || settings->given[CGS_OPTION_device] || !cgs_backend(CGS_CUDA))
        return (int)settings->device;
    cgs_comm_each(context, context->comm->host, hosts);
    for (int r = 0; r < context->comm->rank; r++)
        place += (int)hosts[r] == context->comm->host;
    cgs_backend(CGS_CUDA)->survey(&survey);
    return survey.devices > 0 ? place % survey.devices : 0;
}

static enum cgs_status open_device(struct cgs_context *context, const struct cgs_settings *settings,
                                   enum cgs_device device, struct cgs_machine *machine)
{
    const struct cgs_backend *backend = cgs_backend(device);
    if (!backend)
        return cgs_fail(context, CGS_DEVICE, "this build has no backend '%s': %s; or %s",
                        cgs_device_name(device), cgs_backend_reason(device),
                        settings->given[CGS_OPTION_device]      ? "leave out \1device"
                        : settings->backend == CGS_BACKEND_CUDA ? "take \1backend=cpu"
                                                                : "take \1kernel=auto");
    const int index = device == CGS_CUDA ? device_index(context, settings) : 0;
    CGS_TRY(backend->open(context, index, &machine->queue));
    machine->device = device;
    machine->index = index;
    machine->backend = backend;
    return CGS_OK;
}

/* Returns true if each rank of this host can have a device of its own. */
static bool devices_suffice(const struct cgs_context *context)
{
    struct cgs_survey survey;
    if (!context->comm)
        return true;
    cgs_backend(CGS_CUDA)->survey(&survey);
    return survey.devices >= context->comm->on_host;
}

/* Opens CUDA if this rank and all others can; returns false with the reason in machine->why. */
static bool open_cuda(struct cgs_context *context, const struct cgs_settings *settings,
                      struct cgs_machine *machine)
{
    enum cgs_status status = CGS_DEVICE;
    if (cgs_comm_most(context, devices_suffice(context) ? 0.0 : 1.0) > 0.0) {
        snprintf(machine->why, sizeof machine->why,
                 "a host has fewer GPUs than ranks: \1backend=cuda shares them");
        return false;
    }
    status = open_device(context, settings, CGS_CUDA, machine);
    if (status != CGS_OK) {
        snprintf(machine->why, sizeof machine->why, "%.500s", context->message);
        context->status = CGS_OK; /* not a failure: the CPU is used instead */
        context->message[0] = '\0';
    }
    if (cgs_comm_most(context, status == CGS_OK ? 0.0 : 1.0) == 0.0)
        return true;
    if (status == CGS_OK) {
        machine->backend->close(machine->queue);
        machine->queue = NULL;
        snprintf(machine->why, sizeof machine->why, "another rank has no usable GPU");
    }
    return false;
}

/* Opens CUDA if usable; else the CPU, with the reason, up to its remedy, in machine->why. */
static enum cgs_status open_best(struct cgs_context *context, const struct cgs_settings *settings,
                                 struct cgs_machine *machine)
{
    if (!cgs_backend(CGS_CUDA))
        snprintf(machine->why, sizeof machine->why, "%s", cgs_backend_reason(CGS_CUDA));
    else if (open_cuda(context, settings, machine))
        return CGS_OK;
    char *remedy = strstr(machine->why, ": ");
    if (remedy)
        *remedy = '\0';
    return open_device(context, settings, CGS_CPU, machine);
}

enum cgs_status cgs_machine_check_launch(struct cgs_context *context,
                                         const struct cgs_settings *settings,
                                         const struct cgs_machine *machine, bool graphs)
{
    if (graphs || settings->launch == CGS_LAUNCH_PLAIN || settings->launch == CGS_LAUNCH_AUTO)
        return CGS_OK;
    return cgs_fail(context, CGS_USAGE,
                    "\1launch=%s is for CUDA devices, and this run is on the CPU%s%s: take "
                    "\1launch=plain, or auto",
                    cgs_option_choice(settings, CGS_OPTION_launch), machine->why[0] ? ", as " : "",
                    machine->why);
}

void cgs_settle_iterations(struct cgs_settings *settings, int64_t rows)
{
    enum { DELAY = 10, LEAST = 1000, MOST = 100000 };
    const int64_t most = rows > MOST / DELAY ? MOST : DELAY * rows;
    if (!settings->known[CGS_OPTION_max_iterations])
        CGS_DECIDE(settings, max_iterations, most < LEAST ? LEAST : most);
}

void cgs_settle_launch(struct cgs_settings *settings, enum cgs_launch launch)
{
    if (!settings->given[CGS_OPTION_launch])
        CGS_DECIDE(settings, launch, launch);
}

static void decide_device(const struct cgs_context *context, struct cgs_settings *settings,
                          const struct cgs_machine *machine)
{
    CGS_DECIDE(settings, backend, (enum cgs_backend_choice)machine->device);
    CGS_DECIDE(settings, threads, context->threads);
    if (machine->device == CGS_CUDA && !settings->given[CGS_OPTION_gpus] &&
        cgs_comm_size(context) == 1) /* several ranks have one each */
        CGS_DECIDE(settings, device, settings->device);
}

static enum cgs_status check_form(struct cgs_context *context, const struct cgs_settings *settings,
                                  const struct cgs_machine *machine)
{
    if (settings->cg == CGS_CG_STANDARD || machine->device == CGS_CPU)
        return CGS_OK;
    return cgs_fail(context, CGS_USAGE,
                    "\1cg=%s works on the CPU alone, and this run is on a GPU: take "
                    "\1backend=cpu, or \1cg=standard",
                    cgs_option_choice(settings, CGS_OPTION_cg));
}

/* Decides on the preconditioner of cells of order p > 1 that are no star. */
static void take_for_cells(struct cgs_settings *settings, bool mass)
{
    cgs_settings_take_precond(settings, mass ? CGS_PRECOND_JACOBI : CGS_PRECOND_MG,
                              mass ? "a mass matrix"
                                   : "cells of higher order that are no products of lines");
}

/* Fills in the options that the user left open and that depend on machine and kernel. */
static enum cgs_status decide(struct cgs_context *context, struct cgs_settings *settings,
                              const struct cgs_machine *machine)
{
    const enum cgs_precision precision = settings->precision;
    const enum cgs_number real = cgs_precision_real(precision);
    const bool graphs = machine->backend->spaces[real]->record_begin != NULL;

    decide_device(context, settings, machine);
    CGS_TRY(check_form(context, settings, machine));
    CGS_DECIDE(settings, kernel, machine->entry->name);
    if (cgs_format_chunked(settings->format)) {
        if (!settings->known[CGS_OPTION_chunk])
            CGS_DECIDE(settings, chunk, machine->backend->chunk[cgs_precision_value(precision)]);
        if (!settings->known[CGS_OPTION_sigma])
            CGS_DECIDE(settings, sigma, 1);
    }
    CGS_TRY(cgs_assembly_decide(context, settings, machine));
    CGS_TRY(cgs_machine_check_launch(context, settings, machine, graphs));
    if (settings->launch == CGS_LAUNCH_AUTO) /* no graph with a profile, which times the steps */
        CGS_DECIDE(settings, launch,
                   graphs && machine->kernel->capturable && !settings->profile ? CGS_LAUNCH_GRAPH
                                                                               : CGS_LAUNCH_PLAIN);
    if (!settings->known[CGS_OPTION_tol])
        CGS_DECIDE(settings, tol, precision == CGS_PRECISION_F32 ? 1e-5 : 1e-10);
    if (settings->precond == CGS_PRECOND_AUTO && settings->guess == CGS_GUESS_FMG)
        cgs_settings_take_precond(settings, CGS_PRECOND_MG, "--guess=fmg has its grids");
    if (!cgs_settings_box(settings))
        return CGS_OK; /* once its rows are read */
    const struct cgs_mesh mesh = cgs_mesh_asked(settings);
    if (settings->precond == CGS_PRECOND_AUTO && mesh.order > 1 && !cgs_order_star(&mesh))
        take_for_cells(settings, mesh.mass);
    if (!settings->known[CGS_OPTION_max_iterations])
        CGS_DECIDE(settings, max_iterations, cgs_default_iterations(&mesh));
    return CGS_OK;
}

/* Opens the queues and leaves `entry` and `kernel` NULL. */
static enum cgs_status open_machine(struct cgs_context *context,
                                    const struct cgs_settings *settings,
                                    enum cgs_backend_choice backend, struct cgs_machine *machine)
{
    *machine = (struct cgs_machine){0};
    cgs_contention_start("", &machine->contention);
    CGS_TRY(cgs_threads_start(context,
                              settings->given[CGS_OPTION_threads] ? (int)settings->threads : 0));
    if (settings->given[CGS_OPTION_device] && backend == CGS_BACKEND_AUTO)
        backend = CGS_BACKEND_CUDA; /* --device implies CUDA */
    if (backend == CGS_BACKEND_AUTO)
        CGS_TRY(open_best(context, settings, machine));
    else
        CGS_TRY(open_device(context, settings, (enum cgs_device)backend, machine));
    machine->queue->fixed = settings->reproducible && machine->device != CGS_CPU;
    if (machine->device == CGS_CPU)
        machine->host_queue = machine->queue;
    else
        CGS_TRY(cgs_backend(CGS_CPU)->open(context, 0, &machine->host_queue));
    CGS_TRY(cgs_backend(CGS_CPU)->describe(machine->host_queue, &machine->host));
    return machine->backend->describe(machine->queue, &machine->info);
}

enum cgs_status cgs_machine_open_for(struct cgs_context *context, struct cgs_settings *settings,
                                     int devices, struct cgs_machine *machine)
{
    enum cgs_backend_choice backend = settings->backend;
    if (backend == CGS_BACKEND_AUTO && devices == 1 << CGS_CPU &&
        !settings->given[CGS_OPTION_device])
        backend = CGS_BACKEND_CPU;
    if (backend == CGS_BACKEND_AUTO && devices == 1 << CGS_CUDA)
        backend = CGS_BACKEND_CUDA;
    CGS_TRY(open_machine(context, settings, backend, machine));
    decide_device(context, settings, machine);
    return CGS_OK;
}

enum cgs_status cgs_machine_open(struct cgs_context *context, struct cgs_settings *settings,
                                 const struct cgs_external *external, struct cgs_machine *machine)
{
    enum cgs_backend_choice backend = settings->backend;
    *machine = (struct cgs_machine){0};
    CGS_TRY(cgs_machine_follow_kernel(context, settings, external, &backend));
    CGS_TRY(cgs_machine_check_format(context, settings));
    if (cgs_settings_box(settings) && !settings->given[CGS_OPTION_threads] && !external->plugin) {
        const struct cgs_mesh mesh = cgs_mesh_asked(settings);
        context->threads =
            cgs_threads_helping(context->threads, CGS_THREADS_ROW * cgs_mesh_rows(&mesh));
    }
    CGS_TRY(open_machine(context, settings, backend, machine));
    machine->external = *external;
    machine->automatic = strcmp(settings->kernel, "auto") == 0;
    CGS_TRY(cgs_machine_choose(context, settings, machine));
    return decide(context, settings, machine);
}

enum cgs_status cgs_machine_take(struct cgs_context *context, struct cgs_settings *settings,
                                 const struct cgs_kernel_entry *entry, int32_t chunk, int32_t sigma,
                                 struct cgs_machine *machine)
{
    cgs_machine_use(settings->precision, entry, machine);
    CGS_DECIDE(settings, format, entry->format);
    settings->known[CGS_OPTION_chunk] = settings->known[CGS_OPTION_sigma] =
        cgs_format_chunked(entry->format);
    if (cgs_format_chunked(entry->format)) {
        CGS_DECIDE(settings, chunk, chunk);
        CGS_DECIDE(settings, sigma, sigma);
    }
    if (!settings->given[CGS_OPTION_launch])
        settings->launch = CGS_LAUNCH_AUTO;
    return decide(context, settings, machine);
}
