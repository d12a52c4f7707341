#include "core/settle/asked.h"

#include "base/comm.h"
#include "core/field/writer.h"
#include "core/options/own.h"

struct cgs_mesh cgs_mesh_asked(const struct cgs_options *options)
{
    int64_t n[3];
    if (options->own)
        return options->own->mesh;
    cgs_options_unknowns(options, n);
    struct cgs_mesh mesh = cgs_mesh_box(n, options->size.of, options->quadrature, 1.0);
    if (options->problem->course)
        for (int k = 0; k < 3; k++)
            mesh.scale *= (double)(n[k] + 1) / mesh.size[k];
    mesh.deform = options->deform;
    mesh.kappa = options->kappa;
    return mesh;
}

struct cgs_input_settings cgs_input_asked(const struct cgs_options *options)
{
    return (struct cgs_input_settings){
        .kind = cgs_options_box(options)      ? CGS_INPUT_BOX
                : cgs_options_memory(options) ? CGS_INPUT_MEMORY
                : cgs_options_part(options)   ? CGS_INPUT_MEMORY
                : cgs_options_there(options)  ? CGS_INPUT_DEVICE
                : cgs_options_handed(options) ? CGS_INPUT_CALLBACK
                : options->matrix             ? CGS_INPUT_FILE
                                              : CGS_INPUT_RANDOM,
        .mesh =
            cgs_options_box(options) ? cgs_mesh_asked(options) : cgs_mesh_cube(1, CGS_GAUSS, 1.0),
        .file = options->matrix,
        .random = options->random,
        .rows = cgs_options_memory(options),
        .part = cgs_options_part(options),
        .there = cgs_options_there(options),
        .product = options->handed ? options->handed->product : NULL,
    };
}

/* ---- assembly of the model problem: host or device ---- */

/* Returns the device's assembly operations; NULL: the host assembles, as where the bits of load vector and errors
 * are not to depend on the number of devices. */
static const struct cgs_assembly_ops *box_of(const struct cgs_options *options,
                                        const struct cgs_machine *machine)
{
    return cgs_options_box(options) && options->assemble == CGS_ASSEMBLE_DEVICE &&
                   !options->reproducible
               ? machine->backend->box
               : NULL;
}

/* Returns the operations for load vector and errors; NULL: the host computes them, as those of a problem of the
 * user's own, whose expressions it evaluates. */
static const struct cgs_assembly_ops *load_of(const struct cgs_options *options,
                                              const struct cgs_machine *machine)
{
    return options->own ? NULL : box_of(options, machine);
}

/* Returns why the device cannot assemble the matrix of these options; NULL if it can. */
static const char *refusal_of(const struct cgs_options *options, const struct cgs_machine *machine)
{
    const struct cgs_assembly_ops *box = machine->backend->box;
    const struct cgs_mesh mesh = cgs_mesh_asked(options);
    const bool chunks = options->format == CGS_SELL;
    const struct cgs_matrix matrix = {
        .format = options->format,
        .chunk = chunks ? (int32_t)options->chunk : 1,
        .sigma = chunks ? (int32_t)options->sigma : 1,
    };
    if (!box)
        return "this run is on the CPU";
    if (options->foreign)
        return "rows of a kernel of your own are drawn on the host";
    return box->refuses(machine->queue, &matrix, &mesh);
}

/* Returns true if the device assembles the matrix, too. */
static bool computes_matrix(const struct cgs_options *options, const struct cgs_machine *machine)
{
    return box_of(options, machine) && !refusal_of(options, machine);
}

/* Returns true if the run needs a vector of all unknowns on the host. */
static bool holds(const struct cgs_options *options, const struct cgs_machine *machine)
{
    return !load_of(options, machine) || (options->output && !cgs_options_fields(options)) ||
           options->stop == CGS_STOP_DISCRETIZATION;
}

/* Returns true if the run transfers numbers to or from the device, through pinned staging
 * memory. */
static bool sends(const struct cgs_options *options, const struct cgs_machine *machine)
{
    const bool entries = options->format != CGS_NONE && !computes_matrix(options, machine);
    return !load_of(options, machine) || entries || options->output || options->handed ||
           options->slice.file || options->stop == CGS_STOP_DISCRETIZATION ||
           options->problem->course || options->precond != CGS_PRECOND_NONE ||
           options->guess != CGS_GUESS_ZERO || options->inject.kind != CGS_FAULT_NONE;
}

enum cgs_status cgs_assembly_decide(struct cgs_context *context, struct cgs_options *options,
                                    const struct cgs_machine *machine)
{
    if (!cgs_options_box(options))
        return CGS_OK;
    const bool entries = options->format != CGS_NONE || !machine->backend->box;
    const char *refusal = entries ? refusal_of(options, machine) : NULL;
    if (options->assemble == CGS_ASSEMBLE_DEVICE && refusal) {
        const char *why = machine->backend->box ? "" : machine->why;
        return cgs_fail(context, CGS_USAGE,
                        "--assemble=device: %s%s%s: take --assemble=host, or auto", refusal,
                        why[0] ? ", as " : "", why);
    }
    /* Load vector and errors of a built-in problem are the device's even where it refuses the matrix. */
    if (options->assemble == CGS_ASSEMBLE_AUTO)
        CGS_DECIDE(options, assemble,
                   machine->backend->box && !options->reproducible && !(options->own && refusal)
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

static int rank_of(const struct cgs_machine *machine)
{
    const struct cgs_comm *comm = machine->host_queue ? machine->host_queue->context->comm : NULL;
    return comm ? comm->rank : 0;
}

struct cgs_spec cgs_spec_asked(const struct cgs_options *options, const struct cgs_machine *machine,
                               const struct cgs_matrix *laid)
{
    const bool grids = cgs_options_grids(options);
    const bool galerkin = grids && options->coarse == CGS_COARSE_GALERKIN;
    const enum cgs_number cycle = cgs_options_cycle(options);
    return (struct cgs_spec){
        .backend = machine->backend,
        .kernel = machine->kernel,
        .outer = machine->outer,
        .precision = options->precision,
        .format = options->format,
        .chunk = cgs_options_chunk(options),
        .sigma = cgs_options_sigma(options),
        .mesh =
            options->problem ? cgs_mesh_asked(options) : cgs_mesh_cube(options->n, CGS_GAUSS, 1.0),
        .own = options->own && !laid ? &options->own->own : NULL,
        .laid = laid,
        .borrowed = cgs_options_handed(options) && !cgs_options_part(options),
        .precond = options->precond,
        .guided = options->handed && options->handed->precondition,
        .degree = (int)options->degree,
        .strength = options->strength,
        .grids = grids,
        .whole_n = options->given[CGS_OPTION_whole_grids] ? options->whole_grids : -1,
        .cycle =
            cgs_options_cycles(options)
                ? machine->entry->tables[cycle == CGS_F64 ? CGS_PRECISION_F64 : CGS_PRECISION_F32]
                : NULL,
        .cycle_number = cycle,
        .products = galerkin || cgs_precond_is(options->precond, CGS_PRECOND_AGGREGATES)
                        ? products_of(machine)
                        : NULL,
        .coarse = galerkin ? coarse_of(machine) : NULL,
        .started = options->guess == CGS_GUESS_FMG,
        .read_vectors = (options->guess_file != NULL) + (options->own && options->rhs),
        .method = options->cg,
        .max_iterations = options->max_iterations,
        .rank = rank_of(machine),
        .ranks = machine->host_queue ? cgs_comm_size(machine->host_queue->context) : 1,
        .profiled = options->profile,
        .threads = (int)options->threads,
        .holds = holds(options, machine),
        .sends = sends(options, machine),
        .box = box_of(options, machine),
        .load = load_of(options, machine),
        .on_device = computes_matrix(options, machine),
        .fields =
            cgs_options_fields(options) ? cgs_writer(cgs_options_file_type(options)->id) : NULL,
        .slice = options->slice.file != NULL,
    };
}
