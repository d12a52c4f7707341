/* Counts the different values of a matrix, until there are too many.
 *
 * A thread counts in a small table of its own, and empties it into the common one when full. Rows
 * equal to the previous row (nearly all, in a matrix where a table pays) are counted without
 * reading their entries. */
#include "matrix/sellc/sellc_table.h"

#include <stdlib.h>

#include "base/memory.h"
#include "matrix/sellc/sellc.h"
#include "matrix/walk.h"

enum {
    PRIVATE = 1024,                    /* places of a thread's table, at most half of them used */
    COMMON = 2 * CGS_SELLC_TABLE_MOST, /* places of the common one */
    STEP = 1 << 18                     /* rows between two checks for too many values */
};

struct counted {
    uint64_t bits;
    int64_t count; /* 0: free */
};

struct counter {
    int64_t places, used;
    struct counted *at;
};

struct job {
    enum cgs_number number;
    struct counter common;
    struct counter *private; /* a thread's */
    bool many;           /* more than a table holds */
};

static void count(struct counter *counter, uint64_t bits, int64_t times)
{
    const uint64_t mask = (uint64_t)counter->places - 1;
    uint64_t i = cgs_value_hash(bits) & mask;
    while (counter->at[i].count != 0 && counter->at[i].bits != bits)
        i = (i + 1) & mask;
    counter->used += counter->at[i].count == 0;
    counter->at[i].bits = bits;
    counter->at[i].count += times;
}

/* Moves a thread's counts to the common table. */
static void empty(struct job *job, struct counter *private)
{
#pragma omp critical(cgs_sellc_table)
    {
        bool many = job->many; /* written only here, also read elsewhere */
        for (int64_t i = 0; i < private->places && !many; i++)
            if (private->at[i].count != 0) {
                count(&job->common, private->at[i].bits, private->at[i].count);
                many = job->common.used > CGS_SELLC_TABLE_MOST;
            }
#pragma omp atomic write
        job->many = many;
    }
    memset(private->at, 0, (size_t) private->places * sizeof *private->at);
    private->used = 0;
}

static void count_row(struct job *job, struct counter *private, const double *values,
                      int32_t length, int64_t times)
{
    for (int32_t j = 0; j < length; j++) {
        const float narrow = (float)values[j];
        count(private,
              job->number == CGS_F64 ? cgs_value_bits(CGS_F64, values, j)
                                     : cgs_value_bits(CGS_F32, &narrow, 0),
              times);
        if (private->used > PRIVATE / 2)
            empty(job, private);
    }
}

static void count_block(void *user, int thread, const struct cgs_walk_block *block)
{
    struct job *job = user;
    struct counter *private = &job->private[thread];
    const double *values = block->values;
    int64_t times = 1;
    bool many;
#pragma omp atomic read
    many = job->many;
    for (int64_t i = 0; i < block->rows && !many; i++) {
        const int32_t length = block->lengths[i];
        const double *next = values + length;
        if (i + 1 < block->rows && block->lengths[i + 1] == length &&
            memcmp(values, next, (size_t)length * sizeof *values) == 0) {
            times++;
        } else {
            count_row(job, private, values, length, times);
            times = 1;
        }
        values = next;
    }
}

/* Order: +0 first, then by frequency, then by bits. */
static int by_frequency(const void *a, const void *b)
{
    const struct counted *x = a, *y = b;
    if ((x->bits == 0) != (y->bits == 0))
        return x->bits == 0 ? -1 : 1;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return (x->bits > y->bits) - (x->bits < y->bits);
}

static enum cgs_status take_over(struct cgs_context *context, struct counter *common,
                                 struct cgs_value_table *table)
{
    struct cgs_value_table made = {.count = 0, .mask = 15};
    for (int64_t i = 0; i < common->places; i++)
        if (common->at[i].count != 0)
            common->at[made.count++] = common->at[i];
    qsort(common->at, (size_t)made.count, sizeof *common->at, by_frequency);
    while ((int64_t)made.mask < 4 * made.count)
        made.mask = 2 * made.mask + 1;
    enum cgs_status status = cgs_alloc(context, made.count, sizeof *made.values, "table of values",
                                       (void **)&made.values);
    if (status == CGS_OK)
        status = cgs_alloc(context, (int64_t)made.mask + 1, sizeof *made.key, "table of values",
                           (void **)&made.key);
    if (status == CGS_OK)
        status = cgs_alloc(context, (int64_t)made.mask + 1, sizeof *made.where, "table of values",
                           (void **)&made.where);
    if (status != CGS_OK) {
        cgs_value_table_release(context, &made);
        return status;
    }
    memset(made.where, 0, (size_t)(made.mask + 1) * sizeof *made.where);
    for (int64_t k = 0; k < made.count; k++) {
        uint64_t i = cgs_value_hash(common->at[k].bits) & made.mask;
        while (made.where[i] != 0)
            i = (i + 1) & made.mask;
        made.key[i] = made.values[k] = common->at[k].bits;
        made.where[i] = (uint32_t)k + 1;
    }
    *table = made;
    return CGS_OK;
}

static enum cgs_status make_counters(struct cgs_context *context, struct job *job, void **memory)
{
    const int threads = context->threads;
    const int64_t places = COMMON + (int64_t)threads * PRIVATE;
    CGS_TRY(cgs_alloc(context, threads, sizeof *job->private, "counters", (void **)&job->private));
    const enum cgs_status status =
        cgs_alloc(context, places, sizeof *job->common.at, "counters of values", memory);
    if (status != CGS_OK) {
        cgs_free(context, job->private);
        return status;
    }
    struct counted *at = *memory;
    memset(at, 0, (size_t)places * sizeof *at);
    job->common = (struct counter){.places = COMMON, .at = at};
    for (int t = 0; t < threads; t++)
        job->private[t] =
            (struct counter){.places = PRIVATE, .at = at + COMMON + t * (int64_t)PRIVATE};
    return CGS_OK;
}

int64_t cgs_value_table_bytes(int64_t entries)
{
    const int64_t values = entries < CGS_SELLC_TABLE_MOST ? entries + 1 : CGS_SELLC_TABLE_MOST;
    return COMMON * (int64_t)sizeof(struct counted) +
           8 * values * (int64_t)(sizeof(uint64_t) + sizeof(uint32_t));
}

enum cgs_status cgs_value_table_make(struct cgs_context *context,
                                     const struct cgs_row_source *source, enum cgs_number number,
                                     struct cgs_value_table *table)
{
    struct job job = {.number = number};
    void *memory;
    CGS_TRY(make_counters(context, &job, &memory));
    enum cgs_status status = CGS_OK;
    count(&job.common, 0, 1);
    for (int64_t row = 0; row < source->rows && status == CGS_OK && !job.many; row += STEP) {
        const int64_t end = source->rows - row < STEP ? source->rows : row + STEP;
        status = cgs_walk_rows(context, source, row, end, count_block, &job);
        for (int t = 0; t < context->threads; t++)
            empty(&job, &job.private[t]);
    }
    *table = (struct cgs_value_table){.count = 0};
    if (status == CGS_OK && !job.many)
        status = take_over(context, &job.common, table);
    cgs_free(context, memory);
    cgs_free(context, job.private);
    return status;
}

void cgs_value_table_release(struct cgs_context *context, struct cgs_value_table *table)
{
    cgs_free(context, table->values);
    cgs_free(context, table->key);
    cgs_free(context, table->where);
    *table = (struct cgs_value_table){.count = 0};
}
