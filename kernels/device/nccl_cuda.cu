#include "kernels/device/nccl_cuda.cuh"

#include <cstdio>
#include <dlfcn.h>

#include "base/comm.h"
#include "kernels/queue.h"

namespace
{

const char *const names[] = {CGS_NCCL_NAMES};

template <class Function> bool find(void *library, const char *name, Function *function)
{
    *function = reinterpret_cast<Function>(dlsym(library, name));
    return *function != nullptr;
}

bool find_all(struct cgs_nccl *n)
{
    void *lib = n->library;
    return find(lib, "ncclGetErrorString", &n->error_string) &&
           find(lib, "ncclGetUniqueId", &n->get_id) && find(lib, "ncclCommInitRank", &n->init) &&
           find(lib, "ncclCommDestroy", &n->destroy) &&
           find(lib, "ncclGroupStart", &n->group_start) &&
           find(lib, "ncclGroupEnd", &n->group_end) && find(lib, CGS_NCCL_SYMBOL, &n->send) &&
           find(lib, "ncclRecv", &n->receive) && find(lib, "ncclAllGather", &n->all_gather);
}

/* The library stays loaded: unloading it while the CUDA context exists is unsafe. */
bool load(struct cgs_nccl *n, char *why, size_t size)
{
    for (size_t i = 0; i < sizeof names / sizeof *names && !n->library; i++)
        n->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!n->library)
        snprintf(why, size, "%s was not found; its package is NVIDIA's libnccl2", names[0]);
    else if (!find_all(n))
        snprintf(why, size, "the NCCL found is older than 2.7");
    return why[0] == '\0';
}

/* Returns true if each rank computes on a device of its own, as NCCL wants it. */
bool accept_devices(struct cgs_queue *queue, char *why, size_t size)
{
    struct cgs_context *context = queue->context;
    const struct cgs_comm *comm = context->comm;
    const cudaDeviceProp *p = &cgs_cuda_device(queue)->properties;
    double devices[CGS_RANKS_MOST];
    const double place = 65536.0 * p->pciDomainID + 256.0 * p->pciBusID + p->pciDeviceID;
    cgs_comm_each(context, 4294967296.0 * comm->host + place, devices);
    for (int r = 0; r < comm->size; r++)
        for (int before = 0; before < r; before++)
            if (devices[r] == devices[before])
                snprintf(why, size, "ranks %d and %d share a GPU, and NCCL wants one each", before,
                         r);
    return why[0] == '\0';
}

bool all_agree(struct cgs_context *context, bool mine)
{
    return cgs_comm_most(context, mine ? 0.0 : 1.0) == 0.0;
}

bool make(struct cgs_context *context, struct cgs_nccl *n, char *why, size_t size)
{
    struct cgs_comm *comm = context->comm;
    struct cgs_nccl_id id = {};
    int error = comm->rank == 0 ? n->get_id(&id) : (int)CGS_NCCL_SUCCESS;
    if (all_agree(context, error == CGS_NCCL_SUCCESS)) {
        comm->ops->share(comm, 0, &id, sizeof id);
        error = n->init(&n->comm, comm->size, id, comm->rank);
    }
    if (error != CGS_NCCL_SUCCESS)
        snprintf(why, size, "NCCL does not start: %s; NCCL_DEBUG=WARN says more",
                 n->error_string(error));
    return error == CGS_NCCL_SUCCESS;
}

} // namespace

enum cgs_status cgs_nccl_check(struct cgs_context *context, const struct cgs_nccl *nccl,
                               const char *call, int error)
{
    if (error == CGS_NCCL_SUCCESS)
        return CGS_OK;
    return cgs_fail(context, CGS_DEVICE, "NCCL: %s: %s; NCCL_DEBUG=WARN says more", call,
                    nccl->error_string(error));
}

bool cgs_nccl_open(struct cgs_queue *queue, struct cgs_nccl *nccl, char *why, size_t size)
{
    struct cgs_context *context = queue->context;
    struct cgs_nccl made = {};
    why[0] = '\0';
    if (all_agree(context, load(&made, why, size)) &&
        all_agree(context, accept_devices(queue, why, size)) &&
        all_agree(context, make(context, &made, why, size))) {
        *nccl = made;
        return true;
    }
    cgs_nccl_close(&made);
    return false;
}

void cgs_nccl_close(struct cgs_nccl *nccl)
{
    if (nccl->comm)
        nccl->destroy(nccl->comm);
    *nccl = {};
}
