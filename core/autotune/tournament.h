/* Timing of several trials in turn. */
#pragma once

#include "core/autotune/trial.h"

/* Settings of a comparison of trials. */
struct cgs_tournament {
    int products;  /* timed products of each trial, without first ones and one warm-up a batch */
    int batches;   /* at most CGS_BATCHES_MOST */
    bool cold;     /* flush the caches before each product */
    double budget; /* limit in seconds on the products of a trial, of which it gets at least 3 */
    double baseline_budget; /* the same for baselines; 0: `budget` */
    double hopeless;        /* drop a trial if its first product exceeds the best of its device by
                               this factor, ... */
    double patience;        /* ... unless all its products take at most these seconds */
    /* verifies the last y of each batch; NULL: no verification */
    const struct cgs_references *references;
};

/* Times all open trials in turn, batch after batch, each batch with the next input. */
enum cgs_status cgs_tournament_run(const struct cgs_tournament *tournament,
                                   struct cgs_trial *const *trials, int count);
