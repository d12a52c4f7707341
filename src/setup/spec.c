#include "src/setup/spec.h"

#include "base/memory.h"
#include "fem/assembly.h"
#include "src/setup/assemble.h"
#include "src/setup/mesh.h"

/* What multiplies matrices in multigrid's set-up, and what applies Galerkin products. */
static const struct cgs_spgemm_kernel *products_of(const struct cgs_machine *machine)
{
    struct cgs_context quiet; /* where there is none, set-up will say so */
    const struct cgs_spgemm_entry *entry;
    cgs_context_init(&quiet);
    const enum cgs_status status = cgs_spgemm_find(&quiet, "auto", machine->device, &entry);
    return status == CGS_OK ? entry->tables[CGS_F64] : NULL;
}

static const struct cgs_kernel_entry *coarse_of(const struct cgs_machine *machine)
{
    struct cgs_context quiet;
    const struct cgs_kernel_entry *entry;
    cgs_context_init(&quiet);
    const enum cgs_status status =
        cgs_kernel_find(&quiet, "auto", machine->device, CGS_CRS, &entry);
    return status == CGS_OK ? entry : NULL;
}

struct cgs_spec cgs_spec_of(const struct cgs_options *options,
                                    const struct cgs_machine *machine,
                                    const struct cgs_matrix *laid)
{
    const bool grids = cgs_options_grids(options);
    const bool galerkin = grids && options->coarse == CGS_COARSE_GALERKIN;
    const enum cgs_number cycle = cgs_options_cycle(options);
    return (struct cgs_spec){
        .backend = machine->backend,
        .kernel = machine->kernel,
        .outer = machine->outer,
        .precision = (enum cgs_precision)options->precision,
        .format = (enum cgs_format)options->format,
        .chunk = cgs_options_chunk(options),
        .sigma = cgs_options_sigma(options),
        .mesh = options->problem ? cgs_mesh_asked(options, options->n)
                                 : cgs_mesh_cube(options->n, CGS_GAUSS, 1.0),
        .laid = laid,
        .borrowed = cgs_options_memory(options) != NULL,
        .precond = (enum cgs_precond)options->precond,
        .degree = (int)options->degree,
        .strength = options->strength,
        .grids = grids,
        .cycle =
            cgs_options_cycles(options)
                ? machine->entry->tables[cycle == CGS_F64 ? CGS_PRECISION_F64 : CGS_PRECISION_F32]
                : NULL,
        .cycle_number = cycle,
        .products = galerkin || cgs_precond_is(options->precond, CGS_PRECOND_AGGREGATES) ? products_of(machine) : NULL,
        .coarse = galerkin ? coarse_of(machine) : NULL,
        .started = options->guess == CGS_GUESS_FMG,
        .max_iterations = options->max_iterations,
        .profiled = options->profile,
        .threads = (int)options->threads,
        .holds = cgs_assemble_holds(options, machine),
        .sends = cgs_assemble_sends(options, machine),
        .pictures = cgs_options_pictures(options) ? options : NULL,
    };
}

void cgs_spec_resize(struct cgs_spec *forecast, int64_t n)
{
    forecast->mesh.n = n;
    forecast->mesh.h = 1.0 / (double)(n + 1);
}

void cgs_spec_matrix(const struct cgs_spec *forecast, struct cgs_matrix *matrix)
{
    if (forecast->laid) {
        *matrix = *forecast->laid;
        matrix->pointers = NULL;
        matrix->permutation = NULL;
        return;
    }
    const int64_t n = forecast->mesh.n, rows = n * n * n, chunk = forecast->chunk;
    const int64_t nonzeros = cgs_mesh_nonzeros(&forecast->mesh);
    *matrix = (struct cgs_matrix){
        .format = forecast->format,
        .mesh = &forecast->mesh,
        .rows = rows,
        .columns = rows,
        .nonzeros = nonzeros,
        .stored = cgs_format_chunked(forecast->format)
                      ? cgs_box_stored(n, forecast->chunk, forecast->sigma)
                  : forecast->format == CGS_NONE ? 0
                                                 : nonzeros,
        .units = forecast->format == CGS_NONE ? 0 : rows / chunk + (rows % chunk != 0),
        .chunk = forecast->chunk,
        .sigma = forecast->sigma,
        .diagonals = 27,
        .constant = cgs_mesh_plain(&forecast->mesh),
        .statistics = cgs_mesh_statistics(&forecast->mesh),
    };
}

struct cgs_operator cgs_spec_operator_of(const struct cgs_backend *backend,
                                       const struct cgs_kernel *kernel,
                                       enum cgs_precision precision,
                                       const struct cgs_matrix *matrix)
{
    const enum cgs_number number = cgs_precision_real(precision);
    struct cgs_layout domain = {.size = matrix->columns}, range = {.size = matrix->rows};
    if (kernel->layout)
        kernel->layout(matrix, &domain, &range);
    const int64_t numbers =
        domain.pitch == 0 ? domain.size : (domain.rows + 2 * domain.ghost) * domain.pitch;
    return (struct cgs_operator){
        .steps = &kernel->steps,
        .domain = {.size = domain.size,
                   .footprint = cgs_bytes(numbers, cgs_number_bytes(number)),
                   .number = number,
                   .place = backend->place},
    };
}

struct cgs_operator cgs_spec_operator(const struct cgs_spec *forecast,
                                          const struct cgs_matrix *matrix)
{
    return cgs_spec_operator_of(forecast->backend, forecast->kernel, forecast->precision, matrix);
}

enum cgs_status cgs_spec_accepts(struct cgs_context *context,
                                            const struct cgs_spec *forecast)
{
    const struct cgs_kernel *kernels[] = {forecast->kernel, forecast->outer};
    struct cgs_matrix matrix;
    cgs_spec_matrix(forecast, &matrix);
    for (int i = 0; i < 2; i++)
        if (kernels[i] && kernels[i]->accepts)
            CGS_TRY(kernels[i]->accepts(context, &matrix));
    return CGS_OK;
}
