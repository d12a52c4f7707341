/* Load vector and error norms of general meshes on the device: the computations of fem/load_cells.c
 * and fem/errors_cells.c; the solution is computed at each point.
 *
 *     b_i = scale sum over cells c and the rule's points q of
 *               phi_i(q) det J_q f_h(q),   f_h = sum_b phi_b f(x_b),
 *           - scale sum over cells c and boundary nodes j of K_ij g(x_j)
 *
 * One thread a row: f at the 27 nodes around it, then its 8 cells in ascending order. Boundary
 * values come in a second pass over the rows next to the boundary.
 */
#include "kernels/device/box_points_cuda.cuh"
#include "kernels/device/memory_cuda.cuh"

namespace
{

/* Three nodes around an unknown in one direction, from `first` on: wave values and steps. */
struct around {
    int64_t first;
    double value[3], step[3];
};

__device__ inline struct around look_around(const struct cgs_mesh &mesh, int k, int64_t unknown)
{
    struct around a;
    a.first = unknown; /* unknown i is node i + 1 */
    for (int i = 0; i < 3; i++) {
        a.value[i] = a.step[i] = 0.0;
        if (mesh.deform != 0.0)
            cgs_mesh_wave(&mesh, k, a.first + i, &a.value[i], &a.step[i]);
    }
    return a;
}

/* Wave value and step at the two nodes of cell 0 or 1 around the unknown. */
__device__ inline struct cgs_cell_wave wave_of(const struct around *a, int q)
{
    struct cgs_cell_wave wave;
    const int x = q & 1, y = q >> 1 & 1, z = q >> 2;
    wave.x[0] = a[0].value[x];
    wave.x[1] = a[0].step[x];
    wave.y[0] = a[1].value[y];
    wave.y[1] = a[1].step[y];
    wave.z[0] = a[2].value[z];
    wave.z[1] = a[2].step[z];
    return wave;
}

/* f at the node of this slot. */
__device__ inline double source_at(const struct cgs_box_problem &p, const struct over &over,
                                   const struct around *a, int slot)
{
    const int x = slot % 3, y = slot / 3 % 3, z = slot / 9;
    const double w[3] = {a[0].value[x], a[1].value[y], a[2].value[z]};
    double point[3];
    node_at(p.mesh, a[0].first + x, a[1].first + y, a[2].first + z, w, point);
    const struct cgs_exact e = cgs_exact_of(p.terms, p.factor, over.k, point);
    return cgs_exact_source(&e, p.mesh.kappa.kind == CGS_KAPPA_SMOOTH, over.k, point);
}

__device__ inline int slot_of(int q, int b)
{
    return (q & 1) + (b & 1) + 3 * ((q >> 1 & 1) + (b >> 1 & 1)) + 9 * ((q >> 2) + (b >> 2));
}

/* sum_q phi_a(q) det J_q f_h(q) of cell c of the eight; a: the row's node in that cell. */
__device__ inline double mass_times(const struct cgs_box_problem &p, const struct around *a, int c,
                                    const double *f)
{
    const struct cgs_cell_wave wave = wave_of(a, c);
    double corner[24], sum = 0.0;
    cgs_cell_corners(&p.mesh, wave.x, wave.y, wave.z, corner);
#pragma unroll 1
    for (int q = 0; q < 8; q++) {
        double s[3], at = 0.0;
        for (int k = 0; k < 3; k++)
            s[k] = cgs_node_side(q, k) * cgs_rule_point(p.mesh.quadrature);
        for (int b = 0; b < 8; b++)
            at += f[slot_of(c, b)] * cgs_shape(b, s);
        sum += at * cgs_jacobian_determinant(corner, s) * cgs_shape(7 ^ c, s);
    }
    return sum;
}

template <class Real>
__global__ void __launch_bounds__(CGS_THREADS, 2)
    load_kernel(const struct lines l, const struct cgs_box_problem p, Real *vector)
{
    const int64_t n = l.n[0], rows = l.n[1];
    const struct over over = over_of(p.mesh);
    for (int64_t line = l.begin + first_line(); line < l.end; line += next_line()) {
        struct around a[3];
        a[1] = look_around(p.mesh, 1, line % rows);
        a[2] = look_around(p.mesh, 2, line / rows);
        for (int64_t i = threadIdx.x % CGS_WARP; i < n; i += CGS_WARP) {
            double f[CGS_SLOTS_OF_ROW], sum = 0.0;
            a[0] = look_around(p.mesh, 0, i);
#pragma unroll 1
            for (int slot = 0; slot < CGS_SLOTS_OF_ROW; slot++)
                f[slot] = source_at(p, over, a, slot);
#pragma unroll 1
            for (int c = 0; c < 8; c++)
                sum += mass_times(p, a, c, f);
            vector[l.at(i, line)] = (Real)(p.mesh.scale * sum);
        }
    }
}

/* sum of K_ij g(x_j) over the boundary nodes j of cell c. */
__device__ inline double lifted_by(const struct cgs_box_problem &p, const struct around *a, int c)
{
    const struct cgs_cell_wave wave = wave_of(a, c);
    const double none[3] = {1.0, 1.0, 1.0}; /* no derivatives are asked for */
    const double kappa = cgs_cell_kappa(&p.mesh, a[0].first + (c & 1), a[1].first + (c >> 1 & 1),
                                        a[2].first + (c >> 2), &wave);
    double corner[24], stiffness[CGS_PACKED], sum = 0.0;
    cgs_cell_corners(&p.mesh, wave.x, wave.y, wave.z, corner);
    cgs_element_stiffness(corner, p.mesh.quadrature, kappa, stiffness);
#pragma unroll 1
    for (int b = 0; b < 8; b++) {
        const int slot = slot_of(c, b), x = slot % 3, y = slot / 3 % 3, z = slot / 9;
        const int64_t i = a[0].first + x, j = a[1].first + y, k = a[2].first + z;
        const double w[3] = {a[0].value[x], a[1].value[y], a[2].value[z]};
        double point[3];
        if (!on_boundary(p.mesh.n, i, j, k))
            continue;
        node_at(p.mesh, i, j, k, w, point);
        sum += stiffness[cgs_packed(7 ^ c, b)] * cgs_exact_of(p.terms, p.factor, none, point).u;
    }
    return sum;
}

template <class Real>
__global__ void __launch_bounds__(CGS_THREADS)
    lift_kernel(const struct lines l, const struct cgs_box_problem p, Real *vector)
{
    const int64_t n = l.n[0], rows = l.n[1];
    for (int64_t line = l.begin + first_line(); line < l.end; line += next_line()) {
        const int64_t iy = line % rows, iz = line / rows;
        const bool whole = iy == 0 || iy == rows - 1 || iz == 0 || iz == l.n[2] - 1;
        /* only the two end rows of other lines */
        const int64_t step = whole ? 1 : n > 1 ? n - 1 : 1;
        for (int64_t i = threadIdx.x % CGS_WARP * step; i < n; i += CGS_WARP * step) {
            struct around a[3];
            double sum = 0.0;
            a[0] = look_around(p.mesh, 0, i);
            a[1] = look_around(p.mesh, 1, iy);
            a[2] = look_around(p.mesh, 2, iz);
#pragma unroll 1
            for (int c = 0; c < 8; c++)
                sum += lifted_by(p, a, c);
            Real *b = &vector[l.at(i, line)];
            *b = (Real)((double)*b - p.mesh.scale * sum);
        }
    }
}

/* ---- errors ---- */

/* The order of the sums, the maximum last. */
enum { NODAL, L2, H1, ENERGY, MAX };

/* Squared errors of u_h - u over the points of a cell: *l2, *h1. value: u_h at its corners; origin:
 * its lower corner, x; share: factor of the terms. */
__device__ inline void point_sums(const struct cgs_box_problem &p, const struct over &over,
                                  const double *corner, const double *value, const double *origin,
                                  double share, double *l2, double *h1)
{
#pragma unroll 1
    for (int q = 0; q < 64; q++) {
        double s[3], adjugate[9], slope[3] = {0.0, 0.0, 0.0}, mine = 0.0;
        double point[3] = {origin[0], origin[1], origin[2]};
        const double weight = cgs_gauss_point(q, s);
        for (int a = 0; a < 8; a++) {
            double g[3];
            const double shape = cgs_shape(a, s);
            cgs_shape_gradient(a, s, g);
            mine += value[a] * shape;
            for (int k = 0; k < 3; k++) {
                point[k] += corner[3 * a + k] * shape;
                slope[k] += value[a] * g[k];
            }
        }
        for (int k = 0; k < 3; k++)
            point[k] *= over.k[k];
        const struct cgs_exact e = cgs_exact_of(p.terms, p.factor, over.k, point);
        const double determinant = cgs_jacobian_adjugate(corner, s, adjugate);
        const double measure = weight * determinant, error = mine - e.u * share;
        *l2 += measure * (error * error);
        for (int k = 0; k < 3; k++) {
            const double g =
                (adjugate[k] * slope[0] + adjugate[3 + k] * slope[1] + adjugate[6 + k] * slope[2]) /
                    determinant -
                e.gradient[k] * share;
            *h1 += measure * (g * g);
        }
    }
}

/* Sums of a line of cells: their points, and the nodes of its upper line of nodes. */
template <class Real>
__global__ void __launch_bounds__(CGS_THREADS)
    points_kernel(const struct lines l, const struct cgs_box_problem p, const Real *x,
                  double *partials)
{
    const int64_t n = l.n[0], rows = l.n[1], cells = rows + 1;
    const struct over over = over_of(p.mesh);
    double sums[MAX] = {}, max = 0.0;
    for (int64_t line = l.first_cells() + first_line(); line < l.last_cells();
         line += next_line()) {
        const int64_t cy = line % cells, cz = line / cells;
        for (int64_t cx = threadIdx.x % CGS_WARP; cx <= n; cx += CGS_WARP) {
            struct cgs_cell_wave wave = {};
            if (p.mesh.deform != 0.0)
                wave = cgs_mesh_cell_wave(&p.mesh, cx, cy, cz);
            const double kappa = cgs_cell_kappa(&p.mesh, cx, cy, cz, &wave);
            double corner[24], value[8], origin[3], l2 = 0.0, h1 = 0.0;
            cgs_cell_corners(&p.mesh, wave.x, wave.y, wave.z, corner);
            const double low[3] = {wave.x[0], wave.y[0], wave.z[0]};
            node_at(p.mesh, cx, cy, cz, low, origin);
            for (int k = 0; k < 3; k++)
                origin[k] *= p.mesh.size[k];
#pragma unroll 1
            for (int a = 0; a < 8; a++) {
                const int64_t i = cx + (a & 1), j = cy + (a >> 1 & 1), k = cz + (a >> 2);
                const bool outside = on_boundary(l.n, i, j, k);
                double u = 0.0;
                if (outside || a == 7) {
                    const double w[3] = {wave_at(p.mesh, 0, i), wave_at(p.mesh, 1, j),
                                         wave_at(p.mesh, 2, k)};
                    u = u_at(p, i, j, k, w);
                }
                value[a] = outside ? u : (double)x[l.at(i - 1, (k - 1) * rows + j - 1)];
                if (outside || a < 7) /* each node once: as the upper corner of a cell */
                    continue;
                const double error = value[a] - u;
                sums[NODAL] += error * error;
                max = fmax(max, fabs(error));
            }
            point_sums(p, over, corner, value, origin, p.over_kappa ? 1.0 / kappa : 1.0, &l2, &h1);
            sums[L2] += l2;
            sums[H1] += h1;
            sums[ENERGY] += kappa * h1;
        }
    }
    leave_sums<MAX>(sums, partials);
    leave_max(max, MAX, partials);
}

} // namespace

enum cgs_status cgs_box_load_cells(const struct cgs_space *space,
                                   const struct cgs_box_problem *problem, void *b)
{
    const struct lines l = lines_of(space, &problem->mesh);
    return space->number == CGS_F64
               ? cgs_launch(space->queue, "load vector", load_kernel<double>, CGS_BOX_BLOCKS, l,
                            *problem, static_cast<double *>(b))
               : cgs_launch(space->queue, "load vector", load_kernel<float>, CGS_BOX_BLOCKS, l,
                            *problem, static_cast<float *>(b));
}

enum cgs_status cgs_box_lift(const struct cgs_space *space, const struct cgs_box_problem *problem,
                             void *b)
{
    const struct lines l = lines_of(space, &problem->mesh);
    return space->number == CGS_F64
               ? cgs_launch(space->queue, "boundary values", lift_kernel<double>, CGS_BOX_BLOCKS, l,
                            *problem, static_cast<double *>(b))
               : cgs_launch(space->queue, "boundary values", lift_kernel<float>, CGS_BOX_BLOCKS, l,
                            *problem, static_cast<float *>(b));
}

enum cgs_status cgs_box_points(const struct cgs_space *space, const struct cgs_box_problem *problem,
                               const void *x, struct cgs_point_sums *sums)
{
    struct cgs_queue *queue = space->queue;
    const struct lines l = lines_of(space, &problem->mesh);
    double found[MAX + 1];
    CGS_TRY(by_formula(space, problem));
    CGS_TRY(space->number == CGS_F64
                ? cgs_launch(queue, "error norms", points_kernel<double>, CGS_BOX_BLOCKS, l,
                             *problem, static_cast<const double *>(x), queue->partials)
                : cgs_launch(queue, "error norms", points_kernel<float>, CGS_BOX_BLOCKS, l,
                             *problem, static_cast<const float *>(x), queue->partials));
    CGS_TRY(cgs_box_add_up(queue, MAX + 1, MAX, found));
    *sums = {found[NODAL], found[MAX], found[L2], found[H1], found[ENERGY]};
    return CGS_OK;
}

enum cgs_status cgs_box_add_up(struct cgs_queue *queue, int count, int max, double *out)
{
    static_assert(CGS_BOX_SUMS * CGS_BOX_BLOCKS * sizeof(double) <= 1 << 17, "on the stack");
    double sums[CGS_BOX_SUMS * CGS_BOX_BLOCKS];
    CGS_TRY(cgs_cuda_fetch(queue, sums, queue->partials,
                           count * CGS_BOX_BLOCKS * (int64_t)sizeof(double)));
    for (int which = 0; which < count; which++) {
        double *s = sums + which * CGS_BOX_BLOCKS;
        for (int width = 1; width < CGS_BOX_BLOCKS; width *= 2)
            for (int i = 0; i + width < CGS_BOX_BLOCKS; i += 2 * width)
                s[i] = which != max          ? s[i] + s[i + width]
                       : s[i + width] > s[i] ? s[i + width]
                                             : s[i];
        out[which] = s[0];
    }
    return CGS_OK;
}
