/* Helpers of the assembly kernels: layout of vectors, nodes, sums over a grid. */
#pragma once

#include "base/random.h"
#include "kernels/box.h"
#include "kernels/device/launch.cuh"
#include "kernels/device/sum.cuh"
#include "matrix/ranks/portion.h"

/* Loops over lines: one warp a line, the same number of blocks on every device, so that sums have
 * one order. */
constexpr int CGS_BOX_BLOCKS = 1024, CGS_BOX_SUMS = 11;
constexpr int CGS_LINE_WARPS = (int)CGS_THREADS / (int)CGS_WARP;

namespace {

/* Lines begin ... end - 1 of unknowns, those of whole planes: on several ranks of this one, with
 * a plane of ghosts below and above. Unknown ix of line iz n_y + iy is at (line - begin) pitch +
 * ix. */
struct lines {
    int64_t n[3], begin, end, pitch;
    __device__ int64_t at(int64_t ix, int64_t line) const { return (line - begin) * pitch + ix; }
    /* Lines of cells whose upper nodes are these, and behind the last ones those at the
     * boundary. */
    __device__ int64_t first_cells() const
    {
        return begin / n[1] * (n[1] + 1);
    }
    __device__ int64_t last_cells() const
    {
        return (end / n[1] + (end == n[1] * n[2])) * (n[1] + 1);
    }
};

/* Problems on meshes with a kappa of each cell are the host's: returns CGS_BUG for them. */
inline enum cgs_status by_formula(const struct cgs_space *space,
                                  const struct cgs_box_problem *problem)
{
    if (problem->mesh.kappa.kind == CGS_KAPPA_CELLS)
        return cgs_fail(space->queue->context, CGS_BUG,
                        "a problem with a kappa of each cell on the device");
    return CGS_OK;
}

inline struct lines lines_of(const struct cgs_space *space, const struct cgs_mesh *mesh)
{
    const struct cgs_layout *layout = &space->layout;
    const int64_t n = mesh->n[0];
    struct lines l;
    for (int k = 0; k < 3; k++)
        l.n[k] = mesh->n[k];
    l.pitch = layout->pitch ? layout->pitch : n;
    l.begin = cgs_portion_first(layout->portion) / n;
    l.end = l.begin + layout->size / n;
    return l;
}

/* This warp's first line, and the distance to its next one. */
__device__ inline int64_t first_line()
{
    return (int64_t)blockIdx.x * CGS_LINE_WARPS + threadIdx.x / CGS_WARP;
}

__device__ inline int64_t next_line()
{
    return (int64_t)gridDim.x * CGS_LINE_WARPS;
}

/* Wave value of node i in direction k. */
__device__ inline double wave_at(const struct cgs_mesh &mesh, int k, int64_t i)
{
    double value = 0.0, step;
    if (mesh.deform != 0.0)
        cgs_mesh_wave(&mesh, k, i, &value, &step);
    return value;
}

/* Reciprocals of the box's sizes, which factors of t = x / L are differentiated with. */
struct over {
    double k[3];
};

__device__ inline struct over over_of(const struct cgs_mesh &mesh)
{
    return {{1.0 / mesh.size[0], 1.0 / mesh.size[1], 1.0 / mesh.size[2]}};
}

/* Position of node (i, j, k) in the unit cube, t; w: wave value in each direction. */
__device__ inline void node_at(const struct cgs_mesh &mesh, int64_t i, int64_t j, int64_t k,
                               const double *w, double *point)
{
    const double move = mesh.deform * (w[0] * w[1] * w[2]);
    point[0] = cgs_mesh_coordinate(&mesh, 0, i) + move;
    point[1] = cgs_mesh_coordinate(&mesh, 1, j) + move;
    point[2] = cgs_mesh_coordinate(&mesh, 2, k) + move;
}

__device__ inline int64_t cell_before(int64_t i)
{
    return i > 0 ? i - 1 : 0;
}

/* Solution at that node. Between two octants it is zero, so either kappa will do. */
__device__ inline double u_at(const struct cgs_box_problem &p, int64_t i, int64_t j, int64_t k,
                              const double *w)
{
    double point[3];
    const double none[3] = {1.0, 1.0, 1.0}; /* no derivatives are asked for */
    node_at(p.mesh, i, j, k, w, point);
    const double u = cgs_exact_of(p.terms, p.factor, none, point).u;
    return p.over_kappa ? u / cgs_cell_kappa(&p.mesh, cell_before(i), cell_before(j),
                                             cell_before(k), nullptr)
                        : u;
}

__device__ inline bool on_boundary(const int64_t *n, int64_t i, int64_t j, int64_t k)
{
    return i < 1 || i > n[0] || j < 1 || j > n[1] || k < 1 || k > n[2];
}

/* Writes the block's sums to partials[which gridDim + block]. All threads call. */
template <int COUNT> __device__ inline void leave_sums(const double *mine, double *partials)
{
    for (int which = 0; which < COUNT; which++) {
        const double sum = cgs_block_sum(mine[which]);
        if (threadIdx.x == 0)
            partials[which * gridDim.x + blockIdx.x] = sum;
    }
}

/* The same for a maximum, at `which`. */
__device__ inline void leave_max(double mine, int which, double *partials)
{
    __shared__ double warps[CGS_LINE_WARPS];
    for (int step = CGS_WARP / 2; step > 0; step /= 2)
        mine = fmax(mine, __shfl_down_sync(0xffffffffu, mine, step));
    if (threadIdx.x % CGS_WARP == 0)
        warps[threadIdx.x / CGS_WARP] = mine;
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    for (int i = 1; i < CGS_LINE_WARPS; i++)
        mine = fmax(mine, warps[i]);
    partials[which * gridDim.x + blockIdx.x] = mine;
}

} // namespace
