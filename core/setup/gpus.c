#include "core/setup/gpus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/options/values.h"

/* Findings of a child, in memory that it shares with its parent. */
struct found {
    int devices;
    struct cgs_link link;       /* between the first two */
    struct cgs_context refusal; /* why there is no device, or no link */
};

/* Counts the devices; where there is none, opening the first says why. */
static void count_here(struct found *count)
{
    const struct cgs_backend *cuda = cgs_backend(CGS_CUDA);
    struct cgs_queue *queue = NULL;
    struct cgs_survey survey;
    cgs_context_init(&count->refusal);
    cuda->survey(&survey);
    if (survey.devices == 0 && cuda->open(&count->refusal, 0, &queue) == CGS_OK)
        cuda->close(queue);
    count->devices = survey.devices;
}

/* Measures the link between the first two. */
static void link_here(struct found *found)
{
    const struct cgs_backend *cuda = cgs_backend(CGS_CUDA);
    struct cgs_queue *from = NULL, *to = NULL;
    count_here(found);
    if (found->devices < 2)
        return;
    if (cuda->open(&found->refusal, 0, &from) == CGS_OK &&
        cuda->open(&found->refusal, 1, &to) == CGS_OK)
        cuda->link(from, to, &found->link);
    if (to)
        cuda->close(to);
    if (from)
        cuda->close(from);
}

/* Looks in a child. */
static enum cgs_status find_apart(struct cgs_context *context, void (*look)(struct found *found),
                                  struct found *result)
{
    int ended = 0;
    struct found *found =
        mmap(NULL, sizeof *found, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const pid_t pid = found == MAP_FAILED ? -1 : fork();
    if (pid == 0) {
        look(found);
        _exit(0);
    }
    if (pid < 0) {
        const int error = errno;
        if (found != MAP_FAILED)
            munmap(found, sizeof *found);
        return cgs_fail(context, CGS_MEMORY, "no memory, or no process more ('ulimit -u'): %s",
                        strerror(error));
    }
    while (waitpid(pid, &ended, 0) < 0 && errno == EINTR)
        ;
    *result = *found;
    munmap(found, sizeof *found);
    return CGS_OK;
}

static enum cgs_status count_apart(struct cgs_context *context, int *devices)
{
    struct found count;
    CGS_TRY(find_apart(context, count_here, &count));
    *devices = count.devices;
    if (count.refusal.status != CGS_OK)
        return cgs_fail(context, count.refusal.status, "\1gpus: %.1900s", count.refusal.message);
    if (count.devices == 0)
        return cgs_fail(context, CGS_DEVICE,
                        "\1gpus: the driver ended the process that counted its devices: use "
                        "\1backend=cpu");
    return CGS_OK;
}

bool cgs_gpus_link(struct cgs_link *link)
{
    struct cgs_context quiet;
    struct found found = {.devices = 0};
    cgs_context_init(&quiet);
    if (!cgs_backend(CGS_CUDA) || find_apart(&quiet, link_here, &found) != CGS_OK)
        return false;
    *link = found.link;
    return found.refusal.status == CGS_OK && link->kind != CGS_LINK_NONE && link->bandwidth > 0.0;
}

/* CGS_USAGE: a device that is not there. */
static enum cgs_status check_count(struct cgs_context *context, const struct cgs_gpus *gpus,
                                   int devices)
{
    if (!gpus->listed && gpus->count > devices)
        return cgs_fail(context, CGS_USAGE,
                        "\1gpus=%d, but there %s %d: take \1gpus=%d, or all (CUDA_VISIBLE_DEVICES "
                        "can hide some)",
                        gpus->count, devices == 1 ? "is" : "are", devices, devices);
    for (int i = 0; gpus->listed && i < gpus->count; i++)
        if (gpus->device[i] >= devices)
            return cgs_fail(context, CGS_USAGE,
                            "\1gpus names device %d, but this machine has 0 ... %d "
                            "(CUDA_VISIBLE_DEVICES can hide some)",
                            gpus->device[i], devices - 1);
    return CGS_OK;
}

/* The devices of --gpus. */
static enum cgs_status ranks_by_option(struct cgs_context *context, struct cgs_gpus *gpus,
                                       int *ranks)
{
    int devices = 0;
    if (!cgs_backend(CGS_CUDA))
        return cgs_fail(context, CGS_DEVICE,
                        "\1gpus: this build has no backend 'cuda': %s; or leave it out",
                        cgs_backend_reason(CGS_CUDA));
    CGS_TRY(count_apart(context, &devices));
    if (gpus->count == 0)
        gpus->count = devices < CGS_GPUS_MOST ? devices : CGS_GPUS_MOST;
    CGS_TRY(check_count(context, gpus, devices));
    *ranks = gpus->count;
    return CGS_OK;
}

/* The ranks that CGSOLVE_RANKS asks for. */
static enum cgs_status ranks_by_environment(struct cgs_context *context, int *ranks)
{
    const char *said = getenv("CGSOLVE_RANKS");
    int64_t number = 1;
    if (said && cgs_value_whole(said, 1, CGS_GPUS_MOST, &number) != CGS_VALUE_FINE)
        return cgs_fail(context, CGS_USAGE, "CGSOLVE_RANKS=%s: give a number of ranks, 1 ... %d",
                        said, CGS_GPUS_MOST);
    *ranks = (int)number;
    return CGS_OK;
}

enum cgs_status cgs_gpus_ranks(struct cgs_context *context, struct cgs_settings *settings,
                               int *ranks)
{
    CGS_TRY(settings->given[CGS_OPTION_gpus] ? ranks_by_option(context, &settings->gpus, ranks)
                                             : ranks_by_environment(context, ranks));
    if (*ranks > 1 && cgs_plugin_named(settings->kernel))
        return cgs_fail(context, CGS_USAGE,
                        "a user kernel does not work on ranks that the program starts "
                        "itself: take one of 'cgsolve list kernels', or mpirun");
    return CGS_OK;
}
