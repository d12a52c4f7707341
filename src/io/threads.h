/* The OpenMP threads of the host: started while a refusal is still possible. */
#ifndef CGS_SRC_IO_THREADS_H
#define CGS_SRC_IO_THREADS_H

#include "base/context.h"

/* Sets context->threads to `asked`, --threads, or to all where it is 0, and starts them.
 * CGS_USAGE: more than OMP_THREAD_LIMIT allows. CGS_MEMORY: the system refuses that many. */
enum cgs_status cgs_threads_start(struct cgs_context *context, int asked);

#endif
