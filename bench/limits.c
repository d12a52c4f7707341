/* Bandwidth of this machine's memory and link: read, copy and triad by working set, on the CPU and
 * on the GPU, and the link between both through our pinned staging. Upper bounds for every kernel,
 * measured without a solve.
 *
 *     limits [--threads=T] [--largest=BYTES in MB] [--json=FILE]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "kernels/registry.h"

struct options {
    int threads;
    int64_t largest; /* bytes */
    const char *json;
};

static const char *value_of(const char *argument, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(argument, name, length) == 0 && argument[length] == '=' ? argument + length + 1
                                                                           : NULL;
}

static int parse(int argc, char **argv, struct options *options)
{
    for (int i = 1; i < argc; i++) {
        const char *v;
        if ((v = value_of(argv[i], "--threads")) && atoi(v) > 0) {
            options->threads = atoi(v);
        } else if ((v = value_of(argv[i], "--largest")) && atoll(v) > 0) {
            options->largest = (int64_t)atoll(v) << 20;
        } else if ((v = value_of(argv[i], "--json"))) {
            options->json = v;
        } else {
            fprintf(stderr, "usage: %s [--threads=T] [--largest=MB] [--json=FILE]\n", argv[0]);
            return 0;
        }
    }
    return 1;
}

static void print(FILE *json, const char *device, const struct cgs_bandwidth *b, int *lines)
{
    printf("%-5s %9.1f MB  read %8.1f  copy %8.1f  triad %8.1f GB/s%s\n", device,
           1e-6 * (double)b->bytes, b->read_gbs, b->copy_gbs, b->triad_gbs,
           b->cached ? "  (fits in the last-level cache)" : "");
    fflush(stdout);
    if (json)
        fprintf(json,
                "%s\n  {\"device\": \"%s\", \"bytes\": %lld, \"read_gbs\": %.3f, \"copy_gbs\": %.3f, "
                "\"triad_gbs\": %.3f, \"cached\": %s}",
                (*lines)++ ? "," : "", device, (long long)b->bytes, b->read_gbs, b->copy_gbs,
                b->triad_gbs, b->cached ? "true" : "false");
}

/* Host to device and back, a vector of doubles through the pinned staging. */
static enum cgs_status measure_link(struct cgs_queue *queue, const struct cgs_backend *backend,
                                    FILE *json, int *lines)
{
    struct cgs_context *context = queue->context;
    const int64_t n = 1 << 26; /* 512 MiB */
    const struct cgs_layout layout = {.size = n};
    struct cgs_space space;
    double *host = NULL;
    void *vector = NULL;

    CGS_TRY(backend->spaces[CGS_F64]->create(queue, &layout, &space));
    CGS_TRY(cgs_alloc(context, n, sizeof *host, "vector", (void **)&host));
    for (int64_t i = 0; i < n; i++)
        host[i] = cgs_random((uint64_t)i);
    enum cgs_status status = space.ops->alloc(&space, "vector", &vector);
    for (int direction = 0; direction < 2 && status == CGS_OK; direction++) {
        double wall = 0.0, link = 0.0;
        for (int repeat = 0; repeat < 3 && status == CGS_OK; repeat++) { /* the last one counts */
            context->link_seconds = 0.0;
            wall = -cgs_now();
            status = direction == 0 ? space.ops->put(&space, host, 0, n, vector)
                                    : space.ops->get(&space, vector, 0, n, host);
            wall += cgs_now();
            link = context->link_seconds;
        }
        const char *name = direction == 0 ? "host to device" : "device to host";
        const double gb = 8e-9 * (double)n;
        printf("link  %s: %.1f GB/s while copying, %.1f GB/s with staging\n", name, gb / link,
               gb / wall);
        if (json)
            fprintf(json, "%s\n  {\"link\": \"%s\", \"busy_gbs\": %.3f, \"wall_gbs\": %.3f}",
                    (*lines)++ ? "," : "", name, gb / link, gb / wall);
    }
    space.ops->free(&space, vector);
    cgs_free(context, host);
    return status;
}

static enum cgs_status measure(struct cgs_context *context, enum cgs_device which,
                               const struct options *options, FILE *json, int *lines)
{
    const struct cgs_backend *backend = cgs_backend(which);
    struct cgs_queue *queue;
    enum cgs_status status = CGS_OK;

    CGS_TRY(backend->open(context, 0, &queue));
    for (int64_t bytes = 3 << 20; bytes <= options->largest && status == CGS_OK; bytes *= 4) {
        struct cgs_bandwidth b;
        status = backend->bandwidth(queue, bytes, 0.5, &b);
        if (status == CGS_OK)
            print(json, backend->name, &b, lines);
    }
    if (status == CGS_OK && backend->place == CGS_DEVICE_MEMORY)
        status = measure_link(queue, backend, json, lines);
    backend->close(queue);
    return status;
}

int main(int argc, char **argv)
{
    struct options options = {.largest = (int64_t)3 << 30};
    struct cgs_context context;
    int lines = 0, exit_status = 0;

    cgs_context_init(&context);
    if (!parse(argc, argv, &options))
        return 1;
    if (options.threads > 0)
        context.threads = options.threads;
    FILE *json = options.json ? fopen(options.json, "w") : NULL;
    if (json)
        fprintf(json, "[");
    for (int device = 0; device < CGS_DEVICES; device++) {
        if (!cgs_backend((enum cgs_device)device)) {
            printf("%s: %s\n", cgs_device_name((enum cgs_device)device),
                   cgs_backend_reason((enum cgs_device)device));
            continue;
        }
        const enum cgs_status status =
            measure(&context, (enum cgs_device)device, &options, json, &lines);
        if (status == CGS_DEVICE && device != CGS_CPU) {
            printf("%s: %s\n", cgs_device_name((enum cgs_device)device), context.message);
        } else if (status != CGS_OK) {
            fprintf(stderr, "limits: %s\n", context.message);
            exit_status = cgs_status_exit(status);
        }
    }
    if (json) {
        fprintf(json, "\n]\n");
        if (fclose(json) != 0)
            exit_status = 4;
    }
    return exit_status;
}
