/* Steps of a run where CG would end: are the rows of b - A x small, each against its own terms? The
 * norm of all of them tells nothing of rows whose numbers are small beside those of others: after
 * values by penalty, or unknowns in units of very different size, ||b - A x|| <= tol ||b|| holds
 * with x = 0 wherever nothing is penalised.
 *
 *     ratio_i = |b - A x|_i / (|b|_i + (|A| |x|)_i + a_ii LEAST max |x|)
 *
 * The last term is there since far from a source that fades away CG leaves x = 0 next to the last
 * number that it has reached: without it that row has a ratio of 1, though nothing is wrong. A
 * ratio of 1e-2 says that the row alone asks for a change of x_i by more than 1e-5 of the largest
 * number. If all of x is right to 1e-6 of that, there is none but in rows whose entries add up to
 * more than 10 a_ii.
 *
 * The rows are generated again on the host, so that this depends on no kernel. Rows of a box with
 * many entries are generated only if a bound of their ratios does not prove them right. The first
 * one is by norms, and asks for the least a_ii alone, which is computed once for all solves:
 *
 *     ratio_i <= ||r|| / (min_i a_ii LEAST ||x|| / sqrt(rows)),     ||x|| / sqrt(rows) <= max |x|
 *
 * Where that is too large, rows of a box have one each, by the residual r that CG has just computed
 * and by the diagonal:
 *
 *     ratio_i <= |r|_i / (|b|_i + max(|b - r|_i, a_ii |x_i|) + a_ii LEAST max |x|)
 */
#include "core/run/run_rows.h"

#include <float.h>
#include <math.h>

#include "base/comm.h"
#include "base/memory.h"
#include "core/run/steps.h"
#include "fem/element/element.h"
#include "fem/element/stencil.h"
#include "kernels/sparse/ghosts.h"
#include "matrix/names.h"
#include "matrix/row_source.h"
#include "matrix/walk.h"
#include "solver/cg/cg_create.h"
#include "solver/cg/cg_vectors.h"

/* Rows of A x = b whose residual was held against the terms that it is the rest of:
 *
 *     ratio_i = |b_i - sum_j a_ij x_j| / (|b_i| + sum_j |a_ij x_j| + a_ii least)
 *
 * With least = 0 the largest ratio is the componentwise backward error: the smallest relative
 * change of the entries of A and b that makes x exact. Source: W. Oettli, W. Prager, Numer. Math. 6
 * (1964) 405. ratio_i is 0 where the residual is, and at most 1. */
struct cgs_worst_row {
    double ratio;  /* the largest */
    int64_t row;   /* its i, the lowest of equals; -1: all ratios are 0 */
    int64_t count; /* rows whose ratio is above `aim`, */
    double size;   /* and the largest denominator of these */
    double most;   /* largest |b_i| + sum_j |a_ij x_j| */
    double rr;     /* sum of |b - A x|_i^2 */
};

struct task {
    int64_t first;
    bool single;
    const void *x, *b;
    double least, aim;
    struct cgs_worst_row *of_thread;
};

static void take(struct cgs_worst_row *worst, const struct cgs_worst_row *other)
{
    if (other->row >= 0 && (worst->row < 0 || other->ratio > worst->ratio ||
                            (other->ratio == worst->ratio && other->row < worst->row))) {
        worst->ratio = other->ratio;
        worst->row = other->row;
    }
    worst->count += other->count;
    worst->size = fmax(worst->size, other->size);
    worst->most = fmax(worst->most, other->most);
    worst->rr += other->rr;
}

static double at_place(const struct task *task, const void *vector, int64_t i)
{
    return task->single ? ((const float *)vector)[i] : ((const double *)vector)[i];
}

static void visit(void *user, int thread, const struct cgs_walk_block *block)
{
    const struct task *task = user;
    struct cgs_worst_row found = {.row = -1};
    int64_t at = 0;
    for (int64_t k = 0; k < block->rows; k++) {
        const double b = at_place(task, task->b, block->first + k - task->first);
        double rest = b, size = fabs(b), diagonal = 0.0;
        for (const int64_t end = at + block->lengths[k]; at < end; at++) {
            const double a = block->values[at], x = at_place(task, task->x, block->columns[at]);
            rest -= a * x;
            size += fabs(a * x);
            if (block->columns[at] == block->first + k)
                diagonal = a;
        }
        found.most = fmax(found.most, size);
        found.rr += rest * rest;
        if (rest == 0.0)
            continue;
        size += diagonal * task->least;
        const double ratio = fabs(rest) / size;
        if (found.row < 0 || ratio > found.ratio) {
            found.ratio = ratio;
            found.row = block->first + k;
        }
        if (ratio > task->aim) {
            found.count++;
            found.size = fmax(found.size, size);
        }
    }
    take(&task->of_thread[thread], &found);
}

/* Adds rows first ... last - 1 of a source to *worst, which begins with row = -1 and zeros else;
 * the same bits, but for rr, whatever the number of threads. Every row is generated, in parallel:
 * no product of a kernel is needed. x: by the source's columns, also negative ones
 * (matrix/ranks/portion.h); b[i - first]; both float where `single`, else double.
 * CGS_MEMORY. CGS_USAGE: the source cannot generate rows. */
static enum cgs_status matrix_worst_row(struct cgs_context *context,
                                        const struct cgs_row_source *source, int64_t first,
                                        int64_t last, bool single, const void *x, const void *b,
                                        double least, double aim, struct cgs_worst_row *worst)
{
    struct task task = {first, single, x, b, least, aim, NULL};
    CGS_TRY(cgs_alloc(context, context->threads, sizeof *task.of_thread, "worst rows of threads",
                      (void **)&task.of_thread));
    for (int t = 0; t < context->threads; t++)
        task.of_thread[t] = (struct cgs_worst_row){.row = -1};
    const enum cgs_status status = cgs_walk_rows(context, source, first, last, visit, &task);
    for (int t = 0; t < context->threads && status == CGS_OK; t++)
        take(worst, &task.of_thread[t]);
    cgs_free(context, task.of_thread);
    return status;
}

static const double LEAST = 1e-3;

enum {
    PIECE = 1 << 18,      /* rows looked at at a time */
    FEW_ENTRIES = 1 << 22 /* looked at in any case but in several solves */
};

/* Vectors of the host, or copies. */
struct vectors {
    bool single;   /* x and b are float, else double */
    const void *x; /* by the columns of run->owned; NULL: a piece at a time */
    double *copy;  /* owned; what x points into */
    const void *b; /* NULL: a piece at a time */
    double *piece; /* owned: b of a piece */
};

static double number(bool single, const void *vector, int64_t i)
{
    return single ? ((const float *)vector)[i] : ((const double *)vector)[i];
}

static double largest(const struct cgs_context *context, bool single, const void *x, int64_t count)
{
    double most = 0.0;
#pragma omp parallel for num_threads(context->threads) schedule(static) reduction(max : most)
    for (int64_t i = 0; i < count; i++)
        most = fmax(most, fabs(number(single, x, i)));
    return most;
}

/* Brings x of a device with its ghosts to the host. */
static enum cgs_status fetch_ghosts(struct cgs_run *run, const void *x, struct vectors *v)
{
    struct cgs_context *context = run->context;
    const struct cgs_portion *portion = run->owned.portion;
    struct cgs_ghosts ghosts;
    CGS_TRY(cgs_ghosts_create(context, portion, &ghosts));
    enum cgs_status status =
        cgs_alloc(context, ghosts.columns, sizeof *v->copy, "x with ghosts", (void **)&v->copy);
    if (status == CGS_OK)
        status =
            run->op.domain.ops->get(&run->op.domain, x, 0, run->rows, v->copy + portion->below);
    status = cgs_comm_agree(context, status);
    if (status == CGS_OK)
        cgs_ghosts_fetch(context, &ghosts, v->copy);
    cgs_ghosts_release(context, &ghosts);
    v->x = v->copy + portion->below;
    return status;
}

/* Takes the vectors as they are, or as copies; what is not there yet comes with each piece. */
static enum cgs_status take_vectors(struct cgs_run *run, const void *b, const void *x,
                                    struct vectors *v)
{
    const struct cgs_space *space = &run->op.domain;
    const int64_t reach = run->owned.reach;
    if (space->place == CGS_HOST) {
        v->single = space->number == CGS_F32;
        v->x = x;
        v->b = b;
        return CGS_OK;
    }
    CGS_TRY(cgs_alloc(run->context, PIECE < run->rows ? PIECE : run->rows, sizeof *v->piece,
                      "b of some rows", (void **)&v->piece));
    if (run->owned.portion)
        return fetch_ghosts(run, x, v);
    if (reach > 0 && PIECE + 2 * reach < run->rows)
        return cgs_alloc(run->context, PIECE + 2 * reach, sizeof *v->copy, "x of some rows",
                         (void **)&v->copy);
    CGS_TRY(
        cgs_alloc(run->context, run->rows, sizeof *v->copy, "x on the host", (void **)&v->copy));
    v->x = v->copy;
    return space->ops->get(space, x, 0, run->rows, v->copy);
}

/* Sets *most to max |x| of all owners. */
static enum cgs_status find_largest(struct cgs_run *run, const void *x, struct vectors *v,
                                    double *most)
{
    const struct cgs_space *space = &run->op.domain;
    *most = v->x ? largest(run->context, v->single, v->x, run->rows) : 0.0;
    for (int64_t first = 0; first < run->rows && !v->x; first += PIECE) {
        const int64_t count = run->rows - first < PIECE ? run->rows - first : PIECE;
        CGS_TRY(space->ops->get(space, x, first, count, v->copy));
        *most = fmax(*most, largest(run->context, false, v->copy, count));
    }
    *most = cgs_comm_most(run->context, *most);
    return CGS_OK;
}

/* Looks at rows first ... last - 1 of this rank. */
static enum cgs_status look_at(struct cgs_run *run, const void *b, const void *x, struct vectors *v,
                               int64_t first, int64_t last, double least, double aim,
                               struct cgs_worst_row *worst)
{
    const struct cgs_space *space = &run->op.domain;
    const size_t size = v->single ? sizeof(float) : sizeof(double);
    const void *from = v->x, *right = v->piece;
    if (v->b)
        right = (const char *)v->b + (size_t)first * size;
    else
        CGS_TRY(space->ops->get(space, b, first, last - first, v->piece));
    if (!from) {
        const int64_t reach = run->owned.reach, low = first > reach ? first - reach : 0;
        const int64_t high = last + reach < run->rows ? last + reach : run->rows;
        CGS_TRY(space->ops->get(space, x, low, high - low, v->copy));
        from = v->copy - low;
    }
    return matrix_worst_row(run->context, &run->owned, first, last, v->single, from, right, least,
                            aim, worst);
}

static enum cgs_status look(struct cgs_run *run, const void *b, const void *x, double aim,
                            struct cgs_worst_row *worst)
{
    struct vectors v = {.x = NULL};
    double most = 0.0;
    *worst = (struct cgs_worst_row){.row = -1};
    enum cgs_status status = cgs_comm_agree(run->context, take_vectors(run, b, x, &v));
    if (status == CGS_OK)
        status = find_largest(run, x, &v, &most);
    for (int64_t first = 0; first < run->rows && status == CGS_OK; first += PIECE) {
        const int64_t last = run->rows - first < PIECE ? run->rows : first + PIECE;
        status = look_at(run, b, x, &v, first, last, LEAST * most, aim, worst);
    }
    cgs_free(run->context, v.piece);
    cgs_free(run->context, v.copy);
    return cgs_comm_agree(run->context, status);
}

/* Makes the findings of all ranks those of each. Rows get the numbers of the file, or of the
 * box. */
static void share(struct cgs_run *run, const struct cgs_worst_row *mine, struct cgs_cg_rows *found)
{
    struct cgs_context *context = run->context;
    found->worst = cgs_comm_most(context, mine->ratio);
    const bool named = mine->row >= 0 && mine->ratio == found->worst;
    found->row =
        (int64_t)cgs_comm_most(context, named ? (double)cgs_run_row(run, mine->row) : -1.0);
    found->count = (int64_t)cgs_comm_sum(context, (double)mine->count);
    found->size = cgs_comm_most(context, mine->size);
    found->most = cgs_comm_most(context, mine->most);
}

/* Sets *least to the least diagonal entry of a box; 0: unknown. Where all cells are equal, their
 * first two and last two layers have all entries that there are. */
static enum cgs_status find_least_diagonal(struct cgs_run *run, double *least)
{
    const struct cgs_mesh *mesh = &run->input.mesh;
    const int64_t few = 2 * mesh->order;
    const bool equal = cgs_mesh_plain(mesh) && !mesh->grading;
    const int64_t planes = !equal && run->context->threads > few ? run->context->threads : few;
    const int64_t piece = planes * cgs_mesh_plane(mesh);
    const int64_t step = equal && run->rows > 2 * piece ? run->rows - piece : piece;
    double stencil[8], *some = NULL;
    *least = run->report->has_range ? run->report->least_diagonal : run->least;
    if (*least > 0.0 || run->input.kind != CGS_INPUT_BOX || !run->owned.diagonal)
        return CGS_OK;
    if (equal && mesh->order == 1) { /* a free face makes kappa one of each cell */
        cgs_mesh_stencil(mesh, stencil);
        *least = stencil[0];
        return CGS_OK;
    }
    enum cgs_status status = cgs_alloc(run->context, piece < run->rows ? piece : run->rows,
                                       sizeof *some, "some of the diagonal", (void **)&some);
    *least = INFINITY;
    for (int64_t first = 0; first < run->rows && status == CGS_OK; first += step) {
        const int64_t count = run->rows - first < piece ? run->rows - first : piece;
        status = run->owned.diagonal(run->context, &run->owned, first, first + count, some);
        for (int64_t i = 0; i < count && status == CGS_OK; i++)
            *least = fmin(*least, some[i]);
    }
    cgs_free(run->context, some);
    run->least = *least = -cgs_comm_most(run->context, -*least);
    return cgs_comm_agree(run->context, status);
}

/* Sets *bound to one of all ratios by norms; infinite where the diagonal is unknown. */
static enum cgs_status bound_by_norms(struct cgs_run *run, const struct cgs_cg_norms *norms,
                                      double *bound)
{
    double least;
    CGS_TRY(find_least_diagonal(run, &least));
    *bound =
        norms->residual * sqrt((double)cgs_run_all_rows(run)) / (least * LEAST * norms->solution);
    return CGS_OK;
}

/* Returns the largest bound of `count` rows. */
static double bound_of_rows(const struct cgs_context *context, const struct vectors *v,
                            const void *residual, int64_t first, int64_t count,
                            const double *diagonal, double least)
{
    double most = 0.0;
#pragma omp parallel for num_threads(context->threads) schedule(static) reduction(max : most)
    for (int64_t i = 0; i < count; i++) {
        const double r = number(v->single, residual, first + i);
        const double b = number(v->single, v->b, first + i), x = number(v->single, v->x, first + i);
        const double product = fmax(fabs(b - r), fabs(diagonal[i] * x));
        if (r != 0.0)
            most = fmax(most, fabs(r) / (fabs(b) + product + diagonal[i] * least));
    }
    return most;
}

/* The diagonal of some rows of a box, and x, b and r, whose number `first` is that of row 0. */
struct pieces {
    int64_t rows;     /* of a piece */
    double *diagonal; /* of a piece */
    double *room;     /* owned; NULL on the host */
    const void *residual;
    struct vectors v;
};

/* Takes the vectors of the host as they are; the diagonal goes where the next product of CG will,
 * and takes no memory. Those of a device come a piece at a time. */
static enum cgs_status make_pieces(struct cgs_run *run, struct cgs_cg *cg, struct pieces *pieces)
{
    const struct cgs_space *space = &run->op.domain;
    const int64_t plane = cgs_mesh_plane(&run->input.mesh), few = 2 * run->input.mesh.order;
    CGS_TRY(cgs_cg_complete(cg));
    if (space->place != CGS_HOST) {
        const int64_t rows = few * plane > PIECE ? few * plane : PIECE;
        pieces->rows = rows < run->rows ? rows : run->rows;
        CGS_TRY(cgs_alloc(run->context, 4 * pieces->rows, sizeof(double), "vectors of some rows",
                          (void **)&pieces->room));
        pieces->diagonal = pieces->room;
        pieces->v.copy = pieces->room + pieces->rows;
        return CGS_OK;
    }
    pieces->diagonal = cgs_cg_scratch(cg);
    const int64_t room = run->rows * (int64_t)cgs_number_bytes(cgs_cg_residual_space(cg)->number) /
                         (int64_t)sizeof *pieces->diagonal;
    pieces->rows = room > plane ? room - room % plane : room;
    pieces->residual = cgs_cg_final_residual(cg);
    pieces->v = (struct vectors){
        .single = space->number == CGS_F32, .x = cgs_cg_solution(cg), .b = cgs_cg_rhs(cg)};
    return CGS_OK;
}

/* Brings rows first ... last - 1 of a device to the host, and makes their diagonal. */
static enum cgs_status fetch_piece(struct cgs_run *run, struct cgs_cg *cg, int64_t first,
                                   int64_t last, struct pieces *pieces)
{
    const struct cgs_space *space = &run->op.domain;
    const void *const from[] = {cgs_cg_solution(cg), cgs_cg_rhs(cg), cgs_cg_final_residual(cg)};
    double *to = pieces->v.copy;
    for (int i = 0; i < 3 && pieces->room; i++, to += pieces->rows)
        CGS_TRY(space->ops->get(space, from[i], first, last - first, to));
    if (pieces->room) {
        pieces->v.x = pieces->v.copy - first;
        pieces->v.b = pieces->v.copy + pieces->rows - first;
        pieces->residual = pieces->v.copy + 2 * pieces->rows - first;
    }
    return run->owned.diagonal(run->context, &run->owned, first, last, pieces->diagonal);
}

/* Sets *bound to one of all ratios, of a box. */
static enum cgs_status bound_each(struct cgs_run *run, struct cgs_cg *cg, double *bound)
{
    struct pieces pieces = {.rows = run->rows};
    double most = 0.0;
    *bound = 0.0;
    enum cgs_status status = cgs_comm_agree(run->context, make_pieces(run, cg, &pieces));
    if (status == CGS_OK)
        status = find_largest(run, cgs_cg_solution(cg), &pieces.v, &most);
    for (int64_t first = 0; first < run->rows && status == CGS_OK; first += pieces.rows) {
        const int64_t last = run->rows - first < pieces.rows ? run->rows : first + pieces.rows;
        status = fetch_piece(run, cg, first, last, &pieces);
        if (status == CGS_OK)
            *bound = fmax(*bound, bound_of_rows(run->context, &pieces.v, pieces.residual, first,
                                                last - first, pieces.diagonal, LEAST * most));
    }
    cgs_free(run->context, pieces.room);
    *bound = cgs_comm_most(run->context, *bound);
    return cgs_comm_agree(run->context, status);
}

/* Sets rows->proven if a bound of rows with many entries, or of those of several solves, proves
 * that no ratio is above `aim`, and rows->worst to that bound. */
static enum cgs_status prove(struct cgs_run *run, struct cgs_cg *cg,
                             const struct cgs_cg_norms *norms, double aim, struct cgs_cg_rows *rows)
{
    const struct cgs_caller *caller = run->report->external.caller;
    const bool few = run->report->matrix.nonzeros <= FEW_ENTRIES && !(caller && caller->several);
    if (norms->doubtful || few)
        return CGS_OK;
    const bool box = run->input.kind == CGS_INPUT_BOX && run->owned.diagonal;
    if (!box && run->op.domain.place == CGS_HOST)
        return CGS_OK;
    CGS_TRY(bound_by_norms(run, norms, &rows->worst));
    if (box && !(rows->worst <= aim))
        CGS_TRY(bound_each(run, cg, &rows->worst));
    rows->proven = rows->worst <= aim;
    return CGS_OK;
}

/* Returns true if the rows are no longer those that were set up: a caller has written over arrays
 * that are borrowed. Their residual is then not the one of the product, beyond what rounding
 * explains. */
static bool changed(const struct cgs_run *run, const struct cgs_cg_norms *norms,
                    const struct cgs_worst_row *worst)
{
    const double rr = cgs_comm_sum(run->context, worst->rr);
    const double most = cgs_comm_most(run->context, worst->most);
    const double unit = run->settings->precision == CGS_PRECISION_F32 ? FLT_EPSILON : DBL_EPSILON;
    const double rounding = 100.0 * unit * most * sqrt((double)cgs_run_all_rows(run));
    return run->report->external.caller && !(sqrt(rr) <= 2.0 * norms->residual + rounding);
}

enum cgs_status cgs_run_look_at_rows(void *user, struct cgs_cg *cg,
                                     const struct cgs_cg_norms *norms, double aim,
                                     struct cgs_cg_rows *rows)
{
    struct cgs_run *run = user;
    struct cgs_worst_row worst;
    *rows = (struct cgs_cg_rows){.row = -1};
    cgs_run_enter(run, CGS_PHASE_ERRORS);
    if (!run->owned.fill)
        return CGS_OK;
    CGS_TRY(prove(run, cg, norms, aim, rows));
    if (rows->proven)
        return CGS_OK;
    CGS_TRY(look(run, cgs_cg_rhs(cg), cgs_cg_solution(cg), aim, &worst));
    if (changed(run, norms, &worst))
        return CGS_OK;
    rows->looked = true;
    share(run, &worst, rows);
    rows->proven = rows->worst <= aim;
    return CGS_OK;
}
