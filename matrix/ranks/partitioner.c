#include "matrix/ranks/partitioner.h"

#include <dlfcn.h>
#include <string.h>

#include "base/memory.h"

enum { PASSES = 4 };

/* ---- the library ---- */

/* On this system a data pointer is also a function pointer (POSIX dlsym). */
bool cgs_partitioner_find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

enum cgs_status cgs_partitioner_refuse(struct cgs_context *context,
                                       const struct cgs_partitioner *partitioner, const char *why)
{
    return cgs_fail(context, CGS_DEVICE, "\1partition=%s: the %s found %s", partitioner->word,
                    partitioner->name, why);
}

static enum cgs_status open_library(struct cgs_context *context,
                                    const struct cgs_partitioner *partitioner, void **library)
{
    *library = NULL;
    for (const char *const *name = partitioner->libraries; *name && !*library; name++)
        *library = dlopen(*name, RTLD_NOW | RTLD_LOCAL);
    if (*library)
        return CGS_OK;
    return cgs_fail(context, CGS_DEVICE, "\1partition=%s: %s was not found; its package is %s",
                    partitioner->word, partitioner->libraries[0], partitioner->packages);
}

/* ---- sizes to the vertex ---- */

/* Moves vertex i to a part that lacks vertices: one of its neighbours', or any. */
static void move(const struct cgs_graph *graph, int32_t i, bool any, int parts, int64_t *missing,
                 int32_t *part)
{
    int32_t to = -1;
    for (int32_t k = graph->start[i]; k < graph->start[i + 1] && to < 0; k++)
        if (missing[part[graph->neighbour[k]]] > 0)
            to = part[graph->neighbour[k]];
    for (int p = 0; p < parts && to < 0 && any; p++)
        to = missing[p] > 0 ? p : to;
    if (to < 0)
        return;
    missing[part[i]]++;
    missing[to]--;
    part[i] = to;
}

/* Gives each part its size. */
static void balance(const struct cgs_graph *graph, int parts, const int64_t *sizes,
                    int64_t *missing, int32_t *part)
{
    memcpy(missing, sizes, (size_t)parts * sizeof *missing);
    for (int32_t i = 0; i < graph->vertices; i++)
        missing[part[i]]--;
    for (int pass = 0; pass <= PASSES; pass++)
        for (int32_t i = 0; i < graph->vertices; i++)
            if (missing[part[i]] < 0)
                move(graph, i, pass == PASSES, parts, missing, part);
}

enum cgs_status cgs_partition(struct cgs_context *context,
                              const struct cgs_partitioner *partitioner, struct cgs_graph *graph,
                              int parts, const int64_t *sizes, int32_t *part)
{
    int64_t *missing;
    void *library;
    CGS_TRY(cgs_alloc(context, parts, sizeof *missing, "sizes of parts", (void **)&missing));
    enum cgs_status status = open_library(context, partitioner, &library);
    if (status == CGS_OK) {
        status = partitioner->divide(context, library, graph, parts, part);
        dlclose(library);
    }
    if (status == CGS_OK)
        balance(graph, parts, sizes, missing, part);
    cgs_free(context, missing);
    return status;
}
