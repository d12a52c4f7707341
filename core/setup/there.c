#include "core/setup/there.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "matrix/crs.h"
#include "matrix/crs_check.h"

static enum cgs_status check_places(struct cgs_context *context, const struct cgs_machine *machine,
                                    const struct cgs_caller_rows *rows)
{
    const struct cgs_rows_ops *ops = machine->backend->rows;
    const struct {
        const char *name;
        const void *array;
    } arrays[] = {{"pointers", rows->pointers}, {"columns", rows->column}, {"values", rows->value}};
    if (!ops)
        return cgs_fail(
            context, CGS_USAGE,
            "the matrix is in the memory of a device, but this run computes on the host: "
            "take backend = cuda%s%s",
            machine->why[0] ? ", which was not taken since " : "", machine->why);
    for (int i = 0; i < 3; i++) {
        if (!ops->holds(arrays[i].array))
            return cgs_fail(context, CGS_USAGE,
                            "on_device is set, but %s is not in the memory of the device that "
                            "computes (the option 'device' chooses another)",
                            arrays[i].name);
        if (i > 0 && (uintptr_t)arrays[i].array % 16 != 0)
            return cgs_fail(
                context, CGS_USAGE,
                "%s begins in the middle of 16 bytes, which kernels read at a time: expected "
                "an array of its own, not a part of one",
                arrays[i].name);
    }
    return CGS_OK;
}

/* Reads without a message, by any thread. */
static bool read_quietly(const struct cgs_there *there, void *to, const void *from, int64_t bytes)
{
    struct cgs_context quiet;
    struct cgs_queue queue = *there->queue;
    cgs_context_init(&quiet);
    queue.context = &quiet;
    return there->ops->read(&queue, to, from, bytes) == CGS_OK;
}

/* Brings the pointers to the host, by all threads: most of the time goes into fresh pages. */
static enum cgs_status read_pointers(const struct cgs_context *context,
                                     const struct cgs_there *there)
{
    enum { PIECE = 1 << 18 };
    const int64_t count = there->rows + 1, size = sizeof *there->pointers;
    int64_t failed = 0;
#pragma omp parallel for num_threads(context->threads) schedule(static) reduction(+ : failed)
    for (int64_t first = 0; first < count; first += PIECE)
        failed += !read_quietly(there, there->pointers + first, there->there.pointers + first,
                                (count - first < PIECE ? count - first : PIECE) * size);
    return failed == 0 ? CGS_OK /* else again, to say why */
                       : there->ops->read(there->queue, there->pointers, there->there.pointers,
                                          count * size);
}

/* Checks the sizes, and takes the pointers with 64 bits. */
static enum cgs_status take_pointers(struct cgs_context *context,
                                     const struct cgs_caller_rows *rows, struct cgs_there *there)
{
    const struct cgs_crs unread = {.rows = rows->rows, .columns = rows->rows};
    if (rows->rows < 1 || rows->rows > INT32_MAX || rows->nonzeros < rows->rows)
        return cgs_crs_check(context, &unread, rows->nonzeros);
    if (rows->pointer_bits == 32)
        CGS_TRY(there->ops->widen(there->queue, rows->rows + 1, rows->pointers, &there->wide));
    there->there = (struct cgs_device_rows){
        .pointers = there->wide ? there->wide : rows->pointers,
        .column = rows->column,
        .value = rows->value,
    };
    return CGS_OK;
}

enum cgs_status cgs_there_bring(struct cgs_context *context, struct cgs_there *there)
{
    if (there->pointers)
        return CGS_OK;
    CGS_TRY(cgs_alloc(context, there->rows + 1, sizeof *there->pointers, "row pointers",
                      (void **)&there->pointers));
    return read_pointers(context, there);
}

/* Says what is wrong with the pointers. */
static enum cgs_status explain_pointers(struct cgs_context *context, struct cgs_there *there)
{
    CGS_TRY(cgs_there_bring(context, there));
    const struct cgs_crs crs = {
        .rows = there->rows, .columns = there->rows, .pointers = there->pointers};
    return cgs_crs_check(context, &crs, there->nonzeros); /* which reads no entries then */
}

/* Brings all entries to the host to say what is wrong with them. */
static enum cgs_status explain(struct cgs_context *context, struct cgs_there *there)
{
    struct cgs_crs crs;
    CGS_TRY(cgs_there_bring(context, there));
    CGS_TRY(cgs_crs_alloc(context, there->rows, there->rows, there->nonzeros, &crs));
    memcpy(crs.pointers, there->pointers, (size_t)(there->rows + 1) * sizeof *crs.pointers);
    enum cgs_status status = there->ops->read(there->queue, crs.column, there->there.column,
                                              there->nonzeros * (int64_t)sizeof *crs.column);
    if (status == CGS_OK)
        status = there->ops->read(there->queue, crs.value, there->there.value,
                                  there->nonzeros * (int64_t)sizeof *crs.value);
    if (status == CGS_OK)
        status = cgs_crs_check(context, &crs, there->nonzeros);
    cgs_crs_release(context, &crs);
    return status;
}

/* Looks at all entries. */
static enum cgs_status survey(struct cgs_context *context, struct cgs_there *there)
{
    CGS_TRY(there->ops->survey(there->queue, there->rows, there->nonzeros, &there->there,
                               &there->findings));
    if (there->findings.wrong_pointers > 0)
        return explain_pointers(context, there);
    return there->findings.wrong > 0 ? explain(context, there) : CGS_OK;
}

enum cgs_status cgs_there_open(struct cgs_context *context, const struct cgs_machine *machine,
                               const struct cgs_caller_rows *rows, struct cgs_there *there)
{
    *there = (struct cgs_there){.ops = machine->backend->rows,
                                .queue = machine->queue,
                                .rows = rows->rows,
                                .columns = rows->rows,
                                .nonzeros = rows->nonzeros};
    CGS_TRY(check_places(context, machine, rows));
    CGS_TRY(there->ops->settle(there->queue));
    CGS_TRY(take_pointers(context, rows, there));
    return survey(context, there);
}

enum cgs_status cgs_there_renew(struct cgs_context *context, const struct cgs_machine *machine,
                                const struct cgs_caller_rows *rows, struct cgs_there *there)
{
    CGS_TRY(check_places(context, machine, rows));
    CGS_TRY(there->ops->settle(there->queue));
    there->there.value = rows->value;
    return survey(context, there);
}

enum cgs_status cgs_there_made(const struct cgs_machine *machine, const struct cgs_sparse *m,
                               struct cgs_there *there)
{
    *there = (struct cgs_there){
        .ops = machine->backend->rows,
        .queue = machine->queue,
        .rows = m->rows,
        .columns = m->columns,
        .nonzeros = m->nonzeros,
        .there = {m->pointers, m->column, m->value, .passing = true},
    };
    CGS_TRY(there->ops->lengths(there->queue, m->rows, m->columns, m->nonzeros, m->pointers,
                                &there->findings));
    return there->findings.wrong_pointers == 0
               ? CGS_OK
               : cgs_fail(machine->queue->context, CGS_BUG, "row pointers made on the device");
}

void cgs_there_release(struct cgs_context *context, struct cgs_there *there)
{
    if (there->ops)
        there->ops->free(there->queue, there->wide);
    cgs_free(context, there->pointers);
    *there = (struct cgs_there){0};
}

/* ---- the row source ---- */

/* Copies `count` pointers, from the device where the host has none; zeros after a failure of the
 * device. */
static void take_some(const struct cgs_there *there, int64_t first, int64_t count, int64_t *to)
{
    const size_t bytes = (size_t)count * sizeof *to;
    if (there->pointers)
        memcpy(to, there->pointers + first, bytes);
    else if (!read_quietly(there, to, there->there.pointers + first, (int64_t)bytes))
        memset(to, 0, bytes);
}

static void lengths(const struct cgs_row_source *source, int64_t first, int64_t last,
                    int32_t *lengths)
{
    enum { PIECE = 1024 };
    int64_t pointers[PIECE + 1];
    for (int64_t begin = first; begin < last; begin += PIECE) {
        const int64_t count = last - begin < PIECE ? last - begin : PIECE;
        take_some(source->self, begin, count + 1, pointers);
        for (int64_t i = 0; i < count; i++)
            lengths[begin - first + i] = (int32_t)(pointers[i + 1] - pointers[i]);
    }
}

static void statistics(const struct cgs_row_source *source, struct cgs_row_statistics *statistics)
{
    *statistics = ((const struct cgs_there *)source->self)->findings.statistics;
}

static double norm(const struct cgs_row_source *source)
{
    return ((const struct cgs_there *)source->self)->findings.norm;
}

static enum cgs_status diagonal(struct cgs_context *context, const struct cgs_row_source *source,
                                int64_t first, int64_t last, double *diagonal)
{
    const struct cgs_there *there = source->self;
    (void)context;
    (void)last;
    assert(first == 0 && last == there->rows); /* one rank has all of it */
    return there->ops->diagonal(there->queue, there->rows, &there->there, diagonal);
}

/* For layouts that are not by rows, and to name what is wrong: slow, a copy for each piece. A
 * failing device shows at the next wait of the queue; until then the entries are zeros. */
static void fill(const struct cgs_row_source *source, int64_t first, int64_t last, int32_t *columns,
                 double *values)
{
    const struct cgs_there *there = source->self;
    int64_t begin, end;
    take_some(there, first, 1, &begin);
    take_some(there, last, 1, &end);
    const int64_t count = end - begin;
    if (!read_quietly(there, columns, there->there.column + begin,
                      count * (int64_t)sizeof *columns) ||
        !read_quietly(there, values, there->there.value + begin, count * (int64_t)sizeof *values))
        memset(values, 0, (size_t)count * sizeof *values);
}

struct cgs_row_source cgs_there_source(const struct cgs_there *there)
{
    const bool here = there->pointers != NULL; /* else a layout needs no more than the statistics */
    return (struct cgs_row_source){
        .rows = there->rows,
        .columns = there->columns,
        .there = &there->there,
        .self = there,
        .lengths = lengths,
        .statistics = here ? NULL : statistics,
        .norm = norm,
        .diagonal = diagonal,
        .fill = fill,
    };
}
