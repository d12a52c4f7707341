/* The table of preconditioners, and those that take a few lines here. */
#include "core/precond/preconditioner.h"

#include "base/comm.h"
#include "base/memory.h"
#include "core/precond/amg_plan.h"
#include "core/precond/grids.h"
#include "core/setup/assemble.h"
#include "fem/rows.h"
#include "matrix/crs.h"
#include "solver/block_jacobi.h"
#include "solver/smoother.h"

#define CGS_PRECONDITIONER(code, name, ...)                                                        \
    extern const struct cgs_preconditioner cgs_preconditioner_##name;
#include "core/options/preconditioners.def"
#undef CGS_PRECONDITIONER

static const struct cgs_preconditioner *const table[CGS_PRECONDS] = {
#define CGS_PRECONDITIONER(code, name, ...) &cgs_preconditioner_##name,
#include "core/options/preconditioners.def"
#undef CGS_PRECONDITIONER
};

const struct cgs_preconditioner *cgs_preconditioner(enum cgs_precond precond)
{
    return table[precond];
}

void cgs_precond_release(struct cgs_context *context, struct cgs_precond_made *made)
{
    cgs_operator_release(&made->op);
    cgs_centre_release(made->centre);
    made->centre = NULL;
    cgs_operator_release(&made->jacobi);
    cgs_hierarchy_release(context, &made->hierarchy);
    cgs_amg_release(context, &made->amg);
    cgs_amg_kept_release(&made->kept);
}

/* ---- none ---- */

const struct cgs_preconditioner cgs_preconditioner_none = {0};

/* ---- jacobi: D^-1, of the diagonal or of diagonal blocks ---- */

/* Finds the kernel that multiplies by the inverse of blocks. */
static enum cgs_status find_block_kernel(struct cgs_context *context, const struct cgs_spec *spec,
                                         enum cgs_number number, const struct cgs_kernel **kernel)
{
    const int block = spec->near.block;
    const bool nodes = block % 2 == 0 || block % 3 == 0;
    const struct cgs_kernel_entry *entry;
    CGS_TRY(cgs_kernel_find(context, nodes ? "crs_nodes" : "auto",
                            spec->backend->place == CGS_HOST ? CGS_CPU : CGS_CUDA, CGS_CRS,
                            &entry));
    *kernel = entry->tables[cgs_number_precision(number)];
    return CGS_OK;
}

static enum cgs_status make_block_jacobi(const struct cgs_precond_task *task,
                                         struct cgs_precond_made *made,
                                         struct cgs_precond_facts *facts)
{
    const struct cgs_kernel *kernel;
    facts->block = task->spec->near.block;
    CGS_TRY(find_block_kernel(task->context, task->spec, task->op->domain.number, &kernel));
    return cgs_block_jacobi_create(task->machine->queue, task->machine->backend, kernel, task->op,
                                   task->rows, task->spec->near.block, &made->op);
}

static enum cgs_status make_jacobi(const struct cgs_precond_task *task,
                                   struct cgs_precond_made *made, struct cgs_precond_facts *facts)
{
    if (task->spec->near.block > 1)
        return make_block_jacobi(task, made, facts);
    return cgs_assemble_jacobi(task->spec->box, task->machine->queue, task->op, task->rows,
                               &made->op);
}

static void plan_jacobi(const struct cgs_spec *spec, const struct cgs_operator *op, int64_t rows,
                        const int64_t before[CGS_PLACES], struct cgs_plan *plan)
{
    struct cgs_context quiet; /* the set-up reports a missing kernel */
    const struct cgs_kernel *kernel;
    cgs_context_init(&quiet);
    (void)before;
    if (spec->precond == CGS_PRECOND_JACOBI && spec->near.block > 1 &&
        find_block_kernel(&quiet, spec, op->domain.number, &kernel) == CGS_OK) {
        const struct cgs_matrix inverse = cgs_block_jacobi_expected(rows, spec->near.block);
        cgs_crs_plan(plan, rows, inverse.nonzeros);
        kernel->plan(&inverse, plan);
        return;
    }
    cgs_plan_add(plan, spec->backend->place, "vector 1/d", 1, op->domain.footprint);
}

const struct cgs_preconditioner cgs_preconditioner_jacobi = {
    .title = "Jacobi",
    .make = make_jacobi,
    .plan = plan_jacobi,
};

/* ---- chebyshev: a polynomial in D^-1 A ---- */

enum { ESTIMATE_STEPS = 10 }; /* of CG, to see the largest eigenvalue */

static enum cgs_status make_chebyshev(const struct cgs_precond_task *task,
                                      struct cgs_precond_made *made,
                                      struct cgs_precond_facts *facts)
{
    struct cgs_queue *queue = task->machine->queue;
    CGS_TRY(cgs_assemble_jacobi(task->spec->box, task->machine->queue, task->op, task->rows,
                                &made->jacobi));
    CGS_TRY(cgs_eigenvalue_bound(queue, task->op, &made->jacobi, ESTIMATE_STEPS,
                                 CGS_CHEBYSHEV_MARGIN, &facts->high));
    cgs_memory_trim(); /* as much as this took comes soon again */
    facts->low = facts->high / CGS_CHEBYSHEV_SPREAD;
    return cgs_chebyshev_create(queue, task->op, &made->jacobi, task->spec->degree, facts->low,
                                facts->high, &made->op);
}

static void plan_chebyshev(const struct cgs_spec *spec, const struct cgs_operator *op, int64_t rows,
                           const int64_t before[CGS_PLACES], struct cgs_plan *plan)
{
    plan_jacobi(spec, op, rows, before, plan);
    if (!spec->holds) /* for its eigenvalues */
        cgs_plan_add(plan, CGS_HOST, "random vector", rows, sizeof(double));
    cgs_plan_add_blocks(plan, spec->backend->place, "vectors of Chebyshev",
                        op->steps->relax ? 1 : 2, op->domain.footprint);
}

const struct cgs_preconditioner cgs_preconditioner_chebyshev = {
    .make = make_chebyshev,
    .plan = plan_chebyshev,
};

/* ---- mg: a cycle on the grids of the box ---- */

static enum cgs_status make_mg(const struct cgs_precond_task *task, struct cgs_precond_made *made,
                               struct cgs_precond_facts *facts)
{
    CGS_TRY(cgs_comm_agree(
        task->context, cgs_hierarchy_create(task->context, task->spec, task->machine, task->mesh,
                                            task->op, task->spec->cycle_number, &made->hierarchy)));
    made->op = cgs_multigrid_operator(made->hierarchy.multigrid);
    cgs_preconditioning_describe(task->spec, &made->hierarchy, facts);
    return CGS_OK;
}

static void plan_mg(const struct cgs_spec *spec, const struct cgs_operator *op, int64_t rows,
                    const int64_t before[CGS_PLACES], struct cgs_plan *plan)
{
    (void)op, (void)rows, (void)before;
    cgs_grids_plan(spec, plan);
}

const struct cgs_preconditioner cgs_preconditioner_mg = {
    .make = make_mg,
    .plan = plan_mg,
};

/* ---- amg: a cycle on grids that are made of the matrix ---- */

static enum cgs_status make_amg(const struct cgs_precond_task *task, struct cgs_precond_made *made,
                                struct cgs_precond_facts *facts)
{
    const struct cgs_spec *spec = task->spec;
    struct cgs_amg_kept *kept = spec->reuse == CGS_REUSE_PATTERN ? &made->kept : NULL;
    CGS_TRY(
        cgs_comm_agree(task->context, cgs_amg_create(spec, task->machine, task->matrix, task->op,
                                                     spec->cycle_number, kept, &made->amg)));
    cgs_memory_trim(); /* of the set-up's matrices */
    made->op = cgs_multigrid_operator(made->amg.multigrid);
    cgs_preconditioning_describe_amg(&made->amg, spec->degree, &task->op->domain, facts);
    if (!spec->constants || !(spec->laid || cgs_mesh_singular(task->mesh)))
        return CGS_OK;
    const struct cgs_moves moves = cgs_centre_moves();
    made->op.moves.read += moves.read;
    made->op.moves.written += moves.written;
    return cgs_centre_create(&made->op.domain, &made->centre);
}

static void plan_amg(const struct cgs_spec *spec, const struct cgs_operator *op, int64_t rows,
                     const int64_t before[CGS_PLACES], struct cgs_plan *plan)
{
    (void)rows;
    cgs_amg_plan(spec, before, plan);
    if (spec->constants)
        cgs_centre_plan(plan, op->domain.place, op->domain.footprint);
}

const struct cgs_preconditioner cgs_preconditioner_amg = {
    .make = make_amg,
    .plan = plan_amg,
    .kept_bytes = 2 << 20, /* seen with N = 7 to 40, 1 to 16 threads */
    .thread_kept_bytes = 96 << 10,
};

/* ---- auto: mg or fdm, which the run chooses before either is made ---- */

static void plan_auto(const struct cgs_spec *spec, const struct cgs_operator *op, int64_t rows,
                      const int64_t before[CGS_PLACES], struct cgs_plan *plan)
{
    struct cgs_plan other = {0};
    int64_t grids[CGS_PLACES], alone[CGS_PLACES];
    for (int i = 0; i < CGS_PLACES; i++) {
        grids[i] = plan->total[i];
        alone[i] = before[i] - plan->total[i];
    }
    cgs_preconditioner_mg.plan(spec, op, rows, before, plan);
    for (int i = 0; i < CGS_PLACES; i++)
        grids[i] = plan->total[i] - grids[i];
    cgs_preconditioner_fdm.plan(spec, op, rows, alone, &other);
    cgs_plan_add_earlier(plan, &other, grids, "fdm, more than grids");
}

const struct cgs_preconditioner cgs_preconditioner_auto = {
    .plan = plan_auto,
};
