/* SpMV, CRS on CUDA: rows padded to multiples of 4 entries, loads of 16 bytes, 1 to 32 threads a
 * row by the mean row length (Ma C., Wei G., Pei S., Wu B., "Improvement of sparse matrix-vector
 * multiplication on GPU", section 2.2, there only float4 and with a second kernel that adds).
 *
 * A thread takes 4 consecutive entries at a time: int4 columns with a float4 or two double2,
 * aligned since each row begins at a multiple of 4. For short rows, which crs_split would fill up
 * with padding.
 *
 *     mean     0 ... 8   ... 16   ... 32   ... 64   ... 128   more        (2 groups of 4 a thread)
 *     threads  1         2        4        8        16        32
 *
 * Traffic: entries rounded up to multiples of 4 in each row (value + 4 bytes), 8 bytes a row
 * pointer; x read once, y written once.
 */
#include "kernels/spmv/crs/group.cuh"
#include "kernels/spmv/crs/padded.cuh"

namespace {

enum { POWER = 2, WIDTH = 1 << POWER, FOURS = 2 /* of a thread's batch */ };

/* Four consecutive values. */
template <class Value> struct four {
    Value v[WIDTH];

    __device__ void load(const Value *p, int left, int at, uint64_t hint)
    {
        if constexpr (sizeof(Value) == sizeof(float)) {
            float4 all = {};
            stream_load(&all, reinterpret_cast<const float4 *>(p), left, at, hint);
            v[0] = all.x, v[1] = all.y, v[2] = all.z, v[3] = all.w;
        } else {
            double2 low = {}, high = {};
            stream_load(&low, reinterpret_cast<const double2 *>(p), left, at, hint);
            stream_load(&high, reinterpret_cast<const double2 *>(p) + 1, left, at, hint);
            v[0] = low.x, v[1] = low.y, v[2] = high.x, v[3] = high.y;
        }
    }
};

/* Groups of four entries, T apart in the row (group.cuh). */
template <int T> struct batch_fours {
    enum { UNIT = WIDTH, STEP = FOURS * WIDTH * T };
    int4 column[FOURS] = {};
    four<value> entry[FOURS];

    __device__ void load(const int32_t *columns, const value *values, int left, uint64_t hint)
    {
#pragma unroll
        for (int k = 0; k < FOURS; k++)
            stream_load(&column[k], reinterpret_cast<const int4 *>(columns) + k * T, left, k * T,
                        hint);
#pragma unroll
        for (int k = 0; k < FOURS; k++)
            entry[k].load(values + k * T * WIDTH, left, k * T, hint);
    }

    __device__ real add(real sum, int left, const real *__restrict__ x) const
    {
        real factor[FOURS][WIDTH] = {};
#pragma unroll
        for (int k = 0; k < FOURS; k++) {
            gather(&factor[k][0], x + column[k].x, left, k * T);
            gather(&factor[k][1], x + column[k].y, left, k * T);
            gather(&factor[k][2], x + column[k].z, left, k * T);
            gather(&factor[k][3], x + column[k].w, left, k * T);
        }
#pragma unroll
        for (int k = 0; k < FOURS; k++)
#pragma unroll
            for (int j = 0; j < WIDTH; j++)
                sum += (real)entry[k].v[j] * factor[k][j];
        return sum;
    }
};

enum cgs_status fill(struct grouped *g, const struct cgs_matrix *matrix)
{
    g->threads = group_threads(matrix->statistics.mean, FOURS * WIDTH);
    return fill_padded<POWER>(g, matrix, grouped_fill);
}

} // namespace

CGS_TABLE(struct cgs_kernel, cgs_cuda_crs_vec4) = {
    .capturable = true,
    .reproducible = true,
    .shared = true,
    .plan = padded_plan<POWER>,
    .prepare = cgs_prepare<struct grouped, fill, cgs_empty_arrays>,
    .traffic = padded_traffic<POWER>,
    .steps = {.apply = cgs_apply<choose_group<batch_fours, false>>,
              .apply_dot = choose_group<batch_fours, true>,
              .release = grouped_release},
};
