/* CG as a user of the vendor's libraries writes it, beside ours, in one run.
 *
 * The peer: CSR by cuSPARSE, vector work by cuBLAS, alpha and beta on the host, as in the vendor's
 * introduction to conjugate gradients: per iteration one SpMV, two dots that come to the host, three
 * axpys and one scal. Ours: cgsolve's CG with SELL and CRS, plain and by graph. All run the same
 * number of iterations on the same Q1 matrix with the same right-hand side, interleaved; medians.
 *
 *     peer_cusparse_cg [--N=64,128,256] [--precision=double,single] [--iterations=50] [--repeats=5]
 *                      [--json=FILE]
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <cublas_v2.h>
#include <dlfcn.h>

#include "base/memory.h"
#include "base/random.h"
#include "fem/assembly.h"
#include "kernels/registry.h"
#include "kernels/spmv/cusparse.cuh"
#include "kernels/device/cuda.cuh"
extern "C" {
#include "solver/cg.h"
}

namespace {

/* The program ends at the first failure: a benchmark has nothing to rescue. */
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
        check_cuda(cudaMemcpy(b, converted.data(), (size_t)n * sizeof(Real), cudaMemcpyHostToDevice));
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

/* One of our ways: its operator and CG, ready to run. */
struct ours {
    const char *name;
    struct cgs_matrix matrix;
    struct cgs_operator op;
    struct cgs_cg *cg;
};

struct ours prepare(struct cgs_queue *queue, const struct cgs_row_source *source,
                    enum cgs_format format, enum cgs_precision precision, enum cgs_launch launch,
                    const std::vector<double> &rhs, int iterations, const char *name)
{
    struct cgs_context *context = queue->context;
    const struct cgs_kernel_entry *entry;
    struct ours o = {};
    struct cgs_cg_settings settings = {};
    settings.tolerance = 1e-30;
    settings.max_iterations = iterations;
    settings.launch = launch;
    o.name = name;
    check(context, cgs_matrix_create(context, source, format, 32, 1, &o.matrix));
    check(context, cgs_kernel_find(context, "auto", CGS_CUDA, format, &entry));
    check(context, cgs_operator_create(queue, cgs_backend(CGS_CUDA), entry->tables[precision],
                                       precision, &o.matrix, &o.op));
    check(context, cgs_cg_create(queue, &o.op, NULL, &settings, &o.cg));
    check(context, o.op.domain.ops->put(&o.op.domain, rhs.data(), 0, o.op.domain.size,
                                        cgs_cg_rhs(o.cg)));
    return o;
}

double solve(struct cgs_queue *queue, struct ours &o, double *residual)
{
    struct cgs_cg_result result;
    check(queue->context,
          o.op.domain.ops->set(&o.op.domain, queue, NULL, 0.0, cgs_cg_solution(o.cg)));
    check(queue->context, cgs_cg_solve(o.cg, &result));
    *residual = result.relative_residual;
    return result.seconds;
}

void release(struct cgs_context *context, struct ours &o)
{
    cgs_cg_release(o.cg);
    cgs_operator_release(&o.op);
    cgs_matrix_release(context, &o.matrix);
}

double median(std::vector<double> x)
{
    std::sort(x.begin(), x.end());
    return x[x.size() / 2];
}

struct line {
    std::string name;
    std::vector<double> seconds;
    double residual;
};

void print(FILE *json, bool *first, int64_t n, const char *precision, int iterations,
           const std::vector<line> &lines)
{
    const double updates = 1e-6 * (double)(n * n * n) * iterations;
    const double peer = median(lines[0].seconds);
    for (const line &l : lines) {
        const double s = median(l.seconds);
        const auto range = std::minmax_element(l.seconds.begin(), l.seconds.end());
        printf("%5lld %-7s %-26s %9.2f us/it  (%.2f - %.2f)  %9.0f MUPS  %6.2fx  residual %.3e\n",
               (long long)n, precision, l.name.c_str(), 1e6 * s / iterations,
               1e6 * *range.first / iterations, 1e6 * *range.second / iterations, updates / s,
               peer / s, l.residual);
        if (json)
            fprintf(json,
                    "%s\n  {\"N\": %lld, \"precision\": \"%s\", \"name\": \"%s\", \"iterations\": %d, "
                    "\"seconds_median\": %.9g, \"seconds_min\": %.9g, \"seconds_max\": %.9g, "
                    "\"mups\": %.1f, \"ratio_to_peer\": %.3f, \"relative_residual\": %.6e}",
                    *first ? "" : ",", (long long)n, precision, l.name.c_str(), iterations, s,
                    *range.first, *range.second, updates / s, peer / s, l.residual);
        *first = false;
    }
    fflush(stdout);
}

template <class Real>
void compare(struct cgs_queue *queue, int64_t n, enum cgs_precision precision, int iterations,
             int repeats, FILE *json, bool *first)
{
    struct cgs_context *context = queue->context;
    const struct cgs_mesh mesh = cgs_mesh_cube(n, CGS_GAUSS, 1.0);
    struct cgs_row_source source;
    struct cgs_matrix crs;
    std::vector<double> rhs((size_t)(n * n * n));
    for (size_t i = 0; i < rhs.size(); i++)
        rhs[i] = cgs_random(i);
    check(context, cgs_assembler_create(context, &mesh, CGS_GATHER_SHARED, &source));
    check(context, cgs_matrix_create(context, &source, CGS_CRS, 1, 1, &crs));

    peer<Real> vendor(queue, &crs, rhs);
    std::vector<ours> all = {
        prepare(queue, &source, CGS_SELL, precision, CGS_LAUNCH_PLAIN, rhs, iterations, "SELL plain"),
        prepare(queue, &source, CGS_SELL, precision, CGS_LAUNCH_GRAPH, rhs, iterations, "SELL graph"),
        prepare(queue, &source, CGS_CRS, precision, CGS_LAUNCH_GRAPH, rhs, iterations, "CRS graph"),
    };
    std::vector<line> lines = {{"cuSPARSE CSR + cuBLAS", {}, 0.0}};
    for (const ours &o : all)
        lines.push_back({std::string("cgsolve ") + o.name, {}, 0.0});
    for (int repeat = 0; repeat <= repeats; repeat++) {
        for (size_t i = 0; i < lines.size(); i++) {
            const double s = i == 0 ? vendor.solve(iterations, &lines[0].residual)
                                    : solve(queue, all[i - 1], &lines[i].residual);
            if (repeat > 0) /* the first round warms up */
                lines[i].seconds.push_back(s);
        }
    }
    print(json, first, n, cgs_precision_name(precision), iterations, lines);
    for (ours &o : all)
        release(context, o);
    cgs_matrix_release(context, &crs);
    cgs_assembler_release(context, &source);
}

const char *value_of(const char *argument, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(argument, name, length) == 0 && argument[length] == '=' ? argument + length + 1
                                                                           : nullptr;
}

} // namespace

int main(int argc, char **argv)
{
    std::string sizes = "64,128,256", precisions = "double,single", file;
    int iterations = 50, repeats = 5;
    for (int i = 1; i < argc; i++) {
        const char *v;
        if ((v = value_of(argv[i], "--N")))
            sizes = v;
        else if ((v = value_of(argv[i], "--precision")))
            precisions = v;
        else if ((v = value_of(argv[i], "--iterations")))
            iterations = atoi(v);
        else if ((v = value_of(argv[i], "--repeats")))
            repeats = atoi(v);
        else if ((v = value_of(argv[i], "--json")))
            file = v;
        else {
            fprintf(stderr, "usage: %s [--N=64,128] [--precision=double,single] [--iterations=K] "
                            "[--repeats=R] [--json=FILE]\n", argv[0]);
            return 1;
        }
    }
    struct cgs_context context;
    struct cgs_queue *queue;
    cgs_context_init(&context);
    if (!cgs_backend(CGS_CUDA)) {
        fprintf(stderr, "peer_cusparse_cg: %s\n", cgs_backend_reason(CGS_CUDA));
        return 77;
    }
    check(&context, cgs_backend(CGS_CUDA)->open(&context, 0, &queue));
    FILE *json = file.empty() ? nullptr : fopen(file.c_str(), "w");
    bool first = true;
    if (json)
        fprintf(json, "[");
    for (char *word = strtok(&sizes[0], ","); word; word = strtok(nullptr, ",")) {
        const int64_t n = atoll(word);
        if (precisions.find("double") != std::string::npos)
            compare<double>(queue, n, CGS_PRECISION_F64, iterations, repeats, json, &first);
        if (precisions.find("single") != std::string::npos)
            compare<float>(queue, n, CGS_PRECISION_F32, iterations, repeats, json, &first);
    }
    if (json) {
        fprintf(json, "\n]\n");
        fclose(json);
    }
    cgs_backend(CGS_CUDA)->close(queue);
    return 0;
}
