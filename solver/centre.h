/* Takes the mean off CG's residual before each z = M r, where A takes constants to 0. What rounding
 * makes of that mean no x takes off; with amg's M directions fill with constants as r falls, until
 * p'A p is rounding alone. */
#pragma once

#include "solver/operator.h"

struct cgs_centre;

/* Makes one for vectors of the space. Ranks call it at once, and agree on failure. */
enum cgs_status cgs_centre_create(const struct cgs_space *space, struct cgs_centre **centre);
void cgs_centre_release(struct cgs_centre *centre); /* NULL is allowed */

/* Adds what that takes to a plan, for vectors of `bytes`. */
void cgs_centre_plan(struct cgs_plan *plan, enum cgs_place place, int64_t bytes);

/* Traffic of cgs_centre_apply, in vectors. */
struct cgs_moves cgs_centre_moves(void);

/* on false: cgs_centre_apply does nothing from here on, as b is outside the range of A, and its
 * mean is to stay. */
enum cgs_status cgs_centre_switch(struct cgs_centre *centre, bool on);

/* r -= mean of r, also of a CG that has ended. NULL: does nothing. */
enum cgs_status cgs_centre_apply(const struct cgs_centre *centre, struct cgs_queue *queue, void *r);
