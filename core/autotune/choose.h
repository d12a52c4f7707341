/* --kernel=auto: times the candidates on the matrix itself, in pairs, for at most 50 products per
 * pair (conversion excluded), picks the fastest and explains the choice. */
#pragma once

#include "core/autotune/trial.h"
#include "core/plan/forecast.h"

enum { CGS_CHOICE_MOST = 40 };

struct cgs_selection_item {
    struct cgs_candidate candidate;
    int64_t bytes;    /* traffic of one product; 0: unknown */
    double seconds;   /* time of one product on the scale of the first comparison; 0: not timed */
    char reason[200]; /* why it was left out or given up; "" if neither */
};

struct cgs_selection {
    struct cgs_selection_item items[CGS_CHOICE_MOST];
    int count;
    int chosen;    /* index into items; -1: none */
    int products;  /* timed products, all candidates together */
    bool measured; /* false: chosen without timing */
    bool
        /* chosen by the lengths of rows (--reproducible, or others had the processors) */
        by_lengths;
    double others; /* their share of the processors while kernels were timed, too large to choose
                        by time; else 0 */
    int64_t rows, nonzeros;
    struct cgs_row_statistics statistics;
    struct cgs_padding padding;
};

/* Chooses a kernel of the testbed's device for the rows of `source`. Candidates have a format that
 * --format allows; vendor kernels count only if there is no other, users' never. Candidates that
 * move more than 2.5 times the bytes of the leanest, or do not fit into `room`, are not timed.
 * With --reproducible nothing is timed: the first kernel in the layout picked by the row lengths
 * is chosen, as in a solve; likewise where other processes had the processors while kernels were
 * timed. room: memory free now less what the rest of the run will hold. If no kernel takes the
 * matrix, choice->chosen is -1 and the status CGS_USAGE, or CGS_MEMORY for lack of memory. */
enum cgs_status cgs_choose_on(const struct cgs_testbed *testbed,
                              const struct cgs_settings *settings,
                              const struct cgs_row_source *source, const struct cgs_room *room,
                              struct cgs_selection *choice);

/* cgs_choose_on with temporary test vectors. */
enum cgs_status cgs_choose(const struct cgs_settings *settings, const struct cgs_backend *backend,
                           struct cgs_queue *queue, const struct cgs_row_source *source,
                           const struct cgs_room *room, struct cgs_selection *choice);

/* Describes the choice for the model problem, which needs no timing: its structure is known, and
 * the format's first kernel was picked by measurements. matrix: layout done; machine: opened with
 * that kernel. */
enum cgs_status cgs_choose_default(const struct cgs_settings *settings,
                                   const struct cgs_machine *machine,
                                   const struct cgs_matrix *matrix, struct cgs_selection *choice);
