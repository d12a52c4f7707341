#include "src/plan/forecast.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "fem/assembly.h"
#include "matrix/crs.h"
#include "src/precond/amg_plan.h"
#include "src/setup/assemble.h"
#include "src/precond/grids.h"
#include "src/field/pictures.h"
#include "src/run/profile.h"

/* What a run takes of its own: code pages when they are first executed, the C library's blocks, the
 * stack of a thread as far as it is used; the same of CHOLMOD, where it inverts a coarsest grid.
 * Measured on x86-64, 1 to 64 threads, glibc 2.36, CHOLMOD 3.0. */
static const int64_t CODE_BYTES = 256 << 10, STACK_BYTES = 12 << 10, CHOLMOD_BYTES = 384 << 10;

/* Stack of a thread that works on pieces of lines (deformed meshes, coefficients), or in two precisions. */
static const int64_t WIDE_STACK_BYTES = 52 << 10;

/* Blocks that the C library keeps of what algebraic multigrid's set-up gave back, and those of a thread:
 * seen with N = 7 to 40, 1 to 16 threads. */
static const int64_t KEPT_BYTES = 2 << 20, THREAD_KEPT_BYTES = 96 << 10;

/* Memory that no structure names. */
static int64_t run_bytes(const struct cgs_forecast *forecast)
{
    const struct cgs_mesh *mesh = &forecast->mesh;
    const bool wide =
        forecast->outer ||
        (!forecast->laid && (mesh->deform != 0.0 || mesh->kappa.kind != CGS_KAPPA_ONE));
    int64_t bytes = CODE_BYTES + forecast->threads * (wide ? WIDE_STACK_BYTES : STACK_BYTES);
    if (forecast->cycle)
        bytes += CHOLMOD_BYTES;
    if (forecast->precond == CGS_PRECOND_AMG)
        bytes += KEPT_BYTES + forecast->threads * THREAD_KEPT_BYTES;
    return bytes;
}

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

struct cgs_forecast cgs_forecast_of(const struct cgs_options *options,
                                    const struct cgs_machine *machine,
                                    const struct cgs_matrix *laid)
{
    const bool grids = cgs_options_grids(options);
    const bool galerkin = grids && options->coarse == CGS_COARSE_GALERKIN;
    const enum cgs_number cycle = cgs_options_cycle(options);
    return (struct cgs_forecast){
        .backend = machine->backend,
        .kernel = machine->kernel,
        .outer = machine->outer,
        .precision = (enum cgs_precision)options->precision,
        .format = (enum cgs_format)options->format,
        .chunk = cgs_options_chunk(options),
        .sigma = cgs_options_sigma(options),
        .mesh = options->problem ? cgs_forecast_mesh(options, options->n)
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
        .products = galerkin || options->precond == CGS_PRECOND_AMG ? products_of(machine) : NULL,
        .coarse = galerkin ? coarse_of(machine) : NULL,
        .started = options->guess == CGS_GUESS_FMG,
        .max_iterations = options->max_iterations,
        .profiled = options->profile,
        .threads = (int)options->threads,
        .holds = cgs_assemble_holds(options, machine),
        .sends = cgs_assemble_sends(options, machine),
        .pictures = options,
    };
}

struct cgs_mesh cgs_forecast_mesh(const struct cgs_options *options, int64_t n)
{
    const double cells = (double)(n + 1); /* 1/h */
    struct cgs_mesh mesh = cgs_mesh_cube(n, (enum cgs_quadrature)options->quadrature,
                                         options->problem->course ? cells * cells * cells : 1.0);
    mesh.deform = options->deform;
    mesh.kappa = options->kappa;
    return mesh;
}

void cgs_forecast_resize(struct cgs_forecast *forecast, int64_t n)
{
    forecast->mesh.n = n;
    forecast->mesh.h = 1.0 / (double)(n + 1);
}

void cgs_forecast_matrix(const struct cgs_forecast *forecast, struct cgs_matrix *matrix)
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

bool cgs_forecast_accepted(const struct cgs_forecast *forecast)
{
    struct cgs_context quiet; /* the reason is not for the person, who asked for something else */
    cgs_context_init(&quiet);
    return cgs_forecast_accepts(&quiet, forecast) == CGS_OK;
}

static struct cgs_operator operator_of(const struct cgs_backend *backend,
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

struct cgs_operator cgs_forecast_operator(const struct cgs_forecast *forecast,
                                          const struct cgs_matrix *matrix)
{
    return operator_of(forecast->backend, forecast->kernel, forecast->precision, matrix);
}

enum cgs_status cgs_forecast_accepts(struct cgs_context *context,
                                     const struct cgs_forecast *forecast)
{
    const struct cgs_kernel *kernels[] = {forecast->kernel, forecast->outer};
    struct cgs_matrix matrix;
    cgs_forecast_matrix(forecast, &matrix);
    for (int i = 0; i < 2; i++)
        if (kernels[i] && kernels[i]->accepts)
            CGS_TRY(kernels[i]->accepts(context, &matrix));
    return forecast->grids ? cgs_grids_accept(context, forecast) : CGS_OK;
}

/* The kernel's lines; in mixed precision with the number type, since there are two of each. */
static void plan_kernel(const struct cgs_kernel *kernel, const char *suffix,
                        const struct cgs_matrix *matrix, struct cgs_plan *plan)
{
    const int first = plan->count;
    kernel->plan(matrix, plan);
    for (int i = first; i < plan->count; i++) {
        char *what = plan->lines[i].what;
        const size_t used = strlen(what);
        snprintf(what + used, sizeof plan->lines[i].what - used, "%s", suffix);
    }
}

/* Grids of --guess=fmg, unless the preconditioner's have the equation's numbers. */
static void plan_start(const struct cgs_forecast *forecast, struct cgs_plan *plan)
{
    const int first = plan->count;
    struct cgs_forecast start = *forecast;
    if (forecast->outer)
        start.precision = CGS_PRECISION_F64;
    start.cycle = forecast->outer ? forecast->outer : forecast->kernel;
    start.cycle_number = cgs_precision_real(start.precision);
    if (forecast->precond == CGS_PRECOND_MG && forecast->cycle_number == start.cycle_number)
        return;
    cgs_grids_plan(&start, plan);
    cgs_plan_fold(plan, first, "grids of the start");
}

/* Beside z: diagonal, vectors of the polynomial, grids. `op`: what is iterated with; before: totals
 * without CG's own, which comes after the preconditioner's set-up. */
static void plan_preconditioner(const struct cgs_forecast *forecast, const struct cgs_operator *op,
                                int64_t rows, const int64_t before[CGS_PLACES],
                                struct cgs_plan *plan)
{
    const enum cgs_place place = forecast->backend->place;
    if (forecast->precond == CGS_PRECOND_JACOBI || forecast->precond == CGS_PRECOND_CHEBYSHEV)
        cgs_plan_add(plan, place, "vector 1/d", 1, op->domain.footprint);
    if (forecast->precond == CGS_PRECOND_CHEBYSHEV && !forecast->holds) /* for its eigenvalues */
        cgs_plan_add(plan, CGS_HOST, "random vector", rows, sizeof(double));
    if (forecast->precond == CGS_PRECOND_CHEBYSHEV)
        cgs_plan_add_blocks(plan, place, "vectors of Chebyshev", op->steps->relax ? 1 : 2,
                            op->domain.footprint);
    if (forecast->precond == CGS_PRECOND_MG)
        cgs_grids_plan(forecast, plan);
    if (forecast->precond == CGS_PRECOND_AMG)
        cgs_amg_plan(forecast, before, plan);
    if (forecast->started)
        plan_start(forecast, plan);
}

void cgs_forecast_plan(const struct cgs_forecast *forecast, struct cgs_plan *plan)
{
    struct cgs_matrix matrix;
    int64_t before[CGS_PLACES];
    *plan = (struct cgs_plan){0};
    cgs_forecast_matrix(forecast, &matrix);
    const struct cgs_operator op = cgs_forecast_operator(forecast, &matrix);
    const struct cgs_kernel *outer = forecast->outer;
    const int64_t outer_bytes =
        outer ? operator_of(forecast->backend, outer, CGS_PRECISION_F64, &matrix).domain.footprint
              : 0;
    if (forecast->laid && !forecast->borrowed)
        cgs_crs_plan(plan, matrix.rows, matrix.nonzeros);
    cgs_matrix_plan(plan, forecast->format, matrix.rows, forecast->chunk, forecast->sigma);
    plan_kernel(forecast->kernel, outer ? ", single" : "", &matrix, plan);
    if (outer)
        plan_kernel(outer, ", double", &matrix, plan);
    memcpy(before, plan->total, sizeof before);
    cgs_cg_plan(plan, forecast->backend->place, op.domain.footprint, outer_bytes,
                forecast->precond != CGS_PRECOND_NONE, forecast->kernel->extra_vectors,
                forecast->max_iterations);
    plan_preconditioner(forecast, &op, matrix.rows, before, plan);
    if (forecast->profiled)
        cgs_profiler_plan(plan, forecast->max_iterations);
    forecast->backend->plan(plan, forecast->sends);
    if (forecast->backend != cgs_backend(CGS_CPU)) /* the host has a queue of its own */
        cgs_backend(CGS_CPU)->plan(plan, forecast->sends);
    cgs_plan_add(plan, CGS_HOST, "program code, stacks", 1, run_bytes(forecast));
    if (forecast->pictures && !forecast->laid)
        cgs_pictures_plan(plan, forecast->pictures, forecast->mesh.n);
    if (forecast->holds)
        cgs_plan_add(plan, CGS_HOST, "load vector, then solution", matrix.rows, sizeof(double));
}

enum cgs_status cgs_room_measure(const struct cgs_options *options,
                                 const struct cgs_machine *machine, struct cgs_room *room)
{
    const int64_t free_now = cgs_memory_available();
    const int64_t held = machine->host_queue->context->host_bytes;
    struct cgs_room found = {.bytes = {[CGS_HOST] = free_now - free_now / CGS_RESERVE + held}};
    int64_t peak;
    if (machine->backend->place == CGS_DEVICE_MEMORY)
        CGS_TRY(machine->backend->memory(machine->queue, &found.bytes[CGS_DEVICE_MEMORY], &peak));
    if (options->known[CGS_OPTION_memory_limit])
        for (int place = 0; place < CGS_PLACES; place++)
            if (options->memory_limit < found.bytes[place]) {
                found.bytes[place] = options->memory_limit;
                found.limited[place] = true;
            }
    *room = found;
    return CGS_OK;
}
