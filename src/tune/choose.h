/* --kernel=auto: candidates measured on the matrix itself, in duels, at the cost of 50 products for
 * each candidate at most (conversion apart), and an explanation of what was taken. */
#ifndef CGS_SRC_TUNE_CHOOSE_H
#define CGS_SRC_TUNE_CHOOSE_H

#include "src/plan/forecast.h"
#include "src/tune/trial.h"

enum { CGS_CHOICE_MOST = 40, CGS_CHOICE_LINES = 3, CGS_CHOICE_WIDTH = 2048 };

struct cgs_selection_item {
    struct cgs_candidate candidate;
    int64_t bytes;    /* of one product; 0: not known */
    double seconds;   /* of one product, median of its last duel; 0: not measured */
    char reason[200]; /* why it was left out or given up; "" where it was measured to the end */
};

struct cgs_selection {
    struct cgs_selection_item items[CGS_CHOICE_MOST];
    int count;
    int chosen;    /* -1: none */
    int products;  /* of all candidates together */
    bool measured; /* false: taken without a trial, as the default or ... */
    bool by_lengths; /* ... by the lengths of rows (--reproducible) */
    int64_t rows, nonzeros;
    struct cgs_row_statistics statistics;
    struct cgs_padding padding;
};

/* Candidates are this device's kernels of the formats that --format leaves open, never a vendor's
 * unless there is no other, never the person's own. Those that would move 2.5 times the bytes of
 * the leanest, or do not fit into the room, are not tried. With --reproducible nothing is timed: the first
 * kernel is taken of the layout that the lengths of rows ask for, as in a solve. `room`: free now, less what
 * else the run will hold. choice->chosen stays -1 only where nothing takes the matrix: CGS_USAGE with the
 * reason, or CGS_MEMORY where that is room. */
enum cgs_status cgs_choose_on(const struct cgs_stand *stand, const struct cgs_options *options,
                              const struct cgs_row_source *source, const struct cgs_room *room,
                              struct cgs_selection *choice);

/* The same with vectors of its own. */
enum cgs_status cgs_choose(const struct cgs_options *options, const struct cgs_backend *backend,
                           struct cgs_queue *queue, const struct cgs_row_source *source,
                           const struct cgs_room *room, struct cgs_selection *choice);

/* The box: its structure is known, so that the format's first kernel, which was measured for it, is
 * taken without a trial. `matrix`: laid out; machine: with that kernel. */
enum cgs_status cgs_choose_default(const struct cgs_options *options,
                                   const struct cgs_machine *machine,
                                   const struct cgs_matrix *matrix, struct cgs_selection *choice);

/* Row lengths and padding; candidates; measured times. */
void cgs_choice_explain(const struct cgs_selection *choice,
                        char lines[CGS_CHOICE_LINES][CGS_CHOICE_WIDTH]);

#endif
