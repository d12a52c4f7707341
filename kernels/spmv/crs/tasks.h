/* Tasks of nearly equal length for long rows of a padded matrix, made on the host for
 * crs_split.cu. */
#pragma once

#include "base/status.h"
#include "kernels/spmv/crs/split.h"
#include "matrix/matrix.h"

CGS_BEGIN_C

enum {
    CGS_SEGMENT = 16,       /* rows are padded to a multiple of it; tasks are whole segments */
    CGS_TASK_LONGEST = 256, /* largest task in entries; shorter rows stay whole */
    CGS_PARTS_MOST = 1024   /* tasks of a row, at most: longer rows have longer tasks */
};

/* Entries begin ... begin + entries - 1, of one row. */
struct cgs_task {
    int64_t begin;
    int32_t entries;
};

struct cgs_tasks {
    int64_t tasks, rows;
    struct cgs_task *task; /* row by row */
    struct cgs_split *row; /* rows + 1, by ascending row; slots are tasks */
};

/* Upper bound of the tasks, and twice that of the split rows; also for a forecast. */
int64_t cgs_tasks_most(const struct cgs_matrix *padded);

/* Makes the tasks of all rows of more than CGS_TASK_LONGEST entries, padding counted.
 * CGS_MEMORY. */
enum cgs_status cgs_tasks_create(struct cgs_context *context, const struct cgs_matrix *padded,
                                 struct cgs_tasks *tasks);
void cgs_tasks_release(struct cgs_context *context, struct cgs_tasks *tasks);

CGS_END_C
