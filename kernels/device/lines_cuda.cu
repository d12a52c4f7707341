#include "kernels/device/lines_cuda.cuh"

#include "kernels/device/launch.cuh"

namespace
{

template <class To, class From>
__global__ void lines_kernel(int64_t numbers, int64_t lines, const From *from, int64_t from_pitch,
                             To *to, int64_t to_pitch)
{
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < numbers * lines;
         i += (int64_t)gridDim.x * blockDim.x) {
        const int64_t line = i / numbers, at = i % numbers;
        to[line * to_pitch + at] = (To)from[line * from_pitch + at];
    }
}

template <class To, class From>
enum cgs_status copy_lines(struct cgs_queue *queue, const struct cgs_cuda_lines *l)
{
    return cgs_launch(queue, "numbers of the caller", lines_kernel<To, From>,
                      cgs_blocks_for(queue, l->numbers * l->lines), l->numbers, l->lines,
                      (const From *)l->from, l->from_pitch, (To *)l->to, l->to_pitch);
}

} // namespace

enum cgs_status cgs_cuda_copy_lines(struct cgs_queue *queue, const struct cgs_cuda_lines *lines)
{
    if (lines->numbers == 0 || lines->lines == 0)
        return CGS_OK;
    if (lines->from_number == CGS_F64)
        return lines->to_number == CGS_F64 ? copy_lines<double, double>(queue, lines)
                                           : copy_lines<float, double>(queue, lines);
    return lines->to_number == CGS_F64 ? copy_lines<double, float>(queue, lines)
                                       : copy_lines<float, float>(queue, lines);
}
