/* METIS 5 with integers of 32 bits, and floats of any width. */
#include <string.h>

#include "matrix/ranks/partitioner.h"
#include "matrix/ranks/partitioner_names.h"

/* METIS's options, and its answers. */
enum { OPTIONS = 40, METIS_FINE = 1, METIS_NO_MEMORY = -3 };

struct metis {
    int (*defaults)(int32_t *options);
    int (*divide)(int32_t *vertices, int32_t *constraints, int32_t *start, int32_t *neighbour,
                  int32_t *weights, int32_t *sizes, int32_t *edge_weights, int32_t *parts,
                  void *targets, void *imbalance, int32_t *options, int32_t *cut, int32_t *part);
};

/* Returns true if the library's integers have 32 bits: its default options then end at half of
 * this memory. */
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

static enum cgs_status divide(struct cgs_context *context, void *library, struct cgs_graph *graph,
                              int parts, int32_t *part)
{
    int32_t options[2 * OPTIONS], one = 1, count = parts, cut;
    struct metis metis;
    if (!cgs_partitioner_find(library, "METIS_SetDefaultOptions", &metis.defaults) ||
        !cgs_partitioner_find(library, CGS_METIS_SYMBOL, &metis.divide))
        return cgs_partitioner_refuse(context, &cgs_metis, "lacks functions of version 5");
    if (!is_narrow(&metis, options))
        return cgs_partitioner_refuse(context, &cgs_metis,
                                      "is none of version 5 with integers of 32 bits");
    const int answer = metis.divide(&graph->vertices, &one, graph->start, graph->neighbour, NULL,
                                    NULL, NULL, &count, NULL, NULL, options, &cut, part);
    if (answer == METIS_FINE)
        return CGS_OK;
    return cgs_fail(context, answer == METIS_NO_MEMORY ? CGS_MEMORY : CGS_DEVICE,
                    "\1partition=metis: " CGS_METIS_SYMBOL " failed (%d)", answer);
}

static const char *const libraries[] = {CGS_METIS_NAMES, NULL};

const struct cgs_partitioner cgs_metis = {
    .word = "metis",
    .name = "METIS",
    .packages = "libmetis-dev (Debian) or metis (Fedora)",
    .libraries = libraries,
    .divide = divide,
};
