/* Coarse rows of singular components on the CPU (kernels/amg/mend.h). */
#include "kernels/amg/mend_cpu.h"

#include <math.h>

#include "base/comm.h"
#include "base/memory.h"
#include "kernels/amg/mend.h"

/* Finds the largest diagonal entry that is here. */
static enum cgs_status find_most(const struct cgs_space *space, const void *inverse, double *most)
{
    struct cgs_context *context = space->queue->context;
    double *numbers, least;
    *most = 0.0;
    if (space->ops->least) {
        CGS_TRY(space->ops->least(space, inverse, &least));
        *most = 1.0 / least;
        return CGS_OK;
    }
    CGS_TRY(cgs_alloc(context, space->size, sizeof *numbers, "diagonal", (void **)&numbers));
    const enum cgs_status status = space->ops->get(space, inverse, 0, space->size, numbers);
    for (int64_t k = 0; k < space->size && status == CGS_OK; k++)
        *most = numbers[k] > 0.0 ? fmax(*most, 1.0 / numbers[k]) : *most;
    cgs_free(context, numbers);
    return status;
}

/* Returns node i of rows that begin with row `first` of the whole: a row where there are none. */
static struct cgs_amg_node node_of(const struct cgs_near_null *near, int64_t first, int64_t i,
                                   const struct cgs_sparse *coarse)
{
    const int64_t begin = near->first ? near->first[i] : i,
                  end = near->first ? near->first[i + 1] : i + 1;
    return (struct cgs_amg_node){coarse, begin, end, first + begin};
}

static int64_t nodes_of(const struct cgs_near_null *near, const struct cgs_sparse *coarse)
{
    return near->first ? near->nodes : coarse->rows;
}

enum cgs_status cgs_amg_cpu_mend(const struct cgs_space *finer, const void *inverse,
                                 const struct cgs_near_null *near, struct cgs_sparse *coarse)
{
    double most = -1.0;
    for (int64_t i = 0; i < nodes_of(near, coarse); i++) {
        const struct cgs_amg_node n = node_of(near, 0, i, coarse);
        if (!cgs_amg_alone(&n))
            continue;
        if (most < 0.0)
            CGS_TRY(find_most(finer, inverse, &most));
        cgs_amg_mend_node(&n, most);
    }
    return CGS_OK;
}

enum cgs_status cgs_amg_mend_shared(const struct cgs_space *finer, const void *inverse,
                                    const struct cgs_near_null *near, int64_t first,
                                    struct cgs_sparse *coarse)
{
    struct cgs_context *context = finer->queue->context;
    double most;
    CGS_TRY(cgs_comm_agree(context, find_most(finer, inverse, &most)));
    most = cgs_comm_most(context, most);
    for (int64_t i = 0; i < nodes_of(near, coarse); i++) {
        const struct cgs_amg_node n = node_of(near, first, i, coarse);
        if (cgs_amg_alone(&n))
            cgs_amg_mend_node(&n, most);
    }
    return CGS_OK;
}
