/* The run of a collection: machine, ceilings, then matrix by matrix. */
#ifndef CGS_SRC_SPMV_COLLECTION_RUN_H
#define CGS_SRC_SPMV_COLLECTION_RUN_H

#include "src/spmv/collection.h"

/* Opens users' kernels and the machine; fills c->machine, without its queues, host, device and
 * settings. */
enum cgs_status cgs_collection_open_machine(struct cgs_collection *c, struct cgs_machine *machine);

/* Measures the bandwidth of each level of cache and of the memory: ceilings. */
enum cgs_status cgs_collection_measure(struct cgs_collection *c, const struct cgs_machine *machine);

/* Runs all matrices that are not done; saves after each where there is a folder. */
enum cgs_status cgs_collection_run(struct cgs_collection *c);

#endif
