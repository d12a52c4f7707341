#include "fem/slab.h"

struct cgs_slab cgs_slab_whole(int64_t n)
{
    return (struct cgs_slab){.last = n + 1};
}

struct cgs_slab cgs_slab_cut(int64_t n, const int64_t *cuts, int rank, int ranks)
{
    const int64_t plane = n * n;
    struct cgs_slab slab = {.shared = true};
    for (int r = 0; r < ranks; r++)
        slab.starts[r] = (cuts[r] + plane - 1) / plane;
    slab.starts[ranks] = n + 1;
    slab.first = slab.starts[rank];
    slab.last = slab.starts[rank + 1];
    slab.lower = slab.first > 0 ? slab.first - 1 : 0;
    return slab;
}

int64_t cgs_slab_first_row(const struct cgs_slab *slab, int64_t n, int rank)
{
    const int64_t first = slab->starts[rank];
    return (first > 0 ? first - 1 : 0) * n * n;
}

int64_t cgs_slab_last_row(const struct cgs_slab *slab, int64_t n, int rank)
{
    const int64_t last = slab->starts[rank + 1];
    return (last < n ? last : n) * n * n;
}

enum cgs_status cgs_slab_agree(struct cgs_context *context, const struct cgs_slab *slab,
                               enum cgs_status status)
{
    return slab->shared ? cgs_comm_agree(context, status) : status;
}

enum cgs_status cgs_slab_complete(struct cgs_context *context, const struct cgs_slab *slab,
                                  int numbers, void *records)
{
    return slab->shared ? cgs_comm_complete(context, slab->starts, numbers, records) : CGS_OK;
}
