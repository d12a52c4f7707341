#include "core/setup/asked.h"

#include "base/comm.h"
#include "core/field/writer.h"
#include "core/options/solver_settings.h"
#include "core/options/user_problem.h"
#include "fem/rows.h"
#include "kernels/spgemm/spgemm.h"
#include "matrix/sellc/sellc.h"

struct cgs_mesh cgs_mesh_asked(const struct cgs_settings *settings)
{
    int64_t n[3];
    if (settings->model)
        return settings->model->mesh;
    cgs_settings_unknowns(settings, n);
    const enum cgs_quadrature rule = settings->order > 1 ? CGS_GAUSS : settings->quadrature;
    struct cgs_mesh mesh = cgs_mesh_box(n, settings->size.of, rule, 1.0);
    if (settings->problem->course)
        for (int k = 0; k < 3; k++)
            mesh.scale *= (double)(n[k] + 1) / mesh.size[k];
    mesh.order = (int)settings->order;
    mesh.gauss = settings->order > 1 && settings->quadrature == CGS_GAUSS;
    mesh.mass = settings->problem->mass;
    mesh.deform = settings->deform;
    mesh.kappa = settings->kappa;
    return mesh;
}

struct cgs_input_settings cgs_input_asked(const struct cgs_settings *settings,
                                          const struct cgs_external *external)
{
    static const struct cgs_caller none = {0};
    const struct cgs_caller *caller = external->caller ? external->caller : &none;
    return (struct cgs_input_settings){
        .kind = cgs_settings_box(settings)    ? CGS_INPUT_BOX
                : caller->crs || caller->part ? CGS_INPUT_MEMORY
                : caller->there               ? CGS_INPUT_DEVICE
                : caller->product             ? CGS_INPUT_CALLBACK
                : settings->matrix            ? CGS_INPUT_FILE
                                              : CGS_INPUT_RANDOM,
        .mesh = cgs_settings_box(settings) ? cgs_mesh_asked(settings)
                                           : cgs_mesh_cube(1, CGS_GAUSS, 1.0),
        .file = settings->matrix,
        .random = settings->random,
        .rows = caller->crs,
        .part = caller->part,
        .there = caller->there,
        .product = caller->product,
    };
}

/* ---- assembly of the model problem: host or device ---- */

/* Returns the device's assembly operations; NULL: the host assembles, as where the bits of load
 * vector and errors are not to depend on the number of devices. */
static const struct cgs_assembly_ops *box_of(const struct cgs_settings *settings,
                                             const struct cgs_machine *machine)
{
    return cgs_settings_box(settings) && settings->assemble == CGS_ASSEMBLE_DEVICE &&
                   !settings->reproducible
               ? machine->backend->box
               : NULL;
}

/* Returns the operations for load vector and errors; NULL: the host computes them, as those of a
 * problem of the user's own, whose expressions it evaluates. */
static const struct cgs_assembly_ops *load_of(const struct cgs_settings *settings,
                                              const struct cgs_machine *machine)
{
    return settings->model ? NULL : box_of(settings, machine);
}

/* Returns why the device cannot assemble the matrix of these options; NULL if it can. */
static const char *refusal_of(const struct cgs_settings *settings,
                              const struct cgs_machine *machine)
{
    const struct cgs_assembly_ops *box = machine->backend->box;
    const struct cgs_mesh mesh = cgs_mesh_asked(settings);
    const bool chunks = settings->format == CGS_SELL;
    const struct cgs_matrix matrix = {
        .format = settings->format,
        .chunk = chunks ? (int32_t)settings->chunk : 1,
        .sigma = chunks ? (int32_t)settings->sigma : 1,
    };
    if (!box)
        return "this run is on the CPU";
    if (machine->external.plugin)
        return "rows of a kernel of your own are drawn on the host";
    return box->refuses(machine->queue, &matrix, &mesh);
}

/* Returns true if the device assembles the matrix, too. */
static bool computes_matrix(const struct cgs_settings *settings, const struct cgs_machine *machine)
{
    return box_of(settings, machine) && !refusal_of(settings, machine);
}

/* Returns true if the run needs a vector of all unknowns on the host. */
static bool holds(const struct cgs_settings *settings, const struct cgs_machine *machine)
{
    return !load_of(settings, machine) || (settings->output && !cgs_settings_fields(settings)) ||
           settings->stop == CGS_STOP_DISCRETIZATION || cgs_settings_probes(settings);
}

/* Returns true if the run transfers numbers to or from the device, through pinned staging
 * memory. */
static bool sends(const struct cgs_settings *settings, const struct cgs_machine *machine)
{
    const bool entries = settings->format != CGS_NONE && !computes_matrix(settings, machine);
    return !load_of(settings, machine) || entries || settings->output || machine->external.caller ||
           settings->slice || cgs_settings_probes(settings) ||
           settings->stop == CGS_STOP_DISCRETIZATION || settings->problem->course ||
           settings->precond != CGS_PRECOND_NONE || settings->guess != CGS_GUESS_ZERO ||
           settings->inject.kind != CGS_FAULT_NONE;
}

enum cgs_status cgs_assembly_decide(struct cgs_context *context, struct cgs_settings *settings,
                                    const struct cgs_machine *machine)
{
    if (!cgs_settings_box(settings))
        return CGS_OK;
    const bool entries = settings->format != CGS_NONE || !machine->backend->box;
    const char *refusal = entries ? refusal_of(settings, machine) : NULL;
    if (settings->assemble == CGS_ASSEMBLE_DEVICE && refusal) {
        const char *why = machine->backend->box ? "" : machine->why;
        return cgs_fail(context, CGS_USAGE,
                        "\1assemble=device: %s%s%s: take \1assemble=host, or auto", refusal,
                        why[0] ? ", as " : "", why);
    }
    /* Load vector and errors of a built-in problem are the device's even where it refuses the
     * matrix. */
    if (settings->assemble == CGS_ASSEMBLE_AUTO)
        CGS_DECIDE(settings, assemble,
                   machine->backend->box && !settings->reproducible && !(settings->model && refusal)
                       ? CGS_ASSEMBLE_DEVICE
                       : CGS_ASSEMBLE_HOST);
    return CGS_OK;
}

/* ---- the run ---- */

/* Returns the SpGEMM kernel of multigrid's set-up; NULL: none. */
static const struct cgs_spgemm_kernel *products_of(const struct cgs_machine *machine)
{
    struct cgs_context quiet; /* the set-up reports a missing kernel */
    const struct cgs_spgemm_entry *entry;
    cgs_context_init(&quiet);
    const enum cgs_status status = cgs_spgemm_find(&quiet, "auto", machine->device, &entry);
    return status == CGS_OK ? entry->tables[CGS_F64] : NULL;
}

/* Returns the kernel that applies Galerkin products; NULL: none. */
static const struct cgs_kernel_entry *coarse_of(const struct cgs_machine *machine)
{
    struct cgs_context quiet;
    const struct cgs_kernel_entry *entry;
    cgs_context_init(&quiet);
    const enum cgs_status status =
        cgs_kernel_find(&quiet, "auto", machine->device, CGS_CRS, &entry);
    return status == CGS_OK ? entry : NULL;
}

const struct cgs_kernel *cgs_cycle_kernel(const struct cgs_spec *spec,
                                          const struct cgs_kernel_entry *entry, bool automatic)
{
    const bool copied = cgs_precision_real(spec->precision) != spec->cycle_number;
    struct cgs_context quiet; /* without SELLC, SELL will do */
    cgs_context_init(&quiet);
    if (automatic && copied && entry->device == CGS_CPU && entry->format == CGS_SELL &&
        spec->chunk <= CGS_SELLC_CHUNK_MOST &&
        cgs_precond_is(spec->precond, CGS_PRECOND_AGGREGATES))
        cgs_kernel_find(&quiet, "auto", CGS_CPU, CGS_SELLC, &entry);
    return entry->tables[spec->cycle_number == CGS_F64 ? CGS_PRECISION_F64 : CGS_PRECISION_F32];
}

static int rank_of(const struct cgs_machine *machine)
{
    const struct cgs_comm *comm = machine->host_queue ? machine->host_queue->context->comm : NULL;
    return comm ? comm->rank : 0;
}

struct cgs_spec cgs_spec_asked(const struct cgs_settings *settings,
                               const struct cgs_machine *machine, const struct cgs_matrix *laid)
{
    const bool grids = cgs_settings_grids(settings);
    const bool galerkin = grids && settings->coarse == CGS_COARSE_GALERKIN;
    struct cgs_spec spec = {
        .backend = machine->backend,
        .kernel = machine->kernel,
        .outer = machine->outer,
        .precision = settings->precision,
        .format = settings->format,
        .chunk = cgs_settings_chunk(settings),
        .sigma = cgs_settings_sigma(settings),
        .mesh = settings->problem ? cgs_mesh_asked(settings)
                                  : cgs_mesh_cube(settings->n, CGS_GAUSS, 1.0),
        .user = settings->model && !laid ? &settings->model->user : NULL,
        .laid = laid,
        .borrowed = settings->from_caller && !cgs_external_part(&machine->external),
        .precond = settings->precond,
        .guided = cgs_external_precondition(&machine->external) != NULL,
        .degree = (int)settings->degree,
        .strength = settings->strength,
        .reuse = settings->reuse,
        .near = settings->near,
        .grids = grids,
        .whole_n = settings->given[CGS_OPTION_whole_grids] ? settings->whole_grids : -1,
        .cycle_number = cgs_settings_cycle(settings),
        .transform_number = cgs_settings_transform(settings),
        .products = galerkin || cgs_precond_is(settings->precond, CGS_PRECOND_AGGREGATES)
                        ? products_of(machine)
                        : NULL,
        .coarse = galerkin ? coarse_of(machine) : NULL,
        .started = settings->guess == CGS_GUESS_FMG,
        .read_vectors = (settings->guess_file != NULL) + (settings->model && settings->rhs),
        .method = settings->cg,
        .max_iterations = settings->max_iterations,
        .rank = rank_of(machine),
        .ranks = machine->host_queue ? cgs_comm_size(machine->host_queue->context) : 1,
        .fixed = settings->reproducible && machine->device != CGS_CPU,
        .bare = settings->guess == CGS_GUESS_ZERO && settings->max_iterations > 0 &&
                !(settings->problem && settings->problem->course) &&
                !cgs_settings_draw_residual(settings),
        .profiled = settings->profile,
        .threads = (int)settings->threads,
        .holds = holds(settings, machine),
        .sends = sends(settings, machine),
        .box = box_of(settings, machine),
        .load = load_of(settings, machine),
        .on_device = computes_matrix(settings, machine),
        .fields =
            cgs_settings_fields(settings) ? cgs_writer(cgs_settings_file_type(settings)->id) : NULL,
        .slices = cgs_line_count(settings->slice),
    };
    spec.constants = !laid && cgs_mesh_unheld(&spec.mesh);
    if (cgs_settings_cycles(settings))
        spec.cycle = cgs_cycle_kernel(&spec, machine->entry, machine->automatic);
    spec.low = cgs_spec_low(&spec);
    return spec;
}
