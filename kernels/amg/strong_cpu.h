/* Strong entries of a matrix on the CPU: roots of its diagonal, and the graph of strong
 * neighbours (rules.h). */
#pragma once

#include "kernels/amg.h"

extern const struct cgs_sparse_ops cgs_cpu_sparse_f64;

/* Rows that are here and their columns: all of a matrix, or those of a rank (ghosts not NULL). */
struct cgs_amg_rows {
    struct cgs_queue *queue;
    const struct cgs_sparse *a;
    const struct cgs_ghosts *ghosts;
    int64_t begin; /* column of row 0's diagonal entry */
    double theta;
    double *roots; /* a's columns: square roots of the diagonal; owned */
};

/* Makes the rows with their roots; owned by the caller. CGS_BREAKDOWN: an entry of the diagonal
 * is not positive; the message has its row. CGS_MEMORY. Several ranks call it at once, and agree
 * on failure. */
enum cgs_status cgs_amg_cpu_rows(struct cgs_queue *queue, const struct cgs_sparse *a,
                                 const struct cgs_ghosts *ghosts, double theta,
                                 struct cgs_amg_rows *rows);
void cgs_amg_cpu_rows_release(struct cgs_amg_rows *rows);

/* Makes the graph of all rows' strong neighbours, without values, or with the rows themselves
 * and room for values. Owned by the caller. CGS_MEMORY. */
enum cgs_status cgs_amg_cpu_graph(const struct cgs_amg_rows *rows, int itself,
                                  struct cgs_sparse *strong);
