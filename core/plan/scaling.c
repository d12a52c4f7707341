#include "core/plan/scaling.h"

#include <math.h>
#include <stdbool.h>

#include "base/comm.h"
#include "base/integers.h"

static int64_t quotient_up(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

/* Stages of a gathering: ceil(log2 P). */
static int stages(int64_t ranks)
{
    int count = 0;
    while (INT64_C(1) << count < ranks)
        count++;
    return count;
}

/* q(P) */
static int64_t rows_of(const struct cgs_scaling_problem *p, int64_t ranks)
{
    const int64_t rows = quotient_up(quotient_up(p->rows, p->unit), ranks) * p->unit;
    return rows < p->rows ? rows : p->rows;
}

/* w(P) */
static double bandwidth(const struct cgs_scaling_machine *machine, int64_t ranks)
{
    const int64_t on_host = cgs_least(ranks, machine->on_host);
    return fmin(machine->alone, machine->together * machine->on_host / (double)on_host);
}

/* m(P) l + g(P) s / B for `rows` of `all` rows on the largest rank. */
static double exchange(const struct cgs_scaling_machine *machine, int64_t ranks, int64_t ghosts,
                       int64_t rows, int64_t all, int number_bytes)
{
    const double sides = ranks <= 2 ? (double)(ranks - 1) : 2.0;
    const double numbers = fmin(sides * (double)ghosts, (double)(all - rows));
    const double messages = fmin(sides * (double)quotient_up(ghosts, rows), (double)(ranks - 1));
    return messages * machine->message + numbers * number_bytes / machine->link;
}

static bool is_shared(const struct cgs_scaling_grid *grid, int64_t ranks)
{
    return grid->shared_from > 0 && ranks >= grid->shared_from;
}

/* Gathers a grid of which ranks have restricted their planes. */
static double gather_grid(const struct cgs_scaling_machine *machine, int64_t ranks,
                          const struct cgs_scaling_grid *grid, int number_bytes)
{
    const double numbers = (double)(grid->planes * grid->plane) * (1.0 - 1.0 / (double)ranks);
    return (double)(ranks - 1) * machine->message + numbers * number_bytes / machine->link;
}

/* Adds the coarser grids. */
static void add_grids(const struct cgs_scaling_problem *p, const struct cgs_scaling_machine *m,
                      struct cgs_scaling_point *point)
{
    const int64_t ranks = point->ranks;
    const double bytes_per_second = bandwidth(m, ranks);
    bool gathered = false;
    for (int l = 0; l < p->grids; l++) {
        const struct cgs_scaling_grid *grid = &p->grid[l];
        const int64_t n = grid->planes, plane = grid->plane, planes = quotient_up(n, ranks);
        if (!gathered && is_shared(grid, ranks)) {
            point->compute += grid->bytes * (double)planes / (double)n / bytes_per_second;
            point->halo += grid->exchanges * exchange(m, ranks, plane, planes * plane, n * plane,
                                                      p->cycle_number_bytes);
            continue;
        }
        point->compute += grid->bytes / bytes_per_second;
        if (!gathered)
            point->halo += gather_grid(m, ranks, grid, p->cycle_number_bytes);
        gathered = true;
    }
}

struct cgs_scaling_point cgs_scaling_foretell(const struct cgs_scaling_problem *problem,
                                              const struct cgs_scaling_machine *machine,
                                              int64_t ranks)
{
    const struct cgs_scaling_problem *p = problem;
    const int64_t rows = rows_of(p, ranks);
    const double gathered = (double)sizeof(double) * p->numbers * (double)ranks;
    struct cgs_scaling_point point = {.ranks = ranks};
    double coarser = 0.0;
    for (int l = 0; l < p->grids; l++)
        coarser += p->grid[l].bytes;
    point.compute =
        (p->bytes - coarser / (double)p->rows) * (double)rows / bandwidth(machine, ranks);
    point.halo =
        p->exchanges * exchange(machine, ranks, p->ghosts, rows, p->rows, p->number_bytes) +
        p->cycle_exchanges *
            exchange(machine, ranks, p->ghosts, rows, p->rows, p->cycle_number_bytes);
    add_grids(p, machine, &point);
    if (ranks > 1)
        point.sums = p->gatherings * (machine->stage * stages(ranks) + gathered / machine->link);
    point.all = point.compute + point.halo + point.sums;
    return point;
}

int cgs_scaling_list(const struct cgs_scaling_problem *problem,
                     const struct cgs_scaling_machine *machine, int ranks,
                     struct cgs_scaling_point points[CGS_SCALING_POINTS])
{
    const int64_t blocks = quotient_up(problem->rows, problem->unit);
    int count = 0;
    for (int64_t p = ranks > 1 ? ranks / 2 : 1;
         count < CGS_SCALING_POINTS && p <= blocks && p <= CGS_RANKS_MOST;
         p = p < ranks ? ranks : 2 * p)
        points[count++] = cgs_scaling_foretell(problem, machine, p);
    return count;
}

double cgs_scaling_stage(const struct cgs_scaling_problem *problem, double link, double gathering,
                         int ranks)
{
    const double gathered = (double)sizeof(double) * problem->numbers * ranks;
    return fmax(0.0, gathering - gathered / link) / fmax(1.0, stages(ranks));
}

double cgs_scaling_mups(const struct cgs_scaling_problem *problem,
                        const struct cgs_scaling_point *point)
{
    return point->all > 0.0 ? 1e-6 * (double)problem->rows / point->all : 0.0;
}

/* ---- GPUs of one host ---- */

const struct cgs_scaling_link cgs_scaling_h200 = {
    .exchange = 2.5e-6, .bandwidth = 360e9, .sum = 2e-6};

struct cgs_scaling_link cgs_scaling_link_of(const struct cgs_link *measured)
{
    const double bytes = 512.0 * 512.0 * sizeof(double); /* of its plane */
    return (struct cgs_scaling_link){.exchange =
                                         fmax(0.0, measured->plane - bytes / measured->bandwidth),
                                     .bandwidth = measured->bandwidth,
                                     .sum = measured->sum};
}

static double talk_seconds(const struct cgs_scaling_talk *talk, const struct cgs_scaling_link *link)
{
    return talk->exchanges * link->exchange + talk->bytes / link->bandwidth +
           talk->sums * link->sum;
}

double cgs_scaling_of_gpus(const struct cgs_scaling_talk *base, double seconds,
                           const struct cgs_scaling_talk *on, const struct cgs_scaling_link *link)
{
    const double part = (on->unknowns * base->gpus) / (base->unknowns * on->gpus);
    return (seconds - talk_seconds(base, link)) * part + talk_seconds(on, link);
}
