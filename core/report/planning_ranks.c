/* Several ranks: their plans side by side, and the time of an iteration by their number
 * (core/plan/scaling.h). */
#include <string.h>

#include "base/comm.h"
#include "core/plan/links.h"
#include "core/precond/grids.h"
#include "core/precond/sharing.h"
#include "core/report/planning_ranks.h"
#include "core/setup/asked.h"
#include "kernels/vector/tree.h"
#include "matrix/names.h"
#include "solver/cg/cg_traffic.h"
#include "solver/multigrid_plan.h"
#include "solver/smoother.h"

/* ---- memory ---- */

/* Bytes that each rank needs of a memory, bytes that it has of it, and the number of that
 * memory. */
struct needs {
    double totals[CGS_RANKS_MOST], rooms[CGS_RANKS_MOST], where[CGS_RANKS_MOST];
};

/* Returns a number that the ranks which share a memory have in common: those of a host, or of a
 * GPU. */
static double number_of_place(const struct cgs_comm *comm, const struct cgs_machine *machine,
                              enum cgs_place place)
{
    const double numbers = 4294967296.0; /* more than a bus has */
    return place == CGS_HOST ? comm->host : numbers * comm->host + (double)machine->info.bus;
}

/* Reduces the room of a memory to this rank's share, in proportion to what the ranks that share
 * it need: it fits if all fit. Returns how many they are. */
static int take_share(struct cgs_context *context, struct cgs_report *report, enum cgs_place place,
                      struct needs *needs, struct cgs_room *equal)
{
    const struct cgs_comm *comm = context->comm;
    int64_t *room = &report->room.bytes[place];
    const double total = (double)report->plan.total[place];
    double all = 0.0;
    int sharers = 0;
    cgs_comm_each(context, total, needs->totals);
    cgs_comm_each(context, number_of_place(comm, &report->machine, place), needs->where);
    for (int r = 0; r < comm->size; r++)
        if (needs->where[r] == needs->where[comm->rank]) {
            all += needs->totals[r];
            sharers++;
        }
    equal->bytes[place] = *room / sharers;
    *room = all > 0.0 ? (int64_t)((double)*room * (total / all)) : equal->bytes[place];
    cgs_comm_each(context, (double)*room, needs->rooms);
    return sharers;
}

/* Returns the rank to show: the first that lacks memory, else the one that needs most. */
static int rank_to_show(const struct needs *needs, int ranks)
{
    int most = 0;
    for (int r = 0; r < ranks; r++) {
        if (needs->totals[r] > needs->rooms[r])
            return r;
        if (needs->totals[r] > needs->totals[most])
            most = r;
    }
    return most;
}

static bool lacks(const struct needs *needs, int rank)
{
    return needs->totals[rank] > needs->rooms[rank];
}

/* Gives all ranks this one's part of the GPUs. */
static void share_parts(struct cgs_context *context, struct cgs_report *report, int64_t rows,
                        int sharers)
{
    struct cgs_comm *comm = context->comm;
    struct cgs_rank_facts *ranks = &report->ranks;
    struct cgs_gpu_part *mine = &ranks->share[comm->rank];
    *mine = (struct cgs_gpu_part){.device = report->machine.index,
                                  .sharers = sharers,
                                  .rows = rows,
                                  .planned = report->plan.total[CGS_DEVICE_MEMORY],
                                  .available = report->room.bytes[CGS_DEVICE_MEMORY]};
    snprintf(mine->name, sizeof mine->name, "%.63s", report->machine.info.name);
    ranks->shares = comm->size;
    for (int r = 0; r < comm->size; r++)
        comm->ops->share(comm, r, &ranks->share[r], (int64_t)sizeof ranks->share[r]);
}

void cgs_planning_share(struct cgs_context *context, struct cgs_report *report, int64_t rows,
                        struct cgs_room *equal)
{
    struct needs host, device;
    struct cgs_comm *comm = context->comm;
    if (!comm)
        return;
    take_share(context, report, CGS_HOST, &host, equal);
    report->planned_all = 0;
    for (int r = 0; r < comm->size; r++)
        report->planned_all += (int64_t)host.totals[r];
    report->planned_rank = rank_to_show(&host, comm->size);
    if (report->machine.backend->place == CGS_DEVICE_MEMORY) {
        const int sharers = take_share(context, report, CGS_DEVICE_MEMORY, &device, equal);
        if (!lacks(&host, report->planned_rank))
            report->planned_rank = rank_to_show(&device, comm->size);
        share_parts(context, report, rows, sharers);
    }
    comm->ops->share(comm, report->planned_rank, &report->plan, (int64_t)sizeof report->plan);
    comm->ops->share(comm, report->planned_rank, &report->room, (int64_t)sizeof report->room);
}

void cgs_planning_peaks(struct cgs_context *context, struct cgs_report *report)
{
    double peaks[CGS_RANKS_MOST];
    if (report->ranks.shares == 0)
        return;
    cgs_comm_each(context, (double)report->device_peak, peaks);
    for (int r = 0; r < report->ranks.shares; r++)
        report->ranks.share[r].peak = (int64_t)peaks[r];
}

/* ---- time ---- */

/* Returns true if the model knows the preconditioner: what it moves, and its exchanges. */
static bool known(const struct cgs_settings *o)
{
    return o->precond == CGS_PRECOND_NONE || o->precond == CGS_PRECOND_JACOBI ||
           o->precond == CGS_PRECOND_CHEBYSHEV || o->precond == CGS_PRECOND_MG;
}

/* Returns the least number of ranks that share a grid, 0 if none do. More ranks save more of its
 * time. */
static int64_t ranks_that_share(const struct cgs_spec *spec, const struct cgs_mesh *grid)
{
    struct cgs_spec as = *spec;
    for (as.ranks = 2; as.ranks <= grid->n[2]; as.ranks++)
        if (cgs_sharing(&as, grid))
            return as.ranks;
    return 0;
}

/* Describes a cycle of multigrid. */
static void describe_cycle(const struct cgs_spec *spec, const struct cgs_grids *grids,
                           struct cgs_scaling_problem *problem)
{
    const int count = grids->settings.count, products = 2 * spec->degree;
    problem->cycle_number_bytes = (int)cgs_number_bytes(spec->cycle_number);
    problem->cycle_exchanges = count > 1 ? products + 1 : 0; /* and one for the restriction */
    for (int l = 1; l < count; l++) {
        const struct cgs_mesh *grid = &grids->level[l].forecast.mesh;
        problem->grid[problem->grids++] = (struct cgs_scaling_grid){
            .planes = grid->n[2],
            .plane = cgs_mesh_plane(grid),
            .shared_from = l < count - 1 ? ranks_that_share(spec, grid) : 0,
            .bytes = cgs_multigrid_bytes(&grids->settings, l),
            .exchanges = products + 2, /* and one for the interpolation from it */
        };
    }
}

/* An operator that tells what the preconditioner moves. */
static struct cgs_operator preconditioner_of(const struct cgs_settings *o,
                                             const struct cgs_operator *op,
                                             const struct cgs_grids *grids)
{
    struct cgs_operator made = {.steps = op->steps};
    if (o->precond == CGS_PRECOND_NONE)
        made.steps = NULL;
    if (o->precond == CGS_PRECOND_CHEBYSHEV)
        made.moves = cgs_smoother_moves(op, true, (int)o->degree, true);
    if (o->precond == CGS_PRECOND_MG) {
        made.moves = cgs_multigrid_moves(&op->domain, &grids->settings);
        made.flexible = grids->level[0].op.domain.number != op->domain.number;
    }
    return made;
}

/* Largest number of unknowns on a side of a rank that it needs. */
static int64_t ghosts_beside(struct cgs_context *context, const struct cgs_report *report,
                             const struct cgs_portion *portion)
{
    const struct cgs_mesh mesh = cgs_mesh_asked(report->settings);
    const int64_t plane = cgs_mesh_plane(&mesh);
    if (!portion)
        return report->settings->format == CGS_NONE || mesh.order > 1 ? mesh.order * plane
                                                                      : plane + mesh.n[0] + 1;
    const int64_t most = portion->below > portion->above ? portion->below : portion->above;
    return (int64_t)cgs_comm_most(context, (double)most);
}

/* Mean number of nodes that a rank sends for a sum over n rows. */
static double nodes_of(int64_t n, int64_t unit, int ranks)
{
    const int64_t units = n / unit + (n % unit != 0);
    double nodes = 0.0;
    for (int r = 0; r < ranks; r++)
        nodes += cgs_tree_nodes(units, units * r / ranks, units * (r + 1) / ranks, NULL, NULL);
    return nodes / ranks;
}

/* Describes an iteration; *written: its share of bytes that are written. */
static struct cgs_scaling_problem describe(struct cgs_context *context,
                                           const struct cgs_report *report,
                                           const struct cgs_matrix *laid, double *written)
{
    const struct cgs_settings *o = report->settings;
    const struct cgs_spec spec = cgs_spec_asked(o, &report->machine, laid);
    const struct cgs_portion *portion = laid ? laid->source->portion : NULL;
    const bool cycles = o->precond == CGS_PRECOND_MG;
    struct cgs_grids grids;
    struct cgs_matrix matrix;
    if (cycles)
        cgs_grids_specify(&spec, &grids);
    cgs_spec_matrix(&spec, &matrix); /* the whole box, or this rank's rows of a file */
    matrix.columns = matrix.rows;
    struct cgs_operator op = cgs_spec_operator(&spec, &matrix);
    const struct cgs_portion some = {0};                    /* other ranks have parts of the sums */
    op.domain.ops = spec.backend->spaces[op.domain.number]; /* for its fused steps */
    op.domain.queue = report->machine.queue;
    op.domain.extent = portion ? portion->count : matrix.rows / context->comm->size;
    op.domain.layout.portion = portion ? portion : &some;
    const struct cgs_operator made = preconditioner_of(o, &op, &grids);
    const struct cgs_cg_step iteration =
        cgs_cg_iteration(&op, &made, spec.method, CGS_LAUNCH_PLAIN);
    const bool merged = spec.method != CGS_CG_STANDARD; /* one gathering, and no fused update */
    const struct cgs_traffic product = report->machine.kernel->traffic(&matrix);
    const double bytes = cgs_cg_bytes(&iteration, &op, &product);
    *written = cgs_cg_bytes_written(&iteration, &op) / bytes;
    struct cgs_scaling_problem problem = {
        .rows = portion ? portion->whole : matrix.rows,
        .ghosts = ghosts_beside(context, report, portion),
        .number_bytes = (int)cgs_number_bytes(op.domain.number),
        /* an update that computes A p again finds its ghosts there */
        .exchanges = iteration.moves.products -
                     (op.steps->update && !merged ? op.steps->update_moves.products : 0.0),
        .gatherings = merged                           ? 1.0
                      : o->precond == CGS_PRECOND_NONE ? 2.0
                      : made.flexible                  ? 4.0
                                                       : 3.0,
    };
    if (cycles)
        describe_cycle(&spec, &grids, &problem);
    problem.unit = cgs_spec_unit(&spec, problem.rows);
    problem.bytes = cgs_comm_sum(context, bytes) / cgs_comm_sum(context, (double)matrix.rows);
    problem.numbers = nodes_of(problem.rows, problem.unit, context->comm->size);
    return problem;
}

/* Measures bytes/s of a rank, of the nearest mix of reads and writes. */
static enum cgs_status measure(const struct cgs_report *report, double written, double *bandwidth)
{
    const struct cgs_machine *m = &report->machine;
    enum { PARTS = 1000 };
    struct cgs_bandwidth gbs;
    const char *kind;
    const enum cgs_place place = m->backend->place;
    CGS_TRY(cgs_measure_bandwidth(m->backend, m->queue, report->plan.total[place],
                                  report->room.bytes[place], &gbs));
    *bandwidth = 1e9 * cgs_attainable(&gbs, (int64_t)(PARTS * written), PARTS, &kind);
    return CGS_OK;
}

/* All ranks at once, then rank 0 while the others wait. */
static enum cgs_status measure_memory(struct cgs_context *context, const struct cgs_report *report,
                                      double written, struct cgs_scaling_machine *machine)
{
    double own = 0.0, alone = 0.0;
    CGS_TRY(cgs_comm_agree(context, measure(report, written, &own)));
    enum cgs_status status = CGS_OK;
    if (cgs_comm_first(context))
        status = measure(report, written, &alone);
    CGS_TRY(cgs_comm_agree(context, status));
    machine->together = cgs_comm_sum(context, own) / context->comm->size;
    machine->alone = cgs_comm_first_of(context, alone);
    if (machine->alone < machine->together) /* other processes were in its way */
        machine->alone = machine->together;
    return CGS_OK;
}

enum cgs_status cgs_planning_scale(struct cgs_context *context, struct cgs_report *report,
                                   const struct cgs_matrix *laid)
{
    struct cgs_comm *comm = context->comm;
    struct cgs_scaling_facts *facts = &report->scaling;
    struct cgs_links links;
    double written;
    if (!comm || !known(report->settings))
        return CGS_OK;
    struct cgs_scaling_problem problem = describe(context, report, laid, &written);
    const int told = 2;             /* with the nodes (CGS_TOLD) */
    if (report->ranks.shares > 0) { /* GPUs tell each other the sum */
        problem.numbers = 1.0;
        links = (struct cgs_links){.message = cgs_scaling_h200.exchange,
                                   .bandwidth = cgs_scaling_h200.bandwidth,
                                   .gathering = cgs_scaling_h200.sum};
    } else {
        CGS_TRY(cgs_links_measure(context, problem.ghosts * problem.number_bytes,
                                  (int)problem.numbers + told, &links));
    }
    struct cgs_scaling_machine machine = {
        .on_host = comm->on_host, .message = links.message, .link = links.bandwidth};
    CGS_TRY(measure_memory(context, report, written, &machine));
    machine.stage = cgs_scaling_stage(&problem, links.bandwidth, links.gathering, comm->size);
    facts->problem = problem;
    facts->machine = machine;
    facts->gathering = links.gathering;
    facts->count = cgs_scaling_list(&problem, &machine, comm->size, facts->points);
    return CGS_OK;
}
