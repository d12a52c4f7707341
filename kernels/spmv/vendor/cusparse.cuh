/* cuSPARSE, loaded at run time: without it only its kernels are missing.
 *
 * The functions have the types of the toolkit's header; nothing is linked. A device has one handle
 * for all its kernels, since making one takes milliseconds.
 */
#pragma once

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
    decltype(&::cusparseCsrSetPointers) set_pointers;
    decltype(&::cusparseSpMatGetSize) get_size;
    decltype(&::cusparseSpGEMM_createDescr) create_spgemm;
    decltype(&::cusparseSpGEMM_destroyDescr) destroy_spgemm;
    decltype(&::cusparseSpGEMM_workEstimation) spgemm_work;
    decltype(&::cusparseSpGEMM_estimateMemory) spgemm_memory;
    decltype(&::cusparseSpGEMM_compute) spgemm_compute;
    decltype(&::cusparseSpGEMM_copy) spgemm_copy;
};

CGS_BEGIN_C

/* Loads the library and makes a handle on the queue's stream. CGS_DEVICE: the message says which
 * library is missing and which package has it. */
enum cgs_status cgs_cusparse_open(struct cgs_queue *queue, struct cgs_cusparse *library);
void cgs_cusparse_close(struct cgs_cusparse *library);

/* Returns the device's library and handle, opened on first use, closed with the queue. */
enum cgs_status cgs_cusparse_use(struct cgs_queue *queue, const struct cgs_cusparse **library);

/* Narrows row pointers to 32 bits, which the library requires with 32-bit columns: to[i] = from[i]
 * - from[0], i < n. */
enum cgs_status cgs_cusparse_narrow(struct cgs_queue *queue, int64_t n, const int64_t *from,
                                    int32_t *to);

enum cgs_status cgs_cusparse_fail(struct cgs_context *context, const struct cgs_cusparse *library,
                                  const char *call, cusparseStatus_t status);

CGS_END_C

#define CGS_CUSPARSE_TRY(context, library, call)                                                   \
    do {                                                                                           \
        const cusparseStatus_t cgs_error_ = (call);                                                \
        if (cgs_error_ != CUSPARSE_STATUS_SUCCESS)                                                 \
            return cgs_cusparse_fail((context), (library), #call, cgs_error_);                     \
    } while (0)
