/* The peer: CG by cuSPARSE (CSR) and cuBLAS, alpha and beta on the host, as in the vendor's
 * introduction to conjugate gradients. Both libraries are loaded at run time.
 */
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cublas_v2.h>
#include <dlfcn.h>

#include "kernels/device/cuda.cuh"
#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/upload_cuda.cuh"
#include "kernels/spmv/vendor/cusparse.cuh"

namespace
{

/* Ends the program at the first failure: a benchmark has nothing to rescue. */
void check(const struct cgs_context *context, enum cgs_status status)
{
    if (status == CGS_OK)
        return;
    fprintf(stderr, "peer_cusparse_cg: %s\n", context->message);
    exit(status == CGS_DEVICE ? 77 : cgs_status_exit(status));
}

void check_cuda(cudaError_t error)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "peer_cusparse_cg: CUDA: %s\n", cudaGetErrorString(error));
        exit(6);
    }
}

template <class Status> void check_library(Status status, const char *call)
{
    if ((int)status != 0) {
        fprintf(stderr, "peer_cusparse_cg: %s failed with status %d\n", call, (int)status);
        exit(6);
    }
}
#define LIBRARY(call) check_library((call), #call)

struct cublas {
    void *library;
    cublasHandle_t handle;
    decltype(&::cublasCreate_v2) create;
    decltype(&::cublasDestroy_v2) destroy;
    decltype(&::cublasSetStream_v2) set_stream;
    decltype(&::cublasDdot_v2) ddot;
    decltype(&::cublasSdot_v2) sdot;
    decltype(&::cublasDaxpy_v2) daxpy;
    decltype(&::cublasSaxpy_v2) saxpy;
    decltype(&::cublasDscal_v2) dscal;
    decltype(&::cublasSscal_v2) sscal;
};

template <class Function> void find(void *library, const char *name, Function *function)
{
    *function = reinterpret_cast<Function>(dlsym(library, name));
    if (!*function) {
        fprintf(stderr, "peer_cusparse_cg: cuBLAS lacks %s\n", name);
        exit(6);
    }
}

struct cublas open_cublas(cudaStream_t stream)
{
    struct cublas b = {};
    for (const char *name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so"})
        if (!b.library)
            b.library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!b.library) {
        fprintf(stderr, "peer_cusparse_cg: cuBLAS was not found (%s)\n", dlerror());
        exit(77);
    }
    find(b.library, "cublasCreate_v2", &b.create);
    find(b.library, "cublasDestroy_v2", &b.destroy);
    find(b.library, "cublasSetStream_v2", &b.set_stream);
    find(b.library, "cublasDdot_v2", &b.ddot);
    find(b.library, "cublasSdot_v2", &b.sdot);
    find(b.library, "cublasDaxpy_v2", &b.daxpy);
    find(b.library, "cublasSaxpy_v2", &b.saxpy);
    find(b.library, "cublasDscal_v2", &b.dscal);
    find(b.library, "cublasSscal_v2", &b.sscal);
    LIBRARY(b.create(&b.handle));
    LIBRARY(b.set_stream(b.handle, stream));
    return b;
}

double dot(const struct cublas &b, int n, const double *x, const double *y)
{
    double s;
    LIBRARY(b.ddot(b.handle, n, x, 1, y, 1, &s));
    return s;
}

float dot(const struct cublas &b, int n, const float *x, const float *y)
{
    float s;
    LIBRARY(b.sdot(b.handle, n, x, 1, y, 1, &s));
    return s;
}

void axpy(const struct cublas &b, int n, double a, const double *x, double *y)
{
    LIBRARY(b.daxpy(b.handle, n, &a, x, 1, y, 1));
}

void axpy(const struct cublas &b, int n, float a, const float *x, float *y)
{
    LIBRARY(b.saxpy(b.handle, n, &a, x, 1, y, 1));
}

void scal(const struct cublas &b, int n, double a, double *x)
{
    LIBRARY(b.dscal(b.handle, n, &a, x, 1));
}

void scal(const struct cublas &b, int n, float a, float *x)
{
    LIBRARY(b.sscal(b.handle, n, &a, x, 1));
}

/* The peer's matrix and vectors. */
template <class Real> struct peer {
    struct cgs_queue *queue;
    struct cgs_cusparse sparse;
    struct cublas blas;
    struct cgs_cuda_matrix arrays;
    int32_t *offsets;
    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t p_vector, q_vector;
    void *buffer;
    Real *b, *x, *r, *p, *q;
    int n;

    peer(struct cgs_queue *on, const struct cgs_matrix *crs, const std::vector<double> &rhs)
        : queue(on), sparse(), blas(open_cublas(cgs_cuda_stream(on))), n((int)crs->rows)
    {
        const cudaDataType type = sizeof(Real) == 8 ? CUDA_R_64F : CUDA_R_32F;
        const std::vector<Real> converted(rhs.begin(), rhs.end());
        std::vector<int32_t> narrow(crs->pointers, crs->pointers + crs->units + 1);
        const Real one = 1, zero = 0;
        size_t bytes = 0;

        check(on->context, cgs_cusparse_open(on, &sparse));
        check(on->context,
              cgs_cuda_matrix_upload(on, crs, sizeof(Real) == 8 ? CGS_F64 : CGS_F32, &arrays));
        check_cuda(cudaMalloc((void **)&offsets, narrow.size() * sizeof(int32_t)));
        check_cuda(cudaMemcpy(offsets, narrow.data(), narrow.size() * sizeof(int32_t),
                              cudaMemcpyHostToDevice));
        for (Real **v : {&b, &x, &r, &p, &q})
            check_cuda(cudaMalloc((void **)v, (size_t)n * sizeof(Real)));
        check_cuda(
            cudaMemcpy(b, converted.data(), (size_t)n * sizeof(Real), cudaMemcpyHostToDevice));
        LIBRARY(sparse.create_csr(&matrix, n, n, crs->nonzeros, offsets, arrays.columns,
                                  arrays.values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                  CUSPARSE_INDEX_BASE_ZERO, type));
        LIBRARY(sparse.create_vector(&p_vector, n, p, type));
        LIBRARY(sparse.create_vector(&q_vector, n, q, type));
        LIBRARY(sparse.buffer_size(sparse.handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix,
                                   p_vector, &zero, q_vector, type, CUSPARSE_SPMV_ALG_DEFAULT,
                                   &bytes));
        check_cuda(cudaMalloc(&buffer, bytes + 1));
        LIBRARY(sparse.preprocess(sparse.handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix,
                                  p_vector, &zero, q_vector, type, CUSPARSE_SPMV_ALG_DEFAULT,
                                  buffer));
    }

    ~peer()
    {
        sparse.destroy_vector(p_vector);
        sparse.destroy_vector(q_vector);
        sparse.destroy_matrix(matrix);
        cgs_cusparse_close(&sparse);
        blas.destroy(blas.handle);
        for (Real *v : {b, x, r, p, q})
            cudaFree(v);
        cudaFree(buffer);
        cudaFree(offsets);
        cgs_cuda_matrix_free(queue, &arrays);
    }

    /* Seconds of `iterations` iterations from x = 0; the relative residual reached. */
    double solve(int iterations, double *residual)
    {
        const cudaDataType type = sizeof(Real) == 8 ? CUDA_R_64F : CUDA_R_32F;
        const Real one = 1, zero = 0;
        check_cuda(cudaMemset(x, 0, (size_t)n * sizeof(Real)));
        check_cuda(cudaMemcpy(r, b, (size_t)n * sizeof(Real), cudaMemcpyDeviceToDevice));
        check_cuda(cudaMemcpy(p, b, (size_t)n * sizeof(Real), cudaMemcpyDeviceToDevice));
        Real rr = dot(blas, n, r, r);
        const Real first = rr;
        check_cuda(cudaDeviceSynchronize());
        const double begin = cgs_now();
        for (int k = 0; k < iterations; k++) {
            LIBRARY(sparse.spmv(sparse.handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix,
                                p_vector, &zero, q_vector, type, CUSPARSE_SPMV_ALG_DEFAULT,
                                buffer));
            const Real alpha = rr / dot(blas, n, p, q);
            axpy(blas, n, alpha, p, x);
            axpy(blas, n, -alpha, q, r);
            const Real next = dot(blas, n, r, r);
            scal(blas, n, next / rr, p);
            axpy(blas, n, (Real)1, r, p);
            rr = next;
        }
        check_cuda(cudaDeviceSynchronize());
        *residual = sqrt((double)rr / (double)first);
        return cgs_now() - begin;
    }
};

} // namespace
