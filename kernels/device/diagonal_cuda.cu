/* Inverse diagonal of the matrix on the device, for any mesh: one warp a line of nodes, one thread
 * a row, which adds the contributions of its 8 cells in ascending order:
 *
 *     a_ii = scale sum over cells c of kappa_c sum_q |w_i(q)|^2 / det J(q),
 *     w_i = adj(J)^T grad_s phi_i
 *
 * (fem/element/element_formulas.h). The Jacobians of each cell are computed by 8 threads, about 9
 * 000 operations a row: 0.15 Tflop for N = 256, once a run.
 */
#include "fem/box.h"
#include "kernels/device/box.cuh"
#include "kernels/device/mesh.cuh"
#include "kernels/device/wait_cuda.cuh"

namespace
{

/* K_aa of a deformed cell for kappa = 1. */
__device__ inline double deformed_entry(const struct cgs_mesh &mesh,
                                        const struct cgs_cell_wave &wave, int a)
{
    double corner[24], sum = 0.0;
    cgs_cell_corners(&mesh, wave.x, wave.y, wave.z, corner);
#pragma unroll 1
    for (int q = 0; q < 8; q++) {
        double s[3], g[3], adjugate[9], square = 0.0;
        for (int k = 0; k < 3; k++)
            s[k] = cgs_node_side(q, k) * cgs_rule_point(mesh.quadrature);
        const double determinant = cgs_jacobian_adjugate(corner, s, adjugate);
        cgs_shape_gradient(a, s, g);
        for (int k = 0; k < 3; k++) {
            const double w = adjugate[k] * g[0] + adjugate[3 + k] * g[1] + adjugate[6 + k] * g[2];
            square += w * w;
        }
        sum += square / determinant;
    }
    return sum;
}

/* Wave values and steps in the two cells around an unknown, in direction k. */
__device__ inline void waves_around(const struct cgs_mesh &mesh, int k, int64_t unknown,
                                    double wave[2][2])
{
    for (int side = 0; side < 2; side++) {
        wave[side][0] = wave[side][1] = 0.0;
        if (mesh.deform != 0.0)
            cgs_mesh_wave(&mesh, k, unknown + side, &wave[side][0], &wave[side][1]);
    }
}

/* K_aa of undeformed cells, by their classes; several: there are others than class 0. */
struct entries {
    double of[4], part[3]; /* part: the first by directions, where kappa is orthotropic */
    bool several, orthotropic;
};

/* *bad: the first row whose entry is not positive. */
template <class Real>
__global__ void __launch_bounds__(CGS_THREADS, 2)
    diagonal_kernel(const struct lines l, const struct cgs_mesh mesh, const struct entries plain,
                    Real *inverse, unsigned long long *bad)
{
    const int64_t n = l.n[0], rows = l.n[1];
    for (int64_t line = l.begin + first_line(); line < l.end; line += next_line()) {
        const int64_t iy = line % rows, iz = line / rows;
        double x[2][2], y[2][2], z[2][2];
        waves_around(mesh, 1, iy, y);
        waves_around(mesh, 2, iz, z);
        for (int64_t ix = threadIdx.x % CGS_WARP; ix < n; ix += CGS_WARP) {
            double sum = 0.0;
            waves_around(mesh, 0, ix, x);
#pragma unroll 1
            for (int q = 0; q < 8; q++) {
                const int qx = q & 1, qy = q >> 1 & 1, qz = q >> 2;
                const struct cgs_cell_wave wave = {
                    {qx ? x[1][0] : x[0][0], qx ? x[1][1] : x[0][1]},
                    {qy ? y[1][0] : y[0][0], qy ? y[1][1] : y[0][1]},
                    {qz ? z[1][0] : z[0][0], qz ? z[1][1] : z[0][1]}};
                const double kappa = cgs_cell_kappa(&mesh, ix + qx, iy + qy, iz + qz, &wave);
                const int kind =
                    plain.several ? cgs_cell_class(&mesh, ix + qx, iy + qy, iz + qz) : 0;
                if (plain.orthotropic && kind == 0) {
                    for (int k = 0; k < 3; k++)
                        sum += plain.part[k] *
                               cgs_cell_kappa_along(&mesh, k, ix + qx, iy + qy, iz + qz, &wave);
                    continue;
                }
                sum += kappa *
                       (mesh.deform != 0.0 ? deformed_entry(mesh, wave, 7 ^ q) : plain.of[kind]);
            }
            sum *= mesh.scale;
            if (!(sum > 0.0 && cgs_finite(sum)))
                atomicMin(bad, (unsigned long long)(line * n + ix));
            inverse[l.at(ix, line)] = (Real)(1.0 / sum);
        }
    }
}

} // namespace

/* mesh: with kappa in device memory. */
static enum cgs_status compute(const struct cgs_space *space, const struct cgs_mesh *mesh,
                               void *inverse, int64_t *bad)
{
    struct cgs_queue *queue = space->queue;
    const struct lines l = lines_of(space, mesh);
    auto *first = reinterpret_cast<unsigned long long *>(queue->partials);
    unsigned long long found;
    cudaStream_t stream = cgs_cuda_stream(queue);
    const struct cgs_cuda_classes classes = cgs_cuda_classes_of(mesh);
    struct entries plain;

    plain.several = cgs_mesh_open(mesh);
    for (int kind = 0; kind < 4; kind++)
        plain.of[kind] = classes.value[kind][0];
    plain.orthotropic = mesh->kappa.orthotropic;
    for (int k = 0; k < 3; k++)
        plain.part[k] = classes.part[k][0];
    CGS_CUDA_TRY(queue->context, cudaMemsetAsync(first, 0xff, sizeof *first, stream));
    CGS_TRY(space->number == CGS_F64
                ? cgs_launch(queue, "diagonal", diagonal_kernel<double>, CGS_BOX_BLOCKS, l, *mesh,
                             plain, static_cast<double *>(inverse), first)
                : cgs_launch(queue, "diagonal", diagonal_kernel<float>, CGS_BOX_BLOCKS, l, *mesh,
                             plain, static_cast<float *>(inverse), first));
    CGS_CUDA_TRY(queue->context,
                 cudaMemcpyAsync(&found, first, sizeof found, cudaMemcpyDeviceToHost, stream));
    CGS_TRY(cgs_cuda_wait(queue));
    *bad = found == ~0ull ? -1 : (int64_t)found;
    return CGS_OK;
}

enum cgs_status cgs_box_inverse_diagonal(const struct cgs_space *space, const struct cgs_mesh *mesh,
                                         void *inverse, int64_t *bad)
{
    struct cgs_mesh there;
    CGS_TRY(cgs_cuda_mesh_create(space->queue, mesh, &there));
    const enum cgs_status status = compute(space, &there, inverse, bad);
    cgs_cuda_mesh_release(space->queue, &there);
    return status;
}
