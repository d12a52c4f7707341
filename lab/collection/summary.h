/* Times of a collection by matrix and kernel: a kernel counts with its fastest layout on each
 * matrix. */
#pragma once

#include "lab/collection/collection.h"
#include "lab/times.h"

struct cgs_summary_kernel {
    char label[128]; /* "sell_chunk", "crs_row, 1 thread", "cpu sell_chunk" on a GPU */
    bool
        beside; /* a baseline that nobody asked for, and no vendor's: in no figure and no profile */
    bool single;                /* beside, on one thread where the others have more */
    int timed, failed, fastest; /* on so many matrices; fastest among those that are not beside */
    struct cgs_speedup speedup; /* over the baseline */
};

struct cgs_summary {
    struct cgs_context *context;
    struct cgs_times times; /* of all kernels; seconds are owned */
    struct cgs_times shown; /* the same of kernels that are not beside: the first ones */
    json_t **rows;     /* owned: row of the time of kernel k on matrix m, or NULL; rows borrowed */
    json_t **matrices; /* owned: the first row of each matrix, borrowed */
    struct cgs_summary_kernel *kernels;         /* owned: those that are not beside first */
    int refused;                                /* matrices */
    int failed;                                 /* rows */
    const json_t *first_refused, *first_failed; /* rows, borrowed */
    int baseline;                               /* kernel; -1: none */
};

/* Writes the label of a row's kernel. */
void cgs_summary_label(const struct cgs_collection *c, const json_t *row, char *text, size_t size);

/* Makes it of the collection's rows. CGS_MEMORY, then there is nothing to release. */
enum cgs_status cgs_summary_make(const struct cgs_collection *c, struct cgs_summary *s);
void cgs_summary_release(struct cgs_summary *s);
const char *cgs_summary_baseline(const struct cgs_summary *s);
/* Says in a sentence that one thread beats all kernels on most matrices; "" where it does not. */
void cgs_summary_say_single(const struct cgs_summary *s, char *text, size_t size);
json_t *cgs_summary_json(const struct cgs_summary *s);

/* Writes the kernels that are not beside by their geometric mean over the baseline, the fastest
 * first, into order[0 ... shown.kernels - 1]. */
void cgs_summary_order(const struct cgs_summary *s, int *order);
