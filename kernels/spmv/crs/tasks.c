#include "kernels/spmv/crs/tasks.h"

#include "base/memory.h"

static int32_t parts_of(int64_t entries)
{
    const int64_t parts = (entries + CGS_TASK_LONGEST - 1) / CGS_TASK_LONGEST;
    return (int32_t)(parts < CGS_PARTS_MOST ? parts : CGS_PARTS_MOST);
}

static int64_t entries_of(const struct cgs_matrix *padded, int64_t row)
{
    return padded->pointers[row + 1] - padded->pointers[row];
}

/* Returns true if no row has more than CGS_TASK_LONGEST entries. */
static bool all_whole(const struct cgs_matrix *padded)
{
    return padded->statistics.longest <= CGS_TASK_LONGEST;
}

int64_t cgs_tasks_most(const struct cgs_matrix *padded)
{
    /* ceil(l / longest) <= 2 l / longest where l > longest */
    return all_whole(padded) ? 0 : 2 * (padded->stored / CGS_TASK_LONGEST);
}

/* Divides the row's segments as evenly as possible. */
static void cut_row(int64_t begin, int64_t entries, int32_t parts, struct cgs_task *task)
{
    const int64_t segments = entries / CGS_SEGMENT;
    for (int64_t part = 0; part < parts; part++) {
        const int64_t from = segments * part / parts, to = segments * (part + 1) / parts;
        task[part] = (struct cgs_task){.begin = begin + from * CGS_SEGMENT,
                                       .entries = (int32_t)((to - from) * CGS_SEGMENT)};
    }
}

enum cgs_status cgs_tasks_create(struct cgs_context *context, const struct cgs_matrix *padded,
                                 struct cgs_tasks *tasks)
{
    struct cgs_tasks made = {0};
    const int64_t rows = all_whole(padded) ? 0 : padded->rows;
    for (int64_t i = 0; i < rows; i++)
        if (entries_of(padded, i) > CGS_TASK_LONGEST) {
            made.rows++;
            made.tasks += parts_of(entries_of(padded, i));
        }
    CGS_TRY(cgs_alloc(context, made.tasks, sizeof *made.task, "tasks of long rows",
                      (void **)&made.task));
    const enum cgs_status status =
        cgs_alloc(context, made.rows + 1, sizeof *made.row, "long rows", (void **)&made.row);
    if (status != CGS_OK) {
        cgs_free(context, made.task);
        return status;
    }
    struct cgs_split *next = made.row;
    int64_t first = 0;
    for (int64_t i = 0; i < rows; i++) {
        const int64_t entries = entries_of(padded, i);
        if (entries <= CGS_TASK_LONGEST)
            continue;
        const int32_t parts = parts_of(entries);
        *next++ = (struct cgs_split){.row = i, .slot = first};
        cut_row(padded->pointers[i], entries, parts, made.task + first);
        first += parts;
    }
    *next = (struct cgs_split){.row = padded->rows, .slot = first};
    *tasks = made;
    return CGS_OK;
}

void cgs_tasks_release(struct cgs_context *context, struct cgs_tasks *tasks)
{
    cgs_free(context, tasks->task);
    cgs_free(context, tasks->row);
    *tasks = (struct cgs_tasks){0};
}
