#include "src/plan/scaling.h"

#include <math.h>

#include "base/comm.h"

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

struct cgs_scaling_point cgs_scaling_foretell(const struct cgs_scaling_problem *problem,
                                              const struct cgs_scaling_machine *machine,
                                              int64_t ranks)
{
    const int64_t rows = rows_of(problem, ranks);
    const int64_t on_host = ranks < machine->on_host ? ranks : machine->on_host;
    const double sides = ranks <= 2 ? (double)(ranks - 1) : 2.0;
    const double ghosts = fmin(sides * (double)problem->ghosts, (double)(problem->rows - rows));
    const double messages =
        fmin(sides * (double)quotient_up(problem->ghosts, rows), (double)(ranks - 1));
    const double shared = machine->together * machine->on_host / (double)on_host;
    const double gathered = (double)sizeof(double) * problem->numbers * (double)ranks;
    struct cgs_scaling_point point = {.ranks = ranks};
    point.compute = problem->bytes * (double)rows / fmin(machine->alone, shared);
    point.halo = problem->exchanges *
                 (messages * machine->message + ghosts * problem->number_bytes / machine->link);
    if (ranks > 1)
        point.sums =
            problem->gatherings * (machine->stage * stages(ranks) + gathered / machine->link);
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
