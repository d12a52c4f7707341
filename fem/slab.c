#include "fem/slab.h"

/* Returns the plane of unknowns below the first layer of cells of a slab that begins with plane
 * `first`. */
static int64_t lower_of(const struct cgs_mesh *mesh, int64_t first)
{
    return first > mesh->order ? first - mesh->order : 0;
}

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
    slab.lower = lower_of(mesh, slab.first);
    return slab;
}

int64_t cgs_slab_first_row(const struct cgs_slab *slab, const struct cgs_mesh *mesh, int rank)
{
    return lower_of(mesh, slab->starts[rank]) * cgs_mesh_plane(mesh);
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
