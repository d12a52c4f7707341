/* cuSPARSE, loaded at run time: its absence costs its kernels only.
 *
 * The functions have the types of the toolkit's header; nothing is linked.
 */
#ifndef CGS_KERNELS_CUSPARSE_CUH
#define CGS_KERNELS_CUSPARSE_CUH

#include <cusparse.h>

#include "kernels/kernel.h"

struct cgs_cusparse {
    void *library;
    cusparseHandle_t handle;
    decltype(&::cusparseCreate) create;
    decltype(&::cusparseDestroy) destroy;
    decltype(&::cusparseSetStream) set_stream;
    decltype(&::cusparseGetErrorString) error_string;
    decltype(&::cusparseCreateCsr) create_csr;
    decltype(&::cusparseCreateSlicedEll) create_sliced_ell;
    decltype(&::cusparseDestroySpMat) destroy_matrix;
    decltype(&::cusparseCreateDnVec) create_vector;
    decltype(&::cusparseDnVecSetValues) set_values;
    decltype(&::cusparseDestroyDnVec) destroy_vector;
    decltype(&::cusparseSpMV_bufferSize) buffer_size;
    decltype(&::cusparseSpMV_preprocess) preprocess;
    decltype(&::cusparseSpMV) spmv;
};

CGS_BEGIN_C

/* Loads the library and makes a handle on the queue's stream. CGS_DEVICE says which library is
 * missing and which package brings it. */
enum cgs_status cgs_cusparse_open(struct cgs_queue *queue, struct cgs_cusparse *library);
void cgs_cusparse_close(struct cgs_cusparse *library);

enum cgs_status cgs_cusparse_fail(struct cgs_context *context, const struct cgs_cusparse *library,
                                  const char *call, cusparseStatus_t status);

CGS_END_C

#define CGS_CUSPARSE_TRY(context, library, call)                                                   \
    do {                                                                                           \
        const cusparseStatus_t cgs_error_ = (call);                                                \
        if (cgs_error_ != CUSPARSE_STATUS_SUCCESS)                                                 \
            return cgs_cusparse_fail((context), (library), #call, cgs_error_);                     \
    } while (0)

#endif
