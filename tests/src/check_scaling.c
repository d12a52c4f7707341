/* core/plan/scaling, core/plan/links: the time of an iteration by ranks against cases computed
 * by hand, and links that are measured between threads. */
#include <math.h>

#include "core/plan/links.h"
#include "core/plan/scaling.h"
#include "tests/support/check.h"
#include "tests/support/ranks.h"

/* 10 blocks of 100 rows. */
static const struct cgs_scaling_problem problem = {.rows = 1000,
                                                   .unit = 100,
                                                   .bytes = 100.0,
                                                   .ghosts = 50,
                                                   .number_bytes = 8,
                                                   .exchanges = 1.0,
                                                   .gatherings = 2.0,
                                                   .numbers = 4.0};
static const struct cgs_scaling_machine machine = {
    .on_host = 2, .alone = 1e9, .together = 8e8, .message = 1e-6, .link = 1e9, .stage = 2e-6};

static void equals(double seconds, double wanted)
{
    ck_assert_msg(fabs(seconds - wanted) <= 1e-12 * (wanted + 1e-6), "%.17g, not %.17g", seconds,
                  wanted);
}

static void foretold(int ranks, double compute, double halo, double sums)
{
    const struct cgs_scaling_point point = cgs_scaling_foretell(&problem, &machine, ranks);
    ck_assert_int_eq(point.ranks, ranks);
    equals(point.compute, compute);
    equals(point.halo, halo);
    equals(point.sums, sums);
    equals(point.all, compute + halo + sums);
}

TEST(cases_by_hand)
{
    foretold(1, 1e-4, 0.0, 0.0);            /* 1000 rows at what a rank alone reaches */
    foretold(2, 6.25e-5, 1.4e-6, 4.128e-6); /* 500 rows at 0.8 GB/s; one side, one stage */
    foretold(4, 3.75e-5, 2.8e-6, 8.256e-6); /* 3 of 10 blocks; two sides, two stages */
    foretold(5, 2.5e-5, 2.8e-6, 1.232e-5);  /* 2 of 10 blocks; three stages */
    const struct cgs_scaling_point one = cgs_scaling_foretell(&problem, &machine, 1);
    equals(cgs_scaling_mups(&problem, &one), 10.0);
}

/* Ranks with fewer rows than a halo has numbers: several neighbours a side. */
TEST(thin_ranks)
{
    struct cgs_scaling_problem wide = problem;
    wide.ghosts = 250;
    equals(cgs_scaling_foretell(&wide, &machine, 10).halo,
           6e-6 + 4e-6); /* 6 messages, 500 numbers */
    wide.ghosts = 800;
    equals(cgs_scaling_foretell(&wide, &machine, 2).halo, 1e-6 + 4e-6); /* all 500 of the other */
    wide.ghosts = 0;
    equals(cgs_scaling_foretell(&wide, &machine, 4).halo, 0.0);
}

/* Two coarser grids: 4^3, of 64 kB a cycle, and 2^3, of 8 kB. */
TEST(coarser_grids)
{
    struct cgs_scaling_problem cycle = problem;
    cycle.grids = 2;
    cycle.grid[0] = (struct cgs_scaling_grid){
        .planes = 4, .plane = 16, .shared_from = 2, .bytes = 64e3, .exchanges = 6.0};
    cycle.grid[1] =
        (struct cgs_scaling_grid){.planes = 2, .plane = 4, .bytes = 8e3, .exchanges = 6.0};
    cycle.bytes += 72.0;
    cycle.cycle_exchanges = 5.0;
    cycle.cycle_number_bytes = 4;
    const struct cgs_scaling_point one = cgs_scaling_foretell(&cycle, &machine, 1);
    equals(one.compute, 1e-4 + 72e-6); /* all that is moved */
    equals(one.halo, 0.0);
    const struct cgs_scaling_point two = cgs_scaling_foretell(&cycle, &machine, 2);
    equals(two.compute, 6.25e-5 + 32e3 / 8e8 + 8e3 / 8e8); /* half of 4^3, all of 2^3 */
    equals(two.halo, 1.4e-6 + 5.0 * (1e-6 + 50.0 * 4e-9)   /* finest grid */
                         + 6.0 * (1e-6 + 16.0 * 4e-9)      /* a plane of 4^3 */
                         + 1e-6 + 4.0 * 4e-9);             /* half of 2^3 */
    cycle.grid[0].shared_from = 3;                         /* both are whole: one is gathered */
    equals(cgs_scaling_foretell(&cycle, &machine, 2).halo,
           1.4e-6 + 5.0 * (1e-6 + 50.0 * 4e-9) + 1e-6 + 32.0 * 4e-9);
    equals(cgs_scaling_foretell(&cycle, &machine, 2).compute, 6.25e-5 + 72e3 / 8e8);
}

TEST(numbers_of_ranks)
{
    struct cgs_scaling_point points[CGS_SCALING_POINTS];
    ck_assert_int_eq(cgs_scaling_list(&problem, &machine, 4, points), 3); /* 10 blocks: not 16 */
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(points[i].ranks, 2 << i);
    ck_assert_int_eq(cgs_scaling_list(&problem, &machine, 3, points), 3);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(points[i].ranks, i == 0 ? 1 : 3 * i);
}

/* A gathering of the model takes what was measured where it was. */
TEST(stage_of_a_gathering)
{
    struct cgs_scaling_machine measured = machine;
    for (int ranks = 2; ranks <= 9; ranks++) {
        measured.stage = cgs_scaling_stage(&problem, machine.link, 7e-6, ranks);
        equals(cgs_scaling_foretell(&problem, &measured, ranks).sums, 2.0 * 7e-6);
    }
    equals(cgs_scaling_stage(&problem, 1.0, 1e-6, 2), 0.0); /* all of it is bandwidth */
}

/* From 1 GPU, and from 2 of them back to 1; from 1 to 4 with as many unknowns each. */
TEST(gpus_of_one_host)
{
    const struct cgs_link measured = {
        .kind = CGS_LINK_NVLINK, .sum = 2e-6, .plane = 1e-5, .bandwidth = 512.0 * 512.0 * 1e6};
    const struct cgs_scaling_link link = cgs_scaling_link_of(&measured);
    const struct cgs_scaling_talk one = {.gpus = 1, .unknowns = 1e6};
    const struct cgs_scaling_talk two = {
        .gpus = 2, .unknowns = 1e6, .exchanges = 1.0, .bytes = 512.0 * 512.0, .sums = 2.0};
    struct cgs_scaling_talk four = two;
    equals(link.exchange, 2e-6); /* 8 of the 10 us are numbers */
    equals(link.sum, 2e-6);
    equals(cgs_scaling_of_gpus(&one, 1e-3, &two, &link), 5e-4 + 2e-6 + 1e-6 + 4e-6);
    equals(cgs_scaling_of_gpus(&two, 5.07e-4, &one, &link), 1e-3);
    equals(cgs_scaling_of_gpus(&two, 5.07e-4, &two, &link), 5.07e-4);
    four.gpus = 4;
    four.unknowns = 4e6;
    equals(cgs_scaling_of_gpus(&one, 1e-3, &four, &link), 1e-3 + 7e-6);
}

static void measure(struct cgs_context *context, void *user)
{
    struct cgs_links links;
    (void)user;
    ck_assert_int_eq(cgs_links_measure(context, 100000, 10, &links), CGS_OK);
    const double found[] = {links.message, links.bandwidth, links.gathering};
    for (int i = 0; i < 3; i++) {
        ck_assert(found[i] > 0.0 && isfinite(found[i]));
        ck_assert(found[i] == cgs_comm_first_of(context, found[i])); /* all ranks say the same */
    }
}

TEST(links_of_threads)
{
    team_run(2, measure, NULL);
    team_run(3, measure, NULL);
}

int main(void)
{
    return run_tests("scaling", 60, NULL, NULL);
}
