#include "kernels/spmv/vendor/cusparse.cuh"

#include <dlfcn.h>

#include "kernels/device/launch.cuh"
#include "kernels/spmv/vendor/cusparse_names.h"

static const char *const names[] = {CGS_CUSPARSE_NAMES};

enum cgs_status cgs_cusparse_fail(struct cgs_context *context, const struct cgs_cusparse *library,
                                  const char *call, cusparseStatus_t status)
{
    return cgs_fail(context, CGS_DEVICE, "cuSPARSE: %s: %s", call, library->error_string(status));
}

static enum cgs_status missing(struct cgs_context *context, const char *what)
{
    return cgs_fail(context, CGS_DEVICE,
                    "cuSPARSE can't be used: %s; it comes with the CUDA Toolkit (NVIDIA's package "
                    "libcusparse-12-x or cuda-libraries-12-x)",
                    what);
}

template <class Function> static bool find(void *library, const char *name, Function *function)
{
    *function = reinterpret_cast<Function>(dlsym(library, name));
    return *function != nullptr;
}

static bool find_all(struct cgs_cusparse *l)
{
    void *lib = l->library;
    return find(lib, "cusparseCreate", &l->create) && find(lib, "cusparseDestroy", &l->destroy) &&
           find(lib, "cusparseSetStream", &l->set_stream) &&
           find(lib, "cusparseGetErrorString", &l->error_string) &&
           find(lib, "cusparseCreateCsr", &l->create_csr) &&
           find(lib, "cusparseCreateSlicedEll", &l->create_sliced_ell) &&
           find(lib, "cusparseDestroySpMat", &l->destroy_matrix) &&
           find(lib, "cusparseCreateDnVec", &l->create_vector) &&
           find(lib, "cusparseDnVecSetValues", &l->set_values) &&
           find(lib, "cusparseDestroyDnVec", &l->destroy_vector) &&
           find(lib, "cusparseSpMV_bufferSize", &l->buffer_size) &&
           find(lib, "cusparseSpMV_preprocess", &l->preprocess) &&
           find(lib, "cusparseSpMV", &l->spmv) &&
           find(lib, "cusparseCsrSetPointers", &l->set_pointers) &&
           find(lib, "cusparseSpMatGetSize", &l->get_size) &&
           find(lib, "cusparseSpGEMM_createDescr", &l->create_spgemm) &&
           find(lib, "cusparseSpGEMM_destroyDescr", &l->destroy_spgemm) &&
           find(lib, "cusparseSpGEMM_workEstimation", &l->spgemm_work) &&
           find(lib, "cusparseSpGEMM_estimateMemory", &l->spgemm_memory) &&
           find(lib, "cusparseSpGEMM_compute", &l->spgemm_compute) &&
           find(lib, "cusparseSpGEMM_copy", &l->spgemm_copy);
}

enum cgs_status cgs_cusparse_open(struct cgs_queue *queue, struct cgs_cusparse *library)
{
    struct cgs_cusparse l = {};
    for (size_t i = 0; i < sizeof names / sizeof *names && !l.library; i++)
        l.library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!l.library)
        return missing(queue->context, "libcusparse.so.12 was not found");
    if (!find_all(&l)) {
        dlclose(l.library);
        return missing(queue->context, "the library found lacks functions of CUDA 12.4");
    }
    const cusparseStatus_t made = l.create(&l.handle);
    if (made != CUSPARSE_STATUS_SUCCESS) {
        dlclose(l.library);
        return missing(queue->context, "it refused to start");
    }
    *library = l;
    CGS_CUSPARSE_TRY(queue->context, library,
                     library->set_stream(library->handle, cgs_cuda_stream(queue)));
    return CGS_OK;
}

/* The library stays loaded: unloading it while the CUDA context exists is unsafe. */
void cgs_cusparse_close(struct cgs_cusparse *library)
{
    if (library->handle)
        library->destroy(library->handle);
    library->handle = nullptr;
}

enum cgs_status cgs_cusparse_use(struct cgs_queue *queue, const struct cgs_cusparse **library)
{
    struct cgs_cusparse *own = cgs_cuda_device(queue)->cusparse;
    if (!own->handle)
        CGS_TRY(cgs_cusparse_open(queue, own));
    *library = own;
    return CGS_OK;
}

static __global__ void narrow(int64_t n, const int64_t *from, int32_t *to)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = (int32_t)(from[i] - from[0]);
}

enum cgs_status cgs_cusparse_narrow(struct cgs_queue *queue, int64_t n, const int64_t *from,
                                    int32_t *to)
{
    return cgs_launch(queue, "narrow", narrow, (n + CGS_THREADS - 1) / CGS_THREADS, n, from, to);
}
