/* Vectors in device memory: allocation, filling and reading through two alternating pinned buffers,
 * so that conversion and copy overlap.
 */
#include "base/integers.h"
#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/rows_cuda.cuh"
#include "kernels/device/wait_cuda.cuh"
#include "kernels/vector/convert.h"
#include "kernels/vector/vectors_cuda.cuh"
#include "matrix/names.h"
#include "matrix/ranks/portion.h"

int64_t cgs_cuda_room(const struct cgs_layout *layout, int64_t ghosts)
{
    enum { LINE = 32 }; /* numbers: 128 bytes of floats */
    return layout->pitch ? (ghosts + layout->length - 1) / layout->length * layout->pitch
                         : (ghosts + LINE - 1) / LINE * LINE;
}

/* Bytes before the owned numbers. */
static int64_t bytes_before(const struct cgs_space *space)
{
    const struct cgs_portion *portion = space->layout.portion;
    return portion
               ? cgs_cuda_room(&space->layout, portion->before) * cgs_number_bytes(space->number)
               : 0;
}

enum cgs_status cgs_cuda_vector_alloc(const struct cgs_space *space, const char *what,
                                      void **vector)
{
    void *made = NULL;
    CGS_TRY(cgs_cuda_alloc(space->queue, space->footprint, 1, what, &made));
    const cudaError_t error =
        cudaMemsetAsync(made, 0, (size_t)space->footprint, cgs_cuda_stream(space->queue));
    if (error != cudaSuccess) {
        cgs_cuda_free(space->queue, made);
        return cgs_cuda_fail(space->queue->context, __FILE__, __LINE__, "cudaMemsetAsync", error);
    }
    *vector = (char *)made + bytes_before(space);
    return CGS_OK;
}

void cgs_cuda_vector_free(const struct cgs_space *space, void *vector)
{
    if (vector)
        cgs_cuda_free(space->queue, (char *)vector - bytes_before(space));
}

/* Numbers of one piece of a vector: one staging buffer. */
static int64_t piece_size(const struct cgs_space *space)
{
    return cgs_cuda_device(space->queue)->staging_bytes / cgs_number_bytes(space->number);
}

/* A piece of the natural order in the vector's layout: the end of a line, whole lines, the
 * beginning of a line; in natural order one line. */
struct piece {
    struct stretch {
        int64_t at, place, numbers, lines; /* in the piece, in the vector; of a line; how many */
    } stretch[3];
    int count;
};

static void add_stretch(struct piece *piece, int64_t at, int64_t place, int64_t numbers,
                        int64_t lines)
{
    if (numbers > 0 && lines > 0)
        piece->stretch[piece->count++] = {at, place, numbers, lines};
}

static struct piece piece_of(const struct cgs_space *space, int64_t first, int64_t count)
{
    const struct cgs_layout *layout = &space->layout;
    struct piece piece = {};
    if (layout->pitch == 0 || count == 0) {
        add_stretch(&piece, 0, first, count, 1);
        return piece;
    }
    const int64_t line = first / layout->length, column = first % layout->length;
    const int64_t head = column == 0 ? 0 : cgs_least(layout->length - column, count);
    const int64_t whole = (count - head) / layout->length, next = line + (column != 0);
    add_stretch(&piece, 0, line * layout->pitch + column, head, 1);
    add_stretch(&piece, head, next * layout->pitch, layout->length, whole);
    add_stretch(&piece, head + whole * layout->length, (next + whole) * layout->pitch,
                count - head - whole * layout->length, 1);
    return piece;
}

/* Queues the copies of a piece between a staging buffer and the vector. */
static enum cgs_status copy_piece(const struct cgs_space *space, int slot, void *vector,
                                  int64_t first, int64_t count, enum cudaMemcpyKind kind)
{
    const struct piece piece = piece_of(space, first, count);
    const int64_t size = cgs_number_bytes(space->number), pitch = space->layout.pitch * size;
    const int64_t length = space->layout.length * size;
    const bool up = kind == cudaMemcpyHostToDevice;
    struct cgs_cuda_copy copies[3];
    for (int i = 0; i < piece.count; i++) {
        const struct piece::stretch *s = &piece.stretch[i];
        char *staging = (char *)cgs_cuda_device(space->queue)->staging[slot] + s->at * size;
        char *device = (char *)vector + s->place * size;
        copies[i] = {up ? device : staging, up ? staging : device, s->numbers * size, s->lines,
                     up ? pitch : length,   up ? length : pitch};
    }
    return cgs_cuda_staging_copy(space->queue, slot, copies, piece.count, kind);
}

static enum cgs_status put(const struct cgs_space *space, const double *natural, int64_t first,
                           int64_t count, void *vector)
{
    struct cgs_queue *queue = space->queue;
    int slot = 0;

    CGS_TRY(cgs_cuda_staging(queue, 0));
    CGS_TRY(cgs_cuda_wait(queue)); /* the vector may still be in use */
    const int64_t most = piece_size(space);
    for (int64_t done = 0; done < count; slot = !slot) {
        const int64_t piece = cgs_least(count - done, most);
        void *staging = cgs_cuda_device(queue)->staging[slot];
        CGS_TRY(cgs_cuda_staging_wait(queue, slot));
        cgs_convert_from_double(queue->context->threads, natural + done, piece, space->number,
                                staging);
        CGS_TRY(copy_piece(space, slot, vector, first + done, piece, cudaMemcpyHostToDevice));
        done += piece;
    }
    CGS_TRY(cgs_cuda_staging_wait(queue, 0));
    return cgs_cuda_staging_wait(queue, 1);
}

static enum cgs_status get(const struct cgs_space *space, const void *vector, int64_t first,
                           int64_t count, double *natural)
{
    struct cgs_queue *queue = space->queue;
    int64_t asked = 0, taken = 0;

    CGS_TRY(cgs_cuda_staging(queue, 0));
    CGS_TRY(cgs_cuda_wait(queue));
    const int64_t most = piece_size(space);
    for (int slot = 0; taken < count; slot = !slot) {
        /* one piece is copied while the previous one is converted */
        for (; asked < count && asked < taken + 2 * most; asked += cgs_least(count - asked, most)) {
            const int other = (int)(asked / most % CGS_SLOTS);
            CGS_TRY(copy_piece(space, other, const_cast<void *>(vector), first + asked,
                               cgs_least(count - asked, most), cudaMemcpyDeviceToHost));
        }
        const int64_t piece = cgs_least(count - taken, most);
        CGS_TRY(cgs_cuda_staging_wait(queue, slot));
        cgs_convert_to_double(queue->context->threads, space->number,
                              cgs_cuda_device(queue)->staging[slot], piece, natural + taken);
        taken += piece;
    }
    return CGS_OK;
}

/* Between a vector and natural order in the memory of the device: nothing goes through the host. */
static enum cgs_status copy_there(const struct cgs_space *space, void *vector, double *natural,
                                  int64_t first, int64_t count, bool up)
{
    struct cgs_queue *queue = space->queue;
    const struct piece piece = piece_of(space, first, count);
    const int64_t size = cgs_number_bytes(space->number), pitch = space->layout.pitch;
    CGS_TRY(cgs_cuda_settle(queue));
    for (int i = 0; i < piece.count; i++) {
        const struct piece::stretch *s = &piece.stretch[i];
        void *ours = (char *)vector + s->place * size, *theirs = natural + s->at;
        const int64_t length = space->layout.length;
        const struct cgs_cuda_lines lines =
            up ? cgs_cuda_lines{ours,    space->number, pitch,      theirs,
                                CGS_F64, length,        s->numbers, s->lines}
               : cgs_cuda_lines{theirs,        CGS_F64, length,     ours,
                                space->number, pitch,   s->numbers, s->lines};
        CGS_TRY(cgs_cuda_copy_lines(queue, &lines));
    }
    return cgs_cuda_wait(queue);
}

enum cgs_status cgs_cuda_vector_put(const struct cgs_space *space, const double *natural,
                                    int64_t first, int64_t count, void *vector)
{
    struct cgs_stopwatch *watch = &space->queue->context->watch;
    const enum cgs_phase outer = cgs_stopwatch_enter(watch, CGS_PHASE_TRANSFER);
    const enum cgs_status status =
        cgs_cuda_holds(natural)
            ? copy_there(space, vector, const_cast<double *>(natural), first, count, true)
            : put(space, natural, first, count, vector);
    cgs_stopwatch_enter(watch, outer);
    return status;
}

enum cgs_status cgs_cuda_vector_get(const struct cgs_space *space, const void *vector,
                                    int64_t first, int64_t count, double *natural)
{
    struct cgs_stopwatch *watch = &space->queue->context->watch;
    const enum cgs_phase outer = cgs_stopwatch_enter(watch, CGS_PHASE_TRANSFER);
    const enum cgs_status status =
        cgs_cuda_holds(natural)
            ? copy_there(space, const_cast<void *>(vector), natural, first, count, false)
            : get(space, vector, first, count, natural);
    cgs_stopwatch_enter(watch, outer);
    return status;
}
