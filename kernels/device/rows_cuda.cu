/* A caller's matrix and vectors in device memory: CUDA's functions of kernels/rows.h. A thread a
 * row, which reads its entries once: 27 a row at N = 256 take some milliseconds, once a matrix. */
#include "kernels/device/rows_cuda.cuh"

#include <cstring>

#include "base/random.h"
#include "kernels/device/launch.cuh"
#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/pool_cuda.cuh"
#include "kernels/device/sum.cuh"
#include "kernels/device/wait_cuda.cuh"
#include "kernels/rows.h"

namespace
{

typedef unsigned long long word;

/* The findings as atomics can add them: norms and diagonals as the bits of numbers that are not
 * negative, which are ordered as these are. */
struct tally {
    word wrong, not_positive, fingerprint, norm, least, most;
};

/* The same about lengths of rows. */
struct length_tally {
    word wrong, empty, squares, rounded[CGS_ROUNDINGS], shortest, longest;
};

__device__ inline int64_t first_index()
{
    return (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ inline int64_t step()
{
    return (int64_t)gridDim.x * blockDim.x;
}

/* Sums, least or greatest of a warp's numbers go to *to, by one lane. */
__device__ inline void give_sum(word *to, word mine)
{
    for (int step = CGS_WARP / 2; step > 0; step /= 2)
        mine += __shfl_down_sync(~0u, mine, step);
    if (threadIdx.x % CGS_WARP == 0 && mine != 0)
        atomicAdd(to, mine);
}

__device__ inline void give_most(word *to, word mine)
{
    for (int step = CGS_WARP / 2; step > 0; step /= 2) {
        const word other = __shfl_down_sync(~0u, mine, step);
        mine = other > mine ? other : mine;
    }
    if (threadIdx.x % CGS_WARP == 0)
        atomicMax(to, mine);
}

__device__ inline void give_least(word *to, word mine)
{
    for (int step = CGS_WARP / 2; step > 0; step /= 2) {
        const word other = __shfl_down_sync(~0u, mine, step);
        mine = other < mine ? other : mine;
    }
    if (threadIdx.x % CGS_WARP == 0)
        atomicMin(to, mine);
}

__global__ void lengths_kernel(int64_t rows, int64_t columns, int64_t nonzeros,
                               const int64_t *pointers, struct length_tally *tally)
{
    struct length_tally mine = {};
    mine.shortest = ~0ull;
    if (first_index() == 0)
        mine.wrong = (pointers[0] != 0) + (pointers[rows] != nonzeros);
    for (int64_t row = first_index(); row < rows; row += step()) {
        const int64_t length = pointers[row + 1] - pointers[row];
        if (length < 0 || length > columns || pointers[row] < 0) {
            mine.wrong++;
            continue;
        }
        mine.empty += length == 0;
        mine.squares += (word)length * (word)length;
        for (int k = 0; k < CGS_ROUNDINGS; k++)
            mine.rounded[k] += (word)((length + (1 << k) - 1) >> k);
        mine.shortest = (word)length < mine.shortest ? (word)length : mine.shortest;
        mine.longest = (word)length > mine.longest ? (word)length : mine.longest;
    }
    give_sum(&tally->wrong, mine.wrong);
    give_sum(&tally->empty, mine.empty);
    give_sum(&tally->squares, mine.squares);
    for (int k = 0; k < CGS_ROUNDINGS; k++)
        give_sum(&tally->rounded[k], mine.rounded[k]);
    give_least(&tally->shortest, mine.shortest);
    give_most(&tally->longest, mine.longest);
}

__device__ inline unsigned long long bits_of(double value)
{
    unsigned long long bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

__device__ inline bool is_finite(double value)
{
    return fabs(value) <= 1.7976931348623157e308;
}

/* Returns an entry's part of the sum of matrix/symmetry.c: that of its pair and value, added
 * above the diagonal. */
__device__ inline unsigned long long fingerprint(int64_t row, int64_t column, double value)
{
    const int64_t i = row < column ? row : column, j = row < column ? column : row;
    const uint64_t h =
        cgs_splitmix64(bits_of(value) ^ cgs_splitmix64((uint64_t)i << 32 | (uint64_t)j));
    return value == 0.0 || row == column ? 0 : row < column ? h : 0 - h;
}

struct row_findings {
    bool right;
    double sum, diagonal;
    unsigned long long fingerprint;
};

__device__ struct row_findings look_at(int64_t row, int64_t rows, const int64_t *pointers,
                                       const int32_t *column, const double *value)
{
    struct row_findings found = {true, 0.0, 0.0, 0};
    int64_t before = -1;
    for (int64_t k = pointers[row]; k < pointers[row + 1]; k++) {
        const int64_t j = column[k];
        const double a = value[k];
        found.right = found.right && j > before && j < rows && is_finite(a);
        found.sum += fabs(a);
        found.fingerprint += fingerprint(row, j, a);
        if (j == row)
            found.diagonal = a;
        before = j;
    }
    return found;
}

__global__ void survey_kernel(int64_t rows, const int64_t *pointers, const int32_t *column,
                              const double *value, struct tally *tally)
{
    struct tally mine = {0, 0, 0, 0, ~0ull, 0};
    for (int64_t row = first_index(); row < rows; row += step()) {
        const struct row_findings found = look_at(row, rows, pointers, column, value);
        mine.wrong += !found.right;
        mine.fingerprint += found.fingerprint;
        if (!(found.diagonal > 0.0)) {
            mine.not_positive++;
            continue;
        }
        const unsigned long long norm = bits_of(found.sum), diagonal = bits_of(found.diagonal);
        mine.norm = norm > mine.norm ? norm : mine.norm;
        mine.least = diagonal < mine.least ? diagonal : mine.least;
        mine.most = diagonal > mine.most ? diagonal : mine.most;
    }
    give_sum(&tally->wrong, mine.wrong);
    give_sum(&tally->not_positive, mine.not_positive);
    give_sum(&tally->fingerprint, mine.fingerprint);
    give_most(&tally->norm, mine.norm);
    give_least(&tally->least, mine.least);
    give_most(&tally->most, mine.most);
}

__global__ void diagonal_kernel(int64_t rows, const int64_t *pointers, const int32_t *column,
                                const double *value, double *diagonal)
{
    for (int64_t row = first_index(); row < rows; row += step()) {
        diagonal[row] = 0.0;
        for (int64_t k = pointers[row]; k < pointers[row + 1]; k++)
            if (column[k] == row)
                diagonal[row] = value[k];
    }
}

__global__ void widen_kernel(int64_t count, const int32_t *narrow, int64_t *wide)
{
    for (int64_t i = first_index(); i < count; i += step())
        wide[i] = narrow[i];
}

enum cgs_status widen(struct cgs_queue *queue, int64_t count, const int32_t *narrow, int64_t **wide)
{
    int64_t *made = nullptr;
    CGS_TRY(cgs_cuda_alloc(queue, count, sizeof *made, "row pointers", (void **)&made));
    const enum cgs_status status = cgs_launch(queue, "widen pointers", widen_kernel,
                                              cgs_blocks_for(queue, count), count, narrow, made);
    if (status != CGS_OK) {
        cgs_cuda_free(queue, made);
        return status;
    }
    *wide = made;
    return CGS_OK;
}

double number_of(unsigned long long bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

struct cgs_row_statistics statistics_of(const struct length_tally &found, int64_t rows)
{
    struct cgs_row_statistics statistics = {};
    const double mean = (double)found.rounded[0] / (double)rows;
    const double variance = (double)found.squares / (double)rows - mean * mean;
    statistics.shortest = (int32_t)found.shortest;
    statistics.longest = (int32_t)found.longest;
    statistics.mean = mean;
    statistics.deviation = found.shortest < found.longest && variance > 0.0 ? sqrt(variance) : 0.0;
    statistics.empty = (int64_t)found.empty;
    for (int k = 0; k < CGS_ROUNDINGS; k++)
        statistics.rounded[k] = (int64_t)(found.rounded[k] << k);
    return statistics;
}

/* Runs a kernel that adds to one struct of findings; *found is what that begins with, then what
 * it was. */
template <class Tally, class... Parameters, class... Arguments>
enum cgs_status tally_up(struct cgs_queue *queue, Tally *found, int64_t rows,
                         void (*kernel)(Parameters...), Arguments... arguments)
{
    Tally *there = nullptr;
    CGS_TRY(
        cgs_cuda_pool_alloc(queue, 1, sizeof *found, "findings about the rows", (void **)&there));
    enum cgs_status status = cgs_cuda_send(queue, there, found, sizeof *found);
    if (status == CGS_OK)
        status = cgs_launch(queue, "look at the rows", kernel, cgs_blocks_for(queue, rows),
                            arguments..., there);
    if (status == CGS_OK)
        status = cgs_cuda_fetch(queue, found, there, sizeof *found);
    cgs_cuda_pool_free(queue, there);
    return status;
}

enum cgs_status lengths(struct cgs_queue *queue, int64_t rows, int64_t columns, int64_t nonzeros,
                        const int64_t *pointers, struct cgs_rows_findings *findings)
{
    struct length_tally found = {};
    *findings = {};
    found.shortest = ~0ull;
    CGS_TRY(tally_up(queue, &found, rows, lengths_kernel, rows, columns, nonzeros, pointers));
    findings->wrong_pointers = (int64_t)found.wrong;
    if (found.wrong == 0)
        findings->statistics = statistics_of(found, rows);
    return CGS_OK;
}

enum cgs_status survey(struct cgs_queue *queue, int64_t rows, int64_t nonzeros,
                       const struct cgs_device_rows *there, struct cgs_rows_findings *findings)
{
    struct tally found = {0, 0, 0, 0, ~0ull, 0};
    CGS_TRY(lengths(queue, rows, rows, nonzeros, there->pointers, findings));
    if (findings->wrong_pointers > 0)
        return CGS_OK;
    CGS_TRY(tally_up(queue, &found, rows, survey_kernel, rows, there->pointers, there->column,
                     there->value));
    findings->wrong = (int64_t)found.wrong;
    findings->not_positive = (int64_t)found.not_positive;
    findings->symmetric = found.fingerprint == 0;
    findings->norm = number_of(found.norm);
    findings->least = found.not_positive < (word)rows ? number_of(found.least) : 0.0;
    findings->most = number_of(found.most);
    return CGS_OK;
}

enum cgs_status diagonal(struct cgs_queue *queue, int64_t rows, const struct cgs_device_rows *there,
                         double *host)
{
    double *made = nullptr;
    CGS_TRY(cgs_cuda_pool_alloc(queue, rows, sizeof *made, "matrix diagonal", (void **)&made));
    enum cgs_status status =
        cgs_launch(queue, "diagonal of the rows", diagonal_kernel, cgs_blocks_for(queue, rows),
                   rows, there->pointers, there->column, there->value, made);
    if (status == CGS_OK)
        status = cgs_cuda_fetch(queue, host, made, rows * (int64_t)sizeof *made);
    cgs_cuda_pool_free(queue, made);
    return status;
}

} // namespace

bool cgs_cuda_holds(const void *address)
{
    cudaPointerAttributes attributes;
    if (cudaPointerGetAttributes(&attributes, address) != cudaSuccess) {
        cudaGetLastError(); /* forget it */
        return false;
    }
    int current;
    if (attributes.type == cudaMemoryTypeManaged)
        return true;
    return attributes.type == cudaMemoryTypeDevice && cudaGetDevice(&current) == cudaSuccess &&
           attributes.device == current;
}

enum cgs_status cgs_cuda_settle(struct cgs_queue *queue)
{
    CGS_CUDA_TRY(queue->context, cudaDeviceSynchronize());
    return CGS_OK;
}

CGS_EXPORT(struct cgs_rows_ops, cgs_cuda_rows) = {
    .holds = cgs_cuda_holds,
    .settle = cgs_cuda_settle,
    .widen = widen,
    .free = cgs_cuda_free,
    .read = cgs_cuda_fetch,
    .survey = survey,
    .diagonal = diagonal,
    .lengths = lengths,
};
