/* Scotch 6.1 or 7.0 with integers of 32 bits, by its default strategy. */
#include <stddef.h>
#include <stdlib.h>

#include "matrix/ranks/partitioner.h"
#include "matrix/ranks/partitioner_names.h"

/* Functions of the library; structs are its own. */
struct scotch {
    int (*integer_bytes)(void);
    void (*restart_random)(void);
    void *(*new_graph)(void);
    void *(*new_strategy)(void);
    int (*open_graph)(void *graph);
    int (*open_strategy)(void *strategy);
    int (*build)(void *graph, int32_t base, int32_t vertices, const int32_t *start,
                 const int32_t *end, const int32_t *weights, const int32_t *labels, int32_t entries,
                 const int32_t *neighbour, const int32_t *edge_weights);
    int (*divide)(void *graph, int32_t parts, void *strategy, int32_t *part);
    void (*close_graph)(void *graph);
    void (*close_strategy)(void *strategy);
    void (*free)(void *memory);
};

static bool find_all(void *library, struct scotch *scotch)
{
    return cgs_partitioner_find(library, "SCOTCH_numSizeof", &scotch->integer_bytes) &&
           cgs_partitioner_find(library, "SCOTCH_randomReset", &scotch->restart_random) &&
           cgs_partitioner_find(library, "SCOTCH_graphAlloc", &scotch->new_graph) &&
           cgs_partitioner_find(library, "SCOTCH_stratAlloc", &scotch->new_strategy) &&
           cgs_partitioner_find(library, "SCOTCH_graphInit", &scotch->open_graph) &&
           cgs_partitioner_find(library, "SCOTCH_stratInit", &scotch->open_strategy) &&
           cgs_partitioner_find(library, "SCOTCH_graphBuild", &scotch->build) &&
           cgs_partitioner_find(library, CGS_SCOTCH_SYMBOL, &scotch->divide) &&
           cgs_partitioner_find(library, "SCOTCH_graphExit", &scotch->close_graph) &&
           cgs_partitioner_find(library, "SCOTCH_stratExit", &scotch->close_strategy) &&
           cgs_partitioner_find(library, "SCOTCH_memFree", &scotch->free);
}

/* Partitions with a graph and a strategy of the library. Returns false if it fails, having said
 * why on standard error. */
static bool divide_by(const struct scotch *scotch, const struct cgs_graph *graph, int parts,
                      void *made, void *strategy, int32_t *part)
{
    const int32_t *start = graph->start;
    if (scotch->open_graph(made) != 0)
        return false;
    bool done = scotch->open_strategy(strategy) == 0;
    if (done) {
        done = scotch->build(made, 0, graph->vertices, start, start + 1, NULL, NULL,
                             start[graph->vertices], graph->neighbour, NULL) == 0 &&
               scotch->divide(made, parts, strategy, part) == 0;
        scotch->close_strategy(strategy);
    }
    scotch->close_graph(made);
    return done;
}

static enum cgs_status divide(struct cgs_context *context, void *library, struct cgs_graph *graph,
                              int parts, int32_t *part)
{
    struct scotch scotch;
    if (!find_all(library, &scotch))
        return cgs_partitioner_refuse(context, &cgs_scotch, "lacks functions of version 6.1");
    if (scotch.integer_bytes() != (int)sizeof(int32_t))
        return cgs_partitioner_refuse(context, &cgs_scotch, "has no integers of 32 bits");
    setenv("SCOTCH_PTHREAD_NUMBER", "1", 1); /* 7.0: its threads give other parts in every run */
    scotch.restart_random();
    void *made = scotch.new_graph(), *strategy = scotch.new_strategy();
    const bool room = made && strategy;
    const bool done = room && divide_by(&scotch, graph, parts, made, strategy, part);
    scotch.free(made);
    scotch.free(strategy);
    if (done)
        return CGS_OK;
    return cgs_fail(context, room ? CGS_DEVICE : CGS_MEMORY,
                    "\1partition=scotch: " CGS_SCOTCH_SYMBOL " failed");
}

static const char *const libraries[] = {CGS_SCOTCH_NAMES, NULL};

const struct cgs_partitioner cgs_scotch = {
    .word = "scotch",
    .name = "Scotch",
    .packages = "libscotch-dev (Debian) or scotch (Fedora)",
    .libraries = libraries,
    .divide = divide,
};
