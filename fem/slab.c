#include "fem/slab.h"

struct cgs_slab cgs_slab_whole(const struct cgs_mesh *mesh)
{
    return (struct cgs_slab){.last = mesh->n[2] + 1};
}

struct cgs_slab cgs_slab_cut(const struct cgs_mesh *mesh, const int64_t *cuts, int rank, int ranks)
{
    const int64_t plane = cgs_mesh_plane(mesh);
    struct cgs_slab slab = {.shared = true};
    for (int r = 0; r < ranks; r++)
        slab.starts[r] = (cuts[r] + plane - 1) / plane;
    slab.starts[ranks] = mesh->n[2] + 1;
    slab.first = slab.starts[rank];
    slab.last = slab.starts[rank + 1];
    slab.lower = slab.first > 0 ? slab.first - 1 : 0;
    return slab;
}

int64_t cgs_slab_first_row(const struct cgs_slab *slab, const struct cgs_mesh *mesh, int rank)
{
    const int64_t first = slab->starts[rank];
    return (first > 0 ? first - 1 : 0) * cgs_mesh_plane(mesh);
}

int64_t cgs_slab_last_row(const struct cgs_slab *slab, const struct cgs_mesh *mesh, int rank)
{
    const int64_t last = slab->starts[rank + 1];
    return (last < mesh->n[2] ? last : mesh->n[2]) * cgs_mesh_plane(mesh);
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
