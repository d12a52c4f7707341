#include "core/precond/hierarchy.h"

#include <math.h>
#include <string.h>

#include "base/comm.h"
#include "base/memory.h"
#include "core/precond/hierarchy_galerkin.h"
#include "core/precond/sharing.h"
#include "core/setup/assemble.h"
#include "core/setup/spec.h"
#include "fem/box.h"
#include "fem/coarsen.h"
#include "fem/element/lobatto.h"
#include "fem/element/order_cells.h"
#include "fem/element/stencil.h"
#include "fem/mesh.h"
#include "fem/rows.h"
#include "matrix/dense.h"
#include "matrix/layout.h"
#include "solver/jacobi.h"
#include "solver/smoother.h"

/* Rows of the coarsest grid at most: on the CPU its inverse is to cost less than an iteration, on a
 * device each grid costs the latency of its kernels. Eigenvalues of deformed meshes are estimated
 * on grids of at most so many unknowns in each direction, by so many steps, and with this margin:
 * on finer grids they are larger by O(h). Against 60 ... 200 steps of Lanczos on the grid itself,
 * N = 10 ... 100, deformed by 0.1 and 0.2, with and without coefficients, the bound was 3 ... 15 %
 * above. */
enum { COARSEST_HOST = 125, COARSEST_DEVICE = 343, ESTIMATE_STEPS = 12 };
static const double MARGIN = 1.15;

/* Cells longer than this times the shortest are not doubled: they would be longer by more than
 * they are now. */
static const double LONG = 1.4142135623730951;

/* Returns the unknowns in a direction with half the cells. */
static int64_t half_of(const struct cgs_mesh *mesh, int k)
{
    const int64_t cells = cgs_mesh_cells(mesh, k);
    return (cells + 1) / 2 + mesh->n[k] - cells;
}

static bool can_halve(const struct cgs_mesh *mesh, int k)
{
    const int64_t half = half_of(mesh, k);
    return half >= (cgs_periodic(mesh->open[k]) ? CGS_PERIODIC_LEAST : 1) && half < mesh->n[k];
}

/* Returns true for the directions in which the next grid is coarser. */
static bool halved(const struct cgs_mesh *mesh, int k)
{
    double shortest = HUGE_VAL;
    for (int i = 0; i < 3; i++)
        shortest = can_halve(mesh, i) ? fmin(shortest, mesh->h[i]) : shortest;
    return can_halve(mesh, k) && mesh->h[k] <= LONG * shortest;
}

/* A jump of kappa is at the same place on all grids,
 * and a cell that the jump cuts has a mean, about the energy that functions of the coarse grid have
 * there. On the next grid all of that cell counts as cut: a function that varies where the finer
 * grid is stiff must not cost less, or M A has eigenvalues in proportion to the jump. Seen: at
 * N = 64, jump:1000, 11 iterations, not 35 as with a jump of each grid's own; at N = 25, jump:1e6,
 * eigenvalues below 1, not up to 280 as with means of the finest grid's kappa. */
struct cgs_mesh cgs_coarser(const struct cgs_mesh *finer)
{
    struct cgs_mesh mesh = *finer; /* the scale, too: P'A P has that of A */
    int64_t n[3];
    if (finer->order > 1) {
        mesh = finer->order > 2 ? cgs_mesh_of_order(finer, (finer->order + 1) / 2)
                                : cgs_mesh_of_cells(finer);
        if (mesh.kappa.points > 1)
            mesh.kappa.points = mesh.order + 1 + mesh.gauss;
        if (mesh.kappa.varying)
            mesh.kappa.nodes = mesh.order + 1;
        return cgs_mesh_rows(&mesh) > 0 ? mesh : *finer;
    }
    for (int k = 0; k < 3; k++) {
        const double middle = cgs_mesh_middle(finer, k), cells = (double)(finer->n[k] + 1);
        const bool half = halved(finer, k), marked = finer->high[0] > 0.0;
        const double low = marked ? finer->low[k] : middle, high = marked ? finer->high[k] : middle;
        n[k] = half ? half_of(finer, k) : finer->n[k];
        mesh.low[k] = (half ? floor(low) : low) * (double)(n[k] + 1) / cells;
        mesh.high[k] = (half ? ceil(high) : high) * (double)(n[k] + 1) / cells;
    }
    cgs_mesh_resize(&mesh, n);
    return mesh;
}

/* The coarsest grid's matrix is inverted: it has at most so many rows, and has rows at all, which
 * cells of higher order have as a star alone. */
static bool can_invert(const struct cgs_mesh *mesh, int64_t most)
{
    return cgs_mesh_rows(mesh) <= most && (mesh->order == 1 || cgs_order_star(mesh));
}

int cgs_hierarchy_sizes(enum cgs_place place, const struct cgs_mesh *mesh,
                        struct cgs_mesh grid[CGS_GRIDS])
{
    const int64_t most = place == CGS_HOST ? COARSEST_HOST : COARSEST_DEVICE;
    int count = 1;
    grid[0] = *mesh;
    for (; !can_invert(&grid[count - 1], most) && count < CGS_GRIDS; count++) {
        grid[count] = cgs_coarser(&grid[count - 1]);
        if (cgs_mesh_rows(&grid[count]) == cgs_mesh_rows(&grid[count - 1]))
            break; /* no direction has cells to halve, or one has a single cell of order 2 */
    }
    return count;
}

/* ---- eigenvalues of D^-1 A ---- */

/* On the plain box the largest is at most the largest value of the stencil's symbol, which is
 * multilinear in the three cosines: at one of the corners of [-1, 1]^3. There it is an eigenvalue
 * of D_c^-1 K_c of a cell, D_c the diagonal of the element matrix K_c: kappa K_c of each cell obeys
 * the same bound, x'K x <= high x'D x, and so does the sum of them, whatever the coefficient. */
static double cube_bound(const struct cgs_mesh *mesh)
{
    double number[8], most = 0.0;
    cgs_mesh_stencil(mesh, number);
    for (int corner = 0; corner < 8; corner++) {
        double symbol = 0.0;
        for (int b = 0; b < 8; b++) {
            double cosines = number[b];
            for (int k = 0; k < 3; k++)
                cosines *= b >> k & 1 ? (corner >> k & 1 ? 2.0 : -2.0) : 1.0;
            symbol += cosines;
        }
        most = fmax(most, symbol);
    }
    return most / number[0];
}

/* The same of cells with kappa of three numbers, perhaps with a reaction: the largest of all
 * cells. */
static double orthotropic_bound(const struct cgs_mesh *mesh)
{
    const int numbers = cgs_mesh_numbers(mesh);
    double symbol[8][CGS_MOST_NUMBERS] = {{0.0}}, centre[CGS_MOST_NUMBERS], most = 0.0;
    for (int k = 0; k < numbers; k++) {
        centre[k] = cgs_box_part(mesh, k, 0);
        for (int corner = 0; corner < 8; corner++)
            for (int b = 0; b < 8; b++)
                symbol[corner][k] +=
                    cgs_box_part(mesh, k, b) * (__builtin_popcount(b & ~corner) % 2 ? -1.0 : 1.0);
    }
    for (int64_t cz = 0; cz <= mesh->n[2]; cz++)
        for (int64_t cy = 0; cy <= mesh->n[1]; cy++)
            for (int64_t cx = 0; cx <= mesh->n[0]; cx++) {
                double kappa[CGS_MOST_NUMBERS], diagonal = 0.0;
                for (int k = 0; k < numbers; k++) {
                    kappa[k] = cgs_cell_kappa_along(mesh, k, cx, cy, cz, NULL);
                    diagonal += kappa[k] * centre[k];
                }
                for (int corner = 0; corner < 8 && cgs_cell_class(mesh, cx, cy, cz) == 0;
                     corner++) {
                    double sum = 0.0;
                    for (int k = 0; k < numbers; k++)
                        sum += kappa[k] * symbol[corner][k];
                    most = fmax(most, sum / diagonal);
                }
            }
    return most;
}

/* With Gauss-Lobatto nodes and their rule: the matrix of a cell is a sum of those of lines times
 * diagonal masses, so the largest eigenvalue of diag(K)^-1 K of a line bounds its own, whatever the
 * lengths of cells and the coefficient; masses of faces are diagonal (rounded up in the last
 * digit). */
static const double order_bound[CGS_ORDER_MOST + 1] = {
    0.0, 2.0, 2.142858, 2.227688, 2.291296, 2.344186, 2.390450, 2.431919, 2.469482};

/* The same with the masses of free faces, whose element matrices are products of 1-D masses in
 * two directions: the largest eigenvalue of D^-1 M in one is 1 + m(1) / m(0)
 * (cgs_box_face_classes). */
static double open_bound(const struct cgs_mesh *mesh)
{
    double weight[2];
    if (mesh->order > 1)
        return order_bound[mesh->order];
    cgs_mass_weights(mesh->quadrature, weight); /* of a node: twice m(0); of a neighbour: m(1) */
    const double line = 1.0 + 2.0 * weight[1] / weight[0];
    const double cells = mesh->kappa.orthotropic ? orthotropic_bound(mesh) : cube_bound(mesh);
    return cgs_mesh_open(mesh) ? fmax(cells, line * line) : cells;
}

/* A Galerkin product has no cells: its bound is estimated, and no guide for the finest grid's. So
 * is that of a mesh of order p > 1 where the rule is Gauss's or a coefficient varies in a cell. */
static enum cgs_bound bound_of(const struct cgs_hierarchy *h, int l, double coarser)
{
    const struct cgs_mesh *mesh = &h->level[l].mesh;
    const bool even =
        !mesh->gauss && mesh->kappa.kind != CGS_KAPPA_SMOOTH && mesh->kappa.points <= 1;
    if (mesh->deform == 0.0 && (l == 0 || !h->galerkin) && (mesh->order == 1 || even))
        return CGS_BOUND_PROVEN;
    if (mesh->order > 1)
        return CGS_BOUND_ESTIMATED;
    return mesh->n[0] <= CGS_ESTIMATED_N || coarser == 0.0 || h->galerkin ? CGS_BOUND_ESTIMATED
                                                                          : CGS_BOUND_COARSER;
}

static enum cgs_status apply(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, void *y)
{
    return cgs_operator_apply(self, queue, state, x, y);
}

static void keep(void *self)
{
    (void)self; /* borrowed */
}

/* Estimates the bound of grid l. Products by rows sum as their kernel does, but ranks are cut at
 * planes: the sums are those of the vectors, by planes, on one process as well. */
static enum cgs_status estimate(const struct cgs_hierarchy *h, int l, struct cgs_queue *queue,
                                double *high)
{
    static const struct cgs_steps steps = {.apply = apply, .release = keep};
    const struct cgs_level *level = &h->level[l];
    struct cgs_operator op = level->op;
    if (l > 0 && level->matrix.format != CGS_NONE) {
        op.steps = &steps;
        op.self = (void *)&level->op;
    }
    return cgs_eigenvalue_bound(queue, &op, &level->jacobi, ESTIMATE_STEPS, MARGIN, high);
}

static enum cgs_status find_bounds(struct cgs_hierarchy *h, struct cgs_queue *queue)
{
    double finer = 0.0; /* of grids that are too big to look at: that of the next coarser one */
    for (int l = h->count - 2; l >= 0; l--) {
        struct cgs_level *level = &h->level[l];
        level->bound = bound_of(h, l, finer);
        if (level->bound == CGS_BOUND_PROVEN)
            level->high = open_bound(&level->mesh);
        else if (level->bound == CGS_BOUND_ESTIMATED)
            CGS_TRY(estimate(h, l, queue, &level->high));
        else
            level->high = finer;
        finer = fmax(finer, level->high);
    }
    return CGS_OK;
}

/* ---- grids ---- */

static enum cgs_status make_operator(struct cgs_context *context, const struct cgs_spec *spec,
                                     const struct cgs_machine *machine, enum cgs_number number,
                                     struct cgs_level *level)
{
    const enum cgs_precision precision = cgs_number_precision(number);
    const struct cgs_kernel *kernel =
        (spec->low && level->mesh.order == 1 ? spec->low : machine->entry)->tables[precision];
    CGS_TRY(cgs_matrix_create(context, &level->owned, spec->format, spec->chunk, spec->sigma,
                              &level->matrix));
    level->matrix.on_device = spec->on_device;
    CGS_TRY(cgs_operator_create(machine->queue, machine->backend, kernel, precision, &level->matrix,
                                &level->op));
    level->product = cgs_operator_traffic(&level->op, kernel, &level->matrix);
    return CGS_OK;
}

/* Cuts a grid where the finer one is cut, if ranks share it; op is there on the finest grid
 * (finer NULL). */
static enum cgs_status take_portion(struct cgs_context *context, bool shared,
                                    const struct cgs_level *finer, struct cgs_level *level)
{
    const struct cgs_portion *above =
        finer ? (finer->portion.cuts ? &finer->portion : NULL) : level->cut;
    int64_t cuts[CGS_RANKS_MOST + 1];
    level->owned = level->source;
    if (!above || !shared)
        return CGS_OK;
    if (finer)
        cgs_transfer_cut(&finer->mesh, above->cuts, &level->mesh, above->ranks, cuts);
    else
        memcpy(cuts, above->cuts, (size_t)(above->ranks + 1) * sizeof *cuts);
    CGS_TRY(cgs_portion_of_mesh(context, &level->source, cuts, above->rank, above->ranks,
                                &level->portion));
    cgs_portion_widen(&level->portion,
                      cgs_transfer_room(level->mesh.order, cgs_mesh_plane(&level->mesh)));
    level->owned = cgs_portion_source(&level->portion);
    return CGS_OK;
}

static enum cgs_status make_level(struct cgs_context *context, const struct cgs_spec *spec,
                                  const struct cgs_machine *machine, enum cgs_number number,
                                  struct cgs_hierarchy *h, int l)
{
    struct cgs_level *level = &h->level[l];
    const bool shared = l == 0 || (l < h->count - 1 && cgs_sharing(spec, &level->mesh));
    CGS_TRY(cgs_assemble_rows(context, &level->mesh, &level->source));
    CGS_TRY(take_portion(context, shared, l > 0 ? level - 1 : NULL, level));
    if (!level->borrowed)
        CGS_TRY(make_operator(context, spec, machine, number, level));
    if (l > 0 && spec->format != CGS_NONE)
        cgs_level_sum_by_planes(level);
    if (level->mesh.order == 1 && cgs_mesh_plain(&level->mesh))
        return CGS_OK;
    return cgs_assemble_jacobi(spec->box, machine->queue, &level->op, &level->owned,
                               &level->jacobi);
}

static enum cgs_status make_transfers(const struct cgs_multigrid_ops *ops, struct cgs_hierarchy *h)
{
    for (int l = 0; l < h->count - 1; l++) {
        struct cgs_level *level = &h->level[l], *coarser = level + 1;
        CGS_TRY(cgs_transfer_box(ops, &level->op.domain, &level->mesh, &coarser->op.domain,
                                 &coarser->mesh, &level->transfer));
    }
    return CGS_OK;
}

static enum cgs_status make_multigrid(struct cgs_context *context,
                                      const struct cgs_machine *machine,
                                      const struct cgs_space *outer, enum cgs_number number,
                                      int degree, struct cgs_hierarchy *h)
{
    const struct cgs_row_source coarsest =
        h->galerkin && h->count > 1 ? cgs_crs_source(&h->coarsest) : h->level[h->count - 1].source;
    const int64_t rows = coarsest.rows;
    const bool singular = cgs_mesh_singular(&h->level[h->count - 1].mesh);
    struct cgs_multigrid_settings settings = {.degree = degree, .count = h->count};
    double *inverse;
    for (int l = 0; l < h->count; l++) {
        const struct cgs_level *level = &h->level[l];
        double stencil[8];
        cgs_mesh_stencil(&level->mesh, stencil);
        settings.grid[l] = (struct cgs_grid){
            .op = &level->op,
            .inverse = level->jacobi.self ? cgs_jacobi_inverse(&level->jacobi) : NULL,
            .diagonal = stencil[0],
            .product = level->product,
            .high = level->high,
            .optimal = level->mesh.order > 1,
            .transfer = &level->transfer,
        };
    }
    CGS_TRY(cgs_alloc(context, rows * rows, sizeof *inverse, "coarsest grid", (void **)&inverse));
    settings.inverse = inverse;
    enum cgs_status status = cgs_dense_inverse(
        context, &coarsest, singular ? CGS_DENSE_PSEUDO : CGS_DENSE_REGULAR, inverse);
    if (status == CGS_OK)
        status = cgs_multigrid_create(machine->queue, machine->backend->grids[number], outer,
                                      &settings, &h->multigrid);
    cgs_free(context, inverse);
    return status;
}

/* Returns the traffic of a product of the run's own operator. */
static struct cgs_traffic product_of(const struct cgs_spec *spec, const struct cgs_machine *machine,
                                     const struct cgs_operator *op)
{
    struct cgs_matrix matrix;
    cgs_spec_matrix(spec, &matrix);
    return cgs_operator_traffic(op, machine->kernel, &matrix);
}

/* Makes kappa of the coarser grids where it is numbers of each cell. */
static enum cgs_status coarsen_kappa(struct cgs_context *context, struct cgs_hierarchy *h)
{
    for (int l = 1; l < h->count; l++) {
        struct cgs_level *level = &h->level[l];
        const struct cgs_mesh *finer = &h->level[l - 1].mesh;
        if (level->mesh.kappa.kind != CGS_KAPPA_CELLS || cgs_kappa_shared(&level->mesh))
            continue;
        CGS_TRY((level->mesh.order > 1 ? cgs_kappa_between_orders
                 : finer->order > 1
                     ? cgs_kappa_of_order
                     : cgs_kappa_coarsen)(context, finer, &level->mesh, &level->kappa));
        level->mesh.kappa.cells = level->kappa;
    }
    return CGS_OK;
}

enum cgs_status cgs_hierarchy_create(struct cgs_context *context, const struct cgs_spec *spec,
                                     const struct cgs_machine *machine, const struct cgs_mesh *mesh,
                                     const struct cgs_operator *op, enum cgs_number number,
                                     struct cgs_hierarchy *h)
{
    struct cgs_mesh grid[CGS_GRIDS];
    *h = (struct cgs_hierarchy){0};
    const struct cgs_portion *cut = op->domain.layout.portion;
    h->count = cgs_hierarchy_sizes(machine->backend->place, mesh, grid);
    h->level[0].cut = cut;
    for (int l = 0; l < h->count; l++)
        h->level[l].mesh = grid[l];
    CGS_TRY(coarsen_kappa(context, h));
    if (op->domain.number == number) {
        h->level[0].op = *op;
        h->level[0].product = product_of(spec, machine, op);
        h->level[0].borrowed = true;
    }
    h->galerkin = spec->coarse != NULL;
    for (int l = 0; l < (h->galerkin ? 1 : h->count); l++)
        CGS_TRY(make_level(context, spec, machine, number, h, l));
    if (h->galerkin)
        CGS_TRY(cgs_hierarchy_project(spec, machine, number, h));
    CGS_TRY(find_bounds(h, machine->queue));
    CGS_TRY(make_transfers(machine->backend->grids[number], h));
    CGS_TRY(make_multigrid(context, machine, &op->domain, number, spec->degree, h));
    cgs_crs_release(context, &h->coarsest);
    return CGS_OK;
}

void cgs_hierarchy_release(struct cgs_context *context, struct cgs_hierarchy *h)
{
    cgs_multigrid_release(h->multigrid);
    cgs_crs_release(context, &h->coarsest);
    for (int l = 0; l < h->count; l++) {
        struct cgs_level *level = &h->level[l];
        cgs_transfer_release(&level->transfer);
        cgs_operator_release(&level->jacobi);
        if (!level->borrowed)
            cgs_operator_release(&level->op);
        cgs_matrix_release(context, &level->matrix);
        cgs_portion_release(context, &level->portion);
        cgs_free(context, level->kappa);
        cgs_assemble_rows_release(context, &level->source);
    }
    *h = (struct cgs_hierarchy){0};
}
