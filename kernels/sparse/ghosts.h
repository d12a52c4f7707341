/* Ghosts in set-up: numbers and rows that other ranks have of a portion's ghosts
 * (matrix/ranks/portion.h). Columns are counted from the first ghost on here, as operands of matrix
 * products need them:
 *
 *     portion    -2   -1   | 0   1   2   3  | 4    5         here 0 ... 7, owned ones from `below` = 2 on
 *
 * What is fetched while a system is solved, solver/halo.h fetches.
 */
#pragma once

#include "kernels/sparse.h"
#include "kernels/sparse/mail.h"
#include "matrix/ranks/portion.h"

struct cgs_ghosts {
    const struct cgs_portion *portion; /* borrowed */
    int64_t columns;                   /* ghosts and owned numbers */
    /* in: this rank's numbers that others need; out: room for as many as there are ghosts */
    struct cgs_mail mail;
    int64_t *packed; /* what others need */
};

/* Finds out who needs what; on all ranks at once, which agree on failure. *ghosts is owned by
 * the caller, and empty after a failure. CGS_MEMORY. */
enum cgs_status cgs_ghosts_create(struct cgs_context *context, const struct cgs_portion *portion,
                                  struct cgs_ghosts *ghosts);
/* An empty struct is allowed. */
void cgs_ghosts_release(struct cgs_context *context, struct cgs_ghosts *ghosts);

/* Fetches what belongs into the places of ghosts: a number of 8 bytes a column, of any type. On
 * all ranks at once. */
void cgs_ghosts_fetch(struct cgs_context *context, const struct cgs_ghosts *ghosts, void *numbers);

/* all = the rows of all columns, in double: this rank's `local`, and those of ghosts from their
 * owners. On all ranks at once, which agree on failure. *all is owned by the caller. CGS_MEMORY. */
enum cgs_status cgs_ghosts_fetch_rows(struct cgs_queue *queue, const struct cgs_ghosts *ghosts,
                                      const struct cgs_sparse *local, struct cgs_sparse *all);

/* Makes the portion of a rank that owns columns cuts[rank] ... cuts[rank + 1] - 1, for rows that
 * have these columns of the whole: all others are ghosts. It owns cuts, copied, and ghosts, and
 * has no source. CGS_MEMORY. */
enum cgs_status cgs_ghosts_portion(struct cgs_context *context, const int64_t *cuts,
                                   const int32_t *column, int64_t entries,
                                   struct cgs_portion *portion);

/* Replaces columns of the whole by the portion's. */
void cgs_ghosts_renumber(struct cgs_context *context, const struct cgs_portion *portion,
                         int32_t *column, int64_t entries);
