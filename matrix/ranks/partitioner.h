/* Partition of a graph by a library that is loaded when it is used: METIS, or Scotch. Nothing is
 * linked, and no header is needed: both have a few functions of integers and opaque pointers. */
#pragma once

#include "base/context.h"

/* A graph without loops: vertex i has neighbours neighbour[start[i]] ... neighbour[start[i + 1]
 * - 1], of which each has i. */
struct cgs_graph {
    int32_t vertices;
    int32_t *start;
    int32_t *neighbour;
};

struct cgs_partitioner {
    const char *word;             /* of --partition */
    const char *name;             /* "METIS" */
    const char *packages;         /* that bring it, for messages */
    const char *const *libraries; /* file names, the best first; ends with NULL */
    /* Distributes the vertices among parts of about equal size so that few edges join two parts;
     * part[i]: that of vertex i. library: by dlopen. The same on every run. CGS_DEVICE: the
     * library is another version, or has other integers; CGS_MEMORY. */
    enum cgs_status (*divide)(struct cgs_context *context, void *library, struct cgs_graph *graph,
                              int parts, int32_t *part);
};

/* G. Karypis, V. Kumar, "A fast and high quality multilevel scheme for partitioning irregular
 * graphs", SIAM J. Sci. Comput. 20 (1998) 359-392. */
extern const struct cgs_partitioner cgs_metis;
/* F. Pellegrini, J. Roman, "SCOTCH: a software package for static mapping by dual recursive
 * bipartitioning of process and architecture graphs", HPCN Europe 1996. */
extern const struct cgs_partitioner cgs_scotch;

/* Partitions the vertices into parts of sizes[p] to the vertex: libraries balance to some per
 * cent, and vertices at the border of a part that is too large then go over to one that is too
 * small. As `divide`; CGS_DEVICE: the library is missing, too. */
enum cgs_status cgs_partition(struct cgs_context *context,
                              const struct cgs_partitioner *partitioner, struct cgs_graph *graph,
                              int parts, const int64_t *sizes, int32_t *part);

/* Finds a function of a library; `function` is a pointer to a function pointer. Returns false if
 * it is not there. */
bool cgs_partitioner_find(void *library, const char *name, void *function);

/* Fails because the library found is not one that can be used; why: what is wrong with it. */
enum cgs_status cgs_partitioner_refuse(struct cgs_context *context,
                                       const struct cgs_partitioner *partitioner, const char *why);
