/* Matrix of the model problem computed on the device, in CRS or SELL-C: entry by entry what the
 * host's assembler would have sent (fem/assembly.c), without a row on the host.
 *
 * The plain box: one thread a row. Columns and values follow from the row's position; eight numbers
 * give all values (fem/box.h), so that the cost is writing 12 bytes an entry.
 *
 * Any other mesh: a block has the element matrices of TILE_X x TILE_Y cells of a plane in shared
 * memory, one thread a cell, and marches in z:
 *
 *     plane cz:  compute the tile's matrices
 *                row iz = cz - 1 (below):  add the upper four cells; write dz = 0 and dz = 1
 *                row iz = cz     (above):  add the lower four cells; write dz = -1, keep dz = 0
 *
 *     TILE = 4 x 3    c c c c        a row r has four cells of a plane around it: a tile gives
 *                      r r r         (TILE_X - 1)(TILE_Y - 1) rows;
 *                     c c c c        tiles overlap by one cell, marches by one plane:
 *                      r r r         1.22 matrices a row, about 2 700 operations each
 *                     c c c c
 *
 * A matrix needed by two blocks is computed twice by the same instructions, and gathering only adds
 * (no multiplication that a compiler could fuse), so that A is symmetric to the bit.
 */
#include <cfloat>

#include "fem/box.h"
#include "kernels/device/assemble_cuda.cuh"
#include "kernels/device/launch.cuh"
#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/mesh.cuh"
#include "matrix/ranks/portion.h"

namespace
{

constexpr int TILE_X = 32, TILE_Y = 8, MARCH = 32, PLANE = 9;
constexpr int SHARED_BYTES = (int)CGS_PACKED * (int)CGS_THREADS * (int)sizeof(double);
static_assert(TILE_X * TILE_Y == (int)CGS_THREADS, "a thread a cell");

/* The arrays to fill. C = 2^shift. */
template <class Value> struct target {
    const int64_t *pointers;
    int32_t *columns;
    Value *values;
    int shift;
};

/* Position of a row's entries: the first one, the distance to the next, their maximal number. */
struct place {
    int64_t at;
    int stride, width;
};

template <class Value> __device__ inline place place_of(const target<Value> &to, int64_t row)
{
    const int64_t unit = row >> to.shift, begin = __ldg(to.pointers + unit);
    const int64_t end = __ldg(to.pointers + unit + 1);
    return place{begin + (row & (((int64_t)1 << to.shift) - 1)), 1 << to.shift,
                 (int)((end - begin) >> to.shift)};
}

template <class Value>
__device__ inline void write(const target<Value> &to, const place &p, int entry, int64_t column,
                             double value)
{
    const int64_t at = p.at + (int64_t)entry * p.stride;
    to.columns[at] = (int32_t)column;
    to.values[at] = (Value)value;
}

/* Pads a row after its `length` entries: zeros in the column of its first entry. */
template <class Value>
__device__ inline void pad(const target<Value> &to, const place &p, int length, int64_t first)
{
    for (int entry = length; entry < p.width; entry++)
        write(to, p, entry, first, 0.0);
}

/* Returns the column of the row's first entry. */
__device__ inline int64_t first_column(const struct cgs_box &box, int64_t row,
                                       const struct cgs_box_row &r)
{
    return row +
           cgs_box_offset(&box, &r, cgs_box_lowest(r.x), cgs_box_lowest(r.y), cgs_box_lowest(r.z));
}

/* row: in the box, as for everything that follows from a row's position; in arrays and columns
 * rows count from the first one of this rank. */
__device__ inline struct cgs_box_row row_of(const struct cgs_box &box, int64_t row)
{
    const uint32_t line = (uint32_t)row / (uint32_t)box.n[0]; /* rows are fewer than 2^31 */
    const uint32_t plane = line / (uint32_t)box.n[1];
    return cgs_box_row_at(&box, row - line * box.n[0], line - plane * (uint32_t)box.n[1], plane);
}

/* ---- CRS pointers ---- */

/* Sets pointers of rows first ... first + rows - 1 of the box. */
__global__ void __launch_bounds__(CGS_THREADS)
    pointers_kernel(const struct cgs_box box, int64_t first, int64_t rows, int64_t *pointers)
{
    const int64_t row = (int64_t)blockIdx.x * CGS_THREADS + threadIdx.x;
    if (row > rows)
        return;
    const struct cgs_box_row r = row_of(box, first + row), begin = row_of(box, first);
    pointers[row] = cgs_box_pointer(&box, &r) - cgs_box_pointer(&box, &begin);
}

/* ---- rows of the last chunk beyond the matrix ---- */

template <class Value>
__global__ void __launch_bounds__(CGS_THREADS) lacking_kernel(int64_t rows, target<Value> to)
{
    const int64_t row = rows + (int64_t)blockIdx.x * CGS_THREADS + threadIdx.x;
    if (row >> to.shift == (rows - 1) >> to.shift)
        pad(to, place_of(to, row), 0, rows - 1);
}

/* ---- the plain box ---- */

/* By the bits of the directions in which the neighbour differs (cgs_mesh_stencil). */
struct stencil {
    double value[8];
};

template <class Value>
__global__ void __launch_bounds__(CGS_THREADS)
    plain_kernel(const struct cgs_box box, int64_t first, int64_t rows, const stencil s,
                 const target<Value> to)
{
    const int64_t row = (int64_t)blockIdx.x * CGS_THREADS + threadIdx.x;
    if (row >= rows)
        return;
    const struct cgs_box_row r = row_of(box, first + row);
    const place p = place_of(to, row);
    int entry = 0;
#pragma unroll
    for (int slot = 0; slot < CGS_SLOTS_OF_ROW; slot++) {
        const int dx = slot % 3 - 1, dy = slot / 3 % 3 - 1, dz = slot / 9 - 1;
        if (!cgs_box_has(r.x, dx) || !cgs_box_has(r.y, dy) || !cgs_box_has(r.z, dz))
            continue;
        write(to, p, entry++, row + cgs_box_offset(&box, &r, dx, dy, dz),
              s.value[dx * dx + 2 * (dy * dy) + 4 * (dz * dz)]);
    }
    pad(to, p, entry, first_column(box, row, r));
}

/* ---- any other mesh ---- */

/* Cells, for code of their own: undeformed, with void ones outside free faces, deformed; undeformed
 * ones, void or not, with three kappas, perhaps with a reaction. */
enum shape { BOXES, OPEN, DEFORMED, ORTHOTROPIC };

/* Element matrix of cell (cx, cy, cz) into shared memory, entry i at tile[i CGS_THREADS]. */
template <enum shape S>
__device__ inline void element(const struct cgs_mesh &mesh, const struct cgs_cuda_classes &classes,
                               int64_t cx, int64_t cy, int64_t cz, const struct cgs_cell_wave &wave,
                               double *tile)
{
    const double kappa = cgs_cell_kappa(&mesh, cx, cy, cz, &wave);
    if constexpr (S == DEFORMED) {
        double corner[24], stiffness[CGS_PACKED];
        cgs_cell_corners(&mesh, wave.x, wave.y, wave.z, corner);
        cgs_element_stiffness(corner, mesh.quadrature, kappa, stiffness);
#pragma unroll
        for (int i = 0; i < CGS_PACKED; i++)
            tile[i * CGS_THREADS] = stiffness[i];
    } else if (S == ORTHOTROPIC && cgs_cell_class(&mesh, cx, cy, cz) == 0) {
        const double y = cgs_cell_kappa_along(&mesh, 1, cx, cy, cz, &wave),
                     z = cgs_cell_kappa_along(&mesh, 2, cx, cy, cz, &wave),
                     c = mesh.kappa.reaction
                             ? cgs_cell_kappa_along(&mesh, CGS_REACTION, cx, cy, cz, &wave)
                             : 0.0;
#pragma unroll
        for (int a = 0; a < 8; a++)
#pragma unroll
            for (int b = 0; b <= a; b++)
                tile[cgs_packed(a, b) * CGS_THREADS] =
                    kappa * classes.part[0][a ^ b] + y * classes.part[1][a ^ b] +
                    z * classes.part[2][a ^ b] + c * classes.part[CGS_REACTION][a ^ b];
    } else {
        const double *value =
            classes.value[S == OPEN || S == ORTHOTROPIC ? cgs_cell_class(&mesh, cx, cy, cz) : 0];
#pragma unroll
        for (int a = 0; a < 8; a++)
#pragma unroll
            for (int b = 0; b <= a; b++)
                tile[cgs_packed(a, b) * CGS_THREADS] = kappa * value[a ^ b];
    }
}

/* Writes the entries of a row in node plane dz from `sum`, the sums over cells; adds their
 * magnitudes to *norm, in column order. */
template <class Value>
__device__ inline void
write_plane(const target<Value> &to, const place &p, const struct cgs_box &box, int64_t row,
            const struct cgs_box_row &r, int dz, double scale, const double *sum, double *norm)
{
    if (!cgs_box_has(r.z, dz))
        return;
#pragma unroll
    for (int slot = 0; slot < PLANE; slot++) {
        const int dx = slot % 3 - 1, dy = slot / 3 - 1;
        if (!cgs_box_has(r.x, dx) || !cgs_box_has(r.y, dy))
            continue;
        const double value = scale * sum[slot];
        write(to, p, cgs_box_rank(&r, dx, dy, dz), row + cgs_box_offset(&box, &r, dx, dy, dz),
              value);
        *norm += fabs(value);
    }
}

/* *norm: largest row sum as the bits of a double; the bits of numbers >= 0 are ordered like
 * them. */
__device__ inline void raise_norm(double mine, unsigned long long *norm)
{
    for (int step = 16; step > 0; step /= 2)
        mine = fmax(mine, __shfl_down_sync(0xffffffffu, mine, step));
    if (threadIdx.x % 32 == 0)
        atomicMax(norm, (unsigned long long)__double_as_longlong(mine));
}

/* Planes begin ... end - 1 of rows. */
template <enum shape S, class Value>
__global__ void __launch_bounds__(CGS_THREADS)
    cells_kernel(const struct cgs_mesh mesh, const struct cgs_cuda_classes classes,
                 const target<Value> to, int tiles_x, int tiles_y, int64_t begin, int64_t end,
                 unsigned long long *norm)
{
    CGS_DYNAMIC_SHARED(double, tile); /* [CGS_PACKED][CGS_THREADS] */
    __shared__ double wave_z[MARCH + 1][2];
    const struct cgs_box box = cgs_box_of(&mesh);
    const int64_t *n = mesh.n;
    const int tx = threadIdx.x % TILE_X, ty = threadIdx.x / TILE_X;
    const int64_t cx = (int64_t)(blockIdx.x % tiles_x) * (TILE_X - 1) + tx;
    const int64_t cy = (int64_t)(blockIdx.x / tiles_x % tiles_y) * (TILE_Y - 1) + ty;
    const int64_t first = begin + (int64_t)(blockIdx.x / tiles_x / tiles_y) * MARCH; /* rows in z */
    const int64_t last = first + MARCH < end ? first + MARCH : end;
    const bool cell = cx <= n[0] && cy <= n[1];
    const bool row_here = tx < TILE_X - 1 && ty < TILE_Y - 1 && cx < n[0] && cy < n[1];
    struct cgs_cell_wave wave = {};
    if (cell && mesh.deform != 0.0) {
        cgs_mesh_wave(&mesh, 0, cx, &wave.x[0], &wave.x[1]);
        cgs_mesh_wave(&mesh, 1, cy, &wave.y[0], &wave.y[1]);
    }
    if (mesh.deform != 0.0 && threadIdx.x <= last - first)
        cgs_mesh_wave(&mesh, 2, first + threadIdx.x, &wave_z[threadIdx.x][0],
                      &wave_z[threadIdx.x][1]);
    __syncthreads();

    double middle[PLANE], sum = 0.0, largest = 0.0; /* of the row completed by the next plane */
    for (int64_t cz = first; cz <= last; cz++) {
        if (cell) {
            wave.z[0] = mesh.deform != 0.0 ? wave_z[cz - first][0] : 0.0;
            wave.z[1] = mesh.deform != 0.0 ? wave_z[cz - first][1] : 0.0;
            element<S>(mesh, classes, cx, cy, cz, wave, tile + threadIdx.x);
        }
        __syncthreads();
        if (row_here && cz > first) {
            const int64_t row = ((cz - 1 - begin) * n[1] + cy) * n[0] + cx;
            const struct cgs_box_row r = cgs_box_row_at(&box, cx, cy, cz - 1);
            const place p = place_of(to, row);
            double upper[PLANE] = {};
            cgs_box_gather(tile + threadIdx.x, CGS_THREADS, TILE_X, 1, middle, upper);
            write_plane(to, p, box, row, r, 0, mesh.scale, middle, &sum);
            write_plane(to, p, box, row, r, 1, mesh.scale, upper, &sum);
            pad(to, p, cgs_box_row_length(&r), first_column(box, row, r));
            largest = fmax(largest, sum);
        }
        if (row_here && cz < last) {
            const int64_t row = ((cz - begin) * n[1] + cy) * n[0] + cx;
            const struct cgs_box_row r = cgs_box_row_at(&box, cx, cy, cz);
            double lower[PLANE] = {};
#pragma unroll
            for (int slot = 0; slot < PLANE; slot++)
                middle[slot] = 0.0;
            sum = 0.0;
            cgs_box_gather(tile + threadIdx.x, CGS_THREADS, TILE_X, 0, lower, middle);
            write_plane(to, place_of(to, row), box, row, r, -1, mesh.scale, lower, &sum);
        }
        __syncthreads();
    }
    raise_norm(largest, norm);
}

/* ---- launches ---- */

/* Takes the values from row 0 of the box, which has a neighbour of each kind that there is: the
 * same bits. */
stencil stencil_of(const struct cgs_row_source *rows)
{
    const struct cgs_row_source *source = rows->portion ? rows->portion->source : rows;
    int32_t columns[CGS_SLOTS_OF_ROW];
    double values[CGS_SLOTS_OF_ROW];
    stencil found = {};
    source->fill(source, 0, 1, columns, values);
    int entry = 0, missing = 0; /* bits of the directions without neighbours */
    for (int k = 0; k < 3; k++)
        missing |= source->mesh->n[k] == 1 ? 1 << k : 0;
    for (int b = 0; b < 8; b++)
        if ((b & missing) == 0)
            found.value[b] = values[entry++];
    return found;
}

int64_t tiles(int64_t n, int rows)
{
    return (n + rows - 1) / rows;
}

template <enum shape S, class Value>
enum cgs_status launch_cells(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                             const struct cgs_mesh *mesh, const target<Value> &to,
                             unsigned long long *norm)
{
    const int64_t plane = cgs_mesh_plane(mesh);
    const int64_t begin = cgs_portion_first(matrix->source->portion) / plane;
    const int64_t end = begin + matrix->rows / plane;
    const int shared = SHARED_BYTES;
    const int64_t x = tiles(mesh->n[0], TILE_X - 1), y = tiles(mesh->n[1], TILE_Y - 1);
    const auto kernel = cells_kernel<S, Value>;
    CGS_CUDA_TRY(queue->context,
                 cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    return cgs_launch_blocks(queue, "assembly", kernel,
                             {.count = x * y * tiles(end - begin, MARCH), .shared = shared}, *mesh,
                             cgs_cuda_classes_of(mesh), to, (int)x, (int)y, begin, end, norm);
}

/* mesh: that of the rows, with kappa in device memory. */
template <class Value>
enum cgs_status launch(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                       const struct cgs_mesh *mesh, const struct cgs_cuda_matrix *out,
                       unsigned long long *norm)
{
    const struct cgs_box box = cgs_box_of(mesh);
    const int64_t blocks = matrix->rows / CGS_THREADS + 1; /* one more than needed */
    const int64_t first = cgs_portion_first(matrix->source->portion);
    const target<Value> to = {out->pointers, out->columns, static_cast<Value *>(out->values),
                              __builtin_ctz((unsigned)matrix->chunk)};
    if (matrix->format == CGS_CRS && !matrix->padded)
        CGS_TRY(cgs_launch(queue, "row pointers", pointers_kernel, blocks, box, first, matrix->rows,
                           out->pointers));
    if (matrix->rows % matrix->chunk != 0)
        CGS_TRY(cgs_launch(queue, "last chunk", lacking_kernel<Value>,
                           tiles(matrix->chunk, CGS_THREADS), matrix->rows, to));
    if (cgs_mesh_plain(mesh))
        return cgs_launch(queue, "assembly of the box", plain_kernel<Value>, blocks, box, first,
                          matrix->rows, stencil_of(matrix->source), to);
    return mesh->deform != 0.0 ? launch_cells<DEFORMED, Value>(queue, matrix, mesh, to, norm)
           : mesh->kappa.orthotropic
               ? launch_cells<ORTHOTROPIC, Value>(queue, matrix, mesh, to, norm)
           : cgs_mesh_open(mesh) ? launch_cells<OPEN, Value>(queue, matrix, mesh, to, norm)
                                 : launch_cells<BOXES, Value>(queue, matrix, mesh, to, norm);
}

} // namespace

const char *cgs_cuda_assemble_refuses(const struct cgs_queue *queue,
                                      const struct cgs_matrix *matrix, const struct cgs_mesh *mesh)
{
    if (!mesh)
        return "the rows are not, or no longer, those of the box";
    if (matrix->format != CGS_CRS && matrix->format != CGS_SELL)
        return "entries of this format are drawn from rows";
    if (matrix->sigma > 1)
        return "rows are sorted (\1sigma) on the host";
    if ((matrix->chunk & (matrix->chunk - 1)) != 0)
        return "the chunk is no power of two";
    if (mesh->deform != 0.0 && cgs_mesh_open(mesh))
        return "free faces of a deformed mesh are the host's";
    if (!cgs_mesh_plain(mesh) &&
        cgs_cuda_device(queue)->properties.sharedMemPerBlockOptin < SHARED_BYTES)
        return "element matrices want more shared memory than a block has there";
    return nullptr;
}

/* Computes the entries, and *norm, the infinity norm of the matrix. mesh: of launch(). */
static enum cgs_status assemble(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                                const struct cgs_mesh *mesh, enum cgs_number number,
                                const struct cgs_cuda_matrix *out, double *norm)
{
    const struct cgs_row_source *source = matrix->source;
    cudaStream_t stream = cgs_cuda_stream(queue);
    auto *bits = reinterpret_cast<unsigned long long *>(queue->partials);

    CGS_CUDA_TRY(queue->context, cudaMemsetAsync(bits, 0, sizeof *bits, stream));
    CGS_TRY(number == CGS_F64 ? launch<double>(queue, matrix, mesh, out, bits)
                              : launch<float>(queue, matrix, mesh, out, bits));
    CGS_TRY(cgs_cuda_fetch(queue, norm, bits, sizeof *norm));
    const struct cgs_row_source *whole = source->portion ? source->portion->source : source;
    if (cgs_mesh_plain(source->mesh))
        *norm = whole->norm(whole);
    else if (whole->note_norm)
        whole->note_norm(whole, *norm);
    return CGS_OK;
}

enum cgs_status cgs_cuda_assemble(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                                  enum cgs_number number, const struct cgs_cuda_matrix *out,
                                  bool *done)
{
    struct cgs_stopwatch *watch = &queue->context->watch;
    double norm = 0.0;
    const char *refusal = cgs_cuda_assemble_refuses(queue, matrix, matrix->source->mesh);
    if (refusal)
        return cgs_fail(queue->context, CGS_BUG, "assembly on the device: %s", refusal);
    const enum cgs_phase outer = cgs_stopwatch_enter(watch, CGS_PHASE_ASSEMBLE);
    struct cgs_mesh there; /* kappa is on the device as long as this takes */
    enum cgs_status status = cgs_cuda_mesh_create(queue, matrix->source->mesh, &there);
    if (status == CGS_OK)
        status = assemble(queue, matrix, &there, number, out, &norm);
    cgs_cuda_mesh_release(queue, &there);
    cgs_stopwatch_enter(watch, outer);
    CGS_TRY(status);
    *done = number == CGS_F64 || norm <= FLT_MAX;
    return CGS_OK;
}
