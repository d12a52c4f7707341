/* Load vector, solution and error norms of the model problem on the device: the computations of
 * fem/load.c and fem/errors.c from the same 1-D tables and formulas, one warp a line of nodes.
 */
#include "fem/box.h"
#include "kernels/device/assemble_cuda.cuh"
#include "kernels/device/box_points_cuda.cuh"
#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/mesh.cuh"
#include "kernels/device/wait_cuda.cuh"

namespace
{

/* Position of the tables in the queue's scratch: behind the sums. */
constexpr int TABLES_AT = CGS_BOX_SUMS * CGS_BOX_BLOCKS;

template <class Real>
__global__ void __launch_bounds__(CGS_THREADS)
    load_kernel(const struct lines l, double scale, const struct cgs_tables tables, Real *b)
{
    const int64_t n = l.n[0], rows = l.n[1];
    for (int64_t line = l.begin + first_line(); line < l.end; line += next_line()) {
        struct cgs_load_weights w[CGS_TERMS];
        for (int t = 0; t < tables.terms; t++)
            w[t] = cgs_load_line(&tables, t, scale, line % rows + 1, line / rows + 1);
        for (int64_t i = threadIdx.x % CGS_WARP; i < n; i += CGS_WARP) {
            double sum = 0.0;
            for (int t = 0; t < tables.terms; t++)
                sum += cgs_table(&tables, t, 0, CGS_MASS_SECOND)[i + 1] * w[t].of_second +
                       cgs_table(&tables, t, 0, CGS_MASS_VALUE)[i + 1] * w[t].of_value;
            b[l.at(i, line)] = (Real)sum;
        }
    }
}

/* u of unknown ix of a line. */
__device__ inline double unknown(const struct cgs_box_problem &p, int64_t ix, int64_t line,
                                 const double *wave_yz)
{
    const int64_t rows = p.mesh.n[1];
    if (p.terms == 0)
        return cgs_random((uint64_t)(line * p.mesh.n[0] + ix));
    const double w[3] = {wave_at(p.mesh, 0, ix + 1), wave_yz[0], wave_yz[1]};
    return u_at(p, ix + 1, line % rows + 1, line / rows + 1, w);
}

template <class Real>
__global__ void __launch_bounds__(CGS_THREADS)
    solution_kernel(const struct lines l, const struct cgs_box_problem p, Real *u)
{
    const int64_t n = l.n[0], rows = l.n[1];
    for (int64_t line = l.begin + first_line(); line < l.end; line += next_line()) {
        const double wave[2] = {wave_at(p.mesh, 1, line % rows + 1),
                                wave_at(p.mesh, 2, line / rows + 1)};
        for (int64_t i = threadIdx.x % CGS_WARP; i < n; i += CGS_WARP)
            u[l.at(i, line)] = (Real)unknown(p, i, line, wave);
    }
}

template <class Real>
__global__ void __launch_bounds__(CGS_THREADS)
    consistency_kernel(const struct lines l, const struct cgs_box_problem p, double eigenvalue,
                       const Real *au, double *partials)
{
    const int64_t n = l.n[0], rows = l.n[1];
    double sum = 0.0;
    for (int64_t line = l.begin + first_line(); line < l.end; line += next_line()) {
        const double wave[2] = {wave_at(p.mesh, 1, line % rows + 1),
                                wave_at(p.mesh, 2, line / rows + 1)};
        for (int64_t i = threadIdx.x % CGS_WARP; i < n; i += CGS_WARP) {
            const double r = (double)au[l.at(i, line)] - eigenvalue * unknown(p, i, line, wave);
            sum += r * r;
        }
    }
    leave_sums<1>(&sum, partials);
}

/* Order of struct cgs_error_sums, the maximum last; cubes have no slopes. */
enum { NODAL, CROSS_L2, CROSS_H1, HAAR, SLOPE = HAAR + 4, ALL = SLOPE + 3 };

/* 1/h_k^2. */
struct weights {
    double k[3];
};

/* Four lines of nodes around a line of cells (cy, cz): positions in x, and Y Z of each term. */
struct around {
    int64_t line[4]; /* < 0: on the boundary */
    double yz[CGS_TERMS][4];
};

__device__ inline struct around look_around(const struct lines &l, const struct cgs_tables &tables,
                                            int64_t cy, int64_t cz)
{
    struct around a;
    for (int b = 0; b < 4; b++) {
        const int64_t j = cy + (b & 1), k = cz + (b >> 1);
        const bool outside = j < 1 || j > l.n[1] || k < 1 || k > l.n[2];
        a.line[b] = outside ? -1 : (k - 1) * l.n[1] + j - 1;
        for (int t = 0; t < CGS_TERMS; t++)
            a.yz[t][b] = t < tables.terms ? cgs_table(&tables, t, 1, CGS_HAT_NODAL)[j] *
                                                cgs_table(&tables, t, 2, CGS_HAT_NODAL)[k]
                                          : 0.0;
    }
    return a;
}

/* Error e = x - u at node i of line b; zero on the boundary, where u_h = u. */
template <class Real>
__device__ inline double error_at(const struct lines &l, const struct cgs_tables &tables,
                                  const struct around &a, int b, int64_t i, const Real *x)
{
    if (a.line[b] < 0 || i < 1 || i > l.n[0])
        return 0.0;
    double u = 0.0;
    if (tables.terms == 0)
        u = cgs_random((uint64_t)(a.line[b] * l.n[0] + i - 1));
    for (int t = 0; t < CGS_TERMS; t++)
        if (t < tables.terms)
            u += cgs_table(&tables, t, 0, CGS_HAT_NODAL)[i] * a.yz[t][b];
    return (double)x[l.at(i - 1, a.line[b])] - u;
}

/* Sums of a line of cells: Haar transforms of all, nodes and projections of its upper line of
 * nodes. */
template <bool CUBES, class Real>
__global__ void __launch_bounds__(CGS_THREADS)
    errors_kernel(const struct lines l, const struct cgs_tables tables, const struct weights weight,
                  const Real *x, double *partials)
{
    constexpr int MAX = CUBES ? SLOPE : ALL;
    const int64_t n = l.n[0], cells = l.n[1] + 1;
    double sums[MAX] = {}, max = 0.0;
    for (int64_t line = l.first_cells() + first_line(); line < l.last_cells();
         line += next_line()) {
        const int64_t cy = line % cells, cz = line / cells;
        const struct around a = look_around(l, tables, cy, cz);
        const bool nodes = a.line[3] >= 0;
        struct cgs_line_weights w[CGS_TERMS] = {};
        for (int t = 0; t < CGS_TERMS; t++)
            if (nodes && t < tables.terms)
                w[t] = cgs_interpolation_line(&tables, t, cy + 1, cz + 1);
        for (int64_t cx = threadIdx.x % CGS_WARP; cx <= n; cx += CGS_WARP) {
            double e[8], s[2][2], d[2][2];
            for (int c = 0; c < 8; c++)
                e[c] = error_at(l, tables, a, c >> 1, cx + (c & 1), x);
            for (int y = 0; y < 2; y++)
                for (int bit = 0; bit < 2; bit++) {
                    s[y][bit] = e[4 + 2 * y + bit] + e[2 * y + bit];
                    d[y][bit] = e[4 + 2 * y + bit] - e[2 * y + bit];
                }
            cgs_haar_add(s[0], s[1], d[0], d[1], sums + HAAR);
            if constexpr (!CUBES)
                cgs_haar_add_slopes(s[0], s[1], d[0], d[1], weight.k, sums + SLOPE);
            if (!nodes || cx >= n)
                continue;
            sums[NODAL] += e[7] * e[7];
            max = fmax(max, fabs(e[7]));
            for (int t = 0; t < CGS_TERMS; t++)
                if (t < tables.terms) {
                    const double exact = cgs_table(&tables, t, 0, CGS_HAT_EXACT)[cx + 1];
                    const double error = cgs_table(&tables, t, 0, CGS_HAT_ERROR)[cx + 1];
                    const double exact_d = cgs_table(&tables, t, 0, CGS_HAT_EXACT_D)[cx + 1];
                    const double error_d = cgs_table(&tables, t, 0, CGS_HAT_ERROR_D)[cx + 1];
                    sums[CROSS_L2] += e[7] * (w[t].l2[0] * error + w[t].l2[1] * exact);
                    sums[CROSS_H1] += e[7] * (w[t].h1[0] * error + w[t].h1[1] * exact +
                                              w[t].h1[2] * error_d + w[t].h1[3] * exact_d);
                }
        }
    }
    leave_sums<MAX>(sums, partials);
    leave_max(max, MAX, partials);
}

/* Copies the tables to the device. */
enum cgs_status send_tables(struct cgs_queue *queue, const struct cgs_tables *tables,
                            struct cgs_tables *there)
{
    *there = *tables;
    there->values = queue->partials + TABLES_AT;
    if (TABLES_AT + cgs_tables_size(tables) > CGS_SCRATCH)
        return cgs_fail(queue->context, CGS_BUG, "tables of %lld numbers do not fit in the scratch",
                        (long long)cgs_tables_size(tables));
    if (cgs_tables_size(tables) == 0)
        return CGS_OK;
    return cgs_cuda_send(queue, there->values, tables->values,
                         cgs_tables_size(tables) * (int64_t)sizeof(double));
}

} // namespace

static enum cgs_status finished(struct cgs_queue *queue)
{
    return cgs_cuda_wait(queue);
}

static enum cgs_status load(const struct cgs_space *space, const struct cgs_box_problem *problem,
                            const struct cgs_tables *tables, void *b)
{
    struct cgs_queue *queue = space->queue;
    const struct lines l = lines_of(space, &problem->mesh);
    struct cgs_tables there;
    CGS_TRY(by_formula(space, problem));
    if (!tables) {
        CGS_TRY(cgs_box_load_cells(space, problem, b));
    } else {
        CGS_TRY(send_tables(queue, tables, &there));
        CGS_TRY(space->number == CGS_F64
                    ? cgs_launch(queue, "load vector", load_kernel<double>, CGS_BOX_BLOCKS, l,
                                 problem->mesh.scale, there, static_cast<double *>(b))
                    : cgs_launch(queue, "load vector", load_kernel<float>, CGS_BOX_BLOCKS, l,
                                 problem->mesh.scale, there, static_cast<float *>(b)));
    }
    if (problem->lifted)
        CGS_TRY(cgs_box_lift(space, problem, b));
    return finished(queue);
}

static enum cgs_status solution(const struct cgs_space *space,
                                const struct cgs_box_problem *problem, void *u)
{
    const struct lines l = lines_of(space, &problem->mesh);
    CGS_TRY(space->number == CGS_F64
                ? cgs_launch(space->queue, "solution", solution_kernel<double>, CGS_BOX_BLOCKS, l,
                             *problem, static_cast<double *>(u))
                : cgs_launch(space->queue, "solution", solution_kernel<float>, CGS_BOX_BLOCKS, l,
                             *problem, static_cast<float *>(u)));
    return finished(space->queue);
}

template <bool CUBES>
static enum cgs_status launch_errors(const struct cgs_space *space, const struct lines &l,
                                     const struct cgs_tables &tables, const struct cgs_mesh &mesh,
                                     const void *x)
{
    struct cgs_queue *queue = space->queue;
    struct weights weight;
    for (int k = 0; k < 3; k++)
        weight.k[k] = 1.0 / (mesh.h[k] * mesh.h[k]);
    return space->number == CGS_F64
               ? cgs_launch(queue, "error norms", errors_kernel<CUBES, double>, CGS_BOX_BLOCKS, l,
                            tables, weight, static_cast<const double *>(x), queue->partials)
               : cgs_launch(queue, "error norms", errors_kernel<CUBES, float>, CGS_BOX_BLOCKS, l,
                            tables, weight, static_cast<const float *>(x), queue->partials);
}

static enum cgs_status errors(const struct cgs_space *space, const struct cgs_box_problem *problem,
                              const struct cgs_tables *tables, const void *x,
                              struct cgs_error_sums *sums)
{
    struct cgs_queue *queue = space->queue;
    const struct lines l = lines_of(space, &problem->mesh);
    const bool cubes = cgs_mesh_cubic(&problem->mesh);
    const int max = cubes ? SLOPE : ALL;
    struct cgs_tables there;
    double found[CGS_BOX_SUMS] = {};
    CGS_TRY(by_formula(space, problem));
    CGS_TRY(send_tables(queue, tables, &there));
    CGS_TRY(cubes ? launch_errors<true>(space, l, there, problem->mesh, x)
                  : launch_errors<false>(space, l, there, problem->mesh, x));
    CGS_TRY(cgs_box_add_up(queue, max + 1, max, found));
    *sums = {found[NODAL],
             found[max],
             found[CROSS_L2],
             found[CROSS_H1],
             {found[HAAR], found[HAAR + 1], found[HAAR + 2], found[HAAR + 3]},
             {}};
    for (int c = 0; c < 3 && !cubes; c++)
        sums->slope[c] = found[SLOPE + c];
    return CGS_OK;
}

static enum cgs_status consistency(const struct cgs_space *space,
                                   const struct cgs_box_problem *problem, double eigenvalue,
                                   const void *au, double *sum)
{
    struct cgs_queue *queue = space->queue;
    const struct lines l = lines_of(space, &problem->mesh);
    CGS_TRY(by_formula(space, problem));
    CGS_TRY(space->number == CGS_F64
                ? cgs_launch(queue, "consistency", consistency_kernel<double>, CGS_BOX_BLOCKS, l,
                             *problem, eigenvalue, static_cast<const double *>(au), queue->partials)
                : cgs_launch(queue, "consistency", consistency_kernel<float>, CGS_BOX_BLOCKS, l,
                             *problem, eigenvalue, static_cast<const float *>(au),
                             queue->partials));
    return cgs_box_add_up(queue, 1, -1, sum);
}

/* ---- inverse diagonal ---- */

/* Inverse diagonal of the matrix on the device, for any mesh: one warp a line of nodes, one thread
 * a row, which adds the contributions of its 8 cells in ascending order:
 *
 *     a_ii = scale sum over cells c of kappa_c sum_q |w_i(q)|^2 / det J(q),
 *     w_i = adj(J)^T grad_s phi_i
 *
 * (fem/element/element_formulas.h). The Jacobians of each cell are computed by 8 threads, about 9
 * 000 operations a row: 0.15 Tflop for N = 256, once a run.
 */

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
    /* part: the first by directions, and of the mass matrix, where kappa is orthotropic */
    double of[4], part[CGS_MOST_NUMBERS];
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
                    for (int k = 0; k < cgs_mesh_numbers(&mesh); k++)
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
    for (int k = 0; k < CGS_MOST_NUMBERS; k++)
        plain.part[k] = classes.part[k][0];
    CGS_CUDA_TRY(queue->context, cudaMemsetAsync(first, 0xff, sizeof *first, stream));
    CGS_TRY(space->number == CGS_F64
                ? cgs_launch(queue, "diagonal", diagonal_kernel<double>, CGS_BOX_BLOCKS, l, *mesh,
                             plain, static_cast<double *>(inverse), first)
                : cgs_launch(queue, "diagonal", diagonal_kernel<float>, CGS_BOX_BLOCKS, l, *mesh,
                             plain, static_cast<float *>(inverse), first));
    CGS_TRY(cgs_cuda_fetch(queue, &found, first, sizeof found));
    *bad = found == ~0ull ? -1 : (int64_t)found;
    return CGS_OK;
}

static enum cgs_status inverse_diagonal(const struct cgs_space *space, const struct cgs_mesh *mesh,
                                        void *inverse, int64_t *bad)
{
    struct cgs_mesh there;
    CGS_TRY(cgs_cuda_mesh_create(space->queue, mesh, &there));
    const enum cgs_status status = compute(space, &there, inverse, bad);
    cgs_cuda_mesh_release(space->queue, &there);
    return status;
}

/* ---- the table ---- */

CGS_EXPORT(struct cgs_assembly_ops, cgs_box_cuda) = {
    .refuses = cgs_cuda_assemble_refuses,
    .inverse_diagonal = inverse_diagonal,
    .load = load,
    .solution = solution,
    .errors = errors,
    .points = cgs_box_points,
    .consistency = consistency,
};
