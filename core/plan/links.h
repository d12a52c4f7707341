/* Links between ranks, measured: seconds of an exchange of halos, and of a gathering for sums.
 * All ranks call it at once. Each figure is the least of a few batches, the slowest rank's;
 * together they take about a fifth of a second. */
#pragma once

#include <stdint.h>

#include "base/context.h"

struct cgs_links {
    double message;   /* seconds of a small message, each way at once */
    double bandwidth; /* bytes/s of a large one, likewise */
    double gathering; /* seconds */
};

/* bytes: of a halo on one side; numbers: that a rank sends in a gathering, at most 1024.
 * CGS_MEMORY: no room for the messages. */
enum cgs_status cgs_links_measure(struct cgs_context *context, int64_t bytes, int numbers,
                                  struct cgs_links *links);
