#include "core/precond/amg.h"

#include <math.h>

#include "base/comm.h"
#include "base/memory.h"
#include "base/random.h"
#include "core/precond/amg_adaptive.h"
#include "core/precond/amg_coarsen.h"
#include "core/precond/amg_shared.h"
#include "core/precond/shared.h"
#include "core/setup/assemble.h"
#include "fem/rows.h"
#include "matrix/dense.h"
#include "matrix/ranks/cut.h"
#include "solver/jacobi.h"
#include "solver/transfer_matrix.h"

static const char *const names[CGS_AMG_PARTS] = {
    [CGS_AMG_DRAW] = "draw",           [CGS_AMG_BOUNDS] = "bounds",
    [CGS_AMG_AGGREGATE] = "aggregate", [CGS_AMG_PROLONG] = "prolong",
    [CGS_AMG_TRANSPOSE] = "transpose", [CGS_AMG_PRODUCTS] = "products",
    [CGS_AMG_FETCH] = "fetch",         [CGS_AMG_OPERATORS] = "operators",
    [CGS_AMG_COARSEST] = "coarsest",
};

const char *cgs_amg_part_name(enum cgs_amg_part part)
{
    return names[part];
}

/* ---- operators ---- */

/* Takes an operator, which becomes empty. */
static struct cgs_operator take(struct cgs_operator *old)
{
    const struct cgs_operator taken = *old;
    *old = (struct cgs_operator){0};
    return taken;
}

/* Makes the operator of a matrix, or renews *op. */
static enum cgs_status make_operator(const struct cgs_amg_setup *setup, const struct cgs_sparse *m,
                                     struct cgs_operator *op, struct cgs_traffic *product)
{
    struct cgs_galerkin_rows rows;
    CGS_TRY(cgs_galerkin_look(&setup->by, m, &rows));
    return cgs_galerkin_operator(&setup->by, &rows.source, op, product);
}

/* Makes operator and D^-1 of the grid below `finer` from its matrix *a, whose rows of singular
 * components are mended. */
static enum cgs_status take_grid(struct cgs_amg_setup *setup, const struct cgs_amg_level *finer,
                                 struct cgs_sparse *a, struct cgs_amg_level *level)
{
    const struct cgs_machine *m = setup->by.machine;
    struct cgs_galerkin_rows rows;
    if (setup->same)
        level->op = take(&setup->kept->old[level - setup->amg->level].op);
    CGS_TRY(m->backend->amg->mend(&finer->op.domain, cgs_jacobi_inverse(&finer->jacobi),
                                  &setup->near, a));
    CGS_TRY(cgs_galerkin_look(&setup->by, a, &rows));
    CGS_TRY(cgs_galerkin_operator(&setup->by, &rows.source, &level->op, &level->product));
    CGS_TRY(cgs_jacobi_create(m->queue, &level->op, &rows.source, &level->jacobi));
    return cgs_amg_charge(setup, CGS_AMG_OPERATORS);
}

static enum cgs_status make_transfer(struct cgs_amg_setup *setup, const struct cgs_sparse *p,
                                     const struct cgs_sparse *r, struct cgs_amg_level *level)
{
    struct cgs_operator ops[2] = {{0}};
    struct cgs_traffic products[2];
    if (setup->same) {
        struct cgs_amg_operators *old = &setup->kept->old[level - setup->amg->level];
        ops[0] = take(&old->p);
        ops[1] = take(&old->r);
    }
    enum cgs_status status = make_operator(setup, p, &ops[0], &products[0]);
    if (status == CGS_OK)
        status = make_operator(setup, r, &ops[1], &products[1]);
    if (status == CGS_OK)
        status = cgs_transfer_matrix(&ops[0], &ops[1], NULL,
                                     products[0].matrix + products[1].matrix, &level->transfer);
    cgs_operator_release(&ops[0]); /* empty where the transfer has them */
    cgs_operator_release(&ops[1]);
    return status == CGS_OK ? cgs_amg_charge(setup, CGS_AMG_OPERATORS) : status;
}

/* The operator of the finest grid: CG's own if it has the precision of the cycle, else one of that
 * precision by the kernel of the spec's cycles. */
static enum cgs_status make_finest(struct cgs_amg_setup *setup, const struct cgs_spec *spec,
                                   const struct cgs_matrix *laid, const struct cgs_operator *op)
{
    const struct cgs_machine *m = setup->by.machine;
    const enum cgs_precision precision = cgs_number_precision(setup->by.number);
    const bool borrowed = op->domain.number == setup->by.number;
    const bool told = spec->cycle && spec->cycle_number == setup->by.number && !borrowed;
    const struct cgs_kernel *kernel = told ? spec->cycle : m->entry->tables[precision];
    struct cgs_amg_level *finest = &setup->amg->level[0];
    finest->shared = laid->source->portion != NULL;
    finest->rows = finest->shared ? laid->source->portion->whole : laid->rows;
    finest->nonzeros = (int64_t)cgs_comm_sum(m->queue->context, (double)laid->nonzeros);
    if (borrowed) {
        finest->op = *op;
        finest->borrowed = true;
    } else {
        if (setup->same)
            finest->op = take(&setup->kept->old[0].op);
        CGS_TRY(cgs_operator_renew(m->queue, m->backend, kernel, precision, laid, &finest->op));
    }
    finest->product = cgs_operator_traffic(&finest->op, kernel, laid);
    CGS_TRY(cgs_assemble_jacobi(spec->box, m->queue, &finest->op, laid->source, &finest->jacobi));
    return cgs_amg_charge(setup, CGS_AMG_OPERATORS);
}

/* ---- grids ---- */

/* Makes grid l + 1. *a: the matrix of grid l, replaced by that of l + 1. *ends: there is no next
 * grid. */
static enum cgs_status descend(struct cgs_amg_setup *setup, double theta, int l,
                               struct cgs_sparse *a, bool *ends)
{
    struct cgs_queue *queue = setup->by.machine->queue;
    const struct cgs_sparse_ops *ops = setup->by.sparse;
    struct cgs_amg_level *level = &setup->amg->level[l], *coarser = level + 1;
    struct cgs_sparse p, r, coarse;
    CGS_TRY(cgs_amg_coarsen(setup, a, theta, level->high, &level->aggregated, &p, &r, &coarse));
    *ends = coarse.rows == 0;
    if (*ends)
        return CGS_OK;
    if (coarse.nonzeros / CGS_AMG_GROWTH > a->nonzeros) {
        ops->release(queue, &p);
        ops->release(queue, &r);
        ops->release(queue, &coarse);
        level->aggregated = 0;
        setup->amg->end = CGS_AMG_GROWN;
        *ends = true;
        return CGS_OK;
    }
    ops->release(queue, a);
    *a = coarse;
    setup->symmetric = false;
    level->interpolating = p.nonzeros;
    enum cgs_status status = make_transfer(setup, &p, &r, level);
    ops->release(queue, &p);
    ops->release(queue, &r);
    coarser->rows = a->rows;
    coarser->nonzeros = a->nonzeros;
    coarser->nodes = setup->near.nodes;
    setup->amg->count = l + 2;
    if (status == CGS_OK)
        status = take_grid(setup, level, a, coarser);
    if (status == CGS_BREAKDOWN)
        cgs_fail_before(queue->context, "coarse grid %d of algebraic multigrid: ", l + 1);
    return status;
}

/* Builds all levels coarser than l. *a: the matrix of level l, then that of the coarsest level. */
static enum cgs_status make_grids(struct cgs_amg_setup *setup, int l, struct cgs_sparse *a)
{
    struct cgs_amg *amg = setup->amg;
    double theta = amg->theta * ldexp(1.0, -l);
    amg->end = CGS_AMG_SMALL;
    for (; a->rows > CGS_AMG_INVERTED; l++, theta *= 0.5) {
        bool ends = l == CGS_GRIDS - 1;
        amg->end = ends ? CGS_AMG_DEEP : CGS_AMG_STALLED;
        CGS_TRY(cgs_amg_find_bound(setup, &amg->level[l]));
        if (!ends)
            CGS_TRY(descend(setup, theta, l, a, &ends));
        if (ends)
            return CGS_OK;
        amg->end = CGS_AMG_SMALL;
    }
    return CGS_OK;
}

/* ---- the cycle ---- */

/* Returns true if constants may solve the problem: of a box by its faces, of another matrix
 * always. */
static bool constants_may_solve(const struct cgs_spec *spec)
{
    const struct cgs_mesh *mesh = spec->laid ? spec->laid->mesh : &spec->mesh;
    return !mesh || cgs_mesh_singular(mesh);
}

/* Inverts a on the host. *inverse NULL: a is not positive definite, which includes matrices
 * singular to rounding. The coarsest grid is then smoothed; if A is indefinite CG finds that
 * out. */
static enum cgs_status invert(struct cgs_amg_setup *setup, const struct cgs_sparse *a,
                              double **inverse)
{
    struct cgs_context *context = setup->by.machine->queue->context;
    struct cgs_crs fetched;
    double *made;
    *inverse = NULL;
    CGS_TRY(setup->by.sparse->fetch(setup->by.machine->queue, a, &fetched));
    const struct cgs_row_source source = cgs_crs_source(&fetched);
    enum cgs_status status = cgs_amg_charge(setup, CGS_AMG_FETCH);
    if (status == CGS_OK)
        status =
            cgs_alloc(context, a->rows * a->rows, sizeof *made, "coarsest grid", (void **)&made);
    if (status == CGS_OK) {
        status = cgs_dense_inverse(
            context, &source,
            constants_may_solve(setup->spec) ? CGS_DENSE_DEFINITE : CGS_DENSE_REGULAR, made);
        if (status == CGS_OK)
            *inverse = made;
        else
            cgs_free(context, made);
    }
    cgs_crs_release(context, &fetched);
    if (status != CGS_BREAKDOWN)
        return status;
    context->status = CGS_OK;
    context->message[0] = '\0';
    return cgs_amg_find_bound(setup, &setup->amg->level[setup->amg->count - 1]);
}

void cgs_amg_settings(const struct cgs_amg *amg, int degree,
                      struct cgs_multigrid_settings *settings)
{
    *settings = (struct cgs_multigrid_settings){
        .degree = degree, .count = amg->count, .smoothed = !amg->inverted};
    /* Optimal weights of degree 2 contract up to 1.17 of their bound, those of degree 1 to 1.33. */
    const bool low = degree <= 2;
    for (int l = 0; l < amg->count; l++) {
        const struct cgs_amg_level *level = &amg->level[l];
        settings->grid[l] = (struct cgs_grid){
            .op = &level->op,
            .inverse = cgs_jacobi_inverse(&level->jacobi),
            .product = level->product,
            .high = low ? level->high / CGS_AMG_MARGIN : level->high,
            .optimal = low,
            .transfer = &level->transfer,
        };
    }
}

static enum cgs_status make_multigrid(struct cgs_amg_setup *setup, const struct cgs_space *outer,
                                      int degree, const struct cgs_sparse *a)
{
    const struct cgs_machine *m = setup->by.machine;
    struct cgs_amg *amg = setup->amg;
    struct cgs_multigrid_settings settings;
    double *inverse = NULL;
    if (amg->end == CGS_AMG_SMALL)
        CGS_TRY(invert(setup, a, &inverse));
    amg->inverted = inverse != NULL;
    cgs_amg_settings(amg, degree, &settings);
    settings.inverse = inverse;
    const enum cgs_status status = cgs_multigrid_create(
        m->queue, m->backend->grids[setup->by.number], outer, &settings, &amg->multigrid);
    cgs_free(m->queue->context, inverse);
    return status == CGS_OK ? cgs_amg_charge(setup, CGS_AMG_COARSEST) : status;
}

/* Takes the near-null vectors of the finest grid, if there are some. */
static enum cgs_status take_vectors(struct cgs_amg_setup *setup, const struct cgs_spec *spec,
                                    const struct cgs_sparse *a)
{
    const struct cgs_machine *m = setup->by.machine;
    const struct cgs_near_null_asked *asked = &spec->near;
    if (asked->count == 0)
        return CGS_OK;
    double *found = NULL;
    if (!asked->columns)
        CGS_TRY(cgs_amg_adapt(setup, NULL, asked->count, &found));
    const enum cgs_status status = m->backend->amg->near_null->begin(
        m->queue, a, asked->count, found ? found : asked->columns, asked->block, &setup->near);
    cgs_free(m->queue->context, found);
    CGS_TRY(status);
    setup->amg->vectors = asked->count;
    setup->amg->level[0].nodes = setup->near.nodes;
    return CGS_OK;
}

/* Returns a sum of hashes of the places of all entries. */
static uint64_t pattern_of(const struct cgs_crs *a, int threads)
{
    uint64_t sum = 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : sum)
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t e = a->pointers[i]; e < a->pointers[i + 1]; e++)
            sum += cgs_splitmix64((uint64_t)i << 32 | (uint64_t)a->column[e]);
    return sum;
}

/* Looks whether the pattern is that of before: a caller may have changed its arrays. */
static void compare_pattern(struct cgs_amg_setup *setup, const struct cgs_row_source *source)
{
    const struct cgs_machine *m = setup->by.machine;
    const struct cgs_crs *a = cgs_crs_of(source);
    if (!setup->kept || !m->backend->amg->known || source->portion)
        return;
    const uint64_t pattern = a ? pattern_of(a, m->queue->context->threads) : 0;
    if (!a || pattern != setup->kept->pattern)
        cgs_amg_differ(setup);
    setup->kept->pattern = pattern;
}

/* Makes all grids. *a: the matrix of the coarsest one, if it is replicated. */
static enum cgs_status make_all(struct cgs_amg_setup *setup, const struct cgs_spec *spec,
                                const struct cgs_row_source *source, struct cgs_sparse *a)
{
    struct cgs_crs whole = {0};
    int l = 0;
    if (!source->portion) {
        CGS_TRY(cgs_galerkin_borrow(&setup->by, spec->box, source, a));
        setup->symmetric = source->symmetric && source->mesh; /* others may have 0 on one side */
        CGS_TRY(take_vectors(setup, spec, a));
        CGS_TRY(cgs_amg_charge(setup, CGS_AMG_DRAW));
        return make_grids(setup, 0, a);
    }
    CGS_TRY(cgs_amg_make_shared(setup, source, &l, &whole));
    if (whole.rows == 0)
        return CGS_OK;
    const struct cgs_row_source rows = cgs_crs_source(&whole);
    const enum cgs_status status = cgs_galerkin_draw(&setup->by, NULL, &rows, a);
    cgs_crs_release(setup->by.machine->queue->context, &whole);
    return status == CGS_OK ? make_grids(setup, l, a) : status;
}

static enum cgs_status make(struct cgs_amg_setup *setup, const struct cgs_spec *spec,
                            const struct cgs_matrix *laid, const struct cgs_operator *op)
{
    struct cgs_context *context = setup->by.machine->queue->context;
    struct cgs_sparse a = {0};
    compare_pattern(setup, laid->source);
    enum cgs_status status = cgs_amg_charge(setup, CGS_AMG_DRAW);
    if (status == CGS_OK)
        status = make_finest(setup, spec, laid, op);
    status = cgs_comm_agree(context, status);
    if (status == CGS_OK)
        status = cgs_comm_agree(context, make_all(setup, spec, laid->source, &a));
    if (status == CGS_OK)
        status = cgs_comm_agree(context, make_multigrid(setup, &op->domain, spec->degree, &a));
    setup->by.sparse->release(setup->by.machine->queue, &a);
    if (setup->near.count > 0)
        setup->by.machine->backend->amg->near_null->release(setup->by.machine->queue, &setup->near);
    return status;
}

enum cgs_status cgs_amg_create(const struct cgs_spec *spec, const struct cgs_machine *machine,
                               const struct cgs_matrix *laid, const struct cgs_operator *op,
                               enum cgs_number number, struct cgs_amg_kept *kept,
                               struct cgs_amg *amg)
{
    struct cgs_amg_setup setup = {.spec = spec,
                                  .amg = amg,
                                  .kept = kept,
                                  .same = kept != NULL,
                                  .since = cgs_now(),
                                  .host = cgs_shared_machine(machine)};
    *amg = (struct cgs_amg){.count = 1, .theta = spec->strength};
    if (kept) {
        kept->queue = machine->queue;
        kept->ops = machine->backend->amg;
    }
    CGS_TRY(cgs_galerkin_find(machine, number, &setup.by));
    if (spec->near.count > 0)
        CGS_TRY(cgs_galerkin_find_nodes(&setup.by));
    CGS_TRY(cgs_galerkin_find(&setup.host, number, &setup.by_host));
    return make(&setup, spec, laid, op);
}

void cgs_amg_release(struct cgs_context *context, struct cgs_amg *amg)
{
    cgs_multigrid_release(amg->multigrid);
    for (int l = 0; l < amg->count; l++) {
        struct cgs_amg_level *level = &amg->level[l];
        cgs_transfer_release(&level->transfer);
        cgs_operator_release(&level->jacobi);
        if (!level->borrowed)
            cgs_operator_release(&level->op);
        cgs_portion_release(context, &level->read_by_p);
        cgs_portion_release(context, &level->read_by_r);
        cgs_portion_release(context, &level->portion);
        cgs_portion_release(context, &level->nodal);
    }
    *amg = (struct cgs_amg){0};
}

void cgs_amg_leave(struct cgs_amg *amg, struct cgs_amg_kept *kept)
{
    const bool renews = kept->ops->known && !amg->level[0].shared;
    cgs_amg_release_old(kept);
    if (renews) { /* it works with them */
        cgs_multigrid_release(amg->multigrid);
        amg->multigrid = NULL;
    }
    for (int l = 0; renews && l < amg->count; l++) {
        struct cgs_amg_level *level = &amg->level[l];
        if (!level->borrowed)
            kept->old[l].op = take(&level->op);
        if (level->transfer.self)
            cgs_transfer_matrix_split(&level->transfer, &kept->old[l].p, &kept->old[l].r);
    }
}

void cgs_amg_kept_release(struct cgs_amg_kept *kept)
{
    cgs_amg_release_old(kept);
    for (int l = 0; l < CGS_GRIDS; l++) {
        if (kept->grid[l].of)
            kept->ops->release(kept->queue, &kept->grid[l]);
        if (kept->known[l].place)
            kept->ops->known->release(kept->queue, &kept->known[l]);
    }
    *kept = (struct cgs_amg_kept){0};
}

void cgs_amg_take_operator(struct cgs_amg *amg, struct cgs_operator *op)
{
    if (!amg->level[0].borrowed)
        return;
    amg->level[0].borrowed = false;
    *op = (struct cgs_operator){0};
}
