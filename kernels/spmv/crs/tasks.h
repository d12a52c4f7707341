/* Long rows of a padded matrix in tasks of nearly equal length, for crs_split.cu: made on the host.
 */
#ifndef CGS_KERNELS_SPMV_CRS_TASKS_H
#define CGS_KERNELS_SPMV_CRS_TASKS_H

#include "base/status.h"
#include "kernels/spmv/crs/split.h"
#include "matrix/matrix.h"

CGS_BEGIN_C

enum {
    CGS_SEGMENT = 16,       /* rows are padded to a multiple of it; tasks are whole segments */
    CGS_TASK_LONGEST = 256, /* entries of a task, and of a row that is left whole */
    CGS_PARTS_MOST = 1024   /* tasks of a row: beyond, they get longer */
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

/* At most so many tasks, and half as many rows in parts; of a forecast, too. */
int64_t cgs_tasks_most(const struct cgs_matrix *padded);

/* The tasks of all rows of more than CGS_TASK_LONGEST entries, padding counted. CGS_MEMORY. */
enum cgs_status cgs_tasks_create(struct cgs_context *context, const struct cgs_matrix *padded,
                                 struct cgs_tasks *tasks);
void cgs_tasks_release(struct cgs_context *context, struct cgs_tasks *tasks);

CGS_END_C

#endif
