/* The single upload of a matrix, whose entries are sent or computed on the device
 * (assemble_cuda.cu).
 *
 * A large matrix is never in host memory as a whole: while one pinned buffer is copied, the other
 * is filled from the row source in the device's layout. Filling counts as assembly, waiting for the
 * link as transfer. The link's busy time is counted separately (context->link_*), so that its speed
 * is known although both overlap.
 */
#include "kernels/device/assemble_cuda.cuh"
#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/upload_cuda.cuh"
#include "matrix/fill.h"
#include "matrix/names.h"
#include "matrix/nodes.h"

/* Host memory that SELL needs in addition to CRS: code of its kernels in the runtime, and the
 * threads' row buffers, which the C library keeps (1.1 to 1.8 MB measured, 16 threads, driver
 * 580.159). */
enum { SELL_HOST_BYTES = 5 << 18 };

/* Allocated entries: whole pieces of 16 bytes, which kernels may read. */
static int64_t room_for(const struct cgs_matrix *matrix)
{
    return (matrix->stored + 3) / 4 * 4;
}

/* Allocated columns: of nodes of `block` rows, or of entries. */
static int64_t columns_for(const struct cgs_matrix *matrix, int block)
{
    return block > 1 ? matrix->stored / ((int64_t)block * block) : room_for(matrix);
}

/* True if the layout is that of rows that are in the memory of the device. */
static bool is_there(const struct cgs_matrix *matrix)
{
    return matrix->source && matrix->source->there && matrix->format == CGS_CRS && !matrix->padded;
}

/* True if these stay there, and need no copy. */
static bool is_lent(const struct cgs_matrix *matrix)
{
    return is_there(matrix) && !matrix->source->there->passing;
}

void cgs_cuda_matrix_plan(const struct cgs_matrix *matrix, enum cgs_number number,
                          struct cgs_plan *plan)
{
    cgs_cuda_nodes_plan(matrix, 1, number, plan);
}

void cgs_cuda_nodes_plan(const struct cgs_matrix *matrix, int block, enum cgs_number number,
                         struct cgs_plan *plan)
{
    const int64_t room = room_for(matrix);
    const bool there = is_lent(matrix);
    if (!there || number != CGS_F64)
        cgs_plan_add(plan, CGS_DEVICE_MEMORY, "matrix values", room, cgs_number_bytes(number));
    if (there)
        return;
    cgs_plan_add(plan, CGS_DEVICE_MEMORY, "matrix columns", columns_for(matrix, block),
                 sizeof(int32_t));
    cgs_plan_add(plan, CGS_DEVICE_MEMORY, "matrix pointers", matrix->units + 1, sizeof(int64_t));
    if (matrix->format == CGS_SELL)
        cgs_plan_add(plan, CGS_HOST, "CUDA runtime: SELL, row buffers", 1, SELL_HOST_BYTES);
    if (matrix->sigma > 1)
        cgs_plan_add(plan, CGS_DEVICE_MEMORY, "matrix permutation", matrix->rows, sizeof(int32_t));
}

void cgs_cuda_matrix_free(struct cgs_queue *queue, struct cgs_cuda_matrix *matrix)
{
    if (!matrix->lent) {
        cgs_cuda_free(queue, matrix->pointers);
        cgs_cuda_free(queue, matrix->columns);
    }
    if (!matrix->lent_values)
        cgs_cuda_free(queue, matrix->values);
    cgs_cuda_free(queue, matrix->permutation);
}

/* Largest end such that units first ... end - 1 have at most `most` entries; at least one unit. */
static int64_t piece_end(const struct cgs_matrix *matrix, int64_t first, int64_t most)
{
    int64_t low = first + 1, high = matrix->units;
    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;
        if (matrix->pointers[middle] - matrix->pointers[first] <= most)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static int64_t largest_unit(const struct cgs_matrix *matrix)
{
    int64_t largest = 1;
    for (int64_t unit = 0; unit < matrix->units; unit++) {
        const int64_t entries = matrix->pointers[unit + 1] - matrix->pointers[unit];
        if (entries > largest)
            largest = entries;
    }
    return largest;
}

/* A matrix on its way. */
struct sending {
    const struct cgs_matrix *matrix;
    int block; /* rows of a node; 1: columns of entries */
    enum cgs_number number;
};

/* Fills one pinned buffer with units first ... last - 1 and starts its copy. */
static enum cgs_status send_piece(struct cgs_queue *queue, const struct sending *sending,
                                  int64_t first, int64_t last, int slot,
                                  const struct cgs_cuda_matrix *out)
{
    const struct cgs_matrix *matrix = sending->matrix;
    const enum cgs_number number = sending->number;
    const int64_t size = cgs_number_bytes(number), offset = matrix->pointers[first];
    const int64_t entries = matrix->pointers[last] - offset;
    const int64_t area = (int64_t)sending->block * sending->block;
    char *values = (char *)cgs_cuda_device(queue)->staging[slot];
    int32_t *columns = (int32_t *)(values + entries * size);

    CGS_TRY(cgs_cuda_staging_wait(queue, slot));
    CGS_TRY(cgs_matrix_fill(queue->context, matrix, first, last, number, columns, values));
    if (area > 1) {
        cgs_nodes_columns(queue->context, matrix, sending->block, first, last, columns,
                          columns + entries);
        columns += entries;
    }
    const struct cgs_cuda_copy copies[] = {
        {(char *)out->values + offset * size, values, entries * size},
        {out->columns + offset / area, columns, entries / area * (int64_t)sizeof(int32_t)},
    };
    return cgs_cuda_staging_copy(queue, slot, copies, 2, cudaMemcpyHostToDevice);
}

static enum cgs_status send_entries(struct cgs_queue *queue, const struct sending *sending,
                                    const struct cgs_cuda_matrix *out)
{
    const struct cgs_matrix *matrix = sending->matrix;
    const int64_t block = sending->block; /* of nodes both kinds of columns are in the buffer */
    const int64_t entry =
        cgs_number_bytes(sending->number) + (block > 1 ? 2 : 1) * (int64_t)sizeof(int32_t);
    int slot = 0;

    CGS_TRY(cgs_cuda_staging(queue, block * largest_unit(matrix) * entry));
    const int64_t most = cgs_cuda_device(queue)->staging_bytes / entry;
    for (int64_t first = 0; first < matrix->units;) {
        const int64_t fitting = piece_end(matrix, first, most) / block * block;
        const int64_t last = fitting > first ? fitting : first + block;
        CGS_TRY(send_piece(queue, sending, first, last, slot, out));
        slot = !slot;
        first = last;
    }
    CGS_TRY(cgs_cuda_staging_wait(queue, 0));
    return cgs_cuda_staging_wait(queue, 1);
}

/* Sends pointers and permutation from pageable memory: they are small compared with the entries,
 * except the row pointers of CRS, which the device computes with the entries. */
static enum cgs_status send_layout(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                                   const struct cgs_cuda_matrix *out)
{
    if (!matrix->on_device || matrix->format != CGS_CRS || matrix->padded)
        CGS_TRY(cgs_cuda_send(queue, out->pointers, matrix->pointers,
                              (matrix->units + 1) * (int64_t)sizeof(int64_t)));
    if (matrix->permutation)
        CGS_TRY(cgs_cuda_send(queue, out->permutation, matrix->permutation,
                              matrix->rows * (int64_t)sizeof(int32_t)));
    return CGS_OK;
}

static enum cgs_status send_all(struct cgs_queue *queue, const struct sending *sending,
                                const struct cgs_cuda_matrix *out)
{
    const struct cgs_matrix *matrix = sending->matrix;
    bool there = false;
    if (matrix->on_device) {
        CGS_TRY(send_layout(queue, matrix, out));
        CGS_TRY(cgs_cuda_assemble(queue, matrix, sending->number, out, &there));
    }
    if (there)
        return CGS_OK;
    CGS_TRY(send_entries(queue, sending, out));
    return matrix->on_device ? CGS_OK : send_layout(queue, matrix, out);
}

/* Copies the values of rows that are there, converted. */
static enum cgs_status copy_values(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                                   enum cgs_number number, void *values)
{
    const struct cgs_cuda_lines lines = {
        values, number, 0, matrix->source->there->value, CGS_F64, 0, matrix->nonzeros, 1};
    return cgs_cuda_copy_lines(queue, &lines);
}

static enum cgs_status copy_there(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                                  enum cgs_number number, const struct cgs_cuda_matrix *out)
{
    const struct cgs_device_rows *there = matrix->source->there;
    const cudaStream_t stream = cgs_cuda_stream(queue);
    CGS_CUDA_TRY(queue->context,
                 cudaMemcpyAsync(out->pointers, there->pointers,
                                 (size_t)(matrix->rows + 1) * sizeof *there->pointers,
                                 cudaMemcpyDeviceToDevice, stream));
    CGS_CUDA_TRY(queue->context, cudaMemcpyAsync(out->columns, there->column,
                                                 (size_t)matrix->nonzeros * sizeof *there->column,
                                                 cudaMemcpyDeviceToDevice, stream));
    return copy_values(queue, matrix, number, out->values);
}

/* Takes a caller's rows as they are; values in single precision are converted. */
static enum cgs_status take_there(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                                  enum cgs_number number, struct cgs_cuda_matrix *out)
{
    const struct cgs_device_rows *there = matrix->source->there;
    struct cgs_cuda_matrix made = {};
    made.pointers = const_cast<int64_t *>(there->pointers);
    made.columns = const_cast<int32_t *>(there->column);
    made.values = const_cast<double *>(there->value);
    made.lent = true;
    made.lent_values = number == CGS_F64;
    if (number == CGS_F64) {
        *out = made;
        return CGS_OK;
    }
    CGS_TRY(cgs_cuda_alloc(queue, room_for(matrix), (size_t)cgs_number_bytes(number),
                           "matrix values", &made.values));
    const enum cgs_status status = copy_values(queue, matrix, number, made.values);
    if (status != CGS_OK) {
        cgs_cuda_matrix_free(queue, &made);
        return status;
    }
    *out = made;
    return CGS_OK;
}

enum cgs_status cgs_cuda_matrix_upload(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                                       enum cgs_number number, struct cgs_cuda_matrix *out)
{
    return cgs_cuda_nodes_upload(queue, matrix, 1, number, out);
}

enum cgs_status cgs_cuda_nodes_upload(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                                      int block, enum cgs_number number,
                                      struct cgs_cuda_matrix *out)
{
    if (is_lent(matrix))
        return take_there(queue, matrix, number, out);
    const struct sending sending = {matrix, block, number};
    struct cgs_stopwatch *watch = &queue->context->watch;
    struct cgs_cuda_matrix made = {};
    const enum cgs_phase outer = cgs_stopwatch_enter(watch, CGS_PHASE_TRANSFER);
    const int64_t room = room_for(matrix);
    enum cgs_status status = cgs_cuda_alloc(queue, room, (size_t)cgs_number_bytes(number),
                                            "matrix values", &made.values);
    if (status == CGS_OK)
        status =
            cgs_cuda_alloc(queue, columns_for(matrix, block), sizeof(int32_t), "matrix columns",
                           (void **)&made.columns);
    if (status == CGS_OK)
        status = cgs_cuda_alloc(queue, matrix->units + 1, sizeof(int64_t), "matrix pointers",
                                (void **)&made.pointers);
    if (status == CGS_OK && matrix->permutation)
        status = cgs_cuda_alloc(queue, matrix->rows, sizeof(int32_t), "matrix permutation",
                                (void **)&made.permutation);
    if (status == CGS_OK)
        status = is_there(matrix) ? copy_there(queue, matrix, number, &made)
                                  : send_all(queue, &sending, &made);
    cgs_stopwatch_enter(watch, outer);
    if (status != CGS_OK) {
        cudaDeviceSynchronize(); /* copies may still read the staging and write these */
        cgs_cuda_matrix_free(queue, &made);
        return status;
    }
    *out = made;
    return CGS_OK;
}
