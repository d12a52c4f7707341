/* Runs on several ranks: what they take, how rows are cut among them, and facts of the whole
 * from those of the parts. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/comm.h"
#include "base/memory.h"
#include "core/options/user_problem.h"
#include "core/options/values.h"
#include "core/run/run_ranks.h"
#include "core/run/steps.h"
#include "core/setup/machine_open.h"
#include "fem/element/element.h"
#include "kernels/plugin/plugin.h"
#include "kernels/vector/blocks.h"
#include "kernels/vector/tree.h"
#include "matrix/layout.h"
#include "solver/transfer.h"

/* ---- what ranks take ---- */

/* An option that needs one process: if `wrong`, the message names it and what to take. */
struct refusal {
    bool wrong;
    const char *option, *instead;
};

enum cgs_status cgs_run_ranks_accept(struct cgs_context *context, const struct cgs_settings *o,
                                     const struct cgs_plugin *plugin)
{
    const struct refusal refusals[] = {
        {!plugin && cgs_plugin_named(o->kernel), "a user kernel in a study",
         "take one of 'cgsolve list kernels'"},
        {plugin && cgs_plugin_isolated(plugin)->device == CGS_CUDA, "a user kernel for CUDA",
         "take one of the CPU"},
        {o->model && cgs_periodic(o->model->mesh.open[2]), "\1face=z0:periodic",
         "let x or y be the periodic directions, as ranks have layers in z"},
        {o->partition != CGS_PARTITION_CONTIGUOUS && !o->matrix, "\1partition of the box",
         "take contiguous"},
        {o->given[CGS_OPTION_block] && o->precond == CGS_PRECOND_JACOBI,
         "\1block of \1precond=jacobi", "leave it out"},
        {o->reuse != CGS_REUSE_NONE, "\1reuse", "take \1reuse=none"},
    };
    if (cgs_comm_size(context) == 1 && !(o->given[CGS_OPTION_gpus] && o->gpus.count > 1))
        return CGS_OK;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        if (refusals[i].wrong)
            return cgs_fail(context, CGS_USAGE, "%s does not work on several ranks yet: %s",
                            refusals[i].option, refusals[i].instead);
    return CGS_OK;
}

/* ---- the cut ---- */

/* Returns the rows of which ranks own whole multiples, of `rows` in all; with near-null vectors
 * nodes, which the pattern may find to have 2 or 3 rows, are not cut. */
static int64_t unit_of(const struct cgs_run *run, int64_t rows)
{
    const struct cgs_settings *o = run->settings;
    const bool planes = o->format == CGS_NONE || run->machine.device != CGS_CPU;
    const int64_t found = 6, node = o->given[CGS_OPTION_block] ? o->block : found;
    if (planes && run->drawn.unit)
        return run->drawn.unit;
    const int64_t unit = cgs_blocks_unit(rows, cgs_settings_chunk(o), cgs_settings_sigma(o));
    return cgs_run_wants_near_null(run) ? cgs_blocks_both(unit, node) : unit;
}

void cgs_run_ranks_cuts(void *run, int64_t rows, int64_t *cuts)
{
    const struct cgs_run *self = run;
    cgs_portion_cut(rows, unit_of(self, rows), cgs_comm_size(self->context), cuts);
}

/* Refuses what kernel and device of the run don't have on several ranks. */
static enum cgs_status accept_machine(const struct cgs_run *run)
{
    const struct cgs_settings *o = run->settings;
    if (cgs_run_wants_near_null(run) && run->machine.device != CGS_CPU)
        return cgs_fail(run->context, CGS_USAGE,
                        "near-null vectors of \1precond=amg do not work on the GPUs of several "
                        "ranks yet: take \1backend=cpu, or one rank");
    if (!run->machine.kernel->shared)
        return cgs_fail(run->context, CGS_USAGE,
                        "kernel '%s' does not work on several ranks: take \1kernel=auto",
                        run->machine.entry->name);
    if (run->machine.device == CGS_CPU || o->precond != CGS_PRECOND_AMG || !o->reproducible ||
        !cgs_settings_box(o))
        return CGS_OK;
    return cgs_fail(
        run->context, CGS_USAGE,
        "\1precond=amg of the box with \1reproducible does not work on the GPUs of several "
        "ranks yet: take \1backend=cpu, \1precond=mg, or leave out \1reproducible");
}

/* Cuts the rows of run->drawn, and makes run->owned those of this rank; run->rows becomes their
 * number. CGS_USAGE: the kernel cannot share rows, or more ranks than blocks of rows. */
static enum cgs_status cut_rows(struct cgs_run *run)
{
    struct cgs_context *context = run->context;
    const struct cgs_comm *comm = context->comm;
    run->owned = run->drawn;
    if (!comm)
        return CGS_OK;
    CGS_TRY(accept_machine(run));
    cgs_run_enter(run, CGS_PHASE_SETUP);
    const int64_t rows = cgs_run_all_rows(run), unit = unit_of(run, rows);
    if (!cgs_external_part(&run->report->external)) /* a caller has its ranks for other work, too */
        CGS_TRY(cgs_portion_accept(context, rows, unit, comm->size));
    CGS_TRY(cgs_portion_create(context, &run->drawn, unit, comm->rank, comm->size, &run->portion));
    if (run->settings->precond == CGS_PRECOND_MG || run->settings->precond == CGS_PRECOND_AUTO ||
        run->settings->guess == CGS_GUESS_FMG)
        cgs_portion_widen(&run->portion, cgs_transfer_room(run->drawn.mesh->order,
                                                           cgs_mesh_plane(run->drawn.mesh)));
    run->owned = cgs_portion_source(&run->portion);
    run->rows = run->portion.count;
    cgs_inject_locate(&run->injection, &run->portion);
    return CGS_OK;
}

/* ---- facts of the whole ---- */

/* Notes the GPU of each rank, and how many these are; 0: they compute on CPUs. On all ranks at
 * once. */
static void note_gpus(struct cgs_run *run)
{
    struct cgs_context *context = run->context;
    struct cgs_rank_facts *ranks = &run->report->ranks;
    double gpus[CGS_RANKS_MOST];
    ranks->gpus = 0;
    if (run->machine.device == CGS_CPU)
        return;
    const double mine = (double)context->comm->host * CGS_DEVICE_NUMBERS + run->machine.index;
    cgs_comm_each(context, mine, gpus);
    for (int r = 0; r < context->comm->size; r++) {
        bool first = true;
        for (int before = 0; before < r; before++)
            first = first && gpus[before] != gpus[r];
        ranks->gpus += first;
        ranks->device[r] = (int)gpus[r] % CGS_DEVICE_NUMBERS;
    }
}

static int64_t sum(struct cgs_context *context, int64_t mine)
{
    return (int64_t)cgs_comm_sum(context, (double)mine);
}

/* Entries of this rank's rows of a file in columns of others. */
static int64_t count_edges(const struct cgs_crs *crs)
{
    int64_t edges = 0;
    for (int64_t k = 0; crs->pointers && k < crs->pointers[crs->rows]; k++)
        edges += crs->column[k] < crs->first || crs->column[k] >= crs->first + crs->rows;
    return edges;
}

/* Cost of the cut; entries: of this rank. */
static struct cgs_cut_cost cost_of(struct cgs_run *run, const struct cgs_portion *portion,
                                   int64_t entries)
{
    struct cgs_context *context = run->context;
    return (struct cgs_cut_cost){
        .ghosts = sum(context, portion->below + portion->above),
        .edges = sum(context, count_edges(&run->input.crs)) / 2,
        .imbalance = cgs_comm_most(context, (double)entries) * portion->ranks /
                     cgs_comm_sum(context, (double)entries),
    };
}

/* Measures the file's order, before rows are renumbered. */
static enum cgs_status note_contiguous(struct cgs_run *run, int64_t unit)
{
    const struct cgs_comm *comm = run->context->comm;
    struct cgs_portion portion = {0};
    CGS_TRY(cgs_comm_agree(run->context, cgs_portion_create(run->context, &run->drawn, unit,
                                                            comm->rank, comm->size, &portion)));
    run->report->ranks.contiguous =
        cost_of(run, &portion, run->input.crs.pointers[run->input.crs.rows]);
    run->report->ranks.renumbered = true;
    cgs_portion_release(run->context, &portion);
    return CGS_OK;
}

enum cgs_status cgs_run_ranks_partition(struct cgs_run *run)
{
    const struct cgs_settings *o = run->settings;
    static const struct cgs_partitioner *const partitioners[] = {
        [CGS_PARTITION_METIS] = &cgs_metis, [CGS_PARTITION_SCOTCH] = &cgs_scotch};
    int64_t cuts[CGS_RANKS_MOST + 1];
    const int ranks = cgs_comm_size(run->context);
    if (ranks == 1 || o->partition == CGS_PARTITION_CONTIGUOUS)
        return CGS_OK;
    if (cgs_run_wants_near_null(run))
        return cgs_fail(run->context, CGS_USAGE,
                        "near-null vectors of \1precond=amg do not work with \1partition yet, "
                        "which takes nodes apart: take contiguous");
    const int64_t rows = run->drawn.whole, unit = unit_of(run, rows);
    cgs_portion_cut(rows, unit, ranks, cuts);
    if ((rows + unit - 1) / unit < ranks)
        return CGS_OK;                 /* the cut refuses that */
    CGS_TRY(cgs_run_save_matrix(run)); /* in the file's order */
    cgs_run_enter(run, CGS_PHASE_SETUP);
    CGS_TRY(note_contiguous(run, unit));
    const struct cgs_partitioner *by = partitioners[o->partition];
    const double begin = cgs_now();
    CGS_TRY(cgs_renumber(run->context, by, cuts, &run->input.crs, &run->renumbered));
    run->report->ranks.partitioner = by->name;
    run->report->ranks.partition_seconds = cgs_now() - begin;
    run->input.source = cgs_crs_source(&run->input.crs);
    run->drawn = run->input.source;
    run->drawn.symmetric = true; /* it has been checked */
    return CGS_OK;
}

struct cgs_traffic cgs_run_ranks_traffic(struct cgs_run *run, const struct cgs_traffic *local)
{
    struct cgs_context *context = run->context;
    if (!context->comm)
        return *local;
    return (struct cgs_traffic){.matrix = sum(context, local->matrix),
                                .padding = sum(context, local->padding),
                                .vectors = sum(context, local->vectors),
                                .operations = sum(context, local->operations)};
}

/* Row statistics of all ranks: mean and deviation from the sums of lengths and of their squares. */
static struct cgs_row_statistics whole_statistics(struct cgs_context *context, double rows,
                                                  const struct cgs_matrix *local)
{
    const struct cgs_row_statistics *mine = &local->statistics;
    const double n = (double)local->rows;
    struct cgs_row_statistics all = {
        .shortest = -(int32_t)cgs_comm_most(context, -(double)mine->shortest),
        .longest = (int32_t)cgs_comm_most(context, (double)mine->longest),
        .mean = cgs_comm_sum(context, n * mine->mean) / rows,
        .empty = sum(context, mine->empty)};
    const double from_mean = mine->mean - all.mean;
    all.deviation = sqrt(
        cgs_comm_sum(context, n * (mine->deviation * mine->deviation + from_mean * from_mean)) /
        rows);
    for (int k = 0; k < CGS_ROUNDINGS; k++)
        all.rounded[k] = sum(context, mine->rounded[k]);
    return all;
}

enum cgs_status cgs_run_ranks_matrix(struct cgs_run *run)
{
    struct cgs_context *context = run->context;
    struct cgs_report *report = run->report;
    struct cgs_matrix *m = &report->matrix;
    const struct cgs_portion *portion = run->owned.portion;
    if (!portion)
        return CGS_OK;
    m->rows = m->columns = portion->whole;
    m->statistics = whole_statistics(context, (double)portion->whole, &run->matrix);
    m->nonzeros = sum(context, run->matrix.nonzeros);
    m->stored = sum(context, run->matrix.stored);
    m->unsorted = sum(context, run->matrix.unsorted);
    m->units = sum(context, run->matrix.units);
    report->traffic = cgs_run_ranks_traffic(run, &report->traffic);
    report->outer_traffic = cgs_run_ranks_traffic(run, &report->outer_traffic);
    const double rows = (double)portion->count;
    report->ranks.count = portion->ranks;
    note_gpus(run);
    report->ranks.rows_least = -(int64_t)cgs_comm_most(context, -rows);
    report->ranks.rows_most = (int64_t)cgs_comm_most(context, rows);
    report->ranks.cost = cost_of(run, portion, run->matrix.nonzeros);
    return CGS_OK;
}

/* ---- numbers of a vector where they are wanted ---- */

enum cgs_status cgs_run_ranks_fetch(struct cgs_run *run, const void *vector, const int64_t *first,
                                    const int64_t *last, double **numbers)
{
    struct cgs_context *context = run->context;
    const struct cgs_portion *portion = run->owned.portion;
    double *made = NULL;
    if (!portion) {
        CGS_TRY(cgs_run_take_host(run));
        CGS_TRY(cgs_run_get(run, vector));
        *numbers = run->host;
        return CGS_OK;
    }
    const int rank = portion->rank;
    enum cgs_status status = cgs_alloc(context, last[rank] - first[rank], sizeof *made,
                                       "numbers of several ranks", (void **)&made);
    if (status == CGS_OK) {
        double *mine = made + (portion->first - first[rank]);
        cgs_run_enter(run, CGS_PHASE_TRANSFER);
        status = run->op.domain.ops->get(&run->op.domain, vector, 0, portion->count, mine);
    }
    status = cgs_comm_agree(context, status);
    if (status != CGS_OK) {
        cgs_free(context, made);
        return status;
    }
    const struct cgs_comm_ranges ranges = {portion->cuts, first, last};
    cgs_comm_fetch(context, &ranges, made, first[rank], made);
    *numbers = made;
    return CGS_OK;
}

struct cgs_slab cgs_run_ranks_slab(const struct cgs_run *run)
{
    const struct cgs_portion *portion = run->owned.portion;
    const struct cgs_mesh *mesh = &run->input.mesh;
    return portion ? cgs_slab_cut(mesh, portion->cuts, portion->rank, portion->ranks)
                   : cgs_slab_whole(mesh);
}

enum cgs_status cgs_run_ranks_planes(struct cgs_run *run, const struct cgs_slab *slab,
                                     const void *vector, double **numbers)
{
    const struct cgs_mesh *mesh = &run->input.mesh;
    int64_t first[CGS_RANKS_MOST], last[CGS_RANKS_MOST];
    for (int r = 0; r < cgs_comm_size(run->context) && slab->shared; r++) {
        first[r] = cgs_slab_first_row(slab, mesh, r);
        last[r] = cgs_slab_last_row(slab, mesh, r);
    }
    return cgs_run_ranks_fetch(run, vector, first, last, numbers);
}

/* ---- sums ---- */

/* Adds up each unit of this rank's rows: the last one may be short. */
static void sum_units(const struct cgs_run *run, int64_t unit, const double *values,
                      double (*of)(double), double *sums)
{
    for (int64_t begin = 0; begin < run->rows; begin += unit) {
        const int64_t end = run->rows - begin < unit ? run->rows : begin + unit;
        double sum = 0.0;
        for (int64_t i = begin; i < end; i++)
            sum += of ? of(values[i]) : values[i];
        *sums++ = sum;
    }
}

enum cgs_status cgs_run_ranks_sum(struct cgs_run *run, const double *values, double (*of)(double),
                                  double *sum)
{
    const struct cgs_portion *portion = run->owned.portion;
    const int64_t rows = cgs_run_all_rows(run), unit = unit_of(run, rows);
    const int64_t units = (rows + unit - 1) / unit;
    int64_t starts[CGS_RANKS_MOST + 1];
    double *sums;
    CGS_TRY(cgs_comm_agree(run->context, cgs_alloc(run->context, units, sizeof *sums,
                                                   "sums of units of rows", (void **)&sums)));
    for (int r = 0; r <= cgs_comm_size(run->context) && portion; r++)
        starts[r] = (portion->cuts[r] + unit - 1) / unit;
    sum_units(run, unit, values, of, sums + cgs_run_first_row(run) / unit);
    const enum cgs_status status = cgs_comm_complete(run->context, starts, 1, sums);
    if (status == CGS_OK)
        *sum = cgs_pairwise(sums, units);
    cgs_free(run->context, sums);
    return status;
}

/* ---- seconds by rank ---- */

/* by_rank: of each; may be NULL. */
static struct cgs_rank_seconds seconds_of(struct cgs_context *context, double mine, double *by_rank)
{
    double all[CGS_RANKS_MOST];
    const int ranks = cgs_comm_size(context);
    cgs_comm_each(context, mine, all);
    if (by_rank)
        memcpy(by_rank, all, (size_t)ranks * sizeof *by_rank);
    struct cgs_rank_seconds seconds = {.median = cgs_median(all, ranks)};
    seconds.least = all[0]; /* in ascending order now */
    seconds.most = all[ranks - 1];
    return seconds;
}

/* Adds what the device has counted so far. */
static enum cgs_status take_times(struct cgs_run *run)
{
    const struct cgs_machine *machine = &run->machine;
    return cgs_comm_agree(run->context,
                          machine->backend->times
                              ? machine->backend->times(machine->queue, &run->context->comm->time)
                              : CGS_OK);
}

enum cgs_status cgs_run_ranks_start(struct cgs_run *run)
{
    if (!run->context->comm)
        return CGS_OK;
    CGS_TRY(take_times(run));
    run->context->comm->time = (struct cgs_comm_time){0};
    return CGS_OK;
}

enum cgs_status cgs_run_ranks_times(struct cgs_run *run)
{
    struct cgs_context *context = run->context;
    struct cgs_rank_facts *ranks = &run->report->ranks;
    if (!context->comm)
        return CGS_OK;
    CGS_TRY(take_times(run));
    const struct cgs_comm_time *time = &context->comm->time;
    const double solve = context->watch.seconds[CGS_PHASE_SOLVE] - run->report->start.seconds;
    const double compute = solve - time->halos - time->sums;
    const double parts[CGS_RANK_PARTS] = {[CGS_RANK_COMPUTE] = compute,
                                          [CGS_RANK_HALO] = time->halos,
                                          [CGS_RANK_SUMS] = time->sums,
                                          [CGS_RANK_WAITING] = time->waiting};
    for (int p = 0; p < CGS_RANK_PARTS; p++)
        ranks->parts[p] = seconds_of(context, parts[p], ranks->by_rank[p]);
    const double mean = cgs_comm_sum(context, compute) / ranks->count;
    ranks->imbalance = mean > 0.0 ? ranks->parts[CGS_RANK_COMPUTE].most / mean : 0.0;
    for (int i = 0; i < CGS_CG_STEPS; i++) /* the same steps on all ranks; others are 0 */
        ranks->steps[i] = seconds_of(context, run->report->profile.lines[i].seconds, NULL);
    ranks->exchanges = time->halo_count;
    ranks->received_bytes = sum(context, time->halo_bytes);
    ranks->gatherings = time->sum_count;
    ranks->timed = true;
    return CGS_OK;
}

/* ---- a vector on one rank ---- */

/* Puts all numbers, on rank 0, in the file's order. On failure they are freed. */
static enum cgs_status order_as_file(struct cgs_run *run, double **all)
{
    struct cgs_context *context = run->context;
    const struct cgs_renumbering *renumbered = &run->renumbered;
    double *ordered = NULL;
    enum cgs_status status = CGS_OK;
    if (!renumbered->place)
        return CGS_OK;
    if (*all)
        status = cgs_alloc(context, renumbered->rows, sizeof *ordered,
                           "solution in the file's order", (void **)&ordered);
    for (int64_t i = 0; ordered && i < renumbered->rows; i++)
        ordered[i] = (*all)[renumbered->place[i]];
    cgs_free(context, *all);
    *all = ordered;
    return cgs_comm_agree(context, status);
}

enum cgs_status cgs_run_ranks_collect(struct cgs_run *run, const void *vector, double **all)
{
    struct cgs_context *context = run->context;
    const struct cgs_portion *portion = run->owned.portion;
    double *made = NULL;
    int64_t none[CGS_RANKS_MOST] = {0}, last[CGS_RANKS_MOST] = {0};
    CGS_TRY(cgs_run_take_host(run));
    CGS_TRY(cgs_run_get(run, vector));
    if (!portion) {
        *all = run->host;
        return CGS_OK;
    }
    enum cgs_status status = CGS_OK;
    if (portion->rank == 0)
        status = cgs_alloc(context, portion->whole, sizeof *made, "solution of all ranks",
                           (void **)&made);
    status = cgs_comm_agree(context, status);
    if (status != CGS_OK) {
        cgs_free(context, made);
        return status;
    }
    last[0] = portion->whole;
    const struct cgs_comm_ranges ranges = {portion->cuts, none, last};
    cgs_comm_fetch(context, &ranges, run->host, portion->first, made);
    CGS_TRY(order_as_file(run, &made));
    *all = made;
    return CGS_OK;
}

void cgs_run_ranks_drop(struct cgs_run *run, double *numbers)
{
    if (numbers != run->host)
        cgs_free(run->context, numbers);
}

enum cgs_status cgs_run_lay_out(struct cgs_run *run)
{
    const struct cgs_settings *o = run->settings;
    CGS_TRY(cut_rows(run));
    CGS_TRY(cgs_matrix_create(run->context, &run->owned, o->format, cgs_settings_chunk(o),
                              cgs_settings_sigma(o), &run->matrix));
    run->laid_out = true;
    return CGS_OK;
}
