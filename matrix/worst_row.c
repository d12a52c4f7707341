#include "matrix/worst_row.h"

#include <math.h>

#include "base/memory.h"
#include "matrix/walk.h"

struct task {
    int64_t first;
    bool single;
    const void *x, *b;
    double least, aim;
    struct cgs_worst_row *of_thread;
};

static void take(struct cgs_worst_row *worst, const struct cgs_worst_row *other)
{
    if (other->row >= 0 && (worst->row < 0 || other->ratio > worst->ratio ||
                            (other->ratio == worst->ratio && other->row < worst->row))) {
        worst->ratio = other->ratio;
        worst->row = other->row;
    }
    worst->count += other->count;
    worst->size = fmax(worst->size, other->size);
    worst->most = fmax(worst->most, other->most);
    worst->rr += other->rr;
}

static double at_place(const struct task *task, const void *vector, int64_t i)
{
    return task->single ? ((const float *)vector)[i] : ((const double *)vector)[i];
}

static void visit(void *user, int thread, const struct cgs_walk_block *block)
{
    const struct task *task = user;
    struct cgs_worst_row found = {.row = -1};
    int64_t at = 0;
    for (int64_t k = 0; k < block->rows; k++) {
        const double b = at_place(task, task->b, block->first + k - task->first);
        double rest = b, size = fabs(b), diagonal = 0.0;
        for (const int64_t end = at + block->lengths[k]; at < end; at++) {
            const double a = block->values[at], x = at_place(task, task->x, block->columns[at]);
            rest -= a * x;
            size += fabs(a * x);
            if (block->columns[at] == block->first + k)
                diagonal = a;
        }
        found.most = fmax(found.most, size);
        found.rr += rest * rest;
        if (rest == 0.0)
            continue;
        size += diagonal * task->least;
        const double ratio = fabs(rest) / size;
        if (found.row < 0 || ratio > found.ratio) {
            found.ratio = ratio;
            found.row = block->first + k;
        }
        if (ratio > task->aim) {
            found.count++;
            found.size = fmax(found.size, size);
        }
    }
    take(&task->of_thread[thread], &found);
}

enum cgs_status cgs_matrix_worst_row(struct cgs_context *context,
                                     const struct cgs_row_source *source, int64_t first,
                                     int64_t last, bool single, const void *x, const void *b,
                                     double least, double aim, struct cgs_worst_row *worst)
{
    struct task task = {first, single, x, b, least, aim, NULL};
    CGS_TRY(cgs_alloc(context, context->threads, sizeof *task.of_thread, "worst rows of threads",
                      (void **)&task.of_thread));
    for (int t = 0; t < context->threads; t++)
        task.of_thread[t] = (struct cgs_worst_row){.row = -1};
    const enum cgs_status status = cgs_walk_rows(context, source, first, last, visit, &task);
    for (int t = 0; t < context->threads && status == CGS_OK; t++)
        take(worst, &task.of_thread[t]);
    cgs_free(context, task.of_thread);
    return status;
}
