/* The OpenMP threads of the host: started while a refusal is still possible. */
#ifndef CGS_SRC_IO_THREADS_H
#define CGS_SRC_IO_THREADS_H

#include "src/options/options.h"

/* Sets context->threads to what --threads asks for, or else to all, and starts them.
 * CGS_USAGE: more than OMP_THREAD_LIMIT allows. CGS_MEMORY: the system refuses that many. */
enum cgs_status cgs_threads_start(struct cgs_context *context, const struct cgs_options *options);

#endif
