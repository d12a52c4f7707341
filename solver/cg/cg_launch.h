/* Launch of iterations: one by one, recorded, or in one kernel. */
#pragma once

#include "solver/cg/cg.h"

/* Returns true if CG on this operator can be launched as CGS_LAUNCH_PERSISTENT. */
bool cgs_cg_can_persist(const struct cgs_operator *op, bool preconditioned);

/* ---- for the files of CG ---- */

struct cgs_cg_run; /* cg_internal.h */

/* Queues k iterations, one step after the other. */
enum cgs_status cgs_cg_queue_iterations(struct cgs_cg *cg, int64_t k);

/* Checks the launch mode of the settings and records iterations for replay.
 * CGS_USAGE: device, operator or preconditioner do not allow this launch mode. */
enum cgs_status cgs_cg_prepare_launch(struct cgs_cg *cg);

/* Does the first iteration from x = 0 with a preconditioner that is A's inverse. A breakdown is
 * taken back, to be shown by the ordinary start. *done: no other start is needed. */
enum cgs_status cgs_cg_invert(struct cgs_cg *cg, struct cgs_cg_run *run, bool *done);

/* Iterates until run->seen.reason says why to stop. Then x is complete and the device idle. */
enum cgs_status cgs_cg_launch(struct cgs_cg *cg, struct cgs_cg_run *run);

/* Returns true if the pause callback is to be called now. */
bool cgs_cg_pause_is_due(const struct cgs_cg *cg, const struct cgs_cg_run *run);

/* Sets the iteration limit to the next pause, or to that of the settings. */
void cgs_cg_limit(const struct cgs_cg *cg, struct cgs_cg_run *run);

/* Calls the pause callback. If the iterations stopped only for it, run->seen.reason is then what it
 * would be without. */
enum cgs_status cgs_cg_pause(struct cgs_cg *cg, struct cgs_cg_run *run);
