#include "matrix/ranks/metis.h"

#include <dlfcn.h>
#include <string.h>

#include "base/memory.h"

/* METIS's options, and its answer for success. */
enum { OPTIONS = 40, METIS_FINE = 1, METIS_NO_MEMORY = -3, PASSES = 4 };

/* Functions of METIS 5 with integers of 32 bits, and floats of any. */
struct metis {
    int (*defaults)(int32_t *options);
    int (*divide)(int32_t *vertices, int32_t *constraints, int32_t *start, int32_t *neighbour,
                  int32_t *weights, int32_t *sizes, int32_t *edge_weights, int32_t *parts,
                  void *targets, void *imbalance, int32_t *options, int32_t *cut, int32_t *part);
};

/* On this system a data pointer is also a function pointer (POSIX dlsym). */
static bool find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

/* Returns true if the library's integers have 32 bits: its default options then end at half of this memory. */
static bool is_narrow(const struct metis *metis, int32_t *options)
{
    memset(options, 0, 2 * OPTIONS * sizeof *options);
    if (metis->defaults(options) != METIS_FINE || options[0] != -1)
        return false;
    for (int i = OPTIONS; i < 2 * OPTIONS; i++)
        if (options[i] != 0)
            return false;
    return true;
}

static enum cgs_status open_metis(struct cgs_context *context, struct metis *metis,
                                  int32_t *options)
{
    static const char *const names[] = {"libmetis.so.5", "libmetis.so"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return cgs_fail(context, CGS_DEVICE,
                        "--partition=metis: libmetis.so.5 was not found; its package is libmetis5 "
                        "(Debian) or metis (Fedora)");
    if (find(library, "METIS_SetDefaultOptions", &metis->defaults) &&
        find(library, "METIS_PartGraphKway", &metis->divide) && is_narrow(metis, options))
        return CGS_OK;
    return cgs_fail(
        context, CGS_DEVICE,
        "--partition=metis: the METIS found is none of version 5 with integers of 32 bits");
}

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

enum cgs_status cgs_partition_metis(struct cgs_context *context, struct cgs_graph *graph, int parts,
                                    const int64_t *sizes, int32_t *part)
{
    int32_t options[2 * OPTIONS], one = 1, count = parts, cut;
    int64_t *missing;
    struct metis metis = {0};
    CGS_TRY(open_metis(context, &metis, options));
    const int answer = metis.divide(&graph->vertices, &one, graph->start, graph->neighbour, NULL,
                                    NULL, NULL, &count, NULL, NULL, options, &cut, part);
    if (answer != METIS_FINE)
        return cgs_fail(context, answer == METIS_NO_MEMORY ? CGS_MEMORY : CGS_DEVICE,
                        "--partition=metis: METIS_PartGraphKway failed (%d)", answer);
    CGS_TRY(cgs_alloc(context, parts, sizeof *missing, "sizes of parts", (void **)&missing));
    balance(graph, parts, sizes, missing, part);
    cgs_free(context, missing);
    return CGS_OK;
}
