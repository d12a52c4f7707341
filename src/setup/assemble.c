#include "src/setup/assemble.h"

#include <string.h>

#include "src/setup/mesh.h"

const struct cgs_assembly_ops *cgs_assemble_box(const struct cgs_options *options,
                                                const struct cgs_machine *machine)
{
    return cgs_options_box(options) && options->assemble == CGS_ASSEMBLE_DEVICE
               ? machine->backend->box
               : NULL;
}

/* Why the matrix of these options can't be computed on the machine's device; NULL: it can. */
static const char *refusal_of(const struct cgs_options *options, const struct cgs_machine *machine)
{
    const struct cgs_assembly_ops *box = machine->backend->box;
    const struct cgs_mesh mesh = cgs_mesh_asked(options, options->n);
    const bool chunks = options->format == CGS_SELL;
    const struct cgs_matrix matrix = {
        .format = (enum cgs_format)options->format,
        .chunk = chunks ? (int32_t)options->chunk : 1,
        .sigma = chunks ? (int32_t)options->sigma : 1,
    };
    if (!box)
        return "this run is on the CPU";
    if (options->foreign)
        return "rows of a kernel of your own are drawn on the host";
    return box->refuses(machine->queue, &matrix, &mesh);
}

bool cgs_assemble_matrix(const struct cgs_options *options, const struct cgs_machine *machine)
{
    return cgs_assemble_box(options, machine) && !refusal_of(options, machine);
}

bool cgs_assemble_holds(const struct cgs_options *options, const struct cgs_machine *machine)
{
    return !cgs_assemble_box(options, machine) ||
           (options->output && !cgs_options_vtkhdf(options)) ||
           options->stop == CGS_STOP_DISCRETIZATION;
}

bool cgs_assemble_sends(const struct cgs_options *options, const struct cgs_machine *machine)
{
    const bool entries = options->format != CGS_NONE && !cgs_assemble_matrix(options, machine);
    return !cgs_assemble_box(options, machine) || entries || options->output || options->handed ||
           options->slice.file || options->stop == CGS_STOP_DISCRETIZATION || options->problem->course ||
           options->precond != CGS_PRECOND_NONE || options->guess != CGS_GUESS_ZERO ||
           options->inject.kind != CGS_FAULT_NONE;
}

enum cgs_status cgs_assemble_decide(struct cgs_context *context, struct cgs_options *options,
                                    const struct cgs_machine *machine)
{
    if (!cgs_options_box(options))
        return CGS_OK;
    if (options->assemble == CGS_ASSEMBLE_DEVICE &&
        (options->format != CGS_NONE || !machine->backend->box)) {
        const char *refusal = refusal_of(options, machine);
        const char *why = machine->backend->box ? "" : machine->why;
        if (refusal)
            return cgs_fail(context, CGS_USAGE,
                            "--assemble=device: %s%s%s: take --assemble=host, or auto", refusal,
                            why[0] ? ", as " : "", why);
    }
    if (options->assemble == CGS_ASSEMBLE_AUTO)
        CGS_DECIDE(options, assemble,
                   machine->backend->box ? CGS_ASSEMBLE_DEVICE : CGS_ASSEMBLE_HOST);
    return CGS_OK;
}

enum cgs_status cgs_assemble_jacobi(const struct cgs_options *options,
                                    const struct cgs_machine *machine,
                                    const struct cgs_operator *op,
                                    const struct cgs_row_source *source,
                                    struct cgs_operator *jacobi)
{
    const struct cgs_assembly_ops *box = cgs_assemble_box(options, machine);
    if (box && source->mesh)
        return cgs_jacobi_compute(machine->queue, op, box, source->mesh, jacobi);
    return cgs_jacobi_create(machine->queue, op, source, jacobi);
}

struct cgs_box_problem cgs_assemble_problem(const struct cgs_problem *problem,
                                            const struct cgs_mesh *mesh)
{
    struct cgs_box_problem plain = {
        .mesh = *mesh,
        .terms = problem->terms,
        .over_kappa = problem->over_kappa && mesh->kappa.kind == CGS_KAPPA_JUMP,
        .lifted = problem->boundary_values,
    };
    memcpy(plain.factor, problem->factor, sizeof plain.factor);
    return plain;
}
