/* `cgsolve exercise check FILE` and `time FILE`: judge a file, and report as text and JSON. */
#ifndef CGS_LAB_EXERCISE_CHECK_H
#define CGS_LAB_EXERCISE_CHECK_H

#include "lab/exercise/exercises.h"

/* Judges a file, and reports that as text and JSON. The context says so where it is not right:
 * CGS_NOT_CONVERGED, wrong; CGS_FILE, broken; CGS_DEVICE, unjudged. */
enum cgs_status cgs_exercise_check(struct cgs_context *context, const struct cgs_call *call,
                                   const struct cgs_exercises *exercises, const char *file);

/* The same for a file that is known to be right: where speed counts, its speed alone is judged. */
enum cgs_status cgs_exercise_time(struct cgs_context *context, const struct cgs_call *call,
                                  const struct cgs_exercises *exercises, const char *file);

#endif
