#include "kernels/vector/tree.h"

#include <stdbool.h>

/* ---- the nodes of one rank ---- */

/* Range of blocks, and what has been found of it. */
struct gathering {
    int64_t begin, end;
    const double *partials; /* of block `begin` and those after it; NULL: only counts */
    double *nodes;
    int count;
};

static void add_node(struct gathering *g, int64_t first, int64_t count)
{
    if (g->partials)
        g->nodes[g->count] = cgs_pairwise(g->partials + (first - g->begin), count);
    g->count++;
}

/* Visits the subtree of blocks first ... first + count - 1. */
static void visit(struct gathering *g, int64_t first, int64_t count)
{
    const int64_t last = first + count;
    if (count == 0 || last <= g->begin || g->end <= first)
        return;
    if (g->begin <= first && last <= g->end) {
        add_node(g, first, count);
    } else if (count <= CGS_TREE_RUN) {
        for (int64_t b = first; b < last; b++)
            if (g->begin <= b && b < g->end)
                add_node(g, b, 1);
    } else {
        const int64_t half = count / 2;
        visit(g, first, half);
        visit(g, first + half, count - half);
    }
}

int cgs_tree_nodes(int64_t blocks, int64_t begin, int64_t end, const double *partials,
                   double *nodes)
{
    struct gathering g = {.begin = begin, .end = end, .partials = partials, .nodes = nodes};
    visit(&g, 0, blocks);
    return g.count;
}

/* ---- the root ---- */

/* Progress through the nodes, which come in the order of the tree: the next one, and the rank that
 * owns the next block. */
struct evaluation {
    const int64_t *cuts;
    const double *next;
    int rank;
};

/* Returns true if one rank has blocks first ... last - 1; moves on to the rank of the first one. */
static bool one_has(struct evaluation *e, int64_t first, int64_t last)
{
    while (e->cuts[e->rank + 1] <= first)
        e->rank++;
    return last <= e->cuts[e->rank + 1];
}

static double evaluate(struct evaluation *e, int64_t first, int64_t count)
{
    if (one_has(e, first, first + count))
        return *e->next++;
    if (count <= CGS_TREE_RUN) {
        double sum = 0.0;
        for (int64_t b = 0; b < count; b++)
            sum += *e->next++;
        return sum;
    }
    const int64_t half = count / 2;
    const double left = evaluate(e, first, half);
    return left + evaluate(e, first + half, count - half);
}

double cgs_tree_root(int64_t blocks, const int64_t *cuts, const double *nodes)
{
    struct evaluation e = {.cuts = cuts, .next = nodes};
    return blocks == 0 ? 0.0 : evaluate(&e, 0, blocks);
}
