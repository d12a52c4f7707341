/* Transfers between grids of a box, by a device's table of kernels/grid.h. */
#include "solver/transfer.h"

#include <assert.h>

#include "base/comm.h"
#include "base/integers.h"
#include "base/memory.h"
#include "kernels/grid/line.h"
#include "kernels/grid/orders.h"
#include "matrix/names.h"
#include "solver/halo.h"

enum { TABLE_BYTES = 64 }; /* bytes of tables per fine and per coarse point of a line */

/* Planes beside a rank's own that transfers reach: a coarse point reaches less than two fine
 * intervals to either side, and begins within a plane of its rank's rows. Between orders they reach
 * no further than a layer of cells. */
enum { ROOM_PLANES = 3 };

struct box {
    struct cgs_context *context;
    const struct cgs_multigrid_ops *ops;
    void *transfer;
    /* On several ranks, else NULL: what is read of the fine vector and of the coarse one, and
     * the planes that other ranks have restricted where each has the whole coarse grid. */
    struct cgs_halo *fine, *coarse, *gathered;
};

static enum cgs_status restrict_to(const void *self, struct cgs_queue *queue,
                                   const struct cgs_cg_state *state, const void *f, void *c)
{
    const struct box *box = self;
    CGS_TRY(cgs_halo_exchange(box->fine, queue, state, f, NULL));
    CGS_TRY(box->ops->restrict_to(box->transfer, queue, state, f, c));
    return cgs_halo_exchange(box->gathered, queue, state, c, NULL);
}

static enum cgs_status prolong(const void *self, struct cgs_queue *queue,
                               const struct cgs_cg_state *state, bool add, const void *c, void *f)
{
    const struct box *box = self;
    CGS_TRY(cgs_halo_exchange(box->coarse, queue, state, c, NULL));
    return box->ops->prolong(box->transfer, queue, state, add, c, f);
}

static void release(void *self)
{
    struct box *box = self;
    cgs_halo_release(box->gathered);
    cgs_halo_release(box->coarse);
    cgs_halo_release(box->fine);
    box->ops->transfer_release(box->transfer);
    cgs_free(box->context, box);
}

static const struct cgs_transfer_steps steps = {
    .restrict_to = restrict_to, .prolong = prolong, .release = release};

/* ---- ranks ---- */

int64_t cgs_transfer_room(int order, int64_t plane)
{
    return cgs_most(ROOM_PLANES, order) * plane;
}

void cgs_transfer_cut(const struct cgs_mesh *fine_mesh, const int64_t *fine,
                      const struct cgs_mesh *coarse_mesh, int ranks, int64_t *coarse)
{
    const int64_t m = coarse_mesh->n[2];
    const struct cgs_line line = {fine_mesh->n[2], m, fine_mesh->open[2]};
    int64_t plane = 0;
    for (int r = 0; r <= ranks && fine_mesh->order > 1; r++) { /* at the nearest ends of cells */
        const int64_t layer = fine_mesh->order * cgs_mesh_plane(fine_mesh);
        const int64_t up = fine_mesh->open[2] & 1 ? layer - 1 : 0;
        const int64_t planes = coarse_mesh->order * ((fine[r] + up) / layer);
        coarse[r] = (r < ranks ? cgs_least(planes, m) : m) * cgs_mesh_plane(coarse_mesh);
    }
    for (int r = 0; r <= ranks && fine_mesh->order == 1; r++) {
        while (plane < m && cgs_line_below(line, plane) * cgs_mesh_plane(fine_mesh) < fine[r])
            plane++;
        coarse[r] = plane * cgs_mesh_plane(coarse_mesh);
    }
}

static int64_t plane_of(const int64_t n[3])
{
    return n[0] * n[1];
}

/* The direction z of a pair of grids. */
static struct cgs_line line_of(const struct cgs_grid_pair *pair)
{
    return (struct cgs_line){pair->fine_n[2], pair->coarse_n[2], pair->open[2]};
}

static struct cgs_window widened(const int64_t *cuts, int rank, int64_t first, int64_t last)
{
    return (struct cgs_window){first < cuts[rank] ? first : cuts[rank],
                               last > cuts[rank + 1] ? last : cuts[rank + 1]};
}

/* Planes first ... last - 1 of a direction. */
struct planes {
    int64_t first, last;
};

/* Fine planes from which coarse planes first ... last - 1 are restricted. */
static struct planes restricted(const struct cgs_grid_pair *pair, int64_t first, int64_t last)
{
    struct cgs_orders orders;
    struct cgs_orders_row low, high;
    if (pair->fine_order == 1) {
        const struct cgs_line_reach bottom = cgs_line_reach(line_of(pair), first);
        const struct cgs_line_reach top = cgs_line_reach(line_of(pair), last - 1);
        return (struct planes){bottom.first, top.first + top.count};
    }
    cgs_orders_make(line_of(pair), pair->fine_order, pair->coarse_order, &orders);
    cgs_orders_restriction(&orders, first, &low);
    cgs_orders_restriction(&orders, last - 1, &high);
    return (struct planes){low.first, high.first + high.count};
}

/* Coarse planes from which fine planes first ... last - 1 are interpolated. */
static struct planes interpolated(const struct cgs_grid_pair *pair, int64_t first, int64_t last)
{
    const struct cgs_line line = line_of(pair);
    struct cgs_orders orders;
    struct cgs_orders_row low, high;
    if (pair->fine_order == 1) {
        const int64_t left = cgs_line_point(line, first).left;
        const int64_t right = cgs_line_point(line, last - 1).left + 1;
        return (struct planes){left < 0 ? 0 : left, right < line.m ? right + 1 : line.m};
    }
    cgs_orders_make(line, pair->fine_order, pair->coarse_order, &orders);
    cgs_orders_interpolation(&orders, first, &low);
    cgs_orders_interpolation(&orders, last - 1, &high);
    return (struct planes){low.first, high.first + high.count};
}

/* Rows of the fine grid from which a rank restricts to its planes, with its own. */
static struct cgs_window read_by_restriction(const struct cgs_grid_pair *pair, const int64_t *fine,
                                             const int64_t *coarse, int rank)
{
    const int64_t plane = plane_of(pair->fine_n);
    const int64_t first = coarse[rank] / plane_of(pair->coarse_n);
    const int64_t last = coarse[rank + 1] / plane_of(pair->coarse_n);
    if (first == last)
        return (struct cgs_window){fine[rank], fine[rank + 1]};
    const struct planes read = restricted(pair, first, last);
    return widened(fine, rank, read.first * plane, read.last * plane);
}

/* Rows of the coarse grid from which a rank interpolates to its fine rows, with its own. */
static struct cgs_window read_by_prolongation(const struct cgs_grid_pair *pair, const int64_t *fine,
                                              const int64_t *coarse, int rank)
{
    const int64_t plane = plane_of(pair->fine_n), coarse_plane = plane_of(pair->coarse_n);
    const struct planes read =
        interpolated(pair, fine[rank] / plane, (fine[rank + 1] - 1) / plane + 1);
    return widened(coarse, rank, read.first * coarse_plane, read.last * coarse_plane);
}

/* Returns true if vectors of a portion have room for what its rank reads. */
static bool has_room(const struct cgs_portion *portion, const struct cgs_window *reads)
{
    const struct cgs_window *mine = &reads[portion->rank];
    return portion->first - mine->first <= portion->before &&
           mine->last - portion->first - portion->count <= portion->after;
}

/* Makes the halos of a transfer whose fine space is a portion. */
static enum cgs_status make_halos(const struct cgs_grid_pair *pair, const int64_t *cuts,
                                  struct box *box)
{
    const struct cgs_portion *fine = pair->fine->layout.portion;
    const struct cgs_portion *coarse = pair->coarse->layout.portion;
    struct cgs_window reads[CGS_RANKS_MOST], coarse_reads[CGS_RANKS_MOST];
    for (int r = 0; r < fine->ranks; r++) {
        reads[r] = read_by_restriction(pair, fine->cuts, cuts, r);
        coarse_reads[r] = coarse ? read_by_prolongation(pair, fine->cuts, cuts, r)
                                 : (struct cgs_window){0, pair->coarse->size};
    }
    assert(has_room(fine, reads) && (!coarse || has_room(coarse, coarse_reads)));
    CGS_TRY(cgs_halo_of_windows(pair->fine, fine->cuts, reads, fine->first, &box->fine));
    return cgs_halo_of_windows(pair->coarse, cuts, coarse_reads, cgs_portion_first(coarse),
                               coarse ? &box->coarse : &box->gathered);
}

static enum cgs_status make(const struct cgs_grid_pair *alone, const struct cgs_mesh *fine,
                            const struct cgs_mesh *coarse, struct box *box)
{
    const struct cgs_portion *portion = alone->fine->layout.portion;
    struct cgs_grid_pair pair = *alone;
    const int64_t plane = cgs_mesh_plane(coarse);
    int64_t cuts[CGS_RANKS_MOST + 1];
    if (portion) {
        cgs_transfer_cut(fine, portion->cuts, coarse, portion->ranks, cuts);
        pair.first = cuts[portion->rank] / plane;
        pair.last = cuts[portion->rank + 1] / plane;
        CGS_TRY(make_halos(&pair, cuts, box));
    }
    return box->ops->transfer_create(&pair, &box->transfer);
}

enum cgs_status cgs_transfer_box(const struct cgs_multigrid_ops *ops, const struct cgs_space *fine,
                                 const struct cgs_mesh *fine_mesh, const struct cgs_space *coarse,
                                 const struct cgs_mesh *coarse_mesh, struct cgs_transfer *transfer)
{
    struct cgs_context *context = fine->queue->context;
    struct cgs_grid_pair pair = {.fine = fine,
                                 .coarse = coarse,
                                 .fine_order = fine_mesh->order,
                                 .coarse_order = coarse_mesh->order,
                                 .last = coarse_mesh->n[2]};
    struct box *box;
    CGS_TRY(cgs_alloc(context, 1, sizeof *box, "transfer", (void **)&box));
    *box = (struct box){.context = context, .ops = ops};
    for (int k = 0; k < 3; k++) {
        pair.fine_n[k] = fine_mesh->n[k];
        pair.coarse_n[k] = coarse_mesh->n[k];
        pair.open[k] = fine_mesh->open[k];
    }
    const enum cgs_status status = make(&pair, fine_mesh, coarse_mesh, box);
    if (status != CGS_OK) {
        release(box);
        return status;
    }
    *transfer = (struct cgs_transfer){
        .steps = &steps, .self = box, .capturable = true, .moves = cgs_transfer_box_moves()};
    return CGS_OK;
}

/* Tables and lines of interpolation and restriction between orders (kernels/grid/bands_cpu.h). */
static void plan_orders(struct cgs_plan *plan, const struct cgs_mesh *fine,
                        const struct cgs_mesh *coarse, int threads, int64_t number)
{
    const int64_t up = 8 + (coarse->order + 1) * number, down = 8 + (2 * fine->order - 1) * number;
    const int64_t lines = fine->n[0] + coarse->n[0] + 4 * CGS_ORDERS_REACH;
    for (int k = 0; k < 3; k++) {
        cgs_plan_add(plan, CGS_HOST, "transfer", fine->n[k], up);
        cgs_plan_add(plan, CGS_HOST, "transfer", coarse->n[k], down);
    }
    cgs_plan_add(plan, CGS_HOST, "transfer", threads * (CGS_ORDERS_REACH + 1) * lines, number);
}

void cgs_transfer_box_plan(struct cgs_plan *plan, const struct cgs_space *fine,
                           const struct cgs_mesh *fine_mesh, const struct cgs_mesh *coarse_mesh,
                           int threads)
{
    const int64_t number = cgs_number_bytes(fine->number);
    int64_t points = 0;
    if (fine_mesh->order > 1) {
        if (fine->place == CGS_HOST) /* on a device tables are arguments of its kernels */
            plan_orders(plan, fine_mesh, coarse_mesh, threads, number);
        return;
    }
    for (int k = 0; k < 3; k++)
        points += fine_mesh->n[k] + coarse_mesh->n[k];
    cgs_plan_add(plan, fine->place, "transfer", points, TABLE_BYTES);
    if (fine->place == CGS_HOST)
        cgs_plan_add(plan, CGS_HOST, "transfer", threads * (fine_mesh->n[0] + 2), number);
}

struct cgs_moves cgs_transfer_box_moves(void)
{
    return (struct cgs_moves){2, 1, 0}; /* restriction 1; correction 1 + 1 */
}

void cgs_transfer_release(struct cgs_transfer *transfer)
{
    if (transfer->steps)
        transfer->steps->release(transfer->self);
    *transfer = (struct cgs_transfer){0};
}
