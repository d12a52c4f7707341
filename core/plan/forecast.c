#include "core/plan/forecast.h"

#include <stdio.h>
#include <string.h>

#include "base/available.h"
#include "base/memory.h"
#include "core/field/even.h"
#include "core/field/slice.h"
#include "core/field/writer.h"
#include "core/options/solver_settings.h"
#include "core/precond/grids.h"
#include "core/precond/preconditioner.h"
#include "core/setup/assemble.h"
#include "fem/assembly.h"
#include "fem/order/load.h"
#include "fem/user_problem/balance.h"
#include "fem/user_problem/errors.h"
#include "fem/user_problem/load.h"
#include "fem/user_problem/settle.h"
#include "kernels/vector/tree.h"
#include "matrix/crs.h"
#include "matrix/dense.h"
#include "matrix/layout.h"
#include "matrix/names.h"
#include "solver/cg/cg_create.h"
#include "solver/cg/cg_vectors.h"
#include "solver/profile.h"

/* Memory of the process itself: blocks of the C library (code is not counted, cgs_memory_resident);
 * the used part of each thread's stack. Measured on x86-64, 1 to 64 threads, glibc 2.36. */
static const int64_t LIBRARY_BYTES = 256 << 10, STACK_BYTES = 12 << 10;

/* Memory that MPI takes during a run for each rank it talks to. Measured with Open MPI 4.1.4, 2
 * to 8 ranks of a host. */
static const int64_t MPI_BYTES = 64 << 10;

/* Device memory of sums among ranks (kernels/device/peers.cuh): for the blocks of
 * --reproducible; a rank's. */
static const int64_t MAIL_BYTES = (int64_t)CGS_PARTIALS * (2 * 16 + 8), LETTER_BYTES = 2 * 16;

/* Stack of a thread that works on pieces of lines (deformed meshes, coefficients) or in two
 * precisions. */
static const int64_t WIDE_STACK_BYTES = 52 << 10;

/* Returns the memory that is not part of any data structure. */
static int64_t run_bytes(const struct cgs_spec *forecast)
{
    const struct cgs_mesh *mesh = &forecast->mesh;
    const bool wide =
        forecast->outer ||
        (!forecast->laid && (mesh->deform != 0.0 || mesh->kappa.kind != CGS_KAPPA_ONE));
    int64_t bytes = LIBRARY_BYTES + forecast->threads * (wide ? WIDE_STACK_BYTES : STACK_BYTES);
    if (forecast->cycle)
        bytes += cgs_dense_library_bytes();
    const struct cgs_preconditioner *preconditioner = cgs_preconditioner(forecast->precond);
    return bytes + preconditioner->kept_bytes +
           forecast->threads * preconditioner->thread_kept_bytes;
}

bool cgs_plan_accepted(const struct cgs_spec *forecast)
{
    struct cgs_context quiet; /* the user did not ask for this variant, so no message */
    cgs_context_init(&quiet);
    return cgs_plan_accepts(&quiet, forecast) == CGS_OK;
}

enum cgs_status cgs_plan_accepts(struct cgs_context *context, const struct cgs_spec *forecast)
{
    CGS_TRY(cgs_spec_accepts(context, forecast));
    return forecast->grids ? cgs_grids_accept(context, forecast) : CGS_OK;
}

/* Adds the kernel's lines with a suffix: in mixed precision the number type, since there are
 * two. */
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
    cgs_plan_pass(plan, first);
}

/* Adds the grids of --guess=fmg, unless the preconditioner's have the equation's number type. */
static void plan_start(const struct cgs_spec *forecast, struct cgs_plan *plan)
{
    const int first = plan->count;
    struct cgs_spec start = *forecast;
    if (forecast->outer)
        start.precision = CGS_PRECISION_F64;
    start.cycle = forecast->outer ? forecast->outer : forecast->kernel;
    start.cycle_number = cgs_precision_real(start.precision);
    if (cgs_precond_is(forecast->precond, CGS_PRECOND_GRIDS) &&
        forecast->cycle_number == start.cycle_number)
        return;
    cgs_grids_plan(&start, plan);
    cgs_plan_fold(plan, first, "grids of the start");
}

/* Adds the preconditioner's memory apart from z: diagonal, vectors of the polynomial, grids. op:
 * operator of the iterations; before: totals without CG's vectors, which are allocated after the
 * preconditioner's set-up. */
static void plan_preconditioner(const struct cgs_spec *forecast, const struct cgs_operator *op,
                                int64_t rows, const int64_t before[CGS_PLACES],
                                struct cgs_plan *plan)
{
    const struct cgs_preconditioner *preconditioner = cgs_preconditioner(forecast->precond);
    if (preconditioner->plan)
        preconditioner->plan(forecast, op, rows, before, plan);
    if (forecast->started)
        plan_start(forecast, plan);
}

/* Adds the memory of the fields of --output, and of --slice. */
static void pictures_plan(struct cgs_plan *plan, const struct cgs_spec *spec)
{
    cgs_planes_plan(plan, &spec->mesh);
    cgs_plan_add(plan, CGS_HOST, "planes of nodes", CGS_NODALS,
                 cgs_bytes(cgs_planes_room(&spec->mesh), sizeof(double)));
    if (spec->fields)
        cgs_even_plan(plan, &spec->mesh);
    if (spec->fields && spec->fields->plan)
        spec->fields->plan(plan, &spec->mesh);
    if (spec->slices)
        cgs_slice_plan(plan, spec->slices);
}

/* Returns the bytes that load vector, balance and errors of a problem of the user take, one
 * after the other. */
static int64_t user_work_bytes(const struct cgs_user_problem *user, const struct cgs_mesh *mesh,
                               int threads)
{
    const int64_t load = cgs_user_load_bytes(user, mesh, threads);
    const int64_t balance = cgs_user_balance_bytes(user, mesh, threads);
    const int64_t errors = user->exact ? cgs_user_errors_bytes(mesh, threads) : 0;
    const int64_t some = load > balance ? load : balance;
    return some > errors ? some : errors;
}

/* Adds what is measured of an answer, and then drawn: one after the other. */
static void plan_answer(const struct cgs_spec *forecast, struct cgs_plan *plan)
{
    struct cgs_plan measured = *plan;
    if (forecast->mesh.order > 1 && !forecast->laid)
        cgs_plan_add(&measured, CGS_HOST, "", 1, cgs_order_work_bytes(&forecast->mesh));
    else if (forecast->user)
        cgs_plan_add(&measured, CGS_HOST, "", 1,
                     user_work_bytes(forecast->user, &forecast->mesh, forecast->threads));
    if ((forecast->fields || forecast->slices) && !forecast->laid)
        pictures_plan(plan, forecast);
    cgs_plan_add_earlier(plan, &measured, plan->total, "load, balance or errors");
}

/* Adds what a rank needs for exchanges of halos and for sums (solver/halo.c,
 * kernels/device/backend_cpu.c). It sends about as many numbers as it receives, the ghosts.
 * rows: of this rank. */
static void plan_ranks(const struct cgs_spec *spec, int64_t rows, int64_t ghosts,
                       struct cgs_plan *plan)
{
    const int64_t number = cgs_number_bytes(cgs_precision_real(spec->precision));
    const int64_t both = spec->outer ? number + (int64_t)sizeof(double) : number;
    const int64_t lists =
        spec->outer ? 3 : 2; /* ghosts, and of each operator the numbers to send */
    const int64_t sums = (CGS_SUMS + 1) * (CGS_TREE_NODES + 1) * (int64_t)sizeof(double);
    if (spec->ranks <= 1)
        return;
    if (spec->laid) /* of the box nothing is packed */
        cgs_plan_add(plan, CGS_HOST, "halo: numbers to send, lists", ghosts,
                     both + lists * (int64_t)sizeof(int64_t));
    if (spec->backend->place ==
        CGS_DEVICE_MEMORY) /* two places of a mailbox, for two vectors; letters */
        cgs_plan_add(plan, CGS_DEVICE_MEMORY, "mail of the ranks", 1,
                     4 * cgs_bytes(ghosts, number) + MAIL_BYTES +
                         spec->ranks * CGS_SUMS * LETTER_BYTES);
    cgs_plan_add(plan, CGS_HOST, "sums of the ranks", spec->ranks, sums);
    cgs_plan_add(plan, CGS_HOST, "buffers of MPI", spec->ranks, MPI_BYTES);
    if (spec->holds) /* for errors: with the neighbours' planes */
        cgs_plan_add(plan, CGS_HOST, "solution near this rank", rows + ghosts, sizeof(double));
}

/* Bytes of a vector with room for ghosts. */
static int64_t vector_bytes(const struct cgs_operator *op, int64_t ghosts)
{
    return op->domain.footprint + cgs_bytes(ghosts, cgs_number_bytes(op->domain.number));
}

/* Returns true if CG begins with b and x alone. The operators whose step that asks for are those of
 * boxes of which fdm has the inverse. */
static bool begins_small(const struct cgs_spec *forecast, const struct cgs_operator *op)
{
    const struct cgs_operator inverse = {.inverse = true,
                                         .flexible = forecast->transform_number == CGS_F32};
    const struct cgs_cg_settings settings = {.method = forecast->method,
                                             .inner = forecast->outer ? op : NULL};
    return forecast->precond == CGS_PRECOND_FDM && forecast->bare && !forecast->fixed &&
           cgs_cg_begins_small(op, &inverse, &settings);
}

void cgs_plan_run(const struct cgs_spec *forecast, struct cgs_plan *plan)
{
    struct cgs_matrix matrix;
    int64_t before[CGS_PLACES];
    struct cgs_plan passed = {0};
    *plan = (struct cgs_plan){0};
    cgs_spec_matrix(forecast, &matrix);
    const int64_t ghosts = cgs_spec_take_part(forecast, &matrix);
    struct cgs_operator op = cgs_spec_operator(forecast, &matrix);
    op.domain.footprint = vector_bytes(&op, ghosts);
    const struct cgs_kernel *outer = forecast->outer;
    int64_t outer_bytes = 0;
    if (outer) {
        const struct cgs_operator outer_op =
            cgs_spec_operator_of(forecast->backend, outer, CGS_PRECISION_F64, &matrix);
        outer_bytes = vector_bytes(&outer_op, ghosts);
    }
    if (forecast->laid && !forecast->borrowed)
        cgs_crs_plan(plan, matrix.rows, matrix.nonzeros);
    if (!forecast->laid) {
        cgs_assemble_rows_plan(&forecast->mesh, plan);
        cgs_spec_plan_kappa(&forecast->mesh, CGS_HOST, plan);
    }
    if (forecast->user)
        cgs_user_plan(forecast->user, &forecast->mesh, plan);
    cgs_matrix_plan(plan, forecast->format, matrix.rows, forecast->chunk, forecast->sigma);
    plan_kernel(forecast->kernel, outer ? ", single" : "", &matrix, plan);
    if (outer)
        plan_kernel(outer, ", double", &matrix, plan);
    memcpy(before, plan->total, sizeof before);
    /* Computing entries on the device takes kappa there, but before CG has its vectors. */
    struct cgs_plan entries = *plan;
    if (forecast->on_device || (forecast->box && forecast->precond != CGS_PRECOND_NONE))
        cgs_spec_plan_kappa(&forecast->mesh, forecast->backend->place, &entries);
    cgs_cg_plan(plan, forecast->backend->place, op.domain.footprint, outer_bytes,
                forecast->precond != CGS_PRECOND_NONE || forecast->guided, forecast->method,
                forecast->kernel->work_vectors, begins_small(forecast, &op),
                forecast->max_iterations);
    cgs_plan_add_earlier(plan, &entries, plan->total, "kappa while entries are computed");
    const int64_t of_cg = forecast->started ? 0 : plan->total[CGS_HOST] - before[CGS_HOST];
    passed.total[CGS_HOST] = plan->most[CGS_HOST];
    plan->most[CGS_HOST] = 0;
    plan_preconditioner(forecast, &op, matrix.rows, before, plan);
    if (plan->most[CGS_HOST] - of_cg > passed.total[CGS_HOST]) /* grids come before CG's vectors */
        passed.total[CGS_HOST] = plan->most[CGS_HOST] - of_cg;
    cgs_plan_add_earlier(plan, &passed, plan->total, "more while matrices are made");
    plan_ranks(forecast, matrix.rows, ghosts, plan);
    if (forecast->profiled)
        cgs_profiler_plan(plan, forecast->max_iterations);
    forecast->backend->plan(plan, forecast->sends);
    if (forecast->backend != cgs_backend(CGS_CPU)) /* the host's queue */
        cgs_backend(CGS_CPU)->plan(plan, forecast->sends);
    cgs_plan_add(plan, CGS_HOST, "C library, stacks", 1, run_bytes(forecast));
    plan_answer(forecast, plan);
    if (forecast->holds)
        cgs_plan_add(plan, CGS_HOST, "load vector, then solution", matrix.rows, sizeof(double));
    if (forecast->read_vectors)
        cgs_plan_add(plan, CGS_HOST, "vectors of files", forecast->read_vectors * matrix.rows,
                     sizeof(double));
}

enum cgs_status cgs_room_measure(const struct cgs_machine *machine, int64_t limit,
                                 struct cgs_room *room)
{
    const int64_t free_now = cgs_memory_available();
    const int64_t held = machine->host_queue->context->host_bytes;
    struct cgs_room found = {.bytes = {[CGS_HOST] = free_now - free_now / CGS_RESERVE + held}};
    int64_t peak;
    if (machine->backend->place == CGS_DEVICE_MEMORY)
        CGS_TRY(machine->backend->memory(machine->queue, &found.bytes[CGS_DEVICE_MEMORY], &peak));
    for (int place = 0; place < CGS_PLACES; place++)
        if (limit < found.bytes[place]) {
            found.bytes[place] = limit;
            found.limited[place] = true;
        }
    *room = found;
    return CGS_OK;
}
