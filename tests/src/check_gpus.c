/* core/setup/gpus: what --gpus makes of the devices that there are, with a testbed-in for CUDA,
 * which counts as many as it is told to, in another process than ours. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/options/option_table.h"
#include "core/options/options.h"
#include "core/options/options_value.h"
#include "core/options/values.h"
#include "kernels/plugin/plugin.h"
#include "lab/command_line/options_parse.h"
#include "tests/support/support.h"

static int there; /* that there are; -1: counting them crashes */
static pid_t ours;

static void survey(struct cgs_survey *made)
{
    ck_assert(getpid() != ours);
    if (there < 0)
        raise(SIGKILL);
    *made = (struct cgs_survey){.devices = there};
}

static enum cgs_status refuse(struct cgs_context *context, int index, struct cgs_queue **queue)
{
    (void)index;
    (void)queue;
    return cgs_fail(context, CGS_DEVICE, "no driver here");
}

static const struct cgs_backend *stand_in(enum cgs_device device)
{
    static const struct cgs_backend cuda = {.name = "cuda", .survey = survey, .open = refuse};
    return device == CGS_CUDA ? &cuda : NULL;
}

#define cgs_backend(device) stand_in(device)
#include "core/setup/gpus.c"
#undef cgs_backend

/* A command line, and the number of ranks that it makes; a message: that it fails. */
static const struct counted {
    const char *option;
    int devices, ranks;
    const char *written, *message;
} counted[] = {
    {"--gpus=all", 1, 1, "1", NULL},
    {"--gpus=all", 3, 3, "3", NULL},
    {"--gpus=all", 100, 64, "64", NULL},
    {"--gpus=2", 2, 2, "2", NULL},
    {"--gpus=1", 8, 1, "1", NULL},
    {"--gpus=2,0", 3, 2, "2,0", NULL},
    {"--gpus=2", 1, 0, NULL, "--gpus=2, but there is 1: take --gpus=1, or all"},
    {"--gpus=5", 4, 0, NULL, "--gpus=5, but there are 4: take --gpus=4, or all"},
    {"--gpus=0,4", 4, 0, NULL, "--gpus names device 4, but this machine has 0 ... 3"},
    {"--gpus=all", 0, 0, NULL, "--gpus: no driver here"},
    {"--gpus=1", 0, 0, NULL, "--gpus: no driver here"},
    {"--gpus=all", -1, 0, NULL, "--gpus: the driver ended the process that counted its devices"},
};

LOOP_TEST(devices_are_counted, sizeof counted / sizeof *counted)
{
    const struct counted *c = &counted[_i];
    const char *const words[] = {"cgsolve", c->option};
    struct cgs_context context;
    struct cgs_options options;
    char text[64];
    int ranks = 0;
    cgs_context_init(&context);
    ours = getpid();
    there = c->devices;
    ck_assert_int_eq(cgs_options_parse(&context, 2, words, &options), CGS_OK);
    ck_assert_int_eq(options.settings.backend, CGS_BACKEND_CUDA);
    const enum cgs_status status = cgs_gpus_ranks(&context, &options.settings, &ranks);
    if (c->message) {
        ck_assert_int_eq(status, c->devices > 0 ? CGS_USAGE : CGS_DEVICE);
        ck_assert_msg(strstr(context.message, c->message) != NULL, "%s", context.message);
    } else {
        ck_assert_msg(status == CGS_OK, "%s", context.message);
        ck_assert_int_eq(ranks, c->ranks);
        cgs_option_value(&options, CGS_OPTION_gpus, text, sizeof text);
        ck_assert_str_eq(text, c->written);
    }
    cgs_options_release(&options);
}

/* Rank r has the r-th device of a list, else device r. */
TEST(ranks_have_devices)
{
    struct cgs_gpus gpus;
    ck_assert(cgs_gpus_read("5,0,3", &gpus));
    ck_assert_int_eq(cgs_gpus_device(&gpus, 0), 5);
    ck_assert_int_eq(cgs_gpus_device(&gpus, 2), 3);
    ck_assert(cgs_gpus_read("4", &gpus));
    ck_assert_int_eq(cgs_gpus_device(&gpus, 3), 3);
}

/* Without --gpus nobody counts. */
TEST(environment_says)
{
    static const char *const words[] = {"cgsolve", "--N=8"};
    static const struct {
        const char *said;
        int ranks; /* 0: refused */
    } cases[] = {{NULL, 1}, {"1", 1}, {"3", 3}, {"64", 64},
                 {"65", 0}, {"0", 0}, {"", 0},  {"2x", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cgs_context context;
        struct cgs_options options;
        int ranks = 0;
        cgs_context_init(&context);
        there = -1;
        unsetenv("CGSOLVE_RANKS");
        if (cases[i].said)
            setenv("CGSOLVE_RANKS", cases[i].said, 1);
        ck_assert_int_eq(cgs_options_parse(&context, 2, words, &options), CGS_OK);
        const enum cgs_status status = cgs_gpus_ranks(&context, &options.settings, &ranks);
        ck_assert_int_eq(status, cases[i].ranks > 0 ? CGS_OK : CGS_USAGE);
        ck_assert_int_eq(ranks, cases[i].ranks);
        cgs_options_release(&options);
    }
}

/* No link where there are no two devices, or one cannot be opened. */
TEST(links_need_two)
{
    struct cgs_link link;
    ours = getpid();
    for (there = -1; there <= 2; there++)
        ck_assert(!cgs_gpus_link(&link));
}

int main(void)
{
    return bed_run(suite_of("gpus", 60, NULL, NULL));
}
