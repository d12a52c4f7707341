/* The doctor on processors. */
#pragma once

#include "src/doctor/finding.h"

void cgs_examine_processor(struct cgs_examination *e);

/* Processors that this process may keep busy: those it may run on, or fewer by a control group's
 * quota; at least 1. */
int cgs_processors_allowed(const struct cgs_examination *e);

/* Sockets or NUMA nodes, whichever is more: memory of another one is further away. 0: not known. */
int cgs_places_apart(const struct cgs_examination *e);

void cgs_examine_openmp(struct cgs_examination *e); /* starts the threads */
