/* Types of cuSPARSE that struct cgs_cusparse names; the emulator has none of its functions
 * (vendor.c). */
#pragma once

typedef struct cgs_emulator_handle *cusparseHandle_t;
typedef enum { CUSPARSE_STATUS_SUCCESS } cusparseStatus_t;

extern "C" {
cusparseStatus_t cusparseCreate(void), cusparseDestroy(void), cusparseSetStream(void),
    cusparseGetErrorString(void), cusparseCreateCsr(void), cusparseCreateSlicedEll(void),
    cusparseDestroySpMat(void), cusparseCreateDnVec(void), cusparseDnVecSetValues(void),
    cusparseDestroyDnVec(void), cusparseSpMV_bufferSize(void), cusparseSpMV_preprocess(void),
    cusparseSpMV(void), cusparseCsrSetPointers(void), cusparseSpMatGetSize(void),
    cusparseSpGEMM_createDescr(void), cusparseSpGEMM_destroyDescr(void),
    cusparseSpGEMM_workEstimation(void), cusparseSpGEMM_estimateMemory(void),
    cusparseSpGEMM_compute(void), cusparseSpGEMM_copy(void);
}
