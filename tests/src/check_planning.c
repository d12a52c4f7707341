/* core/run/planning_ranks: what ranks on GPUs are given of these, and what the report says of
 * it. Ranks are threads. */
#include <stdlib.h>
#include <string.h>

#include "core/report/planning.h"
#include "core/report/planning_ranks.h"
#include "src/report/report_plan.h"
#include "tests/support/check.h"
#include "tests/support/ranks.h"

enum { RANKS = 3 };

/* Ranks on GPUs: of each the bus, the bytes that it needs on host and device, and the device's
 * free bytes. */
struct gpus {
    int64_t bus[RANKS], host[RANKS], device[RANKS], there[RANKS];
    int shown;        /* the rank whose plan is shown, */
    bool fits;        /* if it fits, */
    int64_t room;     /* and what it may take of its GPU */
    int64_t equal;    /* what rank 0 may take if all need the same */
    const char *text; /* of --plan; NULL: not looked at */
};

static const struct cgs_backend backend = {.name = "cuda", .place = CGS_DEVICE_MEMORY};

static void share(struct cgs_context *context, void *user)
{
    const struct gpus *gpus = user;
    const int rank = context->comm->rank;
    struct cgs_report *report = calloc(1, sizeof *report);
    ck_assert_ptr_nonnull(report);
    report->context = context;
    report->machine.backend = &backend;
    report->machine.index = (int)gpus->bus[rank];
    report->machine.info.bus = gpus->bus[rank];
    snprintf(report->machine.info.name, sizeof report->machine.info.name, "GPU of %d", rank / 2);
    report->plan.total[CGS_HOST] = gpus->host[rank];
    report->plan.total[CGS_DEVICE_MEMORY] = gpus->device[rank];
    report->room.bytes[CGS_HOST] = 1000;
    report->room.bytes[CGS_DEVICE_MEMORY] = gpus->there[rank];
    struct cgs_room equal = report->room;
    cgs_planning_share(context, report, 100 + rank, &equal);
    ck_assert_int_eq(report->planned_rank, gpus->shown);
    ck_assert_int_eq(cgs_plan_fits(&report->plan, &report->room), gpus->fits);
    ck_assert_int_eq(report->plan.total[CGS_DEVICE_MEMORY], gpus->device[gpus->shown]);
    ck_assert_int_eq(report->room.bytes[CGS_DEVICE_MEMORY], gpus->room);
    ck_assert_int_eq(report->ranks.shares, RANKS);
    for (int r = 0; r < RANKS; r++) {
        ck_assert_int_eq(report->ranks.share[r].rows, 100 + r);
        ck_assert_int_eq(report->ranks.share[r].device, (int)gpus->bus[r]);
        ck_assert_int_eq(report->ranks.share[r].planned, gpus->device[r]);
    }
    if (rank == 0)
        ck_assert_int_eq(equal.bytes[CGS_DEVICE_MEMORY], gpus->equal);
    report->device_peak = 10 + rank;
    cgs_planning_peaks(context, report);
    ck_assert_int_eq(report->ranks.share[2].peak, 12);
    if (rank == 0 && gpus->text) {
        char *text = NULL;
        size_t size;
        const struct cgs_page page = {.file = open_memstream(&text, &size)};
        ck_assert_ptr_nonnull(page.file);
        cgs_page_rank_devices(&page, report);
        cgs_page_planned_devices(&page, report);
        fclose(page.file);
        ck_assert_msg(strcmp(text, gpus->text) == 0, "%s", text);
        free(text);
    }
    free(report);
}

/* A GPU each: the one that lacks memory is shown, else the one that needs most. */
TEST(gpus_of_their_own)
{
    struct gpus gpus = {.bus = {0, 1, 2},
                        .host = {50, 40, 30},
                        .device = {70, 80, 60},
                        .there = {100, 90, 100},
                        .shown = 1,
                        .fits = true,
                        .room = 90,
                        .equal = 100};
    gpus.text =
        "           GPU 0 (GPU of 0): 100 rows, 10 B taken; GPU 1 (GPU of 0): 101 rows,\n"
        "           11 B taken; GPU 2 (GPU of 1): 102 rows, 12 B taken\n"
        "           rank 0 on GPU 0, 100 rows                       70 B   free now 100 B\n"
        "           rank 1 on GPU 1, 101 rows                       80 B   free now 90 B\n"
        "           rank 2 on GPU 2, 102 rows                       60 B   free now 100 B\n";
    team_run(RANKS, share, &gpus);
    gpus.text = NULL;
    gpus.there[2] = gpus.room = 50;
    gpus.shown = 2;
    gpus.fits = false;
    team_run(RANKS, share, &gpus);
}

/* Ranks on one GPU share it by what they need: 70 and 60 of 130 are more than 120, and no more
 * than 130. */
TEST(gpus_shared)
{
    struct gpus gpus = {.bus = {4, 5, 4},
                        .host = {50, 40, 30},
                        .device = {70, 80, 60},
                        .there = {120, 90, 120},
                        .shown = 0,
                        .fits = false,
                        .room = 64,
                        .equal = 60};
    team_run(RANKS, share, &gpus);
    gpus.there[0] = gpus.there[2] = 130;
    gpus.shown = 1;
    gpus.fits = true;
    gpus.room = 90;
    gpus.equal = 65;
    team_run(RANKS, share, &gpus);
}

/* The host's memory comes first: all ranks have 1000 bytes of it. */
TEST(host_first)
{
    struct gpus gpus = {.bus = {0, 1, 2},
                        .host = {500, 400, 300},
                        .device = {70, 80, 60},
                        .there = {100, 90, 50},
                        .shown = 0,
                        .fits = false,
                        .room = 100,
                        .equal = 100};
    team_run(RANKS, share, &gpus);
}

int main(void)
{
    setenv("COLUMNS", "80", 1);
    return run_tests("planning", 60, NULL, NULL);
}
