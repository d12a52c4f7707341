/* Errors measured by several ranks (fem/slab.h), threads of this process: the bits of one rank,
 * wherever the rows are cut, with fewer planes than ranks too; and a rank without memory fails
 * all. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "fem/consistency.h"
#include "tests/fem/general.h"
#include "tests/fem/textbook.h"
#include "tests/support/ranks.h"
#include "tests/support/support.h"

struct measured {
    struct cgs_errors errors;
    double consistency;
};

/* A vector to be measured by ranks, and what they found. */
struct task {
    const struct cgs_problem *problem;
    const struct cgs_mesh *mesh;
    const double *x; /* of all rows */
    int64_t cuts[TEAM_MOST + 1];
    int starved; /* the rank that has no memory; -1: none */
    enum cgs_status status[TEAM_MOST];
    struct measured found[TEAM_MOST];
};

static enum cgs_status measure_slab(struct cgs_context *context, const struct task *task,
                                    const struct cgs_slab *slab, const double *x,
                                    struct measured *found)
{
    CGS_TRY(cgs_errors_measure(context, task->problem, task->mesh, slab, x, &found->errors));
    return cgs_errors_consistency(context, task->problem, task->mesh, slab, x, &found->consistency);
}

/* Returns the rows that this rank needs, of which it has had its own alone. */
static double *fetch(struct cgs_context *context, const struct task *task,
                     const struct cgs_slab *slab)
{
    const int rank = context->comm->rank;
    int64_t first[TEAM_MOST], last[TEAM_MOST];
    for (int r = 0; r < context->comm->size; r++) {
        first[r] = cgs_slab_first_row(slab, task->mesh, r);
        last[r] = cgs_slab_last_row(slab, task->mesh, r);
        ck_assert(first[r] <= task->cuts[r] && task->cuts[r + 1] <= last[r]);
    }
    const int64_t count = last[rank] - first[rank], own = task->cuts[rank];
    double *x = must_have((size_t)count * sizeof *x);
    for (int64_t i = 0; i < count; i++)
        x[i] = NAN;
    memcpy(x + (own - first[rank]), task->x + own,
           (size_t)(task->cuts[rank + 1] - own) * sizeof *x);
    const struct cgs_comm_ranges ranges = {task->cuts, first, last};
    cgs_comm_fetch(context, &ranges, x, first[rank], x);
    return x;
}

static void work(struct cgs_context *context, void *user)
{
    struct task *task = user;
    if (!context->comm) {
        const struct cgs_slab whole = cgs_slab_whole(task->mesh);
        task->status[0] = measure_slab(context, task, &whole, task->x, &task->found[0]);
        return;
    }
    const int rank = context->comm->rank;
    const struct cgs_slab slab = cgs_slab_cut(task->mesh, task->cuts, rank, context->comm->size);
    double *x = fetch(context, task, &slab);
    if (rank == task->starved)
        context->starve_in[CGS_HOST] = 1;
    task->status[rank] = measure_slab(context, task, &slab, x, &task->found[rank]);
    ck_assert_int_eq(context->host_bytes, 0);
    free(x);
}

/* Cuts rows at random, at least one a rank. */
static void cut(int64_t rows, int ranks, uint64_t seed, int64_t *cuts)
{
    cuts[0] = 0;
    for (int r = 1; r < ranks; r++) {
        const int64_t most = rows - (ranks - r); /* leaves one for each that follows */
        const int64_t least = cuts[r - 1] + 1;
        const double where = 0.5 * (cgs_random(16 * seed + (uint64_t)r) + 1.0);
        const int64_t even = rows * r / ranks;
        const int64_t at = seed == 0 ? even : (int64_t)((double)rows * where * (r + 1) / ranks);
        cuts[r] = at < least ? least : at > most ? most : at;
    }
    cuts[ranks] = rows;
}

static bool same(const struct measured *a, const struct measured *b)
{
    const struct cgs_errors *c = &a->errors, *d = &b->errors;
    return c->nodal_l2 == d->nodal_l2 && c->max == d->max && c->l2 == d->l2 && c->h1 == d->h1 &&
           c->energy == d->energy && c->integral == d->integral && a->consistency == b->consistency;
}

static void ranks_measure(const char *name, const struct cgs_mesh *mesh)
{
    const struct cgs_problem problem = named(name);
    const int64_t rows = cgs_mesh_rows(mesh);
    double *x = solution(&problem, mesh);
    struct task task = {.problem = &problem, .mesh = mesh, .x = x, .starved = -1};
    for (int64_t i = 0; i < rows; i++)
        x[i] += 1e-3 * cgs_random((uint64_t)i);
    team_run(1, work, &task);
    ck_assert_int_eq(task.status[0], CGS_OK);
    const struct measured alone = task.found[0];
    for (int ranks = 2; ranks <= TEAM_MOST; ranks++)
        for (uint64_t seed = 0; seed < 4; seed++) {
            cut(rows, ranks, seed, task.cuts);
            team_run(ranks, work, &task);
            for (int r = 0; r < ranks; r++)
                ck_assert_msg(task.status[r] == CGS_OK && same(&task.found[r], &alone),
                              "%s, N = %d, rank %d of %d, cuts %d", name, (int)mesh->n[0], r, ranks,
                              (int)seed);
        }
    free(x);
}

TEST(errors_have_the_bits_of_one_rank)
{
    const struct cgs_mesh plain = cgs_mesh_cube(9, CGS_GAUSS, 1.0);
    const struct cgs_mesh small = cgs_mesh_cube(3, CGS_GAUSS, 1.0);
    const struct cgs_mesh deformed = general(7, CGS_GAUSS, 0.05, CGS_KAPPA_SMOOTH, 1.0);
    const struct cgs_mesh flat = box_number(0, CGS_GAUSS, CGS_KAPPA_ONE, 1.0);
    const struct cgs_mesh high = box_number(1, CGS_GAUSS, CGS_KAPPA_SMOOTH, 1.0);
    ranks_measure("smooth", &flat);
    ranks_measure("course", &flat);
    ranks_measure("boundary", &high);
    ranks_measure("smooth", &plain);
    ranks_measure("course", &small);
    ranks_measure("boundary", &plain);
    ranks_measure("sine", &deformed);
}

TEST(a_rank_without_memory_fails_all)
{
    const struct cgs_mesh meshes[] = {cgs_mesh_cube(5, CGS_GAUSS, 1.0),
                                      general(5, CGS_GAUSS, 0.05, CGS_KAPPA_ONE, 1.0)};
    const struct cgs_problem problem = named("smooth");
    for (int i = 0; i < 2; i++) {
        double *x = solution(&problem, &meshes[i]);
        struct task task = {.problem = &problem, .mesh = &meshes[i], .x = x, .starved = 1};
        cut(125, 3, 0, task.cuts);
        team_run(3, work, &task);
        for (int r = 0; r < 3; r++)
            ck_assert_int_eq(task.status[r], CGS_MEMORY);
        free(x);
    }
}

int main(void)
{
    return run_tests("slabs", 300, NULL, NULL);
}
