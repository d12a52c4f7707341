/* Partition of a graph by METIS, loaded when it is used: G. Karypis, V. Kumar, "A fast and high quality
 * multilevel scheme for partitioning irregular graphs", SIAM J. Sci. Comput. 20 (1998) 359-392. */
#ifndef CGS_MATRIX_RANKS_METIS_H
#define CGS_MATRIX_RANKS_METIS_H

#include "base/context.h"

/* A graph without loops: vertex i has neighbours neighbour[start[i]] ... neighbour[start[i + 1] - 1], of
 * which each has i. */
struct cgs_graph {
    int32_t vertices;
    int32_t *start;
    int32_t *neighbour;
};

/* Distributes the vertices among parts so that few edges join two parts; part[i]: that of vertex i. Vertex
 * counts are sizes[p] to the vertex: METIS balances to some per cent, and vertices at the border of a part
 * that is too large then go over to one that is too small. The same on every run.
 * CGS_DEVICE: there is no METIS, or one with other integers; CGS_MEMORY. */
enum cgs_status cgs_partition_metis(struct cgs_context *context, struct cgs_graph *graph, int parts,
                                    const int64_t *sizes, int32_t *part);

#endif
