/* Exercises whose files are answers: numbers that the learner has measured or computed. */
#pragma once

#include "lab/exercise/exercise.h"

/* Measurements of the judge of `transfer`, in seconds. */
struct cgs_transfer_measured {
    double cpu, gpu;   /* of one product */
    double cost;       /* conversion and transfer */
    double iterations; /* of CG */
};

/* Judges a file of its answers by such a measurement: tests can do without a GPU. Statuses as of
 * cgs_exercise_judge. */
enum cgs_status cgs_transfer_judge(struct cgs_context *context, const char *file,
                                   const struct cgs_transfer_measured *measured,
                                   struct cgs_verdict *verdict);
